"""Datasheets out of BSData catalogues, used as lists of names and profiles, and out of the units of army lists."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets import DETACHMENT, Datasheet, KnownUnits, rule_profile
from mathhammer.rosters.names import MAX_DEPTH, MAX_UNIT_PARTS, name_key, require_room, shorten
from mathhammer.rosters.reading import (
    build_profile,
    is_set,
    load_json,
    parse_roster,
    parse_xml,
    read_bytes,
    read_content,
    rules_of,
    start_of,
    text_field,
    text_lines,
    unzip,
)
from mathhammer.rosters.tree import (
    GAME_SYSTEMS,
    SIGMAR,
    Selection,
    file_edition,
    is_stat_line,
    is_unit,
    is_weapon,
)
from mathhammer.rosters.wh40k.units import base_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mathhammer.rosters.reading import PlainTree
    from mathhammer.rosters.tree import Profile, RosterFile

#: What catalogues of BSData are called.
SUFFIXES = (".cat", ".gst", ".json")
MAX_ARCHIVE = 128 * 2**20
_ROOTS = ("catalogue", "gameSystem")
_ENTRIES = ("selectionEntries", "selectionEntryGroups")
_ADDED = ("profiles", "rules", "infoLinks", "categoryLinks", "entryLinks", *_ENTRIES)
_FOLDER_LIMIT = 256 * 2**20


class BSDataSource(KnownUnits["PlainTree"]):
    """The datasheets of catalogues and their game system, XML or JSON: files by name."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._nodes: dict[str, PlainTree] = {}
        roots: list[PlainTree] = []
        size = 0
        for name, data in files:
            size += len(data)
            require_room(size, _FOLDER_LIMIT, "MiB of catalogues", "the source of datasheets")
            if (root := _root(data, shorten(name))) is not None:
                roots.append({"id": name, "name": name} | root)
                self._index(roots[-1])
        systems = [str(root.get("gameSystemId") or root.get("id")) for root in roots]
        edition = next((GAME_SYSTEMS[each] for each in systems if each in GAME_SYSTEMS), "10e")
        units: dict[str, dict[str, PlainTree]] = {}
        for root in roots:
            # First those that an army of the catalogue may choose.
            for node in (*self._below(root), *_children(root, "sharedSelectionEntries")):
                name = text_field(node, "name")
                if name and (name == DETACHMENT or text_field(node, "type") in {"unit", "model"}):
                    # One, of links that add nothing to it; those of Age of Sigmar add paths to glory only.
                    target = self._nodes.get(text_field(node, "id"), node)
                    plain = all(node.get(key) is target.get(key) for key in _ADDED) or edition == SIGMAR
                    units.setdefault(name, {}).setdefault(text_field(root, "name"), target if plain else node)
        if not units:
            raise RosterError("no catalogue in the folder of datasheets has units; name another folder")
        sheet = lambda unit: collect([self._selection(unit, frozenset(), [0])], usual=True)  # noqa: E731
        super().__init__(edition, units, sheet, _reach(roots))

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
                self._nodes.setdefault(node["id"], node)
            stack += [child for key in node for child in _children(node, key)]

    def _selection(
        self, node: PlainTree, above: frozenset[str], budget: list[int], number: int = 1
    ) -> Selection:
        """Return an entry with all its options, 0 of those that are not its default; links that lead back end."""
        budget[0] += 1
        require_room(budget[0], 10 * MAX_UNIT_PARTS, "entries of a datasheet", shorten(node.get("name")))
        require_room(len(above), MAX_DEPTH, "levels of nesting", shorten(node.get("name")))
        above = above | {_place(node)}
        profiles, rules = self._info(node, MAX_DEPTH)
        below = (child for child in self._below(node) if _place(child) not in above)
        return Selection(
            text_field(node, "name"),
            text_field(node, "type") or "group",
            number,
            categories=tuple(text_field(link, "name") for link in _children(node, "categoryLinks")),
            profiles=tuple(profiles),
            rules=tuple(rules.items()),
            selections=tuple(self._selection(each, above, budget, _usual(each, node)) for each in below),
        )

    def _below(self, node: PlainTree) -> Iterator[PlainTree]:
        for key in _ENTRIES:
            yield from _children(node, key)
        for link in _children(node, "entryLinks"):
            if target := self._nodes.get(text_field(link, "targetId")):
                more = [key for key in (*_ADDED, "constraints") if link.get(key)]  # than what it leads to
                added = {key: _children(target, key) + _children(link, key) for key in more}
                yield {**target, **added, "link": text_field(link, "id")}

    def _info(self, node: PlainTree, depth: int) -> tuple[list[Profile], dict[str, str]]:
        """Return the profiles and the rules with their texts that an entry or a group has or links to."""
        plain = _children(node, "profiles")
        rules = dict(rules_of(_children(node, "rules")))
        groups = _children(node, "infoGroups")
        for link in _children(node, "infoLinks"):
            target = self._nodes.get(text_field(link, "targetId"), {})
            if is_set(link, "hidden"):
                continue
            if link.get("type") == "profile":
                plain.append({**target, "name": target.get("name") or link.get("name", "")})
            elif link.get("type") == "rule":
                rules[_rule_name(link)] = text_lines(target, "description")
            elif link.get("type") == "infoGroup":
                groups.append(target)
        profiles = [build_profile(each, _children(each, "characteristics")) for each in plain]
        for group in groups if depth else ():
            further, named = self._info(group, depth - 1)
            profiles += further
            rules |= named
        return profiles, rules


