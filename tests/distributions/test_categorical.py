"""Distributions of named outcomes, in both arithmetics."""

from __future__ import annotations

import pytest
from sympy import Rational

from mathhammer import distribution
from mathhammer.distributions import CategoricalDistribution
from mathhammer.errors import MathhammerError


@pytest.mark.parametrize("exact", [True, False])
def test_chain_rule_and_marginals(exact: bool) -> None:  # noqa: FBT001
    """A die decides which of two dice is rolled."""
    coin = CategoricalDistribution.of(distribution("D6", exact=exact), lambda face: face > 3)
    d6, d3 = distribution("D6", exact=exact), distribution("D3", exact=exact)
    dist = coin.then(
        lambda high: CategoricalDistribution.of(d6 if high else d3, lambda face: (int(high), face))
    )
    assert dist.pmf((1, 6)) == pytest.approx(1 / 12)
    assert dist.pmf((0, 6)) == 0
    assert dist.number(lambda pair: pair[1]).pmf(3) == pytest.approx(1 / 4)
    assert dist.joint(("high", "face"), lambda pair: pair).marginal("high").pmf(1) == pytest.approx(1 / 2)
    assert dist.probability(lambda pair: pair[1] > 3) == pytest.approx(1 / 4)
    assert float(dist.expected(lambda pair: pair[1])) == pytest.approx(2.75)
    assert dist.exact is exact


def test_a_mean_is_handed_out_in_the_numbers_of_its_distribution() -> None:
    faces = {
        exact: CategoricalDistribution.of(distribution("D6", exact=exact), lambda face: face)
        for exact in (True, False)
    }
    for value, mean in (
        (lambda face: face, Rational(7, 2)),
        (lambda face: Rational(face, 7), Rational(1, 2)),
        (lambda face: face > 4, Rational(1, 3)),
    ):
        exact, rounded = faces[True].expected(value), faces[False].expected(value)
        assert exact == mean
        assert isinstance(exact, Rational)
        assert rounded == pytest.approx(float(mean), rel=1e-15)
        assert isinstance(rounded, float)


def test_equality_is_of_distributions() -> None:
    """The order of outcomes does not matter, the arithmetic does."""
    d6 = distribution("D6", exact=True)
    odd = CategoricalDistribution.of(d6, lambda face: "odd" if face % 2 else "even")
    ordered = CategoricalDistribution.of(d6, lambda face: "odd" if face % 2 else "even", ("even", "odd"))
    assert odd == ordered
    assert hash(odd) == hash(ordered)
    assert list(ordered) == ["even", "odd"]
    assert odd != odd.to_floats()
    assert repr(odd) == "CategoricalDistribution({'odd': 1/2, 'even': 1/2})"


def test_what_is_no_distribution_is_refused() -> None:
    mass = distribution("D6", exact=True)._mass
    with pytest.raises(MathhammerError, match="distinct outcomes"):
        CategoricalDistribution(("a", "a"), mass)
    with pytest.raises(AttributeError, match="immutable"):
        CategoricalDistribution.certain("a", exact=True).name = 1  # type: ignore[attr-defined]
