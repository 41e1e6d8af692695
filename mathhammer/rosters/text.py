"""Army lists as text, as the GW app and New Recruit export them: lines, units with their items, and who leads whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import RosterError
from mathhammer.rosters.tree import MAX_COUNT, MAX_PARTS, MAX_UNIT_PARTS, name_key, require_room, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_LINES = 5_000
MAX_LINE = 1_000
_MAX_INDENT = 80
_ON_UNIT = -1  # the column of wargear on the line of the unit

# Points are "Points" in English and French, "Punkte", "puntos", "punti": a word with p, or "Очки".
_NUMBER = r"\d{1,3}(?:[.,\s'’]\d{3}){1,2}|\d{1,7}"
_UNIT = re.compile(
    r"(?P<tag>[^\W\d_]{2,12}\d{1,3}:\s*)?(?:(?P<count>\d{1,4})\s?[x×]\s+)?"
    rf"(?P<name>[^\s(\[].{{0,198}}?)\s*[(\[]\s*(?P<points>{_NUMBER})\s*"
    r"(?:p[^\W\d]{0,7}|очк[^\W\d]{0,3})\.?\s*[)\]]\s*(?P<rest>:.*)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)(?P<bullet>[•·∙◦○▪‣⁃*–-]|o(?=\s))?\s*(?P<text>.*)")
_COUNTED = re.compile(r"(?P<count>\d{1,4})\s?[x×]\s*(?P<name>\S.*)")
# "with" in English, "mit", "avec", "con"
_GIVEN = re.compile(r"(\d{1,4})\s+(?:with|mit|avec|con)\s+(.*)", re.IGNORECASE)
_HEADER = re.compile(r"\+\s*(?P<key>[^\W\d_][^:]{0,40}):\s*(?P<value>.*)")

#: Names at whose end stands a comma or a semicolon outside brackets; one that is not closed ends with its part.
NAMES = re.compile(r"(?:\([^)]*\)|[^,;])+")
#: The line with which programs sign what they wrote.
_SIGNATURE = re.compile(r"\bv\d+\.\d+|newrecruit|app version|data version|version de l.appli", re.IGNORECASE)
_QUOTED = re.compile(r"\s*>+ ?")
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_GREETS = re.compile(
    r"(?i:^(?:hi|hey|hello|yo|dear|here'?s|here is|this is|thoughts|what|so|my list|hallo|salut|bonjour|hola|ciao)\b)"
)
_PROSE = re.compile(
    rf"{_GREETS.pattern}|[.!?…;,:)]$|https?://|[.!?] |^\[\d{{1,2}}:\d{{2}}|\b(?:I|I'm|you|we|my|our)\b"
)
_COLON = re.compile(r"[^:]{1,40}:\s*\S")
_MAX_UNITS = 300
_NINTH = re.compile(r"\[\s*\d+\s?PL\b|\b-?\d+\s?CP\b", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<role>leading|attached to)\s*:?\s+(?P<name>.+?)\s*(?:\[(?P<number>\d{1,4})\])?", re.IGNORECASE
)
_FIELD = re.compile(r"(?P<key>[^:]{1,40}?)\s*:\s*(?P<value>.+)")
_BONUS = re.compile(r"(?P<name>.+?)\s*[(\[](?:\+\s*\d+\s*[^\W\d]+|\d+\s*p[^\W\d]*)\.?[)\]]", re.IGNORECASE)
_GROUP = re.compile(r"\S.*\s(\d{1,2})")
_WARLORD = {"warlord", "seigneur de guerre", "kriegsherr", "señor de la guerra"}
_ENHANCEMENT = ("enhancement", "amélioration", "verbesserung", "mejora", "miglioria", "optimisation")
_BODYGUARD = ("bodyguard", "garde du corps", "leibwächter", "guardaespaldas", "guardia del corpo")
# English, French, German, Spanish; Italian trasporto
_TRANSPORT = re.compile(r"tra(?:n)?sport", re.IGNORECASE)

# "(3 Detachment Points)" in any language, "[2 DP]"; New Recruit writes a rule's name in brackets.
_DETACHMENT_POINTS = re.compile(r"\s?[(\[]\s?\d{1,2}\s+[^\W\d][^()\[\]]*[)\]].*")
_BRACKET = re.compile(r"\s?\([^()]*\)\s?$")
_ELEVENTH = re.compile(r"\+?\s?force dispositions?\s?:", re.IGNORECASE)
# Of these fields nothing depends, or each unit says them too.
_SETTINGS = ("detachment", "force disposition", "battle size", "show/hide", "warlord", "enhancement", "&")
# What New Recruit writes: Chaos - Chaos Knights - title - [points]
_NEW_RECRUIT = re.compile(
    r"(?P<faction>(?:(?:Aeldari|Chaos|Imperium|Xenos) - (?=.* - .* -$))?.*?)(?: - (?P<title>.*))? -"
)
# The last of detachments. Of the 390 in BSData's catalogues and in lists seen one has the word in its name.
_LAST = re.compile(r",|(?<!legends of saga) and (?!.* and |.*,)", re.IGNORECASE)


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
    #: While it is read: its items with their columns, that of the last bullet, whether its models have no line, so
    #: that all items are theirs, and how many carry what follows.
    placed: list[tuple[int, TextItem]] = field(default_factory=list, compare=False)
    column: int = field(default=0, compare=False)
    flat: bool = False
    bearers: int = 1

    @property
    def shallow(self) -> int | None:
        """The column of its models."""
        return next((depth for depth, _ in self.placed if depth != _ON_UNIT), None)


class Item(NamedTuple):
    """``  • 9x Boy``: in which column its text begins, the number if one is written, and its text."""

    depth: int
    bullet: bool
    number: int | None
    text: str
    #: Whether it can only be an item.
    is_listed: bool


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
    while (
        start and (above := lines[start - 1].strip()) and not _PROSE.search(above) and len(above.split()) <= 8
    ):
        start -= 1  # names above the first line of the list are its own, sentences are not
    belongs = False
    for place, line in enumerate(map(str.strip, lines)):
        # Directly below lines of a list stands what a unit leads, wears or carries.
        belongs = bool(line) and (belongs or (place > 0 and listed[place - 1]))
        named = belongs and (_COLON.match(line) is not None or not _PROSE.search(line))
        if listed[place] or named or _SIGNATURE.search(line):
            last = place
    around = (*lines[:start], *lines[last + 1 :])
    return lines[start : last + 1], tuple(filter(None, map(str.strip, around)))


def _of_list(line: str) -> bool:
    """Whether a line can only be one of a list: a unit, a counted item, a bullet, a heading of a tournament."""
    stripped = line.strip()
    if stripped.startswith(("+", "#")):
        return stripped[0] == "#" or bool(_HEADER.fullmatch(stripped)) or not stripped.strip("+-=_#* ")
    if read_unit_line(line) is not None:  # or it speaks of a list
        return not (stripped.endswith(":") and _GREETS.match(stripped))
    item = read_item(line)
    return item is not None and item.is_listed and (item.number is not None or stripped[0] not in "-–")


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
    depth = match.start("text") + (bullet in {"◦", "○", "o"})
    number = None
    if counted := _COUNTED.fullmatch(text):
        number, text = _require_count(int(counted["count"]), line), counted["name"].strip()
    return Item(depth, bullet is not None, number, text, bool(bullet) or number is not None)


def _require_count(count: int, line: str) -> int:
    """Return a count of models or wargear that a line may hold."""
    if not 1 <= count <= MAX_COUNT:
        raise RosterError(f"expected a count from 1 to {MAX_COUNT:,}, got {count} in {shorten(line.strip())}")
    return count


class TextList(NamedTuple):
    """An army list by name; its title is its first line, or the name of the file."""

    title: str
    #: As written, of Space Marines with the chapter; empty if the text has none.
    faction: str
    detachments: tuple[str, ...]
    #: The total in the header.
    points: int | None
    #: Lines that were not understood, as written.
    unread: tuple[str, ...]
    units: tuple[TextUnit, ...]
    #: Pairs of places in ``units``: a leader, and the unit it is attached to.
    attachments: tuple[tuple[int, int], ...]
    #: ``"11e"`` if the text has fields that only that edition has.
    edition: str
    #: Lines of the message before and after the list.
    around: tuple[str, ...]


def _nest(items: list[tuple[int, TextItem]], shallow: int | None = None) -> tuple[TextItem, ...]:
    """Return the items; what stands further in is below models, the shallow ones, or below what has no count."""
    nested: list[tuple[int, TextItem, list[tuple[int, TextItem]]]] = []
    for depth, item in items:
        last = nested[-1] if nested else None
        most = last[0] if last and shallow is None else shallow or 0
        if last is None or depth <= most or (shallow is None and last[1].counted):
            nested.append((depth, item, []))
        else:
            last[2].append((depth, item))
    return tuple(replace(item, items=_nest(below)) for _, item, below in nested)


class _TextReader:
    """The state of reading: where in the list it is, and what was found so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.units: list[TextUnit] = []
        self.fields: list[tuple[str, str]] = []
        self.heads: list[TextUnit] = []  # lines with points before the first unit: the title, the size
        self.texts: list[tuple[str, int]] = []  # other lines before it, and behind how many of `heads`
        self.unread: list[str] = []
        self.group: int | None = None
        self.groups = self.parts = 0
        self.began = False

    def read(self, lines: list[str]) -> None:
        tournament = any(line.lstrip().startswith("+") for line in lines)
        for number, line in enumerate(lines):
            stripped, unit = line.strip(), read_unit_line(line)
            # The next line that is not empty, of the next three.
            following = next((each for each in lines[number + 1 : number + 4] if each.strip()), "")
            below = read_item(following)
            if not stripped.strip("+=-_*# "):
                continue
            if stripped.startswith("+"):
                if match := _HEADER.fullmatch(stripped):  # that tournaments ask for
                    self.fields.append((match["key"].strip().casefold(), match["value"].strip()))
            elif stripped.startswith("#"):  # Markdown: a section, or the list itself with its total
                self.group = None
                if unit and not (self.heads or self.units):
                    self.heads.append(replace(unit, name=unit.name.strip("+ ")))
                elif not (unit or self.units or stripped.startswith("##")):
                    self.texts.append((stripped.strip("#+ "), len(self.heads)))
            elif unit is None:
                self._other(line, stripped, following)
            elif (
                tournament or self.began or self.group is not None or unit.rest or (below and below.is_listed)
            ):
                self.began = True
                unit.group = self.group
                self.units.append(unit)
                require_room(len(self.units), _MAX_UNITS, "units", self.name)
                self._wargear(unit, unit.rest, unit.count, _ON_UNIT)
            else:
                self.heads.append(unit)

    def _other(self, line: str, stripped: str, following: str) -> None:
        """Read a line that names no unit: an item of the last one, a heading, or the header's text."""
        item = read_item(line)
        if item is None or _SIGNATURE.search(stripped):
            return
        if self.units:
            self._belongs(self.units[-1], item, stripped, following)
        elif item.is_listed:
            self.unread.append(stripped)
        else:
            self.began = self.began or (_is_section(stripped) and bool(self.heads))
            if not self._heading(stripped, following):
                self.texts.append((stripped, len(self.heads)))

    def _heading(self, stripped: str, following: str) -> bool:
        """Read the heading of the next group of attached units, or the line above it; whether it is one."""
        found = (match and match[1] for match in map(_GROUP.fullmatch, (stripped, following)))
        heads, above = (number == str(self.groups + 1) for number in found)
        if heads and (self.began or read_unit_line(following) is not None):
            self.group = self.groups = self.groups + 1
            return True
        if above:
            self.group = None
        return above

    def _belongs(  # noqa: C901, PLR0912 - one case for each kind of line
        self, unit: TextUnit, item: Item, stripped: str, following: str
    ) -> None:
        named = _FIELD.fullmatch(item.text) if item.number is None else None
        new = self.group is not None and not (unit.role or unit.placed or unit.marks or unit.enhancements)
        if link := _LINK.fullmatch(item.text):
            leads = link["role"].casefold() == "leading"
            unit.links.append((leads, link["name"], int(link["number"] or 1), stripped))
        elif named and (named["key"].casefold().startswith(_ENHANCEMENT) or named["key"] == "E"):
            bought = _BONUS.fullmatch(named["value"])
            unit.enhancements.append(bought["name"] if bought else named["value"])
        elif named and new:  # the first line of a unit in a group says what it is attached as
            unit.role = named["value"]
        elif item.number is not None:  # what follows a colon is the wargear of these models
            name, _, rest = item.text.partition(":")
            depth = self._column(unit, item, item.number)
            if item.bullet:
                unit.column = depth
            elif unit.placed:
                # It goes on where the last bullet stands, or further in; indent may have been lost.
                depth = max(depth, unit.column)
            self._add(unit, depth, TextItem(name.strip() or item.text, item.number))
            self._wargear(unit, rest.strip(), item.number, depth + 1)
        elif given := _GIVEN.match(item.text):
            # What the unit's models have, which have no line.
            unit.flat = unit.flat or unit.shallow is None
            unit.bearers = int(given[1])
            self._wargear(unit, item.text, unit.bearers, (unit.shallow or 0) + 1 - unit.flat)
        elif named and item.bullet:
            unit.marks.append(item.text)
        elif item.bullet or item.text.casefold() in _WARLORD or _BONUS.fullmatch(item.text):
            depth = self._column(unit, item, 1)
            # What has no count each of the models above it has once.
            for each in filter(None, map(read_item, NAMES.findall(item.text))):
                count = unit.bearers * (each.number or 1)
                self._add(unit, depth, TextItem(each.text, count, counted=each.number is not None))
        elif not self._heading(stripped, following):
            if _is_section(stripped):
                self.group = None
            else:
                self.unread.append(stripped)

    def _column(self, unit: TextUnit, item: Item, models: int) -> int:
        """Return where an item stands; as far out as the models, it is of so many of them."""
        depth = 0 if unit.flat else item.depth
        if not unit.flat and (unit.shallow is None or depth <= unit.shallow):
            unit.bearers = models
        return depth

    def _wargear(self, unit: TextUnit, text: str, models: int, depth: int) -> None:
        """Add the items of a line, which each of these models has; on the unit's own line numbers are of all."""
        bearers: int | None = None
        for part in NAMES.findall(text):
            name = part.strip()
            if given := _GIVEN.fullmatch(name):
                bearers, name = int(given[1]), given[2].strip()
            counted = _COUNTED.fullmatch(name)
            count = bearers or (1 if counted and depth == _ON_UNIT else models)
            if counted:
                count, name = count * int(counted["count"]), counted["name"].strip()
            _require_count(count, text)
            if name:
                self._add(unit, depth, TextItem(name, count))

    def _add(self, unit: TextUnit, depth: int, item: TextItem) -> None:
        if item.name.casefold() in _WARLORD:
            unit.marks.append(item.name)
        elif bought := _BONUS.fullmatch(item.name):
            unit.enhancements.append(bought["name"])
        else:
            self.parts += 1
            unit.placed.append((depth, item))
        require_room(len(unit.placed), MAX_UNIT_PARTS, "models and pieces of wargear in a unit", self.name)
        require_room(self.parts, MAX_PARTS, "models and pieces of wargear", self.name)


