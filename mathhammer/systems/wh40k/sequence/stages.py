"""From profiles to stages: what each roll of a volley needs under the rules of one edition."""

from __future__ import annotations

from dataclasses import replace
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpq

from mathhammer.distributions import mixture
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions import faces
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
    WoundRoll,
    WoundRolls,
)
from mathhammer.systems.wh40k.rules.rule import ActiveRule
from mathhammer.systems.wh40k.sequence.attack_counts import Rolls, attack_counts, is_directed
from mathhammer.systems.wh40k.sequence.damage import integer_distribution, mortal_wound
from mathhammer.systems.wh40k.situation import reroll_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.sequence.attack_counts import Penetration
    from mathhammer.systems.wh40k.situation import Situation

#: Most weapons of which one roll of attacks may be re-rolled: the numbers are exact, and long.
MAXIMUM_WEAPONS = 200


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
    def hit(self) -> Check | None:
        """The hit roll; none where attacks hit without one."""
        return self.to_hit.check

    @property
    def wounds(self) -> tuple[WoundRoll, ...]:
        """The wound roll for each strength that the weapon can have."""
        return self.to_wound.rolls

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

    def saves(better: tuple[Modifier, ...]) -> Saves:
        rules = (*own.save, ActiveRule(TRIGGERED, better)) if better else own.save
        return SAVE.make(weapon.ap, melee, rules, target.save, target.invulnerable, on_save, edition)

    to_save = saves(())
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

    better = attack_counts(rolls).penetrations if triggers else ()
    if any(map(is_directed, better)):
        better = (*better, *attack_counts(rolls._replace(directs=True)).penetrations)
    saves_under = {each: saves(each) for each in better} if better else {}
    if to_hit.critical_hits_wound == "on average" and _declines(
        rolls, saves_under or {(): to_save}, damage, target
    ):
        rolls = rolls._replace(lethal=False)
    parts = attacks, to_hit, to_wound, to_save, damage, rolls, saves_under
    return Stages(weapon, count, situation, target, edition, own.abilities, *parts)


def _declines(rolls: Rolls, saves: Mapping[Penetration, Saves], damage: Damage, target: Target) -> bool:
    """Whether to roll to wound after a critical hit costs the target more wounds on average than to wound at once."""
    if not (rolls.devastating or rolls.triggers):
        return False
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
    weapon = replace(stages.weapon, attacks=attacks)
    made = compile_stages(weapon, 1, stages.situation, stages.target, stages.edition).attacks
    return integer_distribution(made.each)


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
    one, as_kept = (attacks_of_one(stages, each).distribution() for each in (printed, faces(kept)))
    # Of so many weapons: all dice as they fall, none below the mean, and one that was and is re-rolled.
    free, high_ones, spent = one, as_kept, one
    for more in range(1, count):
        first = (every - high_one) * every**more
        later = high_one * (every**more - high_one**more)
        spent = mixture([first, later], [one + free, as_kept + spent])
        free, high_ones = free + one, high_ones + as_kept
    whole = high_one**count
    return (whole, _as_faces(high_ones)), (every**count - whole, _as_faces(spent))


def _as_faces(distribution: Distribution) -> Expression:
    return faces(dict(IntegerDistribution.from_distribution(distribution).items()))
