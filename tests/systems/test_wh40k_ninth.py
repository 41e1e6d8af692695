"""The 9th edition of 40k, and where it parts from the 10th: each published value with its source.

Pages: Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling"; 9th edition core rules.
"""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import dice
from mathhammer.expressions.check import Check, On

EDITIONS = ("9e", "10e")


def weapon(keywords: str = "", **given: Any) -> wh40k.Weapon:
    profile = {"range": '24"', "attacks": 1, "skill": 3, "strength": 4, "ap": 0, "damage": 1, **given}
    return wh40k.Weapon("Weapon", **profile, keywords=keywords)


def unit(**given: Any) -> wh40k.Target:
    return wh40k.Target("Unit", **{"toughness": 4, "save": None, "wounds": 1, "models": 10, **given})


def test_smasha_gun() -> None:
    """github.com/ebonnal/adeptus-optimus-backend, tests: 2D6 against Toughness 7."""
    assert dice("2D6").distribution(exact=True).at_least(7) == Rational(21, 36)


def test_kill_ratio() -> None:
    """github.com/cogpunk/mathhammer, README: damage by wounds of one attack each way."""
    shot = weapon(ap=-1)
    first = wh40k.attack(shot, unit(save=4), edition="9e", exact=True).damage.mean()
    second = wh40k.attack(shot, unit(save=3, wounds=2), edition="9e", exact=True).damage.mean() / 2
    assert first / second == Rational(8, 3)


# ------------------------------------------------------------------------------ dice modifiers and re-rolls


# ------------------------------------------------------------------------------ units of unequal Toughness


def mixed(low: int, high: int, **given: Any) -> wh40k.TargetUnit:
    kinds = [
        wh40k.Target(f"T{t}", toughness=t, save=None, wounds=1, models=n) for t, n in ((3, low), (5, high))
    ]
    return wh40k.TargetUnit("Mixed", kinds, **given)


def test_a_grid_and_a_fast_roll_use_the_toughness_of_the_edition() -> None:
    """Against nine of T3 and one of T5 a wound destroys a model: 4/9 in the 9th edition, 2/9 in the 10th."""
    for edition, expected in (("9e", Rational(4, 9)), ("10e", Rational(2, 9))):
        table = analysis.grid([weapon()], [mixed(9, 1)], edition=edition)
        assert table.mean_kills[0, 0] == pytest.approx(float(expected), rel=1e-12)
        rolled = wh40k.fast_roll_check(weapon(), mixed(9, 1), edition=edition, exact=True)
        assert rolled.one_at_a_time.kills.mean() == rolled.for_defender.kills.mean() == expected


def test_on_a_1_and_on_an_unmodified_1() -> None:
    """Goonhammer, "Ruleshammer: Dice": with +1 no roll is a 1; with -1 a 2 is."""
    for modifier, plain in ((0, 1), (1, 0), (-1, 2)):
        check = Check(need=3, modifier=modifier)
        assert len(On.parse("1").faces(check)) == plain
        assert On.parse("unmodified 1").faces(check) == {1}


# ------------------------------------------------------------------------------ cover, editions, modifiers


def test_cover() -> None:
    """9th edition core rules, Terrain: light, heavy and dense; no exception and no cap, unlike the 10th."""
    shot, blow = weapon(), weapon(range="Melee")

    def unsaved(arm: wh40k.Weapon, edition: str = "9e", save: int = 3, **situation: Any) -> Any:
        return wh40k.attack(arm, unit(save=save), edition=edition, exact=True, **situation).unsaved.mean()

    both = wh40k.compare_editions(shot, unit(save=3), cover={"light", "dense"}, exact=True)
    assert [both[name].unsaved.mean() for name in EDITIONS] == [Rational(1, 24), Rational(1, 9)]
    assert "mean unsaved" in str(both)
    assert unsaved(shot, cover=True) == Rational(1, 18)
    assert unsaved(blow, cover="heavy") == Rational(1, 18)
    assert unsaved(blow, cover="heavy", target_charged=True) == Rational(1, 9)
    assert unsaved(shot, save=4, cover=True, save_modifier=1) == Rational(1, 18)
    assert unsaved(shot, "10e", save=4, cover=True, save_modifier=1) == Rational(1, 9)
