"""Numbers in, text out: tables and bars for the terminal, SVG for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.display.displayed import (
    MAXIMUM_LINE,
    Catalogue,
    Displayed,
    Named,
    format_fields,
    format_items,
    shorten,
)
from mathhammer.display.folding import Row, fold
from mathhammer.display.numbers import (
    MAXIMUM_FRACTION,
    count,
    exact_number,
    fraction,
    number,
    percent,
    value_text,
)
from mathhammer.display.records import (
    Coded,
    Column,
    Columns,
    columns_of,
    csv_header,
    csv_rows,
    csv_text,
    json_rows,
    records_of,
)
from mathhammer.display.text import (
    bar,
    columns,
    distribution_table,
    page_unicode,
    page_width,
    supports_unicode,
    table,
)
from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer.display.panel import (
        Bars,
        HeatTable,
        Lines,
        Means,
        NamedBars,
        Panel,
        Part,
        Picture,
        Pictures,
        Table,
    )
    from mathhammer.display.report import html_page, svg_curves
    from mathhammer.display.svg import svg_bars, svg_rows
    from mathhammer.display.tables import html_heat_map, html_table

__all__ = [
    "MAXIMUM_FRACTION",
    "MAXIMUM_LINE",
    "Bars",
    "Catalogue",
    "Coded",
    "Column",
    "Columns",
    "Displayed",
    "HeatTable",
    "Lines",
    "Means",
    "Named",
    "NamedBars",
    "Panel",
    "Part",
    "Picture",
    "Pictures",
    "Row",
    "Table",
    "bar",
    "columns",
    "columns_of",
    "count",
    "csv_header",
    "csv_rows",
    "csv_text",
    "distribution_table",
    "exact_number",
    "fold",
    "format_fields",
    "format_items",
    "fraction",
    "html_heat_map",
    "html_page",
    "html_table",
    "json_rows",
    "number",
    "page_unicode",
    "page_width",
    "percent",
    "records_of",
    "shorten",
    "supports_unicode",
    "svg_bars",
    "svg_curves",
    "svg_rows",
    "table",
    "value_text",
]


#: The modules of what a page of the terminal does not need: their dataclasses and HTML take a tenth of a start.
_HOMES = {
    "panel": "Bars HeatTable Lines Means NamedBars Panel Part Picture Pictures Table",
    "report": "html_page svg_curves",
    "svg": "svg_bars svg_rows",
    "tables": "html_heat_map html_table",
}

__getattr__ = on_first_use(__name__, _HOMES)
