"""The table of what texts of rules say: entries with their words for the player, and their wordings."""

from __future__ import annotations

import re
from functools import cache
from pkgutil import get_data

_TEXT = (get_data(__package__ or "", "entries.txt") or b"").decode()
#: Lines of each section of the table.
SECTIONS = {
    name: lines.strip("\n").split("\n")
    for name, lines in re.findall(r"(?s)^\[(\w+)\]\n(.*?)(?=\n\n|\Z)", _TEXT, re.MULTILINE)
}


def _entries(section: str) -> dict[str, tuple[str, str]]:
    heads = (line[2:].split(" | ") for line in SECTIONS[section] if line.startswith("= "))
    return {kind: (words, by.strip()) for kind, by, words in heads}


#: Of each kind of effect its words, and whether attacks are computed with it: a unit's own, and of which kinds those
#: against a target.
KINDS = _entries("effects")
#: Of each condition its words, and who or what decides it, where that is not the player.
CONDITIONS = _entries("conditions")


@cache
def pattern_of(section: str) -> re.Pattern[str]:
    """Compile the lines of a section, each of which a text may match."""
    return re.compile("|".join(SECTIONS[section]), 0 if section == "plain" else re.IGNORECASE)
