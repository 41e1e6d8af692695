"""A Command Re-roll of one Damage roll: cases that are worked out by hand, and what it goes with."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import weapon
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import serialisation
from mathhammer.errors import MathhammerError

EXACT = pytest.mark.parametrize("exact", [True, False])
#: Many wounds, so that no damage is in excess.
GIANT = wh40k.Target("Giant", toughness=4, save=None, wounds=60)
WOUNDS = Rational(5, 6)


def near(expected: Any) -> Any:
    return pytest.approx(float(expected), rel=1e-12)


# ------------------------------------------------------------------------------------------- several attacks in a row

BOY = wh40k.Target("Boy", toughness=5, save="6+", wounds=2, models=2, wounds_lost=1)
NOB = wh40k.Target("Nob", toughness=5, save="4+", wounds=3, feel_no_pain=5)
BOSS = wh40k.Target("Boss", toughness=6, save="4+", wounds=4)
TARGETS = {
    "equal models": wh40k.Target("Boys", toughness=5, save="6+", wounds=3, models=3, wounds_lost=2),
    "spared": wh40k.Target("Hero", toughness=5, save="6+", wounds=9, wounds_lost=1, damage_to_0=True),
    "mixed": wh40k.TargetUnit("Mob", [BOY, NOB], [BOSS]),
}
SNIPER = weapon("Precision", attacks=2, damage="D3", ap=-1, strength=8)
CANNON = weapon(attacks=2, damage="D6", ap=-2, strength=8)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("first", [True, False])
def test_an_attack_begins_where_another_ended(name, first):
    """The same volleys in one attack and in two: one of them has the re-roll."""
    again: Any = {"reroll_damage": "one"}
    volleys = wh40k.Volley(SNIPER, **again if first else {}), wh40k.Volley(CANNON, **{} if first else again)
    together = wh40k.attack(list(volleys), TARGETS[name], exact=True)
    before = wh40k.attack(volleys[0], TARGETS[name], exact=True)
    after = wh40k.attack(volleys[1], TARGETS[name], start=before, exact=True)
    assert after.state == together.state
    assert after.state != wh40k.attack([SNIPER, CANNON], TARGETS[name], exact=True).state
    plain = wh40k.attack(SNIPER, TARGETS[name], exact=True)
    assert before.state.axes == plain.state.axes
    if name == "equal models":
        assert before.unit == plain.unit


# ---------------------------------------------------------------------------------------------- what is said about it


def test_distributions_on_the_way_and_the_explanation():
    plain = wh40k.attack(CANNON, TARGETS["equal models"], exact=True)
    result = wh40k.attack(CANNON, TARGETS["equal models"], reroll_damage="one", exact=True)
    for name in ("attacks", "hits", "wounds", "unsaved", "mortal_wounds"):
        assert getattr(result, name) == getattr(plain, name)
    (step,) = [step for step in result.explain() if step.name == "One re-roll"]
    assert "the first damage roll below its mean" in step.text
    assert [str(probability) for probability in step.probabilities] == ["below the mean 1/2"]
    # A D6 of which a 1, 2 or 3 is re-rolled: 1/6 + 1/12 for each of 4, 5 and 6, and 1/12 for the others.
    again = sum(Rational(face, 12) for face in range(1, 7)) + sum(Rational(face, 6) for face in (4, 5, 6))
    assert (
        wh40k.attack(
            weapon("Torrent", strength=12, damage="D6"), GIANT, reroll_damage="one", exact=True
        ).damage.mean()
        == WOUNDS * again
    )
    printed = wh40k.attack(weapon(damage=2), GIANT, reroll_damage="one", exact=True)
    assert printed.damage == wh40k.attack(weapon(damage=2), GIANT, exact=True).damage
    assert "has no effect here: Damage 2 is not rolled" in str(printed.explain())


@EXACT
@pytest.mark.parametrize("name", TARGETS)
def test_results_as_texts(exact, name):
    result = wh40k.attack(
        [wh40k.Volley(SNIPER, reroll_damage="one"), wh40k.Volley(CANNON)], TARGETS[name], exact=exact
    )
    read = serialisation.from_text(result.to_text())
    assert read.state == result.state
    assert read.to_text() == result.to_text()


def test_grids_take_single_attacks():
    targets = [TARGETS["equal models"], TARGETS["mixed"], GIANT]
    grid = analysis.grid([CANNON], targets, reroll_damage="one")
    singly = [wh40k.attack(CANNON, target, reroll_damage="one").wounds_lost.mean() for target in targets]
    assert [float(value) for value in grid.mean_wounds_lost[0]] == [near(value) for value in singly]


def test_what_it_does_not_go_with_is_refused():
    with pytest.raises(MathhammerError, match="without reroll_damage='one'"):
        wh40k.fast_roll_check(CANNON, GIANT, reroll_damage="one")
    other = wh40k.Target("Giant", toughness=4, save=None, wounds=61)
    with pytest.raises(MathhammerError, match="on this target"):
        wh40k.attack(CANNON, GIANT, start=wh40k.attack(CANNON, other), reroll_damage="one")
    with pytest.raises(MathhammerError, match="in the arithmetic of this attack"):
        wh40k.attack(CANNON, GIANT, start=wh40k.attack(CANNON, GIANT, exact=True), reroll_damage="one")
