"""The folder of the page: what is in it is looked at first, the new page is built beside it and takes its place."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mathhammer import MathhammerError
from mathhammer.cli import main
from mathhammer.page import build, lists
from mathhammer.page.build import build_page, is_page
from mathhammer.rosters.data import Fetched, TableSource, write_table
from mathhammer.rosters.datasheets import Datasheet, DatasheetSource


def test_datasheets_lie_beside_the_page_by_faction(tmp_path, monkeypatch):
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path))
    held = {"Wardens": {"Lanterns": Datasheet("Wardens")}, "Moths": {"Dusk": Datasheet("Moths")}}
    table, source = tmp_path / "bsdata.sqlite", DatasheetSource("11e", held, lambda sheet: sheet)
    write_table(source, table, Fetched("bsdata", "11e", "", "", 0, ""))
    _, (part, content), _ = sorted(lists.by_faction(table).items())
    (tmp_path / part).write_bytes(content)
    lists.datasheets({"part": part})
    assert TableSource("bsdata", table).datasheet("Moths") == source.datasheet("Moths")
    with pytest.raises(MathhammerError, match=r"bsdata\.parts/0"):
        TableSource("bsdata", table).datasheet("Wardens")


FILES = {"index.html": b"new", "runtime/a.mjs": b"new", "packages-2.bin": b"new"}


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def page(**files):
    files = {"index.html": b"old", "packages-1.bin": b"old"} | files
    return files | {"files.json": json.dumps({"files": sorted(files)}).encode()}


NEW = FILES | page(**FILES)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """All but the packages of the registries, which the test in the browser has."""

    def unwanted(*_):
        raise AssertionError("a registry was asked")

    monkeypatch.setattr(build, "_fetched", unwanted)


OTHERS = {
    "own files": {"mine.txt": b"mine"},
    "an index of something else": {"files.json": b'{"version": 3}', "packages-old.bin": b"mine"},
    "no object": {"files.json": b"[]", "index.html": b"mine"},
    "no JSON": {"files.json": b"{", "index.html": b"mine"},
    "a page and more": page() | {"CNAME": b"example.org"},
    "a page and less": {name: each for name, each in page().items() if name != "index.html"},
    "a folder of Git": page() | {".git/HEAD": b"mine"},
}


@pytest.mark.parametrize("others", OTHERS)
def test_a_folder_with_other_files_is_not_touched(tmp_path, others):
    for name, content in OTHERS[others].items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    for refused in (build_page, lambda folder: build._write(folder, NEW)):
        with pytest.raises(MathhammerError, match="which holds other files"):
            refused(tmp_path)
    assert files_of(tmp_path) == OTHERS[others]
    found = CliRunner().invoke(main, ["page", "serve", str(tmp_path)])
    assert (found.exit_code, "which holds other files" in " ".join(found.output.split())) == (2, True)


def test_a_file_and_the_folder_of_this_program_are_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(MathhammerError, match="got the file"):
        build_page(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(MathhammerError, match="expected a folder that can be replaced"):
        build_page(Path())


@pytest.mark.parametrize("before", ["nothing", "an empty folder", "a page", "a link to a page"])
def test_a_page_takes_the_place_of_what_was_there(tmp_path, before):
    folder = tmp_path / "below" / "page"
    if before != "nothing":
        folder.mkdir(parents=True)
    if before.endswith("a page"):
        build._write(folder, page())
        assert is_page(folder)
    if before.startswith("a link"):
        (tmp_path / "link").symlink_to(folder)
    build._write((tmp_path / "link" if before.startswith("a link") else folder).resolve(), NEW)
    assert files_of(folder) == NEW
    assert is_page(folder)
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("stopped", ["write_bytes", "rename"])
def test_an_old_page_outlives_a_build_that_is_stopped(tmp_path, monkeypatch, stopped):
    folder = tmp_path / "page"
    build._write(folder, page())
    act = getattr(Path, stopped)

    def stop(self, given):
        if self.name in {"packages-2.bin", "new"}:
            raise KeyboardInterrupt
        return act(self, given)

    monkeypatch.setattr(Path, stopped, stop)
    with pytest.raises(KeyboardInterrupt):
        build._write(folder, NEW)
    assert files_of(folder) == page()
    assert list(tmp_path.iterdir()) == [folder]
