"""Comparisons of attacks: over values of characteristics or the situation, by points, over a field of targets."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace
from functools import partial
from math import isclose, isnan, prod
from numbers import Real
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Attacker,
    Defender,
    one_attack,
    read_attackers,
    read_defenders,
    volleys_of,
)
from mathhammer.analysis.grids import Grid, grid
from mathhammer.analysis.tabular import Answer, heat_table, known, plain, record_table
from mathhammer.display.panel import Lines
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k import Target, Volley
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.situation import SITUATION_NAMES, shared_reroll
from mathhammer.validation import called, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Attacked, Attackers, Targets
    from mathhammer.display.panel import Picture
    from mathhammer.systems.wh40k import Edition, SituationKeywords

_OF_TARGET = frozenset(field.name for field in fields(Target)) - {"name", "points"}
_OF_WEAPON = frozenset(("attacks", "skill", "strength", "ap", "damage", "keywords"))
#: Most combinations of values in one sweep.
MAXIMUM_POINTS = 100_000

#: What a break-even is sought over unless said: every toughness and save that a datasheet has.
_RANGES: dict[str, tuple[int, ...]] = {"toughness": tuple(range(1, 15)), "save": tuple(range(2, 8))}


@called
def sweep(
    attacks: Attack,
    target: Targets,
    parameters: Mapping[str, Iterable[object]],
    *,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Compute an attack at every value of one parameter, or every pair of values of two.

    ``metric(name)`` has an axis for each parameter, in their order.

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
    axes: dict[str, tuple[object, ...]] = {}
    given = validation.mapping(parameters, "parameters as a mapping from names to values", example)
    for name, several in given.items():
        validation.text(name, "the name of a parameter", example)
        expected = f"values of {name!r} in a list"
        found = validation.items(several, object, expected, "put one value into a list")
        axes[name] = validation.plain(found)
    if not 1 <= len(axes) <= 2 or not all(axes.values()):
        raise MathhammerError(f"expected one parameter or two with values, got {shown(dict(axes))}")
    if (points := prod(map(len, axes.values()))) > MAXIMUM_POINTS:
        raise MathhammerError(f"expected a sweep of at most {MAXIMUM_POINTS:,} points, got {points:,}")
    names = sorted(_OF_TARGET | _OF_WEAPON | SITUATION_NAMES | {"count"})
    for name in axes.keys() - names:
        hint = validation.nearest(name, names)
        raise UnknownNameError(f"expected a parameter of an attack, got {shown(name)}; {hint}")
    attacker, defender = one_attack(attacks, target, edition, rulings, situation)
    mine = [name for name in axes if name not in _OF_TARGET]
    theirs = [name for name in axes if name in _OF_TARGET]
    rows = [_attacker(attacker, values) for values in _points(mine, axes)]
    if theirs and not isinstance(defender.target, Target):
        raise MathhammerError("expected a target of equal models to sweep over its characteristics")
    points_of = enumerate(_points(theirs, axes))
    columns = [Defender(str(index), replace(defender.target, **values)) for index, values in points_of]
    table = grid(rows, columns, edition=edition, rulings=rulings, keep_distributions=False, **situation)
    shape = [len(axes[name]) for name in (*mine, *theirs)]
    order = [(*mine, *theirs).index(name) for name in axes]
    values = {name: each.reshape(shape).transpose(order) for name, each in table.metrics().items()}
    numbers = zip(*(map(known, each.ravel().tolist()) for each in values.values()), strict=True)
    records = [
        {**{name: plain(value) for name, value in point.items()}, **dict(zip(values, row, strict=True))}
        for point, row in zip(_points(list(axes), axes), numbers, strict=True)
    ]

    pictures = {
        name: partial(_picture, name, axes, values) for name in sorted(values, key="mean_wounds_lost".__ne__)
    }
    # What needs points has no numbers without them.
    maps = [pictures[name]() for name in values if len(axes) == 2 and np.isfinite(values[name]).any()]
    return Answer(
        "mathhammer.sweep",
        f"Over {' and '.join(axes)}",
        records,
        {"attacker": attacker.name, "target": defender.label, "edition": edition},
        parts=maps,
        pictures=pictures,
        headline=f"{attacker.name} against {defender.label}, edition {edition}",
        shape=tuple(map(len, axes.values())),
    )


def _picture(
    metric: str, axes: Mapping[str, Sequence[object]], values: Mapping[str, NDArray[np.float64]]
) -> Picture:
    labels, numbers = [list(map(str, each)) for each in axes.values()], values[metric].tolist()
    down, *across = (name.replace("_", " ") for name in axes)
    if across:
        return heat_table(metric, labels[0], labels[1], numbers, down=down, across=across[0])
    name = metric.replace("_", " ")
    return Lines(name, down, labels[0], {name: numbers})


def _points(names: Iterable[str], axes: Mapping[str, tuple[object, ...]]) -> list[dict[str, Any]]:
    """Return every combination of the values of some parameters."""
    points = itertools.product(*(axes[name] for name in names))
    return [dict(zip(names, point, strict=True)) for point in points]


def _attacker(attacker: Attacker, values: Mapping[str, Any]) -> Attacker:
    """Return the attacker with other weapons, counts or situations."""
    weapon = {name: value for name, value in values.items() if name in _OF_WEAPON}
    at = {name: value for name, value in values.items() if name in SITUATION_NAMES}
    parts = volleys_of(attacker)
    if len(parts) > 1 and (shared := shared_reroll(at)):
        raise MathhammerError(
            f"expected a sweep of {', '.join(shared)} over one volley, got {len(parts)}, which share one re-roll; "
            "give it to the sweep as its situation, or to each Volley"
        )
    volleys = (
        Volley(replace(each.weapon, **weapon), values.get("count", each.count), **{**each.situation, **at})
        for each in parts
    )
    label = ", ".join(f"{name} {value}" for name, value in values.items()) or attacker.label
    return replace(attacker, label=label, attacks=tuple(volleys))


@called
def break_even(
    first: Attack,
    second: Attack,
    target: Targets,
    parameter: str = "toughness",
    values: Sequence[float] | None = None,
    *,
    metric: str = "mean_wounds_lost",
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Find from which toughness or save on one attack is better than another.

    The records say which is ``better`` at each value, nothing where both are alike; ``notes`` say where it changes.

    Parameters
    ----------
    first, second
        The two attacks; :class:`mathhammer.analysis.Attacker` objects with points can be compared by
        ``metric="points_per_point"``.
    target
        The target but for the parameter.
    parameter, values
        What varies, as for :func:`sweep`; by default toughness from 1 to 14 and save from 2+ to 7+.
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
    >>> answer.notes
    ['Lascannon becomes better between toughness 4 and 5.']
    """
    validation.text(parameter, "the name of a parameter", "such as 'toughness'")
    if values is None and parameter not in _RANGES:
        raise MathhammerError(f"expected values for {parameter!r}; only {', '.join(_RANGES)} have their own")
    given = _RANGES[parameter] if values is None else values
    values = validation.plain(validation.items(given, Real, f"numbers as values of {parameter!r}"))
    if list(values) != sorted(set(values)):
        raise MathhammerError(
            f"expected values of {parameter!r} in ascending order, got {shown(list(values))}"
        )
    attackers = read_attackers([first, second])
    if len(attackers) != 2:
        raise MathhammerError(f"expected two attacks to compare, got {len(attackers)} rows")
    swept = {
        each.name: sweep(each, target, {parameter: values}, edition=edition, rulings=rulings, **situation)
        for each in attackers
    }
    series = {name: each.metric(metric).tolist() for name, each in swept.items()}
    if any(map(isnan, itertools.chain(*series.values()))):
        raise MathhammerError(
            f"expected attacks and a target with points to compare {metric!r}; give Attacker(..., points=...)"
        )
    records = [
        {
            parameter: value,
            **dict(zip(series, pair, strict=True)),
            "better": "" if isclose(*pair, rel_tol=1e-12) else max(zip(pair, series, strict=True))[1],
        }
        for value, pair in zip(values, zip(*series.values(), strict=True), strict=True)
    ]
    better = [row["better"] for row in records]
    decided = [place for place, each in enumerate(better) if each]
    changes = [pair for pair in itertools.pairwise(decided) if better[pair[0]] != better[pair[1]]]
    notes = [
        f"{better[after]} becomes better between {parameter} {values[before]} and {values[after]}."
        for before, after in changes
    ]
    if alike := [str(row[parameter]) for row in records if not row["better"]]:
        notes.append(f"Both are alike at {parameter} {', '.join(alike)}.")
    sides, across, name = " against ".join(series), parameter.replace("_", " "), metric.replace("_", " ")
    facts = {"metric": metric, "target": next(iter(swept.values())).target, "edition": edition}
    # A change lies in the middle between the two values that it is between.
    middles = [sum(pair) / 2 for pair in changes]
    return Answer(
        "mathhammer.break_even",
        f"{sides} over {parameter}",
        records,
        facts,
        unshown=("metric",),
        notes=notes or [f"{records[0]['better']} is better throughout."],
        parts=[record_table(records, name)],
        pictures={metric: partial(Lines, name, across, list(map(str, values)), series, middles)},
        headline=f"{sides} at {facts['target']}, edition {edition}",
    )


