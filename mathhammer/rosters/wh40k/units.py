"""One unit of an army list, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.build import whole_points
from mathhammer.rosters.limits import MAX_COUNT
from mathhammer.rosters.wh40k.draft import open_draft
from mathhammer.rosters.wh40k.identifiers import factions_of, is_points, keywords_of
from mathhammer.rosters.wh40k.stat_lines import read_models
from mathhammer.rosters.wh40k.unit_rules import read_rules
from mathhammer.rosters.wh40k.wargear import read_wargear
from mathhammer.systems.wh40k.armies.army import Unit
from mathhammer.systems.wh40k.unit_rules.holds import groups_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Cost, Selection
    from mathhammer.rosters.wh40k.draft import Draft


def read_unit(root: Selection) -> tuple[Unit, list[str]]:
    """Read a unit."""
    draft = open_draft(root)
    if draft.size > MAX_COUNT:
        raise RosterError(
            f"expected at most {MAX_COUNT:,} models in a unit, but {root.name} has {draft.size:,}; "
            "export the list again"
        )
    read_models(draft)
    read_rules(draft)
    weapons, unassigned = read_wargear(draft)
    enhancements = (node.name for node, _ in draft.nodes if node.group.startswith("Enhancement"))
    unit = Unit(
        name=root.name,
        points=_unit_points(draft),
        models=tuple(draft.groups),
        weapons=weapons,
        keywords=keywords_of(root),
        factions=factions_of(root),
        enhancements=tuple(enhancements),
        rules=tuple(draft.rules),
        leads=tuple(dict.fromkeys(draft.leads)),
        led_as=tuple(dict.fromkeys(draft.led_as)),
        joins_led=draft.joins_led,
        unassigned_weapons=unassigned,
        notes=tuple(dict.fromkeys(draft.notes)),
    )
    return _with_known_owners(unit), list(dict.fromkeys(draft.warnings))


def _with_known_owners(unit: Unit) -> Unit:
    """Return the unit whose rules for models that it does not name count as not understood."""
    rules = []
    for rule in unit.rules:
        named = [
            effect for effect in rule.effects if effect.scope == "named" and not groups_of(effect, rule, unit)
        ]
        for effect in named:
            rule = replace(rule, unread=(*rule.unread, f"for {', '.join(effect.who)}"))  # noqa: PLW2901
        rules.append(replace(rule, effects=tuple(effect for effect in rule.effects if effect not in named)))
    return replace(unit, rules=tuple(rules))


def total_points(costs: Iterable[Cost]) -> float:
    """Sum of all costs in points, a whole number if it is one but for binary noise."""
    return whole_points(sum(cost.value for cost in costs if is_points(cost)))


def _unit_points(draft: Draft) -> int:
    points = total_points(cost for node in draft.root.walk() for cost in node.costs)
    whole = max(0, round(points))
    if points != whole:
        draft.warn(f"its costs add up to {points} points, which no unit costs: taken as {whole}")
    return whole
