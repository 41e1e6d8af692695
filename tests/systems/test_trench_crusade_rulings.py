"""Disputed points of Trench Crusade: the defaults are shown, and each that moves a number does so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mathhammer import trench_crusade as tc

if TYPE_CHECKING:
    from collections.abc import Callable

BASE = "Trench Crusade rules 1.0.2"
DOUBLE_CRITICAL = {"dice": 3, "keywords": "CRITICAL"}


def out(weapon: dict[str, Any], target: dict[str, Any], **options: Any) -> Any:
    """P(out of action) of one attack, as a function of the rulings."""
    kind = weapon.pop("kind", "ranged")

    def play(rulings: dict[str, str]) -> Any:
        made = tc.Weapon("weapon", kind=kind, **weapon)
        result = tc.attack(made, tc.Target(**target), rulings=rulings, exact=True, **options)
        return result.probability_out_of_action

    return play


def attacks(keywords: str, target: dict[str, Any], number: int) -> Callable[[dict[str, str]], Any]:
    """P(the attack of that number is made)."""

    def play(rulings: dict[str, str]) -> Any:
        weapon = tc.Weapon("weapon", kind="ranged", keywords=keywords)
        activation = tc.Activation(tc.Attack(weapon=weapon), tc.Attacker("one"))
        other = tc.Activation(tc.Attack(weapon=tc.Weapon("other", kind="ranged")), tc.Attacker("two"))
        result = tc.attack([activation, other], tc.Target(**target), rulings=rulings, exact=True)
        return result.probability_made(number)

    return play


def blood(target: dict[str, Any], keywords: str = "FLAMETHROWER") -> Callable[[dict[str, str]], Any]:
    """Mean number of Blood Markers afterwards."""

    def play(rulings: dict[str, str]) -> Any:
        weapon = tc.Weapon("weapon", kind="ranged", keywords=keywords)
        return tc.attack(weapon, tc.Target(**target), rulings=rulings, exact=True).blood.mean()

    return play


THREE = {"armour": "reinforced", "shield": True}
SHAKEN: dict[str, Callable[[dict[str, str]], Any]] = {
    "modifier_cap": out({"injury_modifier": 1}, {**THREE, "characteristic": -1}),
    "armour_piercing_and_cap": out({"keywords": "ARMOUR PIERCING"}, {**THREE, "characteristic": -1}),
    "deadly": out({"keywords": "DEADLY"}, {}),
    "spare_markers": out({}, {"down": True, "blood": 6}, spend=tc.Spend(bloodbath=True, blood=3)),
    "down_own_rolls": lambda rulings: tc.morale(5, down=True, rulings=rulings, exact=True).probability_shaken,
    "down_bonus": out({}, {"down": True}),
    "critical_keyword": out(DOUBLE_CRITICAL, THREE),
    "extra_markers": blood({"armour": "standard"}, "FIRE, GAS"),
    "risky_failure": attacks("AUTOMATIC 2, RISKY", {}, 2),
    "ignore_armour_and_abilities": out({"keywords": "IGNORE ARMOUR"}, {"injury_dice": -1}),
    "fear_against_fear": out({"kind": "melee"}, {"keywords": "FEAR"}, attacker=tc.Attacker(keywords="FEAR")),
    "armour_piercing_and_impervious": out(
        {"keywords": "ARMOUR PIERCING"}, {"armour": "reinforced", "impervious": "armour"}
    ),
    "impervious_dice": out(
        {"keywords": "IGNORE ARMOUR"}, {"armour": "standard", "armour_dice": -1, "impervious": "armour"}
    ),
    "standfast_when_down": blood({"armour": "machine", "down": True}),
    "tough_in_bloodbath": out({}, {"keywords": "TOUGH", "blood": 6}, spend=tc.Spend(bloodbath=True)),
    "risky_failure_of_several": attacks("RISKY", {}, 2),
}


@pytest.mark.parametrize("ruling", tc.RULINGS, ids=lambda ruling: ruling.name)
def test_each_reading_moves_a_number(ruling: Any) -> None:
    """Every point has more than one option: the options differ, and the default is in force unless chosen."""
    play = SHAKEN[ruling.name]
    found = [play({ruling.name: option}) for option in ruling.options]
    assert len(set(found)) == len(ruling.options)
    assert play({}) == found[ruling.options.index(ruling.default)]


def test_all_points_are_named_and_shown() -> None:
    """The edition and its points, each with a source; the result shows what was in force."""
    assert SHAKEN.keys() == {ruling.name for ruling in tc.RULINGS}
    assert all(ruling.source and ruling.question.endswith("?") for ruling in tc.RULINGS)
    chosen = tc.attack(tc.WEAPONS["Sword"], tc.Target(), rulings={"down_bonus": "all"})
    assert chosen.rulings == {ruling.name: ruling.default for ruling in tc.RULINGS} | {"down_bonus": "all"}
    assert chosen.edition == "1.0.2"
    assert "down_bonus = all" in str(chosen.explain())
