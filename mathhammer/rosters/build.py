"""From the plain tree that a file holds to dataclasses: every type and every number is checked here."""

from __future__ import annotations

import math
from codecs import BOM_UTF8
from typing import TYPE_CHECKING
from xml.parsers import expat

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_COUNT, MAX_NODES, check_depth, check_nodes, one_line, shorten
from mathhammer.rosters.tree import Cost, Force, Profile, RosterFile, Selection

if TYPE_CHECKING:
    from collections.abc import Iterable


_MAX_VALUES = 10 * MAX_NODES  # a node has about ten attributes


def parse_json(data: bytes, name: str) -> PlainTree:
    """Read a New Recruit JSON export."""
    document = load_json(data, name)
    roster = _roster(document)
    if roster is None:
        raise RosterError(
            f"expected a New Recruit army list (one object under the key 'roster'), but {name} holds "
            f"{_describe(document)}; export the list from New Recruit as JSON, or as .ros or .rosz"
        )
    return roster


def load_json(data: bytes, name: str) -> object:
    """Read JSON of any shape within the limits of an army list; the caller judges what it is."""
    import json

    # Memory is spent while parsing, so the size of the tree is estimated before: each node opens a bracket.
    check_nodes(data.count(b"{") + data.count(b"["), name)
    if data.count(b",") > _MAX_VALUES:
        raise RosterError(
            f"expected an army list of at most {_MAX_VALUES:,} values, but {name} holds more; "
            "no army is that large: export the list again"
        )
    try:
        document: object = json.loads(data.removeprefix(BOM_UTF8), parse_constant=_refuse_constant)
    except RecursionError:
        raise RosterError(
            f"expected a New Recruit army list, but {name} is JSON nested without end; export the list again"
        ) from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both ValueErrors
        raise RosterError(
            f"expected well-formed JSON, but {name} breaks off or is damaged: {shorten(error, 120)[1:-1]}; "
            "download or export it again"
        ) from error
    return document


def _roster(document: object) -> PlainTree | None:
    """Return the roster: under its key as New Recruit writes it, or bare as in the links of ListForge."""
    if not isinstance(document, dict):
        return None
    bare = document if isinstance(document.get("forces"), list) else None
    roster: PlainTree | None = document["roster"] if isinstance(document.get("roster"), dict) else bare
    return roster


def _refuse_constant(text: str) -> object:
    raise ValueError(f"{text} is no number of an army list")


def _describe(document: object) -> str:
    if isinstance(document, dict):
        keys = ", ".join(shorten(key, 20) for key in list(document)[:5])
        return f"an object with the keys {keys}" if keys else "an empty object"
    return "a list" if isinstance(document, list) else shorten(document)


PlainTree = dict[str, object]

_ITEM = {
    "forces": "force",
    "selections": "selection",
    "profiles": "profile",
    "rules": "rule",
    "costs": "cost",
    "categories": "category",
    "characteristics": "characteristic",
}
# What of a catalogue is kept beside these: entries, links to shared ones, and the values that links append.
_CATALOGUE_ITEM = {
    **_ITEM,
    "selectionEntries": "selectionEntry",
    "sharedSelectionEntries": "selectionEntry",
    "selectionEntryGroups": "selectionEntryGroup",
    "sharedSelectionEntryGroups": "selectionEntryGroup",
    "entryLinks": "entryLink",
    "infoLinks": "infoLink",
    "categoryLinks": "categoryLink",
    "catalogueLinks": "catalogueLink",
    "infoGroups": "infoGroup",
    "sharedInfoGroups": "infoGroup",
    "sharedProfiles": "profile",
    "sharedRules": "rule",
    "modifiers": "modifier",
    "conditions": "condition",
    "conditionGroups": "conditionGroup",
    "constraints": "constraint",
}
_CHUNK = 64 * 2**10
# Expat scans an unfinished tag anew with each chunk: without a limit, 32 MiB of one tag would take 10 seconds.
_MAX_TOKEN = 2**20


