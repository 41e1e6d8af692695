"""A datasheet out of a tree of selections: what is a model, what is wargear, what belongs to the unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.source import Datasheet, KnownUnits, rule_profile
from mathhammer.rosters.names import name_key
from mathhammer.rosters.wh40k.identifiers import file_edition, is_stat_line, is_unit, is_weapon
from mathhammer.rosters.wh40k.unit_rules import texts_of_rules
from mathhammer.rosters.wh40k.weapons import base_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mathhammer.rosters.tree import Profile, RosterFile, Selection

_Named = dict[str, tuple[str, dict["Profile", None]]]


def collect(roots: Iterable[Selection], *, usual: bool = False) -> Datasheet:
    """Return the datasheet that these selections of one unit show; `usual`: with the numbers that are its default."""
    name = ""
    own: dict[Profile, None] = {}
    rules: dict[str, str] = {}
    categories: dict[str, None] = {}
    models: _Named = {}
    wargear: _Named = {}
    defaults: dict[str, tuple[str, ...]] = {}
    enhancements: dict[str, None] = {}
    for root in roots:
        name = name or root.name
        for node in root.walk():
            enhancements.update(_bought(node))
            visible = [profile for profile in node.profiles if not profile.hidden]
            weapons = [profile for profile in visible if is_weapon(profile)]
            others = [profile for profile in visible if not is_weapon(profile)]
            if node is root or node.type == "model":
                categories.update(dict.fromkeys(node.categories))
                rules |= texts_of_rules(node)
            elif not weapons:  # those of a weapon repeat its keywords
                others += [rule_profile(*rule) for rule in texts_of_rules(node).items()]
            if node is root:
                own.update(dict.fromkeys(others))
            elif node.type == "model":
                models.setdefault(name_key(node.name), (node.name, {}))[1].update(dict.fromkeys(others))
            elif any(is_stat_line(profile) for profile in others):
                own.update(dict.fromkeys(others))
            elif others:
                wargear.setdefault(name_key(node.name), (node.name, {}))[1].update(dict.fromkeys(others))
            own_name = {} if node.type in {"unit", "model"} else {node.name: weapons}
            _add(wargear, own_name)
            _add(wargear, _by_name(weapons))
            if usual and node.type != "group" and (below := tuple(_usual(node))):
                defaults.setdefault("" if node is root else node.name, below)
    return Datasheet(
        name,
        tuple(own),
        tuple(rules),
        tuple(categories),
        tuple((name, tuple(profiles)) for name, profiles in models.values()),
        tuple((name, tuple(profiles)) for name, profiles in wargear.values()),
        tuple(rules.values()),
        defaults=tuple(defaults.items()),
        enhancements=tuple(enhancements),
    )


def _bought(node: Selection) -> dict[str, None]:
    """Return the enhancements that an entry is, or that a group of them holds."""
    if not (node.name if node.type == "group" else node.group).startswith("Enhancement"):
        return {}
    return {each.name: None for each in node.walk() if each.type != "group"}


def _usual(node: Selection) -> Iterator[str]:
    """Yield the models and the weapons below an entry that it has by default, each as often as it has it."""
    for child in node.selections:
        found = [child.name] if child.type == "model" or any(map(is_weapon, child.profiles)) else []
        if child.type != "model":
            found += _usual(child)
        yield from found * child.number


def _add(wargear: _Named, named: dict[str, list[Profile]]) -> None:
    """Note weapons; the first place that has one counts, for another model may have another version of it."""
    for name, weapons in named.items():
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
        units: dict[str, dict[str, list[Selection]]] = {}
        for force in (each for roster in rosters for each in roster.all_forces()):
            for selection in filter(is_unit, force.selections):
                units.setdefault(selection.name, {}).setdefault(force.catalogue, []).append(selection)
        super().__init__(file_edition(rosters[0]), units)

    def sheet(self, name: str, unit: list[Selection]) -> Datasheet:  # noqa: ARG002
        """Return what all units of a name show together."""
        return collect(unit)
