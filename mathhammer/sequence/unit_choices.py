"""Volleys against a unit whose player chooses anew which model takes a wound, wherever the rules let them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import GeneratingFunction
from mathhammer.distributions.policy import Branches, Step, require_decisions, walk_with_choices
from mathhammer.sequence.attack_distribution import NO_REROLLS, AttackDistribution, subsets
from mathhammer.sequence.resolution import require_number, shared_rerolls
from mathhammer.sequence.volley import all_attacks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.policy import Position
    from mathhammer.sequence.attack_distribution import Held
    from mathhammer.sequence.unit import Rows, Unit
    from mathhammer.sequence.volley import Volley
    from mathhammer.sequence.wound import Wound

__all__ = ["resolve_with_choices"]


class _Key(NamedTuple):
    """Where an attack stands.

    Parameters
    ----------
    volley
        Its place; one past the last at the end.
    held
        The single re-rolls of hit and wound rolls and of numbers of attacks that are held.
    left
        Its wounds still to allocate: their number, or the kind of each in order; None before its dice are rolled,
        and -1 before the re-rolls of its own are given.
    waiting
        The deferred wounds of each kind.
    """

    volley: int
    held: Held
    left: int | tuple[int, ...] | None
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A kind of deferred wounds of one volley: its turn, and what one of them does."""

    volley: int
    rank: int
    options: Sequence[Rows]
    denominator: int


def resolve_with_choices(
    volleys: Sequence[Volley],
    unit: Unit,
    *,
    arithmetic: Arithmetic[P],
    start: Distribution[P] | int | None = None,
    values: Sequence[int],
    maximise: bool,
) -> Distribution[P]:
    """Distribution of the state of a unit after all volleys, when its player allocates wounds as well as can be.

    The hit and wound rolls of a volley are made together, so that the player knows the wounds of it, and the
    deferred ones, that are still to come; saves and damage are rolled one at a time.

    Parameters
    ----------
    volleys
        In the order in which they are resolved.
    unit
        The models, with the states of any order.
    arithmetic
        The arithmetic of the distribution.
    start
        The state before, or its distribution; by default that of the unit.
    values
        What each state is worth at the end.
    maximise
        Whether the value shall be high.

    Raises
    ------
    TooLargeError
        If there are too many decisions.
    """
    _require_size(volleys, unit)
    script = _Script(volleys, unit)
    law = walk_with_choices(
        cache(script.position),
        script.first,
        script.start(unit.first if start is None else start),
        list(values) * len(script.held),
        maximise=maximise,
        arithmetic=arithmetic,
    )
    return law if len(script.held) == 1 else law.map(lambda state: state % unit.states)


