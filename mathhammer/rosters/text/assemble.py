"""A text list and its datasheets: first the tree that a list with characteristics would have been, then the army."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.lookup import Lookup, edition_warning
from mathhammer.rosters.tree import Cost, Force, RosterFile, Selection
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.rosters.wh40k.identifiers import GAME_SYSTEMS, is_weapon
from mathhammer.systems.wh40k.armies.attachment import attach_all

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets.lookup import Sheet
    from mathhammer.rosters.datasheets.source import DatasheetSource
    from mathhammer.rosters.text.tree import TextItem, TextList, TextUnit
    from mathhammer.systems.wh40k.armies.army import Army

#: Lines of the message around a list that are quoted.
_AROUND = 5


def army_from_text(text: TextList, source: DatasheetSource, *, edition: str | None = None) -> Army:
    """Return the army of a text list, with the leaders attached that the text attaches."""
    roster, warnings = assemble(text, source)
    army = army_from_roster(roster, edition=edition)
    return attach_all(replace(army, warnings=(*army.warnings, *warnings)), text.attachments)


def assemble(text: TextList, source: DatasheetSource) -> tuple[RosterFile, tuple[str, ...]]:
    """Find each name of a text list in a source of datasheets."""
    lookup = Lookup(source)
    units = [_Builder(unit, lookup.sheet(unit.name), lookup).build() for unit in text.units]
    lookup.warnings += [f"this line was not understood: {line!r}" for line in text.unread]
    if text.around:
        lines = ", ".join(repr(line) for line in text.around[:_AROUND])
        more = f" and {len(text.around) - _AROUND} more" if len(text.around) > _AROUND else ""
        lookup.warnings.append(f"these lines around the list were not read: {lines}{more}")
    system = {edition: identifier for identifier, edition in GAME_SYSTEMS.items()}
    edition = text.edition or source.edition
    detachment = Selection(
        "Detachment",
        "upgrade",
        1,
        selections=tuple(Selection(name, "upgrade", 1) for name in text.detachments),
    )
    force = Force("", text.faction, selections=(detachment, *units))
    costs = () if text.points is None else (Cost("pts", "", text.points),)
    roster = RosterFile(text.title, system.get(edition, ""), "", "", "", costs, (force,))
    return roster, tuple(dict.fromkeys([*edition_warning(edition, source), *lookup.warnings]))


@dataclass(slots=True)
class _Builder:
    """One unit on its way into the tree."""

    unit: TextUnit
    sheet: Sheet
    lookup: Lookup

    def build(self) -> Selection:
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
            categories=self.sheet.datasheet.categories,
            profiles=self.sheet.datasheet.profiles,
            rules=(*self.sheet.datasheet.rules, *marks),
            selections=(*children, *enhancements),
        )

    def _regrouped(self) -> tuple[TextItem, ...]:
        """Return the items; where indent was lost, what follows models belongs to them."""
        items = self.unit.items
        if any(item.items for item in items):
            return items
        grouped: list[tuple[TextItem, list[TextItem]]] = []
        for item in items:
            owner = bool(grouped) and self._is_model(grouped[0][0])
            if owner and not self._is_model(item) and self.sheet.wargear.find(item.name) is not None:
                grouped[-1][1].append(item)
            else:
                grouped.append((item, []))
        return tuple(replace(item, items=tuple(below)) for item, below in grouped)

    def _is_model(self, item: TextItem) -> bool:
        """Whether a name without anything below it is that of models, as far as the datasheet tells."""
        if self.sheet.wargear.find(item.name) is not None:
            return False
        return self.sheet.model(item.name) is not None

    def _child(self, item: TextItem, *, nested: bool) -> Selection:
        if not (nested and (item.items or self._is_model(item))):
            return self._wargear(item)
        models = self.sheet.models
        profiles = self.sheet.model(item.name)
        if profiles is None and len(models) > 1 and self.sheet.found:
            sentence = f"{self.unit.name}: the datasheet has no models {item.name!r}"
            self.lookup.missing(sentence, item.name, models)
        return Selection(
            item.name,
            "model",
            item.count,
            profiles=profiles or (),
            selections=tuple(self._wargear(child) for child in item.items),
        )

    def _only_model(self, wargear: list[Selection]) -> Selection:
        """Return the models of a unit that lists wargear only: as many as stand before its name."""
        known = self.sheet.datasheet.models
        profiles = known[0][1] if len(known) == 1 else self.sheet.model(self.unit.name)
        return Selection(
            self.unit.name, "model", self.unit.count, profiles=profiles or (), selections=tuple(wargear)
        )

    def _wargear(self, item: TextItem) -> Selection:
        profiles = self.sheet.wargear.find(item.name)
        if profiles is None and self.sheet.found:
            sentence = f"{self.unit.name}: the datasheet has no {item.name!r}"
            self.lookup.missing(sentence, item.name, self.sheet.wargear)
        below = tuple(self._wargear(child) for child in item.items)
        return Selection(item.name, "upgrade", item.count, profiles=profiles or (), selections=below)

    def _enhancement(self, name: str) -> Selection:
        profiles = self.sheet.wargear.find(name) or ()
        abilities = tuple(profile for profile in profiles if not is_weapon(profile))
        return Selection(
            name, "upgrade", 1, "Enhancements", profiles=profiles, rules=() if abilities else (name,)
        )
