"""The rows of a table of units: their order, their texts and their data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option
from mathhammer.display import count, number, percent
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.cli.results import F

#: Numbers of the table to sort by, each its mean over all targets.
SORTED_BY: dict[str, Callable[[Cell], float]] = {
    "share": lambda cell: cell.share_lost,
    "wounds": lambda cell: cell.mean_wounds_lost,
    "models": lambda cell: cell.mean_kills,
    "destroyed": lambda cell: cell.probability_destroyed,
    "return": lambda cell: cell.points_lost_per_point or 0.0,
}
#: Names of the orders: of the list; by name; by points; by a number of the table, the mean over all targets in
#: the unit's better phase.
SORTS = ("list", "name", "points", *SORTED_BY)


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


def units_of(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each unit."""
    units: dict[int, list[Row]] = {}
    for row in rows:
        units.setdefault(row.index, []).append(row)
    return list(units.values())


def equal_units(rows: Iterable[Row]) -> list[list[list[Row]]]:
    """Return the rows of each unit, units with the same name and the same numbers together."""
    equal: dict[tuple[object, ...], list[list[Row]]] = {}
    for unit in units_of(rows):
        key = (unit[0].unit, unit[0].points, unit[0].models, *((row.kind, row.cells) for row in unit))
        equal.setdefault(key, []).append(unit)
    return list(equal.values())


def rows_once(rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """Yield the rows of each different unit, and how many such units there are."""
    return ((row, len(units)) for units in equal_units(rows) for row in units[0])


def row_name(row: Row, copies: int) -> str:
    """Return the name of a unit, and before it how many of it there are: ``2 x Lamplighters``."""
    return row.unit if copies == 1 else f"{copies} x {row.unit}"


def unit_facts(row: Row, copies: int) -> str:
    """Return the name of a unit, its models and its points."""
    each = " each" if copies > 1 else ""
    return f"{row_name(row, copies)} · {count(row.models, 'model')}, {row.points:,g} points{each}"


def cell_texts(cell: Cell, digits: int = 0) -> dict[str, str]:
    """Return the numbers of a cell as people read them; of shares so many digits."""
    per_point = cell.points_lost_per_point
    return {
        "wounds": number(cell.mean_wounds_lost),
        "share": percent(min(cell.share_lost, 1.0), digits=digits),
        "models": number(cell.mean_kills),
        "odds": percent(cell.probability_destroyed, digits=1),
        "points": "-" if cell.points_lost is None else number(cell.points_lost, digits=1),
        "pts/pt": "-" if per_point is None else number(per_point),
        "needed": needed_text(cell.needed),
    }


def needed_text(count: int | None) -> str:
    """Return how many are needed; more than the table tries where that is not known."""
    return ">20" if count is None else str(count)


def cell_data(cell: Cell, *, with_needed: bool = False) -> dict[str, float | None]:
    """Return the numbers of a cell by name."""
    from mathhammer.analysis import METRICS

    names = [name for name in METRICS if name != "trade_ratio"] + ["needed"] * with_needed
    return {name: getattr(cell, name) for name in names}


def row_head(row: Row) -> dict[str, object]:
    """Return for data what a row is about."""
    return {name: getattr(row, name) for name in ("unit", "index", "kind", "points", "models")}


def table_records(table: ArmyTable, *, with_needed: bool = False) -> list[dict[str, object]]:
    """Return one flat mapping for each unit, phase and target."""
    return [
        {
            **row_head(row),
            "target": cell.target,
            **cell_data(cell, with_needed=with_needed),
            "weapons": "; ".join(f"{use.count}x {use.name}" for use in cell.weapons),
        }
        for row in table.rows
        for cell in row.cells
    ]


def row_data(row: Row, *, with_needed: bool = False) -> dict[str, object]:
    """Return one unit in one phase for JSON."""
    against = [
        {
            "target": cell.target,
            **cell_data(cell, with_needed=with_needed),
            "weapons": [{"name": use.name, "count": use.count} for use in cell.weapons],
        }
        for cell in row.cells
    ]
    return {**row_head(row), "against": against}


def sort_rows(table: ArmyTable, order: str) -> ArmyTable:
    """Return the table with its units in another order, the greatest first; the phases of a unit stay together."""
    groups = units_of(table.rows)
    if order == "name":
        groups.sort(key=lambda rows: rows[0].unit.casefold())
    elif order == "points":
        groups.sort(key=lambda rows: -rows[0].points)
    elif order in SORTED_BY:
        groups.sort(key=lambda rows: -max(sum(map(SORTED_BY[order], row.cells)) for row in rows))
    return replace(table, rows=tuple(row for rows in groups for row in rows))
