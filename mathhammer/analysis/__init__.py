"""Questions about many attacks at once: an army against a list of targets."""

from __future__ import annotations

from mathhammer.analysis.matchups import ArmyTable, Cell, Row, WeaponUse, army_table

__all__ = ["ArmyTable", "Cell", "Row", "WeaponUse", "army_table"]
