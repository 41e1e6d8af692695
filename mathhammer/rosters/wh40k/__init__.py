"""Warhammer 40,000 army lists: from the neutral tree to :class:`mathhammer.wh40k.Army`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets import complete
from mathhammer.rosters.reading import whole_points
from mathhammer.rosters.tree import GAME_SYSTEMS, MAX_PARTS, MAX_UNIT_PARTS, require_room, shorten
from mathhammer.rosters.wh40k.units import read_unit, rule_of
from mathhammer.systems.wh40k import EDITIONS, Army, Edition
from mathhammer.systems.wh40k.editions.edition import OWN
from mathhammer.systems.wh40k.unit_rules.applied import groups_of
from mathhammer.systems.wh40k.unit_rules.reader import is_weapon_ability
from mathhammer.validation import meant_edition, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.rosters.datasheets import DatasheetSource
    from mathhammer.rosters.tree import RosterFile, RosterSelection
    from mathhammer.systems.wh40k import RuleEffect, Unit, UnitRule

_PRINTED = {"defence": "toughness wounds save", "attack": "attacks skill strength ap damage"}
_EDITIONS = tuple(edition for edition in GAME_SYSTEMS.values() if edition in EDITIONS)


def army_from_roster(roster: RosterFile, *, edition: str | Edition | None = None) -> Army:
    """Read a 40k army out of a roster."""
    listed, what = shorten(roster.name), "selections, profiles and rules"
    parts = [
        sum(1 + len(node.profiles) + len(node.rules) for node in unit.walk()) for unit in roster.selections()
    ]
    require_room(max(parts, default=0), MAX_UNIT_PARTS, f"{what} in a unit", listed)
    require_room(sum(parts), MAX_PARTS, what, listed)
    written_for = roster.edition
    edition, like = require_edition(edition)
    warnings: list[str] = []
    units: list[Unit] = []
    detachments: list[str] = []
    # Rules of the army: those of its forces, and of what is chosen beside the units.
    texts = {name: text for force in roster.forces for name, text in force.rules}
    for selection in roster.selections():
        if selection.is_unit and selection.number:
            units.append(read_unit(selection, warnings))
        elif selection.is_unit:
            warnings.append(f"{selection.name!r} is listed 0 times and left out")
        else:
            # "Detachment" or "Detachment Choice", of which the 11th edition allows several.
            chosen = selection.name.casefold().startswith("detachment")
            detachments += [choice.name for choice in selection.selections if chosen]
            for node in selection.walk():
                texts |= dict(node.rules)
                texts |= {profile.name: profile.text for profile in node.profiles if not profile.hidden}
            if any(p.is_weapon or p.is_stat_line for node in selection.walk() for p in node.profiles):
                warnings.append(
                    f"{selection.name!r} holds profiles but is not listed as a unit: it is left out"
                )
    if not units:
        raise RosterError(f"expected an army list with units, but {listed} holds none")
    points = whole_points(sum(node.points for node in roster.nodes()))
    return Army(
        name=roster.name or "unnamed",
        faction=", ".join(dict.fromkeys(force.catalogue for force in roster.forces if force.catalogue)),
        edition=edition or written_for,
        points=points,
        units=tuple(units),
        detachments=tuple(detachments),
        warnings=(
            *_header_warnings(roster, written_for, like or written_for, points),
            *dict.fromkeys(warnings),
        ),
        # Not the core rules that a detachment's mention of a weapon ability links to.
        rules=tuple(
            rule_of(name, text, "army", roster.name or "army")
            for name, text in texts.items()
            if not is_weapon_ability(name)
        ),
        file_edition=written_for,
        data_revision=roster.game_system_revision,
    )


def require_edition(edition: str | Edition | None) -> tuple[str | None, str | None]:
    """Return the names of an edition and of the one that it was made of; refuse one that computes no list."""
    name = edition.known_as() if isinstance(edition, Edition) else edition
    like = name if name is None else validation.text(name, "edition", "such as '11e'")
    like = OWN[like][1] if like in OWN else like
    if like not in {None, *_EDITIONS}:
        meant = meant_edition(edition, EDITIONS)
        reason = f"did you mean {meant!r}?" if meant else "its rules are not computed"
        if meant == "9e":
            reason = (
                "a list holds stat lines and weapon abilities of a later edition, and the 9th's differ; 'mathhammer "
                "40k attack --edition 9e', or wh40k.attack in Python, takes weapons and targets with those of the 9th"
            )
        known = " or ".join(map(repr, _EDITIONS))
        raise RosterError(f"expected edition {known} for an army list, got {shown(edition)}: {reason}")
    return name, like


def _header_warnings(roster: RosterFile, written_for: str, edition: str, points: float) -> list[str]:
    """Return where the list's header and its content, or the edition wanted, do not agree."""
    own = GAME_SYSTEMS.get(roster.game_system_id, written_for)
    said, data, wanted = (f"{each[:-1]}th edition" for each in (own, written_for, edition))
    moved = f"the list says that it is of the {said}, but its stat lines are of the {data[:-8]}: its data has moved on"
    other = f"the list is of the {data}; the rules of the {wanted} are applied to it"
    warnings = [moved] * (said != data) + [other] * (wanted != data)
    if not points:
        warnings.append("the list holds no points: nothing can be said per point")
    elif roster.points is not None and abs((total := whole_points(roster.points)) - points) > 1e-6:
        warnings.append(f"the list says {total} points, but its selections add up to {points}")
    return warnings