def _is_section(line: str) -> bool:
    return line.isupper() or line.endswith(":")


def parse_text_list(text: str, name: str) -> TextList:
    """Read a text export."""
    lines, around = split(text, name)
    if _NINTH.search("\n".join(lines)[:20_000]):
        raise RosterError(
            f"expected a list of the 10th or 11th edition, but {name} counts power or command points as the 9th "
            "does; build the list again with current data"
        )
    reader = _TextReader(name)
    reader.read(lines)
    units = reader.units
    if not units:
        raise RosterError(
            f"expected an army list with units and their points, such as 'Name (90 points)', but {name} has none; "
            "copy the whole export"
        )
    for unit in units:
        columns = [depth for depth, _ in unit.placed if depth != _ON_UNIT]
        unit.items = _nest(unit.placed, min(columns, default=_ON_UNIT))
    # Only the 11th edition has Detachment Points, a Force Disposition and roles of attached units.
    said = any(_ELEVENTH.match(line.strip()) or "detachment points)" in line.casefold() for line in lines)
    edition = "11e" if said or any(unit.role for unit in units) else ""
    *found, unread = _read_header(reader, name.strip("'\""))
    pairs = tuple(_attachments(units, reader.unread))
    return TextList._make([*found, (*unread, *reader.unread), tuple(units), pairs, edition, around])


