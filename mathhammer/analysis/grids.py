"""Every attacker against every target, as one labelled object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from secrets import token_hex
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import Attacker, Defender, edition_of, read_attackers, read_defenders
from mathhammer.analysis.blocks import Block, Rules, block_row, compute_blocks, named_volleys, walks_like
from mathhammer.analysis.distinct import answers_by_block, firsts_of, ranks_of
from mathhammer.analysis.tabular import Tabular
from mathhammer.arithmetic.float64 import quantile_indices
from mathhammer.display import count
from mathhammer.distributions.bulk import law_of_row
from mathhammer.errors import MathhammerError, UnknownNameError, WrongTypeError
from mathhammer.systems.wh40k.armies.army import Army, Unit
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mathhammer.analysis.blocks import BlockRow
    from mathhammer.analysis.outcomes import Outcomes
    from mathhammer.display import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Rulings
    from mathhammer.systems.wh40k import Volley

__all__ = ["METRICS", "Grid", "Report", "compute", "grid", "usable_rows"]

METRICS = (
    "mean_wounds_lost",
    "mean_models_destroyed",
    "probability_destroyed",
    "points_destroyed",
    "points_per_point",
    "trade_ratio",
)
"""The numbers of a cell, by name; quantiles are asked for by their own method."""
#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table that several workers share, and the attacks that are worth the way to a worker.
SHARES, LEAST_ATTACKS = 8, 20_000


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
    mean_models_destroyed
        Models of the target destroyed.
    probability_destroyed
        That the whole target is destroyed.
    points_destroyed
        Models destroyed times the points of one, on average; not a number where the target has no points.
    kill_laws, wound_laws
        For each target the probabilities of 0, 1, ... models destroyed and wounds lost, a row for each attacker;
        nothing of what was not kept.
    weapons
        For each attacker and target the weapons that a unit used, with their names and copies; nothing if they were
        not kept.
    edition, rulings, situation
        The rules, and what was true of all attacks.
    swapped
        The same with the sides swapped, where both are armies or units and it was asked for.

    Examples
    --------
    >>> from mathhammer.systems import wh40k
    >>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
    >>> table = grid({"Squad": wh40k.Volley(rifle, 10)}, "GEQ, MEQ")
    >>> table.mean_models_destroyed.round(4)
    array([[7.2844, 1.4167]])
    >>> table.kills("Squad", "MEQ").at_least(3)
    0.1018
    """

    attackers: tuple[Attacker, ...]
    targets: tuple[Defender, ...]
    mean_wounds_lost: NDArray[np.float64]
    mean_models_destroyed: NDArray[np.float64]
    probability_destroyed: NDArray[np.float64]
    points_destroyed: NDArray[np.float64]
    kill_laws: tuple[NDArray[np.float64], ...]
    edition: str
    rulings: Rulings
    situation: Mapping[str, Any]
    swapped: Grid | None = None
    wound_laws: tuple[NDArray[np.float64], ...] = ()
    weapons: tuple[tuple[tuple[tuple[str, int], ...], ...], ...] = ()

    schema: ClassVar[str] = "mathhammer.grid"

    @property
    def points_per_point(self) -> NDArray[np.float64]:
        """Points destroyed for each point of the attacker; not a number where one of the two has none."""
        costs = np.array([np.nan if row.points is None else row.points for row in self.attackers])
        return np.asarray(self.points_destroyed / costs[:, None])

    @property
    def trade_ratio(self) -> NDArray[np.float64]:
        """Points destroyed per point, over the same with attacker and target swapped, in the same phase.

        Infinite where the target cannot strike back.

        Raises
        ------
        MathhammerError
            If the sides were not swapped.
        """
        if self.swapped is None:
            raise MathhammerError(
                "expected a grid of two armies or of units computed both ways for a trade ratio; "
                "call grid(..., both_ways=True)"
            )
        back = self.swapped.points_per_point
        row_of = {(row.label, row.kind): index for index, row in enumerate(self.swapped.attackers)}
        column_of = {column.label: index for index, column in enumerate(self.swapped.targets)}
        answer = np.zeros_like(self.points_destroyed)
        for row, attacker in enumerate(self.attackers):
            for column, target in enumerate(self.targets):
                strikes = row_of.get((target.label, attacker.kind))
                if strikes is not None:
                    answer[row, column] = back[strikes, column_of[attacker.label]]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.points_per_point / answer)

    def kills(self, attacker: str | int, target: str | int) -> Distribution[float]:
        """Law of the models that one attacker destroys of one target.

        Parameters
        ----------
        attacker
            Its name, such as ``"Wardens (shooting)"``, or its row.
        target
            Its label, or its column.

        Raises
        ------
        MathhammerError
            If the laws were not kept.
        UnknownNameError
            If no row or column has the name.
        """
        column = self.column(target)
        return law_of_row(self._laws()[column][self._row(attacker)])

    def volleys(self, attacker: str | int, target: str | int) -> list[Volley]:
        """Volleys of one attacker against one target, as :func:`mathhammer.wh40k.attack` takes them.

        The names are those of ``kills()``; a unit chose its weapons. One re-roll of the table is left to the attack.

        Examples
        --------
        >>> from mathhammer import wh40k
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
        """Return the column of a target, by its label or its number.

        Raises
        ------
        UnknownNameError
            If there is no such column.
        """
        return _find(target, [column.label for column in self.targets], "a target")

    def quantile(self, probability: float) -> NDArray[np.intp]:
        """Return the quantile of models destroyed for every cell, as `icdf` of a distribution gives it.

        Raises
        ------
        MathhammerError
            If the probability is not from 0 to 1, or the laws were not kept.
        """
        validation.instance(probability, Real, "a probability from 0 to 1")
        if not 0 <= probability <= 1:
            raise MathhammerError(f"expected a probability from 0 to 1, got {shown(probability)}")
        return np.stack([quantile_indices(law, probability) for law in self._laws()], axis=1)

    def metric(self, name: str) -> NDArray[np.float64]:
        """Return one number of every cell by its name: one of :data:`METRICS`.

        Raises
        ------
        UnknownNameError
            If there is no such number.
        """
        if not isinstance(name, str) or name not in METRICS:
            raise UnknownNameError(f"expected a number of {', '.join(METRICS)}; got {shown(name)}")
        values: NDArray[np.float64] = getattr(self, name)
        return values

    def plot(
        self,
        metric: str = "mean_wounds_lost",
        *,
        ax: Axes | None = None,
        title: str | None = None,
        **artist: Any,
    ) -> Axes:
        """Draw one number of every cell and return the Axes: see :func:`mathhammer.plot.grid`."""
        from mathhammer import plot

        return plot.grid(self, metric, ax=ax, title=title, **artist)

    def to_records(self) -> list[dict[str, Any]]:
        """One mapping for each attacker and target; quantiles are those of 5, 50 and 95 %."""
        fields: dict[str, Any] = {
            name: self.metric(name) for name in METRICS if name != "trade_ratio" or self.swapped is not None
        }
        if self.kill_laws:
            fields |= {
                f"models_destroyed_q{percent:02}": self.quantile(percent / 100) for percent in (5, 50, 95)
            }
        return [
            {
                "attacker": attacker.label,
                "kind": attacker.kind,
                "points": attacker.points,
                "target": target.label,
                "target_points": target.points,
                **{name: _plain(values[row, column].item()) for name, values in fields.items()},
            }
            for row, attacker in enumerate(self.attackers)
            for column, target in enumerate(self.targets)
        ]

    def about(self) -> dict[str, Any]:
        """Rules and situation, for the JSON."""
        plain = {name: each if _is_plain(each) else str(each) for name, each in self.situation.items()}
        return {"edition": self.edition, "rulings": dict(self.rulings), "situation": plain}

    def _row(self, attacker: str | int) -> int:
        return _find(attacker, [row.name for row in self.attackers], "an attacker")

    def _laws(self) -> tuple[NDArray[np.float64], ...]:
        if not self.kill_laws:
            raise MathhammerError(
                "expected a grid that kept its laws of models destroyed; call grid(..., keep_laws=True)"
            )
        return self.kill_laws

    def _line(self) -> str:
        attackers, targets = count(len(self.attackers), "attacker"), count(len(self.targets), "target")
        return f"{attackers} x {targets}, edition {self.edition}"

    def _panel(self) -> Panel:
        from mathhammer.analysis.panels import grid_panel

        return grid_panel(self)


def grid(
    attackers: Any,
    targets: Any,
    *,
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    keep_laws: bool = True,
    both_ways: bool = False,
    executor: Executor | None = None,
    block: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **situation: Any,
) -> Grid:
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
    keep_laws
        Whether to keep the whole law of models destroyed of every cell; without them no quantiles.
    both_ways
        Whether to compute the same with the sides swapped too, which the trade ratio needs; both sides must be
        armies or units.
    executor
        Where blocks of rows are computed: any ``concurrent.futures.Executor``. Without one, here.
    block
        Rows of one block; unless said, so many that a block has about 500,000 attacks, or an eighth of the table for an
        executor.
    progress
        Called after each block with how many rows are done and how many there are.
    **situation
        As for :func:`mathhammer.wh40k.attack`, for all volleys that do not say otherwise.

    Returns
    -------
    Grid
        ``mean_wounds_lost``, ``mean_models_destroyed``, ``probability_destroyed``, ``points_destroyed``,
        ``points_per_point``, ``trade_ratio``, ``quantile()``, ``kills()``, ``volleys()``, ``to_dataframe()``,
        ``to_records()``, ``to_csv()``, ``to_json()``.

    Raises
    ------
    MathhammerError
        If a side is not what can attack or be attacked, or a value does not fit the rules.

    Notes
    -----
    Memory grows with the result: about 8 bytes for each model of a target and row, or 32 a cell without laws.

    Examples
    --------
    A list against a list, both ways:

    >>> from mathhammer.rosters import sample_army
    >>> army = sample_army()
    >>> table = grid(army, army, both_ways=True)
    >>> table.trade_ratio.shape == (len(table.attackers), len(army.units))
    True

    The whole game against the whole game, on the cores of this machine and on a cluster; ``weapons`` are some
    2,700 distinct stat lines and ``units`` some 1,000 distinct targets:

        with ProcessPoolExecutor() as pool:
            grid(weapons, units, executor=pool, keep_laws=False)

        with dask.distributed.Client("tcp://scheduler:8786") as client:
            grid(weapons, units, executor=client.get_executor(), keep_laws=False)

    That is 2.2 million attacks, for which one core of a small server took 5 seconds: nearly half a million a
    second, against nine thousand single attacks. ``benchmarks/bulk.py --game`` measures it anew. The blocks are
    independent, so that the time divides by the number of cores: the game in a hundred situations is 220 million
    attacks, eight minutes of one core, or some ten seconds and a cent or two of a rented cluster of 64. A worker
    of a cluster that is lost is replaced by another one: its blocks are computed again.
    """
    validation.flag(keep_laws, "keep_laws")
    validation.flag(both_ways, "both_ways")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise WrongTypeError(
            f"expected a concurrent.futures.Executor as executor, got {shown(executor)}; "
            "leave it out to compute here"
        )
    if both_ways:
        _require_units(attackers, "attackers")
        _require_units(targets, "targets")
    edition = edition_of(edition, attackers, targets)
    rows, columns = read_attackers(attackers), read_defenders(targets, edition)
    rules = Rules.of(edition, rulings, situation, kills=keep_laws)
    rows = usable_rows(rows, situation)
    back = (usable_rows(read_attackers(targets), situation), read_defenders(attackers)) if both_ways else None
    total = len(rows) + (len(back[0]) if back else 0)
    report = Report(total, progress)
    table = compute(rows, columns, rules, report, executor, block)
    if back is None:
        return table
    return replace(table, swapped=compute(*back, rules, report, executor, block))


