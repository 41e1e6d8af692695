"""Datasheets for lists that hold names only: from a source that the user names, for none ships with the package."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from mathhammer.rosters.tree import CRUSADE, NINTH, SIGMAR, Profile, name_key, singular, stat_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.rosters.tree import RosterFile, RosterSelection, Rules

#: Under this name stand a faction's detachments as wargear is, and the rules of its army.
DETACHMENT = "Detachment"
_T = TypeVar("_T")
# Letters of a name that are compared, how many names, and of how many in full: those with most of three letters alike.
_LENGTH, _MOST_NAMES, _COMPARED = 60, 20_000, 40
_RULE = "Rule"  # the kind of profile that a rule of wargear is
_CARRYING = re.compile(r"\s+(?:w/|with\b|\()")
# Further names that are missing are reported without the nearest ones: a list is wrong in another way then.
_MOST_HINTS = 50
#: What the warning about datasheets of another edition than the list's says.
OTHER_DATASHEETS = "the datasheets are of the"


class Publisher(NamedTuple):
    """A publisher of datasheets in words, with the credit that users owe, their edition, and where the archive is."""

    title: str
    edition: str
    address: str


#: The publishers by name; the bare name of one is its newest edition.
PUBLISHERS = {
    name: Publisher(
        f"{place}, the community's catalogues",
        edition,
        f"https://codeload.github.com/{place}/zip/refs/heads/{'master' if edition == NINTH else 'main'}",
    )
    for name, edition, place in (
        ("bsdata", "11e", "BSData/wh40k-11e"),
        ("bsdata-10e", "10e", "BSData/wh40k-10e"),
        ("bsdata-aos", SIGMAR, "BSData/age-of-sigmar-4th"),
        ("trench-crusade", CRUSADE, "Fawkstrot11/TrenchCrusade"),
        ("t9a", NINTH, "BSData/The-9th-Age"),
    )
}


@dataclass(frozen=True, slots=True)
class Datasheet:
    """A datasheet as its source has it, all options and none chosen; factions among the keywords have it in front."""

    name: str
    #: Stat lines and abilities of the unit as a whole; its rules; its keywords.
    profiles: tuple[Profile, ...] = ()
    rules: Rules = ()
    categories: tuple[str, ...] = ()
    #: Kinds of models with what each has of its own; weapons, a mode each profile, and other wargear.
    models: tuple[tuple[str, tuple[Profile, ...]], ...] = ()
    wargear: tuple[tuple[str, tuple[Profile, ...]], ...] = ()
    #: The catalogue where it stands, and where else another of that name does, if nothing says which is meant.
    catalogue: str = ""
    others: tuple[str, ...] = ()
    #: Models and weapons that a model or a piece of wargear has unless others are chosen, each as often as it does;
    #: the unit's stand under an empty name.
    defaults: tuple[tuple[str, tuple[str, ...]], ...] = ()
    #: Names of what among its wargear is an enhancement.
    enhancements: tuple[str, ...] = ()


@dataclass(eq=False)
class DatasheetSource:
    """Datasheets that are made when they are looked up, from what is known of each unit by name and catalogue.

    `reach` has the catalogues in which a catalogue's names are looked up, nearest first; by itself each reaches
    itself.
    """

    edition: str
    units: Mapping[str, Mapping[str, Any]]
    made: Callable[[Any], Datasheet]
    reach: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reach = self.reach or {each: (each,) for held in self.units.values() for each in held}

    def names(self) -> Iterable[str]:
        """Names of the units."""
        return self.units

    def datasheet(self, name: str, faction: str = "") -> Datasheet | None:
        """Return the datasheet of a name nearest to a faction; where none is, the first, with those that differ."""
        held = self.units.get(name, {})
        # Lists write a chapter, or what it is part of, beside the faction.
        known = {name_key(each.rpartition(" - ")[2]): each for each in reversed(list(self.reach))}
        parts = map(name_key, reversed(re.split(r",| - ", faction)))
        meant = next((known[part] for part in parts if part in known), "")
        reached = self.reach.get(faction if faction in self.reach else meant, ())
        near = next((each for each in reached if each in held), None)
        if near is not None:
            return replace(self.made(held[near]), catalogue=near)
        distinct: dict[Datasheet, str] = {}  # several catalogues may share one
        for catalogue, unit in held.items():
            distinct.setdefault(self.made(unit), catalogue)
        first = next(iter(distinct), None)
        return first and replace(first, catalogue=distinct.pop(first), others=tuple(distinct.values()))


class NameIndex(Generic[_T]):
    """Index of items by name, which finds names spelled alike, in the other number, or nearly so."""

    def __init__(self, items: Iterable[tuple[str, _T]]) -> None:
        self._items: dict[str, tuple[str, _T]] = {}
        for name, item in items:
            self._items.setdefault(name_key(name), (name, item))
        singles = {key: singular(key) for key in self._items}
        several = Counter(singles.values())
        self._singular = {single: key for key, single in singles.items() if several[single] == 1}

    def find(self, name: str) -> _T | None:
        """Return what is known under a name, spelled alike or else in the other number."""
        key = name_key(name)
        known = key if key in self._items else self._singular.get(singular(key))
        return None if known is None else self._items[known][1]

    def nearest(self, name: str) -> list[str]:
        """Return up to three names that are spelled most like one."""
        from difflib import get_close_matches
        from heapq import nlargest

        wanted = name_key(name)[:_LENGTH]
        own, names = _letters(wanted), islice(self._items, _MOST_NAMES)
        near = nlargest(_COMPARED, names, key=lambda key: len(own & _letters(key)))
        alike = {key[:_LENGTH]: self._items[key][0] for key in near}
        return [alike[key] for key in get_close_matches(wanted, alike, n=3)]


@lru_cache(maxsize=2 * _MOST_NAMES)
def _letters(key: str) -> frozenset[str]:
    text = f" {key[:_LENGTH]} "
    return frozenset(text[place : place + 3] for place in range(len(text) - 2))


def rule_profile(name: str, text: str) -> Profile:
    """Return a rule of wargear as one of its profiles."""
    return Profile(name, _RULE, "", (("Description", text),))


def owned(profiles: Iterable[Profile] | None) -> dict[str, Any]:
    """Return profiles, and the rules among them as rules."""
    known = tuple(profiles or ())
    rules = tuple((each.name, each.characteristics[0][1]) for each in known if each.type_name == _RULE)
    return {"profiles": tuple(each for each in known if each.type_name != _RULE), "rules": rules}


def complete(roster: RosterFile, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Return a list whose units without profiles have those of their datasheets, and what was not found."""
    warnings: list[str] = []
    forces = []
    for force in roster.forces:
        lookup = Lookup(source, force.catalogue, warnings)
        selections = tuple(_unit(each, lookup) for each in force.selections)
        rules = force.rules
        if not rules and selections != force.selections:
            rules = lookup.sheet(DETACHMENT).datasheet.rules
        forces.append(force._replace(rules=rules, selections=selections))
    if tuple(forces) != roster.forces:
        warnings = [*edition_warning(roster.edition, source), *warnings]
    return roster._replace(forces=tuple(forces)), tuple(dict.fromkeys(warnings))


