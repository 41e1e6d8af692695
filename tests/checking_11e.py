"""Compare the distributions of some pools with a row of the 11th edition's answer table, whoever computed them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any

from plain_dice import certainly, fixed, mean, then
from referees.wh40k import groups
from referees.wh40k import pools as plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from plain_dice import Pmf
    from referees.wh40k.profiles import Kind, Rules, Unit, Volley
    from reference.eleventh_edition import Answer

    Play = Callable[[tuple[Volley, ...], Unit, Rules], Pmf]


def hits(pools: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """The number of hits, as the second program has it."""
    models = sum(kind.models for kind in unit)
    distribution = certainly(0)
    for attacks in pools:
        more = then(plain.hits_of_pool(attacks, models, rules), lambda scored: certainly(sum(scored)))
        distribution = then(
            distribution, lambda so_far, more=more: {so_far + n: chance for n, chance in more.items()}
        )
    return distribution


def states(pools: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """(Destroyed, lost) of each kind of models in turn, as the second program has it."""
    return groups.merged(unit, plain.best_play(pools, unit, rules))


def given_every_wound(play: Play, pools: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """The states when each attack has wounded, solved from what is played without that condition.

    Each attack wounds on 2+, so that what so many attacks do is a mixture over how many of each pool wounded.
    """
    chance = Fraction(5, 6)
    numbers = [attacks.attacks.plus for attacks in pools]
    solved: dict[tuple[int, ...], Pmf] = {}
    for wanted in product(*(range(number + 1) for number in numbers)):
        made = tuple(replace(a, attacks=fixed(n)) for a, n in zip(pools, wanted, strict=True) if n)
        distribution = (
            dict(play(made, unit, rules)) if made else groups.merged(unit, certainly(groups.fresh(unit)))
        )
        for fewer, inner in solved.items():
            if all(some <= n for some, n in zip(fewer, wanted, strict=True)):
                weight = prod(
                    comb(n, some) * chance**some * (1 - chance) ** (n - some)
                    for some, n in zip(fewer, wanted, strict=True)
                )
                for state, part in inner.items():
                    distribution[state] = distribution.get(state, Fraction(0)) - weight * part
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


def check(answer: Answer, play_hits: Play, play: Play) -> None:
    """Assert everything that the row expects."""
    for asked, expected in answer.expected.items():
        name = asked.removeprefix("mean_").removeprefix("some_")
        if name == "hits":
            distribution = play_hits(answer.pools, answer.unit, answer.rules)
        elif answer.given_wounds:
            distribution = part(
                given_every_wound(play, answer.pools, answer.unit, answer.rules), answer.unit, name
            )
        else:
            distribution = part(play(answer.pools, answer.unit, answer.rules), answer.unit, name)
        found: Any
        if asked.startswith("mean_"):
            found, wanted = mean(distribution), Fraction(str(expected))
        elif asked.startswith("some_"):
            found, wanted = 1 - distribution.get(0, Fraction(0)), Fraction(str(expected))
        else:
            assert isinstance(expected, dict)
            found = {outcome: chance for outcome, chance in distribution.items() if chance}
            wanted = {outcome: Fraction(chance) for outcome, chance in expected.items()}
        assert found == wanted, f"{answer.id}: {asked} is {found}, expected {wanted} ({answer.source})"
