"""A panel: what an object shows of itself, as data that is drawn once for the terminal and once for a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from textwrap import wrap
from typing import Any, NamedTuple

from mathhammer.display.html import html_cells, html_heat_table, svg_bars, svg_rows
from mathhammer.display.numbers import number, percent, value_text
from mathhammer.display.text import distribution_table, page_unicode, page_width, table, unbroken, with_bars

#: An exact number of more digits than this does not stand beside its value.
_BESIDE = 24
# A screen: longer tables are cut, with a line that says so.
_SCREEN = 20
# An exact value of more outcomes than this stands in no table.
_EXACT_ROWS = 20


class Bars(NamedTuple):
    """The probabilities of numbers."""

    #: What is counted.
    name: str
    #: Equally long, the outcomes ascending.
    outcomes: Sequence[int]
    probabilities: Sequence[float]
    #: The probabilities written exactly, where they are known.
    exact: Sequence[str] | None = None
    #: The mean, and the quantiles of 5 %, 50 % and 95 %; ``None`` where mass is missing.
    mean: float | None = None
    quantiles: tuple[int, int, int] | None = None
    #: Other numbers about the distribution, by name.
    facts: Mapping[str, str] = {}
    #: What `plot` draws by default: ``"pmf"``, ``"at_least"``, ``"cdf"`` or ``"ccdf"``.
    view: str = "pmf"

    def text(self, width: int, *, unicode: bool) -> str:
        """Return the table for the terminal."""
        few = sum(map(bool, self.probabilities)) <= _EXACT_ROWS
        about: Any = {"width": width, "limit": 20, "unicode": unicode, "at_most": self.view == "cdf"}
        exact = self.exact if few else None
        rows = distribution_table(self.outcomes, self.probabilities, exact=exact, **about)
        return "\n".join([*wrap(f"{self.name}:", width), rows, *unbroken(_words(self.facts), width)])

    def html(self) -> str:
        """Return the picture for a page."""
        about: dict[str, Any] = {"mean": self.mean, "quantiles": self.quantiles, "title": self.name}
        bars = svg_bars(self.outcomes, self.probabilities, **about)
        footer = f"<div><small>{_html_facts(self.facts)}</small></div>" if self.facts else ""
        return f'<div class="mathhammer">{_html_title(self.name)}{bars}{footer}</div>'


class NamedBars(NamedTuple):
    """The probabilities of outcomes that have names."""

    #: What the outcomes are.
    name: str
    #: Equally long.
    labels: Sequence[str]
    probabilities: Sequence[float]
    #: The probabilities written exactly, where they are known.
    exact: Sequence[str] | None = None

    def text(self, width: int, *, unicode: bool) -> str:
        """Return the table for the terminal."""
        shares = [percent(min(share, 1.0)) for share in self.probabilities]
        given = {self.name: self.labels, "probability": shares, "exactly": self.exact}
        columns = {name: column for name, column in given.items() if column is not None}
        rows = list(zip(*columns.values(), strict=True))
        lines = table([*columns], rows, "<" + ">" * (len(columns) - 1), width=width)
        return "\n".join(with_bars(lines, self.probabilities, width=width, unicode=unicode))

    def html(self) -> str:
        """Return the picture for a page."""
        return f"<div>{_html_title(self.name)}{svg_rows(self.labels, self.probabilities, self.name)}</div>"


class HeatTable(NamedTuple):
    """Numbers with two names each, the deeper in shade the greater they are."""

    #: Names of the columns.
    columns: Sequence[str]
    #: The name of each, and a number for each column.
    rows: Sequence[tuple[str, Sequence[float]]]
    #: What is written in the cells; by default the numbers as percentages.
    texts: Sequence[Sequence[str]] | None = None
    #: What the names of columns and of rows are, and what the numbers are.
    across: str = ""
    down: str = ""
    caption: str = ""
    #: Whether a picture has the first row at the bottom, as on an axis of numbers.
    rising: bool = False

    @property
    def corner(self) -> str:
        """What stands above the names of the rows."""
        return " \\ ".join(filter(None, (self.down, self.across)))

    def written(self) -> Sequence[Sequence[str]]:
        """Return what stands in the cells; what cannot happen is empty."""
        return self.texts or [
            [percent(min(each, 1.0), digits=1) if each else "" for each in values] for _, values in self.rows
        ]

    def text(self, width: int, **_: bool) -> str:
        """Return the table for the terminal."""
        texts = self.written()
        lines = wrap(f"{self.caption}:" if self.caption else "", width)
        blocks = self._blocks(texts, width)
        shown = blocks[: max(1, _SCREEN // (len(self.rows) + 2))]
        for place, part in enumerate(shown):
            header = [self.corner, *(self.columns[i] for i in part)]
            rows = [
                [name, *(cells[i] for i in part)] for (name, _), cells in zip(self.rows, texts, strict=True)
            ]
            rows = rows[:_SCREEN]
            lines += [""] * bool(place) + table(header, rows, "<" + ">" * len(part), width=width)
        if shown != blocks or len(self.rows) > _SCREEN:
            first = f"The first {min(len(self.rows), _SCREEN)} of {len(self.rows)} rows and {shown[-1].stop}"
            whole = f"{first} of {len(self.columns)} columns; to_dataframe() and to_records() have all."
            lines += ["", *wrap(whole, width)]
        return "\n".join(lines)

    def _blocks(self, texts: Sequence[Sequence[str]], width: int) -> list[range]:
        """Return which columns stand beside each other: as many as the page has room for."""
        names = max(len(self.corner), *(len(name) for name, _ in self.rows))
        widths = [
            2 + max(len(column), *(len(cells[i]) for cells in texts)) for i, column in enumerate(self.columns)
        ]
        blocks, start, used = [], 0, names
        for i, wide in enumerate(widths):
            if i > start and used + wide > width:
                blocks.append(range(start, i))
                start, used = i, names
            used += wide
        return [*blocks, range(start, len(widths))]

    def html(self) -> str:
        """Return the table for a page."""
        return html_heat_table(self.columns, self.rows, self.written(), self.corner, self.caption)


class TablePart(NamedTuple):
    """Texts in rows and columns."""

    #: Equally many in each row.
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: One character a column: ``<`` left, ``>`` right. By default the first left, the others right.
    align: str = ""
    #: What the table holds.
    caption: str = ""

    def text(self, width: int, **_: bool) -> str:
        """Return the table for the terminal."""
        lines = table(self.header, self.rows, self._sides(), width=width)
        return "\n".join([*wrap(f"{self.caption}:" if self.caption else "", width), *lines])

    def html(self) -> str:
        """Return the table for a page."""
        return html_cells(self.header, self.rows, self._sides(), self.caption)

    def _sides(self) -> str:
        return self.align or "<" + ">" * (len(self.header) - 1)


class Lines(NamedTuple):
    """Numbers over the values of a parameter, a line for each series; only drawn."""

    #: What the numbers are, and what varies.
    name: str
    across: str
    #: The values, and the numbers of each series at them.
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    #: Places between two values where the better one changes.
    changes: Sequence[float] = ()


class Means(NamedTuple):
    """Means below each other, each with the range of its middle 90 %; only drawn."""

    name: str
    #: Equally long.
    labels: Sequence[str]
    means: Sequence[float]
    spans: Sequence[tuple[float, float]]
    #: What is written beside each.
    texts: Sequence[str]


Part = Bars | NamedBars | HeatTable | TablePart
Picture = Bars | NamedBars | HeatTable | Lines | Means
#: What can be drawn, by name.
Pictures = Mapping[str, Callable[[], Picture]]


class Panel(NamedTuple):
    """The panel of an object."""

    #: What it is.
    title: str
    #: Texts and numbers by name, in a line; a pair is a number and the words after it.
    facts: Mapping[str, object] = {}
    #: Distributions and tables.
    parts: Sequence[Part] = ()
    #: Sentences below them.
    notes: Sequence[str] = ()
    #: What most readers do not need: a sentence, and what a page opens below it.
    folded: Sequence[tuple[str, Part]] = ()

    def fact_texts(self, *, fractions: bool = True) -> dict[str, str]:
        """Return the numbers as people read them, a short fraction beside what is exact."""
        return {name: _fact_text(name, fact, fractions=fractions) for name, fact in self.facts.items()}

    def pictures(self) -> Pictures:
        """Return the parts that can be drawn, by name."""
        return {
            part.caption if isinstance(part, HeatTable) else part.name: partial(lambda drawn: drawn, part)
            for part in self.parts
            if not isinstance(part, TablePart)
        }

    def text(self, *, width: int | None = None, unicode: bool | None = None) -> str:
        """Return the panel for a terminal."""
        wide = page_width() if width is None else width
        blocks = page_unicode() if unicode is None else unicode
        head = [*wrap(self.title, wide, break_on_hyphens=False), *unbroken(_words(self.fact_texts()), wide)]
        parts = [part.text(wide, unicode=blocks) for part in self.parts]
        below = [*self.notes, *(sentence for sentence, _ in self.folded)]
        notes = [line for note in below for line in wrap(note, wide, break_on_hyphens=False)]
        blank = [""] if notes and parts else []
        return "\n".join([*head, *(line for part in parts for line in ("", part)), *blank, *notes])

    def html(self) -> str:
        """Return the panel as a fragment of a page."""
        facts = _html_facts(self.fact_texts())
        parts = "".join(part.html() for part in self.parts)
        inside = [_html_title(self.title), f"<div>{facts}</div>" if facts else ""]
        if parts:
            inside.append(
                f'<div style="display:flex;flex-wrap:wrap;gap:1em 1.5em;margin:.4em 0">{parts}</div>'
            )
        inside += [f"<div><small>{escape(note)}</small></div>" for note in self.notes]
        inside += [
            f"<details><summary><small>{escape(sentence)}</small></summary>{part.html()}</details>"
            for sentence, part in self.folded
        ]
        return f'<div class="mathhammer">{"".join(inside)}</div>'


def _fact_text(name: str, fact: Any, *, fractions: bool) -> str:
    if isinstance(fact, str):
        return fact
    value, words = fact if isinstance(fact, tuple) else (fact, "")
    short = percent(value) if name.startswith("P(") else number(value)
    exact = "" if isinstance(value, float) else value_text(value, limit=_BESIDE)
    return f"{short} ({exact}){words}" if fractions and "/" in exact else f"{short}{words}"


def _html_title(title: str) -> str:
    return f"<div><strong>{escape(title)}</strong></div>" if title else ""


def _html_facts(facts: Mapping[str, str]) -> str:
    return " &middot; ".join(f"{escape(name)} {escape(text)}" for name, text in facts.items())


def _words(facts: Mapping[str, str]) -> list[str]:
    return [f"{name} {text}" for name, text in facts.items()]