def _unit(unit: RosterSelection, lookup: Lookup) -> RosterSelection:
    if any(node.profiles for node in unit.walk()):
        return unit
    if unit.is_unit:
        sheet = lookup.sheet(unit.name)
        return replace(
            unit,
            profiles=sheet.datasheet.profiles,
            rules=tuple((dict(unit.rules) | dict(sheet.datasheet.rules)).items()),
            categories=unit.categories or sheet.datasheet.categories,
            selections=tuple(_part(each, unit.name, sheet, lookup) for each in unit.selections),
        )
    bare = unit.name.startswith(DETACHMENT) and not any(node.rules for node in unit.walk())
    if not bare or not lookup.sheet(DETACHMENT).found:
        return unit
    given = (replace(each, **lookup.detachment(each.name)) for each in unit.selections)
    return replace(unit, selections=tuple(given))


def _part(node: RosterSelection, unit: str, sheet: Sheet, lookup: Lookup) -> RosterSelection:
    """Return models and wargear with their profiles; a selection that holds others may be a name for them."""
    is_model = node.type == "model"
    profiles = sheet.model(node.name) if is_model else sheet.wargear.find(node.name)
    if profiles is None and not is_model and sheet.found and not (node.selections or node.group):
        lookup.missing(f"{unit}: the datasheet has no {node.name!r}", node.name, sheet.wargear)
    below = tuple(_part(each, unit, sheet, lookup) for each in node.selections)
    given = owned(profiles)
    return replace(node, selections=below, **given | {"rules": given["rules"] or node.rules})


