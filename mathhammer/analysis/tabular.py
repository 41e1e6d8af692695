"""Answers as tidy data: one record for each number that was asked for, in the forms that other programs read."""

from __future__ import annotations

import csv
import io
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mathhammer.display import number
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

__all__ = ["SCHEMA_VERSION", "Tabular"]

#: Raised when a field of any JSON document of this room changes its meaning or goes.
SCHEMA_VERSION = 1


class Tabular:
    """What has records, and with them a data frame, CSV, JSON and a page in a notebook."""

    __slots__ = ()

    schema: ClassVar[str]
    """The name of the schema of its JSON."""

    def to_records(self) -> list[dict[str, Any]]:
        """One mapping for each row, of plain numbers and text; ``None`` where there is no number."""
        raise NotImplementedError

    def about(self) -> Mapping[str, Any]:
        """What the JSON says beside the records."""
        return {}

    def to_dataframe(self) -> Any:
        """Return the records as a data frame of pandas.

        Raises
        ------
        MathhammerError
            If pandas is not installed.
        """
        try:
            import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError as error:
            raise MathhammerError(
                "expected pandas for a data frame, but it is not installed; pip install pandas"
            ) from error
        return pd.DataFrame.from_records(self.to_records())

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the records as CSV with a header; with a path also write them there, as UTF-8."""
        records = self.to_records()
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(records[0]) if records else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        if path is not None:
            Path(path).write_text(stream.getvalue(), encoding="utf-8", newline="")
        return stream.getvalue()

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return a JSON document that names its schema and its version; with a path also write it there."""
        document = {
            "schema": self.schema,
            "schema_version": SCHEMA_VERSION,
            **self.about(),
            "records": self.to_records(),
        }
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        return html_table(self.to_records())


def html_table(records: list[dict[str, Any]]) -> str:
    """Return a table with a column for each field."""
    if not records:
        return "<p>no records</p>"
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in records[0])
    rows = (
        "<tr>" + "".join(f"<td>{html_cell(value)}</td>" for value in record.values()) + "</tr>"
        for record in records
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def html_cell(value: Any) -> str:
    """Return one value as text that is safe in a page."""
    if value is None:
        return ""
    return escape(number(value) if isinstance(value, float) else str(value))
