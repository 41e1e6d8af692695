"""Whatever a distribution hands out as a probability is from 0 to 1, and loses no digit for it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import distribution
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution, mixture

pytestmark = pytest.mark.slow

DISTRIBUTIONS = [
    *("reroll(D6+D6, not 3)", "100D6", "1000D6", "min(1000D6, 1)", "max(1000D6-1000D6, 99999)", "1000D6>=1"),
    *(
        "mixture(1: 1000D6, 1: 3)",
        "(20D6)D3",
        "(3D6)D{0}",
        "explode(D6, 6, at most 30)",
        "D3×D3",
        "50D6-50D6",
    ),
]


@pytest.mark.parametrize("text", DISTRIBUTIONS)
def test_no_probability_above_1(text):
    dist = distribution(text)
    ends = dist.support[0] - 1, dist.support[-1] + 1
    for outcome in {*range(*ends, max(1, len(dist.support) // 200)), *ends, dist.support[-1]}:
        for probability in (dist.pmf(outcome), dist.cdf(outcome), dist.at_least(outcome), dist.ccdf(outcome)):
            assert 0 <= probability <= 1
    assert dist.cdf(ends[1]) == pytest.approx(1, abs=1e-12)
    assert dist.to_array().max() <= 1
    assert np.asarray(dist).max() <= 1
    assert max(probability for _, probability in dist.items()) <= 1
    assert dist.cdf(ends).max() <= 1
    assert dist.icdf(dist.cdf(dist.support[-1])) in dist.support


@pytest.mark.parametrize(
    "text", ["min(1000D6, 1)", "max(1000D6-1000D6, 99999)", "1000D6>=1", "(20D6)D{0}", "min(5000D6, 1)"]
)
def test_what_is_certain_has_the_probability_1(text):
    dist = distribution(text)
    assert dist.pmf(dist.support[0]) == 1
    assert dist.mean() == dist.support[0]
    assert str(dist.to_array().tolist()) == "[1.0]"


def test_what_is_missing_is_not_certain():
    # Only the 1 stays; the 2 that explodes for ever is missing.
    dist = distribution("explode(D2, 2, depth 0)")
    assert (dist.pmf(1), dist.missing) == (0.5, 0.5)
    assert ((-dist).pmf(-1), dist.map(lambda _: 7).pmf(7), (dist + 1).pmf(2)) == (0.5, 0.5, 0.5)


def test_attacks_certain_to_destroy():
    # Sixty-seven weapons: the sum over all numbers of hits was 1.0000000000000016.
    gun = wh40k.Weapon.parse("Gun: A2 BS2+ S5 AP-1 DD3 [SUSTAINED HITS D3]")
    for count in (1, 10, 67):
        result = wh40k.attack(gun, wh40k.Target.parse("Nine: 9x T3 Sv6+ W1"), count=count)
        for name in ("hits", "wounds", "unsaved", "damage", "kills", "wounds_lost"):
            dist = getattr(result, name)
            for chances in (dist.at_least(dist.support), dist.cdf(dist.support)):
                assert 0 <= min(chances) <= max(chances) <= 1
        assert 0 <= result.probability_destroyed <= 1
        assert 0 <= result.state.total() <= 1
        assert 0 <= result.state.marginal("kills").at_least(1) <= 1
    volleys = {str(count): wh40k.Volley(gun, count) for count in (67, 400)}
    grid = analysis.grid(volleys, wh40k.Target.parse("Nine: 9x T3 Sv6+ W1"))
    assert grid.probability_destroyed.max() <= 1


def test_probabilities_of_pairs_of_distributions_and_of_named_outcomes():
    high, low = distribution("1000D6") + 10_000, distribution("1000D6")
    assert high.probability_greater(low) <= 1
    assert high.total_variation(low) <= 1
    assert high.kolmogorov_smirnov(low) <= 1
    named = CategoricalDistribution.of(low, lambda total: total)
    assert named.probability(lambda _: True) <= 1
    assert CategoricalDistribution.of(low, lambda _: "all").pmf("all") == 1
    joint = low.joint(total=lambda total: total, any=lambda _: 1)
    assert joint.total() <= 1
    assert joint.marginal("any").pmf(1) == 1
    assert JointDistribution.independent(a=low, b=distribution("2")).total() <= 1
    assert mixture([1, 1, 1], [low, low, low]).cdf(6000) <= 1


def test_a_tail_keeps_its_digits():
    dist = distribution("67D6")
    assert dist.at_least(402) == pytest.approx(6.0**-67, rel=1e-13)
    assert dist.at_least(401) == pytest.approx(68 * 6.0**-67, rel=1e-13)
    rerolled = distribution("reroll(20D6, <119)")  # again unless 119 or 120 is rolled: 21 ways in 6**20
    again = (6**20 - 21) / 6**20
    assert rerolled.at_least(120) == pytest.approx(6.0**-20 * (1 + again), rel=1e-13)
    assert math.fsum(rerolled.to_array()) == pytest.approx(1, abs=1e-15)


def test_a_typed_certainty_is_1():
    assert Distribution({3: 1 - 1e-12}).pmf(3) == 1