class _Reader:
    """Handlers of one parse: a stack of the open dictionaries and lists, ``None`` where nothing is kept."""

    def __init__(self, name: str, roots: set[str], items: dict[str, str]) -> None:
        self.name = name
        self.roots = roots
        self.items = items
        self.root: PlainTree | None = None
        self.stack: list[PlainTree | list[PlainTree] | None] = []
        self.tags: list[str] = []
        self.nodes = 0
        self.text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        local = tag.rpartition(":")[2]
        self.nodes += 1
        check_nodes(self.nodes, self.name)
        check_depth(len(self.stack) + 1, self.name)
        self.stack.append(self._open(local, attributes))
        self.tags.append(local)

    def _open(self, local: str, attributes: dict[str, str]) -> PlainTree | list[PlainTree] | None:
        node: PlainTree = dict(attributes)
        if not self.stack:
            if local not in self.roots:
                raise _wrong_root(local, self.name, self.roots)
            self.root = node
            return node
        parent = self.stack[-1]
        if isinstance(parent, list):
            if local != self.items[self.tags[-1]]:
                return None
            parent.append(node)
            if local == "characteristic":
                self.text = []
            return node
        if parent is None or (
            local not in self.items and (local != "description" or self.tags[-1] != "rule")
        ):
            return None
        if local == "description":
            self.text = []
            return node
        items = parent.get(local)
        if not isinstance(items, list):
            items = parent[local] = []
        return items

    def end(self, _tag: str) -> None:
        node = self.stack.pop()
        local = self.tags.pop()
        if local == "characteristic" and isinstance(node, dict) and self.text is not None:
            node["$text"] = "".join(self.text)
            self.text = None
        elif local == "description" and isinstance(node, dict) and self.text is not None:
            parent = self.stack[-1]
            if isinstance(parent, dict):
                parent["description"] = "".join(self.text)
            self.text = None

    def characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def refuse(self, *_declaration: object) -> None:
        # A document type can define entities that expand without end or name files of this machine.
        raise RosterError(
            f"expected an army list without a document type declaration (DTD), but {self.name} has one; "
            "no exporter writes it: do not trust this file, export the list again"
        )


def _wrong_root(local: str, name: str, roots: set[str]) -> RosterError:
    if "roster" not in roots:
        return RosterError(
            f"expected a BSData catalogue or game system, but the root of {name} is <{local[:60]}>"
        )
    if local in {"catalogue", "gameSystem"}:
        return RosterError(
            f"expected an army list (<roster>), but {name} is a {local} data file of a list builder; "
            "open it there, build a list and export that"
        )
    return RosterError(
        f"expected XML whose root is <roster>, but the root of {name} is <{local[:60]}>; "
        "export the list as .ros or .rosz"
    )


def _check_token(length: int, name: str) -> None:
    if length > _MAX_TOKEN:
        raise RosterError(
            f"expected an army list, but {name} holds a single tag or comment of more than "
            f"{_MAX_TOKEN // 2**20} MiB; export the list again"
        )


def parse_xml(data: bytes, name: str) -> PlainTree:
    """Read army-list XML."""
    return _parse(data, name, _Reader(name, {"roster"}, _ITEM))


def parse_catalogue(data: bytes, name: str) -> PlainTree:
    """Read a catalogue or game system of BSData, within the same limits."""
    return _parse(data, name, _Reader(name, {"catalogue", "gameSystem"}, _CATALOGUE_ITEM))


def _parse(data: bytes, name: str, reader: _Reader) -> PlainTree:
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
            _check_token(position - parser.CurrentByteIndex, name)
        parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise RosterError(
            f"expected well-formed XML, but {name} breaks off or is damaged: {shorten(error, 120)[1:-1]}; "
            "download or export it again"
        ) from error
    except RosterError:
        raise
    except (LookupError, ValueError) as error:  # an encoding this Python does not know
        raise RosterError(f"expected XML in a known encoding, but {name} is not: {error}") from error
    if reader.root is None:  # unreachable with expat, which refuses a document without an element
        raise RosterError(f"expected XML with an element, but {name} holds none")
    return reader.root


