"""Core rules, Hints and Tips: Fast Dice Rolling: when attacks may be rolled together, and what it would change."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
from tenth import wh40k
from translation import points

from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.dice_order import losses_in_order
from mathhammer.sequence.group import Group

parse = wh40k.Weapon.parse
PAIR = wh40k.Target("Pair", toughness=4, save=None, wounds=2, models=4)


def lost(damages, models=4, wounds=2):
    return losses_in_order(damages, Group("Model", models, wounds))


def test_the_example_of_the_rules():
    """1, 2, 3 destroys two models; 3, 2, 1 destroys two and leaves the third with one wound."""
    assert divmod(lost((1, 2, 3)), 2) == (2, 0)
    assert divmod(lost((3, 2, 1)), 2) == (2, 1)


@pytest.mark.parametrize("exact", [True, False])
def test_three_dice_against_two_wound_models(exact):
    """The same dice, all 27 rolls of them: one at a time, in the kindest and in the cruellest order."""
    gun = parse("Gun: A3 S8 AP0 DD3 [TORRENT, LETHAL HITS]")
    check = wh40k.fast_roll_check(gun, PAIR, exact=exact)
    assert not check.allowed
    assert check.hits_and_wounds == ()
    assert check.saves == ("Damage D3 is random",)
    chance = Fraction(5, 6)  # each wounds on 2+, and none is saved
    expected = {"one_at_a_time": {}, "for_defender": {}, "for_attacker": {}}
    for wounded in product([False, True], repeat=3):
        for rolls in product([1, 2, 3], repeat=sum(wounded)):
            weight = chance ** sum(wounded) * (1 - chance) ** (3 - sum(wounded)) / 3 ** sum(wounded)
            orders = [lost(order) for order in permutations(rolls)]
            for name, losses in zip(expected, (lost(rolls), min(orders), max(orders)), strict=True):
                expected[name][divmod(losses, 2)] = expected[name].get(divmod(losses, 2), 0) + weight
    for name, distribution in expected.items():
        found = points(getattr(check, name).state)
        assert found.keys() == distribution.keys()
        assert all(
            abs(found[state] - (distribution[state] if exact else float(distribution[state]))) < 1e-15
            for state in distribution
        )
    assert "Damage D3 is random" in str(check)


HEX = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=1)


def test_too_many_kinds_of_dice_are_refused_at_once():
    gun = parse("Gun: A300 S8 AP0 DD3 [TORRENT, DEVASTATING WOUNDS]")
    with pytest.raises(TooLargeError, match="results of damage dice"):
        wh40k.fast_roll_check(gun, PAIR, triggers=HEX)


def test_what_may_be_rolled_together():
    bolter = parse("Bolter: A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1]")
    check = wh40k.fast_roll_check(bolter, wh40k.TARGETS["MEQ"], count=5, exact=True)
    assert check.allowed
    assert check.for_defender is check.for_attacker is check.one_at_a_time


def test_an_edition_that_rolls_attacks_together() -> None:
    with pytest.raises(
        MathhammerError, match="'9e' or '10e', got '11e': the Warhammer 40,000 11th edition has"
    ):
        wh40k.fast_roll_check("5x Gun: A1 BS3+ S4 AP0 D1", "MEQ", edition="11e")
    assert wh40k.fast_roll_check("5x Gun: A1 BS3+ S4 AP0 D1", "MEQ").ruling == "similar"