def usable_rows(rows: tuple[Attacker, ...], situation: Mapping[str, Any]) -> tuple[Attacker, ...]:
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
    keys = [block_row(row, rules.situation) for row in rows]
    row_of = ranks_of(firsts_of(keys))
    column_of = firsts_of([column.target for column in columns])
    distinct, place_of = _in_order_of_walks(tuple(dict.fromkeys(keys)))
    targets = tuple(columns[index].target for index in dict.fromkeys(column_of))
    if size is None:
        size = _block_size(len(distinct), len(targets), spread=executor is not None)
    size, name = validation.whole(size, "block", 1), token_hex(8)
    blocks = [
        Block(distinct[first : first + size], targets, rules, name) for first in range(0, len(distinct), size)
    ]
    shares = answers_by_block(place_of[row_of], size)
    arrays = np.empty((4, len(rows), len(columns)))
    kills = [np.empty((len(rows), column.models + 1)) for column in columns if rules.kills]
    losses = [np.empty((len(rows), column.wounds + 1)) for column in columns if rules.losses]
    weapons: list[tuple[tuple[tuple[str, int], ...], ...]] = [()] * len(rows)
    at = ranks_of(column_of)
    for index, (done, chosen) in compute_blocks(blocks, executor):
        places, sources = shares[index]
        for metric, values in enumerate(_metrics(done)):
            arrays[metric, places] = values.reshape(-1, len(targets))[sources][:, at]
        for kept, found in ((kills, done.kills), (losses, done.losses)):
            for law, column in zip(kept, at, strict=False):  # nothing where none are kept
                law[places] = found[column][sources]
        if rules.weapons:
            for place, source in zip(places.tolist(), sources.tolist(), strict=True):
                weapons[place] = tuple(chosen.get((source, column), ()) for column in at.tolist())
        report(len(places))
    wounds_lost, models_destroyed, destroyed, points = arrays
    return Grid(
        attackers=rows,
        targets=columns,
        mean_wounds_lost=wounds_lost,
        mean_models_destroyed=models_destroyed,
        probability_destroyed=destroyed,
        points_destroyed=points,
        kill_laws=tuple(kills),
        edition=rules.edition,
        rulings=rules.rulings,
        situation=dict(rules.situation),
        wound_laws=tuple(losses),
        weapons=tuple(weapons) if rules.weapons else (),
    )


