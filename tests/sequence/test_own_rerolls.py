"""A single re-roll of a volley's own is gone with the volley, spent or not."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.sequence.attack_game import AttackGame
from mathhammer.sequence.attack_solution import AttackSolution
from mathhammer.sequence.attack_view import Turn
from mathhammer.sequence.resolution import shared_rerolls
from mathhammer.sequence.rolled_dice import rolled_at_once
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.volleys import read_entries
from mathhammer.systems.wh40k.sequence.compile import compile_entries, unit_of

GUN = wh40k.Weapon.parse("Gun: A2 BS4+ S4 AP0 D2")
UNIT = wh40k.TargetUnit(
    "Unit",
    [
        wh40k.Target("Ogre", toughness=4, save="4+", wounds=3),
        wh40k.Target("Guard", toughness=4, save="5+", wounds=1),
    ],
    allocation="best",
)


@pytest.mark.parametrize("roll", ["reroll_hits", "reroll_wounds", "reroll_saves"])
def test_no_position_holds_the_re_roll_of_an_earlier_volley(roll):
    """Rules Commentary, Rules That Allow One Re-roll: of the attacks of that weapon."""
    volleys = [wh40k.Volley(GUN, **{roll: "one"}), wh40k.Volley(GUN)]
    edition = find_edition("10e").by_default
    compiled = [each.volley for each in compile_entries(read_entries(volleys, {}), UNIT, edition)]
    unit = unit_of(UNIT, edition)
    game = AttackGame([Turn(volley, [rolled_at_once(volley)]) for volley in compiled], unit)
    AttackSolution(game, game.start(unit.first, exact=True), unit.kills())
    assert not shared_rerolls(compiled)
    assert any(key.held for key in game.keys if key.part == 0)
    assert not any(key.held for key in game.keys if key.part > 0)


def test_a_shared_reroll_is_left_to_a_later_volley():
    """One shot of each of two volleys is what two shots of one are.

    Each wounds, fails to wound, fails to hit with 1/3, and after the last, once, again. Of two shots neither wounds
    with 1/3 * 5/9 + 2/9 * 2/3, both with 1/3 * 4/9 + 1/9 * 1/3.
    """
    rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D1")
    guards = wh40k.Target("Guards", toughness=4, save=None, wounds=1, models=2)
    big = wh40k.Target("Big", toughness=4, save=None, wounds=5, models=1)
    apart = [wh40k.Volley(rifle), wh40k.Volley(rifle)]
    for weapons in (wh40k.Volley(rifle, 2), apart):
        kills = wh40k.attack(weapons, guards, exact=True, reroll_hits="one").kills
        assert [kills.pmf(k) for k in range(3)] == [Rational(1, 3), Rational(13, 27), Rational(5, 27)]
        lost = wh40k.attack(weapons, big, exact=True, reroll_hits="one").wounds_lost
        assert [lost.pmf(k) for k in range(3)] == [Rational(1, 3), Rational(13, 27), Rational(5, 27)]
        floats = wh40k.attack(weapons, big, reroll_hits="one").wounds_lost
        assert floats.pmf(2) == pytest.approx(5 / 27, rel=1e-14)
