"""Datasheets out of BSData catalogues, used as lists of names and profiles, and out of the units of army lists."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from mathhammer.errors import RosterError
from mathhammer.rosters import reading
from mathhammer.rosters.datasheets import DETACHMENT, Datasheet, DatasheetSource, rule_profile
from mathhammer.rosters.tree import (
    CRUSADE,
    GAME_SYSTEMS,
    MAX_DEPTH,
    MAX_UNIT_PARTS,
    NINTH,
    SIGMAR,
    RosterSelection,
    name_key,
    require_room,
    shorten,
)
from mathhammer.rosters.wh40k.units import base_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.rosters.reading import PlainTree
    from mathhammer.rosters.tree import Profile, RosterFile

#: What catalogues of BSData are called.
SUFFIXES = (".cat", ".gst", ".json")
MAX_ARCHIVE = 128 * 2**20
_ROOTS = ("catalogue", "gameSystem")
_ENTRIES = ("selectionEntries", "selectionEntryGroups")
_ADDED = ("profiles", "rules", "infoLinks", "categoryLinks", "entryLinks", *_ENTRIES)
_FOLDER_LIMIT = 256 * 2**20
_FEW = re.compile(r"(\d{1,3})(?:\.0)?")
_LEAST = {"type": "min", "field": "selections", "scope": "parent"}


class BSDataSource(DatasheetSource):
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
        if edition == NINTH:  # catalogues of another edition may lie beside its own
            roots = [
                each for each, game in zip(roots, systems, strict=True) if GAME_SYSTEMS.get(game) == NINTH
            ]
        units: dict[str, dict[str, PlainTree]] = {}
        for root in roots:
            # First those that an army of the catalogue may choose.
            for node in (*self._below(root), *_children(root, "sharedSelectionEntries")):
                name = reading.text_field(node, "name")
                if name and (name == DETACHMENT or reading.text_field(node, "type") in {"unit", "model"}):
                    # One, of links that add nothing to it; those of Age of Sigmar add paths to glory only.
                    target = self._nodes.get(reading.text_field(node, "id"), node)
                    plain = all(node.get(key) is target.get(key) for key in _ADDED) or edition == SIGMAR
                    units.setdefault(name, {}).setdefault(
                        reading.text_field(root, "name"), target if plain else node
                    )
        if edition == CRUSADE:  # of its weapons some belong to no unit
            weapons = [n | {"hidden": False} for n in self._nodes.values() if n.get("typeName") == "Weapon"]
            units["Weapons"] = {"": {"name": "Weapons", "profiles": weapons}}
        if not units:
            raise RosterError("no catalogue in the folder of datasheets has units; name another folder")
        sheet = lambda unit: collect([self._selection(unit, frozenset(), [0])], usual=True)  # noqa: E731
        super().__init__(edition, units, sheet, _reach(roots))

    def _index(self, root: PlainTree) -> None:
        """Index one catalogue by identifier; its own rules are the army's, as those of the detachments are."""
        for node in (*_children(root, "entryLinks"), *_children(root, "sharedSelectionEntries")):
            if reading.text_field(node, "name").startswith(DETACHMENT):
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
    ) -> RosterSelection:
        """Return an entry with all its options, 0 of those that are not its default; links that lead back end."""
        budget[0] += 1
        require_room(budget[0], 10 * MAX_UNIT_PARTS, "entries of a datasheet", shorten(node.get("name")))
        require_room(len(above), MAX_DEPTH, "levels of nesting", shorten(node.get("name")))
        above = above | ({reading.text_field(node, "id")} - {""})
        profiles, rules = self._info(node, MAX_DEPTH)
        below = (child for child in self._below(node) if reading.text_field(child, "id") not in above)
        return RosterSelection(
            reading.text_field(node, "name"),
            reading.text_field(node, "type") or "group",
            number,
            categories=tuple(reading.text_field(link, "name") for link in _children(node, "categoryLinks")),
            profiles=tuple(profiles),
            rules=tuple(rules.items()),
            selections=tuple(self._selection(each, above, budget, _usual(each, node)) for each in below),
        )

    def _below(self, node: PlainTree) -> Iterator[PlainTree]:
        for key in _ENTRIES:
            yield from _children(node, key)
        for link in _children(node, "entryLinks"):
            if target := self._nodes.get(reading.text_field(link, "targetId")):
                more = [key for key in (*_ADDED, "constraints") if link.get(key)]  # than what it leads to
                added = {key: _children(target, key) + _children(link, key) for key in more}
                yield {**target, **added, "link": reading.text_field(link, "id")}

    def _info(self, node: PlainTree, depth: int) -> tuple[list[Profile], dict[str, str]]:
        """Return the profiles and the rules with their texts that an entry or a group has or links to."""
        plain = _children(node, "profiles")
        rules = dict(reading.rules_of(_children(node, "rules")))
        groups = _children(node, "infoGroups")
        for link in _children(node, "infoLinks"):
            target = self._nodes.get(reading.text_field(link, "targetId"), {})
            if reading.is_set(link, "hidden"):
                continue
            if link.get("type") == "profile":
                plain.append({**target, "name": target.get("name") or link.get("name", "")})
            elif link.get("type") == "rule":
                # The link appends the value to the name: "Feel No Pain 5+".
                appended = (
                    reading.text_field(each, "value")
                    for each in _children(link, "modifiers")
                    if (each.get("type"), each.get("field")) == ("append", "name")
                    and not (each.get("conditions") or each.get("conditionGroups"))
                )
                rules[" ".join((reading.text_field(link, "name"), *appended)).strip()] = reading.text_lines(
                    target, "description"
                )
            elif link.get("type") == "infoGroup":
                groups.append(target)
        profiles = [reading.build_profile(each, _children(each, "characteristics")) for each in plain]
        for group in groups if depth else ():
            further, named = self._info(group, depth - 1)
            profiles += further
            rules |= named
        return profiles, rules


