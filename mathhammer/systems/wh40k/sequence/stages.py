"""From profiles to stages: what each roll of a volley needs under the rules of one edition."""

from __future__ import annotations

from math import lcm
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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
    Save,
    Saves,
    WoundRoll,
    WoundRolls,
)
from mathhammer.systems.wh40k.rules.rule import ActiveRule
from mathhammer.systems.wh40k.sequence.attack_counts import Rolls, attack_counts, is_directed
from mathhammer.systems.wh40k.sequence.damage import mortal_wound
from mathhammer.systems.wh40k.situation import reroll_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Characteristic, Modifier
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.sequence.attack_counts import Penetration
    from mathhammer.systems.wh40k.situation import Situation

MadeT = TypeVar("MadeT")


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
    def saves(self) -> tuple[Save, ...]:
        """The saving throws to choose from."""
        return self.to_save.choices

    @property
    def chooses_lethal(self) -> bool:
        """Whether the attacker chooses for each critical hit whether it wounds without a roll, and it matters."""
        rolls = self.rolls
        return self.to_hit.critical_hits_wound == "best" and (
            rolls.devastating or any(trigger.roll == "wound" for trigger in rolls.triggers)
        )

    @property
    def save(self) -> Save | None:
        """The saving throw that is used: the likeliest, and the armour where both are alike."""
        return self.to_save.best

    @property
    def modified_characteristics(self) -> tuple[Characteristic, ...]:
        """Characteristics that rules of the situation modify: skill, strength, toughness, saves, Armour Penetration."""
        return (
            *self.to_hit.modified_characteristics,
            *self.to_wound.modified_characteristics,
            *self.to_save.modified_characteristics,
        )


def compile_stages(
    weapon: Weapon,
    count: int,
    situation: Situation,
    target: Target,
    edition: Edition,
) -> Stages:
    """Work out every roll of a volley under an edition as read."""
    own = rules_of_attacker(weapon, target.keywords, situation, edition)
    other = rules_of_target(target, edition)
    melee = weapon.melee
    attacks = ATTACKS.make(weapon.attacks, count, own.attacks, target.models, other.attacks, edition)
    to_hit = HIT.make(weapon.skill, melee, own.hit, other.hit, edition)
    to_wound = WOUND.make(weapon.strength, melee, own.wound, target.toughness, other.wound, edition)
    damage = DAMAGE.make(weapon.damage, melee, own.damage, other.damage, edition)
    on_save = tuple(each for each in other.save if _reaches(each, weapon, damage)) if other.save else ()

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
    return Stages(
        weapon,
        count,
        situation,
        target,
        edition,
        own.abilities,
        attacks,
        to_hit,
        to_wound,
        to_save,
        damage,
        rolls,
        saves_under,
    )


def _declines(rolls: Rolls, saves: Mapping[Penetration, Saves], damage: Damage, target: Target) -> bool:
    """Whether to roll to wound after a critical hit costs the target more wounds on average than to wound at once."""
    if not (rolls.devastating or rolls.triggers):
        return False
    distributions = (
        damage.distribution,
        damage.deferred_distribution,
        mortal_wound(damage.deferred_feel_no_pain),
    )
    common = 36 * lcm(*(distribution.denominator for distribution in distributions))
    lost, deferred, mortal = (
        _mean_lost(distribution, target.wounds) * (common // distribution.denominator)
        for distribution in distributions
    )
    totals: list[tuple[int, int]] = []
    for choice in (rolls, rolls._replace(lethal=False)):
        counts = attack_counts(choice)
        values = [saves[each].unsaved * lost // 36 for each in counts.penetrations]
        values += [mortal if kind == "mortal" else deferred for kind in counts.deferred]
        each = counts.saves.plain
        total = sum(weight * sum(map(mul, number, values)) for number, weight in each.coefficients.items())
        totals.append((total, each.denominator))
    (taken, out_of), (declined, below) = totals
    return bool(declined * out_of > taken * below)


def _mean_lost(damage: IntegerDistribution, wounds: int) -> int:
    """Mean number of wounds that a model of so many loses, out of the denominator."""
    return sum(weight * min(value, wounds) for value, weight in enumerate(damage.weights, damage.low))


def _reaches(each: ActiveRule, weapon: Weapon, damage: Damage) -> bool:
    """Whether a rule of the target is in force by what the damage roll comes to."""
    reads = each.rule.reads_damage
    return reads is None or reads(weapon, damage)
