"""Whole armies of Warhammer 40,000: tables of attackers and targets, and what to choose.

Examples
--------
>>> from mathhammer import analysis, wh40k
>>> rifle = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
>>> analysis.grid({"squad": wh40k.Volley(rifle, 9)}, "MEQ").metric("mean_wounds_lost").round(3)
array([[2.]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer.analysis.assignment import assign
    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.comparison import break_even, choose, frontier, sweep
    from mathhammer.analysis.gains import army_table, rule_worths, what_if
    from mathhammer.analysis.grids import METRICS, Grid, grid

__all__ = [
    "METRICS",
    "Attacker",
    "Defender",
    "Grid",
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

# The page for the browser assigns units without NumPy.
__getattr__ = on_first_use(
    __name__,
    {
        "assignment": "assign",
        "attackers": "Attacker Defender",
        "comparison": "break_even choose frontier sweep",
        "gains": "army_table rule_worths what_if",
        "grids": "METRICS Grid grid",
    },
)
