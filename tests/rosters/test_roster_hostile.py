"""Hostile and wrong files: one clear RosterError each, at once."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import sys
import time
import zipfile
from difflib import get_close_matches

import pytest
from roster_files import as_json, as_xml, as_zip, gun, roster, selection, squad

from mathhammer.errors import RosterError
from mathhammer.rosters import read_army
from mathhammer.rosters.datasheets import Datasheet, DatasheetSource, NameIndex
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.text import parse_text_list
from mathhammer.rosters.tree import MAX_BYTES

pytestmark = pytest.mark.slow

MIB = 2**20


def message_of(data: bytes) -> str:
    """Message of the refusal, which has to come within a second."""
    start = time.process_time()
    with pytest.raises(RosterError) as caught:
        parse_roster(data, "'x'")
    assert time.process_time() - start < 1
    text = str(caught.value)
    assert len(text) < 500
    assert "\n" not in text
    return text


def changed_entry(data: bytes, offset: int, value: int) -> bytes:
    """Archive with one byte of its directory entry changed."""
    changed = bytearray(data)
    changed[changed.index(b"PK\x01\x02") + offset] = value
    return bytes(changed)


def many_members(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "<roster/>")
    return buffer.getvalue()


def nested_selections(depth: int) -> dict:
    tree = squad()
    for _ in range(depth):
        tree = selection("Box", "upgrade", 1, tree)
    return roster(tree)


SMALL = as_zip(b"<roster/>", method=0)

CASES = {
    "empty": (b"", "is empty"),
    "white space": (b" \n ", "is empty"),
    "binary": (b"\x7fELF\x02\x01\x01\0", "binary file of another kind"),
    "text list": (b"Char1: 1x Name (140 pts)", "names without characteristics"),
    "text that is cut inside a letter": (b"x" + "é".encode() * 600, "plain text"),
    "four bytes of gzip": (b"\x1f\x8b\x08\0", "breaks off"),
    "damaged gzip": (b"\x1f\x8b\x08\0" + b"\xff" * 40, "is damaged"),
    "cut gzip": (gzip.compress(b'{"roster": {}}' * 9)[:-10], "breaks off"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"{}")), "or packed again"),
    "link to nothing": (b"https://lists.example/#" + base64.b64encode(gzip.compress(b"hello")), "plain text"),
    "link that is cut": (b"https://lists.example/#H4sIAAAAAAAAA6tWKsovLkktUrKqVkrLL0oGAL", "but 'x' "),
    "link with a stray character": (b"https://lists.example/#H4sIAAAAAA\xffAAAA6tWKsov", "of another kind"),
    "html": (b"<!-- saved --><html><body/></html>", "the root of 'x' is <html>"),
    "html with doctype": (b"<!DOCTYPE html><html/>", "document type declaration"),
    "catalogue": (b'<catalogue name="x"/>', "the root of 'x' is <catalogue>"),
    "dtd": (b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><roster/>', "document type declaration"),
    "entities": (
        b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><roster name="&b;"/>',
        "document type declaration",
    ),
    "undefined entity": (b'<roster name="&b;"/>', "undefined entity"),
    "broken xml": (b"<roster><forces></roster>", "mismatched tag"),
    "cut xml": (as_xml(roster(squad()))[:-40], "breaks off or is damaged"),
    "two roots": (b"<roster/><roster/>", "junk after document element"),
    "deep xml": (
        b"<roster>" + b"<selections><selection>" * 40 + b"</selection></selections>" * 40 + b"</roster>",
        "at most 64 levels",
    ),
    "many nodes": (b"<roster>" + b"<a/>" * 600_000 + b"</roster>", "at most 500,000 nodes"),
    "one endless tag": (b"<roster " + b"x" * 30 * MIB, "at most 1 MiB in one tag or comment"),
    "many attributes": (
        b"<roster " + b" ".join(b'a%d=""' % i for i in range(300_000)) + b"/>",
        "at most 1 MiB in one tag or comment",
    ),
    "encoding nobody knows": (b'<?xml version="1.0" encoding="klingon"?><roster/>', "unknown encoding"),
    "json of another program": (b'{"decks": [], "cards": []}', "an object with the keys 'decks', 'cards'"),
    "json list": (b"[1, 2]", "holds a list"),
    "json with another kind of roster": (b'{"roster": []}', "the keys 'roster'"),
    "json from an xml converter": (
        b'{"roster": {"forces": {"force": []}}}',
        "expected a list of objects under 'forces'",
    ),
    "json with texts for objects": (
        b'{"roster": {"forces": ["a"]}}',
        "expected a list of objects under 'forces'",
    ),
    "json with objects for texts": (b'{"roster": {"name": {"a": 1}}}', "expected a text under 'name'"),
    "cut json": (as_json(roster(squad()))[:-9], "breaks off or is damaged"),
    "json without end": (b'{"roster":' + b"[" * 100_000, "nested without end"),
    "json with many nodes": (b'{"roster": [' + b"[]," * 10_000_000, "at most 500,000 nodes"),
    "json with many values": (b'{"roster": [' + b"0," * 6_000_000, "at most 5,000,000 values"),
    "json not a number": (b'{"roster": {"costs": [{"value": NaN}]}}', "as the value of a cost"),
    "json with an endless number": (b'{"roster": {"a": ' + b"9" * 5000 + b"}}", "breaks off or is damaged"),
    "deep json": (as_json(nested_selections(70)), "at most 64 levels"),
    "cost as text": (b'{"roster": {"costs": [{"value": "free"}]}}', "as the value of a cost"),
    "infinite cost": (b'{"roster": {"costs": [{"value": "inf"}]}}', "as the value of a cost"),
    "cost true": (b'{"roster": {"costs": [{"value": true}]}}', "as the value of a cost"),
    "negative number": (as_json(roster(selection("A", "unit", -1))), "has '-1'"),
    "half a model": (as_json(roster(selection("A", "unit", 0.5))), "has '0.5'"),
    "number true": (as_json(roster(selection("A", "unit", number=True))), "has 'True'"),
    "a billion models": (as_json(roster(selection("A", "unit", 10**9))), "from 0 to 1,000"),
    "number as a word": (as_json(roster(selection("A", "unit", "ten"))), "has 'ten'"),
    "number without end": (as_json(roster(selection("A", "unit", 10**400))), "from 0 to 1,000"),
    "empty archive": (many_members(), "exactly one .ros member, but 'x' holds 0"),
    "archive without a list": (many_members("list.txt"), "holds 0"),
    "archive with two lists": (many_members("a.ros", "b.ros"), "holds 2"),
    "archive with many members": (
        many_members(*(f"{i}.ros" for i in range(150))),
        "at most 100 files in an archive",
    ),
    "archive in an archive": (as_zip(SMALL), "is an archive or packed again"),
    "archive of text": (as_zip(b"hello"), "plain text"),
    "four bytes of an archive": (b"PK\x03\x04", "is damaged"),
    "cut archive": (SMALL[:-10], "is damaged"),
    "damaged archive": (SMALL.replace(b"<roster/>", b"<rosteX/>"), "is damaged (Bad CRC-32"),
    "damaged deflate": (
        as_zip(as_xml(roster(squad()))).replace(as_zip(as_xml(roster(squad())))[60:80], b"\xff" * 20),
        "is damaged",
    ),
    "encrypted": (changed_entry(SMALL, 8, 1), "is encrypted"),
    "bzip2": (changed_entry(SMALL, 10, 12), "packed by ZIP method 12"),
    "method nobody knows": (changed_entry(SMALL, 10, 99), "packed by ZIP method 99"),
}


@pytest.mark.parametrize(("data", "said"), CASES.values(), ids=CASES)
def test_one_clear_error(data, said):
    text = message_of(data)
    assert said in text
    assert text.startswith(("expected ", "'x' holds names"))


def test_a_bomb_of_200_mb_costs_nothing():
    bomb = as_zip(b"<roster>" + b" " * 200_000_000)
    assert len(bomb) < 250_000
    assert "at most 32 MiB, but 'inner name.ros' in 'x' holds more" in message_of(bomb)


def test_a_gzip_bomb_of_200_mb_costs_nothing():
    bomb = gzip.compress(b"{" + b" " * 200_000_000)
    assert "at most 32 MiB, but the data inside 'x' holds more" in message_of(bomb)
    assert "holds more" in message_of(b"https://lists.example/share#" + base64.b64encode(bomb))


def test_a_bomb_that_lies_about_its_size():
    bomb = as_zip(b"<roster>" + b" " * 200_000_000)
    start = bomb.index(b"PK\x01\x02")
    lying = bomb[: start + 24] + (100).to_bytes(4, "little") + bomb[start + 28 :]
    message_of(lying)


def test_a_list_of_more_than_32_mib_is_not_read(tmp_path):
    path = tmp_path / "large.ros"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(RosterError, match="at most 32 MiB"):
        read_army(path)


def test_what_is_not_a_file(tmp_path):
    with pytest.raises(RosterError, match="is a folder; name the file inside it"):
        read_army(tmp_path)
    with pytest.raises(RosterError, match="does not exist; check the path"):
        read_army(tmp_path / "missing.ros")
    with pytest.raises(RosterError, match="cannot be opened"):
        read_army(tmp_path / "missing.ros" / "\0")
    with pytest.raises(RosterError, match="cannot be opened"):
        read_army("x" * 5000)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in the file system")
def test_pipes_and_devices_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.ros")
    with pytest.raises(RosterError, match="is not a regular file"):
        read_army(tmp_path / "pipe.ros")
    with pytest.raises(RosterError, match="is not a regular file"):
        read_army("/dev/zero")


@pytest.mark.parametrize("cut", range(0, 2000, 37))
def test_no_cut_of_a_file_escapes_as_another_error(cut):
    tree = roster(squad(selection("Trooper", "model", 5, selection("Rifle", number=5, profiles=(gun(),)))))
    for data in (as_xml(tree), as_json(tree), as_zip(as_xml(tree))):
        if cut < len(data):
            with pytest.raises(RosterError):
                parse_roster(data[:cut], "'x'")


@pytest.mark.parametrize(
    "key", ["forces", "selections", "profiles", "rules", "costs", "categories", "name", "number"]
)
@pytest.mark.parametrize("value", [1, "a", True, None, {}, [], [1], [[]], [{}], {"a": []}, 1e308, -1])
def test_any_json_in_any_place_is_read_or_refused(key, value):
    node = {"name": "A", "type": "unit", "number": 1, key: value}
    tree = {**roster(), "forces": [{"selections": [node]}]}
    data = json.dumps({"roster": tree}).encode()
    refusal = "expected nothing"
    try:
        parse_roster(data, "'x'")
    except RosterError as error:
        refusal = str(error)
    assert refusal.startswith("expected ")


# Hostile lists: work that grows with the square of a line or a list took 16 s for 50 kB and 38 s for 387 kB.


@pytest.mark.parametrize(
    "text",
    [
        "Wardens (90 points)\n• 5x Warden" + "\n" * 4900,
        "Wardens (90 points)\n" + "\n".join(["• 5x Warden" + " " * 900 + "x"] * 1000),
        "\n".join(["Wardens" + " " * 900 + "(90 points" for _ in range(1000)] + ["Wardens (90 points): W"]),
        "Wardens (90 points)\n" + "\n".join(["• 1x W: " + "(" * 400 + "," * 400] * 1000),
        "Wardens (90 points): W\n" + "\n".join(["Leading " + "W " * 450] * 1000),
        "Wardens (90 points)\n" + "\n".join(["• " + "W (+" * 200] * 1000),
        "Wardens (90 points)\n" + "\n".join(["+ DETACHMENT: W" + " (" * 450] * 1000),
    ],
)
def test_hostile_texts_cost_what_they_are_long(text):
    start = time.process_time()
    assert parse_text_list(text, "'x'").units
    assert time.process_time() - start < 8  # minutes, without a bound


def test_a_list_of_more_parts_than_any_army_is_refused():
    line = "• 1x W: " + "a," * 480 + "b\n"
    for text, most in (
        ("Wardens (90 points)\n" + line * 900, "2,000"),
        (f"Wardens (90 points)\n{line}" * 299, "20,000"),
    ):
        start = time.process_time()
        with pytest.raises(RosterError, match=most):
            parse_text_list(text, "'x'")
        assert time.process_time() - start < 8  # minutes, without a bound


# Many names that are not known: 30 against a large catalogue took over two minutes.


class _Large(DatasheetSource):
    def names(self):
        return [f"Unit of the {number}th lantern" * 6 for number in range(20_000)]

    def datasheet(self, _name, _faction=""):
        return None


def test_unknown_names_against_a_large_catalogue(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(
        "".join(f"Unit of a {number}th lamp {'lantern ' * 15} (9 points): W\n" for number in range(300))
    )
    start = time.process_time()
    army = read_army(path, datasheets=_Large("10e", {}, Datasheet))
    assert time.process_time() - start < 10
    missing = [warning for warning in army.warnings if "have no such unit" in warning]
    assert len(missing) == 300
    assert sum("nearest are" in warning for warning in missing) <= 50


def test_the_nearest_names_are_those_of_a_comparison_of_all():
    names = ["Wardens", "Warden Sergeant", "Rhino", "Storm Wardens", "Long gun"]
    index = NameIndex((name, name) for name in names)
    for asked in ("Wardns", "Warden Sergant", "Lon gun", "Rino", "Zzz"):
        expected = get_close_matches(asked.lower(), [name.lower() for name in names], n=3)
        assert [name.lower() for name in index.nearest(asked)] == expected
