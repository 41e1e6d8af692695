"""Datasheets looked up for a list: each once, with what is missing reported beside the nearest names."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypedDict

from mathhammer.rosters.datasheets.source import DETACHMENT, Datasheet, NameIndex
from mathhammer.rosters.names import singular
from mathhammer.rosters.tree import Profile
from mathhammer.rosters.wh40k.identifiers import file_edition, is_stat_line, is_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.tree import Force, RosterFile, Rules, Selection

_RULE = "Rule"  # the kind of profile that a rule of wargear is
_CARRYING = re.compile(r"\s+(?:w/|with\b|\()")
# Further names that are missing are reported without the nearest ones: a list is wrong in another way then.
_MOST_HINTS = 50
#: What the warning about datasheets of another edition than the list's says.
OTHER_DATASHEETS = "the datasheets are of the"


class Owned(TypedDict):
    """What a part of a datasheet gives to a selection."""

    profiles: tuple[Profile, ...]
    rules: Rules


def rule_profile(name: str, text: str) -> Profile:
    """Return a rule of wargear as one of its profiles."""
    return Profile(name, _RULE, "", (("Description", text),))


def owned(profiles: Iterable[Profile] | None) -> Owned:
    """Return profiles, and the rules among them as rules."""
    known = tuple(profiles or ())
    rules = tuple((each.name, each.characteristics[0][1]) for each in known if each.type_name == _RULE)
    return {"profiles": tuple(each for each in known if each.type_name != _RULE), "rules": rules}


def complete(roster: RosterFile, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Return a list whose units without profiles have those of their datasheets, and what was not found."""
    warnings: list[str] = []
    forces = tuple(_force(force, Lookup(source, force.catalogue, warnings)) for force in roster.forces)
    if forces != roster.forces:
        warnings = [*edition_warning(file_edition(roster), source), *warnings]
    return roster._replace(forces=forces), tuple(dict.fromkeys(warnings))


def _force(force: Force, lookup: Lookup) -> Force:
    selections = tuple(_unit(each, lookup) for each in force.selections)
    given = force.rules or selections == force.selections
    return force._replace(
        rules=force.rules if given else lookup.sheet(DETACHMENT).rules, selections=selections
    )


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
    return replace(
        unit,
        profiles=sheet.datasheet.profiles,
        rules=tuple((dict(unit.rules) | dict(sheet.rules)).items()),
        categories=unit.categories or sheet.datasheet.categories,
        selections=tuple(_part(each, unit.name, sheet, lookup) for each in unit.selections),
    )


def _part(node: Selection, unit: str, sheet: Sheet, lookup: Lookup) -> Selection:
    """Return models and wargear with their profiles; a selection that holds others may be a name for them."""
    is_model = node.type == "model"
    profiles = sheet.model(node.name) if is_model else sheet.wargear.find(node.name)
    if profiles is None and not is_model and sheet.found and not (node.selections or node.group):
        lookup.missing(f"{unit}: the datasheet has no {node.name!r}", node.name, sheet.wargear)
    below = tuple(_part(each, unit, sheet, lookup) for each in node.selections)
    given = owned(profiles)
    return replace(node, profiles=given["profiles"], rules=given["rules"] or node.rules, selections=below)


class Sheet:
    """A datasheet with its parts by name; an empty one if the source has none of that name."""

    def __init__(self, name: str, datasheet: Datasheet | None) -> None:
        self.found = datasheet is not None
        self.datasheet = sheet = datasheet or Datasheet(name)
        self.rules: Rules = tuple(zip_longest(sheet.rules, sheet.rule_texts, fillvalue=""))
        self.models, self.wargear = NameIndex(sheet.models), NameIndex(sheet.wargear)
        self.defaults = NameIndex(sheet.defaults)
        # Profiles of the models by the names of their stat lines; none where the unit itself has the stat line.
        of_unit: tuple[Profile, ...] = ()
        lines = ((sheet.profiles, of_unit), *((each, each) for _, each in sheet.models))
        self._stat_lines = NameIndex(
            (profile.name, given) for held, given in lines for profile in filter(is_stat_line, held)
        )

    def model(self, name: str) -> tuple[Profile, ...] | None:
        """Return the profiles of models as a list names them; ``None`` if the datasheet has no such models."""
        for index in (self.models, self._stat_lines):
            if (found := index.find(name)) is not None:
                return found
        words = singular(name).split()
        alike = [
            profiles
            for known, profiles in self.datasheet.models
            if words and singular(_CARRYING.split(known)[0]).split()[-len(words) :] == words
        ]
        lines = {tuple(filter(is_stat_line, profiles)) for profiles in alike}
        return alike[0] if len(lines) == 1 else None


class Lookup:
    """A source of datasheets in use for a faction's list, with a sentence for each name that was not found."""

    def __init__(self, source: DatasheetSource, faction: str, warnings: list[str]) -> None:
        self.source, self.faction, self.warnings = source, faction, warnings
        names = list(source.names())
        current = ((name.partition(" [")[0], name) for name in names)  # "[Legends]" is not of the name
        self._names = NameIndex([*zip(names, names, strict=True), *current])
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

    def detachment(self, name: str) -> Owned:
        """Return what a detachment gives; its rule by name alone where the datasheets do not have it."""
        sheet = self.sheet(DETACHMENT)
        profiles = sheet.wargear.find(name)
        if profiles is None and sheet.found:
            self.missing(f"the datasheets have no detachment {name!r}", name, sheet.wargear)
        return owned(profiles or [rule_profile(name, "")])

    def missing(self, sentence: str, name: str, known: NameIndex[Any]) -> None:
        """Report a name that is not known, with the nearest that are."""
        if self._hints:
            self._hints -= 1
            near = known.nearest(name)
            sentence += f"; nearest are {', '.join(near)}" if near else ", and none with a name like it"
        self.warnings.append(sentence)


def edition_warning(written_for: str, source: DatasheetSource) -> tuple[str, ...]:
    """Return what to say of a list of one edition with datasheets of another."""
    if written_for == source.edition:
        return ()
    from mathhammer.rosters.data.table import PUBLISHERS

    own = next(name for name, publisher in PUBLISHERS.items() if publisher.edition == written_for)
    other = f"{OTHER_DATASHEETS} {source.edition[:-1]}th; 'mathhammer data get {own}' fetches its own"
    return (f"the list is of the {written_for[:-1]}th edition, {other}",)
