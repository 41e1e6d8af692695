"""Armies, units and wargear built by hand."""

from __future__ import annotations

import pytest

from mathhammer.errors import RosterError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon

WARDEN = ModelGroup("Warden", 4, Target.parse("T4 Sv3+ InSv5+ W2"))
GUN = Weapon.parse('Gun: 24" A2 BS3+ S4 AP-1 D1')
SWORD = Weapon.parse("Sword: A3 WS3+ S4 AP0 D1")


def test_a_uniform_unit_as_a_target():
    unit = Unit(
        "Wardens",
        90,
        (WARDEN, ModelGroup("Captain", 1, Target.parse("T4 Sv3+ InSv5+ W2"))),
        keywords=("Epic Hero",),
    )
    assert unit.is_uniform
    assert unit.simplifications == ()
    assert unit.as_target() == Target(
        "Wardens",
        toughness=4,
        save="3+",
        wounds=2,
        models=5,
        invulnerable="5+",
        keywords=("Epic Hero",),
        points=90,
    )


def test_a_mixed_unit_is_its_most_numerous_models_with_the_highest_toughness():
    beast = ModelGroup("Beast", 2, Target.parse("T6 Sv5+ W5"))
    unit = Unit("Hunt", 120, (beast, WARDEN), notes=("Hunt: something else",))
    target = unit.as_target()
    assert (target.toughness, target.save, target.wounds, target.models) == (6, 3, 2, 6)
    assert not unit.is_uniform
    assert unit.simplifications == (
        (
            "Hunt: as a target all 6 models are taken as Warden: 4x T4 Sv3+ InSv5+ W2, "
            "also Beast: 2x T6 Sv5+ W5; attacks wound against the highest Toughness, 6"
        ),
        "Hunt: something else",
    )


def test_of_equally_many_models_the_first_count():
    unit = Unit(
        "Pair",
        1,
        (ModelGroup("A", 1, Target.parse("T4 Sv3+ W2")), ModelGroup("B", 1, Target.parse("T4 Sv3+ W3"))),
    )
    assert unit.majority_models.name == "A"


def test_groups_of_equal_models_count_together():
    unit = Unit(
        "Mob",
        1,
        (
            ModelGroup("Boss", 3, Target.parse("T5 Sv4+ W2")),
            ModelGroup("Lad", 2, Target.parse("T5 Sv5+ W1")),
            ModelGroup("Gunner", 2, Target.parse("T5 Sv5+ W1")),
        ),
    )
    assert unit.majority_models.name == "Lad"
    assert "taken as Lad and Gunner: 4x T5 Sv5+ W1, also Boss: 3x T5 Sv4+ W2" in unit.simplifications[0]


def test_every_defence_is_described():
    odd = ModelGroup("Odd", 1, Target.parse("T4 Sv- InSv4+ W2 FNP6+ FNP5+ mortal -1D half damage"))
    unit = Unit("Unit", 1, (WARDEN, odd))
    assert unit.simplifications[0].endswith(
        "also Odd: 1x T4 Sv- InSv4+ W2 FNP6+ FNP5+ mortal -1D half damage"
    )
    alone = Unit("Odd", 1, (odd,)).as_target()
    assert (alone.save, alone.half_damage, alone.damage_reduction, alone.feel_no_pain_mortal) == (
        None,
        True,
        1,
        5,
    )


def test_no_stat_line():
    unit = Unit("Ghosts", 10, (ModelGroup("Ghost", 5),))
    assert unit.size == 5
    assert unit.simplifications == ()
    for use in (unit.as_target, unit.as_target_unit, lambda: unit.majority_models):
        with pytest.raises(RosterError) as caught:
            use()
        assert str(caught.value) == (
            "expected a stat line (T, SV, W) for Ghosts, but the list holds none; "
            "build the Target by hand, or export the list with its profiles"
        )


def test_weapon_lines():
    line = WeaponLine("Spear", 3, "Warden", 0, ((GUN,), (SWORD,)))
    assert line.modes == (GUN, SWORD)
    assert not line.has_modes
    assert WeaponLine("Spear", 3, "Warden", 0, ((GUN, GUN),)).has_modes


def test_all_are_values():
    unit = Unit("Wardens", 90, (WARDEN,), (WeaponLine("Gun", 4, "Warden", 0, ((GUN,),)),))
    army = Army("A", "F", "10e", 90, (unit, unit), detachments=("X", "Y"))
    assert hash(army) == hash(Army("A", "F", "10e", 90, (unit, unit), detachments=("X", "Y")))
    assert army.detachment == "X, Y"
    with pytest.raises(AttributeError):
        army.name = "B"


def test_sentences_of_equal_units_are_said_once():
    unit = Unit("Wardens", 90, (WARDEN,), notes=("Wardens: so",))
    assert Army("A", "F", "10e", 90, (unit, unit)).simplifications == ("Wardens: so",)
