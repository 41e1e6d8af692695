"""Units one after another: the order of weapons, attacks left over, what each weapon did, conditions in between."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
import translation
from tenth import wh40k
from translation import mixed_unit

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError

parse = wh40k.Weapon.parse
BOLTER = parse("Bolter: A2 BS3+ S4 AP0 D1 [SUSTAINED HITS 1]")
MELTA = parse("Melta: A1 BS3+ S9 AP-4 DD6 [DEVASTATING WOUNDS]")
PLASMA = parse("Plasma: AD3 BS3+ S7 AP-2 D2 [LETHAL HITS, DEVASTATING WOUNDS, PRECISION]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=3, feel_no_pain="6+")


@pytest.mark.parametrize("target", [MARINES, mixed_unit()], ids=["equal", "mixed"])
@pytest.mark.parametrize("order", list(permutations([BOLTER, MELTA, PLASMA])), ids=lambda o: o[0].name)
def test_shares_add_up(target, order):
    """Every model and wound lost was lost to one volley; the last to come leave most over."""
    (done,) = wh40k.activations([[wh40k.Volley(each, 2) for each in order]], target, exact=True)
    assert sum(share.kills for share in done.shares) == done.result.kills.mean()
    assert sum(share.wounds_lost for share in done.shares) == done.result.wounds_lost.mean()
    left_over = [share.attacks_left_over / share.attacks for share in done.shares]
    assert left_over == sorted(left_over)
    assert sum(share.attacks for share in done.shares) == done.result.attacks.mean()


def test_attacks_left_over_by_counting():
    """Core Rules Updates: attacks on a destroyed unit are lost."""
    target = wh40k.Target("Two", toughness=4, save="4+", wounds=1, models=2)
    weapon = parse("Gun: A2D3 BS3+ S4 AP0 D1")
    done = wh40k.activations([weapon], target, exact=True)[0]
    each = Fraction(2, 3) * Fraction(1, 2) * Fraction(1, 2)
    expected = Fraction(0)
    for number, weight in {2: 1, 3: 2, 4: 3, 5: 2, 6: 1}.items():
        for made in range(2, number):
            # destroyed by exactly this attack
            chance = (made - 1) * each**2 * (1 - each) ** (made - 2)
            expected += Fraction(weight, 9) * chance * (number - made)
    assert translation.plain_number(done.expected_waste) == expected
    assert abs(wh40k.activations([weapon], target)[0].expected_waste - float(expected)) < 1e-15


def test_a_second_unit_meets_what_the_first_left():
    one, two = wh40k.activations([[BOLTER, MELTA], wh40k.Volley(PLASMA, 2)], MARINES, exact=True)
    alone = wh40k.attack([BOLTER, MELTA], MARINES, exact=True)
    assert dict(one.result.state.items()) == dict(alone.state.items())
    again = wh40k.attack(wh40k.Volley(PLASMA, 2), MARINES, start=alone, exact=True)
    assert dict(two.result.state.items()) == dict(again.state.items())
    # a unit of its own resolves its devastating wounds before the next one shoots
    together = wh40k.attack([BOLTER, MELTA, wh40k.Volley(PLASMA, 2)], MARINES, exact=True)
    assert together.kills.mean() != two.result.kills.mean()


def test_what_if_the_first_unit_failed():
    """Conditions: three models left after the first unit, how likely is the finish?"""
    first = wh40k.attack(wh40k.Volley(BOLTER, 3), MARINES, exact=True)
    failed = first.given(lambda state: state == (0, 0))
    assert failed.kills.pmf(0) == 1
    finish = wh40k.activations([wh40k.Volley(MELTA, 3)], MARINES, start=failed, exact=True)[0]
    fresh = wh40k.attack(wh40k.Volley(MELTA, 3), MARINES, exact=True)
    assert finish.result.probability_destroyed == fresh.probability_destroyed
    lucky = first.given(lambda state: state[0] >= 1)
    better = wh40k.attack(wh40k.Volley(MELTA, 3), MARINES, start=lucky, exact=True)
    assert better.probability_destroyed > fresh.probability_destroyed
    with pytest.raises(MathhammerError):
        first.given(lambda state: state[0] > 3)


def test_d1_before_d2_and_after():
    """Section Inflict Damage: D1 then D2 on two-wound models is (1, 0), D2 then D1 is (1, 1)."""
    one, two = parse("One: A1 S8 AP0 D1 [TORRENT]"), parse("Two: A1 S8 AP0 D2 [TORRENT]")
    unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=3)
    assert wh40k.attack([one, two], unit, exact=True).state.pmf((1, 1)) == 0
    assert wh40k.best_order([one, two], unit, objective="wounds_lost").volleys[0].weapon == two
    kept = wh40k.best_order([one, two], unit, objective="kills").volleys[0].weapon
    assert kept == one  # a model dies where the second wounds, in either order: that given stands


def test_points_of_a_mixed_unit():
    unit = mixed_unit()
    best = wh40k.best_order([BOLTER, PLASMA], unit, objective="points")
    assert {each.weapon.name for each in best.volleys} == {"Bolter", "Plasma"}


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="'given' or 'best' as order"):
        wh40k.activations([BOLTER], MARINES, order="random")
    with pytest.raises(UnknownNameError, match="expected objective of"):
        wh40k.best_order(BOLTER, MARINES, objective="luck")
    with pytest.raises(TooLargeError, match="at most 7 volleys"):
        wh40k.best_order([wh40k.Volley(BOLTER, n) for n in range(1, 9)], MARINES)
    with pytest.raises(MathhammerError, match="at least one unit"):
        wh40k.activations([], MARINES)
    planned = wh40k.activations([BOLTER], mixed_unit(allocation="best"))[0]
    with pytest.raises(MathhammerError, match="plan"):
        _ = planned.shares
    with pytest.raises(UnknownNameError, match="expected 'given' or 'best' or 'worst' as allocation"):
        mixed_unit(allocation="random")
