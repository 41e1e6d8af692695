"""An army-list file as one small neutral tree, the same for every encoding and every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.display import Named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of one currency of the game, such as points.

    Parameters
    ----------
    name
        The currency, ``"pts"`` for points.
    type_id
        Its identifier in the game's data; empty if the file has none.
    value
        The amount, already multiplied by the number of the selection and without that of its children.

    Examples
    --------
    >>> Cost("pts", "", 90.0).value
    90.0
    """

    name: str
    type_id: str
    value: float


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


@dataclass(frozen=True, slots=True, repr=False)
class Selection(Named):
    """One choice of the list builder: a unit, a model, a piece of wargear, an option.

    Parameters
    ----------
    name
        The name of the choice.
    type
        ``"unit"``, ``"model"``, ``"upgrade"`` or, rarely, ``"crew"``.
    number
        How many of it in all, **never** per parent: ten models hold one selection of ten rifles.
    group
        The option group it was chosen from, such as ``"Enhancements"``; empty if none.
    costs
        What it costs, children apart.
    categories
        The keywords and the role.
    profiles
        The lines of characteristics it owns.
    rules
        The names of its rules.
    selections
        The choices below it.
    rule_texts
        The texts of its rules, in the order of their names; nothing where the file has none.

    Examples
    --------
    >>> rifles = Selection("Rifle", "upgrade", 10)
    >>> squad = Selection("Squad", "unit", 1, selections=(rifles,))
    >>> [selection.name for selection in squad.walk()]
    ['Squad', 'Rifle']
    """

    name: str
    type: str
    number: int
    group: str = ""
    costs: tuple[Cost, ...] = ()
    categories: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    rules: tuple[str, ...] = ()
    selections: tuple[Selection, ...] = ()
    rule_texts: tuple[str, ...] = ()

    def __str__(self) -> str:
        own = f"{self.number} × {self.name}"
        return "\n".join([own, *_below(self.selections)])

    def walk(self) -> Iterator[Selection]:
        """Yield this selection and all below it, in order."""
        yield self
        for selection in self.selections:
            yield from selection.walk()


@dataclass(frozen=True, slots=True, repr=False)
class Force(Named):
    """The selections of one catalogue; a list has one or more.

    Parameters
    ----------
    name
        The name of the force organisation.
    catalogue
        The name of the catalogue, in practice the faction.
    rules
        The names of rules of the force as a whole.
    selections
        Units and configuration.
    forces
        Forces inside this one.
    rule_texts
        The texts of its rules, in the order of their names; nothing where the file has none.

    Examples
    --------
    >>> Force("Army", "Lanterns", selections=(Selection("Squad", "unit", 1),)).selections[0].name
    'Squad'
    """

    name: str
    catalogue: str
    rules: tuple[str, ...] = ()
    selections: tuple[Selection, ...] = ()
    forces: tuple[Force, ...] = ()
    rule_texts: tuple[str, ...] = ()

    def __str__(self) -> str:
        own = f"{self.name} ({self.catalogue})"
        return "\n".join([own, *_below((*self.selections, *self.forces))])

    def walk(self) -> Iterator[Force]:
        """Yield this force and all inside it, in order."""
        yield self
        for force in self.forces:
            yield from force.walk()


@dataclass(frozen=True, slots=True, repr=False)
class RosterFile(Named):
    """An army-list file.

    Parameters
    ----------
    name
        The list's name.
    game_system_id, game_system_name, game_system_revision
        The game, and the state of its data when the list was written.
    generated_by
        The program that wrote the file; empty if it does not say.
    costs
        The totals the program wrote into the header.
    forces
        What the list holds.

    Examples
    --------
    >>> allies = Force("Allies", "Owls")
    >>> roster = RosterFile("Mine", "", "A game", "1", "", (), (Force("Army", "Lanterns", forces=(allies,)),))
    >>> [force.name for force in roster.all_forces()]
    ['Army', 'Allies']
    """

    name: str
    game_system_id: str
    game_system_name: str
    game_system_revision: str
    generated_by: str
    costs: tuple[Cost, ...]
    forces: tuple[Force, ...]

    def all_forces(self) -> Iterator[Force]:
        """Yield all forces, nested ones too."""
        for force in self.forces:
            yield from force.walk()

    def selections(self) -> Iterator[Selection]:
        """Yield the selections of all forces."""
        for force in self.all_forces():
            yield from force.selections

    def __str__(self) -> str:
        costs = "".join(f", {cost.value:g} {cost.name}" for cost in self.costs)
        return "\n".join([f"{self.name} ({self.game_system_name}{costs})", *_below(self.forces)])


def _below(parts: Iterable[Selection | Force]) -> list[str]:
    """Return the lines of what stands below something."""
    return [f"  {line}" for part in parts for line in str(part).split("\n")]
