"""Trench Crusade: what is explained, disputed points, plans, pickles, and what is refused before it is played."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest
from sympy import Rational

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.trench_crusade.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable

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


ALL = {"blood": 6, "infection": 6, "blessing": 6}
BEST = {"spend": "best", "reply": "best", "spends_first": "attacker"}


@pytest.fixture
def no_dice(monkeypatch):
    def refuse(*_arguments: object, **_options: object) -> None:
        pytest.fail("dice were rolled")

    monkeypatch.setattr(Game, "_rolled", refuse)


@pytest.mark.slow
@pytest.mark.usefixtures("no_dice")
@pytest.mark.parametrize("order", [{"spends_first": "attacker"}, {"initiative": "defender"}])
def test_best_against_best_with_all_markers_is_refused_before_a_die_is_rolled(order):
    with pytest.raises(TooLargeError, match=r"at most [0-9,]+ positions, but this has more; use fewer"):
        tc.attack(
            GUN, tc.Target(**ALL), attacker=tc.Attacker("A", **ALL), spend="best", reply="best", **order
        )


@pytest.mark.slow
@pytest.mark.parametrize(("markers", "attacks"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("plan", [BEST, {"spend": "best"}, {"reply": "best"}])
@pytest.mark.parametrize("armour", ["none", "machine"])
def test_no_game_has_fewer_positions_than_it_has_in_any_case(markers, attacks, plan, armour, monkeypatch):
    found = []
    counted = Game.fewest_positions
    monkeypatch.setattr(
        Game, "fewest_positions", lambda game, state: found.append(counted(game, state)) or found[-1]
    )
    numbers = dict.fromkeys(ALL, markers)
    single = [tc.Attack(weapon=GUN), tc.Attack(weapon=tc.WEAPONS["Bolt-Action Rifle"])][:attacks]
    result = tc.attack(
        tc.Activation(single, tc.Attacker("A", **numbers)),
        tc.Target(armour=armour, **numbers),
        exact=True,
        **plan,
    )
    assert 0 < found[0] <= len(result.plan.game.known)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spends_first", "initiative", "spend", "reply"])
def test_an_array_where_a_word_is_expected(name):
    numpy = pytest.importorskip("numpy")
    with pytest.raises(MathhammerError, match="expected"):
        tc.attack(GUN, tc.Target(), **{name: numpy.arange(3)})


def weapon(keywords: str = "", kind: str = "ranged", **options: Any) -> tc.Weapon:
    return tc.Weapon("weapon", kind=kind, keywords=keywords, **options)


def test_explanation_names_every_source() -> None:
    shotgun = tc.WEAPONS["Shotgun"]
    pilgrim = tc.Target("Pilgrim", armour="standard", shield=True, blood=2)
    text = str(tc.attack(shotgun, pilgrim, long_range=True, cover=True, spend=tc.Spend(blood=2)).explain())
    for part in (
        "+1 (Shotgun)",
        "-1 (Cover)",
        "-1 (Long Range with SHOTGUN) INJURY DICE",
        "-1 (Trench Shield)",
    ):
        assert part in text
    assert "up to 2 Blood Markers on the Injury Roll" in text


@pytest.mark.parametrize("keywords", ["", "CRITICAL", "DEADLY", "SHOTGUN", "IGNORE ARMOUR ON CRITICAL"])
@pytest.mark.parametrize(
    "situation", [{}, {"reroll": True}, {"long_range": True, "cover": True}, {"bystander": True}]
)
def test_what_is_explained_multiplies_out(keywords: str, situation: dict[str, bool]) -> None:
    """Out of Action is a success and its Injury Roll, or a critical success and the better one."""
    target = tc.Target(armour="reinforced", armour_dice=-1)
    result = tc.attack(weapon(keywords, injury_modifier=-1), target, exact=True, **situation)
    steps = {
        step.name: {each.name: Rational(each.numerator, each.denominator) for each in step.probabilities}
        for step in result.explain().steps
    }
    success, injury = steps["Success Roll"], steps["Injury Roll"]
    critical = steps.get("On a critical", injury)
    out = success["success"] * injury["out of action"] + success["critical"] * critical["out of action"]
    assert result.probability_out_of_action == out
    assert result.outcome.pmf("miss") == success["failure"]


DOUBLE_CRITICAL = {"dice": 3, "keywords": "CRITICAL"}


def out(weapon: dict[str, Any], target: dict[str, Any], **options: Any) -> Any:
    """P(out of action) of one attack, as a function of the rulings."""
    kind = weapon.pop("kind", "ranged")

    def play(rulings: dict[str, str]) -> Any:
        made = tc.Weapon("weapon", kind=kind, **weapon)
        result = tc.attack(made, tc.Target(**target), rulings=rulings, exact=True, **options)
        return result.probability_out_of_action

    return play


def attacks(keywords: str, target: dict[str, Any], number: int) -> Callable[[dict[str, str]], Any]:
    """P(the attack of that number is made)."""

    def play(rulings: dict[str, str]) -> Any:
        weapon = tc.Weapon("weapon", kind="ranged", keywords=keywords)
        activation = tc.Activation(tc.Attack(weapon=weapon), tc.Attacker("one"))
        other = tc.Activation(tc.Attack(weapon=tc.Weapon("other", kind="ranged")), tc.Attacker("two"))
        result = tc.attack([activation, other], tc.Target(**target), rulings=rulings, exact=True)
        return result.probability_made(number)

    return play


def blood(target: dict[str, Any], keywords: str = "FLAMETHROWER") -> Callable[[dict[str, str]], Any]:
    """Mean number of Blood Markers afterwards."""

    def play(rulings: dict[str, str]) -> Any:
        weapon = tc.Weapon("weapon", kind="ranged", keywords=keywords)
        return tc.attack(weapon, tc.Target(**target), rulings=rulings, exact=True).blood.mean()

    return play


THREE = {"armour": "reinforced", "shield": True}
SHAKEN: dict[str, Callable[[dict[str, str]], Any]] = {
    "modifier_cap": out({"injury_modifier": 1}, {**THREE, "characteristic": -1}),
    "armour_piercing_and_cap": out({"keywords": "ARMOUR PIERCING"}, {**THREE, "characteristic": -1}),
    "deadly": out({"keywords": "DEADLY"}, {}),
    "spare_markers": out({}, {"down": True, "blood": 6}, spend=tc.Spend(bloodbath=True, blood=3)),
    "down_own_rolls": lambda rulings: tc.morale(5, down=True, rulings=rulings, exact=True).probability_shaken,
    "down_bonus": out({}, {"down": True}),
    "critical_keyword": out(DOUBLE_CRITICAL, THREE),
    "extra_markers": blood({"armour": "standard"}, "FIRE, GAS"),
    "risky_failure": attacks("AUTOMATIC 2, RISKY", {}, 2),
    "ignore_armour_and_abilities": out({"keywords": "IGNORE ARMOUR"}, {"injury_dice": -1}),
    "fear_against_fear": out({"kind": "melee"}, {"keywords": "FEAR"}, attacker=tc.Attacker(keywords="FEAR")),
    "armour_piercing_and_impervious": out(
        {"keywords": "ARMOUR PIERCING"}, {"armour": "reinforced", "impervious": "armour"}
    ),
    "impervious_dice": out(
        {"keywords": "IGNORE ARMOUR"}, {"armour": "standard", "armour_dice": -1, "impervious": "armour"}
    ),
    "standfast_when_down": blood({"armour": "machine", "down": True}),
    "tough_in_bloodbath": out({}, {"keywords": "TOUGH", "blood": 6}, spend=tc.Spend(bloodbath=True)),
    "risky_failure_of_several": attacks("RISKY", {}, 2),
}


@pytest.mark.parametrize("ruling", tc.RULINGS, ids=lambda ruling: ruling.name)
def test_each_reading_moves_a_number(ruling: Any) -> None:
    """Every point has more than one option: the options differ, and the default is in force unless chosen."""
    play = SHAKEN[ruling.name]
    found = [play({ruling.name: option}) for option in ruling.options]
    assert len(set(found)) == len(ruling.options)
    assert play({}) == found[ruling.options.index(ruling.default)]


def test_all_points_are_named_and_shown() -> None:
    """The edition and its points, each with a source; the result shows what was in force."""
    assert SHAKEN.keys() == {ruling.name for ruling in tc.RULINGS}
    assert all(ruling.source and ruling.question.endswith("?") for ruling in tc.RULINGS)
    chosen = tc.attack(tc.WEAPONS["Sword"], tc.Target(), rulings={"down_bonus": "all"})
    assert chosen.rulings == {ruling.name: ruling.default for ruling in tc.RULINGS} | {"down_bonus": "all"}
    assert chosen.edition == "1.0.2"
    assert "down_bonus = all" in str(chosen.explain())
