"""``mathhammer 40k turn``: what it prints, as tables, data and text, and what it refuses."""

from __future__ import annotations

import json

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
    assert found["probability_charge_succeeds_exact"] == "7/16"
    assert found["probability_defender_destroyed_exact"] == "23/64"
    assert found["probability_attacker_destroyed_exact"] == "21/256"
    assert found["stages"] == ["shoot", "charge", "fight"]
    assert {key: found["losses"][-1][key] for key in ("attacker", "defender")} == {
        "attacker": 1,
        "defender": 0,
    }


def test_turn_as_a_page() -> None:
    options = ["--stage", "charge", "--stage", "fight", "--distance", "7", "--best", "charge", "--explain"]
    page = run(*options, "--defender-fights-first", "--edition", "10e").output
    assert page.startswith("attacker: Brute: 1x T4 Sv- W1\ndefender: Ogre: 1x T4 Sv- W1\n")
    # The ogre strikes first in the 10th edition: 7/12 * 1/4 against 7/12 * 3/4 * 1/4.
    assert "Best choices for kills: worth 0 to the attacker" in page
    assert "charge (attacker): done with 0%" in page
    assert "models lost by Ogre" in page
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
