"""An army-list file as one small tree, the same for every encoding, and what its parts are by the data of 40k."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.display import Named
from mathhammer.errors import RosterError
from mathhammer.rosters.names import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Editions by game system: of Warhammer 40,000, and of Age of Sigmar.
SIGMAR = "AoS 4e"
GAME_SYSTEMS = {
    "sys-352e-adc2-7639-d6a9": "10e",
    "sys-352e-adc2-7639-d610": "11e",
    "e51d-b1a3-75fc-dc3g": SIGMAR,
}
_GAME = re.compile(r"warhammer 40[, .]?000|\b40k\b", re.IGNORECASE)
_EDITION = re.compile(r"\b(\d{1,2})(?:th|st|nd|rd)?(?:e| edition)\b", re.IGNORECASE)
_KINDS = {
    "c547-1836-d8a-ff4f": "Unit",
    "f77d-b953-8fa4-b762": "Ranged Weapons",
    "1fd-a42f-41d3-fe05": "Ranged Weapons",
    "8a40-4aaa-c780-9046": "Melee Weapons",
    "9074-76b6-9e2f-81e3": "Melee Weapons",
    "74f8-5443-9d6d-1f1e": "Transport",
}
FACTION = "Faction: "
_NO_GAME = (
    "names no game system and cannot be told from other games'; export the list again from its list builder"
)


#: Rules by name, each with its text; an empty one where the file has none.
Rules = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Named):
    """A line of characteristics: of a model, of a weapon, or an ability with its text.

    Parameters
    ----------
    name
        The name as the datasheet prints it, marks such as ``➤`` included.
    type_name, type_id
        The kind of profile; identifiers outlive renamings, so readers match on them first.
    characteristics
        Pairs of characteristic name and text, in order; texts keep their lines.
    hidden
        Whether a rule of the list builder hid the profile: it is not in force.

    Examples
    --------
    >>> rifle = Profile("Rifle", "Ranged Weapons", "f77d-b953-8fa4-b762", (("Range", '24"'), ("A", "2")))
    >>> rifle.get("a"), rifle.get("BS")
    ('2', None)
    """

    name: str
    type_name: str
    type_id: str
    characteristics: tuple[tuple[str, str], ...]
    hidden: bool = False

    def __str__(self) -> str:
        texts = ", ".join(f"{name} {text}" for name, text in self.characteristics)
        return f"{self.name} ({self.type_name}): {texts}"

    def get(self, name: str) -> str | None:
        """Text of the characteristic of that name in any case, on one line, or ``None``."""
        wanted = name.casefold()
        found = next((text for key, text in self.characteristics if key.casefold() == wanted), None)
        return found if found is None else " ".join(found.split())


@dataclass(frozen=True, slots=True)
class Selection:
    """One choice of the list builder: a unit, a model, a piece of wargear, an option."""

    name: str
    #: ``"unit"``, ``"model"``, ``"upgrade"`` or, rarely, ``"crew"``.
    type: str = "upgrade"
    #: How many of it in all, **never** per parent: ten models hold one selection of ten rifles.
    number: int = 1
    #: The option group it was chosen from, such as ``"Enhancements"``; empty if none.
    group: str = ""
    #: Points of the selection and all its copies, children apart.
    points: float = 0
    #: The keywords and the role.
    categories: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    rules: Rules = ()
    selections: tuple[Selection, ...] = ()

    def walk(self) -> Iterator[Selection]:
        """Yield this selection and all below it, in order."""
        yield self
        for selection in self.selections:
            yield from selection.walk()


class Force(NamedTuple):
    """The selections of one catalogue, in practice a faction, with the rules of the force as a whole."""

    catalogue: str
    rules: Rules
    #: Units and configuration.
    selections: tuple[Selection, ...]


class RosterFile(NamedTuple):
    """An army-list file: the game and the state of its data when it was written, and what it holds."""

    name: str
    game_system_id: str
    game_system_name: str
    game_system_revision: str
    #: The program that wrote the file; empty if it does not say.
    generated_by: str
    #: The total that the program wrote into the header, if it did.
    points: float | None
    #: A force inside another comes after it.
    forces: tuple[Force, ...]

    def selections(self) -> Iterator[Selection]:
        """Yield the selections of all forces."""
        for force in self.forces:
            yield from force.selections

    def nodes(self) -> Iterator[Selection]:
        """Yield the selections of all forces and all below them."""
        for selection in self.selections():
            yield from selection.walk()


def file_edition(roster: RosterFile) -> str:
    """Find the edition of a list; stat lines with InSv are of the 11th whatever the header says."""
    name, listed = roster.game_system_name, shorten(roster.name or "the list")
    edition = GAME_SYSTEMS.get(roster.game_system_id)
    if edition in {None, SIGMAR} and not _GAME.search(name):
        game = name or roster.game_system_id
        said = f"is of {shorten(game)}; this reader knows no other game" if game else _NO_GAME
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


def is_weapon(profile: Profile) -> bool:
    """Whether the profile is a weapon."""
    return kind_of(profile) in {"Ranged Weapons", "Melee Weapons"}


def is_armed(selection: Selection) -> bool:
    """Whether a selection or one below it is a weapon."""
    return any(map(is_weapon, (profile for node in selection.walk() for profile in node.profiles)))


def keywords_of(selection: Selection) -> tuple[str, ...]:
    """Keywords among the categories of a unit or model, which hold factions and list-builder roles too."""
    return tuple(
        name for name in selection.categories if not name.startswith(FACTION) and name != "Configuration"
    )
