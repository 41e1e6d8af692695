"""Moments and cumulants of a vector of mass."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Rational

    from mathhammer.arithmetic.mass import Mass

#: Bits of the greatest number of which a square root is simplified.
_FACTORED = 64


def moment(
    mass: Mass, values: Sequence[int], order: int, kind: Literal["raw", "central", "standardized"]
) -> Any:
    """Return a raw, central or standardised moment."""
    if kind not in {"raw", "central", "standardized"}:
        raise MathhammerError(f"expected kind 'raw', 'central' or 'standardized', got {shown(kind)}")
    value = mass.moment(values, order, central=kind != "raw")
    if kind != "standardized":
        return value
    variance = mass.moment(values, 2, central=True)
    if not variance:
        raise MathhammerError("expected a distribution with more than one outcome for a standardised moment")
    if not mass.exact:
        return value / math.sqrt(variance) ** order
    whole = value / variance ** (-(-order // 2))
    return times_root(whole, variance) if order % 2 else whole


def times_root(factor: Rational | int, square: Rational) -> Any:
    """Return a number times the square root of another, which is in lowest terms only where that is no work."""
    from sympy import Mul, Pow, Rational, sqrt

    if max(square.p, square.q).bit_length() <= _FACTORED:
        return factor * sqrt(square)  # type: ignore[no-untyped-call]
    root = Pow(square, Rational(1, 2), evaluate=False)
    return root if factor == 1 else Mul(factor, root, evaluate=False)


def cumulant(mass: Mass, values: Sequence[int], order: int) -> Any:
    """Return a cumulant from central moments, whose recursion cancels less than that of raw ones."""
    if order == 1:
        return mass.moment(values, 1, central=False)
    central = {n: mass.moment(values, n, central=True) for n in range(2, order + 1)}
    cumulants: dict[int, Any] = {}
    for n in range(2, order + 1):
        known = (math.comb(n - 1, j - 1) * cumulants[j] * central[n - j] for j in range(2, n - 1))
        cumulants[n] = central[n] - sum(known)
    return cumulants[order]
