"""Results as tidy data: one record for each row, in the forms that other programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import isfinite, isnan, nan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import HeatTable, Panel, TablePart
from mathhammer.display.records import SCHEMA_VERSION, Coded, columns_of, csv_header, csv_rows, json_rows
from mathhammer.errors import MathhammerError
from mathhammer.files import replacing, require_output, write_text
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.display.panel import Pictures
    from mathhammer.display.records import Column, Columns

#: Cells that are written at once: some tens of megabytes.
CELLS_AT_ONCE = 200_000

#: Takes some cells, and of each target the distributions of models destroyed, if they were kept.
Sink: TypeAlias = "Callable[[Columns, Sequence[NDArray[np.float64]]], None]"


def cells(
    attackers: Sequence[Attacker], targets: Sequence[Defender]
) -> Callable[[NDArray[np.intp], Mapping[str, NDArray[Any]]], Columns]:
    """Return what makes columns of the numbers of some attackers against all targets, whose names are held once."""
    import numpy as np

    named: dict[str, Sequence[object]] = {
        "attacker": [attacker.label for attacker in attackers],
        "kind": [attacker.kind for attacker in attackers],
        "points": [attacker.points for attacker in attackers],
        "target": [target.label for target in targets],
        "target_points": [target.points for target in targets],
    }
    number = np.arange(len(targets), dtype=np.int32)

    def columns(rows: NDArray[np.intp], metrics: Mapping[str, NDArray[Any]]) -> Columns:
        row, column = np.repeat(rows.astype(np.int32), len(number)), np.tile(number, len(rows))
        codes = {name: column if name.startswith("target") else row for name in named}
        coded = {name: Coded(values, codes[name]) for name, values in named.items()}
        return {**coded, **{name: values.reshape(-1) for name, values in metrics.items()}}

    return columns


def quantiles(kills: Sequence[NDArray[np.float64]]) -> dict[str, NDArray[np.intp]]:
    """Return those of 5, 50 and 95 % of the models destroyed, a column for each target, if there are distributions."""
    return {f"kills_q{each:02}": quantile_table(kills, each / 100) for each in (5, 50, 95) if kills}


def quantile_table(kills: Sequence[NDArray[np.float64]], probability: float) -> NDArray[np.intp]:
    """Return the quantile of the models destroyed of each row, a column for each target."""
    import numpy as np

    from mathhammer.distributions.bulk import quantile_indices

    return np.stack([quantile_indices(distribution, probability) for distribution in kills], axis=1)


@contextmanager
def open_sink(path: str | PathLike[str]) -> Iterator[Sink]:
    """Open a file for cells, by the ending of its name; it is there whole at the end, or not at all."""
    suffix = Path(path).suffix.casefold()
    if suffix not in {".csv", ".parquet"}:
        raise MathhammerError(
            f"expected a file that ends in .csv or .parquet as sink, got {shown(str(path))}"
        )
    require_output(path, suffix)
    with replacing(path) as place, place.open("wb") as file, ExitStack() as stack:
        yield _csv(file) if suffix == ".csv" else _parquet(file, stack)


def _csv(file: IO[bytes]) -> Sink:
    """Return what writes comma-separated values, with quantiles of the distributions."""

    def write(columns: Columns, distributions: Sequence[NDArray[np.float64]]) -> None:
        columns |= {name: values.reshape(-1) for name, values in quantiles(distributions).items()}
        text = csv_rows(columns) if file.tell() else csv_header(columns) + csv_rows(columns)
        file.write(text.encode("utf-8", "backslashreplace"))

    return write


def _parquet(file: IO[bytes], stack: ExitStack) -> Sink:
    """Return what writes Apache Parquet; distributions are lists, the probabilities of 0, 1, ... models destroyed."""
    import numpy as np

    try:
        import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        raise MathhammerError(
            "a Parquet file needs PyArrow, which is not installed; pip install pyarrow, or give a name "
            "that ends in .csv"
        ) from error
    writers: list[Any] = []
    known: dict[str, Any] = {}

    def array(name: str, column: Column) -> Any:
        if not isinstance(column, Coded):
            return pa.array(column, mask=None if column.dtype.kind == "i" else ~np.isfinite(column))
        text = name not in {"points", "target_points"}
        if name not in known:
            known[name] = pa.array(column.values, pa.string() if text else pa.float64())
        codes = pa.array(column.codes)
        return pa.DictionaryArray.from_arrays(codes, known[name]) if text else known[name].take(codes)

    def write(columns: Columns, distributions: Sequence[NDArray[np.float64]]) -> None:
        arrays = {name: array(name, column) for name, column in columns.items()}
        if distributions:
            cells, widths = len(distributions[0]), [distribution.shape[1] for distribution in distributions]
            ends = np.concatenate(([0], np.cumsum(np.tile(np.array(widths, dtype=np.int32), cells))))
            values = np.concatenate(distributions, axis=1).reshape(-1)
            arrays["kills"] = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(values))
        table = pa.table(arrays)
        if not writers:
            coded = [name for name, column in columns.items() if isinstance(column, Coded)]
            writers.append(stack.enter_context(pq.ParquetWriter(file, table.schema, use_dictionary=coded)))
        writers[0].write_table(table)

    return write


class Tabular(Displayed):
    """Base of results with records: a data frame, CSV, JSON and a panel in a notebook."""

    __slots__ = ()

    #: The name of the schema of its JSON, whose version rises when a field changes its meaning or goes.
    schema: str

    def _columns(self) -> Iterator[Columns]:
        """Yield the records as columns, some of them at a time."""
        yield columns_of(self.to_records())

    def about(self) -> Mapping[str, object]:
        """The JSON's fields beside the records."""
        raise NotImplementedError

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the records as CSV with a header; with a path also write them there, as UTF-8.

        A text that a spreadsheet would take for a formula has an apostrophe before it.
        """
        parts = [(columns, csv_rows(columns)) for columns in self._columns()]
        return _written("".join([csv_header(parts[0][0]), *(text for _, text in parts)]), path, ".csv")

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return a JSON document that names its schema and its version; with a path also write it there."""
        about = {"schema": self.schema, "schema_version": SCHEMA_VERSION, **self.about()}
        said = json.dumps(about, ensure_ascii=False, indent=2, allow_nan=False, default=_of_json)
        head = said.removesuffix("\n}")
        rows = ",\n".join(text for columns in self._columns() if (text := json_rows(columns)))
        records = f"[\n{rows}\n  ]" if rows else "[]"
        return _written(f'{head},\n  "records": {records}\n}}', path, ".json")

    def _data(self) -> dict[str, Any]:
        return dict(json.loads(self.to_json()))


