"""Results of all cells of a table, block by block as they are finished; equal rows and columns are computed once."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mathhammer import validation
from mathhammer.analysis.blocks import Block, Rules, block_row, compute_blocks, walks_like

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.blocks import BlockRow, Chosen
    from mathhammer.analysis.bulk import BulkResults

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

_Key = TypeVar("_Key", bound="Hashable")

#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table for each worker, or for all where their number is unknown; and the attacks that are worth the way
#: to a worker. Each block takes the cost of some thousand attacks again.
SHARES, ALL_SHARES, LEAST_ATTACKS = 2, 32, 20_000


@dataclass(frozen=True, slots=True)
class BlockResult:
    """Results of a block, for some rows of the table."""

    #: Which attackers of the table.
    rows: Indices
    _sources: Indices
    _columns: Indices
    _done: BulkResults
    _chosen: Chosen

    def means(self, part: slice) -> Floats:
        """Return wounds lost, models destroyed, probability of destruction and points destroyed of some rows."""
        at = np.ix_(np.arange(4), self._sources[part], self._columns)
        means: Floats = self._done.means.reshape(4, -1, int(self._columns.max()) + 1)[at]
        return means

    def kills(self, part: slice) -> tuple[Floats, ...]:
        """Return for each target the distributions of models destroyed of some rows; nothing if they were not kept."""
        return self._distributions(self._done.kills, part)

    def losses(self, part: slice) -> tuple[Floats, ...]:
        """Return the same of wounds lost."""
        return self._distributions(self._done.losses, part)

    def _distributions(self, found: tuple[Floats, ...], part: slice) -> tuple[Floats, ...]:
        return tuple(found[column][self._sources[part]] for column in self._columns) if found else ()

    def weapons(self) -> Iterator[tuple[tuple[tuple[str, int], ...], ...]]:
        """Yield for each row the weapons that were chosen for each target."""
        columns = self._columns.tolist()
        for source in self._sources.tolist():
            yield tuple(self._chosen.get((source, column), ()) for column in columns)


def block_results(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    executor: Executor | None,
    size: int | None,
) -> Iterator[BlockResult]:
    """Compute distinct rows against distinct columns; each row of the table comes once."""
    distinct, number_of = deduplicate(block_row(row, rules.situation) for row in rows)
    ordered, place_of = _in_order_of_walks(distinct)
    targets, column_of = deduplicate(column.target for column in columns)
    if size is None:
        size = _block_size(len(ordered), len(targets), executor)
    size, name = validation.whole(size, "block", 1), token_hex(8)
    blocks = [
        Block(ordered[first : first + size], targets, rules, name) for first in range(0, len(ordered), size)
    ]
    places = place_of[number_of]
    for index, (done, chosen) in compute_blocks(blocks, executor):
        found = np.flatnonzero(places // size == index)
        yield BlockResult(found, places[found] % size, column_of, done, chosen)


def deduplicate(keys: Iterable[_Key]) -> tuple[tuple[_Key, ...], Indices]:
    """Return the distinct keys, and for each key its number among them."""
    number: dict[_Key, int] = {}
    numbers = [number.setdefault(key, len(number)) for key in keys]
    return tuple(number), np.array(numbers, dtype=np.intp)


def _in_order_of_walks(rows: tuple[BlockRow, ...]) -> tuple[tuple[BlockRow, ...], Indices]:
    """Return rows that share much beside each other, so that few blocks compute the same, and where each stands."""
    order = sorted(range(len(rows)), key=lambda row: walks_like(rows[row]), reverse=True)
    places = np.empty(len(rows), dtype=np.intp)
    places[order] = np.arange(len(rows))
    return tuple(rows[row] for row in order), places


def _block_size(rows: int, targets: int, executor: Executor | None) -> int:
    """Return the rows of a block: fewer where several workers want one."""
    most = max(1, BLOCK_ATTACKS // targets)
    if executor is None:
        return most
    # Those of the standard library know how many workers they may have; a cluster can have any number.
    workers = getattr(executor, "_max_workers", None)
    shares = SHARES * workers if isinstance(workers, int) else ALL_SHARES
    return max(1, min(most, max(LEAST_ATTACKS // targets, -(-rows // shares))))
