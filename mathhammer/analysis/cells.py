"""The cells of a grid as columns, and files that take them some at a time."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from mathhammer.arithmetic.products import quantile_indices
from mathhammer.display import Coded, csv_header, csv_rows
from mathhammer.errors import MathhammerError
from mathhammer.files import replacing, require_output
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.display import Column, Columns

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