def _attachments(units: list[TextUnit], unread: list[str]) -> Iterable[tuple[int, int]]:
    """Return pairs of a leader and its unit: by the words of a unit, or by a section of attached units."""
    named: dict[str, list[int]] = {}
    groups: dict[int, list[int]] = {}
    for index, unit in enumerate(units):
        named.setdefault(name_key(unit.name), []).append(index)
        if unit.group is not None and unit.role and not _TRANSPORT.search(unit.role):
            groups.setdefault(unit.group, []).append(index)
    pairs: dict[tuple[int, int], None] = {}
    for index, unit in enumerate(units):
        for leads, name, number, line in unit.links:
            other = dict(enumerate(named.get(name_key(name), []), 1)).get(number, index)
            if other != index:
                pairs[(index, other) if leads else (other, index)] = None
            else:
                unread.append(line)
    for members in groups.values():
        said = [each for each in members if units[each].role.casefold().startswith(_BODYGUARD)]
        guard = (said or members[-1:])[0]  # the app lists the bodyguard last
        pairs |= dict.fromkeys((index, guard) for index in members if index != guard)
    return pairs


def _read_header(reader: _TextReader, name: str) -> tuple[Any, ...]:
    """Return the title, the faction, the detachments and the points before the first unit, and lines not read."""
    heads, texts = reader.heads, reader.texts
    words = [(text, place) for text, place in texts if not text.isupper() and ":" not in text]
    sized = bool(heads and words and words[0][1] == 0)  # the first line with points is the size of the game
    title, points = (heads[0].name, heads[0].points) if heads and not sized else (name, None)
    factions, detachments, aims = _names(words, 1 if sized else 2) if heads else ([], (), ())
    title, faction, said_there = _parts(title, named=bool(factions))
    if faction:
        detachments = said_there
    total = next((value for key, value in reader.fields if "points" in key and "limit" not in key), "")
    if found := re.match(_NUMBER, total):
        points = int(re.sub(r"\D", "", found[0]))
    written = [text.partition(":") for text, _ in texts if ":" in text]
    said = [*((key.strip().casefold(), value.strip()) for key, _, value in written), *reader.fields]
    named = [(value, key.endswith("s")) for key, value in said if key.startswith("detachment")]
    if named:
        detachments = tuple(each for value, several in named for each in _detachments(value, several=several))
    aims = tuple(value for key, value in said if key.startswith("force disposition")) or aims
    written_there = [value for key, value in reader.fields if "faction" in key]
    faction = [*written_there, faction or ", ".join(factions)][0]
    read = (title, faction, *detachments, *(each.strip() for value in aims for each in value.split(",")))
    known = [each.casefold() for each in read if each]
    left = [
        text
        for text, _ in texts  # but headings, settings, and what holds what was read
        if not (_is_section(text) or (small := text.casefold()).startswith(_SETTINGS))
        and not any(each in small or small in each for each in known)
    ]
    left += [f"{head.name} ({head.points} points)" for head in heads[2:]]
    return title, faction, tuple(dict.fromkeys(detachments)), points, left


