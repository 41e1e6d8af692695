"""From lines to units: header, sections, units with their items, and who leads whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from mathhammer.errors import RosterError
from mathhammer.rosters.text.lines import (
    Item,
    UnitLine,
    read_heading,
    read_item,
    read_unit_line,
    split,
)
from mathhammer.rosters.text.tree import TextItem, TextList, TextUnit
from mathhammer.rosters.text.wargear import read_wargear_line

__all__ = ["parse_text_list"]

_MAX_UNITS = 300
_SIGNATURE = re.compile(r"\bv\d+\.\d+|newrecruit|app version|data version|version de l.appli", re.IGNORECASE)
_NINTH = re.compile(r"\[\s*\d+\s?PL\b|\b-?\d+\s?CP\b", re.IGNORECASE)
_ELEVENTH = re.compile(
    r"detachment points\)|force disposition|^\s*\S?\s*attached as\s*:", re.IGNORECASE | re.MULTILINE
)
_WITH = re.compile(r"\d{1,4}\s+(?:with|mit|avec|con)\s", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<role>leading|attached to)\s+(?P<name>.+?)\s*(?:\[(?P<number>\d{1,2})\])?", re.IGNORECASE
)
_FIELD = re.compile(r"(?P<key>[^:]{1,40}?)\s*:\s*(?P<value>.+)")
_BONUS = re.compile(r"(?P<name>.+?)\s*[(\[]\+\s*\d+\s*[^\W\d]+\.?[)\]]")
_GROUP = re.compile(r"\S.*\s\d{1,2}")
_ENHANCEMENT = ("enhancement", "amélioration", "verbesserung", "mejora", "miglioria", "optimisation")
_BODYGUARD = ("bodyguard", "garde du corps", "leibwächter", "guardaespaldas", "guardia del corpo")


@dataclass(slots=True)
class _Draft:
    """A unit while it is read: its items as a flat list with their depths."""

    line: UnitLine
    items: list[tuple[int, TextItem]] = field(default_factory=list)
    enhancements: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    group: int | None = None
    bodyguard: bool = False
    links: list[tuple[bool, str, int]] = field(default_factory=list)

    def finish(self) -> TextUnit:
        """Return the unit, with items below the ones they are indented under."""
        return TextUnit(
            self.line.name,
            self.line.points,
            self.line.count,
            tuple(_nest(self.items)),
            tuple(dict.fromkeys(self.enhancements)),
            tuple(self.marks),
        )


def _nest(items: list[tuple[int, TextItem]]) -> list[TextItem]:
    if not items:
        return []
    shallow = min(depth for depth, _ in items)
    nested: list[TextItem] = []
    for depth, item in items:
        if depth <= shallow or not nested:
            nested.append(item)
        else:
            nested[-1] = replace(nested[-1], items=(*nested[-1].items, item))
    return nested


class _Reader:
    """The state of reading: where in the list it is, and what was found so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.units: list[_Draft] = []
        self.header: dict[str, list[str]] = {}
        self.heads: list[UnitLine] = []  # lines with points before the first unit: the title, the size
        self.texts: list[str] = []  # other lines before the first unit
        self.unread: list[str] = []
        self.group: int | None = None
        self.groups = 0
        self.began = False

    def read(self, lines: list[str]) -> None:
        tournament = any(line.lstrip().startswith("+") for line in lines)
        for number, line in enumerate(lines):
            stripped = line.strip()
            if not stripped or not stripped.strip("+=-_*# "):
                continue
            if stripped.startswith("+"):
                self._header(line)
                continue
            unit = read_unit_line(line)
            if stripped.startswith("#"):
                self._hash(stripped, unit)
            elif unit is None:
                self._other(line)
            elif self.began or unit.rest or tournament or _is_item(lines, number + 1):
                self._unit(unit)
            else:
                self.heads.append(unit)

    def _header(self, line: str) -> None:
        heading = read_heading(line)
        if heading is not None:
            self.header.setdefault(heading.key, []).append(heading.value)

    def _hash(self, stripped: str, unit: UnitLine | None) -> None:
        """Read a Markdown heading: a section, or the list itself with its total."""
        self.group = None
        if unit is not None and not self.heads and not self.units:
            self.heads.append(replace(unit, name=unit.name.strip("+ ")))
        elif unit is None and not self.units:
            self.texts.append(stripped.strip("#+ "))

    def _unit(self, unit: UnitLine) -> None:
        self.began = True
        if len(self.units) >= _MAX_UNITS:
            raise RosterError(f"expected at most {_MAX_UNITS} units, but {self.name} has more")
        draft = _Draft(unit, group=self.group)
        self.units.append(draft)
        if unit.rest:
            self._wargear(draft, unit.rest, unit.count, 1)

    def _other(self, line: str) -> None:
        """Read a line that names no unit: an item of the last one, a heading, or the header's text."""
        item = read_item(line)
        stripped = line.strip()
        if item is None or _SIGNATURE.search(stripped):
            return
        if not (item.bullet or item.count is not None or self.units):
            self.began = self.began or (stripped.isupper() and bool(self.heads))
            self.texts.append(stripped)
            self._heading(stripped)
        elif not self.units:
            self.unread.append(stripped)
        else:
            self._belongs(self.units[-1], item, stripped)

    def _heading(self, stripped: str) -> None:
        """Notice a section: capitals end a group of attached units, a number at the end begins one."""
        if stripped.isupper():
            self.group = None
        elif self.began and _GROUP.fullmatch(stripped):
            self.groups += 1
            self.group = self.groups

    def _belongs(self, draft: _Draft, item: Item, stripped: str) -> None:
        link = _LINK.fullmatch(item.text)
        bonus = _BONUS.fullmatch(item.text)
        named = _FIELD.fullmatch(item.text) if item.count is None else None
        if link:
            leads = link["role"].casefold() == "leading"
            draft.links.append((leads, link["name"], int(link["number"] or 1)))
        elif named and named["key"].casefold().startswith(_ENHANCEMENT):
            bought = _BONUS.fullmatch(named["value"])
            draft.enhancements.append(bought["name"] if bought else named["value"])
        elif bonus and item.count is None:
            draft.enhancements.append(bonus["name"])
        elif item.count is not None:
            self._counted(draft, item)
        elif _WITH.match(item.text):
            models = draft.items[-1][1].count if draft.items else draft.line.count
            # Under the models it speaks of, or under the unit itself.
            depth = draft.items[0][0] + 100 if draft.items else 0
            self._wargear(draft, item.text, models, depth)
        elif item.bullet:
            self._mark(draft, item.text, named)
        elif stripped.isupper() or (not item.depth and _GROUP.fullmatch(stripped)):
            self._heading(stripped)
        else:
            self.unread.append(stripped)

    def _mark(self, draft: _Draft, text: str, named: re.Match[str] | None) -> None:
        if named is None:
            draft.marks += [part.strip() for part in text.split(",") if part.strip()]
        elif self.group is not None and named["value"].casefold().startswith(_BODYGUARD):
            draft.bodyguard = True
        elif self.group is None:
            draft.marks.append(text)

    def _counted(self, draft: _Draft, item: Item) -> None:
        """Add a counted item; what follows a colon is the wargear of these models."""
        name, colon, rest = item.text.partition(":")
        count = item.count or 1
        draft.items.append((item.depth, TextItem(name.strip() or item.text, count)))
        if colon and rest.strip():
            self._wargear(draft, rest.strip(), count, item.depth + 1)

    def _wargear(self, draft: _Draft, text: str, models: int, depth: int) -> None:
        items = read_wargear_line(text, models)
        draft.items += [(depth, item) for item in items if not _is_mark(item.name)]
        draft.marks += [item.name for item in items if _is_mark(item.name)]


