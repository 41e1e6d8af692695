"""Quantiles: the smallest outcome whose cdf reaches a probability, to the last outcome and in both arithmetics."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import distribution

BOTH = pytest.mark.parametrize("exact", [False, True])


def by_definition(dist, reached) -> int:
    """The smallest outcome whose exact cdf fulfils a condition."""
    total = Fraction(0)
    for outcome, probability in dist.items():
        total += Fraction(int(probability.p), int(probability.q))
        if reached(total):
            return outcome
    raise AssertionError("the whole of a distribution is 1")


@BOTH
@pytest.mark.parametrize(
    "text", ["100D6", "D6", "3D6", "highest(3 of 40D6)", "reroll(D6+D6, not 3)", "D{-3, 0:5, 9}"]
)
def test_all_of_a_distribution_is_reached_at_its_last_outcome(text, exact):
    dist = distribution(text, exact=exact)
    assert dist.icdf(1.0) == dist.icdf(1) == dist.icdf(Rational(1)) == dist.support[-1]
    assert dist.icdf(0.0) == dist.icdf(0) == dist.support[0]


@BOTH
@pytest.mark.parametrize("tail", [1e-3, 1e-9, 1e-12, 1e-14, 2.0**-50, 2.0**-53])
def test_quantiles_in_the_upper_tail(tail, exact):
    # The float that is given stands for what it is nearest to: the cdf reaches it where its own nearest float does.
    probability = 1 - tail
    wanted = by_definition(distribution("100D6", exact=True), lambda total: float(total) >= probability)
    assert distribution("100D6", exact=exact).icdf(probability) == wanted


@BOTH
@pytest.mark.parametrize(
    "tail", [Rational(1, 10**15), Rational(1, 10**30), Rational(1, 6**100), Rational(2, 6**100)]
)
def test_a_fraction_is_reached_as_it_is(tail, exact):
    exactly = distribution("100D6", exact=True)
    dist, small = distribution("100D6", exact=exact), Fraction(int(tail.p), int(tail.q))
    assert dist.icdf(1 - tail) == by_definition(exactly, lambda total: total >= 1 - small)
    assert dist.icdf(tail) == by_definition(exactly, lambda total: total >= small)


@pytest.mark.parametrize(
    "text", ["D10", "D20", "D6", "2D6", "3D6", "7D6", "2D10", "highest(1 of 2D20)", "100D6"]
)
def test_both_arithmetics_have_the_same_quantiles(text):
    exactly, floats = distribution(text, exact=True), distribution(text)
    shares = [share / 100 for share in range(101)]
    shares += [float(exactly.cdf(outcome)) for outcome in exactly.support]
    assert [floats.icdf(share) for share in shares] == [exactly.icdf(share) for share in shares]


@BOTH
def test_a_share_of_equal_faces_is_reached_at_its_face(exact):
    dist = distribution("D10", exact=exact)
    assert [dist.icdf(face / 10) for face in range(1, 11)] == list(range(1, 11))
    assert str(dist).splitlines()[-1].endswith("5% to 95%: 1 to 10")


@BOTH
def test_what_is_printed_of_twenty_equal_faces(exact):
    # P(X <= 1) is 5 % and P(X <= 19) is 95 %.
    assert str(distribution("D20", exact=exact)).splitlines()[-1].endswith("5% to 95%: 1 to 19")


def test_quantiles_of_a_grid_are_those_of_its_distributions():
    shot = wh40k.Weapon.parse("Shot: A10 BS4+ S4 AP-6 D1")  # each wounds, and so destroys a model, with 1/4
    horde = wh40k.Target.parse("Horde: 10x T4 Sv6+ W1")
    grid, dist = analysis.grid([shot], [horde]), wh40k.attack(shot, horde).kills
    for share in (0.0, 0.05, 0.5, 0.95, 1 - 1e-6, 1 - 2.0**-50, 1.0):
        assert grid.quantile(share)[0, 0] == dist.icdf(share)
    assert grid.quantile(1.0)[0, 0] == 10
    assert grid.quantile(np.float64(0.5))[0, 0] == dist.median()