def _reach(roots: Iterable[PlainTree]) -> dict[str, tuple[str, ...]]:
    """Return for each catalogue itself, those that it links to, step by step, and the libraries."""
    known = {text_field(root, "id"): root for root in roots}
    names = {place: text_field(root, "name") for place, root in known.items()}
    libraries = [place for place, root in known.items() if is_set(root, "library")]
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

    def least(node: PlainTree) -> int:
        needed = [
            int(found[1])
            for each in _children(node, "constraints")
            if (each.get("type"), each.get("field"), each.get("scope")) == ("min", "selections", "parent")
            and (found := re.fullmatch(r"(\d{1,3})(?:\.0)?", text_field(each, "value")))
        ]
        return max(needed, default=0)

    chosen = text_field(above, "defaultSelectionEntryId")
    usual = chosen and chosen in (text_field(node, "id"), text_field(node, "link"))
    return max(least(node), least(above) if usual else 0) if "type" in node else 1


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


def _children(node: PlainTree, key: str) -> list[PlainTree]:
    value = node.get(key)
    return [child for child in value if isinstance(child, dict)] if isinstance(value, list) else []


def _root(data: bytes, name: str) -> PlainTree | None:
    """Return a catalogue; ``None`` for another program's JSON, which may lie beside it."""
    if not start_of(data).startswith((b"{", b"[")):
        return parse_xml(data, name, *_ROOTS)
    document = load_json(data, name)
    held = map(document.get, _ROOTS) if isinstance(document, dict) else ()
    return next((root for root in held if isinstance(root, dict)), None)


def opened(place: str) -> KnownUnits[Any]:
    """Open a folder or an archive of catalogues, or a list."""
    import zipfile

    if os.path.isdir(place):  # noqa: PTH112 - pathlib costs 10 ms that the command line does not have
        return BSDataSource(_files(place))
    if zipfile.is_zipfile(place) and not place.casefold().endswith(".rosz"):
        return BSDataSource(archived(read_bytes(place, MAX_ARCHIVE), shorten(place)))
    return of_list(parse_roster(*read_content(place)))


def archived(data: bytes, name: str) -> list[tuple[str, bytes]]:
    """Return the files of datasheets in a ZIP archive by their names without folders."""
    if found := unzip(data, name, SUFFIXES, 20_000, 2 * MAX_ARCHIVE):
        return found
    raise RosterError(f"{name} holds no datasheets ({', '.join(SUFFIXES)}); name another archive")


