"""Stat lines of weapons as players write them: what is dice, what is a number, what is refused."""

from __future__ import annotations

import pytest
from tenth import wh40k


@pytest.mark.parametrize(
    ("field", "damage"),
    [
        ("D1", "1"),
        ("D2", "2"),
        # 779 weapons of the 10th edition data have Damage 3 and 343 D3; 568 have Damage D6 and 40 have 6.
        ("D3", "3"),
        ("D3+1", "D3+1"),
        ("D6+1", "D6+1"),
        ("DD3", "D3"),
        ("DD6", "D6"),
        ("DD6+1", "D6+1"),
        ("D2D6", "2D6"),
        ("D D6", "D6"),
        ("D 6", "6"),
        ("D 3", "3"),
        ("Damage 6", "6"),
        ("Damage D3", "D3"),
        ("D12", "12"),
        ("D3+D6", "D3+D6"),
        ("Damage 3+D6", "3+D6"),
    ],
)
def test_damage_is_dice_where_only_dice_are_meant(field, damage):
    weapon = wh40k.Weapon.parse(f"Melta: A1 BS3+ S9 AP-4 {field}")
    assert str(weapon.damage) == damage
    assert wh40k.Weapon.parse(str(weapon)) == weapon


@pytest.mark.parametrize(
    "damage", [*range(1, 25), "D3", "D6", "2D6", "D3+3", "D6+1", "D6+8", "3+D3", "D3+D6", "6D6"]
)
def test_every_damage_of_the_game_is_read_back(damage):
    weapon = wh40k.Weapon("Gun", range='24"', attacks=1, skill=3, strength=4, ap=0, damage=damage)
    assert wh40k.Weapon.parse(str(weapon)) == weapon


def test_a_melta_of_dice_is_not_one_of_six():
    """P(3 wounds lost) of a D6 against W3 is 2/3 of that of a flat 6, after a hit on 3+ and a wound on 2+."""
    target = wh40k.Target.parse("T4 Sv- W3")
    lost = wh40k.attack(wh40k.Weapon.parse("Melta: A1 BS3+ S9 AP-4 DD6"), target, exact=True).wounds_lost
    assert lost.pmf(3) * 27 == 2 * 5  # 2/3 x 5/6 x 2/3
