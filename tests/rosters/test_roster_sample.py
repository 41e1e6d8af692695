"""The sample list that ships with the package."""

from __future__ import annotations

import subprocess
import sys

import pytest
from roster_files import feel_no_pain, invulnerable

from mathhammer.rosters import read_army, sample_army
from mathhammer.systems.wh40k.profiles.keywords import FLAGS


def test_it_is_large_enough_and_read_without_a_doubt():
    army = sample_army()
    assert army.warnings == ()
    assert (len(army.units), army.points) == (11, 1365)
    assert sum(len(line.modes) for unit in army.units for line in unit.weapons) == 43
    assert sum(unit.size for unit in army.units) == 55
    assert {unit.name: unit.size for unit in army.units}["Ember Levy"] == 20


def test_it_holds_every_ability():
    keywords = {
        keyword.name
        for unit in sample_army().units
        for line in unit.weapons
        for weapon in line.modes
        for keyword in weapon.keywords
    }
    of_the_11th = {"Close-quarters", "Hunter"}
    assert keywords == {*FLAGS, "Anti", "Melta", "Rapid Fire", "Sustained Hits"} - of_the_11th


def test_it_holds_every_shape_of_a_list():
    units = {unit.name: unit for unit in sample_army().units}
    assert units["Marshal of the League"].points == 85 + 25
    assert units["Marshal of the League"].enhancements == ("Crown of Signals",)
    assert [rule.name for rule in units["Marshal of the League"].rules if rule.state == "no effect"] == [
        "Leader",
        "Crown of Signals",
    ]
    assert units["Courier Riders"].weapons[0].count == 6  # three bundles of two pistols
    assert [len(choice) for choice in units["Hill Battery"].weapons[0].choices] == [2]
    assert invulnerable(units["Heron Walker"]) == "5+ ranged"
    assert feel_no_pain(units["Storm Augur"]) == "5+"
    wyrm = units["Furnace Wyrm"].effective_models[0].profile
    assert (wyrm.feel_no_pain, wyrm.feel_no_pain_mortal, wyrm.damage_reduction) == (None, 5, 1)
    assert units["Hill Battery"].as_target().stealth
    assert units["Hill Battery"].unparsed_abilities == ()
    assert sample_army().simplifications == (
        (
            "Ember Levy: as a target all 20 models are taken as Levy: 19x T3 Sv6+ W1, "
            "also Levy serjeant: 1x T3 Sv5+ W2"
        ),
    )


def test_all_its_units_can_be_targets():
    for unit in sample_army().units:
        target = unit.as_target()
        assert (target.models, target.points) == (unit.size, unit.points)


def test_the_same_list_as_a_file(tmp_path):
    from pkgutil import get_data

    path = tmp_path / "sample.ros"
    path.write_bytes(get_data("mathhammer.rosters", "sample/sample-army.ros"))
    assert read_army(path) == sample_army()


@pytest.mark.slow
def test_reading_lists_imports_nothing_heavy():
    heavy = ("sympy", "scipy", "matplotlib", "pandas", "zipfile", "click")
    code = (
        "import sys, mathhammer.rosters as rosters; before = 'numpy' in sys.modules; rosters.sample_army(); "
        f"print(before, [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False []"
