"""The distributions of the algebra, by name, in the exact arithmetic; and both arithmetics beside each other."""

from __future__ import annotations

import math
import pickle

import pytest
from dice_strategies import SETTINGS, all_expressions, exact_distributions, weights
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, Symbol, diff

from mathhammer import dice, from_text
from mathhammer.distributions import Distribution, maximum, minimum, mixture, product

POINT = Distribution.from_weights({0: 1}, exact=True)
counts = weights.map(lambda w: Distribution.from_weights({abs(k) % 4: v for k, v in w.items()}, exact=True))


@SETTINGS
@given(exact_distributions, exact_distributions, exact_distributions, counts, st.integers(0, 6))
def test_laws_of_the_algebra(x, y, z, number, n):
    """Sums, mixtures, repeats, compounds, extremes and products, by name and by their means."""
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x + POINT == x == x + 0
    assert mixture([1, 2], [x, y]) + z == mixture([1, 2], [x + z, y + z])
    assert -(x + y) == -x - y
    assert (-x).map(lambda k: -k) == x
    assert x.repeat(n) == sum([x] * n, POINT)
    common = math.lcm(*(int(number.pmf(k).q) for k in number.support))
    weighted = [int(number.pmf(k) * common) for k in number.support]
    assert number.compound(x) == mixture(weighted, [x.repeat(k) for k in number.support])
    assert number.compound(x).mean() == number.mean() * x.mean()
    assert maximum(x, y) == maximum(y, x)
    assert minimum(x, y) == -maximum(-x, -y)
    assert maximum(x, y).mean() + minimum(x, y).mean() == x.mean() + y.mean() == (x + y).mean()
    assert product(x, y).mean() == x.mean() * y.mean()
    assert x.map(lambda k: 3 * k - 1).mean() == 3 * x.mean() - 1
    for order in range(1, 6):
        assert (x + y).cumulant(order) == x.cumulant(order) + y.cumulant(order)


@SETTINGS
@given(exact_distributions)
def test_tails_meet_and_turn_round(x):
    assert sum(p for _, p in x.items()) == 1
    for k in range(x.support[0] - 1, x.support[-1] + 2):
        assert x.cdf(k) + x.ccdf(k) == 1 == x.at_least(k) + x.cdf(k - 1)
    values = [x.cdf(k) for k in x.support]
    assert values == sorted(values)
    assert all(x.icdf(x.cdf(k)) == k for k in dict(x.items()))
    low, high = x.cdf(0), x.ccdf(0)
    if low and high:
        parts = [x.given(lambda k: k <= 0), x.given(lambda k: k > 0)]
        assert mixture([int(low * low.q), int(high * low.q)], parts) == x


@SETTINGS
@given(exact_distributions, exact_distributions, exact_distributions)
def test_orders_and_distances(x, y, z):
    best, worst = maximum(x, y), minimum(x, z)
    for order in (1, 2):
        assert x.dominates(x, order=order)
        assert not (x.dominates(y, order=order) and y.dominates(x, order=order)) or x == y
        assert best.dominates(x, order=order)
        assert x.dominates(worst, order=order)
        assert best.dominates(worst, order=order)
    if x.dominates(y):
        assert x.dominates(y, order=2)
        assert x.mean() >= y.mean()
    for name in ("total_variation", "kolmogorov_smirnov", "earth_mover"):
        far = {(a, b): getattr(p, name)(q) for a, p in enumerate((x, y, z)) for b, q in enumerate((x, y, z))}
        assert far[0, 0] == 0
        assert far[0, 1] == far[1, 0]
        assert far[0, 2] <= far[0, 1] + far[1, 2]
        assert bool(far[0, 1]) == (x != y)
    equal = sum(x.pmf(k) * y.pmf(k) for k in x.support)
    assert x.probability_greater(y) + y.probability_greater(x) + equal == 1


@SETTINGS
@given(exact_distributions, exact_distributions)
def test_generating_functions_of_sums_multiply(x, y):
    z = Symbol("z")
    whole = (x + y).generating_function(z)
    assert (whole - x.generating_function(z) * y.generating_function(z)).expand() == 0


@SETTINGS
@given(exact_distributions, st.integers(1, 3))
def test_derivatives_of_the_generating_function_are_factorial_moments(x, order):
    falling = sum(math.prod(k - i for i in range(order)) * p for k, p in x.items())
    assert diff(x.generating_function("z"), "z", order).subs("z", 1) == falling


@SETTINGS
@given(exact_distributions)
def test_serialisation_keeps_exact_values_exact(x):
    for distribution in (x, x.to_floats()):
        assert Distribution.from_json(distribution.to_json()) == distribution
        assert Distribution.from_dict(distribution.to_dict()) == distribution
        copied = pickle.loads(pickle.dumps(distribution))  # noqa: S301 -- our own bytes
        assert copied == distribution
        assert hash(copied) == hash(distribution)


@SETTINGS
@given(all_expressions)
def test_expressions(expression):
    """A text parses back, the float equals the exact number, and bounds hold."""
    again = dice(str(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert str(again) == str(expression)
    exact, floats = expression.distribution(exact=True), expression.distribution()
    assert [from_text(each.to_text()) for each in (exact, floats, floats + 0)] == [exact, floats, floats + 0]
    assert floats.support == exact.support
    for k, probability in exact.items():
        assert floats.pmf(k) == pytest.approx(float(probability), rel=1e-12, abs=0)
        assert floats.at_least(k) == pytest.approx(float(exact.at_least(k)), rel=1e-12, abs=0)
        assert floats.cdf(k) == pytest.approx(float(exact.cdf(k)), rel=1e-12, abs=0)
    assert floats.missing == pytest.approx(float(exact.missing), rel=1e-12, abs=0)
    assert exact.missing + sum(p for _, p in exact.items()) == 1
    low, high = expression.bounds()
    assert low <= exact.support[0] <= exact.support[-1] <= high


@SETTINGS
@given(exact_distributions)
def test_moments_of_both_arithmetics_agree(x):
    floats = x.to_floats()
    assert floats.mean() == pytest.approx(float(x.mean()), rel=1e-12, abs=1e-13)
    assert floats.variance() == pytest.approx(float(x.variance()), rel=1e-12, abs=1e-13)
    assert floats.entropy() == pytest.approx(float(x.entropy()), rel=1e-12, abs=1e-13)
    assert floats.median() == x.median()
    assert x.moment(2) == x.variance() + x.mean() ** 2
    for order in range(5):
        central = sum(p * (k - x.mean()) ** order for k, p in x.items())
        assert x.moment(order, kind="central") == central
    if x.variance():
        assert floats.skewness() == pytest.approx(float(x.skewness()), rel=1e-9, abs=1e-9)
        assert floats.kurtosis() == pytest.approx(float(x.kurtosis()), rel=1e-9, abs=1e-9)
        assert isinstance(x.mean(), Rational)
