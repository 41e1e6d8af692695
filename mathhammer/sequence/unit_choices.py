"""Volleys against a unit whose player chooses anew which model takes a wound, wherever the rules let them."""

from __future__ import annotations

from functools import cache
from math import gcd, lcm
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions import GeneratingFunction, Measure
from mathhammer.distributions.decisions import Decision, backwards, require_positions
from mathhammer.sequence.attack_distribution import NO_REROLLS, AttackDistribution, subsets
from mathhammer.sequence.limits import require_number
from mathhammer.sequence.resolution import shared_rerolls
from mathhammer.sequence.volley import all_attacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.attack_distribution import Held
    from mathhammer.sequence.unit import Unit
    from mathhammer.sequence.unit_state import Rows
    from mathhammer.sequence.volley import Volley
    from mathhammer.sequence.wound import Wound

#: Most states at all points of the attack together: all of one point are decided at once, in some two seconds.
MAXIMUM_POSITIONS = 400_000


class _Key(NamedTuple):
    """Where an attack stands."""

    #: Its place; one past the last at the end.
    volley: int
    #: The single re-rolls that are held.
    held: Held
    #: Its wounds still to allocate: their number, or the kind of each in order; None before its dice are rolled.
    left: int | tuple[int, ...] | None
    #: The deferred wounds of each kind.
    deferred: tuple[int, ...]


class _Kind(NamedTuple):
    """A kind of wounds: what one of them does in each state, by the re-rolls held before and left after."""

    rerolls: Held
    options: Mapping[tuple[Held, Held], Sequence[Rows]]
    denominator: int


class _DeferredKind(NamedTuple):
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
    arithmetic: Arithmetic,
    start: Distribution | int | None = None,
    values: Sequence[int],
    maximise: bool,
) -> Distribution:
    """Distribution of the state of a unit after all volleys, when its player allocates wounds as well as can be."""
    _require_size(volleys, unit)
    script = _Script(volleys, unit, maximise=maximise)
    keys = script.keys()
    plan = script.plan(keys, values)
    return script.end(keys, plan, unit.first if start is None else start, arithmetic)


