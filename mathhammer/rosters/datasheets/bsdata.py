"""Datasheets out of a folder of BSData catalogues, used as a list of names and profiles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.battlescribe import parse_catalogue
from mathhammer.rosters.build import build_profile, text_field
from mathhammer.rosters.container import read_bytes, start_of
from mathhammer.rosters.datasheets.collect import collect
from mathhammer.rosters.datasheets.source import KnownUnits
from mathhammer.rosters.limits import MAX_DEPTH, MAX_UNIT_PARTS, shorten
from mathhammer.rosters.newrecruit import load_json
from mathhammer.rosters.tree import Selection
from mathhammer.rosters.wh40k.identifiers import GAME_SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.rosters.battlescribe import PlainTree
    from mathhammer.rosters.datasheets.source import Datasheet
    from mathhammer.rosters.tree import Profile

_UNITS = {"unit", "model"}
_FOLDER_LIMIT = 256 * 2**20


class BSDataSource(KnownUnits["list[PlainTree]"]):
    """The datasheets of a folder of catalogues and their game system, XML or JSON."""

    def __init__(self, folder: str | os.PathLike[str], names: Sequence[str]) -> None:
        units: dict[str, list[PlainTree]] = {}
        super().__init__("10e", units)
        self._nodes: dict[str, PlainTree] = {}
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
                self._add(root, units)
        if not units:
            raise RosterError("expected catalogues with units in the folder of datasheets, but there is none")

    def _sheet(self, name: str, unit: list[PlainTree]) -> Datasheet:  # noqa: ARG002
        """Return the datasheet of a unit, with all options that it may have."""
        return collect([self._selection(unit[0], frozenset(), [10 * MAX_UNIT_PARTS])])

    def _add(self, root: PlainTree, units: dict[str, list[PlainTree]]) -> None:
        """Index one catalogue by identifier, and its units by name."""
        system = root.get("gameSystemId") or root.get("id")
        self.edition = GAME_SYSTEMS.get(str(system), self.edition)
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node.get("id"), str):
                self._nodes.setdefault(str(node["id"]), node)
            for value in node.values():
                if isinstance(value, list):
                    stack += [child for child in value if isinstance(child, dict)]
        for key in ("sharedSelectionEntries", "selectionEntries"):
            for node in _children(root, key):
                if text_field(node, "type") in _UNITS and (name := text_field(node, "name")):
                    units.setdefault(name, []).append(node)

    def _selection(self, node: PlainTree, above: frozenset[int], budget: list[int]) -> Selection:
        """Return an entry as if all its options were chosen; links that lead back to themselves end."""
        budget[0] -= 1
        if budget[0] < 0 or len(above) > MAX_DEPTH:
            raise RosterError(
                f"expected a datasheet of at most {10 * MAX_UNIT_PARTS:,} entries, but "
                f"{shorten(node.get('name'))} has more"
            )
        above = above | {id(node)}
        profiles = [_profile(profile) for profile in _children(node, "profiles")]
        rules = [text_field(rule, "name") for rule in _children(node, "rules")]
        for link in _children(node, "infoLinks"):
            self._info(link, profiles, rules)
        children = [
            self._selection(child, above, budget) for child in self._below(node) if id(child) not in above
        ]
        return Selection(
            text_field(node, "name"),
            text_field(node, "type") or "upgrade",
            1,
            categories=tuple(text_field(link, "name") for link in _children(node, "categoryLinks")),
            profiles=tuple(profiles),
            rules=tuple(rules),
            selections=tuple(children),
        )

    def _below(self, node: PlainTree) -> Iterator[PlainTree]:
        for key in ("selectionEntries", "selectionEntryGroups"):
            yield from _children(node, key)
        for link in _children(node, "entryLinks"):
            target = self._nodes.get(text_field(link, "targetId"))
            if target is not None:
                yield target

    def _info(self, link: PlainTree, profiles: list[Profile], rules: list[str]) -> None:
        """Follow a link to a profile, a rule or a group of both."""
        target = self._nodes.get(text_field(link, "targetId"), {})
        if link.get("type") == "profile":
            profiles.append(_profile({**target, "name": target.get("name") or link.get("name", "")}))
        elif link.get("type") == "rule":
            rules.append(_rule_name(link))
        elif link.get("type") == "infoGroup":
            profiles += [_profile(profile) for profile in _children(target, "profiles")]
            rules += [text_field(rule, "name") for rule in _children(target, "rules")]


def _rule_name(link: PlainTree) -> str:
    """Return the name of a linked rule with the value that the link appends: ``Feel No Pain 5+``."""
    name = text_field(link, "name")
    for modifier in _children(link, "modifiers"):
        plain = modifier.get("type") == "append" and modifier.get("field") == "name"
        if plain and not modifier.get("conditions") and not modifier.get("conditionGroups"):
            name = f"{name} {text_field(modifier, 'value')}".strip()
    return name


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
