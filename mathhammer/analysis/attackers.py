"""Attackers and defenders of a grid, read from whatever the user holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar, cast

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.sequence.group import require_wounds
from mathhammer.systems import aos
from mathhammer.systems.aos.profiles import as_target
from mathhammer.systems.aos.rules import rules_of
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.armies.unit import Unit
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets
from mathhammer.systems.wh40k.profiles.volleys import Volley, own_keywords, read_volley
from mathhammer.systems.wh40k.sequence.compile import kinds_of
from mathhammer.systems.wh40k.situation import Situation, read_situation, shared_reroll
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.situation import SituationKeywords

Kind = Literal["shooting", "melee", "attack"]

_Row = TypeVar("_Row", "Attacker", "Defender")


@dataclass(frozen=True, slots=True)
class UnnamedVolley:
    """A volley whose weapon has no name, so that equal stat lines are equal."""

    weapon: Weapon
    count: int
    situation: Situation
    keywords: Mapping[str, Any] = field(compare=False)
    shared: Mapping[str, Any] = field(compare=False)

    @classmethod
    def of(cls, volley: Volley, situation: Mapping[str, Any]) -> Self:
        """Return the volley in a situation that holds where the volley says nothing else."""
        shared = shared_reroll(situation)
        keywords = own_keywords(volley, situation)
        at = read_situation({**shared, **keywords})
        sharing = frozenset(shared.keys() - keywords.keys())
        at = at.sharing(sharing) if sharing else at
        weapon = object.__new__(
            Weapon
        )  # a fourth of the time of copy(), which counts where a table has thousands
        weapon.__dict__.update(volley.weapon.__dict__, name="any")
        return cls(weapon, volley.count, at, keywords, shared)

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
        A weapon, volleys one after another, or a unit, which chooses its weapons target by target; of Age of Sigmar
        weapons.
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
    attacks: Weapon | Volley | Unit | tuple[Weapon | Volley | aos.Weapon, ...]
    points: float | None = None
    kind: Kind = "attack"

    def __post_init__(self) -> None:
        validation.text(self.label, "the label of an Attacker")
        expected = "a Weapon, a Volley, a list of them, or a Unit as the attacks of an Attacker"
        remedy = "Weapon.parse reads a stat line"
        if isinstance(self.attacks, list | tuple):
            volleys = validation.items(self.attacks, (Weapon, Volley, aos.Weapon), expected, remedy)
            if not volleys:
                raise MathhammerError(f"expected {expected}, got an empty list")
            object.__setattr__(self, "attacks", volleys)
        else:
            validation.instance(self.attacks, (Weapon, Volley, Unit), expected, remedy)
        if self.points is not None:
            points = validation.instance(self.points, Real, "a number of points, or None, of an Attacker")
            if not 0 <= points < inf:
                raise MathhammerError(f"expected points of 0 or more of an Attacker, got {shown(points)}")
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


def volleys_of(attacker: Attacker) -> tuple[Volley, ...]:
    """Return what attacks together; a unit has no volleys before it has chosen its weapons."""
    if isinstance(attacker.attacks, Unit):
        return ()
    attacks = attacker.attacks if isinstance(attacker.attacks, tuple) else (attacker.attacks,)
    return tuple(each if isinstance(each, Volley) else Volley(each) for each in attacks)  # type: ignore[arg-type] # of 40k


def in_phase(row: Any) -> Unit:
    """Return the unit of a row with the weapons of its phase."""
    unit: Unit = row.attacks.only("melee" if row.kind == "melee" else "shooting")
    return unit


@dataclass(frozen=True, slots=True, repr=False)
class Defender(Named):
    """One column of a table: a label, and the unit that is attacked.

    Parameters
    ----------
    label
        The heading of the column.
    target
        The unit: a Target or a TargetUnit, of Age of Sigmar a Target.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> Defender("elite", wh40k.TARGETS["TEQ"]).models
    5
    """

    label: str
    target: Any

    def __post_init__(self) -> None:
        validation.text(self.label, "the label of a Defender")
        remedy = "Target.parse reads a stat line, wh40k.TARGETS holds the standard ones"
        validation.instance(self.target, (Target, TargetUnit, aos.Target), "a Target or a TargetUnit", remedy)

    @property
    def points(self) -> float | None:
        """Cost of the whole unit, if known; without a cost nothing is destroyed in points."""
        return self.target.points or None

    @property
    def kinds(self) -> tuple[Target | aos.Target, ...]:
        """Its kinds of models, each with their number."""
        return (self.target,) if isinstance(self.target, aos.Target) else kinds_of(self.target)

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(kind.models for kind in self.kinds)

    @property
    def wounds(self) -> int:
        """Wounds that its models have left, in all."""
        return sum(
            kind.models * kind.health - kind.damage
            if isinstance(kind, aos.Target)
            else kind.models * kind.wounds - kind.wounds_lost
            for kind in self.kinds
        )

    def __str__(self) -> str:
        line = (
            str(self.target)
            if isinstance(self.target, Target | aos.Target)
            else f": {', '.join(map(str, self.kinds))}"
        )
        return f"{self.label}: {line.partition(': ')[2]}"


#: What attacks together, and what :func:`mathhammer.analysis.grid` takes at its two sides.
Attack: TypeAlias = (
    Attacker
    | Unit
    | Weapon
    | Volley
    | str
    | aos.Unit
    | aos.Weapon
    | Sequence[Weapon | Volley | str | aos.Weapon]
)
Attackers: TypeAlias = Army | Attack | Iterable[Army | Attack] | Mapping[str, Army | Attack]
Attacked: TypeAlias = Army | Defender | Target | TargetUnit | Unit | aos.Target | aos.Unit | str
Targets: TypeAlias = Attacked | Iterable[Attacked] | Mapping[str, Attacked]


def read_attackers(given: object) -> tuple[Attacker, ...]:
    """Return the attackers in whatever form :func:`mathhammer.analysis.grid` takes them."""
    if (units := units_of(given)) is not None:
        attackers = tuple(row for label, unit in units for row in unit_rows(unit, label))
    elif isinstance(given, Mapping):
        attackers = _numbered(
            replace(row, label=str(label)) for label, value in given.items() for row in _attackers(value)
        )
    else:
        items: Iterable[Any] = given if validation.is_several(given) else (given,)
        attackers = _numbered(row for item in items for row in _attackers(item))
    if not attackers:
        raise MathhammerError("expected an attacker or more, got none that has a weapon")
    return attackers


def units_of(given: object) -> list[tuple[str, Any]] | None:
    """Return units with labels that are the same whether they attack or are attacked; nothing for other things."""
    items: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    if not items or not all(isinstance(item, Army | Unit | aos.Unit) for item in items):
        return None
    units = [unit for item in items for unit in (item.units if isinstance(item, Army) else (item,))]
    return list(zip(unit_keys(units), units, strict=True))


def _attackers(item: object) -> Iterable[Attacker]:
    if isinstance(item, Army):
        return [row for unit in item.units for row in unit_rows(unit, unit.name)]
    if isinstance(item, Unit | aos.Unit):
        return unit_rows(item, item.name)
    if isinstance(item, Attacker):
        return [item]
    if isinstance(item, Weapon):
        return [Attacker(item.name, item)]
    if isinstance(item, aos.Weapon):
        return [Attacker(item.name, (item,))]
    several = isinstance(item, list | tuple) and item
    parts = [read_volley(each) if isinstance(each, str) else each for each in (several or [item])]
    if not all(isinstance(each, Weapon | Volley | aos.Weapon) for each in parts):
        raise MathhammerError(
            "expected an Army, a Unit, a Weapon, a Volley, a stat line, a list of volleys or an Attacker; "
            f"got {shown(item)}"
        )
    labels = (
        each.name
        if isinstance(each, Weapon | aos.Weapon)
        else f"{each.count} x {each.weapon.name}".removeprefix("1 x ")
        for each in parts
    )
    return [Attacker(", ".join(labels), tuple(parts) if several else parts[0])]


def unit_rows(unit: Unit | aos.Unit, label: str) -> Iterable[Attacker]:
    """Return a row for each phase that a unit has weapons for."""
    if isinstance(unit, aos.Unit):
        phases: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")
        held = ((unit.only(phase), phase) for phase in phases)
        return [Attacker(label, weapons, unit.target.points, phase) for weapons, phase in held if weapons]
    melee = {weapon.melee for line in unit.weapons for weapon in line.modes}
    kinds: tuple[tuple[Kind, bool], ...] = (("shooting", False), ("melee", True))
    return [Attacker(label, unit, unit.points or None, kind) for kind, of in kinds if of in melee]


def _numbered(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    """Number rows or columns of one name from the second on."""
    seen: dict[object, int] = {}
    found = []
    for row in rows:
        key = row.label, getattr(row, "kind", "")
        number = seen[key] = seen.get(key, 0) + 1
        found.append(row if number == 1 else replace(row, label=f"{row.label} #{number}"))
    return tuple(found)


def _of_aos(edition: object) -> bool:
    return isinstance(edition, str) and edition in aos.EDITIONS


def edition_of(edition: str | Edition | None, *given: object) -> str:
    """Return the edition asked for; unless said that of the first army among what is given, else the default."""
    if edition is not None:
        return str(edition) if _of_aos(edition) else find_edition(edition).name
    for one in given:
        items = one.values() if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else (one,)
        for item in items:
            if isinstance(item, Army):
                return item.edition
            if isinstance(item[0] if isinstance(item, list) else item, aos.Unit | aos.Weapon):
                return next(iter(aos.EDITIONS))
    return DEFAULT_EDITION


def read_defenders(given: object, edition: str | Edition = DEFAULT_EDITION) -> tuple[Defender, ...]:
    """Return the targets in whatever form :func:`mathhammer.analysis.grid` takes them."""
    own = _of_aos(edition)

    def read(item: Any) -> Any:
        return as_target(item) if own else read_target(item, edition)

    if isinstance(given, str):
        given = given.split(";" if ":" in given else ",") if own else split_targets(given)
    if (units := units_of(given)) is not None:
        defenders = [Defender(label, read(unit)) for label, unit in units]
    elif isinstance(given, Mapping):
        defenders = [Defender(str(label), read(value)) for label, value in given.items()]
    else:
        defenders = []
        for item in given if validation.is_several(given) else (given,):
            targets: Iterable[Any] = item.units if isinstance(item, Army) else (item,)
            found = (each if isinstance(each, Defender) else read(each) for each in targets)
            defenders += (each if isinstance(each, Defender) else Defender(each.name, each) for each in found)
    if not defenders:
        raise MathhammerError("expected one target or more, got none; the standard ones are in wh40k.TARGETS")
    for kind in (kind for defender in defenders for kind in defender.kinds):
        if isinstance(kind, Target):
            require_wounds(kind.models, kind.wounds)
    return _numbered(defenders)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules and the situation of a whole table, and what it keeps."""

    edition: str
    rulings: Rulings
    situation: SituationKeywords
    kills: bool = False
    losses: bool = False
    weapons: bool = False

    @classmethod
    def of(
        cls,
        edition: str | Edition,
        rulings: Mapping[str, str] | None,
        situation: SituationKeywords,
        **kept: bool,
    ) -> Rules:
        """Return the rules of an edition, of which a wrong name is refused before anything is computed."""
        if _of_aos(edition):
            aos.Situation(**cast("Any", situation))
            return cls(str(edition), rules_of(str(edition), rulings), situation, **kept)
        rules = find_edition(edition)
        read_situation(situation)
        return cls(rules.name, rules.in_force(rulings), situation, **kept)


