"""The rolls of a volley: what each needs under the rules of one edition, and what one attack produces before saves."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from flint import fmpq, fmpz_poly

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions import faces
from mathhammer.modifiers import Modifier
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, roll, saving_throw
from mathhammer.systems.wh40k.rules.conditions import REROLL_HITS, REROLL_WOUNDS, TRIGGERED
from mathhammer.systems.wh40k.rules.roll import rules_of_attacker, rules_of_target
from mathhammer.systems.wh40k.rules.rolls import (
    ATTACKS,
    DAMAGE,
    HIT,
    SAVE,
    WOUND,
    Attacks,
    Damage,
    Hit,
    Saves,
    WoundRolls,
)
from mathhammer.systems.wh40k.rules.rule import ActiveRule
from mathhammer.systems.wh40k.sequence.damage import integer_distribution, mortal_wound
from mathhammer.systems.wh40k.situation import reroll_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check, Outcome
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.profiles.triggers import Trigger
    from mathhammer.systems.wh40k.situation import Situation

#: The kinds of wounds of an attack that are deferred: critical wounds without a save, those of attacks that their own
#: hit roll gave Precision, and mortal wounds.
DeferredKind = Literal["devastating", "directed devastating", "mortal"]

#: What the Armour Penetration of a wound is modified by.
Penetration = tuple[Modifier, ...]
#: What modifies it by nothing and says that the wound is directed.
DIRECTED = Modifier("improve", 0, "Precision", of="precision")
#: Most weapons of which one roll of attacks may be re-rolled: the numbers are exact, and long.
MAXIMUM_WEAPONS = 200
NOTHING = AttackDistribution.of(GeneratingFunction.one(1))
ONE = AttackDistribution.of(GeneratingFunction.unit(0, 1))


class Rolls(NamedTuple):
    """The rolls of one attack before the saves."""

    #: The hit roll; None where attacks hit without one.
    hit: Check | None
    #: Of each strength its weight and its wound roll.
    wounds: tuple[tuple[int, Check], ...]
    #: Whether critical hits wound without a roll.
    lethal: bool = False
    #: Further hits that a critical hit scores.
    extra_hits: IntegerDistribution | None = None
    #: Whether critical wounds allow no save and are deferred.
    devastating: bool = False
    #: What particular results do.
    triggers: tuple[Trigger, ...] = ()
    #: Names of the single re-rolls that these rolls may use.
    reroll_hit: str | None = None
    reroll_wound: str | None = None
    #: Whether every attack is directed, or none can be, so that Precision on some results changes nothing.
    directs: bool = False
    #: Whether additional hits have what triggers give to the hit that scores them.
    extra_hits_alike: bool = False

    def better(self, fired: Sequence[Trigger]) -> Penetration:
        """Return what triggers do to the Armour Penetration, and whether they direct an attack that is not anyway."""
        directed = not self.directs and any(trigger.precision for trigger in fired)
        return (*_better(fired), DIRECTED) if directed else _better(fired)

    def shown(self, name: str, check: Check) -> list[tuple[Outcome, tuple[Trigger, ...]]]:
        """Return what each face of a roll is, and the triggers that it sets off; critical only where that matters."""
        critical = self.devastating if name == "wound" else self.lethal or self.extra_hits is not None
        outcomes = check.outcomes()
        found: list[Outcome] = [each if critical or each == "fail" else "success" for each in outcomes]
        if not self.triggers:
            return [(outcome, ()) for outcome in found]
        mine = [(trigger, trigger.faces(check)) for trigger in self.triggers if trigger.roll == name]
        return [
            (outcome, () if outcome == "fail" else tuple(each for each, faces in mine if face in faces))
            for face, outcome in enumerate(found, 1)
        ]

    @property
    def penetrations(self) -> tuple[Penetration, ...]:
        """What the Armour Penetration of a wound can be modified by, nothing first."""
        wounds = (fired for _, check in self.wounds for _, fired in self.shown("wound", check))
        of_wound = dict.fromkeys(((), *map(self.better, wounds)))
        return tuple(dict.fromkeys((*on_hit, *on_wound) for on_hit in self.on_hit for on_wound in of_wound))

    @property
    def on_hit(self) -> tuple[Penetration, ...]:
        """The same of what the hit roll alone does."""
        shown = [] if self.hit is None else self.shown("hit", self.hit)
        return tuple(dict.fromkeys(((), *(self.better(fired) for _, fired in shown))))


def _better(fired: Sequence[Trigger]) -> Penetration:
    return tuple(modifier for trigger in fired for modifier in trigger.ap)


class Counting(NamedTuple):
    """Rolls, and what each result of them counts in one attack."""

    rolls: Rolls
    #: What none counts.
    nothing: AttackDistribution
    #: What counts by its name: ``("save", ap)`` is a wound that allows one, by the modifiers of its Armour Penetration,
    #: and the kinds of wounds that are deferred have their own. Where they are named, ``"hit"`` ends an attack with a
    #: hit, ``"instead"`` is a wound roll that ends it, ``("die", place, ap)`` a wound die that is yet to be rolled, by
    #: the place of its strength, and ``("critical", ap)`` a critical hit that may wound without a roll.
    counts: Mapping[Any, AttackDistribution]

    def attack(self, *, further: bool = True) -> AttackDistribution:
        """Return one attack; `further` is whether it may make additional attacks."""
        check = self.rolls.hit
        if check is None:
            return self.hit_follows((), automatic=False)
        return roll(check, self.hit_results(check, further=further), once=self.rolls.reroll_hit)

    def hit_results(self, check: Check, *, further: bool = True) -> list[AttackDistribution]:
        """Return what follows from each face of a hit roll."""
        rolls = self.rolls
        again = further and any(trigger.extra_attacks is not None for trigger in rolls.triggers)
        additional = self.attack(further=False) if again else self.nothing
        shown, follows = rolls.shown("hit", check), {}
        for outcome, fired in dict.fromkeys(shown):
            found = self.nothing if outcome == "fail" else self._scored(fired, critical=outcome == "critical")
            for trigger in fired if further else ():
                found = self._and_more(found, additional, trigger.extra_attacks)
            follows[outcome, fired] = found
        return [follows[each] for each in shown]

    def _scored(self, fired: Sequence[Trigger], *, critical: bool) -> AttackDistribution:
        """Return one successful hit roll: its own hit, the additional ones, and mortal wounds."""
        rolls, ap = self.rolls, self.rolls.better(fired) if fired else ()
        wounds = any(trigger.wounds for trigger in fired)
        automatic = (critical and rolls.lethal) or wounds
        if any(trigger.instead for trigger in fired):
            follows = self.counts.get("hit", self.nothing)
        elif automatic and not wounds and ("critical", ap) in self.counts:
            follows = self.counts["critical", ap]
        else:
            follows = self.hit_follows(ap, automatic=automatic)
        for number in (*(each.extra_hits for each in fired), rolls.extra_hits if critical else None):
            if number is not None:
                further = self.hit_follows(ap if rolls.extra_hits_alike else (), automatic=False)
                follows = self._and_more(follows, further, number)
        for trigger in fired:
            follows = self._and_more(follows, self.counts.get("mortal"), trigger.mortal_wounds)
        return follows

    def hit_follows(self, ap: Penetration, *, automatic: bool) -> AttackDistribution:
        """Return one hit: its wound roll, if it makes one."""
        if "hit" in self.counts:
            return self.counts["hit"]
        if automatic:
            each = tuple(t for t in self.rolls.triggers if t.on == "each" and t.roll == "wound")
            return self._wound(ap, each, unsaveable=False)
        parts = [
            (
                weight,
                self.counts.get(("die", place, ap))
                or roll(check, self.wound_results(check, ap), once=self.rolls.reroll_wound),
            )
            for place, (weight, check) in enumerate(self.rolls.wounds)
        ]
        if len(parts) == 1:
            return parts[0][1]
        return AttackDistribution.mixture(parts, sum(weight for weight, _ in parts))

    def wound_results(self, check: Check, ap: Penetration) -> list[AttackDistribution]:
        """Return what follows from each face of a wound roll."""
        shown, devastating = self.rolls.shown("wound", check), self.rolls.devastating
        follows = {
            (outcome, fired): self.nothing
            if outcome == "fail"
            else self._wound(ap, fired, unsaveable=devastating and outcome == "critical")
            for outcome, fired in dict.fromkeys(shown)
        }
        return [follows[each] for each in shown]

    def _wound(self, ap: Penetration, fired: Sequence[Trigger], *, unsaveable: bool) -> AttackDistribution:
        """Return one wound, and what it triggers."""
        ap = (*ap, *_better(fired)) if fired else ap
        if any(trigger.instead for trigger in fired):
            follows = self.counts.get("instead", self.nothing)
        elif not unsaveable:
            follows = self.counts["save", ap]
        else:
            directed = DIRECTED in ap and "directed devastating" in self.counts
            follows = self.counts["directed devastating" if directed else "devastating"]
        for trigger in fired:
            follows = self._and_more(follows, self.counts.get("mortal"), trigger.mortal_wounds)
        return follows

    def _and_more(
        self,
        follows: AttackDistribution,
        each: AttackDistribution | None,
        number: IntegerDistribution | Expression | None,
    ) -> AttackDistribution:
        """Return what follows, and so many things more."""
        if number is None or each is None:
            return follows
        times = number if isinstance(number, IntegerDistribution) else integer_distribution(number)
        return follows * repeated(each, times, self.nothing.plain)


class AttackCounts:
    """Joint distributions of what one attack produces before saves."""

    def __init__(self, rolls: Rolls) -> None:
        self.rolls = rolls
        self.penetrations = rolls.penetrations if rolls.triggers else ((),)
        kinds: list[DeferredKind] = ["devastating"] if rolls.devastating else []
        if kinds and any(DIRECTED in each for each in self.penetrations):
            kinds.append("directed devastating")
        if any(trigger.mortal_wounds is not None for trigger in rolls.triggers):
            kinds.append("mortal")
        self.deferred: tuple[DeferredKind, ...] = tuple(kinds)
        self._names = [*(("save", ap) for ap in self.penetrations), *kinds]

    @cached_property
    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return Counting(self.rolls, NOTHING, {"hit": ONE, "mortal": NOTHING}).attack()

    @cached_property
    def wounds(self) -> AttackDistribution:
        """Successful wounds of one attack."""
        counts = dict.fromkeys([*self._names, "instead"], ONE) | {"mortal": NOTHING}
        return Counting(self.rolls, NOTHING, counts).attack()

    @cached_property
    def saves(self) -> AttackDistribution:
        """Saves to be made at each Armour Penetration, then the deferred wounds of each kind."""
        width = len(self._names)
        nothing = AttackDistribution.of(GeneratingFunction.one(width))
        return Counting(self.rolls, nothing, counts_of(self._names)).attack()


def counts_of(names: Sequence[Hashable]) -> dict[Hashable, AttackDistribution]:
    """Return a single one of each of some things, which are counted beside each other."""
    units = (GeneratingFunction.unit(place, len(names)) for place in range(len(names)))
    return dict(zip(names, map(AttackDistribution.of, units), strict=True))


#: What one attack produces; attacks of equal rolls share it.
attack_counts = lru_cache(maxsize=4096)(AttackCounts)


def each_attack(rolls: Rolls, unsaved: int) -> GeneratingFunction:
    """Return the failed saves and the devastating wounds of one attack without triggers."""
    plain = attack_counts(rolls._replace(reroll_hit=None, reroll_wound=None))
    failed, devastating = (AttackDistribution.of(GeneratingFunction.unit(place, 2)) for place in range(2))
    following = [saving_throw(unsaved, failed), devastating]
    return plain.saves.then(following[: plain.saves.plain.width]).plain


class Stages(NamedTuple):
    """All rolls of one volley against one target under an edition as read."""

    weapon: Weapon
    number: int
    situation: Situation
    target: Target
    edition: Edition
    abilities: Mapping[str, Keyword]
    attacks: Attacks
    to_hit: Hit
    to_wound: WoundRolls
    to_save: Saves
    damage: Damage
    rolls: Rolls
    saves_under: Mapping[Penetration, Saves]

    @property
    def chooses_lethal(self) -> bool:
        """Whether the attacker chooses for each critical hit whether it wounds without a roll, and it matters."""
        rolls = self.rolls
        return self.to_hit.critical_hits_wound == "best" and (
            rolls.devastating or any(trigger.roll == "wound" for trigger in rolls.triggers)
        )


def compile_stages(
    weapon: Weapon, count: int, situation: Situation, target: Target, edition: Edition
) -> Stages:
    """Work out every roll of a volley under an edition as read."""
    own = rules_of_attacker(weapon, target.keywords, situation, edition)
    other = rules_of_target(target, edition)
    melee = weapon.melee
    attacks = ATTACKS.make(weapon.attacks, count, own.attacks, target.models, other.attacks, edition)
    to_hit = HIT.make(weapon.skill, melee, own.hit, other.hit, edition)
    to_wound = WOUND.make(weapon.strength, melee, own.wound, target.toughness, other.wound, edition)
    damage = DAMAGE.make(weapon.damage, melee, own.damage, other.damage, edition)
    on_save = other.save and tuple(
        each for each in other.save if (reads := each.rule.reads_damage) is None or reads(weapon, damage)
    )
    defence = target.save, target.invulnerable, on_save, edition
    to_save = SAVE.make(weapon.ap, melee, own.save, *defence)
    triggers, single = situation.keywords.get("triggers", ()), situation.one_reroll
    rolls = Rolls(
        to_hit.check,
        tuple([(wound.weight, wound.check) for wound in to_wound.rolls]),
        bool(to_hit.critical_hits_wound),
        to_hit.extra_hits,
        to_wound.critical_wounds_deferred,
        triggers,
        reroll_name(situation, REROLL_HITS.name) if single and not to_hit.no_rerolls else None,
        reroll_name(situation, REROLL_WOUNDS.name) if single else None,
        bool(own.abilities) and any(edition.abilities[name].directs for name in own.abilities),
        edition.extra_hits_alike,
    )
    saves_under = {}
    if triggers:
        every = (attack_counts(each).penetrations for each in (rolls, rolls._replace(directs=True)))
        better = chain.from_iterable(every)
        under = {each: (*own.save, ActiveRule(TRIGGERED, each)) if each else own.save for each in better}
        saves_under = {each: SAVE.make(weapon.ap, melee, rules, *defence) for each, rules in under.items()}
    matters = to_hit.critical_hits_wound == "on average" and (rolls.devastating or triggers)
    if matters and _declines(rolls, saves_under or {(): to_save}, damage, target):
        rolls = rolls._replace(lethal=False)
    parts = attacks, to_hit, to_wound, to_save, damage, rolls, saves_under
    return Stages(weapon, count, situation, target, edition, own.abilities, *parts)


def _declines(rolls: Rolls, saves: Mapping[Penetration, Saves], damage: Damage, target: Target) -> bool:
    """Whether to roll to wound after a critical hit costs the target more wounds on average than to wound at once."""
    lost, deferred, mortal = (
        fmpq(sum(weight * min(value, target.wounds) for value, weight in law.items()), law.denominator)
        for law in (
            damage.distribution,
            damage.deferred_distribution,
            mortal_wound(damage.deferred_feel_no_pain),
        )
    )
    means = []
    for choice in (rolls, rolls._replace(lethal=False)):
        counts = attack_counts(choice)
        values = [saves[each].unsaved * lost / 36 for each in counts.penetrations]
        values += [mortal if kind == "mortal" else deferred for kind in counts.deferred]
        each = counts.saves.plain
        total = sum(weight * sum(map(mul, number, values)) for number, weight in each.coefficients.items())
        means.append(total / each.denominator)
    taken, declined = means
    return bool(declined > taken)


def attacks_of_one(stages: Stages, attacks: Expression) -> IntegerDistribution:
    """Return the number of attacks of one weapon if that is printed on it."""
    target, edition = stages.target, stages.edition
    own = rules_of_attacker(stages.weapon, target.keywords, stages.situation, edition).attacks
    other = rules_of_target(target, edition).attacks
    return integer_distribution(ATTACKS.make(attacks, 1, own, target.models, other, edition).each)


def attacks_parted(stages: Stages) -> tuple[tuple[int, Expression], tuple[int, Expression]] | None:
    """Return weight and number of attacks where no roll is re-rolled, and where one is: the first below its mean.

    Warhammer 40,000 10th edition core stratagems, Command Re-roll: the number of attacks of a weapon.
    """
    printed, count = stages.weapon.attacks, stages.number
    rolled = integer_distribution(printed)
    total, out_of = rolled.mean()
    kept = {value: weight for value, weight in rolled.items() if value * out_of >= total}
    high_one, every = sum(kept.values()), rolled.denominator
    if high_one == every:
        return None
    if count > MAXIMUM_WEAPONS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_WEAPONS} weapons of which one roll of attacks is re-rolled, got {count:,}; "
            "put some of them into another volley"
        )
    # As they fall, and none below the mean, over one denominator. The first below it is re-rolled, and its weapon and
    # the later ones fall as they do: a telescoping sum.
    one, high = (attacks_of_one(stages, each) for each in (printed, faces(kept)))
    falls = fmpz_poly([0] * one.low + [weight * every * high.denominator for weight in one.weights])
    keeps = fmpz_poly([0] * high.low + [weight * high_one * one.denominator for weight in high.weights])
    spent = falls * ((falls**count - keeps**count) // (falls - keeps))
    number_kept, number_spent = (
        faces({value: int(weight) for value, weight in enumerate(poly.coeffs())})
        for poly in (keeps**count, spent)
    )
    whole = high_one**count
    return (whole, number_kept), (every**count - whole, number_spent)