@called
def frontier(table: Grid, target: str | int = 0, *, metric: str = "points_lost") -> Answer:
    """Return the attackers of a grid that no other beats for the same points or fewer, the cheapest first.

    ``dominated`` names the others.

    Parameters
    ----------
    table
        A grid whose attackers have points.
    target
        The label of its column, or its number.
    metric
        What is compared: ``"probability_destroyed"``, say.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> from mathhammer.analysis import Attacker
    >>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
    >>> squads = [Attacker(name, wh40k.Volley(rifle, count), points=cost)
    ...           for name, count, cost in (("five", 5, 80), ("six", 6, 120), ("ten", 10, 150), ("dear", 5, 90))]
    >>> [row["attacker"] for row in frontier(grid(squads, "MEQ")).records]
    ['five', 'six', 'ten']
    """
    validation.instance(table, Grid, "a Grid", "grid(attackers, targets) makes one")
    column = table.column(target)
    values = table.metric(metric)[:, column].tolist()
    rows = [
        {"attacker": attacker.name, "points": attacker.points, metric: value}
        for attacker, value in zip(table.attackers, values, strict=True)
        if attacker.points is not None and not np.isnan(value)
    ]
    if not rows:
        raise MathhammerError(
            "expected attackers with points for a frontier, got none; give Attacker(label, attacks, points=...)"
        )
    best, efficient = 0.0, []  # who does nothing to the target is not worth its points, however few
    for row in sorted(rows, key=lambda row: (row["points"], -row[metric])):
        if row[metric] > best:
            efficient.append(row)
            best = row[metric]
    dominated = [row["attacker"] for row in rows if row not in efficient]
    label = table.targets[column].label
    return Answer(
        "mathhammer.frontier",
        f"Efficient attackers against {label}, the cheapest first",
        efficient,
        {"target": label, "metric": metric, "dominated": dominated},
        unshown=("dominated",),
        notes=[f"Dominated: {', '.join(dominated)}."] if dominated else [],
    )


