"""An army-list file as one small neutral tree, the same for every encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.display import Named

if TYPE_CHECKING:
    from collections.abc import Iterator

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
