"""Selection of units: the efficient attackers of a grid, and the best option for a field of targets."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import read_defenders
from mathhammer.analysis.grids import Grid, grid
from mathhammer.analysis.tabular import Answer
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.analysis.attackers import Attacked, Attackers
    from mathhammer.systems.wh40k.situation import SituationKeywords


def frontier(table: Grid, target: str | int = 0, *, metric: str = "points_lost") -> Answer:
    """Return the attackers of a grid that no attacker beats for as many points or fewer, the cheapest first.

    Each is better than all that are cheaper, and none does nothing at all; ``dominated`` names the others.

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
    kept = [row["attacker"] for row in efficient]
    dominated = [row["attacker"] for row in rows if row["attacker"] not in kept]
    label = table.targets[column].label
    return Answer(
        "mathhammer.frontier",
        f"Efficient attackers against {label}, the cheapest first",
        efficient,
        {"target": label, "metric": metric, "dominated": dominated},
        unshown=("dominated",),
        notes=[f"Dominated: {', '.join(dominated)}."] if dominated else [],
    )


def choose(
    options: Attackers,
    field: Mapping[Attacked, float],
    *,
    metric: str = "points_lost",
    edition: str = DEFAULT_EDITION,
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
    if not field:
        raise MathhammerError("expected weights of one target or more, got none")
    defenders = read_defenders(list(field), edition)
    weights = np.array(list(field.values()), dtype=np.float64)
    if (
        len(defenders) != len(weights)
        or not (0 <= weights.min() <= weights.sum() < np.inf)
        or not weights.sum()
    ):
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
    rows = [
        {
            "option": attacker.name,
            metric: float(row @ weights),
            **dict(zip(labels, row.tolist(), strict=True)),
        }
        for attacker, row in zip(table.attackers, values, strict=True)
    ]
    rows.sort(key=lambda row: -row[metric])
    return Answer(
        "mathhammer.options",
        f"Options for {', '.join(labels)}, the best first",
        rows,
        {"metric": metric, "weights": dict(zip(labels, weights.tolist(), strict=True))},
    )
