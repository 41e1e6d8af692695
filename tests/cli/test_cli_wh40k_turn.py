"""``mathhammer 40k turn``: what it prints, as tables, data and text, and what it refuses."""

from __future__ import annotations

import json
import re
from fractions import Fraction

from click.testing import CliRunner, Result

from mathhammer import from_text
from mathhammer.cli import main

BRUTES = [
    *("--attacker", "Brute: T4 Sv- W1", "--attacker-weapon", "Axe: A1 WS4+ S4 AP0 D1"),
    *("--attacker-weapon", "Bow: A1 BS4+ S4 AP0 D1"),
    *("--defender", "Ogre: T4 Sv- W1", "--defender-weapon", "Club: A1 WS4+ S4 AP0 D1"),
    *("--defender-leadership", "7+"),
]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["40k", "turn", *BRUTES, *arguments])


def test_turn_as_data() -> None:
    result = run("--distance", "7", "--exact", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    # The bow kills with 1/4; else the charge succeeds with 7/12, and the axe kills with 1/4.
    chances = found["exact"]
    assert chances["P(charge succeeds)"] == "7/16"
    assert chances["P(defender destroyed)"] == "23/64"
    assert chances["P(attacker destroyed)"] == "21/256"
    assert found["pictures"]["outcome"]["exact"][0] == str(1 - Fraction(23, 64) - Fraction(21, 256))


def test_turn_as_a_page() -> None:
    options = ["--stage", "charge", "--stage", "fight", "--distance", "7", "--best", "charge", "--explain"]
    page = run(*options, "--defender-fights-first", "--edition", "10e").output
    assert page.startswith("Turn of Brute against Ogre\n")
    # The ogre strikes first in the 10th edition: 7/12 * 1/4 against 7/12 * 3/4 * 1/4.
    assert "charge  attacker  0%" in re.sub(r" {2,}", "  ", page)
    assert "Models lost by Ogre" in page
    assert "Turn of Brute against Ogre (Warhammer 40,000 10th edition)" in page


def test_turn_as_text() -> None:
    text = run("--distance", "7", "--exact", "--as-text").output
    assert str(from_text(text).outcome.pmf("defender destroyed")) == "23/64"


def test_turn_refuses() -> None:
    assert "expected the distance of the charge" in run().output
    assert "did you mean 'overwatch'?" in run("--stage", "overwach").output
    assert (
        "expected a ruling of the 10th edition"
        in run("--ruling", "snap_torrent=automatic", "--edition", "10e").output
    )
