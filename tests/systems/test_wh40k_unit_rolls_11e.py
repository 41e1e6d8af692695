"""Charges, battle-shock and hazard rolls of the 11th edition, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import unit
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import MathhammerError


def test_charge_limits_of_the_eleventh_edition() -> None:
    """11th edition core rules, 02.02.01: 12" at most after all modifiers; set up more than 8" away, 9 is needed."""
    with pytest.raises(MathhammerError, match=r'more than 2" .* got 2"'):
        wh40k.charge(2, edition="11e")
    assert wh40k.charge(2, more_than=True, edition="11e", exact=True).probability_success == Rational(35, 36)
    far = wh40k.charge(8, more_than=True, modifier=1, edition="11e", exact=True)
    assert far.probability_success == Rational(5, 12)
    assert wh40k.charge(9, modifier=2, edition="11e", exact=True).range.mean() == Rational(80, 9)


@pytest.mark.parametrize(
    ("models", "lost", "strength", "expected"),
    [
        (4, 1, None, 0),
        (4, 2, None, 1),
        (5, 2, None, 0),
        (5, 3, None, 1),
        (5, 0, 10, 1),
        (1, 0, 3, 1),
        (4, 4, None, 0),
    ],
)
def test_half_strength(models: int, lost: int, strength: int | None, expected: int) -> None:
    """11th edition core rules, Battle-shock: at half of the models or below, which odd numbers never are at."""
    after = wh40k.mortal_wounds(lost, unit(models=models, wounds=1), exact=True)
    found = wh40k.probability_half_strength(after, starting_strength=strength, edition="11e")
    assert found == expected


def test_half_strength_of_one_model() -> None:
    """11th edition core rules, Battle-shock: the wounds of a single model."""
    for lost, expected in ((4, 0), (5, 1), (6, 1), (10, 0)):
        after = wh40k.mortal_wounds(lost, unit(wounds=10), exact=True)
        assert wh40k.probability_half_strength(after, edition="11e") == expected


@pytest.mark.parametrize("rule", ["skies", "into_the_fray"])
def test_rules_of_this_edition_alone(rule: str) -> None:
    """They are named as such where they are asked of another."""
    options: Any = {rule: True}
    with pytest.raises(MathhammerError, match="a rule of 11e"):
        wh40k.charge(9, edition="10e", **options)
    assert wh40k.charge(9, edition="11e", **options).edition == "11e"
