"""From lines to units: header, sections, units with their items, and attachments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_PARTS, MAX_UNIT_PARTS, name_key, require_room
from mathhammer.rosters.text.lines import (
    GIVEN,
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
    without_message,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX_UNITS = 300
_ON_UNIT = -1  # the column of wargear on the line of the unit
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
_TRANSPORT = re.compile(
    r"tra(?:n)?sport", re.IGNORECASE
)  # English, French, German, Spanish; Italian trasporto

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


@dataclass(slots=True)
class TextList:
    """An army list by name."""

    #: Its first line, or the name of the file.
    title: str
    #: As written, of Space Marines with the chapter; empty if the text has none.
    faction: str
    #: Names of the detachments; the 11th edition allows several.
    detachments: tuple[str, ...]
    #: Its force dispositions, which the 11th edition has.
    dispositions: tuple[str, ...]
    #: The total in the header; ``None`` if it has none.
    points: int | None
    #: Lines that were not understood, as written.
    unread: tuple[str, ...]
    #: In order.
    units: tuple[TextUnit, ...] = ()
    #: Pairs of places in ``units``: a leader, and the unit it is attached to.
    attachments: tuple[tuple[int, int], ...] = ()
    #: ``"11e"`` if the text has fields that only that edition has; else empty.
    edition: str = ""
    #: Lines of the message before and after the list.
    around: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A unit while it is read: its items as a flat list with the columns they stand in."""

    unit: TextUnit
    group: int | None
    items: list[tuple[int, TextItem]] = field(default_factory=list)
    role: str = ""
    links: list[tuple[bool, str, int, str]] = field(default_factory=list)
    column: int = 0  # of the last item with a bullet
    flat: bool = False  # its only kind of models has no line: all items are theirs
    bearers: int = 1  # models that carry what follows

    @property
    def shallow(self) -> int | None:
        """The column of its models."""
        return next((depth for depth, _ in self.items if depth != _ON_UNIT), None)

    def begins(self, depth: int) -> bool:
        """Whether what stands in a column is as far out as the models."""
        return not self.flat and (self.shallow is None or depth <= self.shallow)

    def finish(self) -> TextUnit:
        """Return the unit, with items below the ones they are indented under."""
        columns = [depth for depth, _ in self.items if depth != _ON_UNIT]
        items = _nest(self.items, min(columns, default=_ON_UNIT))
        return replace(self.unit, items=items, enhancements=list(dict.fromkeys(self.unit.enhancements)))


def _nest(items: list[tuple[int, TextItem]], shallow: int | None = None) -> tuple[TextItem, ...]:
    """Return the items; what stands further in is below models, the shallow ones, or below what has no count."""
    nested: list[tuple[int, TextItem, list[tuple[int, TextItem]]]] = []
    for depth, item in items:
        last = nested[-1] if nested else None
        if (
            last is None
            or depth <= (last[0] if shallow is None else shallow)
            or (shallow is None and last[1].counted)
        ):
            nested.append((depth, item, []))
        else:
            last[2].append((depth, item))
    return tuple(replace(item, items=_nest(below)) for _, item, below in nested)


