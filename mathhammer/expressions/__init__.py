"""Dice expressions, their text form, and checks against a target number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer.expressions.base import Expression
    from mathhammer.expressions.die import DirectionDie, faces
    from mathhammer.expressions.operations import ceil, floor, let, maximum, minimum, mix
    from mathhammer.expressions.parser import dice, distribution
    from mathhammer.expressions.pool import highest, lowest, middle

__all__ = [
    "DirectionDie",
    "Expression",
    "ceil",
    "dice",
    "distribution",
    "faces",
    "floor",
    "highest",
    "let",
    "lowest",
    "maximum",
    "middle",
    "minimum",
    "mix",
]

#: The modules of what most texts do not need, each also for the nodes that the operators make.
_HOMES = {
    "base": "Expression",
    "die": "DirectionDie die faces",
    "operations": "ceil floor let maximum minimum mix operations",
    "parser": "dice distribution parser",
    "pool": "highest lowest middle pool",
}

__getattr__ = on_first_use(__name__, _HOMES)
