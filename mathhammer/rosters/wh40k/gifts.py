"""Gifts of enhancements and wargear that the profiles of a file hold already, counted once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.source import complete
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.systems.wh40k.unit_rules.applied import groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.tree import RosterFile, Selection
    from mathhammer.systems.wh40k.armies.army import Army, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect, UnitRule

_PRINTED = {
    "defence": ("toughness", "wounds", "save"),
    "attack": ("attacks", "skill", "strength", "ap", "damage"),
}


def count_once(army: Army, roster: RosterFile, found: Callable[[], DatasheetSource | None]) -> Army:
    """Return the army of a file without the gifts that its profiles hold.

    The datasheet decides, or else a unit of that name without the gift: what differs from it, is changed already.
    Without either it is the writer: New Recruit writes what its catalogues change, and they change what 58 of the
    64 enhancements that do so say, and 45 of 53 pieces of wargear (BSData/wh40k-10e at 801555b, modifiers with
    ``affects``); other programs do not know those modifiers.
    """
    if not any(_is_gift(rule, each) for unit in army.units for rule in unit.rules for each in rule.effects):
        return army
    base: tuple[Unit, ...] = ()
    if (source := found()) is not None and source.edition == army.file_edition:
        bare = [force._replace(selections=tuple(map(_bare, force.selections))) for force in roster.forces]
        base = army_from_roster(complete(roster._replace(forces=tuple(bare)), source)[0]).units
    newest = "newrecruit" in roster.generated_by.casefold()
    units = []
    for place, unit in enumerate(army.units):
        siblings = [each for each in army.units if each.name == unit.name]
        units.append(_unit(unit, base[place : place + 1], siblings, newest=newest))
    return replace(army, units=tuple(units))


def _bare(node: Selection) -> Selection:
    return replace(node, profiles=(), selections=tuple(map(_bare, node.selections)))


def _is_gift(rule: UnitRule, effect: RuleEffect) -> bool:
    given = rule.source in {"enhancement", "wargear"} and effect.scope == "model" and not effect.when
    return given and effect.kind in _PRINTED.get(effect.side, ()) and effect.operation != "set"


def _unit(unit: Unit, base: tuple[Unit, ...], siblings: list[Unit], *, newest: bool) -> Unit:
    rules, notes = [], list(unit.notes)
    for rule in unit.rules:
        known = [*base, *(each for each in siblings if rule.name not in {own.name for own in each.rules})]
        gifts = [effect for effect in rule.effects if _is_gift(rule, effect)]
        held = {effect: _held(unit, rule, effect, known) for effect in gifts}
        counted = [effect for effect in gifts if held[effect] or (held[effect] is None and newest)]
        for reading, each in (("with", counted), ("without", [e for e in gifts if e not in counted])):
            doubt = "; nothing tells but the program that wrote it" if None in map(held.get, each) else ""
            if each and (doubt or reading == "with"):
                effects = ", ".join(map(str, each))
                notes.append(
                    f"{unit.name}: the profiles of the list are {reading} {effects} ({rule.name}){doubt}"
                )
        rules.append(replace(rule, effects=tuple(each for each in rule.effects if each not in counted)))
    return replace(unit, rules=tuple(rules), notes=tuple(dict.fromkeys(notes)))


def _held(unit: Unit, rule: UnitRule, effect: RuleEffect, known: list[Unit]) -> bool | None:
    """Whether profiles differ in what an effect changes from those of the first that has them; None if none has."""
    own = _values(unit, effect, groups_of(effect, rule, unit))
    for other in known:
        theirs = _values(other, effect, range(len(other.models)))
        if common := own.keys() & theirs.keys():
            return any(own[key] != theirs[key] for key in common)
    return None


def _values(unit: Unit, effect: RuleEffect, groups: Iterable[int]) -> dict[tuple[str, str], object]:
    """Return what the profiles of some models and of their weapons have of a characteristic."""
    if effect.side == "defence":
        models = (unit.models[group] for group in groups)
        return {(each.name, ""): getattr(each.profile, effect.kind, None) for each in models}
    return {
        (line.name, mode.name): getattr(mode, effect.kind)
        for line in unit.weapons
        if line.group is None or line.group in groups
        for mode in line.modes
        if effect.attacks not in {"melee", "ranged"} or mode.melee == (effect.attacks == "melee")
    }
