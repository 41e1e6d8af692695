"""Volleys against a unit whose player chooses anew which model takes a wound, wherever the rules let them."""

from __future__ import annotations

from functools import cache
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import CategoricalDistribution, GeneratingFunction
from mathhammer.distributions.decisions import Decision, best_plan, end_distribution, require_positions
from mathhammer.sequence.attack_distribution import NO_REROLLS, AttackDistribution, subsets
from mathhammer.sequence.resolution import require_number, shared_rerolls
from mathhammer.sequence.volley import all_attacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
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
        The single re-rolls that are held.
    left
        Its wounds still to allocate: their number, or the kind of each in order; None before its dice are rolled.
    waiting
        The deferred wounds of each kind.
    """

    volley: int
    held: Held
    left: int | tuple[int, ...] | None
    waiting: tuple[int, ...]


class _Kind(NamedTuple):
    """A kind of wounds: what one of them does in each state, by the re-rolls held before and left after."""

    rerolls: Held
    options: Mapping[tuple[Held, Held], Sequence[Rows]]
    denominator: int


class _Waiting(NamedTuple):
    """A kind of deferred wounds of one volley, and its turn."""

    volley: int
    rank: int
    kind: _Kind


class _Dice(NamedTuple):
    """The dice of a volley, whatever the state: weights by the number of the key after."""

    weights: Mapping[int, int]
    denominator: int


class _Allocation(NamedTuple):
    """A wound: by the number of the key after, the rows to choose from in each state."""

    after: Sequence[tuple[int, Sequence[Rows]]]
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
    script = _Script(volleys, unit, maximise=maximise)
    before = script.start(unit.first if start is None else start, exact=arithmetic.mass.exact)
    plan = best_plan(script.decision, before, lambda position: values[position % unit.states])
    return end_distribution(script.decision, before, plan).number(lambda position: position % unit.states)


class _Script:
    """The decisions: the dice of a volley, its wounds, then those that are deferred.

    A position is the number of a key and a state of the unit, as one whole number.
    """

    def __init__(self, volleys: Sequence[Volley], unit: Unit, *, maximise: bool) -> None:
        self._volleys = volleys
        self._unit = unit
        self._states = unit.states
        self._maximise = maximise
        self._rolled = [_rolled(volley) for volley in volleys]
        self._immediate = [
            [self._kind(wound, volley.directed) for wound in volley.wounds[: volley.immediate]]
            for volley in volleys
        ]
        self._waiting = [
            _Waiting(index, wound.rank or 0, self._kind(wound, volley.directed if wound.directed else ()))
            for index, volley in enumerate(volleys)
            for wound in (volley.wounds[volley.immediate :] if volley.defers else ())
        ]
        # Lower ranks first; of equal ones in the order in which they arose.
        self._turns = sorted(range(len(self._waiting)), key=lambda place: (self._waiting[place].rank, place))
        self._numbers: dict[_Key, int] = {}
        self._keys: list[_Key] = []
        self._following = cache(self._follow)

    def start(self, before: Distribution[P] | int, *, exact: bool) -> CategoricalDistribution[int, P]:
        """Return the distribution of the first position, from the state before or its distribution."""
        first = self._number(self._begin(0, shared_rerolls(self._volleys), (0,) * len(self._waiting)))
        if isinstance(before, int):
            return CategoricalDistribution.certain(first * self._states + before, exact=exact)
        return CategoricalDistribution.of(before, lambda state: first * self._states + state)

    def decision(self, position: int) -> Decision[int] | None:
        """Return what comes in a position."""
        number, state = divmod(position, self._states)
        following = self._following(number)
        if following is None:
            return None
        if isinstance(following, _Dice):
            after = {first + state: weight for first, weight in following.weights.items()}
            return Decision((after,), following.denominator)
        (first, rows), *others = following.after
        options = [{first + column: weight for column, weight in row.items()} for row in rows[state]]
        for first, rows in others:
            for option, row in zip(options, rows[state], strict=True):
                option.update({first + column: weight for column, weight in row.items()})
        return Decision(options, following.denominator, self._maximise)

    def _kind(self, wound: Wound, directed: Sequence[int]) -> _Kind:
        return _Kind(wound.rerolls, *self._unit.options(wound, directed))

    def _number(self, key: _Key) -> int:
        """Return the number of a key."""
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _begin(self, volley: int, held: Held, waiting: tuple[int, ...]) -> _Key:
        """Return the key before a volley, with the re-rolls of its own."""
        own = self._volleys[volley].own if volley < len(self._volleys) else NO_REROLLS
        return _Key(volley, held | own, None, waiting)

    def _follow(self, number: int) -> _Dice | _Allocation | None:
        """Return what comes at a key."""
        key = self._keys[number]
        volley, held, left, waiting = key
        if volley == len(self._volleys):
            return self._deferred(key, last=True)
        if left is None:
            return self._roll(key)
        if left:
            kind, rest = (0, left - 1) if isinstance(left, int) else (left[0], left[1:])
            return self._allocation(self._immediate[volley][kind], key._replace(left=rest))
        # Once the wounds are dealt with, the next volley comes without the re-rolls of this one's own.
        return self._deferred(key, last=False) or self._follow(
            self._number(self._begin(volley + 1, held - self._volleys[volley].own, waiting))
        )

    def _allocation(self, kind: _Kind, key: _Key) -> _Allocation:
        """Allocate a wound."""
        own = key.held & kind.rerolls
        after = [
            (
                self._number(key._replace(held=key.held - own | left)) * self._states,
                kind.options[own, left],
            )
            for left in subsets(own)
        ]
        return _Allocation(after, kind.denominator)

    def _roll(self, key: _Key) -> _Dice:
        """Roll all hit and wound dice of a volley."""
        attack = self._rolled[key.volley]
        rolled = key.held & attack.rerolls
        first = next((i for i, waiting in enumerate(self._waiting) if waiting.volley == key.volley), 0)
        counted = self._volleys[key.volley].immediate
        parts = attack.after(rolled)
        common = lcm(*(counts.denominator for counts in parts.values()))
        weights: dict[int, int] = {}
        for left, counts in parts.items():
            for exponents, weight in sorted(counts.coefficients.items()):
                wounds = exponents[0] if counted else 0
                waiting = _with(key.waiting, first, exponents[1:] if counted else exponents)
                rest = _Key(key.volley, key.held - rolled | left, wounds, waiting)
                after = self._number(rest) * self._states
                weights[after] = weights.get(after, 0) + weight * (common // counts.denominator)
        return _Dice(weights, common)

    def _deferred(self, key: _Key, *, last: bool) -> _Allocation | None:
        """Return the next deferred wound whose turn it is, if there is one."""
        for place in self._turns:
            if key.waiting[place] and (last or self._waiting[place].rank < 0):
                after = key._replace(waiting=_with(key.waiting, place, [-1]))
                return self._allocation(self._waiting[place].kind, after)
        return None


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
    require_positions(positions // 4 * unit.states)


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
