"""The forms of The 9th Age."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.fields.question import fields_of
from mathhammer.page.fields import Form, Group, control, controls_of
from mathhammer.systems import t9a
from mathhammer.systems.t9a.situation import Situation

if TYPE_CHECKING:
    from mathhammer.page.fields import Request

GAME = t9a

_STRIKES = Group(
    "Attackers",
    controls_of(
        t9a.ModelPart.fields,
        "part",
        part="Spearmen",
        attacks="15",
        offensive_skill="4",
        aim="",
        strength="3",
        armour_penetration="1",
        part_attributes="",
    ),
    profile=True,
)
_TARGET = Group(
    "Target",
    controls_of(
        t9a.Target.fields,
        "target",
        target="Orcs",
        models="20",
        health_points="1",
        defensive_skill="3",
        resilience="4",
        armour="3",
        aegis="",
        fortitude="",
        target_attributes="",
    ),
    profile=True,
)
_AREA = ("width", "depth")
_SITUATION = Group(
    "Situation", [control(name, each) for name, each in Situation.fields.items() if name not in _AREA]
)
_CHARGE = Group(
    "Charge",
    controls_of(
        fields_of(t9a.charge),
        distance="11",
        advance="4",
        random_movement="",
        swiftstride="",
        champion="",
        reroll="",
    ),
)
_BREAK = Group(
    "Break Test",
    controls_of(
        fields_of(t9a.break_test),
        discipline="7",
        lost_by="2",
        commanding_presence="",
        steadfast="",
        steady="",
        stubborn="",
        reroll="",
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
