"""The dice of a volley in the stages in which they are rolled, for players who look before they re-roll one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement
from math import factorial, gcd, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions import GeneratingFunction, IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import faces
from mathhammer.expressions.base import Constant
from mathhammer.expressions.check import reroll_faces
from mathhammer.expressions.die import Die as OneDie
from mathhammer.expressions.die import Repeated
from mathhammer.expressions.operations import Sum
from mathhammer.sequence import AttackDistribution, ignoring_wounds
from mathhammer.sequence.rolled_dice import Die, Reroll, Result, Stage, VolleyDice
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.rules.save import REROLL_SAVES
from mathhammer.systems.wh40k.sequence.attack_counts import Counting, hit_follows, hit_results, wound_results
from mathhammer.systems.wh40k.sequence.attack_number import attacks_of_one
from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds, CompiledVolley
from mathhammer.systems.wh40k.sequence.damage import damage_after_modifiers, integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.sequence.attack_counts import Penetration, Rolls
    from mathhammer.systems.wh40k.sequence.stages import Stages
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["COMMAND_REROLL", "volley_dice"]

#: The rolls of an attack that the attacker's Command Re-roll may be spent on: not those that ignore wounds.
COMMAND_REROLL = frozenset({"attacks", "hit", "wound", "damage"})

_WORDS = {
    "hit": {"fail": "miss", "success": "hit", "critical": "critical hit"},
    "wound": {"fail": "failed wound", "success": "wound", "critical": "critical wound"},
}


class _Places(NamedTuple):
    """Where each kind of dice and wounds is counted: weapons whose attacks are rolled, hit dice, then the others."""

    wound_dice: tuple[tuple[int, Penetration], ...]
    penetrations: tuple[Penetration, ...]
    deferred: int
    saves: bool

    @property
    def first_save(self) -> int:
        return 2 + len(self.wound_dice)

    @property
    def wounds(self) -> int:
        """The first kind of wounds: behind the saves of equal models, if they are rolled together."""
        return self.first_save + (len(self.penetrations) if self.saves else 0)

    @property
    def immediate(self) -> int:
        return 1 if self.saves else len(self.penetrations)

    @property
    def width(self) -> int:
        return self.wounds + self.immediate + self.deferred

    def names(self, deferred: Sequence[str]) -> tuple[str, ...]:
        return (
            "weapons",
            "attacks",
            *["hits"] * len(self.wound_dice),
            *["wounds"] * (len(self.penetrations) if self.saves else 0),
            *["failed saves" if self.saves else "wounds"] * self.immediate,
            *(f"{kind} wounds" for kind in deferred),
        )

    def one(self, place: int) -> AttackDistribution:
        return AttackDistribution.of(GeneratingFunction.unit(place, self.width))


def volley_dice(
    compiled: CompiledVolley | CompiledMortalWounds, *, equal_models: bool, only: bool
) -> VolleyDice:
    """Return the dice of a volley."""
    if isinstance(compiled, CompiledMortalWounds):
        return _mortal_wounds(compiled)
    stages = compiled.stages[0]
    rolls = stages.rolls
    if any(trigger.extra_attacks is not None for trigger in rolls.triggers):
        raise MathhammerError(
            "expected no Trigger that makes additional attacks where a re-roll is spent on any die, since these would "
            "be rolled later; leave out reroll, or give reroll_hits='one'"
        )
    counts = compiled.counts
    if len(counts.penetrations) > 1 and not equal_models:
        raise MathhammerError(
            "expected wounds of one Armour Penetration where a re-roll is spent on any die against models with "
            "different saves, got a Trigger that improves it; leave out reroll"
        )
    if REROLL_SAVES.name in stages.situation.one_reroll and not equal_models:
        raise MathhammerError(
            "expected models with equal saves where a re-roll is spent on any die and one save is re-rolled, got some "
            "that differ; leave out reroll or reroll_saves='one'"
        )
    on_hit = tuple(dict.fromkeys(((), *(_ap(rolls, face) for face in range(1, 7)))))
    dice = tuple((place, ap) for place in range(len(rolls.wounds)) for ap in on_hit)
    places = _Places(dice, tuple(counts.penetrations), len(counts.deferred), equal_models)
    first_deferred = places.wounds + places.immediate

    def wound(penetration: Penetration, unsaveable: bool) -> AttackDistribution:  # noqa: FBT001
        return places.one(
            first_deferred if unsaveable else places.first_save + places.penetrations.index(penetration)
        )

    nothing = AttackDistribution.of(GeneratingFunction.one(places.width))
    counting = Counting(
        nothing,
        None,
        nothing,
        wound,
        places.one(places.width - 1),
        lambda strength, ap: places.one(2 + dice.index((strength, ap))),
    )
    rolls = rolls._replace(reroll_hit=None, reroll_wound=None)
    if rolls.hit is None:
        certain = Result("hit", 1, 0, hit_follows(rolls, counting, (), automatic=False).plain, rerolls=())
        hit = Die((certain,), ())
    else:
        hit = _check("hit", rolls.hit, hit_results(rolls, rolls.hit, counting, further=True))
        if stages.to_hit.no_rerolls:
            hit = Die(tuple(result._replace(rerolls=()) for result in hit.results), hit.rerolls)
    wounds = {
        2 + place: _check(
            "wound", rolls.wounds[strength][1], wound_results(rolls, rolls.wounds[strength][1], counting, ap)
        )
        for place, (strength, ap) in enumerate(dice)
    }
    steps = [Stage("hit", {1: hit}), Stage("wound", wounds)]
    start = [0] * places.width
    total = stages.attacks.total
    if isinstance(total, Constant):
        start[1] = total.value
    else:
        start[0] = stages.number
        steps.insert(0, Stage("attacks", {0: _number(stages, places)}))
    if equal_models:
        steps.append(
            Stage(
                "save",
                {
                    places.first_save + place: _save(compiled.volley.wounds[place].effects[0].unsaved, places)
                    for place in range(len(places.penetrations))
                },
            )
        )
    damage = [tuple(_damage(each, deferred=False) for each in compiled.stages)] * places.immediate
    damage += [
        tuple(
            _one_wound(each) if kind == "mortal" else _damage(each, deferred=True) for each in compiled.stages
        )
        for kind in counts.deferred
    ]
    return VolleyDice(
        tuple(start),
        tuple(steps),
        places.wounds,
        tuple(damage),
        places.names(counts.deferred),
        _rerolls(stages.situation, only=only),
    )


def _rerolls(at: Situation, *, only: bool) -> tuple[Reroll, ...]:
    """Return the re-rolls of a volley: a Command Re-roll, and the single ones of other rules."""
    found = [Reroll("reroll", COMMAND_REROLL, only or "reroll" in at.shared)] if at.reroll else []
    shared = {name for name in at.one_reroll if only or name not in at.own_rerolls}
    found += [
        Reroll(name, frozenset(rulebook().conditions[name].rolls), name in shared) for name in at.one_reroll
    ]
    return tuple(found)


def _ap(rolls: Rolls, face: int) -> Penetration:
    if rolls.hit is None:
        return ()
    return tuple(modifier for trigger in rolls.fired("hit", rolls.hit, face) for modifier in trigger.ap)


def _check(
    roll: str, check: Check, then: Mapping[str, AttackDistribution] | Sequence[AttackDistribution]
) -> Die:
    """Return the die of a check: faces that lead to the same are one result."""
    outcomes, rerolled = check.outcomes(), check.rerolled()
    follows = [
        (then[outcome] if isinstance(then, dict) else then[face]).plain  # type: ignore[index]
        for face, outcome in enumerate(outcomes)
    ]
    alike: list[list[int]] = []
    for face in range(6):
        found = next((group for group in alike if follows[group[0]] == follows[face]), None)
        alike.append([face]) if found is None else found.append(face)
    words = _WORDS[roll]
    results = []
    for group in alike:
        kinds = list(dict.fromkeys(outcomes[face] for face in group))
        label = words["success"] if len(kinds) > 1 else words[kinds[0]]
        if sum(outcomes[other[0]] == kinds[0] for other in alike) > 1:
            label += f" ({', '.join(str(face + 1) for face in group)})"
        fresh = 6 * sum(face + 1 not in rerolled for face in group)
        settled = len(rerolled) * len(group)
        results.append(Result(label, fresh, settled, follows[group[0]], kinds == ["fail"]))
    return _lowest(results, [len(group) for group in alike])


def _lowest(results: Sequence[Result], weights: Sequence[int]) -> Die:
    """Return a die with the weights in lowest terms."""
    divisor = gcd(*(number for result in results for number in (result.fresh, result.settled)))
    lowest = tuple(
        result._replace(fresh=result.fresh // divisor, settled=result.settled // divisor)
        for result in results
    )
    return Die(lowest, (tuple(weights),))


def _save(unsaved: int, places: _Places) -> Die:
    nothing = GeneratingFunction.one(places.width)
    failed = GeneratingFunction.unit(places.wounds, places.width)
    shown = [("failed save", unsaved, failed, True), ("save", 36 - unsaved, nothing, False)]
    results = [Result(label, weight, 0, then, low) for label, weight, then, low in shown if weight]
    return _lowest(results, [result.fresh for result in results])


def _number(stages: Stages, places: _Places) -> Die:
    """Return the roll for the attacks of one weapon."""

    def hits(number: Expression) -> GeneratingFunction:
        rolled = IntegerDistribution.from_distribution(number.distribution(exact=True))
        counts = {
            (0, rolled.low + place, *(0,) * (places.width - 2)): weight
            for place, weight in enumerate(rolled.weights)
            if weight
        }
        return GeneratingFunction(counts, rolled.denominator)

    weapon = stages.weapon
    if isinstance(weapon.attacks, Constant):
        return Die((Result("", 1, 0, hits(stages.attacks.each), rerolls=()),), ())

    def of_value(value: int) -> GeneratingFunction:
        return hits(attacks_of_one(replace(weapon, attacks=faces({value: 1})), stages))

    return _values(weapon.attacks, frozenset(), of_value, stages.edition)


def _damage(stages: Stages, *, deferred: bool) -> Die:
    """Return the damage die of one attack against one kind of models."""
    damage, limits = stages.damage, stages.edition.characteristics["damage"]
    modifiers = damage.deferred_modifiers if deferred else damage.modifiers
    need = damage.deferred_feel_no_pain if deferred else damage.feel_no_pain

    def lost(value: int) -> GeneratingFunction:
        distribution = ignoring_wounds(
            damage_after_modifiers(IntegerDistribution(value, (1,), 1), modifiers, limits), need
        )
        return _as_count(distribution)

    printed = stages.weapon.damage
    again = reroll_faces(stages.situation.keywords.get("reroll_damage"), ())
    if isinstance(printed, Constant):
        return Die((Result(str(printed.value), 1, 0, lost(printed.value), rerolls=()),), ())
    return _values(printed, again, lost, stages.edition)


def _values(
    printed: Expression,
    rerolled: frozenset[int],
    follows: Callable[[int], GeneratingFunction],
    edition: Edition,
) -> Die:
    """Return dice that are read together as a number.

    Those whose sum before a printed bonus is among some values are re-rolled by another rule.
    """
    bonus = printed.right.value if isinstance(printed, Sum) and isinstance(printed.right, Constant) else 0
    rolled = integer_distribution(printed)
    mean, out_of = rolled.mean()
    dice = printed.left if isinstance(printed, Sum) and bonus else printed
    if edition.command_reroll_of_one_die and isinstance(dice, Repeated) and isinstance(dice.each, OneDie):
        return _several(dice.count, dice.each.sides, bonus, rerolled, follows)
    shown = [(rolled.low + place, weight) for place, weight in enumerate(rolled.weights) if weight]
    again = sum(weight for value, weight in shown if value - bonus in rerolled)
    results = [
        Result(
            str(value),
            0 if value - bonus in rerolled else weight * rolled.denominator,
            again * weight,
            follows(value),
            value * out_of < mean,
        )
        for value, weight in shown
    ]
    return _lowest(results, [weight for _, weight in shown])


def _several(
    count: int, sides: int, bonus: int, rerolled: frozenset[int], follows: Callable[[int], GeneratingFunction]
) -> Die:
    """Return several dice that are added together, of which one may be re-rolled.

    References
    ----------
    Warhammer 40,000 11th edition core rules, 15.02 Command Re-roll: of dice that were rolled together one is re-rolled.
    """
    rows = list(combinations_with_replacement(range(1, sides + 1), count))
    weights = [factorial(count) // prod(factorial(row.count(face)) for face in set(row)) for row in rows]
    again = sum(weight for row, weight in zip(rows, weights, strict=True) if sum(row) in rerolled)
    #: A way to re-roll is what the other dice show.
    others = list(combinations_with_replacement(range(1, sides + 1), count - 1))
    results = []
    for row, weight in zip(rows, weights, strict=True):
        faces_shown = sorted(set(row))
        rest = [tuple(sorted(_without(row, face))) for face in faces_shown]
        label = "+".join(map(str, row))
        results.append(
            Result(
                label,
                0 if sum(row) in rerolled else weight * sides**count,
                again * weight,
                follows(sum(row) + bonus),
                2 * sum(row) < count * (sides + 1),
                tuple(map(others.index, rest)),
                tuple(f"{face} of {label}" for face in faces_shown),
            )
        )
    ways = tuple(tuple(int(other in _rests(row)) for row in rows) for other in others)
    return Die(_lowest(results, weights).results, ways)


def _rests(row: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return what is left of some dice without each of them."""
    return {tuple(sorted(_without(row, face))) for face in row}


