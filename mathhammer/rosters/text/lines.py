"""The lines of a text export: units with their points, items with their counts, whatever the bullets are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from mathhammer.display import Named
from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_COUNT, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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


# "(3 Detachment Points)" in any language, "[2 DP]"; New Recruit writes a rule's name in brackets.
_DETACHMENT_POINTS = re.compile(r"\s?[(\[]\s?\d{1,2}\s+[^\W\d][^()\[\]]*[)\]].*")
_BRACKET = re.compile(r"\s?\([^()]*\)\s?$")
_TOTAL = re.compile(r"\d{1,3}(?:[.,\s'’]\d{3}){1,2}|\d{1,7}")
_ELEVENTH = re.compile(r"\+?\s?force dispositions?\s?:", re.IGNORECASE)
# Of these fields nothing depends, or each unit says them too.
_SETTINGS = ("detachment", "force disposition", "battle size", "show/hide", "warlord", "enhancement", "&")
_ALLEGIANCES = ("Aeldari", "Chaos", "Imperium", "Xenos")
# Of the 390 detachments in BSData's catalogues of the 10th and the 11th edition and in lists seen, the only one.
_NAMES_WITH_AND = ("Legends of Saga and Song",)


class Header(TypedDict):
    """Fields of a header, as the arguments of a :class:`mathhammer.rosters.text.TextList`."""

    title: str
    faction: str
    detachments: tuple[str, ...]
    dispositions: tuple[str, ...]
    points: int | None
    unread: tuple[str, ...]


def is_eleventh(lines: Iterable[str]) -> bool:
    """Whether a list has a field that only the 11th edition has: Detachment Points, a Force Disposition."""
    return any(_ELEVENTH.match(line.strip()) or "detachment points)" in line.casefold() for line in lines)


def read_header(
    fields: Mapping[str, Sequence[str]],
    heads: Sequence[UnitLine],
    texts: Sequence[tuple[str, int]],
    name: str,
) -> Header:
    """Read what stands before the first unit."""
    words = [(text, place) for text, place in texts if not text.isupper() and ":" not in text]
    if heads and words and words[0][1] == 0:  # the first line with points is the size of the game
        title, points, size = name, None, 1
    else:
        title, points, size = (heads[0].name, heads[0].points, 2) if heads else (name, None, 2)
    factions, detachments, dispositions = _names(words, size) if heads else ([], (), ())
    title, of, said_there = _parts(title, named=bool(factions))
    if of:
        factions, detachments = [of], said_there
    totals = [
        value for key, values in fields.items() if "points" in key and "limit" not in key for value in values
    ]
    total = _TOTAL.match(totals[0]) if totals else None
    if total:
        points = int(re.sub(r"\D", "", total[0]))
    said = [
        (key.strip().casefold(), value.strip())
        for key, colon, value in (text.partition(":") for text, _ in texts)
        if colon
    ]
    said += [(key, value) for key, values in fields.items() for value in values]
    named = [(key, value) for key, value in said if key.startswith("detachment")]
    if named:
        detachments = tuple(
            each for key, value in named for each in _listed(value, several=key.endswith("s"))
        )
    aims = [value for key, value in said if key.startswith("force disposition")]
    if aims:
        dispositions = tuple(each.strip() for value in aims for each in value.split(",") if each.strip())
    faction = next(
        (values[0] for key, values in fields.items() if "faction" in key and values), ", ".join(factions)
    )
    return {
        "title": title,
        "faction": faction,
        "detachments": tuple(dict.fromkeys(detachments)),
        "dispositions": dispositions,
        "points": points,
        "unread": (
            *(text for text, _ in texts if not _is_read(text, (title, faction, *detachments, *dispositions))),
            *(f"{head.name} ({head.points} points)" for head in heads[2:]),
        ),
    }


def _is_read(text: str, names: Iterable[str]) -> bool:
    """Whether a line before the units is a heading, a setting, or holds what was read."""
    small = text.casefold()
    if text.isupper() or text.endswith(":") or small.startswith(_SETTINGS):
        return True
    return any(each and (each.casefold() in small or small in each.casefold()) for each in names)


def _parts(title: str, *, named: bool) -> tuple[str, str, tuple[str, ...]]:
    """Return title, faction and detachments of a first line that holds them.

    New Recruit writes "Chaos - Chaos Knights - title - [points]", ListForge "title - faction - detachment".
    """
    if title.endswith(" -"):
        first, _, rest = title.removesuffix(" -").partition(" - ")
        if first in _ALLEGIANCES and " - " in rest:
            own, _, rest = rest.partition(" - ")
            first = f"{first} - {own}"
        return rest or first, first, ()
    own, *more = title.rsplit(" - ", 2)
    return (own, more[0], (more[1],)) if len(more) == 2 and not named else (title, "", ())


def _names(words: Sequence[tuple[str, int]], size: int) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """Return factions, detachments and force dispositions of a list of the GW app.

    In the 10th the only one is the last line before the size of the game; what stands before is the faction and, of
    Space Marines, the chapter.
    """
    for index, (text, _) in enumerate(words):
        pointed = _DETACHMENT_POINTS.search(text)
        if pointed:
            before = [each for each, _ in words[:index]]
            after = tuple(each for each, place in words[index + 1 : index + 2] if place < size)
            return before[:2], split_detachments(text[: pointed.start()]), after
    before = [each for each, place in words if place < size]
    later = [each for each, place in words if place >= size]
    if len(before) > 1:
        return before[:-1][:2], (_BRACKET.sub("", before[-1]),), ()
    return before, tuple(_BRACKET.sub("", each) for each in later[:1]), ()


def _listed(text: str, *, several: bool) -> tuple[str, ...]:
    """Return the detachments of a field, without their points or the rule in brackets."""
    pointed = _DETACHMENT_POINTS.search(text)
    if pointed:
        return split_detachments(text[: pointed.start()])
    text = _BRACKET.sub("", text).strip()
    return split_detachments(text) if several else tuple(filter(None, map(str.strip, text.split(","))))


def split_detachments(text: str) -> tuple[str, ...]:
    """Split detachments that the GW app joins: with commas, and "and" before the last."""
    *first, last = (part.strip() for part in text.split(","))
    if last.casefold() not in {name.casefold() for name in _NAMES_WITH_AND}:
        first += last.rsplit(" and ", 1)
    else:
        first.append(last)
    return tuple(part.strip() for part in first if part.strip())


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
