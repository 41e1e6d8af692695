"""Stat lines of weapons as players write them: what is dice, what is a number, what is refused."""

from __future__ import annotations

import pytest
from tenth import wh40k

from mathhammer.errors import MathhammerError, ParseError


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


@pytest.mark.parametrize("field", ["D6", "d6"])
def test_what_is_written_for_both_is_refused_with_both_spellings(field):
    with pytest.raises(ParseError, match="expected DD6 for a die, or Damage 6 for the number"):
        wh40k.Weapon.parse(f"Melta: A1 BS3+ S9 AP-4 {field} [MELTA 2]")


@pytest.mark.parametrize("field", ["D4+1", "D2+1", "D 6+1", "Damage 6+1"])
def test_a_sum_without_a_die_is_no_damage(field):
    with pytest.raises(ParseError, match="expected one of A2, BS3"):
        wh40k.Weapon.parse(f"Gun: A1 BS3+ S9 AP-4 {field}")


@pytest.mark.parametrize(
    ("dice", "hint"),
    [
        ("D7", "; list builders write D7 for D6+1"),
        ("D4", "; list builders write D4 for D3+1"),
        ("2D8", ""),
        ("D6+D10", ""),
    ],
)
@pytest.mark.parametrize("name", ["attacks", "strength", "damage"])
def test_dice_that_the_game_does_not_have(name, dice, hint):
    line = {"attacks": "1", "strength": 4, "damage": 1, name: dice}
    with pytest.raises(MathhammerError) as caught:
        wh40k.Weapon("Gun", range='24"', skill=3, ap=0, **line)
    assert str(caught.value) == f"expected {name} of D3 and D6, the dice of the game, got {dice!r}{hint}"


def test_a_die_of_seven_faces_in_a_stat_line():
    with pytest.raises(MathhammerError, match="list builders write D7 for D6\\+1"):
        wh40k.Weapon.parse("Gun: A1 BS3+ S9 AP-4 DD7")
