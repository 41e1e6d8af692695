"""Pages keep to the width of the terminal, from 40 columns on, and a folded table loses no number of a wide one."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from mathhammer.cli import main

SAMPLE = "mathhammer/rosters/sample/sample-army.ros"
LONG_NAME = "Vanguard Expedition of the Twice-Lit Lighthouse: T9 Sv3+ W10 120pts"
PLASMA = "3x Plasma: A2 BS3+ S8 AP-3 DD3 [HAZARDOUS]"
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
#: What else was or could be wider than its page: long fractions, long names, many columns, plans, comparisons.
WIDE = [
    ("army", "--against", f"MEQ, {LONG_NAME}"),
    ("army", "--against", LONG_NAME, "--needed", "80%"),
    ("army", "--against", SAMPLE),
    ("rules",),
    ("rules", "--against", SAMPLE),
    ("focus", "--against", f"VEQ, {LONG_NAME}"),
    ("data", "list"),
    ("dice", "30D6", "--exact", "--at-least", "100"),
    ("40k", "attack", "10x Rifle: A2 BS3+ S4 AP-1 D1", "-t", "TEQ", "--exact"),
    ("40k", "attack", PLASMA, "-t", "TEQ", "--bearers", "MEQ", "--reroll", "best", "--explain", "--exact"),
    ("40k", "editions", "5x Rifle: A2 BS3+ S4 AP-1 D1 [HEAVY]", "-t", "MEQ", "--cover", "--exact"),
    (
        *(
            "40k",
            "turn",
            "--attacker",
            "MEQ",
            "--attacker-weapon",
            "10x Fist: A3 WS3+ S4 AP0 D1",
            "--defender",
            "TEQ",
        ),
        *("--defender-weapon", "5x Claw: A4 WS3+ S4 AP-2 D1", "--distance", "8", "--explain", "--exact"),
    ),
    ("40k", "charge", "9", "--reroll", "--exact", "--explain"),
    ("40k", "battleshock", "7+", "--exact", "--explain"),
    ("40k", "abilities"),
]
WIDTHS = (40, 55, 95)


def run(command, columns):
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, command)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.output


@pytest.mark.parametrize("command", [*COMMANDS, *WIDE], ids=" ".join)
def test_a_page_keeps_to_its_width(command):
    too_wide = {
        columns: [line for line in run(command, columns).splitlines() if len(line) > columns]
        for columns in WIDTHS
    }
    assert too_wide == {columns: [] for columns in WIDTHS}


@pytest.mark.parametrize("command", [*COMMANDS, *WIDE[:4]], ids=" ".join)
def test_a_narrow_page_holds_every_number_of_a_wide_one(command):
    narrow = re.sub(r"\s", "", run(command, 40))
    numbers = re.findall(r"[\d<>][\d.,/%]*", run(command, 110))
    assert len(numbers) > 3
    assert [number for number in numbers if number not in narrow] == []


def test_a_text_for_a_program_is_never_folded():
    command = (*WIDE[8], "--as-text")
    assert run(command, 40) == run(command, 110)


@pytest.mark.parametrize("columns", [72, 110])
def test_a_long_name_of_a_target_stands_before_its_numbers(columns):
    lines = run(("army", "--against", SAMPLE), columns).splitlines()
    assert any(re.match(r"melee +Marshal of the League +\d", line) for line in lines)
