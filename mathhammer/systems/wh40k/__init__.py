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

from mathhammer.lazy import exports

if TYPE_CHECKING:
    from mathhammer.modifiers import Modifier
    from mathhammer.sequence import ChargeResult, RerollPlan, RerollPolicy, RerollState, RollResult
    from mathhammer.systems.wh40k.armies.army import Army, ModelGroup, Unit, WeaponLine
    from mathhammer.systems.wh40k.attacks.activations import ActivationResult, activations, best_order
    from mathhammer.systems.wh40k.attacks.attack import attack
    from mathhammer.systems.wh40k.attacks.changes import CHANGES, Change, Fishing, best_faces
    from mathhammer.systems.wh40k.attacks.comparison import Difference, EditionComparison, compare_editions
    from mathhammer.systems.wh40k.attacks.fast_rolls import FastRoll, fast_roll_check
    from mathhammer.systems.wh40k.attacks.focus import Focus, FocusStep, focus
    from mathhammer.systems.wh40k.attacks.hazards import (
        DesperateEscapeResult,
        HazardousResult,
        desperate_escape,
        hazardous,
    )
    from mathhammer.systems.wh40k.attacks.needed import Needed, needed
    from mathhammer.systems.wh40k.attacks.result import AttackResult
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
    from mathhammer.systems.wh40k.editions import EDITIONS, Edition
    from mathhammer.systems.wh40k.profiles.incoming import Incoming
    from mathhammer.systems.wh40k.profiles.keywords import Keyword, parse_keywords
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.profiles.targets import TARGETS, find_target
    from mathhammer.systems.wh40k.profiles.triggers import Trigger
    from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley
    from mathhammer.systems.wh40k.situation import Situation, SituationKeywords
    from mathhammer.systems.wh40k.turns.combatant import Combatant
    from mathhammer.systems.wh40k.turns.result import TurnResult
    from mathhammer.systems.wh40k.turns.turn import turn
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, UnitRule

#: What is offered, by the modules that are loaded when one of their names is first used (PEP 562).
_HOMES = {
    "armies.army": "Army ModelGroup Unit WeaponLine",
    "attacks.activations": "ActivationResult activations best_order",
    "attacks.attack": "attack",
    "attacks.changes": "CHANGES Change Fishing best_faces",
    "attacks.comparison": "Difference EditionComparison compare_editions",
    "attacks.fast_rolls": "FastRoll fast_roll_check",
    "attacks.focus": "Focus FocusStep focus",
    "attacks.hazards": "DesperateEscapeResult HazardousResult desperate_escape hazardous",
    "attacks.needed": "Needed needed",
    "attacks.result": "AttackResult",
    "attacks.unit_rolls": (
        "battle_shock charge crushing_impact deadly_demise grenade mortal_wounds probability_half_strength tank_shock"
    ),
    "editions": "EDITIONS Edition",
    "mathhammer.modifiers": "Modifier",
    "mathhammer.sequence": "ChargeResult RerollPlan RerollPolicy RerollState RollResult",
    "profiles.incoming": "Incoming",
    "profiles.keywords": "Keyword parse_keywords",
    "profiles.profiles": "Target Weapon",
    "profiles.target_unit": "TargetUnit",
    "profiles.targets": "TARGETS find_target",
    "profiles.triggers": "Trigger",
    "profiles.volleys": "MortalWounds Volley",
    "situation": "Situation SituationKeywords",
    "turns.combatant": "Combatant",
    "turns.result": "TurnResult",
    "turns.turn": "turn",
    "unit_rules.rule": "RuleCondition RuleEffect UnitRule",
}

__all__, __getattr__, __dir__ = exports(__name__, _HOMES)
