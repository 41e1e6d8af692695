"""Quantiles, moments, cumulants and entropy of a vector of mass."""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mathhammer.arithmetic.float64 import QUIET
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sympy import Rational

    from mathhammer.arithmetic import Mass

__all__ = ["cumulant", "entropy", "moment", "quantile_index", "quantile_indices", "times_root"]

#: Relative accuracy of a float sum of probabilities: two that differ by less may be the same number.
_ROUNDING = 1e-12
#: Bits of the greatest number of which a square root is simplified.
_FACTORED = 64


def quantile_index(mass: Mass[Any], probability: float | Rational) -> int:
    """Return the first index at which the running sum reaches a probability.

    A float below 1 stands for all numbers that round to it: it is reached where the float nearest to the sum reaches
    it, so that a tenth of ten equal faces is the first of them in either arithmetic. All of the mass alone reaches 1.
    """
    if not mass.exact:
        return int(quantile_indices(mass.floats()[None, :], probability)[0])
    from sympy import Rational

    terms, denominator = mass.terms()
    whole, sums = int(denominator), list(accumulate(terms))
    if isinstance(probability, float) and probability < 1:
        return bisect_left(sums, probability, key=lambda reached: int(reached) / whole)
    wanted = Rational(probability) * whole
    return bisect_left(sums, -(-int(wanted.p) // int(wanted.q)))


def quantile_indices(rows: NDArray[np.float64], probability: float | Rational) -> NDArray[np.intp]:
    """Return for every row of float probabilities the first index at which its running sum reaches a probability.

    Each tail is summed from its own end: near 1 a running sum cannot tell what the upper tail still holds.
    """
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


def moment(
    mass: Mass[Any], values: Sequence[int], order: int, kind: Literal["raw", "central", "standardized"]
) -> Any:
    """Return a raw, central or standardised moment."""
    if kind not in {"raw", "central", "standardized"}:
        raise MathhammerError(f"expected kind 'raw', 'central' or 'standardized', got {shown(kind)}")
    value = mass.moment(values, order, central=kind != "raw")
    if kind != "standardized":
        return value
    variance = mass.moment(values, 2, central=True)
    if not variance:
        raise MathhammerError("expected a law with more than one outcome for a standardised moment")
    if not mass.exact:
        return value / math.sqrt(variance) ** order
    whole = value / variance ** (-(-order // 2))
    return times_root(whole, variance) if order % 2 else whole


def times_root(factor: Rational | int, square: Rational) -> Any:
    """Return a number times the square root of another, which is in lowest terms only where that is no work.

    SymPy factors what is under a root, and also what is multiplied by a root.
    """
    from sympy import Mul, Pow, Rational, sqrt

    if max(square.p, square.q).bit_length() <= _FACTORED:
        return factor * sqrt(square)  # type: ignore[no-untyped-call]
    root = Pow(square, Rational(1, 2), evaluate=False)
    return root if factor == 1 else Mul(factor, root, evaluate=False)


def cumulant(mass: Mass[Any], values: Sequence[int], order: int) -> Any:
    """Return a cumulant from central moments, whose recursion cancels less than that of raw ones.

    ``k(n) = m(n) - sum(C(n - 1, j - 1) * k(j) * m(n - j))`` over j from 2 to n - 2.
    """
    if order == 1:
        return mass.moment(values, 1, central=False)
    central = {n: mass.moment(values, n, central=True) for n in range(2, order + 1)}
    cumulants: dict[int, Any] = {}
    for n in range(2, order + 1):
        known = (math.comb(n - 1, j - 1) * cumulants[j] * central[n - j] for j in range(2, n - 1))
        cumulants[n] = central[n] - sum(known)
    return cumulants[order]


@QUIET
def entropy(mass: Mass[Any]) -> Any:
    """Return Shannon's entropy in nats: of an exact law an expression in logarithms of whole numbers."""
    if not mass.exact:
        floats = mass.floats()
        held = floats[floats > 0]
        return -math.fsum(held * np.log(held))
    from sympy import Integer, Rational, log

    weights, denominator = mass.weights()
    counts: dict[int, int] = {}
    for weight in weights:
        if weight > 1:
            counts[weight] = counts.get(weight, 0) + 1
    terms = (Rational(times * weight, denominator) * log(Integer(weight)) for weight, times in counts.items())
    return log(Integer(denominator)) - sum(terms)
