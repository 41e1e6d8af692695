"""An army list as one small tree, the same for every encoding; what its parts are; its limits, and names compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.errors import RosterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 32 * 2**20
MAX_NODES = 500_000
MAX_DEPTH = 64
MAX_PARTS = 20_000  # selections, profiles and rules of an army
MAX_UNIT_PARTS = 2_000
MAX_COUNT = 1_000  # models or weapons in one selection, and every number inside a dice text

#: Editions by game system: of Warhammer 40,000, and of each other game.
SIGMAR, CRUSADE, NINTH = "AoS 4e", "TC 1.0.2", "T9A 2e"
GAME_SYSTEMS = {
    "sys-352e-adc2-7639-d6a9": "10e",
    "sys-352e-adc2-7639-d610": "11e",
    "e51d-b1a3-75fc-dc3g": SIGMAR,
    "sys-4f3d-c5c9-7df1-ad01": CRUSADE,
    "aa64-1e8e-66fc-9abf": NINTH,
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
    "090c-b12e-592a-9874": "Weapon",
}
_FACTION = "Faction: "
_NO_GAME = (
    "names no game system and cannot be told from other games'; export the list again from its list builder"
)
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "`": "'", "\u2010": "-", "\u2011": "-", "–": "-", "—": "-"})


def shorten(text: object, length: int = 60) -> str:
    """Quote a text of any length for an error message; the backslashes of a path of Windows stay single."""
    plain = str(text)
    cut = plain if len(plain) <= length else plain[: length - 2]
    quoted = f"'{cut}'" if cut.isprintable() and "'" not in cut else repr(cut)
    return quoted if cut == plain else f"{quoted}..."


def require_room(count: int, most: int, what: str, name: str) -> None:
    """Refuse what holds more of something than any army does; counts are bytes where it is said in MiB."""
    if count > most:
        shown = most >> 20 if what.startswith("MiB") else most
        raise RosterError(
            f"expected at most {shown:,} {what}, but {name} holds more; no army needs that much: export it again, or "
            "name another"
        )


def one_line(text: object) -> str:
    """Return what a file holds as one clean line: white space as one blank, no control characters."""
    # str.split also splits at the no-break spaces New Recruit joins with.
    line = " ".join(str("" if text is None else text).split())
    plain = line if line.isprintable() else "".join(c if c.isprintable() else " " for c in line)
    return " ".join(plain.split())


def plain(text: str) -> str:
    """Text for comparing: lower case, typewriter quotes and hyphens."""
    return text.translate(_TYPOGRAPHY).casefold()


def name_key(name: str) -> str:
    """Return a name for comparing: no case, accents, punctuation or odd blanks."""
    text = unicodedata.normalize("NFKD", plain(name))
    return " ".join(re.findall(r"\w+", "".join(char for char in text if not unicodedata.combining(char))))


def singular(name: str) -> str:
    """Return the words of a name for comparing, in the singular as far as an "s" tells, or a "z" of Orks."""
    return " ".join(re.sub(r"z?s?\b", "", name_key(name)).split())


#: Rules by name, each with its text; an empty one where the file has none.
Rules = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A line of characteristics: of a model, of a weapon, or an ability with its text."""

    #: As the datasheet prints it, marks such as ``➤`` included.
    name: str
    #: The kind; identifiers outlive renamings, so readers match on them first.
    type_name: str
    type_id: str
    #: Names and texts in order; texts keep their lines.
    characteristics: tuple[tuple[str, str], ...]
    #: Whether a rule of the list builder hid it: it is not in force.
    hidden: bool = False

    @property
    def kind(self) -> str:
        """Its kind by the identifier, or else by name."""
        return _KINDS.get(self.type_id, self.type_name)

    @property
    def is_stat_line(self) -> bool:
        """Whether it holds the characteristics of a model (M, T, SV, W, LD, OC)."""
        return self.kind == "Unit"

    @property
    def is_weapon(self) -> bool:
        """Whether it is a weapon."""
        return self.kind in {"Ranged Weapons", "Melee Weapons", "Weapon"}

    @property
    def text(self) -> str:
        """The text of an ability."""
        return "\n".join(text for _, text in self.characteristics)

    def get(self, name: str) -> str | None:
        """Text of the characteristic of that name in any case, on one line, or ``None``."""
        wanted = name.casefold()
        found = next((text for key, text in self.characteristics if key.casefold() == wanted), None)
        return found if found is None else " ".join(found.split())


def stat_lines(profiles: Iterable[Profile]) -> tuple[Profile, ...]:
    """Return the stat lines in force."""
    return tuple(each for each in profiles if each.is_stat_line and not each.hidden)


@dataclass(frozen=True, slots=True)
class RosterSelection:
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
    selections: tuple[RosterSelection, ...] = ()

    @property
    def is_unit(self) -> bool:
        """Whether it is a unit where it stands beside the others of a force."""
        return self.type in {"unit", "model"}

    @property
    def weapons(self) -> tuple[Profile, ...]:
        """Its weapons, those below it apart."""
        return tuple(profile for profile in self.profiles if profile.is_weapon)

    @property
    def is_armed(self) -> bool:
        """Whether it or one below it is a weapon."""
        return any(node.weapons for node in self.walk())

    @property
    def keywords(self) -> tuple[str, ...]:
        """Keywords among the categories of a unit or model, which hold factions and list-builder roles too."""
        return tuple(
            name for name in self.categories if not name.startswith(_FACTION) and name != "Configuration"
        )

    @property
    def factions(self) -> tuple[str, ...]:
        """Faction keywords among the categories."""
        return tuple(name.removeprefix(_FACTION) for name in self.categories if name.startswith(_FACTION))

    def walk(self) -> Iterator[RosterSelection]:
        """Yield this selection and all below it, in order."""
        yield self
        for selection in self.selections:
            yield from selection.walk()


class Force(NamedTuple):
    """The selections of one catalogue, in practice a faction, with the rules of the force as a whole."""

    catalogue: str
    rules: Rules
    #: Units and configuration.
    selections: tuple[RosterSelection, ...]


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

    def selections(self) -> Iterator[RosterSelection]:
        """Yield the selections of all forces."""
        return (each for force in self.forces for each in force.selections)

    def nodes(self) -> Iterator[RosterSelection]:
        """Yield the selections of all forces and all below them."""
        return (node for selection in self.selections() for node in selection.walk())

    @property
    def edition(self) -> str:
        """Its edition; stat lines with InSv are of the 11th whatever the header says."""
        name, listed = self.game_system_name, shorten(self.name or "the list")
        edition = GAME_SYSTEMS.get(self.game_system_id)
        if edition in {None, SIGMAR, CRUSADE, NINTH} and not _GAME.search(name):
            game = name or self.game_system_id
            said = f"is of {shorten(game)}; this reader knows no other game" if game else _NO_GAME
            raise RosterError(f"expected an army list of Warhammer 40,000, but {listed} {said}")
        number = _EDITION.search(_GAME.sub("", name))
        edition = edition or (f"{number[1]}e" if number else "")
        if edition not in GAME_SYSTEMS.values():
            raise RosterError(
                f"expected a list of the 10th edition, but {listed} is of {shorten(name)}, whose profiles differ; "
                "build the list again with the data of the 10th edition"
            )
        profiles = (profile for node in self.nodes() for profile in node.profiles)
        moved_on = any(profile.is_stat_line and profile.get("InSv") is not None for profile in profiles)
        return "11e" if moved_on else edition
