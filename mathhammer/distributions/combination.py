"""Functions of several distributions: mixtures, convolutions, products, distances between them."""

from __future__ import annotations

from itertools import accumulate
from operator import mul, sub
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.distributions.base import BaseDistribution
from mathhammer.distributions.serialisation import require_outcomes
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.distributions.univariate import Distribution


#: Most pairs of outcomes that a product may run through: some seconds.
MAXIMUM_PAIRS = 2_000_000
#: Most products of numbers that an explosion may take: some seconds.
MAXIMUM_STEPS = 10_000_000_000


def mixture(weights: Sequence[int], components: Sequence[Distribution], /) -> Distribution:
    """Distribution drawn from one of several distributions, chosen with the given integer weights.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> mixture([1, 2], [distribution("D6", exact=True), distribution("D3", exact=True)]).pmf(6)
    1/18
    """
    weights = validation.wholes(weights, "whole numbers as weights")
    components = validation.items(components, BaseDistribution, "distributions to mix")
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

    They are added in pairs, then pairs of pairs; for many exact distributions this takes a tenth of the time of
    adding them one by one.

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
        validation.items(components, BaseDistribution, "distributions to add")
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


def explode(
    x: Distribution, condition: Callable[[int], bool], rolls: int, *, truncated: bool
) -> Distribution:
    """Distribution of a roll that is rolled again and added while it meets a condition, at most `rolls` times."""
    terms, denominator = x._complete("explosion").terms()
    yes = [bool(condition(outcome)) for outcome in x.support]
    further = list(map(mul, terms, yes))
    if not any(further):
        return x
    steps = rolls**2 * len(terms) ** 2 * (1 + rolls)
    if steps > MAXIMUM_STEPS:
        raise TooLargeError(
            f"expected an explosion that takes at most {MAXIMUM_STEPS:.0e} steps, but {rolls:,} further rolls take "
            f"about {steps:.0e}; use a smaller depth"
        )
    if further == terms:
        if truncated:
            raise MathhammerError(f"expected a die that can stop exploding, but every value of {x!r} goes on")
        return x.repeat(rolls + 1)
    kind = type(x._mass)
    on, stop = (kind.from_terms(each, denominator) for each in (further, list(map(sub, terms, further))))
    both = kind.from_weights((1, 1), 1)
    mass, low = (stop if truncated else x._mass), x._low
    for _ in range(rolls):
        above = x._low + low
        low = min(x._low, above)
        mass = both.mixture([stop, on.convolve(mass)], [x._low - low, above - low])
    return type(x)._new(mass, low)


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
    low, high = max(x._low, y._low), max(x.support[-1], y.support[-1])
    require_outcomes(low, high)
    below: list[Any] = [1] * (high - low + 1)
    denominator: Any = 1
    for each in (x, y):
        terms, whole = each._mass.terms()
        sums: list[Any] = list(accumulate(terms))[low - each._low :] or [sum(terms)]
        below = list(map(mul, below, sums + sums[-1:] * (high - low + 1 - len(sums))))
        denominator *= whole
    mass = type(x._mass).from_terms([below[0], *map(sub, below[1:], below)], denominator)
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
    mass = x._mass.chained([y._mass] * len(x._mass)).image(indices, high - low + 1)
    return type(x)._new(mass, low)


def _require_distributions(x: Distribution, y: Distribution) -> None:
    validation.instance(x, BaseDistribution, "a Distribution", "mh.distribution(...) makes one")
    x._same_arithmetic(y)
