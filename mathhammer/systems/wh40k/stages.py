"""From profiles to stages: what each roll of a volley needs under the rules of one edition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.sequence import Chances, VolleyLaw
from mathhammer.systems.wh40k.attack_number import attacks_with_one_reroll
from mathhammer.systems.wh40k.damage import mortal_wound
from mathhammer.systems.wh40k.overheating import Bearer, bearers_of
from mathhammer.systems.wh40k.rules.attacks import ATTACKS, Attacks
from mathhammer.systems.wh40k.rules.damage import DAMAGE, Damage
from mathhammer.systems.wh40k.rules.hit import HIT, Hit
from mathhammer.systems.wh40k.rules.in_force import in_force_of_attacker, in_force_of_target
from mathhammer.systems.wh40k.rules.save import SAVE, Save, Saves, under
from mathhammer.systems.wh40k.rules.wound import WOUND, Wound, Wounds, wound_need
from mathhammer.systems.wh40k.triggered import Rolls, triggered_chances, waiting_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.characteristics import Characteristic
    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.roll import Roll
    from mathhammer.systems.wh40k.rules.rule import InForce
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.triggers import Trigger

__all__ = ["Attacks", "Damage", "Save", "Stages", "Wound", "chances_of", "compile_stages", "wound_need"]


class Stages(NamedTuple):
    """All rolls of one volley against one target under an edition as read, and the law that they make."""

    weapon: Weapon
    number: int
    situation: Situation
    target: Target
    edition: Edition
    abilities: Mapping[str, Keyword]
    attacks: Attacks
    to_hit: Hit
    to_wound: Wounds
    to_save: Saves
    damage: Damage
    chances: Chances
    law: VolleyLaw
    bearers: tuple[Bearer, ...]

    @property
    def hit(self) -> Check | None:
        """The hit roll; none where attacks hit without one."""
        return self.to_hit.check

    @property
    def wounds(self) -> tuple[Wound, ...]:
        """The wound roll for each strength that the weapon can have."""
        return self.to_wound.rolls

    @property
    def saves(self) -> tuple[Save, ...]:
        """The saving throws to choose from."""
        return self.to_save.choices

    @property
    def save(self) -> Save | None:
        """The saving throw that is used: the likeliest, and the armour where both are alike."""
        return self.to_save.best

    @property
    def modified_characteristics(self) -> tuple[Characteristic, ...]:
        """What rules of the situation modify: skill, strength, toughness, saves, Armour Penetration."""
        return (*self.to_hit.touched, *self.to_wound.touched, *self.to_save.touched)


def compile_stages(
    weapon: Weapon,
    count: int,
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Stages:
    """Work out every roll of a volley."""
    ruled = edition.ruled(rulings)
    own = in_force_of_attacker(weapon, target.keywords, situation, ruled)
    other = in_force_of_target(target, ruled)

    def make(roll: Roll, on_target: tuple[InForce, ...], further: tuple[InForce, ...] = ()) -> Any:
        name = roll.name
        rules = getattr(own, name) + further
        return roll.make(*roll.of_weapon(weapon, count), rules, *roll.of_target(target), on_target, ruled)

    attacks: Attacks = make(ATTACKS, other.attacks)
    to_hit: Hit = make(HIT, other.hit)
    to_wound: Wounds = make(WOUND, other.wound)
    damage: Damage = make(DAMAGE, other.damage)
    on_save = tuple(each for each in other.save if _reaches(each, weapon, damage)) if other.save else ()
    to_save: Saves = make(SAVE, on_save)
    abilities, at = own.abilities, situation
    hit, wounds = to_hit.check, to_wound.rolls
    chances = chances_of(to_hit, to_wound, to_save)

    def unsaved(better: tuple[Modifier, ...]) -> int:
        saves: Saves = make(SAVE, on_save, (under(better),)) if better else to_save
        return saves.unsaved

    rank = waiting_rank("devastating", rulings) if chances.critical_wounds_deferred else 0
    law = VolleyLaw(attacks.total, chances, (damage.law, damage.deferred_law), (rank,))
    bearers: tuple[Bearer, ...] = ()
    triggers = at.keywords.get("triggers")
    if triggers:
        law = _triggered(law, chances, hit, wounds, unsaved, triggers, damage, rulings)
        bearers = bearers_of(count, attacks, hit, triggers)
    if (
        _one_die_is_rolled_again(at) and not at.shared
    ):  # which volley has a shared one, its stages alone do not say
        if "reroll_attacks" in at.one_reroll:
            number = attacks_with_one_reroll(weapon, count, abilities, at, target, edition, rulings)
            law = law._replace(attacks=number)
        else:
            law = _with_one_reroll(law, chances, at, wounds)
    return Stages(
        weapon,
        count,
        at,
        target,
        ruled,
        abilities,
        attacks,
        to_hit,
        to_wound,
        to_save,
        damage,
        chances,
        law,
        bearers,
    )


def _reaches(each: InForce, weapon: Weapon, damage: Damage) -> bool:
    """Whether a rule of the target is in force by what the damage roll comes to."""
    reads = each.rule.reads_damage
    return reads is None or reads(weapon, damage)


def chances_of(hit: Hit, wound: Wounds, save: Saves) -> Chances:
    """Return what one attack does."""
    return Chances(
        hit.weights,
        wound.weights,
        save.unsaved,
        hit.critical_hits_wound,
        hit.extra_hits,
        wound.critical_wounds_deferred,
    )


def _one_die_is_rolled_again(situation: Situation) -> bool:
    """Whether one die of a volley is; one of Damage is rolled again in the walk."""
    if not situation.one_reroll or "reroll_damage" in situation.one_reroll:
        return False
    if situation.keywords.get("triggers"):
        raise MathhammerError(
            "expected triggers or a re-roll of one die, got both; give the re-roll to another volley"
        )
    return True


def _with_one_reroll(
    law: VolleyLaw, chances: Chances, situation: Situation, wounds: tuple[Wound, ...]
) -> VolleyLaw:
    from mathhammer.systems.wh40k.one_reroll import with_one_reroll

    return with_one_reroll(law, chances, situation.one_reroll[0], wounds)


def _triggered(
    law: VolleyLaw,
    plain: Chances,
    hit: Check | None,
    wounds: tuple[Wound, ...],
    unsaved: Callable[[tuple[Modifier, ...]], int],
    triggers: tuple[Trigger, ...],
    damage: Damage,
    rulings: Mapping[str, str],
) -> VolleyLaw:
    """Return the law of a volley whose rolls have triggers; mortal wounds are single wounds that spill over."""
    chances = triggered_chances(
        Rolls(
            hit,
            tuple((wound.weight, wound.check) for wound in wounds),
            unsaved,
            plain.critical_hits_wound,
            plain.extra_hits,
            plain.critical_wounds_deferred,
            triggers,
        )
    )
    each = {"devastating": damage.deferred_law, "mortal": mortal_wound(damage.deferred_feel_no_pain)}
    damages = (damage.law, *(each[kind] for kind in chances.waiting))
    return VolleyLaw(
        law.attacks, chances, damages, tuple(waiting_rank(kind, rulings) for kind in chances.waiting)
    )
