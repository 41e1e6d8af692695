"""Random sums of terms that take single re-rolls away: powers of a triangular matrix of generating functions."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_poly

from mathhammer.arithmetic.mass import Mass, cut_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Held = frozenset[str]
    Parts = Mapping[tuple[Held, Held], fmpz_poly]

_NONE = fmpz_poly([])


def compounds(
    least: int, number: Mass, each: Mapping[tuple[Held, Held], Mass], cut: int | None = None
) -> dict[tuple[Held, Held], Mass]:
    """Return the sum of N terms by the re-rolls held before and after, N distributed as `number` plus `least`.

    Of a sum that is more than `cut`, that. A term keeps the re-rolls that are held or takes some away.
    """
    common = reduce(fmpz.lcm, [part._denominator for part in each.values()])
    terms = {key: part._numerators * (common // part._denominator) for key, part in each.items()}
    outer, below = number.terms()
    outer = [fmpz(0)] * least + outer
    most = len(outer) - 1
    length = 1 + most * max(len(part) - 1 for part in each.values())
    if cut is not None and cut >= length - 1:
        cut = None
    found = _composed(outer, terms, common, cut or length)
    if cut is not None:
        totals = _composed(outer, {key: fmpz_poly([part(1)]) for key, part in terms.items()}, common, 1)
        found = {key: cut_at(cut, found.get(key, _NONE), total[0]) for key, total in totals.items()}
        length = cut + 1
    whole = below * common**most
    return {key: Mass(total, whole, length) for key, total in found.items()}


def _composed(
    outer: Sequence[fmpz], terms: Parts, denominator: fmpz, length: int
) -> dict[tuple[Held, Held], fmpz_poly]:
    """Return the first terms of the sum of ``outer[k] * denominator**(n - k) * terms**k``, n the last index."""
    powers = [terms]
    while 2 << (len(powers) - 1) < len(outer):
        powers.append(_product(powers[-1], powers[-1], length))

    def part(start: int, stop: int) -> dict[tuple[Held, Held], fmpz_poly]:
        count = stop - start
        if count == 1:
            return {(held, held): fmpz_poly([outer[start]]) for held, _ in terms}
        half = 1 << ((count - 1).bit_length() - 1)
        total = _product(part(start + half, stop), powers[half.bit_length() - 1], length)
        if any(outer[start : start + half]):
            for key, lower in part(start, start + half).items():
                total[key] = total.get(key, _NONE) + lower * denominator ** (count - half)
        return total

    return part(0, len(outer))


def _product(one: Parts, other: Parts, length: int) -> dict[tuple[Held, Held], fmpz_poly]:
    """Return the first terms of the product of two matrices."""
    found: dict[tuple[Held, Held], fmpz_poly] = {}
    for (held, between), left in one.items():
        for (before, after), right in other.items():
            if between == before:
                found[held, after] = found.get((held, after), _NONE) + left.mul_low(right, length)
    return found
