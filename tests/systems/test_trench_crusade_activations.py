"""Activations of Trench Crusade 1.0.2: Fireteams, models that stand up, markers that come and go, AMMUNITION."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError

HALF = Rational(7, 12)
#: Never Out of Action by one attack.
WALL = {"armour": "machine", "keywords": "TOUGH"}


def weapon(keywords: str = "", kind: str = "ranged", **options: Any) -> tc.Weapon:
    return tc.Weapon("weapon", kind=kind, keywords=keywords, **options)


def shot(keywords: str = "", kind: str = "ranged", **situation: Any) -> tc.Attack:
    return tc.Attack(weapon=weapon(keywords, kind), **situation)


def member(name: str, *attacks: tc.Attack, keywords: str = "", **options: Any) -> tc.Activation:
    return tc.Activation(attacks, tc.Attacker(name, keywords=keywords), **{"fireteam": True, **options})


def out(items: Any, target: tc.Target, **options: Any) -> Any:
    return tc.attack(items, target, exact=True, **options).probability_out_of_action


def chance(net: int) -> Any:
    return tc.success_roll(net, exact=True).at_least("success")


def injury(dice: int = 0, modifier: int = 0, result: str = "out of action") -> Any:
    return tc.injury_roll(dice, modifier, exact=True).at_least(result)


@pytest.mark.parametrize(("joint", "made"), [(True, HALF), (False, Rational(1))])
def test_a_failed_risky_roll_ends_the_joint_activation(joint: bool, made: Any) -> None:  # noqa: FBT001
    """Page 54, FIRETEAM: when the Activation of either member ends, so does the other's."""
    pair = [member("one", shot("RISKY"), fireteam=joint), member("two", shot(), fireteam=joint)]
    assert tc.attack(pair, tc.Target(**WALL), exact=True).probability_made(2) == made
    apart = [pair[0], tc.TargetActivation(), pair[1]]
    assert tc.attack(apart, tc.Target(**WALL), exact=True).probability_made(2) == 1
    other = [*pair, tc.Activation(shot(), tc.Attacker("three"))]
    assert tc.attack(other, tc.Target(**WALL), exact=True).probability_made(3) > made / 2


def test_reload_ends_the_joint_activation() -> None:
    """Pages 54 and 56: who RELOADs is last; the order for the attacker is found among those that are possible."""
    gun, rifle = member("gunner", shot("RELOAD")), member("yeoman", shot())
    assert tc.best_order([gun, rifle], tc.Target()).order == ("yeoman", "gunner")
    apart = [tc.Activation(gun.attacks, gun.attacker), rifle]
    assert tc.best_order(apart, tc.Target()).order == ("gunner", "yeoman")


def test_concentrated_attack_is_for_the_joint_activation() -> None:
    """Warbands, page 23: hit by the other member earlier in the same joint Activation."""
    flame = shot("FLAMETHROWER")
    golem = tc.Target(blood=2, keywords="GOLEM")
    plan = [tc.Spend(), tc.Spend(bloodbath=True)]
    pair = [member(name, flame, keywords="CONCENTRATED ATTACK") for name in ("one", "two")]
    bath = tc.bloodbath_roll(exact=True).pmf("out of action")
    # Down or not, the first hit leaves the 3 Blood Markers of a Bloodbath on the Golem.
    assert out(pair, golem, spend=plan) == bath
    apart = [pair[0], tc.TargetActivation(), pair[1]]
    assert out(apart, golem, spend=plan) == 0
    again = [pair[0], tc.TargetActivation(stands_up=False), pair[1]]
    assert out(again, golem, spend=plan) == injury(result="down") * bath


@pytest.mark.parametrize(("keywords", "chance_of_two"), [("CONCENTRATED ATTACK", 0.436), ("FIRETEAM", 0.372)])
def test_concentrated_attack_is_for_who_has_it(keywords: str, chance_of_two: float) -> None:
    """Warbands, page 23, of New Antioch; page 90, Fida'i of Alamut have FIRETEAM without it."""
    blades = [member(name, shot(kind="melee"), keywords=keywords) for name in ("one", "two")]
    found = tc.attack(blades, tc.Target(blood=3), spend=tc.Spend(bloodbath=True))
    assert found.probability_out_of_action == pytest.approx(chance_of_two, abs=5e-4)


def test_the_partner_may_have_hit_before() -> None:
    """Warbands, page 23: 3 Blood Markers for a Bloodbath on a model that is not Down."""
    flame, target, spend = shot("FLAMETHROWER"), tc.Target(blood=3), tc.Spend(bloodbath=True)
    second = member("two", flame, keywords="CONCENTRATED ATTACK", partner_hit=True)
    assert out([second], target, spend=spend) == Rational(20, 27)
    wall = tc.Target(armour="reinforced", shield=True, blood=3)
    assert out([second], wall, spend="best") == Rational(3, 8)
    with pytest.raises(MathhammerError, match="Markers on the target for a Bloodbath"):
        out([member("two", flame)], target, spend=spend)


