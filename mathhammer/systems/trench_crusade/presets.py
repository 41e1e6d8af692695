"""Common weapons by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.display import Catalogue
from mathhammer.systems.trench_crusade.profiles import Weapon

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WEAPONS"]

_LIST = (
    Weapon("Bolt-Action Rifle", kind="ranged"),
    Weapon("Musket", kind="ranged", injury_dice=-1),
    Weapon("Shotgun", kind="ranged", dice=+1, keywords="SHOTGUN"),
    Weapon("Machine Gun", kind="ranged", keywords="AUTOMATIC 3"),
    Weapon("Sniper Rifle", kind="ranged", dice=+1, keywords="CRITICAL, RISKY, IGNORE ARMOUR ON CRITICAL"),
    Weapon("Anti-Materiel Rifle", kind="ranged", injury_dice=+1, keywords="CRITICAL, IGNORE ARMOUR"),
    Weapon("Flamethrower", kind="ranged", injury_dice=-1, keywords="FIRE, FLAMETHROWER, IGNORE ARMOUR"),
    Weapon("Sword", kind="melee", keywords="CRITICAL"),
    Weapon("Great Sword", kind="melee", injury_dice=+1, keywords="CRITICAL"),
    Weapon("Great Hammer", kind="melee", injury_modifier=+1),
    Weapon("Trench Knife", kind="melee", dice=-1),
    Weapon("Flail", kind="melee", dice=+1, dice_off_hand=0),
    Weapon("Misericordia", kind="melee", keywords="IGNORE ARMOUR ON DOWN"),
    Weapon("Gas Grenade", kind="grenade", injury_dice=-1, keywords="GAS, IGNORE ARMOUR, BLAST 3"),
    Weapon("Frag Grenade", kind="grenade", keywords="SHRAPNEL, BLAST 2"),
    Weapon("Satchel Charge", kind="grenade", injury_dice=+1, keywords="IGNORE ARMOUR, BLAST 3, SCATTER"),
)

WEAPONS: Mapping[str, Weapon] = Catalogue(
    "common weapons of Trench Crusade", {weapon.name: weapon for weapon in _LIST}
)
"""The common weapons by name: numbers and keywords of Trench Crusade rules 1.0.2, Battlekit."""
