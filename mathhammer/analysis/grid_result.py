"""Every attacker against every target, as one labelled object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from mathhammer import validation
from mathhammer.analysis.blocks import Rules, named_volleys
from mathhammer.analysis.tabular import CELLS_AT_ONCE, Tabular, cells, heat_table, plain, quantiles
from mathhammer.arithmetic.products import quantile_indices
from mathhammer.display import count, format_items, percent
from mathhammer.display.panel import HeatTable, Panel
from mathhammer.display.records import records_of
from mathhammer.distributions.bulk import distribution_of_row
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.matchups import ArmyTable
    from mathhammer.display.panel import Pictures
    from mathhammer.display.records import Columns
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Rulings
    from mathhammer.systems.wh40k import Volley
    from mathhammer.systems.wh40k.situation import SituationKeywords


#: What a pair of numbers in a cell is.
_CAPTION = "mean share of the target's wounds lost (probability that the whole target is destroyed)"


def grid_panel(grid: Grid) -> Panel:
    """Return the mean share of wounds that each target loses, and the probability that the whole of it is destroyed."""
    table = _pairs(
        [target.label for target in grid.targets],
        [attacker.name for attacker in grid.attackers],
        grid.share_lost.tolist(),
        grid.probability_destroyed.tolist(),
    )
    return _panel(
        f"{count(len(grid.attackers), 'attacker')} against {count(len(grid.targets), 'target')}", grid, table
    )


def army_table_panel(table: ArmyTable) -> Panel:
    """Return the same of an army, a row for each unit and phase."""
    pairs = _pairs(
        [target.name for target in table.targets],
        [f"{row.unit} ({row.kind})" for row in table.rows],
        [[cell.share_lost for cell in row.cells] for row in table.rows],
        [[cell.probability_destroyed for cell in row.cells] for row in table.rows],
    )
    left_out = count(len(table.simplifications), "thing")
    notes = [f"{left_out} left out or taken as equal: see .simplifications."] if table.simplifications else []
    return _panel(f"{table.army} against {count(len(table.targets), 'target')}", table, pairs, notes)


def _panel(title: str, table: Grid | ArmyTable, pairs: HeatTable, notes: Sequence[str] = ()) -> Panel:
    facts = {"edition": table.edition}
    if situation := format_items(table.situation):
        facts["situation"] = situation
    rulings: Rulings = table.rulings
    return Panel(title, facts, [pairs] if pairs.rows else [], notes, [(rulings.sentence, rulings.table())])


def _pairs(
    columns: Sequence[str],
    rows: Sequence[str],
    shares: Sequence[Sequence[float]],
    chances: Sequence[Sequence[float]],
) -> HeatTable:
    texts = [
        [
            f"{percent(min(share, 1.0), digits=0)} ({percent(min(chance, 1.0), digits=0)})"
            for share, chance in zip(*pair, strict=True)
        ]
        for pair in zip(shares, chances, strict=True)
    ]
    return HeatTable(columns, list(zip(rows, shares, strict=True)), texts, caption=_CAPTION)


METRICS = (
    "mean_wounds_lost",
    "share_lost",
    "mean_kills",
    "probability_destroyed",
    "points_lost",
    "points_lost_per_point",
    "points_destroyed",
    "points_per_point",
    "trade_ratio",
)
"""The numbers of a cell, by name; quantiles have their own method.

