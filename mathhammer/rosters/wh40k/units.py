"""One unit of an army list, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import MAX_COUNT
from mathhammer.rosters.wh40k.defences import read_defences
from mathhammer.rosters.wh40k.draft import open_draft
from mathhammer.rosters.wh40k.identifiers import factions_of, is_points, keywords_of
from mathhammer.rosters.wh40k.stat_lines import read_models
from mathhammer.rosters.wh40k.wargear import read_wargear
from mathhammer.systems.wh40k.armies.army import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Cost, Selection
    from mathhammer.rosters.wh40k.draft import Draft

__all__ = ["read_unit", "total_points"]


def read_unit(root: Selection) -> tuple[Unit, list[str]]:
    """Read a unit."""
    draft = open_draft(root)
    if draft.size > MAX_COUNT:
        raise RosterError(
            f"expected at most {MAX_COUNT:,} models in a unit, but {root.name} has {draft.size:,}; "
            "export the list again"
        )
    read_models(draft)
    read_defences(draft)
    weapons, unassigned = read_wargear(draft)
    enhancements = (node.name for node, _ in draft.nodes if node.group.startswith("Enhancement"))
    unit = Unit(
        name=root.name,
        points=_unit_points(draft),
        models=tuple(draft.groups),
        weapons=weapons,
        keywords=keywords_of(root),
        factions=factions_of(root),
        enhancements=tuple(enhancements),
        rules=tuple(dict.fromkeys(draft.rules)),
        leads=tuple(dict.fromkeys(draft.leads)),
        unassigned_weapons=unassigned,
        unparsed_abilities=tuple(dict.fromkeys(draft.unparsed)),
        notes=tuple(dict.fromkeys(draft.notes)),
    )
    return unit, list(dict.fromkeys(draft.warnings))


def total_points(costs: Iterable[Cost]) -> float:
    """Sum of all costs in points, a whole number if it is one but for binary noise.

    Examples
    --------
    >>> from mathhammer.rosters.tree import Cost
    >>> total_points([Cost("pts", "", 100), Cost("pts", "", 15), Cost("Crusade", "", 3)])
    115
    """
    points = sum(cost.value for cost in costs if is_points(cost))
    nearest = round(points)
    return nearest if abs(points - nearest) < 1e-6 else points


def _unit_points(draft: Draft) -> int:
    points = total_points(cost for node in draft.root.walk() for cost in node.costs)
    whole = max(0, round(points))
    if points != whole:
        draft.warn(f"its costs add up to {points} points, which no unit costs: taken as {whole}")
    return whole
