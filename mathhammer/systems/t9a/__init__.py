"""The 9th Age: Fantasy Battles: model parts, units, tests, charges, and rounds of combat.

Examples
--------
>>> from mathhammer import t9a
>>> bows = t9a.ModelPart("Longbows", attacks=15, aim="4+", strength=3)
>>> orcs = t9a.Target("Orcs", models=20, resilience=3, armour=1)
>>> float(t9a.attack(bows, orcs, long_range=True, exact=True).probability_panic_test)
0.046441
"""

from __future__ import annotations

from mathhammer.systems.t9a.attack import AttackResult, attack, panic_threshold
from mathhammer.systems.t9a.attributes import armour_of, parse_attributes
from mathhammer.systems.t9a.choices import CombatChoice, CombatPlan
from mathhammer.systems.t9a.profiles import Bracketed, ModelPart, Target
from mathhammer.systems.t9a.rolls import (
    break_test,
    cast_spell,
    characteristic_test,
    charge,
    dangerous_terrain,
    discipline_test,
    fear_test,
    flee,
    panic_test,
    probability_caught,
    pursuit,
    rally_test,
    unstable_losses,
)
from mathhammer.systems.t9a.rounds import fight, rounds_of_combat
from mathhammer.systems.t9a.situation import EDITIONS, Edition, SituationKeywords, characteristic, dice
from mathhammer.systems.t9a.units import (
    Unit,
    breath_attack,
    crush_attack,
    grind_attacks,
    impact_hits,
    stomp_attacks,
    sweeping_attack,
)

__all__ = [
    "EDITIONS",
    "AttackResult",
    "Bracketed",
    "CombatChoice",
    "CombatPlan",
    "Edition",
    "ModelPart",
    "SituationKeywords",
    "Target",
    "Unit",
    "armour_of",
    "attack",
    "break_test",
    "breath_attack",
    "cast_spell",
    "characteristic",
    "characteristic_test",
    "charge",
    "crush_attack",
    "dangerous_terrain",
    "dice",
    "discipline_test",
    "fear_test",
    "fight",
    "flee",
    "grind_attacks",
    "impact_hits",
    "panic_test",
    "panic_threshold",
    "parse_attributes",
    "probability_caught",
    "pursuit",
    "rally_test",
    "rounds_of_combat",
    "stomp_attacks",
    "sweeping_attack",
    "unstable_losses",
]


def __dir__() -> list[str]:
    return list(__all__)
