"""What is equal is computed once: which keys are distinct, and where the answers to the others stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def first_occurrences(keys: Sequence[object]) -> list[int]:
    """Return for each key the place of the first one equal to it."""
    first: dict[object, int] = {}
    return [first.setdefault(key, index) for index, key in enumerate(keys)]


def ranks(firsts: Sequence[int]) -> NDArray[np.intp]:
    """Return for each key its number among the distinct ones."""
    rank = {first: number for number, first in enumerate(dict.fromkeys(firsts))}
    return np.array([rank[first] for first in firsts], dtype=np.intp)


def answers_by_block(ranks: NDArray[np.intp], size: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return for each block the rows that it answers, and where in the block their answers are."""
    if not len(ranks):
        return []
    order = np.argsort(ranks, kind="stable")
    owner = ranks[order] // size
    edges = np.searchsorted(owner, np.arange(owner[-1] + 2))
    pieces = (order[edges[block] : edges[block + 1]] for block in range(owner[-1] + 1))
    return [(rows, ranks[rows] % size) for rows in pieces]
