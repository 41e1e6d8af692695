"""Selection of units: the efficient attackers of a grid, and the best option for a field of targets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import read_defenders
from mathhammer.analysis.grids import Grid, grid
from mathhammer.analysis.tabular import Tabular
from mathhammer.display import number
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.analysis.attackers import Attacked, Attackers
    from mathhammer.display import Panel
    from mathhammer.systems.wh40k.situation import SituationKeywords


class Efficient(NamedTuple):
    """An attacker than which none is better for as many points or fewer, and what was compared."""

    attacker: str
    points: float
    value: float


@dataclass(frozen=True, slots=True, repr=False)
class Frontier(Tabular):
    """The efficient attackers against one target, the cheapest first, as :func:`frontier` returns them."""

    target: str
    metric: str
    #: Each is better than all that are cheaper, and none does nothing at all.
    attackers: tuple[Efficient, ...]
    #: Names of the others that have points.
    dominated: tuple[str, ...]

    schema: ClassVar[str] = "mathhammer.frontier"

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each efficient attacker."""
        return [
            {"attacker": row.attacker, "points": row.points, self.metric: row.value} for row in self.attackers
        ]

    def _line(self) -> str:
        names = ", ".join(row.attacker for row in self.attackers)
        return f"{self.metric} of {self.target}: {names}; dominated: {len(self.dominated)}"

    def _title(self) -> str:
        return f"Efficient attackers against {self.target}, the cheapest first"

    def about(self) -> dict[str, object]:
        """The target, and the attackers that are not efficient."""
        return {"target": self.target, "metric": self.metric, "dominated": list(self.dominated)}

    def _panel(self) -> Panel:
        panel = Tabular._panel(self)  # noqa: SLF001 - a class with slots has no super()
        facts = {name: text for name, text in panel.facts.items() if name != "dominated"}
        notes = [f"Dominated: {', '.join(self.dominated)}."] if self.dominated else []
        return replace(panel, facts=facts, notes=notes)


def frontier(table: Grid, target: str | int = 0, *, metric: str = "points_lost") -> Frontier:
    """Return the attackers of a grid that no attacker beats for as many points or fewer.

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
    >>> [row.attacker for row in frontier(grid(squads, "MEQ")).attackers]
    ['five', 'six', 'ten']
    """
    validation.instance(table, Grid, "a Grid", "grid(attackers, targets) makes one")
    column = table.column(target)
    values = table.metric(metric)[:, column]
    rows = [
        Efficient(attacker.name, attacker.points, float(value))
        for attacker, value in zip(table.attackers, values, strict=True)
        if attacker.points is not None and not np.isnan(value)
    ]
    if not rows:
        raise MathhammerError(
            "expected attackers with points for a frontier, got none; give Attacker(label, attacks, points=...)"
        )
    efficient: list[Efficient] = []
    for row in sorted(rows, key=lambda row: (row.points, -row.value)):
        if row.value <= 0:
            continue  # who does nothing to the target is not worth its points, however few
        if not efficient or row.value > efficient[-1].value:
            efficient.append(row)
    kept = {row.attacker for row in efficient}
    dominated = tuple(row.attacker for row in rows if row.attacker not in kept)
    return Frontier(table.targets[column].label, metric, tuple(efficient), dominated)


class Option(NamedTuple):
    """One option: its weighted mean over the field, and its value against each target."""

    name: str
    value: float
    by_target: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Options(Tabular):
    """The options for a field of targets, the best first, as :func:`choose` returns them."""

    targets: tuple[str, ...]
    #: They add up to 1.
    weights: tuple[float, ...]
    metric: str
    options: tuple[Option, ...]

    schema: ClassVar[str] = "mathhammer.options"

    @property
    def best(self) -> Option:
        """The option to take."""
        return self.options[0]

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each option."""
        return [
            {
                "option": row.name,
                self.metric: row.value,
                **dict(zip(self.targets, row.by_target, strict=True)),
            }
            for row in self.options
        ]

    def _line(self) -> str:
        return f"{self.metric}: " + ", ".join(f"{row.name} {number(row.value)}" for row in self.options)

    def _title(self) -> str:
        return f"Options for {', '.join(self.targets)}, the best first"

    def about(self) -> dict[str, object]:
        """The field."""
        return {"metric": self.metric, "weights": dict(zip(self.targets, self.weights, strict=True))}


def choose(
    options: Attackers,
    field: Mapping[Attacked, float],
    *,
    metric: str = "points_lost",
    edition: str = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Options:
    """Rank the options of a unit by their weighted mean over a field of targets.

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
    >>> [choose(options, field, metric="mean_wounds_lost").best.name for field in ({"MEQ": 3}, {"MEQ": 1, "TANK": 3})]
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
        or not np.isfinite(weights).all()
        or weights.min() < 0
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
    rows = [
        Option(attacker.name, float(row @ weights), tuple(row.tolist()))
        for attacker, row in zip(table.attackers, values, strict=True)
    ]
    rows.sort(key=lambda row: -row.value)
    return Options(
        tuple(defender.label for defender in defenders), tuple(weights.tolist()), metric, tuple(rows)
    )
