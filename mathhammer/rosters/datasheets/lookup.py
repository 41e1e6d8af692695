"""Datasheets looked up for a list: each once, with what is missing reported beside the nearest names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from mathhammer.rosters.datasheets.source import DETACHMENT, Datasheet, NameIndex, owned, rule_profile
from mathhammer.rosters.names import singular
from mathhammer.rosters.wh40k.identifiers import file_edition, is_stat_line, is_unit
from mathhammer.rosters.wh40k.unit_rules import texts_of_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.rosters.datasheets.source import DatasheetSource, Owned
    from mathhammer.rosters.tree import Force, Profile, RosterFile, Selection


def complete(roster: RosterFile, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Return a list whose units without profiles have those of their datasheets, and what was not found."""
    warnings: list[str] = []
    forces = tuple(_force(force, source, warnings) for force in roster.forces)
    if forces != roster.forces:
        warnings = [*edition_warning(file_edition(roster), source), *warnings]
    return replace(roster, forces=forces), tuple(dict.fromkeys(warnings))


def _force(force: Force, source: DatasheetSource, warnings: list[str]) -> Force:
    lookup = Lookup(source, force.catalogue, warnings)
    selections = tuple(_unit(each, lookup) for each in force.selections)
    army = force if force.rules or selections == force.selections else lookup.sheet(DETACHMENT).datasheet
    forces = tuple(_force(each, source, warnings) for each in force.forces)
    return replace(force, rules=army.rules, rule_texts=army.rule_texts, selections=selections, forces=forces)


def _unit(unit: Selection, lookup: Lookup) -> Selection:
    if any(node.profiles for node in unit.walk()):
        return unit
    if not is_unit(unit):
        bare = unit.name.startswith(DETACHMENT) and not any(node.rules for node in unit.walk())
        if not bare or not lookup.sheet(DETACHMENT).found:
            return unit
        given = (replace(each, **lookup.detachment(each.name)) for each in unit.selections)
        return replace(unit, selections=tuple(given))
    sheet = lookup.sheet(unit.name)
    rules = texts_of_rules(unit) | texts_of_rules(sheet.datasheet)
    return replace(
        unit,
        profiles=sheet.datasheet.profiles,
        rules=tuple(rules),
        rule_texts=tuple(rules.values()),
        categories=unit.categories or sheet.datasheet.categories,
        selections=tuple(_part(each, unit.name, sheet, lookup) for each in unit.selections),
    )


def _part(node: Selection, unit: str, sheet: Sheet, lookup: Lookup) -> Selection:
    """Return models and wargear with their profiles; a selection that holds others may be a name for them."""
    index = sheet.models if node.type == "model" else sheet.wargear
    profiles = sheet.model(node.name) if node.type == "model" else index.find(node.name)
    if profiles is None and node.type != "model" and sheet.found and not (node.selections or node.group):
        lookup.missing(f"{unit}: the datasheet has no {node.name!r}", node.name, index)
    below = tuple(_part(each, unit, sheet, lookup) for each in node.selections)
    given = owned(profiles)
    return replace(node, selections=below, **(given if given["rules"] else {"profiles": given["profiles"]}))


_T = TypeVar("_T")
_CARRYING = re.compile(r"\s+(?:w/|with\b|\()")
# Further names that are missing are reported without the nearest ones: a list is wrong in another way then.
_MOST_HINTS = 50


@dataclass(frozen=True, slots=True)
class Sheet:
    """A datasheet with its parts by name."""

    #: The datasheet; an empty one if the source has none of that name.
    datasheet: Datasheet
    #: Whether it has.
    found: bool
    #: Profiles by the names of models and of wargear.
    models: NameIndex[tuple[Profile, ...]]
    wargear: NameIndex[tuple[Profile, ...]]
    #: Profiles of the models by the names of their stat lines; none where the unit itself has the stat line.
    stat_lines: NameIndex[tuple[Profile, ...]]
    #: What there is by default, by whose it is.
    defaults: NameIndex[tuple[str, ...]]

    def model(self, name: str) -> tuple[Profile, ...] | None:
        """Return the profiles of models as a list names them; ``None`` if the datasheet has no such models."""
        found = self.models.find(name)
        if found is None:
            found = self.stat_lines.find(name)
        if found is not None:
            return found
        words = singular(name).split()
        alike = [
            profiles
            for known, profiles in self.datasheet.models
            if words and singular(_CARRYING.split(known)[0]).split()[-len(words) :] == words
        ]
        lines = {tuple(filter(is_stat_line, profiles)) for profiles in alike}
        return alike[0] if len(lines) == 1 else None


