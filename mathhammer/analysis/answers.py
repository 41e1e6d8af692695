"""The answers to all cells of a table, block by block as they are finished: what is equal is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

import numpy as np

from mathhammer import validation
from mathhammer.analysis.blocks import Block, Rules, block_row, compute_blocks, walks_like
from mathhammer.analysis.deduplicate import answers_by_block, first_occurrences, ranks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.blocks import BlockRow, Chosen
    from mathhammer.analysis.outcomes import Outcomes

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table for each worker, or for all where their number is unknown; and the attacks that are worth the way
#: to a worker. Each block takes the cost of some thousand attacks again.
SHARES, ALL_SHARES, LEAST_ATTACKS = 2, 32, 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a block says of some rows of the table."""

    #: Which attackers of the table.
    rows: Indices
    _sources: Indices
    _columns: Indices
    _done: Outcomes
    _chosen: Chosen

    def means(self, part: slice) -> Floats:
        """Return wounds lost, models destroyed, probability of destruction and points destroyed of some rows."""
        done, distinct = self._done, int(self._columns.max()) + 1
        numbers = (done.wounds_lost, done.mean_kills, done.destroyed, done.points_destroyed)
        at = np.ix_(self._sources[part], self._columns)
        return np.stack([values.reshape(-1, distinct)[at] for values in numbers])

    def kills(self, part: slice) -> list[Floats]:
        """Return for each target the distributions of models destroyed of some rows; nothing if they were not kept."""
        return self._distributions(self._done.kills, part)

    def losses(self, part: slice) -> list[Floats]:
        """Return the same of wounds lost."""
        return self._distributions(self._done.losses, part)

    def _distributions(self, found: tuple[Floats, ...], part: slice) -> list[Floats]:
        return [found[column][self._sources[part]] for column in self._columns] if found else []

    def weapons(self) -> Iterator[tuple[tuple[tuple[str, int], ...], ...]]:
        """Yield for each row the weapons that were chosen for each target."""
        columns = self._columns.tolist()
        for source in self._sources.tolist():
            yield tuple(self._chosen.get((source, column), ()) for column in columns)


def answers(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    executor: Executor | None,
    size: int | None,
) -> Iterator[Answer]:
    """Compute distinct rows against distinct columns; each row of the table comes once."""
    keys = [block_row(row, rules.situation) for row in rows]
    distinct, place_of = _in_order_of_walks(tuple(dict.fromkeys(keys)))
    column_of = first_occurrences([column.target for column in columns])
    targets = tuple(columns[index].target for index in dict.fromkeys(column_of))
    if size is None:
        size = _block_size(len(distinct), len(targets), executor)
    size, name = validation.whole(size, "block", 1), token_hex(8)
    blocks = [
        Block(distinct[first : first + size], targets, rules, name) for first in range(0, len(distinct), size)
    ]
    shares, at = answers_by_block(place_of[ranks(first_occurrences(keys))], size), ranks(column_of)
    for index, (done, chosen) in compute_blocks(blocks, executor):
        places, sources = shares[index]
        yield Answer(places, sources, at, done, chosen)


def _in_order_of_walks(rows: tuple[BlockRow, ...]) -> tuple[tuple[BlockRow, ...], Indices]:
    """Return rows that share much beside each other, so that few blocks compute the same, and where each stands."""
    order = sorted(range(len(rows)), key=lambda row: walks_like(rows[row]))
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
