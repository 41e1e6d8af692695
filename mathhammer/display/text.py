"""Tables for the terminal: a distribution with bars, and plain columns."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING

from mathhammer.display.folding import Row, fold
from mathhammer.display.numbers import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MINIMUM_BAR = 8
# A column of text that is broken into lines keeps at least so many characters.
_MINIMUM_TEXT = 12
# A page narrower than this has no room for all of words, exact values and bars.
_NARROW = 72
# Headings of a narrow page, in the order of the full ones.
_SHORT = ("k", "P(= k)", "P(>= k)")
# Narrower than this, no page is laid out.
_NARROWEST = 20
_MAXIMUM_BAR = 48
_ROUNDING = 1e-9


def supports_unicode(encoding: str | None) -> bool:
    """Return whether a stream of this encoding can print the block characters."""
    try:
        (_EIGHTHS + "·–").encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def page_width() -> int:
    """Return how many characters a line of the terminal has; 100 where there is none."""
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST)


def page_unicode() -> bool:
    """Return whether the terminal prints block characters; a text that goes nowhere yet may hold them."""
    return supports_unicode(getattr(sys.stdout, "encoding", None) or "utf-8")


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """Return a bar that fills ``share`` of ``width`` characters; more than nothing is always seen."""
    if share <= 0:
        return ""
    if not unicode:
        return "#" * round(share * width) or "."
    whole, eighth = divmod(max(1, round(share * width * 8)), 8)
    return "█" * whole + (_EIGHTHS[eighth] if eighth else "")


def columns(rows: Iterable[Sequence[str]], align: str, *, gap: int = 2) -> list[str]:
    """Return lines with the cells of the rows under each other."""
    cells = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(align))] if cells else []
    lines = []
    for row in cells:
        padded = [f"{cell:{side}{wide}}" for cell, side, wide in zip(row, align, widths, strict=True)]
        lines.append((" " * gap).join(padded).rstrip())
    return lines


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
        if attempt != "as it is":
            names = _names_in_lines(header, cells)
        widths = [max(map(len, column)) for column in zip(*_header(names), *cells, strict=True)]
        excess = sum(widths) + gap * (len(widths) - 1) - width
        if excess <= 0:
            return columns([*_header(names), *cells], align, gap=gap)
    return [line for row in whole for line in _stacked(header, row, width)]


def _names_in_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return each name in lines no longer than its cells, as far as its words allow."""
    found = []
    for i, name in enumerate(header):
        longest = max([len(row[i]) for row in rows] + [len(word) for word in name.split()], default=1)
        found.append(wrap(name, max(longest, 1), break_on_hyphens=False) or [""])
    return found


