"""Text exports of every dialect, invented and real, into names and counts."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from roster_files import read_text_list, the_text

from mathhammer.errors import RosterError
from mathhammer.rosters import read_army
from mathhammer.rosters.text.reader import parse_text_list

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
    ("line", "faction", "title"),
    [
        ("Xenos - Lantern League - Mine - [90 pts]", "Xenos - Lantern League", "Mine"),
        ("Lantern League - The March - again - [90 pts]", "Lantern League", "The March - again"),
        ("It is - mine - Lantern League - Beacon Chain (90 points)", "Lantern League", "It is - mine"),
    ],
)
def test_a_first_line_that_names_the_faction(line, faction, title):
    options = "\n# ++ Army Roster ++ [90 pts]\n## Configuration\nShow/Hide Options\n" if "[" in line else ""
    text = f"{line}\n{options}\nWardens [90 pts]: Rifle"
    army = parse_text_list(text, "'x'")
    assert (army.faction, army.title, army.points) == (faction, title, 90)


def test_the_edition_where_the_text_tells_it():
    assert parse_text_list(GW_APP, "'x'").edition == "11e"
    assert parse_text_list(DIALECTS["wtc"], "'x'").edition == ""


def test_bullets_and_indent_may_be_lost():
    stripped = "\n".join(line.strip().lstrip("•◦ ") for line in DIALECTS["wtc-compact"].splitlines())
    wardens = parse_text_list(stripped, "'x'").units[1]
    assert [(item.count, item.name) for item in wardens.items] == [(1, "Sergeant"), (4, "Warden")]


@pytest.mark.parametrize(
    "points", ["1,995 Points", "1.995 Punkte", "1 995 points", "1\u00a0995 pts", "1995pts"]
)
def test_points_of_every_language(points):
    assert parse_text_list(f"Wardens ({points})\n• 5x Warden", "'x'").units[0].points == 1995


def test_lines_that_nobody_understands_are_kept():
    army = parse_text_list("Wardens (90 points)\n• 5x Warden\nsee you on Sunday", "'x'")
    assert (army.unread, army.around) == ((), ("see you on Sunday",))


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
        ("Wardens (90 points)\n" + "a" * 2000, "at most 1,000 characters in a line"),
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
    path.write_text(GW_APP)
    with pytest.raises(RosterError, match=r"is plain text: .* or name a folder of BSData catalogues"):
        read_army(path)


# The 11th edition


def lost_indent(text):
    return "\n".join(line.strip() for line in text.splitlines())


def test_groups_that_begin_directly_below_their_heading():
    for text in (NESTED_APP, lost_indent(NESTED_APP), NESTED_APP.replace("•", "")):
        army = parse_text_list(text, "'x'")
        assert [unit.name for unit in army.units] == [
            *("Marshal", "Lamp Bearer", "Wardens", "Cart", "Chaplain", "Wardens", "Crawler")
        ]
        # A leader and a support with the first Wardens, whose transport leads nobody.
        assert army.attachments == ((0, 2), (1, 2), (4, 5))
        assert army.edition == "11e"
        assert army.unread == ()


def test_the_chapter_is_no_detachment_and_there_may_be_several():
    army = parse_text_list(NESTED_APP, "'x'")
    assert (army.title, army.faction, army.points) == ("The March", "Space Marines, Lantern Wolves", 1190)
    assert army.detachments == ("Beacon Chain", "Oil and Wick", "Old Oaths")
    # The official app of the 10th edition writes both lines too, and one detachment without points.
    tenth = NESTED_APP.replace(
        "Beacon Chain, Oil and Wick and Old Oaths (3 Detachment Points)\nTake and Hold", "Storm"
    )
    army = parse_text_list(tenth.replace("• Attached as:", "•"), "'x'")
    assert (army.faction, army.detachments, army.edition) == ("Space Marines, Lantern Wolves", ("Storm",), "")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("War Horde (3 Detachment Points)", ("War Horde",)),
        ("Plague Legion and Warptide (3 Detachment Points)", ("Plague Legion", "Warptide")),
        ("Legends of Saga and Song (2 Detachment Points)", ("Legends of Saga and Song",)),
        (
            "Champions of Fenris, Legends of Saga and Song and Veterans of the Fang (3 Detachment Points)",
            ("Champions of Fenris", "Legends of Saga and Song", "Veterans of the Fang"),
        ),
        ("Alien Hunters (Ordo Xenos) (2 Detachment Points)", ("Alien Hunters (Ordo Xenos)",)),
        ("Chaîne de feu (3 points de détachement)", ("Chaîne de feu",)),
    ],
)
def test_detachments_of_the_app(line, names):
    text = f"Mine (90 points)\n\nOrks\n{line}\nDisruption\nStrike Force (2000 points)\n\nWardens (90 points)\n• 5x W"
    assert parse_text_list(text, "'x'").detachments == names


def test_a_list_of_the_app_without_a_title():
    text = (
        "Orks\nStrike Force (2000 points)\nKult of Speed and More Dakka! (3 Detachment Points)\n"
        "Force Dispositions: Disruption\n\nAttached Units\nAttached Unit 1\n\nBoss (80 points)\n"
        "• Attached as: Leader (Character)\n• 1x Claw\n\nGrots (90 points)\n• Attached as: Bodyguard\n• 10x Grot"
    )
    army = parse_text_list(text, "'file.txt'")
    assert (army.title, army.faction, army.points) == ("file.txt", "Orks", None)
    assert (army.detachments, army.attachments) == (("Kult of Speed", "More Dakka!"), ((0, 1),))


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (
            "+ DETACHMENT: Assimilation Swarm, Warrior Onslaught (Feed the Swarm)",
            ("Assimilation Swarm", "Warrior Onslaught"),
        ),
        ("+ DETACHMENT: Gladius Task Force", ("Gladius Task Force",)),
        ("Detachment: 1st Company\nDetachment: Librarius", ("1st Company", "Librarius")),
        ("Detachment: Ember Vanguard [2 DP] (TAKE AND HOLD)", ("Ember Vanguard",)),
        ("Detachments: A, B and C (3 Detachment Points)", ("A", "B", "C")),
    ],
)
def test_detachments_of_a_field(header, names):
    assert (
        parse_text_list(f"# ++ Roster ++ [90 pts]\n{header}\n\nWardens (90 pts): Rifle", "'x'").detachments
        == names
    )


def test_all_weapons_of_one_model_stand_beside_each_other():
    """The app indents a further weapon without a bullet to where the text of the first begins."""
    for text in (NESTED_APP, lost_indent(NESTED_APP)):
        marshal, _, wardens, *_ = parse_text_list(text, "'x'").units
        assert shape(marshal) == [(1, "Sabre", []), (1, "Pistol", []), (1, "Horn", [])]
        assert marshal.marks == ["Warlord"]
        if text is NESTED_APP:
            assert shape(wardens) == [
                (1, "Sergeant", [(1, "Sabre"), (1, "Rifle")]),
                (4, "Warden", [(4, "Rifle"), (4, "Knife")]),
            ]
        else:  # then the datasheet has to tell models from weapons
            assert [item.count for item in wardens.items] == [1, 1, 1, 4, 4, 4]


def test_wargear_beside_the_name_and_below_it():
    unit = parse_text_list(
        "Wardens (90 pts): Horn, Banner\n• 1x Sergeant\n• 4x Warden\n  ◦ 4x Rifle", "'x'"
    ).units[0]
    assert shape(unit) == [
        *((1, "Horn", []), (1, "Banner", [])),
        *((1, "Sergeant", []), (4, "Warden", [(4, "Rifle")])),
    ]


@pytest.mark.parametrize(
    "name", ["Karandras [Legends]", "Field Ordnance (Mortar)", "War Dog [Crucible] (old)"]
)
def test_brackets_in_names(name):
    for text in (f"{name} (90 points)\n• 1x Gun", f"{name} [90pts]: Gun"):
        unit = parse_text_list(text, "'x'").units[0]
        assert (unit.name, unit.points) == (name, 90)


@pytest.mark.parametrize("points", ["2 3 points", "90.5 points", "1,99 points", "1,2,3 points"])
def test_points_that_are_no_number(points):
    with pytest.raises(RosterError, match="has none; copy the whole export"):
        parse_text_list(f"Wardens ({points})\n• 5x Warden", "'x'")


def test_a_total_with_its_limit():
    text = (
        "+ POINTS LIMIT: 2000pts\n+ TOTAL ARMY POINTS: 1,990 / 2,000pts\n\nWardens (90 points)\n• 5x Warden"
    )
    assert parse_text_list(text, "'x'").points == 1990


# What a list says of its own units

LINKS = "Boss (50 pts): Claw\n{}\nGrots (30 pts): Knife\nGrots (30 pts): Knife\nMob (30 pts): Knife"


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("Leading Grots[1]", ((0, 1),)),
        ("Leading Grots[2]", ((0, 2),)),
        ("Leading: Grots", ((0, 1),)),
        ("Leading GROTS [2]", ((0, 2),)),
        ("Attached to Mob", ((3, 0),)),
    ],
)
def test_links_to_units(line, pairs):
    army = parse_text_list(LINKS.format(line), "'x'")
    assert (army.attachments, army.unread) == (pairs, ())


@pytest.mark.parametrize(
    "line", ["Leading Grots[0]", "Leading Grots[3]", "Attached to Grots[0]", "Leading Zogs", "Leading Boss"]
)
def test_links_to_units_that_the_list_does_not_have_are_said(line):
    army = parse_text_list(LINKS.format(line), "'x'")
    assert (army.attachments, army.unread) == ((), (line,))


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
