"""Datasheets looked up for a list: each once, with what is missing reported beside the nearest names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from mathhammer.rosters.datasheets.source import DETACHMENT, Datasheet, NameIndex, owned, rule_profile
from mathhammer.rosters.names import singular
from mathhammer.rosters.wh40k.identifiers import is_stat_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.rosters.datasheets.source import DatasheetSource, Owned
    from mathhammer.rosters.tree import Profile

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
    from mathhammer.rosters.data.publishers import PUBLISHERS

    own = next(name for name, publisher in PUBLISHERS.items() if publisher.edition == written_for)
    other = f"{OTHER_DATASHEETS} {source.edition[:-1]}th; 'mathhammer data get {own}' fetches its own"
    return (f"the list is of the {written_for[:-1]}th edition, {other}",)