@dataclass(slots=True)
class Lookup:
    """A source of datasheets in use."""

    #: The datasheets.
    source: DatasheetSource
    #: Whose are meant where several have a name.
    faction: str
    #: What was not found, a sentence each.
    warnings: list[str] = field(default_factory=list)
    _names: NameIndex[str] = field(init=False)
    _sheets: dict[str, Sheet] = field(default_factory=dict)
    _hints: int = _MOST_HINTS

    def __post_init__(self) -> None:
        names = list(self.source.names())
        current = ((name.partition(" [")[0], name) for name in names)  # "[Legends]" is not of the name
        self._names = NameIndex([*zip(names, names, strict=True), *current])

    def sheet(self, name: str) -> Sheet:
        """Return the datasheet of a unit as a list names it."""
        if name not in self._sheets:
            known = self._names.find(name)
            datasheet = None if known is None else self.source.datasheet(known, self.faction)
            if name == DETACHMENT and datasheet is not None and datasheet.others:
                datasheet = None  # of a faction that is not known, there is none
            elif datasheet is None and name != DETACHMENT:
                self.missing(f"{name}: the datasheets have no such unit", name, self._names)
            sheet = datasheet or Datasheet(name)
            if sheet.others:
                whose = ", ".join((sheet.catalogue, *sheet.others))
                self.warnings.append(
                    f"{name}: the datasheets of {whose} differ, and the list's faction does not say which is meant: "
                    f"read with that of {sheet.catalogue}"
                )
            self._sheets[name] = Sheet(
                sheet,
                datasheet is not None,
                NameIndex(sheet.models),
                NameIndex(sheet.wargear),
                NameIndex(_stat_lines(sheet)),
                NameIndex(sheet.defaults),
            )
        return self._sheets[name]

    def detachment(self, name: str) -> Owned:
        """Return what a detachment gives; its rule by name alone where the datasheets do not have it."""
        sheet = self.sheet(DETACHMENT)
        profiles = sheet.wargear.find(name)
        if profiles is None and sheet.found:
            self.missing(f"the datasheets have no detachment {name!r}", name, sheet.wargear)
        return owned(profiles or [rule_profile(name, "")])

    def missing(self, sentence: str, name: str, known: NameIndex[_T]) -> None:
        """Report a name that is not known, with the nearest that are."""
        if self._hints:
            self._hints -= 1
            near = known.nearest(name)
            sentence += f"; nearest are {', '.join(near)}" if near else ", and none with a name like it"
        self.warnings.append(sentence)


def _stat_lines(sheet: Datasheet) -> Iterator[tuple[str, tuple[Profile, ...]]]:
    for profiles, given in ((sheet.profiles, ()), *((each, each) for _, each in sheet.models)):
        for profile in filter(is_stat_line, profiles):
            yield profile.name, given


#: What the warning about datasheets of another edition than the list's says.
OTHER_DATASHEETS = "the datasheets are of the"


def edition_warning(written_for: str, source: DatasheetSource) -> tuple[str, ...]:
    """Return what to say of a list of one edition with datasheets of another."""
    if written_for == source.edition:
        return ()
    from mathhammer.rosters.data.table import PUBLISHERS

    own = next(name for name, publisher in PUBLISHERS.items() if publisher.edition == written_for)
    other = f"{OTHER_DATASHEETS} {source.edition[:-1]}th; 'mathhammer data get {own}' fetches its own"
    return (f"the list is of the {written_for[:-1]}th edition, {other}",)
