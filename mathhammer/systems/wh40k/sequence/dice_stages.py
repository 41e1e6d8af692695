"""The dice of a volley in the stages in which they are rolled, for players who look before they re-roll one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import faces
from mathhammer.expressions.base import Constant
from mathhammer.sequence.attack_distribution import AttackDistribution
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
from mathhammer.systems.wh40k.sequence.attack_counts import (
    Counting,
    hit_follows,
    hit_results,
    is_directed,
    wound_results,
)
from mathhammer.systems.wh40k.sequence.attack_number import attacks_of_one
from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds, CompiledVolley
from mathhammer.systems.wh40k.sequence.value_dice import (
    certain,
    damage_die,
    in_lowest_terms,
    one_wound,
    value_die,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.volley import SequenceVolley
    from mathhammer.systems.wh40k.sequence.attack_counts import Penetration, Rolls
    from mathhammer.systems.wh40k.sequence.stages import Stages
    from mathhammer.systems.wh40k.situation import Situation

#: Whether all saves of a volley are rolled together, those of each pool, at once or one face after another where nobody
#: decides anything between them, or each when its wound is allocated.
Saving = Literal["all", "pool", "in order", "each"]
IN_POOLS = {"pool", "in order"}

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
        self._counts, self.wound_dice, self.automatic = compiled.counts, wound_dice, automatic
        self.first_die = 2 + len(automatic)
        self.first_save = self.first_die + len(wound_dice)
        saved = len(compiled.counts.penetrations)
        volley = compiled.volley
        #: Of each pool the faces of its saves that differ; one face after another, a place for the dice of the others.
        self._faces = [
            dice_classes(wound, range(len(wound.effects)), 0, 6) if saves in IN_POOLS else []
            for wound in volley.wounds[:saved]
        ]
        self.first_rest = self.first_save + (saved if saves != "each" else 0)
        self.first_wound = self.first_rest + (max(map(len, self._faces)) - 1 if saves == "in order" else 0)
        if saves == "all":
            #: Every kind of wounds, what is rolled for its damage, and its name; of pools their own lists of places.
            self.kinds = [(volley.wounds[0].failed(), "failed saves", "")]
        elif saves == "each":
            self.kinds = [(wound, "wounds", "") for wound in volley.wounds[:saved]]
        else:
            self.kinds = []
        self.pools: list[tuple[int, list[tuple[int, int, int]], list[int]]] = []
        self._deferred: dict[str, int] = {}
        if saves in IN_POOLS:
            self._in_pools(volley)
        else:
            for number, kind in enumerate(self._counts.deferred):
                self._defer(volley.wounds[saved + number], kind)
        self.immediate = range(self.first_wound, self.first_wound + (1 if saves == "all" else saved))
        self.deferred = tuple(self._deferred.values())
        self.width = self.first_wound + len(self.kinds)

    def _in_pools(self, volley: SequenceVolley) -> None:
        saved = len(self._counts.penetrations)
        for pool in sorted({wound.pool for wound in volley.wounds}):
            (number,) = [place for place in range(saved) if volley.wounds[place].pool == pool]
            wound, faces = volley.wounds[number], []
            for face, weight in self._faces[number]:
                shown = wound.showing(face)
                acts = any(effect.unsaved for effect in shown.effects)
                faces.append((face, weight, self._place if acts else -1))
                if acts:
                    self.kinds.append((shown, "failed saves", ""))
            mine = [place for place in range(saved, len(volley.wounds)) if volley.wounds[place].pool == pool]
            mine.sort(key=lambda place: (volley.wounds[place].rank or 0, place))
            later = [
                self._defer(volley.wounds[place], self._counts.deferred[place - saved]) for place in mine
            ]
            self.pools.append((number, faces, later))

    @property
    def _place(self) -> int:
        return self.first_wound + len(self.kinds)

    def _defer(self, wound: Wound, kind: str) -> int:
        place = self._deferred[kind] = self._place
        self.kinds.append((wound, f"{kind} wounds", kind))
        return place

    def wound(self, penetration: Penetration, unsaveable: bool) -> AttackDistribution:  # noqa: FBT001
        """Return what a wound counts, by the modifiers of its Armour Penetration and whether it allows no save."""
        if not unsaveable:
            return self.one(self.first_save + self._counts.penetrations.index(penetration))
        directed = "directed devastating" in self._deferred and is_directed(penetration)
        return self.one(self._deferred["directed devastating" if directed else "devastating"])

    def mortal_wound(self) -> AttackDistribution:
        """Return what a mortal wound counts, if there can be any."""
        return self.one(self._deferred.get("mortal", self.width - 1))

    @property
    def names(self) -> tuple[str, ...]:
        return (
            "weapons",
            "attacks",
            *["critical hits"] * len(self.automatic),
            *["hits"] * len(self.wound_dice),
            *["wounds"] * (self.first_wound - self.first_save),
            *(name for _, name, _ in self.kinds),
        )

    def one(self, place: int) -> AttackDistribution:
        return AttackDistribution.of(GeneratingFunction.unit(place, self.width))


def volley_dice(compiled: CompiledVolley | CompiledMortalWounds, *, saves: Saving, only: bool) -> VolleyDice:
    """Return the dice of a volley."""
    if isinstance(compiled, CompiledMortalWounds):
        return _mortal_wounds(compiled)
    stages = compiled.stages[0]
    rolls = stages.rolls._replace(reroll_hit=None, reroll_wound=None, directs=compiled.counts.directs)
    _require_looks(compiled, saves)
    rerolls = _rerolls(stages.situation, only=only)
    if saves == "in order" and rerolls:
        saves = "pool"
    on_hit = tuple(dict.fromkeys(((), *(_ap(rolls, face) for face in range(1, 7)))))
    dice = tuple((place, ap) for place in range(len(rolls.wounds)) for ap in on_hit)
    places = _Places(compiled, on_hit if stages.chooses_lethal else (), dice, saves)
    nothing = AttackDistribution.of(GeneratingFunction.one(places.width))
    counting = Counting(
        nothing,
        None,
        nothing,
        places.wound,
        places.mortal_wound(),
        lambda strength, ap: places.one(places.first_die + dice.index((strength, ap))),
        (lambda ap: places.one(2 + on_hit.index(ap))) if stages.chooses_lethal else None,
    )
    steps: list[Stage | ResultChoice | PoolStep | Wounds] = [Stage("hit", {1: _hit(stages, rolls, counting)})]
    if stages.chooses_lethal:
        taken = replace(counting, choice=None)
        ways = {
            2 + place: tuple(hit_follows(rolls, taken, ap, automatic=each).plain for each in (True, False))
            for place, ap in enumerate(on_hit)
        }
        steps.append(ResultChoice("lethal", "critical hit", ways))  # type: ignore[arg-type] # two of each
    wounds = {
        places.first_die + place: _check(
            "wound", rolls.wounds[strength][1], wound_results(rolls, rolls.wounds[strength][1], counting, ap)
        )
        for place, (strength, ap) in enumerate(dice)
    }
    steps.append(Stage("wound", wounds))
    start = [0] * places.width
    total = stages.attacks.total
    if isinstance(total, Constant):
        start[1] = total.value
    else:
        start[0] = stages.number
        steps.insert(0, Stage("attacks", {0: _number(stages, places)}))
    steps += _from_saves(compiled, places, saves)
    return VolleyDice(
        tuple(start),
        tuple(steps),
        tuple(wound for wound, _, _ in places.kinds),
        places.first_wound,
        tuple(
            tuple(
                one_wound(each) if kind == "mortal" else damage_die(each, deferred=bool(kind))
                for each in compiled.stages
            )
            for _, _, kind in places.kinds
        ),
        places.names,
        rerolls,
        stages.situation.precision == "best",
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


def _hit(stages: Stages, rolls: Rolls, counting: Counting) -> TableDie:
    if rolls.hit is None:
        return certain("hit", hit_follows(rolls, counting, (), automatic=False).plain)
    hit = _check("hit", rolls.hit, hit_results(rolls, rolls.hit, counting, further=True))
    if stages.to_hit.no_rerolls:
        return TableDie(tuple(result._replace(rerolls=()) for result in hit.results), hit.rerolls)
    return hit


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
    dice = {
        places.first_save + place: _save(compiled.volley.wounds[place].effects[0].unsaved, places)
        for place in range(len(compiled.counts.penetrations))
    }
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
    return in_lowest_terms(results, numbers)


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


def _ap(rolls: Rolls, face: int) -> Penetration:
    if rolls.hit is None:
        return ()
    return rolls.better(rolls.fired("hit", rolls.hit, face))


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
    return in_lowest_terms(results, [len(group) for group in alike])


def _save(unsaved: int, places: _Places) -> TableDie:
    nothing = GeneratingFunction.one(places.width)
    failed = GeneratingFunction.unit(places.first_wound, places.width)
    shown = [("failed save", unsaved, failed, True), ("save", 36 - unsaved, nothing, False)]
    results = [Result(label, weight, 0, then, low) for label, weight, then, low in shown if weight]
    return in_lowest_terms(results, [result.fresh for result in results])


def _number(stages: Stages, places: _Places) -> TableDie:
    """Return the roll for the attacks of one weapon."""

    def hits(number: Expression) -> GeneratingFunction:
        rolled = IntegerDistribution.from_distribution(number.distribution(exact=True))
        return GeneratingFunction.of_number(rolled, 1, places.width)

    weapon = stages.weapon
    if isinstance(weapon.attacks, Constant):
        return certain("", hits(stages.attacks.each))

    def of_value(value: int) -> GeneratingFunction:
        return hits(attacks_of_one(replace(weapon, attacks=faces({value: 1})), stages))

    return value_die(weapon.attacks, frozenset(), of_value, stages.edition)


def _mortal_wounds(compiled: CompiledMortalWounds) -> VolleyDice:
    """Return wounds that no attack inflicts: their number is no roll that a Command Re-roll may be spent on."""
    distribution = IntegerDistribution.from_distribution(compiled.entry.number.distribution(exact=True))
    die = certain("", GeneratingFunction.of_number(distribution, 1, 2))
    (wound,) = compiled.volley.wounds
    steps = Stage("", {0: die}), Wounds((), (1,))
    damage = tuple(certain("1", GeneratingFunction.of_number(effect.damage)) for effect in wound.effects)
    names = "numbers", "mortal wounds"
    return VolleyDice((1, 0), steps, (wound,), 1, (damage,), names)
