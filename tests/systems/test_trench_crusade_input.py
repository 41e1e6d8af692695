"""Plans of Trench Crusade are handed back, results are pickled and copied; what takes too long is refused."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, TooLargeError

GUN = tc.WEAPONS["Shotgun"]


@pytest.mark.parametrize("reply", ["nothing", "best"])
def test_a_plan_is_handed_back(reply):
    """Followed again it does the same; for another objective it does no better than the plan for that."""
    pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=3, blessing=1)
    two = [tc.Attack(weapon=tc.WEAPONS["Shotgun"]), tc.Attack(weapon=tc.WEAPONS["Shotgun"])]
    options = {"reply": reply, "spends_first": "attacker", "exact": True}
    best = tc.attack(two, pilgrim, spend="best", **options)
    down = tc.attack(two, pilgrim, spend="best", objective="down or worse", **options)
    again = tc.attack(two, pilgrim, spend=best.plan, **options)
    assert (again.outcome, again.plan) == (best.outcome, best.plan)
    other = tc.attack(two, pilgrim, spend=down.plan, **options)
    assert other.probability_out_of_action <= best.probability_out_of_action
    if reply == "nothing":
        assert other.outcome == down.outcome
    for followed in (again, other):
        read = from_text(followed.to_text())
        assert (read.outcome, read.plan) == (followed.outcome, followed.plan)
    richer = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=5, blessing=1)
    with pytest.raises(MathhammerError, match="the plan of the same attacks on the same target"):
        tc.attack(two, richer, spend=best.plan, **options)


FRAG = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
RESULTS = {
    "attack": lambda exact: tc.attack(GUN, tc.Target(blood=2), spend=tc.Spend(blood=1), exact=exact),
    "plan": lambda exact: tc.attack(GUN, tc.Target(blood=2), spend="best", exact=exact),
    "blast": lambda exact: tc.blast(FRAG, [tc.Target(), tc.Target()], exact=exact),
    "roll": lambda exact: tc.success_roll(1, exact=exact),
    "morale": lambda exact: tc.morale(5, exact=exact),
    "charge": lambda exact: tc.charge(10, movement=6, exact=exact),
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
    assert len(result.plan.game.known) > len(found.plan.game.known) == 0
