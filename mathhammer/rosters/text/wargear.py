"""Wargear on one line: ``3 with Lance, 2x Launcher``, ``Warlord, Maul``."""

from __future__ import annotations

import re

from mathhammer.rosters.text.lines import require_count
from mathhammer.rosters.text.tree import TextItem

# "with" in English, "mit", "avec", "con"
_WITH = re.compile(r"(\d{1,4})\s+(?:with|mit|avec|con)\s+(.*)", re.IGNORECASE)
_COUNTED = re.compile(r"(\d{1,4})\s?[x×]\s*(.+)")


def read_wargear_line(text: str, models: int) -> list[TextItem]:
    """Return the items of a line, with their counts in the whole unit.

    ``N with a, b`` gives each of ``N`` models all that follows, up to the next such words. Without them each of
    the models has one, unless a count says how many there are.
    """
    items = []
    bearers: int | None = None
    for part in _parts(text):
        wanted = part.strip()
        given = _WITH.fullmatch(wanted)
        if given:
            bearers, wanted = int(given[1]), given[2].strip()
        counted = _COUNTED.fullmatch(wanted)
        each = int(counted[1]) if counted else None
        name = counted[2].strip() if counted else wanted
        if each is None:
            each = models if bearers is None else 1
        count = each * (bearers or 1)
        require_count(count, text)
        if name:
            items.append(TextItem(name, count))
    return items


def _parts(text: str) -> list[str]:
    """Split at commas and semicolons outside brackets; a bracket that is not closed ends with its part."""
    parts, start, closing = [], 0, -1
    for position, char in enumerate(text):
        if char == "(" and position > closing:
            closing = text.find(")", position)
        elif char in ",;" and position > closing:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
