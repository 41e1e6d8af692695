"""Wounds and damage of pools that are rolled by who is alive when each of them begins."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import compress
from math import lcm
from typing import TYPE_CHECKING, Any

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
from mathhammer.systems.wh40k.sequence.compile import Compiled, CompiledVolley
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.grouped_unit import GroupedUnit

#: Probabilities by what has been counted and the state of the unit.
_Joint = dict[tuple[int, int], fmpq]
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
    count: str,
    each: Callable[[Any], Any],
) -> Distribution:
    """Distribution of a count summed over volleys of which those up to the last dependent one are walked."""
    joint: _Joint = {(0, unit.first): fmpq(1)}
    if before is not None:
        joint = {(0, state): mass for state, mass in in_fractions(before).items() if mass}
    for volley in compiled[:last]:
        after: _Joint = defaultdict(fmpq)
        for here, part in _by_living(volley, unit, joint).items():
            if here.volley.rerolls or any(trigger.instead for trigger in here.stages[0].rolls.triggers):
                raise MathhammerError(
                    "the distribution of wounds and damage needs pools without a single re-roll or a Trigger in place "
                    "of a wound, where the Toughness depends on who is alive (got one with it); see kills and "
                    "wounds_lost"
                )
            for key, mass in _after(here, unit, count, part):
                after[key] += mass
        joint = after
    parts = []
    rest = total_of(compiled[last + 1 :], each) if compiled[last + 1 :] else None
    for here, part in _by_living(compiled[last], unit, joint).items():
        own = total_of([here], each)
        counted: dict[int, fmpq] = defaultdict(fmpq)
        for (total, _), mass in part.items():
            counted[total] += mass
        common = lcm(*(int(mass.q) for mass in counted.values()))
        weights = [int(counted.get(total, 0) * common) for total in range(max(counted) + 1)]
        after_all = Measure.of(own if rest is None else own + rest)
        parts.append(Measure.from_weights(weights, common).plus(after_all))
    return Measure.union(parts).distribution()


def _by_living(volley: Compiled, unit: GroupedUnit, joint: _Joint) -> dict[CompiledVolley, _Joint]:
    """Return the states by what a volley is in them."""
    assert isinstance(volley, CompiledVolley)  # noqa: S101 - mortal wounds of no attack come last
    found: dict[CompiledVolley, _Joint] = defaultdict(dict)
    for (total, state), mass in joint.items():
        here = volley if volley.against is None else volley.against[unit.living(state)]
        found[here][total, state] = mass
    return found


def _after(
    here: CompiledVolley, unit: GroupedUnit, count: str, joint: _Joint
) -> Iterator[tuple[tuple[int, int], fmpq]]:
    """Yield what has been counted after a volley with the state then, and the probability of one way to it."""
    volley, number = here.volley, integer_distribution(here.number.expression)
    law = repeated(here.counts.saves if count == "wounds" else after_saves(volley), number).plain
    # Of saves that differ the lowest dice come first, so that a pool is walked as a whole.
    together = count == "wounds" and not here.saved_alike
    sizes = len(law.coefficients)
    if (together and sizes * unit.states > MAXIMUM_WALKS) or sizes * len(joint) > MAXIMUM_COUNTED:
        raise TooLargeError(
            f"expected wounds that can be counted in some seconds, got pools of {sizes:,} different sizes; see "
            "kills and wounds_lost, or attack with less at once"
        )
    saved = len(here.counts.penetrations) if count == "wounds" else 1
    worth = [True] * saved + [
        kind != "mortal" for kind in here.counts.deferred
    ]  # mortal wounds are no wounds
    kinds = volley.wounds if count == "wounds" else volley.wounds[volley.immediate - 1 :]

    @cache
    def walked(counts: tuple[int, ...], damage: int | None = None) -> Outcomes:
        """Return the states after exactly so many wounds of each kind: to be saved, or unsaved, with that damage."""
        wounds = kinds if count == "wounds" else tuple(_failed(each, damage) for each in kinds)
        attack = AttackDistribution.of(GeneratingFunction({counts: 1}, 1))
        return Outcomes(volley._replace(number=_ONE, attack=attack, wounds=wounds), unit)

    @cache
    def chained(counts: tuple[int, ...]) -> _Joint:
        """Return what follows from so many wounds of each kind, one after another."""
        if not any(counts):
            return joint
        kind = max(place for place, many in enumerate(counts) if many)
        before = chained((*counts[:kind], counts[kind] - 1, *counts[kind + 1 :]))
        one = tuple(int(place == kind) for place in range(len(counts)))
        if count != "damage":
            return _moved(before, worth[kind], walked(one))
        found: _Joint = defaultdict(fmpq)
        damage = kinds[kind].effects[0].damage
        for lost, weight in damage.items():
            for key, mass in _moved(before, lost, walked(one, lost)).items():
                found[key] += mass * fmpq(weight, damage.denominator)
        return found

    for counts, weight in law.coefficients.items():
        more = sum(compress(counts, worth))
        reached = _moved(joint, more, walked(counts)) if together else chained(counts)
        for key, mass in reached.items():
            yield key, mass * fmpq(weight, law.denominator)


def _failed(wound: Wound, damage: int | None) -> Wound:
    """Return a wound whose saves have failed, with its own damage or a certain one."""
    certain: Any = {} if damage is None else {"damage": IntegerDistribution(damage, (1,), 1)}
    effects = [
        each._replace(unsaved=36, dice=each.dice and each.dice._replace(failing=(36,) * 6), **certain)
        for each in wound.effects
    ]
    return wound._replace(effects=tuple(effects))


def _moved(before: _Joint, more: int, outcomes: Outcomes) -> _Joint:
    """Return what has been counted, and the states, when so much more is and the unit takes it."""
    found: _Joint = defaultdict(fmpq)
    for (total, state), mass in before.items():
        row = outcomes[state]
        for to, weight in row.items():
            found[total + more, to] += mass * fmpq(weight, row.denominator)
    return found
