"""Weapons and keyword lines of Trench Crusade 1.0.2, as the rulebook prints them."""

from __future__ import annotations

from typing import Any

import pytest

from mathhammer import trench_crusade as tc

#: Trench Crusade rules 1.0.2, Battlekit, pages 70 to 79: name, kind, keywords.
BOOK = [
    ("Anti-Materiel Rifle", "ranged", "+1 INJURY DICE, CRITICAL, HEAVY, IGNORE ARMOUR"),
    ("Automatic Pistol", "ranged", "ASSAULT, AUTOMATIC 2, PISTOL"),
    ("Automatic Rifle", "ranged", "ASSAULT, AUTOMATIC 2"),
    ("Automatic Shotgun", "ranged", "+1 DICE, ASSAULT, SHOTGUN"),
    ("Blunderbuss", "ranged", "SHRAPNEL"),
    ("Bolt-Action Rifle", "ranged", ""),
    ("Flamethrower", "ranged", "-1 INJURY DICE, FIRE, FLAMETHROWER, IGNORE ARMOUR"),
    ("Grenade Launcher", "ranged", 'BLAST 3", HEAVY, IGNORE COVER, SHRAPNEL'),
    ("Heavy Flamethrower", "ranged", "-1 INJURY DICE, AUTOMATIC 2, FIRE, FLAMETHROWER, HEAVY, IGNORE ARMOUR"),
    ("Heavy Shotgun", "ranged", "+1 DICE, +1 INJURY DICE, HEAVY, SHOTGUN"),
    ("Machine Gun", "ranged", "AUTOMATIC 3, HEAVY, RELOAD"),
    ("Musket", "ranged", "-1 INJURY DICE"),
    ("Pistol", "ranged", "PISTOL"),
    ("Semi-Automatic Rifle", "ranged", "ASSAULT"),
    ("Shotgun", "ranged", "+1 DICE, SHOTGUN"),
    ("Silenced Pistol", "ranged", "ASSAULT, PISTOL"),
    ("Sniper Rifle", "ranged", "+1 DICE, CRITICAL, RISKY"),
    ("Submachine Gun", "ranged", "ASSAULT"),
    ("Anti-Tank Hammer", "melee", "+1 INJURY DICE, CRITICAL, IGNORE ARMOUR, RISKY"),
    ("Bayonet", "melee", "CUMBERSOME"),
    ("Flail", "melee", "+1 DICE"),
    ("Great Hammer", "melee", "+1 INJURY MODIFIER, HEAVY"),
    ("Great Sword", "melee", "+1 INJURY DICE, CRITICAL, HEAVY"),
    ("Misericordia", "melee", ""),
    ("Polearm", "melee", "BLOCK, CUMBERSOME"),
    ("Sword", "melee", "CRITICAL"),
    ("Trench Club", "melee", ""),
    ("Trench Knife", "melee", "-1 DICE"),
    ("Frag Grenade", "grenade", 'ASSAULT, BLAST 2", IGNORE COVER, IGNORE LONG RANGE, SHRAPNEL'),
    (
        "Gas Grenade",
        "grenade",
        '-1 INJURY DICE, ASSAULT, BLAST 3", GAS, IGNORE ARMOUR, IGNORE COVER, IGNORE LONG RANGE',
    ),
    ("Incendiary Grenade", "grenade", "ASSAULT, FIRE, IGNORE COVER, IGNORE LONG RANGE"),
    ("Molotov Cocktail", "grenade", "-1 INJURY DICE, ASSAULT, FIRE, IGNORE COVER, IGNORE LONG RANGE"),
    (
        "Satchel Charge",
        "grenade",
        '+1 INJURY DICE, BLAST 3", CONSUMABLE, HEAVY, IGNORE ARMOUR, IGNORE COVER, SCATTER',
    ),
]
#: Special rules: Bull's Eye, Liquid Fire, Despatch, Alloy Shot, Dangerous, Heavy Explosive.
SPECIAL = {
    "Heavy Shotgun": "+1 INJURY DICE AT SHORT RANGE",
    "Anti-Tank Hammer": "DANGEROUS",
    "Satchel Charge": "ONCE A GAME",
    "Sniper Rifle": "IGNORE ARMOUR ON CRITICAL",
    "Incendiary Grenade": "IGNORE ARMOUR ON CRITICAL",
    "Molotov Cocktail": "IGNORE ARMOUR ON CRITICAL",
    "Misericordia": "IGNORE ARMOUR ON DOWN",
}
PRINTED = {
    "Flail/Scourge": "Flail",
    "Great Hammer/Maul": "Great Hammer",
    "Great Sword/Axe": "Great Sword",
    "Sword/Axe": "Sword",
    "Frag Grenades": "Frag Grenade",
    "Gas Grenades": "Gas Grenade",
    "Incendiary Grenades": "Incendiary Grenade",
}


