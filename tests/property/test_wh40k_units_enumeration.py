"""Attacks on units of unequal models, compared exactly with the enumeration of every die (see `referees.wh40k`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
import strategies
import translation
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, then
from referees.wh40k import models, sequence
from referees.wh40k.profiles import Kind, Unit, Volley
from tenth import wh40k
from translation import attack, points, target_unit

Battle = tuple[tuple[Volley, ...], Unit]
DAMAGES = [fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 3, 1)]


@st.composite
def kinds(draw: st.DrawFn, *, leader: bool) -> Kind:
    wounds = draw(st.integers(1, 3))
    kind = replace(
        draw(strategies.targets()),
        wounds=wounds,
        models=1 if leader else draw(st.integers(1, 2)),
        lost=draw(st.integers(0, wounds - 1)),
        leader=leader,
    )
    # Attached models without the keyword are no Characters, and nothing protects them.
    return replace(kind, keywords=(*kind.keywords, "Character")) if leader else kind


@st.composite
def units(draw: st.DrawFn) -> Unit:
    bodyguards = [draw(kinds(leader=False)) for _ in range(draw(st.integers(1, 2)))]
    return (*bodyguards, *(draw(kinds(leader=True)) for _ in range(draw(st.integers(0, 2)))))


@st.composite
def shots(draw: st.DrawFn, unit: Unit, volleys: int) -> Volley:
    leaders = [place for place, kind in enumerate(unit) if kind.leader]
    aims = [(), tuple(leaders), *((leader,) for leader in leaders)]
    return replace(
        draw(strategies.volleys(volleys + 1)),
        weapons=1,
        damage=draw(st.sampled_from(DAMAGES)),
        sustained_hits=draw(st.sampled_from([(), (), (fixed(1),)])),
        blast=0,
        rapid_fire=None,
        devastating_wounds=draw(st.booleans()),
        reroll_damage=None,
        precision=draw(st.sampled_from(aims)),
    )


@st.composite
def battles(draw: st.DrawFn, volleys: int) -> Battle:
    unit = draw(units())
    return tuple(draw(shots(unit, volleys)) for _ in range(volleys)), unit


def assert_equal(battle: Battle) -> None:
    shots, unit = battle
    expected = sequence.states(shots, unit)
    result = attack(shots, unit, to=target_unit(unit))
    assert points(result.state) == expected
    lost: dict[int, Fraction] = {}
    for state, chance in expected.items():
        begun = zip(unit, state[::2], state[1::2], strict=True)
        number = sum(kind.wounds * dead + more - kind.lost for kind, dead, more in begun)
        lost[number] = lost.get(number, Fraction(0)) + chance
    assert points(result.wounds_lost) == lost


@settings(max_examples=100)
@given(battle=battles(1))
def test_one_volley(battle: Battle) -> None:
    """Core rules, Making Attacks, Leader and Precision: any profile on mixed units, wounded models and leaders."""
    assert_equal(battle)


@settings(max_examples=100)
@given(battle=battles(2))
def test_two_volleys(battle: Battle) -> None:
    """Core rules, Mortal Wounds: devastating wounds of both come last, those with Precision at the leader."""
    assert_equal(battle)


@settings(max_examples=60)
@given(battle=battles(2))
def test_two_units_one_after_another(battle: Battle) -> None:
    """A second unit begins where the first ended, with the models that it hurt or allocated attacks to."""
    (one, two), unit = battle
    first = sequence.final((one,), unit)
    both = then(first, lambda table: sequence.final((two,), unit, start=table))
    to = target_unit(unit)
    result = attack((two,), unit, to=to, start=attack((one,), unit, to=to))
    assert points(result.state) == then(both, lambda table: certainly(models.coordinates(unit, table.models)))


def test_a_touched_leader_goes_before_a_fresh_one() -> None:
    """Making Attacks: Precision allocated an attack to the second leader; though saved, he goes before the first."""
    captain, medic = (Kind(wounds=2, save=save, leader=True) for save in (None, 2))
    unit = (Kind(), captain, medic)
    sure = Volley(attacks=fixed(2), skill=None, torrent=True, strength=fixed(8))
    shots = (replace(sure, precision=(2,)), sure)
    assert_equal((shots, unit))


def test_the_order_given_decides_again_after_a_wounded_model() -> None:
    """Making Attacks: only the wounded model itself must take the next attack, not its kind."""
    boys, nobs = Kind(models=2), Kind(wounds=2, models=2, lost=1)
    sure = Volley(attacks=fixed(3), skill=None, torrent=True, strength=fixed(8))
    assert_equal(((sure,), (boys, nobs)))


OBJECTIVES = ("kills", "wounds_lost", "probability_destroyed")


@settings(max_examples=60)
@given(
    battle=st.one_of(battles(1), battles(2)),
    objective=st.sampled_from(OBJECTIVES),
    by=st.sampled_from(["best", "worst"]),
)
def test_best_and_worst_allocation(battle: Battle, objective: str, by: str) -> None:
    """Making Attacks: the player of the unit allocates each attack anew, where no model has begun."""
    shots, unit = battle
    players = {"allocation": min if by == "best" else max}
    result = attack(shots, unit, to=target_unit(unit, allocation=by, objective=objective))
    expected = sequence.best(shots, unit, models.worth(objective, unit), players)
    assert translation.values(result, objective) == expected
    assert result.state.total() == 1


SMALL = [
    Kind(save=save, wounds=wounds, feel_no_pain=fnp)
    for save, wounds, fnp in [(5, 1, None), (3, 2, None), (4, 1, 5), (2, 1, None)]
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("unit", list(combinations(SMALL, 2)))
def test_no_policy_is_better_than_the_best(unit: Unit, objective: str) -> None:
    """Every map from what the player sees to a choice, one by one."""
    weapon = Volley(
        attacks=fixed(2), skill=None, torrent=True, ap=-1, damage=Dice(1, 3), devastating_wounds=True
    )
    policies = sequence.every_policy((weapon,), unit, models.worth(objective, unit))
    for name, extreme in (("best", min), ("worst", max)):
        result = attack((weapon,), unit, to=target_unit(unit, allocation=name, objective=objective))
        assert translation.values(result, objective) == extreme(policies)


@settings(max_examples=40)
@given(battle=battles(2), volleys=strategies.attacking_units(2), target=strategies.targets())
def test_shares_add_up(battle: Battle, volleys: tuple[Volley, ...], target: Kind) -> None:
    """What each volley destroyed adds up to what was destroyed, for unequal and for equal models."""
    shots, unit = battle
    mixed = [translation.volley(shot, unit) for shot in shots], target_unit(unit)
    equal = [translation.volley(each) for each in volleys], translation.target(target)
    for unit_volleys, defender in (mixed, equal):
        (done,) = wh40k.activations([unit_volleys], defender, exact=True)
        assert sum(share.kills for share in done.shares) == done.result.kills.mean()
        assert sum(share.wounds_lost for share in done.shares) == done.result.wounds_lost.mean()
        assert 0 <= done.expected_waste <= done.result.attacks.mean()
