"""README and guides: console examples print what they say, links and claims hold. Python examples are doctests."""

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from time import process_time

import pytest

from mathhammer import analysis
from mathhammer.rosters import sample_army
from mathhammer.systems.wh40k.profiles.standard_targets import TARGETS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GUIDES = runpy.run_path(str(ROOT / ".ci" / "pages.py"))["GUIDES"]
PAGES = [
    ROOT / "README.md",
    *(ROOT / home / "guide.md" for home in GUIDES.values()),
    ROOT / ".github" / "CONTRIBUTING.md",
]
#: A line of dots stands for output that the README leaves out.
ELLIPSIS = "..."


def _examples() -> list[tuple[str, list[str]]]:
    texts = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", texts, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            found.append((command, expected))
    return found


@pytest.mark.parametrize(("command", "expected"), _examples(), ids=lambda value: str(value)[:60])
def test_console_example(command, expected):
    program, *arguments = shlex.split(command)
    assert program == "mathhammer"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "mathhammer", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "PATH": ""},
        check=False,
    )
    printed = [line.rstrip() for line in (done.stdout + done.stderr).rstrip("\n").split("\n")]
    expected = [line.rstrip() for line in expected]
    if ELLIPSIS in expected:
        cut = expected.index(ELLIPSIS)
        printed, expected = printed[:cut], expected[:cut]
    assert printed == expected


def test_there_are_examples():
    assert len(_examples()) >= 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_guide_and_every_notebook_is_listed():
    listed = set(re.findall(r"\((\w[\w/]*)/guide\.md", PAGES[0].read_text(encoding="utf-8")))
    assert listed == set(GUIDES.values())
    found = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("[bmt]*/**/guide.md")}
    assert found == listed
    guide = ROOT / GUIDES["list_builder"] / "guide.md"
    listed = set(re.findall(r"/notebooks/(\w+\.ipynb)\)", guide.read_text(encoding="utf-8")))
    assert listed == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_floors_are_those_of_the_contract():
    """The drawing of the rooms and the contract that import-linter holds name the same floors in the same order."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    floors = next(contract["layers"] for contract in contracts["contracts"] if contract["type"] == "layers")
    rooms = [
        room.strip(" ()").removeprefix("mathhammer.") for floor in floors for room in re.split(r"[|:]", floor)
    ]
    text = (ROOT / GUIDES["design"] / "guide.md").read_text(encoding="utf-8")
    drawing = re.search(r"^```text\n(cli .*?)^```", text, re.DOTALL | re.MULTILINE)
    assert drawing is not None
    assert [line.split()[0] for line in drawing[1].splitlines()] == rooms


README = PAGES[0].read_text(encoding="utf-8")
ERRORS = (ROOT / "tests/cases/published_errors.txt").read_text(encoding="utf-8")


def test_where_others_are_wrong():
    """Each row is one of the published errors, whose right answers are tests of their own."""
    rows = re.findall(r"^\| (.+?): .+ \| (.+) \| (.+) \|$", README.partition("| printed |")[2], re.MULTILINE)[
        :3
    ]
    for who, printed, right in rows:
        assert re.search(
            rf"^# {who}.*\(printed: {re.escape(printed)}\)\n.*\n.* = {right}$", ERRORS, re.MULTILINE
        )
    [more] = re.findall(r"There are (\d+) more", README)
    assert len(rows) + int(more) == ERRORS.count("(printed: ")


def test_how_fast_it_is():
    units, targets, cells = map(
        int, re.findall(r"the (\d+) units and .* all (\d+) standard targets, (\d+) ", README)[0]
    )
    labels = ", ".join(TARGETS)
    army = sample_army()
    analysis.grid(army, "MEQ")  # what is imported for the first grid of a program is no part of it
    began = process_time()
    table = analysis.grid(army, labels)
    assert process_time() - began < 1
    assert (*table.mean_kills.shape, table.mean_kills.size) == (units, targets, cells)


def test_its_length_and_its_line_about_completion():
    assert len(README.splitlines()) <= 150
    [(name, value)] = re.findall(r"\$\((_\w+)=(\w+) mathhammer\)", README)
    done = subprocess.run(
        [sys.executable, "-c", "from mathhammer.cli import main; main(prog_name='mathhammer')"],
        capture_output=True,
        text=True,
        env={name: value, "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert "complete -o nosort -F _mathhammer_completion mathhammer" in done.stdout


def test_the_bot_of_the_guide():
    """2D6 of 9 or more in 10 of 36 cases; a shot of 2/3 x 1/3 x 1/2 at MEQ kills with Damage 2."""
    text = (ROOT / GUIDES["program"] / "guide.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[-1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    bot = {}
    exec(compile(code, "bot", "exec"), bot)  # noqa: S102 - the guide's own
    assert bot["reply"]("charge 9") == "27.8% to make the charge."
    assert bot["reply"]("9x Gun: A1 BS3+ S4 AP-1 D2 at MEQ") == "1.00 models on average, 0.0% to destroy all."
    assert bot["reply"]("2D6+3") == "10.00 on average, 5 to 15."
    assert bot["reply"]("attack them").startswith("Sorry: expected")
    assert bot["reply"]("charge far").startswith("Sorry: ")


def test_number_of_published_errors():
    number = ERRORS.count("(printed: ")
    text = " ".join((ROOT / GUIDES["trust"] / "guide.md").read_text(encoding="utf-8").split())
    assert f"{number} wrong answers of public calculators" in text
