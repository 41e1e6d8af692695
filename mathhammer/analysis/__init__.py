"""Questions about many attacks at once: grids of attackers against targets, and what to decide from them."""

from __future__ import annotations

from mathhammer.analysis.assignment import Assignment, assign
from mathhammer.analysis.attackers import Attacker, Defender
from mathhammer.analysis.grid import METRICS, Grid, grid
from mathhammer.analysis.matchups import ArmyTable, Cell, Row, WeaponUse, army_table
from mathhammer.analysis.selection import Frontier, Options, choose, frontier
from mathhammer.analysis.sweeps import BreakEven, Sweep, break_even, sweep
from mathhammer.analysis.what_if import WhatIf, what_if

__all__ = [
    "METRICS",
    "ArmyTable",
    "Assignment",
    "Attacker",
    "BreakEven",
    "Cell",
    "Defender",
    "Frontier",
    "Grid",
    "Options",
    "Row",
    "Sweep",
    "WeaponUse",
    "WhatIf",
    "army_table",
    "assign",
    "break_even",
    "choose",
    "frontier",
    "grid",
    "sweep",
    "what_if",
]
