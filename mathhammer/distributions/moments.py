"""Quantiles, moments, cumulants and entropy of a vector of mass."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Rational

    from mathhammer.arithmetic import Mass

__all__ = ["cumulant", "entropy", "moment", "quantile_index"]

_ROUNDING = 1e-12


def quantile_index(mass: Mass[Any], probability: float | Rational) -> int:
    """Return the first index at which the running sum reaches a probability."""
    terms, denominator = mass.terms()
    if mass.exact:
        from sympy import Rational

        wanted: Any = Rational(probability) * int(denominator)
        # A rounded-up integer bound compares without making a Rational of every partial sum.
        wanted = int(-((-wanted.p) // wanted.q))
    else:
        # A running sum may end a few units in the last place below the number it should reach.
        wanted = float(probability) * (1 - _ROUNDING)
    for index, reached in enumerate(accumulate(terms)):
        if reached >= wanted and terms[index]:
            return index
    return len(terms) - 1


def moment(
    mass: Mass[Any], values: Sequence[int], order: int, kind: Literal["raw", "central", "standardized"]
) -> Any:
    """Return a raw, central or standardised moment."""
    if kind not in {"raw", "central", "standardized"}:
        raise MathhammerError(f"expected kind 'raw', 'central' or 'standardized', got {kind!r}")
    value = mass.moment(values, order, central=kind != "raw")
    if kind != "standardized":
        return value
    variance = mass.moment(values, 2, central=True)
    if not variance:
        raise MathhammerError("expected a law with more than one outcome for a standardised moment")
    if mass.exact:
        from sympy import sqrt

        return value / sqrt(variance) ** order  # type: ignore[no-untyped-call]
    return value / math.sqrt(variance) ** order


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
