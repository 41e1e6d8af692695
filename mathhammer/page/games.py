"""The forms of the other games, made of their fields when they are first asked for."""

from __future__ import annotations

from typing import Any

from mathhammer.fields.profile import fields_of
from mathhammer.page.fields import Fieldset, Form, chosen, control, controls, profile


def aos() -> tuple[Any, dict[str, Form]]:
    """Return Age of Sigmar and its forms."""
    from mathhammer.systems import aos as game

    weapon = (
        "weapon=Warhammer, weapon_models=5, champion, attacks=2, hit=3+, wound=3+, rend=1, weapon_damage=1, "
        "weapon_attributes, -battle_damaged, -behind"
    )
    target = (
        "target=Liberators, target_models=5, health=2, save=3+, ward, target_damage, target_attributes=Infantry, "
        "-move, -control, -points, -battle_damaged_at"
    )
    rolls = {
        "charge": ("Charge", "distance=9, reroll"),
        "cast": ("Cast", "value=7, unbound"),
        "chant": ("Chant", "value=5, points, turns=2"),
    }
    struck = profile("Target", game.Target, "target", target, name="the target")
    presets = {label: struck.filled(each) for label, each in game.TARGETS.items()}
    attack = (
        profile("Weapon", game.Weapon, "weapon", weapon, name="Weapon"),
        struck._replace(presets=presets),
        Fieldset("Situation", [control(*each) for each in game.Situation.fields.items()]),
    )
    return game, {
        "attack": Form("Attack", attack, game.attack),
        **{
            name: Form(title, (controls(title, fields_of(getattr(game, name)), first),), getattr(game, name))
            for name, (title, first) in rolls.items()
        },
    }


def t9a() -> tuple[Any, dict[str, Form]]:
    """Return The 9th Age and its forms."""
    from mathhammer.systems import t9a as game
    from mathhammer.systems.t9a.situation import Situation

    def charged(**said: Any) -> Any:
        return game.charge(**said | ({"advance": None} if "random_movement" in said else {}))

    part = (
        "part=Spearmen, attacks=15, offensive_skill=4, aim, strength=3, armour_penetration=1, part_attributes, "
        "-models, -agility, -bracketed, -at, -of, -behind, -special"
    )
    target = (
        "target=Orcs, models=20, health_points=1, defensive_skill=3, resilience=4, armour=3, aegis, fortitude, "
        "target_attributes, -champion, -lost, -started_as"
    )
    charge = "distance=11, advance=4, random_movement, swiftstride, champion, reroll, -maximised, -minimised"
    nerve = (
        "discipline=7, lost_by=2, commanding_presence, steadfast, steady, stubborn, reroll, "
        "-solid, -unbreakable, -modifier, -minimised, -maximised"
    )
    situation = (each for each in Situation.fields.items() if each[0] not in {"width", "depth"})
    attack = (
        profile("Attackers", game.ModelPart, "part", part, name="Attackers", attacks=1),
        profile("Target", game.Target, "target", target, name="Target"),
        Fieldset("Situation", [control(*each) for each in situation]),
    )
    broken = controls("Break Test", fields_of(game.break_test), nerve)
    return game, {
        "attack": Form("Attack", attack, game.attack),
        "charge": Form("Charge", (controls("Charge", fields_of(game.charge), charge),), charged),
        "break_test": Form("Break Test", (broken,), game.break_test),
    }


def tc() -> tuple[Any, dict[str, Form]]:
    """Return Trench Crusade and its forms."""
    from mathhammer.systems import trench_crusade as game
    from mathhammer.systems.trench_crusade.situation import SITUATION

    def attacked(weapon: Any, attacker: Any, target: Any, **said: Any) -> Any:
        return game.attack(weapon, target, attacker=attacker, **said)

    weapon = "weapon=Shotgun, kind=ranged, dice=+1, injury_dice, injury_modifier, weapon_keywords=SHOTGUN"
    attacker = "ranged, melee, attacker_blood, attacker_blessing, attacker_keywords, -name, -infection, -down"
    target = (
        "target=Trench Pilgrim, armour=standard, shield, characteristic, blood, blessing, down, target_keywords, "
        "-armour_dice, -impervious, -injury_dice, -injury_modifier, -infection, -tough_used"
    )
    numbers = ("dice", "injury_dice", "injury_modifier")
    weapons = {
        name: {
            "weapon": each.name,
            "kind": each.kind,
            **{key: f"{value:+d}" if (value := getattr(each, key)) else "" for key in numbers},
            "weapon_keywords": ", ".join(map(str, each.keywords)),
        }
        for name, each in game.WEAPONS.items()
    }
    best = {"as well as can be": "best"}
    spending = (
        chosen("spend", "The attacker spends", best),
        chosen("reply", "The defender spends", best),
        chosen("objective", "The attacker wants", {"Down or worse": "down or worse"}),
        chosen("spends_first", "Who spends first", {"the attacker": "attacker", "the defender": "defender"}),
    )
    fired = profile(
        "Weapon", game.Weapon, "weapon", f"{weapon}, -dice_off_hand", name="Weapon", kind="ranged"
    )
    attack = (
        fired._replace(presets=weapons),
        profile("Attacker", game.Attacker, "attacker", attacker),
        profile("Target", game.Target, "target", target, name="the target"),
        Fieldset("Situation", [control(*each) for each in SITUATION.items()]),
        Fieldset("Markers", spending),
    )
    return game, {"attack": Form("Attack", attack, attacked)}
