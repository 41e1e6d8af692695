"""Float64 against exact: the relative error of every pmf, cdf and tail value that is a normal float."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpz, fmpz_poly
from sympy import Rational

from mathhammer import dice, distribution
from mathhammer.distributions import Distribution

SUMS = ["10D6", "100D6", "1000D6", "1000D3", "500D10", "300D6+200D3", "999D{1:3, 2:1, 7:1}"]
OTHERS = [
    "(30D6)D6",
    "(D6)(D6-3)",
    "100(reroll(D6, 1))",
    "highest(10 of 20D6)",
    "40(max(D6, D6))",
    "D6×2D6",
    "20D6-20D6",
    "30(explode(D6, 6, depth 4))",
    "let x = 10D6 in x+(x)D3",
    "mixture(1: 100D6, 3: 90D6)",
    "given(60D6, 250+)",
    "20D6>=19D6",
]


def largest_errors(text):
    """Largest relative error of pmf, cdf and at_least over the points that are normal floats."""
    exact, floats = distribution(text, exact=True), distribution(text)
    numerators, denominator = exact._mass.terms()
    found = floats.to_array()
    at = {outcome: found[i] for i, outcome in enumerate(floats.support)}
    errors = [0.0]
    for outcome, numerator in zip(exact.support, numerators, strict=True):
        if numerator and int(numerator) << 1022 >= int(denominator):
            ratio = float_ratio(at.get(outcome, 0.0), int(numerator), int(denominator))
            errors.append(abs(ratio - 1.0))
    return max(errors)


def float_ratio(value, numerator, denominator):
    """Return value / (numerator / denominator), where the fraction may be too small for its parts to be floats."""
    if value == 0.0:
        return 0.0
    a, b = value.as_integer_ratio()
    return (a * denominator) / (b * numerator)


def tail_errors(text, points):
    exact, floats = distribution(text, exact=True), distribution(text)
    errors = []
    for k in points:
        for name in ("cdf", "at_least"):
            true = getattr(exact, name)(k)
            if true >= Rational(1, 2**1022):
                errors.append(abs(float_ratio(getattr(floats, name)(k), int(true.p), int(true.q)) - 1))
    return max(errors)


@pytest.mark.parametrize("text", SUMS)
def test_sums_of_up_to_a_thousand_dice_keep_1e_13(text):
    assert largest_errors(text) <= 1e-13


@pytest.mark.parametrize("text", OTHERS)
def test_anything_keeps_1e_12(text):
    assert largest_errors(text) <= 1e-12


def test_the_extreme_of_100_dice():
    assert distribution("100D6").pmf(600) == pytest.approx(6.0**-100, rel=1e-13, abs=0)
    assert distribution("100D6").at_least(600) == pytest.approx(6.0**-100, rel=1e-13, abs=0)


@pytest.mark.parametrize("text", ["100D6", "1000D6", "highest(10 of 20D6)"])
def test_cumulated_tails_keep_1e_13(text):
    low, high = dice(text).bounds()
    points = [low + (high - low) * i // 24 for i in range(25)]
    assert tail_errors(text, points) <= 1e-13


def test_exact_sum_equals_bare_flint():
    exact = distribution("1000D6", exact=True)
    bare = fmpz_poly([1] * 6) ** 1000
    assert exact._mass.terms() == (bare.coeffs(), fmpz(6) ** 1000)


def test_underflow_is_zero_and_exact_mode_covers_it():
    assert distribution("1000D6").pmf(1000) == 0.0
    assert distribution("1000D6").support[0] > 1000
    assert distribution("1000D6", exact=True).pmf(1000) * 6**1000 == 1


def test_long_sums_drop_what_underflows_and_nothing_else():
    trimmed = distribution("5000D6")
    assert trimmed.to_array().sum() == pytest.approx(1, abs=1e-12)
    exact = distribution("5000D6", exact=True)
    for k in (13500, 15000, 17500, 20000):
        true = exact.pmf(k)
        assert abs(float_ratio(trimmed.pmf(k), int(true.p), int(true.q)) - 1) < 1e-12


def test_variance_of_many_dice_does_not_cancel():
    dist = distribution("100D6")
    assert dist.variance() == pytest.approx(100 * 35 / 12, rel=1e-13)
    assert dist.kurtosis(convention="excess") == pytest.approx(-222 / 17500, rel=1e-9)


def test_memory_of_an_exact_sum_is_a_few_times_its_size():
    dist = distribution("1000D6", exact=True)
    bits = sum(int(numerator).bit_length() for numerator in dist._mass.terms()[0])
    assert bits / 8 < 2_000_000
    assert np.asarray(dist).nbytes == 8 * len(dist.support)


def test_weights_of_any_size_in_a_float_power():
    huge = Distribution.from_weights({0: 10**250, 1: 3 * 10**249 + 1})
    assert huge.repeat(3).pmf(3) == pytest.approx((3 / 13) ** 3, rel=1e-12)
