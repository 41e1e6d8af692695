"""Panels of an army and its units: their lists, and what in them is not computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.display import count
from mathhammer.display.panel import Panel, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.systems.wh40k.armies.army import Army, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


def army_panel(army: Army) -> Panel:
    """Return the units with their models, points and wargear."""
    facts = {"faction": army.faction, "edition": army.edition, "points": f"{army.points:g}"}
    if army.detachments:
        facts["detachment"] = army.detachment
    facts["units"] = str(len(army.units))
    facts["models"] = str(sum(unit.size for unit in army.units))
    rows = [[unit.name, str(unit.size), str(unit.points), _wargear(unit)] for unit in army.units]
    tables = [Table(["unit", "models", "points", "wargear"], rows, "<>><")] if rows else []
    notes = []
    if army.unparsed:
        notes.append(
            f"{count(len(army.unparsed), 'item')} not understood or not computed: see army.unparsed."
        )
    if army.simplifications:
        simplified = count(len(army.simplifications), "simplification")
        notes.append(f"{simplified} of mixed units and their rules: see army.simplifications.")
    return Panel(army.name, facts, tables, notes)


def rules_table(rules: Iterable[UnitRule]) -> Table:
    """Return the rules that act on attacks, with their states and what they do."""
    rows = [
        [
            rule.name,
            rule.of,
            rule.state,
            "; ".join((*map(str, rule.effects), *(f"not understood: {key}" for key in rule.unread))),
        ]
        for rule in rules
        if rule.effects or rule.unread
    ]
    return Table(["rule", "of", "state", "what it does"], rows, "<<<<")


def unit_panel(unit: Unit) -> Panel:
    """Return the models and the wargear of a unit, its keywords, and what is not computed."""
    models = [[str(group), "leader" if group.leader else "model"] for group in unit.effective_models]
    wargear = [[str(line.count), str(weapon), line.bearer] for line in unit.weapons for weapon in line.modes]
    parts = [Table(["models", "as"], models, "<<")] if models else []
    parts += [Table(["number", "weapon", "bearer"], wargear, "><<")] if wargear else []
    named = {
        "Keywords": unit.all_keywords,
        "Factions": unit.factions,
        "Enhancements": unit.enhancements,
        "Rules without an effect on attacks": [rule.name for rule in unit.rules if rule.state == "no effect"],
        "Not computed": unit.unparsed_abilities,
    }
    notes = [f"{name}: {', '.join(texts)}." for name, texts in named.items() if texts]
    if any(rule.effects or rule.unread for rule in unit.rules):
        parts.append(rules_table(unit.rules))
    facts = {"models": str(unit.size), "points": str(unit.points)}
    return Panel(unit.name, facts, parts, [*notes, *unit.simplifications])


def _wargear(unit: Unit) -> str:
    return ", ".join(f"{line.count} × {line.name}" if line.count > 1 else line.name for line in unit.weapons)
