"""Tables for the terminal: a distribution with bars, and plain columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from mathhammer.display.folding import Row, fold
from mathhammer.display.numbers import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["bar", "columns", "distribution_table", "supports_unicode"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MINIMUM_BAR = 8
_MAXIMUM_BAR = 48
_ROUNDING = 1e-9


def supports_unicode(encoding: str | None) -> bool:
    """Return whether a stream of this encoding can print the block characters.

    Examples
    --------
    >>> supports_unicode("utf-8"), supports_unicode("ascii"), supports_unicode(None)
    (True, False, False)
    """
    try:
        (_EIGHTHS + "·–").encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """Return a bar that fills ``share`` of ``width`` characters; more than nothing is always seen.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.3, 8), bar(1e-9, 8), bar(0, 8)
    ('████', '██▍', '▏', '')
    >>> bar(0.5, 8, unicode=False), bar(1e-9, 8, unicode=False)
    ('####', '.')
    """
    if share <= 0:
        return ""
    if not unicode:
        return "#" * round(share * width) or "."
    whole, eighth = divmod(max(1, round(share * width * 8)), 8)
    return "█" * whole + (_EIGHTHS[eighth] if eighth else "")


def columns(rows: Iterable[Sequence[str]], align: str, *, gap: int = 2) -> list[str]:
    """Return lines with the cells of the rows under each other.

    Parameters
    ----------
    rows
        Cells as text, equally many in each row.
    align
        One character a column: ``<`` left, ``>`` right.
    gap
        Blanks between columns.

    Examples
    --------
    >>> columns([["MEQ", "4"], ["CHAFF", "10"]], "<>")
    ['MEQ     4', 'CHAFF  10']
    """
    cells = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(align))] if cells else []
    lines = []
    for row in cells:
        padded = [f"{cell:{side}{wide}}" for cell, side, wide in zip(row, align, widths, strict=True)]
        lines.append((" " * gap).join(padded).rstrip())
    return lines


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
    """Return a table of outcome, probability and "at least", with bars.

    Parameters
    ----------
    outcomes, probabilities
        Equally long, the outcomes ascending.
    exact
        The probabilities written exactly, one text for each outcome; shown where they fit.
    heading
        Title of the first column.
    width
        Of the page, in characters.
    limit
        Greatest number of rows; what had to be folded is said below the table.
    unicode
        Draw with block characters instead of ASCII.

    Examples
    --------
    >>> print(distribution_table([2, 3, 4], [0.25, 0.5, 0.25], exact=["1/4", "1/2", "1/4"], width=50))
    outcome  probability  exactly  at least
          2       25.00%      1/4      100%  ████▌
          3       50.00%      1/2    75.00%  █████████
          4       25.00%      1/4    25.00%  ████▌
    """
    rows = fold(outcomes, probabilities, limit=limit)
    notes = _notes(rows)
    header = [heading, "probability", "at least"]
    cells = [[row.label, percent(row.probability), _at_least(row, rows[0])] for row in rows]
    if exact is not None and len(rows) == sum(row.outcomes for row in rows):
        longest = max(len(exact[row.index]) for row in rows)
        if longest <= width - sum(map(len, header)) - _MINIMUM_BAR - 8:
            header.insert(2, "exactly")
            for line, row in zip(cells, rows, strict=True):
                line.insert(2, exact[row.index])
        else:
            notes.append(f"Exact values of up to {longest:,} characters do not fit this page.")
    elif exact is not None:
        notes.append("Exact values are not shown for folded rows.")
    lines = columns([header, *cells], ">" * len(header))
    room = min(_MAXIMUM_BAR, max(_MINIMUM_BAR, width - max(map(len, lines)) - 2))
    greatest = max(row.probability for row in rows)
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
