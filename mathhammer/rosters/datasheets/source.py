"""Sources of datasheets, and the comparison of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, runtime_checkable

from mathhammer.display import Named
from mathhammer.rosters.names import name_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.rosters.tree import Profile

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
    ...     def datasheet(self, name):
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

    def datasheet(self, name: str) -> Datasheet | None:
        """Return the datasheet of exactly that name, as :meth:`names` gives it."""


class KnownUnits(ABC, Generic[_T]):
    """Datasheets that are made when they are looked up, from what is known of each unit by name."""

    def __init__(self, edition: str, units: Mapping[str, _T]) -> None:
        self.edition = edition
        self._units = units

    @abstractmethod
    def _sheet(self, name: str, unit: _T) -> Datasheet:
        """Return the datasheet of a unit."""

    def names(self) -> Iterable[str]:
        """Names of the units."""
        return self._units

    def datasheet(self, name: str) -> Datasheet | None:
        """Return the datasheet of a name."""
        return self._sheet(name, self._units[name]) if name in self._units else None


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
        self._places: dict[str, list[str]] | None = None

    def __len__(self) -> int:
        return len(self._items)

    def find(self, name: str) -> _T | None:
        """Return what is known under a name, spelled alike or else in the other number."""
        key = name_key(name)
        if key not in self._items:
            key = self._singular.get(_singular(key)) or ""
        return self._items[key][1] if key in self._items else None

    def nearest(self, name: str) -> list[str]:
        """Return up to three names that are spelled most like one."""
        from collections import Counter
        from difflib import get_close_matches

        if self._places is None:
            self._places = {}
            for key in islice(self._items, _MOST_NAMES):
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
