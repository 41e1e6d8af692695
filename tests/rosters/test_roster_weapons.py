"""Weapon profiles as exporters write them: what is read, what is read with a doubt, what is left out and why."""

from __future__ import annotations

import pytest
from roster_files import blade, gun, read_one, selection, squad


def read_weapon(profile, copies=1):
    unit, army = read_one(
        squad(selection("Trooper", "model", copies, selection("Wargear", number=copies, profiles=(profile,))))
    )
    weapon = unit.weapons[0].modes[0] if unit.weapons else None
    return weapon, army.warnings


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, 'Rifle: 24" A2 BS3+ S4 AP-1 D1'),
        ({"A": "2d6+2", "D": "D6 "}, 'Rifle: 24" A2D6+2 BS3+ S4 AP-1 DD6'),
        ({"S": "D6+6"}, 'Rifle: 24" A2 BS3+ SD6+6 AP-1 D1'),
        ({"BS": "4"}, 'Rifle: 24" A2 BS4+ S4 AP-1 D1'),
        ({"AP": "-"}, 'Rifle: 24" A2 BS3+ S4 AP0 D1'),
        ({"AP": "-0"}, 'Rifle: 24" A2 BS3+ S4 AP0 D1'),
        ({"AP": "−2"}, 'Rifle: 24" A2 BS3+ S4 AP-2 D1'),
        ({"AP": ""}, 'Rifle: 24" A2 BS3+ S4 AP0 D1'),
        ({"BS": "N/A", "Keywords": "torrent"}, 'Rifle: 24" A2 BSN/A S4 AP-1 D1 [TORRENT]'),
        ({"BS": "n/a", "Keywords": "Torrent"}, 'Rifle: 24" A2 BSN/A S4 AP-1 D1 [TORRENT]'),
        ({"BS": "-", "Keywords": "Torrent"}, 'Rifle: 24" A2 BSN/A S4 AP-1 D1 [TORRENT]'),
        ({"Keywords": ""}, 'Rifle: 24" A2 BS3+ S4 AP-1 D1'),
        (
            {"Keywords": "Assault,\u00a0Twin Linked,Rapid Fire D6+3"},
            'Rifle: 24" A2 BS3+ S4 AP-1 D1 [ASSAULT, TWIN-LINKED, RAPID FIRE D6+3]',
        ),
        (
            {"Keywords": "Anti-EPIC HERO 2+, Anti-Fly 2"},
            'Rifle: 24" A2 BS3+ S4 AP-1 D1 [ANTI-EPIC HERO 2+, ANTI-FLY 2+]',
        ),
        (
            {"Keywords": "Anti-Monster/Vehicle 3+"},
            'Rifle: 24" A2 BS3+ S4 AP-1 D1 [ANTI-MONSTER 3+, ANTI-VEHICLE 3+]',
        ),
    ],
)
def test_spellings_that_mean_one_thing(changed, line):
    weapon, warnings = read_weapon(gun(**changed))
    assert str(weapon) == line
    assert warnings == ()


def test_a_melee_weapon_is_one_whatever_its_range_says():
    weapon, _ = read_weapon(blade(Range='1"'))
    assert weapon.melee


@pytest.mark.parametrize(
    ("changed", "doubt"),
    [
        ({"AP": "4"}, "Squad: Rifle: AP '4' without a sign is read as -4"),
        ({"S": "8+"}, "Squad: Rifle: Strength '8+' is read as 8"),
        ({"D": "D7"}, "Squad: Rifle: Damage 'D7' is read as D6+1, for no die of the game has 7 faces"),
        ({"A": "d4"}, "Squad: Rifle: Attacks 'd4' is read as D3+1, for no die of the game has 4 faces"),
        ({"Keywords": "Bubblemaker"}, "Squad: Rifle: its ability 'Bubblemaker' is not computed"),
        ({"Keywords": "Blast D3"}, "Squad: Rifle: its ability 'Blast D3' is not computed"),
        (
            {"Keywords": "Lethal Hits: Monster and Vehicle"},
            "Squad: Rifle: its ability 'Lethal Hits: Monster and Vehicle' is not computed",
        ),
    ],
)
def test_what_is_read_with_a_doubt(changed, doubt):
    weapon, warnings = read_weapon(gun(**changed))
    assert weapon is not None
    assert warnings == (doubt,)


def test_the_values_behind_the_doubts():
    weapon, _ = read_weapon(gun(AP="4", S="8+", A="D4", D="D7"))
    assert (weapon.ap, str(weapon.strength)) == (-4, "8")
    assert (str(weapon.attacks), str(weapon.damage)) == ("D3+1", "D6+1")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"D": "*"}, "expected D to be a number or dice such as D6+1, got '*'"),
        ({"S": "User"}, "expected S to be a number or dice such as D6+1, got 'User'"),
        ({"A": ""}, "expected A to be a number or dice such as D6+1, got ''"),
        ({"A": "2 3"}, "expected A to be a number or dice such as D6+1, got '2 3'"),
        ({"D": "D 6"}, "expected D to be a number or dice such as D6+1, got 'D 6'"),
        ({"A": "D8"}, "expected A to be a number or dice such as D6+1, got 'D8'"),
        ({"AP": "*"}, "expected AP to be 0 or a number such as -2, got '*'"),
        ({"AP": "-999"}, "expected AP to be 0 or a number such as -2, got '-999'"),
        ({"BS": "N/A"}, "only a weapon with Torrent has none"),
        ({"BS": "7+"}, "expected a roll from '2+' to '6+' as skill"),
        ({"A": "1000000000"}, "expected A to be a number or dice"),
        ({"A": "9999D6"}, "expected at most 1,000 attacks"),
        ({"D": "9" * 400_000}, "expected D to be a number or dice"),
    ],
)
def test_what_is_left_out_and_why(changed, reason):
    weapon, warnings = read_weapon(gun(**changed))
    assert weapon is None
    assert len(warnings) == 1
    assert warnings[0].startswith("Squad: the weapon 'Rifle' is left out: ")
    assert reason in warnings[0]
    assert len(warnings[0]) < 400


def test_a_line_keeps_its_other_modes_when_one_cannot_be_read():
    node = selection("Gun", profiles=(gun("➤ Gun - a", D="*"), gun("➤ Gun - b")))
    unit, army = read_one(squad(selection("Trooper", "model", 1, node)))
    assert [weapon.name for weapon in unit.weapons[0].modes] == ["Gun - b"]
    assert len(army.warnings) == 1


def test_the_limit_on_attacks_counts_all_copies():
    assert read_weapon(gun(A="10"), copies=100)[0] is not None
    weapon, warnings = read_weapon(gun(A="10"), copies=101)
    assert weapon is None
    assert "expected at most 1,000 attacks" in warnings[0]
