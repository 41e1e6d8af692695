"""Warhammer 40,000 army lists: from the neutral tree to :class:`mathhammer.wh40k.Army`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mathhammer.systems.wh40k
from mathhammer.errors import RosterError
from mathhammer.rosters.build import whole_points
from mathhammer.rosters.names import MAX_PARTS, MAX_UNIT_PARTS, require_room, shorten
from mathhammer.rosters.tree import (
    GAME_SYSTEMS,
    file_edition,
    is_stat_line,
    is_unit,
    is_weapon,
)
from mathhammer.rosters.wh40k.unit_rules import rule_of, text_of
from mathhammer.rosters.wh40k.units import read_unit
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.editions import EDITIONS
from mathhammer.systems.wh40k.unit_rules.reader import is_weapon_ability
from mathhammer.validation import meant_edition, shown

if TYPE_CHECKING:
    from mathhammer.rosters.tree import RosterFile
    from mathhammer.systems.wh40k.armies.army import Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

__all__ = ["army_from_roster", "require_edition"]

_EDITIONS = tuple(edition for edition in GAME_SYSTEMS.values() if edition in EDITIONS)


def army_from_roster(roster: RosterFile, *, edition: str | None = None) -> Army:
    """Read a 40k army out of a roster."""
    _check_size(roster)
    written_for = file_edition(roster)
    require_edition(edition)
    warnings: list[str] = []
    units = _read_units(roster, warnings)
    points = whole_points(sum(node.points for node in roster.nodes()))
    options = [each for each in roster.selections() if not is_unit(each)]
    return Army(
        name=roster.name or "unnamed",
        faction=", ".join(dict.fromkeys(force.catalogue for force in roster.forces if force.catalogue)),
        edition=edition or written_for,
        points=points,
        units=units,
        # "Detachment" or "Detachment Choice", of which the 11th edition allows several.
        detachments=tuple(
            choice.name
            for option in options
            if option.name.casefold().startswith("detachment")
            for choice in option.selections
        ),
        warnings=(*_header_warnings(roster, written_for, edition, points), *dict.fromkeys(warnings)),
        rules=_army_rules(roster),
        file_edition=written_for,
        data_revision=roster.game_system_revision,
    )


def require_edition(edition: str | None) -> None:
    """Refuse an edition with whose rules no list can be computed."""
    if edition is None or edition in _EDITIONS:
        return
    meant = meant_edition(edition, EDITIONS)
    reason = f"did you mean {meant!r}?" if meant else "its rules are not computed"
    if meant == "9e":
        reason = (
            "a list holds stat lines and weapon abilities of a later edition, and the 9th's differ; 'mathhammer 40k "
            "attack --edition 9e', or wh40k.attack in Python, takes weapons and targets with those of the 9th"
        )
    known = " or ".join(map(repr, _EDITIONS))
    raise RosterError(f"expected edition {known} for an army list, got {shown(edition)}: {reason}")


def _header_warnings(roster: RosterFile, written_for: str, edition: str | None, points: float) -> list[str]:
    """Return where the list's header and its content, or the edition wanted, do not agree."""
    warnings = []
    said = GAME_SYSTEMS.get(roster.game_system_id, written_for)
    if said != written_for:
        warnings.append(
            f"the list says that it is of the {said[:-1]}th edition, but its stat lines are of the "
            f"{written_for[:-1]}th: its data has moved on"
        )
    if edition is not None and edition != written_for:
        warnings.append(
            f"the list is of the {written_for[:-1]}th edition; the rules of the {edition[:-1]}th edition are "
            "applied to it"
        )
    if not points:
        warnings.append("the list holds no points: nothing can be said per point")
    elif roster.points is not None and abs((total := whole_points(roster.points)) - points) > 1e-6:
        warnings.append(f"the list says {total} points, but its selections add up to {points}")
    return warnings


def _check_size(roster: RosterFile) -> None:
    """Refuse what no army is, before any of it is worked on; real ones have some 800 parts."""
    total, name = 0, shorten(roster.name)
    for unit in roster.selections():
        parts = sum(1 + len(node.profiles) + len(node.rules) for node in unit.walk())
        total += parts
        require_room(parts, MAX_UNIT_PARTS, "selections, profiles and rules in a unit", name)
        require_room(total, MAX_PARTS, "selections, profiles and rules", name)


def _read_units(roster: RosterFile, warnings: list[str]) -> tuple[Unit, ...]:
    units: list[Unit] = []
    for selection in roster.selections():
        if not is_unit(selection):
            if any(is_weapon(p) or is_stat_line(p) for node in selection.walk() for p in node.profiles):
                warnings.append(
                    f"{selection.name!r} holds profiles but is not listed as a unit: it is left out"
                )
        elif selection.number == 0:
            warnings.append(f"{selection.name!r} is listed 0 times and left out")
        else:
            units.append(read_unit(selection, warnings))
    if not units:
        raise RosterError(f"expected an army list with units, but {shorten(roster.name)} holds none")
    return tuple(units)


def _army_rules(roster: RosterFile) -> tuple[UnitRule, ...]:
    """Rules of the army: those of its forces, and of what is chosen beside the units."""
    texts = {name: text for force in roster.forces for name, text in force.rules}
    for option in roster.selections():
        for node in () if is_unit(option) else option.walk():
            texts |= dict(node.rules)
            texts |= {profile.name: text_of(profile) for profile in node.profiles if not profile.hidden}
    # The core rules that a detachment's mention of a weapon ability links to are not the army's.
    named = ((name, text) for name, text in texts.items() if not is_weapon_ability(name))
    return tuple(rule_of(name, text, "army", roster.name or "army") for name, text in named)
