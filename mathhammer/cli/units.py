"""One line for each unit of a list: what it costs, what it does best, and what of it is not computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option
from mathhammer.display import count, number, percent
from mathhammer.display.text import table
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.cli.page import Page
    from mathhammer.cli.questions import F
    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


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


#: Of the lines where a unit has several targets to choose from.
HEADER = ("unit", "pts", "best at", "phase", "share", "odds", "pts/pt")
_ONE_TARGET = ("unit", "pts", "shooting", "odds", "melee", "odds", "pts/pt")


@dataclass(frozen=True, slots=True)
class UnitLine:
    """What a unit is, and what it does best."""

    #: With the number of equal units before it.
    name: str
    #: The place of the first of them in the list.
    index: int
    #: Of one of them.
    points: float
    #: What it does in each phase; none for a unit without weapons.
    rows: tuple[Row, ...]
    #: What is not computed of it, or simplified, in a few words each.
    notes: tuple[str, ...]
    #: Targets that are no choice while there are others: leaders that can stand in a unit.
    apart: frozenset[str] = frozenset()

    @property
    def best(self) -> tuple[Row, Cell] | None:
        """The phase and the target with the best return, by points where they are known, else by share."""
        every = [(row, cell) for row in self.rows for cell in row.cells]
        if not every:
            return None
        cells = [each for each in every if each[1].target not in self.apart] or every
        priced = any(cell.points_lost_per_point is not None for _, cell in cells)
        return max(
            cells, key=lambda each: (each[1].points_lost_per_point or 0.0) if priced else each[1].share_lost
        )

    def texts(self) -> list[str]:
        """Return the texts under :data:`HEADER`."""
        if self.best is None:
            return [self.name, f"{self.points:g}", "no weapons", "", "", "", ""]
        row, cell = self.best
        return [
            self.name,
            f"{self.points:g}",
            cell.target,
            row.kind,
            *_texts(cell, "share", "odds", "pts/pt"),
        ]

    def data(self) -> dict[str, object]:
        """Return the line for JSON."""
        best = None
        if self.best is not None:
            row, cell = self.best
            best = {
                "target": cell.target,
                "kind": row.kind,
                "share_lost": cell.share_lost,
                "probability_destroyed": cell.probability_destroyed,
                "points_lost_per_point": cell.points_lost_per_point,
            }
        return {
            "unit": self.name,
            "index": self.index,
            "points": self.points,
            "best": best,
            "notes": list(self.notes),
        }


def unit_lines(army: Army, found: ArmyTable, apart: frozenset[str] = frozenset()) -> list[UnitLine]:
    """Return a line for each unit in the order of a table, equal units once, those without weapons last."""
    notes = _notes(army, found)
    lines = []
    for units in equal_units(found.rows):
        rows = units[0]
        own = tuple(dict.fromkeys(note for unit in units for note in notes[unit[0].index]))
        name = row_name(rows[0], len(units))
        lines.append(UnitLine(name, rows[0].index, rows[0].points, tuple(rows), own, apart))
    armed = {row.index for row in found.rows}
    for index, unit in enumerate(army.units):
        if index not in armed:
            lines.append(UnitLine(unit.name, index, unit.points, (), notes[index]))
    return lines


def _notes(army: Army, found: ArmyTable) -> list[tuple[str, ...]]:
    """Return for each unit what is not computed of it or simplified, without its name."""
    said = [*army.warnings, *found.simplifications]
    notes = []
    for unit in army.units:
        start = f"{unit.name}: "
        own = [
            note.removeprefix(start).rstrip(".") for note in (*said, *unit.notes) if note.startswith(start)
        ]
        own += [note.rstrip(".") for note in unit.notes if not note.startswith(start)]
        parts = tuple(f"{name}: " for name in unit.joined)
        own += [note.rstrip(".") for note in army.warnings if note.startswith(parts)]
        own[:0] = [f"{what}: {', '.join(names)}" for what, names in not_computed(unit.rules).items()]
        notes.append(tuple(dict.fromkeys(own)))
    return notes


def not_computed(rules: Iterable[UnitRule]) -> dict[str, list[str]]:
    """Return the names of the rules that are not computed, and of those of which a part is not."""
    found: dict[str, list[str]] = {}
    for rule in rules:
        names = found.setdefault("computed in part" if rule.is_computed else "not computed", [])
        if rule.not_computed and rule.name not in names:
            names.append(rule.name)
    return {what: found[what] for what in sorted(found, reverse=True) if found[what]}


def of_no_unit(army: Army, sentences: Iterable[str]) -> Iterator[str]:
    """Yield the sentences that are about no single unit: the others stand at theirs."""
    starts = tuple(f"{name}: " for unit in army.units for name in (unit.name, *unit.joined))
    own = {note for unit in army.units for note in unit.notes}
    return (sentence for sentence in sentences if not sentence.startswith(starts) and sentence not in own)


def print_lines(
    page: Page, lines: Sequence[UnitLine], *, one_target: bool, with_needed: bool = False
) -> None:
    """Print a line for each unit; for one target with both phases, and with what is not computed below it."""
    marked = [line.name + (" !" if line.notes else "") for line in lines]
    rows = [
        [name, *(_both_phases(line) if one_target else line.texts()[1:])]
        for name, line in zip(marked, lines, strict=True)
    ]
    header: tuple[str, ...] = _ONE_TARGET if one_target else HEADER
    align = "<>>>>>>" if one_target else "<><<>>>"
    if with_needed:
        header, align = (*header, "needed"), f"{align}>"
        rows = [[*row, _needed(line, one_target=one_target)] for row, line in zip(rows, lines, strict=True)]
    width = page.width
    drawn = table(header, rows, align, width=width, gap=1 if width < 90 else 2)
    if page.rich or len(drawn) != len(rows) + 1:  # folded, as the page is narrow
        page.table(header, rows, align)
        if one_target:
            for line in lines:
                for note in line.notes:
                    page.paragraph(f"{line.name}: {note}", indent="  ! ", hanging="    ")
        return
    page.quiet(drawn[0])
    for text, line in zip(drawn[1:], lines, strict=True):
        page.line(text)
        if one_target:
            print_notes(page, line.notes)


def print_notes(page: Page, notes: Iterable[str]) -> None:
    """Print what is not computed of a unit, or simplified, below it."""
    for note in notes:
        page.paragraph(note, indent="  ! ", hanging="    ")


def marked_units(lines: Sequence[UnitLine]) -> str:
    """Return how many units have notes; nothing where none has."""
    units = [line for line in lines if line.notes]
    if not units:
        return ""
    notes = count(sum(len(line.notes) for line in units), "note")
    where = f"{count(len(units), 'unit')}, each at its unit after a '!'"
    return f"{notes} on {where}: what is not computed or is simplified."


def _both_phases(line: UnitLine) -> list[str]:
    texts = [f"{line.points:g}"]
    for kind in ("shooting", "melee"):
        cell = next((row.cells[0] for row in line.rows if row.kind == kind), None)
        if cell is None:
            texts += ["-", "-"]
        else:
            wounds, share, odds = _texts(cell, "wounds", "share", "odds")
            texts += [f"{wounds} ({share})", odds]
    return [*texts, "-" if line.best is None else cell_texts(line.best[1])["pts/pt"]]


def _needed(line: UnitLine, *, one_target: bool) -> str:
    """Return how many such units the only target needs, in the better phase, or the one that the line names."""
    if line.best is None:
        return "-"
    cells = [row.cells[0] for row in line.rows] if one_target else [line.best[1]]
    return needed_text(min((cell.needed for cell in cells if cell.needed is not None), default=None))


def _texts(cell: Cell, *names: str) -> list[str]:
    texts = cell_texts(cell)
    return [texts[name] for name in names]
