"""From profiles to stages: what each roll of a volley needs under the rules of one edition.

Rules are those of the Warhammer 40,000 10th edition core rules (Making Attacks, Weapon Abilities) with the Core
Rules Updates and the Rules Commentary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.expressions.check import Check, Reroll
from mathhammer.expressions.expression import Constant, Repeated, Sum
from mathhammer.expressions.modified import maximum
from mathhammer.modifiers import Modifier, clamped_total
from mathhammer.sequence import Chances, VolleyLaw, ignoring_wounds
from mathhammer.systems.wh40k.damage import damage_after_modifiers, integer_law

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["Attacks", "Save", "Stages", "Wound", "compile_stages"]


@dataclass(frozen=True, slots=True)
class Attacks:
    """The number of attacks: that of one weapon with its bonuses, and that of all weapons."""

    each: Expression
    total: Expression
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wound:
    """One wound roll: the strength it is made with and the weight of that strength."""

    strength: int
    weight: int
    check: Check


@dataclass(frozen=True, slots=True)
class Save:
    """One saving throw that the defender may choose, with the weight of its failure out of 36."""

    name: str
    characteristic: int
    check: Check
    modifiers: tuple[Modifier, ...]
    unsaved: int


@dataclass(frozen=True, slots=True)
class Stages:
    """All rolls of one volley against one target, and the law they make.

    Of the saving throws the defender uses the likeliest, and the armour where both are alike.
    """

    weapon: Weapon
    count: int
    attacks: Attacks
    hit: Check | None
    hit_modifiers: tuple[Modifier, ...]
    wounds: tuple[Wound, ...]
    wound_modifiers: tuple[Modifier, ...]
    saves: tuple[Save, ...]
    damage_modifiers: tuple[Modifier, ...]
    deferred_damage_modifiers: tuple[Modifier, ...]
    feel_no_pain: int | None
    deferred_feel_no_pain: int | None
    save: Save | None
    law: VolleyLaw


def compile_stages(
    weapon: Weapon,
    count: int,
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Stages:
    """Work out every roll of a volley."""
    abilities = _abilities(weapon, target)
    attacks = _attacks(weapon, count, abilities, situation, target, rulings)
    hit, hit_modifiers = _hit(weapon, abilities, situation, edition, rulings)
    wounds, wound_modifiers = _wounds(weapon, abilities, situation, target, edition)
    saves = _saves(weapon, abilities, situation, target, edition, rulings)
    save = min(saves, key=lambda save: save.unsaved, default=None)
    damage_modifiers = _damage_modifiers(abilities, situation, target, target_rules=True)
    devastating = "Devastating Wounds" in abilities
    apply = rulings["devastating_damage_modifiers"] == "apply"
    deferred_modifiers = (
        damage_modifiers if apply else _damage_modifiers(abilities, situation, target, target_rules=False)
    )
    feel_no_pain, deferred_feel_no_pain = target.feel_no_pain, _best(target)
    each_die = rulings["damage_reroll_of_several_dice"] == "each-die"
    rolled = integer_law(weapon.damage, situation.reroll_damage, each_die=each_die)
    damage = ignoring_wounds(damage_after_modifiers(rolled, damage_modifiers, edition.order), feel_no_pain)
    deferred = damage
    if devastating and (deferred_modifiers, deferred_feel_no_pain) != (damage_modifiers, feel_no_pain):
        deferred = ignoring_wounds(
            damage_after_modifiers(rolled, deferred_modifiers, edition.order), deferred_feel_no_pain
        )
    chances = Chances(
        hit=(0, 36, 0) if hit is None else hit.weights(),
        wound=_wound_weights(wounds),
        unsaved=36 if save is None else save.unsaved,
        critical_hits_wound="Lethal Hits" in abilities,
        extra_hits=integer_law(abilities["Sustained Hits"].value) if "Sustained Hits" in abilities else None,
        critical_wounds_deferred=devastating,
    )
    return Stages(
        weapon,
        count,
        attacks,
        hit,
        hit_modifiers,
        wounds,
        wound_modifiers,
        saves,
        damage_modifiers,
        deferred_modifiers,
        feel_no_pain,
        deferred_feel_no_pain,
        save,
        VolleyLaw(attacks.total, chances, damage, deferred),
    )


def _abilities(weapon: Weapon, target: Target) -> dict[str, Keyword]:
    """Return one instance of each ability: duplicates never add up (Rules Commentary, Duplicate Abilities).

    Of several instances the attacker uses the better one; an Anti that does not match the target is no instance.
    """
    best: dict[str, Keyword] = {}
    for keyword in weapon.keywords:
        if not keyword.known:
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


def _attacks(
    weapon: Weapon,
    count: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    rulings: Mapping[str, str],
) -> Attacks:
    """Add Rapid Fire within half range and one attack for every five models of Blast; never fewer than 1."""
    each, modifiers = weapon.attacks, []
    if situation.half_range and "Rapid Fire" in abilities:
        more = abilities["Rapid Fire"].value or Constant(0)
        each = _sum(each, more)
        modifiers.append(f"+{more} (Rapid Fire, within half range)")
    fixed = isinstance(weapon.attacks, Constant)
    if "Blast" in abilities and not (fixed and rulings["blast_fixed_attacks"] == "ignore"):
        more = Constant(target.models // 5)
        if target.models >= 5:
            each = _sum(each, more)
            modifiers.append(f"+{more} (Blast against {target.models} models)")
    if each.bounds()[0] < 1:
        each = maximum(each, 1)
    total = Constant(each.value * count) if isinstance(each, Constant) else Repeated(count, each)
    return Attacks(each, each if count == 1 else total, tuple(modifiers))


def _sum(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value + right.value)
    return Sum(left, right)


def _hit(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    edition: Edition,
    rulings: Mapping[str, str],
) -> tuple[Check | None, tuple[Modifier, ...]]:
    """Return the hit roll, or nothing where attacks hit without one (Torrent)."""
    if "Torrent" in abilities or weapon.skill is None:
        return None, ()
    modifiers = list(situation.hit_modifier)
    if situation.stationary and "Heavy" in abilities:
        modifiers.append(Modifier("add", 1, "Heavy, remained stationary"))
    indirect = situation.indirect and "Indirect Fire" in abilities
    if indirect:
        modifiers.append(Modifier("subtract", 1, "Indirect Fire, target not visible"))
    successful = rulings["critical_hit_wording"] == "successful" and situation.critical_hit < 6
    criticals = [(6, False)]
    if situation.critical_hit < 6:
        criticals.append((situation.critical_hit, successful))
    if situation.long_range and "Conversion" in abilities:
        criticals.append((4, True))
    fails_up_to = 3 if indirect else 1
    if indirect and rulings["indirect_against_critical"] == "critical":
        lowest = min(face for face, must_succeed in criticals if not must_succeed)
        fails_up_to = min(3, max(1, lowest - 1))
    check = Check(
        need=weapon.skill,
        modifier=clamped_total(modifiers, -edition.roll_cap, edition.roll_cap),
        fails_up_to=fails_up_to,
        criticals=tuple(criticals),
        reroll=situation.reroll_hits,
    )
    return check, tuple(modifiers)


def _wounds(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
) -> tuple[tuple[Wound, ...], tuple[Modifier, ...]]:
    """Return the wound roll for each strength that the weapon can have."""
    modifiers = list(situation.wound_modifier)
    if situation.charged and "Lance" in abilities:
        modifiers.append(Modifier("add", 1, "Lance, charged"))
    threshold = situation.critical_wound
    if "Anti" in abilities:
        anti = abilities["Anti"].value
        threshold = min(threshold, anti.value if isinstance(anti, Constant) else threshold)
    reroll: Reroll = situation.reroll_wounds
    if reroll is None and "Twin-linked" in abilities:
        reroll = "failed"
    modifier = clamped_total(modifiers, -edition.roll_cap, edition.roll_cap)
    strengths = integer_law(weapon.strength)
    wounds = tuple(
        Wound(
            max(1, strengths.low + index),
            weight,
            Check(
                need=wound_need(max(1, strengths.low + index), target.toughness),
                modifier=modifier,
                criticals=((threshold, False),),
                reroll=reroll,
            ),
        )
        for index, weight in enumerate(strengths.weights)
        if weight
    )
    return wounds, tuple(modifiers)


def wound_need(strength: int, toughness: int) -> int:
    """Return the wound roll that strength needs against toughness.

    Examples
    --------
    >>> [wound_need(8, 4), wound_need(5, 4), wound_need(4, 4), wound_need(4, 7), wound_need(4, 8)]
    [2, 3, 4, 5, 6]

    References
    ----------
    Warhammer 40,000 10th edition core rules, Making Attacks, Wound Roll.
    """
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


def _wound_weights(wounds: tuple[Wound, ...]) -> tuple[int, int, int, int]:
    fail = success = critical = total = 0
    for wound in wounds:
        weights = wound.check.weights()
        fail += wound.weight * weights[0]
        success += wound.weight * weights[1]
        critical += wound.weight * weights[2]
        total += wound.weight * 36
    return fail, success, critical, total


def _saves(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> tuple[Save, ...]:
    """Return the saving throws to choose from: armour under AP and cover, invulnerable under neither."""
    saves = []
    depth = -weapon.ap
    cap = edition.save_cap
    if target.save is not None:
        modifiers = list(situation.save_modifier)
        if cover := _cover(weapon, abilities, situation, target.save):
            modifiers.append(cover)
        bonus = clamped_total(modifiers, -99, 99)
        net = min(bonus - depth, cap) if rulings["save_cap"] == "net" else min(bonus, cap) - depth
        if depth:
            modifiers.append(Modifier("subtract", depth, f"AP-{depth}"))
        check = Check(need=target.save, modifier=net, reroll=situation.reroll_saves)
        saves.append(Save("armour", target.save, check, tuple(modifiers), check.weights()[0]))
    if target.invulnerable is not None:
        need, against = target.invulnerable
        if against is None or (against == "melee") == weapon.melee:
            modifier = clamped_total(situation.save_modifier, -99, cap)
            check = Check(need=need, modifier=modifier, reroll=situation.reroll_saves)
            saves.append(Save("invulnerable", need, check, situation.save_modifier, check.weights()[0]))
    return tuple(saves)


def _cover(
    weapon: Weapon, abilities: Mapping[str, Keyword], situation: Situation, save: int
) -> Modifier | None:
    """Return the benefit of cover, which a save of 3+ or better does not have against AP 0."""
    if weapon.melee or "Ignores Cover" in abilities:
        return None
    indirect = situation.indirect and "Indirect Fire" in abilities
    if not (situation.cover or indirect) or (save <= 3 and weapon.ap == 0):
        return None
    return Modifier(
        "add", 1, "benefit of cover" if situation.cover else "benefit of cover from Indirect Fire"
    )


def _damage_modifiers(
    abilities: Mapping[str, Keyword], situation: Situation, target: Target, *, target_rules: bool
) -> tuple[Modifier, ...]:
    modifiers = []
    if situation.half_range and "Melta" in abilities:
        value = abilities["Melta"].value
        more = value.bounds()[0] if value else 0
        modifiers.append(Modifier("add", more, f"Melta {value}, within half range"))
    if target_rules and target.half_damage:
        modifiers.append(Modifier("divide", 2, "the target halves Damage"))
    if target_rules and target.damage_reduction:
        modifiers.append(Modifier("subtract", target.damage_reduction, "the target reduces Damage"))
    return tuple(modifiers)


def _best(target: Target) -> int | None:
    """Return the better Feel No Pain against mortal wounds: only one may be used for each wound."""
    rolls = [roll for roll in (target.feel_no_pain, target.feel_no_pain_mortal) if roll is not None]
    return min(rolls, default=None)
