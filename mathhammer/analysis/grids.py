"""Every attacker against every target: computed, and as one labelled object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Rules,
    edition_of,
    in_phase,
    read_attackers,
    read_defenders,
    units_of,
    volleys_at,
)
from mathhammer.analysis.blocks import PartOfGrid, computed_parts
from mathhammer.analysis.tabular import (
    CELLS_AT_ONCE,
    Tabular,
    cells,
    fact_texts,
    heat_table,
    open_sink,
    plain,
    quantile_table,
    quantiles,
)
from mathhammer.display.numbers import count, percent
from mathhammer.display.panel import HeatTable, Panel
from mathhammer.display.records import records_of
from mathhammer.distributions.bulk import distribution_of_row
from mathhammer.errors import MathhammerError, UnknownNameError, WrongTypeError
from mathhammer.systems.wh40k import SituationKeywords, Unit
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.validation import called, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Attackers, Defender, Targets
    from mathhammer.display.panel import Pictures
    from mathhammer.display.records import Columns
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.wh40k import Edition, Volley

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
        The rows and the columns.
    mean_wounds_lost
        Wounds the target really loses: nothing beyond a model's last wound or the unit's.
    mean_kills
        Models of the target destroyed.
    probability_destroyed
        That the whole target is destroyed.
    points_destroyed
        Models destroyed times the points of one, on average; NaN where the target has no points.
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
        """The share of wounds in the target's points; NaN where the target has none."""
        return self.share_lost * _points(self.targets)

    @property
    def points_lost_per_point(self) -> NDArray[np.float64]:
        """Points lost for each point of the attacker; NaN where one of the two has none."""
        return self.points_lost / _points(self.attackers)[:, None]

    @property
    def points_per_point(self) -> NDArray[np.float64]:
        """Points destroyed for each point of the attacker; NaN where one of the two has none."""
        return self.points_destroyed / _points(self.attackers)[:, None]

    @property
    def trade_ratio(self) -> NDArray[np.float64]:
        """Points that the target loses for each point that the attacker loses when it is attacked in the same phase.

        Infinite where the target cannot strike back.
        """
        back = self.swapped
        if back is None:
            raise MathhammerError(
                "the trade ratio needs a grid of two armies or of units computed both ways; "
                "call grid(..., both_ways=True)"
            )
        column_of = {column.label: index for index, column in enumerate(back.targets)}
        attackers = zip(back.attackers, back.points_lost.tolist(), strict=True)
        lost = {(row.label, row.kind): values for row, values in attackers}
        nothing = [0.0] * len(column_of)
        struck_back = [
            [lost.get((target.label, row.kind), nothing)[column_of[row.label]] for target in self.targets]
            for row in self.attackers
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.points_lost / np.reshape(struck_back, self.mean_kills.shape))

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
        return volleys_at(row, column.target, Rules(self.edition, self.rulings, self.situation))

    def column(self, target: str | int) -> int:
        """Return the column of a target, by its label or its number."""
        return _find(target, self._labels()[1], "a target")

    def quantile(self, probability: float) -> NDArray[np.intp]:
        """Return the quantile of models destroyed for every cell, as `icdf` of a distribution gives it."""
        validation.instance(probability, Real, "a probability from 0 to 1")
        if not 0 <= probability <= 1:
            raise MathhammerError(f"expected a probability from 0 to 1, got {shown(probability)}")
        return quantile_table(self._distributions(), probability)

    def metric(self, name: str) -> NDArray[np.float64]:
        """Return one number of every cell by its name: one of :data:`METRICS`."""
        return np.asarray(getattr(self, validation.one_of(name, METRICS, "the number of a table")))

    def _pictures(self) -> Pictures:
        return {name: partial(self._picture, name) for name in ("share_lost", *self.metrics())}

    def _picture(self, metric: str) -> HeatTable:
        return heat_table(
            metric, *self._labels(), self.metric(metric).tolist(), down="attacker", across="target"
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

    def _labels(self) -> tuple[list[str], list[str]]:
        return [row.name for row in self.attackers], [column.label for column in self.targets]

    def _row(self, attacker: str | int) -> int:
        return _find(attacker, self._labels()[0], "an attacker")

    def _distributions(self) -> tuple[NDArray[np.float64], ...]:
        if not self.kill_distributions:
            raise MathhammerError(
                "this grid kept no distributions of models destroyed; call grid(..., keep_distributions=True)"
            )
        return self.kill_distributions

    def _line(self) -> str:
        return f"{self._sides(' x ')}, edition {self.edition}"

    def _sides(self, between: str) -> str:
        return f"{count(len(self.attackers), 'attacker')}{between}{count(len(self.targets), 'target')}"

    def _panel(self) -> Panel:
        shares, chances = self.share_lost.tolist(), self.probability_destroyed.tolist()
        texts = [
            [
                f"{percent(min(each, 1.0), digits=0)} ({percent(min(chance, 1.0), digits=0)})"
                for each, chance in zip(*row, strict=True)
            ]
            for row in zip(shares, chances, strict=True)
        ]
        names, columns = self._labels()
        caption = "mean share of the target's wounds lost (probability that the whole target is destroyed)"
        pairs = HeatTable(columns, list(zip(names, shares, strict=True)), texts, caption=caption)
        return Panel(
            self._sides(" against "),
            fact_texts({"edition": self.edition, "situation": self.situation}),
            [pairs] if names else [],
            folded=[(self.rulings.sentence, self.rulings.table())],
        )


def _points(given: Sequence[Attacker] | Sequence[Defender]) -> NDArray[np.float64]:
    """Return the points of each, NaN where it has none."""
    return np.array([np.nan if each.points is None else each.points for each in given], dtype=np.float64)


def _find(key: str | int, names: Sequence[str], what: str) -> int:
    place = validation.as_whole(key)
    if place is None:
        if not isinstance(key, str) or key not in names:
            hint = validation.nearest(key, names).partition("known: ")[0] or "see its labels"
            raise UnknownNameError(f"expected {what} of the grid, got {shown(key)}; {hint}")
        return names.index(str(key))
    if not 0 <= place < len(names):
        raise UnknownNameError(f"expected {what} from 0 to {len(names) - 1}, got {shown(key)}")
    return place


class _GridOptions(SituationKeywords, total=False):
    """Options of both overloads of `grid`."""

    edition: str | Edition | None
    rulings: Mapping[str, str] | None
    keep_distributions: bool
    both_ways: bool
    executor: Executor | None
    block: int | None
    progress: Callable[[int, int], None] | None


@overload
def grid(
    attackers: Attackers, targets: Targets, *, sink: None = None, **options: Unpack[_GridOptions]
) -> Grid: ...
@overload
def grid(
    attackers: Attackers, targets: Targets, *, sink: str | PathLike[str], **options: Unpack[_GridOptions]
) -> int: ...
@called
def grid(
    attackers: Attackers,
    targets: Targets,
    *,
    edition: str | Edition | None = None,
    rulings: Mapping[str, str] | None = None,
    keep_distributions: bool = True,
    both_ways: bool = False,
    executor: Executor | None = None,
    block: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    sink: str | PathLike[str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Grid | int:
    """Compute what every attacker does to every target.

    Distinct stat lines and distinct targets are computed once, as one bulk walk in float64; the numbers are
    those of :func:`mathhammer.wh40k.attack`.

    Parameters
    ----------
    attackers
        An army, units, weapons, volleys or :class:`mathhammer.analysis.Attacker` objects, or a mapping from
        labels to them; units and weapons of Age of Sigmar too. A unit has a row for shooting and one for melee and
        uses its best weapons against each target; volleys in one more list attack together.
    targets
        Targets, units, an army, labels of standard targets, or a mapping from labels to them. Each attack finds
        its target fresh.
    keep_distributions
        Whether to keep the whole distribution of models destroyed of every cell; without them no quantiles.
    both_ways
        Whether to compute the same with the sides swapped too, which the trade ratio needs; both sides must be
        armies or units.
    executor
        Where blocks of rows are computed: any ``concurrent.futures.Executor``. Without one, here.
    block
        Rows of one block. By default a block has about 500,000 attacks; with an executor there are two blocks for
        each worker, or 32 where their number is unknown.
    progress
        Called after each block with how many rows are done and how many there are.
    sink
        A file that the cells are written to as they are computed, in the place of a grid that holds them: a name that
        ends in ``.csv`` or ``.parquet`` (with PyArrow). The rows are those of ``to_records()``, in the order in which
        they are finished; in Parquet also the distributions that were kept, as lists.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`, for all volleys that do not have their own; the default edition is that
        of the army, if one is given.

    Returns
    -------
    Grid or int
        With a sink the number of cells written. A grid takes about 8 bytes for each model of a target and row, or 32 a
        cell without distributions.

    Examples
    --------
    >>> from mathhammer.rosters import sample_army
    >>> army = sample_army()
    >>> table = grid(army, army, both_ways=True)
    >>> table.trade_ratio.shape == (len(table.attackers), len(army.units))
    True
    """
    validation.flag(keep_distributions, "keep_distributions")
    validation.flag(both_ways, "both_ways")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise WrongTypeError(
            f"expected a concurrent.futures.Executor as executor, got {shown(executor)}; "
            "leave it out to compute here"
        )
    for side, given in (("attackers", attackers), ("targets", targets)) if both_ways else ():
        if units_of(given) is None:
            raise MathhammerError(
                f"expected armies or units as {side} to swap the sides of, got {shown(given)}; leave out both_ways"
            )
    edition = edition_of(edition, attackers, targets)
    rows, columns = read_attackers(attackers), read_defenders(targets, edition)
    rules = Rules.of(edition, rulings, situation, kills=keep_distributions)
    rows = usable_rows(rows, situation)
    back = None
    if both_ways:
        back = usable_rows(read_attackers(targets), situation), read_defenders(attackers, edition)
    done = counting(len(rows) + (len(back[0]) if back else 0), progress)
    if sink is not None:
        if both_ways:
            raise MathhammerError("expected a grid to be written one way; leave out both_ways, or the sink")
        columns_of = cells(rows, columns)
        with open_sink(sink) as write:
            for part in computed_parts(rows, columns, rules, executor, block):
                some = _grid(tuple(rows[row] for row in part.rows), columns, rules, part)
                write(columns_of(part.rows, some.metrics()), part.kills)
                done(len(part.rows))
        return len(rows) * len(columns)
    table = compute(rows, columns, rules, done, executor, block)
    if back is None:
        return table
    return replace(table, swapped=compute(*back, rules, done, executor, block))


def usable_rows(rows: tuple[Attacker, ...], situation: SituationKeywords) -> tuple[Attacker, ...]:
    """Leave out the weapons of units that cannot be used, and the units that have none left."""
    found = (
        replace(row, attacks=usable(row.attacks, situation)) if isinstance(row.attacks, Unit) else row
        for row in rows
    )
    return tuple(row for row in found if not isinstance(row.attacks, Unit) or in_phase(row).weapons)


def counting(total: int, progress: Callable[[int, int], None] | None) -> Callable[[int], None]:
    """Return what is called with further rows that are done, and reports how many of all there are."""
    if progress is None:
        return lambda _: None
    validation.function(progress, "progress", "it is called with how many are done and how many there are", 2)
    done = 0

    def add(rows: int) -> None:
        nonlocal done
        done += rows
        progress(done, total)

    return add


def compute(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    done: Callable[[int], None] = lambda _: None,
    executor: Executor | None = None,
    size: int | None = None,
) -> Grid:
    """Compute rows against columns."""
    whole = PartOfGrid(
        np.arange(len(rows)),
        np.empty((4, len(rows), len(columns))),
        tuple(np.empty((len(rows), column.models + 1)) for column in columns if rules.kills),
        tuple(np.empty((len(rows), column.wounds + 1)) for column in columns if rules.losses),
        [()] * len(rows) if rules.weapons else [],
    )
    for part in computed_parts(rows, columns, rules, executor, size):
        whole.means[:, part.rows] = part.means
        found = zip((*whole.kills, *whole.losses), (*part.kills, *part.losses), strict=True)
        for distributions, those in found:
            distributions[part.rows] = those
        for row, chosen in zip(part.rows.tolist() if rules.weapons else (), part.weapons, strict=True):
            whole.weapons[row] = chosen
        done(len(part.rows))
    return _grid(rows, columns, rules, whole)


def _grid(rows: tuple[Attacker, ...], columns: tuple[Defender, ...], rules: Rules, part: PartOfGrid) -> Grid:
    said: Any = part.kills, rules.edition, rules.rulings, rules.situation, None
    values: Any = *part.means, *said, part.losses, tuple(part.weapons)
    return Grid(rows, columns, *values)
