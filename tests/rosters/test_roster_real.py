"""Real exports, which belong to others and do not ship: their facts, counted by hand and by another program.

Set MATHHAMMER_DATA to the folder that holds ``rosters/`` to run these tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from roster_files import feel_no_pain, invulnerable
from tenth import wh40k

from mathhammer.rosters import read_army

DATA = os.environ.get("MATHHAMMER_DATA")
pytestmark = pytest.mark.skipif(
    not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists"
)

# points, units, models, weapon lines, weapon copies
FACTS = {
    "10e-chaos-daemons-battlescribe.rosz": (1975, 9, 37, 22, 67),
    "10e-necrons-rosterwriter.rosz": (1205, 4, 6, 12, 17),
    "10e-tyranids-battlescribe.rosz": (1600, 9, 18, 22, 38),
    "10e-votann-battlescribe.rosz": (965, 8, 32, 54, 100),
    "10e-emperors-children-newrecruit.json": (3170, 25, 56, 100, 134),
    "10e-shadow-legion-newrecruit.json": (3440, 26, 76, 71, 132),
    "10e-sororitas-newrecruit.json": (3545, 32, 87, 150, 249),
    "own-minimal.ros": (115, 1, 5, 2, 5),
    "own-minimal.json": (115, 1, 5, 2, 5),
}

# All that is read with a doubt in them, and no more.
WARNINGS = {
    "10e-chaos-daemons-battlescribe.rosz": (
        (
            "Pink Horrors: no bearer is listed for these weapons, so they are not used: Coruscating Yellow flames, "
            "Yellow claws, Blue claws, Coruscating Blue flames"
        ),
        "Great Unclean One: the list holds no stat line for Great Unclean One: it cannot be a target",
    ),
}


def army_of(name):
    return read_army(Path(DATA or "") / "rosters" / name)


@pytest.mark.parametrize("name", FACTS)
def test_facts(name):
    army = army_of(name)
    lines = [line for unit in army.units for line in unit.weapons]
    assert (
        army.points,
        len(army.units),
        sum(unit.size for unit in army.units),
        len(lines),
        sum(line.count for line in lines),
    ) == FACTS[name]
    assert army.points == sum(unit.points for unit in army.units)
    assert (army.edition, army.file_edition) == ("10e", "10e")
    assert army.warnings == WARNINGS.get(name, ())
    assert len(army.detachments) == 1


def test_both_encodings_of_one_list_are_one_army():
    assert army_of("own-minimal.ros") == army_of("own-minimal.json")


@pytest.mark.parametrize("name", FACTS)
def test_units_can_be_targets(name):
    for unit in army_of(name).units:
        if all(group.has_stat_line for group in unit.models):
            assert unit.as_target().models == unit.size


def test_details_that_other_readers_miss():
    units = {unit.name: unit for unit in army_of("10e-sororitas-newrecruit.json").units}
    # 2 models with a bundle "2 Bolt Pistols" hold 4 pistols
    assert [
        (line.name, line.count) for line in units["Seraphim Squad"].weapons if line.bearer == "Seraphim"
    ] == [
        ("Bolt pistol", 4),
        ("Close combat weapon", 2),
    ]
    # thrown and stabbed with: two weapons in one line
    blade = next(line for line in units["Saint Celestine"].weapons if line.name == "The Ardent Blade")
    assert [[weapon.melee for weapon in choice] for choice in blade.choices] == [[False], [True]]
    assert feel_no_pain(units["Repentia Squad"]) == "5+"
    # the save of its own, not the one that it gives "while this model is leading a unit"
    assert invulnerable(units["Imagifier"]) == "4+"
    assert units["Imagifier"].rule("Stanchion of Holy Martyrs").state == "automatic"
    assert invulnerable(units["Armiger Warglaive"]) == "5+ ranged"


def test_two_launchers_on_one_mount():
    sagitaur = next(unit for unit in army_of("10e-votann-battlescribe.rosz").units if unit.name == "Sagitaur")
    mount = next(line for line in sagitaur.weapons if line.name.startswith("L7"))
    assert [len(choice) for choice in mount.choices] == [1, 2]


def test_feel_no_pain_that_an_ability_limits():
    norn = next(
        unit for unit in army_of("10e-tyranids-battlescribe.rosz").units if unit.name == "Norn Emissary"
    )
    target = norn.as_target()
    assert (target.feel_no_pain, target.feel_no_pain_mortal) == (None, 4)
    hounds = next(
        unit for unit in army_of("10e-shadow-legion-newrecruit.json").units if unit.name == "Flesh Hounds"
    )
    assert feel_no_pain(hounds) is None
    assert hounds.rule("Collar of Khorne").state == "on"


def case(
    file,
    unit,
    weapon,
    rule,
    *,
    toughness,
    with_it,
    without,
    attach=None,
    save=None,
    situation=None,
    switch=True,
):
    """One unit of a real list: its target has more wounds than it can lose, so that means are products."""
    army = army_of(file)
    if attach:
        army = army.attach(*attach)
    target = wh40k.Target("Block", toughness=toughness, save=save, wounds=200)

    def mean(given):
        attacker = given[f"{unit} with {attach[0]}" if attach else unit]
        only = attacker.with_weapons(lambda each: each.name == weapon)
        return wh40k.attack(only, target, **(situation or {})).wounds_lost.mean()

    # What always holds, or what the attachment decides, is on without being asked for.
    assert mean(army.with_rules(on=rule) if switch else army) == pytest.approx(with_it, rel=1e-12)
    assert mean(army.with_rules(off=rule)) == pytest.approx(without, rel=1e-12)
    if switch:
        assert mean(army) == pytest.approx(without, rel=1e-12)


BY_HAND = Path(__file__).with_name("units_by_hand.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", [line for line in BY_HAND if line.startswith("case(")])
def test_a_unit_of_a_real_list_worked_out_by_hand(row):
    eval(row, {"case": case})  # noqa: S307 - the file is part of the tests
