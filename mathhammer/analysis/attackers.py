"""What stands at the two sides of a table: attackers and targets, read from whatever the user holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Self

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.sequence.group import require_wounds
from mathhammer.systems.wh40k.armies.army import Army, Unit
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.attacks.attack import Volley
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets
from mathhammer.systems.wh40k.profiles.volleys import own_keywords, read_volley
from mathhammer.systems.wh40k.sequence.compile import kinds_of
from mathhammer.systems.wh40k.situation import Situation, read_situation, shared_reroll
from mathhammer.validation import shown

Kind = Literal["shooting", "melee", "attack"]
_KINDS: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")

_ATTACKS = "a Weapon, a Volley, a list of them, or a Unit as the attacks of an Attacker"

#: Weapons that attack one after another.
Attacks = Weapon | Volley | Iterable["Weapon | Volley"]


@dataclass(frozen=True, slots=True)
class Use:
    """Some equal weapons in a situation; the weapon has no name, so that equal stat lines are equal.

    `keywords` are those of its volley; `shared` those of the whole attack, one re-roll for all its volleys.
    """

    weapon: Weapon
    count: int
    situation: Situation
    keywords: Mapping[str, Any] = field(compare=False)
    shared: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, weapon: Weapon | Volley, situation: Mapping[str, Any]) -> Self:
        """Return the use of a volley in a situation that holds where the volley says nothing else."""
        volley = weapon if isinstance(weapon, Volley) else Volley(weapon)
        shared = shared_reroll(situation)
        keywords = own_keywords(volley, situation)
        at = read_situation({**shared, **keywords})
        sharing = frozenset(shared.keys() - keywords.keys())
        weapon = replace(volley.weapon, name="any")
        return cls(weapon, volley.count, at.sharing(sharing) if sharing else at, keywords, shared)

    def times(self, count: int) -> Self:
        """Return the same with another number of weapons."""
        return replace(self, count=count)

    def volley(self) -> Volley:
        """Return the volley for a single attack."""
        return Volley(self.weapon, self.count, **self.keywords)


@dataclass(frozen=True, slots=True, repr=False)
class Attacker(Named):
    """One row of a table.

    Parameters
    ----------
    label
        The name of the row.
    attacks
        A weapon, volleys one after another, or a unit, which chooses its weapons target by target.
    points
        What the attacker costs, if known; a unit of an army knows it.
    kind
        ``"shooting"`` or ``"melee"`` for a unit, ``"attack"`` for weapons.

    Examples
    --------
    >>> rifle = Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
    >>> Attacker("Squad", Volley(rifle, 5), points=80).kind
    'attack'
    """

    label: str
    attacks: Weapon | Volley | Unit | tuple[Weapon | Volley, ...]
    points: float | None = None
    kind: Kind = "attack"

    def __post_init__(self) -> None:
        validation.text(self.label, "the label of an Attacker")
        if isinstance(self.attacks, list | tuple):
            volleys = validation.items(self.attacks, (Weapon, Volley), _ATTACKS)
            object.__setattr__(self, "attacks", volleys)
        else:
            validation.instance(self.attacks, (Weapon, Volley, Unit), _ATTACKS)
        if self.points is not None:
            points = validation.instance(self.points, Real, "a number of points, or None, of an Attacker")
            object.__setattr__(self, "points", validation.plain(points))
        validation.one_of(self.kind, ("shooting", "melee", "attack"), "the kind of an Attacker")

    @property
    def name(self) -> str:
        """The label, with the phase where a unit has several."""
        return self.label if self.kind == "attack" else f"{self.label} ({self.kind})"

    def __str__(self) -> str:
        attacks = self.attacks if isinstance(self.attacks, tuple) else (self.attacks,)
        what = "; ".join(each.name if isinstance(each, Unit) else str(each) for each in attacks)
        return f"{self.name}: {what}" + ("" if self.points is None else f", {self.points:g} points")

    def uses(self, situation: Mapping[str, Any]) -> tuple[Use, ...]:
        """Return its volleys; a unit has none before it has chosen its weapons."""
        if isinstance(self.attacks, Unit):
            return ()
        attacks = self.attacks if isinstance(self.attacks, tuple) else (self.attacks,)
        return tuple(Use.of(attack, situation) for attack in attacks)


@dataclass(frozen=True, slots=True, repr=False)
class Defender(Named):
    """One column of a table: a label, and the unit that is attacked.

    Parameters
    ----------
    label
        The heading of the column.
    target
        The unit.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> Defender("elite", wh40k.TARGETS["TEQ"]).models
    5
    """

    label: str
    target: Target | TargetUnit

    def __post_init__(self) -> None:
        validation.text(self.label, "the label of a Defender")
        validation.instance(self.target, (Target, TargetUnit), "a Target or a TargetUnit")

    @property
    def points(self) -> float | None:
        """Cost of the whole unit, if known; without a cost nothing is destroyed in points."""
        return self.target.points or None

    @property
    def kinds(self) -> tuple[Target, ...]:
        """Its kinds of models, each with their number."""
        return kinds_of(self.target)

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(kind.models for kind in self.kinds)

    @property
    def wounds(self) -> int:
        """Wounds that all its models together can still lose."""
        return sum(kind.models * kind.wounds - kind.wounds_lost for kind in self.kinds)

    def __str__(self) -> str:
        if isinstance(self.target, Target):
            return f"{self.label}: {str(self.target).partition(': ')[2]}"
        return f"{self.label}: {', '.join(map(str, self.target.kinds))}"


def read_attackers(given: Any) -> tuple[Attacker, ...]:
    """Return the attackers in whatever form they are given.

    Parameters
    ----------
    given
        An army, a unit, a weapon, a volley, a stat line such as ``"5x Rifle: A2 BS3+ S4 AP0 D1"``, an
        :class:`Attacker`, several of them, or a mapping from labels to them; volleys inside one more list attack
        together.

    Examples
    --------
    >>> rifle = Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
    >>> [attacker.label for attacker in read_attackers({"two": rifle, "both": [rifle, Volley(rifle, 4)]})]
    ['two', 'both']
    """
    units = _units(given)
    if units is not None:
        attackers = tuple(row for label, unit in units for row in unit_rows(unit, label))
    else:
        attackers = _labelled(list(_attackers(given)))
    if not attackers:
        raise MathhammerError("expected an attacker or more, got none that has a weapon")
    return attackers


def _units(given: Any) -> list[tuple[str, Unit]] | None:
    """Return units with labels that are the same whether they attack or are attacked; nothing for other things."""
    items = list(given) if isinstance(given, list | tuple) else [given]
    if not items or not all(isinstance(item, Army | Unit) for item in items):
        return None
    units = [unit for item in items for unit in (item.units if isinstance(item, Army) else (item,))]
    return list(zip(unit_keys(units), units, strict=True))


def _attackers(given: Any) -> Iterable[Attacker]:
    if isinstance(given, Mapping):
        for label, value in given.items():
            for attacker in _of_item(value):
                yield replace(attacker, label=str(label))
    elif isinstance(given, Iterable) and not isinstance(given, str):
        for item in given:
            yield from _of_item(item)
    else:
        yield from _of_item(given)


def _of_item(item: Any) -> Iterable[Attacker]:
    if isinstance(item, Army):
        for unit in item.units:
            yield from unit_rows(unit, unit.name)
    elif isinstance(item, Unit):
        yield from unit_rows(item, item.name)
    elif isinstance(item, Attacker):
        yield item
    elif isinstance(item, Weapon):
        yield Attacker(item.name, item)
    elif isinstance(item, Volley):
        yield Attacker(_volley_label(item), item)
    elif isinstance(item, str):
        volley = read_volley(item)
        yield Attacker(_volley_label(volley), volley)
    elif (
        isinstance(item, list | tuple)
        and item
        and all(isinstance(part, Weapon | Volley | str) for part in item)
    ):
        read = [read_volley(part) if isinstance(part, str) else part for part in item]
        parts = [part if isinstance(part, Volley) else Volley(part) for part in read]
        yield Attacker(", ".join(map(_volley_label, parts)), tuple(read))
    else:
        raise MathhammerError(
            "expected an Army, a Unit, a Weapon, a Volley, a stat line, a list of volleys or an Attacker; "
            f"got {shown(item)}"
        )


def unit_rows(unit: Unit, label: str) -> Iterable[Attacker]:
    """Return a row for each phase that a unit has weapons for."""
    weapons = [weapon for line in unit.weapons for weapon in line.modes]
    for kind in _KINDS:
        if any(weapon.melee is (kind == "melee") for weapon in weapons):
            yield Attacker(label, unit, unit.points or None, kind)


def _volley_label(volley: Volley) -> str:
    return volley.weapon.name if volley.count == 1 else f"{volley.count} x {volley.weapon.name}"


def _labelled(attackers: list[Attacker]) -> tuple[Attacker, ...]:
    """Number rows of one name from the second on."""
    seen: dict[tuple[str, str], int] = {}
    rows = []
    for attacker in attackers:
        key = (attacker.label, attacker.kind)
        seen[key] = seen.get(key, 0) + 1
        rows.append(attacker if seen[key] == 1 else replace(attacker, label=f"{attacker.label} #{seen[key]}"))
    return tuple(rows)


def edition_of(edition: str | None, *given: Any) -> str:
    """Return the edition asked for; unless said that of the first army among what is given, else the default."""
    if edition is not None:
        return edition
    for one in given:
        for item in (
            one.values() if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else (one,)
        ):
            if isinstance(item, Army):
                return item.edition
    return DEFAULT_EDITION


def read_defenders(given: Any, edition: str = DEFAULT_EDITION) -> tuple[Defender, ...]:
    """Return the targets in whatever form they are given.

    Parameters
    ----------
    given
        A target, a unit or an army, labels of standard targets or stat lines with commas between them, several of
        them, or a mapping from labels to them.
    edition
        Whose standard targets the labels mean.

    Examples
    --------
    >>> [(defender.label, defender.models) for defender in read_defenders("MEQ, TEQ")]
    [('MEQ', 10), ('TEQ', 5)]
    """
    if isinstance(given, str):
        given = split_targets(given)
    units = _units(given)
    if units is not None:
        defenders = [Defender(label, unit.as_target_unit()) for label, unit in units]
    elif isinstance(given, Mapping):
        defenders = [Defender(str(label), read_target(value, edition)) for label, value in given.items()]
    elif isinstance(given, Iterable):
        defenders = [defender for item in given for defender in _defenders(item, edition)]
    else:
        defenders = list(_defenders(given, edition))
    if not defenders:
        raise MathhammerError("expected one target or more, got none; the standard ones are in wh40k.TARGETS")
    for defender in defenders:
        target = defender.target
        for kind in (target,) if isinstance(target, Target) else target.kinds:
            require_wounds(kind.models, kind.wounds)
    seen: dict[str, int] = {}
    columns = []
    for defender in defenders:
        seen[defender.label] = number = seen.get(defender.label, 0) + 1
        columns.append(defender if number == 1 else replace(defender, label=f"{defender.label} #{number}"))
    return tuple(columns)


def _defenders(item: Any, edition: str) -> Iterable[Defender]:
    if isinstance(item, Defender):
        yield item
    elif isinstance(item, Army):
        for unit in item.units:
            yield Defender(unit.name, unit.as_target_unit())
    else:
        target = read_target(item, edition)
        yield Defender(target.name, target)
