"""Text exports of every dialect, invented and real, into names and counts."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from roster_files import read_text_list, shape, the_text

from mathhammer.errors import RosterError
from mathhammer.rosters import read_army
from mathhammer.rosters.text import parse_text_list

DATA = os.environ.get("MATHHAMMER_DATA")

GW_APP, NESTED_APP = the_text("gw-app"), the_text("nested-app")
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

DIALECTS = {"French": FRENCH} | {
    name: the_text(name) for name in ("gw-app", "wtc-compact", "wtc", "simple", "list-forge")
}


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_says_the_same(text):
    army = parse_text_list(text, "'x'")
    assert [(unit.name, unit.points) for unit in army.units] == [
        ("Marshal", 110),
        ("Wardens", 90),
        ("Crawler", 990),
    ]
    marshal, wardens, crawler = army.units
    assert (shape(marshal), marshal.enhancements) == ([(1, "Sabre", [])], ["Old Banner"])
    assert shape(wardens) == [
        (1, "Sergeant", [(1, "Sabre"), (1, "Rifle")]),
        (4, "Warden", [(4, "Rifle")]),
    ]
    assert shape(crawler) == [(2, "Long gun", [])]
    assert army.points == 1190
    assert army.detachments[0].startswith("Beacon Chain")
    assert army.unread == ()
    assert army.attachments == (() if text in {DIALECTS["simple"], DIALECTS["list-forge"]} else ((0, 1),))


@pytest.mark.parametrize(
    "line", ["(" * 900, "a " * 450 + "(", "1x " * 300, "• " * 400, "[+" * 400, "a: " * 300]
)
def test_hostile_lines_cost_nothing(line):
    start = time.process_time()
    army = parse_text_list("Wardens (90 points)\n• 5x Warden\n" + (line + "\n") * 200, "'x'")
    assert army.units[0].name == "Wardens"
    assert time.process_time() - start < 3


def test_files(tmp_path):
    path = tmp_path / "list.txt"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(GW_APP, encoding=encoding)
        assert len(read_text_list(path).units) == 3
    path.write_bytes("Schützen (90 Punkte)\n1x Flinte".encode("cp1252"))
    assert read_text_list(path).units[0].name == "Schützen"
    path.write_text(GW_APP)
    with pytest.raises(
        RosterError, match=r"holds names without characteristics; .* name a folder of BSData catalogues"
    ):
        read_army(path)


# Real exports: points, units, models with something below them, all counts of wargear.
REAL = {
    "gw-app-11e-orks-attached.txt": (1995, 20, ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9))),
    "nr-gw-text-chaos-knights.txt": (2000, 16, ()),
    "nr-wtc-text-11e-custodes.txt": (1040, 6, ((0, 4), (1, 5))),
    "../rosters-11e/gw-app-orks-leader-support.txt": (1995, 16, ((0, 2), (1, 2), (3, 4), (5, 6))),
    "../rosters-11e/nr-wtc-tyranids-indexed-leaders.txt": (1995, 18, ((2, 6), (3, 7), (4, 8), (5, 9))),
}
DETACHMENTS = {
    "../rosters-11e/gw-app-orks-leader-support.txt": ("Blitz Brigade", "Runt Swarm", "Wreckas"),
    "../rosters-11e/nr-wtc-tyranids-indexed-leaders.txt": ("Assimilation Swarm", "Warrior Bioform Onslaught"),
}


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
@pytest.mark.parametrize("name", REAL)
def test_real_exports(name):
    army = read_text_list(Path(DATA or "") / "rosters" / name)
    assert (army.points, len(army.units), army.attachments) == REAL[name]
    assert sum(unit.points for unit in army.units) == army.points
    assert army.unread == ()
    assert army.detachments == DETACHMENTS.get(name, army.detachments)


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
def test_a_real_export_by_hand():
    army = read_text_list(Path(DATA or "") / "rosters" / "gw-app-11e-orks-attached.txt")
    assert (army.faction, army.detachments) == ("Orks", ("Freebooter Krew", "More Dakka!"))
    kommandos = next(unit for unit in army.units if unit.name == "Kommandos")
    assert shape(kommandos) == [
        (1, "Bomb Squig", []),
        (1, "Distraction Grot", []),
        (9, "Kommando", [(1, "Breacha ram"), (8, "Choppa"), (8, "Slugga")]),
        (1, "Boss Nob", [(1, "Power klaw"), (1, "Slugga")]),
    ]
