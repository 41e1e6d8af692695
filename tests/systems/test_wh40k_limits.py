"""Every limit is asked before anything is built: what would not fit is refused at once, with little memory."""

from __future__ import annotations

import pytest
from tenth import wh40k

from mathhammer.distributions import kernel
from mathhammer.errors import TooLargeError

pytestmark = pytest.mark.slow

PLASMA = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
SQUAD = wh40k.Target("Squad", toughness=4, save="3+", wounds=2, models=5)


DICED = wh40k.Weapon.parse("Gun: AD6+3 BS3+ S4 AP-1 D1")
MIXED = wh40k.TargetUnit(
    "Mixed",
    [
        wh40k.Target("First", toughness=4, save="5+", wounds=6),
        wh40k.Target("Second", toughness=4, save="6+", wounds=3, models=5),
        wh40k.Target("Third", toughness=4, save="3+", wounds=4, models=9),
    ],
    leaders=[wh40k.Target("Leader", toughness=4, save="2+", wounds=6, feel_no_pain="4+")],
)


def test_the_largest_of_each_is_computed():
    assert wh40k.hazardous(PLASMA, SQUAD, count=2000).probability_destroyed == pytest.approx(1)
    modifiers = [wh40k.Modifier("multiply", by, "a rule", of="damage") for by in (1000, 10)]
    assert wh40k.attack(
        wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP-1 D1"), SQUAD, modifiers=modifiers
    ).damage.support == range(10_001)


def test_the_walks_of_a_question_count_together(monkeypatch):
    """One attack, or a few in turn, are done; hundreds, of which each takes as long, are not."""
    monkeypatch.setattr(kernel, "MAXIMUM_SECONDS", 0.1)
    gun = wh40k.Volley(wh40k.Weapon.parse("Gun: A3 BS5+ S4 AP0 DD3"), 5)
    wall = wh40k.Target("Wall", toughness=8, save="3+", wounds=40, models=5)
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None
    with pytest.raises(
        TooLargeError, match="walks of at most 0 seconds, but those so far and 15 steps over 201"
    ):
        wh40k.needed(gun, wall, 0.9, most=500, exact=True)
    # The one that was refused has left nothing behind.
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None


def test_weights_that_are_too_long_for_a_float():
    """20 weapons of D6+3 attacks that re-roll ones have weights of some 1,500 bits."""
    unit = wh40k.TargetUnit("Unit", MIXED.models[:2], allocation="worst")
    options = {"reroll_hits": "ones", "reroll_wounds": "ones", "count": 20}
    exact = wh40k.attack(DICED, unit, **options, exact=True).kills
    assert wh40k.attack(DICED, unit, **options).kills.mean() == pytest.approx(float(exact.mean()), rel=1e-12)
