"""The lines of a text export: units with their points, items with their counts, whatever the bullets are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mathhammer.display import Named
from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_COUNT, shorten


@dataclass(frozen=True, slots=True)
class TextItem:
    """Models, wargear or an option of a unit; the text alone does not say which."""

    #: As written.
    name: str
    #: How many in the whole unit.
    count: int
    #: What stands below it.
    items: tuple[TextItem, ...] = ()
    #: Whether the count is written; what stands without one may be a rule that the list names.
    counted: bool = True


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A unit by name."""

    #: As written.
    name: str
    #: Of the whole unit, enhancements included.
    points: int
    #: Number of its models where it stands before the name; else 1.
    count: int = 1
    #: Models and wargear.
    items: tuple[TextItem, ...] = ()
    #: What is marked as one.
    enhancements: tuple[str, ...] = ()
    #: What says something of the unit and is no part of it, such as ``Warlord``.
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class TextList(Named):
    """An army list by name."""

    #: Its first line, or the name of the file.
    title: str
    #: As written, of Space Marines with the chapter; empty if the text has none.
    faction: str
    #: Names of the detachments; the 11th edition allows several.
    detachments: tuple[str, ...]
    #: The total in the header; ``None`` if it has none.
    points: int | None
    #: In order.
    units: tuple[TextUnit, ...]
    #: Pairs of places in ``units``: a leader, and the unit it is attached to.
    attachments: tuple[tuple[int, int], ...] = ()
    #: Its force dispositions, which the 11th edition has.
    dispositions: tuple[str, ...] = ()
    #: ``"11e"`` if the text has fields that only that edition has; else empty.
    edition: str = ""
    #: Lines that were not understood, as written.
    unread: tuple[str, ...] = ()
    #: Lines of the message before and after the list.
    around: tuple[str, ...] = ()

    def __str__(self) -> str:
        points = "" if self.points is None else f", {self.points} points"
        lines = [f"{self.title} ({self.faction}{points})"]
        return "\n".join(
            [*lines, *(f"  {unit.count} × {unit.name}, {unit.points} points" for unit in self.units)]
        )


MAX_LINES = 5_000
MAX_LINE = 1_000
_MAX_INDENT = 80

# Points are "Points" in English and French, "Punkte", "puntos", "punti": a word with p, or "Очки".
_POINTS = r"(?P<points>\d{1,3}(?:[.,\s'’]\d{3}){1,2}|\d{1,7})\s*(?:p[^\W\d]{0,7}|очк[^\W\d]{0,3})\.?"
_UNIT = re.compile(
    r"(?P<tag>[^\W\d_]{2,12}\d{1,3}:\s*)?(?:(?P<count>\d{1,4})\s?[x×]\s+)?"
    rf"(?P<name>[^\s(\[].{{0,198}}?)\s*[(\[]\s*{_POINTS}\s*[)\]]\s*(?P<rest>:.*)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)(?P<bullet>[•·∙◦○▪‣⁃*–-]|o(?=\s))?\s*(?P<text>.*)")
