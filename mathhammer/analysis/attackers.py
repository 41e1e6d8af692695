"""Attackers and defenders of a grid, read from whatever the user holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.fields.profile import Record
from mathhammer.sequence.group import require_wounds
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.registry import systems
from mathhammer.systems.wh40k import Army, Situation, Target, TargetUnit, Unit, Volley, Weapon
from mathhammer.systems.wh40k.armies.choices import unit_keys
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition
from mathhammer.systems.wh40k.profiles.profiles import MAXIMUM_POINTS
from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets
from mathhammer.systems.wh40k.situation import own_keywords, read_situation, read_volley, shared_reroll
from mathhammer.validation import called, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.wh40k import Edition, SituationKeywords

Kind = Literal["shooting", "melee", "attack"]

_Row = TypeVar("_Row", "Attacker", "Defender")
_OF_40K = Army | Unit | Weapon | Volley | Target | TargetUnit


def game_of(thing: object) -> Any:
    """Return the game of a profile or an edition that computes tables attack by attack; None for 40k."""
    if isinstance(thing, _OF_40K) or not isinstance(thing, str | Record) or thing in EDITIONS:
        return None
    games: Iterable[Any] = (game for game in systems().values() if getattr(game, "target", None))
    if isinstance(thing, str):
        return next((game for game in games if thing in game.editions), None)
    return next((game for game in games if type(thing) in game.text_format.kinds), None)


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
        shared, keywords = shared_reroll(situation), own_keywords(volley, situation)
        at, sharing = read_situation({**shared, **keywords}), frozenset(shared.keys() - keywords.keys())
        at = at.sharing(sharing) if sharing else at
        # A fourth of the time of copy(), which counts where a table has thousands.
        weapon = object.__new__(Weapon)
        weapon.__dict__.update(volley.weapon.__dict__, name="any")
        return cls(weapon, volley.count, at, keywords, shared)

    def volley(self) -> Volley:
        """Return the volley for a single attack."""
        return Volley(self.weapon, self.count, **self.keywords)


@called
@dataclass(frozen=True, slots=True, repr=False)
class Attacker(Named):
    """One row of a table.

    Parameters
    ----------
    label
        The name of the row.
    attacks
        A weapon, volleys one after another, or a unit, which chooses its weapons target by target; of another game
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
    attacks: Volley | Unit | Record | tuple[Volley | Record, ...]
    points: float | None = None
    kind: Kind = "attack"

    def __post_init__(self) -> None:
        validation.text(self.label, "the label of an Attacker")
        expected = "a Weapon, a Volley, a list of them, or a Unit as the attacks of an Attacker"
        remedy = "Weapon.parse reads a stat line"
        kinds: tuple[type, ...] = (Weapon, Volley, Unit)
        several: Any = (self.attacks,)
        if isinstance(self.attacks, list | tuple):
            kinds, several = (Weapon, Volley), tuple(self.attacks)
            object.__setattr__(self, "attacks", several)
        if not several:
            raise MathhammerError(f"expected {expected}, got an empty list")
        for each in several:
            game_of(each) or validation.instance(each, kinds, expected, remedy)
        if self.points is not None:
            points = validation.instance(self.points, Real, "a number of points, or None, of an Attacker")
            if not 0 <= points <= MAXIMUM_POINTS:
                raise MathhammerError(
                    f"expected points from 0 to {MAXIMUM_POINTS:,} of an Attacker, got {shown(points)}"
                )
            points = validation.plain(points)
            object.__setattr__(self, "points", points if isinstance(points, int) else float(points))
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
    attacks: Any = attacker.attacks if isinstance(attacker.attacks, tuple) else (attacker.attacks,)
    volleys = (each if isinstance(each, Volley) else Volley(each) for each in attacks)
    return () if isinstance(attacker.attacks, Unit) else tuple(volleys)


def in_phase(row: Any) -> Unit:
    """Return the unit of a row with the weapons of its phase."""
    unit: Unit = row.attacks.only("melee" if row.kind == "melee" else "shooting")
    return unit


