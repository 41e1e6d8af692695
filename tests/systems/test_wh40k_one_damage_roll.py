"""A Command Re-roll of one Damage roll: cases that are worked out by hand, and what it goes with."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import distribution, weapon
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import serialisation
from mathhammer.errors import MathhammerError

EXACT = pytest.mark.parametrize("exact", [True, False])
#: Many wounds, so that no damage is in excess.
GIANT = wh40k.Target("Giant", toughness=4, save=None, wounds=60)
#: It hits without a roll and wounds on 2+.
LASCANNON = weapon("Torrent", strength=12, damage="D6+1")
WOUNDS = Rational(5, 6)


def near(expected: Any) -> Any:
    return pytest.approx(float(expected), rel=1e-12)


@EXACT
def test_one_roll(exact):
    """D6+1: 5, 6 or 7 stay, and 2, 3 or 4 become a fresh roll: 1 + (4+5+6)/6 + 1/2 * 7/2."""
    result = wh40k.attack(LASCANNON, GIANT, reroll_damage="one", exact=exact)
    assert float(result.wounds_lost.mean()) == near(WOUNDS * Rational(21, 4))
    lost = {0: Rational(1, 6)}
    lost |= {value: WOUNDS * Rational(1, 12) for value in (2, 3, 4)}
    lost |= {value: WOUNDS * Rational(3, 12) for value in (5, 6, 7)}
    assert {at: float(p) for at, p in distribution(result.wounds_lost).items()} == {
        at: near(p) for at, p in lost.items()
    }


@EXACT
@pytest.mark.parametrize("volleys", [[(LASCANNON, 3)], [(LASCANNON, 1), (LASCANNON, 2)]])
def test_only_the_first_low_roll(exact, volleys):
    """Of n rolls one is low with 1 - 2**-n, and is then worth 3/2 more: n is Bin(3, 5/6), in one volley or two."""
    fired = [wh40k.Volley(*volley) for volley in volleys]
    result = wh40k.attack(fired, GIANT, reroll_damage="one", exact=exact)
    gain = Rational(3, 2) * (1 - (Rational(1, 6) + WOUNDS / 2) ** 3)
    assert float(result.wounds_lost.mean()) == near(3 * WOUNDS * Rational(9, 2) + gain)


def test_dice_that_are_added_together_are_judged_by_their_total():
    """Rules Commentary, Re-rolls: 2D6 re-rolled whole below 7 are 287/36, whatever the reading of "re-roll ones"."""
    gun = weapon("Torrent", strength=12, damage="2D6")
    for ruling in ("whole", "each-die"):
        options = {"rulings": {"damage_reroll_of_several_dice": ruling}, "exact": True}
        result = wh40k.attack(gun, GIANT, reroll_damage="one", **options)
        assert result.wounds_lost.mean() == WOUNDS * Rational(287, 36)


def test_the_dice_are_judged_before_modifiers():
    """D6 halved: 3 and 4 both inflict 2, but a 3 is re-rolled."""
    target = wh40k.Target("Giant", toughness=4, save=None, wounds=60, half_damage=True)
    gun = weapon("Torrent", strength=12, damage="D6")
    result = wh40k.attack(gun, target, reroll_damage="one", exact=True)
    # 1/2 * (1+1+2+2+3+3)/6 of a fresh roll, and 4, 5 and 6 as they are.
    assert result.wounds_lost.mean() == WOUNDS * (1 + Rational(2 + 3 + 3, 6))


def test_a_save_that_is_made_and_a_printed_damage_leave_the_reroll():
    """Two shots, the first of which is saved or of Damage 3: the second has the whole gain of 3/4."""
    shielded = wh40k.Target("Giant", toughness=4, save="4+", wounds=60)
    blunt, sharp = (weapon("Torrent", strength=12, ap=ap, damage="D6") for ap in (0, -6))
    fired = [wh40k.Volley(blunt), wh40k.Volley(sharp)]
    result = wh40k.attack(fired, shielded, reroll_damage="one", exact=True)
    used = WOUNDS / 2 / 2  # wounds, is not saved, shows 1, 2 or 3
    gain = Rational(3, 2) * (used + (1 - used) * WOUNDS / 2)
    assert result.wounds_lost.mean() == WOUNDS * Rational(7, 2) * Rational(3, 2) + gain
    printed = wh40k.Volley(weapon("Torrent", strength=12, damage=3))
    result = wh40k.attack([printed, wh40k.Volley(sharp)], GIANT, reroll_damage="one", exact=True)
    assert result.wounds_lost.mean() == WOUNDS * (3 + Rational(7, 2) + Rational(3, 4))


@pytest.mark.parametrize("timing", ["after-unit", "after-weapon"])
def test_devastating_wounds_count_when_they_are_resolved(timing):
    """First a devastating D3, then a plain D6: which of them has the re-roll first is a ruling on their order."""
    first = wh40k.Volley(
        weapon("Torrent, Devastating Wounds", strength=12, damage="D3"), critical_wound=2, reroll_damage="one"
    )
    second = wh40k.Volley(weapon("Torrent", strength=12, damage="D6"), reroll_damage="one")
    options = {"rulings": {"devastating_timing": timing}, "exact": True}
    result = wh40k.attack([first, second], GIANT, **options)
    # A 1 of a D3 is worth 1 more, and a 1, 2 or 3 of a D6 3/2.
    small, large = (WOUNDS / 3, 1), (WOUNDS / 2, Rational(3, 2))
    (low, gain), (other, more) = (small, large) if timing == "after-weapon" else (large, small)
    plain = WOUNDS * (2 + Rational(7, 2))
    assert result.wounds_lost.mean() == plain + low * gain + (1 - low) * other * more


def test_a_damage_roll_of_which_all_is_ignored_is_made_again_too():
    """Two devastating D3: of one the Ogre lives, of two the Scout had better take the first.

    Made again where it is a 1, a D3 is 1, 2 and 3 with 1, 4 and 4 of 9. The Scout ignores all of it with
    2/3 * 1/9 + 4/9 * 4/9 + 8/27 * 4/9 = 98/243, with 38/243 by a roll that was re-rolled. Then the Ogre, who has
    lost nothing, may take the second, or it is the Scout's again. (Two on the Ogre would kill him with 23/27.)
    """
    scout = wh40k.Target("Scout", toughness=4, save=None, wounds=1, feel_no_pain=3)
    ogre = wh40k.Target("Ogre", toughness=4, save=None, wounds=4)
    target = wh40k.TargetUnit("Pair", [scout, ogre], allocation="best")
    gun = weapon("Torrent, Devastating Wounds", strength=12, attacks=2, damage="D3")
    options = {"critical_wound": 2, "reroll_damage": "one", "exact": True}
    free, bound = (
        wh40k.attack(gun, target, rulings={"ignored_mortal_wounds": option}, **options)
        for option in ("not-allocated", "allocated")
    )
    dies = Rational(145, 243)
    assert free.kills.mean() == WOUNDS**2 * dies
    later = Rational(38, 243) * Rational(43, 81) + Rational(60, 243) * dies
    assert bound.kills.mean() == WOUNDS**2 * (dies + later)


def test_other_volleys_keep_their_own_rules():
    """A volley that re-rolls ones does so, one without a re-roll does not, and mortal wounds are no damage rolls."""
    gun = weapon("Torrent", strength=12, damage="D6")
    fired = [
        wh40k.MortalWounds("D3"),
        wh40k.Volley(gun, reroll_damage="ones"),
        wh40k.Volley(gun, reroll_damage=None),
        wh40k.Volley(gun),
    ]
    result = wh40k.attack(fired, GIANT, reroll_damage="one", exact=True)
    means = Rational(7, 2) + Rational(5, 12), Rational(7, 2), Rational(7, 2) + Rational(3, 4)
    assert result.wounds_lost.mean() == 2 + WOUNDS * sum(means)


def test_triggers_go_with_it():
    """A 6 to wound leaves no save of 4+: 1/6 + 4/6 * 1/2 get through."""
    target = wh40k.Target("Giant", toughness=4, save="4+", wounds=60)
    rending = wh40k.Trigger("wound", "unmodified 6", "Rending", improve_ap=3, mortal_wounds=1)
    gun = weapon("Torrent", strength=12, damage="D6")
    result = wh40k.attack(gun, target, reroll_damage="one", triggers=[rending], exact=True)
    assert result.wounds_lost.mean() == Rational(1, 2) * Rational(17, 4) + Rational(1, 6)


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


def test_each_attack_has_its_own_reroll():
    first = wh40k.attack(LASCANNON, GIANT, reroll_damage="one", exact=True)
    second = wh40k.attack(LASCANNON, GIANT, start=first, reroll_damage="one", exact=True)
    assert second.wounds_lost.mean() == 2 * WOUNDS * Rational(21, 4)
    assert first.new_phase().wounds_lost == first.wounds_lost


def test_what_an_attacker_meets_is_seen_without_the_reroll():
    """Blast counts the models left: 5 of them give one more attack, 4 none."""
    squad = wh40k.Target("Squad", toughness=4, save=None, wounds=1, models=5)
    blast = weapon("Torrent, Blast", strength=12, damage="D3")
    begun = wh40k.attack(weapon("Torrent", strength=12, damage="D3"), squad, reroll_damage="one", exact=True)
    after = wh40k.attack(blast, squad, start=begun, reroll_damage="one", exact=True)
    assert after.attacks.mean() == 1 + Rational(1, 6)


@pytest.mark.parametrize("name", ["equal models", "mixed"])
def test_shares_of_volleys(name):
    """The shares add up to the losses; what the first volley leaves over is what it leaves without the second."""
    volleys = [wh40k.Volley(CANNON, 2, reroll_damage="one"), wh40k.Volley(SNIPER, 2, reroll_damage="one")]
    start = wh40k.attack(SNIPER, TARGETS[name], exact=True)
    (done,) = wh40k.activations([volleys], TARGETS[name], start=start, exact=True)
    kills, lost = ([getattr(share, what) for share in done.shares] for what in ("kills", "wounds_lost"))
    assert start.kills.mean() + sum(kills) == done.result.kills.mean()
    assert start.wounds_lost.mean() + sum(lost) == done.result.wounds_lost.mean()
    alone = wh40k.attack(volleys[0], TARGETS[name], start=start, exact=True)
    assert kills[0] == alone.kills.mean() - start.kills.mean()
    best = wh40k.best_order(list(reversed(volleys)), TARGETS[name], start=start, exact=True)
    assert best.result.kills.mean() >= done.result.kills.mean()


def test_attacks_left_over():
    """A D6 against two wounds: the first attack kills unless it fails to wound, or shows 1 and then 1 again."""
    target = wh40k.Target("One", toughness=4, save=None, wounds=2)
    gun = weapon("Torrent", strength=12, attacks=2, damage="D6")
    (done,) = wh40k.activations([wh40k.Volley(gun, reroll_damage="one")], target, exact=True)
    assert done.expected_waste == WOUNDS * (Rational(1, 2) + Rational(1, 2) * Rational(5, 6))


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


def test_models_that_explode():
    target = wh40k.Target("Walker", toughness=4, save=None, wounds=2, deadly_demise=1)
    result = wh40k.attack(
        weapon("Torrent", strength=12, damage="D3"), target, reroll_damage="one", exact=True
    )
    # Dead unless the roll is a 1 twice, and then on a 6.
    assert result.deadly_demise.mean() == WOUNDS * Rational(8, 9) / 6
    assert result.kills_of("Walker") == result.kills


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
