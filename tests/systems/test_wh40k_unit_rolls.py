"""Charges, battle-shock, and dice that units roll against themselves or others, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import distribution, unit
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError


def left(models: int, lost: int, **profile: Any) -> Any:
    target = unit(models=models, wounds=1, **profile)
    return wh40k.mortal_wounds(lost, target, exact=True)


@pytest.mark.parametrize(
    ("models", "lost", "strength", "expected"),
    [
        (4, 1, None, 0),
        (4, 2, None, 0),
        (5, 2, None, 0),
        (5, 3, None, 1),
        (5, 0, 10, 0),
        (1, 0, 3, 1),  # the last of three models, whose own wounds say nothing
        (4, 4, None, 0),  # nobody is left
    ],
)
def test_half_strength(models: int, lost: int, strength: int | None, expected: int) -> None:
    """Core rules, Below Half-strength: fewer than half of the models that the unit began with."""
    options: Any = {"starting_strength": strength, "edition": "10e"}
    assert wh40k.probability_half_strength(left(models, lost), **options) == expected


def test_half_strength_of_one_model() -> None:
    """Core rules, Below Half-strength: the wounds of a single model."""
    tank = unit(wounds=10)
    for lost, expected in ((4, 0), (5, 0), (6, 1), (10, 0)):
        after = wh40k.mortal_wounds(lost, tank, exact=True)
        assert wh40k.probability_half_strength(after, edition="10e") == expected


@pytest.mark.parametrize(
    ("toughness", "enemy", "own", "six"),
    [
        (9, "19622/6561", "5038517/3359232", "835/19683"),
        (12, "230902/59049", "120843931/60466176", "31483/177147"),
    ],
)
def test_crushing_impact(toughness: int, enemy: str, own: str, six: str) -> None:
    """11th edition core stratagems, Crushing Impact: 5+ on the enemy, 1 on the own unit, 6 at most on either."""
    found = wh40k.crushing_impact(toughness, exact=True)
    assert found.total() == 1
    assert found.marginal("enemy").mean() == Rational(enemy)
    assert found.marginal("own").mean() == Rational(own)
    assert found.marginal("enemy").pmf(6) == Rational(six)
    assert distribution(found.marginal("enemy")) == distribution(
        wh40k.tank_shock(toughness).distribution(exact=True)
    )
    one = wh40k.crushing_impact(1, exact=True)
    assert dict(one.items()) == {(0, 0): Rational(1, 2), (1, 0): Rational(1, 3), (0, 1): Rational(1, 6)}


def test_escape_without_a_battle_shock_roll() -> None:
    """There is no chance to be shocked where nothing is rolled."""
    with pytest.raises(MathhammerError, match="with the leadership of the unit"):
        _ = wh40k.desperate_escape(unit(), edition="10e").probability_shocked


def test_a_charge_that_reaches_nothing_is_shown() -> None:
    assert "P(success) 0%" in str(wh40k.charge(5, modifier=-12))
