"""Compare the distributions of one attack with a row of an answer table, whoever computed them."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from referees.wh40k import sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from referees.wh40k.profiles import Kind, Volley
    from reference.answers import Answer

    Distributions = dict[str, dict[Any, Any]]
    Play = Callable[[tuple[Volley, ...], Kind], Distributions]

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


def given_every_wound(play: Play, volleys: tuple[Volley, ...], target: Kind) -> Distributions:
    """Distributions when each of these single attacks has wounded, solved from what is played without that condition.

    Each attack wounds on 2+, so the distribution of all of them mixes those of every subset having wounded; subtracting
    the smaller subsets leaves the one asked for. Exact arithmetic only: the subtraction would magnify rounding.
    """
    chance = Fraction(5, 6)
    solved: dict[tuple[int, ...], Distributions] = {
        (): {name: {(0, 0) if name == "state" else 0: Fraction(1)} for name in NAMES}
    }
    places = range(len(volleys))
    for size in range(1, len(volleys) + 1):
        for subset in combinations(places, size):
            mixed = play(tuple(volleys[place] for place in subset), target)
            rest: Distributions = {}
            for name in ("unsaved", "damage", "kills", "wounds_lost", "state"):
                distribution = dict(mixed[name])
                for fewer in range(size):
                    for inner in combinations(subset, fewer):
                        weight = chance**fewer * (1 - chance) ** (size - fewer)
                        for outcome, probability in solved[inner][name].items():
                            distribution[outcome] = distribution.get(outcome, 0) - weight * probability
                rest[name] = {outcome: left / chance**size for outcome, left in distribution.items() if left}
            solved[subset] = rest
    return solved[tuple(places)]


def close(found: Any, expected: str) -> bool:
    """Exactly, or for decimals and floats within 1e-12 of the expected value."""
    if "." not in expected and not isinstance(found, float):
        return bool(found == Fraction(expected))
    wanted = float(Fraction(expected))
    return abs(float(found) - wanted) <= 1e-12 * abs(wanted)


def mean(distribution: dict[int, Any]) -> Any:
    return sum(outcome * probability for outcome, probability in distribution.items())


def check(answer: Answer, play: Play) -> None:
    """Assert everything the row expects."""
    if answer.given_wounds:
        distributions = given_every_wound(play, answer.volleys, answer.target)
    else:
        distributions = play(answer.volleys, answer.target)
    for asked, expected in answer.expected.items():
        if isinstance(expected, str):
            if asked == "probability_destroyed":
                found = distributions["state"].get((answer.target.models, 0), 0)
            else:
                found = mean(distributions[asked.removeprefix("mean_")])
            assert close(found, expected), (
                f"{answer.id}: {asked} is {found}, expected {expected} ({answer.source})"
            )
            continue
        distribution = distributions[asked.removeprefix("some_")]
        for outcome, probability in expected.items():
            found = distribution.get(outcome, 0)  # type: ignore[call-overload]
            assert close(found, probability), (
                f"{answer.id}: P({asked} = {outcome}) is {found}, expected {probability}"
            )
        if not asked.startswith("some_"):
            surplus = {outcome: p for outcome, p in distribution.items() if p and outcome not in expected}
            assert not surplus, f"{answer.id}: {asked} also takes {surplus} ({answer.source})"


def disagreements(approximate: dict[Any, float], exact: dict[Any, Any]) -> dict[Any, tuple[float, float]]:
    """Points where a float64 distribution is not within 1e-12 of the exact one (below the normal floats: of zero)."""
    smallest = sys.float_info.min
    return {
        outcome: (approximate.get(outcome, 0.0), float(exact.get(outcome, 0)))
        for outcome in approximate.keys() | exact.keys()
        if abs(approximate.get(outcome, 0.0) - float(exact.get(outcome, 0)))
        > max(smallest, 1e-12 * float(exact.get(outcome, 0)))
    }
