"""From lines to units: header, sections, units with their items, and attachments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_PARTS, MAX_UNIT_PARTS, name_key
from mathhammer.rosters.text.lines import (
    SIGNATURE,
    Item,
    TextItem,
    TextList,
    TextUnit,
    UnitLine,
    is_eleventh,
    read_header,
    read_heading,
    read_item,
    read_unit_line,
    read_wargear_line,
    split,
    split_names,
    without_message,
)

_MAX_UNITS = 300
_ON_UNIT = -1  # the column of wargear on the line of the unit
_NINTH = re.compile(r"\[\s*\d+\s?PL\b|\b-?\d+\s?CP\b", re.IGNORECASE)
_WITH = re.compile(r"(\d{1,4})\s+(?:with|mit|avec|con)\s", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<role>leading|attached to)\s*:?\s+(?P<name>.+?)\s*(?:\[(?P<number>\d{1,4})\])?", re.IGNORECASE
)
_FIELD = re.compile(r"(?P<key>[^:]{1,40}?)\s*:\s*(?P<value>.+)")
_BONUS = re.compile(r"(?P<name>.+?)\s*[(\[](?:\+\s*\d+\s*[^\W\d]+|\d+\s*p[^\W\d]*)\.?[)\]]", re.IGNORECASE)
_GROUP = re.compile(r"\S.*\s\d{1,2}")
_ENHANCEMENT = ("enhancement", "amélioration", "verbesserung", "mejora", "miglioria", "optimisation")
_BODYGUARD = ("bodyguard", "garde du corps", "leibwächter", "guardaespaldas", "guardia del corpo")
_TRANSPORT = re.compile(
    r"tra(?:n)?sport", re.IGNORECASE
)  # English, French, German, Spanish; Italian trasporto


@dataclass(slots=True)
class _Draft:
    """A unit while it is read: its items as a flat list with the columns they stand in."""

    line: UnitLine
    items: list[tuple[int, TextItem]] = field(default_factory=list)
    enhancements: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    group: int | None = None
    role: str = ""
    links: list[tuple[bool, str, int, str]] = field(default_factory=list)
    column: int = 0  # of the last item with a bullet
    flat: bool = False  # its only kind of models has no line: all items are theirs
    bearers: int = 1  # models that carry what follows

    @property
    def shallow(self) -> int | None:
        """The column of its models."""
        return next((depth for depth, _ in self.items if depth != _ON_UNIT), None)

    def finish(self) -> TextUnit:
        """Return the unit, with items below the ones they are indented under."""
        return TextUnit(
            self.line.name,
            self.line.points,
            self.line.count,
            _nest(self.items, min((depth for depth, _ in self.items if depth != _ON_UNIT), default=_ON_UNIT)),
            tuple(dict.fromkeys(self.enhancements)),
            tuple(self.marks),
        )


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
        self.header: dict[str, list[str]] = {}
        self.heads: list[UnitLine] = []  # lines with points before the first unit: the title, the size
        self.texts: list[
            tuple[str, int]
        ] = []  # other lines before the first unit, behind how many of `heads`
        self.unread: list[str] = []
        self.group: int | None = None
        self.groups = 0
        self.began = False
        self.parts = 0

    def read(self, lines: list[str]) -> None:
        tournament = any(line.lstrip().startswith("+") for line in lines)
        for number, line in enumerate(lines):
            stripped = line.strip()
            if not stripped or not stripped.strip("+=-_*# "):
                continue
            if stripped.startswith("+"):
                if heading := read_heading(line):
                    self.header.setdefault(heading[0], []).append(heading[1])
                continue
            unit = read_unit_line(line)
            if stripped.startswith("#"):
                self._hash(stripped, unit)
            elif unit is None:
                self._other(line, _next(lines, number + 1))
            elif (
                self.began
                or self.group is not None
                or unit.rest
                or tournament
                or _is_item(_next(lines, number + 1))
            ):
                self._unit(unit)
            else:
                self.heads.append(unit)

    def _hash(self, stripped: str, unit: UnitLine | None) -> None:
        """Read a Markdown heading: a section, or the list itself with its total."""
        self.group = None
        if unit is not None and not self.heads and not self.units:
            self.heads.append(replace(unit, name=unit.name.strip("+ ")))
        elif unit is None and not self.units and not stripped.startswith("##"):
            self.texts.append((stripped.strip("#+ "), len(self.heads)))

    def _unit(self, unit: UnitLine) -> None:
        self.began = True
        if len(self.units) >= _MAX_UNITS:
            raise RosterError(f"expected at most {_MAX_UNITS} units, but {self.name} has more")
        draft = _Draft(unit, group=self.group)
        self.units.append(draft)
        if unit.rest:
            self._wargear(draft, unit.rest, unit.count, _ON_UNIT)

    def _other(self, line: str, following: str) -> None:
        """Read a line that names no unit: an item of the last one, a heading, or the header's text."""
        item = read_item(line)
        stripped = line.strip()
        if item is None or SIGNATURE.search(stripped):
            return
        if not (item.bullet or item.count is not None or self.units):
            self.began = self.began or ((stripped.isupper() or stripped.endswith(":")) and bool(self.heads))
            if self._is_group(stripped, following):
                self._group()
            elif self._is_group(following):
                self.group = None
            else:
                self.texts.append((stripped, len(self.heads)))
        elif not self.units:
            self.unread.append(stripped)
        else:
            self._belongs(self.units[-1], item, stripped, following)

    def _is_group(self, stripped: str, following: str | None = None) -> bool:
        """Whether a line is the heading of the next group of attached units, directly before one of them."""
        numbered = _GROUP.fullmatch(stripped) and stripped.rpartition(" ")[2] == str(self.groups + 1)
        return bool(numbered) and (following is None or self.began or read_unit_line(following) is not None)

    def _group(self) -> None:
        self.groups += 1
        self.group = self.groups

    def _belongs(self, draft: _Draft, item: Item, stripped: str, following: str) -> None:
        link = _LINK.fullmatch(item.text)
        named = _FIELD.fullmatch(item.text) if item.count is None else None
        new = self.group is not None and not (draft.role or draft.items or draft.marks or draft.enhancements)
        if link:
            leads = link["role"].casefold() == "leading"
            draft.links.append((leads, link["name"], int(link["number"] or 1), stripped))
        elif named and (named["key"].casefold().startswith(_ENHANCEMENT) or named["key"] == "E"):
            bought = _BONUS.fullmatch(named["value"])
            draft.enhancements.append(bought["name"] if bought else named["value"])
        elif named and new:  # the first line of a unit in a group says what it is attached as
            draft.role = named["value"]
        elif item.count is not None:
            self._counted(draft, item)
        elif with_ := _WITH.match(item.text):
            draft.flat = (
                draft.flat or draft.shallow is None
            )  # what the unit's models have, which have no line
            draft.bearers = int(with_[1])
            self._wargear(draft, item.text, draft.bearers, (draft.shallow or 0) + 1 - draft.flat)
        elif named and item.bullet:
            draft.marks.append(item.text)
        elif item.bullet or _is_mark(item.text) or _BONUS.fullmatch(item.text):
            self._uncounted(draft, item)
        elif self._is_group(stripped, following):
            self._group()
        elif stripped.isupper() or stripped.endswith(":") or self._is_group(following):
            self.group = None  # another section
        else:
            self.unread.append(stripped)

    def _counted(self, draft: _Draft, item: Item) -> None:
        """Add a counted item; what follows a colon is the wargear of these models."""
        name, colon, rest = item.text.partition(":")
        count = item.count or 1
        depth = item.depth
        if draft.flat:
            depth = 0
        elif depth <= (depth if draft.shallow is None else draft.shallow):
            draft.bearers = count
        if item.bullet:
            draft.column = depth
        elif draft.items:  # it goes on where the last bullet stands, or further in; indent may have been lost
            depth = max(depth, draft.column)
        self._add(draft, depth, TextItem(name.strip() or item.text, count))
        if colon and rest.strip():
            self._wargear(draft, rest.strip(), count, depth + 1)

    def _uncounted(self, draft: _Draft, item: Item) -> None:
        """Add what has no count: each of the models above it has one."""
        depth = 0 if draft.flat else item.depth
        if not draft.flat and depth <= (depth if draft.shallow is None else draft.shallow):
            draft.bearers = 1
        for each in filter(None, map(read_item, split_names(item.text))):
            count = draft.bearers * (each.count or 1)
            self._add(draft, depth, TextItem(each.text, count, counted=each.count is not None))

    def _wargear(self, draft: _Draft, text: str, models: int, depth: int) -> None:
        for item in read_wargear_line(text, models, totals=depth == _ON_UNIT):
            self._add(draft, depth, item)

    def _add(self, draft: _Draft, depth: int, item: TextItem) -> None:
        if _is_mark(item.name):
            draft.marks.append(item.name)
            return
        if bought := _BONUS.fullmatch(item.name):
            draft.enhancements.append(bought["name"])
            return
        self.parts += 1
        if self.parts > MAX_PARTS or len(draft.items) >= MAX_UNIT_PARTS:
            raise RosterError(
                f"expected at most {MAX_UNIT_PARTS:,} models and pieces of wargear in a unit and {MAX_PARTS:,} in an "
                f"army, but {self.name} has more; export the list again"
            )
        draft.items.append((depth, item))


