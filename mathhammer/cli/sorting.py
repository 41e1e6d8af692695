"""The order and the form in which the units of a table are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mathhammer.analysis import ArmyTable, Cell, Row
    from mathhammer.cli.results import F

_CELLS: dict[str, Callable[[Cell], float]] = {
    "share": lambda cell: cell.share_lost,
    "wounds": lambda cell: cell.mean_wounds_lost,
    "models": lambda cell: cell.mean_kills,
    "destroyed": lambda cell: cell.probability_destroyed,
    "return": lambda cell: cell.points_lost_per_point or 0.0,
}
#: Names of the orders: of the list; by name; by points; by a number of the table, the mean over all targets in
#: the unit's better phase.
SORTS = ("list", "name", "points", *_CELLS)


class Percentage(click.ParamType):  # type: ignore[type-arg, unused-ignore] # generic since click 8.4
    """A probability as people write it: ``80%``, ``80`` or ``0.8``."""

    name = "percentage"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the probability."""
        if isinstance(value, float):
            return value
        try:
            given = float(str(value).strip().removesuffix("%"))
        except ValueError:
            given = -1.0
        probability = given / 100 if given >= 1 or str(value).strip().endswith("%") else given
        if not 0 < probability < 1:
            self.fail(f"expected a probability such as 80% or 0.8, got {shown(str(value))}", param, ctx)
        return probability


def output_options(sort: str | None) -> Iterator[Callable[[F], F]]:
    """Yield the options that say in which form units are shown, and in which order where there is a choice."""
    if sort is not None:
        yield click.option(
            "--sort",
            type=click.Choice(list(SORTS)),
            default=sort,
            show_default=True,
            help="Order of the units: that of the list, or the best first, over all targets: 'share' of their wounds, "
            "'return' in points per point, by the same share.",
        )
    yield json_option
    yield click.option(
        "--csv", "as_csv", is_flag=True, help="Print comma-separated values; a formula has a ' before it."
    )
    yield click.option(
        "--html", "html_file", metavar="FILE", type=click.Path(), help="Write a page for the browser."
    )


def counted(rows: Iterable[Row]) -> list[tuple[Row, int]]:
    """Return the rows of each phase in order, those of units with one name and the same numbers once, and how many."""
    copies: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        copies.setdefault((row.unit, row.kind, row.points, row.models, row.cells), []).append(row)
    return [(equal[0], len(equal)) for equal in copies.values()]


def row_name(row: Row, copies: int) -> str:
    """Return the name of a unit, and before it how many of it there are: ``2 x Lamplighters``."""
    return row.unit if copies == 1 else f"{copies} x {row.unit}"


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