def _header(names: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of the names of columns, each name ending in the last of them."""
    tall = max(map(len, names))
    filled = [[""] * (tall - len(lines)) + list(lines) for lines in names]
    return [list(row) for row in zip(*filled, strict=True)]


def _broken(rows: Sequence[Sequence[str]], place: int, width: int) -> list[list[str]]:
    """Return the rows with the texts of one column broken into lines of their own."""
    broken = []
    for row in rows:
        first, *others = wrap(row[place], width, break_on_hyphens=False) or [""]
        broken.append([first if i == place else cell for i, cell in enumerate(row)])
        broken += [[line if i == place else "" for i in range(len(row))] for line in others]
    return broken


def _stacked(header: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    """Return the cells of a row below each other."""
    first = f"{header[0]}: {row[0]}" if header[0] else row[0]
    lines = wrap(first, width) or [""]
    for name, cell in zip(header[1:], row[1:], strict=True):
        if not cell:
            continue
        if len(name) + len(cell) + 4 <= width:
            lines.append(f"  {name}: {cell}")
            continue
        lines += wrap(f"{name}:", width, initial_indent="  ", subsequent_indent="  ")
        lines += wrap(cell, width, initial_indent="    ", subsequent_indent="    ")
    return lines


def row_bars(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    shares: Sequence[float],
    *,
    width: int,
    unicode: bool = True,
) -> str:
    """Return a table with a bar behind each row, as far as the page has room for bars."""
    align = "<" + ">" * (len(header) - 1)
    lines = table(header, rows, align, width=width)
    room = min(_MAXIMUM_BAR, width - max(map(len, lines)) - 2)
    if room < _MINIMUM_BAR or len(lines) != len(rows) + 1:
        return "\n".join(lines)
    greatest = max(shares) or 1.0
    longest = max(map(len, lines))
    for i, share in enumerate(shares, start=1):
        drawn = bar(share / greatest, room, unicode=unicode)
        lines[i] = f"{lines[i]:{longest}}  {drawn}".rstrip()
    return "\n".join(lines)


def distribution_table(
    outcomes: Iterable[int],
    probabilities: Iterable[float],
    *,
    exact: Sequence[str] | None = None,
    heading: str = "outcome",
    width: int = 80,
    limit: int = 40,
    unicode: bool = True,
) -> str:
    """Return a table of outcome, probability and "at least", with bars."""
    rows = fold(outcomes, probabilities, limit=limit)
    notes = _notes(rows)
    header = [heading, "probability", "at least"]
    cells = [[row.label, percent(row.probability), _at_least(row, rows[0])] for row in rows]
    if exact is not None and len(rows) == sum(row.outcomes for row in rows):
        longest = max(len(exact[row.index]) for row in rows)
        fits = longest <= width - sum(map(len, header)) - _MINIMUM_BAR - 8
        if not fits and width < _NARROW:  # exact values go before bars and before words
            labels = max(len(row.label) for row in rows)
            fits = longest <= width - max(labels, 2) - 22
            header = list(_SHORT) if fits else header
        if fits:
            header.insert(2, "exactly")
            for line, row in zip(cells, rows, strict=True):
                line.insert(2, exact[row.index])
        else:
            notes.append(f"Exact values of up to {longest:,} characters do not fit this page.")
    elif exact is not None:
        notes.append("Exact values are not shown for folded rows.")
    if len("  ".join(header)) > width:  # a long name of what is counted stands below the table
        notes.append(f"k: {heading}.")
        header = [*_SHORT[:2], *(["exactly"] if "exactly" in header else []), _SHORT[2]]
    lines = columns([header, *cells], ">" * len(header))
    room = min(_MAXIMUM_BAR, width - max(map(len, lines)) - 2)
    greatest = max(row.probability for row in rows)
    if room >= _MINIMUM_BAR:  # a bar says nothing that its number does not say
        for i, row in enumerate(rows, start=1):
            lines[i] = f"{lines[i]}  {bar(row.probability / greatest, room, unicode=unicode)}"
    return "\n".join([*lines, *(line for note in notes for line in wrap(note, width))])


def _at_least(row: Row, first: Row) -> str:
    # The rows are summed from the far end; at the first one a certain sum may miss 1 by a rounding.
    if row is first and abs(first.at_least - 1) < _ROUNDING:
        return "100%"
    return percent(min(row.at_least, 1.0))


def _share(rows: Sequence[Row]) -> str:
    return percent(min(sum(row.probability for row in rows), 1.0))


def _notes(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know of rows that hold several outcomes and of mass that is missing."""
    notes = []
    parts = []
    inner = [row for row in rows[1:-1] if row.outcomes > 1]
    if rows[0].outcomes > 1:
        parts.append(f"{count(rows[0].outcomes, 'outcome')} up to {rows[0].high} ({_share(rows[:1])})")
    if len(rows) > 1 and rows[-1].outcomes > 1:
        parts.append(f"{count(rows[-1].outcomes, 'outcome')} from {rows[-1].low} on ({_share(rows[-1:])})")
    if inner:
        widest = max(row.outcomes for row in inner)
        parts.append(f"the others in rows of up to {widest:,} ({_share(rows[1:-1])})")
    if parts:
        notes.append(f"Folded: {', '.join(parts)}. Each row prints the sum of its outcomes.")
    missing = 1 - rows[0].at_least
    if missing > _ROUNDING:
        notes.append(
            f"Missing: the rows sum to {percent(rows[0].at_least)}; {percent(missing)} is not in them."
        )
    return notes
