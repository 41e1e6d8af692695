"""Names and counts put together with datasheets: the tree that a list with characteristics would have been."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.source import Datasheet, find_name, nearest_names
from mathhammer.rosters.names import name_key
from mathhammer.rosters.tree import Cost, Force, Profile, RosterFile, Selection
from mathhammer.rosters.wh40k.identifiers import GAME_SYSTEMS, is_stat_line, is_weapon

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.text.tree import TextItem, TextList, TextUnit

__all__ = ["Assembled", "assemble"]


@dataclass(frozen=True, slots=True)
class Assembled:
    """A text list as a roster.

    Parameters
    ----------
    roster
        The tree, to be read like any other.
    warnings
        Names that the source does not know, with the nearest that it does, and lines that were not understood.
    """

    roster: RosterFile
    warnings: tuple[str, ...]


def assemble(text: TextList, source: DatasheetSource) -> Assembled:
    """Find each name of a text list in a source of datasheets.

    What the source does not know stays in the tree, with its count and without profiles, and is reported.

    Parameters
    ----------
    text
        The list.
    source
        The datasheets.
    """
    known = {name_key(name): name for name in source.names()}
    warnings: list[str] = []
    units = [_unit(unit, source, known, warnings) for unit in text.units]
    warnings += [f"this line was not understood: {line!r}" for line in text.unread]
    system = {edition: identifier for identifier, edition in GAME_SYSTEMS.items()}
    if text.edition and text.edition != source.edition:
        warnings.append(
            f"the list is of the {text.edition[:-1]}th edition, the datasheets are of the {source.edition[:-1]}th"
        )
    detachment = Selection(
        "Detachment",
        "upgrade",
        1,
        selections=tuple(Selection(name, "upgrade", 1) for name in text.detachments),
    )
    force = Force("", text.faction, selections=(detachment, *units))
    costs = () if text.points is None else (Cost("pts", "", text.points),)
    roster = RosterFile(text.title, system.get(source.edition, ""), "", "", "", costs, (force,))
    return Assembled(roster, tuple(dict.fromkeys(warnings)))


def _unit(unit: TextUnit, source: DatasheetSource, known: dict[str, str], warnings: list[str]) -> Selection:
    name = find_name(unit.name, known)
    sheet = source.datasheet(name) if name is not None else None
    if sheet is None:
        near = nearest_names(unit.name, known.values())
        warnings.append(f"{unit.name}: the datasheets have no such unit{_nearest(near)}")
        sheet = Datasheet(unit.name)
    return _Builder(unit, sheet, warnings, found=name is not None).build()


def _nearest(names: list[str]) -> str:
    return f"; nearest are {', '.join(names)}" if names else ", and none with a name like it"


@dataclass(slots=True)
class _Builder:
    """One unit on its way into the tree."""

    unit: TextUnit
    sheet: Datasheet
    warnings: list[str]
    found: bool
    wargear: dict[str, tuple[str, tuple[Profile, ...]]] = field(default_factory=dict)
    models: dict[str, tuple[str, tuple[Profile, ...]]] = field(default_factory=dict)

    def build(self) -> Selection:
        self.wargear = {name_key(name): (name, profiles) for name, profiles in self.sheet.wargear}
        self.models = {name_key(name): (name, profiles) for name, profiles in self.sheet.models}
        items = self._regrouped()
        nested = any(item.items for item in items) or any(self._is_model(item) for item in items)
        children = [self._child(item, nested=nested) for item in items]
        if not nested:
            children = [self._only_model(children)]
        enhancements = [self._enhancement(name) for name in self.unit.enhancements]
        marks = tuple(mark for mark in self.unit.marks if mark.casefold() != "warlord")
        return Selection(
            self.unit.name,
            "unit",
            1,
            costs=(Cost("pts", "", self.unit.points),),
            categories=self.sheet.categories,
            profiles=self.sheet.profiles,
            rules=(*self.sheet.rules, *marks),
            selections=(*children, *enhancements),
        )

    def _regrouped(self) -> tuple[TextItem, ...]:
        """Return the items; where indent was lost, what follows models belongs to them."""
        items = self.unit.items
        if any(item.items for item in items):
            return items
        grouped: list[TextItem] = []
        for item in items:
            owner = bool(grouped) and self._is_model(grouped[0])
            if owner and not self._is_model(item) and find_name(item.name, self.wargear) is not None:
                grouped[-1] = replace(grouped[-1], items=(*grouped[-1].items, item))
            else:
                grouped.append(item)
        return tuple(grouped)

    def _is_model(self, item: TextItem) -> bool:
        """Whether a name without anything below it is that of models, as far as the datasheet tells."""
        if find_name(item.name, self.wargear) is not None:
            return False
        stat_lines = {name_key(p.name): p for p in self.sheet.profiles if is_stat_line(p)}
        return find_name(item.name, self.models) is not None or find_name(item.name, stat_lines) is not None

    def _child(self, item: TextItem, *, nested: bool) -> Selection:
        if not (nested and (item.items or self._is_model(item))):
            return self._wargear(item)
        known = find_name(item.name, self.models)
        if known is None and len(self.models) > 1 and self.found:
            near = nearest_names(item.name, (name for name, _ in self.models.values()))
            self.warnings.append(
                f"{self.unit.name}: the datasheet has no models {item.name!r}{_nearest(near)}"
            )
        return Selection(
            item.name,
            "model",
            item.count,
            profiles=known[1] if known else (),
            selections=tuple(self._wargear(child) for child in item.items),
        )

    def _only_model(self, wargear: list[Selection]) -> Selection:
        """Return the models of a unit that lists wargear only: as many as stand before its name."""
        known = list(self.models.values())
        profiles = known[0][1] if len(known) == 1 else ()
        return Selection(
            self.unit.name, "model", self.unit.count, profiles=profiles, selections=tuple(wargear)
        )

    def _wargear(self, item: TextItem) -> Selection:
        known = find_name(item.name, self.wargear)
        if known is None and self.found:
            near = nearest_names(item.name, (name for name, _ in self.wargear.values()))
            self.warnings.append(f"{self.unit.name}: the datasheet has no {item.name!r}{_nearest(near)}")
        below = tuple(self._wargear(child) for child in item.items)
        return Selection(
            item.name, "upgrade", item.count, profiles=known[1] if known else (), selections=below
        )

    def _enhancement(self, name: str) -> Selection:
        known = find_name(name, self.wargear)
        profiles = known[1] if known else ()
        abilities = tuple(profile for profile in profiles if not is_weapon(profile))
        return Selection(
            name, "upgrade", 1, "Enhancements", profiles=profiles, rules=() if abilities else (name,)
        )
