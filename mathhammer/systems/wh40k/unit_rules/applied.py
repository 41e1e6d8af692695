"""Rules of a unit that are on: whether their conditions hold, and what they do to its weapons and to it as a target."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.triggers import Incoming, Trigger
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.situation import conditions
from mathhammer.systems.wh40k.unit_rules.rule import is_computed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.profiles.targets import TargetUnit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, UnitRule


@lru_cache(maxsize=4096)
def key_of(name: str) -> str:
    """Return a name for comparing: its words in small letters and the singular, as far as an "s" tells."""
    text = name.translate({0x2019: "'", 0x2018: "'"}).casefold()
    return " ".join(word.removesuffix("s") for word in re.findall(r"[a-z0-9']+", text))


def has_keyword(name: str, keywords: Iterable[str]) -> bool:
    """Whether a keyword, or several written as one, is among keywords."""
    known, rest = set(map(key_of, keywords)), key_of(name).split()
    while known and rest:
        taken = next((count for count in range(len(rest), 0, -1) if " ".join(rest[:count]) in known), 0)
        if not taken:
            return False
        rest = rest[taken:]
    return bool(known)


def is_named(who: tuple[str, ...], has: Callable[[str], bool]) -> bool:
    """Whether names reach who has some of them: any of those, all if there is none, but none behind a "not"."""
    barred = [name.removeprefix("not ") for name in who if name.startswith("not ")]
    return (len(barred) == len(who) or any(map(has, who))) and not any(map(has, barred))


def same_weapon(name: str, weapon: str) -> bool:
    """Whether a text means the weapon of a name, its mode apart."""
    names = {key_of(weapon), key_of(re.split(r" [-–] | \(", weapon)[0])}
    return key_of(name) in names or key_of(name).removesuffix(" weapon") in names


def _is(unit: Unit, group: int, name: str) -> bool:
    model = unit.models[group]
    if key_of(name) == "bodyguard":  # a model of the unit that its leaders were attached to
        return not model.leader
    return has_keyword(name, (*unit.keywords, *unit.factions, *model.keywords, model.name))


def groups_of(effect: RuleEffect, rule: UnitRule, unit: Unit) -> frozenset[int]:
    """Return the places of the models of a unit that an effect is about."""
    every: Iterable[int] = range(len(unit.models))
    if effect.side == "enemy":  # whom it names is the enemy
        return frozenset(every)
    if effect.scope == "named":
        wanted = set(map(key_of, effect.who))
        called = [(model.name, *re.split(r" w/ | with ", model.name)) for model in unit.models]
        found = [group for group in every if wanted.intersection(map(key_of, called[group]))]
        return frozenset(found or (rule.groups if key_of(rule.of) in wanted else ()))
    owners = {"model": rule.groups, "others": set(every) - set(rule.groups)}.get(effect.scope, every)
    return frozenset(group for group in owners if is_named(effect.who, partial(_is, unit, group)))


def _by_list(condition: RuleCondition, rule: UnitRule, unit: Unit) -> bool:
    """Whether a condition holds that the list or an attachment decides."""
    kind, names, models = condition.kind, condition.value, range(len(unit.models))
    leaders = [group for group in models if unit.models[group].leader]
    if kind == "leading":
        led = bool(unit.joined) and any(group in leaders for group in rule.groups)
        return led and (not names or key_of(unit.joined[0]) in map(key_of, names))
    if kind == "wargear":
        return any(same_weapon(name, line.name) for name in names for line in unit.weapons)
    joined = {key_of(name) for name in unit.joined} if kind == "contains" else set()
    among = {"led_by": leaders, "contains": models}.get(kind, ())
    return kind == "at_best" or any(
        key_of(name) in joined or any(_is(unit, group, name) for group in among) for name in names
    )


def is_for_one_friend(effect: RuleEffect) -> bool:
    """Whether the player says which other unit has an effect: one that is chosen, or that was carried."""
    others = {"friend", "disembarked"} if effect.scope == "friends" else {"friend"}
    return any(each.kind in others for each in effect.when)


def _left_open(rule: UnitRule, effect: RuleEffect, unit: Unit) -> tuple[RuleCondition, ...] | None:
    """Return the conditions left to weapon, target and situation; nothing where another one does not hold."""
    on = rule.switched is True
    if rule.switched is False or (rule.source == "army" and not (on or rule.states)):
        return None
    if effect.scope == "friends" and is_for_one_friend(effect):
        return None  # it acts on the unit that it is used on, which has it as a gift
    left = []
    for each in effect.when:
        by = each.decided_by
        if by in {"list", "attachment"}:
            if not _by_list(each, rule, unit):
                return None
        elif by != "player" or each.kind.startswith("on_critical"):
            left += [each] if by != "situation" or not on else []
        elif each.kind == "state" and set(each.value) & set(rule.states):
            continue
        elif not on or (each.kind == "choice" and key_of(rule.choice) != key_of(each.value[0])):
            return None
    return tuple(left)


class Acting(NamedTuple):
    """An effect in force, for some of the models, as far as list and switches decide; the rest is open."""

    rule: UnitRule
    effect: RuleEffect
    groups: frozenset[int]
    open: tuple[RuleCondition, ...]

    def is_leaders(self, unit: Unit) -> bool:
        """Whether leaders give it to their whole unit."""
        owners = [unit.models[group].leader for group in self.rule.groups]
        return all((*owners, owners)) and len(unit.models) == len(self.groups) > len(owners)

    def is_gift(self, unit: Unit) -> bool:
        """Whether it ends with them: no characteristic and no rule that is in force once, as a target unit can say."""
        lasting = {"toughness", "save", "wounds", "deadly_demise", "damage_to"}
        return self.effect.kind not in lasting and self.is_leaders(unit)


@lru_cache(maxsize=2048)
def acting(unit: Unit, *, against: bool = False) -> tuple[Acting, ...]:
    """Return the effects of a unit's rules on its own attacks, or on those against it."""
    found = []
    for rule in unit.rules:
        for effect in rule.effects:
            ours = is_computed(effect) and (effect.side == "attack") != against
            left = _left_open(rule, effect, unit) if ours else None
            if left is not None and (groups := groups_of(effect, rule, unit)):
                found.append(Acting(rule, effect, groups, left))
    return tuple(found)


