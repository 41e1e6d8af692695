"""Random sums of terms that take single re-rolls away: powers of a triangular matrix of generating functions."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_poly

from mathhammer.arithmetic.mass import Mass, composed, cut_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Held = frozenset[str]

_NONE = fmpz_poly([])


def compounds(
    least: int, number: Mass, each: Mapping[tuple[Held, Held], Mass], cut: int | None = None
) -> dict[tuple[Held, Held], Mass]:
    """Return the sum of N terms by the re-rolls held before and after, N distributed as `number` plus `least`.

    Of a sum that is more than `cut`, that. A term keeps the re-rolls that are held or takes some away, so that along
    each chain of sets a sum is the divided difference of the number's generating function at the terms that keep them.
    """
    common = reduce(fmpz.lcm, [part._denominator for part in each.values()])
    terms = {key: part._numerators * (common // part._denominator) for key, part in each.items()}
    totals = {key: fmpz_poly([part(1)]) for key, part in terms.items()}
    outer, below = number.terms()
    outer = [fmpz(0)] * least + outer
    most = len(outer) - 1
    length = 1 + most * max(len(part) - 1 for part in each.values())
    if cut is not None and cut >= length - 1:
        cut = None
    found: dict[tuple[Held, Held], fmpz_poly] = {}
    # All sequences of sets of re-rolls in which a term may lead from each to the next.
    chains: list[tuple[Held, ...]] = [
        (held,) for held in dict.fromkeys(held for pair in each for held in pair)
    ]
    for chain in chains:  # which grow on the way
        chains += [(*chain, left) for held, left in each if held == chain[-1] and left != held]
        total = _along(chain, terms, outer, common, cut)
        if cut is not None:
            total = cut_at(cut, total, _along(chain, totals, outer, common, None)(1))
        key = chain[0], chain[-1]
        found[key] = found.get(key, _NONE) + total
    whole = below * common**most
    return {key: Mass(total, whole, length if cut is None else cut + 1) for key, total in found.items()}


def _along(
    chain: tuple[Held, ...],
    terms: Mapping[tuple[Held, Held], fmpz_poly],
    outer: Sequence[fmpz],
    below: fmpz,
    length: int | None,
) -> fmpz_poly:
    """Return the sum along one chain: its first so many terms, or all."""
    points = [terms.get((held, held), _NONE) for held in chain]
    total = _divided(outer, points, below, length)
    for step in pairwise(chain):
        total = total * terms[step] if length is None else total.mul_low(terms[step], length)
    return total


def _divided(
    outer: Sequence[fmpz], points: Sequence[fmpz_poly], below: fmpz, length: int | None
) -> fmpz_poly:
    """Return the divided difference of a generating function at polynomials over one denominator."""
    order = len(points) - 1
    if order >= len(outer):
        return _NONE
    # Equal points stand side by side, so that the ends are equal only where all are.
    points = sorted(points, key=lambda point: list(map(int, point.coeffs())))
    if points[0] == points[-1]:
        derived = [weight * comb(place, order) for place, weight in enumerate(outer)][order:]
        if length is None and not any(derived[:-1]):
            return points[0] ** (len(derived) - 1) * derived[-1]
        return composed(derived, points[0], below, length)
    change = points[-1] - points[0]
    if length is None:
        return (
            _divided(outer, points[1:], below, None) - _divided(outer, points[:-1], below, None)
        ) // change
    # As series, of which the division takes as many terms as the change begins with zeros.
    low = next(place for place, weight in enumerate(change.coeffs()) if weight)
    first, second = (_divided(outer, part, below, length + low) for part in (points[1:], points[:-1]))
    return _series((first - second).right_shift(low), change.right_shift(low), length)


def _series(dividend: fmpz_poly, divisor: fmpz_poly, length: int) -> fmpz_poly:
    """Return the first terms of the quotient of two series, which are whole numbers."""
    found: list[fmpz] = []
    first, *others = divisor.coeffs()
    for place in range(length):
        known = zip(others, reversed(found), strict=False)
        found.append((dividend[place] - sum((one * other for one, other in known), fmpz(0))) // first)
    return fmpz_poly(found)
