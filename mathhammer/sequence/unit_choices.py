"""Volleys against a unit whose player chooses anew which model takes a wound, wherever the rules let him."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from mathhammer.distributions import GeneratingFunction, IntegerLaw
from mathhammer.distributions.policy import Branches, Step, require_decisions, walk_with_choices
from mathhammer.sequence.resolution import require_attacks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.policy import Position
    from mathhammer.sequence.allocation import Allocation
    from mathhammer.sequence.unit_resolution import AllocatedVolley

__all__ = ["chosen_losses"]

#: Volley, its wounds still to allocate (none before its dice are rolled), deferred wounds waiting by volley.
_Key = tuple[int, int | None, tuple[int, ...]]


def chosen_losses(
    volleys: Sequence[AllocatedVolley],
    unit: Allocation,
    *,
    arithmetic: Arithmetic[P],
    deferred_after_all: bool,
    start: Distribution[P] | int,
    values: Sequence[int],
    maximise: bool,
) -> Distribution[P]:
    """Law of the state of a unit after all volleys, when its player allocates wounds as well, or as badly, as can be.

    The hit and wound rolls of a volley are made together, so that he knows how many wounds of it, and how many
    deferred ones, are still to come; saves and damage are rolled one at a time.

    Parameters
    ----------
    volleys
        In the order in which they are resolved.
    unit
        The models, with the states of any order.
    arithmetic
        The arithmetic of the law.
    deferred_after_all
        Whether deferred critical wounds wait for the last volley rather than for the end of their own.
    start
        The state before, or its law.
    values
        What each state is worth at the end.
    maximise
        Whether the value shall be high.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import AllocatedVolley, Allocation, Chances, Group, WoundLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 36, False, None, False)  # 2/3 to hit, 1/2 to wound
    >>> save = WoundLaw(18, IntegerLaw(1, (1,), 1))  # 4+, then one wound
    >>> volley = AllocatedVolley(dice("2"), chances, {0: save, 1: save}, {})
    >>> unit = Allocation((Group("Boy", 1, 1), Group("Nob", 1, 2)), any_order=True)
    >>> worth = unit.models_destroyed()
    >>> law = chosen_losses([volley], unit, arithmetic=arithmetic(exact=True), deferred_after_all=True, start=0,
    ...                     values=worth, maximise=False)
    >>> law.map(worth.__getitem__).mean()  # the Nob takes them: a model falls only if both get through
    1/36
    """
    _require_size(volleys, unit)
    position = partial(
        _position,
        rolled=[_rolled(volley) for volley in volleys],
        ordinary=[unit.options(volley.wounds, volley.directed) for volley in volleys],
        deferred=[
            unit.options(volley.deferred, volley.directed) if volley.defers else None for volley in volleys
        ],
        deferred_after_all=deferred_after_all,
    )
    first: _Key = (0, None, (0,) * len(volleys))
    return walk_with_choices(cache(position), first, start, values, maximise=maximise, arithmetic=arithmetic)


def _position(
    key: _Key,
    *,
    rolled: Sequence[GeneratingFunction],
    ordinary: Sequence[tuple[list[list[dict[int, int]]], int]],
    deferred: Sequence[tuple[list[list[dict[int, int]]], int] | None],
    deferred_after_all: bool,
) -> Position:
    """Return what follows: the dice of a volley, its wounds, then those that wait."""
    volley, left, waiting = key
    last = volley == len(rolled) - 1
    if left is None:
        law = rolled[volley]
        return Branches(
            tuple(
                (weight, (volley, wounds, _with(waiting, volley, more)))
                for (wounds, more), weight in sorted(law.coefficients.items())
                if weight
            ),
            law.denominator,
        )
    if left:
        options, denominator = ordinary[volley]
        return Step(options, denominator, (volley, left - 1, waiting))
    due = last or not deferred_after_all
    for other, number in enumerate(waiting):
        row = deferred[other]
        if due and number and row is not None:
            return Step(*row, (volley, 0, _with(waiting, other, -1)))
    return None if last else Branches(((1, (volley + 1, None, waiting)),), 1)


def _require_size(volleys: Sequence[AllocatedVolley], unit: Allocation) -> None:
    """Refuse at once what could not fit; what may fit is counted as it is found."""
    positions, waiting = 0, 1
    for volley in volleys:
        require_attacks(volley.attacks)
        most = volley.attacks.bounds()[1] * replace(volley.chances, unsaved=36).unsaved_wounds().degree
        waiting *= 1 + (most if volley.defers else 0)
        positions += waiting * (1 + most)
    require_decisions(positions // 4, unit.states)


def _with(waiting: tuple[int, ...], volley: int, more: int) -> tuple[int, ...]:
    return (*waiting[:volley], waiting[volley] + more, *waiting[volley + 1 :])


def _rolled(volley: AllocatedVolley) -> GeneratingFunction:
    """Joint law of the wounds, and of the deferred critical wounds, of all attacks of a volley."""
    each = replace(volley.chances, unsaved=36).unsaved_wounds()
    number = IntegerLaw.from_distribution(volley.attacks.distribution(exact=True))
    power, parts = GeneratingFunction.one(), []
    for count in range(number.low + len(number.weights)):
        if count:
            power = power * each
        if count >= number.low:
            parts.append((number.weights[count - number.low], power))
    return GeneratingFunction.mixture(parts, number.denominator)
