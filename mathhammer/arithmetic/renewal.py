"""Walks of exact numbers over equal blocks: a renewal process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.arithmetic.mass import cut_at

if TYPE_CHECKING:
    from collections.abc import Sequence


def after_blocks(
    block: Sequence[Sequence[int]],
    denominator: int,
    start: Sequence[fmpz],
    least: int,
    weights: Sequence[fmpz],
) -> fmpz_poly:
    """Return the numerators of all states after `least` and n steps with the weight ``weights[n]``."""
    width, most, last = len(block), least + len(weights) - 1, len(start) - 1
    # The weights backwards: the last coefficient of a product with them is the sum over all numbers of steps.
    number = fmpz_poly(weights[::-1])(fmpz_poly([0, denominator]))
    inside, leaves = _one_block(block, 0, most)
    found = [fmpz_poly([])] * width
    for begun in range(width):
        own = fmpz_poly(start[begun:last:width])
        if not own:
            continue
        first = next(model for model, mass in enumerate(own.coeffs()) if mass)
        left, before, values = last // width - first, [number], list[fmpz]()
        if begun:
            here, leaving = _one_block(block, begun, most)
            values, left, before = _last(before, here, most), left - 1, [number.mul_low(leaving, most + 1)]
        for _ in range(min(left, most + 1) - 1):
            before.append(before[-1].mul_low(leaves, most + 1))
        if left:
            values += _last(before, inside, most)
        for place in range(width):
            found[place] += own * fmpz_poly(values[place::width])
    numerators = [fmpz(0)] * last
    for place, each in enumerate(found):
        masses = each.coeffs()[: last // width]
        numerators[place : len(masses) * width : width] = masses
    total = sum(start, fmpz(0)) * sum(weights, fmpz(0)) * fmpz(denominator) ** most
    return cut_at(last, fmpz_poly(numerators), total)


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
