"""The dice of a volley in the stages in which they are rolled, for players who look before they re-roll one."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial, gcd, prod
from typing import TYPE_CHECKING, Literal

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions import faces
from mathhammer.expressions.base import Constant
from mathhammer.expressions.check import reroll_faces
from mathhammer.expressions.die import Die, Repeated
from mathhammer.expressions.operations import Sum
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.group import ignoring_wounds
from mathhammer.sequence.grouped_unit import dice_classes
from mathhammer.sequence.rolled_dice import (
    PoolStep,
    Reroll,
    Result,
    ResultChoice,
    Stage,
    TableDie,
    VolleyDice,
    Wounds,
)
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds, CompiledVolley
from mathhammer.systems.wh40k.sequence.damage import (
    damage_after_modifiers,
    integer_distribution,
    mortal_wound,
)
from mathhammer.systems.wh40k.sequence.stages import Counting, attacks_of_one, counts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.rolled_dice import VolleyStep
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.sequence.stages import Stages
    from mathhammer.systems.wh40k.situation import Situation

#: Whether all saves of a volley are rolled together, those of each pool, at once or one face after another where nobody
#: decides anything between them, or each when its wound is allocated.
Saving = Literal["all", "pool", "in order", "each"]
IN_POOLS = {"pool", "in order"}
#: Most results of dice that are added together, times those of the others where one is re-rolled: a second.
MAXIMUM_WAYS = 1_100_000

#: The rolls of an attack that the attacker's Command Re-roll may be spent on: not those that ignore wounds.
COMMAND_REROLL = frozenset({"attacks", "hit", "wound", "damage"})

_WORDS = {
    "hit": {"fail": "miss", "success": "hit", "critical": "critical hit"},
    "wound": {"fail": "failed wound", "success": "wound", "critical": "critical wound"},
}


def volley_dice(compiled: CompiledVolley | CompiledMortalWounds, *, saves: Saving, only: bool) -> VolleyDice:
    """Return the dice of a volley."""
    if isinstance(compiled, CompiledMortalWounds):
        # Their number is no roll that a Command Re-roll may be spent on.
        number = certain("", GeneratingFunction.of_number(integer_distribution(compiled.entry.number), 1, 2))
        (wound,) = compiled.volley.wounds
        harm = tuple(certain("1", GeneratingFunction.of_number(effect.damage)) for effect in wound.effects)
        taken = Stage("", {0: number}), Wounds((), (1,))
        return VolleyDice((1, 0), taken, (wound,), 1, (harm,), ("numbers", "mortal wounds"))
    stages, counts = compiled.stages[0], compiled.counts
    rolls = stages.rolls._replace(reroll_hit=None, reroll_wound=None, directs=counts.rolls.directs)
    _require_looks(compiled, saves)
    rerolls = _rerolls(stages.situation, only=only)
    if saves == "in order" and rerolls:
        saves = "pool"
    kinds = _kinds(compiled, saves)
    # Every kind of dice and wounds has a place among the counts.
    names: dict[Hashable, str] = {"weapons": "weapons", "attacks": "attacks"}
    names |= {("critical", ap): "critical hits" for ap in rolls.on_hit if stages.chooses_lethal}
    names |= {("die", place, ap): "hits" for place in range(len(rolls.wounds)) for ap in rolls.on_hit}
    names |= {("save", ap): "wounds" for ap in counts.penetrations if saves != "each"}
    if saves == "in order":
        most = max(len(_faces(wound)) for wound in compiled.volley.wounds[: len(counts.penetrations)])
        names |= {("rest", number): "wounds" for number in range(1, most)}
    first, failed = len(names), "wounds" if saves == "each" else "failed saves"
    names |= {kind: f"{kind} wounds" if isinstance(kind, str) else failed for kind in kinds}
    places = {name: place for place, name in enumerate(names)}
    nothing = AttackDistribution.of(GeneratingFunction.one(len(names)))
    counting = Counting(rolls, nothing, counts_of([*names]))
    if rolls.hit is None:
        hit = certain("hit", counting.hit_follows((), automatic=False).plain)
    else:
        hit = _check("hit", rolls.hit, counting.hit_results(rolls.hit))
        if stages.to_hit.no_rerolls:
            hit = hit._replace(results=tuple(result._replace(rerolls=()) for result in hit.results))
    steps: list[VolleyStep] = [Stage("hit", {1: hit})]
    if stages.chooses_lethal:
        ways = {
            places["critical", ap]: (
                counting.hit_follows(ap, automatic=True).plain,
                counting.hit_follows(ap, automatic=False).plain,
            )
            for ap in rolls.on_hit
        }
        steps.append(ResultChoice("lethal", "critical hit", ways))
    wounds = {
        places["die", place, ap]: _check("wound", check, counting.wound_results(check, ap))
        for place, (_, check) in enumerate(rolls.wounds)
        for ap in rolls.on_hit
    }
    steps.append(Stage("wound", wounds))
    start = [0] * len(names)
    total = stages.attacks.total
    if isinstance(total, Constant):
        start[1] = total.value
    else:
        start[0] = stages.number
        steps.insert(0, Stage("attacks", {0: _number(stages, len(names))}))
    steps += _from_saves(compiled, saves, kinds, places)
    damage = tuple(
        tuple(
            certain("1", GeneratingFunction.of_number(mortal_wound(each.damage.deferred_feel_no_pain)))
            if kind == "mortal"
            else _damage_die(each, deferred=isinstance(kind, str))
            for each in compiled.stages
        )
        for kind in kinds
    )
    about = tuple(kinds.values()), first, damage, tuple(names.values()), rerolls
    return VolleyDice(tuple(start), tuple(steps), *about, stages.situation.precision == "best")


def _faces(wound: Wound) -> list[tuple[int, int]]:
    """Return the faces of a save that do not do the same to all models."""
    return dice_classes(wound, range(len(wound.effects)), 0, 6)


def _kinds(compiled: CompiledVolley, saves: Saving) -> dict[Hashable, Wound]:
    """Return every kind of wounds in the order of their places; those that are deferred have a text as name."""
    counts, wounds = compiled.counts, compiled.volley.wounds
    deferred: dict[Hashable, Wound] = dict(
        zip(counts.deferred, wounds[len(counts.penetrations) :], strict=True)
    )
    saved = dict(zip(counts.penetrations, wounds, strict=False))
    if saves == "all":
        return {("failed",): wounds[0].failed(), **deferred}
    if saves == "each":
        return {**{("save", ap): wound for ap, wound in saved.items()}, **deferred}
    kinds: dict[Hashable, Wound] = {}
    for ap, wound in sorted(saved.items(), key=lambda each: each[1].pool):
        shown = {("failed", ap, face): wound.showing(face) for face, _ in _faces(wound)}
        kinds |= {
            name: each for name, each in shown.items() if any(effect.unsaved for effect in each.effects)
        }
        later = [each for each in deferred.items() if each[1].pool == wound.pool]
        kinds |= sorted(later, key=lambda each: each[1].rank or 0)
    return kinds


def _require_looks(compiled: CompiledVolley, saves: Saving) -> None:
    """Refuse what cannot be looked at roll by roll."""
    if any(trigger.extra_attacks is not None for trigger in compiled.stages[0].rolls.triggers):
        raise MathhammerError(
            "expected no Trigger that makes additional attacks where players look at their dice, since these would "
            "be rolled later; leave out reroll, or give reroll_hits='one'"
        )
    if len(compiled.counts.penetrations) > 1 and saves == "each":
        raise MathhammerError(
            "expected wounds of one Armour Penetration where players look at their dice against models with "
            "different saves, got a Trigger that improves it; leave out reroll"
        )
    if saves in IN_POOLS and any(
        len({effect.dice.faces for effect in wound.effects if effect.dice is not None}) > 1
        for wound in compiled.volley.wounds
    ):
        raise MathhammerError(
            "expected one re-roll of saves for all models where players look at their dice, got kinds of models that "
            "re-roll different ones; leave out reroll, or give reroll_saves to the whole attack"
        )


def _from_saves(
    compiled: CompiledVolley, saves: Saving, kinds: Mapping[Hashable, Wound], places: Mapping[Hashable, int]
) -> Iterator[VolleyStep]:
    """Yield the steps from the saves on."""
    volley, edition = compiled.volley, compiled.stages[0].edition
    saved = list(zip(compiled.counts.penetrations, volley.wounds, strict=False))
    later = {kind: places[kind] for kind in kinds if isinstance(kind, str)}
    if saves == "all":
        dice = {}
        for ap, wound in saved:
            fails = wound.effects[0].unsaved
            both = ("failed save", fails, fails, places["failed",]), ("save", 36 - fails, 36 - fails, 0)
            dice[places["save", ap]] = _save_die([each for each in both if each[1]], len(places))
        yield Stage("save", dice)
    if saves not in IN_POOLS:
        yield Wounds(tuple(places[kind] for kind in kinds if kind not in later), tuple(later.values()))
        return
    for ap, wound in sorted(saved, key=lambda each: each[1].pool):
        place, mine = places["save", ap], [at for kind, at in later.items() if kinds[kind].pool == wound.pool]
        first_named = edition.precision_before_order
        yield PoolStep((place, *mine), place, wound.directed, volley.directs_saved, first_named)
        found = _faces(wound)
        ends = [*(face for face, _ in found[1:]), 7]
        left: list[tuple[str, int, int, int]] = []
        for (face, weight), end in zip(found, ends, strict=True):
            label = str(face) if end == face + 1 else f"{face} to {end - 1}"
            left.append((label, weight, end - face, places.get(("failed", ap, face), 0)))
        # One face after another: the other dice wait in a place of their own.
        rest = places.get(("rest", 1), 0)
        while rest and sum(each[3] > 0 for each in left) > 1:
            first = next(each for each in left if each[3])
            left.remove(first)
            weight, faces = (sum(numbers) for numbers in list(zip(*left, strict=True))[1:3])
            yield Stage("save", {place: _save_die([first, ("rest", weight, faces, rest)], len(places))})
            yield Wounds((first[3],))
            place, rest = rest, rest + 1
        yield Stage("save", {place: _save_die(left, len(places))})
        yield Wounds((*(each[3] for each in left if each[3]), *mine))


def _save_die(shown: Sequence[tuple[str, int, int, int]], width: int) -> TableDie:
    """Return a save die of what it shows: a label, weights of a throw and of a re-roll, and where a failure counts."""
    results = []
    for label, weight, _, place in shown:
        leads_to = GeneratingFunction.unit(place, width) if place else GeneratingFunction.one(width)
        results.append(Result(label, weight, 0, leads_to, low=place > 0))
    return _in_lowest_terms(results, [again for _, _, again, _ in shown])


def _rerolls(at: Situation, *, only: bool) -> tuple[Reroll, ...]:
    """Return the re-rolls of a volley: a Command Re-roll, and the single ones of other rules."""
    found = [Reroll("reroll", COMMAND_REROLL, only or "reroll" in at.shared)] if at.reroll else []
    limited = at.limited_rerolls
    found += [
        Reroll(each.replace(" or ", "/") + "'" * limited[:place].count(each), frozenset(each.split(" or ")))
        for place, each in enumerate(limited)
    ]
    shared = {name for name in at.one_reroll if only or name not in at.own_rerolls}
    found += [
        Reroll(name, frozenset(rulebook().conditions[name].rolls), name in shared) for name in at.one_reroll
    ]
    return tuple(found)


def _check(roll: str, check: Check, then: Sequence[AttackDistribution]) -> TableDie:
    """Return the die of a check: faces that lead to the same are one result."""
    outcomes, rerolled = check.outcomes(), check.rerolled()
    follows = [each.plain for each in then]
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
    return _in_lowest_terms(results, [len(group) for group in alike])


def _number(stages: Stages, width: int) -> TableDie:
    """Return the roll for the attacks of one weapon."""

    def of_value(value: int) -> GeneratingFunction:
        return GeneratingFunction.of_number(attacks_of_one(stages, faces({value: 1})), 1, width)

    if isinstance(stages.weapon.attacks, Constant):
        each = integer_distribution(stages.attacks.each)
        return certain("", GeneratingFunction.of_number(each, 1, width))
    return _value_die(stages.weapon.attacks, frozenset(), of_value, stages.edition)


def certain(label: str, follows: GeneratingFunction) -> TableDie:
    """Return what there is nothing to roll for."""
    return TableDie((Result(label, 1, 0, follows, rerolls=()),), ())


def _damage_die(stages: Stages, *, deferred: bool) -> TableDie:
    """Return the damage die of one attack against one kind of models."""
    damage, limits = stages.damage, stages.edition.characteristics["damage"]
    modifiers = damage.deferred_modifiers if deferred else damage.modifiers
    need = damage.deferred_feel_no_pain if deferred else damage.feel_no_pain

    def lost(value: int) -> GeneratingFunction:
        inflicted = damage_after_modifiers(IntegerDistribution(value, (1,), 1), modifiers, limits)
        return GeneratingFunction.of_number(ignoring_wounds(inflicted, need))

    printed = stages.weapon.damage
    if isinstance(printed, Constant):
        return certain(str(printed.value), lost(printed.value))
    if damage.ones_by_face and (rolled := integer_distribution(printed)).weights == (1, 1, 1):
        # Of the D6 a 1 is re-rolled, of the two faces that make a 1 each.
        values = enumerate(range(rolled.low, rolled.low + 3))
        return TableDie(
            tuple(
                Result(str(value), 12 if place else 6, 2, lost(value), not place) for place, value in values
            ),
            ((1, 1, 1),),
        )
    again = reroll_faces(stages.situation.keywords.get("reroll_damage"), ())
    return _value_die(printed, again, lost, stages.edition)


def _value_die(
    printed: Expression,
    rerolled: frozenset[int],
    follows: Callable[[int], GeneratingFunction],
    edition: Edition,
) -> TableDie:
    """Return dice that are read together as a number, which is re-rolled as a whole or in one of the dice.

    Warhammer 40,000 11th edition core rules, 15.02 Command Re-roll: of dice that were rolled together one is re-rolled.
    """
    bonus = printed.right.value if isinstance(printed, Sum) and isinstance(printed.right, Constant) else 0
    dice = printed.left if isinstance(printed, Sum) and bonus else printed
    rolled = integer_distribution(printed)
    mean, out_of = rolled.mean()
    rows: dict[tuple[int, ...], int]
    if edition.command_reroll_of_one_die and isinstance(dice, Repeated) and isinstance(dice.each, Die):
        count, sides = dice.count, dice.each.sides
        size = comb(count + sides - 1, count) * comb(count + sides - 2, count - 1)
        if size > MAXIMUM_WAYS:
            raise TooLargeError(
                f"expected at most {MAXIMUM_WAYS:,} ways to re-roll one of several dice that are added together, but "
                f"{count}D{sides} have {size:,}; use fewer dice, or leave out the re-roll"
            )
        rows = {
            row: factorial(count) // prod(factorial(row.count(face)) for face in set(row))
            for row in combinations_with_replacement(range(1, sides + 1), count)
        }
        # A way to re-roll is what the other dice show.
        others = list(combinations_with_replacement(range(1, sides + 1), count - 1))
    else:
        rows, others = {(value - bonus,): weight for value, weight in rolled.items()}, [()]
    total, places = sum(rows.values()), {other: place for place, other in enumerate(others)}
    again = sum(weight for row, weight in rows.items() if sum(row) in rerolled)
    results, ways = [], [[0] * len(rows) for _ in others]
    for number, (row, weight) in enumerate(rows.items()):
        value, several = sum(row) + bonus, len(row) > 1
        label = "+".join(map(str, row)) if several else str(value)
        #: The other dice by the face that is re-rolled.
        rest = {face: places[*row[:place], *row[place + 1 :]] for place, face in enumerate(row)}
        for other in rest.values():
            ways[other][number] = 1 if several else weight
        results.append(
            Result(
                label,
                0 if sum(row) in rerolled else weight * total,
                again * weight,
                follows(value),
                value * out_of < mean,
                tuple(rest.values()),
                tuple(f"{face} of {label}" for face in rest) if several else (),
            )
        )
    return _in_lowest_terms(results, *ways)


def _in_lowest_terms(results: Sequence[Result], *ways: Sequence[int]) -> TableDie:
    """Return a die with the weights in lowest terms."""
    divisor = gcd(*(number for result in results for number in (result.fresh, result.settled)))
    lowest = tuple(
        result._replace(fresh=result.fresh // divisor, settled=result.settled // divisor)
        for result in results
    )
    return TableDie(lowest, tuple(map(tuple, ways)))