def _is_mark(name: str) -> bool:
    return name.casefold() in {"warlord", "seigneur de guerre", "kriegsherr", "señor de la guerra"}


def _is_item(lines: list[str], number: int) -> bool:
    """Whether the next line that is not empty is an item."""
    for line in lines[number : number + 3]:
        if line.strip():
            item = read_item(line)
            return item is not None and (item.bullet or item.count is not None)
    return False


def parse_text_list(text: str, name: str) -> TextList:
    r"""Read a text export.

    Parameters
    ----------
    text
        The whole text.
    name
        The quoted file name, for messages.

    Raises
    ------
    RosterError
        If no line names a unit with its points, it is a list of an earlier edition, or a number is out of range.

    Examples
    --------
    >>> army = parse_text_list("BATTLELINE\n\nWardens (90 Points)\n  • 5x Warden\n     ◦ 5x Rifle", "'x'")
    >>> army.units[0].items[0].items[0]
    TextItem(name='Rifle', count=5, items=())
    """
    lines = split(text, name)
    if _NINTH.search(text[:20_000]):
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
    header = reader.header
    title, faction, points = _title(reader)
    detachment = next(
        (value for key, values in header.items() if "detachment" in key for value in values), ""
    )
    return TextList(
        title=title,
        faction=next((values[0] for key, values in header.items() if "faction" in key), faction),
        detachments=tuple(
            filter(None, (re.sub(r"\s*\([^()]*\)\s*$", "", detachment) or _detachment(reader),))
        ),
        points=points,
        units=tuple(draft.finish() for draft in reader.units),
        attachments=tuple(_attachments(reader.units)),
        edition="11e" if _ELEVENTH.search(text) else "",
        unread=tuple(reader.unread),
    )


def _title(reader: _Reader) -> tuple[str, str, int | None]:
    """Return title, faction and total out of the header."""
    total = next((values[0] for key, values in reader.header.items() if "points" in key), "")
    digits = re.sub(r"\D", "", total)[:9]
    if reader.heads:
        faction = next((text for text in reader.texts if not text.isupper() and ":" not in text), "")
        return reader.heads[0].name, faction, int(digits) if digits else reader.heads[0].points
    return reader.name.strip("'\""), "", int(digits) if digits else None


def _detachment(reader: _Reader) -> str:
    """Return the detachment of a list of the GW app: the second line of text in its header."""
    named = next((text for text in reader.texts if text.casefold().startswith("detachment:")), "")
    texts = [text for text in reader.texts if not text.isupper() and ":" not in text]
    found = named.partition(":")[2] or (texts[1] if len(texts) > 1 and reader.heads else "")
    return re.sub(r"\s*\([^()]*\)\s*$", "", found).strip()


def _attachments(drafts: list[_Draft]) -> list[tuple[int, int]]:
    """Return who is attached to whom: by the words of a unit, or by a section of attached units."""
    pairs: dict[tuple[int, int], None] = {}
    for index, draft in enumerate(drafts):
        for leads, name, number in draft.links:
            same = [i for i, other in enumerate(drafts) if other.line.name.casefold() == name.casefold()]
            if number <= len(same):
                other = same[number - 1]
                pairs[(index, other) if leads else (other, index)] = None
    groups: dict[int, list[int]] = {}
    for index, draft in enumerate(drafts):
        if draft.group is not None:
            groups.setdefault(draft.group, []).append(index)
    for members in groups.values():
        said = [index for index in members if drafts[index].bodyguard]
        guard = said[0] if said else members[-1]  # the app lists the bodyguard last
        pairs.update(dict.fromkeys((index, guard) for index in members if index != guard))
    return list(pairs)
