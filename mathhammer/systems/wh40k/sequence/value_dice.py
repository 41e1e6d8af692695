"""Dice that are read as a number, of attacks or of damage, for players who look before they re-roll one."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial, gcd, prod
from typing import TYPE_CHECKING

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions.base import Constant
from mathhammer.expressions.check import reroll_faces
from mathhammer.expressions.die import Die as OneDie
from mathhammer.expressions.die import Repeated
from mathhammer.expressions.operations import Sum
from mathhammer.sequence.group import ignoring_wounds
from mathhammer.sequence.rolled_dice import Result, TableDie
from mathhammer.systems.wh40k.sequence.damage import damage_after_modifiers, integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: Most results of dice that are added together, times those of the others where one is re-rolled: a second.
MAXIMUM_WAYS = 1_100_000


def certain(label: str, follows: GeneratingFunction) -> TableDie:
    """Return what there is nothing to roll for."""
    return TableDie((Result(label, 1, 0, follows, rerolls=()),), ())


def damage_die(stages: Stages, *, deferred: bool) -> TableDie:
    """Return the damage die of one attack against one kind of models."""
    damage, limits = stages.damage, stages.edition.characteristics["damage"]
    modifiers = damage.deferred_modifiers if deferred else damage.modifiers
    need = damage.deferred_feel_no_pain if deferred else damage.feel_no_pain

    def lost(value: int) -> GeneratingFunction:
        distribution = ignoring_wounds(
            damage_after_modifiers(IntegerDistribution(value, (1,), 1), modifiers, limits), need
        )
        return GeneratingFunction.of_number(distribution)

    printed = stages.weapon.damage
    again = reroll_faces(stages.situation.keywords.get("reroll_damage"), ())
    if isinstance(printed, Constant):
        return certain(str(printed.value), lost(printed.value))
    if damage.ones_by_face and (rolled := integer_distribution(printed)).weights == (1, 1, 1):
        # Of the D6 a 1 is re-rolled, of the two faces that make a 1 each.
        return TableDie(
            tuple(
                Result(str(value), 6 if place == 0 else 12, 2, lost(value), place == 0)
                for place, value in enumerate(range(rolled.low, rolled.low + 3))
            ),
            ((1, 1, 1),),
        )
    return value_die(printed, again, lost, stages.edition)


def value_die(
    printed: Expression,
    rerolled: frozenset[int],
    follows: Callable[[int], GeneratingFunction],
    edition: Edition,
) -> TableDie:
    """Return dice that are read together as a number."""
    bonus = printed.right.value if isinstance(printed, Sum) and isinstance(printed.right, Constant) else 0
    rolled = integer_distribution(printed)
    mean, out_of = rolled.mean()
    dice = printed.left if isinstance(printed, Sum) and bonus else printed
    if edition.command_reroll_of_one_die and isinstance(dice, Repeated) and isinstance(dice.each, OneDie):
        return _several(dice.count, dice.each.sides, bonus, rerolled, follows)
    shown = rolled.items()
    again = sum(weight for value, weight in shown if value - bonus in rerolled)
    results = [
        Result(
            str(value),
            0 if value - bonus in rerolled else weight * rolled.denominator,
            again * weight,
            follows(value),
            value * out_of < mean,
        )
        for value, weight in shown
    ]
    return in_lowest_terms(results, [weight for _, weight in shown])


def _several(
    count: int, sides: int, bonus: int, rerolled: frozenset[int], follows: Callable[[int], GeneratingFunction]
) -> TableDie:
    """Return several dice that are added together, of which one may be re-rolled.

    Warhammer 40,000 11th edition core rules, 15.02 Command Re-roll: of dice that were rolled together one is re-rolled.
    """
    ways_to_reroll = comb(count + sides - 1, count) * comb(count + sides - 2, count - 1)
    if ways_to_reroll > MAXIMUM_WAYS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_WAYS:,} ways to re-roll one of several dice that are added together, but "
            f"{count}D{sides} have {ways_to_reroll:,}; use fewer dice, or leave out the re-roll"
        )
    rows = list(combinations_with_replacement(range(1, sides + 1), count))
    weights = [factorial(count) // prod(factorial(row.count(face)) for face in set(row)) for row in rows]
    again = sum(weight for row, weight in zip(rows, weights, strict=True) if sum(row) in rerolled)
    #: A way to re-roll is what the other dice show.
    others = list(combinations_with_replacement(range(1, sides + 1), count - 1))
    places = {other: place for place, other in enumerate(others)}
    rests = [{face: _without(row, face) for face in row} for row in rows]
    results = []
    for row, rest, weight in zip(rows, rests, weights, strict=True):
        label = "+".join(map(str, row))
        results.append(
            Result(
                label,
                0 if sum(row) in rerolled else weight * sides**count,
                again * weight,
                follows(sum(row) + bonus),
                2 * sum(row) < count * (sides + 1),
                tuple(map(places.__getitem__, rest.values())),
                tuple(f"{face} of {label}" for face in rest),
            )
        )
    ways = [[0] * len(rows) for _ in others]
    for number, rest in enumerate(rests):
        for other in rest.values():
            ways[places[other]][number] = 1
    return TableDie(in_lowest_terms(results, weights).results, tuple(map(tuple, ways)))


def _without(row: tuple[int, ...], face: int) -> tuple[int, ...]:
    place = row.index(face)
    return row[:place] + row[place + 1 :]


def one_wound(stages: Stages) -> TableDie:
    """Return a plain mortal wound: there is nothing to roll but what ignores it."""
    distribution = ignoring_wounds(IntegerDistribution(1, (1,), 1), stages.damage.deferred_feel_no_pain)
    return certain("1", GeneratingFunction.of_number(distribution))


def in_lowest_terms(results: Sequence[Result], weights: Sequence[int]) -> TableDie:
    """Return a die with the weights in lowest terms."""
    divisor = gcd(*(number for result in results for number in (result.fresh, result.settled)))
    lowest = tuple(
        result._replace(fresh=result.fresh // divisor, settled=result.settled // divisor)
        for result in results
    )
    return TableDie(lowest, (tuple(weights),))
