"""Products of many factors at once, and sums of random numbers of equal terms."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from sympy import Rational

    Floats = NDArray[np.float64]

#: Multiplications of a vector and a matrix, and of two matrices, that BLAS makes on one thread: OpenBLAS begins to
#: share at 9,216 and 262,144 (its interface/gemv.c and gemm.c).
_OF_ROW, _OF_MATRICES = 8192, 1 << 18
#: Fewest rows of a tile, and its longest sums: more of them would leave it no columns.
_TILE_ROWS, _TILE_SUMS = 16, 1024
#: Relative accuracy of a float sum of probabilities: two that differ by less may be the same number.
_ROUNDING = 1e-12

#: A probability below the smallest float is 0, whatever the user's program has NumPy do about that.
QUIET = np.errstate(under="ignore")


def product_of(rows: int, sums: int, columns: int) -> Callable[[Floats, Floats], Floats]:
    """Return what multiplies matrices of such sizes: numpy's own product where it stays on one thread."""
    few = _OF_ROW if rows == 1 or columns == 1 else _OF_MATRICES
    return np.ndarray.dot if rows * sums * columns <= few else matrix_product


def matrix_product(left: Floats, right: Floats) -> Floats:
    """Product of two matrices, in tiles where it is large."""
    (rows, sums), columns = left.shape, right.shape[1]
    if (multiply := product_of(rows, sums, columns)) is not matrix_product:
        return multiply(left, right)
    if rows == 1 or columns == 1:
        return row_products(left, right)
    if sums > _TILE_SUMS:
        half = sums // 2
        return matrix_product(left[:, :half], right[:half]) + matrix_product(left[:, half:], right[half:])
    high = max(_TILE_ROWS, _OF_MATRICES // (sums * columns))
    wide = _OF_MATRICES // (sums * high)
    product = np.empty((rows, columns))
    for row in range(0, rows, high):
        for column in range(0, columns, wide):
            tile = matrix_product(left[row : row + high], right[:, column : column + wide])
            product[row : row + high, column : column + wide] = tile
    return product


def row_products(rows: Floats, matrix: Floats) -> Floats:
    """Product of each row and a matrix, summed in order: the same whatever other rows and zeros stand beside it."""
    return np.asarray(np.einsum("rk,kc->rc", rows, matrix))


def quantile_indices(rows: NDArray[np.float64], probability: float | Rational) -> NDArray[np.intp]:
    """Return for every row of probabilities the first index at which its running sum reaches a probability."""
    near, beyond = float(probability), float(1 - probability)
    # Half the distance to the next smaller float rounds up to this one.
    half = (near - math.nextafter(near, 0)) / 2 if isinstance(probability, float) and near < 1 else 0.0
    if near <= 0.5:
        reached = np.cumsum(rows, axis=1) >= (near - half) * (1 - _ROUNDING)
    else:
        above = np.zeros_like(rows)
        above[:, :-1] = np.cumsum(rows[:, :0:-1], axis=1)[:, ::-1]
        reached = above <= (beyond + half) * (1 + _ROUNDING)
    reached[:, -1] = True
    indices: NDArray[np.intp] = reached.argmax(axis=1)
    return indices


#: Seconds of a product of two generating functions for each million bits of one, and most for all of them.
_MEGABIT, _SECONDS = 0.012, 5.0


def after_blocks(
    block: Sequence[Sequence[int]], denominator: int, copies: int, start: int, weights: Sequence[fmpz]
) -> list[fmpz]:
    """Return the numerators of all states after n steps with the weight ``weights[n]``."""
    most, width = len(weights) - 1, len(block)
    _require_time(most, copies, denominator)
    first, begun = divmod(start, width)
    values = [fmpz(0)] * (copies * width + 1)
    if first == copies:
        values[-1] = sum(weights, fmpz(0)) * fmpz(denominator) ** most
        return values
    # The weights backwards: the last coefficient of a product with them is the sum over all numbers of steps.
    powers = [fmpz(1)]
    for _ in range(most):
        powers.append(powers[-1] * denominator)
    numbers = fmpz_poly([weight * power for weight, power in zip(reversed(weights), powers, strict=True)])
    rows = [[(column, weight) for column, weight in enumerate(row) if weight] for row in block]
    inside, leaves = _one_block(rows, begun, most)
    values[first * width : (first + 1) * width] = _ended([fmpz_poly([1])], inside, numbers, most)
    fresh, each = _one_block(rows, 0, most) if begun else (inside, leaves)
    left = [leaves]
    while len(left) < min(copies - first, most):
        left.append(left[-1].mul_low(each, most + 1))
    if len(left) == copies - first:
        totals = accumulate(reversed(weights))
        after = [total * power for total, power in zip(totals, powers, strict=True)]
        values[-1:] = _ended([left.pop()], [fmpz_poly(after)], fmpz_poly([1]), most)
    if left:
        begin = (first + 1) * width
        values[begin : begin + len(left) * width] = _ended(left, fresh, numbers, most)
    return values


def _require_time(most: int, copies: int, denominator: int) -> None:
    """Refuse products of generating functions that would take long: one for each block that can be left."""
    seconds = min(copies, most) * most**2 * fmpz(denominator).bit_length() / 1e6 * _MEGABIT
    if seconds > _SECONDS:
        raise TooLargeError(
            f"expected a walk of at most {_SECONDS:.0f} seconds, but {most:,} steps over {copies:,} models take about "
            f"{seconds:.0f}; use fewer attacks or a smaller unit"
        )


def _one_block(
    rows: Sequence[Sequence[tuple[int, int]]], begun: int, most: int
) -> tuple[list[fmpz_poly], fmpz_poly]:
    """Return the generating functions of the steps to each place of a block, and of those that leave it."""
    inside: list[list[int]] = [[0] * (most + 1) for _ in rows]
    leaves = [0] * (most + 1)
    reached = {begun: 1}
    for step in range(most + 1):
        after: dict[int, int] = {}
        for place, weight in reached.items():
            inside[place][step] = weight
            if step < most:
                for column, further in rows[place]:
                    after[column] = after.get(column, 0) + weight * further
        if step < most:
            leaves[step + 1] = after.pop(len(rows), 0)
        reached = after
        if not reached:
            break
    return [fmpz_poly(steps) for steps in inside], fmpz_poly(leaves)


def _ended(
    before: Sequence[fmpz_poly], after: Sequence[fmpz_poly], numbers: fmpz_poly, most: int
) -> list[fmpz]:
    """Return a coefficient of the product of the numbers with each of some series and each of others, row by row."""
    few, many = sorted((before, after), key=len)
    weighted = [mass for each in few for mass in _padded(numbers.mul_low(each, most + 1), most + 1)[::-1]]
    found = fmpz_mat(len(few), most + 1, weighted) * _table(many, most + 1).transpose()
    return (found if few is before else found.transpose()).entries()


def _table(series: Sequence[fmpz_poly], length: int) -> fmpz_mat:
    return fmpz_mat(len(series), length, [mass for each in series for mass in _padded(each, length)])


def _padded(steps: fmpz_poly, length: int) -> list[fmpz]:
    found = steps.coeffs()
    return found + [fmpz(0)] * (length - len(found))
