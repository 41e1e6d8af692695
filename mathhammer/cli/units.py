"""What units of a list do to targets, in numbers: their order, their texts, their data, and a line for each unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mathhammer.display.numbers import count, number, percent
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

KINDS = ("shooting", "melee")
#: Numbers of the table to sort by, each its mean over all targets, in the unit's better phase.
SORTED_BY = {
    "share": "share_lost",
    "wounds": "mean_wounds_lost",
    "models": "mean_kills",
    "destroyed": "probability_destroyed",
    "return": "points_lost_per_point",
}


def sort_option(default: str) -> Callable[[Any], Any]:
    """Return the option of the order of the units."""
    return click.option(
        "--sort",
        type=click.Choice(["list", "name", "points", *SORTED_BY]),
        default=default,
        show_default=True,
        help="Order of the units: that of the list, or the best first, over all targets: 'share' of their wounds, "
        "'return' in points per point, by the same share.",
    )


class Percentage(click.ParamType):  # type: ignore[type-arg, unused-ignore] # generic since click 8.4
    """A probability as people write it: ``80%``, ``80`` or ``0.8``."""

    name = "percentage"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the probability."""
        text = str(value).strip()
        try:
            given = float(text.removesuffix("%"))
        except ValueError:
            given = -1.0
        probability = given / 100 if given >= 1 or text.endswith("%") else given
        if not 0 < probability < 1:
            self.fail(f"expected a probability such as 80% or 0.8, got {shown(str(value))}", param, ctx)
        return probability