class _Reader:
    """The state of reading: where in the list it is, and what was found so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.units: list[_Draft] = []
        self.header: list[tuple[str, str]] = []  # the fields that tournaments ask for
        self.heads: list[TextUnit] = []  # lines with points before the first unit: the title, the size
        # Other lines before the first unit, behind how many of `heads`.
        self.texts: list[tuple[str, int]] = []
        self.unread: list[str] = []
        self.group: int | None = None
        self.groups = 0
        self.began = False
        self.parts = 0

    def read(self, lines: list[str]) -> None:
        tournament = any(line.lstrip().startswith("+") for line in lines)
        for number, line in enumerate(lines):
            stripped = line.strip()
            if not stripped.strip("+=-_*# "):
                continue
            if stripped.startswith("+"):
                self.header += filter(None, [read_heading(line)])
                continue
            unit = read_unit_line(line)
            # The next line that is not empty, of the next three.
            following = next((each for each in lines[number + 1 : number + 4] if each.strip()), "")
            if stripped.startswith("#"):
                self._hash(stripped, unit)
            elif unit is None:
                self._other(line, following)
            elif self.began or self.group is not None or unit.rest or tournament or _is_listed(following):
                self._unit(unit)
            else:
                self.heads.append(unit)

    def _hash(self, stripped: str, unit: TextUnit | None) -> None:
        """Read a Markdown heading: a section, or the list itself with its total."""
        self.group = None
        if unit is not None and not self.heads and not self.units:
            self.heads.append(replace(unit, name=unit.name.strip("+ ")))
        elif unit is None and not self.units and not stripped.startswith("##"):
            self.texts.append((stripped.strip("#+ "), len(self.heads)))

    def _unit(self, unit: TextUnit) -> None:
        self.began = True
        self.units.append(_Draft(unit, self.group))
        require_room(len(self.units), _MAX_UNITS, "units", self.name)
        if unit.rest:
            self._wargear(self.units[-1], unit.rest, unit.count, _ON_UNIT)

    def _other(self, line: str, following: str) -> None:
        """Read a line that names no unit: an item of the last one, a heading, or the header's text."""
        item = read_item(line)
        stripped = line.strip()
        if item is None or SIGNATURE.search(stripped):
            return
        if self.units:
            self._belongs(self.units[-1], item, stripped, following)
        elif item.is_listed:
            self.unread.append(stripped)
        else:
            self.began = self.began or ((stripped.isupper() or stripped.endswith(":")) and bool(self.heads))
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

    def _belongs(self, draft: _Draft, item: Item, stripped: str, following: str) -> None:
        unit = draft.unit
        named = _FIELD.fullmatch(item.text) if item.count is None else None
        new = self.group is not None and not (draft.role or draft.items or unit.marks or unit.enhancements)
        if link := _LINK.fullmatch(item.text):
            leads = link["role"].casefold() == "leading"
            draft.links.append((leads, link["name"], int(link["number"] or 1), stripped))
        elif named and (named["key"].casefold().startswith(_ENHANCEMENT) or named["key"] == "E"):
            bought = _BONUS.fullmatch(named["value"])
            unit.enhancements.append(bought["name"] if bought else named["value"])
        elif named and new:  # the first line of a unit in a group says what it is attached as
            draft.role = named["value"]
        elif item.count is not None:
            self._counted(draft, item, item.count)
        elif given := GIVEN.match(item.text):
            draft.flat = (
                draft.flat or draft.shallow is None
            )  # what the unit's models have, which have no line
            draft.bearers = int(given[1])
            self._wargear(draft, item.text, draft.bearers, (draft.shallow or 0) + 1 - draft.flat)
        elif named and item.bullet:
            unit.marks.append(item.text)
        elif item.bullet or item.text.casefold() in _WARLORD or _BONUS.fullmatch(item.text):
            self._uncounted(draft, item)
        elif not self._heading(stripped, following):
            if stripped.isupper() or stripped.endswith(":"):
                self.group = None  # another section
            else:
                self.unread.append(stripped)

    def _counted(self, draft: _Draft, item: Item, count: int) -> None:
        """Add a counted item; what follows a colon is the wargear of these models."""
        name, _, rest = item.text.partition(":")
        depth = 0 if draft.flat else item.depth
        if draft.begins(depth):
            draft.bearers = count
        if item.bullet:
            draft.column = depth
        elif draft.items:  # it goes on where the last bullet stands, or further in; indent may have been lost
            depth = max(depth, draft.column)
        self._add(draft, depth, TextItem(name.strip() or item.text, count))
        if rest.strip():
            self._wargear(draft, rest.strip(), count, depth + 1)

    def _uncounted(self, draft: _Draft, item: Item) -> None:
        """Add what has no count: each of the models above it has one."""
        depth = 0 if draft.flat else item.depth
        if draft.begins(depth):
            draft.bearers = 1
        for each in filter(None, map(read_item, split_names(item.text))):
            count = draft.bearers * (each.count or 1)
            self._add(draft, depth, TextItem(each.text, count, counted=each.count is not None))

    def _wargear(self, draft: _Draft, text: str, models: int, depth: int) -> None:
        for item in read_wargear_line(text, models, totals=depth == _ON_UNIT):
            self._add(draft, depth, item)

    def _add(self, draft: _Draft, depth: int, item: TextItem) -> None:
        if item.name.casefold() in _WARLORD:
            draft.unit.marks.append(item.name)
        elif bought := _BONUS.fullmatch(item.name):
            draft.unit.enhancements.append(bought["name"])
        else:
            self.parts += 1
            draft.items.append((depth, item))
        require_room(len(draft.items), MAX_UNIT_PARTS, "models and pieces of wargear in a unit", self.name)
        require_room(self.parts, MAX_PARTS, "models and pieces of wargear", self.name)


def _is_listed(line: str) -> bool:
    item = read_item(line)
    return item is not None and item.is_listed


def parse_text_list(text: str, name: str) -> TextList:
    """Read a text export."""
    lines, around = without_message(split(text, name))
    if _NINTH.search("\n".join(lines)[:20_000]):
        raise RosterError(
            f"expected a list of the 10th or 11th edition, but {name} counts power or command points as the 9th "
            "does; build the list again with current data"
        )
    reader = _Reader(name)
    reader.read(lines)
    if not reader.units:
        raise RosterError(
            f"expected an army list with units and their points, such as 'Name (90 points)', but {name} has none; "
            "copy the whole export"
        )
    found = _read_header(reader.header, reader.heads, reader.texts, name.strip("'\""))
    # Only the 11th edition has Detachment Points, a Force Disposition and roles of attached units.
    eleventh = any(
        _ELEVENTH.match(line.strip()) or "detachment points)" in line.casefold() for line in lines
    ) or any(draft.role for draft in reader.units)
    found.edition = "11e" if eleventh else ""
    found.attachments = tuple(_attachments(reader))
    found.units = tuple(draft.finish() for draft in reader.units)
    found.unread += tuple(reader.unread)
    found.around = tuple(around)
    return found


