"""Datasheets fetched from their publishers: a server on this machine that serves, stalls, lies and sends away."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from datasheet_files import xml_profile
from roster_files import ELEVENTH, as_json, gun, roster, selection, stat_line

from mathhammer import MathhammerError
from mathhammer.cli import main
from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters import data as store
from mathhammer.rosters import open_datasheets, read_army
from mathhammer.rosters.bsdata import archived
from mathhammer.rosters.data import FORGES, cached, download

TEXT = """Gate Watch (90 Points)

Wardens (90 Points)
  • 5x Warden
     ◦ 5x Rifle
"""


LINE, RIFLE = xml_profile(stat_line("Warden")), xml_profile(gun())
CATALOGUE = f"""<catalogue id="main" name="League" gameSystemId="sys-352e-adc2-7639-d6a9"><sharedSelectionEntries>
<selectionEntry id="w" name="Wardens" type="unit"><profiles>{LINE}</profiles><selectionEntries>
<selectionEntry id="m" name="Warden" type="model"><selectionEntries>
<selectionEntry id="r" name="Rifle" type="upgrade"><profiles>{RIFLE}</profiles></selectionEntry>
</selectionEntries></selectionEntry></selectionEntries></selectionEntry></sharedSelectionEntries></catalogue>"""


def archive(files):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return written.getvalue()


GOOD = archive(
    {"wh40k-10e-main/": "", "wh40k-10e-main/League.cat": CATALOGUE, "wh40k-10e-main/README.md": "hi"}
)


CONTENTS = {
    "text": b"x" * len(GOOD),
    "login": b"\n<!DOCTYPE html><title>Log in</title>",
    "League.cat?raw=1": CATALOGUE.encode(),
}


class Handler(BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    def do_GET(self):
        kind = self.path.strip("/")
        content = CONTENTS.get(kind, GOOD)
        size = {"lies-long": len(GOOD) + 9, "huge": 10**12, "negative": -5}.get(kind, len(content))
        if kind == "gone":
            self.send_error(404)
            return
        if kind in {"away", "round", "forge"}:
            port = self.server.server_address[1]
            elsewhere = {
                "away": "https://elsewhere.example/data.zip",
                "forge": f"http://localhost:{port}/good",
            }
            self.send_response(302)
            self.send_header("Location", elsewhere.get(kind, "/round"))
            self.end_headers()
            return
        self.send_response(200)
        if kind not in {"endless", "stalls"}:
            self.send_header("Content-Length", str(size))
        self.end_headers()
        if kind == "stalls":
            self.wfile.write(GOOD[:10])
            self.wfile.flush()
            self.server.closing.wait(20)
        elif kind == "endless":
            while not self.server.closing.is_set():
                self.wfile.write(b"x" * 65536)
        else:
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def serving():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.closing = threading.Event()
    server.handle_error = lambda *_: None  # who hangs up on an endless answer is right
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def address():
    with serving() as found:
        yield found


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def the_list(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_text_list_finds_what_was_fetched(tmp_path, address):
    path = the_list(tmp_path)
    with pytest.raises(RosterError, match=r"names without characteristics.*mathhammer data get"):
        read_army(path)
    found = store.fetch("bsdata-10e", address=address + "good")
    assert (found.datasheets, found.sha256) == (1, hashlib.sha256(GOOD).hexdigest())
    (unit,) = read_army(path).units
    assert (unit.size, unit.models[0].profile.toughness) == (5, 4)
    assert [line.name for line in unit.weapons] == ["Rifle"]
    assert open_datasheets("bsdata-10e").datasheet("Wardens").name == "Wardens"
    assert cached("bsdata-10e").about == found
    assert store.remove("bsdata-10e")
    assert not store.remove("bsdata-10e")
    assert cached("bsdata-10e") is None


def test_a_file_without_profiles_finds_what_was_fetched_of_its_edition(tmp_path, address):
    path = tmp_path / "bare.json"
    models = selection("Warden", "model", 5, selection("Rifle", "upgrade", 5))
    bare = selection("Wardens", "unit", 1, models)
    path.write_bytes(as_json(roster(bare)))
    assert read_army(path).warnings[0].startswith("the list carries no profiles")
    store.fetch("bsdata-10e", address=address + "good")
    (unit,) = read_army(path).units
    assert (unit.size, [line.name for line in unit.weapons]) == (5, ["Rifle"])


@pytest.mark.parametrize("edition", [None, "11e"])
@pytest.mark.parametrize("encoding", ["text", "JSON"])
def test_datasheets_of_another_edition_serve_with_a_warning(tmp_path, address, encoding, edition):
    """A list of the 11th edition where datasheets of the 10th were fetched only: alike in every encoding."""
    path = tmp_path / "list"
    path.write_text("+ FORCE DISPOSITION: Disruption\n\n" + TEXT.partition("\n\n")[2], encoding="utf-8")
    if encoding == "JSON":
        models = selection("Warden", "model", 5, selection("Rifle", "upgrade", 5))
        path.write_bytes(as_json(roster(selection("Wardens", "unit", 1, models), **ELEVENTH)))
    store.fetch("bsdata-10e", address=address + "good")
    army = read_army(path, edition=edition)
    assert army.file_edition == "11e"
    assert army.warnings[0] == (
        "the list is of the 11th edition, the datasheets are of the 10th; 'mathhammer data get bsdata' fetches its own"
    )
    (unit,) = army.units
    assert (unit.size, [line.name for line in unit.weapons]) == (5, ["Rifle"])


def test_the_table_holds_what_the_catalogue_does(tmp_path, address):
    store.fetch("bsdata-10e", address=address + "good")
    (tmp_path / "League.cat").write_text(CATALOGUE, encoding="utf-8")
    source, table = open_datasheets(tmp_path), open_datasheets("bsdata-10e")
    assert (list(table.names()), table.edition) == (["Wardens"], source.edition)
    assert table.datasheet("Wardens") == source.datasheet("Wardens")
    assert table.datasheet("Nobody") is None


@pytest.mark.parametrize("around", ["archive", "parent"])
def test_an_archive_and_the_folder_around_are_sources(tmp_path, around):
    place = tmp_path / "main.zip"
    place.write_bytes(GOOD)
    if around == "parent":
        place.unlink()
        (tmp_path / "unpacked" / "wh40k-10e-main").mkdir(parents=True)
        (tmp_path / "unpacked" / "wh40k-10e-main" / "League.cat").write_text(CATALOGUE, encoding="utf-8")
        place = tmp_path / "unpacked"
    assert list(open_datasheets(place).names()) == ["Wardens"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone", "the server answered 404"),
        ("away", "redirects to 'https://elsewhere.example"),
        ("round", "the server answered 302"),
        ("lies-long", "it broke off after"),
        ("huge", "sends more than"),
        ("text", "got something else"),
        ("login", "got a web page, perhaps one to log in"),
        ("forge", "localhost.*hash of what you expect"),
        ("negative", "it announces '-5' bytes"),
    ],
)
def test_what_a_server_can_do_is_an_error(cache, address, path, said):
    with pytest.raises(RosterError, match=said):
        store.fetch("bsdata", address=address + path)
    assert not cache.exists() or not list(cache.iterdir())


@pytest.mark.parametrize(("path", "said"), [("stalls", "timed out"), ("endless", "sends more than")])
def test_a_server_that_stalls_or_never_ends(address, path, said):
    begun = time.monotonic()
    with pytest.raises(RosterError, match=said):
        download(address + path, limit=10**6, patience=1.0, progress=lambda *_: None)
    assert time.monotonic() - begun < 15  # it would go on for ever


def test_another_hash_is_refused_and_the_old_data_stay(address):
    store.fetch("bsdata-10e", address=address + "good")
    with pytest.raises(RosterError, match="nothing was kept"):
        store.fetch("bsdata-10e", address=address + "good", sha256="0" * 64)
    with pytest.raises(RosterError, match="404"):
        store.fetch("bsdata-10e", address=address + "gone")
    assert cached("bsdata-10e") is not None


def test_datasheets_of_another_edition_than_the_name_says_are_refused(address):
    with pytest.raises(
        RosterError, match=r"of the 11e for bsdata, got some of the 10e; .* get them as bsdata-10e"
    ):
        store.fetch("bsdata", address=address + "good")
    assert cached("bsdata") is None


@pytest.mark.parametrize("path", ["good", "good?raw=1", "League.cat?raw=1"])
def test_addresses_with_a_question_mark(address, path):
    assert store.fetch("bsdata-10e", address=address + path).datasheets == 1


@pytest.mark.parametrize("allowed", ["hash", "forge"])
def test_a_forge_sends_on_to_its_own_host_and_a_hash_allows_any(address, allowed, monkeypatch):
    known = hashlib.sha256(GOOD).hexdigest() if allowed == "hash" else None
    monkeypatch.setitem(FORGES, "127.0.0.1", ("localhost",) if allowed == "forge" else ())
    found = store.fetch("bsdata-10e", address=address + "forge", sha256=known)
    assert (found.datasheets, found.origin) == (1, "localhost")
    assert "from localhost" in str(found)
    with pytest.raises(RosterError, match="nothing was kept"):
        store.fetch("bsdata-10e", address=address + "forge", sha256="0" * 64)


@pytest.mark.parametrize(("name", "content"), [("mine.zip", GOOD), ("League.cat", CATALOGUE.encode())])
def test_a_local_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    found = store.fetch("bsdata-10e", address=str(tmp_path / name))
    assert (found.datasheets, found.origin, found.size) == (1, name, len(content))


# The cache -------------------------------------------------------------------------------------------------


def change(cache, command, *values):
    with closing(sqlite3.connect(cache / "bsdata-10e.sqlite")) as base, base:
        base.execute(command, values)


#: A datasheet as the table holds it: the fields of a Datasheet in order.
SHEET = [
    *("Wardens", [], [], [], [["Warden", [["Warden", "Unit", "id", [["T", "4"]], False]]]], []),
    *("", [], [["", ["Warden"]]], []),
]


def packed(plain):
    return zlib.compress(json.dumps(plain).encode())


def sheet(place, value):
    return packed([*SHEET[:place], value, *SHEET[place + 1 :]])


CONTENT = {
    "no bytes": None,
    "number": 7,
    "text": "Wardens",
    "not compressed": b"Wardens",
    "broken off": packed(SHEET)[:-9],
    "no JSON": zlib.compress(b"{"),
    "no text": zlib.compress(b"\xff"),
    "deep": zlib.compress(b"[" * 10**5),
    "large": zlib.compress(bytes(10**8), 1),
    "object": packed({}),
    "null": packed(None),
    "short": packed(SHEET[:5]),
    "name": sheet(0, 7),
    "profiles": sheet(1, "letters"),
    "profile": sheet(1, [["a", "b", "c", "d", "e"]]),
    "profile's name": sheet(1, [[None, "b", "c", [], False]]),
    "characteristic": sheet(1, [["a", "b", "c", [["T", 4]], False]]),
    "characteristics": sheet(1, [["a", "b", "c", ["T4"], False]]),
    "rules": sheet(2, [7]),
    "categories": sheet(3, {"a": 1}),
    "models": sheet(4, [["a"]]),
    "wargear": sheet(5, [["a", "b"]]),
    "hidden": sheet(1, [["a", "b", "c", [], 1]]),
    "rule texts": sheet(2, [["Oath", 7]]),
    "catalogue": sheet(6, None),
    "others": sheet(7, "letters"),
    "defaults": sheet(8, [["a", "b"]]),
    "enhancements": sheet(9, [[]]),
}
ABOUT = ["bsdata-10e", "10e", "2026-06-01 10:00", "a host", 9, "0" * 64, 1]
OF = "UPDATE datasheets_9 SET content = ? WHERE key = ?"
SPOILT = {
    **{
        f"about {place}": (OF, packed([*ABOUT[:place], wrong, *ABOUT[place + 1 :]]), "about")
        for place, wrong in enumerate([7, "8e", None, [], "9", {}, True])
    },
    "nothing known": ("DELETE FROM datasheets_9 WHERE key = 'about'",),
    "another version": ("ALTER TABLE datasheets_9 RENAME TO datasheets_5",),
    "another column": ("ALTER TABLE datasheets_9 RENAME COLUMN content TO value",),
    "names": (OF, packed([[7, "League", "1"]]), "units"),
    "places": (OF, packed([["Wardens", "League"]]), "units"),
    "no such place": (OF, packed([["Wardens", "League", "1"]]), "units"),
    "reach": (OF, packed([["League", "League"]]), "reach"),
    "parts": (OF, packed([7]), "parts/0"),
    "no part": (OF, packed([]), "parts/0"),
    "no JSON as parts": (OF, packed(["{"] * 99), "parts/0"),
    **{
        name: ("UPDATE datasheets_9 SET content = ? WHERE key GLOB '[0-9]*'", content)
        for name, content in CONTENT.items()
    },
}


@pytest.mark.parametrize("what", [*SPOILT, "empty", "no table", "folder", "large file"])
def test_a_spoilt_cache_is_one_error(tmp_path, cache, address, what):
    path, file = the_list(tmp_path), cache / "bsdata-10e.sqlite"
    store.fetch("bsdata-10e", address=address + "good")
    if what in SPOILT:
        change(cache, *SPOILT[what])
    elif what == "folder":
        file.unlink()
        file.mkdir()
    elif what == "large file":
        with file.open("ab") as written:
            written.truncate(2**33)
    else:
        file.write_bytes(b"Wardens" * 999 if what == "no table" else b"")
    with pytest.raises(RosterError, match=r"get them again with 'mathhammer data get bsdata-10e'"):
        read_army(path)
    shown = CliRunner().invoke(main, ["data", "list"])
    assert (shown.exit_code, "bsdata: not fetched" in shown.output) == (0, True)
    if what == "folder":
        for refused in (store.remove, lambda name: store.fetch(name, address=address + "good")):
            with pytest.raises(RosterError, match=r"directory.*make room, allow writing there"):
                refused("bsdata-10e")
    else:
        store.fetch("bsdata-10e", address=address + "good")
        assert read_army(path).units


def test_what_is_not_spoilt_is_read(cache, address):
    store.fetch("bsdata-10e", address=address + "good")
    change(cache, OF, packed(ABOUT), "about")
    change(cache, "UPDATE datasheets_9 SET content = ? WHERE key GLOB '[0-9]*'", packed(SHEET))
    assert cached("bsdata-10e").datasheet("Wardens").models[0][1][0].get("T") == "4"


def test_the_folder_may_be_relative_and_a_link(tmp_path, address, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MATHHAMMER_CACHE", "near")
    (tmp_path / "real").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "real")
    store.fetch("bsdata-10e", address=address + "good")
    kept = tmp_path / "real" / "bsdata-10e.sqlite"
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    assert open_datasheets("bsdata-10e").datasheet("Wardens").name == "Wardens"
    assert store.remove("bsdata-10e")
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("place", ["a file", "a file/below", "/proc/none"])
def test_a_folder_that_cannot_be_written(tmp_path, place, monkeypatch):
    (tmp_path / "a file").write_text("")
    (tmp_path / "mine.zip").write_bytes(GOOD)
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path / place))
    assert not store.remove("bsdata-10e")
    found = CliRunner().invoke(main, ["data", "get", "bsdata-10e", "--from", str(tmp_path / "mine.zip")])
    assert found.exit_code == 2
    assert "couldn't change" in found.output
    assert "make room, allow writing there" in " ".join(found.output.split())


@pytest.mark.parametrize("room", [2_000, 9_000])
def test_a_full_disk(tmp_path, cache, room):
    """A limit on the size of files refuses to write what a full disk does: the old data stay."""
    resource = pytest.importorskip("resource")
    (tmp_path / "mine.zip").write_bytes(GOOD)
    store.fetch("bsdata-10e", address=str(tmp_path / "mine.zip"))
    before = [(each.name, each.read_bytes()) for each in cache.iterdir()]
    command = ["-m", "mathhammer", "data", "get", "bsdata-10e", "--from", str(tmp_path / "mine.zip")]
    found = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-B", *command],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert "couldn't change" in " ".join(found.stderr.split())
    assert [(each.name, each.read_bytes()) for each in cache.iterdir()] == before


@pytest.mark.parametrize("wrong", ["", "x", "0" * 63, "g" * 64])
def test_what_is_no_hash_is_refused_before_anything_is_fetched(wrong):
    with pytest.raises(RosterError, match="expected a SHA-256 hash of 64 hexadecimal digits, got"):
        store.fetch("bsdata", address="https://nowhere.invalid/data.zip", sha256=wrong)


def test_a_server_that_cannot_be_reached_is_told_in_words():
    with pytest.raises(
        RosterError,
        match=r"couldn.t download .*: (?!\[Errno)\w.*; check the connection or try again later.*--datasheets FILE.zip",
    ):
        store.fetch("bsdata", address="http://127.0.0.1:9/data.zip")


@pytest.mark.parametrize(
    "wrong",
    [
        "nowhere.zip",
        "x\0y",
        "ftp://x/y",
        "http://example.org/data.zip",
        "file:///etc/passwd",
        "https://[",
        "",
    ],
)
def test_only_https_is_asked(wrong):
    with pytest.raises(RosterError, match="begins with https"):
        store.fetch("bsdata", address=wrong)


def test_unknown_publishers():
    with pytest.raises(UnknownNameError, match="bsdata"):
        store.fetch("bsdat")
    with pytest.raises(MathhammerError, match="get them with 'mathhammer data get bsdata'"):
        open_datasheets("bsdata")


def test_archives_with_hostile_members():
    assert archived(archive({"../../evil.cat": "x", "/abs/two.cat": "y"}), "it") == [
        ("evil.cat", b"x"),
        ("two.cat", b"y"),
    ]
    with pytest.raises(RosterError, match=r"at most 32 MiB, but 'bomb.cat' in it holds more"):
        archived(archive({"bomb.cat": b"0" * (33 * 2**20)}), "it")
    with pytest.raises(RosterError, match="holds no datasheets"):
        archived(archive({"readme.md": "x"}), "it")
    with pytest.raises(RosterError, match="is damaged"):
        archived(GOOD[:-30], "it")


def test_the_command_line(tmp_path, address, monkeypatch):
    def run(*arguments, **options):
        return CliRunner().invoke(main, [*arguments], **options)

    assert "1 datasheets of the 10e" in run("data", "get", "bsdata-10e", "--from", address + "good").output
    assert "1 datasheets" in run("data", "list").output
    assert "Wardens" in run("army", str(the_list(tmp_path)), "--against", "MEQ").output
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert "Wardens" in run("army", "-", "--against", "MEQ", input=TEXT).output
    assert "removed" in run("data", "remove", "bsdata-10e").output
    assert run("data", "get", "nothing").exit_code == 2
