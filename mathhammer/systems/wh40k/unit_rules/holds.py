"""Whether a condition of a rule holds: by the list, the attachment, the target, the situation or a switch."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.profiles.profiles import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mathhammer.systems.wh40k.armies.army import Unit
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, UnitRule

_KEY = re.compile(r"[a-z0-9']+")


@lru_cache(maxsize=4096)
def key_of(name: str) -> str:
    """Return a name for comparing: its words in small letters and the singular, as far as an "s" tells."""
    text = name.translate({0x2019: "'", 0x2018: "'"}).casefold()
    return " ".join(word.removesuffix("s") for word in _KEY.findall(text))


def has_keyword(name: str, keywords: Iterable[str]) -> bool:
    """Whether a keyword, or several written as one, is among keywords."""
    known = {key_of(keyword) for keyword in keywords}
    rest = key_of(name).split()
    while rest:
        taken = next((n for n in range(len(rest), 0, -1) if " ".join(rest[:n]) in known), 0)
        if not taken:
            return False
        rest = rest[taken:]
    return bool(known)


def groups_of(effect: RuleEffect, rule: UnitRule, unit: Unit) -> frozenset[int]:
    """Return the places of the models of a unit that an effect is about."""
    every = range(len(unit.models))
    if effect.side == "enemy":  # whom it names is the enemy
        return frozenset(every)
    if effect.scope == "model":
        found: Iterable[int] = rule.groups
    elif effect.scope == "named":
        found = [
            g
            for g in every
            if any(key_of(name) in {key_of(unit.models[g].name), *_parts(unit, g)} for name in effect.who)
        ]
        return frozenset(
            found or (rule.groups if any(key_of(name) == key_of(rule.of) for name in effect.who) else ())
        )
    else:
        found = every
    return frozenset(g for g in found if is_named(effect.who, partial(_is, unit, g)))


def is_named(who: tuple[str, ...], has: Callable[[str], bool]) -> bool:
    """Whether names reach who has some of them: any of those, all if there is none, but none behind a "not"."""
    wanted = [name for name in who if not name.startswith("not ")]
    barred = (name.removeprefix("not ") for name in who if name.startswith("not "))
    return (not wanted or any(map(has, wanted))) and not any(map(has, barred))


def _parts(unit: Unit, group: int) -> set[str]:
    return {key_of(part) for part in re.split(r" w/ | with ", unit.models[group].name)}


def _is(unit: Unit, group: int, name: str) -> bool:
    model = unit.models[group]
    if key_of(name) == "bodyguard":  # a model of the unit that its leaders were attached to
        return not model.leader
    return has_keyword(name, (*unit.keywords, *unit.factions, *model.keywords, model.name))


def by_list(condition: RuleCondition, rule: UnitRule, unit: Unit) -> bool:
    """Whether a condition holds that the list or an attachment decides."""
    if condition.kind == "leading":
        led = bool(unit.joined) and any(unit.models[g].leader for g in rule.groups if g < len(unit.models))
        return led and (
            not condition.value or any(key_of(name) == key_of(unit.joined[0]) for name in condition.value)
        )
    if condition.kind == "led_by":
        leaders = [g for g, model in enumerate(unit.models) if model.leader]
        return any(_is(unit, g, name) for name in condition.value for g in leaders)
    if condition.kind == "contains":
        names = {key_of(name) for name in unit.joined}
        every = range(len(unit.models))
        return any(
            key_of(name) in names or any(_is(unit, g, name) for g in every) for name in condition.value
        )
    if condition.kind == "wargear":
        return any(same_weapon(name, line.name) for name in condition.value for line in unit.weapons)
    return False


def is_for_one_friend(effect: RuleEffect) -> bool:
    """Whether the player says which other unit has an effect: one that is chosen, or that was carried."""
    others = {"friend", "disembarked"} if effect.scope == "friends" else {"friend"}
    return any(each.kind in others for each in effect.when)


def decided(  # noqa: C901 - one line for each who decides
    rule: UnitRule, effect: RuleEffect, unit: Unit
) -> tuple[RuleCondition, ...] | None:
    """Return the conditions left to weapon, target and situation; nothing where another one does not hold."""
    if rule.switched is False or (rule.source == "army" and rule.switched is not True):
        return None
    if effect.scope == "friends" and is_for_one_friend(effect):
        return None  # it acts on the unit that it is used on, which has it as a gift
    left = []
    for each in effect.when:
        by = each.decided_by
        if by in {"list", "attachment"}:
            if not by_list(each, rule, unit):
                return None
        elif by == "situation":
            if rule.switched is not True:
                left.append(each)
        elif by in {"target", "weapon"} or each.kind.startswith("on_critical"):
            left.append(each)
        elif each.kind == "choice":
            if rule.switched is not True or key_of(rule.choice) != key_of(each.value[0]):
                return None
        elif rule.switched is not True:
            return None
    return tuple(left)


def same_weapon(name: str, weapon: str) -> bool:
    """Whether a text means the weapon of a name, its mode apart."""
    names = {key_of(weapon), key_of(re.split(r" [-–] | \(", weapon)[0])}
    return key_of(name) in names or key_of(name).removesuffix(" weapon") in names


def by_target(
    condition: RuleCondition, weapon: Weapon, target: Target | TargetUnit, situation: Mapping[str, object]
) -> bool:
    """Whether a condition holds that the weapon, its target or the situation decides."""
    kind = condition.kind
    if kind == "target_keyword":
        return any(has_keyword(name, target.keywords) for name in condition.value)
    if kind == "target_not_keyword":
        return not any(has_keyword(name, target.keywords) for name in condition.value)
    kinds = (target,) if isinstance(target, Target) else target.kinds
    if kind == "target_intact":
        return not any(each.wounds_lost for each in kinds)
    if kind == "target_half_left":
        # A unit of one model is below half-strength by its wounds; who has lost no model of several is not.
        alone = kinds[0] if len(kinds) == 1 and kinds[0].models == 1 else None
        return alone is None or 2 * alone.wounds_lost <= alone.wounds
    if kind in {"stronger", "weaker"}:
        low, high = weapon.strength.bounds()
        return low > target.toughness if kind == "stronger" else high < target.toughness
    return bool(situation.get(kind))