def units_of(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each unit."""
    units: dict[int, list[Row]] = {}
    for row in rows:
        units.setdefault(row.index, []).append(row)
    return list(units.values())


def equal_units(rows: Iterable[Row]) -> list[list[list[Row]]]:
    """Return the rows of each unit, units with the same name and the same numbers together."""
    equal: dict[tuple[Row, ...], list[list[Row]]] = {}
    for unit in units_of(rows):
        equal.setdefault(tuple(replace(row, index=0) for row in unit), []).append(unit)
    return list(equal.values())


def rows_once(rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """Yield the rows of each different unit, and how many such units there are."""
    return ((row, len(units)) for units in equal_units(rows) for row in units[0])


def sort_rows(table: ArmyTable, order: str) -> ArmyTable:
    """Return the table with its units in another order, the greatest first; the phases of a unit stay together."""

    def mean(row: Row) -> float:
        return sum(getattr(cell, SORTED_BY[order]) or 0.0 for cell in row.cells)

    groups = units_of(table.rows)
    if order == "name":
        groups.sort(key=lambda rows: rows[0].unit.casefold())
    elif order == "points":
        groups.sort(key=lambda rows: -rows[0].points)
    elif order in SORTED_BY:
        groups.sort(key=lambda rows: -max(map(mean, rows)))
    return replace(table, rows=tuple(row for rows in groups for row in rows))


def row_name(row: Row, copies: int) -> str:
    """Return the name of a unit, and before it how many of it there are: ``2 x Lamplighters``."""
    return row.unit if copies == 1 else f"{copies} x {row.unit}"


def unit_facts(row: Row, copies: int) -> str:
    """Return the name of a unit, its models and its points."""
    each = " each" if copies > 1 else ""
    return f"{row_name(row, copies)} · {count(row.models, 'model')}, {row.points:,g} points{each}"


def cell_texts(cell: Cell, *names: str) -> list[str]:
    """Return numbers of a cell as people read them; of units needed more than the table tries where it is not known."""
    per_point = cell.points_lost_per_point
    texts = {
        "wounds": number(cell.mean_wounds_lost),
        "share": percent(min(cell.share_lost, 1.0), digits=0),
        "models": number(cell.mean_kills),
        "odds": percent(cell.probability_destroyed, digits=1),
        "pts/pt": "-" if per_point is None else number(per_point),
        "needed": ">20" if cell.needed is None else str(cell.needed),
    }
    return [texts[name] for name in names]


def _numbers(cell: Cell, *, needed: bool) -> dict[str, object]:
    from mathhammer.analysis import METRICS

    names = [name for name in METRICS if name != "trade_ratio"] + ["needed"] * needed
    return {"target": cell.target, **{name: getattr(cell, name) for name in names}}


def _head(row: Row) -> dict[str, object]:
    return {name: getattr(row, name) for name in ("unit", "index", "kind", "points", "models")}


def table_records(table: ArmyTable, *, needed: bool = False) -> list[dict[str, object]]:
    """Return one flat mapping for each unit, phase and target."""
    return [
        {
            **_head(row),
            **_numbers(cell, needed=needed),
            "weapons": "; ".join(f"{use.count}x {use.name}" for use in cell.weapons),
        }
        for row in table.rows
        for cell in row.cells
    ]


def table_data(table: ArmyTable, *, needed: bool = False) -> list[dict[str, object]]:
    """Return each unit in each phase for JSON."""
    return [
        {
            **_head(row),
            "against": [
                {
                    **_numbers(cell, needed=needed),
                    "weapons": [{"name": use.name, "count": use.count} for use in cell.weapons],
                }
                for cell in row.cells
            ],
        }
        for row in table.rows
    ]


class UnitLine(NamedTuple):
    """What a unit is, and what it does best."""

    #: With the number of equal units before it.
    name: str
    #: The place of the first of them in the list.
    place: int
    #: Of one of them.
    points: float
    #: What is not computed of it, or simplified, in a few words each.
    notes: tuple[str, ...]
    #: What it does in each phase; none for a unit without weapons.
    rows: Sequence[Row] = ()
    #: The phase and the target with the best return, by points where they are known, else by share.
    best: tuple[Row, Cell] | None = None

    def data(self) -> dict[str, object]:
        """Return the line for JSON."""
        best: dict[str, object] | None = None
        if self.best is not None:
            row, cell = self.best
            names = ("share_lost", "probability_destroyed", "points_lost_per_point")
            best = {"target": cell.target, "kind": row.kind, **{name: getattr(cell, name) for name in names}}
        return {
            "unit": self.name,
            "index": self.place,
            "points": self.points,
            "best": best,
            "notes": list(self.notes),
        }


def unit_lines(army: Army, table: ArmyTable, apart: frozenset[str]) -> list[UnitLine]:
    """Return a line for each unit in the order of a table, equal units once, those without weapons last.

    Targets `apart` are no choice while there are others: leaders that can stand in a unit.
    """
    notes = [_notes(army, unit, table.simplifications) for unit in army.units]
    lines = []
    for units in equal_units(table.rows):
        first = units[0][0]
        own = dict.fromkeys(note for unit in units for note in notes[unit[0].index])
        name = row_name(first, len(units))
        best = _best(units[0], apart)
        lines.append(UnitLine(name, first.index, first.points, tuple(own), units[0], best))
    armed = {row.index for row in table.rows}
    return lines + [
        UnitLine(unit.name, index, unit.points, notes[index])
        for index, unit in enumerate(army.units)
        if index not in armed
    ]


def _best(rows: Sequence[Row], apart: frozenset[str]) -> tuple[Row, Cell]:
    every = [(row, cell) for row in rows for cell in row.cells]
    cells = [each for each in every if each[1].target not in apart] or every
    priced = any(cell.points_lost_per_point is not None for _, cell in cells)
    by = "points_lost_per_point" if priced else "share_lost"
    return max(cells, key=lambda each: getattr(each[1], by) or 0.0)


def _notes(army: Army, unit: Unit, simplifications: Iterable[str]) -> tuple[str, ...]:
    """Return what is not computed of a unit or simplified, without its name."""
    start, parts = f"{unit.name}: ", tuple(f"{name}: " for name in unit.joined)
    said = [*army.warnings, *simplifications, *unit.notes]
    own = [f"{what}: {', '.join(names)}" for what, names in not_computed(unit.rules).items()]
    own += [note.removeprefix(start) for note in said if note.startswith(start)]
    own += [note for note in unit.notes if not note.startswith(start)]
    own += [note for note in army.warnings if note.startswith(parts)]
    return tuple(dict.fromkeys(note.rstrip(".") for note in own))


def not_computed(rules: Iterable[UnitRule]) -> dict[str, list[str]]:
    """Return the names of the rules that are not computed, and of those of which a part is not."""
    found: dict[str, list[str]] = {"not computed": [], "computed in part": []}
    for rule in rules:
        names = found["computed in part" if rule.is_computed else "not computed"]
        if rule.not_computed and rule.name not in names:
            names.append(rule.name)
    return {what: names for what, names in found.items() if names}


def print_lines(page: Page, lines: Sequence[UnitLine], *, alone: bool, needed: bool) -> None:
    """Print a line for each unit; for one target with both phases, and with what is not computed below it."""
    if alone:
        header, align = ["unit", "pts", "shooting", "odds", "melee", "odds", "pts/pt"], "<>>>>>>"
    else:
        header, align = ["unit", "pts", "best at", "phase", "share", "odds", "pts/pt"], "<><<>>>"
    rows = []
    for line in lines:
        if line.best is None:
            texts = ["-"] * 5 if alone else ["no weapons", "", "", "", ""]
            least: int | None = -1
        else:
            row, cell = line.best
            best = [cell.target, row.kind, *cell_texts(cell, "share", "odds", "pts/pt")]
            texts = [*_phases(line.rows), best[-1]] if alone else best
            cells = [row.cells[0] for row in line.rows] if alone else [cell]
            least = min((cell.needed for cell in cells if cell.needed is not None), default=None)
        rows.append([line.name + " !" * bool(line.notes), f"{line.points:g}", *texts])
        if needed:
            rows[-1].append("-" if least == -1 else ">20" if least is None else str(least))
    if needed:
        header, align = [*header, "needed"], f"{align}>"
    page.table(header, rows, align, quiet=True, notes=[line.notes for line in lines] if alone else ())


def _phases(rows: Iterable[Row]) -> Iterator[str]:
    """Yield wounds and odds of each phase against the only target."""
    by_kind: Mapping[str, Cell] = {row.kind: row.cells[0] for row in rows}
    for kind in KINDS:
        if kind in by_kind:
            wounds, share, odds = cell_texts(by_kind[kind], "wounds", "share", "odds")
            yield from (f"{wounds} ({share})", odds)
        else:
            yield from ("-", "-")


def print_notes(page: Page, notes: Iterable[str]) -> None:
    """Print what is not computed of a unit, or simplified, below it."""
    for note in notes:
        page.paragraph(note, indent="  ! ", hanging="    ")
