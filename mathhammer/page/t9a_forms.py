"""The forms of The 9th Age."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import Field, Form, Group, flags
from mathhammer.page.situations import T9A
from mathhammer.systems import t9a

if TYPE_CHECKING:
    from mathhammer.page.fields import Request

GAME = t9a

_STRIKES = Group(
    "Attackers",
    (
        Field("part", "Name", "Spearmen"),
        Field("attacks", "Attacks in all", "15", help="A number, or dice such as 2D6"),
        Field("offensive_skill", "Off", "4", help="Offensive Skill, for Close Combat Attacks", number="none"),
        Field("aim", "Aim", help="Such as 4+, for Shooting Attacks; with neither all attacks hit"),
        Field("strength", "Str", "3", number=0),
        Field("armour_penetration", "AP", "1", number=0),
        Field("part_attributes", "Attributes and weapons", help="Such as Lethal Strike, Great Weapon"),
    ),
    profile=True,
)
_TARGET = Group(
    "Target",
    (
        Field("target", "Name", "Orcs"),
        Field("models", "Models", "20", number=1),
        Field("health_points", "HP", "1", help="Health Points of each model", number=1),
        Field("defensive_skill", "Def", "3", number="none"),
        Field("resilience", "Res", "4", number=0),
        Field("armour", "Arm", "3", number=0),
        Field("aegis", "Aegis", help="Such as 5+"),
        Field("fortitude", "Fortitude", help="Such as 4+"),
        Field("target_attributes", "Attributes", help="Such as Parry, Distracting, Hard Target"),
    ),
    profile=True,
)
_SITUATION = Group("Situation", T9A)
_CHARGE = Group(
    "Charge",
    (
        Field("distance", "Distance in inches", "11", number=0),
        Field("advance", "Advance Rate", "4", number=0),
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
        Field("discipline", "Discipline", "7", number=0),
        Field("lost_by", "Combat lost by", "2", number=0),
        Field(
            "commanding_presence", "Discipline of the General", help="With Commanding Presence", number="none"
        ),
        *flags(
            steadfast="Steadfast (2nd edition)",
            steady="Steady (3rd edition)",
            stubborn="Stubborn",
            reroll="A failed test is re-rolled",
        ),
    ),
)


def _attack(given: Request, **options: Any) -> Any:
    part = t9a.ModelPart(**_STRIKES.read(given, "part", name="Attackers", attacks=1))
    target = t9a.Target(**_TARGET.read(given, "target", name="Target"))
    return t9a.attack(part, target, **_SITUATION.read(given), **options)


def _charge(given: Request, **options: Any) -> Any:
    said = _CHARGE.read(given)
    if "random_movement" in said:
        said["advance"] = None
    return t9a.charge(**said, **options)


def _break_test(given: Request, **options: Any) -> Any:
    return t9a.break_test(**_BREAK.read(given), **options)


FORMS = {
    "attack": Form("Attack", (_STRIKES, _TARGET, _SITUATION), _attack),
    "charge": Form("Charge", (_CHARGE,), _charge),
    "break_test": Form("Break Test", (_BREAK,), _break_test),
}
