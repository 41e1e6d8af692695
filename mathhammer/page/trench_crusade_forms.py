"""The forms of Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import Form, Group, chosen, control, controls_of
from mathhammer.systems import trench_crusade
from mathhammer.systems.trench_crusade.situation import SITUATION

if TYPE_CHECKING:
    from mathhammer.page.fields import Request

GAME = trench_crusade

_WEAPON_FIELDS = ("dice", "injury_dice", "injury_modifier")


def _number(value: int) -> str:
    return f"{value:+d}" if value else ""


def _presets() -> dict[str, dict[str, object]]:
    """Return the weapons of the rules as what fills their fields."""
    return {
        name: {
            "weapon": weapon.name,
            "kind": weapon.kind,
            **{each: _number(getattr(weapon, each)) for each in _WEAPON_FIELDS},
            "weapon_keywords": ", ".join(map(str, weapon.keywords)),
        }
        for name, weapon in trench_crusade.WEAPONS.items()
    }


_WEAPON = Group(
    "Weapon",
    controls_of(
        trench_crusade.Weapon.fields,
        "weapon",
        weapon="Shotgun",
        kind="ranged",
        dice="+1",
        injury_dice="",
        injury_modifier="",
        weapon_keywords="SHOTGUN",
    ),
    _presets(),
    profile=True,
)
_ATTACKER = Group(
    "Attacker",
    controls_of(
        trench_crusade.Attacker.fields,
        "attacker",
        ranged="",
        melee="",
        attacker_blood="",
        attacker_blessing="",
        attacker_keywords="",
    ),
    profile=True,
)
_TARGET = Group(
    "Target",
    controls_of(
        trench_crusade.Target.fields,
        "target",
        target="Trench Pilgrim",
        armour="standard",
        shield="",
        characteristic="",
        blood="",
        blessing="",
        down="",
        target_keywords="",
    ),
    profile=True,
)
_SITUATION = Group("Situation", [control(name, field) for name, field in SITUATION.items()])
_SPENDING = Group(
    "Markers",
    (
        chosen("spend", "The attacker spends", {"as well as can be": "best"}),
        chosen("reply", "The defender spends", {"as well as can be": "best"}),
        chosen("objective", "The attacker wants", {"Down or worse": "down or worse"}),
        chosen("spends_first", "Who spends first", {"the attacker": "attacker", "the defender": "defender"}),
    ),
)


def _attack(given: Request, **options: Any) -> Any:
    weapon = trench_crusade.Weapon(**_WEAPON.read(given, "weapon", name="Weapon", kind="ranged"))
    attacker = trench_crusade.Attacker(**_ATTACKER.read(given, "attacker"))
    target = trench_crusade.Target(**_TARGET.read(given, "target", name="the target"))
    said = {name: value for name, value in _SITUATION.read(given).items() if value} | _SPENDING.read(given)
    return trench_crusade.attack(weapon, target, attacker=attacker, **said, **options)


FORMS = {"attack": Form("Attack", (_WEAPON, _ATTACKER, _TARGET, _SITUATION, _SPENDING), _attack)}
