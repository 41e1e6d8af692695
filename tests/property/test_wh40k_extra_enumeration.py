"""Unit rules, stratagems and conditions of the 10th edition, compared exactly with the dice walked one by one.

The other side is `referees.wh40k`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, then
from referees.wh40k import sequence
from referees.wh40k.models import coordinates
from referees.wh40k.profiles import Kind, Rule, Rules, Unit, Volley
from translation import attack, points

if TYPE_CHECKING:
    from plain_dice import Pmf

ABILITIES = ("pistol", "heavy", "lethal_hits", "devastating_wounds", "ignores_cover")
SITUATION = (
    *("stationary", "cover", "stealth", "smokescreen", "go_to_ground", "engaged", "plunging_fire"),
    *("damaged", "overwatch"),
)
CHANGED = ("attacks", "skill", "strength", "ap", "damage")
Battle = tuple[tuple[Volley, ...], Unit]
DAMAGES = [fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 3, 1), Dice(1, 6)]

flags = st.integers(0, 3).map(lambda number: number == 0)
changes = st.lists(st.sampled_from([-1, 1, -2]), max_size=2).map(tuple)
faces = st.sampled_from([6, 6, 6, 5, 4, 3, 2])
rerolls = st.sampled_from([None, None, "ones", "failed", frozenset({1, 2, 5})])


@st.composite
def shots(draw: st.DrawFn, attacks: int, leaders: tuple[int, ...] = ()) -> Volley:
    torrent = draw(st.integers(0, 5)) == 0
    given = {name: draw(flags) for name in (*ABILITIES, *SITUATION, "melee", "damage_halved")}
    given |= {f"{name}_modifier": draw(changes) for name in ("hit", "wound", "save")}
    given |= {f"{name}_change": draw(changes) for name in CHANGED}
    given |= {f"reroll_{name}": draw(rerolls) for name in ("hits", "wounds", "saves")}
    ignored = st.frozensets(st.sampled_from(["hit", "skill", "wound", "attacks", "strength", "ap", "damage"]))
    return Volley(
        attacks=fixed(draw(st.integers(1, attacks))),
        skill=None if torrent else draw(st.integers(2, 6)),
        strength=fixed(draw(st.integers(1, 10))),
        ap=-draw(st.integers(0, 3)),
        damage=draw(st.sampled_from(DAMAGES)),
        torrent=torrent,
        sustained_hits=draw(st.sampled_from([(), (), (fixed(1),)])),
        critical_hit=draw(faces),
        critical_hit_must_succeed=draw(st.booleans()),
        critical_wound=draw(faces),
        critical_wound_must_succeed=draw(st.booleans()),
        wounds_on=draw(st.sampled_from([None, None, None, 2, 3, 4])),
        wound_fails_up_to=draw(st.sampled_from([1, 1, 2, 3, 5])),
        ignored=draw(st.one_of(st.just(frozenset()), ignored)),
        precision=draw(st.sampled_from([(), *((leader,) for leader in leaders), leaders])),
        **given,
    )


@st.composite
def kinds(draw: st.DrawFn, *, leader: bool = False, to_0: bool = False) -> Kind:
    roll = st.one_of(st.none(), st.integers(2, 6))
    wounds = draw(st.integers(1, 3))
    return Kind(
        toughness=draw(st.integers(2, 8)),
        save=draw(st.one_of(st.none(), st.integers(2, 7))),
        wounds=wounds,
        models=1 if leader else draw(st.integers(1, 2)),
        invulnerable=draw(roll),
        feel_no_pain=draw(roll),
        feel_no_pain_mortal=draw(roll),
        damage_reduction=draw(st.sampled_from([0, 0, 1, 2])),
        half_damage=draw(st.booleans()),
        damage_1_save_bonus=draw(st.sampled_from([0, 1])),
        damage_to_0=to_0 and draw(st.booleans()),
        lost=draw(st.integers(0, wounds - 1)),
        leader=leader,
    )


@st.composite
def units(draw: st.DrawFn, *, to_0: bool = False) -> Unit:
    guards = [draw(kinds(to_0=to_0)) for _ in range(draw(st.integers(1, 2)))]
    return (*guards, *(draw(kinds(leader=True, to_0=to_0)) for _ in range(draw(st.integers(1, 2)))))


@st.composite
def battles(draw: st.DrawFn, number: int, *, to_0: bool = False) -> Battle:
    unit = draw(units(to_0=to_0))
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader)
    return tuple(draw(shots(3 - number, leaders)) for _ in range(number)), unit


def counted(fired: tuple[Volley, ...], unit: Unit, name: str) -> Pmf:
    """Of a mixed unit only hits and wounds, which are those of its highest Toughness."""
    most = max(kind.toughness for kind in unit if not kind.leader)
    equal = (replace(unit[0], toughness=most),)
    return sequence.counted(fired, equal, name)


def assert_equal(battle: Battle) -> None:
    fired, unit = battle
    result = attack(fired, unit)
    for name in ("hits", "wounds", "damage") if len(unit) == 1 else ("hits", "wounds"):
        assert points(getattr(result, name)) == counted(fired, unit, name), name
    assert points(result.state) == sequence.states(fired, unit)


# ------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=100)
@given(battle=st.tuples(st.tuples(shots(3)), st.tuples(kinds())))
def test_one_volley(battle: Battle) -> None:
    """Core rules and stratagems: any one profile under any conditions, the first model wounded before."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=st.tuples(st.tuples(shots(2), shots(1)), st.tuples(kinds())))
