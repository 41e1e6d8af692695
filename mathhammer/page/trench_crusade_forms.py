"""The forms of Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import Field, Form, Group, chosen, flags, whole, written
from mathhammer.systems import trench_crusade

if TYPE_CHECKING:
    from collections.abc import Mapping

GAME = trench_crusade

_KINDS = {"ranged": "ranged", "melee": "melee", "grenade": "grenade"}
_WEAPON_FIELDS = ("dice", "injury_dice", "injury_modifier")


def _number(value: int) -> str:
    return f"{value:+d}" if value else ""


def _presets() -> dict[str, dict[str, Any]]:
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
        Field("dice", "DICE", "+1"),
        Field("injury_dice", "INJURY DICE"),
        Field("injury_modifier", "INJURY MODIFIER"),
        Field("weapon_keywords", "Keywords", "SHOTGUN", help="Such as AUTOMATIC 3, RISKY"),
    ),
    _presets(),
    profile=True,
)
_ATTACKER = Group(
    "Attacker",
    (
        Field("ranged", "Ranged", help="Ranged Characteristic: DICE added to Success Rolls"),
        Field("melee", "Melee", help="Melee Characteristic"),
        Field("attacker_blood", "Blood Markers"),
        Field("attacker_blessing", "Blessing Markers"),
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
        Field("characteristic", "Armour Characteristic", help="0 or less"),
        Field("blood", "Blood Markers"),
        Field("blessing", "Blessing Markers"),
        Field("down", "Down", kind="flag"),
        Field("target_keywords", "Keywords", help="Such as TOUGH, FEAR"),
    ),
    profile=True,
)
_ATTACK_FLAGS = {
    "long_range": "The target is at long range",
    "cover": "The target is in cover",
    "elevated": 'The attacker stands at least 3" higher',
    "charged": "The attacker charged this Turn",
    "moved": "The attacker moves in this Activation",
    "in_melee": "A PISTOL is used in melee",
    "into_melee": 'A friend is within 1" of the target',
    "off_hand": "It is the Off-Hand Weapon",
    "shaken": "The Warband is Shaken",
    "reroll": "A failed Success Roll is re-rolled",
}
_SITUATION = Group("Situation", flags(**_ATTACK_FLAGS))
_SPENDING = Group(
    "Markers",
    (
        chosen("spend", "The attacker spends", {"as well as can be": "best"}),
        chosen("reply", "The defender spends", {"as well as can be": "best"}),
        chosen("objective", "The attacker wants", {"Down or worse": "down or worse"}),
        chosen("spends_first", "Who spends first", {"the attacker": "attacker", "the defender": "defender"}),
    ),
)


def _attack(given: Mapping[str, Any], **options: Any) -> Any:
    weapon = trench_crusade.Weapon(
        written(given, "weapon") or "Weapon",
        kind=written(given, "kind") or "ranged",
        **{name: whole(given, name, 0) for name in _WEAPON_FIELDS},
        keywords=written(given, "weapon_keywords"),
    )
    attacker = trench_crusade.Attacker(
        ranged=whole(given, "ranged", 0),
        melee=whole(given, "melee", 0),
        blood=whole(given, "attacker_blood", 0),
        blessing=whole(given, "attacker_blessing") if written(given, "attacker_blessing") else None,
        keywords=written(given, "attacker_keywords"),
    )
    target = trench_crusade.Target(
        written(given, "target") or "the target",
        armour=written(given, "armour") or "none",
        shield=bool(given.get("shield")),
        characteristic=whole(given, "characteristic", 0),
        blood=whole(given, "blood", 0),
        blessing=whole(given, "blessing") if written(given, "blessing") else None,
        down=bool(given.get("down")),
        keywords=written(given, "target_keywords"),
    )
    said = {name: given[name] for field in _SPENDING.fields if given.get(name := field.name)}
    situation: dict[str, Any] = {name: True for name in _ATTACK_FLAGS if given.get(name)}
    return trench_crusade.attack(weapon, target, attacker=attacker, **situation, **said, **options)


FORMS = {"attack": Form("Attack", (_WEAPON, _ATTACKER, _TARGET, _SITUATION, _SPENDING), _attack)}
