"""Identifiers of the 40k data that army lists are made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.names import shorten

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Profile, RosterFile, Selection

GAME_SYSTEMS = {"sys-352e-adc2-7639-d6a9": "10e", "sys-352e-adc2-7639-d610": "11e"}
_GAME = re.compile(r"warhammer 40[, .]?000|\b40k\b", re.IGNORECASE)
_EDITION = re.compile(r"\b(\d{1,2})(?:th|st|nd|rd)?(?:e| edition)\b", re.IGNORECASE)
_KINDS = {
    "c547-1836-d8a-ff4f": "Unit",
    "f77d-b953-8fa4-b762": "Ranged Weapons",
    "8a40-4aaa-c780-9046": "Melee Weapons",
    "74f8-5443-9d6d-1f1e": "Transport",
}
_FACTION = "Faction: "


def file_edition(roster: RosterFile) -> str:
    """Find the edition of a list; stat lines with InSv are of the 11th whatever the header says."""
    name = roster.game_system_name
    listed = shorten(roster.name or "the list")
    edition = GAME_SYSTEMS.get(roster.game_system_id)
    if edition is None and not _GAME.search(name):
        game = name or roster.game_system_id
        said = f"is of {shorten(game)}; this reader knows no other game"
        if not game:
            said = (
                "names no game system and cannot be told from other games'; export the list again from its list "
                "builder"
            )
        raise RosterError(f"expected an army list of Warhammer 40,000, but {listed} {said}")
    number = _EDITION.search(_GAME.sub("", name))
    edition = edition or (f"{number[1]}e" if number else "")
    if edition not in GAME_SYSTEMS.values():
        raise RosterError(
            f"expected a list of the 10th edition, but {listed} is of {shorten(name)}, whose profiles differ; build "
            "the list again with the data of the 10th edition"
        )
    profiles = (profile for node in roster.nodes() for profile in node.profiles)
    moved_on = any(is_stat_line(profile) and profile.get("InSv") is not None for profile in profiles)
    return "11e" if moved_on else edition


def is_unit(selection: Selection) -> bool:
    """Whether a selection beside the others of a force is a unit."""
    return selection.type in {"unit", "model"}


def kind_of(profile: Profile) -> str:
    """Return the kind of a profile by its identifier, or else by name."""
    return _KINDS.get(profile.type_id, profile.type_name)


def is_stat_line(profile: Profile) -> bool:
    """Whether the profile holds the characteristics of a model (M, T, SV, W, LD, OC)."""
    return kind_of(profile) == "Unit"


def is_ranged(profile: Profile) -> bool:
    """Whether the profile is a ranged weapon."""
    return kind_of(profile) == "Ranged Weapons"


def is_weapon(profile: Profile) -> bool:
    """Whether the profile is a weapon."""
    return kind_of(profile) in {"Ranged Weapons", "Melee Weapons"}


def is_armed(selection: Selection) -> bool:
    """Whether a selection or one below it is a weapon."""
    return any(map(is_weapon, (profile for node in selection.walk() for profile in node.profiles)))


def keywords_of(selection: Selection) -> tuple[str, ...]:
    """Keywords among the categories of a unit or model, which hold factions and list-builder roles too."""
    return tuple(
        name for name in selection.categories if not name.startswith(_FACTION) and name != "Configuration"
    )


def factions_of(selection: Selection) -> tuple[str, ...]:
    """Faction keywords among the categories of a unit."""
    return tuple(name.removeprefix(_FACTION) for name in selection.categories if name.startswith(_FACTION))
