"""Damage dice rolled together: between which losses the order in which they are then applied can choose."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

from mathhammer.distributions import mixture
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.volley import after_saves, all_attacks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.group import Group
    from mathhammer.sequence.volley import SequenceVolley

#: Most different results of all dice together against models of a few wounds: some seconds.
MAXIMUM_RESULTS, FEW_WOUNDS = 60_000, 12


def losses_in_any_order(volleys: Sequence[SequenceVolley], unit: Group, *, most: bool) -> Distribution:
    """Distribution of the wounds lost in all when damage dice are rolled together and applied in one order."""
    first = volleys[0]
    deferred = first.wounds[first.immediate :]
    turns = sorted(range(len(deferred)), key=lambda place: deferred[place].rank or 0)
    each = [after_saves(volley).marginal(0, *(1 + turn for turn in turns)) for volley in volleys]
    damages = [wound.effects[0].damage for wound in (first.wounds[0], *(deferred[turn] for turn in turns))]
    _require_results(volleys, each, damages, unit)

    orders = [_in_best_order(damage, unit.wounds, max if most else min) for damage in damages]

    whole = unit.models * unit.wounds
    total = AttackDistribution.of(GeneratingFunction.one(each[0].plain.width))
    for volley, attack in zip(volleys, each, strict=True):
        total = total * all_attacks(volley, attack).given(volley.own)

    @cache
    def lost(number: int, place: int, before: int) -> Distribution:
        """Distribution of the wounds lost in all when so many dice of a kind are applied in their order."""
        damage, hurt = damages[place], before % unit.wounds
        weights = [0] * (whole + 1)
        for counts, weight in _results(number, [weight for _, weight in damage.items()]):
            weights[min(whole, before - hurt + orders[place](counts, hurt))] += weight
        return IntegerDistribution(0, tuple(weights), damage.denominator**number).distribution()

    # The single re-rolls are given before the first attack, and spent.
    wounds = total.given(total.rerolls).plain
    weights, distributions = [], []
    for further, immediate in wounds.by_further().items():
        distribution = mixture(immediate, [lost(number, 0, unit.lost) for number in range(len(immediate))])
        for place, number in enumerate(further, 1):
            if number:
                states = range(distribution.support[0], distribution.support[-1] + 1)
                lost_more = [lost(number, place, state) for state in states]
                distribution = mixture_by_mass(distribution._mass, lost_more)  # noqa: SLF001
        weights.append(sum(immediate))
        distributions.append(distribution)
    return mixture(weights, distributions)


def _require_results(
    volleys: Sequence[SequenceVolley],
    each: Sequence[AttackDistribution],
    damages: Sequence[IntegerDistribution],
    unit: Group,
) -> None:
    """Raise TooLargeError if there are more results of dice than can be gone through."""
    several, most = 1, MAXIMUM_RESULTS * FEW_WOUNDS // max(FEW_WOUNDS, unit.wounds)
    for place, damage in reversed(list(enumerate(damages))):
        number = sum(
            volley.number.most
            * max(counts[place] for part in attack.parts.values() for counts in part.coefficients)
            for volley, attack in zip(volleys, each, strict=True)
        )
        values = sum(map(bool, damage.weights))
        # Those of the first kind are gone through beside all numbers of the others, these in every state.
        results = comb(number + values, values) * (several if place == 0 else unit.states if number else 1)
        if results > most:
            raise TooLargeError(
                f"expected at most {most:,} results of damage dice, all other wounds and states counted, but "
                f"{number:,} dice of {values} values have {results:,}; use fewer attacks"
            )
        several *= number + 1


def _in_best_order(
    damage: IntegerDistribution, wounds: int, choose: Callable[[list[int]], int]
) -> Callable[[tuple[int, ...], int], int]:
    """Wounds lost by so many dice of each value and by a model that has lost some before, in the best order."""
    values = [value for value, _ in damage.items()]

    @cache
    def lost_by(counts: tuple[int, ...], lost: int) -> int:
        found = []
        for place, count in enumerate(counts):
            if count:
                rest = (*counts[:place], count - 1, *counts[place + 1 :])
                after = lost + values[place]
                found.append(wounds + lost_by(rest, 0) if after >= wounds else lost_by(rest, after))
        return choose(found) if found else lost

    return lost_by


def _results(dice: int, weights: Sequence[int]) -> list[tuple[tuple[int, ...], int]]:
    """How many of the dice show each value, with the weight of that."""
    if len(weights) == 1:
        return [((dice,), weights[0] ** dice)]
    return [
        ((count, *rest), comb(dice, count) * weights[0] ** count * weight)
        for count in range(dice + 1)
        for rest, weight in _results(dice - count, weights[1:])
    ]
