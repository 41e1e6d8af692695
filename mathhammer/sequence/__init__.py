"""The attack sequence of any game: volleys, the walk over a unit, the result and its explanation."""

from __future__ import annotations

from mathhammer.sequence.allocation import Allocation, Group
from mathhammer.sequence.dice_order import losses_in_any_order, losses_in_order
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.mixed_result import MixedResult
from mathhammer.sequence.pools import Pool, SharedPools
from mathhammer.sequence.question import Question, Reproducible, asked
from mathhammer.sequence.resolution import losses
from mathhammer.sequence.result import AttackResult, damage_of
from mathhammer.sequence.rulings import Ruling, Rulings, rulings_in_force
from mathhammer.sequence.shares import Rolled, Share, shares
from mathhammer.sequence.unit_choices import chosen_losses
from mathhammer.sequence.unit_law import EqualModels, UnitLaw, UnitStates, start_index
from mathhammer.sequence.unit_resolution import (
    AllocatedDirectly,
    AllocatedVolley,
    AllocatedWounds,
    continued,
    unit_losses,
)
from mathhammer.sequence.volley import AttackLaw, Chances, DirectWounds, Volley, VolleyLaw, ignoring_wounds
from mathhammer.sequence.wound_law import OneReroll, WoundLaw

__all__ = [
    "AllocatedDirectly",
    "AllocatedVolley",
    "AllocatedWounds",
    "Allocation",
    "AttackLaw",
    "AttackResult",
    "Chances",
    "DirectWounds",
    "EqualModels",
    "Explanation",
    "Group",
    "MixedResult",
    "OneReroll",
    "Pool",
    "Probability",
    "Question",
    "Reproducible",
    "Rolled",
    "Ruling",
    "Rulings",
    "Share",
    "SharedPools",
    "Step",
    "UnitLaw",
    "UnitStates",
    "Volley",
    "VolleyLaw",
    "WoundLaw",
    "asked",
    "chosen_losses",
    "continued",
    "damage_of",
    "ignoring_wounds",
    "losses",
    "losses_in_any_order",
    "losses_in_order",
    "rulings_in_force",
    "shares",
    "start_index",
    "unit_losses",
]
