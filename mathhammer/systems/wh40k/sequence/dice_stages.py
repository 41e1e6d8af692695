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
from mathhammer.systems.wh40k.sequence.stages import DIRECTED, Counting, attacks_of_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.sequence.group import Wound
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.sequence.stages import Penetration, Stages
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


class _Places:
    """Places in which each kind of dice and wounds is counted: weapons with rolled attacks, hit dice, the others."""

    def __init__(
        self,
        compiled: CompiledVolley,
        automatic: Sequence[Penetration],
        wound_dice: Sequence[tuple[int, Penetration]],
        saves: Saving,
    ) -> None:
        self._counts, wounds = compiled.counts, compiled.volley.wounds
        saved = len(self._counts.penetrations)
        self.first_die = 2 + len(automatic)
        self.first_save = self.first_die + len(wound_dice)
        #: One face of the saves after another, there is a place for the dice of the others.
        self.first_rest = self.first_save + (saved if saves != "each" else 0)
        #: Of each pool the faces of its saves that differ.
        faces = [
            dice_classes(wound, range(len(wound.effects)), 0, 6) if saves in IN_POOLS else []
            for wound in wounds[:saved]
        ]
        self.first_wound = self.first_rest + (max(map(len, faces)) - 1 if saves == "in order" else 0)
        #: Every kind of wounds, its name, and of deferred wounds what they are.
        self.kinds: list[tuple[Wound, str, str]] = []
        self.pools: list[tuple[int, list[tuple[int, int, int]], list[int]]] = []
        self._deferred: dict[str, int] = {}
        if saves == "all":
            self.kinds = [(wounds[0].failed(), "failed saves", "")]
        elif saves == "each":
            self.kinds = [(wound, "wounds", "") for wound in wounds[:saved]]
        self.immediate = range(self.first_wound, self.first_wound + len(self.kinds))
        if saves not in IN_POOLS:
            self._defer(range(saved, len(wounds)), wounds)
        for number in sorted(range(saved) if saves in IN_POOLS else (), key=lambda place: wounds[place].pool):
            shares: list[tuple[int, int, int]] = []
            for face, weight in faces[number]:
                shown = wounds[number].showing(face)
                acts = any(effect.unsaved for effect in shown.effects)
                shares.append((face, weight, self.first_wound + len(self.kinds) if acts else -1))
                self.kinds += [(shown, "failed saves", "")] * acts
            mine = (at for at in range(saved, len(wounds)) if wounds[at].pool == wounds[number].pool)
            later = self._defer(sorted(mine, key=lambda place: (wounds[place].rank or 0, place)), wounds)
            self.pools.append((number, shares, later))
        self.deferred = tuple(self._deferred.values())
        self.width = self.first_wound + len(self.kinds)
        self.names = (
            *("weapons", "attacks"),
            *["critical hits"] * len(automatic),
            *["hits"] * len(wound_dice),
            *["wounds"] * (self.first_wound - self.first_save),
            *(name for _, name, _ in self.kinds),
        )

    def _defer(self, later: Iterable[int], wounds: Sequence[Wound]) -> list[int]:
        """Give places to wounds that are deferred."""
        found = []
        for place in later:
            kind = self._counts.deferred[place - len(self._counts.penetrations)]
            self._deferred[kind] = self.first_wound + len(self.kinds)
            found.append(self._deferred[kind])
            self.kinds.append((wounds[place], f"{kind} wounds", kind))
        return found

    def wound(self, penetration: Penetration, unsaveable: bool) -> AttackDistribution:  # noqa: FBT001
        """Return what a wound counts, by the modifiers of its Armour Penetration and whether it allows no save."""
        if not unsaveable:
            return self.one(self.first_save + self._counts.penetrations.index(penetration))
        directed = "directed devastating" in self._deferred and DIRECTED in penetration
        return self.one(self._deferred["directed devastating" if directed else "devastating"])

    def mortal_wound(self) -> AttackDistribution:
        """Return what a mortal wound counts, if there can be any."""
        return self.one(self._deferred.get("mortal", self.width - 1))

    def one(self, place: int) -> AttackDistribution:
        """Return a count of one."""
        return AttackDistribution.of(GeneratingFunction.unit(place, self.width))


