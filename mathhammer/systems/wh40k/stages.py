"""From profiles to stages: what each roll of a volley needs under the rules of one edition.

Rules are those of the Warhammer 40,000 10th edition core rules (Making Attacks, Weapon Abilities) with the Core
Rules Updates and the Rules Commentary; where the 9th edition differs, its data in `editions` say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.sequence import Chances, VolleyLaw, ignoring_wounds
from mathhammer.systems.wh40k.attack_number import Attacks, attacks_of, attacks_with_one_reroll
from mathhammer.systems.wh40k.conditions import in_conditions, unharmed
from mathhammer.systems.wh40k.damage import (
    best_feel_no_pain,
    damage_after_modifiers,
    integer_law,
    mortal_wound,
    one_damage_reroll,
)
from mathhammer.systems.wh40k.in_force import armour_penetration, modified_profiles, modifiers_of
from mathhammer.systems.wh40k.overheating import Bearer, bearers_of
from mathhammer.systems.wh40k.rolls import Wound, hit_roll, wound_need, wound_rolls, wound_weights
from mathhammer.systems.wh40k.saves import Save, saves_against
from mathhammer.systems.wh40k.triggered import Rolls, triggered_chances, waiting_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.characteristics import Characteristic
    from mathhammer.distributions import IntegerLaw
    from mathhammer.expressions.check import Check
    from mathhammer.sequence import OneReroll
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.triggers import Trigger

__all__ = [
    "Attacks",
    "Damage",
    "Save",
    "Stages",
    "Wound",
    "compile_stages",
    "wound_need",
]


class Damage(NamedTuple):
    """What an unsaved wound inflicts, what a deferred critical wound does, Damage changed to 0, and one re-roll."""

    modifiers: tuple[Modifier, ...]
    deferred_modifiers: tuple[Modifier, ...]
    feel_no_pain: int | None
    deferred_feel_no_pain: int | None
    characteristic: IntegerLaw
    law: IntegerLaw
    deferred_law: IntegerLaw
    spared: IntegerLaw | None
    reroll: OneReroll | None = None
    deferred_reroll: OneReroll | None = None


class Stages(NamedTuple):
    """All rolls of one volley against one target, and the law they make.

    Of the saving throws the defender uses the likeliest, and the armour where both are alike. `weapon` and
    `target` are as printed, `used` and `faced` as the situation modifies them.
    """

    weapon: Weapon
    number: int
    situation: Situation
    target: Target
    used: Weapon
    faced: Target
    touched: tuple[Characteristic, ...]
    abilities: Mapping[str, Keyword]
    attacks: Attacks
    hit: Check | None
    hit_modifiers: tuple[Modifier, ...]
    wounds: tuple[Wound, ...]
    wound_modifiers: tuple[Modifier, ...]
    saves: tuple[Save, ...]
    save: Save | None
    damage: Damage
    chances: Chances
    law: VolleyLaw
    bearers: tuple[Bearer, ...]


def compile_stages(
    weapon: Weapon,
    count: int,
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Stages:
    """Work out every roll of a volley."""
    at, used, faced, touched = _met(weapon, situation, target, edition)
    abilities = _abilities(used, faced, edition) if used.keywords else _NONE
    attacks = attacks_of(used, count, abilities, at, faced, edition, rulings)
    hit, hit_modifiers = hit_roll(used, abilities, at, edition, rulings)
    wounds, wound_modifiers = wound_rolls(used, abilities, at, faced, edition, rulings)
    damage = _damage(used, abilities, at, faced, edition, rulings)
    saves, unsaved, touched = _saves(used, abilities, at, target, faced, damage, edition, rulings, touched)
    save = min(saves, key=_unsaved, default=None)
    chances = Chances(
        (0, 36, 0) if hit is None else hit.weights(),
        wound_weights(wounds),
        36 if save is None else save.unsaved,
        "Lethal Hits" in abilities and rulings.get("lethal_hits") != "declined",
        integer_law(abilities["Sustained Hits"].value) if "Sustained Hits" in abilities else None,
        "Devastating Wounds" in abilities,
    )
    rank = waiting_rank("devastating", rulings) if chances.critical_wounds_deferred else 0
    law = VolleyLaw(attacks.total, chances, (damage.law, damage.deferred_law), (rank,))
    bearers: tuple[Bearer, ...] = ()
    if at.triggers:
        law = _triggered(law, chances, hit, wounds, unsaved, at.triggers, damage, rulings)
        bearers = bearers_of(count, attacks, hit, at.triggers)
    if (
        _one_die_is_rolled_again(at) and not at.shared
    ):  # which volley has a shared one, its stages alone do not say
        if "reroll_attacks" in at.one_reroll:
            number = attacks_with_one_reroll(used, count, abilities, at, faced, edition, rulings)
            law = law._replace(attacks=number)
        else:
            law = _with_one_reroll(law, chances, at, wounds)
    return Stages(
        weapon,
        count,
        at,
        target,
        used,
        faced,
        touched,
        abilities,
        attacks,
        hit,
        hit_modifiers,
        wounds,
        wound_modifiers,
        saves,
        save,
        damage,
        chances,
        law,
        bearers,
    )


_NONE: Mapping[str, Keyword] = {}
_REROLLS = ("reroll_hits", "reroll_wounds", "reroll_saves")


def _met(
    weapon: Weapon, situation: Situation, target: Target, edition: Edition
) -> tuple[Situation, Weapon, Target, tuple[Characteristic, ...]]:
    """Return the situation with all that it brings, and weapon and target as it modifies them."""
    at, used, faced = _before_modifiers(situation, edition), weapon, target
    touched: tuple[Characteristic, ...] = ()
    if at.conditions or target.stealth:
        at, faced = in_conditions(weapon, target, at, edition)
    if at.modifiers:
        at = unharmed(weapon, at, edition)
        used, faced, touched = modified_profiles(weapon, faced, at, edition)
    if not edition.critical:
        _require_no_criticals(at, edition)
    return at, used, faced, touched


def _before_modifiers(situation: Situation, edition: Edition) -> Situation:
    """Return a situation whose re-rolls of what failed are those of the edition.

    References
    ----------
    Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling": re-rolls come before
    modifiers, so that what only a modifier makes fail has not failed yet.
    """
    names = [name for name in _REROLLS if getattr(situation, name) == "failed"]
    if not names or edition.failed == "modified":
        return situation
    return replace(situation, **dict.fromkeys(names, "failed-unmodified"))  # type: ignore[arg-type]


def _one_die_is_rolled_again(situation: Situation) -> bool:
    """Whether one die of a volley is; one of Damage is rolled again in the walk."""
    if not situation.one_reroll or "reroll_damage" in situation.one_reroll:
        return False
    if situation.triggers:
        raise MathhammerError(
            "expected triggers or a re-roll of one die, got both; give the re-roll to another volley"
        )
    return True


def _unsaved(save: Save) -> int:
    return save.unsaved


def _saves(
    used: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    faced: Target,
    damage: Damage,
    edition: Edition,
    rulings: Mapping[str, str],
    touched: tuple[Characteristic, ...],
) -> tuple[tuple[Save, ...], Callable[[tuple[Modifier, ...]], int], tuple[Characteristic, ...]]:
    """Return the saves, the weight of a failed one under further modifiers of AP, and what is modified now."""
    armour: tuple[Modifier, ...] = ()
    if faced.damage_1_save_bonus and _is_damage_1(used, damage, rulings):
        armour = (Modifier("add", faced.damage_1_save_bonus, "against Damage 1"),)
    penetration = None
    if situation.modifiers or situation.triggers:
        penetration = armour_penetration(used, situation, edition, rulings)
        touched = (*touched, penetration) if penetration.modifiers else touched
    ap = used.ap if penetration is None else penetration.number

    def saves(ap: int) -> tuple[Save, ...]:
        return saves_against(used, ap, abilities, situation, faced, edition, rulings, armour, target.save)

    def unsaved(better: tuple[Modifier, ...]) -> int:
        worse = penetration.with_modifiers(*better).number if better and penetration is not None else ap
        return min((save.unsaved for save in saves(worse)), default=36)

    return saves(ap), unsaved, touched


def _is_damage_1(weapon: Weapon, damage: Damage, rulings: Mapping[str, str]) -> bool:
    if rulings.get("damage_condition") == "printed":
        return weapon.damage.bounds() == (1, 1)
    law = damage.characteristic
    return law.low == 1 and len(law.weights) == 1


def _with_one_reroll(
    law: VolleyLaw, chances: Chances, situation: Situation, wounds: tuple[Wound, ...]
) -> VolleyLaw:
    from mathhammer.systems.wh40k.one_reroll import with_one_reroll

    return with_one_reroll(law, chances, situation.one_reroll[0], wounds)


def _require_no_criticals(situation: Situation, edition: Edition) -> None:
    """Refuse what an edition without critical rolls cannot mean."""
    if min(situation.critical_hit, situation.critical_wound) < 6:
        raise MathhammerError(
            f"expected no critical_hit or critical_wound in the {edition.title}, which has no critical rolls; "
            "give its rules as triggers, as in Trigger('hit', 'unmodified 5+', ...)"
        )
    if any(trigger.on == "critical" for trigger in situation.triggers):
        raise MathhammerError(
            f"expected no Trigger on 'critical' in the {edition.title}, which has no critical rolls; use "
            "'unmodified 6' for those rolls"
        )
    if "non-critical" in {situation.reroll_hits, situation.reroll_wounds}:
        raise MathhammerError(
            f"expected a re-roll other than 'non-critical' in the {edition.title}, which has no critical rolls; "
            "give the faces to re-roll as a set"
        )


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


def _abilities(weapon: Weapon, target: Target, edition: Edition) -> dict[str, Keyword]:
    """Return one instance of each ability: duplicates never add up (Rules Commentary, Duplicate Abilities).

    Of several instances the attacker uses the better one; an Anti that does not match the target is no instance.
    """
    best: dict[str, Keyword] = {}
    for keyword in weapon.keywords:
        if not keyword.known or keyword.name not in edition.abilities:
            continue
        if keyword.target and keyword.target.lower() not in (word.lower() for word in target.keywords):
            continue
        present = best.get(keyword.name)
        if present is None or _worth(keyword) > _worth(present):
            best[keyword.name] = keyword
    return best


def _worth(keyword: Keyword) -> int:
    """Twice the mean of a value, which is whole for sums of dice; lower rolls of Anti are worth more."""
    if keyword.value is None:
        return 0
    low, high = keyword.value.bounds()
    return -(low + high) if keyword.target else low + high


def _damage(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Damage:
    """Work out the damage of a wound, and of one that is deferred, which are mortal wounds."""
    psychic = target.feel_no_pain_psychic if "Psychic" in abilities else None
    ordinary = best_feel_no_pain(target.feel_no_pain, psychic)
    mortal = best_feel_no_pain(ordinary, target.feel_no_pain_mortal)
    to_0 = target.damage_to_0 and "damage" not in situation.ignored
    modifiers = deferred_modifiers = _damage_modifiers(
        abilities, situation, target, rulings, target_rules=True
    )
    if modifiers and rulings.get("devastating_damage_modifiers") == "ignore":
        deferred_modifiers = _damage_modifiers(abilities, situation, target, rulings, target_rules=False)
    reroll = situation.reroll_damage
    each_die = reroll is not None and rulings.get("damage_reroll_of_several_dice") == "each-die"
    rolled = integer_law(weapon.damage, reroll, each_die=each_die)
    rules = edition.characteristics["damage"]
    if (modifiers or to_0) and rulings.get("damage_set_to_0") == "final":
        rules = replace(rules, order=replace(rules.order, final=frozenset((0,))))
    characteristic = damage_after_modifiers(rolled, modifiers, rules)

    def inflicted(
        roll: IntegerLaw, by: tuple[Modifier, ...] = modifiers, need: int | None = ordinary
    ) -> IntegerLaw:
        return ignoring_wounds(damage_after_modifiers(roll, by, rules), need)

    law = deferred = ignoring_wounds(characteristic, ordinary)
    if "Devastating Wounds" in abilities and (deferred_modifiers, mortal) != (modifiers, ordinary):
        deferred = inflicted(rolled, deferred_modifiers, mortal)
    spared = None
    if to_0 and rulings.get("damage_to_0") != "off":
        spared = inflicted(rolled, (Modifier("set", 0, "the target changes Damage to 0"), *modifiers))
    rerolls: tuple[OneReroll, ...] = ()
    if "reroll_damage" in situation.one_reroll and (once := one_damage_reroll(rolled)) is not None:
        kept = inflicted(once.kept), inflicted(once.kept, deferred_modifiers, mortal)
        rerolls = tuple(once._replace(kept=law) for law in kept)
    needs = ordinary, mortal
    return Damage(modifiers, deferred_modifiers, *needs, characteristic, law, deferred, spared, *rerolls)


def _damage_modifiers(
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    rulings: Mapping[str, str],
    *,
    target_rules: bool,
) -> tuple[Modifier, ...]:
    if not (abilities or situation.modifiers or target.half_damage or target.damage_reduction):
        return ()
    target_rules = target_rules and "damage" not in situation.ignored
    modifiers = list(modifiers_of(situation, "damage")) if situation.modifiers else []
    if situation.half_range and "Melta" in abilities:
        value = abilities["Melta"].value
        more = value.bounds()[0] if value else 0
        modifiers.append(Modifier("add", more, f"Melta {value}, within half range"))
    if target_rules and target.half_damage:
        modifiers.append(Modifier("divide", 2, "the target halves Damage"))
    if target_rules and target.damage_reduction:
        modifiers.append(Modifier("subtract", target.damage_reduction, "the target reduces Damage"))
    if modifiers and rulings.get("damage_reductions") == "largest":
        return _with_largest_reduction(modifiers)
    return tuple(modifiers)


def _with_largest_reduction(modifiers: Sequence[Modifier]) -> tuple[Modifier, ...]:
    """Leave out the modifiers that subtract from Damage, but for the one that subtracts most."""
    taken = [
        m.value if m.operation in {"subtract", "worsen"} else -m.value if m.operation == "add" else 0
        for m in modifiers
    ]
    largest = taken.index(max(taken)) if taken else 0
    return tuple(
        modifier for place, modifier in enumerate(modifiers) if taken[place] <= 0 or place == largest
    )
