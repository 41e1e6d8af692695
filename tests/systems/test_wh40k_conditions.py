"""Unit rules, stratagems and conditions of the 10th edition, one fact each, by hand."""

from __future__ import annotations

import pytest
from by_hand import play, unit, weapon
from sympy import Rational
from tenth import analysis, wh40k

import mathhammer as mh
from mathhammer.errors import MathhammerError

HALF, THIRD = Rational(1, 2), Rational(1, 3)


def test_precision_at_a_leader_needs_a_leader() -> None:
    """A name that nobody bears is refused by a target without leaders as by a unit with others."""
    with pytest.raises(MathhammerError, match=r"no name of a leader as precision against 'Unit'.*TargetUnit"):
        play("Precision", precision="Captain")
    assert (
        play("", precision="Captain").hits.mean() == 2 * THIRD
    )  # other weapons of the attacker may name one


# ----------------------------------------------------------------------------------------------------- one re-roll


def test_grids_know_every_condition() -> None:
    """A table of many attacks gives what single attacks give, whatever the situation."""
    target = unit(save=4, damage_1_save_bonus=1)
    plain = unit(save=4)
    for given in (
        {"stealth": True},
        {"overwatch": True},
        {"wounds_on": 2},
        {"wound_fails_up_to": 4},
        {"critical_hit": "successful 5+"},
        {"reroll_hits": "one"},
        {"hit_modifier": -1, "ignore_modifiers": "hit"},
    ):
        gun = weapon("Sustained Hits 1", attacks=3)
        found = analysis.grid([gun], [target, plain], **given)
        singles = [wh40k.attack(gun, each, **given).wounds_lost.mean() for each in (target, plain)]
        assert [float(cell) for cell in found.mean_wounds_lost[0]] == pytest.approx(singles)


def test_stealth_of_the_target_itself():
    """Core rules, Stealth: a unit all of whose models have it; ranged attacks only; what gives it twice counts once."""
    rifle, blade = (
        wh40k.Weapon.parse("Rifle: A6 BS3+ S4 AP0 D1"),
        wh40k.Weapon.parse("Blade: A6 WS3+ S4 AP0 D1"),
    )
    hidden = wh40k.Target.parse("Hidden: 2x T4 Sv3+ W1 Stealth")
    assert hidden.stealth
    assert wh40k.Target.parse(str(hidden)) == hidden

    def hits(weapon, target, **keywords):
        return wh40k.attack(weapon, target, exact=True, **keywords).hits.mean()

    assert (hits(rifle, hidden), hits(blade, hidden), hits(rifle, hidden, edition="9e")) == (3, 4, 4)
    assert hits(rifle, hidden, smokescreen=True, stealth=True) == 3
    assert "-1 (Stealth)" in str(wh40k.attack(rifle, hidden).explain())
    # A leader without it takes it from the unit, until he is dead.
    leader = wh40k.Target.parse("Leader: T4 Sv- W1")
    unit = wh40k.TargetUnit("Unit", [hidden], [leader])
    assert hits(rifle, unit) == 4
    sniper = wh40k.Weapon.parse("Sniper: A1 BS2+ S8 AP0 D1 [PRECISION]")
    shot = wh40k.attack(sniper, unit, exact=True)
    alone = shot.given(lambda state: state[:2] == (0, 0) and state[2] == 1)
    assert hits(rifle, unit, start=alone) == 3


def test_stealth_of_a_target_in_a_grid():
    rifle = wh40k.Volley(wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1 [LETHAL HITS]"), 5)
    blade = wh40k.Weapon.parse("Blade: A6 WS3+ S4 AP0 D1")
    targets = [
        wh40k.Target.parse(f"{name}: 5x T4 Sv3+ W2{more}") for name, more in (("A", ""), ("B", " Stealth"))
    ]
    table = analysis.grid([rifle, blade], targets)
    for row, weapons in enumerate((rifle, blade)):
        for column, target in enumerate(targets):
            distribution = wh40k.attack(weapons, target).kills
            assert table.mean_kills[row, column] == pytest.approx(distribution.mean(), rel=1e-12)


def test_a_situation_may_stand_behind_the_target() -> None:
    """It says what its keywords say; what is said beside it wins."""
    at = wh40k.Situation(cover=True, hit_modifier=-1)
    said = wh40k.attack(weapon(), unit(save=4), cover=True, hit_modifier=-1, exact=True)
    assert wh40k.attack(weapon(), unit(save=4), at, exact=True).state == said.state
    open_ground = wh40k.attack(weapon(), unit(save=4), hit_modifier=-1, exact=True)
    assert wh40k.attack(weapon(), unit(save=4), at, cover=False, exact=True).state == open_ground.state
    again = mh.from_text(wh40k.attack(weapon(), unit(save=4), at, exact=True).to_text())
    assert again.state == said.state
    with pytest.raises(MathhammerError, match="expected a Situation behind the target"):
        wh40k.attack(weapon(), unit(), {"cover": True})  # type: ignore[call-overload]