def volley_dice(compiled: CompiledVolley | CompiledMortalWounds, *, saves: Saving, only: bool) -> VolleyDice:
    """Return the dice of a volley."""
    if isinstance(compiled, CompiledMortalWounds):
        # Their number is no roll that a Command Re-roll may be spent on.
        number = certain("", GeneratingFunction.of_number(integer_distribution(compiled.entry.number), 1, 2))
        (wound,) = compiled.volley.wounds
        harm = tuple(certain("1", GeneratingFunction.of_number(effect.damage)) for effect in wound.effects)
        taken = Stage("", {0: number}), Wounds((), (1,))
        return VolleyDice((1, 0), taken, (wound,), 1, (harm,), ("numbers", "mortal wounds"))
    stages = compiled.stages[0]
    rolls = stages.rolls._replace(reroll_hit=None, reroll_wound=None, directs=compiled.counts.rolls.directs)
    _require_looks(compiled, saves)
    rerolls = _rerolls(stages.situation, only=only)
    if saves == "in order" and rerolls:
        saves = "pool"
    hits = range(1, 7) if rolls.hit is not None else ()
    on_hit = tuple(
        dict.fromkeys(((), *(rolls.better(rolls.fired("hit", rolls.hit, face)) for face in hits)))  # type: ignore[arg-type] # there is one
    )
    dice = tuple((place, ap) for place in range(len(rolls.wounds)) for ap in on_hit)
    places = _Places(compiled, on_hit if stages.chooses_lethal else (), dice, saves)
    nothing = AttackDistribution.of(GeneratingFunction.one(places.width))
    counting = Counting(
        rolls,
        nothing,
        places.wound,
        places.mortal_wound(),
        die=lambda strength, ap: places.one(places.first_die + dice.index((strength, ap))),
        choice=(lambda ap: places.one(2 + on_hit.index(ap))) if stages.chooses_lethal else None,
    )
    if rolls.hit is None:
        hit = certain("hit", counting.hit_follows((), automatic=False).plain)
    else:
        hit = _check("hit", rolls.hit, counting.hit_results(rolls.hit))
        if stages.to_hit.no_rerolls:
            hit = hit._replace(results=tuple(result._replace(rerolls=()) for result in hit.results))
    steps: list[Stage | ResultChoice | PoolStep | Wounds] = [Stage("hit", {1: hit})]
    if stages.chooses_lethal:
        chosen = counting._replace(choice=None)
        ways = {
            2 + place: tuple(chosen.hit_follows(ap, automatic=each).plain for each in (True, False))
            for place, ap in enumerate(on_hit)
        }
        steps.append(ResultChoice("lethal", "critical hit", ways))  # type: ignore[arg-type] # two of each
    wounds = {}
    for place, (strength, ap) in enumerate(dice, places.first_die):
        check = rolls.wounds[strength][1]
        wounds[place] = _check("wound", check, counting.wound_results(check, ap))
    steps.append(Stage("wound", wounds))
    start = [0] * places.width
    total = stages.attacks.total
    if isinstance(total, Constant):
        start[1] = total.value
    else:
        start[0] = stages.number
        steps.insert(0, Stage("attacks", {0: _number(stages, places.width)}))
    steps += _from_saves(compiled, places, saves)
    damage = tuple(
        tuple(
            certain("1", GeneratingFunction.of_number(mortal_wound(each.damage.deferred_feel_no_pain)))
            if kind == "mortal"
            else _damage_die(each, deferred=bool(kind))
            for each in compiled.stages
        )
        for _, _, kind in places.kinds
    )
    kinds = tuple(wound for wound, _, _ in places.kinds)
    declines = stages.situation.precision == "best"
    return VolleyDice(
        tuple(start), tuple(steps), kinds, places.first_wound, damage, places.names, rerolls, declines
    )


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


def _from_saves(compiled: CompiledVolley, places: _Places, saves: Saving) -> list[Stage | PoolStep | Wounds]:
    """Return the steps from the saves on."""
    if saves in IN_POOLS:
        steps: list[Stage | PoolStep | Wounds] = []
        for number, faces, later in places.pools:
            place, wound = places.first_save + number, compiled.volley.wounds[number]
            only_saved, edition = compiled.volley.directs_saved, compiled.stages[0].edition
            steps.append(
                PoolStep((place, *later), place, wound.directed, only_saved, edition.precision_before_order)
            )
            left = list(faces)
            for rest in range(places.first_rest, places.first_wound):
                acting = [each for each in left if each[2] >= 0]
                if len(acting) < 2:
                    break
                first, others = acting[0], [each for each in left if each != acting[0]]
                shown = [first, (first[0] + 1, sum(weight for _, weight, _ in others), rest)]
                steps += [Stage("save", {place: _save_dice(shown, places)}), Wounds((first[2],))]
                place, left = rest, others
            failed = (each for _, _, each in left if each >= 0)
            steps += [Stage("save", {place: _save_dice(left, places)}), Wounds((*failed, *later))]
        return steps
    last = Wounds(tuple(places.immediate), places.deferred)
    if saves == "each":
        return [last]
    nothing = GeneratingFunction.one(places.width)
    lost = GeneratingFunction.unit(places.first_wound, places.width)
    dice = {}
    for place, wound in enumerate(compiled.volley.wounds[: len(compiled.counts.penetrations)]):
        fails = wound.effects[0].unsaved
        both = Result("failed save", fails, 0, lost, low=True), Result("save", 36 - fails, 0, nothing)
        results = [result for result in both if result.fresh]
        dice[places.first_save + place] = _in_lowest_terms(results, [result.fresh for result in results])
    return [Stage("save", dice), last]


def _save_dice(faces: Sequence[tuple[int, int, int]], places: _Places) -> TableDie:
    """Return a save die of a pool: faces that do the same to every kind of models are one result."""
    results, numbers = [], []
    for (face, weight, place), (after, *_) in zip(faces, [*faces[1:], (7, 0, 0)], strict=True):
        nothing = GeneratingFunction.one(places.width)
        leads_to = nothing if place < 0 else GeneratingFunction.unit(place, places.width)
        label = str(face) if after == face + 1 else f"{face} to {after - 1}"
        results.append(Result(label, weight, 0, leads_to, place >= 0))
        numbers.append(after - face)
    return _in_lowest_terms(results, numbers)


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


def _check(
    roll: str, check: Check, then: Mapping[str, AttackDistribution] | Sequence[AttackDistribution]
) -> TableDie:
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
