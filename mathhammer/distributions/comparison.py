"""Two distributions beside each other: who wins, who dominates, how far apart."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.distributions.univariate import Distribution


def probability_greater(x: Distribution, y: Distribution) -> Any:
    """Return P(X > Y): a sum of products, never of differences."""
    (mine, a), (theirs, b) = x._mass.terms(), y._mass.terms()
    below: list[Any] = [0, *accumulate(theirs)]
    shift = x._low - y._low
    total = sum(
        (p * below[min(index + shift, len(theirs))] for index, p in enumerate(mine) if index + shift > 0),
        0 * mine[0],
    )
    return x._mass.probability(total, a * b)


def dominates(x: Distribution, y: Distribution, order: Literal[1, 2]) -> bool:
    """Return whether X dominates Y stochastically, in the wide sense."""
    if order not in {1, 2}:
        raise MathhammerError(f"expected stochastic dominance of order 1 or 2, got {shown(order)}")
    x._complete("stochastic dominance"), y._complete("stochastic dominance")
    mine, theirs, _ = _aligned(x, y)
    low_mine, low_theirs = list(accumulate(mine)), list(accumulate(theirs))
    sums = (low_mine, low_theirs) if order == 1 else (accumulate(low_mine), accumulate(low_theirs))
    return all(a <= b for a, b in zip(*sums, strict=True))


def total_variation(x: Distribution, y: Distribution) -> Any:
    """Return half the sum of the differences of the probabilities."""
    mine, theirs, scale = _aligned(x, y)
    return x._mass.probability(_absolute(mine, theirs), 2 * scale)


def kolmogorov_smirnov(x: Distribution, y: Distribution) -> Any:
    """Return the largest difference of the cdfs."""
    mine, theirs, scale = _aligned(x, y)
    differences = (abs(a - b) for a, b in zip(accumulate(mine), accumulate(theirs), strict=True))
    return x._mass.probability(max(differences), scale)


def earth_mover(x: Distribution, y: Distribution) -> Any:
    """Return the sum of the differences of the cdfs."""
    x._complete("distance to another"), y._complete("distance to another")
    mine, theirs, scale = _aligned(x, y)
    return x._mass.quotient(_absolute(list(accumulate(mine)), list(accumulate(theirs))), scale)


def _absolute(mine: list[Any], theirs: list[Any]) -> Any:
    return sum((abs(a - b) for a, b in zip(mine, theirs, strict=True)), 0 * mine[0])


def _aligned(x: Distribution, y: Distribution) -> tuple[list[Any], list[Any], Any]:
    """Return the mass of both over one range of outcomes and one denominator."""
    (mine, a), (theirs, b) = x._mass.terms(), y._mass.terms()
    low = min(x._low, y._low)
    high = max(x.support[-1], y.support[-1])
    zero = 0 * a
    spread = []
    for terms, factor, start in ((mine, b, x._low), (theirs, a, y._low)):
        scaled = terms if factor == 1 else [term * factor for term in terms]
        spread.append([zero] * (start - low) + scaled + [zero] * (high - start - len(terms) + 1))
    return spread[0], spread[1], a * b
