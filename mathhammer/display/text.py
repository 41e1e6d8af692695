"""Tables for the terminal: a distribution with bars, its outcomes folded to fit a page, and plain columns."""

from __future__ import annotations

import shutil
import sys
from itertools import accumulate, groupby
from itertools import count as count_from
from math import fsum
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.display.numbers import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MINIMUM_BAR, _MAXIMUM_BAR = 8, 48
# A column of text that is broken into lines keeps at least so many characters.
_MINIMUM_TEXT = 12
# A page narrower than the first has no room for all of words, exact values and bars; none is narrower than the second.
_NARROW, _NARROWEST = 72, 20
# Headings of a narrow page, in the order of the full ones, the last of "at most".
_SHORT = ("k", "P(= k)", "P(>= k)", "P(<= k)")
_ROUNDING = 1e-9
# Outcomes at either end that together would print as less than 0.01 % share one row.
_TAIL = 5e-5


class Row(NamedTuple):
    """One line of a table or one bar of a picture: the outcomes from `low` to `high` that can happen."""

    low: int
    high: int
    #: How many they are.
    outcomes: int
    #: Of all outcomes of the row together, and of `low` or more.
    probability: float
    at_least: float
    #: Position of the first outcome in the sequence that was folded.
    place: int

    @property
    def label(self) -> str:
        """The outcome, or the first and the last of several."""
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"


def fold(outcomes: Sequence[int], probabilities: Sequence[float], limit: int) -> list[Row]:
    """Return rows that partition the possible outcomes, at most `limit` of them, losing nothing."""
    possible = [i for i, mass in enumerate(probabilities) if mass > 0]
    rows: list[Row] = []
    at_least = 0.0
    for group in reversed(_groups(outcomes, probabilities, possible, limit)):
        probability = fsum(probabilities[i] for i in group)
        at_least += probability
        low, high = (int(outcomes[group[end]]) for end in (0, -1))
        rows.append(Row(low, high, len(group), probability, at_least, group[0]))
    return rows[::-1]