def numbers(weapon: tc.Weapon) -> tuple[Any, ...]:
    keywords = frozenset(map(str, weapon.keywords))
    return weapon.kind, weapon.dice, weapon.injury_dice, weapon.injury_modifier, keywords


@pytest.mark.parametrize(("name", "kind", "keywords"), BOOK, ids=[name for name, _, _ in BOOK])
def test_weapons_are_those_of_the_book(name: str, kind: str, keywords: str) -> None:
    """Trench Crusade rules 1.0.2, pages 70 to 79."""
    printed = tc.Weapon(name, kind=kind, keywords=f"{keywords}, {SPECIAL.get(name, '')}")
    assert numbers(tc.WEAPONS[name]) == numbers(printed)
    assert tc.WEAPONS[name].name == name


@pytest.mark.parametrize(("printed", "short"), PRINTED.items())
def test_printed_names_are_known(printed: str, short: str) -> None:
    assert numbers(tc.WEAPONS[printed]) == numbers(tc.WEAPONS[short])
    assert tc.WEAPONS["Axe"].has("CRITICAL")


#: Keyword lines of the rulebook, of Warbands and of the community's catalogue of them.
LINES = [
    ("NEW ANTIOCH, ELITE, LEADER, TOUGH", "NEW ANTIOCH, ELITE, LEADER, TOUGH"),
    ("BLACK GRAIL, ELITE, FEAR, LEADER, NEGATE GAS, STRONG, TOUGH", None),
    ("NEW ANTIOCH, NEGATE MINED", None),
    ("HERETIC, ARTIFICIAL, INFILTRATOR", None),
    ("PILGRIM, FIRETEAM, SKIRMISHER", None),
    ("SULTANATE, REGENERATE 1", None),
    ("THE COURT, DEMONIC", None),
    ("LEADER, HELD", None),
    ("COVER, HELD", None),
    ("DEPLOYABLE, HEAVY", None),
    ("NEGATE DIFFICULT TERRAIN", None),
    ("+1 INJURY DICE, BLAST 3'', FIRE", "+1 INJURY DICE, BLAST 3, FIRE"),
    ("BLAST 3”, CONSUMABLE, IGNORE\xa0ARMOUR", "BLAST 3, CONSUMABLE, IGNORE ARMOUR"),
    ("ARMOUR-PIERCING", "ARMOUR PIERCING"),
    ("ARMOUR PIERCING 2", "ARMOUR PIERCING 2"),
    ("-1 INJURY DICE, FIRE, IGNORES ARMOUR", "-1 INJURY DICE, FIRE, IGNORE ARMOUR"),
    ("IGNORE ELEVATED POSITION, IGNORE OFF-HAND WEAPON", None),
    ("+2 INJURY DICE, HEAVY, INFECTION MARKERS", None),
    ("AMMUNITION (ARMOUR-PIERCING), CONSUMABLE", "AMMUNITION (ARMOUR PIERCING), CONSUMABLE"),
    ("AMMUNITION (+1 DICE)", None),
    ("DANGEROUS TERRAIN (FIRE)", None),
    ("-", ""),
]


@pytest.mark.parametrize(("line", "read"), LINES)
def test_keyword_lines_are_read_whole(line: str, read: str | None) -> None:
    found = tc.parse_keywords(line)
    assert ", ".join(map(str, found)) == (line if read is None else read)
    assert tc.parse_keywords(", ".join(map(str, found))) == found


def test_tags_are_explained_and_change_nothing() -> None:
    rifle = tc.Weapon("rifle", kind="ranged", keywords="CONSUMABLE, DEPLOYABLE")
    plain = tc.attack(tc.WEAPONS["Bolt-Action Rifle"], tc.Target(), exact=True)
    found = tc.attack(rifle, tc.Target(keywords="HERETIC, ELITE"), exact=True)
    assert found.outcome == plain.outcome
    assert "has no effect here: is lost after the game" in str(found.explain())
