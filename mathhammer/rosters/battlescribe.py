"""Army-list XML (``.ros``) as a plain tree of dictionaries, the shape New Recruit's JSON has from the start."""

from __future__ import annotations

from codecs import BOM_UTF8
from xml.parsers import expat

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import check_depth, check_nodes, shorten

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