def volleys_at(
    row: Attacker, target: Target | TargetUnit, rules: Rules, *, exact: bool = False
) -> list[Volley]:
    """Return the volleys of one row against one target; a unit chooses its weapons."""
    volleys: Iterable[Any] = volleys_of(row)
    if isinstance(row.attacks, Unit):
        options: Any = {"edition": rules.edition, "rulings": rules.rulings, **rules.situation}
        volleys = read_weapons(in_phase(row), 1, target, exact=exact, **options)
    return [Volley(each.weapon, each.count, **own_keywords(each, rules.situation)) for each in volleys]


def one_attack(
    attacks: Attack,
    target: Targets,
    edition: str | Edition,
    rulings: Mapping[str, str] | None,
    situation: SituationKeywords,
) -> tuple[Attacker, Defender]:
    """Return what attacks together as volleys, which a unit with weapons of one phase has chosen, and one target."""
    defenders, rules = read_defenders(target, edition), Rules.of(edition, rulings, situation)
    if len(defenders) != 1:
        raise MathhammerError(f"expected one target, got {len(defenders)}; ask for one after another")
    row, *others = read_attackers([attacks])
    if others:
        raise MathhammerError(
            f"expected one attack, got {row.name}, {', '.join(each.name for each in others)}; ask for one after "
            "another, of a unit with unit.only('shooting') and unit.only('melee')"
        )
    if not isinstance(row.attacks, Unit):
        return row, defenders[0]
    volleys = tuple(volleys_at(row, defenders[0].target, rules))
    return replace(row, label=row.name, attacks=volleys, kind="attack"), defenders[0]
