"""Walks of exact numbers over equal blocks, from one state: a renewal process."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    weighted = _table([numbers.mul_low(each, most + 1) for each in few], most + 1, backwards=True)
    found = weighted * _table(many, most + 1).transpose()
    return (found if few is before else found.transpose()).entries()


def _table(series: Sequence[fmpz_poly], length: int, *, backwards: bool = False) -> fmpz_mat:
    entries: list[fmpz] = []
    for each in series:
        row = each.coeffs()
        row += [fmpz(0)] * (length - len(row))
        entries += reversed(row) if backwards else row
    return fmpz_mat(len(series), length, entries)
