"""From profiles to numbers: the attack sequence of The 9th Age as the distribution of one attack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import GeneratingFunction, IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions import Expression, as_expression
from mathhammer.expressions.check import Check
from mathhammer.modifiers import clamped_total
from mathhammer.sequence import AttackDistribution, AttackNumber, damage_parts, repeated, roll, saving_throw
from mathhammer.systems.t9a.armament import Armed, ToHit, armed, characteristic, in_scope, to_hit
from mathhammer.systems.t9a.profiles import MAXIMUM_ATTACKS
from mathhammer.systems.t9a.saves import MOST_ARMOUR, WoundSaves, saves_against

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.sequence.result import Counts
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import ModelPart, Target
    from mathhammer.systems.t9a.situation import Rerolled, Situation

_NOTHING = AttackDistribution.of(GeneratingFunction.one())
_ONE, _ONE_BRACKETED = (AttackDistribution.of(GeneratingFunction.unit(place)) for place in range(2))
#: Armour Penetration of a Lethal Strike.
LETHAL_PENETRATION = 10
#: Most hits of one Penetrating shot.
MOST_PENETRATED = 5


def wound_need(strength: int, resilience: int) -> int:
    """Return what a to-wound roll needs before modifiers (2nd edition and 3rd edition, To-Wound Rolls)."""
    return max(2, min(6, 4 - (strength - resilience)))


@dataclass(frozen=True, slots=True)
class ToWound:
    """The to-wound roll of one hit, the saves against its wound, and those against a Lethal Strike."""

    check: Check
    saves: WoundSaves
    lethal: WoundSaves
    #: Wounds that an unsaved wound multiplies to, and whether that comes before the saves.
    damage: IntegerDistribution
    before_saves: bool

    def through(self, one: AttackDistribution) -> AttackDistribution:
        """Unsaved wounds of one hit."""
        saved, lethal = self.saved(one, self.saves), self.saved(one, self.lethal)
        return roll(self.check, {"fail": _NOTHING, "success": saved, "critical": lethal})

    def saved(self, one: AttackDistribution, saves: WoundSaves) -> AttackDistribution:
        """Return what is left of one wound: it may be several that are saved one by one."""
        weight, out_of = saves.unsaved
        each = saving_throw(weight, one, out_of=out_of)
        return repeated(each, self.damage) if self.before_saves else each


@dataclass(frozen=True)
class Stages:
    """A model part compiled against a target, roll by roll: a volley in the words of the sequence."""

    armed: Armed
    target: Target
    situation: Situation
    rulings: Mapping[str, str]
    #: The target's after modifiers, and the Health Points of a model of it.
    armour: int
    health_points: int
    hit: ToHit
    wound: ToWound
    #: What the first of several hits does, if it is another thing.
    bracketed: ToWound | None
    #: Hits of an attack that hits, before the models of the target limit them: more than one of Area Attacks and
    #: Penetrating; and the models that are there to be hit.
    hits_each: int
    standing: int
    attacks: Expression

    #: No part has a single re-roll of its own.
    own: ClassVar[frozenset[str]] = frozenset()

    def against(self, standing: int, number: int) -> Stages:
        """Return what so many model parts do to a unit of which so many models stand."""
        return replace(self, attacks=attacks_of(self.armed, number, self.rulings), standing=standing)

    @property
    def number(self) -> AttackNumber:
        """The number of attacks."""
        return AttackNumber(self.attacks)

    @cached_property
    def kinds(self) -> AttackDistribution:
        """Hits of one attack: ordinary ones, the first of them, and one that wounds by itself on a natural 6."""
        hit, first, by_itself = (AttackDistribution.of(GeneratingFunction.unit(kind, 3)) for kind in range(3))
        others = repeated(hit, IntegerDistribution(min(self.hits_each, self.standing) - 1, (1,), 1))
        on_6 = (by_itself if self.armed.part.has("Poison Attacks") else first) * others
        if self.armed.part.has("Battle Focus"):
            on_6 = on_6 * hit
        follows = (AttackDistribution.of(GeneratingFunction.one(3)), first * others, on_6)
        return AttackDistribution.mixture(
            list(zip(self.hit.weights, follows, strict=True)), self.hit.denominator
        )

    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return self.kinds.then([_ONE, _ONE, _ONE])

    def wounds(self) -> AttackDistribution:
        """Wounds of one attack, before saves."""
        wounds = {"fail": _NOTHING, "success": _ONE, "critical": _ONE}
        first = self.bracketed or self.wound
        return self.kinds.then([roll(self.wound.check, wounds), roll(first.check, wounds), _ONE])

    def unsaved(self) -> AttackDistribution:
        """Unsaved wounds of one attack: those of ordinary hits and of the bracketed one."""
        first, one = (self.wound, _ONE) if self.bracketed is None else (self.bracketed, _ONE_BRACKETED)
        lethal = self.armed.part.has("Lethal Strike") and self.rulings["poison_and_lethal"] == "as-natural-6"
        by_itself = first.saved(one, first.lethal if lethal else first.saves)
        return self.kinds.then([self.wound.through(_ONE), first.through(one), by_itself])

    def damage(self, arithmetic: Arithmetic) -> Counts:
        """Health Points that one attack takes, excess counted."""
        one = IntegerDistribution(1, (1,), 1)
        kinds = self.wound, self.bracketed or self.wound
        return damage_parts(
            self.unsaved(), [one if kind.before_saves else kind.damage for kind in kinds], arithmetic
        )


def compile_stages(
    part: ModelPart,
    target: Target,
    situation: Situation,
    edition: Edition,
    rulings: Mapping[str, str],
    *,
    standing: int,
) -> Stages:
    """Compile one model part against one target, of whose unit so many models stand."""
    ready = armed(in_scope(part, target), situation)
    ready = replace(ready, part=in_scope(ready.part, target))
    part = ready.part
    armour = characteristic(target.armour, situation.armour_modifier, most=MOST_ARMOUR)
    clip = target.health_points if part.at != "champion" or target.champion is None else target.champion
    most = clip if rulings["multiple_wounds_clip"] == "health-points" else None
    reroll: Rerolled = situation.reroll_wounds
    if part.has("Flaming Attacks") and target.has("Flammable"):
        reroll = "failed"
    attributes = {"Melee Attacks" if part.is_melee(situation) else "Ranged Attacks"}
    attributes |= {"Special Attacks"} if part.special and not part.has("Crush Attack") else set()
    attributes |= {attribute.name for attribute in part.attributes}

    def wounding(strength: int, penetration: int, damage: IntegerDistribution) -> ToWound:
        modifier = clamped_total(situation.wound_modifier, -99, 99)
        need = wound_need(strength, target.resilience)
        check = Check(need, modifier, succeeds_from=6, criticals=((6, False),), reroll=reroll)
        saves = saves_against(target, armour, penetration, attributes, situation, rulings)
        lethal = saves
        if part.has("Lethal Strike"):
            lethal = saves_against(
                target, armour, LETHAL_PENETRATION, attributes, situation, rulings, lethal=True
            )
        return ToWound(check, saves, lethal, damage, rulings["multiple_wounds_order"] == "before-saves")

    wound = wounding(ready.strength, ready.armour_penetration, _multiple_wounds(part, target, most))
    bracketed = None
    if (brackets := part.bracketed) is not None:
        wings = _with_wings(brackets.multiple_wounds, part.has("Clipped Wings"), target)
        bracketed = wounding(brackets.strength, brackets.armour_penetration, _multiplied(wings, most))
    stages = Stages(
        ready,
        target,
        situation,
        rulings,
        armour,
        clip,
        to_hit(ready, target, situation, edition, rulings),
        wound,
        bracketed,
        _hits_each(part, situation),
        standing,
        attacks_of(ready, part.models, rulings),
    )
    hits = part.models * part.attacks.bounds()[1] * min(stages.hits_each, standing)
    if hits > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} hits of {part.name!r}, got {hits:,}; use fewer attacks"
        )
    return stages


def attacks_of(ready: Armed, models: int, rulings: Mapping[str, str]) -> Expression:
    """Return the number of attacks of so many model parts."""
    low, high = ready.attacks.bounds()
    if low == high:
        return as_expression(low * models)
    if rulings["random_attacks"] == "once":
        return ready.attacks * models
    return ready.attacks if models == 1 else models @ ready.attacks


def _hits_each(part: ModelPart, situation: Situation) -> int:
    """Return the hits of one attack that hits: geometry comes in as numbers.

    The 9th Age rulebook, 2nd edition, Area Attack; Penetrating: never more than models in the unit when it strikes.
    """
    area = part.find("Area Attack")
    if area is not None and area.area is not None:
        width, depth = area.area
        return min(width, situation.width or width) * min(depth, situation.depth or depth)
    if part.has("Penetrating"):
        return min(situation.depth or 1, MOST_PENETRATED)
    return 1


def _multiple_wounds(part: ModelPart, target: Target, most: int | None) -> IntegerDistribution:
    """Return what an unsaved wound multiplies to: of several Multiple Wounds that count, the best.

    The 9th Age rulebook, 2nd edition, Multiple Wounds; Clipped Wings.
    """
    found = [_multiplied(as_expression(1), most)]
    for attribute in part.attributes:
        if attribute.name == "Multiple Wounds" and attribute.value is not None:
            wings = bool(attribute.grants) or part.has("Clipped Wings")
            found.append(_multiplied(_with_wings(attribute.value, wings, target), most))
    return max(found, key=lambda distribution: distribution.mean()[0] / distribution.mean()[1])


def _with_wings(multiple: Expression, wings: bool, target: Target) -> Expression:  # noqa: FBT001
    return multiple + 1 if wings and target.has("Fly") else multiple


@lru_cache(maxsize=256)
def _multiplied(multiple: Expression, most: int | None) -> IntegerDistribution:
    """Distribution of the wounds that one unsaved wound becomes, clipped at the Health Points Characteristic."""
    exact = multiple.compute(arithmetic(exact=True))
    return IntegerDistribution.from_distribution(
        exact if most is None else exact.map(lambda wounds: min(wounds, most))
    )
