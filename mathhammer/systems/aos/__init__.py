"""Warhammer Age of Sigmar, 4th edition: attacks, wards, charges, magic, prayers, and both sides of a fight.

Examples
--------
>>> from mathhammer import aos
>>> blades = "Hellblade: 10 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1 [Crit (Mortal)]"
>>> float(aos.attack(blades, "LIBERATORS").kills.mean())
3.2269
"""

from __future__ import annotations

from mathhammer.sequence.result import AttackResult
from mathhammer.systems.aos.attack import attack, fight
from mathhammer.systems.aos.profiles import TARGETS, Target, Unit, Weapon
from mathhammer.systems.aos.rolls import cast, chant, charge
from mathhammer.systems.aos.rules import EDITIONS, RULINGS, Situation

__all__ = [
    "EDITIONS",
    "RULINGS",
    "TARGETS",
    "AttackResult",
    "Situation",
    "Target",
    "Unit",
    "Weapon",
    "attack",
    "cast",
    "chant",
    "charge",
    "fight",
]


def __dir__() -> list[str]:
    return list(__all__)
