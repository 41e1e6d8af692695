"""Compute every attacker against every target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, overload

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Attacker,
    Defender,
    edition_of,
    read_attackers,
    read_defenders,
    units_of,
)
from mathhammer.analysis.blocks import Rules, block_results
from mathhammer.analysis.grid_result import METRICS, Grid
from mathhammer.analysis.tabular import CELLS_AT_ONCE, cells, open_sink
from mathhammer.errors import MathhammerError, WrongTypeError
from mathhammer.systems.wh40k.armies.army import Unit
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.situation import SituationKeywords
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from os import PathLike

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attackers, Targets
    from mathhammer.analysis.tabular import Sink

__all__ = ["METRICS", "Grid", "Report", "compute", "grid", "usable_rows"]


class _Options(TypedDict, total=False):
    """Options of both overloads of `grid`."""

    edition: str | None
    rulings: Mapping[str, str] | None
    keep_distributions: bool
    executor: Executor | None
    block: int | None
    progress: Callable[[int, int], None] | None


class _GridOptions(_Options, SituationKeywords, total=False):
    both_ways: bool
    sink: None


class _SinkOptions(_Options, SituationKeywords, total=False):
    both_ways: Literal[False]


@overload
def grid(attackers: Attackers, targets: Targets, **options: Unpack[_GridOptions]) -> Grid: ...
@overload
def grid(
    attackers: Attackers, targets: Targets, *, sink: str | PathLike[str], **options: Unpack[_SinkOptions]
) -> int: ...
def grid(
    attackers: Attackers,
    targets: Targets,
    *,
    edition: str | None = None,
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
        labels to them. A unit has a row for shooting and one for melee and uses its best weapons against each
        target; volleys in one more list attack together.
    targets
        Targets, units, an army, labels of standard targets, or a mapping from labels to them. Each attack finds
        its target fresh.
    edition
        The rules; those of an army among the attackers or targets, or the default edition, unless said.
    rulings
        As for :func:`mathhammer.wh40k.attack`.
    keep_distributions
        Whether to keep the whole distribution of models destroyed of every cell; without them no quantiles.
    both_ways
        Whether to compute the same with the sides swapped too, which the trade ratio needs; both sides must be
        armies or units.
    executor
        Where blocks of rows are computed: any ``concurrent.futures.Executor``. Without one, here.
    block
        Rows of one block; unless said, so many that a block has about 500,000 attacks; with an executor two for each
        of its workers, or a 32nd of the table where their number is unknown.
    progress
        Called after each block with how many rows are done and how many there are.
    sink
        A file that the cells are written to as they are computed, in the place of a grid that holds them: a name that
        ends in ``.csv`` or ``.parquet`` (with PyArrow). The rows are those of ``to_records()``, in the order in which
        they are finished; in Parquet also the distributions that were kept, as lists.
    **situation
        As for :func:`mathhammer.wh40k.attack`, for all volleys that do not say otherwise.

    Returns
    -------
    Grid or int
        With a sink the number of cells written, else a grid with
        ``mean_wounds_lost``, ``share_lost``, ``mean_kills``, ``probability_destroyed``, ``points_lost``,
        ``points_lost_per_point``, ``points_destroyed``,
        ``points_per_point``, ``trade_ratio``, ``quantile()``, ``kills()``, ``volleys()``, ``to_dataframe()``,
        ``to_records()``, ``to_csv()``, ``to_json()``.

    Notes
    -----
    Memory grows with the result: about 8 bytes for each model of a target and row, or 32 a cell without distributions.
    With a sink it does not grow with the table.

    Examples
    --------
    A list against a list, both ways:

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
    back = (usable_rows(read_attackers(targets), situation), read_defenders(attackers)) if both_ways else None
    total = len(rows) + (len(back[0]) if back else 0)
    report = Report(total, progress)
    if sink is not None:
        if both_ways:
            raise MathhammerError("expected a grid to be written one way; leave out both_ways, or the sink")
        with open_sink(sink) as opened:
            return _write(opened, rows, columns, rules, report, executor, block)
    table = compute(rows, columns, rules, report, executor, block)
    if back is None:
        return table
    return replace(table, swapped=compute(*back, rules, report, executor, block))


def usable_rows(rows: tuple[Attacker, ...], situation: SituationKeywords) -> tuple[Attacker, ...]:
    """Leave out the weapons of units that cannot be used, and the units that have none left."""
    found = []
    for row in rows:
        if isinstance(row.attacks, Unit):
            unit = usable(row.attacks, situation)
            melee = row.kind == "melee"
            if not any(weapon.melee is melee for line in unit.weapons for weapon in line.modes):
                continue
            found.append(row if unit is row.attacks else replace(row, attacks=unit))
        else:
            found.append(row)
    return tuple(found)


class Report:
    """Counts the rows that are done."""

    def __init__(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        if progress is not None:
            validation.function(
                progress, "progress", "it is called with how many are done and how many there are"
            )
        self._done, self._total, self._progress = 0, total, progress

    def __call__(self, rows: int) -> None:
        """Add rows to those done."""
        self._done += rows
        if self._progress is not None:
            self._progress(self._done, self._total)


def compute(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    report: Report,
    executor: Executor | None = None,
    size: int | None = None,
) -> Grid:
    """Compute distinct rows against distinct columns and give every row and column its own."""
    means = np.empty((4, len(rows), len(columns)))
    kills = tuple(np.empty((len(rows), column.models + 1)) for column in columns if rules.kills)
    losses = tuple(np.empty((len(rows), column.wounds + 1)) for column in columns if rules.losses)
    weapons: list[tuple[tuple[tuple[str, int], ...], ...]] = [()] * len(rows)
    everything = slice(None)
    for result in block_results(rows, columns, rules, executor, size):
        means[:, result.rows] = result.means(everything)
        for kept, found in ((kills, result.kills(everything)), (losses, result.losses(everything))):
            for distribution, part in zip(kept, found, strict=True):
                distribution[result.rows] = part
        if rules.weapons:
            for row, chosen in zip(result.rows.tolist(), result.weapons(), strict=True):
                weapons[row] = chosen
        report(len(result.rows))
    weapons_kept = tuple(weapons) if rules.weapons else ()
    return _grid(rows, columns, rules, means, kills, wound_distributions=losses, weapons=weapons_kept)


def _grid(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    means: NDArray[np.float64],
    kills: tuple[NDArray[np.float64], ...],
    *,
    wound_distributions: tuple[NDArray[np.float64], ...] = (),
    weapons: tuple[tuple[tuple[tuple[str, int], ...], ...], ...] = (),
) -> Grid:
    wounds_lost, mean_kills, destroyed, points = means
    return Grid(
        attackers=rows,
        targets=columns,
        mean_wounds_lost=wounds_lost,
        mean_kills=mean_kills,
        probability_destroyed=destroyed,
        points_destroyed=points,
        kill_distributions=kills,
        edition=rules.edition,
        rulings=rules.rulings,
        situation=rules.situation,
        wound_distributions=wound_distributions,
        weapons=weapons,
    )


def _write(
    sink: Sink,
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    report: Report,
    executor: Executor | None,
    size: int | None,
) -> int:
    """Write the cells of each block as it is finished; return how many there were."""
    columns_of, step = cells(rows, columns), max(1, CELLS_AT_ONCE // len(columns))
    for result in block_results(rows, columns, rules, executor, size):
        for first in range(0, len(result.rows), step):
            part = slice(first, first + step)
            at, kills = result.rows[part], result.kills(part)
            grid = _grid(tuple(rows[row] for row in at), columns, rules, result.means(part), kills)
            sink(columns_of(at, grid.metrics()), kills)
        report(len(result.rows))
    return len(rows) * len(columns)
