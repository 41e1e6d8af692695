"""One damage roll re-rolled, compared with the dice walked one by one; nothing of the package is on that side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import enumeration_damage_reroll as plain
import pytest
import translation
from enumeration_damage_reroll import Fired
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed
from tenth import wh40k
from test_wh40k_extra_enumeration import defenders, kinds, shots, units, volley

if TYPE_CHECKING:
    from enumeration_extra import Unit

DAMAGES = [Dice(1, 3), Dice(1, 3), Dice(1, 6), Dice(1, 3, 1), Dice(2, 3), fixed(2)]


@st.composite
def battles(draw: st.DrawFn, *, to_0: bool = False, most: int = 3) -> tuple[tuple[Fired, ...], Unit]:
    """A few attacks in one or two volleys, most of them with random Damage, on models of up to four wounds."""
    unit = draw(st.one_of(st.tuples(kinds(to_0=to_0)), units(to_0=to_0)))
    unit = tuple(
        replace(kind, profile=replace(kind.profile, wounds=kind.profile.wounds + draw(st.integers(0, 2))))  # type: ignore[type-var]
        for kind in unit
    )
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader)
    numbers = draw(st.sampled_from([(most,), (1, 1), (2, 1)] if len(unit) == 1 else [(2,), (1, 1)]))
    fired = []
    for number in numbers:
        shot = replace(draw(shots(number, leaders)), damage=draw(st.sampled_from(DAMAGES)))
        # Few attacks: most of them shall get through.
        sure = {"torrent": True, "skill": None, "overwatch": False, "wounds_on": 2, "damaged": False}
        shot = replace(shot, **sure) if draw(st.booleans()) else shot
        fired.append(Fired(shot, draw(st.sampled_from([True, True, False]))))
    return tuple(fired), unit


def as_typed(fired: tuple[Fired, ...], unit: Unit) -> list[wh40k.Volley]:
    typed = []
    for each in fired:
        written = volley(each.shot, unit)
        again: Any = {"reroll_damage": "one"} if each.reroll else {}
        typed.append(wh40k.Volley(written.weapon, written.count, **{**written.situation, **again}))
    return typed


@settings(max_examples=150)
@given(battle=battles())
def test_the_first_low_damage_roll(battle: tuple[tuple[Fired, ...], Unit]) -> None:
    """Core stratagems, Command Re-roll: equal models and mixed units, with every ability and condition."""
    fired, unit = battle
    result = wh40k.attack(as_typed(fired, unit), defenders(unit), exact=True)
    expected = plain.final_states(fired, unit)
    assert translation.points(result.state) == expected
    floats = translation.points(wh40k.attack(as_typed(fired, unit), defenders(unit)).state)
    assert floats == pytest.approx({at: float(chance) for at, chance in expected.items()}, rel=1e-12)


@settings(max_examples=80)
@given(battle=battles(to_0=True))
def test_a_damage_changed_to_0_is_not_rolled(battle: tuple[tuple[Fired, ...], Unit]) -> None:
    """Datasheets, "change the Damage of that attack to 0", beside the one re-roll."""
    fired, unit = battle
    result = wh40k.attack(as_typed(fired, unit), defenders(unit), exact=True)
    assert translation.points(result.state) == plain.final_states(fired, unit)


@settings(max_examples=60)
@given(
    battle=battles(most=2),
    allocation=st.sampled_from(["best", "worst"]),
    ignored=st.sampled_from(["allocated", "not-allocated"]),
)
def test_a_player_who_allocates_well_knows_of_the_reroll(
    battle: tuple[tuple[Fired, ...], Unit], allocation: Any, ignored: str
) -> None:
    """Core rules, Allocate Attack: the least, or greatest, mean loss of models over all plans."""
    fired, unit = battle
    named = defenders(unit)
    if isinstance(named, wh40k.Target):
        named = wh40k.TargetUnit("Unit", [named])
    chosen = wh40k.TargetUnit("Unit", named.models, named.leaders, allocation=allocation)
    rulings = {"ignored_mortal_wounds": ignored}
    result = wh40k.attack(as_typed(fired, unit), chosen, exact=True, rulings=rulings)
    models = sum(kind.profile.models for kind in unit)
    read = tuple(replace(each, allocated=ignored == "allocated") for each in fired)
    expected = plain.best(read, unit, lambda left: models - len(left), for_defender=allocation == "best")
    assert translation.plain_number(result.kills.mean()) == expected