@called
def choose(
    options: Attackers,
    field: Mapping[Attacked, float],
    *,
    metric: str = "points_lost",
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Rank the options of a unit by their weighted mean over a field of targets, the best first.

    Parameters
    ----------
    options
        A mapping from the name of each option to its weapons, or attackers.
    field
        Weights of the targets: how often each is faced. Standard targets may go by their labels.
    metric
        What is compared; a number of :data:`mathhammer.analysis.METRICS`.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> options = {
    ...     "heavy bolter": wh40k.Weapon.parse('Heavy bolter: 36" A3 BS3+ S5 AP-1 D2 [SUSTAINED HITS 1]'),
    ...     "lascannon": wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1'),
    ... }
    >>> fields = {"MEQ": 3}, {"MEQ": 1, "TANK": 3}
    >>> [choose(options, field, metric="mean_wounds_lost").records[0]["option"] for field in fields]
    ['heavy bolter', 'lascannon']
    """
    example = "such as {'MEQ': 3, 'TEQ': 1}"
    validation.mapping(field, "the field as a mapping from targets to weights", example)
    validation.items(field.values(), Real, "numbers as weights", example)
    defenders = read_defenders(list(field), edition)
    weights = np.array(list(field.values()), dtype=np.float64)
    fit = len(defenders) == len(weights) and 0 <= weights.min() <= weights.sum() < np.inf
    if not fit or not weights.sum():
        raise MathhammerError(
            f"expected a weight of 0 or more for each target, not all 0; got {list(field.values())}"
        )
    weights = weights / weights.sum()
    table = grid(options, defenders, edition=edition, rulings=rulings, keep_distributions=False, **situation)
    values = table.metric(metric)
    if np.isnan(values).any():
        raise MathhammerError(
            f"expected points of every target and attacker for {metric!r}, but some have none; "
            "use metric='share_lost', 'mean_kills' or 'mean_wounds_lost'"
        )
    labels = [defender.label for defender in defenders]
    rows = []
    for attacker, row in zip(table.attackers, values, strict=True):
        own = dict(zip(labels, row.tolist(), strict=True))
        rows.append({"option": attacker.name, metric: float(row @ weights), **own})
    rows.sort(key=lambda row: -row[metric])
    return Answer(
        "mathhammer.options",
        f"Options for {', '.join(labels)}, the best first",
        rows,
        {"metric": metric, "weights": dict(zip(labels, weights.tolist(), strict=True))},
    )
