"""The order in which the units of a table are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.analysis import ArmyTable, Cell, Row

__all__ = ["SORTS", "sort_rows"]

_CELLS: dict[str, Callable[[Cell], float]] = {
    "wounds": lambda cell: cell.mean_wounds_lost,
    "models": lambda cell: cell.mean_models_destroyed,
    "destroyed": lambda cell: cell.probability_destroyed,
    "return": lambda cell: cell.points_per_point or 0.0,
}
#: Names of the orders: of the list; by name; by points; by a number of the table, the mean over all targets in
#: the unit's better phase.
SORTS = ("list", "name", "points", *_CELLS)


def sort_rows(table: ArmyTable, order: str) -> ArmyTable:
    """Return the table with its units in another order, the greatest first; the phases of a unit stay together."""
    units: dict[int, list[Row]] = {}
    for row in table.rows:
        units.setdefault(row.index, []).append(row)
    groups = list(units.values())
    if order == "name":
        groups.sort(key=lambda rows: rows[0].unit.casefold())
    elif order == "points":
        groups.sort(key=lambda rows: -rows[0].points)
    elif order in _CELLS:
        groups.sort(key=lambda rows: -max(sum(map(_CELLS[order], row.cells)) for row in rows))
    return replace(table, rows=tuple(row for rows in groups for row in rows))
