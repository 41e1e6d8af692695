"""A text list and its datasheets: first the tree that a list with characteristics would have been, then the army."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets import DETACHMENT, Lookup, edition_warning, owned, rule_profile
from mathhammer.rosters.text import NAMES, TextItem
from mathhammer.rosters.tree import GAME_SYSTEMS, Force, RosterFile, RosterSelection, name_key
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.systems.wh40k.armies.choices import attach_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.rosters.datasheets import DatasheetSource
    from mathhammer.rosters.text import TextList, TextUnit
    from mathhammer.systems.wh40k import Army, Edition

#: Lines of the message around a list that are quoted.
_AROUND = 5
_SEVERAL = re.compile(r"(\d{1,2}) (\D.*)")
_HOLDING = re.compile(r"([^()]+?) ?\(([^()]+)\)")
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Longer names are not parted: each part stands below the one before it.
_LONGEST = 100


def army_from_text(text: TextList, source: DatasheetSource, *, edition: str | Edition | None = None) -> Army:
    """Return the army of a text list, with the leaders attached that the text attaches."""
    lookup = Lookup(source, text.faction, [])
    units = [_ArmyBuilder(unit, lookup).build() for unit in text.units]
    lookup.warnings += [f"this line was not understood: {line!r}" for line in text.unread]
    if text.around:
        lines = ", ".join(map(repr, text.around[:_AROUND]))
        more = f" and {len(text.around) - _AROUND} more" if len(text.around) > _AROUND else ""
        lookup.warnings.append(f"these lines around the list were not read: {lines}{more}")
    chosen = tuple(RosterSelection(name, **lookup.detachment(name)) for name in text.detachments)
    selections = (RosterSelection("Detachment", selections=chosen), *units)
    force = Force(text.faction, lookup.sheet(DETACHMENT).datasheet.rules, selections)
    written_for = text.edition or source.edition
    system = next((each for each, own in GAME_SYSTEMS.items() if own == written_for), "")
    roster = RosterFile(text.title, system, "", "", "", text.points, (force,))
    warnings = dict.fromkeys([*edition_warning(written_for, source), *lookup.warnings])
    army = army_from_roster(roster, edition=edition)
    return attach_all(replace(army, warnings=(*army.warnings, *warnings)), text.attachments)


class _ArmyBuilder:
    """One unit on its way into the tree."""

    def __init__(self, unit: TextUnit, lookup: Lookup) -> None:
        self.unit, self.lookup = unit, lookup
        self.sheet = lookup.sheet(unit.name)
        self.marks: list[str] = []
        self.filled: Counter[str] = Counter()

    def build(self) -> RosterSelection:
        unit, sheet, warnings = self.unit, self.sheet.datasheet, self.lookup.warnings
        items = self._items()
        models = [self._models(item) for item in items if self._is_model(item)]
        wargear = self._wargear([item for item in items if not self._is_model(item)])
        children = [*models, *wargear]
        if not models:  # as many as stand before the unit's name
            name, profiles = sheet.models[0] if len(sheet.models) == 1 else ("", self.sheet.model(unit.name))
            armed = self._armed(wargear, name, unit.count)
            children = [
                RosterSelection(unit.name, "model", unit.count, profiles=profiles or (), selections=armed)
            ]
        carried = (each for node in children for each in node.walk() if each.type != "model")
        lost = ", ".join(dict.fromkeys(each.name for each in carried))
        if lost and not self.sheet.found:
            warnings.append(f"{unit.name}: without its datasheet this is left out: {lost}")
        known = (each for _, profiles in sheet.wargear for each in profiles)
        if any(each.is_weapon for each in known) and not any(each.is_armed for each in children):
            warnings.append(f"{unit.name}: the list names no weapon of it")
        if self.filled:
            filled = ", ".join(f"{count}x {name}" for name, count in self.filled.items())
            said = f"the list does not say these, so they are the datasheet's default: {filled}"
            warnings.append(f"{unit.name}: {said}")
        children += [self._enhancement(name) for name in dict.fromkeys(unit.enhancements)]
        marks = dict.fromkeys([*(each for each in unit.marks if each.casefold() != "warlord"), *self.marks])
        return RosterSelection(
            unit.name,
            "unit",
            points=unit.points,
            categories=sheet.categories,
            profiles=sheet.profiles,
            rules=(*sheet.rules, *((mark, "") for mark in marks)),
            selections=tuple(children),
        )

    def _items(self) -> tuple[TextItem, ...]:
        """Return the items, the usual models if there are none; what follows models is theirs where indent was lost."""
        items = self.unit.items
        if not items:
            names = Counter(name for name in self._usual("") if self.sheet.models.find(name) is not None)
            names = names if self.unit.count in {1, names.total()} else Counter()
            self.filled += names
            return tuple(TextItem(name, count) for name, count in names.items())
        if any(item.items for item in items) or not self._is_model(items[0]):
            return items
        grouped: list[TextItem] = []
        for item in items:
            if grouped and not self._is_model(item) and self._knows(item.name):
                grouped[-1] = replace(grouped[-1], items=(*grouped[-1].items, item))
            else:
                grouped.append(item)
        return tuple(grouped)

    def _usual(self, owner: str) -> tuple[str, ...]:
        return self.sheet.defaults.find(owner) or ()

    def _filled(self, owner: str, count: int) -> list[RosterSelection]:
        """Return the weapons that someone has by default."""
        known = filter(self.sheet.wargear.find, self._usual(owner))
        given = Counter({name: number * count for name, number in Counter(known).items()})
        self.filled += given
        return self._wargear([TextItem(name, number) for name, number in given.items()])

    def _armed(self, wargear: list[RosterSelection], owner: str, count: int) -> tuple[RosterSelection, ...]:
        """Return the wargear of models, of whom the list may name no weapon at all, with their default."""
        unknown = any(not (each.profiles or each.rules or each.selections) for each in wargear)
        said = unknown or any(each.is_armed for each in wargear)
        return (*wargear, *(() if said else self._filled(owner, count)))

    def _knows(self, name: str) -> bool:
        usual = bool(self._usual(name)) and self.sheet.model(name) is None
        return usual or self.sheet.wargear.find(name) is not None

    def _is_model(self, item: TextItem) -> bool:
        """Whether a name is that of models: it has wargear below it, or the datasheet tells."""
        named = bool(item.items) or self.sheet.model(item.name) is not None
        return named and not self._knows(item.name)

    def _models(self, item: TextItem) -> RosterSelection:
        profiles = self.sheet.model(item.name)
        if profiles is None and len(self.sheet.datasheet.models) > 1 and self.sheet.found:
            sentence = f"{self.unit.name}: the datasheet has no models {item.name!r}"
            self.lookup.missing(sentence, item.name, self.sheet.models)
        wargear = self._armed(self._wargear(item.items), item.name, item.count)
        return RosterSelection(item.name, "model", item.count, profiles=profiles or (), selections=wargear)

    def _wargear(self, items: Sequence[TextItem]) -> list[RosterSelection]:
        """Return wargear with its profiles; what has no count and no profiles is a rule of the unit."""
        spelled: dict[object, TextItem] = {}  # several lines of the same thing are one
        for item in (each for written in items for each in self._spelled(written)):
            key = (
                len(spelled) if item.items else (name_key(item.name), item.counted or self._knows(item.name))
            )
            before = spelled[key].count if key in spelled else 0
            spelled[key] = replace(item, count=before + item.count)
        bought = set(map(name_key, self.sheet.datasheet.enhancements))
        beside = {name_key(item.name): item.count for item in spelled.values()}
        found = []
        for item in spelled.values():
            known = bool(item.items) or self._knows(item.name)
            if name_key(item.name) in bought:
                found.append(self._enhancement(item.name))
            elif known or item.counted:
                if not known and self.sheet.found:
                    sentence = f"{self.unit.name}: the datasheet has no {item.name!r}"
                    self.lookup.missing(sentence, item.name, self.sheet.wargear)
                found.append(self._piece(item, beside))
            else:
                self.marks.append(item.name)
        return found

    def _piece(self, item: TextItem, beside: dict[str, int]) -> RosterSelection:
        """Return a piece of wargear with what is below it, or with its default where the list does not say."""
        profiles = self.sheet.wargear.find(item.name)
        own = set(map(name_key, self._usual(item.name)))
        usual = not item.counted and own & beside.keys()
        said = item.items or usual or any(each.is_weapon for each in profiles or ())
        below = item.items
        if not item.counted:  # New Recruit lists the gun of a drone beside the drone too
            below = tuple(each for each in below if beside.get(name_key(each.name)) != each.count)
        selections = self._wargear(below) if said else self._filled(item.name, item.count)
        return RosterSelection(item.name, number=item.count, selections=tuple(selections), **owned(profiles))

    def _spelled(self, item: TextItem) -> tuple[TextItem, ...]:
        """Return an item under names that the datasheet knows, as far as those of list builders tell."""
        if self._knows(item.name):
            return (item,)
        if several := _SEVERAL.fullmatch(item.name):  # "2 Storm Bolters"
            return self._spelled(replace(item, name=several[2], count=int(several[1]) * item.count))
        if holding := _HOLDING.fullmatch(item.name):  # "Gun Drone (Twin pulse carbine)"
            names = [name.strip() for name in NAMES.findall(holding[2])]
            below = tuple(TextItem(name, item.count, counted=False) for name in names if self._knows(name))
            if self._knows(holding[1]) or below:
                self.marks += [name for name in names if not self._knows(name)]
                return (replace(item, name=holding[1], items=(*below, *item.items)),)
        # Two names that New Recruit wrote without a comma.
        for joint in _JOINT.finditer(item.name if len(item.name) < _LONGEST else ""):
            first, second = item.name[: joint.start()], item.name[joint.start() :]
            if self._knows(first):
                return (replace(item, name=first, items=(replace(item, name=second), *item.items)),)
            if self._knows(second):
                return replace(item, name=first, items=()), replace(item, name=second)
        return (item,)

    def _enhancement(self, name: str) -> RosterSelection:
        known = self.sheet.wargear.find(name) or ()
        if all(each.is_weapon for each in known):
            known = (*known, rule_profile(name, ""))
        return RosterSelection(name, group="Enhancements", **owned(known))
