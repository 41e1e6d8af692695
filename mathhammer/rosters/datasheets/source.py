"""Sources of datasheets, and the comparison of names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, runtime_checkable

from mathhammer.display import Named
from mathhammer.rosters.names import name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.rosters.tree import Profile

#: Under this name stand a faction's detachments as wargear is, and the rules of its army.
DETACHMENT = "Detachment"
_T = TypeVar("_T")
_LENGTH = 60  # letters of a name that are compared
_MOST_NAMES = 20_000
_MOST_ALIKE = 1_000  # names that share three letters
_COMPARED = 40


@dataclass(frozen=True, slots=True, repr=False)
class Datasheet(Named):
    """A datasheet as its source has it: all options, none chosen.

    Parameters
    ----------
    name
        As the source prints it.
    profiles
        Stat lines and abilities of the unit as a whole.
    rules
        Names of its rules.
    categories
        Its keywords; factions with ``Faction:`` in front.
    models
        Its kinds of models, each with the stat lines and abilities of its own.
    wargear
        Weapons and other wargear by name, each with its profiles; a weapon with several modes has several.
    rule_texts
        The texts of its rules, in the order of their names; nothing where the source has none.
    catalogue
        Where it stands: a catalogue, in practice a faction.
    others
        Where else one of that name stands that differs, if nothing says which is meant.
    defaults
        Models and weapons that there are unless others are chosen, each name as often as there are: of a model or
        a piece of wargear by its name, of the unit by an empty one; nothing where the source does not say.
    enhancements
        Names of what among its wargear is an enhancement.

    Examples
    --------
    >>> from mathhammer.rosters import Profile
    >>> rifle = Profile("Rifle", "Ranged Weapons", "", (("A", "2"), ("BS", "3+")))
    >>> Datasheet("Wardens", wargear=(("Rifle", (rifle,)),)).wargear[0][1][0].get("A")
    '2'
    """

    name: str
    profiles: tuple[Profile, ...] = ()
    rules: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    models: tuple[tuple[str, tuple[Profile, ...]], ...] = ()
    wargear: tuple[tuple[str, tuple[Profile, ...]], ...] = ()
    rule_texts: tuple[str, ...] = ()
    catalogue: str = ""
    others: tuple[str, ...] = ()
    defaults: tuple[tuple[str, tuple[str, ...]], ...] = ()
    enhancements: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = {
            "models": [name for name, _ in self.models],
            "wargear": [name for name, _ in self.wargear],
            "rules": self.rules,
            "keywords": self.categories,
        }
        return "; ".join([self.name, *(f"{name}: {', '.join(each)}" for name, each in parts.items() if each)])


@runtime_checkable
class DatasheetSource(Protocol):
    """Datasheets by name. Anything with these three members will do.

    Examples
    --------
    >>> class Own:
    ...     edition = "10e"
    ...
    ...     def names(self):
    ...         return ["Wardens"]
    ...
    ...     def datasheet(self, name, faction=""):
    ...         return Datasheet(name) if name == "Wardens" else None
    >>> source: DatasheetSource = Own()
    >>> source.datasheet("Wardens").name
    'Wardens'
    """

    @property
    def edition(self) -> str:
        """The edition that the datasheets are of, ``"10e"`` or ``"11e"``."""

    def names(self) -> Iterable[str]:
        """Names of all datasheets."""

    def datasheet(self, name: str, faction: str = "") -> Datasheet | None:
        """Return a faction's datasheet of exactly that name, as :meth:`names` gives it."""


class KnownUnits(Generic[_T]):
    """Datasheets that are made when they are looked up, from what is known of each unit by name and catalogue.

    `reach` has the catalogues in which a catalogue's names are looked up, nearest first; by itself each reaches
    itself.
    """

    def __init__(
        self,
        edition: str,
        units: Mapping[str, Mapping[str, _T]],
        made: Callable[[_T], Datasheet],
        reach: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.edition, self.units, self.made = edition, units, made
        self.reach = reach or {each: (each,) for held in units.values() for each in held}

    def names(self) -> Iterable[str]:
        """Names of the units."""
        return self.units

    def datasheet(self, name: str, faction: str = "") -> Datasheet | None:
        """Return the datasheet of a name nearest to a faction; where none is, the first, with those that differ."""
        held = self.units.get(name, {})
        near = next((each for each in self.reach.get(self._catalogue(faction), ()) if each in held), None)
        if near is not None:
            return replace(self.made(held[near]), catalogue=near)
        distinct: dict[Datasheet, str] = {}  # several catalogues may share one
        for catalogue, unit in held.items():
            distinct.setdefault(self.made(unit), catalogue)
        first = next(iter(distinct), None)
        return first and replace(first, catalogue=distinct.pop(first), others=tuple(distinct.values()))

    def _catalogue(self, faction: str) -> str:
        """Return the catalogue of a faction as lists write it, a chapter or what it is part of beside it."""
        known = {name_key(name.rpartition(" - ")[2]): name for name in reversed(list(self.reach))}
        parts = (name_key(part) for part in reversed(re.split(r",| - ", faction)))
        return (
            faction if faction in self.reach else next((known[each] for each in parts if each in known), "")
        )


class NameIndex(Generic[_T]):
    """Index of items by name, which finds names spelled alike, in the other number, or nearly so."""

    def __init__(self, items: Iterable[tuple[str, _T]]) -> None:
        self._items: dict[str, tuple[str, _T]] = {}
        self._singular: dict[str, str | None] = {}  # None: several
        for name, item in items:
            key = name_key(name)
            if key not in self._items:
                self._items[key] = (name, item)
                single = _singular(key)
                self._singular[single] = None if single in self._singular else key
        self._places: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self._items)

    def find(self, name: str) -> _T | None:
        """Return what is known under a name, spelled alike or else in the other number."""
        key = name_key(name)
        known = key if key in self._items else self._singular.get(_singular(key))
        return None if known is None else self._items[known][1]

    def nearest(self, name: str) -> list[str]:
        """Return up to three names that are spelled most like one."""
        from collections import Counter
        from difflib import get_close_matches

        for key in islice(self._items, _MOST_NAMES if not self._places else 0):
            for letters in _letters(key):
                places = self._places.setdefault(letters, [])
                if len(places) < _MOST_ALIKE:
                    places.append(key)
        wanted = name_key(name)[:_LENGTH]
        shared = Counter(key for letters in _letters(wanted) for key in self._places.get(letters, ()))
        alike = {key[:_LENGTH]: self._items[key][0] for key, _ in shared.most_common(_COMPARED)}
        return [alike[key] for key in get_close_matches(wanted, alike, n=3)]


def _letters(key: str) -> set[str]:
    text = f" {key[:_LENGTH]} "
    return {text[place : place + 3] for place in range(len(text) - 2)}


def _singular(key: str) -> str:
    return " ".join(word.removesuffix("s").removesuffix("z") for word in key.split())