def count_once(army: Army, roster: RosterFile, found: Callable[[], DatasheetSource | None]) -> Army:
    """Return the army of a file without the gifts that its profiles hold.

    The datasheet decides, or else a unit of that name without the gift: what differs from it, is changed already.
    Without either it is the writer: New Recruit writes what its catalogues change (of what changes profiles, 58 of 64
    enhancements and 45 of 53 pieces of wargear in BSData/wh40k-10e at 801555b); other programs do not.
    """
    if not any(_is_gift(rule, each) for unit in army.units for rule in unit.rules for each in rule.effects):
        return army
    base: tuple[Unit, ...] = ()
    if (source := found()) is not None and source.edition == army.file_edition:
        bare = [force._replace(selections=tuple(map(_bare, force.selections))) for force in roster.forces]
        base = army_from_roster(complete(roster._replace(forces=tuple(bare)), source)[0]).units
    newest = "newrecruit" in roster.generated_by.casefold()
    units = []
    for place, unit in enumerate(army.units):
        siblings = [each for each in army.units if each.name == unit.name]
        units.append(_unit(unit, base[place : place + 1], siblings, newest=newest))
    return replace(army, units=tuple(units))


def _bare(node: RosterSelection) -> RosterSelection:
    return replace(node, profiles=(), selections=tuple(map(_bare, node.selections)))


def _is_gift(rule: UnitRule, effect: RuleEffect) -> bool:
    given = rule.source in {"enhancement", "wargear"} and effect.scope == "model" and not effect.when
    return given and effect.kind in _PRINTED.get(effect.side, "").split() and effect.operation != "set"


def _unit(unit: Unit, base: tuple[Unit, ...], siblings: list[Unit], *, newest: bool) -> Unit:
    rules, notes = [], list(unit.notes)
    for rule in unit.rules:
        known = [*base, *(each for each in siblings if rule.name not in {own.name for own in each.rules})]
        held = {each: _held(unit, rule, each, known) for each in rule.effects if _is_gift(rule, each)}
        counted = [effect for effect, found in held.items() if found or (found is None and newest)]
        for reading, each in (("with", counted), ("without", [e for e in held if e not in counted])):
            doubt = "; nothing tells but the program that wrote it" if None in map(held.get, each) else ""
            if each and (doubt or reading == "with"):
                effects = ", ".join(map(str, each))
                notes.append(
                    f"{unit.name}: the profiles of the list are {reading} {effects} ({rule.name}){doubt}"
                )
        by = {each.kind: each.value for each in counted}
        left = (each for each in rule.effects if each not in counted)
        # What is said instead of it is more by what the profiles do not hold.
        more = (replace(e, value=e.value - by[e.kind]) if e.instead and e.kind in by else e for e in left)
        rules.append(replace(rule, effects=tuple(more)))
    return replace(unit, rules=tuple(rules), notes=tuple(dict.fromkeys(notes)))


def _held(unit: Unit, rule: UnitRule, effect: RuleEffect, known: list[Unit]) -> bool | None:
    """Whether profiles differ in what an effect changes from those of the first that has them; None if none has."""
    own = _values(unit, effect, groups_of(effect, rule, unit))
    others = (_values(other, effect, range(len(other.models))) for other in known)
    shared = ((theirs, own.keys() & theirs.keys()) for theirs in others)
    return next((any(own[key] != theirs[key] for key in keys) for theirs, keys in shared if keys), None)


def _values(unit: Unit, effect: RuleEffect, groups: Iterable[int]) -> dict[tuple[str, str], object]:
    """Return what the profiles of some models and of their weapons have of a characteristic."""
    if effect.side == "defence":
        models = (unit.models[group] for group in groups)
        return {(each.name, ""): getattr(each.profile, effect.kind, None) for each in models}
    return {
        (line.name, mode.name): getattr(mode, effect.kind)
        for line in unit.weapons
        if line.group is None or line.group in groups
        for mode in line.modes
        if effect.attacks not in {"melee", "ranged"} or mode.melee == (effect.attacks == "melee")
    }
