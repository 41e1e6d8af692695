"""The disputed points of a game as a text."""

from __future__ import annotations

from mathhammer.sequence.rulings import Ruling


def read_rulings(text: str) -> tuple[Ruling, ...]:
    """Return disputed points of three lines each: number, name and options, the default first; question; source."""
    lines = iter([" ".join(line.split()) for line in text.strip().splitlines()])
    found = []
    for head, question, source in zip(lines, lines, lines, strict=True):
        name, _, options = head.partition(" ")[2].partition(": ")
        given = tuple(options.split(", "))
        found.append(Ruling(name, question, given, given[0], source))
    return tuple(found)
