"""A rule that changes the Damage of one attack to 0: once in a phase, and which one is a ruling."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError

#: All hit, and wound on 2+; no save is left.
ONE = wh40k.Weapon.parse("One: A1 S8 AP-6 D1 [TORRENT]")
TWO = wh40k.Weapon.parse("Two: A1 S8 AP-6 D2 [TORRENT]")
THREE = wh40k.Weapon.parse("Three: A1 S8 AP-6 D3 [TORRENT]")
MELTA = wh40k.Weapon.parse("Melta: A1 S8 AP-6 DD6 [TORRENT, MELTA 2]")
EXACT = pytest.mark.parametrize("exact", [True, False])


def hero(wounds: int = 3, models: int = 1, **more: object) -> wh40k.Target:
    return wh40k.Target(
        "Hero",
        toughness=4,
        save="3+",
        wounds=wounds,
        models=models,
        damage_to_0=True,
        **more,  # type: ignore[arg-type]
    )


@EXACT
@pytest.mark.parametrize(
    ("ruling", "lost"),
    # Both attacks wound with 25 of 36, one of them with 10.
    [
        ("first-failed-save", {0: Rational(11, 36), 2: Rational(25, 36)}),
        ("best-failed-save", {0: Rational(11, 36), 2: Rational(25, 36)}),
        ("off", {0: Rational(1, 36), 2: Rational(10, 36), 3: Rational(25, 36)}),
    ],
)
def test_one_failed_save_inflicts_nothing(exact, ruling, lost):
    result = wh40k.attack(TWO, hero(), count=2, rulings={"damage_to_0": ruling}, exact=exact)
    for wounds in range(4):
        assert float(result.wounds_lost.pmf(wounds)) == pytest.approx(float(lost.get(wounds, 0)), rel=1e-12)
    assert result.rulings["damage_to_0"] == ruling
    assert ("Damage to 0" in str(result.explain())) is (ruling != "off")


@EXACT
def test_the_first_and_the_best_failed_save_differ_where_damages_do(exact):
    """A small hit and then a large one on three wounds: who keeps the rule for the large one survives for certain."""
    volleys = [wh40k.Volley(ONE), wh40k.Volley(THREE)]
    first = wh40k.attack(volleys, hero(), exact=exact)
    best = wh40k.attack(volleys, hero(), rulings={"damage_to_0": "best-failed-save"}, exact=exact)
    assert float(first.probability_destroyed) == pytest.approx(25 / 36, rel=1e-12)
    assert float(best.probability_destroyed) == 0
    # He has to keep it: nobody knows yet whether the large attack will wound.
    assert float(best.wounds_lost.pmf(1)) == pytest.approx(5 / 6, rel=1e-12)


def test_melta_still_adds_to_damage_0_unless_0_is_final():
    """Damage 0 with Melta 2 is 2 (Rules Commentary, Modifiers), and 0 where a set value is final."""
    melta = wh40k.Volley(MELTA, half_range=True)
    assert wh40k.attack(melta, hero(9), exact=True).wounds_lost.pmf(2) == Rational(5, 6)
    final = wh40k.attack(melta, hero(9), rulings={"damage_set_to_0": "final"}, exact=True)
    assert final.wounds_lost.pmf(0) == 1


def test_units_one_after_another_share_one_use_and_their_shares_add_up():
    """The first unit's wound is changed to 0, 5/6 of the time; the second's is not, unless the first missed."""
    first, second = wh40k.activations([TWO, TWO], hero(9), exact=True)
    assert second.result.wounds_lost.pmf(2) == Rational(25, 36)
    assert (first.shares[0].wounds_lost, second.shares[0].wounds_lost) == (0, Rational(25, 18))


def test_a_reduction_to_a_minimum_of_1_leaves_0():
    assert wh40k.attack(TWO, hero(damage_reduction=1), exact=True).wounds_lost.pmf(0) == 1


def test_who_ignores_modifiers_of_damage_ignores_this_one():
    """Rules Commentary, Ignoring Modifiers: that Damage is changed to another value is a modifier, too."""
    assert wh40k.attack(TWO, hero(9), exact=True).wounds_lost.pmf(0) == 1
    ignoring = wh40k.attack(TWO, hero(9), ignore_modifiers="damage", exact=True)
    assert ignoring.wounds_lost.pmf(2) == Rational(5, 6)


def test_no_save_is_failed_by_devastating_and_mortal_wounds():
    devastating = wh40k.Weapon.parse("Sure: A1 S1 AP0 D2 [TORRENT, DEVASTATING WOUNDS]")
    target = wh40k.Target("Hero", toughness=12, save="3+", wounds=9, damage_to_0=True)
    assert wh40k.attack(devastating, target, exact=True).wounds_lost.pmf(2) == Rational(1, 6)
    assert wh40k.mortal_wounds(2, target, exact=True).wounds_lost.pmf(2) == 1


def test_a_later_attack_of_the_phase_is_not_spared_again_but_one_of_a_later_phase_is():
    first = wh40k.attack(TWO, hero(9), exact=True)
    spared = Rational(5, 6)
    same = wh40k.attack(TWO, hero(9), start=first, exact=True)
    assert same.wounds_lost.pmf(2) == spared * Rational(5, 6)
    later = wh40k.attack(TWO, hero(9), start=first.new_phase(), exact=True)
    assert later.wounds_lost.pmf(0) == 1


def test_only_the_kind_that_has_the_rule_is_spared():
    """Two unsaved attacks of Damage 1: the bodyguard dies of the first, the leader is spared the second."""
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    unit = wh40k.TargetUnit("Guarded", [guard], leaders=[hero(1)])
    result = wh40k.attack(ONE, unit, count=3, exact=True)
    assert result.kills_of("Guard").pmf(1) == 1 - Rational(1, 216)
    assert result.kills_of("Hero").pmf(1) == Rational(125, 216)


@EXACT
def test_several_models_share_one_use(exact):
    """Bin(3, 5/6) failed saves, of which one does nothing, on models of one wound."""
    result = wh40k.attack(ONE, hero(1, models=3), count=3, exact=exact)
    expected = {0: 1 / 216 + 15 / 216, 1: 75 / 216, 2: 125 / 216}
    for kills, probability in expected.items():
        assert float(result.kills.pmf(kills)) == pytest.approx(probability, rel=1e-12)


def test_the_best_use_is_never_worse_than_the_first_failed_save():
    gun = wh40k.Weapon.parse("Gun: A3 BS3+ S6 AP-1 DD3")
    volleys = [wh40k.Volley(gun), wh40k.Volley(MELTA)]
    first = wh40k.attack(volleys, hero(4), exact=True)
    best = wh40k.attack(volleys, hero(4), rulings={"damage_to_0": "best-failed-save"}, exact=True)
    assert best.kills.mean() < first.kills.mean()


def test_what_it_does_not_go_with_is_refused():
    with pytest.raises(MathhammerError, match="expected True or False as damage_to_0"):
        wh40k.Target(
            "x",
            toughness=4,
            save=3,
            wounds=1,
            damage_to_0=1,  # type: ignore[arg-type]
        )
    with pytest.raises(MathhammerError, match="without damage_to_0"):
        wh40k.fast_roll_check(ONE, hero())
    with pytest.raises(MathhammerError, match="distribution of damage"):
        _ = wh40k.attack(ONE, hero()).damage
    assert wh40k.attack(ONE, hero(), exact=True).unsaved.mean() == Rational(5, 6)


def test_each_kind_has_a_use_of_its_own():
    """Four wounds: the guard is spared and dies, then so is and does the leader."""
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1, damage_to_0=True)
    unit = wh40k.TargetUnit("Guarded", [guard], leaders=[hero(1)])
    result = wh40k.attack(ONE, unit, count=4, exact=True)
    assert result.kills_of("Hero").pmf(1) == Rational(5, 6) ** 4
