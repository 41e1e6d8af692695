"""From the plain tree that a file holds to dataclasses: every type and every number is checked here."""

from __future__ import annotations

import math
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_COUNT, MAX_DEPTH, MAX_NODES, one_line, require_room, shorten
from mathhammer.rosters.tree import Force, Profile, RosterFile, Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.rosters.tree import Rules

#: A node as New Recruit's JSON has it: lists of nodes under the names of the elements around them in XML.
PlainTree = dict[str, Any]

_MAX_VALUES = 10 * MAX_NODES  # a node has about ten attributes
_CHUNK = 64 * 2**10
# Expat scans an unfinished tag anew with each chunk: without a limit, 32 MiB of one tag would take 10 seconds.
_MAX_TOKEN = 2**20
_MAX_COST = 1e6
_POINTS = "51b2-306e-1021-d207"


def parse_json(data: bytes, name: str) -> PlainTree:
    """Read a New Recruit JSON export: a list under its key, or bare as in the links of ListForge."""
    document = load_json(data, name)
    held = "a list" if isinstance(document, list) else shorten(document)
    if isinstance(document, dict):
        if isinstance(roster := document.get("roster"), dict):
            return roster
        if isinstance(document.get("forces"), list):
            return document
        keys = ", ".join(shorten(key, 20) for key in list(document)[:5])
        held = f"an object with the keys {keys}" if keys else "an empty object"
    raise RosterError(
        f"expected a New Recruit army list (one object under the key 'roster'), but {name} holds {held}; export the "
        "list from New Recruit as JSON, or as .ros or .rosz"
    )


def load_json(data: bytes, name: str) -> object:
    """Read JSON of any shape within the limits of an army list; the caller judges what it is."""
    import json

    # Memory is spent while parsing, so the size of the tree is estimated before: each node opens a bracket.
    require_room(data.count(b"{") + data.count(b"["), MAX_NODES, "nodes", name)
    require_room(data.count(b","), _MAX_VALUES, "values", name)
    try:
        document: object = json.loads(data.removeprefix(BOM_UTF8))
    except RecursionError:
        raise RosterError(
            f"expected a New Recruit army list, but {name} is JSON nested without end; export the list again"
        ) from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both ValueErrors
        raise _damaged("JSON", name, error) from error
    return document


def _damaged(kind: str, name: str, error: Exception) -> RosterError:
    return RosterError(
        f"expected well-formed {kind}, but {name} breaks off or is damaged: {shorten(error, 120)[1:-1]}; "
        "download or export it again"
    )


class _Reader:
    """Handlers of one parse of XML: the open elements, each a node or a list of nodes, with their tags."""

    def __init__(self, name: str, roots: tuple[str, ...]) -> None:
        self.name, self.roots = name, roots
        self.root: PlainTree = {}
        self.open: list[tuple[str, PlainTree | list[PlainTree]]] = []
        self.nodes = 0
        self.text: list[str] = []

    def start(self, tag: str, attributes: PlainTree) -> None:
        local = tag.rpartition(":")[2]
        self.nodes += 1
        if self.nodes > MAX_NODES or len(self.open) >= MAX_DEPTH:
            require_room(self.nodes, MAX_NODES, "nodes", self.name)
            require_room(len(self.open) + 1, MAX_DEPTH, "levels of nesting", self.name)
        node: PlainTree | list[PlainTree] = attributes
        around, parent = self.open[-1] if self.open else ("", self.root)
        if not self.open:
            self.root = attributes
            if local not in self.roots:
                raise RosterError(
                    f"expected XML of <{'> or <'.join(self.roots)}>, but the root of {self.name} is <{local[:60]}>; "
                    "open a data file in its list builder, build a list there and export it as .ros or .rosz"
                )
        elif isinstance(parent, list):
            if local[:-1].casefold() in around.casefold():  # a "selectionEntry" of "sharedSelectionEntries"
                parent.append(attributes)
        elif local.endswith("s"):  # so do the tags of lists, and no others
            if not isinstance(parent.get(local), list):
                parent[local] = []
            node = parent[local]
        self.open.append((local, node))
        self.text = []

    def characters(self, text: str) -> None:
        self.text.append(text)

    def end(self, _tag: str) -> None:
        local, node = self.open.pop()
        if local == "characteristic" and isinstance(node, dict):
            node["$text"] = "".join(self.text)
        elif local == "description" and self.open and isinstance(parent := self.open[-1][1], dict):
            parent["description"] = "".join(self.text)

    def refuse(self, *_declaration: object) -> None:
        # A document type can define entities that expand without end or name files of this machine.
        raise RosterError(
            f"expected an army list without a document type declaration (DTD), but {self.name} has one; "
            "no exporter writes it: do not trust this file, export the list again"
        )


def parse_xml(data: bytes, name: str, *roots: str) -> PlainTree:
    """Read XML whose root is one of some elements: the tree that New Recruit's JSON of it would be."""
    reader = _Reader(name, roots)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    data = data.removeprefix(BOM_UTF8).lstrip()
    try:
        for position in range(0, len(data), _CHUNK):
            parser.Parse(data[position : position + _CHUNK], False)  # noqa: FBT003 - expat's own signature
            unread = position - parser.CurrentByteIndex
            require_room(unread, _MAX_TOKEN, "MiB in one tag or comment", name)
        parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise _damaged("XML", name, error) from error
    except RosterError:
        raise
    except (LookupError, ValueError) as error:  # an encoding this Python does not know
        raise RosterError(f"expected XML in a known encoding, but {name} is not: {error}") from error
    return reader.root