Those that end in ``lost`` count every wound, those that end in ``destroyed`` and ``points_per_point`` whole models: a
tank that loses half of its wounds has lost half of its points, and no model.
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grid(Tabular):
    """Every attacker against every target.

    Arrays have a row for each attacker and a column for each target.

    Parameters
    ----------
    attackers, targets
        What the rows and the columns are.
    mean_wounds_lost
        Wounds the target really loses: nothing beyond a model's last wound or the unit's.
    mean_kills
        Models of the target destroyed.
    probability_destroyed
        That the whole target is destroyed.
    points_destroyed
        Models destroyed times the points of one, on average; not a number where the target has no points.
    kill_distributions, wound_distributions
        For each target the probabilities of 0, 1, ... models destroyed and wounds lost, a row for each attacker;
        nothing of what was not kept.
    weapons
        For each attacker and target the weapons that a unit used, with their names and copies; nothing if they were
        not kept.
    edition, rulings, situation
        The rules, and what was true of all attacks.
    swapped
        The same with the sides swapped, where `both_ways` was given.

    Examples
    --------
    >>> from mathhammer.analysis import grid
    >>> from mathhammer.systems import wh40k
    >>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
    >>> table = grid({"Squad": wh40k.Volley(rifle, 10)}, "GEQ, MEQ", edition="10e")
    >>> table.mean_kills.round(4)
    array([[7.2844, 1.4167]])
    """

    attackers: tuple[Attacker, ...]
    targets: tuple[Defender, ...]
    mean_wounds_lost: NDArray[np.float64]
    mean_kills: NDArray[np.float64]
    probability_destroyed: NDArray[np.float64]
    points_destroyed: NDArray[np.float64]
    kill_distributions: tuple[NDArray[np.float64], ...]
    edition: str
    rulings: Rulings
    situation: SituationKeywords
    swapped: Grid | None = None
    wound_distributions: tuple[NDArray[np.float64], ...] = ()
    weapons: tuple[tuple[tuple[tuple[str, int], ...], ...], ...] = ()
    schema: str = "mathhammer.grid"

    @property
    def share_lost(self) -> NDArray[np.float64]:
        """Share of the target's wounds that it loses, on average."""
        return self.mean_wounds_lost / np.array([each.wounds for each in self.targets], dtype=np.float64)

    @property
    def points_lost(self) -> NDArray[np.float64]:
        """The share of wounds in the target's points; not a number where the target has none."""
        return self.share_lost * _points(self.targets)

    @property
    def points_lost_per_point(self) -> NDArray[np.float64]:
        """Points lost for each point of the attacker; not a number where one of the two has none."""
        return self.points_lost / _points(self.attackers)[:, None]

    @property
    def points_per_point(self) -> NDArray[np.float64]:
        """Points destroyed for each point of the attacker; not a number where one of the two has none."""
        return self.points_destroyed / _points(self.attackers)[:, None]

    @property
    def trade_ratio(self) -> NDArray[np.float64]:
        """Points that the target loses for each point that the attacker loses when it is attacked in the same phase.

        Infinite where the target cannot strike back.
        """
        if self.swapped is None:
            raise MathhammerError(
                "expected a grid of two armies or of units computed both ways for a trade ratio; "
                "call grid(..., both_ways=True)"
            )
        back = self.swapped.points_lost
        row_of = {(row.label, row.kind): index for index, row in enumerate(self.swapped.attackers)}
        column_of = {column.label: index for index, column in enumerate(self.swapped.targets)}
        struck_back = np.zeros_like(self.mean_wounds_lost)
        for row, attacker in enumerate(self.attackers):
            for column, target in enumerate(self.targets):
                strikes = row_of.get((target.label, attacker.kind))
                if strikes is not None:
                    struck_back[row, column] = back[strikes, column_of[attacker.label]]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.points_lost / struck_back)

    def kills(self, attacker: str | int, target: str | int) -> Distribution:
        """Distribution of the models that one attacker destroys of one target.

        Parameters
        ----------
        attacker
            Its name, such as ``"Wardens (shooting)"``, or its row.
        target
            Its label, or its column.
        """
        column = self.column(target)
        return distribution_of_row(self._distributions()[column][self._row(attacker)])

    def volleys(self, attacker: str | int, target: str | int) -> list[Volley]:
        """Volleys of one attacker against one target, as :func:`mathhammer.wh40k.attack` takes them.

        The names are those of ``kills()``; a unit chose its weapons. One re-roll of the table is left to the attack.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> from mathhammer.analysis import grid
        >>> from mathhammer.rosters import sample_army
        >>> table = grid(sample_army(), "VEQ")
        >>> guns = [table.volleys(f"{unit} (shooting)", "VEQ") for unit in ("Hill Battery", "Bulwark Crawler")]
        >>> both = wh40k.activations(guns, wh40k.TARGETS["VEQ"])
        >>> [round(unit.result.probability_destroyed, 3) for unit in both]
        [0.059, 0.706]
        """
        row, column = self.attackers[self._row(attacker)], self.targets[self.column(target)]
        rules = Rules(self.edition, self.rulings, self.situation)
        return named_volleys(row, column.target, rules)

    def column(self, target: str | int) -> int:
        """Return the column of a target, by its label or its number."""
        return _find(target, [column.label for column in self.targets], "a target")

    def quantile(self, probability: float) -> NDArray[np.intp]:
        """Return the quantile of models destroyed for every cell, as `icdf` of a distribution gives it."""
        validation.instance(probability, Real, "a probability from 0 to 1")
        if not 0 <= probability <= 1:
            raise MathhammerError(f"expected a probability from 0 to 1, got {shown(probability)}")
        return np.stack(
            [quantile_indices(distribution, probability) for distribution in self._distributions()], axis=1
        )

    def metric(self, name: str) -> NDArray[np.float64]:
        """Return one number of every cell by its name: one of :data:`METRICS`."""
        if not isinstance(name, str) or name not in METRICS:
            raise UnknownNameError(f"expected a number of {', '.join(METRICS)}; got {shown(name)}")
        values: NDArray[np.float64] = getattr(self, name)
        return values

    def _pictures(self) -> Pictures:
        return {name: partial(self._picture, name) for name in ("share_lost", *self.metrics())}

    def _picture(self, metric: str) -> HeatTable:
        rows, columns = [row.name for row in self.attackers], [column.label for column in self.targets]
        return heat_table(
            metric, rows, columns, self.metric(metric).tolist(), down="attacker", across="target"
        )

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each attacker and target; quantiles are those of 5, 50 and 95 %."""
        return [record for columns in self._columns() for record in records_of(columns)]

    def _columns(self) -> Iterator[Columns]:
        """Yield the cells as columns, those of some attackers at a time."""
        metrics, columns_of = self.metrics(), cells(self.attackers, self.targets)
        step = max(1, CELLS_AT_ONCE // len(self.targets))
        for first in range(0, len(self.attackers), step):
            rows = np.arange(first, min(first + step, len(self.attackers)))
            part: dict[str, NDArray[np.float64] | NDArray[np.intp]] = {
                name: values[rows] for name, values in metrics.items()
            }
            part |= quantiles([distribution[rows] for distribution in self.kill_distributions])
            yield columns_of(rows, part)

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        """Return every number of the cells by its name; the trade ratio where the sides were swapped."""
        names = [name for name in METRICS if name != "trade_ratio" or self.swapped is not None]
        return {name: self.metric(name) for name in names}

    def about(self) -> dict[str, object]:
        """Rules and situation, for the JSON."""
        situation = {name: plain(each) for name, each in self.situation.items()}
        return {"edition": self.edition, "rulings": dict(self.rulings), "situation": situation}

    def _row(self, attacker: str | int) -> int:
        return _find(attacker, [row.name for row in self.attackers], "an attacker")

    def _distributions(self) -> tuple[NDArray[np.float64], ...]:
        if not self.kill_distributions:
            raise MathhammerError(
                "expected a grid with distributions of models destroyed; call grid(..., keep_distributions=True)"
            )
        return self.kill_distributions

    def _line(self) -> str:
        attackers, targets = count(len(self.attackers), "attacker"), count(len(self.targets), "target")
        return f"{attackers} x {targets}, edition {self.edition}"

    def _panel(self) -> Panel:
        return grid_panel(self)


def _points(given: Sequence[Attacker] | Sequence[Defender]) -> NDArray[np.float64]:
    """Return the points of each, not a number where it has none."""
    return np.array([np.nan if each.points is None else each.points for each in given], dtype=np.float64)


def _find(key: str | int, names: Sequence[str], what: str) -> int:
    place = validation.as_whole(key)
    if place is not None:
        if not 0 <= place < len(names):
            raise UnknownNameError(f"expected {what} from 0 to {len(names) - 1}, got {shown(key)}")
        return place
    if key not in names:
        from difflib import get_close_matches

        near = get_close_matches(str(key), names, n=1, cutoff=0.3)
        raise UnknownNameError(
            f"expected {what} of the grid, got {shown(key)}; "
            + (f"did you mean {near[0]!r}?" if near else "see its labels")
        )
    return names.index(key)
