"""Datasheets out of a folder of BSData catalogues, used as a list of names and profiles."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.build import build_profile, load_json, parse_catalogue, text_field, text_lines
from mathhammer.rosters.container import read_bytes, start_of
from mathhammer.rosters.datasheets.collect import collect
from mathhammer.rosters.datasheets.source import DETACHMENT, KnownUnits
from mathhammer.rosters.names import MAX_DEPTH, MAX_UNIT_PARTS, shorten
from mathhammer.rosters.tree import Selection
from mathhammer.rosters.wh40k.identifiers import GAME_SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mathhammer.rosters.build import PlainTree
    from mathhammer.rosters.datasheets.source import Datasheet
    from mathhammer.rosters.tree import Profile

_UNITS = {"unit", "model"}
_ADDED = [
    "profiles",
    "rules",
    "infoLinks",
    "categoryLinks",
    "entryLinks",
    "selectionEntries",
    "selectionEntryGroups",
]
_FOLDER_LIMIT = 256 * 2**20


class BSDataSource(KnownUnits["PlainTree"]):
    """The datasheets of a folder of catalogues and their game system, XML or JSON."""

    def __init__(self, folder: str | os.PathLike[str], names: Sequence[str]) -> None:
        self._nodes: dict[str, PlainTree] = {}
        roots: list[PlainTree] = []
        size = 0
        for name in names:
            data = read_bytes(os.path.join(folder, name))  # noqa: PTH118 - as in container
            size += len(data)
            if size > _FOLDER_LIMIT:
                raise RosterError(
                    f"expected catalogues of at most {_FOLDER_LIMIT // 2**20} MiB together, but the folder "
                    "holds more; name one with the catalogues of one game"
                )
            root = _root(data, shorten(name))
            if root is not None:
                roots.append({"id": name, "name": name} | root)
                self._index(roots[-1])
        units: dict[str, dict[str, PlainTree]] = {}
        for root in roots:
            for node in self._entries(root):
                units.setdefault(text_field(node, "name"), {}).setdefault(text_field(root, "name"), node)
        if not units:
            raise RosterError("expected catalogues with units in the folder of datasheets, but there is none")
        systems = [str(root.get("gameSystemId") or root.get("id")) for root in roots]
        edition = next((GAME_SYSTEMS[each] for each in systems if each in GAME_SYSTEMS), "10e")
        super().__init__(edition, units, _reach(roots))

    def sheet(self, name: str, unit: PlainTree) -> Datasheet:  # noqa: ARG002
        """Return the datasheet of a unit, with all options that it may have."""
        return collect([self._selection(unit, frozenset(), [10 * MAX_UNIT_PARTS])], usual=True)

    def _index(self, root: PlainTree) -> None:
        """Index one catalogue by identifier; its own rules are the army's, as those of the detachments are."""
        for node in (*_children(root, "entryLinks"), *_children(root, "sharedSelectionEntries")):
            if text_field(node, "name").startswith(DETACHMENT):
                for key in ("rules", "infoLinks"):
                    node[key] = _children(node, key) + _children(root, key)
                node["name"] = DETACHMENT
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node.get("id"), str):
                self._nodes.setdefault(str(node["id"]), node)
            for value in node.values():
                if isinstance(value, list):
                    stack += [child for child in value if isinstance(child, dict)]

    def _entries(self, root: PlainTree) -> Iterator[PlainTree]:
        """Yield the units of a catalogue and its detachments: first those that an army of it may choose."""
        for node in (*self._below(root), *_children(root, "sharedSelectionEntries")):
            name = text_field(node, "name")
            if name and (name == DETACHMENT or text_field(node, "type") in _UNITS):
                target = self._nodes.get(text_field(node, "id"), node)  # one, of links that add nothing to it
                yield target if all(node.get(key) is target.get(key) for key in _ADDED) else node

    def _selection(
        self, node: PlainTree, above: frozenset[str], budget: list[int], number: int = 1
    ) -> Selection:
        """Return an entry with all its options, 0 of those that are not its default; links that lead back end."""
        budget[0] -= 1
        if budget[0] < 0 or len(above) > MAX_DEPTH:
            raise RosterError(
                f"expected a datasheet of at most {10 * MAX_UNIT_PARTS:,} entries, but "
                f"{shorten(node.get('name'))} has more"
            )
        above = above | {_place(node)}
        profiles, rules = self._info(node, MAX_DEPTH)
        children = [
            self._selection(child, above, budget, _usual(child, node))
            for child in self._below(node)
            if _place(child) not in above
        ]
        return Selection(
            text_field(node, "name"),
            text_field(node, "type") or "group",
            number,
            categories=tuple(text_field(link, "name") for link in _children(node, "categoryLinks")),
            profiles=tuple(profiles),
            rules=tuple(rules),
            selections=tuple(children),
            rule_texts=tuple(rules.values()),
        )

    def _below(self, node: PlainTree) -> Iterator[PlainTree]:
        for key in ("selectionEntries", "selectionEntryGroups"):
            yield from _children(node, key)
        for link in _children(node, "entryLinks"):
            if target := self._nodes.get(text_field(link, "targetId")):
                # A link may add to what it leads to.
                added = {
                    key: _children(target, key) + _children(link, key) for key in _ADDED if link.get(key)
                }
                least = {"constraints": _children(target, "constraints") + _children(link, "constraints")}
                yield {**target, **added, **least, "link": text_field(link, "id")}

    def _info(self, node: PlainTree, depth: int) -> tuple[list[Profile], dict[str, str]]:
        """Return the profiles and the rules with their texts that an entry or a group has or links to."""
        profiles = [_profile(profile) for profile in _children(node, "profiles")]
        rules = {
            text_field(rule, "name"): text_lines(rule, "description") for rule in _visible(node, "rules")
        }
        groups = _children(node, "infoGroups") if depth else []
        for link in _visible(node, "infoLinks"):
            target = self._nodes.get(text_field(link, "targetId"), {})
            if link.get("type") == "profile":
                profiles.append(_profile({**target, "name": target.get("name") or link.get("name", "")}))
            elif link.get("type") == "rule":
                rules[_rule_name(link)] = text_lines(target, "description")
            elif link.get("type") == "infoGroup" and depth:
                groups.append(target)
        for group in groups:
            further, named = self._info(group, depth - 1)
            profiles += further
            rules |= named
        return profiles, rules


