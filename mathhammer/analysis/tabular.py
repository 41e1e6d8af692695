"""Results as tidy data: one record for each row, in the forms that other programs read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from mathhammer.arithmetic.products import quantile_indices
from mathhammer.display import Coded, Displayed, columns_of, csv_header, csv_rows, json_rows, number, percent
from mathhammer.errors import MathhammerError
from mathhammer.files import replacing, require_output, write_text
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.display import Column, Columns, Panel, Part, Table


#: Cells that are written at once: some tens of megabytes.
CELLS_AT_ONCE = 200_000


class Sink(Protocol):
    """A file or the like that takes the cells of a grid."""

    def write(self, columns: Columns, distributions: Sequence[NDArray[np.float64]]) -> None:
        """Take some cells, and of each target the distributions of models destroyed, if they were kept."""
        ...


class Cells:
    """The records of a table, whose attackers and targets are named once."""

    def __init__(self, attackers: Sequence[Attacker], targets: Sequence[Defender]) -> None:
        self._attackers: dict[str, Sequence[str] | Sequence[float | None]] = {
            "attacker": [attacker.label for attacker in attackers],
            "kind": [attacker.kind for attacker in attackers],
            "points": [attacker.points for attacker in attackers],
        }
        self._targets: dict[str, Sequence[str] | Sequence[float | None]] = {
            "target": [target.label for target in targets],
            "target_points": [target.points for target in targets],
        }
        self._number = np.arange(len(targets), dtype=np.int32)

    def columns(
        self, rows: NDArray[np.intp], metrics: Mapping[str, NDArray[np.float64] | NDArray[np.intp]]
    ) -> Columns:
        """Return a record for each of some attackers and each target."""
        row, column = np.repeat(rows.astype(np.int32), len(self._number)), np.tile(self._number, len(rows))
        return {
            **{name: Coded(values, row) for name, values in self._attackers.items()},
            **{name: Coded(values, column) for name, values in self._targets.items()},
            **{name: values.reshape(-1) for name, values in metrics.items()},
        }


def quantiles(kills: Sequence[NDArray[np.float64]]) -> dict[str, NDArray[np.intp]]:
    """Return those of 5, 50 and 95 % of the models destroyed, a column for each target, if there are distributions."""
    if not kills:
        return {}
    return {
        f"kills_q{percent:02}": np.stack(
            [quantile_indices(distribution, percent / 100) for distribution in kills], axis=1
        )
        for percent in (5, 50, 95)
    }


@contextmanager
def open_sink(path: str | PathLike[str]) -> Iterator[Sink]:
    """Open a file for cells, by the ending of its name; it is there whole at the end, or not at all."""
    suffix = Path(path).suffix.casefold()
    if suffix not in {".csv", ".parquet"}:
        raise MathhammerError(
            f"expected a file that ends in .csv or .parquet as sink, got {shown(str(path))}"
        )
    require_output(path, suffix)
    with replacing(path) as place, place.open("wb") as file:
        sink = _Csv(file) if suffix == ".csv" else _Parquet(file)
        try:
            yield sink
        finally:
            sink.close()


class _Csv:
    """Comma-separated values, with quantiles of the distributions."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._has_header = file, False

    def write(self, columns: Columns, distributions: Sequence[NDArray[np.float64]]) -> None:
        columns |= {name: values.reshape(-1) for name, values in quantiles(distributions).items()}
        text = csv_rows(columns) if self._has_header else csv_header(columns) + csv_rows(columns)
        self._has_header = True
        self._file.write(text.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Leave the file to who opened it."""


class _Parquet:
    """Columns of Apache Parquet; distributions are lists, the probabilities of 0, 1, ... models destroyed."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
            import pyarrow.parquet as pq  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError as error:
            raise MathhammerError(
                "expected PyArrow for a Parquet file, but it is not installed; pip install pyarrow, or give a name "
                "that ends in .csv"
            ) from error
        self._file, self._pa, self._pq = file, pa, pq
        self._writer: Any = None
        self._known: dict[str, Any] = {}

    def write(self, columns: Columns, distributions: Sequence[NDArray[np.float64]]) -> None:
        pa = self._pa
        arrays = {name: self._array(name, column) for name, column in columns.items()}
        if distributions:
            cells, widths = len(distributions[0]), [distribution.shape[1] for distribution in distributions]
            ends = np.concatenate(([0], np.cumsum(np.tile(np.array(widths, dtype=np.int32), cells))))
            values = np.concatenate(distributions, axis=1).reshape(-1)
            arrays["kills"] = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(values))
        table = pa.table(arrays)
        if self._writer is None:
            coded = [name for name, column in columns.items() if isinstance(column, Coded)]
            self._writer = self._pq.ParquetWriter(self._file, table.schema, use_dictionary=coded)
        self._writer.write_table(table)

    def _array(self, name: str, column: Column) -> Any:
        pa = self._pa
        if not isinstance(column, Coded):
            return pa.array(column, mask=None if column.dtype.kind == "i" else ~np.isfinite(column))
        text = name not in {"points", "target_points"}
        if name not in self._known:
            self._known[name] = pa.array(column.values, pa.string() if text else pa.float64())
        codes, known = pa.array(column.codes), self._known[name]
        return pa.DictionaryArray.from_arrays(codes, known) if text else known.take(codes)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


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