class _Script:
    """The decisions: the dice of a volley, its wounds, then those that are deferred."""

    def __init__(self, volleys: Sequence[Volley], unit: Unit, *, maximise: bool) -> None:
        self._volleys = volleys
        self._unit = unit
        self._best = max if maximise else min
        self._rolled = [_rolled(volley) for volley in volleys]
        self._immediate = [
            [
                self._kind(wound, volley.directed if wound.directed else ())
                for wound in volley.wounds[: volley.immediate]
            ]
            for volley in volleys
        ]
        self._deferred_kinds = [
            _DeferredKind(
                index, wound.rank or 0, self._kind(wound, volley.directed if wound.directed else ())
            )
            for index, volley in enumerate(volleys)
            for wound in (volley.wounds[volley.immediate :] if volley.defers else ())
        ]
        # Lower ranks first; of equal ones in the order in which they arose.
        self._turns = sorted(
            range(len(self._deferred_kinds)), key=lambda place: (self._deferred_kinds[place].rank, place)
        )
        self._numbers: dict[_Key, int] = {}
        self._keys: list[_Key] = []
        self._following = cache(self._follow)
        self._number(self._begin(0, shared_rerolls(volleys), (0,) * len(self._deferred_kinds)))

    def keys(self) -> list[int]:
        """Return the numbers of all keys, each after those that can follow it."""

        def following(number: int) -> Decision[int] | None:
            after = self._after(number)
            return Decision([dict.fromkeys(after, 1)]) if after else None

        def require(keys: int) -> None:
            require_positions(keys * self._unit.states, MAXIMUM_POSITIONS)

        return [number for number, _ in backwards(following, [0], require)]

    def _after(self, number: int) -> Sequence[int]:
        following = self._following(number)
        if following is None:
            return ()
        if isinstance(following, _Dice):
            return list(following.weights)
        return [after for after, _ in following.after]

    def plan(self, keys: Sequence[int], values: Sequence[int]) -> dict[int, list[int]]:
        """Return the index of the best option in each state, at the keys where there is a choice."""
        plan: dict[int, list[int]] = {}
        worth: dict[int, tuple[Sequence[int], int]] = {}
        last = {after: number for number in keys for after in (number, *self._after(number))}
        for number in keys:
            following = self._following(number)
            if following is None:
                worth[number] = values, 1
                continue
            common = lcm(*(worth[after][1] for after in self._after(number)))
            scale = {after: common // worth[after][1] for after in self._after(number)}
            if isinstance(following, _Dice):
                parts = [
                    (worth[after][0], weight * scale[after]) for after, weight in following.weights.items()
                ]
                expected = [
                    sum([each[state] * weight for each, weight in parts])
                    for state in range(self._unit.states)
                ]
            else:
                scaled = {
                    after: worth[after][0] if each == 1 else [value * each for value in worth[after][0]]
                    for after, each in scale.items()
                }
                expected, plan[number] = self._chosen(following, scaled)
            worth[number] = expected, common * following.denominator
            for after in self._after(number):
                if last[after] == number:
                    del worth[after]
        return plan

    def _chosen(self, wound: _Allocation, worth: Mapping[int, Sequence[int]]) -> tuple[list[int], list[int]]:
        """Return what each state is worth before a wound, and the index of the best allocation; of equals the first."""
        (first, rows), *others = wound.after
        values, best = worth[first], self._best
        expected, chosen = [], []
        for state, options in enumerate(rows):
            totals = [sum([values[column] * weight for column, weight in row.items()]) for row in options]
            for after, further in others:
                each = worth[after]
                for place, row in enumerate(further[state]):
                    totals[place] += sum([each[column] * weight for column, weight in row.items()])
            found = best(totals) if len(totals) > 1 else totals[0]
            expected.append(found)
            chosen.append(totals.index(found))
        return expected, chosen

    def end(
        self,
        keys: Sequence[int],
        plan: Mapping[int, Sequence[int]],
        start: Distribution | int,
        arithmetic: Arithmetic,
    ) -> Distribution:
        """Return the distribution of the state at the end under a plan."""
        scale, states = self._scales(keys), self._unit.states
        first = keys[-1]
        before = Measure.of(start) if not isinstance(start, int) else Measure.at(start, arithmetic)
        terms, denominator = before.mass.terms()
        here: list[Any] = [0] * states
        here[before.low : before.most + 1] = map(int, terms)
        mass, ends = {first: here}, [0] * states
        for number in reversed(keys):
            following, here = self._following(number), mass.pop(number)
            if following is None:
                ends = list(map(add, ends, here))
                continue
            shares: dict[int, int] = {}
            for after in self._after(number):
                mass.setdefault(after, [0] * states)
                shares[after] = scale[number] // (following.denominator * scale[after])
            self._move(following, plan.get(number, ()), here, shares, mass)
        return Measure(0, arithmetic.mass.from_terms(ends, denominator * scale[first])).distribution()

    def _scales(self, keys: Sequence[int]) -> dict[int, int]:
        """Return for each key the denominators of all that follows."""
        scale: dict[int, int] = {}
        for number in keys:
            following = self._following(number)
            scale[number] = 1
            if following is not None:
                below = lcm(*(scale[after] for after in self._after(number)))
                scale[number] = below * following.denominator
        return scale

    @staticmethod
    def _move(
        following: _Dice | _Allocation,
        chosen: Sequence[int],
        here: Sequence[Any],
        shares: Mapping[int, int],
        mass: Mapping[int, list[Any]],
    ) -> None:
        """Add the mass of a key to those after it, by the options chosen in each state."""
        held = [(state, each) for state, each in enumerate(here) if each]
        if isinstance(following, _Dice):
            for after, weight in following.weights.items():
                there, share = mass[after], weight * shares[after]
                for state, each in held:
                    there[state] += each * share
            return
        for after, rows in following.after:
            there, share = mass[after], shares[after]
            for state, each in held:
                part = each * share
                for column, weight in rows[state][chosen[state]].items():
                    there[column] += part * weight

    def _kind(self, wound: Wound, directed: Sequence[int]) -> _Kind:
        options, denominator = self._unit.options(wound, self._unit.opened(directed))
        divisor = denominator
        for row in [row for rows in options.values() for each in rows for row in each]:
            divisor = gcd(divisor, *row.values())
        if divisor > 1:
            options = {
                key: [[_shortened(row, divisor) for row in each] for each in rows]
                for key, rows in options.items()
            }
        return _Kind(wound.rerolls, options, denominator // divisor)

    def _number(self, key: _Key) -> int:
        """Return the number of a key."""
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _begin(self, volley: int, held: Held, deferred: tuple[int, ...]) -> _Key:
        """Return the key before a volley, with the re-rolls of its own."""
        own = self._volleys[volley].own if volley < len(self._volleys) else NO_REROLLS
        return _Key(volley, held | own, None, deferred)

    def _follow(self, number: int) -> _Dice | _Allocation | None:
        """Return what comes at a key."""
        key = self._keys[number]
        volley, held, left, deferred = key
        if volley == len(self._volleys):
            return self._deferred(key, last=True)
        if left is None:
            return self._roll(key)
        if left:
            kind, rest = (0, left - 1) if isinstance(left, int) else (left[0], left[1:])
            return self._allocation(self._immediate[volley][kind], key._replace(left=rest))
        # Once the wounds are dealt with, the next volley comes without the re-rolls of this one's own.
        return self._deferred(key, last=False) or self._follow(
            self._number(self._begin(volley + 1, held - self._volleys[volley].own, deferred))
        )

    def _allocation(self, kind: _Kind, key: _Key) -> _Allocation:
        """Allocate a wound."""
        own = key.held & kind.rerolls
        after = [
            (
                self._number(key._replace(held=key.held - own | left)),
                kind.options[own, left],
            )
            for left in subsets(own)
        ]
        return _Allocation(after, kind.denominator)

    def _roll(self, key: _Key) -> _Dice:
        """Roll all hit and wound dice of a volley."""
        attack = self._rolled[key.volley]
        rolled = key.held & attack.rerolls
        first = next((i for i, kind in enumerate(self._deferred_kinds) if kind.volley == key.volley), 0)
        counted = self._volleys[key.volley].immediate
        parts = attack.after(rolled)
        common = lcm(*(counts.denominator for counts in parts.values()))
        weights: dict[int, int] = {}
        for left, counts in parts.items():
            for exponents, weight in sorted(counts.coefficients.items()):
                wounds = exponents[0] if counted else 0
                deferred = _with(key.deferred, first, exponents[1:] if counted else exponents)
                rest = _Key(key.volley, key.held - rolled | left, wounds, deferred)
                after = self._number(rest)
                weights[after] = weights.get(after, 0) + weight * (common // counts.denominator)
        return _Dice(weights, common)

    def _deferred(self, key: _Key, *, last: bool) -> _Allocation | None:
        """Return the next deferred wound whose turn it is, if there is one."""
        for place in self._turns:
            if key.deferred[place] and (last or self._deferred_kinds[place].rank < 0):
                after = key._replace(deferred=_with(key.deferred, place, [-1]))
                return self._allocation(self._deferred_kinds[place].kind, after)
        return None


def _shortened(row: Mapping[int, int], divisor: int) -> dict[int, int]:
    return {state: weight // divisor for state, weight in row.items()}


def _require_size(volleys: Sequence[Volley], unit: Unit) -> None:
    """Refuse at once what could not fit; what may fit is counted as it is found."""
    positions, deferred = 0, 1
    for volley in volleys:
        if volley.attack is None:
            require_number(volley.number.expression, "wounds without an attack at once")
            deferred *= 1 + volley.number.most
            positions += deferred
            continue
        require_number(volley.number.expression, "attacks in a volley")
        most = volley.number.most * max(part.degree for part in volley.attack.parts.values())
        if volley.defers:
            deferred *= (1 + most) ** (len(volley.wounds) - volley.immediate)
        positions += deferred * (1 + most if volley.immediate < 2 else volley.immediate ** min(most, 64))
    require_positions(positions // 4 * unit.states, MAXIMUM_POSITIONS)


def _with(deferred: tuple[int, ...], first: int, more: Sequence[int]) -> tuple[int, ...]:
    """Add numbers to deferred wounds, from one place on; kinds that never come up have no place."""
    changed = list(deferred)
    for place, number in enumerate(more, start=first):
        if number:
            changed[place] += number
    return tuple(changed)


def _rolled(volley: Volley) -> AttackDistribution:
    """Joint distribution of the wounds of all attacks of a volley."""
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
