"""Trench Crusade: pools of 2D6 with +/- DICE, Injury Rolls, and markers that are spent.

Examples
--------
>>> from mathhammer import trench_crusade as tc
>>> tc.success_roll(exact=True).at_least("success")
7/12
"""

from __future__ import annotations

from mathhammer.systems.trench_crusade.attack import OBJECTIVES, attack, best_order
from mathhammer.systems.trench_crusade.battlefield import (
    blast,
    charge,
    dangerous_terrain,
    diving_charge,
    fall,
    ledge,
    morale,
    scatter,
)
from mathhammer.systems.trench_crusade.exchange import Fighter, exchange
from mathhammer.systems.trench_crusade.profiles import WEAPONS, Attacker, Target, Weapon
from mathhammer.systems.trench_crusade.result import AttackResult, Decision, SpendPolicy
from mathhammer.systems.trench_crusade.rolls import (
    Roll,
    Table,
    bloodbath_roll,
    injury_roll,
    injury_table,
    success_roll,
    success_table,
)
from mathhammer.systems.trench_crusade.rules import EDITIONS, RULINGS, Keyword, parse_keywords
from mathhammer.systems.trench_crusade.situation import (
    ALL,
    Activation,
    Attack,
    Reply,
    SituationKeywords,
    Spend,
    TargetActivation,
)

__all__ = [
    "ALL",
    "EDITIONS",
    "OBJECTIVES",
    "RULINGS",
    "WEAPONS",
    "Activation",
    "Attack",
    "AttackResult",
    "Attacker",
    "Decision",
    "Fighter",
    "Keyword",
    "Reply",
    "Roll",
    "SituationKeywords",
    "Spend",
    "SpendPolicy",
    "Table",
    "Target",
    "TargetActivation",
    "Weapon",
    "attack",
    "best_order",
    "blast",
    "bloodbath_roll",
    "charge",
    "dangerous_terrain",
    "diving_charge",
    "exchange",
    "fall",
    "injury_roll",
    "injury_table",
    "ledge",
    "morale",
    "parse_keywords",
    "scatter",
    "success_roll",
    "success_table",
]


def __dir__() -> list[str]:
    return list(__all__)