def _of_json(value: object) -> object:
    """Return a fact that is no value of JSON as one: rulings and sets, and whatever has a text."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Displayed):
        return value._line()  # noqa: SLF001 - the package's own
    return sorted(value) if isinstance(value, frozenset) else str(value)


def _written(text: str, path: str | PathLike[str] | None, suffix: str) -> str:
    if path is not None:
        require_output(path, suffix)
        write_text(path, text)
    return text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer(Tabular):
    """Records that answer a question, in their order, and facts about them, each of which is an attribute too."""

    schema: str
    title: str
    records: Sequence[dict[str, Any]]
    facts: Mapping[str, Any]
    #: Facts that the panel leaves out: its title, table and notes hold them.
    unshown: Collection[str] = ()
    notes: Sequence[str] = ()
    #: The records as people read them, where that is not the table of them.
    parts: Sequence[Any] = ()
    #: What most readers do not need: a sentence, and what a page opens below it.
    folded: Sequence[Any] = ()
    #: What can be drawn, the usual first, and what stands above it.
    pictures: Pictures = field(default_factory=dict)
    headline: str = ""
    #: Of the arrays of its numbers.
    shape: tuple[int, ...] = (-1,)

    def __getattr__(self, name: str) -> Any:
        facts = object.__getattribute__(self, "facts")
        if name not in facts:
            raise AttributeError(f"an answer of {', '.join(facts)} has no attribute {name!r}")
        return facts[name]

    def to_records(self) -> list[dict[str, Any]]:
        """One mapping for each row, of plain numbers and text; ``None`` where there is no number."""
        return [{name: plain(value) for name, value in record.items()} for record in self.records]

    def metric(self, name: str) -> NDArray[np.float64]:
        """Return one number of every record by its name, NaN where there is none."""
        import numpy as np

        validation.one_of(name, self.records[0] if self.records else (), "the number of a table")
        column = [record[name] for record in self.records]
        return np.asarray(column, dtype=np.float64).reshape(self.shape)

    def about(self) -> Mapping[str, object]:
        """The facts."""
        return self.facts

    def _line(self) -> str:
        first = (" ".join(map(str, list(row.values())[:2])) for row in self.records)
        return f"{self.title}: {', '.join(first)}"

    def _headline(self) -> str:
        return self.headline or self.title

    def _pictures(self) -> Pictures:
        """Return its own pictures, or else each number of the records beside what the record is about."""
        names = [] if self.pictures or not self.records else list(self.records[0])
        columns = {name: [row[name] for row in self.records] for name in names}
        kinds = {int, float, type(None)}
        numbers = {name: each for name, each in columns.items() if {*map(type, each)} <= kinds}
        said = ([each for each in row.values() if isinstance(each, str) and each] for row in self.records)
        texts = list(map(", ".join, said))
        return {name: partial(_column, name, texts, each) for name, each in numbers.items()} or self.pictures

    def _panel(self) -> Panel:
        facts = {name: value for name, value in self.facts.items() if name not in self.unshown}
        parts = self.parts or ([record_table(self.records)] if self.records else [])
        return Panel(self.title, fact_texts(facts), parts, self.notes, self.folded)


def fact_texts(facts: Mapping[str, object]) -> dict[str, str]:
    """Return facts as people read them, without those that say nothing."""
    texts = {name.replace("_", " "): text_of(name, value) for name, value in facts.items()}
    return {name: text for name, text in texts.items() if text}


def record_table(records: Sequence[Mapping[str, object]], caption: str = "") -> TablePart:
    """Return a table with a column for each field that has a value."""
    fields = [name for name in records[0] if any(record[name] is not None for record in records)]
    words = [all(isinstance(record[name], str) for record in records) for name in fields]
    return TablePart(
        [name.replace("_", " ") for name in fields],
        [[text_of(name, record[name]) for name in fields] for record in records],
        "".join("<" if text else ">" for text in words),
        caption,
    )


def heat_table(
    metric: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    down: str,
    across: str,
) -> HeatTable:
    """Return the picture of one number with two names each."""
    texts = [[text_of(metric, value) for value in row] for row in values]
    lines = list(zip(rows, values, strict=True))
    return HeatTable(columns, lines, texts, across=across, down=down, caption=metric.replace("_", " "))


def _column(name: str, rows: Sequence[str], values: Sequence[float | None]) -> HeatTable:
    """Return the picture of one number of every record."""
    numbers = [[nan if each is None else each] for each in values]
    return heat_table(name, rows, [name.replace("_", " ")], numbers, down="", across="")


def known(value: float) -> float | None:
    """Return a number of a record; nothing for what is none."""
    return value if isfinite(value) else None


def plain(value: object) -> bool | float | str | None:
    """Return a value as JSON can hold it: a text where it is neither number nor flag, weapons as they are listed."""
    if isinstance(value, Mapping):
        return "; ".join(f"{count}x {name}" for name, count in value.items())
    if isinstance(value, tuple | list | frozenset):
        return ", ".join(sorted(map(str, value)) if isinstance(value, frozenset) else map(str, value))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def text_of(name: str, value: object) -> str:
    """Return the value of a field as people read it: a probability in percent, nothing for what is unknown."""
    if value is None or name == "metric":  # which is the name of a number
        return str(value or "").replace("_", " ")
    if isinstance(value, Mapping):
        said = ((each, inner is not True and text_of("", inner)) for each, inner in value.items())
        return ", ".join(f"{each} {text}" if text else each.replace("_", " ") for each, text in said)
    if not isinstance(value, float):
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if name.startswith("gain_"):
        share = name in {"gain_share", "gain_probability"}
        text = number(100 * value if share else value, digits=1 if share else 2)
        return f"{'+' if value > 0 else ''}{text}{'%' if share else ''}"
    if isnan(value) or not name.removeprefix("added_").startswith("probability"):
        return number(value)
    return f"-{percent(-value)}" if value < 0 else percent(min(value, 1.0))
