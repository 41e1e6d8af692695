"""Wounds and damage of pools that are rolled by who is alive when each of them begins."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any, Literal

from flint import fmpq

from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import Measure
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import as_expression
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated
from mathhammer.sequence.result import total_of
from mathhammer.sequence.volley import AttackNumber, after_saves
from mathhammer.systems.wh40k.attacks.attack_sequence import Outcomes
from mathhammer.systems.wh40k.sequence.compile import CompiledVolley
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.grouped_unit import GroupedUnit
    from mathhammer.sequence.volley import SequenceVolley
    from mathhammer.systems.wh40k.sequence.compile import Compiled

Count = Literal["wounds", "unsaved", "damage"]
#: Probabilities by what has been counted and the state of the unit.
_Joint = dict[tuple[int, int], Any]
#: The most walks of a whole pool from a single state: about two seconds.
MAXIMUM_WALKS = 3_000
#: The most products of a pool's sizes and of what is counted before it, in states.
MAXIMUM_COUNTED = 500_000
_ONE = AttackNumber(as_expression(1))


def dependent(compiled: Sequence[Compiled]) -> int:
    """Return the place of the last volley whose rolls depend on who is alive; 0 where none but the first does."""
    places = (
        place
        for place, each in enumerate(compiled)
        if isinstance(each, CompiledVolley)
        and each.against is not None
        and len({(made.counts, made.volley.wounds) for made in each.against.every()}) > 1
    )
    return max(places, default=0)


def total_by_pool(
    compiled: Sequence[Compiled],
    last: int,
    unit: GroupedUnit,
    before: Distribution | None,
    count: Count,
    each: Callable[[Any], Any],
) -> Distribution:
    """Distribution of a count summed over volleys of which those up to the last dependent one are walked."""
    joint: _Joint = {(0, unit.first): 1}
    if before is not None:
        joint = {(0, state): mass for state, mass in in_fractions(before).items() if mass}
    for volley in compiled[:last]:
        after: _Joint = {}
        for here, part in _by_living(volley, unit, joint):
            _require_plain(here)
            for key, mass in _PoolCounting(here, unit, count).after(part).items():
                after[key] = after.get(key, 0) + mass
        joint = after
    parts = []
    rest = total_of(compiled[last + 1 :], each) if compiled[last + 1 :] else None
    for here, part in _by_living(compiled[last], unit, joint):
        own = total_of([here], each)
        counted: dict[int, fmpq] = {}
        for (total, _), mass in part.items():
            counted[total] = counted.get(total, fmpq(0)) + mass
        common = lcm(*(int(mass.q) for mass in counted.values()))
        weights = [int(counted.get(total, 0) * common) for total in range(max(counted) + 1)]
        after_all = Measure.of(own if rest is None else own + rest)
        parts.append(Measure.from_weights(weights, common).plus(after_all))
    return Measure.union(parts).distribution()


def _by_living(volley: Compiled, unit: GroupedUnit, joint: _Joint) -> Iterator[tuple[CompiledVolley, _Joint]]:
    """Yield what a volley is in some of the states, and these."""
    assert isinstance(volley, CompiledVolley)  # noqa: S101 - mortal wounds of no attack come last
    found: dict[CompiledVolley, _Joint] = {}
    for (total, state), mass in joint.items():
        here = volley if volley.against is None else volley.against[unit.living(state)]
        found.setdefault(here, {})[total, state] = mass
    yield from found.items()


class _PoolCounting:
    """What one volley counts, and where it leaves the unit."""

    def __init__(self, here: CompiledVolley, unit: GroupedUnit, count: Count) -> None:
        self._here, self._unit, self._count = here, unit, count
        self._outcomes: dict[tuple[int, ...], Outcomes] = {}
        #: Places of what is no wound: mortal wounds.
        kinds = here.counts.deferred
        first = len(here.counts.penetrations) if count == "wounds" else 1
        self._mortal = [first + place for place, kind in enumerate(kinds) if kind == "mortal"]

    def after(self, joint: _Joint) -> _Joint:
        """Return what has been counted after the volley, and the states then."""
        volley, number = self._here.volley, integer_distribution(self._here.number.expression)
        one = self._here.counts.saves if self._count == "wounds" else after_saves(volley)
        law = repeated(one, number).plain
        chain: dict[tuple[int, ...], _Joint] = {(0,) * law.width: joint}
        found: _Joint = {}
        # Of saves that differ the lowest dice come first, so that a pool is walked as a whole.
        together = self._count == "wounds" and not self._here.saved_alike
        sizes = len(law.coefficients)
        if (together and sizes * self._unit.states > MAXIMUM_WALKS) or sizes * len(joint) > MAXIMUM_COUNTED:
            raise TooLargeError(
                f"expected wounds that can be counted in some seconds, got pools of {sizes:,} different sizes; see "
                "kills and wounds_lost, or attack with less at once"
            )
        for counts, weight in law.coefficients.items():
            if together:
                reached = self._moved(joint, self._worth(counts), self._walked(counts, None))
            else:
                reached = self._chained(counts, chain)
            share = fmpq(weight, law.denominator)
            for key, mass in reached.items():
                found[key] = found.get(key, 0) + mass * share
        return found

    def _worth(self, counts: tuple[int, ...]) -> int:
        return sum(number for place, number in enumerate(counts) if place not in self._mortal)

    def _chained(self, counts: tuple[int, ...], chain: dict[tuple[int, ...], _Joint]) -> _Joint:
        """Return what follows from so many wounds of each kind, one after another."""
        if counts not in chain:
            kind = max(place for place, number in enumerate(counts) if number)
            before = self._chained((*counts[:kind], counts[kind] - 1, *counts[kind + 1 :]), chain)
            unit = tuple(int(place == kind) for place in range(len(counts)))
            if self._count != "damage":
                chain[counts] = self._moved(before, self._worth(unit), self._walked(unit, None))
                return chain[counts]
            damage = self._here.volley.wounds[self._here.volley.immediate - 1 + kind].effects[0].damage
            found: _Joint = {}
            for lost, weight in damage.items():
                share = fmpq(weight, damage.denominator)
                for key, mass in self._moved(before, lost, self._walked(unit, lost)).items():
                    found[key] = found.get(key, 0) + mass * share
            chain[counts] = found
        return chain[counts]

    def _moved(self, joint: _Joint, more: int, outcomes: Outcomes) -> _Joint:
        """Return what has been counted, and the states, when so much more is and the unit takes it."""
        found: _Joint = {}
        destroyed = self._unit.states - 1
        for (total, state), mass in joint.items():
            if state == destroyed:
                found[total + more, state] = found.get((total + more, state), 0) + mass
                continue
            row = outcomes[state]
            for to, weight in row.items():
                key = total + more, to
                found[key] = found.get(key, 0) + mass * fmpq(weight, row.denominator)
        return found

    def _walked(self, counts: tuple[int, ...], damage: int | None) -> Outcomes:
        """Return the states after exactly so many wounds of each kind: to be saved, or unsaved."""
        key = (*counts, -1 if damage is None else damage)
        if key not in self._outcomes:
            volley = self._here.volley
            attack = AttackDistribution.of(GeneratingFunction({counts: 1}, 1))
            wounds = volley.wounds
            if self._count != "wounds":
                wounds = tuple(_failed(wound, damage) for wound in wounds[volley.immediate - 1 :])
            certain: SequenceVolley = volley._replace(number=_ONE, attack=attack, wounds=wounds)
            self._outcomes[key] = Outcomes(certain, self._unit)
        return self._outcomes[key]


def _failed(wound: Any, damage: int | None) -> Any:
    """Return a wound whose save has failed, with that damage where it is said."""
    certain: Mapping[str, Any] = {} if damage is None else {"damage": IntegerDistribution(damage, (1,), 1)}
    return wound._replace(
        effects=tuple(
            effect._replace(
                unsaved=36, dice=effect.dice and effect.dice._replace(failing=(36,) * 6), **certain
            )
            for effect in wound.effects
        )
    )


def _require_plain(here: CompiledVolley) -> None:
    """Refuse what ties the dice of volleys together."""
    if here.volley.rerolls or any(trigger.instead for trigger in here.stages[0].rolls.triggers):
        raise MathhammerError(
            "the distribution of wounds and damage needs pools without a single re-roll or a Trigger in place of a "
            "wound, where the Toughness depends on who is alive (got one with it); see kills and wounds_lost"
        )
