"""Questions about many attacks of Warhammer 40,000 at once: attackers against targets, and what to decide from them.

Names load when they are first used.

Examples
--------
>>> from mathhammer import analysis, wh40k
>>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
>>> analysis.grid({"squad": wh40k.Volley(rifle, 9)}, "MEQ").metric("mean_wounds_lost").round(3)
array([[2.]])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mathhammer.analysis.assignment import Assignment, assign
    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.gains import Gain, WhatIf, what_if
    from mathhammer.analysis.grids import METRICS, Grid, grid
    from mathhammer.analysis.matchups import ArmyTable, Cell, Row, WeaponUse, army_table
    from mathhammer.analysis.rule_gains import RuleWorth, RuleWorths, rule_worths
    from mathhammer.analysis.selection import Efficient, Frontier, Option, Options, choose, frontier
    from mathhammer.analysis.sweeps import BreakEven, Crossing, Sweep, break_even, sweep

__all__ = [
    "METRICS",
    "ArmyTable",
    "Assignment",
    "Attacker",
    "BreakEven",
    "Cell",
    "Crossing",
    "Defender",
    "Efficient",
    "Frontier",
    "Gain",
    "Grid",
    "Option",
    "Options",
    "Row",
    "RuleWorth",
    "RuleWorths",
    "Sweep",
    "WeaponUse",
    "WhatIf",
    "army_table",
    "assign",
    "break_even",
    "choose",
    "frontier",
    "grid",
    "rule_worths",
    "sweep",
    "what_if",
]

_NAMES = {
    "assignment": ("Assignment", "assign"),
    "attackers": ("Attacker", "Defender"),
    "gains": ("Gain", "WhatIf", "what_if"),
    "grids": ("METRICS", "Grid", "grid"),
    "matchups": ("ArmyTable", "Cell", "Row", "WeaponUse", "army_table"),
    "rule_gains": ("RuleWorth", "RuleWorths", "rule_worths"),
    "selection": ("Efficient", "Frontier", "Option", "Options", "choose", "frontier"),
    "sweeps": ("BreakEven", "Crossing", "Sweep", "break_even", "sweep"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
