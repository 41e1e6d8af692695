"""``mathhammer show`` and ``--as-text``: what one command prints, the other computes again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tenth import wh40k

import mathhammer as mh
from mathhammer import t9a
from mathhammer.cli import main

LASCANNON = "Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]"
TANK = "Tank: 1x T10 Sv3+ InSv5+ W12 [VEHICLE]"


@pytest.fixture(autouse=True)
def _width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, arguments, input=stdin)


@pytest.mark.parametrize(
    ("command", "distribution", "expected"),
    [
        (
            ["40k", "attack", f"2x {LASCANNON}", "--target", TANK, "--exact"],
            lambda result: result.probability_destroyed,
            "32/2187",  # both wound unsaved with (2/3)^3, and 11 or 12 of two D6, or 10 with both: see test_cli_attack
        ),
        (
            ["tc", "attack", "Sword", "--blood", "2", "--spend", "best", "--charged", "--exact"],
            lambda result: result.probability_hit,
            "7/12",  # 2D6 of 7 or more
        ),
        (
            ["t9a", "charge", "11", "--advance", "4", "--exact"],
            lambda r: r.probability_success,
            "7/12",
        ),
        (["40k", "charge", "9", "--edition", "11e", "--exact"], lambda r: r.probability_success, "5/18"),
        (["40k", "battleshock", "7+", "8+", "--exact"], lambda r: r.probability_success, "7/12"),
        (["t9a", "break", "8", "--lost-by", "3", "--exact"], lambda r: r.probability_success, "5/18"),
        (["t9a", "discipline", "7", "--exact"], lambda r: r.probability_success, "7/12"),
        (
            ["t9a", "attack", "5 attacks, Off 4, Str 3", "-t", "20 models, Def 3, Res 3, Arm 2", "--exact"],
            lambda result: result.kills.mean(),
            "10/9",  # 5 x 2/3 x 1/2 x 2/3
        ),
        (
            [
                *("t9a", "fight", "--first", "1 models, Def 3, Res 3", "--second", "1 models, Def 3, Res 3"),
                *("--first-part", "1 attacks, Off 3, Str 3", "--exact"),
            ],
            lambda result: result.second_lost.mean(),
            "1/4",  # 1/2 x 1/2
        ),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_what_a_command_prints_as_text_is_reproduced(command, distribution, expected):
    printed = run(*command, "--as-text")
    assert printed.exit_code == 0
    result = mh.from_text(printed.output)
    assert str(distribution(result)) == expected
    assert result.to_text() == printed.output.rstrip("\n")
    assert "bearers=None" not in printed.output  # an option that was not given is not said
    shown = run("show", "-", stdin=printed.output)
    assert shown.exit_code == 0
    assert shown.output == f"{result}\n"


def test_a_file_that_is_no_text_is_refused_with_the_command_that_reads_lists(tmp_path):
    file = tmp_path / "army.rosz"
    file.write_bytes(b"PK\x03\x04\xf5\xff")
    refused = run("show", str(file))
    assert refused.exit_code == 2
    assert "it is not text; 'mathhammer army' reads army lists" in refused.stderr


def test_a_file_is_shown_with_its_steps(tmp_path):
    result = wh40k.attack(wh40k.Weapon.parse(LASCANNON), wh40k.Target.parse(TANK), exact=True)
    file = tmp_path / "result.txt"
    file.write_text("\ufeff" + result.to_text(), encoding="utf-8")
    assert run("show", str(file), "--explain").output == f"{result}\n\n{result.explain()}\n"


def test_a_distribution_is_shown():
    distribution = mh.distribution("2D6+3")
    assert run("show", "-", stdin=distribution.to_text()).output == f"{distribution}\n"
    refused = run("show", "-", "--explain", stdin=distribution.to_text())
    assert refused.exit_code == 2
    assert "expected a result of a game for --explain, got a distribution" in refused.stderr


def test_what_is_no_text_is_refused(tmp_path):
    half = t9a.break_test(8, 3).to_text()[:-3]
    assert "Error: line" in run("show", "-", stdin=half).stderr
    assert "the text is not whole, copy all of it" in run("show", "-", stdin=half).stderr
    for file in (tmp_path, tmp_path / "none.txt"):
        refused = run("show", str(file))
        assert refused.exit_code == 2
        assert "couldn't read" in refused.stderr
    (tmp_path / "page").write_bytes(b"\xff\xfe\x00")
    assert "couldn't read" in run("show", str(tmp_path / "page")).stderr


def test_a_device_without_an_end_is_refused():
    if not Path("/dev/zero").exists():
        pytest.skip("no device without an end on this system")
    refused = run("show", "/dev/zero")
    assert refused.exit_code == 2
    assert "at most 20,000,000 characters" in refused.stderr
