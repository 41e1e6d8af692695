"""Attacks on units of unequal models, compared exactly with the enumeration of every die (see `enumeration_units`)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import enumeration_units as plain
import pytest
import strategies
import translation
from enumeration import Dice, Target, Volley, Weapon, fixed
from enumeration_units import Kind, Shots
from hypothesis import given, settings
from hypothesis import strategies as st
from tenth import wh40k

if TYPE_CHECKING:
    from fractions import Fraction

NAMES = ("Trooper", "Sergeant", "Captain", "Medic")
DAMAGES = [fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 3, 1)]


@st.composite
def kinds(draw: st.DrawFn, *, leader: bool) -> Kind:
    wounds = draw(st.integers(1, 3))
    profile = replace(
        draw(strategies.targets()), wounds=wounds, models=1 if leader else draw(st.integers(1, 2))
    )
    if leader:  # attached models without the keyword are no Characters, and nothing protects them
        profile = replace(profile, keywords=(*profile.keywords, "Character"))
    return Kind(profile, draw(st.integers(0, wounds - 1)), leader)


@st.composite
def units(draw: st.DrawFn) -> tuple[Kind, ...]:
    bodyguards = [draw(kinds(leader=False)) for _ in range(draw(st.integers(1, 2)))]
    return (*bodyguards, *(draw(kinds(leader=True)) for _ in range(draw(st.integers(0, 2)))))


@st.composite
def shots(draw: st.DrawFn, unit: tuple[Kind, ...], volleys: int) -> Shots:
    volley = draw(strategies.volleys(volleys + 1))
    weapon = replace(
        volley.weapon,
        damage=draw(st.sampled_from(DAMAGES)),
        sustained_hits=draw(st.sampled_from([(), (), (fixed(1),)])),
        blast=False,
        rapid_fire=None,
        devastating_wounds=draw(st.booleans()),
    )
    leaders = [place for place, kind in enumerate(unit) if kind.leader]
    aims = [(), tuple(leaders), *((leader,) for leader in leaders)]
    return Shots(replace(volley, weapon=weapon, count=1, reroll_damage=None), draw(st.sampled_from(aims)))


@st.composite
def battles(draw: st.DrawFn, volleys: int) -> tuple[tuple[Shots, ...], tuple[Kind, ...]]:
    unit = draw(units())
    return tuple(draw(shots(unit, volleys)) for _ in range(volleys)), unit


def package_kind(kind: Kind, name: str) -> wh40k.Target:
    return replace(translation.target(kind.profile), name=name, wounds_lost=kind.lost)


def package_unit(unit: tuple[Kind, ...], **options: Any) -> wh40k.TargetUnit:
    named = [(package_kind(kind, name), kind.leader) for kind, name in zip(unit, NAMES, strict=False)]
    return wh40k.TargetUnit(
        "Unit", [k for k, leader in named if not leader], [k for k, leader in named if leader], **options
    )


def package_volley(shot: Shots, unit: tuple[Kind, ...]) -> wh40k.Volley:
    volley = translation.volley(shot.volley)
    if not shot.directed:
        return volley
    weapon = replace(volley.weapon, keywords=(*volley.weapon.keywords, *wh40k.parse_keywords("Precision")))
    leaders = sum(kind.leader for kind in unit)
    named = leaders > 1 and len(shot.directed) == 1
    precision = NAMES[shot.directed[0]] if named else True
    return wh40k.Volley(weapon, volley.count, **{**volley.situation, "precision": precision})


def attack(
    shots: tuple[Shots, ...], target: wh40k.TargetUnit, unit: tuple[Kind, ...], **options: Any
) -> wh40k.AttackResult:
    return wh40k.attack([package_volley(shot, unit) for shot in shots], target, exact=True, **options)


def assert_equal(battle: tuple[tuple[Shots, ...], tuple[Kind, ...]]) -> None:
    shots, unit = battle
    expected: dict[tuple[int, ...], Fraction] = plain.merged(unit, plain.final_states(shots, unit))
    result = attack(shots, package_unit(unit), unit)
    assert translation.points(result.state) == expected
    lost = {}
    for state, chance in expected.items():
        begun = zip(unit, state[::2], state[1::2], strict=True)
        number = sum(k.profile.wounds * dead + more - k.lost for k, dead, more in begun)
        lost[number] = lost.get(number, 0) + chance
    assert translation.points(result.wounds_lost) == lost


@settings(max_examples=120)
@given(battle=battles(1))
def test_one_volley(battle: tuple[tuple[Shots, ...], tuple[Kind, ...]]) -> None:
    """Core rules, Making Attacks, Leader and Precision: any profile on mixed units, wounded models and leaders."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=battles(2))
def test_two_volleys(battle: tuple[tuple[Shots, ...], tuple[Kind, ...]]) -> None:
    """Core rules, Mortal Wounds: devastating wounds of both come last, those with Precision at the leader."""
    assert_equal(battle)


