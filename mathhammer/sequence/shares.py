"""What each volley did, and between which losses the order of damage dice can choose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Any

from mathhammer.distributions import GeneratingFunction, IntegerDistribution, in_fractions, mixture
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.errors import TooLargeError
from mathhammer.expressions import as_expression
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.resolution import Resolution, resolve
from mathhammer.sequence.volley import AttackNumber, after_saves, all_attacks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.group import Group
    from mathhammer.sequence.unit import Unit
    from mathhammer.sequence.volley import Volley


@dataclass(frozen=True, slots=True)
class Share:
    """What one volley did, as means; the shares of all volleys add up to the mean losses of the unit.

    Parameters
    ----------
    kills, wounds_lost
        Models that it destroyed, and wounds that it took.
    attacks, attacks_left_over
        Its attacks, and those of them that were left over when the unit was destroyed: they are lost.
    """

    kills: Any
    wounds_lost: Any
    attacks: Any
    attacks_left_over: Any


def shares(
    volleys: Sequence[Volley],
    unit: Unit,
    *,
    arithmetic: Arithmetic,
    start: Distribution | int | None = None,
) -> list[Share]:
    """Return what each volley does on average, in numbers as those of `in_fractions`."""
    last = [_until_last(volley) for volley in volleys]
    first = [_without(volley, places) for volley, places in zip(volleys, last, strict=True)]
    resolution = Resolution(first, unit, arithmetic, start)
    states, attacks = [resolution.walk.distribution()], []
    for index, volley in enumerate(volleys):
        attacks.append(_attacks(resolution, index, volley, arithmetic))
        resolution.volley(index)
        states.append(resolution.walk.distribution())
    steps = [[(states[index], states[index + 1])] for index in range(len(volleys))]
    before = states[-1]
    turns = {
        (volley.wounds[place].rank or 0, index)
        for index, volley in enumerate(volleys)
        for place in last[index]
    }
    left = [set(places) for places in last]
    for rank, index in sorted(turns):
        left[index] = {place for place in left[index] if (volleys[index].wounds[place].rank or 0) != rank}
        kept = [_without(volley, places) for volley, places in zip(volleys, left, strict=True)]
        after = resolve(kept, unit, arithmetic=arithmetic, start=start)
        steps[index].append((before, after))
        before = after
    kills, wounds = unit.kills(), unit.wounds_lost()
    return [
        Share(_change(changes, kills), _change(changes, wounds), *made)
        for changes, made in zip(steps, attacks, strict=True)
    ]


def _change(changes: Sequence[tuple[Distribution, Distribution]], values: Sequence[int]) -> Any:
    """Return by how much a mean grows in all."""
    first, *others = (
        in_fractions(after.map(values.__getitem__)).mean()
        - in_fractions(before.map(values.__getitem__)).mean()
        for before, after in changes
    )
    return sum(others, first)


def _attacks(resolution: Resolution, index: int, volley: Volley, arithmetic: Arithmetic) -> tuple[Any, Any]:
    """Mean number of attacks of a volley, and of those made after the unit was destroyed."""
    nothing: Any = arithmetic.mass.from_weights((1,), 1).in_fractions().total(0, 0)
    most: Any = volley.number.most
    if volley.attack is None or not most:
        return nothing, nothing
    if isinstance(resolution.unit, GroupedUnit):
        number = in_fractions(volley.number.expression.compute(arithmetic)).mean()
        before: Any = in_fractions(resolution.walk.distribution())
        return number, number * before.pmf(resolution.unit.states - 1)
    ordinary = volley.without(range(volley.immediate, len(volley.wounds)))
    tails = ordinary._replace(number=ordinary.number._replace(tails=True))
    made: Any = in_fractions(resolution.made(index, tails).distribution())
    mean = in_fractions(volley.number.expression.compute(arithmetic)).mean()
    if volley.number.reroll is not None:
        mean = most * made._mass.total()  # noqa: SLF001 - a measure: its mass is that of the tail
    return mean, most * made.pmf(resolution.unit.states - 1)


def _until_last(volley: Volley) -> tuple[int, ...]:
    """Places of the kinds of wounds that are deferred to the last volley, if any is ever inflicted."""
    if not volley.defers:
        return ()
    return tuple(
        place for place, wound in enumerate(volley.wounds) if wound.rank is not None and wound.rank >= 0
    )


def _without(volley: Volley, places: Collection[int]) -> Volley:
    """Return a volley whose wounds of some kinds come to nothing."""
    if volley.attack is None and places:
        return volley._replace(number=AttackNumber(as_expression(0)))
    return volley.without(places)


#: Most different results of all dice together: some seconds.
MAXIMUM_RESULTS = 60_000


def losses_in_order(damages: Sequence[int], unit: Group) -> int:
    """Return the wounds lost in all when damage is applied in this order, excess on a model lost."""
    lost = unit.lost
    for damage in damages:
        lost += min(damage, unit.wounds - lost % unit.wounds)
    return min(lost, unit.models * unit.wounds)


def losses_in_any_order(
    volleys: Sequence[Volley], unit: Group, *, most: bool, arithmetic: Arithmetic
) -> Distribution:
    """Distribution of the wounds lost in all when damage dice are rolled together and applied in one order."""
    first = volleys[0]
    deferred = first.wounds[first.immediate :]
    turns = sorted(range(len(deferred)), key=lambda place: deferred[place].rank or 0)
    each = [after_saves(volley).marginal(0, *(1 + turn for turn in turns)) for volley in volleys]
    damages = [wound.effects[0].damage for wound in (first.wounds[0], *(deferred[turn] for turn in turns))]
    _require_results(volleys, each, damages, unit)

    orders = [_in_best_order(damage, unit.wounds, max if most else min) for damage in damages]

    @cache
    def lost(number: int, place: int, before: int) -> Distribution:
        return _of_one_kind(number, damages[place], orders[place], replace(unit, lost=before), arithmetic)

    weights, distributions = [], []
    for further, immediate in _counts(volleys, each).by_further().items():
        distribution = mixture(immediate, [lost(number, 0, unit.lost) for number in range(len(immediate))])
        for place, number in enumerate(further, 1):
            if number:
                states = range(distribution.support[0], distribution.support[-1] + 1)
                lost_more = [lost(number, place, state) for state in states]
                distribution = mixture_by_mass(distribution._mass, lost_more)  # noqa: SLF001
        weights.append(sum(immediate))
        distributions.append(distribution)
    return mixture(weights, distributions)


def _counts(volleys: Sequence[Volley], each: Sequence[AttackDistribution]) -> GeneratingFunction:
    """Joint distribution of the wounds of each kind of all volleys, the single re-rolls given and spent."""
    total = AttackDistribution.of(GeneratingFunction.one(each[0].plain.width))
    for volley, attack in zip(volleys, each, strict=True):
        rolled = all_attacks(volley, attack)
        total = total * rolled.given(volley.own)
    return total.given(total.rerolls).plain


def _require_results(
    volleys: Sequence[Volley],
    each: Sequence[AttackDistribution],
    damages: Sequence[IntegerDistribution],
    unit: Group,
) -> None:
    """Raise TooLargeError if there are more results of dice than can be gone through."""
    several = 1
    for place, damage in reversed(list(enumerate(damages))):
        number = sum(
            volley.number.most
            * max(counts[place] for part in attack.parts.values() for counts in part.coefficients)
            for volley, attack in zip(volleys, each, strict=True)
        )
        values = sum(map(bool, damage.weights))
        results = comb(number + values, values)
        if results * (several if place == 0 else unit.states if number else 1) > MAXIMUM_RESULTS:
            kinds = f" beside {several - 1:,} numbers of other wounds" if several > 1 else ""
            raise TooLargeError(
                f"expected at most {MAXIMUM_RESULTS:,} results of damage dice, but {number:,} dice of {values} values "
                f"have {results:,}{kinds}; use fewer attacks"
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


def _of_one_kind(
    number: int,
    damage: IntegerDistribution,
    lost_by: Callable[[tuple[int, ...], int], int],
    unit: Group,
    arithmetic: Arithmetic,
) -> Distribution:
    """Distribution of the wounds lost in all when so many dice are applied in the best or worst order."""
    whole = unit.models * unit.wounds
    done, before = divmod(unit.lost, unit.wounds)
    weights = [0] * (whole + 1)
    for counts, weight in _results(number, [weight for _, weight in damage.items()]):
        weights[min(whole, done * unit.wounds + lost_by(counts, before))] += weight
    return IntegerDistribution(0, tuple(weights), damage.denominator**number).distribution(arithmetic)


def _results(dice: int, weights: Sequence[int]) -> list[tuple[tuple[int, ...], int]]:
    """How many of the dice show each value, with the weight of that."""
    if len(weights) == 1:
        return [((dice,), weights[0] ** dice)]
    return [
        ((count, *rest), comb(dice, count) * weights[0] ** count * weight)
        for count in range(dice + 1)
        for rest, weight in _results(dice - count, weights[1:])
    ]