def _groups(
    values: Sequence[int], masses: Sequence[float], possible: list[int], limit: int
) -> list[list[int]]:
    """Return the positions of each row, in order."""
    if len(possible) <= limit:
        return [[i] for i in possible]
    low, high = (
        sum(mass < _TAIL for mass in accumulate(masses[i] for i in way)) for way in (possible, possible[::-1])
    )
    if low + high >= len(possible):  # the whole is smaller than a tail: nothing stands out
        low = high = 0
    end = len(possible) - high
    room = max(2, limit - (low > 0) - (high > 0))
    shown = possible[low:end]
    # A row holds no more values than it is wide: narrower ones need not be tried.
    round_numbers = (digit * 10**exponent for exponent in count_from() for digit in (1, 2, 5))
    wide_enough = (width for width in round_numbers if width * room >= len(shown))
    width = next(width for width in wide_enough if len({values[i] // width for i in shown}) <= room)

    def key(i: int) -> int:
        return int(values[i] // width)

    # A far end that stops between two multiples takes the rest of the row it cuts.
    while 0 < low < end and key(possible[low - 1]) == key(possible[low]):
        low += 1
    while low < end < len(possible) and key(possible[end - 1]) == key(possible[end]):
        end -= 1
    cut = [list(group) for _, group in groupby(possible[low:end], key)]
    return [group for group in (possible[:low], *cut, possible[end:]) if group]


def supports_unicode(encoding: str | None) -> bool:
    """Return whether a stream of this encoding can print the block characters."""
    try:
        (_EIGHTHS + "·–").encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def unbroken(items: Iterable[str], width: int) -> list[str]:
    """Return lines of items with commas between them; no item is broken across lines that need not be."""
    # The wrapper breaks at blanks only: those inside an item that fits are no-break spaces until it is done.
    kept = (item if len(item) >= width else item.replace(" ", "\u00a0") for item in items)
    return [line.replace("\u00a0", " ") for line in wrap(", ".join(kept), width, break_on_hyphens=False)]


def page_width() -> int:
    """Return how many characters a line of the terminal has; 100 where there is none."""
    return max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST)


def page_unicode() -> bool:
    """Return whether the terminal prints block characters; a text that goes nowhere yet may hold them."""
    return supports_unicode(getattr(sys.stdout, "encoding", None) or "utf-8")


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """Return a bar that fills `share` of `width` characters; more than nothing is always seen."""
    if share <= 0:
        return ""
    if not unicode:
        return "#" * round(share * width) or "."
    whole, eighth = divmod(max(1, round(share * width * 8)), 8)
    return "█" * whole + (_EIGHTHS[eighth] if eighth else "")


def columns(rows: Sequence[Sequence[str]], align: str, *, gap: int = 2) -> list[str]:
    """Return lines with the cells of the rows under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (
        [f"{cell:{side}{wide}}" for cell, side, wide in zip(row, align, widths, strict=True)] for row in rows
    )
    return [(" " * gap).join(row).rstrip() for row in cells]


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], align: str, *, width: int, gap: int = 2
) -> list[str]:
    """Return the lines of a table that is never wider than the page, and never loses a cell."""
    whole = cells = [list(row) for row in rows]
    names = [[name] for name in header]
    widths, excess = [0] * len(names), 0
    for attempt in ("as it is", "names in lines", "text in lines"):
        if attempt == "text in lines":
            texts = [i for i, side in enumerate(align) if side == "<"]
            longest = max(texts, key=widths.__getitem__, default=None)
            if longest is None or widths[longest] - excess < _MINIMUM_TEXT:
                break
            cells = _broken(cells, longest, widths[longest] - excess)
        if attempt != "as it is":  # each name in lines no longer than its cells, as far as its words allow
            wide = (
                [len(row[i]) for row in cells] + [len(word) for word in name.split()]
                for i, name in enumerate(header)
            )
            names = [
                wrap(name, max(1, *most), break_on_hyphens=False) or [""]
                for name, most in zip(header, wide, strict=True)
            ]
        # Each name ends in the last of their lines.
        tall = max(map(len, names))
        filled = [*zip(*([""] * (tall - len(lines)) + lines for lines in names), strict=True), *cells]
        widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
        excess = sum(widths) + gap * (len(widths) - 1) - width
        if excess <= 0:
            return columns(filled, align, gap=gap)
    return [line for row in whole for line in _stacked(header, row, width)]


def _broken(rows: Sequence[Sequence[str]], place: int, width: int) -> list[list[str]]:
    """Return the rows with the texts of one column broken into lines of their own."""
    broken = []
    for row in rows:
        lines = wrap(row[place], width, break_on_hyphens=False) or [""]
        blank = [""] * len(row)
        broken += [
            [line if i == place else cell for i, cell in enumerate(blank if below else row)]
            for below, line in enumerate(lines)
        ]
    return broken


def _stacked(header: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    """Return the cells of a row below each other."""
    lines = wrap(f"{header[0]}: {row[0]}" if header[0] else row[0], width) or [""]
    for name, cell in zip(header[1:], row[1:], strict=True):
        if cell and len(name) + len(cell) + 4 <= width:
            lines.append(f"  {name}: {cell}")
        elif cell:
            lines += wrap(f"{name}:", width, initial_indent="  ", subsequent_indent="  ")
            lines += wrap(cell, width, initial_indent="    ", subsequent_indent="    ")
    return lines


def with_bars(lines: list[str], shares: Sequence[float], *, width: int, unicode: bool) -> list[str]:
    """Return the lines of a table, its header first, with a bar behind each where the page has room for bars."""
    longest = max(map(len, lines))
    room = min(_MAXIMUM_BAR, width - longest - 2)
    if (
        room < _MINIMUM_BAR or len(lines) != len(shares) + 1
    ):  # a bar says nothing that its number does not say
        return lines
    greatest = max(shares) or 1.0
    bars = [bar(share / greatest, room, unicode=unicode) for share in shares]
    return [
        lines[0],
        *(f"{line:{longest}}  {drawn}".rstrip() for line, drawn in zip(lines[1:], bars, strict=True)),
    ]


def distribution_table(
    outcomes: Sequence[int],
    probabilities: Sequence[float],
    *,
    exact: Sequence[str] | None = None,
    width: int = 80,
    limit: int = 40,
    unicode: bool = True,
    at_most: bool = False,
) -> str:
    """Return a table of outcome, probability and "at least" or "at most", with bars."""
    notes = _notes(rows := fold(outcomes, probabilities, limit))
    header = ["outcome", "probability", "at most" if at_most else "at least"]
    summed = accumulate(row.probability for row in rows) if at_most else (row.at_least for row in rows)
    sums = [min(each, 1.0) for each in summed]
    # The rows are summed from the far end; at the last of them a certain sum may miss 1 by a rounding.
    if abs(sums[-at_most] - 1) < _ROUNDING:
        sums[-at_most] = 1.0
    cells = [
        [row.label, percent(row.probability), percent(each)] for row, each in zip(rows, sums, strict=True)
    ]
    if exact is not None and len(rows) == sum(row.outcomes for row in rows):
        longest = max(len(exact[row.place]) for row in rows)
        fits = longest <= width - sum(map(len, header)) - _MINIMUM_BAR - 8
        if not fits and width < _NARROW:  # exact values go before bars and before words
            labels = max(len(row.label) for row in rows)
            fits = longest <= width - max(labels, 2) - 22
            header = [*_SHORT[:2], _SHORT[2 + at_most]] if fits else header
        if fits:
            header.insert(2, "exactly")
            for line, row in zip(cells, rows, strict=True):
                line.insert(2, exact[row.place])
        else:
            notes.append(f"Exact values of up to {longest:,} characters do not fit this page.")
    elif exact is not None:
        notes.append("Exact values are not shown for folded rows.")
    if len("  ".join(header)) > width:
        notes.append("k: outcome.")
        header = [*_SHORT[:2], *(["exactly"] if "exactly" in header else []), _SHORT[2 + at_most]]
    lines = columns([header, *cells], ">" * len(header))
    lines = with_bars(lines, [row.probability for row in rows], width=width, unicode=unicode)
    return "\n".join([*lines, *(line for note in notes for line in wrap(note, width))])


def _notes(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know of rows that hold several outcomes and of mass that is missing."""

    def share(some: Sequence[Row]) -> str:
        return percent(min(sum(row.probability for row in some), 1.0))

    notes, parts = [], []
    first, last, between = rows[0], rows[-1], rows[1:-1]
    widest = max((row.outcomes for row in between), default=1)
    if first.outcomes > 1:
        parts.append(f"{count(first.outcomes, 'outcome')} up to {first.high} ({share(rows[:1])})")
    if len(rows) > 1 and last.outcomes > 1:
        parts.append(f"{count(last.outcomes, 'outcome')} from {last.low} on ({share(rows[-1:])})")
    if widest > 1:
        parts.append(f"the others in rows of up to {widest:,} ({share(between)})")
    if parts:
        notes.append(f"Folded: {', '.join(parts)}. Each row prints the sum of its outcomes.")
    missing = 1 - first.at_least
    if missing > _ROUNDING:
        notes.append(
            f"Missing: the rows sum to {percent(first.at_least)}; {percent(missing)} is not in them."
        )
    return notes
