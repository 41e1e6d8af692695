"""Encodings and editions of lists, the sample, and the pieces that readers are made of."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys

import pytest
from roster_files import (
    as_json,
    as_xml,
    as_zip,
    blade,
    gun,
    roster,
    selection,
    squad,
    stat_line,
)

from mathhammer.rosters import read_army
from mathhammer.rosters.reading import parse_roster, read_content
from mathhammer.rosters.tree import name_key, one_line, singular


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
        (name_key, "Two‑handed  Big Choppa", "two handed big choppa"),
        (name_key, "Sâdhu’s Bow", "sadhu s bow"),
        (singular, "Storm Wardens", "storm warden"),
        (singular, "Nurse’s gun", "nurse gun"),
        (one_line, "Red\x1b[31m\u00a0Gun", "Red [31m Gun"),
        (one_line, None, ""),
        (one_line, 3, "3"),
    ],
)  # fmt: skip
def test_one_text(read, text, expected):
    assert read(text) == expected


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
    with path.open("rb") as file:
        assert read_army(path).points == read_army(data).points == read_army(file).points == 100


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
