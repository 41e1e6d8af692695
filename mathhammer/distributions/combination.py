"""Functions of several distributions: mixtures, convolutions, products, distances between them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.distributions.outcomes import require_outcomes
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.distributions.univariate import Distribution


def absolute(mine: Iterable[Any], theirs: Iterable[Any]) -> Any:
    """Return the sum of the differences."""
    return sum(abs(a - b) for a, b in zip(mine, theirs, strict=True))


def aligned(x: Distribution, y: Distribution) -> tuple[list[Any], list[Any], Any]:
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


#: Most pairs of outcomes that a product may run through: some seconds.
MAXIMUM_PAIRS = 2_000_000
#: Most products of numbers that an explosion may take: some seconds.
MAXIMUM_STEPS = 10_000_000_000
#: Most counts times outcomes of a random sum whose terms have both signs.
MAXIMUM_SIGNED_TERMS = 20_000


def mixture(weights: Sequence[int], components: Sequence[Distribution], /) -> Distribution:
    """Distribution drawn from one of several distributions, chosen with the given integer weights.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> mixture([1, 2], [distribution("D6", exact=True), distribution("D3", exact=True)]).pmf(6)
    1/18
    """
    weights = validation.wholes(weights, "whole numbers as weights")
    components = validation.items(components, _distribution(), "distributions to mix")
    if len(weights) != len(components) or not components:
        raise MathhammerError(
            f"expected one weight for each of one or more distributions, got {len(weights)} for {len(components)}"
        )
    if min(weights) < 0 or not any(weights):
        raise MathhammerError(
            f"expected weights of 0 or more with a positive sum, got {validation.shown(weights)}"
        )
    mass = type(components[0]._mass).from_weights(weights, sum(weights))
    return mixture_by_mass(mass, components)


def convolution(components: Sequence[Distribution], /) -> Distribution:
    """Distribution of the sum of independent quantities.

    Sums of two are summed in turn: for many exact distributions a tenth of the time of adding them one by one.

    Parameters
    ----------
    components
        One distribution or more, all of one arithmetic.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> convolution([distribution(f"D{sides}", exact=True) for sides in (4, 6, 8)]).mean()
    21/2
    """
    distributions: list[Distribution] = list(
        validation.items(components, _distribution(), "distributions to add")
    )
    if not distributions:
        raise MathhammerError("expected one distribution or more to add, got none")
    for distribution in distributions[1:]:
        distributions[0]._same_arithmetic(distribution)
    require_outcomes(
        sum(distribution._low for distribution in distributions),
        sum(distribution.support[-1] for distribution in distributions),
    )
    while len(distributions) > 1:
        pairs = zip(distributions[::2], distributions[1::2], strict=False)
        distributions = [one + other for one, other in pairs] + distributions[len(distributions) // 2 * 2 :]
    return distributions[0]


def mixture_by_mass(mass: Mass, components: Sequence[Distribution]) -> Distribution:
    """Mixture of distributions with the probabilities of a vector of mass, which may miss some."""
    for component in components[1:]:
        components[0]._same_arithmetic(component)
    low = min(component._low for component in components)
    require_outcomes(low, max(component.support[-1] for component in components))
    mixed = mass.mixture([part._mass for part in components], [part._low - low for part in components])
    return type(components[0])._new(mixed, low)


def compound(number: Distribution, term: Distribution) -> Distribution:
    """Distribution of the sum of N independent copies of `term`."""
    make = type(term)._new
    if number._low < 0:
        raise MathhammerError(
            f"expected a random number of copies of 0 or more, got support {number.support}"
        )
    if term.support[-1] <= 0 and term._low < 0:
        return -compound(number, -term)
    if term._low < 0:
        return _compound_of_both_signs(number, term)
    require_outcomes(0, number.support[-1] * term.support[-1])
    # Padded from 0 on, a term starts at the origin, and the composition needs no shift.
    inner = term._mass.padded(term._low) if term._low else term._mass
    mass = number._mass.compound(inner)
    return make(mass.convolve(inner.power(number._low)) if number._low else mass, 0)


def _compound_of_both_signs(number: Distribution, term: Distribution) -> Distribution:
    """Random sum of terms that are negative and positive, added in pairs, then pairs of pairs."""
    if len(number.support) * len(term.support) > MAXIMUM_SIGNED_TERMS or number._misses() or term._misses():
        raise TooLargeError(
            "expected a random sum of terms of both signs to have at most "
            f"{MAXIMUM_SIGNED_TERMS:,} counts times outcomes and nothing missing, "
            f"got {len(number.support):,} times {len(term.support):,}; use fewer dice, or shift the terms"
        )
    make, kind = type(term)._new, type(number._mass)
    terms, denominator = number._mass.terms()
    two = kind.from_weights((1, 1), 1)
    sums = [(kind.from_terms([weight], denominator), 0) for weight in terms]
    copies, moved = term._mass, term._low
    while len(sums) > 1:
        joined = sums[len(sums) & ~1 :]  # the last of an odd number
        for place in range(len(sums) // 2 - 1, -1, -1):
            (less, low), (more, other) = sums[2 * place : 2 * place + 2]
            least = min(low, other + moved)
            parts = [less, more.convolve(copies)]
            joined.insert(0, (two.mixture(parts, [low - least, other + moved - least]), least))
        sums = joined
        if len(sums) > 1:
            copies, moved = copies.convolve(copies), 2 * moved
    distribution = make(*sums[0])
    return distribution + term.repeat(number._low) if number._low else distribution


def explode(
    x: Distribution, condition: Callable[[int], bool], rolls: int, *, truncated: bool
) -> Distribution:
    """Distribution of a roll that is rolled again and added while it meets a condition, at most `rolls` times."""
    terms, denominator = x._complete("explosion").terms()
    zero = 0 * terms[0]
    yes = [condition(outcome) for outcome in x.support]
    chance = sum((term for term, goes_on in zip(terms, yes, strict=True) if goes_on), zero)
    if not chance:
        return x
    steps = rolls**2 * len(terms) ** 2 * (1 + rolls)
    if steps > MAXIMUM_STEPS:
        raise TooLargeError(
            f"expected an explosion that takes at most {MAXIMUM_STEPS:.0e} steps, but {rolls:,} further rolls take "
            f"about {steps:.0e}; use a smaller depth"
        )
    kind, make = type(x._mass), type(x)._new
    if all(goes_on or not term for term, goes_on in zip(terms, yes, strict=True)):
        if truncated:
            raise MathhammerError(f"expected a die that can stop exploding, but every value of {x!r} goes on")
        return x.repeat(rolls + 1)
    pairs = list(zip(terms, yes, strict=True))
    on = kind.from_terms([term if goes_on else zero for term, goes_on in pairs], denominator)
    stop = kind.from_terms([zero if goes_on else term for term, goes_on in pairs], denominator)
    both = kind.from_weights((1, 1), 1)
    mass, low = (stop if truncated else x._mass), x._low
    for _ in range(rolls):
        further, above = on.convolve(mass), x._low + low
        low = min(x._low, above)
        mass = both.mixture([stop, further], [x._low - low, above - low])
    return make(mass, low)


def maximum(x: Distribution, y: Distribution, /) -> Distribution:
    """Distribution of the greater of two independent quantities.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> d6 = distribution("D6", exact=True)
    >>> maximum(d6, d6).pmf(6)
    11/36
    """
    _require_distributions(x, y)
    (mine, a), (theirs, b) = x._mass.terms(), y._mass.terms()
    up_to_mine, up_to_theirs = list(accumulate(mine)), list(accumulate(theirs))
    low, high = max(x._low, y._low), max(x.support[-1], y.support[-1])
    require_outcomes(low, high)
    terms = []
    for k in range(low, high + 1):
        i, j = k - x._low, k - y._low
        below = up_to_mine[min(i, len(mine)) - 1] if i else 0
        both = mine[i] * up_to_theirs[min(j, len(theirs) - 1)] if i < len(mine) else 0
        terms.append(both + (theirs[j] * below if j < len(theirs) else 0))
    mass = type(x._mass).from_terms(terms, a * b)
    if low == high:
        mass = x._mass.outer(y._mass).image([0] * (len(mine) * len(theirs)), 1)
    return type(x)._new(mass, low)


def minimum(x: Distribution, y: Distribution, /) -> Distribution:
    """Distribution of the smaller of two independent quantities.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> d6 = distribution("D6", exact=True)
    >>> minimum(d6, d6).pmf(1)
    11/36
    """
    _require_distributions(x, y)
    return -maximum(-x, -y)


def product(x: Distribution, y: Distribution, /) -> Distribution:
    """Distribution of the product of two independent quantities.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> d6 = distribution("D6", exact=True)
    >>> product(d6, d6).pmf(12)
    1/9
    """
    _require_distributions(x, y)
    pairs = len(x.support) * len(y.support)
    if pairs > MAXIMUM_PAIRS:
        raise TooLargeError(
            f"expected a product of at most {MAXIMUM_PAIRS:,} pairs of outcomes, but this one has {pairs:,}; "
            "use smaller numbers"
        )
    corners = [i * j for i in (x._low, x.support[-1]) for j in (y._low, y.support[-1])]
    low, high = min(corners), max(corners)
    require_outcomes(low, high)
    indices = [i * j - low for i in x.support for j in y.support]
    mass = x._mass.outer(y._mass).image(indices, high - low + 1)
    return type(x)._new(mass, low)


def _distribution() -> type[Distribution]:
    from mathhammer.distributions.univariate import Distribution

    return Distribution


def _require_distributions(x: Distribution, y: Distribution) -> None:
    validation.instance(x, _distribution(), "a Distribution", "mh.distribution(...) makes one")
    x._same_arithmetic(y)
