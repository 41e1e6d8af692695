"""Text exports of every dialect, invented and real, into names and counts."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mathhammer.errors import RosterError
from mathhammer.rosters import read_army, read_text_list
from mathhammer.rosters.text import parse_text_list

DATA = os.environ.get("MATHHAMMER_DATA")

GW_APP = """The March (1,190 Points)

Lantern League
Beacon Chain (3 Detachment Points)
Strike Force (2,000 Points)

ATTACHED UNITS

Attached unit 1

Marshal (110 Points)
  • Attached as: Leader (Character)
  • Warlord
  • 1x Sabre
  • Enhancements: Old Banner

Wardens (90 Points)
  • Attached as: Bodyguard (Battleline)
  • 1x Sergeant
     ◦ 1x Sabre
     ◦ 1x Rifle
  • 4x Warden
     ◦ 4x Rifle

OTHER DATASHEETS

Crawler (990 Points)
  • 2x Long gun

Exported with App Version: v2.0.5 (2), Data Version: v886
"""

COMPACT = """+++++++++++++++++
+ FACTION KEYWORD: Lantern League
+ DETACHMENT: Beacon Chain (Lit)
+ TOTAL ARMY POINTS: 1190pts
+
+ WARLORD: Char1: Marshal
+ NUMBER OF UNITS: 3
+++++++++++++++++

Char1: 1x Marshal (110 pts): Warlord, Sabre
Enhancement: Old Banner (+15 pts)
Leading Wardens[1]
5x Wardens (90 pts)
• 1x Sergeant: 1 with Sabre, Rifle
• 4x Warden: 4 with Rifle
  Attached to Marshal[1]
1x Crawler (990 pts): 2x Long gun

Created with newrecruit.eu v35.82
"""

WTC = """+++++++++++++++++
+ FACTION KEYWORD: Lantern League
+ DETACHMENT: Beacon Chain
+ TOTAL ARMY POINTS: 1190pts
+++++++++++++++++

Char1: 1x Marshal (110 pts)
1 with Warlord, Sabre
Enhancement: Old Banner (+15 pts)
Leading Wardens

5x Wardens (90 pts)
• 1x Sergeant
1 with Sabre, Rifle
• 4x Warden
4 with Rifle

