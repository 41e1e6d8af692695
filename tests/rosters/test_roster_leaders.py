"""The units that a list says a leader can be attached to."""

from __future__ import annotations

import pytest
from roster_files import ability, read_one
from test_roster_abilities import hero


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("This model can be attached to the following unit: - TYRANT GUARD", ("TYRANT GUARD",)),
        (
            "This model can be attached to the following units: ■ Pink Horrors ■ Blue Horrors",
            ("Pink Horrors", "Blue Horrors"),
        ),
        ("This model can be attached to the following units:\n- **Nobz**\n- **Boyz**", ("Nobz", "Boyz")),
        (
            "This unit can be attached to the following units: ^^**Skitarii Rangers, Electro-Priests**^^",
            ("Skitarii Rangers", "Electro-Priests"),
        ),
        (
            "This model can be attached to the following units: **^^Infractors; Tormentors^^**",
            ("Infractors", "Tormentors"),
        ),
        (
            "This model can be attached to the following units: ■ Wardens ■ Tactical Squad You can do so twice.",
            ("Wardens", "Tactical Squad"),
        ),
        ("This model can be attached to the following units: ■ Wardens (excluding Old Wardens)", ()),
        ("Its riders follow it everywhere.", ()),
    ],
)
@pytest.mark.parametrize("name", ["Leader", "Support"])
def test_the_units_that_a_leader_can_lead(name, text, names):
    unit, _ = read_one(hero(ability(name, text)))
    assert (unit.leads, unit.unparsed_abilities) == (names, ())