_MAX_COST = 1e6


def build_roster(plain: PlainTree, name: str) -> RosterFile:
    """Check a plain tree and freeze it."""
    return RosterFile(
        name=text_field(plain, "name"),
        game_system_id=text_field(plain, "gameSystemId"),
        game_system_name=text_field(plain, "gameSystemName"),
        game_system_revision=text_field(plain, "gameSystemRevision"),
        generated_by=text_field(plain, "generatedBy"),
        costs=tuple(_cost(cost, name) for cost in _list(plain, "costs", name)),
        forces=tuple(_force(force, name, 1) for force in _list(plain, "forces", name)),
    )


def _force(plain: PlainTree, name: str, depth: int) -> Force:
    check_depth(depth, name)
    return Force(
        name=text_field(plain, "name"),
        catalogue=text_field(plain, "catalogueName"),
        rules=tuple(text_field(rule, "name") for rule in _list(plain, "rules", name)),
        selections=tuple(_selection(child, name, depth + 1) for child in _list(plain, "selections", name)),
        forces=tuple(_force(child, name, depth + 1) for child in _list(plain, "forces", name)),
        rule_texts=tuple(text_lines(rule, "description") for rule in _list(plain, "rules", name)),
    )


def _selection(plain: PlainTree, name: str, depth: int) -> Selection:
    check_depth(depth, name)
    rules = [rule for rule in _list(plain, "rules", name) if not _flag(rule, "hidden")]
    return Selection(
        name=text_field(plain, "name"),
        type=text_field(plain, "type"),
        number=_number(plain, name),
        group=text_field(plain, "group"),
        costs=tuple(_cost(cost, name) for cost in _list(plain, "costs", name)),
        categories=tuple(text_field(category, "name") for category in _list(plain, "categories", name)),
        profiles=tuple(
            build_profile(profile, _list(profile, "characteristics", name))
            for profile in _list(plain, "profiles", name)
        ),
        rules=tuple(text_field(rule, "name") for rule in rules),
        selections=tuple(_selection(child, name, depth + 1) for child in _list(plain, "selections", name)),
        rule_texts=tuple(text_lines(rule, "description") for rule in rules),
    )


def build_profile(plain: PlainTree, characteristics: Iterable[PlainTree]) -> Profile:
    """Return a profile with its characteristics."""
    return Profile(
        name=text_field(plain, "name"),
        type_name=text_field(plain, "typeName"),
        type_id=text_field(plain, "typeId"),
        characteristics=tuple(
            (text_field(item, "name"), text_lines(item, "$text")) for item in characteristics
        ),
        hidden=_flag(plain, "hidden"),
    )


def _cost(plain: PlainTree, name: str) -> Cost:
    raw = plain.get("value", 0)
    try:
        value = math.nan if isinstance(raw, bool) else float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not abs(value) <= _MAX_COST:  # NaN too
        raise RosterError(
            f"expected a number as the value of a cost, but {name} has {shorten(raw)}; export the list again"
        )
    return Cost(text_field(plain, "name"), text_field(plain, "typeId"), whole_points(value))


def whole_points(points: float) -> float:
    """Return a cost as a whole number where it is one: BattleScribe writes 115.0, and sums carry binary noise."""
    nearest = round(points)
    return nearest if abs(points - nearest) < 1e-6 else points


def _number(plain: PlainTree, name: str) -> int:
    raw = plain.get("number", 1)
    try:
        value = -1 if isinstance(raw, bool) else float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = -1
    if not (0 <= value <= MAX_COUNT and value == int(value)):
        raise RosterError(
            f"expected a whole number from 0 to {MAX_COUNT:,} as the number of "
            f"{shorten(text_field(plain, 'name'))}, but {name} has {shorten(raw)}; export the list again"
        )
    return int(value)


def _flag(plain: PlainTree, key: str) -> bool:
    return plain.get(key) is True or plain.get(key) == "true"


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
