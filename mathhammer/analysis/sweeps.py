"""Results over the values of one or two parameters: characteristics of weapon or target, or the situation."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import Attacker, Defender, read_attackers, read_defenders, volleys_of
from mathhammer.analysis.blocks import Rules, one_attack
from mathhammer.analysis.grids import grid
from mathhammer.analysis.tabular import Tabular, plain, record_table, text_of
from mathhammer.display import count, number
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.situation import SITUATION_NAMES, shared_reroll
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Targets
    from mathhammer.display import HeatTable, Lines, Panel, Part, Pictures
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.situation import SituationKeywords

_OF_TARGET = frozenset(field.name for field in fields(Target)) - {"name", "points"}
_OF_WEAPON = frozenset(("attacks", "skill", "strength", "ap", "damage", "keywords"))
_OF_VOLLEY = SITUATION_NAMES
#: Most combinations of values in one sweep.
MAXIMUM_POINTS = 100_000

#: What a break-even is sought over unless said: every toughness and save that a datasheet has.
_RANGES: dict[str, tuple[int, ...]] = {"toughness": tuple(range(1, 15)), "save": tuple(range(2, 8))}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sweep(Tabular):
    """Results at every value of one parameter, or every pair of values of two, as :func:`sweep` returns them."""

    parameters: Mapping[str, tuple[object, ...]]
    #: Arrays of every number of a cell by name, an axis for each parameter in their order.
    values: Mapping[str, NDArray[np.float64]]
    attacker: str
    target: str
    edition: str

    schema: ClassVar[str] = "mathhammer.sweep"

    def metric(self, name: str) -> NDArray[np.float64]:
        """Return one number at every point by its name."""
        if not isinstance(name, str) or name not in self.values:
            raise UnknownNameError(f"expected a number of {', '.join(self.values)}; got {shown(name)}")
        return self.values[name]

    def about(self) -> dict[str, object]:
        """Attacker, target and edition."""
        return {"attacker": self.attacker, "target": self.target, "edition": self.edition}

    def _pictures(self) -> Pictures:
        usual = sorted(self.values, key=lambda name: name != "mean_wounds_lost")
        return {name: partial(self._picture, name) for name in usual}

    def _picture(self, metric: str) -> HeatTable | Lines:
        from mathhammer.display import HeatTable, Lines

        name, values = metric.replace("_", " "), self.values[metric].tolist()
        names = [parameter.replace("_", " ") for parameter in self.parameters]
        labels = [list(map(str, each)) for each in self.parameters.values()]
        if len(names) == 1:
            return Lines(name, names[0], labels[0], {name: values})
        return HeatTable(
            labels[1],
            list(zip(labels[0], values, strict=True)),
            [[text_of(metric, value) for value in row] for row in values],
            across=names[1],
            down=names[0],
            caption=name,
        )

    def _headline(self) -> str:
        return f"{self.attacker} against {self.target}, edition {self.edition}"

    def _line(self) -> str:
        axes = (f"{name} of {count(len(values), 'value')}" for name, values in self.parameters.items())
        return f"over {', '.join(axes)}: {', '.join(self.values)}"

    def _title(self) -> str:
        return f"Over {' and '.join(self.parameters)}"

    def _parts(self) -> Sequence[Part]:
        if len(self.parameters) == 1:
            return [record_table(self.to_records())]
        from mathhammer.display import HeatTable

        # What needs points has no numbers without them.
        known = (self._picture(name) for name, values in self.values.items() if np.isfinite(values).any())
        return [part for part in known if isinstance(part, HeatTable)]

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each point."""
        points = itertools.product(*self.parameters.values())
        flat = {name: values.ravel().tolist() for name, values in self.values.items()}
        return [
            {
                **{name: plain(value) for name, value in zip(self.parameters, point, strict=True)},
                **{name: values[row] if np.isfinite(values[row]) else None for name, values in flat.items()},
            }
            for row, point in enumerate(points)
        ]


