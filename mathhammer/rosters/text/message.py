"""The list inside a message: what greets before it and after it, quotes it or fences it is no part of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.rosters.text.lines import QUOTED, read_heading, read_item, read_unit_line

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The line with which programs sign what they wrote.
SIGNATURE = re.compile(r"\bv\d+\.\d+|newrecruit|app version|data version|version de l.appli", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_GREETS = re.compile(
    r"(?:hi|hey|hello|yo|dear|here'?s|here is|this is|thoughts|what|so|my list|hallo|salut|bonjour|hola|ciao)\b",
    re.IGNORECASE,
)
_PROSE = re.compile(r"[.!?…;,:)]$|https?://|[.!?] |^\[\d{1,2}:\d{2}|\b(?:I|I'm|you|we|my|our)\b")
_COLON = re.compile(r"[^:]{1,40}:\s*\S")


def without_message(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines of a list without quotes and fences, and the lines of the message around it."""
    plain = _unquoted([line for line in lines if not _FENCE.fullmatch(line)])
    first = next((place for place, line in enumerate(plain) if _of_list(line)), None)
    if first is None:
        return plain, []
    start, end = _start(plain, first), _end(plain)
    around = [line.strip() for line in (*plain[:start], *plain[end:]) if line.strip()]
    return plain[start:end], around


def _unquoted(lines: Sequence[str]) -> list[str]:
    """Take away the marks of a quote where most lines of a list have them."""
    listed = [line for line in lines if _of_list(QUOTED.sub("", line, count=1))]
    quoted = [line for line in listed if QUOTED.match(line)]
    if not quoted or 2 * len(quoted) < len(listed):
        return list(lines)
    return [QUOTED.sub("", line, count=1) for line in lines]


def _of_list(line: str) -> bool:
    """Whether a line can only be one of a list: a unit, a counted item, a bullet, a heading of a tournament."""
    stripped = line.strip()
    if stripped.startswith(("+", "#")):
        return read_heading(stripped) is not None or not stripped.strip("+-=_#* ") or stripped.startswith("#")
    if read_unit_line(line) is not None:
        return not _is_greeting(stripped)
    item = read_item(line)
    return item is not None and (
        item.count is not None or (item.bullet and not stripped.startswith(("-", "–")))
    )


def _is_greeting(line: str) -> bool:
    """Whether a line with points speaks of a list and names no unit: it ends in a colon and greets."""
    return line.endswith(":") and _GREETS.match(line) is not None


def _start(lines: Sequence[str], first: int) -> int:
    """Return where the list begins: with the names that stand above its first line, but no sentences."""
    start = first
    while start and lines[start - 1].strip() and _is_name(lines[start - 1]):
        start -= 1
    return start


def _is_name(line: str) -> bool:
    stripped = line.strip()
    return not _PROSE.search(stripped) and not _GREETS.match(stripped) and len(stripped.split()) <= 8


def _end(lines: Sequence[str]) -> int:
    """Return where the list ends: behind its last item, or the line with which its program signs."""
    end = len(lines)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if not line.strip():
            continue
        if _of_list(line) or SIGNATURE.search(line) or (_belongs(line) and _in_paragraph(lines, place)):
            return place + 1
        end = place
    return end


def _belongs(line: str) -> bool:
    """Whether a line may be of a unit without saying so: what it leads, wears or carries."""
    stripped = line.strip()
    return bool(_COLON.match(stripped)) or not (_PROSE.search(stripped) or _GREETS.match(stripped))


def _in_paragraph(lines: Sequence[str], place: int) -> bool:
    """Whether a line stands directly below lines of a list."""
    above = place - 1
    while above >= 0 and lines[above].strip():
        if _of_list(lines[above]):
            return True
        above -= 1
    return False
