"""Exact results whose fractions have thousands of digits: shown at once, as what they are, and there in full.

``str`` of an integer of more than 4,300 digits is an error of Python, and SymPy takes the square root of a fraction by
factoring it, which never ends where both parts are large.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from sympy import Rational, sqrt
from tenth import wh40k

from mathhammer import Distribution, JointDistribution, distribution
from mathhammer.cli import main
from mathhammer.display.numbers import exact_number, fraction
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems import t9a

pytestmark = pytest.mark.slow

#: A denominator of 5,061 digits without small factors: the product of two Mersenne primes.
LONG = (2**9689 - 1) * (2**7121 - 1)
COIN = Distribution.from_dict(
    {"type": "distribution", "exact": True, "low": 0, "numerators": ["1", fraction(LONG - 1, 1)],
     "denominator": fraction(LONG, 1)}
)  # fmt: skip


def fights():
    """Attacks of so many dice that a probability has thousands of digits."""
    rifle = wh40k.Weapon.parse("Rifle: AD6+4 BS3+ S5 AP-1 DD3 [SUSTAINED HITS D3, LETHAL HITS, BLAST]")
    target = wh40k.Target("Ghouls", toughness=4, save="4+", wounds=3, models=40, feel_no_pain="5+")
    yield wh40k.attack([wh40k.Volley(rifle, 24)], target, exact=True)
    yield t9a.attack(
        t9a.ModelPart.parse("Mob: 3600 attacks, Off 4, Str 4, AP 1"),
        t9a.Target.parse("Wall: 900 models, Def 3, Res 4, Arm 2, Aegis 5+"),
        exact=True,
    )


@pytest.mark.parametrize("result", list(fights()), ids=lambda result: type(result).__module__.split(".")[-2])
def test_results_show_themselves(result):
    dist = max((result.kills, result.wounds_lost), key=lambda dist: dist._mass.weights()[1])
    assert dist._mass.weights()[1] > 10**4300  # or the test asks nothing
    for shown in (dist, result, result.explain()):
        for text in (str(shown), repr(shown), shown._repr_html_()):
            assert text
            assert max(map(len, text.splitlines())) < 200_000
    assert float(dist.standard_deviation()) == pytest.approx(float(dist.variance()) ** 0.5)
    assert float(dist.skewness()) == pytest.approx(
        float(dist.moment(3, kind="central")) / float(dist.variance()) ** 1.5
    )
    assert Distribution.from_json(dist.to_json()) == dist


def test_a_distribution_with_a_long_fraction():
    assert str(COIN) == (
        "outcome  probability  at least\n"
        f"      0       <0.01%      100%  ▏\n      1      >99.99%   >99.99%  {'█' * 48}\n"
        "Exact values of up to 10,123 characters do not fit this page.\n"
        "mean 1.00, standard deviation <0.01, median 1, 5% to 95%: 1 to 1"
    )
    assert repr(COIN) == "<Distribution 0..1, exact, mean 1>"
    # The variance of a coin is p(1 - p); the deviation is its root and nothing else.
    variance = Rational(LONG - 1, LONG**2)
    assert COIN.variance() == variance
    assert COIN.standard_deviation().args[0] == variance


def test_a_short_root_is_what_sympy_makes_of_it():
    dist = distribution("D6", exact=True)
    assert dist.standard_deviation() == sqrt(Rational(35, 12))
    # Of two heads in three throws: the third central moment over the variance to 3/2, by hand.
    coin = Distribution({0: Rational(2, 3), 1: Rational(1, 3)})
    assert coin.skewness() == sqrt(2) / 2
    assert coin.kurtosis() == Rational(3, 2)
    pair = JointDistribution.independent(a=coin, b=coin)
    assert pair.correlation("a", "b") == 0
    same = coin.joint(a=lambda k: k, b=lambda k: 1 - k)
    assert same.correlation("a", "b") == -1


def test_a_correlation_of_long_fractions():
    both = COIN.joint(a=lambda k: k, b=lambda k: 3 * k)
    assert float(both.correlation("a", "b")) == pytest.approx(1)
    for text in (str(both), repr(both), both._repr_html_()):
        assert text


def test_missing_mass_of_many_digits():
    dist = Distribution.from_dict({**COIN.to_dict(), "numerators": ["0", fraction(LONG - 1, 1)]})
    assert dist.missing == Rational(1, LONG)
    assert repr(dist).endswith("missing a fraction of 5,062 digits>")
    for text in (str(dist), dist._repr_html_()):
        assert "0.01% (a fraction of 5,062 digits)" in text
    with pytest.raises(
        ValueError,
        match=r"expected a distribution without missing mass for its mean, but a fraction of 5,062 digits is missing",
    ):
        dist.mean()


def test_parts_of_explanations():
    step = Step("Roll", "one", (), (Probability("hit", 1, LONG),))
    assert str(step).endswith("= hit a fraction of 5,062 digits")
    explanation = Explanation("Long", (step,))
    assert "a fraction of 5,062 digits" in explanation._repr_html_()
    assert Probability("hit", 1, LONG).denominator == LONG


def test_other_distributions():
    dist = CategoricalDistribution.of(COIN, lambda k: "hit" if k else "miss", ("miss", "hit"))
    for text in (repr(dist), str(dist), dist._repr_html_()):
        assert "hit" in text
    assert "a fraction of 5,062 digits" in str(dist)
    assert repr(IntegerDistribution(0, (1, LONG - 1), LONG)).startswith("IntegerDistribution(low=0")


def test_numbers_beside_their_fractions():
    assert exact_number(1 / 3) == "0.333333"
    assert exact_number(Rational(1, 3)) == "1/3 = 0.333333"
    assert exact_number(Rational(1, LONG)) == "0 (a fraction of 5,062 digits)"
    assert fraction(1, LONG, limit=400) == "a fraction of 5,062 digits"
    assert fraction(-1, 3, limit=4) == "-1/3"


def test_the_command_line():
    arguments = ["40k", "attack", "Rifle: AD6+4 BS3+ S5 AP-1 DD3 [SUSTAINED HITS D3, BLAST]", "--count", "16"]
    arguments += ["--target", "Ghouls: 40x T4 Sv4+ W3 Fnp5+", "--exact", "--explain"]
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.exception) == (0, None)
    assert "P(destroyed)" in result.output
    whole = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).output)
    assert len(whole["exact"]["P(destroyed)"]) > 4300
