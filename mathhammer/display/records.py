"""Records as text: comma-separated values that a spreadsheet opens as data, and JSON."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mathhammer.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

#: Raised by one whenever a field of a JSON document changes its meaning or goes away.
SCHEMA_VERSION = 2
#: A spreadsheet takes a cell that begins so for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


class Coded(NamedTuple):
    """A column that has few distinct values: for each record the place of its value."""

    values: Sequence[object]
    codes: Sequence[int] | NDArray[np.int32]


#: NumPy arrays hold numbers, of which what is not finite is unknown.
Column: TypeAlias = "Coded | NDArray[np.float64] | NDArray[np.intp]"
Columns: TypeAlias = "dict[str, Column]"


def columns_of(records: Sequence[Mapping[str, object]]) -> Columns:
    """Return the columns of records that all have the same fields."""
    names = list(records[0]) if records else []
    places = range(len(records))
    return {name: Coded([record[name] for record in records], places) for name in names}


def records_of(columns: Columns) -> list[dict[str, object]]:
    """Return one mapping for each record; ``None`` where there is no number."""
    lists = [_values(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _values(column: Column) -> list[object]:
    if isinstance(column, Coded):
        return [column.values[code] for code in column.codes]
    return [value if isfinite(value) else None for value in column.tolist()]


def csv_text(records: Sequence[Mapping[str, object]]) -> str:
    r"""Return records with a header as CSV: see `csv_rows`."""
    columns = columns_of(records)
    return csv_header(columns) + csv_rows(columns)


def csv_header(names: Iterable[str]) -> str:
    """Return the line of the names of the columns."""
    return ",".join(map(_csv_cell, names)) + "\n"


def csv_rows(columns: Columns) -> str:
    """Return a line for each record; what is unknown is empty."""
    rows = zip(*map(_texts, columns.values()), strict=True)
    return "".join([f"{','.join(row)}\n" for row in rows])


def json_rows(columns: Columns) -> str:
    """Return the objects of a JSON array, one a line."""
    from json import dumps

    return ",\n".join([dumps(row, ensure_ascii=False, allow_nan=False) for row in records_of(columns)])


def _texts(column: Column) -> list[str]:
    if isinstance(column, Coded):
        known = [_csv_cell(value) for value in column.values]
        return [known[code] for code in column.codes]
    return ["" if value is None else repr(value) for value in _values(column)]


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    text = escaped(value) if isinstance(value, str) else str(value)
    if isinstance(value, str) and text.lstrip(" ").startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\r\n') else text
