"""What an attack of Trench Crusade refuses, and how it says so."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest

from mathhammer import trench_crusade as tc
from mathhammer.errors import TooLargeError

PILGRIM = tc.Target("Pilgrim")
GUN = tc.WEAPONS["Shotgun"]


def test_several_weapons_are_several_attacks():
    written = tc.attack([tc.Attack(weapon=GUN), tc.Attack(weapon=GUN)], PILGRIM, exact=True)
    assert tc.attack([GUN, GUN], PILGRIM, exact=True).outcome == written.outcome


def test_texts_stand_for_weapons():
    """The name of a common weapon in either case, or the line that any weapon prints as."""
    gun, halberd = (
        tc.WEAPONS["Shotgun"],
        tc.Weapon("Halberd", kind="melee", keywords="+1 INJURY DICE, CRITICAL"),
    )
    assert tc.Weapon.parse(str(halberd)) == halberd
    assert tc.Weapon.parse(" Halberd (Melee):+1 injury dice, critical") == halberd
    lone = tc.attack(gun, PILGRIM, cover=True, exact=True)
    for text in ("shotgun", str(gun)):
        assert tc.attack(text, PILGRIM, cover=True, exact=True).outcome == lone.outcome
        assert tc.attack(text, PILGRIM, cover=True, exact=True).to_text() == lone.to_text()
    both = tc.attack([tc.Attack(weapon=halberd), gun], PILGRIM, exact=True)
    assert tc.attack([str(halberd), "Shotgun"], PILGRIM, exact=True).outcome == both.outcome
    assert tc.attack([str(halberd), "Shotgun"], PILGRIM, exact=True).to_text() == both.to_text()
    assert tc.Activation("Shotgun") == tc.Activation((tc.Attack(weapon=gun),))
    assert tc.Fighter(PILGRIM, ["Shotgun", str(halberd)], opening=str(halberd)) == tc.Fighter(
        PILGRIM, [gun, halberd], opening=halberd
    )
    frag, targets = tc.WEAPONS["Frag Grenades"], [PILGRIM, PILGRIM]
    by_name = tc.blast("Frag Grenades", targets, exact=True)
    assert by_name.out_of_action == tc.blast(tc.Attack(weapon=frag), targets, exact=True).out_of_action


def test_a_bloodbath_that_an_attack_may_earn_is_no_error():
    """Rules 1.0.2, Bloodbath: 6 markers, or 3 if the target is Down; two attacks may earn what one cannot pay."""
    gun, spend = tc.WEAPONS["Shotgun"], tc.Spend(bloodbath=True)
    plain = tc.attack(gun, tc.Target(blood=6)).probability_out_of_action
    assert tc.attack(gun, tc.Target(blood=6), spend=spend).probability_out_of_action > plain
    tc.attack([tc.Attack(weapon=gun), tc.Attack(weapon=gun)], tc.Target(blood=5), spend=spend)


def test_nothing_is_spent_where_it_is_said() -> None:
    """As on the command line: ``--spend nothing``."""
    target = tc.Target(blood=3, blessing=2)
    plain = tc.attack([GUN, GUN], target, exact=True)
    for spend, reply in (("nothing", "nothing"), (["nothing", tc.Spend()], [tc.Reply(), "nothing"])):
        said = tc.attack([GUN, GUN], target, spend=spend, reply=reply, exact=True)
        assert said.state == plain.state
    assert tc.attack(GUN, target, spend="nothing").to_text() == tc.attack(GUN, target).to_text()
    frag = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
    said = tc.blast(frag, [target], spend="nothing", reply="nothing", exact=True)
    assert said.outcomes == tc.blast(frag, [target], exact=True).outcomes
    pair = [tc.Activation(tc.Attack(weapon=GUN), tc.Attacker(name)) for name in "ab"]
    assert tc.best_order(pair, target, spend="nothing").order == ("a", "b")


FRAG = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
RESULTS = {
    "attack": lambda exact: tc.attack(GUN, tc.Target(blood=2), spend=tc.Spend(blood=1), exact=exact),
    "plan": lambda exact: tc.attack(GUN, tc.Target(blood=2), spend="best", exact=exact),
    "blast": lambda exact: tc.blast(FRAG, [tc.Target(), tc.Target()], exact=exact),
    "roll": lambda exact: tc.success_roll(1, exact=exact),
    "morale": lambda exact: tc.morale(5, exact=exact),
    "charge": lambda exact: tc.charge(6, exact=exact),
    "table": lambda exact: tc.success_table(exact=exact),
}


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize(
    "again",
    [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy],  # noqa: S301 -- our own bytes
    ids=["pickle", "copy", "deep"],
)
def test_results_are_pickled_and_copied(name: str, again: Any, *, exact: bool) -> None:
    result = RESULTS[name](exact)
    found = again(result)
    assert (str(found), repr(found)) == (str(result), repr(result))
    if name in ("attack", "plan"):
        assert found.state == result.state
        assert found.outcome == result.outcome
        assert found.probability_made(1) == 1
        assert str(found.plan) == str(result.plan)
        assert str(found.explain()) == str(result.explain())
        assert found.to_text() == result.to_text()
    if name == "blast":
        assert found.outcomes == result.outcomes


@pytest.mark.slow
def test_orders_that_take_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["mathhammer.systems.trench_crusade.attack"]
    monkeypatch.setattr(module, "MAXIMUM_POSITIONS", 100)
    activations = [tc.Activation(FRAG, tc.Attacker(name, blessing=2)) for name in "abc"]
    with pytest.raises(TooLargeError, match="6 orders with at most 100 positions together"):
        tc.best_order(activations, tc.Target(blood=6), spend="best")
    single = tc.best_order(activations[:1], tc.Target(blood=6), spend="best")
    assert single.order == ("a",)


def test_a_pickle_leaves_out_what_is_computed_again() -> None:
    result = tc.attack(GUN, tc.Target(blood=6), spend="best", exact=True)
    found = pickle.loads(pickle.dumps(result))  # noqa: S301 -- our own bytes
    assert result.positions > found.positions == 0
