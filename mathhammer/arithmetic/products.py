"""Products of float64 arrays on one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Multiplications of two vectors, of a vector and a matrix, and of two matrices that BLAS makes on one thread:
#: OpenBLAS begins to share at 10,000, 9,216 and 262,144 (its interface/dot.c, gemv.c and gemm.c).
_OF_VECTORS, _OF_ROW, _OF_MATRICES = 8192, 8192, 1 << 18
#: Fewest rows of a tile, and its longest sums: more of them would leave it no columns.
_TILE_ROWS, _TILE_SUMS = 16, 1024


def convolution(one: Floats, other: Floats) -> Floats:
    """Convolution of two vectors."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(shorter) <= _OF_VECTORS:
        return np.convolve(longer, shorter)
    total = np.zeros(len(longer) + len(shorter) - 1)
    for first in range(0, len(shorter), _OF_VECTORS):
        part = np.convolve(longer, shorter[first : first + _OF_VECTORS])
        total[first : first + len(part)] += part
    return total


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
