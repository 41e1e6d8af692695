"""What all commands share: the width and the alphabet of the terminal, JSON, words for a situation."""

from __future__ import annotations

import shutil
import sys
from textwrap import wrap
from time import monotonic
from typing import TYPE_CHECKING, SupportsFloat

import click

from mathhammer.display.numbers import value_text
from mathhammer.display.records import csv_text
from mathhammer.display.text import supports_unicode, table
from mathhammer.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from click._termui_impl import ProgressBar

#: Raised by one whenever a field of the JSON output changes its meaning or goes away.
SCHEMA_VERSION = 1

exact_option = click.option("--exact", is_flag=True, help="Print fractions.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

_NARROWEST, _WIDEST = 40, 110
# What is left of a line for a list beside its name, or the list begins below it.
_BESIDE = 20
_ROOMY = 90


_PATIENCE = 0.5  # seconds: shorter work shows no bar


class Progress:
    """A bar that is drawn once the work has lasted a while, on a terminal."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._began = monotonic()
        self._bar: ProgressBar[int] | None = None

    def __call__(self, done: int, total: int | None) -> None:
        """Say that ``done`` of ``total`` parts are finished."""
        if self._bar is None and monotonic() - self._began > _PATIENCE and sys.stderr.isatty():
            self._bar = click.progressbar(length=total, label=self._label, file=sys.stderr)
            self._bar.render_progress()
        if self._bar is not None:
            self._bar.length = total
            self._bar.update(done - self._bar.pos)

    def finish(self) -> None:
        """End the line of the bar."""
        if self._bar is not None:
            self._bar.render_finish()


class Page:
    """Lines on their way to the terminal: as wide as it is, in the characters that it has."""

    #: Whether it shows pictures, and tables and names as wide as they are.
    rich = False

    def __init__(self) -> None:
        self.title = ""
        #: As wide as the terminal, for tables; and as wide as text is read well.
        self.columns = max(shutil.get_terminal_size().columns, _NARROWEST)
        self.width = min(self.columns, _WIDEST)
        self.unicode = supports_unicode(sys.stdout.encoding)
        self._lines: list[str] = []

    def line(self, text: str = "") -> None:
        """Add one line, or several; what is wider than the page goes on below."""
        for line in _harmless(text).split("\n"):
            self._lines += (
                [line] if len(line) <= self.width else wrap(line, self.width, subsequent_indent="    ")
            )

    def verbatim(self, text: str) -> None:
        """Add a text that will be read by a program."""
        self._lines.append(_harmless(text))

    def paragraph(self, text: str, *, indent: str = "", hanging: str | None = None) -> None:
        """Add a text wrapped at the width; its further lines begin with ``hanging``."""
        further = indent if hanging is None else hanging
        self._lines += wrap(
            _harmless(text),
            self.width,
            initial_indent=indent,
            subsequent_indent=further,
            break_on_hyphens=False,
        )

    def listing(self, prefix: str, items: Iterable[str]) -> None:
        """Add a prefix and items with commas between them; no item is broken across lines that need not be."""
        if self.width - len(prefix) < _BESIDE:
            self._lines += wrap(prefix, self.width, initial_indent="  ", subsequent_indent="  ")
            prefix = "    "
        # The wrapper breaks at blanks only: those inside an item are no-break spaces until it is done.
        room = self.width - len(prefix) - 1
        shown = map(_harmless, items)
        text = ", ".join(item if len(item) > room else item.replace(" ", "\u00a0") for item in shown)
        lines = wrap(text, self.width - len(prefix), break_on_hyphens=False) or [""]
        starts = (prefix, *(" " * len(prefix) for _ in lines[1:]))
        self._lines += [
            start + line.replace("\u00a0", " ") for start, line in zip(starts, lines, strict=True)
        ]

    def quiet(self, text: str) -> None:
        """Add a line that recedes where the terminal can do that."""
        self._lines.append(click.style(_harmless(text), dim=True))

    def heading(self, text: str) -> None:
        """Add a line that stands out where the terminal can do that."""
        self._lines += [
            click.style(line, bold=True, fg="cyan") for line in wrap(_harmless(text), self.width) or [""]
        ]

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        align: str,
        *,
        quiet: bool = False,
        notes: Sequence[Iterable[str]] = (),
    ) -> None:
        """Add a table, its header standing out or receding, and notes below its rows; on a narrow page it is folded."""
        # Blanks are the first that a page short of room can spare.
        lines = table(header, rows, align, width=self.columns, gap=1 if self.width < _ROOMY else 2)
        whole = len(lines) == len(rows) + 1
        if lines and lines[0].split() == " ".join(header).split():
            (self.quiet if quiet else self.heading)(lines.pop(0))
        for line in lines if not whole else ():
            self._lines.append(_harmless(line))
        for place, row in enumerate(rows):
            if whole:
                self._lines.append(_harmless(lines[place]))
            for note in notes[place] if notes else ():
                self.paragraph(
                    note if whole else f"{row[0].removesuffix(' !')}: {note}", indent="  ! ", hanging="    "
                )

    def draw(self, picture: str) -> None:
        """Add a picture in HTML, which only a page for the browser can show."""

    def print(self) -> None:
        """Print the page, replacing what the stream has no character for."""
        text = "\n".join(self._lines)
        if not self.unicode:
            text = text.translate(_PLAIN)
        click.echo(_in_alphabet(text))
        self._lines.clear()


_PLAIN = str.maketrans({"·": "-", "–": "-", "×": "x", "’": "'", "…": "..."})


def probability_fields(name: str, value: SupportsFloat, *, exact: bool) -> dict[str, object]:
    """Return a number for JSON: the float, and in exact mode the fraction as text beside it."""
    fields: dict[str, object] = {name: float(value)}
    if exact:
        fields[f"{name}_exact"] = value_text(value)
    return fields


def print_json(command: str, data: Mapping[str, object]) -> None:
    """Print an object that names its schema; that of a result does."""
    import json

    document = {"schema_version": SCHEMA_VERSION, "command": command, **data} if command else data
    plain = not supports_unicode(sys.stdout.encoding)
    click.echo(json.dumps(document, ensure_ascii=plain, indent=2, default=list))


def print_csv(records: Sequence[Mapping[str, object]]) -> None:
    """Print comma-separated values with a header; what is unknown is empty."""
    click.echo(_in_alphabet(csv_text(records)), nl=False)


def _harmless(text: str) -> str:
    """Return lines without any character that a terminal would obey: the last door before it."""
    return "\n".join(map(escaped, text.split("\n")))


def _in_alphabet(text: str) -> str:
    """Return a text in the characters that the output has; the number of every other one stands in its place."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def sentences(items: Iterable[str]) -> list[str]:
    """Return each text once, ended by a full stop."""
    return [text if text.endswith((".", "!", "?", ":")) else f"{text}." for text in dict.fromkeys(items)]