_DEEPER = "◦○o"
#: Marks of a message that quotes a list.
QUOTED = re.compile(r"\s*>+ ?")
_COUNTED = re.compile(r"(?P<count>\d{1,4})\s?[x×]\s*(?P<name>\S.*)")
# "with" in English, "mit", "avec", "con"
_GIVEN = re.compile(r"(\d{1,4})\s+(?:with|mit|avec|con)\s+(.*)", re.IGNORECASE)
_HEADER = re.compile(r"\+\s*(?P<key>[^\W\d_][^:]{0,40}):\s*(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class UnitLine:
    """``Char1: 3x Name (215 pts): rest``; an unstated count is 1."""

    name: str
    points: int
    count: int
    rest: str


@dataclass(frozen=True, slots=True)
class Item:
    """``  • 9x Boy``: in which column its text begins, its count if one is written, and its text."""

    depth: int
    bullet: bool
    count: int | None
    text: str


def is_text_list(text: str) -> bool:
    """Whether a text looks like an army list: some line names a unit with its points."""
    return any(
        len(line) <= MAX_LINE and read_unit_line(_clean(line)) for line in text.splitlines()[:MAX_LINES]
    )


def split(text: str, name: str) -> list[str]:
    """Return the lines of a list, marks of emphasis and odd blanks removed."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES or any(len(line) > MAX_LINE for line in lines):
        raise RosterError(
            f"expected an army list of at most {MAX_LINES:,} lines of {MAX_LINE:,} characters, but {name} has "
            "more; export the list again"
        )
    return [_clean(line) for line in lines]


def _clean(line: str) -> str:
    line = line.expandtabs(4).replace("\u00a0", " ").replace("\u202f", " ")
    line = "".join(c for c in line if c.isprintable()).replace("**", "").rstrip()
    quoted = QUOTED.match(line)
    mark, line = (line[: quoted.end()].strip(), line[quoted.end() :]) if quoted else ("", line)
    text = line.lstrip()
    return mark + " " * (bool(mark) + min(len(line) - len(text), _MAX_INDENT)) + " ".join(text.split())


def read_unit_line(line: str) -> UnitLine | None:
    """Read a line that names something with its points."""
    match = _UNIT.fullmatch(line.strip().lstrip("#").strip())
    if match is None or line.lstrip().startswith(("+", "•", "◦")):
        return None
    points = int(re.sub(r"\D", "", match["points"]))
    rest = (match["rest"] or "").removeprefix(":").strip()
    return UnitLine(match["name"].strip(), points, require_count(int(match["count"] or 1), line), rest)


def read_item(line: str) -> Item | None:
    """Read a bullet, or a line that begins with a count; ``None`` for an empty line."""
    match = _BULLET.fullmatch(line)
    if match is None or not match["text"].strip():
        return None
    bullet = match["bullet"]
    depth = match.start("text") + (1 if bullet and bullet in _DEEPER else 0)
    counted = _COUNTED.fullmatch(match["text"].strip())
    if counted is None:
        return Item(depth, bullet is not None, None, match["text"].strip())
    return Item(
        depth, bullet is not None, require_count(int(counted["count"]), line), counted["name"].strip()
    )


def read_heading(line: str) -> tuple[str, str] | None:
    """Read a line of the header that tournaments ask for."""
    match = _HEADER.fullmatch(line.strip())
    return (match["key"].strip().casefold(), match["value"].strip()) if match else None


def require_count(count: int, line: str) -> int:
    """Return a count of models or wargear that a line may hold."""
    if not 1 <= count <= MAX_COUNT:
        raise RosterError(f"expected a count from 1 to {MAX_COUNT:,}, got {count} in {shorten(line.strip())}")
    return count


def read_wargear_line(text: str, models: int, *, totals: bool = False) -> list[TextItem]:
    """Return the items of a line, counted in the whole unit: each model has them, unless counts are `totals`."""
    items = []
    bearers: int | None = None
    for part in split_names(text):
        wanted = part.strip()
        given = _GIVEN.fullmatch(wanted)
        if given:
            bearers, wanted = int(given[1]), given[2].strip()
        counted = _COUNTED.fullmatch(wanted)
        name = counted["name"].strip() if counted else wanted
        count = bearers or (1 if counted and totals else models)
        if counted:
            count *= int(counted["count"])
        require_count(count, text)
        if name:
            items.append(TextItem(name, count))
    return items


def split_names(text: str) -> list[str]:
    """Split at commas and semicolons outside brackets; a bracket that is not closed ends with its part."""
    parts, start, closing = [], 0, -1
    for position, char in enumerate(text):
        if char == "(" and position > closing:
            closing = text.find(")", position)
        elif char in ",;" and position > closing:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
