"""What an attack of Trench Crusade refuses, and how it says so."""

from __future__ import annotations

import pytest

from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, UnknownNameError

PILGRIM = tc.Target("Pilgrim")
GUN = tc.WEAPONS["Shotgun"]


def test_several_weapons_are_several_attacks():
    written = tc.attack([tc.Attack(weapon=GUN), tc.Attack(weapon=GUN)], PILGRIM, exact=True)
    assert tc.attack([GUN, GUN], PILGRIM, exact=True).outcome == written.outcome


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: tc.attack("Shotgun", PILGRIM), MathhammerError, "WEAPONS"),
        (lambda: tc.attack(GUN, PILGRIM, covr=True), UnknownNameError, "did you mean 'cover'"),
        (lambda: tc.attack(GUN, PILGRIM, cover=3), MathhammerError, "expected True or False as cover, got 3"),
    ],
)
def test_wrong_input_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_a_bloodbath_that_cannot_be_paid_is_refused():
    """Rules 1.0.2, Bloodbath: 6 markers, or 3 if the target is Down; two attacks may earn what one cannot pay."""
    gun, spend = tc.WEAPONS["Shotgun"], tc.Spend(bloodbath=True)
    for target in (tc.Target(blood=5), tc.Target(blood=2, down=True)):
        with pytest.raises(MathhammerError, match="Markers on the target for a Bloodbath"):
            tc.attack(gun, target, spend=spend)
    plain = tc.attack(gun, tc.Target(blood=6)).probability_out_of_action
    assert tc.attack(gun, tc.Target(blood=6), spend=spend).probability_out_of_action > plain
    tc.attack([tc.Attack(weapon=gun), tc.Attack(weapon=gun)], tc.Target(blood=5), spend=spend)