def _reach(roots: Iterable[PlainTree]) -> dict[str, tuple[str, ...]]:
    """Return for each catalogue itself, those that it links to, step by step, and the libraries."""
    known = {text_field(root, "id"): root for root in roots}
    names = {place: text_field(root, "name") for place, root in known.items()}
    libraries = [place for place, root in known.items() if root.get("library") in (True, "true")]
    reach = {}
    for start in known:
        places = [start]
        for place in places:  # it grows
            links = (text_field(link, "targetId") for link in _children(known[place], "catalogueLinks"))
            places += [each for each in dict.fromkeys(links) if each in known and each not in places]
        reach[names[start]] = tuple(dict.fromkeys(names[each] for each in (*places, *libraries)))
    return reach


def _usual(node: PlainTree, above: PlainTree) -> int:
    """Return how many of an entry there are unless others are chosen; a group stands for what is in it."""
    if "type" not in node:
        return 1
    chosen = text_field(above, "defaultSelectionEntryId")
    usual = bool(chosen) and chosen in (text_field(node, "id"), text_field(node, "link"))
    return max(_least(node), _least(above) if usual else 0)


def _least(node: PlainTree) -> int:
    """Return of how many selections an entry or a group needs at least."""
    needed = (
        text_field(each, "value")
        for each in _children(node, "constraints")
        if (each.get("type"), each.get("field"), each.get("scope")) == ("min", "selections", "parent")
    )
    return max(
        (int(each.partition(".")[0]) for each in needed if re.fullmatch(r"\d{1,3}(\.0)?", each)), default=0
    )


def _rule_name(link: PlainTree) -> str:
    """Return the name of a linked rule with the value that the link appends: ``Feel No Pain 5+``."""
    name = text_field(link, "name")
    for modifier in _children(link, "modifiers"):
        plain = modifier.get("type") == "append" and modifier.get("field") == "name"
        if plain and not modifier.get("conditions") and not modifier.get("conditionGroups"):
            name = f"{name} {text_field(modifier, 'value')}".strip()
    return name


def _place(node: PlainTree) -> str:
    """Return what tells an entry from others."""
    return text_field(node, "id") or str(id(node))


def _visible(node: PlainTree, key: str) -> list[PlainTree]:
    return [child for child in _children(node, key) if child.get("hidden") not in (True, "true")]


def _children(node: PlainTree, key: str) -> list[PlainTree]:
    value = node.get(key)
    return [child for child in value if isinstance(child, dict)] if isinstance(value, list) else []


def _profile(node: PlainTree) -> Profile:
    return build_profile(node, _children(node, "characteristics"))


def _root(data: bytes, name: str) -> PlainTree | None:
    """Return a catalogue; ``None`` for another program's JSON, which may lie beside it."""
    if not start_of(data).startswith((b"{", b"[")):
        return parse_catalogue(data, name)
    document = load_json(data, name)
    for key in ("catalogue", "gameSystem"):
        if isinstance(document, dict) and isinstance(document.get(key), dict):
            root: PlainTree = document[key]
            return root
    return None
