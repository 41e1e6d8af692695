"""Encodings and editions of lists, the sample, and the pieces that readers are made of."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys

import pytest
from roster_files import (
    ELEVENTH,
    TENTH,
    as_json,
    as_xml,
    as_zip,
    blade,
    feel_no_pain,
    gun,
    invulnerable,
    profile,
    read,
    roster,
    selection,
    squad,
    stat_line,
)

from mathhammer import MathhammerError
from mathhammer.analysis import army_table, grid
from mathhammer.errors import RosterError
from mathhammer.rosters import read_army, sample_army
from mathhammer.rosters.data.store import require_address
from mathhammer.rosters.names import name_key, one_line, shorten, singular
from mathhammer.rosters.reading import as_text, linked_data, parse_roster, read_content
from mathhammer.rosters.text.lines import (
    Item,
    TextUnit,
    is_text_list,
    read_heading,
    read_item,
    read_unit_line,
    read_wargear_line,
)
from mathhammer.rosters.text.reader import split_detachments
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.rosters.wh40k.unit_rules import read_bodyguards
from mathhammer.rosters.wh40k.units import base_name, mode_name
from mathhammer.systems.wh40k import TARGETS
from mathhammer.systems.wh40k.profiles.keywords import FLAGS


@pytest.mark.parametrize(("header", "own"), [(TENTH, "10e"), (ELEVENTH, "11e")])
def test_a_list_decides_its_edition(header, own):
    rifle = selection("Rifle", number=5, profiles=(gun(),))
    tree = roster(squad(selection("Trooper", "model", 5, rifle)), points=100, **header)
    army = read(tree)
    assert (army.edition, army.file_edition, army.warnings) == (own, own, ())
    # What computes with the army takes its edition, and labels mean that edition's targets.
    tables = (army_table(army, "MEQ"), grid(army, "MEQ"), grid([army], "MEQ"))
    assert [table.edition for table in tables] == [own] * 3
    assert tables[0].targets[0] == tables[1].targets[0].target == TARGETS.of(own)["MEQ"]
    assert grid("Gun: A1 BS3+ S4 AP0 D1", army).edition == own
    other = {"10e": "11e", "11e": "10e"}[own]
    army = read(tree, edition=other)
    assert (army.edition, army.file_edition) == (other, own)
    assert army.warnings == (
        f"the list is of the {own[:-1]}th edition; the rules of the {other[:-1]}th edition are applied to it",
    )
    assert army_table(army, "MEQ").edition == other
    assert army_table(army, "MEQ", edition=own).edition == own


def test_stat_lines_of_the_11th_edition_tell_it_whatever_the_header_says():
    tree = roster(
        squad(profiles=(profile("Trooper", "Unit", M='6"', T="4", Sv="3+", W="2", InSv="5+ (Ranged)"),))
    )
    army = read(tree, edition="10e")
    assert army.file_edition == "11e"
    assert army.warnings[0] == (
        "the list says that it is of the 10th edition, but its stat lines are of the 11th: its data has moved on"
    )
    assert army.units[0].as_target().invulnerable == ((5, "ranged"),)


@pytest.mark.parametrize(
    "ability", ["Cleave 1", "Blast 2", "Close-quarters", "Lethal Hits: non-Monster/Vehicle"]
)
def test_abilities_of_the_11th_edition_are_read(ability):
    rifle = selection("Rifle", profiles=(gun(Keywords=f"Heavy, {ability}"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    weapon = army.units[0].weapons[0].modes[0]
    assert [(str(keyword), keyword.known) for keyword in weapon.keywords] == [
        ("Heavy", True),
        (ability, True),
    ]


@pytest.mark.parametrize("ability", ["Anti-Fly 4+: Psyker", "Sustained Hits 1: Infantry and Fly"])
def test_abilities_that_no_edition_has_are_kept_and_said(ability):
    rifle = selection("Rifle", profiles=(gun(Keywords=f"Heavy, {ability}"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    weapon = army.units[0].weapons[0].modes[0]
    assert [(str(keyword), keyword.known) for keyword in weapon.keywords] == [
        ("Heavy", True),
        (ability, False),
    ]
    assert f"Squad: Rifle: its ability '{ability}' is not computed" in army.unparsed


def test_anti_against_several_keywords_of_the_11th_edition():
    rifle = selection("Rifle", profiles=(gun(Keywords="Anti-Monster/Vehicle 3+"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    assert [str(keyword) for keyword in army.units[0].weapons[0].modes[0].keywords] == [
        "Anti-Monster 3+",
        "Anti-Vehicle 3+",
    ]


def test_an_11th_edition_save_with_an_unsaid_condition_is_left_out():
    line = profile("Trooper", "Unit", M='6"', T="4", Sv="3+", W="2", InSv="5+*")
    unit = read(roster(squad(profiles=(line,)), **ELEVENTH), edition="10e").units[0]
    assert invulnerable(unit) is None
    assert unit.simplifications == (
        "Squad: the invulnerable save '5+*' of Trooper carries a condition the stat line does not say",
    )


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("Warhammer 40,000 10th Edition", ""),
        ("Warhammer 40000 10th Edition", "other"),
        ("Warhammer 40k 10th Edition", "other"),
        ("", "sys-352e-adc2-7639-d6a9"),
    ],
)
def test_the_game_by_identifier_or_name(name, identifier):
    assert read(roster(squad(), gameSystemName=name, gameSystemId=identifier)).edition == "10e"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Age of Sigmar 4.0", "is of 'Age of Sigmar 4.0'; this reader knows no other game"),
        ("Trench Crusade", "is of 'Trench Crusade'"),
        ("Warhammer 40,000 9th Edition", "is of 'Warhammer 40,000 9th Edition', whose profiles differ"),
        ("Warhammer 40,000 Kill Team", "is of 'Warhammer 40,000 Kill Team', whose profiles differ"),
    ],
)
def test_other_games_and_editions_are_refused(name, said):
    for edition in (None, "10e"):
        with pytest.raises(RosterError, match="Test list") as caught:
            read(roster(squad(), gameSystemName=name, gameSystemId=""), edition=edition)
        assert said in str(caught.value)


def test_a_list_of_no_game_says_so():
    message = (
        "expected an army list of Warhammer 40,000, but 'the list' names no game system and cannot be told from other "
        "games'; export the list again from its list builder"
    )
    with pytest.raises(RosterError) as caught:
        army_from_roster(parse_roster(b"<roster/>", "'empty.ros'"))
    assert str(caught.value) == message


def test_an_edition_nobody_computes():
    with pytest.raises(
        RosterError,
        match="expected edition '10e' or '11e' for an army list, got '12e': its rules are not computed",
    ):
        read(roster(squad()), edition="12e")


def test_a_list_without_units():
    with pytest.raises(RosterError, match="expected an army list with units, but 'Test list' holds none"):
        read(roster(selection("Battle Size")))


def test_it_is_large_enough_and_read_without_a_doubt():
    army = sample_army()
    assert army.warnings == ()
    assert (len(army.units), army.points) == (11, 1365)
    assert sum(len(line.modes) for unit in army.units for line in unit.weapons) == 43
    assert sum(unit.size for unit in army.units) == 55
    assert {unit.name: unit.size for unit in army.units}["Ember Levy"] == 20


def test_it_holds_every_ability():
    keywords = {
        keyword.name
        for unit in sample_army().units
        for line in unit.weapons
        for weapon in line.modes
        for keyword in weapon.keywords
    }
    of_the_11th = {"Close-quarters", "Hunter"}
    assert keywords == {*FLAGS, "Anti", "Melta", "Rapid Fire", "Sustained Hits"} - of_the_11th


def test_it_holds_every_shape_of_a_list():
    units = {unit.name: unit for unit in sample_army().units}
    assert units["Marshal of the League"].points == 85 + 25
    assert units["Marshal of the League"].enhancements == ("Crown of Signals",)
    assert [rule.name for rule in units["Marshal of the League"].rules if rule.state == "no effect"] == [
        "Leader",
        "Crown of Signals",
    ]
    assert units["Courier Riders"].weapons[0].count == 6  # three bundles of two pistols
    assert [len(choice) for choice in units["Hill Battery"].weapons[0].choices] == [2]
    assert invulnerable(units["Heron Walker"]) == "5+ ranged"
    assert feel_no_pain(units["Storm Augur"]) == "5+"
    wyrm = units["Furnace Wyrm"].effective_models[0].profile
    assert (wyrm.feel_no_pain, wyrm.feel_no_pain_mortal, wyrm.damage_reduction) == (None, 5, 1)
    assert units["Hill Battery"].as_target().stealth
    assert units["Hill Battery"].unparsed_abilities == ()
    assert sample_army().simplifications == (
        (
            "Ember Levy: as a target all 20 models are taken as Levy: 19x T3 Sv6+ W1, "
            "also Levy serjeant: 1x T3 Sv5+ W2"
        ),
    )


def test_all_its_units_can_be_targets():
    for unit in sample_army().units:
        target = unit.as_target()
        assert (target.models, target.points) == (unit.size, unit.points)


def test_the_same_list_as_a_file(tmp_path):
    from pkgutil import get_data

    path = tmp_path / "sample.ros"
    path.write_bytes(get_data("mathhammer.rosters", "sample/sample-army.ros"))
    assert read_army(path) == sample_army()


@pytest.mark.slow
def test_reading_lists_imports_nothing_heavy():
    heavy = ("sympy", "scipy", "matplotlib", "pandas", "zipfile", "click")
    code = (
        "import sys, mathhammer.rosters as rosters; before = 'numpy' in sys.modules; rosters.sample_army(); "
        f"print(before, [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False []"


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (shorten, "Rifle", "'Rifle'"),
        (name_key, "Two‑handed  Big Choppa", "two handed big choppa"),
        (name_key, "Sâdhu’s Bow", "sadhu s bow"),
        (singular, "Storm Wardens", "storm warden"),
        (singular, "Nurse’s gun", "nurse' gun"),
        (one_line, "Red\x1b[31m\u00a0Gun", "Red [31m Gun"),
        (one_line, None, ""),
        (one_line, 3, "3"),
        (linked_data, b"Char1: 1x Name (140 pts)", None),
        (as_text, b"Gardiens (90 Points)", "Gardiens (90 Points)"),
        (as_text, b'{"roster": {}}', None),
        (as_text, b"\x7fELF (90 points)\0", None),
        (is_text_list, "Wardens (90 Points)", True),
        (is_text_list, "Dear all, see you at 9 (or 10)", False),
        (read_unit_line, "Char2: 3x Wardens (1,215 pts): 3 with Lance", TextUnit("Wardens", 1215, 3, "3 with Lance")),
        (read_unit_line, "Gardiens [1 215 points]", TextUnit("Gardiens", 1215, 1, "")),
        (read_unit_line, "+ NUMBER OF UNITS: 6", None),
        (read_item, "     ◦ 6x Squig jaws", Item(8, bullet=True, count=6, text="Squig jaws")),
        (read_heading, "+ FACTION KEYWORD: Xenos - Orks", ("faction keyword", "Xenos - Orks")),
        (split_detachments, "Blitz Brigade, Runt Swarm and Wreckas", ("Blitz Brigade", "Runt Swarm", "Wreckas")),
        (split_detachments, "Legends of Saga and Song and Veterans", ("Legends of Saga and Song", "Veterans")),
        (read_bodyguards, "can be attached to the following units: ■ A ■ B You can do so twice.", ("A", "B")),
        (read_bodyguards, "can be attached to the following unit: - **Tyrant Guard**", ("Tyrant Guard",)),
        (mode_name, "➤ Arc lance – sweep", "Arc lance – sweep"),
        (base_name, "➤ Arc lance – sweep", "Arc lance"),
    ],
)  # fmt: skip
def test_one_text(read, text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("3 with Lance, 2x Gun, 1 with Maul", [(3, "Lance"), (6, "Gun"), (1, "Maul")]),
        ("Maul, 2x Gun (left, right)", [(4, "Maul"), (8, "Gun (left, right)")]),
    ],
)
def test_wargear_of_four_models(line, expected):
    assert [(item.count, item.name) for item in read_wargear_line(line, 4)] == expected


def test_a_link_holds_a_list():
    tail = base64.urlsafe_b64encode(gzip.compress(b'{"roster": {}}', mtime=0))
    assert gzip.decompress(linked_data(b"https://lists.example/share#" + tail)) == b'{"roster": {}}'


def test_addresses():
    assert require_address("https://example.org/data.zip") == "https://example.org/data.zip"
    with pytest.raises(MathhammerError, match="begins with https://, or a file, got 'ftp:"):
        require_address("ftp://example.org/data.zip")


TREE = roster(
    selection("Detachment", "upgrade", 1, selection("Iron Host", group="Detachment")),
    squad(
        selection("Sergeant", "model", 1, selection("Blade", profiles=(blade(),))),
        selection(
            "Trooper", "model", 4, selection("Rifle", number=4, profiles=(gun(Keywords="Assault,\xa0Heavy"),))
        ),
        rules=("Deep Strike",),
    ),
    points=100,
)


@pytest.mark.parametrize(
    "data",
    [
        as_xml(TREE),
        b"\xef\xbb\xbf" + as_xml(TREE),
        b"\n  " + as_xml(TREE).split(b"\n", 1)[1],
        as_xml(TREE).decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        as_zip(as_xml(TREE)),
        as_zip(as_xml(TREE), "LIST.ROS", method=0),
        b"\xef\xbb\xbf" + as_json(TREE),
        as_xml(TREE).replace(b' xmlns="http://www.battlescribe.net/schema/rosterSchema"', b""),
        as_xml(TREE)
        .replace(b"<roster ", b'<bs:roster xmlns:bs="x" ')
        .replace(b"</roster>", b"</bs:roster>")
        .replace(b' xmlns="http://www.battlescribe.net/schema/rosterSchema"', b""),
        as_xml(TREE).replace(
            b"</selections></force>", b"</selections><rules/><customNotes>x</customNotes></force>"
        ),
        gzip.compress(as_json(TREE)),
        base64.b64encode(gzip.compress(as_json(TREE))),
        b"https://lists.example/share#" + base64.urlsafe_b64encode(gzip.compress(as_json(TREE))).rstrip(b"="),
        b"https://lists.example/?l="
        + base64.b64encode(gzip.compress(json.dumps(TREE).encode()))
        .replace(b"+", b"%2B")
        .replace(b"/", b"%2F")
        .replace(b"=", b"%3D"),
        as_xml(TREE).replace(b'value="100"', b'value="100.0"'),
        as_xml(TREE).replace(b'value="100"', b'value="100.00000000001"'),
    ],
    ids=[
        "xml",
        "xml with byte order mark",
        "xml after white space",
        "xml in utf-16",
        "deflated",
        "stored, upper case",
        "json with byte order mark",
        "xml without namespace",
        "xml with a prefix",
        "xml with unknown and empty elements",
        "gzip",
        "the tail of a link",
        "a link",
        "a link with escapes to a list without its outer key",
        "costs as BattleScribe writes them",
        "costs with binary noise",
    ],
)
def test_every_encoding_gives_the_same_tree(data):
    assert parse_roster(data, "'x'") == parse_roster(as_json(TREE), "'x'")


@pytest.mark.parametrize("name", ["list.ros", "list.rosz", "list.json", "list", "list.txt"])
@pytest.mark.parametrize(
    "data", [as_xml(TREE), as_zip(as_xml(TREE)), as_json(TREE)], ids=["xml", "zip", "json"]
)
def test_the_name_of_the_file_does_not_matter(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert (
        parse_roster(*read_content(path))
        == parse_roster(*read_content(str(path)))
        == parse_roster(as_json(TREE), "'x'")
    )
    assert read_army(path).points == 100


def test_a_link_in_the_place_of_a_file():
    link = "https://lists.example/share#" + base64.b64encode(gzip.compress(as_json(TREE))).decode()
    assert parse_roster(*read_content(link)) == parse_roster(as_json(TREE), "'x'")
    assert read_army(link).points == 100


def test_macos_shadow_members_are_not_rosters():
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("list.ros", as_xml(TREE))
        archive.writestr("__MACOSX/._list.ros", b"\0\5\x16\7")
    assert parse_roster(buffer.getvalue(), "'x'").name == "Test list"


def test_texts_are_one_clean_line():
    tree = roster(selection("A\u00a0 b\n\x1b[31mred\u200b", "unit", profiles=(stat_line(),)))
    assert parse_roster(as_json(tree), "'x'").forces[0].selections[0].name == "A b [31mred"


def test_nested_forces_are_walked():
    tree = roster()
    tree["forces"][0]["forces"] = [{"catalogueName": "Allies", "selections": [squad()]}]
    assert [force.catalogue for force in parse_roster(as_json(tree), "'x'").forces] == [
        "Test Faction",
        "Allies",
    ]
    assert parse_roster(as_xml(tree), "'x'") == parse_roster(as_json(tree), "'x'")


def test_a_profile_finds_its_characteristics_in_any_case():
    (line,) = parse_roster(as_json(TREE), "'x'").forces[0].selections[1].profiles
    assert (line.get("sv"), line.get("InSv")) == ("3+", None)
