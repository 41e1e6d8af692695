"""From profiles to stages: what each roll of a volley needs under the rules of one edition.

Rules are those of the Warhammer 40,000 10th edition core rules (Making Attacks, Weapon Abilities) with the Core
Rules Updates and the Rules Commentary; where the 9th edition differs, its data in `editions` say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.characteristics import Characteristic
from mathhammer.distributions import IntegerLaw
from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import Check, Reroll
from mathhammer.expressions.expression import Constant, Repeated, Sum
from mathhammer.expressions.modified import maximum
from mathhammer.modifiers import Modifier, clamped_total
from mathhammer.sequence import Chances, VolleyLaw, ignoring_wounds
from mathhammer.systems.wh40k.damage import damage_after_modifiers, integer_law
from mathhammer.systems.wh40k.in_force import armour_penetration, modified_profiles, modifiers_of
from mathhammer.systems.wh40k.saves import Save, cover_modifiers, saves_against
from mathhammer.systems.wh40k.triggered import Bearer, Rolls, triggered_chances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.triggers import Trigger

__all__ = ["Attacks", "Save", "Stages", "Wound", "compile_stages", "wound_need"]

#: Situations in words.
_WHEN = {"stationary": "remained stationary", "moved": "moved", "advanced": "advanced"}


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
    chances: Chances
    law: VolleyLaw
    used: Weapon
    touched: tuple[Characteristic, ...]
    triggers: tuple[Trigger, ...]
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
    used = weapon
    touched: tuple[Characteristic, ...] = ()
    if situation.modifiers:
        used, target, touched = modified_profiles(weapon, target, situation, edition)
    if not edition.critical:
        _require_no_criticals(situation, edition)
    abilities = _abilities(used, target, edition)
    attacks = _attacks(used, count, abilities, situation, target, edition, rulings)
    hit, hit_modifiers = _hit(used, abilities, situation, edition, rulings)
    wounds, wound_modifiers = _wounds(used, abilities, situation, target, edition)
    ap = used.ap
    if situation.modifiers or situation.triggers:
        penetration = armour_penetration(used, situation, edition, rulings)
        ap = penetration.number
        touched = (*touched, penetration) if penetration.modifiers else touched
    saves = saves_against(used, ap, abilities, situation, target, edition, rulings)
    save = min(saves, key=lambda save: save.unsaved, default=None)
    damage_modifiers = _damage_modifiers(abilities, situation, target, target_rules=True)
    devastating = "Devastating Wounds" in abilities
    apply = rulings.get("devastating_damage_modifiers") != "ignore"
    deferred_modifiers = (
        damage_modifiers if apply else _damage_modifiers(abilities, situation, target, target_rules=False)
    )
    feel_no_pain, deferred_feel_no_pain = target.feel_no_pain, _best(target)
    each_die = rulings.get("damage_reroll_of_several_dice") == "each-die"
    rolled = integer_law(weapon.damage, situation.reroll_damage, each_die=each_die)
    rules = edition.characteristics["damage"]
    damage = ignoring_wounds(damage_after_modifiers(rolled, damage_modifiers, rules), feel_no_pain)
    deferred = damage
    if devastating and (deferred_modifiers, deferred_feel_no_pain) != (damage_modifiers, feel_no_pain):
        deferred = ignoring_wounds(
            damage_after_modifiers(rolled, deferred_modifiers, rules), deferred_feel_no_pain
        )
    chances = Chances(
        hit=(0, 36, 0) if hit is None else hit.weights(),
        wound=_wound_weights(wounds),
        unsaved=36 if save is None else save.unsaved,
        critical_hits_wound="Lethal Hits" in abilities,
        extra_hits=integer_law(abilities["Sustained Hits"].value) if "Sustained Hits" in abilities else None,
        critical_wounds_deferred=devastating,
    )
    law = VolleyLaw(attacks.total, chances, damage, deferred)
    bearers: tuple[Bearer, ...] = ()
    if situation.triggers:

        def unsaved(better: tuple[Modifier, ...]) -> int:
            worse = penetration.with_modifiers(*better).number if better else ap
            saves = saves_against(used, worse, abilities, situation, target, edition, rulings)
            return min((save.unsaved for save in saves), default=36)

        law = _triggered(law, chances, hit, wounds, unsaved, situation.triggers, deferred_feel_no_pain)
        bearers = _bearers(count, attacks, hit, situation.triggers)
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
        chances,
        law,
        used,
        touched,
        situation.triggers,
        bearers,
    )


def _require_no_criticals(situation: Situation, edition: Edition) -> None:
    """Refuse what an edition without critical rolls cannot mean."""
    if min(situation.critical_hit, situation.critical_wound) < 6:
        raise MathhammerError(
            f"expected no critical_hit or critical_wound in the {edition.title}, which has no critical rolls; "
            "give its rules as triggers, as in Trigger('hit', 'unmodified 5+', ...)"
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
    feel_no_pain: int | None,
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
    deferred = law.deferred_damage
    if any(trigger.mortal_wounds is not None for trigger in triggers):
        deferred = ignoring_wounds(IntegerLaw(1, (1,), 1), feel_no_pain)
    return VolleyLaw(law.attacks, chances, law.damage, deferred)


def _bearers(
    count: int, attacks: Attacks, hit: Check | None, triggers: tuple[Trigger, ...]
) -> tuple[Bearer, ...]:
    found = []
    for trigger in triggers:
        if trigger.bearer is None or hit is None:
            continue
        if any(other.extra_attacks is not None for other in triggers):
            raise MathhammerError(
                "expected overheating or additional attacks from one weapon, got both; the additional hit rolls "
                "can overheat too, so give them to another volley"
            )
        weights = hit.face_weights()
        weight = sum(weights[face - 1] for face in trigger.faces(hit))
        found.append(Bearer(count, attacks.each, weight, trigger.bearer))
    return tuple(found)


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


def _attacks(
    weapon: Weapon,
    count: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Attacks:
    """Add what Rapid Fire and Blast give, with all other modifiers of Attacks; never fewer than 1."""
    each, modifiers, added = (
        weapon.attacks,
        list(modifiers_of(situation, "attacks") if situation.modifiers else ()),
        [],
    )
    blast = "Blast" in abilities and not (
        isinstance(each, Constant) and rulings.get("blast_fixed_attacks") == "ignore"
    )
    if blast and edition.blast == "by size" and target.models >= 6:
        each, text = _blast_by_size(each, target.models)
        added.append(text)
    if situation.half_range and "Rapid Fire" in abilities and edition.rapid_fire == "double":
        modifiers.append(Modifier("multiply", 2, "Rapid Fire, within half range", of="attacks"))
    if modifiers:
        characteristic = Characteristic(each, edition.characteristics["attacks"], tuple(modifiers))
        each = characteristic.expression
        added += [f"in all {characteristic.explain()}", *map(str, modifiers)]
    if situation.half_range and "Rapid Fire" in abilities and edition.rapid_fire == "add":
        more = abilities["Rapid Fire"].value or Constant(0)
        each = _sum(each, more)
        added.append(f"+{more} (Rapid Fire, within half range)")
    if blast and edition.blast == "every five" and target.models >= 5:
        more = Constant(target.models // 5)
        each = _sum(each, more)
        added.append(f"+{more} (Blast against {target.models} models)")
    if each.bounds()[0] < 1:
        each = maximum(each, 1)
    total = Constant(each.value * count) if isinstance(each, Constant) else Repeated(count, each)
    return Attacks(each, each if count == 1 else total, tuple(added))


def _blast_by_size(each: Expression, models: int) -> tuple[Expression, str]:
    """Return at least 3 attacks against 6 to 10 models, and as many as there can be against 11 or more.

    References
    ----------
    Warhammer 40,000 9th edition core rules, Blast Weapons.
    """
    if models >= 11:
        return Constant(each.bounds()[1]), f"the most there can be (Blast against {models} models)"
    raised = each if isinstance(each, Constant) else maximum(each, 3)
    return raised, f"at least 3 (Blast against {models} models)"


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
    for ability, when, value in edition.movement if abilities else ():
        if ability in abilities and getattr(situation, when):
            modifiers.append(Modifier("add", value, f"{ability}, {_WHEN[when]}"))
    if situation.cover:
        modifiers += cover_modifiers(weapon, "hit", abilities, situation, edition)
    indirect = situation.indirect and "Indirect Fire" in abilities
    if indirect:
        modifiers.append(Modifier("subtract", 1, "Indirect Fire, target not visible"))
    successful = situation.critical_hit < 6 and rulings.get("critical_hit_wording") == "successful"
    criticals = [(6, False)] if edition.critical else []
    if situation.critical_hit < 6:
        criticals.append((situation.critical_hit, successful))
    if situation.long_range and "Conversion" in abilities:
        criticals.append((4, True))
    fails_up_to = 3 if indirect else 1
    if indirect and rulings.get("indirect_against_critical") == "critical":
        lowest = min(face for face, must_succeed in criticals if not must_succeed)
        fails_up_to = min(3, max(1, lowest - 1))
    check = Check(
        need=weapon.skill,
        modifier=clamped_total(modifiers, -edition.roll_cap, edition.roll_cap),
        fails_up_to=fails_up_to,
        succeeds_from=7 if edition.critical else 6,
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
    always = 7 if edition.critical else 6
    criticals = ((threshold, False),) if edition.critical else ()
    strengths = integer_law(weapon.strength)
    wounds = tuple(
        Wound(
            max(1, strengths.low + index),
            weight,
            Check(
                need=wound_need(max(1, strengths.low + index), target.toughness),
                modifier=modifier,
                succeeds_from=always,
                criticals=criticals,
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


def _damage_modifiers(
    abilities: Mapping[str, Keyword], situation: Situation, target: Target, *, target_rules: bool
) -> tuple[Modifier, ...]:
    if not (abilities or situation.modifiers or target.half_damage or target.damage_reduction):
        return ()
    modifiers = list(modifiers_of(situation, "damage")) if situation.modifiers else []
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
