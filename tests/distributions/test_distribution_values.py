"""What a distribution answers, in both arithmetics by parametrisation."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.stats import randint
from sympy import Rational, Symbol, diff, log, sqrt

from mathhammer import distribution
from mathhammer.distributions import Distribution, JointDistribution, maximum, minimum, mixture, product
from mathhammer.errors import MathhammerError, UnknownNameError

BOTH = pytest.mark.parametrize("exact", [False, True])


def close(value, expected):
    if isinstance(value, float):
        return value == pytest.approx(float(expected), rel=1e-12)
    return value == expected


@BOTH
def test_probabilities_at_and_beyond_the_ends(exact):
    dist = distribution("2D6", exact=exact)
    assert dist.support == range(2, 13)
    assert dist.exact is exact
    for k, pmf, cdf, tail in ((1, 0, 0, 1), (2, "1/36", "1/36", 1), (12, "1/36", 1, "1/36"), (13, 0, 1, 0)):
        assert close(dist.pmf(k), Rational(pmf))
        assert close(dist.cdf(k), Rational(cdf))
        assert close(dist.at_least(k), Rational(tail))
        assert close(dist.ccdf(k - 1), Rational(tail))


@BOTH
def test_arrays_keep_their_shape(exact):
    dist = distribution("D6", exact=exact)
    assert dist.pmf([[1, 2], [7, 0]]).shape == (2, 2)
    assert list(dist.pmf(np.array([7, 0]))) == [0, 0]
    assert dist.icdf([[0, 0.5], [0.51, 1]]).tolist() == [[1, 3], [4, 6]]
    with pytest.raises(TypeError, match="expected a number as outcome, got 'six'"):
        dist.pmf("six")
    with pytest.raises(TypeError, match="expected an array of numbers"):
        dist.pmf(["five", "six"])
    with pytest.raises(
        TypeError, match=r"expected a probability from 0 to 1, or an array of them, got 'half'"
    ):
        dist.icdf("half")
    with pytest.raises(MathhammerError, match=r"expected a probability from 0 to 1, got 1\.5"):
        dist.icdf([0.5, 1.5])


@BOTH
def test_between_outcomes_as_scipy_answers(exact):
    """scipy.stats.randint(1, 7), which is a D6: cdf and sf are step functions, pmf is 0 between outcomes."""
    dist, places = distribution("D6", exact=exact), [-math.inf, 0.5, 1, 3.5, 5.999, 6, 1e300, math.inf]
    theirs = randint(1, 7)
    assert dist.cdf(places).astype(float) == pytest.approx(theirs.cdf(places))
    assert dist.ccdf(places).astype(float) == pytest.approx(theirs.sf(places))
    assert dist.pmf(places).astype(float) == pytest.approx([0, 0, 1 / 6, 0, 0, 1 / 6, 0, 0])
    assert close(dist.at_least(3.5), Rational(1, 2))
    assert close(dist.cdf(Rational(7, 2)), Rational(1, 2))
    with pytest.raises(MathhammerError, match="got nan"):
        dist.cdf(math.nan)


@BOTH
def test_moments(exact):
    dist = distribution("2D6", exact=exact)
    assert close(dist.mean(), 7)
    assert close(dist.variance(), Rational(35, 6))
    assert close(dist.standard_deviation(), sqrt(Rational(35, 6)))
    assert close(dist.moment(2), Rational(329, 6))
    assert abs(dist.skewness()) < 1e-15
    assert close(dist.kurtosis(), Rational(414, 175))
    assert close(dist.kurtosis(convention="excess"), Rational(414, 175) - 3)
    assert close(dist.cumulant(4), Rational(-259, 12))
    assert close(dist.moment(4, kind="central"), dist.variance() ** 2 * 414 / 175)
    assert dist.median() == dist.mode() == 7
    assert dist.icdf(0) == 2
    assert dist.icdf(1) == 12
    assert dist.icdf(Rational(1, 36)) == 2


def test_exact_values_are_symbols_where_they_are_irrational():
    dist = distribution("D6", exact=True)
    assert dist.standard_deviation() == sqrt(Rational(35, 12))
    assert dist.entropy() == log(6)
    assert float(distribution("D6").entropy()) == pytest.approx(math.log(6))


def test_moments_refuse_what_is_undefined():
    with pytest.raises(MathhammerError, match="more than one outcome"):
        distribution("3").skewness()
    with pytest.raises(MathhammerError, match="expected a whole number of 0 or more as order"):
        distribution("D6").moment(-1)
    with pytest.raises(MathhammerError, match="1 or more as order"):
        distribution("D6").cumulant(0)
    with pytest.raises(MathhammerError, match="from 0 to 1"):
        distribution("D6").icdf(1.5)


@BOTH
def test_combining(exact):
    d6, d3 = distribution("D6", exact=exact), distribution("D3", exact=exact)
    assert close((2 @ d6).pmf(7), Rational(1, 6))
    assert close((d6 - d3).pmf(0), Rational(1, 6))
    assert close((1 - d6).mean(), Rational(-5, 2))
    assert close(maximum(d6, d3).pmf(3), Rational(1, 6) + Rational(2, 6) * Rational(1, 3))
    assert close(minimum(d6, d3).mean(), d6.mean() + d3.mean() - maximum(d6, d3).mean())
    assert close(product(d6, d3).mean(), 7)
    assert close(mixture([1, 1], [d6, d3]).mean(), Rational(11, 4))
    assert close(d6.given(lambda k: k > 4).mean(), Rational(11, 2))
    assert close(d6.reroll(lambda k: k == 1).pmf(1), Rational(1, 36))
    assert close(d3.compound(d6 - 2).mean(), 3)
    assert close(d3.compound(-d6).mean(), -7)
    assert close((d3 - 1).compound(d6).pmf(0), Rational(1, 3))
    assert close(d6.map(lambda k: k % 2).mean(), Rational(1, 2))


def test_arithmetics_do_not_mix():
    with pytest.raises(TypeError, match="to_floats"):
        distribution("D6") + distribution("D6", exact=True)
    with pytest.raises(TypeError, match="to_floats"):
        maximum(distribution("D6"), distribution("D6", exact=True))


@BOTH
def test_comparing(exact):
    d6, d6_and_one, two_d3 = (distribution(text, exact=exact) for text in ("D6", "D6+1", "2D3"))
    assert close(d6.probability_greater(d6), Rational(5, 12))
    assert close(d6_and_one.probability_greater(d6), Rational(7, 12))
    assert close(d6.probability_greater(d6 + 10), 0)
    assert close(d6.probability_greater(d6 - 10), 1)
    assert d6_and_one.dominates(d6)
    assert not d6.dominates(d6_and_one)
    assert not two_d3.dominates(d6)
    assert two_d3.dominates(d6, order=2)
    assert close(d6.total_variation(d6_and_one), Rational(1, 6))
    assert close(d6.kolmogorov_smirnov(d6_and_one), Rational(1, 6))
    assert close(d6.earth_mover(d6_and_one), 1)
    with pytest.raises(MathhammerError, match="order 1 or 2"):
        d6.dominates(d6, order=3)


@BOTH
def test_generating_function(exact):
    z = Symbol("z")
    negative = distribution("D3-2", exact=exact).generating_function(z)
    assert close(diff(negative, z, 2).subs(z, 1) * 1, Rational(2, 3)) or not exact
    assert abs(float(negative.subs(z, 1)) - 1) < 1e-15
    assert negative.subs(z, 2) == Rational(1, 3) * (Rational(1, 2) + 1 + 2) or not exact


@BOTH
def test_missing_mass(exact):
    dist = distribution("explode(D6, 6, depth 2)", exact=exact)
    assert close(dist.missing, Rational(1, 216))
    assert close((dist + dist).missing, 1 - Rational(215, 216) ** 2)
    assert close(dist.repeat(5).missing, 1 - Rational(215, 216) ** 5)
    assert close(dist.normalised().missing, 0)
    assert close(dist.normalised().mean() * Rational(215, 216), sum(k * p for k, p in dist.items()))
    assert "missing" in repr(dist)
    assert "Missing" in str(dist)
    assert "missing" in dist._repr_html_()
    for what in (dist.mean, dist.variance, dist.median, dist.entropy, dist.sample):
        with pytest.raises(MathhammerError, match="normalised"):
            what()
    again = Distribution.from_json(dist.to_json())
    assert again == dist
    assert again.missing == dist.missing


def test_tiny_missing_mass_does_not_drown_in_rounding():
    dist = distribution("explode(D6, 6, depth 60)")
    assert dist.missing == pytest.approx(6.0**-61, rel=1e-12)
    assert dist.repeat(3).missing == pytest.approx(3 * 6.0**-61, rel=1e-12)


@BOTH
def test_serialisation(exact):
    dist = distribution("100D6", exact=exact)
    assert Distribution.from_json(dist.to_json()) == dist
    assert pickle.loads(pickle.dumps(dist)) == dist  # noqa: S301 -- our own bytes
    if exact:
        assert Distribution.from_json(dist.to_json()).pmf(600) == Rational(1, 6**100)


def test_integers_longer_than_python_prints_survive():
    dist = Distribution.from_weights({0: 10**5000, 1: 1}, exact=True)
    assert Distribution.from_json(dist.to_json()) == dist


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "null", '{"type": "distribution"}', '{"type": "distribution", "low": 0, "exact": true}',
        '{"type": "distribution", "low": 0, "exact": true, "numerators": ["1"], "denominator": "0"}',
        '{"type": "distribution", "low": 0, "exact": true, "numerators": ["x"], "denominator": "1"}',
        '{"type": "distribution", "low": 0, "exact": true, "numerators": ["2"], "denominator": "1"}',
        '{"type": "distribution", "low": 0, "exact": true, "numerators": ["-1", "2"], "denominator": "1"}',
        '{"type": "distribution", "low": 0.5, "exact": false, "probabilities": [1.0]}',
        '{"type": "distribution", "low": 0, "exact": false, "probabilities": [0.5]}',
        '{"type": "distribution", "low": 0, "exact": false, "probabilities": [NaN]}',
        '{"type": "distribution", "low": 0, "exact": false, "probabilities": [-0.5, 1.5]}',
        '{"type": "distribution", "low": 0, "exact": false, "probabilities": []}',
        '{"type": "distribution", "low": 0, "exact": false, "probabilities": [[1.0]]}',
    ],
)  # fmt: skip
def test_what_is_no_distribution_is_refused(text):
    with pytest.raises(MathhammerError, match="expected"):
        Distribution.from_json(text)


def test_repr_is_executable_and_short():
    dist = distribution("D6")
    assert eval(repr(dist)) == dist  # noqa: S307 -- the repr is executable
    assert len(repr(distribution("1000D6", exact=True))) < 80


def test_immutable():
    dist = distribution("D6")
    with pytest.raises(AttributeError, match="immutable"):
        dist.exact = True
    with pytest.raises(ValueError, match="read-only"):
        dist.to_array()[0] = 1


def test_sampling_is_reproducible_and_fair():
    dist = distribution("2D6")
    drawn = dist.sample(20_000, rng=3)
    assert (drawn == dist.sample(20_000, rng=np.random.default_rng(3))).all()
    assert abs(drawn.mean() - 7) < 0.1
    assert isinstance(dist.sample(rng=1), int)
    assert dist.sample((2, 3), rng=1).shape == (2, 3)


@BOTH
def test_pictures_never_print_a_possible_event_as_0_percent(exact):
    text = str(distribution("10D6", exact=exact))
    assert " 0.00%" not in text
    assert "<0.01%" in text
    assert "mean 35.00" in text
    assert distribution("10D6", exact=exact)._repr_html_().startswith("<div")
    many = distribution("1000D6", exact=exact)._repr_html_()  # bars stand for several outcomes each
    assert many.startswith("<div")
    assert 1 < many.count("<rect") <= 120


@BOTH
def test_joint_distributions(exact):
    joint = distribution("D6", exact=exact).joint(face=lambda f: f, value=lambda f: (f + 1) // 2)
    assert close(joint.pmf((3, 2)), Rational(1, 6))
    assert close(joint.pmf((3, 1)), 0)
    assert close(joint.covariance("face", "value"), Rational(4, 3))
    assert close(joint.covariance("face", "face"), Rational(35, 12))
    assert float(joint.correlation("face", "value")) == pytest.approx(0.9561828874675149)
    assert close(joint.given(value=lambda v: v >= 2).marginal("face").mean(), Rational(9, 2))
    pair = joint.marginal("value", "face")
    assert pair.axes == ("value", "face")
    assert close(pair.pmf((2, 3)), Rational(1, 6))
    assert close(joint.total(), 1)
    assert JointDistribution.from_dict(joint.to_dict()) == joint
    assert pickle.loads(pickle.dumps(joint)) == joint  # noqa: S301 -- our own bytes
    assert joint.to_floats().exact is False
    with pytest.raises(UnknownNameError, match="face, value"):
        joint.marginal("eyes")
    with pytest.raises(MathhammerError, match="can be met"):
        joint.given(value=7)


@BOTH
def test_independent_axes_have_no_covariance(exact):
    d6, d3 = distribution("D6", exact=exact), distribution("D3", exact=exact)
    joint = JointDistribution.independent(a=d6, b=d3)
    assert abs(joint.covariance("a", "b")) < 1e-15
    assert joint.map(lambda a, b: a + b) == d6 + d3 or not exact
    assert close(joint.pmf((6, 3)), Rational(1, 18))
