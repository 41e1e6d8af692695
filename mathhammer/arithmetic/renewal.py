"""Walks of exact numbers over equal blocks, from one state: a renewal process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.arithmetic.mass import cut_at
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Seconds of a product of two generating functions for each million bits of one, and most for all of them.
_MEGABIT, _SECONDS = 0.012, 5.0


def after_blocks(
    block: Sequence[Sequence[int]],
    denominator: int,
    states: int,
    start: int,
    least: int,
    weights: Sequence[fmpz],
) -> fmpz_poly:
    """Return the numerators of all states after `least` and n steps with the weight ``weights[n]``."""
    width, most = len(block), least + len(weights) - 1
    copies, (first, begun) = states // width, divmod(start, width)
    _require_time(most, copies, denominator)
    # The weights backwards: the last coefficient of a product with them is the sum over all numbers of steps.
    number = fmpz_poly(weights[::-1])(fmpz_poly([0, denominator]))
    values, reached = [fmpz(0)] * (first * width), [number]
    if begun:
        inside, leaves = _one_block(block, begun, most)
        values += _last(reached, inside, most)
        first, reached = first + 1, [number.mul_low(leaves, most + 1)]
    if first < copies:
        inside, leaves = _one_block(block, 0, most)
        for _ in range(min(copies - first, most + 1) - 1):
            reached.append(reached[-1].mul_low(leaves, most + 1))
        values += _last(reached, inside, most)
    return cut_at(states - 1, fmpz_poly(values), sum(weights, fmpz(0)) * fmpz(denominator) ** most)


def _require_time(most: int, copies: int, denominator: int) -> None:
    """Refuse products of generating functions that would take long: one for each block that can be left."""
    seconds = min(copies, most) * most**2 * denominator.bit_length() / 1e6 * _MEGABIT
    if seconds > _SECONDS:
        raise TooLargeError(
            f"expected a walk of at most {_SECONDS:.0f} seconds, but {most:,} steps over {copies:,} models take about "
            f"{seconds:.0f}; use fewer attacks or a smaller unit"
        )


def _one_block(block: Sequence[Sequence[int]], begun: int, most: int) -> tuple[list[fmpz_poly], fmpz_poly]:
    """Return the generating functions of the steps to each place of a block, and of those that leave it."""
    width = len(block)
    arriving = [fmpz_poly([])] * (width + 1)
    arriving[begun] = fmpz_poly([1])
    for place in range(begun, width):
        stays = block[place][place]
        if stays:
            loops = fmpz_poly([fmpz(stays) ** steps for steps in range(most + 1)])
            arriving[place] = arriving[place].mul_low(loops, most + 1)
        further = arriving[place].left_shift(1).truncate(most + 1)
        for column in range(place + 1, width + 1):
            if weight := block[place][column]:
                arriving[column] += further * weight
    return arriving[:-1], arriving[-1]


def _last(before: Sequence[fmpz_poly], after: Sequence[fmpz_poly], most: int) -> list[fmpz]:
    """Return the last coefficient of the product of each of some series with each of others."""
    span = 1 + max([each.degree() for each in after])
    backwards = range(most, most - span, -1)
    left = fmpz_mat(len(before), span, [each[place] for each in before for place in backwards])
    right = fmpz_mat(span, len(after), [each[place] for place in range(span) for each in after])
    return (left * right).entries()