class _Script:
    """What follows each position: the dice of a volley, its wounds, then those that are deferred.

    Single re-rolls of saves and of damage are spent while wounds are allocated: there is a copy of the states of the
    unit for each set of those that are held.
    """

    def __init__(self, volleys: Sequence[Volley], unit: Unit) -> None:
        self._volleys = volleys
        self._unit = unit
        of_wounds = NO_REROLLS.union(*(wound.rerolls for volley in volleys for wound in volley.wounds))
        self.held = subsets(of_wounds)
        self._shared = shared_rerolls(volleys)
        self._rolled = [_rolled(volley) for volley in volleys]
        self._immediate = [
            [self._options(wound, volley.directed) for wound in volley.wounds[: volley.immediate]]
            for volley in volleys
        ]
        self._waiting = [
            _Waiting(index, wound.rank or 0, *self._options(wound, volley.directed if wound.directed else ()))
            for index, volley in enumerate(volleys)
            for wound in (volley.wounds[volley.immediate :] if volley.defers else ())
        ]
        # Lower ranks first; of equal ones in the order in which they arose.
        self._turns = sorted(range(len(self._waiting)), key=lambda place: (self._waiting[place].rank, place))
        self.first = self._begin(0, self._shared - of_wounds, (0,) * len(self._waiting))

    def start(self, before: Distribution[P] | int) -> Distribution[P] | int:
        """Return the states before, with the re-rolls that are held from the beginning."""
        return before + self._unit.states * self.held.index(self._shared & self.held[-1])

    def _options(self, wound: Wound, directed: Sequence[int]) -> tuple[list[Rows], int]:
        """Return the rows to choose from in every state, for every set of re-rolls held."""
        parts, denominator = self._unit.options(wound, directed)
        found: list[Rows] = []
        for held in self.held:
            own = held & wound.rerolls
            lefts = [(self.held.index(held - own | left) * self._unit.states, left) for left in subsets(own)]
            found += [
                [
                    _joined(lefts, rows)
                    for rows in zip(*(parts[own, left][state] for _, left in lefts), strict=True)
                ]
                for state in range(self._unit.states)
            ]
        return found, denominator

    def _given(self, gained: Held, lost: Held) -> list[Rows]:
        """Return the rows that give re-rolls to every state, or take them away."""
        states = self._unit.states
        return [
            [{self.held.index((held | gained) - lost) * states + state: 1}]
            for held in self.held
            for state in range(states)
        ]

    def _begin(self, volley: int, held: Held, waiting: tuple[int, ...]) -> _Key:
        """Return the position before a volley: first the re-rolls of its own are given."""
        if volley < len(self._volleys) and self._volleys[volley].own:
            return _Key(volley, held, -1, waiting)
        return _Key(volley, held, None, waiting)

    def position(self, key: _Key) -> Position:
        """Return what follows a position."""
        volley, held, left, waiting = key
        if volley == len(self._volleys):
            return self._deferred(key, last=True)
        if left is None:
            return self._roll(key)
        own = self._volleys[volley].own
        if left == -1:
            of_rolls = own - self.held[-1]
            return Step(
                self._given(own & self.held[-1], NO_REROLLS), 1, _Key(volley, held | of_rolls, None, waiting)
            )
        if left:
            kind, rest = (0, left - 1) if isinstance(left, int) else (left[0], left[1:])
            return Step(*self._immediate[volley][kind], _Key(volley, held, rest, waiting))
        return self._deferred(key, last=False) or self._end(key, own)

    def _end(self, key: _Key, own: Held) -> Position:
        """Go on to the next volley: the re-rolls of this one's own are taken away."""
        after = self._begin(key.volley + 1, key.held - own, key.waiting)
        if own & self.held[-1]:
            return Step(self._given(NO_REROLLS, own & self.held[-1]), 1, after)
        return Branches(((1, after),), 1)

    def _roll(self, key: _Key) -> Position:
        """Roll all hit and wound dice of a volley."""
        attack = self._rolled[key.volley]
        rolled = key.held & attack.rerolls
        first = next((i for i, kind in enumerate(self._waiting) if kind.volley == key.volley), 0)
        counted = self._volleys[key.volley].immediate
        parts, denominators = [], []
        for left, counts in attack.after(rolled).items():
            denominators.append(counts.denominator)
            for exponents, weight in sorted(counts.coefficients.items()):
                wounds = exponents[0] if counted else 0
                waiting = _with(key.waiting, first, exponents[1:] if counted else exponents)
                parts.append(
                    (weight, counts.denominator, _Key(key.volley, key.held - rolled | left, wounds, waiting))
                )
        common = lcm(*denominators)
        return Branches(
            tuple((weight * (common // of), after) for weight, of, after in parts if weight), common
        )

    def _deferred(self, key: _Key, *, last: bool) -> Position:
        """Return the next deferred wound whose turn it is, if there is one."""
        for place in self._turns:
            kind = self._waiting[place]
            if key.waiting[place] and (last or kind.rank < 0):
                return Step(
                    kind.options, kind.denominator, key._replace(waiting=_with(key.waiting, place, [-1]))
                )
        return None


def _joined(lefts: Sequence[tuple[int, Held]], rows: Sequence[dict[int, int]]) -> dict[int, int]:
    """Return one row over the states of every set of re-rolls left."""
    return {
        first + after: weight
        for (first, _), row in zip(lefts, rows, strict=True)
        for after, weight in row.items()
    }


def _require_size(volleys: Sequence[Volley], unit: Unit) -> None:
    """Refuse at once what could not fit; what may fit is counted as it is found."""
    positions, waiting = 0, 1
    for volley in volleys:
        if volley.attack is None:
            require_number(volley.number.expression, "wounds without an attack at once")
            waiting *= 1 + volley.number.most
            positions += waiting
            continue
        require_number(volley.number.expression, "attacks in a volley")
        most = volley.number.most * max(part.degree for part in volley.attack.parts.values())
        if volley.defers:
            waiting *= (1 + most) ** (len(volley.wounds) - volley.immediate)
        positions += waiting * (1 + most if volley.immediate < 2 else volley.immediate ** min(most, 64))
    require_decisions(positions // 4, unit.states)


def _with(waiting: tuple[int, ...], first: int, more: Sequence[int]) -> tuple[int, ...]:
    """Add numbers to those that wait, from one place on; kinds that never come up have no place."""
    changed = list(waiting)
    for place, number in enumerate(more, start=first):
        if number:
            changed[place] += number
    return tuple(changed)


def _rolled(volley: Volley) -> AttackDistribution:
    """Joint distribution of the wounds of all attacks of a volley.

    The first count is the number of immediate wounds. Where there are several kinds of them it is their order, a
    tuple: tuples add up to longer ones.
    """
    attack = volley.attack
    if attack is None:
        return all_attacks(volley, AttackDistribution.of(GeneratingFunction.unit(0, 1)))
    several = volley.immediate
    if several < 2:
        return all_attacks(volley, attack)
    in_order = {key: _in_order(part, several) for key, part in attack.parts.items()}
    nothing = _in_order(GeneratingFunction.one(attack.plain.width), several)
    return all_attacks(volley, AttackDistribution(in_order, attack.rerolls), nothing)


def _in_order(counts: GeneratingFunction, several: int) -> GeneratingFunction:
    """Put the order of the immediate wounds in place of their numbers; those of the first kind come first."""
    coefficients = {
        (tuple(kind for kind in range(several) for _ in range(exponents[kind])), *exponents[several:]): weight
        for exponents, weight in counts.coefficients.items()
    }
    return GeneratingFunction(coefficients, counts.denominator)  # type: ignore[arg-type]
