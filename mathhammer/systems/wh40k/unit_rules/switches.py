"""Rules of units and armies switched on and off by name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k.armies.choices import find_unit, unit_keys
from mathhammer.systems.wh40k.unit_rules.applied import has_keyword, is_for_one_friend, is_named, key_of
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import Unit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect, UnitRule


def find_rule(unit: Unit, name: str) -> UnitRule:
    """Return a rule of a unit by its name."""
    wanted = validation.text(name, "the name of a rule")
    for rule in unit.rules:
        if _is_called(rule, wanted, (unit.name,)):
            return rule
    raise _unknown(name, (rule.name for rule in unit.rules))


def switch_unit(unit: Unit, *, on: str | Iterable[str], off: str | Iterable[str]) -> Unit:
    """Switch rules of a unit; see :meth:`mathhammer.wh40k.Unit.with_rules`."""
    for text, state in _wanted(on, off):
        rules, found = _switched(unit.rules, (unit.name,), text, state=state)
        if not found:
            raise _unknown(text, (rule.name for rule in unit.rules))
        unit = replace(unit, rules=rules)
    return unit


def switch_army(army: Army, *, on: str | Iterable[str], off: str | Iterable[str]) -> Army:
    """Switch rules of an army and its units; see :meth:`mathhammer.wh40k.Army.with_rules`."""
    for given, state in _wanted(on, off):
        text, _, friend = (part.strip() for part in given.partition(" > "))
        units, found = [], []
        for key, unit in zip(unit_keys(army.units), army.units, strict=True):
            gifts = tuple(rule for rule in unit.rules if rule.source == "friend")
            own = [rule for rule in unit.rules if rule not in gifts]
            changed, switched = _switched(own, (key, unit.name, *unit.joined), text, state=state)
            units.append(replace(unit, rules=(*changed, *gifts)) if switched else unit)
            found += switched
        rules, switched = _switched(army.rules, ("army",), text, state=state)
        found += switched
        if not found:
            of_units = (
                f"{unit.name}: {each.name}" for unit in army.units for each in unit.rules if each.effects
            )
            raise _unknown(text, (*of_units, *(rule.name for rule in army.rules)))
        army = replace(army, units=tuple(units), rules=rules)
        for rule in found:
            army = _given(army, rule, friend, state=state)
    return army


def _wanted(on: str | Iterable[str], off: str | Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Return names of rules, each with the state that it is switched to."""
    for name, given in (("off", off), ("on", on)):
        one = isinstance(given, str)
        names = (given,) if one else validation.items(given, str, f"names of rules as {name}")
        yield from ((text, name == "on") for text in names)


def _is_called(rule: UnitRule, name: str, owners: Sequence[str]) -> bool:
    bare = re.sub(r" \(\d CP\)$", "", rule.name)  # of a stratagem
    names = bare, rule.name, *(f"{owner}: {rule.name}" for owner in (*owners, rule.of))
    return key_of(name) in map(key_of, names)


def _switched(
    rules: Sequence[UnitRule], owners: Sequence[str], text: str, *, state: bool
) -> tuple[tuple[UnitRule, ...], list[UnitRule]]:
    """Return rules with those of a name switched, and these; of one of several an item is chosen behind "=".

    The name of an item chooses it too, and that of a state, such as a doctrine, is of all rules that speak of it.
    """
    name, separator, choice = text.partition("=")
    found, changed = [], []
    words = sorted(key_of(text).split())  # in any order: "Doctrine: Devastator"
    for rule in rules:
        item = next((each for each in rule.choices if sorted(key_of(each).split()) == words), "")
        named = (each.value for effect in rule.effects for each in effect.when if each.kind == "state")
        held = {value[0] for value in named if value and sorted(key_of(value[0]).split()) == words}
        called = _is_called(rule, name, owners) and (rule.effects or not separator)
        new = rule
        if called or item:
            new = _on(rule, item or choice.strip()) if state else rule.off()
        if held:
            states = held.union(rule.states) if state else set(rule.states) - held
            new = replace(new, states=tuple(sorted(states)))
        changed.append(new)
        found += [new] if called or item or held else []
    return tuple(changed), found


