"""A table of numbers that is read by its shades: a fragment for a notebook, on a light page or a dark one."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from mathhammer.display.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The text keeps its contrast on the deepest shade, which is less than half of the text's own colour.
_DEEPEST = 42


def html_heat_table(
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[float]]],
    *,
    texts: Sequence[Sequence[str]] | None = None,
    corner: str = "",
    caption: str = "",
) -> str:
    """Return a table whose cells are the deeper in shade the greater their number is.

    The shades are made of the colour of the page's text, so the table serves light and dark pages and is the same
    in grey. What cannot happen is an empty cell.
    """
    lines = [(name, list(cells)) for name, cells in rows]
    greatest = max((cell for _, cells in lines for cell in cells if isfinite(cell)), default=0.0) or 1.0
    written = texts or [[_percent(cell) for cell in cells] for _, cells in lines]
    style = "padding:.15em .5em;text-align:right"
    named = "padding:.15em .5em;text-align:left"
    head = f'<th style="{named}">{escape(corner)}</th>'
    head += "".join(f'<th style="{style}">{escape(name)}</th>' for name in columns)
    body = "".join(
        # Pages stripe the rows of tables, which would be read as shades.
        f'<tr style="background:none"><th style="{named}">{escape(name)}</th>'
        + "".join(
            _cell(text, _DEEPEST * cell / greatest, style) for cell, text in zip(cells, row, strict=True)
        )
        + "</tr>"
        for (name, cells), row in zip(lines, written, strict=True)
    )
    title = (
        f'<caption style="text-align:left;white-space:nowrap">{escape(caption)}</caption>' if caption else ""
    )
    return (
        '<div class="mathhammer" style="overflow-x:auto"><table style="border-collapse:collapse;color:inherit;'
        f'font-variant-numeric:tabular-nums">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _percent(probability: float) -> str:
    return percent(min(probability, 1.0), digits=1) if probability else ""


def _cell(text: str, share: float, style: str) -> str:
    if not share > 0:  # nothing there, or not a number
        return f'<td style="{style}">{escape(text)}</td>'
    shade = f"background:color-mix(in srgb,currentColor {min(share, _DEEPEST):.3g}%,transparent)"
    return f'<td style="{style};{shade}">{escape(text)}</td>'