def _without(row: tuple[int, ...], face: int) -> list[int]:
    rest = list(row)
    rest.remove(face)
    return rest


def _one_wound(stages: Stages) -> Die:
    """Return a plain mortal wound: there is nothing to roll but what ignores it."""
    distribution = ignoring_wounds(IntegerDistribution(1, (1,), 1), stages.damage.deferred_feel_no_pain)
    return Die((Result("1", 1, 0, _as_count(distribution), rerolls=()),), ())


def _mortal_wounds(compiled: CompiledMortalWounds) -> VolleyDice:
    """Return wounds that no attack inflicts: their number is no roll that a Command Re-roll may be spent on."""
    distribution = IntegerDistribution.from_distribution(compiled.entry.number.distribution(exact=True))
    number = GeneratingFunction(
        {
            (0, distribution.low + place): weight
            for place, weight in enumerate(distribution.weights)
            if weight
        },
        distribution.denominator,
    )
    die = Die((Result("", 1, 0, number, rerolls=()),), ())
    (wound,) = compiled.volley.wounds
    damage = tuple(
        Die((Result("1", 1, 0, _as_count(effect.damage), rerolls=()),), ()) for effect in wound.effects
    )
    names = "numbers", "mortal wounds"
    return VolleyDice((1, 0), (Stage("", {0: die}),), 1, (damage,), names)


def _as_count(distribution: IntegerDistribution) -> GeneratingFunction:
    weights: dict[Any, int] = {
        (distribution.low + place,): weight for place, weight in enumerate(distribution.weights) if weight
    }
    return GeneratingFunction(weights, distribution.denominator)
