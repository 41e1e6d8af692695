"""Rules of units and armies switched on and off by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k.armies.attachment import find_unit, unit_keys
from mathhammer.systems.wh40k.unit_rules.applied import has_keyword, is_for_one_friend, is_named, key_of
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.systems.wh40k.armies.army import Army, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect, UnitRule


def find_rule(unit: Unit, name: str) -> UnitRule:
    """Return a rule of a unit by its name."""
    wanted = key_of(validation.text(name, "the name of a rule"))
    for rule in unit.rules:
        if wanted in _keys(rule, (unit.name,)):
            return rule
    raise _unknown(name, [rule.name for rule in unit.rules])


def switch_unit(unit: Unit, *, on: str | Iterable[str], off: str | Iterable[str]) -> Unit:
    """Switch rules of a unit; see :meth:`mathhammer.wh40k.Unit.with_rules`."""
    for names, state in ((_names(off, "off"), False), (_names(on, "on"), True)):
        for text in names:
            rules, found = _switched(unit.rules, (unit.name,), text, state=state)
            if not found:
                raise _unknown(text, [rule.name for rule in unit.rules])
            unit = replace(unit, rules=rules)
    return unit


def switch_army(army: Army, *, on: str | Iterable[str], off: str | Iterable[str]) -> Army:
    """Switch rules of an army and its units; see :meth:`mathhammer.wh40k.Army.with_rules`."""
    for names, state in ((_names(off, "off"), False), (_names(on, "on"), True)):
        for text in names:
            army = _switch(army, text, state=state)
    return army


def _switch(army: Army, given: str, *, state: bool) -> Army:
    text, _, friend = (part.strip() for part in given.partition(" > "))
    found: list[UnitRule] = []
    units = []
    for key, unit in zip(unit_keys(army.units), army.units, strict=True):
        own = [rule for rule in unit.rules if rule.source != "friend"]
        rules, switched = _switched(own, dict.fromkeys((key, unit.name, *unit.joined)), text, state=state)
        found += switched
        units.append(
            replace(unit, rules=(*rules, *(r for r in unit.rules if r.source == "friend")))
            if switched
            else unit
        )
    rules, switched = _switched(army.rules, ("army",), text, state=state)
    found += switched
    if not found:
        known = [f"{unit.name}: {rule.name}" for unit in army.units for rule in unit.rules if rule.effects]
        raise _unknown(text, [*known, *(rule.name for rule in army.rules)])
    army = replace(army, units=tuple(units), rules=rules)
    for rule in found:
        army = _without_gift(army, rule)
        if state:
            army = _with_gift(army, rule, friend)
    return army


def _without_gift(army: Army, rule: UnitRule) -> Army:
    """Take back what a rule gave to friendly units."""

    def kept(unit: Unit) -> Unit:
        rest = tuple(
            r for r in unit.rules if not (r.source == "friend" and (r.name, r.of) == (rule.name, rule.of))
        )
        return unit if len(rest) == len(unit.rules) else replace(unit, rules=rest)

    return replace(army, units=tuple(map(kept, army.units)))


def _gifts(rule: UnitRule) -> tuple[list[RuleEffect], list[RuleEffect]]:
    """Return the effects of a rule on friendly units, and those of them on one unit that the player chooses."""
    gifts = [effect for effect in rule.effects if effect.scope == "friends" or rule.source == "army"]
    return gifts, [effect for effect in gifts if is_for_one_friend(effect)]


def reached_units(army: Army, rule: UnitRule) -> list[int]:
    """Return the places of the units that the effects of a rule on friendly units can reach."""
    gifts, chosen = _gifts(rule)
    return [
        place
        for place, unit in enumerate(army.units)
        if any(_reaches(effect.who, unit) for effect in gifts) and not (chosen and _carries(unit, rule))
    ]


def _carries(unit: Unit, rule: UnitRule) -> bool:
    """Whether a rule is for those that disembarked from this unit."""
    carried = any(each.kind == "disembarked" for effect in rule.effects for each in effect.when)
    return carried and any((r.name, r.of) == (rule.name, rule.of) for r in unit.rules if r.source != "friend")


def _with_gift(army: Army, rule: UnitRule, friend: str) -> Army:
    """Give the effects of a rule on friendly units to those that they can reach."""
    gifts, chosen = _gifts(rule)
    if chosen and not friend:
        raise MathhammerError(
            f"expected the friendly unit that {rule.name!r} is used on, as in '{rule.of}: {rule.name} > Unit'"
        )
    place = find_unit(army.units, friend) if friend else None
    reached = reached_units(army, rule)
    nobody = not reached and len(gifts) == len(rule.effects)
    if gifts and (nobody if place is None else place not in reached):
        whom = ", ".join(dict.fromkeys(name for effect in gifts for name in effect.who)) or "any unit"
        got = f"got {army.units[place].name!r}" if place is not None else f"but {army.name!r} has none"
        raise MathhammerError(
            f"expected a unit with the keywords that {rule.name!r} is for ({whom}), {got}; a list without faction "
            "keywords cannot tell"
        )
    units = []
    for index, unit in enumerate(army.units):
        own = any((r.name, r.of) == (rule.name, rule.of) and r.source == rule.source for r in unit.rules)
        given = [
            replace(effect, scope="unit")
            for effect in (chosen if own else gifts)  # the rest acts on its owner's unit by itself
            if (place is None or place == index) and _reaches(effect.who, unit)
        ]
        gift = replace(
            rule, source="friend", effects=tuple(given), unread=(), groups=tuple(range(len(unit.models)))
        )
        units.append(replace(unit, rules=(*unit.rules, gift)) if given else unit)
    return replace(army, units=tuple(units))


def _reaches(who: tuple[str, ...], unit: Unit) -> bool:
    keywords = (*unit.all_keywords, *unit.factions, unit.name, *(model.name for model in unit.models))
    return is_named(who, lambda name: has_keyword(name, keywords))


def _names(given: str | Iterable[str], name: str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else validation.items(given, str, f"names of rules as {name}")


def _keys(rule: UnitRule, owners: Iterable[str]) -> set[str]:
    return {key_of(rule.name), *(key_of(f"{owner}: {rule.name}") for owner in (*owners, rule.of))}


def _switched(
    rules: Sequence[UnitRule], owners: Iterable[str], text: str, *, state: bool
) -> tuple[tuple[UnitRule, ...], list[UnitRule]]:
    """Return rules with those of a name switched, and these."""
    owners = tuple(owners)
    name, separator, choice = text.partition("=")
    found = []
    changed = []
    for rule in rules:
        new = rule
        if key_of(name) in _keys(rule, owners) and (rule.effects or not separator):
            new = _one(rule, choice.strip(), state=state)
            found.append(new)
        changed.append(new)
    return tuple(changed), found


def _one(rule: UnitRule, choice: str, *, state: bool) -> UnitRule:
    if not state:
        return rule.off()
    if not rule.effects:
        why = f"not understood: {', '.join(rule.unread)}" if rule.unread else "it has no effect on attacks"
        raise MathhammerError(f"expected a rule with effects to switch on, got {rule.name!r}; {why}")
    choices = rule.choices
    if choices and key_of(choice) not in map(key_of, choices):
        listed = ", ".join(map(repr, choices))
        raise MathhammerError(
            f"expected one of {listed} behind '=' for {rule.name!r}, got {shown(choice)}; "
            f"write '{rule.name}={choices[0]}'"
        )
    if choice and not choices:
        raise MathhammerError(f"expected no choice for {rule.name!r}, got {shown(choice)}; it has none")
    return rule.on(choice)


def _unknown(name: str, known: Iterable[str]) -> UnknownNameError:
    from difflib import get_close_matches

    names = dict.fromkeys(known)
    near = get_close_matches(name, names, n=3, cutoff=0.3)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"known: {', '.join(list(names)[:12]) or 'none'}"
    )
    return UnknownNameError(f"expected the name of a rule, got {shown(name)}; {hint}")