def _files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the catalogues in a folder, or else in the one folder inside that holds any."""

    def catalogues(place: str) -> list[tuple[str, str]]:
        files = ((each.name, each.path) for each in os.scandir(place))
        return sorted(each for each in files if each[0].casefold().endswith(SUFFIXES))

    try:
        found = catalogues(folder)
        if not found:
            inside = [each for each in os.scandir(folder) if each.is_dir() and not each.name.startswith(".")]
            held = [files for each in inside if (files := catalogues(each.path))]
            found = held[0] if len(held) == 1 else []
    except OSError as error:
        raise RosterError(f"couldn't open the folder of datasheets: {error}") from error
    if not found:
        raise RosterError(
            f"{shorten(folder)} holds no BSData catalogues (.cat, .gst, .json); name the folder that does"
        )
    yield from ((name, read_bytes(path)) for name, path in found)


_Named = dict[str, tuple[str, dict["Profile", None]]]


def of_list(roster: RosterFile) -> KnownUnits[list[Selection]]:
    """Return the units of an army list as datasheets; only what was chosen there is known."""
    units: dict[str, dict[str, list[Selection]]] = {}
    for force in roster.forces:
        for selection in filter(is_unit, force.selections):
            units.setdefault(selection.name, {}).setdefault(force.catalogue, []).append(selection)
    return KnownUnits(file_edition(roster), units, collect)


def collect(roots: Sequence[Selection], *, usual: bool = False) -> Datasheet:
    """Return the datasheet that these selections of one unit show; `usual`: with the numbers that are its default."""
    own: dict[Profile, None] = {}
    rules: dict[str, str] = {}
    categories: dict[str, None] = {}
    models: _Named = {}
    wargear: _Named = {}
    defaults: dict[str, tuple[str, ...]] = {}
    enhancements: dict[str, None] = {}
    for root, node in ((each, node) for each in roots for node in each.walk()):
        if (node.name if node.type == "group" else node.group).startswith("Enhancement"):
            enhancements |= {each.name: None for each in node.walk() if each.type != "group"}
        visible = [profile for profile in node.profiles if not profile.hidden]
        weapons = dict.fromkeys(filter(is_weapon, visible))
        others = dict.fromkeys(profile for profile in visible if profile not in weapons)
        if node is root or node.type == "model":
            categories |= dict.fromkeys(node.categories)
            rules |= dict(node.rules)
        elif not weapons:  # those of a weapon repeat its keywords
            others |= {rule_profile(*rule): None for rule in node.rules}
        if node is root or (node.type != "model" and any(map(is_stat_line, others))):
            own |= others
        elif node.type == "model" or others:
            _named(models if node.type == "model" else wargear, node.name).update(others)
        # A list may name the weapons inside a selection by what their profiles are called.
        names = [(node.name, weapons)] if node.type not in {"unit", "model"} else []
        parts = dict.fromkeys(base_name(each.name) for each in weapons)
        names += [(part, {each: None for each in weapons if base_name(each.name) == part}) for part in parts]
        for name, modes in names:
            # The first place that has weapons counts, for another model may have another version of them.
            if modes and not any(map(is_weapon, listed := _named(wargear, name))):
                listed.update(modes)
        if usual and node.type != "group" and (below := tuple(_default(node))):
            defaults.setdefault("" if node is root else node.name, below)
    return Datasheet(
        next((root.name for root in roots if root.name), ""),
        tuple(own),
        tuple(rules),
        tuple(categories),
        tuple((name, tuple(profiles)) for name, profiles in models.values()),
        tuple((name, tuple(profiles)) for name, profiles in wargear.values()),
        tuple(rules.values()),
        defaults=tuple(defaults.items()),
        enhancements=tuple(enhancements),
    )


def _default(node: Selection) -> Iterator[str]:
    """Yield the models and the weapons below an entry that it has by default, each as often as it has it."""
    for child in node.selections:
        found = [child.name] if child.type == "model" or any(map(is_weapon, child.profiles)) else []
        if child.type != "model":
            found += _default(child)
        yield from found * child.number


def _named(place: _Named, name: str) -> dict[Profile, None]:
    return place.setdefault(name_key(name), (name, {}))[1]