def test_equal_partners_are_two_models_with_markers_of_their_own() -> None:
    """Markers carry over to the next joint Activation of the same two models."""
    yeoman = tc.Attacker("Yeoman", blessing=1)
    pair = [tc.Activation(shot(), yeoman, fireteam=True)] * 2
    found = tc.attack(
        [*pair, tc.TargetActivation(), *pair], tc.Target(**WALL), spend=tc.Spend(success=6), exact=True
    )
    # One Blessing each: the first two shots have +1 DICE, the last two none.
    assert found.outcome.pmf("miss") == (1 - chance(1)) ** 2 * (1 - HALF) ** 2


def test_a_down_model_stands_up_when_it_is_activated() -> None:
    """Page 49, of the target and of the attacker; page 88, On your Knees!, keeps it Down."""
    blow, down = shot(kind="melee"), tc.Target(down=True)
    standing, lying = out([blow], tc.Target()), out([blow], down)
    assert out([tc.TargetActivation(), blow], down) == standing < lying
    assert out([tc.TargetActivation(stands_up=False), blow], down) == lying
    fallen = tc.Attacker("fallen", down=True)
    found = tc.attack(weapon(), tc.Target(), attacker=fallen, exact=True)
    assert found.probability_hit == HALF
    assert "fallen stands up when it is activated" in str(found.explain())
    kept = tc.Activation(shot(), fallen, stands_up=False)
    assert tc.attack(kept, tc.Target(), exact=True).probability_hit == chance(-1)


def test_infection_markers_of_a_weapon() -> None:
    """Warbands, pages 127 and 128: in place of Blood Markers, and they spread when the model is activated."""
    bite, wall = (
        shot("FLAMETHROWER, INFECTION MARKERS, SHRAPNEL"),
        tc.Target(armour="reinforced", shield=True),
    )
    markers = tc.attack([bite], wall, exact=True).state.marginal("outcome", "blood", "infection")
    no_effect, minor = injury(0, -3, "minor hit"), injury(0, -3, "down")
    assert markers.pmf((1, 0, 1)) == 1 - no_effect
    assert markers.pmf((2, 0, 2)) == no_effect - minor
    spread = tc.attack([bite, tc.TargetActivation(), shot("-50 DICE")], wall, exact=True)
    assert spread.state.marginal("infection").pmf(3) >= (no_effect - minor) * (1 - chance(-50))


def test_charge_bonuses() -> None:
    """Warbands, page 26: D3 in Machine Armour; page 31: the highest of 2D6 for Shock Troopers."""
    machine, shock = (
        tc.charge(6, machine_armour=True, exact=True),
        tc.charge(4, shock_charge=True, exact=True),
    )
    assert [machine.pmf(inches) for inches in (7, 8, 9, 10)] == [Rational(1, 3)] * 3 + [0]
    assert shock.pmf(10) == Rational(11, 36)
    assert shock.pmf(5) == Rational(1, 36)
    assert tc.charge(6, heavy=True, machine_armour=True, exact=True).pmf(6) == 1


@pytest.mark.parametrize("reply", ["nothing", "best"])
def test_a_plan_is_handed_back(reply):
    """Followed again it does the same; for another objective it does no better than the plan for that."""
    pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=3, blessing=1)
    two = [tc.Attack(weapon=tc.WEAPONS["Shotgun"]), tc.Attack(weapon=tc.WEAPONS["Shotgun"])]
    options = {"reply": reply, "spends_first": "attacker", "exact": True}
    best = tc.attack(two, pilgrim, spend="best", **options)
    down = tc.attack(two, pilgrim, spend="best", objective="down or worse", **options)
    again = tc.attack(two, pilgrim, spend=best.plan, **options)
    assert (again.outcome, again.plan) == (best.outcome, best.plan)
    other = tc.attack(two, pilgrim, spend=down.plan, **options)
    assert other.probability_out_of_action <= best.probability_out_of_action
    if reply == "nothing":
        assert other.outcome == down.outcome
    for followed in (again, other):
        read = from_text(followed.to_text())
        assert (read.outcome, read.plan) == (followed.outcome, followed.plan)
    richer = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=5, blessing=1)
    with pytest.raises(MathhammerError, match="the plan of the same attacks on the same target"):
        tc.attack(two, richer, spend=best.plan, **options)


def test_a_policy_of_ones_own():
    """It says what is spent in which situation, and nothing in all others; what cannot be spent is refused."""
    pilgrim = tc.Target("Trench Pilgrim", armour="standard", blood=2)
    gun = tc.Attack(weapon=tc.WEAPONS["Shotgun"])

    def one(action, **other):
        told = {"player": "attacker", "attack": "1. Shotgun", "roll": "Injury Roll", "situation": "2 Blood"}
        return tc.Decision(**{**told, "action": action, **other})

    # A critical hit is another situation, in which nothing is spent.
    by_hand = tc.SpendPolicy([one("1 Blood"), one("1 Blood", situation="2 Blood, critical")])
    spent = tc.attack([gun], pilgrim, spend=by_hand, exact=True)
    assert spent.outcome == tc.attack([gun], pilgrim, spend=tc.Spend(blood=1), exact=True).outcome
    plain = tc.attack([gun], pilgrim, spend=tc.SpendPolicy([]), exact=True)
    assert plain.outcome == tc.attack([gun], pilgrim, exact=True).outcome
    assert from_text(spent.to_text()).outcome == spent.outcome
