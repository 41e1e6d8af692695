"""Identifiers of the 40k data that army lists are made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.names import shorten

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Cost, Profile, RosterFile, Selection

GAME_SYSTEMS = {"sys-352e-adc2-7639-d6a9": "10e", "sys-352e-adc2-7639-d610": "11e"}
_GAME = re.compile(r"warhammer 40[, .]?000|\b40k\b", re.IGNORECASE)
_EDITION = re.compile(r"\b(\d{1,2})(?:th|st|nd|rd)?(?:e| edition)\b", re.IGNORECASE)
_UNIT = "c547-1836-d8a-ff4f"
_RANGED = "f77d-b953-8fa4-b762"
_MELEE = "8a40-4aaa-c780-9046"
_TRANSPORT = "74f8-5443-9d6d-1f1e"
_POINTS = "51b2-306e-1021-d207"
_FACTION = "Faction: "
_CONFIGURATION = "Configuration"


def file_edition(roster: RosterFile) -> str:
    """Find the edition of a list; stat lines with InSv are of the 11th whatever the header says."""
    name = roster.game_system_name
    edition = GAME_SYSTEMS.get(roster.game_system_id)
    if edition is None:
        if not _GAME.search(name):
            game = name or roster.game_system_id
            if not game:
                raise RosterError(
                    f"expected an army list of Warhammer 40,000, but {shorten(roster.name or 'the list')} names no "
                    "game system and cannot be told from other games'; export the list again from its list builder"
                )
            raise RosterError(
                f"expected an army list of Warhammer 40,000, but {shorten(roster.name)} is of "
                f"{shorten(game)}; this reader knows no other game"
            )
        number = _EDITION.search(_GAME.sub("", name))
        edition = f"{number[1]}e" if number else ""
    if edition not in GAME_SYSTEMS.values():
        raise RosterError(
            f"expected a list of the 10th edition, but {shorten(roster.name)} is of {shorten(name)}, whose "
            "profiles differ; build the list again with the data of the 10th edition"
        )
    return "11e" if any(_has_insv(unit) for unit in roster.selections()) else edition


def _has_insv(selection: Selection) -> bool:
    return any(
        is_stat_line(profile) and profile.get("InSv") is not None
        for node in selection.walk()
        for profile in node.profiles
    )


def is_unit(selection: Selection) -> bool:
    """Whether a selection beside the others of a force is a unit."""
    return selection.type in {"unit", "model"}


def is_stat_line(profile: Profile) -> bool:
    """Whether the profile holds the characteristics of a model (M, T, SV, W, LD, OC)."""
    return profile.type_id == _UNIT or profile.type_name == "Unit"


def is_ranged(profile: Profile) -> bool:
    """Whether the profile is a ranged weapon."""
    return profile.type_id == _RANGED or profile.type_name == "Ranged Weapons"


def is_weapon(profile: Profile) -> bool:
    """Whether the profile is a weapon."""
    return is_ranged(profile) or profile.type_id == _MELEE or profile.type_name == "Melee Weapons"


def is_transport(profile: Profile) -> bool:
    """Whether the profile is a transport capacity, which has no effect on attacks."""
    return profile.type_id == _TRANSPORT or profile.type_name == "Transport"


def is_points(cost: Cost) -> bool:
    """Whether the cost is in points."""
    return cost.type_id == _POINTS or cost.name.casefold() in {"pts", "points"}


def keywords_of(selection: Selection) -> tuple[str, ...]:
    """Keywords among the categories of a unit or model, which hold factions and list-builder roles too."""
    return tuple(
        name for name in selection.categories if not name.startswith(_FACTION) and name != _CONFIGURATION
    )


def factions_of(selection: Selection) -> tuple[str, ...]:
    """Faction keywords among the categories of a unit."""
    return tuple(name.removeprefix(_FACTION) for name in selection.categories if name.startswith(_FACTION))