def _on(rule: UnitRule, choice: str) -> UnitRule:
    choices = rule.choices
    if not rule.effects:
        why = f"not understood: {', '.join(rule.unread)}" if rule.unread else "it has no effect on attacks"
        raise MathhammerError(f"expected a rule with effects to switch on, got {rule.name!r}; {why}")
    if choices and key_of(choice) not in map(key_of, choices):
        raise MathhammerError(
            f"expected one of {', '.join(map(repr, choices))} behind '=' for {rule.name!r}, got {shown(choice)}; "
            f"write '{rule.name}={choices[0]}'"
        )
    if choice and not choices:
        raise MathhammerError(f"expected no choice for {rule.name!r}, got {shown(choice)}; it has none")
    return rule.on(choice)


def _unknown(name: str, known: Iterable[str]) -> UnknownNameError:
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    near = " or ".join(map(repr, get_close_matches(name, names, n=3, cutoff=0.3)))
    hint = f"did you mean {near}?" if near else f"known: {', '.join(names[:12]) or 'none'}"
    return UnknownNameError(f"expected the name of a rule, got {shown(name)}; {hint}")


def _gifts(rule: UnitRule) -> tuple[list[RuleEffect], list[RuleEffect]]:
    """Return the effects of a rule on friendly units, and those of them on one unit that the player chooses."""
    gifts = [effect for effect in rule.effects if effect.scope == "friends" or rule.source == "army"]
    return gifts, list(filter(is_for_one_friend, gifts))


def reached_units(army: Army, rule: UnitRule) -> list[int]:
    """Return the places of the units that the effects of a rule on friendly units can reach."""
    gifts, chosen = _gifts(rule)
    # Who disembarked from a unit is not that unit.
    carried = chosen and any(each.kind == "disembarked" for effect in rule.effects for each in effect.when)
    return [
        place
        for place, unit in enumerate(army.units)
        if any(_reaches(effect, unit) for effect in gifts)
        and not (carried and any(_same(each, rule) for each in unit.rules if each.source != "friend"))
    ]


def is_for_all(rule: UnitRule) -> bool:
    """Whether a rule of a unit is one of the army's that stands on it: it is for all friends, near or not."""
    near = {"aura", "friend", "disembarked"}
    return bool(rule.effects) and all(
        effect.scope == "friends" and not near.intersection(each.kind for each in effect.when)
        for effect in rule.effects
    )


def _same(rule: UnitRule, other: UnitRule) -> bool:
    return (rule.name, rule.of) == (other.name, other.of)


def _reaches(effect: RuleEffect, unit: Unit) -> bool:
    keywords = (*unit.all_keywords, *unit.factions, unit.name, *(model.name for model in unit.models))
    return is_named(effect.who, lambda name: has_keyword(name, keywords))


def _given(army: Army, rule: UnitRule, friend: str, *, state: bool) -> Army:
    """Give the effects of a rule on friendly units to those that they can reach, or take them back."""
    gifts, chosen = _gifts(rule) if state else ([], [])
    if chosen and not friend:
        how = f"as in '{rule.of}: {rule.name} > Unit'"
        raise MathhammerError(f"expected the friendly unit that {rule.name!r} is used on, {how}")
    place = find_unit(army.units, friend) if friend and state else None
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
        rules = [each for each in unit.rules if each.source != "friend" or not _same(each, rule)]
        # A rule of the army that stands on its units is in force once for each.
        named = (each for each in rules if each.name == rule.name and not _same(each, rule))
        twice = any(each.switched or each.states for each in named)
        own = any(_same(each, rule) and each.source == rule.source for each in rules)
        effects = tuple(
            replace(effect, scope="unit")
            for effect in (chosen if own else gifts)  # the rest acts on its owner's unit by itself
            if place in {None, index} and _reaches(effect, unit) and not twice
        )
        groups = tuple(range(len(unit.models)))
        gift = replace(rule, source="friend", effects=effects, unread=(), groups=groups)
        rules += [gift] if effects else []
        same = len(rules) == len(unit.rules) and not effects
        units.append(unit if same else replace(unit, rules=tuple(rules)))
    return replace(army, units=tuple(units))