def alone(effects: tuple[Acting, ...]) -> tuple[Acting, ...]:
    """Return the effects by which weapons are compared: re-rolls of one die are not for each of them."""
    return tuple(each for each in effects if not _limited_reroll(each.effect))


def _limited_reroll(effect: RuleEffect) -> str:
    """Return the rolls of one of which an effect re-rolls a die: ``"hit or wound"``; nothing for other effects."""
    if effect.kind == "reroll_one":
        return " or ".join(roll for roll in ("hit", "wound", "damage") if roll in effect.value)
    rolls = {"reroll_hits": "hit", "reroll_wounds": "wound", "reroll_damage": "damage"}
    return rolls.get(effect.kind, "") if effect.value == "one" else ""


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
        open_ = (_holds(condition, weapon, target, situation) for condition in each.open)
        if reached and _about(each.effect, weapon) and all(open_):
            known = found.setdefault((id(each.rule), each.effect.kind), [])
            instead = each.effect.instead  # of what else the rule has, but not of what is said with it
            kept = (other for other in known if not instead or other.effect.when == each.effect.when)
            known[:] = [*kept, each]
    if not found:
        return weapon, situation
    changed, keywords = dict(situation), list(weapon.keywords)
    for each in (one for several in found.values() for one in several):
        if each.effect.kind in {"keyword", "no_cover"}:
            keywords += parse_keywords(each.effect.value or "Ignores Cover")
        else:
            _change(changed, each, weapon)
    if len(keywords) > len(weapon.keywords):
        weapon = replace(weapon, keywords=tuple(dict.fromkeys(keywords)))
    return weapon, changed


def _about(effect: RuleEffect, weapon: Weapon) -> bool:
    """Whether an effect is about a weapon, by its kind and its name."""
    if effect.attacks == "psychic":
        fits = any(rule.psychic for rule in abilities_of(weapon, rulebook().by_name))
    else:
        fits = effect.attacks in {"any", "melee" if weapon.melee else "ranged"}
    abilities = {key_of(keyword.name) for keyword in weapon.keywords}
    return fits and is_named(
        effect.weapons,
        lambda name: key_of(name).removesuffix(" weapon") in abilities or same_weapon(name, weapon.name),
    )


def _holds(
    condition: RuleCondition, weapon: Weapon, target: Target | TargetUnit, situation: Mapping[str, object]
) -> bool:
    """Whether a condition holds that the weapon, its target or the situation decides."""
    kind = condition.kind
    kinds = (target,) if isinstance(target, Target) else target.kinds
    if kind in {"target_keyword", "target_not_keyword"}:
        has = any(has_keyword(name, target.keywords) for name in condition.value)
        return has == (kind == "target_keyword")
    if kind == "target_intact":
        return not any(each.wounds_lost for each in kinds)
    if kind == "target_half_left":
        # A unit of one model is below half-strength by its wounds; who has lost no model of several is not.
        return len(kinds) > 1 or kinds[0].models != 1 or 2 * kinds[0].wounds_lost <= kinds[0].wounds
    if kind in {"stronger", "weaker", "not_stronger"}:
        low, high = weapon.strength.bounds()
        most = target.toughness - (kind == "weaker")
        return low > most if kind == "stronger" else high <= most
    return kind.startswith("on_critical") or bool(situation.get(kind))


