"""Damage dice rolled together: between which losses the order in which they are then applied can choose."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

from mathhammer.distributions import Distribution, IntegerLaw, mixture
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.sequence.unit_law import EqualModels

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
    unsaved: IntegerLaw, damage: IntegerLaw, unit: EqualModels, *, most: bool, arithmetic: Arithmetic[P]
) -> Distribution[P]:
    """Law of the wounds lost in all when damage dice are rolled together and applied in the best or worst order.

    Parameters
    ----------
    unsaved
        Law of the number of attacks that inflict damage.
    damage
        Law of the damage of one.
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
    >>> from mathhammer.sequence import EqualModels
    >>> two, one_or_three = IntegerLaw(2, (1,), 1), IntegerLaw(1, (1, 0, 1), 2)
    >>> [losses_in_any_order(two, one_or_three, EqualModels(5, 2), most=most, arithmetic=arithmetic(exact=True)).mean()
    ...  for most in (False, True)]
    [5/2, 3]
    """
    faces = [(damage.low + place, weight) for place, weight in enumerate(damage.weights) if weight]
    number = unsaved.low + len(unsaved.weights) - 1
    if (results := comb(number + len(faces), len(faces))) > MAXIMUM_RESULTS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_RESULTS:,} results of damage dice, but {number} dice of {len(faces)} values "
            f"have {results:,}; use fewer attacks"
        )
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
    laws = []
    for dice in range(unsaved.low, number + 1):
        weights = [0] * (whole + 1)
        for counts, weight in _results(dice, [weight for _, weight in faces]):
            weights[min(whole, done * unit.wounds + further(counts, begun))] += weight
        laws.append(IntegerLaw(0, tuple(weights), damage.denominator**dice).distribution(arithmetic))
    return mixture(unsaved.weights, laws)


def _results(dice: int, weights: Sequence[int]) -> list[tuple[tuple[int, ...], int]]:
    """How many of the dice show each value, with the weight of that."""
    if len(weights) == 1:
        return [((dice,), weights[0] ** dice)]
    return [
        ((count, *rest), comb(dice, count) * weights[0] ** count * weight)
        for count in range(dice + 1)
        for rest, weight in _results(dice - count, weights[1:])
    ]
