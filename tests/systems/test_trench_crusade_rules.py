"""Rules of Trench Crusade 1.0.2 one by one: every keyword that touches dice, situations, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sympy import Rational

from mathhammer import trench_crusade as tc

if TYPE_CHECKING:
    from mathhammer.systems.trench_crusade.game import State


def weapon(keywords: str = "", kind: str = "ranged", **options: Any) -> tc.Weapon:
    return tc.Weapon("weapon", kind=kind, keywords=keywords, **options)


def chance(net: int) -> Any:
    return tc.success_roll(net, exact=True).at_least("success")


def test_a_plan_may_look_at_the_state() -> None:
    """Save the markers until the target is Down, then make a Bloodbath: a fixed plan between none and the best."""
    gun = weapon("AUTOMATIC 2")

    def when_down(state: State) -> tc.Spend:
        return tc.Spend(bloodbath=state.down)

    def out(spend: Any) -> Any:
        return tc.attack(gun, tc.Target(blood=3), spend=spend, exact=True).probability_out_of_action

    assert out(None) < out(when_down) < out("best")
    assert out(when_down) == out([when_down, when_down])


def test_fireteam_pays_less() -> None:
    """Fireteams: a Bloodbath costs 3 Blood Markers on a model that the partner has hit, so the order matters."""
    flame, rifle = weapon("FLAMETHROWER"), weapon("", injury_modifier=-3)
    pair = [
        tc.Activation(each, tc.Attacker(name, keywords="CONCENTRATED ATTACK"), fireteam=True)
        for each, name in ((rifle, "first"), (flame, "second"))
    ]
    together = tc.attack(pair, tc.Target(blood=3), spend="best", exact=True)
    assert "  4 Blood: Bloodbath for 3 of 4 Blood, 1 for INJURY DICE" in str(together.plan)
    ordered = tc.best_order(list(reversed(pair)), tc.Target(blood=3), spend="best", exact=True)
    assert ordered.order == ("first", "second")
    assert ordered.probability_out_of_action == together.probability_out_of_action


def test_blast_and_scatter() -> None:
    """One Success Roll, one Injury Roll each, the critical bonus for the model aimed at only."""
    grenade = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
    single = tc.attack(grenade, tc.Target(), exact=True)
    found = tc.blast(grenade, [tc.Target(), tc.Target()], exact=True)
    assert found.outcomes[0] == single.outcome
    assert found.outcomes[1].pmf("out of action") == chance(0) * tc.injury_roll(exact=True).pmf(
        "out of action"
    )
    assert found.outcomes[0].pmf("miss") == found.outcomes[1].pmf("miss")
    again = tc.blast(tc.Attack(weapon=tc.WEAPONS["Frag Grenade"], reroll=True), [tc.Target()], exact=True)
    assert str(again.outcomes[0].pmf("miss")) == "25/144"
    satchel = tc.Attack(weapon=tc.WEAPONS["Satchel Charge"])
    stray = tc.blast(satchel, [tc.Target()], scattered={1: [0]}, exact=True)
    assert stray.outcomes[0].pmf("miss") == 1 - chance(0) - stray.scatter.pmf(1)


def test_terrain() -> None:
    """Falls with armour and markers; MINED is SHRAPNEL; a ledge asks for a Success Roll first."""
    armoured = tc.Target(armour="standard", blood=1)
    fallen = tc.fall(armoured, 3, spend=tc.Spend(blood=1), exact=True)
    assert fallen.outcome.pmf("out of action") == tc.injury_roll(2, -1, exact=True).pmf("out of action")
    mined = tc.dangerous_terrain(tc.Target(), mined=True, exact=True)
    assert mined.blood.pmf(1) == 0
    assert mined.probability_hit == 1 - chance(0)
    assert tc.ledge(tc.Target(), 3, dice=1, exact=True).probability_hit == 1 - chance(1)
    assert tc.ledge(tc.Target(keywords="+1 DICE"), 3, exact=True).probability_hit == 1 - chance(1)
    assert tc.charge(6, skirmisher=True, exact=True).at_least(11) == tc.charge(6, exact=True).pmf(12) / 3


def test_explanation_names_every_source() -> None:
    shotgun = tc.WEAPONS["Shotgun"]
    pilgrim = tc.Target("Pilgrim", armour="standard", shield=True, blood=2)
    text = str(tc.attack(shotgun, pilgrim, long_range=True, cover=True, spend=tc.Spend(blood=2)).explain())
    for part in (
        "+1 (Shotgun)",
        "-1 (Cover)",
        "-1 (Long Range with SHOTGUN) INJURY DICE",
        "-1 (Trench Shield)",
    ):
        assert part in text
    assert "up to 2 Blood Markers on the Injury Roll" in text


@pytest.mark.parametrize("keywords", ["", "CRITICAL", "DEADLY", "SHOTGUN", "IGNORE ARMOUR ON CRITICAL"])
@pytest.mark.parametrize(
    "situation", [{}, {"reroll": True}, {"long_range": True, "cover": True}, {"bystander": True}]
)
def test_what_is_explained_multiplies_out(keywords: str, situation: dict[str, bool]) -> None:
    """Out of Action is a success and its Injury Roll, or a critical success and the better one."""
    target = tc.Target(armour="reinforced", armour_dice=-1)
    result = tc.attack(weapon(keywords, injury_modifier=-1), target, exact=True, **situation)
    steps = {
        step.name: {each.name: Rational(each.numerator, each.denominator) for each in step.probabilities}
        for step in result.explain().steps
    }
    success, injury = steps["Success Roll"], steps["Injury Roll"]
    critical = steps.get("On a critical", injury)
    out = success["success"] * injury["out of action"] + success["critical"] * critical["out of action"]
    assert result.probability_out_of_action == out
    assert result.outcome.pmf("miss") == success["failure"]


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (tc.scatter(exact=True), {0: "7/12", 1: "5/36", 2: "1/9", 3: "1/12", 4: "1/18", 5: "1/36"}),
        (tc.fall(tc.Target(), 6, exact=True).severity, {2: "13/144", 3: "31/144", 4: "25/36"}),
        (tc.fall(tc.Target(), 8, exact=True).severity, {2: "13/144", 3: "31/144", 4: "25/36"}),
        (tc.charge(6, exact=True), dict.fromkeys(range(7, 13), "1/6")),
        (tc.charge(8, exact=True), {**dict.fromkeys(range(9, 12), "1/6"), 12: "1/2"}),
        (tc.charge(6, heavy=True, exact=True), {6: "1"}),
    ],
    ids=str,
)
def test_inches(distribution: Any, expected: dict[int, str]) -> None:
    """Pages 36, 41 and 57: Movement + D6, at most 12"; +1 INJURY DICE for each full 3"; a roll of 4 scatters 3"."""
    assert {k: str(p) for k, p in distribution.items() if p} == expected


@pytest.mark.parametrize(
    ("roll", "dice", "total", "outcome"),
    [
        (tc.success_roll(-1), (5, 5, 1), 6, "failure"),
        (tc.success_roll(0), (4, 3), 7, "success"),
        (tc.injury_roll(1), (5, 1, 4), 9, "out of action"),
        (tc.injury_roll(1, -1), (2, 4, 5), 8, "down"),
        (tc.injury_roll(2, -1), (2, 5, 4, 1), 8, "down"),
    ],
    ids=str,
)
def test_rolled_dice(roll: tc.Roll, dice: tuple[int, ...], total: int, outcome: str) -> None:
    """The rulebook's own examples, pages 26, 27, 46 and 48: which dice count, their sum and what it means."""
    assert len(dice) == 2 + abs(roll.net)
    assert sum(sorted(dice, reverse=roll.net > 0)[:2]) + roll.modifier == total
    assert roll._pool.meaning(total) == outcome
    assert roll.total.pmf(total) > 0