def _attachments(reader: _Reader) -> Iterable[tuple[int, int]]:
    """Return pairs of a leader and its unit: by the words of a unit, or by a section of attached units."""
    named: dict[str, list[int]] = {}
    groups: dict[int, list[int]] = {}
    for index, draft in enumerate(reader.units):
        named.setdefault(name_key(draft.unit.name), []).append(index)
        if draft.group is not None and draft.role and not _TRANSPORT.search(draft.role):
            groups.setdefault(draft.group, []).append(index)
    pairs: dict[tuple[int, int], None] = {}
    for index, draft in enumerate(reader.units):
        for leads, name, number, line in draft.links:
            same = named.get(name_key(name), [])
            if 1 <= number <= len(same) and same[number - 1] != index:
                other = same[number - 1]
                pairs[(index, other) if leads else (other, index)] = None
            else:
                reader.unread.append(line)
    for members in groups.values():
        said = [each for each in members if reader.units[each].role.casefold().startswith(_BODYGUARD)]
        guard = said[0] if said else members[-1]  # the app lists the bodyguard last
        pairs |= dict.fromkeys((index, guard) for index in members if index != guard)
    return pairs


def _read_header(
    fields: Sequence[tuple[str, str]], heads: Sequence[TextUnit], texts: Sequence[tuple[str, int]], name: str
) -> TextList:
    """Read what stands before the first unit."""
    words = [(text, place) for text, place in texts if not text.isupper() and ":" not in text]
    sized = bool(heads and words and words[0][1] == 0)  # the first line with points is the size of the game
    title, points = (heads[0].name, heads[0].points) if heads and not sized else (name, None)
    factions, detachments, dispositions = _names(words, 1 if sized else 2) if heads else ([], (), ())
    title, faction, said_there = _parts(title, named=bool(factions))
    if faction:
        detachments = said_there
    totals = [value for key, value in fields if "points" in key and "limit" not in key]
    if totals and (total := _TOTAL.match(totals[0])):
        points = int(re.sub(r"\D", "", total[0]))
    written = [text.partition(":") for text, _ in texts if ":" in text]
    said = [*((key.strip().casefold(), value.strip()) for key, _, value in written), *fields]
    if named := [(key, value) for key, value in said if key.startswith("detachment")]:
        detachments = tuple(
            each for key, value in named for each in _listed(value, several=key.endswith("s"))
        )
    if aims := [value for key, value in said if key.startswith("force disposition")]:
        dispositions = tuple(each.strip() for value in aims for each in value.split(",") if each.strip())
    faction = next((value for key, value in fields if "faction" in key), faction or ", ".join(factions))
    read = (title, faction, *detachments, *dispositions)
    return TextList(
        title,
        faction,
        tuple(dict.fromkeys(detachments)),
        dispositions,
        points,
        (
            *(text for text, _ in texts if not _is_read(text, read)),
            *(f"{head.name} ({head.points} points)" for head in heads[2:]),
        ),
    )


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
        if pointed := _DETACHMENT_POINTS.search(text):
            after = tuple(each for each, place in words[index + 1 : index + 2] if place < size)
            return [each for each, _ in words[:index]][:2], split_detachments(text[: pointed.start()]), after
    before = [each for each, place in words if place < size]
    later = [each for each, place in words if place >= size][:1]
    factions, named = (before[:-1][:2], before[-1:]) if len(before) > 1 else (before, later)
    return factions, tuple(_BRACKET.sub("", each) for each in named), ()


def _listed(text: str, *, several: bool) -> tuple[str, ...]:
    """Return the detachments of a field, without their points or the rule in brackets."""
    if pointed := _DETACHMENT_POINTS.search(text):
        return split_detachments(text[: pointed.start()])
    text = _BRACKET.sub("", text).strip()
    return split_detachments(text) if several else tuple(filter(None, map(str.strip, text.split(","))))


def split_detachments(text: str) -> tuple[str, ...]:
    """Split detachments that the GW app joins: with commas, and "and" before the last."""
    *first, last = (part.strip() for part in text.split(","))
    known = last.casefold() in {name.casefold() for name in _NAMES_WITH_AND}
    parts = (*first, *([last] if known else last.rsplit(" and ", 1)))
    return tuple(part.strip() for part in parts if part.strip())