class Sheet:
    """A datasheet with its parts by name; an empty one if the source has none of that name."""

    def __init__(self, name: str, datasheet: Datasheet | None) -> None:
        self.found = datasheet is not None
        self.datasheet = sheet = datasheet or Datasheet(name)
        self.models, self.wargear = NameIndex(sheet.models), NameIndex(sheet.wargear)
        self.defaults = NameIndex(sheet.defaults)
        # Profiles of the models by the names of their stat lines; none where the unit itself has the stat line.
        lines: list[tuple[str, tuple[Profile, ...]]] = [
            (each.name, ()) for each in stat_lines(sheet.profiles)
        ]
        lines += [(line.name, each) for _, each in sheet.models for line in stat_lines(each)]
        self._stat_lines = NameIndex(lines)

    def model(self, name: str) -> tuple[Profile, ...] | None:
        """Return the profiles of models as a list names them; ``None`` if the datasheet has no such models."""
        for index in (self.models, self._stat_lines):
            if (found := index.find(name)) is not None:
                return found
        alike = [
            profiles
            for known, profiles in self.datasheet.models
            if singular(name) and f" {singular(_CARRYING.split(known)[0])}".endswith(f" {singular(name)}")
        ]
        return alike[0] if len(set(map(stat_lines, alike))) == 1 else None


class Lookup:
    """A source of datasheets in use for a faction's list, with a sentence for each name that was not found."""

    def __init__(self, source: DatasheetSource, faction: str, warnings: list[str]) -> None:
        self.source, self.faction, self.warnings = source, faction, warnings
        names = list(source.names())
        current = [name.partition(" [")[0] for name in names]  # "[Legends]" is not of the name
        self._names = NameIndex(zip([*names, *current], names * 2, strict=True))
        self._sheets: dict[str, Sheet] = {}
        self._hints = _MOST_HINTS

    def sheet(self, name: str) -> Sheet:
        """Return the datasheet of a unit as a list names it."""
        if name not in self._sheets:
            known = self._names.find(name)
            sheet = None if known is None else self.source.datasheet(known, self.faction)
            if name == DETACHMENT and sheet is not None and sheet.others:
                sheet = None  # of a faction that is not known, there is none
            elif sheet is None and name != DETACHMENT:
                self.missing(f"{name}: the datasheets have no such unit", name, self._names)
            if sheet is not None and sheet.others:
                whose = ", ".join((sheet.catalogue, *sheet.others))
                self.warnings.append(
                    f"{name}: the datasheets of {whose} differ, and the list's faction does not say which is meant: "
                    f"read with that of {sheet.catalogue}"
                )
            self._sheets[name] = Sheet(name, sheet)
        return self._sheets[name]

    def detachment(self, name: str) -> dict[str, Any]:
        """Return what a detachment gives; its rule by name alone where the datasheets do not have it."""
        sheet = self.sheet(DETACHMENT)
        profiles = sheet.wargear.find(name)
        if profiles is None and sheet.found:
            self.missing(f"the datasheets have no detachment {name!r}", name, sheet.wargear)
        return owned(profiles or [rule_profile(name, "")])

    def missing(self, sentence: str, name: str, known: NameIndex[Any]) -> None:
        """Report a name that is not known, with the nearest that are, for the first of them."""
        if self._hints:
            self._hints -= 1
            near = known.nearest(name)
            sentence += f"; nearest are {', '.join(near)}" if near else ", and none with a name like it"
        self.warnings.append(sentence)


def edition_warning(written_for: str, source: DatasheetSource) -> tuple[str, ...]:
    """Return what to say of a list of one edition with datasheets of another."""
    own = next((name for name, each in PUBLISHERS.items() if each.edition == written_for), "")
    other = f"{OTHER_DATASHEETS} {source.edition[:-1]}th; 'mathhammer data get {own}' fetches its own"
    return (f"the list is of the {written_for[:-1]}th edition, {other}",) * (written_for != source.edition)
