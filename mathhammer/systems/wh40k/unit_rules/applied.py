"""Rules of a unit that are on: whether their conditions hold, and what they do to its weapons and to it as a target."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.incoming import Incoming
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.triggers import Trigger
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.situation import conditions
from mathhammer.systems.wh40k.unit_rules.rule import CHARACTERISTICS, REROLLS, is_computed, limited_reroll

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mathhammer.modifiers import Operation
    from mathhammer.systems.wh40k.armies.army import ModelGroup, Unit, WeaponLine
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.situation import SituationKeywords
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


#: Characteristics, and rules that are in force once, which no gift of a target unit is.
_LASTING = frozenset(("toughness", "save", "wounds", "deadly_demise", "damage_to"))


class _Defence(NamedTuple):
    """An effect in force for groups of models."""

    rule: UnitRule
    effect: RuleEffect
    groups: frozenset[int]
    stronger: bool

    def is_leaders(self, unit: Unit) -> bool:
        """Whether leaders give it to their whole unit."""
        owners = [unit.models[group].leader for group in self.rule.groups]
        return all((*owners, owners)) and len(unit.models) == len(self.groups) > len(owners)

    def is_gift(self, unit: Unit) -> bool:
        """Whether it ends with them: a :class:`TargetUnit` can say so of it."""
        return self.effect.kind not in _LASTING and self.is_leaders(unit)

    def granted(self, profile: Target) -> Target:
        return _granted(profile, self.rule, self.effect, stronger=self.stronger)


@lru_cache(maxsize=1024)
def _in_force(unit: Unit) -> tuple[_Defence, ...]:
    found = []
    for rule in unit.rules:
        for effect in rule.effects:
            if effect.side == "attack" or not is_computed(effect):
                continue
            left = decided(rule, effect, unit)
            if left is not None:
                stronger = any(each.kind == "stronger" for each in left)
                found.append(_Defence(rule, effect, groups_of(effect, rule, unit), stronger))
    return tuple(found)


def leaders_rules(unit: Unit, *, ending: bool) -> tuple[str, ...]:
    """Return the names of the rules by which leaders give their whole unit, as a target, what does not end with them.

    `ending` says that gifts do.
    """
    lasting = (
        each.rule.name
        for each in _in_force(unit)
        if each.is_leaders(unit) and not (ending and each.is_gift(unit))
    )
    return tuple(dict.fromkeys(lasting))


def leaders_gifts(unit: Unit) -> dict[int, dict[str, Any]]:
    """Return what leaders give their whole unit, arguments of a Target by the places of their models."""
    nothing = Target("nothing", toughness=1, save=None, wounds=1)
    given: dict[int, Target] = {}
    for each in _in_force(unit):
        for group in each.rule.groups if each.is_gift(unit) else ():
            given[group] = each.granted(given.get(group, nothing))
    return {
        group: {
            field.name: getattr(gift, field.name)
            for field in fields(gift)
            if getattr(gift, field.name) != getattr(nothing, field.name)
        }
        for group, gift in given.items()
    }


def defended(unit: Unit, *, alone: bool = False) -> tuple[ModelGroup, ...]:
    """Return the models of a unit with what its rules that are on give to them, but `alone` not its leaders' gifts."""
    changed: dict[int, Target] = {}
    for each in _in_force(unit):
        for group in each.groups if not (alone and each.is_gift(unit)) else ():
            profile = changed.get(group, unit.models[group].profile)
            if profile is not None:
                changed[group] = each.granted(profile)
    if not changed:
        return unit.models
    return tuple(
        replace(model, profile=changed[index]) if index in changed else model
        for index, model in enumerate(unit.models)
    )


#: The arguments of a target that are true, where they are called otherwise.
_FLAGS = {"damage_to": "damage_to_0", "cover": "in_cover"}


def _granted(  # noqa: C901 - one case for each kind of effect
    profile: Target, rule: UnitRule, effect: RuleEffect, *, stronger: bool
) -> Target:
    kind, value = effect.kind, effect.number
    source = f"{rule.of}: {rule.name}"
    changes: dict[str, Any] = {}
    match kind:
        case "invulnerable":
            against = None if effect.attacks == "any" else effect.attacks
            changes[kind] = needed((*profile.invulnerable, (value, against)))
        case "feel_no_pain":
            need, against = effect.pain
            for which in ("mortal", "psychic") if against == "both" else (against,):
                name = f"{kind}_{which}".rstrip("_")
                changes[name] = min(getattr(profile, name) or 7, need)
        case "damage_allocated":
            changes["damage_reduction"] = profile.damage_reduction + 1
        case "half_damage" | "damage_to" | "stealth" | "cover":
            changes[_FLAGS.get(kind, kind)] = True
        case "save_modifier":
            changes["damage_1_save_bonus"] = profile.damage_1_save_bonus + value
        case "deadly_demise":
            changes[kind] = effect.value
        case "toughness" | "wounds":
            before = getattr(profile, kind)
            after = {"set": value, "multiply": before * value}.get(effect.operation, before + value)
            changes[kind] = max(1, after)
        case "save":
            before = profile.save or 7
            changes[kind] = value if effect.operation == "set" else max(2, before - value)
        case _:
            modifier = Modifier("add", value, source, of=kind)
            if effect.operation in {"improve", "worsen"}:
                modifier = Modifier(cast("Operation", effect.operation), abs(value), source, of=kind)
            attacks = cast('Literal["any", "ranged", "melee"]', effect.attacks)
            changes["incoming"] = (*profile.incoming, Incoming(modifier, attacks, if_stronger=stronger))
    return replace(profile, **changes)


def needed(given: Iterable[tuple[int, str | None]]) -> list[tuple[int, str | None]]:
    """Return invulnerable saves without those that another makes needless, the one against all attacks first."""
    saves = set(given)
    for value in {value for value, _ in saves}:
        if {(value, "ranged"), (value, "melee")} <= saves:
            saves.add((value, None))
    needed = [
        (value, against)
        for value, against in saves
        if not any(
            other <= value and for_all in {None, against} for other, for_all in saves - {(value, against)}
        )
    ]
    return sorted(needed, key=lambda save: (-save[0], save[1] or ""))