def build_roster(plain: PlainTree, name: str) -> RosterFile:
    """Check a plain tree and freeze it."""
    return RosterFile(
        text_field(plain, "name"),
        text_field(plain, "gameSystemId"),
        text_field(plain, "gameSystemName"),
        text_field(plain, "gameSystemRevision"),
        text_field(plain, "generatedBy"),
        _points(plain, name),
        tuple(_forces(plain, name, 1)),
    )


def _forces(above: PlainTree, name: str, depth: int) -> Iterator[Force]:
    """Yield the forces in a list or in a force, each before those inside it."""
    require_room(depth, MAX_DEPTH, "levels of nesting", name)
    for plain in _list(above, "forces", name):
        selections = _selections(plain, name, depth + 1)
        yield Force(text_field(plain, "catalogueName"), rules_of(_list(plain, "rules", name)), selections)
        yield from _forces(plain, name, depth + 1)


def _selections(above: PlainTree, name: str, depth: int) -> tuple[Selection, ...]:
    require_room(depth, MAX_DEPTH, "levels of nesting", name)
    return tuple(
        Selection(
            text_field(plain, "name"),
            text_field(plain, "type"),
            _number(plain, name),
            text_field(plain, "group"),
            _points(plain, name) or 0,
            tuple(text_field(category, "name") for category in _list(plain, "categories", name)),
            tuple(
                build_profile(profile, _list(profile, "characteristics", name))
                for profile in _list(plain, "profiles", name)
            ),
            rules_of(_list(plain, "rules", name)),
            _selections(plain, name, depth + 1),
        )
        for plain in _list(above, "selections", name)
    )


def rules_of(plain: list[PlainTree]) -> Rules:
    """Return those rules that are in force."""
    visible = [rule for rule in plain if not is_set(rule, "hidden")]
    return tuple((text_field(rule, "name"), text_lines(rule, "description")) for rule in visible)


def build_profile(plain: PlainTree, characteristics: list[PlainTree]) -> Profile:
    """Return a profile with its characteristics."""
    return Profile(
        text_field(plain, "name"),
        text_field(plain, "typeName"),
        text_field(plain, "typeId"),
        tuple((text_field(item, "name"), text_lines(item, "$text")) for item in characteristics),
        is_set(plain, "hidden"),
    )


def _points(plain: PlainTree, name: str) -> float | None:
    """Return the costs in points; those in other currencies are read too, to tell that the file is whole."""
    points = None
    for cost in _list(plain, "costs", name):
        value = _as_number(raw := cost.get("value", 0))
        if not abs(value) <= _MAX_COST:  # NaN too
            raise RosterError(
                f"expected a number as the value of a cost, but {name} has {shorten(raw)}; export the list again"
            )
        kind = text_field(cost, "name").casefold()
        if text_field(cost, "typeId") == _POINTS or kind in {"pts", "points"}:
            points = (points or 0) + whole_points(value)
    return points


def whole_points(points: float) -> float:
    """Return a cost as a whole number where it is one: BattleScribe writes 115.0, and sums carry binary noise."""
    nearest = round(points)
    return nearest if abs(points - nearest) < 1e-6 else points


def _number(plain: PlainTree, name: str) -> int:
    value = _as_number(raw := plain.get("number", 1))
    if not (0 <= value <= MAX_COUNT and value == int(value)):
        raise RosterError(
            f"expected a whole number from 0 to {MAX_COUNT:,} as the number of "
            f"{shorten(text_field(plain, 'name'))}, but {name} has {shorten(raw)}; export the list again"
        )
    return int(value)


def _as_number(raw: Any) -> float:
    try:
        return math.nan if isinstance(raw, bool) else float(raw)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def is_set(plain: PlainTree, key: str) -> bool:
    """Whether an attribute is true, which XML writes as a word."""
    return plain.get(key) in (True, "true")


def text_field(plain: PlainTree, key: str) -> str:
    """Attribute as one clean line; numbers as text, nothing as nothing."""
    raw = plain.get(key)
    if isinstance(raw, (dict, list)):
        raise RosterError(
            f"expected a text under {key!r}, but the file holds {shorten(raw)}: no list builder wrote it so; "
            "export or download it again, a list best as .ros or .rosz"
        )
    return one_line(raw)


def text_lines(plain: PlainTree, key: str) -> str:
    """Text of several clean lines, for texts whose lines say something: items of a list."""
    raw = plain.get(key)
    if not isinstance(raw, str) or "\n" not in raw:
        return text_field(plain, key)
    return "\n".join(line for line in map(one_line, raw.splitlines()) if line)


def _list(plain: PlainTree, key: str, name: str) -> list[PlainTree]:
    items = plain.get(key)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RosterError(
            f"expected a list of objects under {key!r}, but {name} holds {shorten(items)}: it was not "
            "written by New Recruit; export the list from there, or as .ros or .rosz"
        )
    return items
