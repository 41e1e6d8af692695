"""Warhammer 40,000: weapons, targets, and the attack sequence of its editions.

Examples
--------
>>> from mathhammer import wh40k
>>> rifle = wh40k.Weapon.parse("Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]")
>>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
>>> wh40k.attack(rifle, marines, count=10, exact=True).unsaved.mean()
10/3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.lazy import on_first_use
from mathhammer.modifiers import Modifier
from mathhammer.sequence.reroll_plan import RerollPolicy, RerollState
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.attacks.result import AttackResult
from mathhammer.systems.wh40k.editions import EDITIONS
from mathhammer.systems.wh40k.editions.edition import Edition
from mathhammer.systems.wh40k.profiles.keywords import Keyword, parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.standard_targets import TARGETS, find_target
from mathhammer.systems.wh40k.profiles.targets import TargetUnit
from mathhammer.systems.wh40k.profiles.triggers import Incoming, Trigger
from mathhammer.systems.wh40k.situation import MortalWounds, Situation, SituationKeywords, Volley

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
    from mathhammer.systems.wh40k.attacks.activations import activations, best_order, needed
    from mathhammer.systems.wh40k.attacks.changes import CHANGES, best_faces
    from mathhammer.systems.wh40k.attacks.comparison import compare_editions
    from mathhammer.systems.wh40k.attacks.fast_rolls import fast_roll_check
    from mathhammer.systems.wh40k.attacks.focus import focus
    from mathhammer.systems.wh40k.attacks.hazards import desperate_escape, hazardous
    from mathhammer.systems.wh40k.attacks.unit_rolls import (
        battle_shock,
        charge,
        crushing_impact,
        deadly_demise,
        grenade,
        mortal_wounds,
        probability_half_strength,
        tank_shock,
    )
    from mathhammer.systems.wh40k.turns.combatant import Combatant
    from mathhammer.systems.wh40k.turns.turn import turn
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, UnitRule

#: What most sessions do without loads on first use (PEP 562).
_HOMES = {
    "armies.army": "Army",
    "armies.unit": "ModelGroup Unit WeaponLine",
    "attacks.activations": "activations best_order needed",
    "attacks.changes": "CHANGES best_faces",
    "attacks.comparison": "compare_editions",
    "attacks.fast_rolls": "fast_roll_check",
    "attacks.focus": "focus",
    "attacks.hazards": "desperate_escape hazardous",
    "attacks.unit_rolls": (
        "battle_shock charge crushing_impact deadly_demise grenade mortal_wounds probability_half_strength "
        "tank_shock"
    ),
    "turns.combatant": "Combatant",
    "turns.turn": "turn",
    "unit_rules.rule": "RuleCondition RuleEffect UnitRule",
}

__all__ = ["CHANGES", "EDITIONS", "TARGETS", "Army", "AttackResult", "Combatant", "Edition", "Incoming"]
__all__ += ["Keyword", "ModelGroup", "Modifier", "MortalWounds", "RerollPolicy", "RerollState"]
__all__ += ["RuleCondition", "RuleEffect", "Situation", "SituationKeywords", "Target", "TargetUnit"]
__all__ += ["Trigger", "Unit", "UnitDistribution", "UnitRule", "Volley", "Weapon", "WeaponLine"]
__all__ += ["activations", "attack", "battle_shock", "best_faces", "best_order", "charge", "compare_editions"]
__all__ += ["crushing_impact", "deadly_demise", "desperate_escape", "fast_roll_check", "find_target", "focus"]
__all__ += ["grenade", "hazardous", "mortal_wounds", "needed", "parse_keywords", "probability_half_strength"]
__all__ += ["tank_shock", "turn"]

__getattr__ = on_first_use(__name__, _HOMES)
