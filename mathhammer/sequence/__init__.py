"""The attack sequence of any game: volleys, the walk over a unit, the result and its explanation."""

from __future__ import annotations

from mathhammer.sequence.attack_distribution import (
    AttackDistribution,
    damage_roll,
    repeated,
    roll,
    saving_throw,
)
from mathhammer.sequence.call import Call, Reproducible, records_call
from mathhammer.sequence.dice_order import losses_in_any_order, losses_in_order
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.group import DamageReroll, Group, SaveDice, Wound, WoundEffect, ignoring_wounds
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.limits import require_walks
from mathhammer.sequence.pools import Pool, SharedPools
from mathhammer.sequence.reroll_plan import RerollDecision, RerollPlan, RerollPolicy, RerollState
from mathhammer.sequence.resolution import resolve, resolve_orders
from mathhammer.sequence.result import (
    AttackResult,
    MixedResult,
    RolledVolley,
    damage_of,
    damage_parts,
    mean_of,
    total_of,
)
from mathhammer.sequence.rolls import ChargeResult, RollResult
from mathhammer.sequence.rulings import Ruling, Rulings, rulings_in_force
from mathhammer.sequence.shares import Share, shares
from mathhammer.sequence.unit import Unit
from mathhammer.sequence.unit_distribution import UnitDistribution, UnitStates, resume, start_distribution
from mathhammer.sequence.volley import AttackNumber, Volley, after_saves

__all__ = [
    "AttackDistribution",
    "AttackNumber",
    "AttackResult",
    "Call",
    "ChargeResult",
    "DamageReroll",
    "Explanation",
    "Group",
    "GroupedUnit",
    "MixedResult",
    "Pool",
    "Probability",
    "Reproducible",
    "RerollDecision",
    "RerollPlan",
    "RerollPolicy",
    "RerollState",
    "RollResult",
    "RolledVolley",
    "Ruling",
    "Rulings",
    "SaveDice",
    "Share",
    "SharedPools",
    "Step",
    "Unit",
    "UnitDistribution",
    "UnitStates",
    "Volley",
    "Wound",
    "WoundEffect",
    "after_saves",
    "damage_of",
    "damage_parts",
    "damage_roll",
    "ignoring_wounds",
    "losses_in_any_order",
    "losses_in_order",
    "mean_of",
    "records_call",
    "repeated",
    "require_walks",
    "resolve",
    "resolve_orders",
    "resume",
    "roll",
    "rulings_in_force",
    "saving_throw",
    "shares",
    "start_distribution",
    "total_of",
]
