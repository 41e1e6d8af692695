"""Lists whose selections carry no profiles, completed from datasheets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.lookup import Lookup, edition_warning
from mathhammer.rosters.datasheets.source import DETACHMENT, owned
from mathhammer.rosters.wh40k.identifiers import file_edition, is_unit
from mathhammer.rosters.wh40k.unit_rules import texts_of_rules

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets.lookup import Sheet
    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.tree import Force, RosterFile, Selection


def complete(roster: RosterFile, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Return a list whose units without profiles have those of their datasheets, and what was not found."""
    warnings: list[str] = []
    forces = tuple(_force(force, source, warnings) for force in roster.forces)
    if forces != roster.forces:
        warnings = [*edition_warning(file_edition(roster), source), *warnings]
    return replace(roster, forces=forces), tuple(dict.fromkeys(warnings))


def _force(force: Force, source: DatasheetSource, warnings: list[str]) -> Force:
    lookup = Lookup(source, force.catalogue, warnings)
    selections = tuple(_unit(each, lookup) for each in force.selections)
    army = force if force.rules or selections == force.selections else lookup.sheet(DETACHMENT).datasheet
    forces = tuple(_force(each, source, warnings) for each in force.forces)
    return replace(force, rules=army.rules, rule_texts=army.rule_texts, selections=selections, forces=forces)


def _unit(unit: Selection, lookup: Lookup) -> Selection:
    if any(node.profiles for node in unit.walk()):
        return unit
    if not is_unit(unit):
        bare = unit.name.startswith(DETACHMENT) and not any(node.rules for node in unit.walk())
        if not bare or not lookup.sheet(DETACHMENT).found:
            return unit
        given = (replace(each, **lookup.detachment(each.name)) for each in unit.selections)
        return replace(unit, selections=tuple(given))
    sheet = lookup.sheet(unit.name)
    rules = texts_of_rules(unit) | texts_of_rules(sheet.datasheet)
    return replace(
        unit,
        profiles=sheet.datasheet.profiles,
        rules=tuple(rules),
        rule_texts=tuple(rules.values()),
        categories=unit.categories or sheet.datasheet.categories,
        selections=tuple(_part(each, unit.name, sheet, lookup) for each in unit.selections),
    )


def _part(node: Selection, unit: str, sheet: Sheet, lookup: Lookup) -> Selection:
    """Return models and wargear with their profiles; a selection that holds others may be a name for them."""
    index = sheet.models if node.type == "model" else sheet.wargear
    profiles = sheet.model(node.name) if node.type == "model" else index.find(node.name)
    if profiles is None and node.type != "model" and sheet.found and not (node.selections or node.group):
        lookup.missing(f"{unit}: the datasheet has no {node.name!r}", node.name, index)
    below = tuple(_part(each, unit, sheet, lookup) for each in node.selections)
    given = owned(profiles)
    return replace(node, selections=below, **(given if given["rules"] else {"profiles": given["profiles"]}))
