"""The forms of Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import Field, Form, Group, chosen
from mathhammer.page.situations import TRENCH_CRUSADE
from mathhammer.systems import trench_crusade

if TYPE_CHECKING:
    from mathhammer.page.fields import Request

GAME = trench_crusade

_KINDS = {"ranged": "ranged", "melee": "melee", "grenade": "grenade"}
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
    (
        Field("weapon", "Name", "Shotgun"),
        chosen("kind", "Kind", _KINDS, "ranged"),
        Field("dice", "DICE", "+1", number=0),
        Field("injury_dice", "INJURY DICE", number=0),
        Field("injury_modifier", "INJURY MODIFIER", number=0),
        Field("weapon_keywords", "Keywords", "SHOTGUN", help="Such as AUTOMATIC 3, RISKY"),
    ),
    _presets(),
    profile=True,
)
_ATTACKER = Group(
    "Attacker",
    (
        Field("ranged", "Ranged", help="Ranged Characteristic: DICE added to Success Rolls", number=0),
        Field("melee", "Melee", help="Melee Characteristic", number=0),
        Field("attacker_blood", "Blood Markers", number=0),
        Field("attacker_blessing", "Blessing Markers", number="none"),
        Field("attacker_keywords", "Keywords", help="Such as STRONG, FEAR"),
    ),
    profile=True,
)
_TARGET = Group(
    "Target",
    (
        Field("target", "Name", "Trench Pilgrim"),
        chosen(
            "armour",
            "Armour",
            {"Standard": "standard", "Reinforced": "reinforced", "Machine": "machine"},
            "standard",
        ),
        Field("shield", "Trench Shield", kind="flag"),
        Field("characteristic", "Armour Characteristic", help="0 or less", number=0),
        Field("blood", "Blood Markers", number=0),
        Field("blessing", "Blessing Markers", number="none"),
        Field("down", "Down", kind="flag"),
        Field("target_keywords", "Keywords", help="Such as TOUGH, FEAR"),
    ),
    profile=True,
)
_SITUATION = Group("Situation", TRENCH_CRUSADE)
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
