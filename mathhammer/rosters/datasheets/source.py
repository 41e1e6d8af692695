"""What a source of datasheets has to offer, and how names are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from mathhammer.display import Named
from mathhammer.rosters.names import name_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.rosters.tree import Profile

__all__ = ["Datasheet", "DatasheetSource", "find_name", "nearest_names"]

_T = TypeVar("_T")


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


def _singular(key: str) -> str:
    return " ".join(word.removesuffix("s").removesuffix("z") for word in key.split())


def find_name(name: str, known: Mapping[str, _T]) -> _T | None:
    """Return what is known under a name, spelled alike or else in the other number.

    Parameters
    ----------
    name
        As a list writes it.
    known
        By :func:`name_key`.

    Examples
    --------
    >>> find_name("Guardian Spears", {"guardian spear": 1}), find_name("Spear", {"guardian spear": 1})
    (1, None)
    """
    key = name_key(name)
    if key in known:
        return known[key]
    wanted = _singular(key)
    matches = [other for other in known if _singular(other) == wanted]
    return known[matches[0]] if len(matches) == 1 else None


def nearest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three names that are spelled most like one.

    Examples
    --------
    >>> nearest_names("Wardns", ["Wardens", "Rhino"])
    ['Wardens']
    """
    from difflib import get_close_matches

    known = {name_key(other): other for other in names}
    return [known[key] for key in get_close_matches(name_key(name), known, n=3)]