def _is_mark(name: str) -> bool:
    return name.casefold() in {"warlord", "seigneur de guerre", "kriegsherr", "señor de la guerra"}


def _next(lines: list[str], number: int) -> str:
    """Return the next line that is not empty, of the next three."""
    return next((line for line in lines[number : number + 3] if line.strip()), "")


def _is_item(line: str) -> bool:
    item = read_item(line)
    return item is not None and (item.bullet or item.count is not None)


def parse_text_list(text: str, name: str) -> TextList:
    r"""Read a text export."""
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
    attachments = tuple(_attachments(reader))
    header = read_header(reader.header, reader.heads, reader.texts, name.strip("'\""))
    header["unread"] += tuple(reader.unread)
    return TextList(
        **header,
        units=tuple(draft.finish() for draft in reader.units),
        attachments=attachments,
        edition="11e" if is_eleventh(lines) or any(draft.role for draft in reader.units) else "",
        around=tuple(around),
    )


def _attachments(reader: _Reader) -> list[tuple[int, int]]:
    """Return pairs of a leader and its unit: by the words of a unit, or by a section of attached units."""
    drafts = reader.units
    named: dict[str, list[int]] = {}
    for index, draft in enumerate(drafts):
        named.setdefault(name_key(draft.line.name), []).append(index)
    pairs: dict[tuple[int, int], None] = {}
    for index, draft in enumerate(drafts):
        for leads, name, number, line in draft.links:
            same = named.get(name_key(name), [])
            if 1 <= number <= len(same) and same[number - 1] != index:
                other = same[number - 1]
                pairs[(index, other) if leads else (other, index)] = None
            else:
                reader.unread.append(line)
    groups: dict[int, list[int]] = {}
    for index, draft in enumerate(drafts):
        if draft.group is not None and draft.role and not _TRANSPORT.search(draft.role):
            groups.setdefault(draft.group, []).append(index)
    for members in groups.values():
        said = [index for index in members if drafts[index].role.casefold().startswith(_BODYGUARD)]
        guard = said[0] if said else members[-1]  # the app lists the bodyguard last
        pairs.update(dict.fromkeys((index, guard) for index in members if index != guard))
    return list(pairs)