def _change(changed: dict[str, object], each: Acting, weapon: Weapon) -> None:
    """Put an effect into the keywords of a situation: more of what is said already, or the better of both."""
    effect, source = each.effect, f"{each.rule.of}: {each.rule.name}"
    name, value = effect.kind, effect.value
    more: Any = None
    if any(condition.kind == "on_critical_wound" for condition in each.open):
        ap, better = (value, 0) if effect.operation == "set" else (None, value)
        name, more = "triggers", (Trigger("wound", "critical", source, ap=ap, improve_ap=better),)
    elif name in {"hit", "wound"}:
        name, more = f"{name}_modifier", (Modifier("add", value, source),)
    elif one := _limited_reroll(effect):
        name, more = "limited_rerolls", (one,)
    elif value == "free":
        # Whoever may re-roll any Damage re-rolls what is below the mean, which for sums of dice is the middle.
        low, high = weapon.damage.bounds()
        value = frozenset(face for face in range(low, high + 1) if 2 * face < low + high)
    elif name == "ignore_modifiers":
        more = value.split(",")
    elif name in {"attacks", "skill", "strength", "ap", "damage"}:
        modifier = Modifier(cast("Any", effect.operation), value, source, of=name)
        name, more = "modifiers", (modifier,)
    if name == "ignore_engaged":
        changed.pop("engaged", None)
        return
    name = {"overwatch": "overwatch_hits_on"}.get(name, name)
    keyword, said = conditions()[name].value, changed.get(name)
    if more is not None:
        held: Any = keyword.usual if said is None else keyword.read(said)
        changed[name] = type(held)((*held, *more))
    elif value != frozenset():
        changed[name] = value if said is None else keyword.better(said, value)


def leaders_rules(unit: Unit, *, ending: bool) -> tuple[str, ...]:
    """Return the names of leaders' rules that, if gifts are `ending` with them, stay with their unit as a target."""
    given = (each for each in acting(unit, against=True) if each.is_leaders(unit))
    return tuple(dict.fromkeys(each.rule.name for each in given if not (ending and each.is_gift(unit))))


def leaders_gifts(unit: Unit) -> dict[int, dict[str, Any]]:
    """Return what leaders give their whole unit, arguments of a Target by the places of their models."""
    nothing = Target("nothing", toughness=1, save=None, wounds=1)
    given: dict[int, Target] = {}
    for each in acting(unit, against=True):
        for group in each.rule.groups if each.is_gift(unit) else ():
            given[group] = _granted(given.get(group, nothing), each)
    return {
        group: {
            name: value for name in gift.fields if (value := getattr(gift, name)) != getattr(nothing, name)
        }
        for group, gift in given.items()
    }


def defended(unit: Unit, *, alone: bool = False) -> tuple[ModelGroup, ...]:
    """Return the models of a unit with what its rules that are on give to them, but `alone` not its leaders' gifts."""
    models = list(unit.models)
    for each in acting(unit, against=True):
        for group in each.groups if not (alone and each.is_gift(unit)) else ():
            profile = models[group].profile
            if profile is not None:
                models[group] = replace(models[group], profile=_granted(profile, each))
    return tuple(models)


def _granted(profile: Target, each: Acting) -> Target:
    """Return a target with what an effect gives it."""
    kind, value, attacks = each.effect.kind, each.effect.value, each.effect.attacks
    changes: dict[str, Any] = {}
    match kind:
        case "invulnerable":
            changes[kind] = needed((*profile.invulnerable, (value, None if attacks == "any" else attacks)))
        case "feel_no_pain":
            need, pain = value
            for which in ("mortal", "psychic") if pain == "both" else (pain,):
                name = f"{kind}_{which}".rstrip("_")
                changes[name] = min(getattr(profile, name) or 7, need)
        case "damage_allocated":
            changes["damage_reduction"] = profile.damage_reduction + 1
        case "half_damage" | "damage_to" | "stealth" | "cover":
            changes[{"damage_to": "damage_to_0", "cover": "in_cover"}.get(kind, kind)] = True
        case "save_modifier":
            changes["damage_1_save_bonus"] = profile.damage_1_save_bonus + value
        case "deadly_demise":
            changes[kind] = value
        case "toughness" | "wounds":
            before = getattr(profile, kind)
            after = {"set": value, "multiply": before * value}.get(each.effect.operation, before + value)
            changes[kind] = max(1, after)
        case "save":
            save, done = profile.save or 7, each.effect.operation
            limits = (condition.value[0][0] for condition in each.effect.when if condition.kind == "at_best")
            best = max([2, *map(int, limits)])
            changes[kind] = value if done == "set" else min(save, max(best, save - value))
        case _:
            done, source = each.effect.operation, f"{each.rule.of}: {each.rule.name}"
            how, amount = (done, abs(value)) if done in {"improve", "worsen"} else ("add", value)
            modifier = Modifier(cast("Any", how), amount, source, of=kind)
            stronger = any(condition.kind == "stronger" for condition in each.open)
            incoming = Incoming(modifier, cast("Any", attacks), if_stronger=stronger)
            changes["incoming"] = (*profile.incoming, incoming)
    return replace(profile, **changes)


def needed(given: Iterable[tuple[int, str | None]]) -> list[tuple[int, str | None]]:
    """Return invulnerable saves without those that another makes needless, the one against all attacks first."""
    saves = set(given)
    saves |= {(value, None) for value, _ in saves if {(value, "ranged"), (value, "melee")} <= saves}
    needless = {
        save
        for save in saves
        if any(roll <= save[0] and against in {None, save[1]} for roll, against in saves - {save})
    }
    return sorted(saves - needless, key=lambda save: (-save[0], save[1] or ""))
