"""Results as tidy data: one record for each row, in the forms that other programs read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mathhammer.display import Coded, Displayed, columns_of, csv_header, csv_rows, json_rows, number, percent
from mathhammer.errors import MathhammerError
from mathhammer.files import require_output, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from mathhammer.display import Column, Columns, Panel, Part, Table

#: Raised when a field of any JSON document of this room changes its meaning or goes.
SCHEMA_VERSION = 1


class Tabular(Displayed):
    """Base of results with records: a data frame, CSV, JSON and a panel in a notebook."""

    __slots__ = ()

    schema: ClassVar[str]
    """The name of the schema of its JSON."""

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each row, of plain numbers and text; ``None`` where there is no number."""
        raise NotImplementedError

    def _columns(self) -> Iterator[Columns]:
        """Yield the records as columns, some of them at a time."""
        yield columns_of(self.to_records())

    def about(self) -> Mapping[str, object]:
        """The JSON's fields beside the records."""
        return {}

    def to_dataframe(self) -> Any:
        """Return the records as a data frame of pandas."""
        try:
            import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError as error:
            raise MathhammerError(
                "expected pandas for a data frame, but it is not installed; pip install pandas"
            ) from error
        frames = [
            pd.DataFrame({name: _series(pd, column) for name, column in columns.items()})
            for columns in self._columns()
        ]
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the records as CSV with a header; with a path also write them there, as UTF-8.

        A text that a spreadsheet would take for a formula has an apostrophe before it.
        """
        parts = [(columns, csv_rows(columns)) for columns in self._columns()]
        return _written("".join([csv_header(parts[0][0]), *(text for _, text in parts)]), path, ".csv")

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return a JSON document that names its schema and its version; with a path also write it there."""
        about = {"schema": self.schema, "schema_version": SCHEMA_VERSION, **self.about()}
        head = json.dumps(about, ensure_ascii=False, indent=2, allow_nan=False).removesuffix("\n}")
        rows = ",\n".join(text for columns in self._columns() if (text := json_rows(columns)))
        records = f"[\n{rows}\n  ]" if rows else "[]"
        return _written(f'{head},\n  "records": {records}\n}}', path, ".json")

    def _panel(self) -> Panel:
        from mathhammer.display import Panel

        facts = {name: text_of(name, value) for name, value in self.about().items()}
        if "metric" in facts:  # the name of a number
            facts["metric"] = facts["metric"].replace("_", " ")
        shown = {name.replace("_", " "): text for name, text in facts.items() if text}
        return Panel(self._title(), shown, self._parts())

    def _title(self) -> str:
        """Return the title of the panel."""
        return type(self).__name__

    def _parts(self) -> Sequence[Part]:
        """Return what is drawn: the records, unless a class knows better."""
        return [record_table(self.to_records())]


def _series(pd: Any, column: Column) -> Any:
    """Return a column of a data frame; pandas says of what kind its values are."""
    if isinstance(column, Coded):
        return pd.Series(list(column.values)).take(column.codes).reset_index(drop=True)
    return column if column.dtype.kind == "i" else np.where(np.isfinite(column), column, np.nan)


def _written(text: str, path: str | PathLike[str] | None, suffix: str) -> str:
    if path is not None:
        require_output(path, suffix)
        write_text(path, text)
    return text


def record_table(records: Sequence[Mapping[str, object]], caption: str = "") -> Table:
    """Return a table with a column for each field that has a value."""
    from mathhammer.display import Table

    fields = (
        [name for name in records[0] if any(record[name] is not None for record in records)]
        if records
        else []
    )
    if not fields:
        return Table(["no records"], [])
    words = [all(isinstance(record[name], str) for record in records) for name in fields]
    return Table(
        [name.replace("_", " ") for name in fields],
        [[text_of(name, record[name]) for name in fields] for record in records],
        "".join("<" if text else ">" for text in words),
        caption,
    )


def plain(value: object) -> bool | float | str | None:
    """Return a value as JSON can hold it: a text where it is neither a number nor a flag."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def text_of(name: str, value: object) -> str:
    """Return the value of a field as people read it: a probability in percent, nothing for what is unknown."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{each} {text_of('', inner)}" for each, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(str(each) for each in value)
    if not isinstance(value, float):
        return str(value)
    if isnan(value) or not name.removeprefix("added_").startswith("probability"):
        return number(value)
    return f"-{percent(-value)}" if value < 0 else percent(min(value, 1.0))
