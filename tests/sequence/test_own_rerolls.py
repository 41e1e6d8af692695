"""A single re-roll of a volley's own is gone with the volley, spent or not."""

from __future__ import annotations

import pytest
from tenth import wh40k

from mathhammer.sequence.resolution import shared_rerolls
from mathhammer.sequence.unit_choices import _Script
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.volleys import read_entries
from mathhammer.systems.wh40k.sequence.compile import compile_entries, unit_of

GUN = wh40k.Weapon.parse("Gun: A2 BS4+ S4 AP0 D2")
UNIT = wh40k.TargetUnit(
    "Unit",
    [
        wh40k.Target("Ogre", toughness=4, save="4+", wounds=3),
        wh40k.Target("Guard", toughness=4, save="5+", wounds=1),
    ],
    allocation="best",
)


@pytest.mark.parametrize("roll", ["reroll_hits", "reroll_wounds", "reroll_saves"])
def test_no_position_holds_the_re_roll_of_an_earlier_volley(roll):
    """Rules Commentary, Rules That Allow One Re-roll: of the attacks of that weapon."""
    volleys = [wh40k.Volley(GUN, **{roll: "one"}), wh40k.Volley(GUN)]
    edition = find_edition("10e").by_default
    compiled = [each.volley for each in compile_entries(read_entries(volleys, {}), UNIT, edition)]
    unit = unit_of(UNIT, edition)
    script = _Script(compiled, unit, maximise=False)
    script.keys()
    assert not shared_rerolls(compiled)
    assert any(key.held for key in script._keys if key.volley == 0)
    assert not any(key.held for key in script._keys if key.volley > 0)
