"""Choices of both players in the 11th edition, compared exactly with `referees.wh40k.pools`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import translation as package
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, mean, then
from referees.wh40k.pools import Choices, play
from referees.wh40k.profiles import ELEVENTH, Kind, Rules, Unit, Volley
from translation import points

from mathhammer import wh40k

if TYPE_CHECKING:
    from collections.abc import Callable

    from referees.wh40k.groups import State

#: What fails is not made smaller: the second program takes its time.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
flags = st.booleans()
saves = st.sampled_from([None, 2, 3, 4, 5, 6])
DAMAGES = [fixed(1), fixed(1), fixed(2), Dice(1, 3)]


@st.composite
def units(draw: st.DrawFn) -> Unit:
    """Two or three kinds, of which two may be one group, and the last a Character."""
    found = []
    for _ in range(draw(st.integers(2, 3))):
        wounds = draw(st.integers(1, 2))
        found.append(
            Kind(
                wounds=wounds,
                save=draw(saves),
                invulnerable=draw(st.sampled_from([None, None, 4, 5])),
                models=draw(st.integers(1, 2)),
                feel_no_pain=draw(st.sampled_from([None, None, 5])),
                lost=draw(st.integers(0, wounds - 1)),
            )
        )
    if draw(flags):
        first = found[0]
        found[1] = replace(first, feel_no_pain=draw(st.sampled_from([None, 4])), models=1, lost=0)
    if len(found) == 3 and draw(flags):
        found[2] = replace(found[2], models=1, character=True, leader=True, toughness=6)
    return tuple(found)


@st.composite
def pools(draw: st.DrawFn, unit: Unit, most: int) -> Volley:
    heroes = tuple(place for place, kind in enumerate(unit) if kind.character)
    rends = draw(st.sampled_from([0, 0, 2]))
    return Volley(
        attacks=fixed(draw(st.integers(1, most))),
        skill=draw(st.sampled_from([2, 4])),
        strength=fixed(draw(st.sampled_from([4, 6, 8]))),
        ap=-draw(st.integers(0, 2)),
        damage=draw(st.sampled_from(DAMAGES)),
        devastating_wounds=not rends and draw(flags),
        critical_wound=draw(st.sampled_from([6, 4])),
        ap_on_critical_wounds=rends,
        precision_on_critical_hits=heroes[:1] if draw(flags) else (),
        critical_hit=draw(st.sampled_from([6, 4])),
    )


@st.composite
def battles(draw: st.DrawFn, number: int, most: int) -> tuple[tuple[Volley, ...], Unit]:
    unit = draw(units())
    return tuple(draw(pools(unit, most)) for _ in range(number)), unit


def worth_of(objective: str) -> Callable[[State], int]:
    if objective == "kills":
        return lambda state: -sum(map(bool, state))
    if objective == "wounds_lost":
        return lambda state: -sum(state)
    return lambda state: int(not any(state))


objectives = st.sampled_from(["kills", "wounds_lost", "probability_destroyed"])


def compared(
    shots: tuple[Volley, ...],
    unit: Unit,
    choices: Choices,
    objective: str,
    rulings: dict[str, str],
    rules: Rules = ELEVENTH,
    **situation: Any,
) -> None:
    """What the last state is worth, by both; among equally good ways each takes what it likes."""
    worth = worth_of(objective)
    expected = play(shots, unit, rules, choices_of_both=choices, worth=worth)
    target = package.target_unit(unit, rules)
    kinds = [replace(kind, damage_to_0=place in choices.negates) for place, kind in enumerate(target.kinds)]
    guards = len(target.models)
    target = wh40k.TargetUnit(
        "Unit",
        kinds[:guards],
        kinds[guards:],
        allocation="best" if choices.groups else "given",
        objective=objective,  # type: ignore[arg-type]
    )
    volleys = [package.volley(attacks, unit, rules) for attacks in shots]
    found = wh40k.attack(
        volleys, target, edition="11e", exact=True, rulings=rulings, objective=objective, **situation
    )
    ends = points(found.state)
    gone = Fraction(0)
    for end, chance in ends.items():
        destroyed, lost = end[::2], end[1::2]
        left = [kind.models - number for kind, number in zip(unit, destroyed, strict=True)]
        if objective == "kills":
            gone += chance * -sum(left)
        elif objective == "wounds_lost":
            gone -= chance * sum(
                kind.wounds * number - away for kind, number, away in zip(unit, left, lost, strict=True)
            )
        else:
            gone += chance * (not any(left))
    assert gone == mean(then(expected, lambda state: certainly(worth(state))))


@settings(max_examples=20, phases=PHASES)
@given(battle=battles(1, 2), objective=objectives)
def test_the_order_of_the_groups(battle: tuple[tuple[Volley, ...], Unit], objective: str) -> None:
    """11th edition core rules, 05.03 and 05.04: declared before the saves; the models of a group die by die."""
    compared(*battle, Choices(groups=True), objective, {})


@settings(max_examples=8, phases=PHASES)
@given(battle=battles(2, 1), objective=objectives)
def test_the_order_of_the_groups_of_two_pools(
    battle: tuple[tuple[Volley, ...], Unit], objective: str
) -> None:
    """11th edition core rules, 05.03: groups are ordered anew for each pool."""
    compared(*battle, Choices(groups=True), objective, {})


@settings(max_examples=12, phases=PHASES)
@given(battle=battles(3, 1), objective=objectives)
def test_the_order_of_the_pools(battle: tuple[tuple[Volley, ...], Unit], objective: str) -> None:
    """11th edition core rules, 04.03: the attacker picks the next pool before its dice are rolled."""
    compared(*battle, Choices(pools=True), objective, {"pool_order": "best"})


@settings(max_examples=8, phases=PHASES)
@given(battle=battles(2, 1), objective=objectives)
def test_both_players_choose(battle: tuple[tuple[Volley, ...], Unit], objective: str) -> None:
    """The attacker orders pools against a defender who orders groups."""
    compared(*battle, Choices(groups=True, pools=True), objective, {"pool_order": "best"})


@settings(max_examples=12, phases=PHASES)
@given(battle=battles(1, 2), objective=objectives, groups=flags)
def test_one_save_is_re_rolled(
    battle: tuple[tuple[Volley, ...], Unit], objective: str, *, groups: bool
) -> None:
    """11th edition core rules, 05.03: all dice of a pool lie on the table before one is re-rolled."""
    shots, unit = battle
    # Models that save alike re-roll the first failed save, whatever the objective.
    unit = (
        replace(unit[0], save=5, invulnerable=None),
        replace(unit[1], save=3, invulnerable=None),
        *unit[2:],
    )
    compared(shots, unit, Choices(groups=groups, reroll_save=True), objective, {}, reroll_saves="one")


@settings(max_examples=12, phases=PHASES)
@given(battle=battles(1, 2), objective=objectives, groups=flags, best=flags)
def test_damage_that_becomes_0(
    battle: tuple[tuple[Volley, ...], Unit], objective: str, *, groups: bool, best: bool
) -> None:
    """App FAQ of 26 August 2026: it is used after a failed save, the first or one that its owner picks."""
    shots, unit = battle
    choices = Choices(groups=groups, negates=(0, len(unit) - 1), negates_best=best)
    rulings = {"damage_to_zero_use": "best"} if best else {}
    compared(shots, unit, choices, objective, rulings)