def test_two_volleys(battle: Battle) -> None:
    """Core rules, Mortal Wounds: two profiles, each under its own conditions."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=st.one_of(battles(1), battles(2)))
def test_units_of_unequal_models(battle: Battle) -> None:
    """Core rules, Leader and Precision: mixed units with leaders, some of them wounded, under any conditions."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=st.one_of(battles(1), battles(2)))
def test_leaders_who_have_begun_go_first(battle: Battle) -> None:
    """Core rules, Leader, read the other way: a hurt leader, or one who was allocated an attack, comes first."""
    rules = Rules(begun_first=True)
    assert points(attack(*battle, rules).state) == sequence.states(*battle, rules)


@settings(max_examples=100)
@given(
    battle=st.one_of(
        battles(1, to_0=True),
        battles(2, to_0=True),
        st.tuples(st.tuples(shots(2), shots(1)), st.tuples(kinds(to_0=True))),
    )
)
def test_the_first_failed_save_inflicts_nothing(battle: Battle) -> None:
    """Datasheets: once in a phase Damage is changed to 0, before any other modifier; here at the first chance."""
    assert points(attack(*battle).state) == sequence.states(*battle)


@st.composite
def single_rerolls(draw: st.DrawFn) -> tuple[Volley, Unit, str]:
    unit = draw(st.one_of(st.tuples(kinds()), units()))
    roll = draw(st.sampled_from(["hits", "wounds"] if len(unit) > 1 else ["hits", "wounds", "saves"]))
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader)
    shot = replace(draw(shots(3, leaders)), **{f"reroll_{roll}": None})
    # Those that roll to wound, or to save, must be all of them.
    if roll != "hits":
        shot = replace(shot, lethal_hits=False)
    if roll == "saves":
        shot = replace(shot, devastating_wounds=False)
    return shot, unit, roll


@settings(max_examples=100)
@given(case=single_rerolls())
def test_one_die_rerolled(case: tuple[Volley, Unit, str]) -> None:
    """Rules Commentary, Rules That Allow One Re-roll: the first failed die, attack by attack."""
    shot, unit, roll = case
    result = attack((replace(shot, says=((roll, "own"),)),), unit)
    ends = sequence.final((shot,), unit, shared=frozenset({roll}), track=("hits", "wounds"))
    assert points(result.state) == then(ends, lambda end: certainly(coordinates(unit, end.models)))
    assert points(result.hits) == then(ends, lambda end: certainly(end.counts[0]))
    assert points(result.wounds) == then(ends, lambda end: certainly(end.counts[1]))


@st.composite
def triggered(draw: st.DrawFn) -> tuple[Volley, Unit]:
    rules = []
    for roll in ("hit", "wound"):
        if better := draw(st.sampled_from([0, 1, 3])):
            rules.append(Rule(roll, improve_ap=better))
        if number := draw(st.sampled_from([0, 0, 1, 2])):
            rules.append(Rule(roll, mortal_wounds=fixed(number)))
    return replace(draw(shots(2)), rules=tuple(rules)), (draw(kinds()),)


@settings(max_examples=100)
@given(case=triggered())
def test_rules_on_an_unmodified_6(case: tuple[Volley, Unit]) -> None:
    """Core rules, Mortal Wounds: better AP and mortal wounds on a 6, with every ability and condition."""
    shot, unit = case
    result = attack((shot,), unit)
    for name in ("hits", "wounds"):
        assert points(getattr(result, name)) == counted((shot,), unit, name)
    assert points(result.state) == sequence.states((shot,), unit)


#: Each rule alone and with each other one, on a weapon and a unit where it could matter.
RULES: dict[str, Any] = {
    "stealth": True,
    "smokescreen": True,
    "go_to_ground": True,
    "engaged": True,
    "plunging_fire": True,
    "damaged": True,
    "overwatch": True,
    "heavy": True,
    "pistol": True,
    "wounds_on": 2,
    "wound_fails_up_to": 3,
    "critical_hit": 5,
    "critical_wound": 4,
    "attacks_change": (1, -2),
    "skill_change": (-1,),
    "strength_change": (-3,),
    "ap_change": (-2,),
    "damage_change": (-2, 1),
    "damage_halved": True,
    "ignored": frozenset({"hit", "skill", "attacks", "strength", "ap", "damage"}),
}
GUN = Volley(
    attacks=fixed(2),
    damage=fixed(3),
    ap=-1,
    sustained_hits=(fixed(1),),
    devastating_wounds=True,
    stationary=True,
)
SQUAD = (
    Kind(save=5, wounds=2, models=1, feel_no_pain=5, damage_1_save_bonus=1),
    Kind(save=3, wounds=3, half_damage=True, damage_reduction=1, lost=1, leader=True),
)


@pytest.mark.parametrize("unit", [SQUAD, SQUAD[:1]], ids=["led", "equal"])
@pytest.mark.parametrize("first", RULES)
def test_every_two_rules(first: str, unit: Unit) -> None:
    """Core rules, stratagems and datasheets: each pair of them at once, with and without Precision."""
    assert_equal(((replace(GUN, **{first: RULES[first]}),), unit))
    for pair in combinations(RULES, 2):
        if pair[0] == first:
            shot = replace(
                GUN, **{name: RULES[name] for name in pair}, precision=(1,) if len(unit) > 1 else ()
            )
            assert_equal(((shot,), unit))
