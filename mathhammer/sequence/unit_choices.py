"""Volleys against a unit whose player chooses anew which model takes a wound, wherever the rules let him."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from mathhammer.distributions import GeneratingFunction, IntegerLaw
from mathhammer.distributions.policy import Branches, Step, require_decisions, walk_with_choices
from mathhammer.errors import MathhammerError
from mathhammer.sequence.resolution import require_attacks, require_wounds
from mathhammer.sequence.unit_resolution import AllocatedDirectly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.policy import Position
    from mathhammer.sequence.allocation import Allocation
    from mathhammer.sequence.unit_resolution import AllocatedVolley, AllocatedWounds

__all__ = ["chosen_losses"]

#: Volley, its wounds still to allocate (none before its dice are rolled), wounds that wait by volley and kind.
_Key = tuple[int, int | None, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A kind of wounds of one volley that wait: its turn, and what one of them does."""

    volley: int
    rank: int
    options: list[list[dict[int, int]]]
    denominator: int


def chosen_losses(
    volleys: Sequence[AllocatedVolley | AllocatedDirectly],
    unit: Allocation,
    *,
    arithmetic: Arithmetic[P],
    start: Distribution[P] | int,
    values: Sequence[int],
    maximise: bool,
) -> Distribution[P]:
    """Law of the state of a unit after all volleys, when its player allocates wounds as well, or as badly, as can be.

    The hit and wound rolls of a volley are made together, so that he knows how many wounds of it, and how many
    that wait, are still to come; saves and damage are rolled one at a time.

    Parameters
    ----------
    volleys
        In the order in which they are resolved, with wounds that no attack inflicts.
    unit
        The models, with the states of any order.
    arithmetic
        The arithmetic of the law.
    start
        The state before, or its law.
    values
        What each state is worth at the end.
    maximise
        Whether the value shall be high.

    Raises
    ------
    MathhammerError
        If the wounds of one volley differ in what they need to be saved.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import AllocatedVolley, AllocatedWounds, Allocation, Chances, Group, WoundLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 36, False, None, False)  # 2/3 to hit, 1/2 to wound
    >>> save = WoundLaw(18, IntegerLaw(1, (1,), 1))  # 4+, then one wound
    >>> kinds = (AllocatedWounds({0: save, 1: save}),)
    >>> volley = AllocatedVolley(dice("2"), chances.unsaved_wounds().marginal(0), kinds)
    >>> unit = Allocation((Group("Boy", 1, 1), Group("Nob", 1, 2)), any_order=True)
    >>> worth = unit.models_destroyed()
    >>> law = chosen_losses([volley], unit, arithmetic=arithmetic(exact=True), start=0, values=worth,
    ...                     maximise=False)
    >>> law.map(worth.__getitem__).mean()  # the Nob takes them: a model falls only if both get through
    1/36
    """
    _require_size(volleys, unit)
    waiting = [
        _Waiting(index, kind.rank or 0, *unit.options(kind.laws, directed))
        for index, volley in enumerate(volleys)
        for kind, directed in _kinds_that_wait(volley)
    ]
    # Lower ranks first; of equal ones in the order in which they arose.
    turns = sorted(range(len(waiting)), key=lambda place: (waiting[place].rank, place))
    position = partial(
        _position,
        rolled=[_rolled(volley) for volley in volleys],
        ordinary=[
            None
            if isinstance(volley, AllocatedDirectly)
            else unit.options(volley.kinds[0].laws, volley.directed)
            for volley in volleys
        ],
        waiting_kinds=waiting,
        turns=turns,
    )
    first: _Key = (0, None, (0,) * len(waiting))
    return walk_with_choices(cache(position), first, start, values, maximise=maximise, arithmetic=arithmetic)


def _kinds_that_wait(
    volley: AllocatedVolley | AllocatedDirectly,
) -> list[tuple[AllocatedWounds, Sequence[int]]]:
    if isinstance(volley, AllocatedDirectly):
        return [(volley.wounds, ())]
    waiting = volley.kinds[volley.at_once :] if volley.defers else ()
    return [(kind, volley.directed if kind.directed else ()) for kind in waiting]


def _position(
    key: _Key,
    *,
    rolled: Sequence[GeneratingFunction],
    ordinary: Sequence[tuple[list[list[dict[int, int]]], int] | None],
    waiting_kinds: Sequence[_Waiting],
    turns: Sequence[int],
) -> Position:
    """Return what follows: the dice of a volley, its wounds, then those that wait."""
    volley, left, waiting = key
    if left is None:
        law = rolled[volley]
        first = next((i for i, kind in enumerate(waiting_kinds) if kind.volley == volley), 0)
        return Branches(
            tuple(
                (weight, (volley, wounds, _with(waiting, first, more)))
                for (wounds, *more), weight in sorted(law.coefficients.items())
                if weight
            ),
            law.denominator,
        )
    options = ordinary[volley]
    if left and options is not None:
        return Step(*options, (volley, left - 1, waiting))
    last = volley == len(rolled) - 1
    for place in turns:
        kind = waiting_kinds[place]
        if waiting[place] and (last or kind.rank < 0):
            return Step(kind.options, kind.denominator, (volley, 0, _with(waiting, place, [-1])))
    return None if last else Branches(((1, (volley + 1, None, waiting)),), 1)


def _require_size(volleys: Sequence[AllocatedVolley | AllocatedDirectly], unit: Allocation) -> None:
    """Refuse at once what could not fit; what may fit is counted as it is found."""
    positions, waiting = 0, 1
    for volley in volleys:
        if isinstance(volley, AllocatedDirectly):
            require_wounds(volley.number)
            waiting *= 1 + volley.number.bounds()[1]
            positions += waiting
            continue
        require_attacks(volley.attacks)
        if volley.at_once > 1:
            raise MathhammerError(
                "expected wounds of a volley that are all saved alike where the unit's player chooses who takes "
                "them or which save is spared, got a trigger that improves the AP of some; let him go by the order "
                "given and spare the first failed save, or leave the trigger out"
            )
        most = volley.attacks.bounds()[1] * volley.each.degree
        for kind in _kinds_that_wait(volley):
            waiting *= 1 + most * bool(kind)
        positions += waiting * (1 + most)
    require_decisions(positions // 4, unit.states)


def _with(waiting: tuple[int, ...], first: int, more: Sequence[int]) -> tuple[int, ...]:
    """Add numbers to those that wait, from one place on; kinds that never come up have no place."""
    changed = list(waiting)
    for place, number in enumerate(more, start=first):
        if number:
            changed[place] += number
    return tuple(changed)


def _rolled(volley: AllocatedVolley | AllocatedDirectly) -> GeneratingFunction:
    """Joint law of the wounds of each kind of all attacks of a volley."""
    if isinstance(volley, AllocatedDirectly):
        each, count = GeneratingFunction.unit(1), volley.number
    else:
        each, count = volley.each, volley.attacks
    number = IntegerLaw.from_distribution(count.distribution(exact=True))
    power, parts = GeneratingFunction.one(len(next(iter(each.coefficients)))), []
    for made in range(number.low + len(number.weights)):
        if made:
            power = power * each
        if made >= number.low:
            parts.append((number.weights[made - number.low], power))
    return GeneratingFunction.mixture(parts, number.denominator)
