"""Random choices in rounds of combat of The 9th Age: the package against every way to choose, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import t9a_choices_enumeration as choices
import t9a_fight_enumeration as table
from hypothesis import given, settings
from hypothesis import strategies as st
from test_t9a_rounds import bodies, strikes, unit
from translation import plain_number as ratio

from mathhammer import t9a

PLAYERS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1)}
OBJECTIVES = ["break", "hold", "health points"]


def worth(fight: choices.Fight, best: str | None, *, exact: bool = True) -> Any:
    """The objective under the package's choices."""
    options: dict[str, Any] = {"best": best, "exact": exact} | (
        {"objective": fight.objective} if best else {}
    )
    one, other = fight.sides
    units = unit("side 0", one, other, 0, fight), unit("side 1", other, one, 1, fight)
    result = t9a.rounds_of_combat(*units, rounds=fight.rounds, **options)
    own, enemy = ("first", "second")[:: -1 if fight.of else 1]
    if fight.objective == "health points":
        losses = result.losses
        return losses.marginal(enemy).mean() - losses.marginal(own).mean()
    of = enemy if fight.objective == "break" else own
    over = result.end.probability(
        {f"{of} destroyed", f"{of} breaks", f"{of} caught", "both destroyed"}.__contains__
    )
    return over if fight.objective == "break" else 1 - over


@st.composite
def fights(draw: st.DrawFn, most_rounds: int) -> choices.Fight:
    both = [
        replace(
            each,
            models=draw(st.integers(1, 3)),
            hit_points=1,
            champion=each.champion and 1,
            characters=each.characters[:1],
        )
        for each in (draw(bodies()), draw(bodies()))
    ]
    victims: dict[tuple[int, int], tuple[int, ...]] = {}
    alternatives: dict[int, tuple[tuple[int, ...], ...]] = {}
    breaths = []
    for side in (0, 1):
        enemy = len(both[1 - side].pools)
        blows = st.lists(strikes(len(both[side].pools), 1), max_size=2)
        found = [replace(one, models=1, kind="", area=None) for one in draw(blows)]
        if len(found) == 2 and draw(st.booleans()):
            alternatives[side] = ((0,), (1,))
        for number, one in enumerate(found):
            # One model makes one Breath Attack in a phase.
            may = side in alternatives or all(each != side for each, _ in breaths)
            if may and draw(st.sampled_from([True, False, False, False])):
                breaths.append((side, number))
                found[number] = replace(one, skill=None, weapon="")
            elif enemy > 1:
                order = draw(st.permutations(range(enemy)))
                victims[side, number] = tuple(order)
        both[side] = replace(both[side], strikes=tuple(found))
    return choices.Fight(
        (both[0], both[1]),
        draw(st.integers(1, most_rounds)),
        victims,
        alternatives,
        tuple(breaths),
        draw(st.sampled_from(OBJECTIVES)),
    )


@settings(max_examples=60, deadline=None)
@given(
    fight=fights(2).filter(lambda each: any(one.strikes for one in each.sides)),
    best=st.sampled_from(list(PLAYERS)),
)
def test_the_best_choices(*, fight: choices.Fight, best: str) -> None:
    """Allocating Attacks; Weapon Master; Breath Attack; Round of Combat Sequence; Turns: Simultaneous Effects."""
    fight = replace(fight, of=int(best == "second"))
    expected = choices.best(fight, PLAYERS[best])
    assert ratio(worth(fight, best)) == expected
    assert worth(fight, best, exact=False) == pytest.approx(float(expected), rel=1e-12, abs=1e-15)
    fixed = choices.best(fight, ())
    assert ratio(worth(fight, None)) == fixed
    if best != "both":
        assert expected >= fixed


LORD_AND_GUARDS = choices.Fight(
    (
        table.Side(
            models=1,
            hit_points=2,
            discipline=6,
            strikes=(
                table.Strikes(attacks=2, skill=8, strength=5, agility=6),
                table.Strikes(attacks=2, skill=4, strength=4, agility=1),
            ),
        ),
        table.Side(
            models=2,
            champion=1,
            strikes=(table.Strikes(attacks=2, skill=5, strength=4, agility=4, bearer=1),),
        ),
    ),
    victims={(0, 0): (0, 1), (0, 1): (0, 1)},
)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_policy(objective: str) -> None:
    """No policy is better than the best one, and one is as good; some of them are worse."""
    fight = replace(LORD_AND_GUARDS, objective=objective)
    values = list(choices.every_policy(fight, 0))
    assert len(values) > 10
    assert ratio(worth(fight, "first")) == max(values) > min(values)


def test_the_active_player_chooses_first() -> None:
    """Turns, Simultaneous Effects: the Active Player says first, and is the other one in the next round."""
    hero = table.Side(
        models=1,
        hit_points=2,
        discipline=6,
        strikes=(
            table.Strikes(skill=None, strength=4, agility=5, weapon="Great Weapon"),
            table.Strikes(skill=6, strength=5, agility=5),
        ),
    )
    foe = replace(
        hero,
        bonus=1,
        strikes=(
            table.Strikes(skill=None, strength=3, agility=5, weapon="Spear"),
            table.Strikes(skill=None, strength=5, agility=2, weapon="Spear"),
        ),
    )
    both: dict[int, Any] = {0: ((0,), (1,)), 1: ((0,), (1,))}
    fight = choices.Fight((hero, foe), 2, alternatives=both, objective="health points")
    # Were the first one the Active Player of both rounds, or the second one of the first, it would be 70/5832.
    assert choices.best(fight, (0, 1)) == Fraction(175, 5832)
    assert ratio(worth(fight, "both")) == Fraction(175, 5832)


def test_who_charged_is_the_active_player() -> None:
    """Turns: it is the turn of the one that charges; were the first one to choose first, it would be 37/72."""
    first = table.Side(
        models=1,
        discipline=4,
        bonus=1,
        strikes=(
            table.Strikes(skill=3, strength=5, agility=5, weapon="Spear"),
            table.Strikes(skill=6, strength=5, agility=2, weapon="Spear"),
        ),
    )
    second = table.Side(
        models=1,
        discipline=9,
        charging=True,
        strikes=(
            table.Strikes(skill=None, strength=5, agility=5, weapon="Great Weapon"),
            table.Strikes(skill=6, strength=5, agility=5),
        ),
    )
    both: dict[int, Any] = {0: ((0,), (1,)), 1: ((0,), (1,))}
    fight = choices.Fight((first, second), alternatives=both, objective="hold")
    assert choices.best(fight, (0, 1)) == Fraction(17, 27)
    assert ratio(worth(fight, "both")) == Fraction(17, 27)
