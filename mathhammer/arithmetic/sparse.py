"""Steps of sparse transitions in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mathhammer.arithmetic.products import product_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mathhammer.arithmetic.transition import Transition

    Floats = NDArray[np.float64]

#: Widest equal blocks that are multiplied as a matrix.
_WIDEST = 16
#: Most products of several rows that are made at once: 8 MB.
_AT_ONCE = 1_000_000


def sparse_step(transition: Transition) -> Callable[[Floats], Floats]:
    """Return what takes rows of mass to those after one step."""
    step: Callable[[Floats], Floats] | None = transition.step
    if step is None:
        blocks = transition.block is not None and len(transition.block) <= _WIDEST
        step = transition.step = _of_blocks(transition) if blocks else _of_rows(transition)
    return step


def _of_blocks(transition: Transition) -> Callable[[Floats], Floats]:
    """Return one step of equal blocks in a row: a product with the one block."""
    assert transition.block is not None  # noqa: S101 - only those of blocks come here
    block = np.array([[weight / transition.denominator for weight in row] for row in transition.block])
    width = len(block)

    def step(values: Floats) -> Floats:
        rows, states = values.shape
        models = np.ascontiguousarray(values[:, :-1]).reshape(-1, width)
        moved = product_of(*models.shape, width + 1)(models, block)
        after = np.empty((rows, states))
        after[:, :-1] = moved[:, :width].reshape(rows, states - 1)
        destroyed = moved[:, width].reshape(rows, -1)
        after[:, width:-1:width] += destroyed[:, :-1]
        after[:, -1] = values[:, -1] + destroyed[:, -1]
        return after

    return step


def _of_rows(transition: Transition) -> Callable[[Floats], Floats]:
    """Return one step of any rows: every state gathers what comes from others."""
    sources = np.repeat(np.arange(len(transition.rows)), [len(row) for row in transition.rows])
    targets = np.array([column for row in transition.rows for column in row], dtype=np.intp)
    whole = transition.denominator
    weights = np.array([weight / whole for row in transition.rows for weight in row.values()])
    by_target = np.argsort(targets, kind="stable")
    sources, weights = sources[by_target], weights[by_target]
    reached, firsts = np.unique(targets[by_target], return_index=True)
    at_once = max(1, _AT_ONCE // max(1, len(sources)))

    def step(values: Floats) -> Floats:
        after = np.zeros(values.shape)
        for first in range(0, len(values), at_once):
            part = values[first : first + at_once]
            after[first : first + at_once, reached] = np.add.reduceat(
                part[:, sources] * weights, firsts, axis=1
            )
        return after

    return step
