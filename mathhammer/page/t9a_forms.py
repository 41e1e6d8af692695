"""The forms of The 9th Age."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import Field, Form, Group, chosen, flags, modifiers, whole, written
from mathhammer.systems import t9a

if TYPE_CHECKING:
    from collections.abc import Mapping

GAME = t9a

_STRIKES = Group(
    "Attackers",
    (
        Field("part", "Name", "Spearmen"),
        Field("attacks", "Attacks in all", "15", help="A number, or dice such as 2D6"),
        Field("offensive_skill", "Off", "4", help="Offensive Skill, for Close Combat Attacks"),
        Field("aim", "Aim", help="Such as 4+, for Shooting Attacks; with neither all attacks hit"),
        Field("strength", "Str", "3"),
        Field("armour_penetration", "AP", "1"),
        Field("part_attributes", "Attributes and weapons", help="Such as Lethal Strike, Great Weapon"),
    ),
    profile=True,
)
_TARGET = Group(
    "Target",
    (
        Field("target", "Name", "Orcs"),
        Field("models", "Models", "20"),
        Field("health_points", "HP", "1", help="Health Points of each model"),
        Field("defensive_skill", "Def", "3"),
        Field("resilience", "Res", "4"),
        Field("armour", "Arm", "3"),
        Field("aegis", "Aegis", help="Such as 5+"),
        Field("fortitude", "Fortitude", help="Such as 4+"),
        Field("target_attributes", "Attributes", help="Such as Parry, Distracting, Hard Target"),
    ),
    profile=True,
)
_SITUATION = Group(
    "Situation",
    (
        *flags(
            charging="The attackers charged this turn",
            first_round="It is the first Round of Combat",
            flank_or_rear="The attack is on flank or rear",
            flanked="The attackers are engaged in flank or rear",
            long_range="The target is at long range",
            moved="The shooters moved",
            stand_and_shoot="The shots are a charge reaction",
            attacker_afraid="The attackers failed their Fear Test",
            target_afraid="The target failed its Fear Test",
        ),
        chosen("cover", "Cover", {"soft": "soft", "hard": "hard"}),
        *modifiers(
            hit_modifier="Added to to-hit rolls",
            wound_modifier="Added to to-wound rolls",
            armour_modifier="Added to the target's Armour",
        ),
        *(
            chosen(f"reroll_{name}", f"Re-roll {what}", {"ones": "ones", "failed": "failed"})
            for name, what in {
                "hits": "to-hit rolls",
                "wounds": "to-wound rolls",
                "armour": "Armour Saves",
                "special": "Special Saves",
            }.items()
        ),
    ),
)
_CHARGE = Group(
    "Charge",
    (
        Field("distance", "Distance in inches", "11"),
        Field("advance", "Advance Rate", "4"),
        Field("random_movement", "Random Movement", help="Dice of the unit, instead of an Advance Rate"),
        *flags(
            swiftstride="Swiftstride",
            champion="A Champion orders the charge",
            reroll="A failed charge is re-rolled",
        ),
    ),
)
_BREAK = Group(
    "Break Test",
    (
        Field("discipline", "Discipline", "7"),
        Field("lost_by", "Combat lost by", "2"),
        Field("commanding_presence", "Discipline of the General", help="With Commanding Presence"),
        *flags(
            steadfast="Steadfast (2nd edition)",
            steady="Steady (3rd edition)",
            stubborn="Stubborn",
            reroll="A failed test is re-rolled",
        ),
    ),
)


def _named(given: Mapping[str, Any], group: Group, left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return what a group's boxes and choices hold, as keywords."""
    names = (field.name for field in group.fields if field.kind != "text" and field.name not in left_out)
    return {name: given[name] for name in names if given.get(name)}


def _optional(given: Mapping[str, Any], name: str) -> int | None:
    return whole(given, name) if written(given, name) else None


def _attack(given: Mapping[str, Any], **options: Any) -> Any:
    part = t9a.ModelPart(
        written(given, "part") or "Attackers",
        attacks=written(given, "attacks") or 1,
        offensive_skill=_optional(given, "offensive_skill"),
        aim=written(given, "aim") or None,
        strength=whole(given, "strength", 0),
        armour_penetration=whole(given, "armour_penetration", 0),
        attributes=written(given, "part_attributes"),
    )
    target = t9a.Target(
        written(given, "target") or "Target",
        models=whole(given, "models"),
        health_points=whole(given, "health_points"),
        defensive_skill=_optional(given, "defensive_skill"),
        resilience=whole(given, "resilience", 0),
        armour=whole(given, "armour", 0),
        aegis=written(given, "aegis") or None,
        fortitude=written(given, "fortitude") or None,
        attributes=written(given, "target_attributes"),
    )
    return t9a.attack(part, target, **_named(given, _SITUATION), **options)


def _charge(given: Mapping[str, Any], **options: Any) -> Any:
    random = written(given, "random_movement") or None
    return t9a.charge(
        distance=whole(given, "distance", 0),
        advance=None if random else whole(given, "advance", 0),
        random_movement=random,
        **_named(given, _CHARGE),
        **options,
    )


def _break_test(given: Mapping[str, Any], **options: Any) -> Any:
    return t9a.break_test(
        whole(given, "discipline", 0),
        whole(given, "lost_by", 0),
        commanding_presence=_optional(given, "commanding_presence"),
        **_named(given, _BREAK),
        **options,
    )


FORMS = {
    "attack": Form("Attack", (_STRIKES, _TARGET, _SITUATION), _attack),
    "charge": Form("Charge", (_CHARGE,), _charge),
    "break_test": Form("Break Test", (_BREAK,), _break_test),
}
