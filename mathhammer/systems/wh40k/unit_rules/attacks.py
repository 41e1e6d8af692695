"""What the rules of a unit that are on do to a weapon of its models against a target."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.triggers import Trigger
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.situation import conditions
from mathhammer.systems.wh40k.unit_rules.computed import CHARACTERISTICS, REROLLS, is_computed, limited_reroll
from mathhammer.systems.wh40k.unit_rules.holds import (
    by_target,
    decided,
    groups_of,
    key_of,
    same_weapon,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.modifiers import Operation
    from mathhammer.systems.wh40k.armies.army import Unit, WeaponLine
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.situation import SituationKeywords
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, UnitRule


class Acting(NamedTuple):
    """An effect in force as far as list and switches decide, for some of the models."""

    rule: UnitRule
    effect: RuleEffect
    groups: frozenset[int]
    open: tuple[RuleCondition, ...]
    """The conditions that weapon, target and situation decide."""


@lru_cache(maxsize=1024)
def acting(unit: Unit) -> tuple[Acting, ...]:
    """Return the effects of a unit's rules on its own attacks."""
    found = []
    for rule in unit.rules:
        for effect in rule.effects:
            if effect.side != "attack" or not is_computed(effect):
                continue
            left = decided(rule, effect, unit)
            if left is not None and (groups := groups_of(effect, rule, unit)):
                found.append(Acting(rule, effect, groups, left))
    return tuple(found)


def ruled(
    effects: tuple[Acting, ...],
    unit: Unit,
    group: int | None,
    weapon: Weapon,
    target: Target | TargetUnit,
    situation: Mapping[str, object],
) -> tuple[Weapon, Mapping[str, object]]:
    """Return a weapon and what is true of its attacks, with the rules of its unit."""
    found: dict[tuple[int, str], list[Acting]] = {}
    for each in effects:
        reached = group in each.groups if group is not None else len(each.groups) == len(unit.models)
        if (
            reached
            and _about(each.effect, weapon)
            and all(_holds(c, weapon, target, situation) for c in each.open)
        ):
            key = id(each.rule), each.effect.kind
            found[key] = [each] if each.effect.instead else [*found.get(key, ()), each]
    if not found:
        return weapon, situation
    changed = dict(situation)
    keywords = list(weapon.keywords)
    for each in (one for several in found.values() for one in several):
        if each.effect.kind == "keyword":
            keywords += parse_keywords(str(each.effect.value))
        elif each.effect.kind == "no_cover":
            keywords += parse_keywords("Ignores Cover")
        else:
            _change(changed, each, weapon)
    if len(keywords) > len(weapon.keywords):
        weapon = replace(weapon, keywords=tuple(dict.fromkeys(keywords)))
    return weapon, changed


def alone(effects: tuple[Acting, ...]) -> tuple[Acting, ...]:
    """Return the effects by which weapons are compared: re-rolls of one die are not for each of them."""
    return tuple(each for each in effects if not limited_reroll(each.effect))


def volley(
    effects: tuple[Acting, ...],
    unit: Unit,
    line: WeaponLine,
    weapon: Weapon,
    target: Target | TargetUnit,
    situation: Mapping[str, object],
) -> Volley:
    """Return the volley of a line of a unit's wargear against a target, with the rules of the unit."""
    changed, given = ruled(effects, unit, line.group, weapon, target, situation)
    own = {} if given is situation else cast("SituationKeywords", given)
    return Volley(changed, line.count, **own)


def _holds(
    condition: RuleCondition, weapon: Weapon, target: Target | TargetUnit, situation: Mapping[str, object]
) -> bool:
    return condition.kind.startswith("on_critical") or by_target(condition, weapon, target, situation)


def _about(effect: RuleEffect, weapon: Weapon) -> bool:
    """Whether an effect is about a weapon, by its kind and its name."""
    kind = effect.attacks
    if kind == "psychic" and not any(rule.psychic for rule in abilities_of(weapon, rulebook().by_name)):
        return False
    if kind in {"ranged", "melee"} and (kind == "melee") != weapon.melee:
        return False
    if not effect.weapons:
        return True
    abilities = {key_of(keyword.name) for keyword in weapon.keywords}
    return any(
        same_weapon(name, weapon.name) or key_of(name).removesuffix(" weapon") in abilities
        for name in effect.weapons
    )


def _change(changed: dict[str, object], each: Acting, weapon: Weapon) -> None:
    """Put an effect into the keywords of a situation."""
    effect, source = each.effect, f"{each.rule.of}: {each.rule.name}"
    kind, number = effect.kind, effect.number
    if any(condition.kind == "on_critical_wound" for condition in each.open):
        sets = effect.operation == "set"
        ap, better = (number, 0) if sets else (None, number)
        _add(changed, "triggers", Trigger("wound", "critical", source, ap=ap, improve_ap=better))
    elif kind in {"hit", "wound"}:
        _add(changed, f"{kind}_modifier", Modifier("add", number, source))
    elif kind in CHARACTERISTICS:
        _add(changed, "modifiers", Modifier(cast("Operation", effect.operation), number, source, of=kind))
    elif one := limited_reroll(effect):
        _add(changed, "limited_rerolls", one)
    elif kind in REROLLS:
        # Whoever may re-roll any Damage re-rolls what is below the mean, which for sums of dice is the middle.
        low, high = weapon.damage.bounds()
        below = frozenset(face for face in range(low, high + 1) if 2 * face < low + high)
        if effect.value != "free" or below:
            _improve(changed, kind, below if effect.value == "free" else effect.value)
    elif kind in {"critical_hit", "critical_wound", "overwatch"}:
        _improve(changed, "overwatch_hits_on" if kind == "overwatch" else kind, effect.value)
    elif kind == "ignore_modifiers":
        present = cast("frozenset[str]", _read(changed, kind))
        changed[kind] = present.union(str(effect.value).split(","))
    elif kind == "ignore_engaged":
        changed.pop("engaged", None)


def _read(changed: Mapping[str, object], name: str) -> object:
    """Return what is said already, in its normal form."""
    value = conditions()[name].value
    return value.read(name, changed[name]) if name in changed else value.usual


def _add(changed: dict[str, object], name: str, more: Modifier | Trigger | str) -> None:
    changed[name] = (*cast("tuple[object, ...]", _read(changed, name)), more)


def _improve(changed: dict[str, object], name: str, value: object) -> None:
    """Put the better of what is said already, if anything is, and a value."""
    present = changed.get(name)
    changed[name] = value if present is None else conditions()[name].value.better(present, value)
