"""Rules of Trench Crusade 1.0.2 one by one: every keyword that touches dice, situations, errors."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import trench_crusade as tc


def weapon(keywords: str = "", kind: str = "ranged", **options: Any) -> tc.Weapon:
    return tc.Weapon("weapon", kind=kind, keywords=keywords, **options)


def chance(net: int) -> Any:
    return tc.success_roll(net, exact=True).at_least("success")


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
