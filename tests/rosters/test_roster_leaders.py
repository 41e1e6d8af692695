"""The units that a list says a leader can be attached to, and what it gives to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tenth import wh40k

from mathhammer.errors import RosterError
from mathhammer.rosters import read_army
from mathhammer.rosters.wh40k.units import read_led_as

DATA = os.environ.get("MATHHAMMER_DATA")


def test_a_hostile_text_of_leaders_is_read_at_once():
    assert read_led_as("if a " * 2_000 + "x " * 2_000 + "can be attached to " * 500) == ()


def _real(name):
    if not DATA:
        pytest.skip("MATHHAMMER_DATA does not name the folder of real army lists")
    return read_army(Path(DATA) / "rosters" / name)


#: Leaders of real lists and the units of the same list that their abilities name, read by eye in the files.
LEADERS = {
    "10e-chaos-daemons-battlescribe.rosz": {"Fluxmaster": {"Pink Horrors"}},
    "10e-emperors-children-newrecruit.json": {
        "Lucius the Eternal": set(),
        "Lord Exultant": {"Infractors", "Tormentors"},
        "Lord Kakophonist": {"Noise Marines"},
    },
    "10e-necrons-rosterwriter.rosz": {"Overlord": set()},
    "10e-shadow-legion-newrecruit.json": {
        "Exalted Flamer": {"Flamers"},
        "Sorcerer in Terminator Armour": {"Chaos Terminator Squad"},
    },
    "10e-sororitas-newrecruit.json": {
        "Morvenn Vahl": {"Paragon Warsuits"},
        "Saint Celestine": {"Seraphim Squad"},
        # "Sisters Noviatiate Squad" is what the data says.
        "Junith Eruita": {"Battle Sisters Squad", "Dominion Squad", "Sisters Novitiate Squad"},
        "Palatine": {"Battle Sisters Squad", "Dominion Squad", "Sisters Novitiate Squad"},
        "Imagifier": {"Battle Sisters Squad", "Dominion Squad"},
    },
    "10e-votann-battlescribe.rosz": {"Einhyr Champion": {"Einhyr Hearthguard"}},
}


@pytest.mark.parametrize("name", LEADERS)
def test_legal_pairs_of_real_lists(name):
    found = _real(name).leaders
    for leader, bodyguards in LEADERS[name].items():
        assert {key.partition(" #")[0] for key in found[leader]} == bodyguards


def test_a_real_leader_gives_lethal_hits_to_its_unit_alone():
    """Boltguns hit on 3+ and wound T4 on 4+: 3/6 x 3/6 + 1/6 = 5/12 of a wound with Lethal Hits, else 4/6 x 3/6."""
    army = _real("10e-sororitas-newrecruit.json")
    target = wh40k.Target("Open", toughness=4, save=None, wounds=1, models=40)

    def wounds(unit):
        return wh40k.attack(unit.with_weapons(lambda weapon: weapon.name == "Boltgun"), target).wounds

    alone = army["Battle Sisters Squad"]
    attacks = sum(line.count for line in alone.weapons if line.name == "Boltgun")
    led = army.attach("Palatine", "Battle Sisters Squad")["Battle Sisters Squad"]
    assert wounds(alone).mean() == pytest.approx(attacks / 3, rel=1e-12)
    assert wounds(led).mean() == pytest.approx(attacks * 5 / 12, rel=1e-12)
    with pytest.raises(
        RosterError, match="in this army it can lead 'Battle Sisters Squad', 'Dominion Squad'"
    ):
        army.attach("Palatine", "Castigator")
