"""A datasheet out of a tree of selections: what is a model, what is wargear, what belongs to the unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.source import Datasheet, KnownUnits
from mathhammer.rosters.names import name_key
from mathhammer.rosters.wh40k.identifiers import file_edition, is_stat_line, is_unit, is_weapon
from mathhammer.rosters.wh40k.weapons import base_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Profile, RosterFile, Selection

_Named = dict[str, tuple[str, dict["Profile", None]]]


def collect(roots: Iterable[Selection]) -> Datasheet:
    """Return the datasheet that these selections of one unit show together."""
    name = ""
    own: dict[Profile, None] = {}
    rules: dict[str, None] = {}
    categories: dict[str, None] = {}
    models: _Named = {}
    wargear: _Named = {}
    for root in roots:
        name = name or root.name
        for node in root.walk():
            visible = [profile for profile in node.profiles if not profile.hidden]
            weapons = [profile for profile in visible if is_weapon(profile)]
            others = [profile for profile in visible if not is_weapon(profile)]
            if node is root or node.type == "model":
                categories.update(dict.fromkeys(node.categories))
                rules.update(dict.fromkeys(node.rules))
            if node is root:
                own.update(dict.fromkeys(others))
            elif node.type == "model":
                models.setdefault(name_key(node.name), (node.name, {}))[1].update(dict.fromkeys(others))
            elif any(is_stat_line(profile) for profile in others):
                own.update(dict.fromkeys(others))
            elif others:
                wargear.setdefault(name_key(node.name), (node.name, {}))[1].update(dict.fromkeys(others))
            if node.type not in {"unit", "model"}:
                _add(wargear, node.name, weapons)
            for weapon_name, modes in _by_name(weapons).items():
                _add(wargear, weapon_name, modes)
    return Datasheet(
        name,
        tuple(own),
        tuple(rules),
        tuple(categories),
        tuple((name, tuple(profiles)) for name, profiles in models.values()),
        tuple((name, tuple(profiles)) for name, profiles in wargear.values()),
    )


def _add(wargear: _Named, name: str, weapons: list[Profile]) -> None:
    """Note a weapon; the first place that has it counts, for another model may have another version of it."""
    if weapons:
        listed = wargear.setdefault(name_key(name), (name, {}))[1]
        if not any(is_weapon(profile) for profile in listed):
            listed.update(dict.fromkeys(weapons))


def _by_name(weapons: list[Profile]) -> dict[str, list[Profile]]:
    """Return weapons by what their profiles are called: a list may name those inside a selection."""
    named: dict[str, list[Profile]] = {}
    for profile in weapons:
        named.setdefault(base_name(profile.name), []).append(profile)
    return named


class RosterSource(KnownUnits["list[Selection]"]):
    """The units of one or more army lists as datasheets; only what was chosen there is known."""

    def __init__(self, *rosters: RosterFile) -> None:
        units: dict[str, list[Selection]] = {}
        for roster in rosters:
            for selection in roster.selections():
                if is_unit(selection):
                    units.setdefault(selection.name, []).append(selection)
        super().__init__(file_edition(rosters[0]), units)

    def _sheet(self, name: str, unit: list[Selection]) -> Datasheet:  # noqa: ARG002 - what all of that name show together
        return collect(unit)
