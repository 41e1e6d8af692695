"""Weapons of the rulebook by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from mathhammer.display import Catalogue
from mathhammer.errors import UnknownNameError
from mathhammer.systems.trench_crusade.profiles import EXAMPLE, Weapon
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The name of each weapon and its keywords, as printed.
_RANGED: tuple[tuple[str, str], ...] = (
    ("Anti-Materiel Rifle", "+1 INJURY DICE, CRITICAL, HEAVY, IGNORE ARMOUR"),
    ("Automatic Pistol", "ASSAULT, AUTOMATIC 2, PISTOL"),
    ("Automatic Rifle", "ASSAULT, AUTOMATIC 2"),
    ("Automatic Shotgun", "+1 DICE, ASSAULT, SHOTGUN"),
    ("Blunderbuss", "SHRAPNEL"),
    ("Bolt-Action Rifle", ""),
    ("Flamethrower", "-1 INJURY DICE, FIRE, FLAMETHROWER, IGNORE ARMOUR"),
    ("Grenade Launcher", "BLAST 3, HEAVY, IGNORE COVER, SHRAPNEL"),
    ("Heavy Flamethrower", "-1 INJURY DICE, AUTOMATIC 2, FIRE, FLAMETHROWER, HEAVY, IGNORE ARMOUR"),
    ("Heavy Shotgun", "+1 DICE, +1 INJURY DICE, HEAVY, SHOTGUN, +1 INJURY DICE AT SHORT RANGE"),
    ("Machine Gun", "AUTOMATIC 3, HEAVY, RELOAD"),
    ("Musket", "-1 INJURY DICE"),
    ("Pistol", "PISTOL"),
    ("Semi-Automatic Rifle", "ASSAULT"),
    ("Shotgun", "+1 DICE, SHOTGUN"),
    ("Silenced Pistol", "ASSAULT, PISTOL"),
    ("Sniper Rifle", "+1 DICE, CRITICAL, RISKY, IGNORE ARMOUR ON CRITICAL"),
    ("Submachine Gun", "ASSAULT"),
)
_MELEE: tuple[tuple[str, str], ...] = (
    ("Anti-Tank Hammer", "+1 INJURY DICE, CRITICAL, DANGEROUS, IGNORE ARMOUR, RISKY"),
    ("Bayonet", "CUMBERSOME"),
    ("Flail/Scourge", "+1 DICE"),
    ("Great Hammer/Maul", "+1 INJURY MODIFIER, HEAVY"),
    ("Great Sword/Axe", "+1 INJURY DICE, CRITICAL, HEAVY"),
    ("Misericordia", "IGNORE ARMOUR ON DOWN"),
    ("Polearm", "BLOCK, CUMBERSOME"),
    ("Shovel", ""),
    ("Sword/Axe", "CRITICAL"),
    ("Trench Club", ""),
    ("Trench Knife", "-1 DICE"),
)
_THROWN = "ASSAULT, IGNORE COVER, IGNORE LONG RANGE"
_GRENADES: tuple[tuple[str, str], ...] = (
    ("Frag Grenades", f"{_THROWN}, BLAST 2, SHRAPNEL"),
    ("Gas Grenades", f"-1 INJURY DICE, {_THROWN}, BLAST 3, GAS, IGNORE ARMOUR"),
    ("Incendiary Grenades", f"{_THROWN}, FIRE, IGNORE ARMOUR ON CRITICAL"),
    ("Molotov Cocktail", f"-1 INJURY DICE, {_THROWN}, FIRE, IGNORE ARMOUR ON CRITICAL"),
    (
        "Satchel Charge",
        "+1 INJURY DICE, BLAST 3, CONSUMABLE, HEAVY, IGNORE ARMOUR, IGNORE COVER, ONCE A GAME, SCATTER",
    ),
)
#: A name with a stroke or in the plural stands for these too.
_ALSO = {
    "Flail/Scourge": ("Flail", "Scourge"),
    "Great Hammer/Maul": ("Great Hammer", "Maul"),
    "Great Sword/Axe": ("Great Sword", "Great Axe"),
    "Sword/Axe": ("Sword", "Axe"),
    "Frag Grenades": ("Frag Grenade",),
    "Gas Grenades": ("Gas Grenade",),
    "Incendiary Grenades": ("Incendiary Grenade",),
}


def _weapons() -> Iterator[Weapon]:
    for kind, profiles in (("ranged", _RANGED), ("melee", _MELEE), ("grenade", _GRENADES)):
        for printed, keywords in profiles:
            # Unwieldy: its +1 DICE is not for an Off-Hand Weapon.
            off_hand = 0 if printed == "Flail/Scourge" else None
            for name in (*_ALSO.get(printed, ()), printed):
                yield Weapon(name, kind=kind, keywords=keywords, dice_off_hand=off_hand)


WEAPONS: Mapping[str, Weapon] = Catalogue(
    "common weapons of Trench Crusade", {weapon.name: weapon for weapon in _weapons()}
)
"""The weapons of Trench Crusade rules 1.0.2, Battlekit (pages 70 to 79, and the Shovel), by name: numbers and keywords.

Of their special rules those that depend on the roll or on the target are part of them: Bull's Eye, Liquid Fire,
Despatch, Unwieldy, Tungsten-orichalcum Alloy Shot, Dangerous, Heavy Explosive. Those that depend on the table are given
with the attack: ``dice="+1 Silent"`` for the Silenced Pistol, a second attack for the Submachine Gun.
"""


def as_weapon(given: Weapon | str) -> Weapon:
    """Return a weapon, which may be the name of a common one, or the line of any."""
    if isinstance(given, Weapon):
        return given
    by_name = {name.lower(): weapon for name, weapon in WEAPONS.items()}
    if (known := by_name.get(given.strip().lower())) is not None:
        return known
    if "(" in given or ":" in given:
        return Weapon.parse(given.strip())
    near = get_close_matches(given.lower(), by_name, n=1)
    hint = f"did you mean {by_name[near[0]].name!r}?" if near else f"common weapons: {', '.join(WEAPONS)}"
    raise UnknownNameError(
        f"expected a common weapon or a line such as {EXAMPLE}, got {shown(given)}; {hint}"
    )
