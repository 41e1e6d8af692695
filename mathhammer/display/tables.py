"""Tables as HTML: fragments for a notebook, on a light page or a dark one, and tables in the style of a report."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from mathhammer.display.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The text keeps its contrast on the deepest shade, which is less than half of the text's own colour.
_DEEPEST = 42
_NOTEBOOK = ' style="border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums"'
_CAPTION = "text-align:left;white-space:nowrap"
_WIDE = ' class="wide"'
_LINE = "border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)"


def html_heat_table(
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[float]]],
    *,
    texts: Sequence[Sequence[str]] | None = None,
    corner: str = "",
    caption: str = "",
) -> str:
    """Return a table whose cells are the deeper in shade the greater their number is."""
    lines = [(name, list(cells)) for name, cells in rows]
    greatest = max((cell for _, cells in lines for cell in cells if isfinite(cell)), default=0.0) or 1.0
    written = texts or percentages(cells for _, cells in lines)
    side, style = "padding:.15em .5em;text-align:left", "padding:.15em .5em;text-align:right"

    def shaded(text: str, share: float) -> str:
        if not share > 0:  # nothing there, or not a number
            return _cell("td", text, style)
        shade = f"color-mix(in srgb,currentColor {min(share, _DEEPEST):.3g}%,transparent)"
        return _cell("td", text, f"{style};background:{shade}")

    body = (
        _cell("th", name, side)
        + "".join(shaded(text, _DEEPEST * cell / greatest) for cell, text in zip(cells, row, strict=True))
        for (name, cells), row in zip(lines, written, strict=True)
    )
    head = [_cell("th", corner, side), *(_cell("th", name, style) for name in columns)]
    # Pages stripe the rows of tables, which would be read as shades.
    row = ' style="background:none"'
    around = ' class="mathhammer" style="overflow-x:auto"'
    return _table(head, body, _cell("caption", caption, _CAPTION), around, _NOTEBOOK, row)


def percentages(rows: Iterable[Sequence[float]]) -> list[list[str]]:
    """Return probabilities as they stand in cells: what cannot happen is empty."""
    return [[percent(min(each, 1.0), digits=1) if each else "" for each in row] for row in rows]


def html_cells(header: Sequence[str], rows: Sequence[Sequence[str]], align: str, *, caption: str = "") -> str:
    """Return a table as a fragment that brings its own style, in the colours of the page around it."""
    styles = [
        f"padding:.15em .6em;text-align:{'left' if side == '<' else 'right'};vertical-align:top;{_LINE}"
        for side in align
    ]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(_cell(tag, text, style) for style, text in zip(styles, texts, strict=True))

    body = (cells("td", row) for row in rows)
    title = _cell("caption", caption, _CAPTION)
    return _table([cells("th", header)], body, title, ' style="overflow-x:auto"', _NOTEBOOK)


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", text_last: bool = True
) -> str:
    """Return a table of a report, the first column its names."""
    body = ("".join(_cell("td", text) for text in row) for row in rows)
    kind = ' class="texts"' if text_last else ""
    return _table([_cell("th", text) for text in header], body, _cell("caption", caption), _WIDE, kind)


def html_heat_map(
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[tuple[float | None, str]]]],
    *,
    caption: str = "",
) -> str:
    """Return a table of a report whose cells are the deeper in colour the greater their number is."""
    lines = [(name, list(cells)) for name, cells in rows]
    greatest = max((value for _, cells in lines for value, _ in cells if value is not None), default=0.0)
    body = (
        _cell("td", name)
        + "".join(
            _cell("td", text, f"--share:{70 * value / greatest if value and greatest > 0 else 0:.3g}%")
            for value, text in cells
        )
        for name, cells in lines
    )
    head = [_cell("th", text) for text in ("", *columns)]
    return _table(head, body, _cell("caption", caption), _WIDE, ' class="heat"')


def _cell(tag: str, text: str, style: str = "") -> str:
    attribute = f' style="{style}"' if style else ""
    return f"<{tag}{attribute}>{escape(text)}</{tag}>" if text or tag != "caption" else ""


def _table(
    head: Iterable[str], rows: Iterable[str], caption: str, around: str, table: str, row: str = ""
) -> str:
    body = "".join(f"<tr{row}>{cells}</tr>" for cells in rows)
    return (
        f"<div{around}><table{table}>{caption}<thead><tr>{''.join(head)}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