def sweep(
    attacks: Attack,
    target: Targets,
    parameters: Mapping[str, Iterable[object]],
    *,
    edition: str = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Sweep:
    """Compute an attack at every value of one parameter, or every pair of values of two.

    Parameters
    ----------
    attacks
        A weapon, a volley, a stat line, a list of them that attack together, or an
        :class:`mathhammer.analysis.Attacker`. A unit of an army, with the weapons of one phase
        (``unit.only("shooting")``), has those that it would choose for the target as it is.
    target
        One target: as for :func:`mathhammer.wh40k.attack`.
    parameters
        Values by name. A name is a characteristic of the target (``toughness``, ``save``, ``wounds``,
        ``models``, ``invulnerable``, ``feel_no_pain``, ...), one of the weapons (``attacks``, ``skill``,
        ``strength``, ``ap``, ``damage``, ``keywords``), ``count``, or a keyword of the situation.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
    >>> answer = sweep(wh40k.Volley(rifle, 10), "MEQ", {"toughness": (3, 4, 5), "save": ("2+", "3+")})
    >>> answer.metric("mean_wounds_lost").round(2)
    array([[2.96, 4.44],
           [2.22, 3.33],
           [1.48, 2.22]])
    """
    example = "such as {'toughness': (3, 4, 5)}"
    validation.mapping(parameters, "parameters as a mapping from names to values", example)
    axes = {
        validation.text(name, "the name of a parameter", example): tuple(
            map(
                validation.plain,
                validation.items(
                    values, object, f"values of {name!r} in a list", "put one value into a list"
                ),
            )
        )
        for name, values in parameters.items()
    }
    _require_axes(axes)
    defenders = read_defenders(target, edition)
    if len(defenders) != 1:
        raise MathhammerError(
            f"expected one target to sweep over, got {len(defenders)}; ask for one after another"
        )
    attacker = one_attack(attacks, defenders[0], Rules.of(edition, rulings, situation))
    mine = [name for name in axes if name not in _OF_TARGET]
    theirs = [name for name in axes if name in _OF_TARGET]
    rows = [
        _attacker(attacker, dict(zip(mine, point, strict=True)))
        for point in itertools.product(*(axes[name] for name in mine))
    ]
    columns = [
        Defender(str(index), _target(defenders[0], dict(zip(theirs, point, strict=True))))
        for index, point in enumerate(itertools.product(*(axes[name] for name in theirs)))
    ]
    table = grid(rows, columns, edition=edition, rulings=rulings, keep_distributions=False, **situation)
    shape = [len(axes[name]) for name in (*mine, *theirs)]
    order = [(*mine, *theirs).index(name) for name in axes]
    values = {name: each.reshape(shape).transpose(order) for name, each in table.metrics().items()}
    return Sweep(axes, values, attacker.name, defenders[0].label, edition)


def _require_axes(axes: Mapping[str, tuple[object, ...]]) -> None:
    if not 1 <= len(axes) <= 2 or not all(axes.values()):
        raise MathhammerError(f"expected one parameter or two with values, got {shown(dict(axes))}")
    points = int(np.prod([len(values) for values in axes.values()]))
    if points > MAXIMUM_POINTS:
        raise MathhammerError(f"expected a sweep of at most {MAXIMUM_POINTS:,} points, got {points:,}")
    known = _OF_TARGET | _OF_WEAPON | _OF_VOLLEY | {"count"}
    for name in axes:
        if name not in known:
            hint = validation.nearest(name, sorted(known))
            raise UnknownNameError(f"expected a parameter of an attack, got {shown(name)}; {hint}")


def _attacker(attacker: Attacker, values: Mapping[str, Any]) -> Attacker:
    """Return the attacker with other weapons, counts or situations."""
    weapon = {name: value for name, value in values.items() if name in _OF_WEAPON}
    at = {name: value for name, value in values.items() if name in _OF_VOLLEY}
    parts = volleys_of(attacker)
    if len(parts) > 1 and (shared := shared_reroll(at)):
        raise MathhammerError(
            f"expected a sweep of {', '.join(shared)} over one volley, got {len(parts)}, which share one re-roll; "
            "give it to the sweep as its situation, or to each Volley"
        )
    volleys = [
        Volley(
            replace(volley.weapon, **weapon) if weapon else volley.weapon,
            values.get("count", volley.count),
            **{**volley.situation, **at},
        )
        for volley in parts
    ]
    label = ", ".join(f"{name} {value}" for name, value in values.items()) or attacker.label
    return replace(attacker, label=label, attacks=tuple(volleys))


def _target(defender: Defender, values: Mapping[str, Any]) -> Target | TargetUnit:
    if not values:
        return defender.target
    if not isinstance(defender.target, Target):
        raise MathhammerError("expected a target of equal models to sweep over its characteristics")
    return replace(defender.target, **values)


class Crossing(NamedTuple):
    """Two neighbouring values between which the better attack changes, and the better one at each."""

    before: object
    after: object
    better_before: str
    better_after: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BreakEven(Tabular):
    """Two attacks over the values of one parameter, and where the better one changes; see :func:`break_even`."""

    parameter: str
    metric: str
    values: tuple[object, ...]
    attackers: tuple[str, str]
    #: The metric of each of the two at each value.
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    crossings: tuple[Crossing, ...]
    #: Values at which both are alike.
    equal: tuple[object, ...]
    target: str
    edition: str

    schema: ClassVar[str] = "mathhammer.break_even"

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each value."""
        return [
            {self.parameter: plain(value), self.attackers[0]: float(one), self.attackers[1]: float(other)}
            for value, one, other in zip(self.values, self.first, self.second, strict=True)
        ]

    def about(self) -> dict[str, object]:
        """Metric, target and edition."""
        return {"metric": self.metric, "target": self.target, "edition": self.edition}

    def _pictures(self) -> Pictures:
        return {self.metric: self._picture}

    def _picture(self) -> Lines:
        from mathhammer.display import Lines

        places = {value: place for place, value in enumerate(self.values)}
        # A change lies in the middle between the two values that it is between.
        changes = [(places[each.before] + places[each.after]) / 2 for each in self.crossings]
        series = dict(zip(self.attackers, (self.first.tolist(), self.second.tolist()), strict=True))
        across = self.parameter.replace("_", " ")
        return Lines(self.metric.replace("_", " "), across, list(map(str, self.values)), series, changes)

    def _headline(self) -> str:
        return f"{' against '.join(self.attackers)} at {self.target}, edition {self.edition}"

    def _line(self) -> str:
        return f"{' against '.join(self.attackers)} over {self.parameter}: {'; '.join(self.sentences()[:2])}"

    def sentences(self) -> list[str]:
        """Return where the better one changes and where both are alike, a sentence each."""
        found = [
            f"{each.better_after} becomes better between {self.parameter} {each.before} and {each.after}"
            for each in self.crossings
        ]
        if self.equal:
            found.append(f"both are alike at {self.parameter} {', '.join(map(str, self.equal))}")
        return found or [f"{self._better(0)} is better throughout"]

    def _better(self, place: int) -> str:
        first, second = float(self.first[place]), float(self.second[place])
        return "" if first == second else self.attackers[int(second > first)]

    def _panel(self) -> Panel:
        from mathhammer.display import Panel, Table

        rows = [
            [str(value), number(one), number(other), "" if value in self.equal else self._better(place)]
            for place, (value, one, other) in enumerate(
                zip(self.values, self.first.tolist(), self.second.tolist(), strict=True)
            )
        ]
        metric = self.metric.replace("_", " ")
        table = Table([self.parameter, *self.attackers, "better"], rows, ">>><", metric)
        title = f"{' against '.join(self.attackers)} over {self.parameter}"
        facts = {"target": self.target, "edition": self.edition}
        return Panel(title, facts, [table], [f"{text[:1].upper()}{text[1:]}." for text in self.sentences()])


def break_even(
    first: Attack,
    second: Attack,
    target: Targets,
    parameter: str = "toughness",
    values: Sequence[float] | None = None,
    *,
    metric: str = "mean_wounds_lost",
    edition: str = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> BreakEven:
    """Find from which toughness or save on one attack is better than another.

    Parameters
    ----------
    first, second
        The two attacks; :class:`mathhammer.analysis.Attacker` objects with points can be compared by
        ``metric="points_per_point"``.
    target
        The target but for the parameter.
    parameter, values
        What varies, as for :func:`sweep`; toughness from 1 to 14 and save from 2+ to 7+ unless said.
    metric
        What is compared.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> bolter = wh40k.Weapon.parse('Heavy bolter: 36" A3 BS3+ S5 AP-1 D2')
    >>> cannon = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
    >>> answer = break_even(wh40k.Volley(bolter, 2), cannon, "TANK")
    >>> [(crossing.before, crossing.after, crossing.better_after) for crossing in answer.crossings]
    [(4, 5, 'Lascannon')]
    """
    validation.text(parameter, "the name of a parameter", "such as 'toughness'")
    if values is None:
        if parameter not in _RANGES:
            raise MathhammerError(
                f"expected values for {parameter!r}; only {', '.join(_RANGES)} have their own"
            )
        values = _RANGES[parameter]
    given = validation.items(values, Real, f"numbers as values of {parameter!r}")
    values = tuple(map(validation.plain, given))
    if list(values) != sorted(set(values)):
        raise MathhammerError(
            f"expected values of {parameter!r} in ascending order, got {shown(list(values))}"
        )
    attackers = read_attackers([first, second])
    if len(attackers) != 2:
        raise MathhammerError(f"expected two attacks to compare, got {len(attackers)} rows")
    swept = [
        sweep(attacker, target, {parameter: values}, edition=edition, rulings=rulings, **situation)
        for attacker in attackers
    ]
    one, other = (answer.metric(metric) for answer in swept)
    names = (attackers[0].name, attackers[1].name)
    if np.isnan(one).any() or np.isnan(other).any():
        raise MathhammerError(
            f"expected attacks and a target with points to compare {metric!r}; give Attacker(..., points=...)"
        )
    alike = np.isclose(one, other, rtol=1e-12, atol=0)
    decided = [index for index in range(len(values)) if not alike[index]]
    better = [names[0] if one[index] > other[index] else names[1] for index in decided]
    crossings = tuple(
        Crossing(values[left], values[right], before, after)
        for (left, before), (right, after) in itertools.pairwise(zip(decided, better, strict=True))
        if before != after
    )
    equal = tuple(value for value, same in zip(values, alike, strict=True) if same)
    about = (swept[0].target, edition)
    return BreakEven(parameter, metric, tuple(values), names, one, other, crossings, equal, *about)
