"""Unit rules, stratagems and conditions of the 10th edition, compared exactly with the dice walked one by one.

The other side is `enumeration_extra`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import enumeration_extra as plain
import enumeration_sixes as sixes
import pytest
import translation
from enumeration_extra import Model, Shot
from enumeration_units import Kind
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed
from tenth import wh40k

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("Trooper", "Sergeant", "Captain", "Medic")
FLAGS = {
    "torrent": "Torrent",
    "pistol": "Pistol",
    "heavy": "Heavy",
    "lethal_hits": "Lethal Hits",
    "devastating_wounds": "Devastating Wounds",
    "ignores_cover": "Ignores Cover",
}
SITUATION = (
    *("stationary", "cover", "stealth", "smokescreen", "go_to_ground", "engaged", "plunging_fire"),
    *("damaged", "overwatch"),
)
#: What a change for the better is called, and one for the worse.
OPERATIONS = {
    "attacks": ("add", "subtract"),
    "skill": ("improve", "worsen"),
    "strength": ("add", "subtract"),
    "ap": ("improve", "worsen"),
    "damage": ("add", "subtract"),
}
DAMAGES = [fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 3, 1), Dice(1, 6)]

flags = st.integers(0, 3).map(lambda number: number == 0)
changes = st.lists(st.sampled_from([-1, 1, -2]), max_size=2).map(tuple)
faces = st.sampled_from([6, 6, 6, 5, 4, 3, 2])
rerolls = st.sampled_from([None, None, "ones", "failed", frozenset({1, 2, 5})])


@st.composite
def shots(draw: st.DrawFn, attacks: int, leaders: tuple[int, ...] = ()) -> Shot:
    torrent = draw(st.integers(0, 5)) == 0
    given = {
        name: draw(flags) for name in (*FLAGS, *SITUATION, "melee", "damage_halved") if name != "torrent"
    }
    given |= {f"{name}_modifier": draw(changes) for name in ("hit", "wound", "save")}
    given |= {f"{name}_change": draw(changes) for name in OPERATIONS}
    given |= {f"reroll_{name}": draw(rerolls) for name in ("hits", "wounds", "saves")}
    ignored = st.frozensets(st.sampled_from(["hit", "skill", "wound", "attacks", "strength", "ap", "damage"]))
    return Shot(
        attacks=draw(st.integers(1, attacks)),
        skill=None if torrent else draw(st.integers(2, 6)),
        strength=draw(st.integers(1, 10)),
        ap=-draw(st.integers(0, 3)),
        damage=draw(st.sampled_from(DAMAGES)),
        torrent=torrent,
        sustained_hits=draw(st.sampled_from([0, 0, 1])),
        critical_hit=draw(faces),
        critical_hit_must_succeed=draw(st.booleans()),
        critical_wound=draw(faces),
        critical_wound_must_succeed=draw(st.booleans()),
        wounds_on=draw(st.sampled_from([None, None, None, 2, 3, 4])),
        wound_fails_up_to=draw(st.sampled_from([1, 1, 2, 3, 5])),
        ignored=draw(st.one_of(st.just(frozenset()), ignored)),
        directed=draw(st.sampled_from([(), *((leader,) for leader in leaders), leaders])),
        **given,
    )


@st.composite
def models(draw: st.DrawFn, number: int, *, to_0: bool = False) -> Model:
    roll = st.one_of(st.none(), st.integers(2, 6))
    return Model(
        toughness=draw(st.integers(2, 8)),
        save=draw(st.one_of(st.none(), st.integers(2, 7))),
        wounds=draw(st.integers(1, 3)),
        models=number,
        invulnerable=draw(roll),
        feel_no_pain=draw(roll),
        feel_no_pain_mortal=draw(roll),
        damage_reduction=draw(st.sampled_from([0, 0, 1, 2])),
        half_damage=draw(st.booleans()),
        damage_1_save_bonus=draw(st.sampled_from([0, 1])),
        damage_to_0=to_0 and draw(st.booleans()),
    )


@st.composite
def kinds(draw: st.DrawFn, *, leader: bool = False, to_0: bool = False) -> Kind:
    model = draw(models(1 if leader else draw(st.integers(1, 2)), to_0=to_0))
    return Kind(model, draw(st.integers(0, model.wounds - 1)), leader)  # type: ignore[arg-type]


@st.composite
def units(draw: st.DrawFn, *, to_0: bool = False) -> tuple[Kind, ...]:
    guards = [draw(kinds(to_0=to_0)) for _ in range(draw(st.integers(1, 2)))]
    return (*guards, *(draw(kinds(leader=True, to_0=to_0)) for _ in range(draw(st.integers(1, 2)))))


@st.composite
def battles(draw: st.DrawFn, number: int, *, to_0: bool = False) -> tuple[tuple[Shot, ...], tuple[Kind, ...]]:
    unit = draw(units(to_0=to_0))
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader)
    return tuple(draw(shots(3 - number, leaders)) for _ in range(number)), unit


# ------------------------------------------------------------------------------------------ as a player would type it


def modifiers(shot: Shot) -> Iterator[wh40k.Modifier]:
    for name, (better, worse) in OPERATIONS.items():
        for place, change in enumerate(getattr(shot, f"{name}_change")):
            operation: Any = better if change > 0 else worse
            yield wh40k.Modifier(operation, abs(change), f"rule {place}", of=name)
    if shot.damage_halved:
        yield wh40k.Modifier("divide", 2, "a rule that halves", of="damage")


def rolls(numbers: tuple[int, ...]) -> list[wh40k.Modifier]:
    return [wh40k.Modifier("add", number, f"rule {place}") for place, number in enumerate(numbers)]


def threshold(face: int, *, must_succeed: bool) -> int | str:
    return f"successful {face}+" if must_succeed and face < 6 else face


def volley(shot: Shot, unit: tuple[Kind, ...]) -> wh40k.Volley:
    words = [text for name, text in FLAGS.items() if getattr(shot, name)]
    if shot.sustained_hits:
        words.append(f"Sustained Hits {shot.sustained_hits}")
    said: dict[str, Any] = {name: True for name in SITUATION if getattr(shot, name)}
    if shot.directed:
        words.append("Precision")
        leaders = sum(kind.leader for kind in unit)
        said["precision"] = NAMES[shot.directed[0]] if len(shot.directed) < leaders else True
    weapon = wh40k.Weapon(
        "Weapon",
        range="Melee" if shot.melee else '24"',
        attacks=shot.attacks,
        skill=shot.skill,
        strength=shot.strength,
        ap=shot.ap,
        damage=str(shot.damage),
        keywords=", ".join(words),
    )
    for name in ("hit", "wound", "save"):
        if numbers := getattr(shot, f"{name}_modifier"):
            said[f"{name}_modifier"] = rolls(numbers)
    for name in ("hit", "wound"):
        must = getattr(shot, f"critical_{name}_must_succeed")
        said[f"critical_{name}"] = threshold(getattr(shot, f"critical_{name}"), must_succeed=must)
    for name in ("wounds_on", "wound_fails_up_to", "reroll_hits", "reroll_wounds", "reroll_saves"):
        if getattr(shot, name) is not None:
            said[name] = getattr(shot, name)
    if shot.ignored:
        said["ignore_modifiers"] = shot.ignored
    return wh40k.Volley(weapon, **said, modifiers=list(modifiers(shot)))


def target(kind: Kind, name: str) -> wh40k.Target:
    model: Any = kind.profile
    return wh40k.Target(
        name,
        toughness=model.toughness,
        save=model.save,
        wounds=model.wounds,
        models=model.models,
        invulnerable=model.invulnerable,
        feel_no_pain=model.feel_no_pain,
        feel_no_pain_mortal=model.feel_no_pain_mortal,
        damage_reduction=model.damage_reduction,
        half_damage=model.half_damage,
        damage_1_save_bonus=model.damage_1_save_bonus,
        damage_to_0=model.damage_to_0,
        wounds_lost=kind.lost,
    )


def defenders(unit: tuple[Kind, ...]) -> wh40k.Target | wh40k.TargetUnit:
    named = [target(kind, name) for kind, name in zip(unit, NAMES, strict=False)]
    if len(unit) == 1:
        return named[0]
    split = sum(not kind.leader for kind in unit)
    return wh40k.TargetUnit("Unit", named[:split], named[split:])


def assert_equal(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    fired, unit = battle
    result = wh40k.attack([volley(shot, unit) for shot in fired], defenders(unit), exact=True)
    assert translation.points(result.hits) == plain.count(fired, unit, "hits")
    assert translation.points(result.wounds) == plain.count(fired, unit, "wounds")
    assert translation.points(result.state) == plain.final_states(fired, unit)
    if len(unit) == 1:
        assert translation.points(result.damage) == plain.damage_in_all(fired, unit)


# ------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=300)
@given(battle=st.tuples(st.tuples(shots(3)), st.tuples(kinds())))
def test_one_volley(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    """Core rules and stratagems: any one profile under any conditions, the first model wounded before."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=st.tuples(st.tuples(shots(2), shots(1)), st.tuples(kinds())))
def test_two_volleys(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    """Core rules, Mortal Wounds: two profiles, each under its own conditions."""
    assert_equal(battle)


@settings(max_examples=120)
@given(battle=st.one_of(battles(1), battles(2)))
def test_units_of_unequal_models(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    """Core rules, Leader and Precision: mixed units with leaders, some of them wounded, under any conditions."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=st.one_of(battles(1), battles(2)))
def test_leaders_who_have_begun_go_first(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    """Core rules, Leader, read the other way: a hurt leader, or one who was allocated an attack, comes first."""
    fired, unit = battle
    volleys, rulings = [volley(shot, unit) for shot in fired], {"leaders_begun": "goes-first"}
    result = wh40k.attack(volleys, defenders(unit), exact=True, rulings=rulings)
    assert translation.points(result.state) == plain.final_states(fired, unit, begun_first=True)


@settings(max_examples=120)
@given(
    battle=st.one_of(
        battles(1, to_0=True),
        battles(2, to_0=True),
        st.tuples(st.tuples(shots(2), shots(1)), st.tuples(kinds(to_0=True))),
    )
)
def test_the_first_failed_save_inflicts_nothing(battle: tuple[tuple[Shot, ...], tuple[Kind, ...]]) -> None:
    """Datasheets: once in a phase Damage is changed to 0, before any other modifier; here at the first chance."""
    fired, unit = battle
    result = wh40k.attack([volley(shot, unit) for shot in fired], defenders(unit), exact=True)
    assert translation.points(result.state) == sixes.with_damage_to_0(fired, unit)


@st.composite
def single_rerolls(draw: st.DrawFn) -> tuple[Shot, tuple[Kind, ...], str]:
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


@settings(max_examples=200)
@given(case=single_rerolls())
def test_one_die_rerolled(case: tuple[Shot, tuple[Kind, ...], str]) -> None:
    """Rules Commentary, Rules That Allow One Re-roll: the first failed die, attack by attack."""
    shot, unit, roll = case
    one: Any = {f"reroll_{roll}": "one"}
    plainly = volley(shot, unit)
    with_it = wh40k.Volley(plainly.weapon, plainly.count, **{**plainly.situation, **one})
    result = wh40k.attack(with_it, defenders(unit), exact=True)
    state, hits, wounds = sixes.with_one_reroll(shot, unit, roll)
    assert translation.points(result.state) == state
    assert translation.points(result.hits) == hits
    assert translation.points(result.wounds) == wounds


def triggers(shot: Shot) -> list[wh40k.Trigger]:
    found = []
    for roll in ("hit", "wound"):
        if better := getattr(shot, f"ap_on_{roll}"):
            found.append(wh40k.Trigger(roll, "unmodified 6", "a sharp edge", improve_ap=better))
        if number := getattr(shot, f"mortals_on_{roll}"):
            found.append(wh40k.Trigger(roll, "unmodified 6", "a curse", mortal_wounds=number))
    return found


@st.composite
def triggered(draw: st.DrawFn) -> tuple[Shot, tuple[Kind, ...]]:
    ap = st.sampled_from([0, 1, 3])
    mortals = st.sampled_from([0, 0, 1, 2])
    shot = replace(
        draw(shots(2)),
        ap_on_hit=draw(ap),
        ap_on_wound=draw(ap),
        mortals_on_hit=draw(mortals),
        mortals_on_wound=draw(mortals),
    )
    return shot, (draw(kinds()),)


@settings(max_examples=200)
@given(case=triggered())
def test_rules_on_an_unmodified_6(case: tuple[Shot, tuple[Kind, ...]]) -> None:
    """Core rules, Mortal Wounds: better AP and mortal wounds on a 6, with every ability and condition."""
    shot, unit = case
    plainly = volley(shot, unit)
    situation = {**plainly.situation, "triggers": triggers(shot)}
    result = wh40k.attack(wh40k.Volley(plainly.weapon, **situation), defenders(unit), exact=True)
    state, hits, wounds = sixes.with_triggers(shot, unit)
    assert translation.points(result.hits) == hits
    assert translation.points(result.wounds) == wounds
    assert translation.points(result.state) == state


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
GUN = Shot(attacks=2, damage=fixed(3), ap=-1, sustained_hits=1, devastating_wounds=True, stationary=True)
SQUAD = (
    Kind(Model(save=5, wounds=2, models=1, feel_no_pain=5, damage_1_save_bonus=1)),  # type: ignore[arg-type]
    Kind(Model(save=3, wounds=3, half_damage=True, damage_reduction=1), lost=1, leader=True),  # type: ignore[arg-type]
)


@pytest.mark.parametrize("unit", [SQUAD, SQUAD[:1]], ids=["led", "equal"])
@pytest.mark.parametrize("first", RULES)
def test_every_two_rules(first: str, unit: tuple[Kind, ...]) -> None:
    """Core rules, stratagems and datasheets: each pair of them at once, with and without Precision."""
    assert_equal(((replace(GUN, **{first: RULES[first]}),), unit))
    for pair in combinations(RULES, 2):
        if pair[0] == first:
            shot = replace(
                GUN, **{name: RULES[name] for name in pair}, directed=(1,) if len(unit) > 1 else ()
            )
            assert_equal(((shot,), unit))
