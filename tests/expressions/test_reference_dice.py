"""Every published value of plain dice, in both arithmetics."""

from __future__ import annotations

import pytest
from reference.dice_cases import CASES
from sympy import Rational
from tenth import wh40k

from mathhammer import distribution


def asked(dist, question):
    if question == "mean":
        return dist.mean()
    if question.startswith(">="):
        return dist.at_least(int(question[2:]))
    if question.startswith("<="):
        return dist.cdf(int(question[2:]))
    return dist.pmf(int(question))


@pytest.mark.parametrize(("text", "question", "answer", "source"), CASES)
def test_published_value(text, question, answer, source):
    assert asked(distribution(text, exact=True), question) == Rational(answer), source
    assert asked(distribution(text), question) == pytest.approx(float(Rational(answer)), rel=1e-12, abs=0), (
        source
    )


@pytest.mark.parametrize("exact", [False, True])
def test_forty_attacks_into_ten_models_of_three_wounds(exact):
    """icepool 2.1.3, dyce 0.7.0 and lea 4.4.0 agree on the mean of the models destroyed."""
    weapon = wh40k.Weapon(
        "w", range='24"', attacks=40, skill=None, strength=3, ap=0, damage="D3", keywords="Torrent"
    )
    unit = wh40k.Target("t", toughness=5, save="7+", wounds=3, models=10)
    assert float(wh40k.attack(weapon, unit, exact=exact).kills.mean()) == pytest.approx(
        7.253444367851047, rel=1e-14
    )
