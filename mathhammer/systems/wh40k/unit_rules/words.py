"""Effects of rules in a player's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect

_CONDITIONS = {
    "leading": "while leading {}",
    "led_by": "while led by {}",
    "contains": "while the unit contains {}",
    "wargear": "if equipped with {}",
    "target_keyword": "against {}",
    "target_not_keyword": "not against {}",
    "target_intact": "against a unit at full strength",
    "target_half_left": "against a unit with half of it left",
    "target_losses": "against a unit {}",
    "target_battle_shocked": "against a Battle-shocked unit",
    "stronger": "if S > T",
    "weaker": "if S < T",
    "strength_at_most": "of Strength {} or less",
    "damage_1": "of Damage 1",
    "charged": "after a charge",
    "stationary": "if stationary",
    "advanced": "after advancing",
    "half_range": "within half range",
    "overwatch": "in Overwatch",
    "losses": "while {}",
    "enemy_losses": "while the enemy is {}",
    "battle_shocked": "while Battle-shocked",
    "own_strength": "at its Starting Strength",
    "objective": "at an objective",
    "closest": "against the closest target",
    "distance": "within its distance",
    "marked": "against a marked enemy",
    "friend": "on a chosen friend",
    "aura": "within its aura",
    "enemy_near": "by an enemy near it",
    "once": "once per battle or turn",
    "use": "when used",
    "choice": "if {} is chosen",
    "state": "in its state {}",
    "test": "after a test",
    "roll": "on a roll",
    "token": "for a token",
    "disembarked": "after disembarking",
    "set_up": "after being set up",
    "moment": "at its moment",
    "hidden": "when not fully visible",
    "on_critical_wound": "on critical wounds",
    "on_critical_hit": "on critical hits",
}
_NAMES = {
    "ap": "AP",
    "skill": "BS/WS",
    "toughness": "Toughness",
    "save": "Save",
    "damage_allocated": "Damage",
    "wounds": "Wounds",
}
_PLAIN = {
    "reroll_hits": "re-roll hits: {}",
    "reroll_wounds": "re-roll wounds: {}",
    "reroll_damage": "re-roll damage: {}",
    "reroll_saves": "re-roll saves: {}",
    "reroll_saves_invulnerable": "re-roll invulnerable saves: {}",
    "reroll_attacks": "re-roll the number of attacks",
    "reroll_one": "one re-roll of several kinds",
    "keyword": "[{}]",
    "critical_hit": "critical hits on {}+",
    "critical_wound": "critical wounds on {}+",
    "ignore_modifiers": "ignores modifiers of {}",
    "no_cover": "{1} has no cover",
    "ignore_engaged": "no penalty for being engaged",
    "overwatch": "Overwatch hits on {}+",
    "set_to_6": "one die is a 6",
    "invulnerable": "invulnerable save {}+",
    "half_damage": "Damage is halved",
    "damage_to": "Damage becomes {}",
    "stealth": "Stealth",
    "cover": "cover",
    "save_modifier": "{:+d} to saves",
    "deadly_demise": "Deadly Demise {}",
}


def effect_text(effect: RuleEffect) -> str:
    """Return what an effect does, to which attacks, and when."""
    parts = [_what(effect)]
    if effect.kind == "damage_allocated":
        parts[0] += " for attacks allocated to it"
    elif effect.side == "defence" and effect.kind in {"hit", "wound", "ap", "strength", "damage", "attacks"}:
        parts[0] += " for attacks against it"
    elif effect.side == "enemy":
        parts[0] += f" for the enemy ({', '.join(effect.who)})" if effect.who else " for the enemy"
    if effect.attacks != "any":
        parts.append(
            {"melee": "in melee", "ranged": "at range"}.get(effect.attacks, f"of {effect.attacks} attacks")
        )
    if effect.weapons:
        parts.append(f"with {', '.join(effect.weapons)}")
    if effect.scope == "friends":
        parts.append(f"for friendly {', '.join(effect.who) or 'units'}")
    elif effect.who and effect.side != "enemy":
        parts.append(f"for {', '.join(effect.who)}")
    parts += map(_when, effect.when)
    return " ".join(parts) + (" instead" if effect.instead else "")


def _what(effect: RuleEffect) -> str:
    kind, value = effect.kind, effect.value
    if kind in {"hit", "wound"}:
        return f"{value:+d} to {kind} rolls"
    if kind == "feel_no_pain":
        need, against = effect.pain
        kinds = {
            "": "",
            "both": " against mortal wounds and psychic attacks",
            "psychic": " against psychic attacks",
        }
        return f"Feel No Pain {need}+{kinds.get(against, ' against mortal wounds')}"
    if kind in _PLAIN:
        text = _PLAIN[kind].format(value, "it" if effect.side == "defence" else "the target")
        return text.replace("successful ", "").replace("++", "+") if kind.startswith("critical") else text
    name = _NAMES.get(kind, kind.capitalize())
    if effect.operation in {"improve", "worsen"}:
        return f"{name} {'better' if effect.operation == 'improve' else 'worse'} by {value}"
    if effect.operation == "set":
        return f"{name} {value}"
    return f"{name} x{value}" if effect.operation == "multiply" else f"{value:+d} {name}"


def _when(condition: RuleCondition) -> str:
    text = _CONDITIONS.get(condition.kind, condition.kind.replace("_", " "))
    return " ".join(text.format(", ".join(condition.value)).split())
