"""Decisions against hand computation and brute force: what-if, sweeps, frontiers, options, assignments."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.analysis import assignment, blocks
from mathhammer.rosters import sample_army
from mathhammer.systems.wh40k.attacks import changes

RIFLE = wh40k.Weapon.parse('Rifle: 24" A1 BS3+ S4 AP0 D1')
WALL = wh40k.Target("Wall", toughness=4, save="4+", wounds=1, models=3, points=60)  # 20 points a model


def _added(answer: Any) -> dict[str, float]:
    return {row["change"]: row["added_kills"] for row in answer.records}


def test_what_if_leaves_out_what_is_too_large():
    """Devastating wounds of eight different weapons wait for all of them, each kind counted; the rest is answered."""
    guns = [
        wh40k.Weapon.parse(f'Gun {damage}: 24" A{11 - damage} BS3+ S4 AP0 Damage {damage}')
        for damage in range(1, 9)
    ]
    wall = wh40k.Target("Wall", toughness=4, save="4+", wounds=10, models=4)
    tried = [changes.ability("Devastating Wounds"), wh40k.CHANGES[0]]
    answer = analysis.what_if(guns, wall, changes=tried)
    assert [row["change"] for row in answer.records] == ["+1 Attack"]
    (left_out,) = answer.left_out
    assert left_out.startswith("Devastating Wounds: expected at most 500,000 numbers at once")
    assert answer.records == analysis.what_if(guns, wall, changes=tried[1:]).records
    with pytest.raises(MathhammerError, match="numbers at once"):
        analysis.what_if([tried[0].apply(wh40k.Volley(gun), {}) for gun in guns], wall, changes=tried[1:])


def test_what_if_asks_for_each_change_once_more_where_one_is_too_large(monkeypatch):
    """Volleys of which one has Devastating Wounds are walked one by one: the others of the table once each."""
    asked = []
    monkeypatch.setattr(
        blocks, "attack", lambda *given, **said: asked.append(given) or wh40k.attack(*given, **said)
    )
    guns = [
        wh40k.Weapon.parse(f'Gun {damage}: 24" A{11 - damage} BS3+ S4 AP0 Damage {damage}{keywords}')
        for damage, keywords in zip(range(1, 9), [" [DEVASTATING WOUNDS]", *[""] * 7], strict=True)
    ]
    wall = wh40k.Target("Wall", toughness=4, save="4+", wounds=10, models=4)
    tried = [*wh40k.CHANGES[:3], changes.ability("Devastating Wounds")]
    answer = analysis.what_if(guns, wall, changes=tried)
    assert len(answer.left_out) == 1
    assert len(asked) == 2 * (1 + len(tried))


def test_what_if_by_hand():
    """One attack: 2/3 hits, 1/2 wounds, 1/2 fails its save, so 1/6; each change multiplies one of the three."""
    answer = analysis.what_if(RIFLE, WALL)
    assert answer.mean_kills == pytest.approx(1 / 6)
    added = _added(answer)
    expected = {
        "+1 Attack": 1 / 6,  # twice the attack; no model is lost to the end of the unit
        "+1 to hit": (5 / 6) / 4 - 1 / 6,
        "re-roll hit rolls of 1": (7 / 9) / 4 - 1 / 6,
        "re-roll hits": (8 / 9) / 4 - 1 / 6,
        "+1 to wound": (2 / 3) * (2 / 3) / 2 - 1 / 6,
        "re-roll wounds": (2 / 3) * (3 / 4) / 2 - 1 / 6,
        "re-roll wound rolls of 1": (2 / 3) * (7 / 12) / 2 - 1 / 6,
        "+1 Strength": (2 / 3) * (2 / 3) / 2 - 1 / 6,
        "AP better by 1": (2 / 3) / 2 * (2 / 3) - 1 / 6,
        "Lethal Hits": (1 / 2 * 1 / 2 + 1 / 6) / 2 - 1 / 6,
        "Devastating Wounds": 2 / 3 * (1 / 6 + 1 / 3 * 1 / 2) - 1 / 6,
        "Sustained Hits 1": 1 / 6 * 1 / 4,  # one more hit in six: a quarter of it is a model
        "+1 Damage": 0.0,
        "within half range": 0.0,
    }
    assert {name: added[name] for name in expected} == pytest.approx(expected, abs=1e-14)
    assert answer.records[0]["change"] == "+1 Attack"
    assert [row["added_kills"] for row in answer.records] == pytest.approx(
        sorted(added.values(), reverse=True), abs=1e-12
    )
    assert answer.records[0]["added_points_destroyed"] == pytest.approx(20 / 6)


def test_what_if_never_takes_away_what_is_there():
    twin = replace(RIFLE, keywords=wh40k.parse_keywords("Twin-linked, Rapid Fire 1, Melta 2"))
    answer = analysis.what_if(
        wh40k.Volley(twin, 3, reroll_hits="failed"), WALL, critical_hit=4, cover=True, hit_modifier=-1
    )
    assert all(row["added_wounds_lost"] >= -1e-12 for row in answer.records)
    added = _added(answer)
    assert added["re-roll wounds"] == added["re-roll wound rolls of 1"] == added["critical hits on 5+"] == 0
    assert added["within half range"] > 0


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        # BS3+, half of the hits wound, half of those are saved. A 5 that must succeed succeeds on BS3+.
        ({"critical_hit": "successful 5+"}, 0),
        ({"critical_hit": "unmodified 5+"}, 0),
        ({"critical_hit": "successful 4+"}, 0),
        ({"critical_hit": 4}, 0),
        ({"critical_hit": 6}, 1 / 6 / 4),  # one more die in six scores a second hit
        ({}, 1 / 6 / 4),
    ],
)
def test_what_if_of_a_lower_critical_threshold(at: dict[str, object], expected: float):
    """Core rules, Sustained Hits: each critical hit scores one more; the threshold may be said in any form."""
    gun = replace(RIFLE, keywords=wh40k.parse_keywords("Sustained Hits 1"))
    for answer in (analysis.what_if(gun, WALL, **at), analysis.what_if(wh40k.Volley(gun, 1, **at), WALL)):
        assert _added(answer)["critical hits on 5+"] == pytest.approx(expected, abs=1e-14)


def test_what_if_of_a_threshold_that_need_not_succeed():
    """Rules Commentary, Critical Hit: BS6+ at "successful 5+" hits on 6 alone, at "5+" also on 5."""
    gun = replace(RIFLE, skill="6+")
    answer = analysis.what_if(gun, WALL, critical_hit="successful 5+")
    assert _added(answer)["critical hits on 5+"] == pytest.approx(1 / 6 / 4, abs=1e-14)


@pytest.mark.parametrize(
    "at",
    [
        *({"reroll_hits": rule, "reroll_wounds": rule} for rule in ("ones", "failed", "failed-unmodified")),
        {"reroll_hits": "non-critical", "reroll_wounds": "non-critical"},
        {"reroll_hits": {2}, "reroll_wounds": {1, 2, 3, 4, 5}},
        *({"critical_wound": face} for face in (4, "5+", "successful 5+")),
        *({"reroll_hits": "one"}, {"wounds_on": 3}),
    ],
)
def test_no_change_takes_away_what_is_there(at: dict[str, object]):
    """Rules Commentary, Re-rolls: of several rules for one die its owner picks one."""
    gun = replace(RIFLE, keywords=wh40k.parse_keywords("Sustained Hits 1, Devastating Wounds"))
    tried = [
        *wh40k.CHANGES,
        changes.situation("critical wounds on 5+", critical_wound=5),
        changes.situation("wounds on 4+", wounds_on=4),
        changes.situation("re-roll hits of 2", reroll_hits={2}),
    ]
    for answer in (
        analysis.what_if(wh40k.Volley(gun, 3), WALL, changes=tried, **at),
        analysis.what_if(wh40k.Volley(gun, 3, **at), WALL, changes=tried),
    ):
        assert {name: gain for name, gain in _added(answer).items() if gain < 0} == {}


def test_what_if_adds_exactly_nothing_where_nothing_is_changed():
    """A charge gives a gun nothing; the rounding of a sum in another order must not show as a loss."""
    lines = (
        "Cannon: A6 BS4+ S7 AP-1 D2",
        "Beamer: A2 BS4+ S10 AP-2 D4 [CONVERSION, SUSTAINED HITS D3]",
        "Bolts: A3 BS4+ S6 AP-1 D2 [SUSTAINED HITS 1, TWIN-LINKED]",
    )
    guns = [wh40k.Volley(wh40k.Weapon.parse(line), 1 + line.startswith("Bolts")) for line in lines]
    charged = next(row for row in analysis.what_if(guns, "TANK").records if row["change"] == "charged")
    assert set(charged.values()) == {"charged", 0}


def test_sweep_is_single_attacks():
    axes = {"count": (1, 5), "toughness": (3, 4, 8)}
    answer = analysis.sweep(RIFLE, WALL, axes, cover=True)
    swapped = analysis.sweep(RIFLE, WALL, dict(reversed(axes.items())), cover=True)
    for (row, count), (column, toughness) in itertools.product(
        enumerate(axes["count"]), enumerate(axes["toughness"])
    ):
        single = wh40k.attack(RIFLE, replace(WALL, toughness=toughness), count=count, cover=True)
        assert answer.metric("mean_wounds_lost")[row, column] == pytest.approx(single.wounds_lost.mean())
        assert swapped.metric("mean_wounds_lost")[column, row] == pytest.approx(single.wounds_lost.mean())
    records = answer.to_records()
    assert (len(records), records[1]["count"], records[1]["toughness"]) == (6, 1, 4)
    assert json.loads(answer.to_json())["schema"] == "mathhammer.sweep"


def test_sweep_of_weapon_and_situation():
    volleys = [wh40k.Volley(RIFLE, 2), wh40k.Volley(replace(RIFLE, damage=RIFLE.damage + 1), 1)]
    answer = analysis.sweep(volleys, "MEQ", {"skill": ("2+", "5+"), "hit_modifier": (0, 1)})
    changed = [replace(volley.weapon, skill="5+") for volley in volleys]
    single = wh40k.attack([wh40k.Volley(changed[0], 2), changed[1]], wh40k.TARGETS["MEQ"], hit_modifier=1)
    assert answer.metric("mean_wounds_lost")[1, 1] == pytest.approx(single.wounds_lost.mean())


def test_break_even_toughness_and_save_by_hand():
    """On T3 two thirds of six shots of S4 wound, 5/6 of four of S8; on T4 half of the six, still 5/6 of the four."""
    many = wh40k.Volley(replace(RIFLE, name="many"), 6)
    strong = wh40k.Volley(replace(RIFLE, name="strong", strength=8), 4)
    wall = replace(WALL, wounds=40, models=1)
    answer = analysis.break_even(many, strong, wall)
    per_hit = [5 / 6] * 2 + [2 / 3, 1 / 2] + [1 / 3] * 3 + [1 / 6] * 7
    assert [row["6 x many"] for row in answer.records] == pytest.approx(
        [6 * (2 / 3) * wound / 2 for wound in per_hit]
    )
    assert answer.notes == ["4 x strong becomes better between toughness 3 and 4."]
    armour = analysis.break_even(
        many, wh40k.Volley(replace(RIFLE, name="piercing", ap=-2), 4), wall, parameter="save"
    )
    # Failing Sv n+: (n-1)/6 of six shots against (n+1)/6 of four, at most all: 3n-3 against 2n+2 crosses at n=5.
    assert armour.notes == ["6 x many becomes better between save 4 and 6.", "Both are alike at save 5."]


def test_frontier_by_hand():
    costs = {"a": (1, 50), "b": (3, 100), "c": (2, 110), "d": (5, 160), "e": (5, 170)}
    squads = [
        analysis.Attacker(name, wh40k.Volley(RIFLE, count), points=cost)
        for name, (count, cost) in costs.items()
    ]
    table = analysis.grid([*squads, analysis.Attacker("free", RIFLE)], WALL)
    # One shot cannot destroy the wall: "a" is cheap, and of no use where that is asked.
    for metric, efficient in (("points_destroyed", ["a", "b", "d"]), ("probability_destroyed", ["b", "d"])):
        answer = analysis.frontier(table, "Wall", metric=metric)
        assert [row["attacker"] for row in answer.records] == efficient
        assert set(answer.dominated) == set(costs) - set(efficient)


def test_choose_is_the_weighted_mean():
    options = {"one": RIFLE, "two": wh40k.Volley(replace(RIFLE, ap=-3), 1)}
    answer = analysis.choose(options, {"MEQ": 3, "TEQ": 1}, metric="mean_wounds_lost")
    table = analysis.grid(options, "MEQ, TEQ")
    expected = table.mean_wounds_lost @ np.array([0.75, 0.25])
    assert {row["option"]: row["mean_wounds_lost"] for row in answer.records} == pytest.approx(
        dict(zip(("one", "two"), expected, strict=True))
    )
    assert answer.records[0]["option"] == "two"


def _guns() -> dict[str, wh40k.Volley]:
    return {
        "bolts": wh40k.Volley(wh40k.Weapon.parse('B: 24" A2 BS3+ S4 AP-1 D1 [BLAST]'), 4),
        "plasma": wh40k.Volley(wh40k.Weapon.parse('P: 24" A2 BS3+ S8 AP-3 D2 [SUSTAINED HITS 1]'), 2),
        "melta": wh40k.Volley(wh40k.Weapon.parse('M: 12" A1 BS3+ S9 AP-4 DD6'), 2),
        "sniper": wh40k.Volley(wh40k.Weapon.parse('S: 36" A1 BS2+ S5 AP-2 D3 [DEVASTATING WOUNDS]'), 3),
    }


def _field() -> list[wh40k.Target]:
    return [
        wh40k.Target("squad", toughness=4, save="3+", wounds=2, models=3, points=60, wounds_lost=1),
        wh40k.Target("walker", toughness=7, save="3+", wounds=5, points=90, feel_no_pain="6+"),
        wh40k.Target("mob", toughness=3, save="5+", wounds=1, models=6, points=36),
    ]


def _brute_force(guns: dict[str, wh40k.Volley], field: list[Any], objective: str, **situation: str) -> float:
    best = 0.0
    for division in itertools.product(range(len(field)), repeat=len(guns)):
        values = []
        for column, target in enumerate(field):
            state = None
            for gun, where in zip(guns.values(), division, strict=True):
                if where == column:
                    state = wh40k.attack(gun, target, start=state, **situation)
            if state is None:
                values.append(0.0)
            elif objective == "all destroyed":
                values.append(state.probability_destroyed)
            elif objective == "points lost":
                left = analysis.Defender("", target).wounds
                values.append(state.wounds_lost.mean() * target.points / left)
            else:
                values.append(state.points_destroyed if objective == "points" else state.kills.mean())
        best = max(best, float(np.prod(values)) if objective == "all destroyed" else sum(values))
    return best


def _unequal() -> list[Any]:
    boys = wh40k.Target("Boys", toughness=5, save="5+", wounds=1, models=4, points=36)
    nob = wh40k.Target("Nob", toughness=5, save="4+", wounds=2, points=14)
    boss = wh40k.Target("Boss", toughness=6, save="4+", wounds=6, points=75, keywords="Character")
    tank = wh40k.Target("Tank", toughness=7, save="3+", wounds=5, points=90, damage_to_0=True)
    return [wh40k.TargetUnit("Mob", [nob, boys], leaders=[boss]), wh40k.TargetUnit("Band", [boys, nob]), tank]


@pytest.mark.parametrize("objective", ["points", "points lost", "models", "all destroyed"])
def test_units_of_several_kinds_and_leaders_are_assigned_too(objective):
    """Each of 27 divisions by single attacks; a Damage changed to 0 happens once for all attackers."""
    guns = {name: gun for name, gun in _guns().items() if name != "sniper"}
    best = _brute_force(guns, _unequal(), objective)
    assert analysis.assign(guns, _unequal(), objective=objective).value == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_random_assignments_in_both_arithmetics(seed):
    draw = Random(seed)
    guns = {
        f"gun {number}": wh40k.Volley(
            replace(RIFLE, strength=draw.randint(3, 9), ap=-draw.randint(0, 3), damage=draw.randint(1, 3)),
            draw.randint(1, 6),
        )
        for number in range(4)
    }
    field = [*draw.sample(_field(), 1), *draw.sample(_unequal(), 1)]
    best = _brute_force(guns, field, "points")
    for exact in (False, True):
        assert analysis.assign(guns, field, exact=exact).value == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("objective", ["points", "points lost", "models", "all destroyed"])
def test_assignment_is_the_best_of_all(objective):
    plan = analysis.assign(_guns(), _field(), objective=objective)
    assert plan.value == pytest.approx(_brute_force(_guns(), _field(), objective), rel=1e-10)
    assert plan.gap == 0


@pytest.mark.parametrize("situation", [{"reroll_hits": "one"}, {"reroll": "best"}, {"cover": True}])
def test_an_assignment_in_a_situation(situation):
    """One re-roll of a situation is one for each attacker, as in a table."""
    field = _field()[::2]
    plan = analysis.assign(_guns(), field, objective="models", **situation)
    assert plan.value == pytest.approx(_brute_force(_guns(), field, "models", **situation), rel=1e-10)
    assert plan.value != pytest.approx(analysis.assign(_guns(), field, objective="models").value, rel=1e-3)


def test_an_assignment_that_sees_a_tank():
    """A gun takes half a wound of either: of ten of the tank for 100 points, of two of a model for 12."""
    gun = wh40k.Weapon.parse('Gun: 24" A1 S4 AP0 D1 [TORRENT]')
    tank = wh40k.Target("Tank", toughness=4, save=None, wounds=10, points=100)
    model = wh40k.Target("Model", toughness=4, save=None, wounds=2, points=12)
    pair = {"one": gun, "two": gun}
    # Two wounds kill the model with 1/4: 3 points; the tank they cannot kill, and it loses 10 points.
    assert analysis.assign(pair, [tank, model]).chosen == [1, 1]
    plan = analysis.assign(pair, [tank, model], objective="points lost")
    assert (plan.chosen, plan.value) == ([0, 0], pytest.approx(10))
    # Of one that has lost eight wounds half a wound is a quarter of what is left.
    hurt = replace(tank, wounds_lost=8)
    assert analysis.assign([gun], [hurt], objective="points lost").value == pytest.approx(25)


@pytest.mark.parametrize("field", [_field, _unequal])
def test_the_program_bounds_the_best(monkeypatch, field):
    exact = analysis.assign(_guns(), field())
    monkeypatch.setattr(assignment, "MAXIMUM_PRODUCTS", 2)
    plan = analysis.assign(_guns(), field())
    assert plan.value <= exact.value + 1e-9 <= plan.bound + 2e-9
    assert plan.value >= 0.97 * exact.value
    assert plan.gap == pytest.approx(plan.bound - plan.value)


def test_an_army_is_assigned():
    army = sample_army()
    plan = analysis.assign(army, "MEQ, TEQ, VEQ")
    assert set(plan.chosen) <= {0, 1, 2}
    assert plan.value <= plan.bound
    assert len(plan.to_records()) == len(plan.chosen)


def test_what_if_it_had_done_otherwise():
    """Having remained stationary is in place of having charged: a Heavy weapon that charged gains by standing."""
    gun = wh40k.Weapon.parse("Gun: A2 BS4+ S4 AP-1 D1 [HEAVY]")
    ranked = analysis.what_if(wh40k.Volley(gun, 5), "MEQ", charged=True)
    stood = next(row for row in ranked.records if row["change"] == "remained stationary")
    # Ten attacks that hit on 3+ rather than 4+, then wound on 4+ and fail half their saves.
    assert stood["added_wounds_lost"] == pytest.approx(10 * (2 / 3 - 1 / 2) / 4, rel=1e-12)
