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
    from mathhammer.analysis.assignment import assign
    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.gains import rule_worths, what_if
    from mathhammer.analysis.grids import METRICS, Grid, grid
    from mathhammer.analysis.matchups import army_table
    from mathhammer.analysis.selection import choose, frontier
    from mathhammer.analysis.sweeps import break_even, sweep

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

_NAMES = {
    "assignment": ("assign",),
    "attackers": ("Attacker", "Defender"),
    "gains": ("rule_worths", "what_if"),
    "grids": ("METRICS", "Grid", "grid"),
    "matchups": ("army_table",),
    "selection": ("choose", "frontier"),
    "sweeps": ("break_even", "sweep"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