def _reach(roots: Iterable[PlainTree]) -> dict[str, tuple[str, ...]]:
    """Return for each catalogue itself, those that it links to, step by step, and the libraries."""
    known = {reading.text_field(root, "id"): root for root in roots}
    names = {place: reading.text_field(root, "name") for place, root in known.items()}
    libraries = [place for place, root in known.items() if reading.is_set(root, "library")]
    reach = {}
    for start in known:
        places = [start]
        for place in places:  # it grows
            links = (
                reading.text_field(link, "targetId") for link in _children(known[place], "catalogueLinks")
            )
            places += [each for each in dict.fromkeys(links) if each in known and each not in places]
        reach[names[start]] = tuple(dict.fromkeys(names[each] for each in (*places, *libraries)))
    return reach


def _usual(node: PlainTree, above: PlainTree) -> int:
    """Return how many of an entry there are unless others are chosen; a group stands for what is in it."""

    def least(node: PlainTree) -> int:
        limits = (each for each in _children(node, "constraints") if _LEAST.items() <= each.items())
        said = (_FEW.fullmatch(reading.text_field(each, "value")) for each in limits)
        return max((int(found[1]) for found in said if found), default=0)

    chosen = reading.text_field(above, "defaultSelectionEntryId")
    usual = chosen and chosen in (reading.text_field(node, "id"), reading.text_field(node, "link"))
    return max(least(node), least(above) if usual else 0) if "type" in node else 1


def _children(node: PlainTree, key: str) -> list[PlainTree]:
    value = node.get(key)
    return [child for child in value if isinstance(child, dict)] if isinstance(value, list) else []


def _root(data: bytes, name: str) -> PlainTree | None:
    """Return a catalogue; ``None`` for another program's JSON, which may lie beside it."""
    if not reading.start_of(data).startswith((b"{", b"[")):
        return reading.parse_xml(data, name, *_ROOTS)
    document = reading.load_json(data, name)
    held = map(document.get, _ROOTS) if isinstance(document, dict) else ()
    return next((root for root in held if isinstance(root, dict)), None)


def archived(data: bytes, name: str) -> list[tuple[str, bytes]]:
    """Return the files of datasheets in a ZIP archive by their names without folders."""
    if found := reading.unzip(data, name, SUFFIXES, 20_000, 2 * MAX_ARCHIVE):
        return found
    raise RosterError(f"{name} holds no datasheets ({', '.join(SUFFIXES)}); name another archive")