def _in_order_of_walks(rows: tuple[BlockRow, ...]) -> tuple[tuple[BlockRow, ...], NDArray[np.intp]]:
    """Return rows that share much beside each other, so that few blocks compute the same, and where each stands."""
    order = sorted(range(len(rows)), key=lambda row: walks_like(rows[row]))
    places = np.empty(len(rows), dtype=np.intp)
    places[order] = np.arange(len(rows))
    return tuple(rows[row] for row in order), places


def _block_size(rows: int, targets: int, *, spread: bool) -> int:
    """Return the rows of a block: fewer where several workers want one."""
    most = BLOCK_ATTACKS // targets
    return max(1, min(most, max(LEAST_ATTACKS // targets, -(-rows // SHARES))) if spread else most)


def _metrics(done: Outcomes) -> Iterator[NDArray[np.float64]]:
    yield from (done.wounds_lost, done.models_destroyed, done.destroyed, done.points_destroyed)


def _require_units(given: Any, side: str) -> None:
    items = (
        [given] if isinstance(given, Army | Unit) else list(given) if isinstance(given, list | tuple) else []
    )
    if not items or not all(isinstance(item, Army | Unit) for item in items):
        raise MathhammerError(
            f"expected armies or units as {side} to swap the sides of, got {shown(given)}; leave out both_ways"
        )


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


def _plain(value: float) -> float | None:
    """Return a number that every format has: neither NaN nor infinity is one in JSON."""
    return value if np.isfinite(value) else None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
