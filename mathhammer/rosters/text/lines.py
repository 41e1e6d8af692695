"""The lines of a text export: units with their points, items with their counts, whatever the bullets are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_COUNT, require_room, shorten

MAX_LINES = 5_000
MAX_LINE = 1_000
_MAX_INDENT = 80
ON_UNIT = -1  # the column of wargear on the line of the unit

# Points are "Points" in English and French, "Punkte", "puntos", "punti": a word with p, or "Очки".
NUMBER = r"\d{1,3}(?:[.,\s'’]\d{3}){1,2}|\d{1,7}"
_UNIT = re.compile(
    r"(?P<tag>[^\W\d_]{2,12}\d{1,3}:\s*)?(?:(?P<count>\d{1,4})\s?[x×]\s+)?"
    rf"(?P<name>[^\s(\[].{{0,198}}?)\s*[(\[]\s*(?P<points>{NUMBER})\s*"
    r"(?:p[^\W\d]{0,7}|очк[^\W\d]{0,3})\.?\s*[)\]]\s*(?P<rest>:.*)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)(?P<bullet>[•·∙◦○▪‣⁃*–-]|o(?=\s))?\s*(?P<text>.*)")
_DEEPER = "◦○o"
_COUNTED = re.compile(r"(?P<count>\d{1,4})\s?[x×]\s*(?P<name>\S.*)")
# "with" in English, "mit", "avec", "con"
GIVEN = re.compile(r"(\d{1,4})\s+(?:with|mit|avec|con)\s+(.*)", re.IGNORECASE)
_HEADER = re.compile(r"\+\s*(?P<key>[^\W\d_][^:]{0,40}):\s*(?P<value>.*)")

#: The line with which programs sign what they wrote.
SIGNATURE = re.compile(r"\bv\d+\.\d+|newrecruit|app version|data version|version de l.appli", re.IGNORECASE)
_QUOTED = re.compile(r"\s*>+ ?")
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_GREETS = re.compile(
    r"(?:hi|hey|hello|yo|dear|here'?s|here is|this is|thoughts|what|so|my list|hallo|salut|bonjour|hola|ciao)\b",
    re.IGNORECASE,
)
_PROSE = re.compile(r"[.!?…;,:)]$|https?://|[.!?] |^\[\d{1,2}:\d{2}|\b(?:I|I'm|you|we|my|our)\b")
_COLON = re.compile(r"[^:]{1,40}:\s*\S")


@dataclass(frozen=True, slots=True)
class TextItem:
    """Models, wargear or an option, counted in the whole unit, and what stands below; which, the text does not say."""

    name: str
    count: int
    items: tuple[TextItem, ...] = ()
    #: Whether the count is written; what stands without one may be a rule that the list names.
    counted: bool = True


@dataclass(slots=True)
class TextUnit:
    """A unit by name, as its line has it: ``Char1: 3x Name (215 pts): rest``; an unstated count is 1."""

    name: str
    #: Of the whole unit, enhancements included.
    points: int
    count: int = 1
    rest: str = ""
    #: Models and wargear, once the unit is read.
    items: tuple[TextItem, ...] = ()
    enhancements: list[str] = field(default_factory=list)
    #: What says something of the unit and is no part of it, such as ``Warlord``.
    marks: list[str] = field(default_factory=list)
    #: Its group of attached units, what it is attached as, and whom its lines say that it leads or joins.
    group: int | None = None
    role: str = ""
    links: list[tuple[bool, str, int, str]] = field(default_factory=list)
    #: While it is read: its items with the columns they stand in, and the column of the last bullet.
    placed: list[tuple[int, TextItem]] = field(default_factory=list, compare=False)
    column: int = field(default=0, compare=False)
    flat: bool = False  # its only kind of models has no line: all items are theirs
    bearers: int = 1  # models that carry what follows

    @property
    def shallow(self) -> int | None:
        """The column of its models."""
        return next((depth for depth, _ in self.placed if depth != ON_UNIT), None)


class Item(NamedTuple):
    """``  • 9x Boy``: in which column its text begins, the number if one is written, and its text."""

    depth: int
    bullet: bool
    number: int | None
    text: str

    @property
    def is_listed(self) -> bool:
        """Whether it can only be an item."""
        return self.bullet or self.number is not None


def clean(line: str) -> str:
    """Return a line without marks of emphasis and odd blanks."""
    line = line.expandtabs(4).replace("\u00a0", " ").replace("\u202f", " ")
    line = "".join(c for c in line if c.isprintable()).replace("**", "").rstrip()
    quoted = _QUOTED.match(line)
    mark, line = (line[: quoted.end()].strip(), line[quoted.end() :]) if quoted else ("", line)
    text = line.lstrip()
    return mark + " " * (bool(mark) + min(len(line) - len(text), _MAX_INDENT)) + " ".join(text.split())


def split(text: str, name: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines of a list without quotes and fences, and the lines of the message around it."""
    lines = text.splitlines()
    require_room(len(lines), MAX_LINES, "lines", name)
    require_room(max(map(len, lines), default=0), MAX_LINE, "characters in a line", name)
    lines = [line for line in map(clean, lines) if not _FENCE.fullmatch(line)]
    bare = [_QUOTED.sub("", line, count=1) for line in lines]
    quoted = [line != text for line, text in zip(lines, bare, strict=True) if _of_list(text)]
    if any(quoted) and 2 * sum(quoted) >= len(quoted):
        lines = bare
    listed = [_of_list(line) for line in lines]
    if True not in listed:
        return lines, ()
    start = last = listed.index(True)
    while start and (above := lines[start - 1].strip()) and not _is_prose(above) and len(above.split()) <= 8:
        start -= 1  # names above the first line of the list are its own, sentences are not
    belongs = False
    for place, line in enumerate(map(str.strip, lines)):
        # Directly below lines of a list stands what a unit leads, wears or carries.
        belongs = bool(line) and (belongs or (place > 0 and listed[place - 1]))
        named = belongs and (_COLON.match(line) is not None or not _is_prose(line))
        if listed[place] or named or SIGNATURE.search(line):
            last = place
    around = (*lines[:start], *lines[last + 1 :])
    return lines[start : last + 1], tuple(filter(None, map(str.strip, around)))