def in_folder(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the catalogues in a folder, or else in the one folder inside that holds any."""

    def catalogues(place: str) -> list[tuple[str, str]]:
        files = ((each.name, each.path) for each in os.scandir(place))
        return sorted(each for each in files if each[0].casefold().endswith(SUFFIXES))

    try:
        inside = [each.path for each in os.scandir(folder) if each.is_dir() and each.name[0] != "."]
        held = [files for each in inside if (files := catalogues(each))]
        found = catalogues(folder) or (held[0] if len(held) == 1 else [])
    except OSError as error:
        raise RosterError(f"couldn't open the folder of datasheets: {error}") from error
    if not found:
        raise RosterError(
            f"{shorten(folder)} holds no BSData catalogues (.cat, .gst, .json); name the folder that does"
        )
    yield from ((name, reading.read_bytes(path)) for name, path in found)


def of_list(roster: RosterFile) -> DatasheetSource:
    """Return the units of an army list as datasheets; only what was chosen there is known."""
    units: dict[str, dict[str, list[RosterSelection]]] = {}
    for force in roster.forces:
        for selection in (each for each in force.selections if each.is_unit):
            units.setdefault(selection.name, {}).setdefault(force.catalogue, []).append(selection)
    return DatasheetSource(roster.edition, units, collect)


def collect(roots: Sequence[RosterSelection], *, usual: bool = False) -> Datasheet:
    """Return the datasheet that these selections of one unit show; `usual`: with the numbers that are its default."""
    own: dict[Profile, None] = {}
    rules: dict[str, str] = {}
    categories: dict[str, None] = {}
    models: dict[str, tuple[str, dict[Profile, None]]] = {}
    wargear: dict[str, tuple[str, dict[Profile, None]]] = {}
    defaults: dict[str, tuple[str, ...]] = {}
    enhancements: dict[str, None] = {}
    named: Callable[[Any, str], Any] = lambda place, name: place.setdefault(name_key(name), (name, {}))[1]  # noqa: E731
    for root, node in ((each, node) for each in roots for node in each.walk()):
        if (node.name if node.type == "group" else node.group).startswith("Enhancement"):
            enhancements |= {each.name: None for each in node.walk() if each.type != "group"}
        visible = [profile for profile in node.profiles if not profile.hidden]
        weapons = {each: None for each in visible if each.is_weapon}
        others = dict.fromkeys(profile for profile in visible if profile not in weapons)
        if node is root or node.type == "model":
            categories |= dict.fromkeys(node.categories)
            rules |= dict(node.rules)
        elif not weapons:  # those of a weapon repeat its keywords
            others |= {rule_profile(*rule): None for rule in node.rules}
        if node is root or (node.type != "model" and any(each.is_stat_line for each in others)):
            own |= others
        elif node.type == "model" or others:
            named(models if node.type == "model" else wargear, node.name).update(others)
        # A list may name the weapons inside a selection by what their profiles are called.
        names = [(node.name, weapons)] if node.type not in {"unit", "model"} else []
        parts = dict.fromkeys(base_name(each.name) for each in weapons)
        names += [(part, {each: None for each in weapons if base_name(each.name) == part}) for part in parts]
        for name, modes in names:
            # The first place that has weapons counts, for another model may have another version of them.
            if modes and not any(each.is_weapon for each in named(wargear, name)):
                named(wargear, name).update(modes)
        if usual and node.type != "group" and (below := tuple(_default(node))):
            defaults.setdefault("" if node is root else node.name, below)
    return Datasheet(
        next((root.name for root in roots if root.name), ""),
        tuple(own),
        tuple(rules.items()),
        tuple(categories),
        tuple((name, tuple(profiles)) for name, profiles in models.values()),
        tuple((name, tuple(profiles)) for name, profiles in wargear.values()),
        defaults=tuple(defaults.items()),
        enhancements=tuple(enhancements),
    )


def _default(node: RosterSelection) -> Iterator[str]:
    """Yield the models and the weapons below an entry that it has by default, each as often as it has it."""
    for child in node.selections:
        found = [child.name] if child.type == "model" or child.weapons else []
        if child.type != "model":
            found += _default(child)
        yield from found * child.number
