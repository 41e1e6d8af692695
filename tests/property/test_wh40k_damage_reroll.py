"""One damage roll re-rolled, compared with the dice walked one by one; nothing of the package is on that side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed
from referees.wh40k import models, sequence
from referees.wh40k.profiles import Rules, Unit, Volley
from test_wh40k_extra_enumeration import kinds, shots, units
from translation import attack, points, target_unit, values

DAMAGES = [Dice(1, 3), Dice(1, 3), Dice(1, 6), Dice(1, 3, 1), Dice(2, 3), fixed(2)]


DAMAGE = frozenset({"damage"})


@st.composite
def battles(draw: st.DrawFn, *, to_0: bool = False, most: int = 3) -> tuple[tuple[Volley, ...], Unit]:
    """A few attacks in one or two volleys, most of them with random Damage, on models of up to four wounds."""
    unit = draw(st.one_of(st.tuples(kinds(to_0=to_0)), units(to_0=to_0)))
    unit = tuple(replace(kind, wounds=kind.wounds + draw(st.integers(0, 2))) for kind in unit)
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader)
    numbers = draw(st.sampled_from([(most,), (1, 1), (2, 1)] if len(unit) == 1 else [(2,), (1, 1)]))
    fired = []
    for number in numbers:
        shot = replace(draw(shots(number, leaders)), damage=draw(st.sampled_from(DAMAGES)))
        # Few attacks: most of them shall get through.
        sure = {"torrent": True, "skill": None, "overwatch": False, "wounds_on": 2, "damaged": False}
        shot = replace(shot, **sure) if draw(st.booleans()) else shot
        says = draw(st.sampled_from([(), (), (("damage", "none"),)]))
        fired.append(replace(shot, says=says))
    return tuple(fired), unit


@settings(max_examples=100)
@given(battle=battles())
def test_the_first_low_damage_roll(battle: tuple[tuple[Volley, ...], Unit]) -> None:
    """Core stratagems, Command Re-roll: equal models and mixed units, with every ability and condition."""
    expected = sequence.states(*battle, shared=DAMAGE)
    assert points(attack(*battle, reroll_damage="one").state) == expected
    floats = points(attack(*battle, reroll_damage="one", exact=False).state)
    assert floats == pytest.approx({at: float(chance) for at, chance in expected.items()}, rel=1e-12)


@settings(max_examples=80)
@given(battle=battles(to_0=True))
def test_a_damage_changed_to_0_is_not_rolled(battle: tuple[tuple[Volley, ...], Unit]) -> None:
    """Datasheets, "change the Damage of that attack to 0", beside the one re-roll."""
    assert points(attack(*battle, reroll_damage="one").state) == sequence.states(*battle, shared=DAMAGE)


@settings(max_examples=60)
@given(battle=battles(most=2), allocation=st.sampled_from(["best", "worst"]), counts=st.booleans())
def test_a_player_who_allocates_well_knows_of_the_reroll(
    battle: tuple[tuple[Volley, ...], Unit], allocation: Any, *, counts: bool
) -> None:
    """Core rules, Allocate Attack: the least, or greatest, mean loss of models over all plans."""
    fired, unit = battle
    rules = Rules(ignored_count=counts)
    to = target_unit(unit, allocation=allocation)
    result = attack(fired, unit, rules, to=to, reroll_damage="one")
    players: Any = {"allocation": min if allocation == "best" else max}
    expected = sequence.best(fired, unit, models.worth("kills", unit), players, rules, shared=DAMAGE)
    assert values(result, "kills") == expected
