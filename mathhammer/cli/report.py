"""Pages for the browser: one file that holds all it shows and asks nothing of any other machine."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mathhammer.cli.lists import facts_of, origin, target_line
from mathhammer.cli.sorting import cell_texts, equal_units, row_name, rows_once, unit_facts
from mathhammer.cli.units import HEADER, marked_units
from mathhammer.display import html_heat_map, html_page, html_table, number, percent, svg_curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mathhammer.analysis import ArmyTable, Cell, Row
    from mathhammer.cli.compare import Side
    from mathhammer.cli.units import UnitLine
    from mathhammer.systems.wh40k.armies.army import Army

_KINDS = ("shooting", "melee")
_COLUMNS = ("wounds", "share", "models", "odds", "points", "pts/pt")
_HEADER = ("target", "wounds", "share", "models", "destroyed", "points", "pts/pt", "with")


def army_page(
    army: Army,
    table: ArmyTable,
    lines: Sequence[UnitLine],
    file: str | None,
    rules: str,
    notes: Iterable[str],
) -> str:
    """Return the report of an army against targets; the table must have kept its distributions."""
    name = army.name or "Army"
    parts = [
        f"<h1>{escape(name)}</h1>",
        _paragraph(facts_of(army, "the sample army" if file is None else origin(file))),
        _paragraph(rules),
        "<h2>Targets</h2>",
        _list(target_line(target) for target in table.targets),
        *_lines(lines),
        *_maps(table),
        "<h2>Units</h2>",
        _paragraph(
            "wounds: mean wounds lost. share: their share of the target's. models: mean models destroyed. destroyed: "
            "probability that the whole target is. points: that share of the target's points. pts/pt: the same for "
            "each point of the attacker. Each "
            "unit attacks a fresh target; of weapon modes the best by mean wounds lost is used. The curves are "
            "the probability that the target loses at least this share of its wounds."
        ),
        *_units(table.rows),
        "<h2>Left out or simplified</h2>",
        _list(notes),
    ]
    return html_page(f"{name} - mathhammer", parts)


def _lines(lines: Sequence[UnitLine]) -> list[str]:
    """Return a line for each unit, with what is not computed of it."""
    rows = [[*line.texts(), "; ".join(line.notes)] for line in lines]
    caption = "The phase and the target with the best return"
    shown = html_table((*HEADER, "not computed or simplified"), rows, caption=caption)
    marked = marked_units(lines).replace(" after a '!'", "")
    return ["<h2>At a glance</h2>", *([_paragraph(marked)] if marked else []), shown]


def compare_page(sides: Sequence[Side], notes: Iterable[str], rules: str) -> str:
    """Return the report of two armies, each against the other; their tables must have kept their distributions."""
    title = " and ".join(side.army.name for side in sides)
    parts = [f"<h1>{escape(title)}</h1>", _paragraph(rules)]
    lines = [
        [
            side.army.name,
            f"{side.army.points:,g}",
            *(number(side.lost(kind), digits=1) for kind in _KINDS),
        ]
        for side in sides
    ]
    caption = (
        "Points lost on average, by the share of wounds, if each unit attacks once, with each unit of the other list "
        "as likely its target"
    )
    parts.append(html_table(("army", "points", *_KINDS), lines, caption=caption, text_last=False))
    for side in sides:
        parts.append(f"<h2>{escape(side.army.name)} attacks {escape(side.enemy.name)}</h2>")
        parts.append(_data_of(side.army))
        parts += _maps(side.table)
        parts += ["<h2>Units</h2>", *_units(side.table.rows)]
    parts += ["<h2>Left out or simplified</h2>", _list(notes)]
    return html_page(f"{title} - mathhammer", parts)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def _data_of(army: Army) -> str:
    if not army.data_revision:
        return ""
    return _paragraph(
        f"Characteristics and points are those of revision {army.data_revision} of the list builder's data, of the "
        "day the list was written."
    )


def _maps(table: ArmyTable) -> list[str]:
    """Return the heat maps: points for points, or the share where there are none, and the odds of destroying all."""
    names = [target.name for target in table.targets]
    rows = list(rows_once(table.rows))

    def drawn(title: str, caption: str, value: str, text: Callable[[Cell], str]) -> list[str]:
        cells = [
            (_phase_name(row, copies), [(getattr(cell, value), text(cell)) for cell in row.cells])
            for row, copies in rows
        ]
        return [f"<h2>{title}</h2>", html_heat_map(names, cells, caption=caption)]

    if any(cell.points_lost_per_point for row, _ in rows for cell in row.cells):
        caption = "The target's points per point of attacker, by the share of its wounds lost, on average"
        maps = drawn(
            "Points for points", caption, "points_lost_per_point", lambda cell: cell_texts(cell)["pts/pt"]
        )
    else:
        caption = "Share of the target's wounds lost, on average"
        maps = drawn("Wounds lost", caption, "share_lost", lambda cell: cell_texts(cell)["share"])
    caption = "Probability that the whole target is destroyed"
    return maps + drawn(
        "Destroyed in one go",
        caption,
        "probability_destroyed",
        lambda cell: percent(cell.probability_destroyed, digits=0),
    )


def _phase_name(row: Row, copies: int) -> str:
    return f"{row_name(row, copies)} ({row.kind})"


def _units(rows: Iterable[Row]) -> list[str]:
    """Return a table and the curves of each unit."""
    parts = []
    for units in equal_units(rows):
        copies = len(units)
        parts.append(f"<h3>{escape(unit_facts(units[0][0], copies))}</h3>")
        for row in units[0]:
            curves = {cell.target: cell.wounds_at_least for cell in row.cells if cell.wounds_at_least}
            picture = svg_curves(curves, title=f"{_phase_name(row, copies)}: wounds lost") if curves else ""
            table = html_table(_HEADER, map(_line, row.cells), caption=row.kind)
            parts.append(f'<div class="row">{table}{picture}</div>')
    return parts


def _line(cell: Cell) -> list[str]:
    texts = cell_texts(cell, digits=1)
    weapons = ", ".join(f"{use.count}x {use.name}" for use in cell.weapons)
    return [cell.target, *map(texts.__getitem__, _COLUMNS), weapons]
