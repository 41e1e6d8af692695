"""Damage dice rolled together: between which losses the order in which they are then applied can choose."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

from mathhammer.arithmetic import arithmetic as exact_arithmetic
from mathhammer.distributions import GeneratingFunction, IntegerLaw, mixture
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.unit_law import EqualModels
    from mathhammer.sequence.volley import VolleyLaw

__all__ = ["losses_in_any_order", "losses_in_order"]

#: Most different results of all dice together: some seconds.
MAXIMUM_RESULTS = 60_000


def losses_in_order(damages: Sequence[int], unit: EqualModels) -> int:
    """Return the wounds lost in all when damage is applied in this order, excess on a model lost.

    Examples
    --------
    >>> from mathhammer.sequence import EqualModels
    >>> [losses_in_order(order, EqualModels(5, 2)) for order in [(1, 2, 3), (3, 2, 1)]]
    [4, 5]
    """
    lost = unit.lost
    for damage in damages:
        lost += min(damage, unit.wounds - lost % unit.wounds)
    return min(lost, unit.models * unit.wounds)


def losses_in_any_order(
    volleys: Sequence[VolleyLaw], unit: EqualModels, *, most: bool, arithmetic: Arithmetic[P]
) -> Distribution[P]:
    """Law of the wounds lost in all when damage dice are rolled together and applied in the best or worst order.

    The wounds that wait come after the others, one kind after another, each in the best or worst order too.

    Parameters
    ----------
    volleys
        Attacks whose wounds are alike: those of all volleys have the damages of the first.
    unit
        The models.
    most
        Whether the order is the one that costs most; otherwise the one that costs least.
    arithmetic
        The arithmetic of the law.

    Raises
    ------
    TooLargeError
        If there are too many results of the dice.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, EqualModels, VolleyLaw
    >>> sure = Chances((0, 1, 0), (0, 1, 0, 1), 36, False, None, False)
    >>> one_or_three = IntegerLaw(1, (1, 0, 1), 2)
    >>> two = VolleyLaw(dice("2"), sure, (one_or_three, one_or_three))
    >>> [losses_in_any_order([two], EqualModels(5, 2), most=most, arithmetic=arithmetic(exact=True)).mean()
    ...  for most in (False, True)]
    [5/2, 3]
    """
    turns = sorted(range(len(volleys[0].ranks)), key=volleys[0].ranks.__getitem__)
    each = [volley.chances.unsaved_wounds().marginal(0, *(1 + turn for turn in turns)) for volley in volleys]
    damages = [volleys[0].damages[0], *(volleys[0].damages[1 + turn] for turn in turns)]
    _require_results(volleys, each, damages, unit)

    @cache
    def lost(number: int, place: int, before: int) -> Distribution[P]:
        return _of_one_kind(number, damages[place], unit._replace(lost=before), most, arithmetic)

    counts = GeneratingFunction.one(len(damages))
    for volley, attack in zip(volleys, each, strict=True):
        attacks = IntegerLaw.from_distribution(volley.attacks.law(exact_arithmetic(exact=True)))
        counts = counts * attack.repeated(attacks)
    weights, laws = [], []
    for further, ordinary in counts.by_further().items():
        law = mixture(ordinary, [lost(number, 0, unit.lost) for number in range(len(ordinary))])
        for place, number in enumerate(further, 1):
            if number:
                states = range(law.support[0], law.support[-1] + 1)
                law = mixture_by_mass(law._mass, [lost(number, place, state) for state in states])  # noqa: SLF001
        weights.append(sum(ordinary))
        laws.append(law)
    return mixture(weights, laws)


def _require_results(
    volleys: Sequence[VolleyLaw],
    each: Sequence[GeneratingFunction],
    damages: Sequence[IntegerLaw],
    unit: EqualModels,
) -> None:
    """Refuse more results of dice than can be gone through."""
    several = 1
    for place, damage in reversed(list(enumerate(damages))):
        number = sum(
            volley.attacks.bounds()[1] * max(counts[place] for counts in attack.coefficients)
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


def _of_one_kind(
    number: int,
    damage: IntegerLaw,
    unit: EqualModels,
    most: bool,  # noqa: FBT001 - the order of the caller
    arithmetic: Arithmetic[P],
) -> Distribution[P]:
    """Law of the wounds lost in all when so many dice are applied in the best or worst order."""
    faces = [(damage.low + place, weight) for place, weight in enumerate(damage.weights) if weight]
    choose = max if most else min

    @cache
    def further(counts: tuple[int, ...], lost: int) -> int:
        """Wounds beyond those of the models destroyed before, from a model that has lost some."""
        found = []
        for place, count in enumerate(counts):
            if count:
                rest = (*counts[:place], count - 1, *counts[place + 1 :])
                after = lost + faces[place][0]
                found.append(unit.wounds + further(rest, 0) if after >= unit.wounds else further(rest, after))
        return choose(found) if found else lost

    whole = unit.models * unit.wounds
    done, begun = divmod(unit.lost, unit.wounds)
    weights = [0] * (whole + 1)
    for counts, weight in _results(number, [weight for _, weight in faces]):
        weights[min(whole, done * unit.wounds + further(counts, begun))] += weight
    return IntegerLaw(0, tuple(weights), damage.denominator**number).distribution(arithmetic)


def _results(dice: int, weights: Sequence[int]) -> list[tuple[tuple[int, ...], int]]:
    """How many of the dice show each value, with the weight of that."""
    if len(weights) == 1:
        return [((dice,), weights[0] ** dice)]
    return [
        ((count, *rest), comb(dice, count) * weights[0] ** count * weight)
        for count in range(dice + 1)
        for rest, weight in _results(dice - count, weights[1:])
    ]
