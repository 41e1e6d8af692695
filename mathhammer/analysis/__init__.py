"""Questions about many attacks at once: an army against a list of targets."""

from __future__ import annotations

from mathhammer.analysis.attackers import Attacker, Defender
from mathhammer.analysis.grid import METRICS, Grid, grid
from mathhammer.analysis.matchups import ArmyTable, Cell, Row, WeaponUse, army_table

__all__ = [
    "METRICS",
    "ArmyTable",
    "Attacker",
    "Cell",
    "Defender",
    "Grid",
    "Row",
    "WeaponUse",
    "army_table",
    "grid",
]
