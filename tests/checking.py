"""Compare the distributions of one attack with a row of an answer table, whoever computed them."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any

from plain_dice import certainly, fixed, mean, then
from referees.wh40k import groups, pools, sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from plain_dice import Pmf
    from referees.wh40k.profiles import Kind, Rules, Unit, Volley
    from reference.answers import Answer

    Distributions = dict[str, dict[Any, Any]]
    Play = Callable[[str, tuple[Volley, ...], Unit, Rules], Pmf]

NAMES = ("hits", "wounds", "unsaved", "damage", "kills", "wounds_lost", "state")


def enumerated(volleys: tuple[Volley, ...], target: Kind) -> Distributions:
    names = ("hits", "wounds", "unsaved", "damage")
    found = {name: sequence.counted(volleys, (target,), name) for name in names}
    return {**found, **of_state(sequence.states(volleys, (target,)), target)}


def of_state(state: dict[tuple[int, int], Any], target: Kind) -> Distributions:
    """The distributions of models destroyed and of wounds really lost, from the joint distribution."""
    distributions: Distributions = {"state": state, "kills": {}, "wounds_lost": {}}
    for (destroyed, lost), probability in state.items():
        for name, outcome in (("kills", destroyed), ("wounds_lost", destroyed * target.wounds + lost)):
            distributions[name][outcome] = distributions[name].get(outcome, 0) + probability
    return distributions


def referee(name: str, volleys: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """A distribution by its name, as the second programs have it."""
    if rules.edition == "11e":
        if name == "hits":
            return hits(volleys, unit, rules)
        return part(groups.merged(unit, pools.best_play(volleys, unit, rules)), unit, name)
    if name in ("hits", "wounds", "unsaved", "damage"):
        return sequence.counted(volleys, unit, name)
    return part(sequence.states(volleys, unit), unit, name)


def hits(volleys: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """The number of hits, as the second program has it."""
    models = sum(kind.models for kind in unit)
    distribution = certainly(0)
    for attacks in volleys:
        more = then(pools.hits_of_pool(attacks, models, rules), lambda scored: certainly(sum(scored)))
        distribution = then(
            distribution, lambda so_far, more=more: {so_far + n: chance for n, chance in more.items()}
        )
    return distribution


def given_every_wound(play: Play, name: str, volleys: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """A distribution when each attack has wounded, solved from what is played without that condition.

    Each attack wounds on 2+, so that what so many attacks do is a mixture over how many of each volley wounded. Exact
    arithmetic only: the subtraction would magnify rounding.
    """
    chance = Fraction(5, 6)
    numbers = [attacks.attacks.plus for attacks in volleys]
    solved: dict[tuple[int, ...], Pmf] = {}
    for wanted in product(*(range(number + 1) for number in numbers)):
        made = tuple(replace(a, attacks=fixed(n)) for a, n in zip(volleys, wanted, strict=True) if n)
        if made:
            distribution = dict(play(name, made, unit, rules))
        elif name in ("unsaved", "damage"):
            distribution = certainly(0)
        else:
            distribution = part(groups.merged(unit, certainly(groups.fresh(unit))), unit, name)
        for fewer, inner in solved.items():
            if all(some <= n for some, n in zip(fewer, wanted, strict=True)):
                weight = prod(
                    comb(n, some) * chance**some * (1 - chance) ** (n - some)
                    for some, n in zip(fewer, wanted, strict=True)
                )
                for state, share in inner.items():
                    distribution[state] = distribution.get(state, Fraction(0)) - weight * share
        solved[wanted] = {state: left / chance ** sum(wanted) for state, left in distribution.items() if left}
    return solved[tuple(numbers)]


def part(distribution: Pmf, unit: Unit, asked: str) -> Pmf:
    """The distribution that `asked` names, of that of the states."""
    name, _, place = asked.partition(":")
    kinds = range(len(unit)) if not place else [int(place)]

    def number(state: tuple[int, ...]) -> Any:
        if name == "state":
            return state
        if name == "kills":
            return sum(state[2 * kind] for kind in kinds)
        assert name == "wounds_lost", name
        return sum(lost_of(unit[kind], *state[2 * kind : 2 * kind + 2]) for kind in kinds)

    return then(distribution, lambda state: certainly(number(state)))


def lost_of(kind: Kind, destroyed: int, lost: int) -> int:
    """Wounds that a kind of models lost in the attacks; the first of them had lost some before."""
    return kind.wounds * destroyed + lost - kind.lost


def close(found: Any, expected: str) -> bool:
    """Exactly, or for decimals and floats within 1e-12 of the expected value."""
    if "." not in expected and not isinstance(found, float):
        return bool(found == Fraction(expected))
    wanted = float(Fraction(expected))
    return abs(float(found) - wanted) <= 1e-12 * abs(wanted)


def check(answer: Answer, play: Play) -> None:
    """Assert everything the row expects."""
    for asked, expected in answer.expected.items():
        name = asked.removeprefix("mean_").removeprefix("some_")
        question = (
            "state" if name == "probability_destroyed" else name,
            answer.volleys,
            answer.unit,
            answer.rules,
        )
        distribution = given_every_wound(play, *question) if answer.given_wounds else play(*question)
        if isinstance(expected, str):
            if name == "probability_destroyed":
                found = distribution.get((answer.unit[0].models, 0), Fraction(0))
            elif asked.startswith("some_"):
                found = 1 - distribution.get(0, Fraction(0))
            else:
                found = mean(distribution)
            assert close(found, expected), f"{asked} is {found}, expected {expected} ({answer.source})"
            continue
        for outcome, probability in expected.items():
            found = distribution.get(outcome, Fraction(0))
            assert close(found, probability), f"P({asked} = {outcome}) is {found}, expected {probability}"
        if not asked.startswith("some_"):
            surplus = {outcome for outcome, p in distribution.items() if p} - expected.keys()
            assert not surplus, f"{asked} also takes {surplus} ({answer.source})"


def disagreements(approximate: dict[Any, float], exact: dict[Any, Any]) -> dict[Any, tuple[float, float]]:
    """Points where a float64 distribution is not within 1e-12 of the exact one (below the normal floats: of zero)."""
    smallest = sys.float_info.min
    return {
        outcome: (approximate.get(outcome, 0.0), float(exact.get(outcome, 0)))
        for outcome in approximate.keys() | exact.keys()
        if abs(approximate.get(outcome, 0.0) - float(exact.get(outcome, 0)))
        > max(smallest, 1e-12 * float(exact.get(outcome, 0)))
    }