def _parts(title: str, *, named: bool) -> tuple[str, str, tuple[str, ...]]:
    """Return title, faction and detachments of a first line that holds them: ListForge's has them in this order."""
    if match := _NEW_RECRUIT.fullmatch(title):
        return match["title"] or match["faction"], match["faction"], ()
    own, *more = title.rsplit(" - ", 2)
    return (own, more[0], (more[1],)) if len(more) == 2 and not named else (title, "", ())


def _names(words: Sequence[tuple[str, int]], size: int) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """Return factions (of Space Marines the chapter too), detachments and force dispositions of the GW app."""
    for index, (text, _) in enumerate(words):
        if _DETACHMENT_POINTS.search(text):
            after = tuple(each for each, place in words[index + 1 : index + 2] if place < size)
            return [each for each, _ in words[:index]][:2], _detachments(text), after
    # In the 10th the only detachment is the last line before the size of the game.
    before = [each for each, place in words if place < size]
    later = [each for each, place in words if place >= size][:1]
    factions, named = (before[:-1][:2], before[-1:]) if len(before) > 1 else (before, later)
    return factions, tuple(_BRACKET.sub("", each) for each in named), ()


def _detachments(text: str, *, several: bool = False) -> tuple[str, ...]:
    """Return the detachments of a text, without their points or the rule in brackets."""
    pointed = _DETACHMENT_POINTS.search(text)
    text = text[: pointed.start()] if pointed else _BRACKET.sub("", text)
    parts = _LAST.split(text) if pointed or several else text.split(",")
    return tuple(filter(None, map(str.strip, parts)))
