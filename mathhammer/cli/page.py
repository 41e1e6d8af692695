"""What all commands share: the width and the alphabet of the terminal, JSON, words for a situation."""

from __future__ import annotations

import shutil
import sys
from textwrap import wrap
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from mathhammer.display.records import csv_text
from mathhammer.display.text import supports_unicode, table, unbroken
from mathhammer.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from click._termui_impl import ProgressBar

    from mathhammer.display import Displayed

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
    """What a command says: lines as wide as the terminal and in its characters, or one file for the browser."""

    def __init__(self, *, rich: bool = False) -> None:
        #: Whether it is for the browser: with pictures, tables and names as wide as they are.
        self.rich, self.title = rich, ""
        #: As wide as the terminal, for tables; and as wide as text is read well.
        self.columns = max(shutil.get_terminal_size().columns, _NARROWEST)
        self.width = min(self.columns, _WIDEST)
        self.unicode = supports_unicode(sys.stdout.encoding)
        self._lines: list[str] = []

    def line(self, text: str = "") -> None:
        """Add one line, or several; what is wider than the page goes on below."""
        for line in _harmless(text).split("\n") if text or not self.rich else ():
            whole = self.rich or len(line) <= self.width
            self.verbatim(line) if whole else self.paragraph(line, hanging="    ")

    def verbatim(self, text: str) -> None:
        """Add a text that will be read by a program."""
        self._lines.append(_tagged("p", text) if self.rich else _harmless(text))

    def paragraph(self, text: str, *, indent: str = "", hanging: str | None = None) -> None:
        """Add a text wrapped at the width; its further lines begin with ``hanging``."""
        if self.rich:
            self.line(text)
            return
        further: Any = {"initial_indent": indent, "subsequent_indent": indent if hanging is None else hanging}
        self._lines += wrap(_harmless(text), self.width, break_on_hyphens=False, **further)

    def listing(self, prefix: str, items: Iterable[str]) -> None:
        """Add a prefix and items with commas between them; no item is broken across lines that need not be."""
        if self.rich:
            self.line(f"{prefix} {', '.join(items)}")
            return
        if self.width - len(prefix) < _BESIDE:
            self.paragraph(prefix, indent="  ")
            prefix = "    "
        lines = unbroken(map(_harmless, items), self.width - len(prefix)) or [""]
        self._lines += [(" " * len(prefix) if i else prefix) + line for i, line in enumerate(lines)]

    def heading(self, text: str) -> None:
        """Add a line that stands out where that is possible."""
        self.title = self.title or text
        if self.rich:
            self.draw(_tagged("h2" if self._lines else "h1", text))
            return
        for line in wrap(_harmless(text), self.width) or [""]:
            self.draw(click.style(line, bold=True, fg="cyan"))

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], align: str, notes: Sequence[Iterable[str]]
    ) -> None:
        """Add a table, its header receding, and notes below its rows; on a narrow page it is folded."""
        # Blanks are the first that a page short of room can spare.
        lines = table(header, rows, align, width=self.columns, gap=1 if self.width < _ROOMY else 2)
        whole = len(lines) == len(rows) + 1 and not self.rich
        if self.rich:
            from mathhammer.display.html import html_cells

            self.draw(html_cells(header, rows, align))
        elif lines and lines[0].split() == " ".join(header).split():
            self.draw(click.style(_harmless(lines.pop(0)), dim=True))
        for line in () if whole or self.rich else lines:
            self.verbatim(line)
        for place, row in enumerate(rows):
            if whole:
                self.verbatim(lines[place])
            for note in notes[place] if notes else ():
                said = note if whole else f"{row[0].removesuffix(' !')}: {note}"
                self.paragraph(said, indent="  ! ", hanging="    ")

    def panel(self, shown: Displayed) -> None:
        """Add what an object shows of itself."""
        panel = shown._panel()  # noqa: SLF001 - the package's own
        if self.rich:
            self.heading(panel.title)
            self.draw(panel._replace(title="").html())
            return
        title, _, text = panel.text(width=self.width, unicode=self.unicode).partition("\n")
        self.heading(title)
        self.verbatim(text)

    def draw(self, picture: str) -> None:
        """Add a picture in HTML, or a line with signs for the terminal."""
        self._lines.append(picture)

    def print(self) -> None:
        """Print the page, replacing what the stream has no character for."""
        text = "\n".join(self._lines)
        click.echo(_in_alphabet(text if self.unicode else text.translate(_PLAIN)))

    def html(self) -> str:
        """Return the page for the browser."""
        from mathhammer.display.html import html_page

        return html_page(f"{self.title} - mathhammer", self._lines)


_PLAIN = str.maketrans({"·": "-", "–": "-", "×": "x", "’": "'", "…": "..."})


def say(answer: Displayed, *, as_json: bool) -> None:
    """Print an answer, or its JSON."""
    if as_json:
        print_json(answer._data())  # noqa: SLF001 - the package's own
        return
    page = Page()
    page.panel(answer)
    page.print()


def print_json(data: Mapping[str, object]) -> None:
    """Print an object, which names its schema."""
    import json

    plain = not supports_unicode(sys.stdout.encoding)
    click.echo(json.dumps(data, ensure_ascii=plain, indent=2, default=list))


def print_csv(records: Sequence[Mapping[str, object]]) -> None:
    """Print comma-separated values with a header; what is unknown is empty."""
    click.echo(_in_alphabet(csv_text(records)), nl=False)


def _tagged(tag: str, text: str) -> str:
    from html import escape

    return f"<{tag}>{escape(text)}</{tag}>"


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
