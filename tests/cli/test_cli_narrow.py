"""A terminal of 40 columns: tables are folded, and no number of the wide page is lost."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from mathhammer.cli import main

SAMPLE = "mathhammer/rosters/sample/sample-army.ros"
COMMANDS = [
    ("army",),
    ("targets",),
    ("focus", "--against", "VEQ", "--best", "--goal", "50"),
    ("compare", SAMPLE, SAMPLE),
    ("dice", "2D6+3", "--exact"),
    ("40k", "attack", "Rifle: A2 BS3+ S4 AP-1 D1", "-t", "MEQ", "--exact"),
    ("40k", "rulings"),
    ("t9a", "attack", "Spearmen: 15 attacks, Off 3, Str 3", "-t", "Orcs: 20 models, Def 3, Res 4"),
    ("t9a", "break", "8", "--lost-by", "3"),
    ("tc", "attack", "Shotgun", "--armour", "standard", "--blood", "2", "--spend", "best"),
]


def run(command, columns):
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, command)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.output


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_narrow_page_keeps_to_its_width(command):
    assert max(map(len, run(command, 40).splitlines())) <= 40


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_narrow_page_holds_every_number_of_a_wide_one(command):
    narrow = re.sub(r"\s", "", run(command, 40))
    numbers = re.findall(r"[\d<>][\d.,/%]*", run(command, 110))
    assert len(numbers) > 3
    assert [number for number in numbers if number not in narrow] == []
