"""Lists whose selections carry no profiles, completed from datasheets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.lookup import Lookup, edition_warning
from mathhammer.rosters.wh40k.identifiers import file_edition, is_unit

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets.lookup import Sheet
    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.tree import Force, RosterFile, Selection


def complete(roster: RosterFile, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Return a list whose units without profiles have those of their datasheets, and what was not found."""
    lookup = Lookup(source)
    forces = tuple(_force(force, lookup) for force in roster.forces)
    warnings = lookup.warnings
    if forces != roster.forces:
        warnings = [*edition_warning(file_edition(roster), source), *warnings]
    return replace(roster, forces=forces), tuple(dict.fromkeys(warnings))


def _force(force: Force, lookup: Lookup) -> Force:
    return replace(
        force,
        selections=tuple(_unit(each, lookup) for each in force.selections),
        forces=tuple(_force(each, lookup) for each in force.forces),
    )


def _unit(unit: Selection, lookup: Lookup) -> Selection:
    if not is_unit(unit) or any(node.profiles for node in unit.walk()):
        return unit
    sheet = lookup.sheet(unit.name)
    return replace(
        unit,
        profiles=sheet.datasheet.profiles,
        rules=tuple(dict.fromkeys((*unit.rules, *sheet.datasheet.rules))),
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
    return replace(node, profiles=profiles or (), selections=below)