def _of_list(line: str) -> bool:
    """Whether a line can only be one of a list: a unit, a counted item, a bullet, a heading of a tournament."""
    stripped = line.strip()
    if stripped.startswith(("+", "#")):
        return stripped.startswith("#") or read_heading(stripped) is not None or not stripped.strip("+-=_#* ")
    if read_unit_line(line) is not None:  # or it speaks of a list
        return not (stripped.endswith(":") and _GREETS.match(stripped))
    item = read_item(line)
    return item is not None and item.is_listed and (item.number is not None or stripped[0] not in "-–")


def _is_prose(line: str) -> bool:
    return bool(_PROSE.search(line) or _GREETS.match(line))


def read_unit_line(line: str) -> TextUnit | None:
    """Read a line that names something with its points."""
    match = _UNIT.fullmatch(line.strip().lstrip("#").strip())
    if match is None or line.lstrip().startswith(("+", "•", "◦")):
        return None
    points = int(re.sub(r"\D", "", match["points"]))
    rest = (match["rest"] or "").removeprefix(":").strip()
    return TextUnit(match["name"].strip(), points, _require_count(int(match["count"] or 1), line), rest)


def read_item(line: str) -> Item | None:
    """Read a bullet, or a line that begins with a count; ``None`` for an empty line."""
    match = _BULLET.fullmatch(line)
    if match is None or not (text := match["text"].strip()):
        return None
    bullet = match["bullet"]
    depth = match.start("text") + (1 if bullet and bullet in _DEEPER else 0)
    number = None
    if counted := _COUNTED.fullmatch(text):
        number, text = _require_count(int(counted["count"]), line), counted["name"].strip()
    return Item(depth, bullet is not None, number, text)


def read_heading(line: str) -> tuple[str, str] | None:
    """Read a line of the header that tournaments ask for."""
    match = _HEADER.fullmatch(line.strip())
    return (match["key"].strip().casefold(), match["value"].strip()) if match else None


def _require_count(count: int, line: str) -> int:
    """Return a count of models or wargear that a line may hold."""
    if not 1 <= count <= MAX_COUNT:
        raise RosterError(f"expected a count from 1 to {MAX_COUNT:,}, got {count} in {shorten(line.strip())}")
    return count


def read_wargear_line(text: str, models: int, *, totals: bool = False) -> list[TextItem]:
    """Return the items of a line, counted in the whole unit: each model has them, unless counts are `totals`."""
    items = []
    bearers: int | None = None
    for part in split_names(text):
        name = part.strip()
        if given := GIVEN.fullmatch(name):
            bearers, name = int(given[1]), given[2].strip()
        counted = _COUNTED.fullmatch(name)
        count = bearers or (1 if counted and totals else models)
        if counted:
            count, name = count * int(counted["count"]), counted["name"].strip()
        _require_count(count, text)
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