@called
@dataclass(frozen=True, slots=True, repr=False)
class Defender(Named):
    """One column of a table: a label, and the unit that is attacked.

    Parameters
    ----------
    label
        The heading of the column.
    target
        The unit: a Target or a TargetUnit, of another game its Target.

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
        if not game_of(self.target):
            validation.instance(self.target, (Target, TargetUnit), "a Target or a TargetUnit", remedy)

    @property
    def points(self) -> float | None:
        """Cost of the whole unit, if known; without a cost nothing is destroyed in points."""
        return self.target.points or None

    @property
    def kinds(self) -> tuple[Any, ...]:
        """Its kinds of models, each with their number."""
        return self.target.kinds if isinstance(self.target, TargetUnit) else (self.target,)

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(kind.models for kind in self.kinds)

    @property
    def wounds(self) -> int:
        """Wounds that its models have left, in all."""
        if isinstance(self.target, Target | TargetUnit):
            return sum(kind.models * kind.wounds - kind.wounds_lost for kind in self.kinds)
        left: int = self.target.pool("").left
        return left

    def __str__(self) -> str:
        several = isinstance(self.target, TargetUnit)
        line = f": {', '.join(map(str, self.kinds))}" if several else str(self.target)
        return f"{self.label}: {line.partition(': ')[2]}"


#: What attacks together, and what :func:`mathhammer.analysis.grid` takes at its two sides.
Attack: TypeAlias = Attacker | Unit | Volley | str | Record | Sequence[Volley | str | Record]
Attackers: TypeAlias = Army | Attack | Iterable[Army | Attack] | Mapping[str, Army | Attack]
Attacked: TypeAlias = Army | Defender | TargetUnit | Unit | Record | str
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
    fit = all(isinstance(each, Army | Unit) or (hasattr(each, "only") and game_of(each)) for each in items)
    if not items or not fit:
        return None
    units = [unit for item in items for unit in (item.units if isinstance(item, Army) else (item,))]
    return list(zip(unit_keys(units), units, strict=True))


def _attackers(item: Any) -> Iterable[Attacker]:
    if (units := units_of(item)) is not None:
        return [row for _, unit in units for row in unit_rows(unit, unit.name)]
    if isinstance(item, Attacker):
        return [item]
    several = isinstance(item, list | tuple) and item
    parts = [read_volley(each) if isinstance(each, str) else each for each in (several or [item])]
    if not all(isinstance(each, Weapon | Volley) or game_of(each) for each in parts):
        raise MathhammerError(
            "expected an Army, a Unit, a Weapon, a Volley, a stat line, a list of volleys or an Attacker; "
            f"got {shown(item)}"
        )
    labels = (
        f"{each.count} x {each.weapon.name}".removeprefix("1 x ") if isinstance(each, Volley) else each.name
        for each in parts
    )
    return [Attacker(", ".join(labels), tuple(parts) if several else parts[0])]


def unit_rows(unit: Any, label: str) -> Iterable[Attacker]:
    """Return a row for each phase that a unit has weapons for."""
    kinds: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")
    if not isinstance(unit, Unit):
        held = ((unit.only(kind), kind) for kind in kinds)
        return [Attacker(label, weapons, unit.target.points, kind) for weapons, kind in held if weapons]
    melee = {weapon.melee for line in unit.weapons for weapon in line.modes}
    return [Attacker(label, unit, unit.points or None, kind) for kind in kinds if (kind == "melee") in melee]


def _numbered(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    """Number rows or columns of one name from the second on."""
    seen: dict[object, int] = {}
    found = []
    for row in rows:
        key = row.label, getattr(row, "kind", "")
        number = seen[key] = seen.get(key, 0) + 1
        found.append(row if number == 1 else replace(row, label=f"{row.label} #{number}"))
    return tuple(found)


def edition_of(edition: str | Edition | None, *given: object) -> str:
    """Return the edition asked for; unless said that of the first army among what is given, else the default."""
    if edition is not None:
        return str(edition) if game_of(edition) else find_edition(edition).name
    for one in given:
        items = one.values() if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else (one,)
        for item in items:
            first = item[0] if isinstance(item, list) and item else item
            if isinstance(first, Army):
                return first.edition
            if isinstance(first, Record) and (game := game_of(first)):
                return str(game.editions[0])
    return DEFAULT_EDITION


def read_defenders(given: object, edition: str | Edition = DEFAULT_EDITION) -> tuple[Defender, ...]:
    """Return the targets in whatever form :func:`mathhammer.analysis.grid` takes them."""
    game = game_of(edition)
    read: Callable[[Any], Any] = game.target if game else partial(read_target, edition=edition)
    if isinstance(given, str):
        given = given.split(";" if ":" in given else ",") if game else split_targets(given)
    if (units := units_of(given)) is not None:
        defenders = [Defender(label, read(unit)) for label, unit in units]
    elif isinstance(given, Mapping):
        defenders = [Defender(str(label), read(value)) for label, value in given.items()]
    else:
        several: Iterable[Any] = given if validation.is_several(given) else (given,)
        targets = (each for item in several for each in (item.units if isinstance(item, Army) else (item,)))
        found = (each if isinstance(each, Defender) else read(each) for each in targets)
        defenders = [each if isinstance(each, Defender) else Defender(each.name, each) for each in found]
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
        if game := game_of(edition):
            game.text_format.keywords["attack"][1](situation)
            in_force = rulings_in_force(game.text_format.rulings(edition), rulings)
            return cls(str(edition), in_force, situation, **kept)
        rules = find_edition(edition)
        read_situation(situation)
        return cls(rules.name, rules.in_force(rulings), situation, **kept)


def attack_of(rules: Rules) -> Callable[..., Any] | None:
    """Return how the game that computes tables attack by attack resolves one."""
    game, said = (
        game_of(rules.edition),
        {"edition": rules.edition, "rulings": rules.rulings, **rules.situation},
    )
    return game and partial(game.text_format.functions["attack"], **said)


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
