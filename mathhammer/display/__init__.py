"""Numbers in, text out: tables and bars for the terminal, SVG for notebooks.

This room knows plain sequences of numbers and nothing else of the package.
"""

from __future__ import annotations

from mathhammer.display.folding import Row, fold
from mathhammer.display.heat import html_heat_table
from mathhammer.display.numbers import count, fraction, number, percent
from mathhammer.display.report import html_heat_map, html_page, html_table, svg_curves
from mathhammer.display.svg import html, svg_bars
from mathhammer.display.text import bar, columns, distribution_table, supports_unicode

__all__ = [
    "Row",
    "bar",
    "columns",
    "count",
    "distribution_table",
    "fold",
    "fraction",
    "html",
    "html_heat_map",
    "html_heat_table",
    "html_page",
    "html_table",
    "number",
    "percent",
    "supports_unicode",
    "svg_bars",
    "svg_curves",
]
