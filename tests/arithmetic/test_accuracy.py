"""Floats are the exact numbers, each rounded once."""

import random
from fractions import Fraction

import pytest

from mathhammer import distribution
from mathhammer.distributions import Distribution

TEXTS = [
    "10D6",
    "300D6+200D3",
    "(30D6)D6",
    "(D6)(D6-3)",
    "highest(10 of 20D6)",
    "20D6-20D6",
    "30(explode(D6, 6, depth 4))",
    "let x = 10D6 in x+(x)D3",
    "given(60D6, 250+)",
    "20D6>=19D6",
]


def rounded(ratio):
    """The float next to a fraction: Python rounds a quotient of integers once."""
    return float(Fraction(int(ratio.p), int(ratio.q)))


@pytest.mark.parametrize("text", TEXTS)
def test_every_float_is_the_exact_number_rounded_once(text):
    exact, floats = distribution(text, exact=True), distribution(text)
    assert (floats.exact, floats.support) == (False, exact.support)
    for outcome in [*exact.support[:40], *exact.support[-40:]]:
        for name in ("pmf", "cdf", "at_least", "ccdf"):
            assert getattr(floats, name)(outcome) == rounded(getattr(exact, name)(outcome))
    assert floats.missing == rounded(exact.missing)
    if not floats.missing:
        assert (floats.mean(), floats.variance()) == (rounded(exact.mean()), rounded(exact.variance()))
        assert [floats.icdf(p) for p in (0.05, 0.5, 0.95)] == [exact.icdf(p) for p in (0.05, 0.5, 0.95)]


@pytest.mark.parametrize("seed", range(20))
def test_rounded_floats_that_are_read_again_stay_the_same_and_sum_to_1(seed):
    rng = random.Random(seed)
    weights = [rng.randint(1, 10 ** rng.randint(1, 12)) for _ in range(rng.randint(2, 40))]
    typed = {k: weight / sum(weights) for k, weight in enumerate(weights)}
    found = Distribution(typed)
    assert {k: found.pmf(k) for k in typed} == typed
    assert (found.missing, found.cdf(len(typed))) == (0, 1)
    assert Distribution.from_json(found.to_json()) == found
