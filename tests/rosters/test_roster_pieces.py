"""Single texts of list builders, each beside what it says: by the exporters' formats, read by hand."""

import base64
import gzip

import pytest

from mathhammer import MathhammerError
from mathhammer.rosters.container import linked_data
from mathhammer.rosters.data.store import require_address
from mathhammer.rosters.names import name_key, one_line, shorten, singular
from mathhammer.rosters.reading import as_text
from mathhammer.rosters.text.header import split_detachments
from mathhammer.rosters.text.lines import (
    Item,
    UnitLine,
    is_text_list,
    read_heading,
    read_item,
    read_unit_line,
    read_wargear_line,
)
from mathhammer.rosters.tree import Cost, Profile
from mathhammer.rosters.wh40k.unit_rules import read_bodyguards
from mathhammer.rosters.wh40k.units import total_points
from mathhammer.rosters.wh40k.weapons import base_name, group_modes, mode_name


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
        (read_unit_line, "Char2: 3x Wardens (1,215 pts): 3 with Lance", UnitLine("Wardens", 1215, 3, "3 with Lance")),
        (read_unit_line, "Gardiens [1 215 points]", UnitLine("Gardiens", 1215, 1, "")),
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


def test_only_points_are_added():
    assert total_points([Cost("pts", "", 100), Cost("pts", "", 15), Cost("Crusade", "", 3)]) == 115


def test_marked_profiles_of_one_weapon_are_its_modes():
    names = ["Launcher", "➤ Mortar - frag", "➤ Mortar - krak"]
    assert [
        len(each) for each in group_modes([Profile(name, "Ranged Weapons", "", ()) for name in names])
    ] == [1, 2]


def test_addresses():
    assert require_address("https://example.org/data.zip") == "https://example.org/data.zip"
    with pytest.raises(MathhammerError, match="begins with https://, or a file, got 'ftp:"):
        require_address("ftp://example.org/data.zip")
