"""Products of NumPy arrays on one thread, for the bulk walks of tables, and the quantiles of their rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

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
