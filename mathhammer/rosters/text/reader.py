"""From lines to units: header, sections, units with their items, and attachments."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_PARTS, MAX_UNIT_PARTS, name_key, require_room
from mathhammer.rosters.text.lines import (
    GIVEN,
    NUMBER,
    ON_UNIT,
    SIGNATURE,
    Item,
    TextItem,
    TextUnit,
    read_heading,
    read_item,
    read_unit_line,
    read_wargear_line,
    split,
    split_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX_UNITS = 300
_NINTH = re.compile(r"\[\s*\d+\s?PL\b|\b-?\d+\s?CP\b", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<role>leading|attached to)\s*:?\s+(?P<name>.+?)\s*(?:\[(?P<number>\d{1,4})\])?", re.IGNORECASE
)
_FIELD = re.compile(r"(?P<key>[^:]{1,40}?)\s*:\s*(?P<value>.+)")
_BONUS = re.compile(r"(?P<name>.+?)\s*[(\[](?:\+\s*\d+\s*[^\W\d]+|\d+\s*p[^\W\d]*)\.?[)\]]", re.IGNORECASE)
_GROUP = re.compile(r"\S.*\s\d{1,2}")
_WARLORD = {"warlord", "seigneur de guerre", "kriegsherr", "señor de la guerra"}
_ENHANCEMENT = ("enhancement", "amélioration", "verbesserung", "mejora", "miglioria", "optimisation")
_BODYGUARD = ("bodyguard", "garde du corps", "leibwächter", "guardaespaldas", "guardia del corpo")
# English, French, German, Spanish; Italian trasporto
_TRANSPORT = re.compile(r"tra(?:n)?sport", re.IGNORECASE)

# "(3 Detachment Points)" in any language, "[2 DP]"; New Recruit writes a rule's name in brackets.
_DETACHMENT_POINTS = re.compile(r"\s?[(\[]\s?\d{1,2}\s+[^\W\d][^()\[\]]*[)\]].*")
_BRACKET = re.compile(r"\s?\([^()]*\)\s?$")
_TOTAL = re.compile(NUMBER)
_ELEVENTH = re.compile(r"\+?\s?force dispositions?\s?:", re.IGNORECASE)
# Of these fields nothing depends, or each unit says them too.
_SETTINGS = ("detachment", "force disposition", "battle size", "show/hide", "warlord", "enhancement", "&")
_ALLEGIANCES = ("Aeldari", "Chaos", "Imperium", "Xenos")
# Of the 390 detachments in BSData's catalogues of the 10th and the 11th edition and in lists seen, the only one.
_NAMES_WITH_AND = ("legends of saga and song",)


class TextList(NamedTuple):
    """An army list by name."""

    #: Its first line, or the name of the file.
    title: str
    #: As written, of Space Marines with the chapter; empty if the text has none.
    faction: str
    detachments: tuple[str, ...]
    #: The total in the header.
    points: int | None
    #: Lines that were not understood, as written.
    unread: tuple[str, ...]
    units: tuple[TextUnit, ...] = ()
    #: Pairs of places in ``units``: a leader, and the unit it is attached to.
    attachments: tuple[tuple[int, int], ...] = ()
    #: ``"11e"`` if the text has fields that only that edition has.
    edition: str = ""
    #: Lines of the message before and after the list.
    around: tuple[str, ...] = ()


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
        self.fields: list[tuple[str, str]] = []  # that tournaments ask for
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
                self.fields += filter(None, [read_heading(line)])
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
                self._wargear(unit, unit.rest, unit.count, ON_UNIT)
            else:
                self.heads.append(unit)

    def _other(self, line: str, stripped: str, following: str) -> None:
        """Read a line that names no unit: an item of the last one, a heading, or the header's text."""
        item = read_item(line)
        if item is None or SIGNATURE.search(stripped):
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
        if self._is_next_group(stripped) and (self.began or read_unit_line(following) is not None):
            self.groups += 1
            self.group = self.groups
            return True
        if not self._is_next_group(following):
            return False
        self.group = None
        return True

    def _is_next_group(self, line: str) -> bool:
        return bool(_GROUP.fullmatch(line)) and line.rpartition(" ")[2] == str(self.groups + 1)

    def _belongs(  # noqa: C901 - one case for each kind of line
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
        elif item.number is not None:
            self._counted(unit, item, item.number)
        elif given := GIVEN.match(item.text):
            # What the unit's models have, which have no line.
            unit.flat = unit.flat or unit.shallow is None
            unit.bearers = int(given[1])
            self._wargear(unit, item.text, unit.bearers, (unit.shallow or 0) + 1 - unit.flat)
        elif named and item.bullet:
            unit.marks.append(item.text)
        elif item.bullet or item.text.casefold() in _WARLORD or _BONUS.fullmatch(item.text):
            depth = self._column(unit, item, 1)
            # What has no count each of the models above it has once.
            for each in filter(None, map(read_item, split_names(item.text))):
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

    def _counted(self, unit: TextUnit, item: Item, count: int) -> None:
        """Add a counted item; what follows a colon is the wargear of these models."""
        name, _, rest = item.text.partition(":")
        depth = self._column(unit, item, count)
        if item.bullet:
            unit.column = depth
        elif unit.placed:  # it goes on where the last bullet stands, or further in; indent may have been lost
            depth = max(depth, unit.column)
        self._add(unit, depth, TextItem(name.strip() or item.text, count))
        self._wargear(unit, rest.strip(), count, depth + 1)

    def _wargear(self, unit: TextUnit, text: str, models: int, depth: int) -> None:
        for item in read_wargear_line(text, models, totals=depth == ON_UNIT):
            self._add(unit, depth, item)

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
        columns = [depth for depth, _ in unit.placed if depth != ON_UNIT]
        unit.items = _nest(unit.placed, min(columns, default=ON_UNIT))
    # Only the 11th edition has Detachment Points, a Force Disposition and roles of attached units.
    said = any(_ELEVENTH.match(line.strip()) or "detachment points)" in line.casefold() for line in lines)
    edition = "11e" if said or any(unit.role for unit in units) else ""
    found = _read_header(reader, name.strip("'\""))
    pairs = _attachments(units, reader.unread)
    return found._replace(
        unread=(*found.unread, *reader.unread),
        units=tuple(units),
        attachments=tuple(pairs),
        edition=edition,
        around=around,
    )


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


def _read_header(reader: _TextReader, name: str) -> TextList:
    """Read what stands before the first unit."""
    heads, texts = reader.heads, reader.texts
    words = [(text, place) for text, place in texts if not text.isupper() and ":" not in text]
    sized = bool(heads and words and words[0][1] == 0)  # the first line with points is the size of the game
    title, points = (heads[0].name, heads[0].points) if heads and not sized else (name, None)
    factions, detachments, aims = _names(words, 1 if sized else 2) if heads else ([], (), ())
    title, faction, said_there = _parts(title, named=bool(factions))
    if faction:
        detachments = said_there
    total = next((value for key, value in reader.fields if "points" in key and "limit" not in key), "")
    if found := _TOTAL.match(total):
        points = int(re.sub(r"\D", "", found[0]))
    written = [text.partition(":") for text, _ in texts if ":" in text]
    said = [*((key.strip().casefold(), value.strip()) for key, _, value in written), *reader.fields]
    if named := [(key, value) for key, value in said if key.startswith("detachment")]:
        detachments = tuple(
            each for key, value in named for each in _detachments(value, several=key.endswith("s"))
        )
    aims = tuple(value for key, value in said if key.startswith("force disposition")) or aims
    faction = next(
        (value for key, value in reader.fields if "faction" in key), faction or ", ".join(factions)
    )
    read = (title, faction, *detachments, *(each.strip() for value in aims for each in value.split(",")))
    known = [each.casefold() for each in read if each]
    left = [
        text
        for text, _ in texts  # but headings, settings, and what holds what was read
        if not (_is_section(text) or (small := text.casefold()).startswith(_SETTINGS))
        and not any(each in small or small in each for each in known)
    ]
    left += [f"{head.name} ({head.points} points)" for head in heads[2:]]
    return TextList(title, faction, tuple(dict.fromkeys(detachments)), points, tuple(left))


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
        if _DETACHMENT_POINTS.search(text):
            after = tuple(each for each, place in words[index + 1 : index + 2] if place < size)
            return [each for each, _ in words[:index]][:2], _detachments(text), after
    before = [each for each, place in words if place < size]
    later = [each for each, place in words if place >= size][:1]
    factions, named = (before[:-1][:2], before[-1:]) if len(before) > 1 else (before, later)
    return factions, tuple(_BRACKET.sub("", each) for each in named), ()


def _detachments(text: str, *, several: bool = False) -> tuple[str, ...]:
    """Return the detachments of a text, without their points or the rule in brackets.

    The GW app joins them with commas, and with "and" before the last.
    """
    pointed = _DETACHMENT_POINTS.search(text)
    text = text[: pointed.start()] if pointed else _BRACKET.sub("", text)
    *parts, last = text.split(",")
    whole = last.strip().casefold() in _NAMES_WITH_AND or not (pointed or several)
    return tuple(filter(None, map(str.strip, (*parts, *([last] if whole else last.rsplit(" and ", 1))))))