1x Crawler (990 pts)
1 with 2x Long gun
"""

SIMPLE = """# ++ Army Roster ++ [1190 pts]
## Configuration
Detachment: Beacon Chain
## Characters [110 pts]
Marshal [110 pts]: Warlord, Sabre
• Old Banner [+15 pts]
## Infantry [90 pts]
Wardens [90 pts]:
• 1x Sergeant: Sabre, Rifle
• 4x Warden: Rifle
## Vehicle [990 pts]
Crawler [990 pts]: 2x Long gun
"""

FRENCH = (
    GW_APP.replace(" Points)", " points)")
    .replace("1,190", "1\u202f190")
    .replace("ATTACHED UNITS", "UNITÉS ATTACHÉES")
    .replace("Attached unit 1", "Unité attachée 1")
    .replace("Attached as: Leader (Character)", "Attaché en tant que : Meneur (Personnage)")
    .replace("Attached as: Bodyguard (Battleline)", "Attaché en tant que : Garde du corps (Ligne)")
    .replace("Enhancements:", "Améliorations :")
    .replace("OTHER DATASHEETS", "AUTRES FICHES")
    .replace("Exported with App Version:", "Exporté avec la Version de l'Appli :")
)

DIALECTS = {"GW app": GW_APP, "WTC-Compact": COMPACT, "WTC": WTC, "simple": SIMPLE, "French": FRENCH}


def shape(unit):
    """Models with their wargear, wherever a dialect puts it."""
    return [
        (item.count, item.name, [(below.count, below.name) for below in item.items]) for item in unit.items
    ]


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_says_the_same(text):
    army = parse_text_list(text, "'x'")
    assert [(unit.name, unit.points) for unit in army.units] == [
        ("Marshal", 110),
        ("Wardens", 90),
        ("Crawler", 990),
    ]
    marshal, wardens, crawler = army.units
    assert (shape(marshal), marshal.enhancements) == ([(1, "Sabre", [])], ("Old Banner",))
    assert shape(wardens) == [
        (1, "Sergeant", [(1, "Sabre"), (1, "Rifle")]),
        (4, "Warden", [(4, "Rifle")]),
    ]
    assert shape(crawler) == [(2, "Long gun", [])]
    assert army.points == 1190
    assert army.detachments[0].startswith("Beacon Chain")
    assert army.unread == ()
    assert army.attachments == (() if text is SIMPLE else ((0, 1),))


def test_the_edition_where_the_text_tells_it():
    assert parse_text_list(GW_APP, "'x'").edition == "11e"
    assert parse_text_list(WTC, "'x'").edition == ""


def test_bullets_and_indent_may_be_lost():
    stripped = "\n".join(line.strip().lstrip("•◦ ") for line in COMPACT.splitlines())
    wardens = parse_text_list(stripped, "'x'").units[1]
    assert [(item.count, item.name) for item in wardens.items] == [(1, "Sergeant"), (4, "Warden")]


@pytest.mark.parametrize(
    "points", ["1,995 Points", "1.995 Punkte", "1 995 points", "1\u00a0995 pts", "1995pts"]
)
def test_points_of_every_language(points):
    assert parse_text_list(f"Wardens ({points})\n• 5x Warden", "'x'").units[0].points == 1995


def test_lines_that_nobody_understands_are_kept():
    army = parse_text_list("Wardens (90 points)\n• 5x Warden\nsee you on Sunday", "'x'")
    assert army.unread == ("see you on Sunday",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "++ Battalion Detachment 0CP [76 PL, 1,335pts] ++\nSquad [5 PL, 90pts]",
            "counts power or command points",
        ),
        ("Dear all, see you on Sunday", "has none; copy the whole export"),
        ("Wardens (90 points)\n• 5000x Warden", "expected a count from 1 to 1,000, got 5000"),
        ("Wardens (90 points): 900 with 2x Rifle", "expected a count from 1 to 1,000, got 1800"),
        ("Wardens (90 points)\n• 0x Warden", "got 0"),
        ("a\n" * 6000, "at most 5,000 lines"),
        ("Wardens (90 points)\n" + "a" * 2000, "at most 5,000 lines of 1,000 characters"),
        ("Wardens (90 points)\n• 1x W\n" * 400, "at most 300 units"),
    ],
)
def test_what_is_refused(text, said):
    start = time.process_time()
    with pytest.raises(RosterError) as caught:
        parse_text_list(text, "'x'")
    assert said in str(caught.value)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "line", ["(" * 900, "a " * 450 + "(", "1x " * 300, "• " * 400, "[+" * 400, "a: " * 300]
)
def test_hostile_lines_cost_nothing(line):
    start = time.process_time()
    army = parse_text_list("Wardens (90 points)\n• 5x Warden\n" + (line + "\n") * 200, "'x'")
    assert army.units[0].name == "Wardens"
    assert time.process_time() - start < 3


def test_control_characters_do_not_get_through():
    army = parse_text_list("Wardens\x1b31m (90 points)\n• 5x War\x07den", "'x'")
    assert (army.units[0].name, army.units[0].items[0].name) == ("Wardens31m", "Warden")


def test_files(tmp_path):
    path = tmp_path / "list.txt"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(GW_APP, encoding=encoding)
        assert len(read_text_list(path).units) == 3
    path.write_bytes("Schützen (90 Punkte)\n1x Flinte".encode("cp1252"))
    assert read_text_list(path).units[0].name == "Schützen"
    path.write_bytes(b'{"roster": {}}')
    with pytest.raises(RosterError, match="is none; read other lists with read_army"):
        read_text_list(path)
    path.write_text(GW_APP)
    with pytest.raises(RosterError, match=r"is plain text: .* or name a folder of BSData catalogues"):
        read_army(path)


# Real exports: points, units, models with something below them, all counts of wargear.
REAL = {
    "gw-app-11e-orks-attached.txt": (1995, 20, ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9))),
    "nr-gw-text-chaos-knights.txt": (2000, 16, ()),
    "nr-wtc-text-11e-custodes.txt": (1040, 6, ((0, 4), (1, 5))),
}


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
@pytest.mark.parametrize("name", REAL)
def test_real_exports(name):
    army = read_text_list(Path(DATA or "") / "rosters" / name)
    assert (army.points, len(army.units), army.attachments) == REAL[name]
    assert sum(unit.points for unit in army.units) == army.points
    assert army.unread == ()


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
def test_a_real_export_by_hand():
    army = read_text_list(Path(DATA or "") / "rosters" / "gw-app-11e-orks-attached.txt")
    assert (army.faction, army.detachments) == ("Orks", ("Freebooter Krew and More Dakka!",))
    kommandos = next(unit for unit in army.units if unit.name == "Kommandos")
    assert shape(kommandos) == [
        (1, "Bomb Squig", []),
        (1, "Distraction Grot", []),
        (9, "Kommando", [(1, "Breacha ram"), (8, "Choppa"), (8, "Slugga")]),
        (1, "Boss Nob", [(1, "Power klaw"), (1, "Slugga")]),
    ]
