"""Every weapon and every stat line of the public 10th edition data is read, or refused for a reason listed here.

The tables are not ours to ship. Set MATHHAMMER_DATA to the folder that holds ``bsdata-weapons.csv`` and
``bsdata-units.csv`` to run these tests.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from mathhammer.errors import MathhammerError
from mathhammer.rosters.tree import Profile
from mathhammer.rosters.wh40k.units import read_weapon
from mathhammer.systems.wh40k import Target, Weapon, parse_keywords

DATA = os.environ.get("MATHHAMMER_DATA")
pytestmark = pytest.mark.skipif(
    not DATA, reason="MATHHAMMER_DATA does not name the folder of the data tables"
)


def rows(name):
    with (Path(DATA or "") / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# Weapons as datasheets write them -------------------------------------------------------------------------------

WEAPON_ROWS = 9256
REFUSED_WEAPONS = {
    ("Deathwatch Terminator Squad", "Chainfist"): "8+",  # its Strength, a slip of the data
}
# Abilities of single datasheets, which are kept and reported as not computed.
NAMED_ABILITIES = {
    "bubblechukka": 3,
    "reverberating summons": 2,
    "defensive array": 2,
    "snagged": 2,
    "linked fire": 1,
    "psychic assassin": 1,
    "plasma warhead": 1,
    "overcharge": 1,
    "impaled": 1,
    "dead choppy": 1,
    "hooked": 1,
    "harpooned": 1,
    "hive defences": 1,
}


def test_every_weapon_row_is_a_weapon_or_refused_for_a_listed_reason():
    refused, unknown, read = {}, Counter(), 0
    for row in rows("bsdata-weapons.csv"):
        try:
            weapon = Weapon(
                row["weapon"].strip(),
                range=row["range"],
                attacks=row["A"],
                skill=row["skill"],
                strength=row["S"],
                ap=row["AP"],
                damage=row["D"],
                keywords=parse_keywords(row["keywords"], on_unknown="keep"),
            )
        except MathhammerError as error:
            refused[row["datasheet"], row["weapon"]] = str(error)
            continue
        read += 1
        unnamed = [str(keyword).casefold() for keyword in weapon.keywords if not keyword.known]
        unknown.update(unnamed)
        if not unnamed:
            again = Weapon.parse(str(weapon))
            assert str(again) == str(weapon)
    assert refused.keys() == REFUSED_WEAPONS.keys()
    assert all(REFUSED_WEAPONS[key] in reason for key, reason in refused.items())
    assert read == WEAPON_ROWS - len(REFUSED_WEAPONS)
    assert unknown == NAMED_ABILITIES


def test_every_weapon_row_is_read_from_a_list():
    doubts = Counter()
    for row in rows("bsdata-weapons.csv"):
        kind, skill = ("Ranged Weapons", "BS") if row["kind"] == "ranged" else ("Melee Weapons", "WS")
        line = {"Range": row["range"], "A": row["A"], skill: row["skill"], "S": row["S"], "AP": row["AP"]}
        line |= {"D": row["D"], "Keywords": row["keywords"]}
        weapon, own = read_weapon(Profile(row["weapon"], kind, "", tuple(line.items())), 1)
        assert weapon is not None, own
        doubts.update(re.sub(r"'.*'", "...", doubt) for doubt in own)
    assert doubts == {
        "Strength ... is read as 8": 1,
        "its ability ... is not computed": sum(NAMED_ABILITIES.values()),
    }


# Models as datasheets write them --------------------------------------------------------------------------------

UNIT_ROWS = 1733
# What stands in the table for an invulnerable save or a Feel No Pain that only the datasheet's text explains.
REFUSED_UNITS = {
    "an invulnerable save under a condition, 5+*": 45,
    "an invulnerable save under a condition, 4+*": 6,
    "an invulnerable save under a condition, 6+*": 3,
    "several invulnerable saves, 5+/4+": 9,
    "several invulnerable saves, 4+/5+": 3,
    "several invulnerable saves, 4+/2+*": 2,
    "several invulnerable saves, 6+/4+": 1,
    "a Feel No Pain without its number, ?": 20,
    "a Feel No Pain without its number, ?/4+": 3,
}


def reason_of(row):
    """Why a row is refused, after the constructor refused it."""
    invulnerable, feel_no_pain = row["invuln"], row["fnp"]
    if "/" in invulnerable:
        return f"several invulnerable saves, {invulnerable}"
    if "*" in invulnerable:
        return f"an invulnerable save under a condition, {invulnerable}"
    if "?" in feel_no_pain:
        return f"a Feel No Pain without its number, {feel_no_pain}"
    return "unlisted"


def test_every_unit_row_is_a_target_or_refused_for_a_listed_reason():
    refused, read = Counter(), 0
    for row in rows("bsdata-units.csv"):
        try:
            target = Target(
                row["model_profile"],
                toughness=int(row["T"]),
                save=row["SV"],
                wounds=int(row["W"]),
                invulnerable=row["invuln"] or None,
                feel_no_pain=row["fnp"] or None,
                keywords=tuple(row["keywords"].split("; ")),
                points=int(row["base_points"]) if row["base_points"] else None,
            )
        except MathhammerError:
            refused[reason_of(row)] += 1
            continue
        read += 1
        assert (target.toughness, target.wounds) == (int(row["T"]), int(row["W"]))
    assert refused == REFUSED_UNITS
    assert read == UNIT_ROWS - sum(REFUSED_UNITS.values())
