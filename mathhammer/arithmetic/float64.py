"""Matrices of probability mass in float64, and the arithmetic of both: rows that the steps of a walk move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mathhammer.arithmetic.float64_mass import QUIET, Float64Mass
from mathhammer.arithmetic.products import convolution, matrix_product, product_of
from mathhammer.arithmetic.protocol import Arithmetic
from mathhammer.arithmetic.sparse import sparse_step
from mathhammer.arithmetic.transition import Transition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

#: Most states of a transition that is a matrix; between more of them it is sparse.
MAXIMUM_DENSE = 64


class Float64Matrix:
    """A float64 matrix of mass."""

    __slots__ = ("_column", "_values")

    def __init__(self, values: NDArray[np.float64], column: int | None = None) -> None:
        self._values = values
        # Where all mass of a single row is.
        self._column = column

    @classmethod
    def banded(
        cls, block: Sequence[Sequence[int]], denominator: int, copies: int
    ) -> Float64Matrix | Transition:
        width = len(block)
        size = copies * width + 1
        if size > MAXIMUM_DENSE:
            return Transition.banded(block, denominator, copies)
        values = np.zeros((size, size))
        # All blocks as one view: a block further on is as many rows further down as columns to the right.
        down, right = values.strides
        shape, strides = (copies, width, width + 1), (width * (down + right), down, right)
        blocks: NDArray[np.float64] = np.ndarray(shape, buffer=values, strides=strides)
        blocks[:] = [[weight / denominator for weight in row] for row in block]
        values[-1, -1] = 1.0
        return cls(values)

    @classmethod
    def from_rows(
        cls, rows: Sequence[Mapping[int, int]], denominator: int, order: Sequence[int] | None = None
    ) -> Float64Matrix | Transition:
        if len(rows) > MAXIMUM_DENSE:
            return Transition(rows, denominator, order)
        values = np.zeros((len(rows), len(rows)))
        columns = [column for row in rows for column in row]
        weights = [weight / denominator for row in rows for weight in row.values()]
        values[np.repeat(np.arange(len(rows)), [len(row) for row in rows]), columns] = weights
        return cls(values)

    @classmethod
    def row(cls, mass: Float64Mass, first: int, columns: int) -> Self:
        values = np.zeros((1, columns))
        values[0, first : first + len(mass)] = mass.floats()
        return cls(values)

    @classmethod
    def point(cls, column: int, columns: int) -> Self:
        values = np.zeros((1, columns))
        values[0, column] = 1.0
        return cls(values, column)

    @classmethod
    def column(cls, mass: Float64Mass, first: int, rows: int) -> Self:
        values = np.zeros((rows, 1))
        values[first : first + len(mass), 0] = mass.floats()
        return cls(values)

    @classmethod
    def table(cls, mass: Float64Mass, rows: int) -> Self:
        return cls(mass._values.reshape(rows, -1))

    @classmethod
    @QUIET
    def binomial(cls, mass: Float64Mass, least: int, first: int, second: int) -> Self:
        most = least + len(mass) - 1
        values = np.zeros((1 + most) ** 2)
        one, other = first / (first + second), second / (first + second)
        given = np.zeros(1 + most)
        given[0] = 1.0
        for total in range(1 + most):
            now = given[: total + 1]
            if total:
                more = now[:-1] * other
                now *= one
                now[1:] += more
            if total >= least:
                # From (0, total) to (total, 0): each entry is one row further down and one column to the left.
                values[total : total * (1 + most) + 1 : max(most, 1)] = now * mass._values[total - least]
        return cls(values.reshape(1 + most, 1 + most))

    @classmethod
    def stack(cls, blocks: Sequence[Self]) -> Self:
        return cls(np.concatenate([block._values for block in blocks]))

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self._values.shape
        return rows, columns

    @property
    def bits(self) -> int:
        return 0

    @property
    def entries(self) -> int:
        return int(self._values.size)

    @QUIET
    def __matmul__(self, other: Self | Transition) -> Self:
        if isinstance(other, Transition):
            return type(self)(sparse_step(other)(self._values))
        return type(self)(matrix_product(self._values, other._values))

    def __add__(self, other: Self) -> Self:
        return type(self)(self._values + other._values)

    @QUIET
    def polynomial(self, weights: Sequence[int], denominator: int) -> Self:
        size = len(self._values)
        if len(weights) == 1:
            return type(self)(np.eye(size) * (weights[0] / denominator))
        values = self._values * (weights[-1] / denominator)
        values.reshape(-1)[:: size + 1] += weights[-2] / denominator
        for weight in weights[-3::-1]:
            values = matrix_product(values, self._values)
            values.reshape(-1)[:: size + 1] += weight / denominator
        return type(self)(values)

    @QUIET
    def advance(self, transition: Self | Transition, number: Float64Mass, least: int) -> Self:
        values, left = self._values, least
        if isinstance(transition, Transition):
            step = sparse_step(transition)
        else:
            matrix = power = transition._values
            times = product_of(len(values), *matrix.shape)
            # Squaring the transition halves the steps, as long as a product of matrices costs less than those steps.
            few = max(8, len(matrix) ** 2 // 256)
            while left > few:
                if left % 2:
                    values = times(values, power)
                power = matrix_product(power, power)
                left //= 2
            for _ in range(left):
                values = times(values, power)
            left = 0

            def step(values: NDArray[np.float64]) -> NDArray[np.float64]:
                return times(values, matrix)

        for _ in range(left):
            values = step(values)
        probabilities = number._values.tolist()
        if len(probabilities) == 1:
            return type(self)(values * probabilities[0] if probabilities[0] != 1.0 else values)
        total = values * probabilities[0]
        for probability in probabilities[1:]:
            values = step(values)
            if probability:
                total += values * probability
        return type(self)(total)

    @QUIET
    def moved(self, number: Float64Mass, least: int, width: int) -> Self:
        values, last = number._values, self._values.shape[1] - 1
        after = np.zeros(self._values.shape)
        if not least:
            np.multiply(self._values, values[0], out=after)
            values, least = values[1:], 1
        for row, total in zip(self._values, after, strict=True):
            if self._column is not None:
                # Certainty moves the distribution as it is.
                reached, first = values, self._column // width + least
            else:
                begun = row if width == 1 else np.append(row[:-1].reshape(-1, width).sum(axis=1), row[-1])
                reached, first = convolution(begun, values) if len(values) else values, least
            models = max(0, last // width - first)
            if len(reached) > models:
                total[last] += reached[models:].sum()
                reached = reached[:models]
            total[first * width : (first + len(reached)) * width : width] += reached
        return type(self)(after)

    @QUIET
    def mixture(self, row: int, blocks: Sequence[Self]) -> Self:
        weights = self._values[row].tolist()
        most = max((place for place, weight in enumerate(weights) if weight), default=0)
        total = blocks[0]._values * weights[0]
        for weight, block in zip(weights[1 : most + 1], blocks[1:], strict=False):
            total += block._values * weight
        return type(self)(total)

    def in_last(self) -> Self:
        values = np.zeros(self._values.shape)
        values[:, -1] = self._values.sum(axis=1)
        return type(self)(values)

    @QUIET
    def scaled(self, mass: Float64Mass, index: int) -> Self:
        return type(self)(self._values * mass[index])

    @QUIET
    def times(self, weight: int, denominator: int) -> Self:
        return type(self)(self._values * (weight / denominator))

    def rows(self, indices: range) -> Self:
        return type(self)(self._values[indices.start : indices.stop : indices.step])

    def slices(self, stride: int, length: int) -> list[Self]:
        columns = self._values.shape[1]
        parts = self._values.reshape(-1, length, stride, columns)
        return [type(self)(parts[:, count].reshape(-1, columns)) for count in range(length)]

    @QUIET
    def spent(self, transition: Any, counts: int, taken: int, out_of: int) -> Self:
        rows, columns = self._values.shape
        each = rows // counts
        values = self._values.reshape(counts, each, columns)
        made, left = taken / out_of, (out_of - taken) / out_of
        done = values[-1]
        for number in range(counts - 2, -1, -1):
            moved = done if transition is None else (type(self)(done) @ transition)._values
            if taken == out_of:
                done = moved + values[number]
                continue
            after = np.zeros((len(done) + each, columns))
            after[: len(done)] = moved * made
            after[each:] += done * left
            after[:each] += values[number]
            done = after
        return type(self)(done)

    def padded(self, above: int, below: int) -> Self:
        rows, columns = self._values.shape
        values = np.zeros((above + rows + below, columns))
        values[above : above + rows] = self._values
        return type(self)(values)

    def columns(self, indices: Sequence[int]) -> Self:
        return type(self)(self._values[:, indices])

    def placed(self, indices: Sequence[int], columns: int) -> Self:
        values = np.zeros((len(self._values), columns))
        values[:, indices] = self._values
        return type(self)(values)

    def occupied(self) -> list[int]:
        held: list[int] = np.flatnonzero(self._values.any(axis=0)).tolist()
        return held

    def to_mass(self) -> Float64Mass:
        values = self._values
        return Float64Mass(values[0] if len(values) == 1 else values.sum(axis=0))


FLOAT64: Arithmetic[float] = Arithmetic(Float64Mass, Float64Matrix)
