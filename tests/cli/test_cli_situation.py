"""Every keyword of a situation as an option: against the library, and against fractions worked out by hand."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from tenth import wh40k

from mathhammer.cli import main
from mathhammer.cli.questions import SituationOptions
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.situation import SITUATION_NAMES

GUN = 'Gun: 24" A6 BS3+ S5 AP-1 D2'
MARINES = "5x T4 Sv3+ W2"
OVERHEATS = wh40k.Trigger("wound", "unmodified 6", "Rending", improve_ap=3)

ROWS = [
    line.split(" | ")
    for line in (Path(__file__).parent / "situation.txt").read_text(encoding="utf-8").splitlines()[1:]
]


def attack(*arguments):
    edition = () if "--edition" in arguments else ("--edition", "10e")
    result = CliRunner().invoke(main, ["40k", "attack", *edition, *arguments, "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.output)
    return {**data, **data["pictures"]}


def test_every_keyword_of_a_situation_has_an_option():
    assert {one.field.name for one in SituationOptions().options()} == SITUATION_NAMES


def test_every_option_is_tried():
    # Precision chooses among leaders: it has a test of its own.
    assert {one.name for one in SituationOptions().options()} - {"precision"} == {name for name, *_ in ROWS}


@pytest.mark.parametrize(("name", "edition", "weapon", "typed", "words"), ROWS, ids=[row[0] for row in ROWS])
def test_an_option_is_the_keyword_of_the_library(name, edition, weapon, typed, words):
    keywords = eval(f"dict({words})", {"Modifier": Modifier, "OVERHEATS": OVERHEATS})  # noqa: S307 - a file of the tests
    data = attack(weapon, "-t", MARINES, "--edition", edition, *shlex.split(typed))
    target = wh40k.Target.parse(MARINES)
    expected = wh40k.attack(wh40k.Weapon.parse(weapon), target, edition=edition, **keywords)
    assert data["wounds_lost"]["mean"] == pytest.approx(expected.wounds_lost.mean(), rel=1e-12)
    assert data["edition"] == edition
    # It is the option in question that moves the number.
    without = {key: value for key, value in keywords.items() if key != _key(name)}
    plain = wh40k.attack(wh40k.Weapon.parse(weapon), target, edition=edition, **without)
    assert plain.wounds_lost.mean() != pytest.approx(expected.wounds_lost.mean(), rel=1e-9)


def _key(name):
    return next(one.field.name for one in SituationOptions().options() if one.name == name)


def test_what_is_on_is_said_and_is_in_the_data():
    arguments = [
        GUN,
        "-t",
        MARINES,
        "--stealth",
        "--modifier",
        "damage +1 (rule)",
        "--ignore-modifiers",
        "hit",
    ]
    asked = attack(*arguments)["question"]
    assert all(
        words in asked for words in ("stealth", 'Modifier("add", 1, "rule", of="damage")', "ignore_modifiers")
    )
    page = (
        CliRunner(env={"COLUMNS": "100"})
        .invoke(main, ["40k", "attack", "--edition", "10e", *arguments])
        .output
    )
    assert "Situational rules on: stealth, damage +1 (rule), ignores modifiers of hit." in " ".join(
        page.split()
    )


@pytest.mark.parametrize("command", [["army"], ["compare"], ["40k", "attack"]])
def test_the_help_lists_every_option_under_its_heading(command):
    page = CliRunner(env={"COLUMNS": "100"}).invoke(main, [*command, "--help"]).output
    headings = [line for line in page.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[0] == "Options:"
    assert headings[-6:] == [
        "Situation:",
        "Situation of the target:",
        "Modifiers:",
        "Rolls:",
        "Re-rolls:",
        "Rulings:",
    ]
    for one in SituationOptions().options():
        assert f"{one.opts[0]} " in page


def test_one_damage_roll():
    """It is the library's re-roll."""
    gun = "Gun: A6 BS3+ S5 AP-1 DD3"
    data = attack(gun, "-t", MARINES, "--reroll-damage", "one")
    target = wh40k.Target.parse(MARINES)
    expected = wh40k.attack(wh40k.Weapon.parse(gun), target, reroll_damage="one")
    assert data["wounds_lost"]["mean"] == pytest.approx(expected.wounds_lost.mean(), rel=1e-12)
    assert data["wounds_lost"]["mean"] > attack(gun, "-t", MARINES)["wounds_lost"]["mean"]
    assert "unsaved" in data
    assert data["damage"]["mean"] == pytest.approx(expected.damage.mean(), rel=1e-12)
    shown = CliRunner().invoke(
        main, ["40k", "attack", "--edition", "10e", gun, "-t", MARINES, "--reroll-damage", "one"]
    )
    assert shown.exit_code == 0


def test_the_plan_for_a_reroll_is_printed():
    """Three lascannons at 8 wounds: the best use of the re-roll in words, as numbers, and each decision on request."""
    asked = ["Lascannon: A1 BS3+ S12 AP-3 DD6+1", "-t", "T10 Sv3+ W8", "--count", "3", "--reroll", "best"]
    asked += ["--objective", "probability_destroyed", "--edition", "10e", "--exact"]
    data = attack(*asked)
    plan = data["plan"]
    assert plan["exact"] == {
        "P(destroyed)": "1322075/3188646",
        "without the re-roll": "125950/531441",
        "spent on the first low roll": plan["exact"]["spent on the first low roll"],
    }
    assert any("miss" in row for row in plan["tables"][0]["rows"])
    page = CliRunner().invoke(main, ["40k", "attack", *asked]).output
    words = "Keep it after two hits; after one hit re-roll a miss; then re-roll a failed wound"
    assert words in " ".join(page.split())
    assert "dice on the table" not in page
    told = CliRunner().invoke(main, ["40k", "attack", *asked, "--explain"]).output
    assert "dice on the table" in told