@settings(max_examples=60)
@given(battle=battles(2))
def test_two_units_one_after_another(battle: tuple[tuple[Shots, ...], tuple[Kind, ...]]) -> None:
    """A second unit begins where the first ended, with the models that it hurt or allocated attacks to."""
    (one, two), unit = battle
    distribution: dict[Any, Fraction] = {}
    for state, chance in plain.final_states((one,), unit).items():
        for after, more in plain.final_states((two,), plain.as_met(unit, state), state).items():
            distribution[after] = distribution.get(after, 0) + chance * more
    target = package_unit(unit)
    result = attack((two,), target, unit, start=attack((one,), target, unit))
    assert translation.points(result.state) == plain.merged(unit, distribution)


def test_a_touched_leader_goes_before_a_fresh_one() -> None:
    """Making Attacks: Precision allocated an attack to the second leader; though saved, he goes before the first."""
    trooper = Kind(Target(toughness=4, wounds=1))
    captain, medic = (Kind(Target(toughness=4, wounds=2, save=save), leader=True) for save in (None, 2))
    unit = (trooper, captain, medic)
    sure = Weapon(attacks=fixed(2), skill=None, torrent=True, strength=fixed(8))
    shots = (Shots(Volley(sure), (2,)), Shots(Volley(sure)))
    assert_equal((shots, unit))


def test_the_order_given_decides_again_after_a_wounded_model() -> None:
    """Making Attacks: only the wounded model itself must take the next attack, not its kind."""
    boys, nobs = Kind(Target(wounds=1, models=2)), Kind(Target(wounds=2, models=2), 1)
    sure = Weapon(attacks=fixed(3), skill=None, torrent=True, strength=fixed(8))
    assert_equal(((Shots(Volley(sure)),), (boys, nobs)))


def worth_of(objective: str, unit: tuple[Kind, ...]) -> Any:
    """What a last state costs its player."""

    def worth(state: plain.State) -> int:
        if objective == "probability_destroyed":
            return int(not state)
        if objective == "kills":
            return sum(kind.profile.models for kind in unit) - len(state)
        return sum(k.profile.models * k.profile.wounds - k.lost for k in unit) - sum(m.left for m in state)

    return worth


OBJECTIVES = ("kills", "wounds_lost", "probability_destroyed")


def found_value(result: wh40k.AttackResult, objective: str) -> Any:
    distribution = getattr(result, objective)
    return translation.plain_number(
        distribution if objective == "probability_destroyed" else distribution.mean()
    )


@settings(max_examples=60)
@given(
    battle=st.one_of(battles(1), battles(2)),
    objective=st.sampled_from(OBJECTIVES),
    by=st.sampled_from(["best", "worst"]),
)
def test_best_and_worst_allocation(
    battle: tuple[tuple[Shots, ...], tuple[Kind, ...]], objective: str, by: str
) -> None:
    """Making Attacks: the player of the unit allocates each attack anew, where no model has begun."""
    shots, unit = battle
    worth = worth_of(objective, unit)
    target = package_unit(unit, allocation=by, objective=objective)
    result = attack(shots, target, unit)
    assert found_value(result, objective) == plain.best(shots, unit, worth, for_defender=by == "best")
    assert result.state.total() == 1


SMALL = [
    Kind(Target(toughness=4, save=save, wounds=wounds, feel_no_pain=fnp))
    for save, wounds, fnp in [(5, 1, None), (3, 2, None), (4, 1, 5), (2, 1, None)]
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("unit", list(combinations(SMALL, 2)))
def test_no_policy_is_better_than_the_best(unit: tuple[Kind, ...], objective: str) -> None:
    """Every map from what the player sees to a choice, one by one."""
    weapon = Weapon(
        attacks=fixed(2), skill=None, torrent=True, ap=-1, damage=Dice(1, 3), devastating_wounds=True
    )
    shots = (Shots(Volley(weapon)),)
    values = plain.every_policy(shots, unit, worth_of(objective, unit))
    for name, extreme in (("best", min), ("worst", max)):
        target = package_unit(unit, allocation=name, objective=objective)
        assert found_value(attack(shots, target, unit), objective) == extreme(values)


@settings(max_examples=40)
@given(battle=battles(2), volleys=strategies.attacking_units(2), target=strategies.targets())
def test_shares_add_up(
    battle: tuple[tuple[Shots, ...], tuple[Kind, ...]], volleys: tuple[Volley, ...], target: Target
) -> None:
    """What each volley destroyed adds up to what was destroyed, for unequal and for equal models."""
    shots, unit = battle
    mixed = [package_volley(shot, unit) for shot in shots], package_unit(unit)
    equal = [translation.volley(each) for each in volleys], translation.target(target)
    for unit_volleys, defender in (mixed, equal):
        (done,) = wh40k.activations([unit_volleys], defender, exact=True)
        assert sum(share.kills for share in done.shares) == done.result.kills.mean()
        assert sum(share.wounds_lost for share in done.shares) == done.result.wounds_lost.mean()
        assert 0 <= done.expected_waste <= done.result.attacks.mean()
