"""What the commands write: never over a list, never half of it, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import os
import resource
import subprocess
import sys
from importlib.resources import files

import pytest
from click.testing import CliRunner
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.cli import main
from mathhammer.display.records import csv_text
from mathhammer.files import require_output, write_text

SAMPLE = (files("mathhammer.rosters") / "sample" / "sample-army.ros").read_text(encoding="utf-8")


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "army.list"  # a name from which nothing can be told
    path.write_text(SAMPLE, encoding="utf-8")
    return path


def run(*arguments, **options):
    return CliRunner(**options).invoke(main, list(map(str, arguments)))


def refused(roster, *arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "expected a file to write to" in result.stderr
    assert roster.read_text(encoding="utf-8") == SAMPLE


def test_no_page_over_the_list_that_is_read(tmp_path, roster):
    refused(roster, "army", roster, "--html", roster)
    refused(roster, "army", roster, "--html", tmp_path / "." / roster.name)
    refused(roster, "army", "--against", roster, "--html", roster)
    refused(roster, "army", roster, "--datasheets", roster, "--html", roster)
    refused(roster, "compare", roster, roster, "--html", roster)
    link, second = tmp_path / "link.html", tmp_path / "hard.html"
    link.symlink_to(roster)
    os.link(roster, second)
    for name in (link, second):
        refused(roster, "army", roster, "--html", name)


@pytest.mark.parametrize("name", ["a.ros", "a.rosz", "a.ROSZ", "a.json", "a.txt", "a.cat", "a.gst", "a.csv"])
def test_no_page_under_the_name_of_a_list(tmp_path, name):
    """``mathhammer army --html my-army.rosz``: the list was meant as FILE."""
    path = tmp_path / name
    path.write_text(SAMPLE, encoding="utf-8")
    refused(path, "army", "--html", path)
    link = tmp_path / "page.html"
    link.symlink_to(path)
    refused(path, "army", "--html", link)


def test_data_is_not_written_under_the_name_of_a_list(tmp_path):
    table = analysis.grid([wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")], "MEQ")
    for write in (table.to_csv, table.to_json):
        with pytest.raises(MathhammerError, match="the name of an army list"):
            write(tmp_path / "army.rosz")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o600)
    link = tmp_path / "link.html"
    link.symlink_to(path)
    reader = path.open()
    write_text(link, "new Ω\n")
    assert reader.read() == "old"  # who had it open reads what it was
    reader.close()
    assert path.read_bytes() == "new Ω\n".encode()
    assert (link.is_symlink(), path.stat().st_mode & 0o777) == (True, 0o600)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.html", "page.html"]


@pytest.mark.slow
def test_a_full_disk_keeps_the_old_page(tmp_path):
    """A limit on the size of files stands for the disk: the write fails in the middle of the page."""
    path = tmp_path / "page.html"
    path.write_text("old")
    result = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "mathhammer", "army", "--html", str(path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"Error: couldn't write to '{path}': File too large\n"
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_device_is_written_to_as_it_is(tmp_path):
    write_text("/dev/null", "x")
    with pytest.raises(MathhammerError, match="No space left on device"):
        write_text("/dev/full", "x" * 100_000)
    for nowhere in (tmp_path, tmp_path / "missing" / "page.html", "page\0.html"):
        with pytest.raises(MathhammerError, match="couldn't write to"):
            write_text(nowhere, "x")
    with pytest.raises(MathhammerError, match="couldn't write to"):
        require_output("page\0.html", ".html", ["list\0.ros"])


FORMULA = "=HYPERLINK(0)"


def test_no_cell_begins_a_formula(roster):
    """https://owasp.org/www-community/attacks/CSV_Injection: an apostrophe before = + - @, tabs and line ends."""
    unit = "Lamplighters"
    assert f'name="{unit}"' in SAMPLE
    roster.write_text(SAMPLE.replace(f'name="{unit}"', f'name="{FORMULA}"'), encoding="utf-8")
    for arguments in (["army", roster], ["compare", roster, roster]):
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv").stdout)))
        cells = {cell for row in rows for cell in row.values()}
        assert f"'{FORMULA}" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_numbers_of_csv_stay_numbers():
    starts = ["=", "+", "-", "@", " =", "＝"]
    text = csv_text([{"name": f"{start}1", "mean": -1.5} for start in starts])
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert rows == [[f"'{start}1", "-1.5"] for start in starts]
    assert csv_text([{"name": "\t=1\r\n=2"}]) == "name\n\\t=1\\r\\n=2\n"
    grid = analysis.grid([analysis.Attacker(FORMULA, wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1"))], "MEQ")
    assert f"\n'{FORMULA}," in grid.to_csv()


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_an_output_of_another_alphabet(roster, form):
    roster.write_text(SAMPLE.replace("Lamplighters", "Фонарщики"), encoding="utf-8")
    result = run("army", roster, *form, charset="cp1252")
    assert (result.exit_code, result.stderr) == (0, "")
    assert r"\u0424\u043e\u043d\u0430\u0440\u0449\u0438\u043a\u0438" in result.stdout
