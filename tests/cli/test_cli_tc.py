"""``mathhammer tc``: what a user types and sees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.cli import main


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, ["tc", *arguments])
    assert result.exit_code == status, result.output
    return result.output


def test_exchange() -> None:
    """The first Activation is an attack, the second one of what it leaves; at least one of both is the whole."""
    model = ("--first", "Ann", "--first-weapon", "Bolt-Action Rifle", "--second", "Ben")
    both = (*model, "--second-weapon", "Bolt-Action Rifle")
    found = json.loads(run("exchange", *both, "--activations", "2", "--exact", "--json"))
    # Ben is out by the first shot or by none: a shot of its own takes out Ann. 1313/7776 is that of a lone attack.
    end = found["pictures"]["end"]
    assert dict(zip(end["labels"], end["exact"], strict=True))["second out"] == "1313/7776"
    assert sum(end["probabilities"]) == pytest.approx(1)
    [[_, _, _, ben, ann], _] = found["tables"][0]["rows"]
    assert (ben, ann) == ("16.89%", "0%")
    shown = run("exchange", *both, "--explain")
    assert "Activation of both left Ben out Ann out" in " ".join(shown.split())
    assert "Ann against Ben" in shown


def test_exchange_of_players_who_play_to_win() -> None:
    sides = "--first Ann --first-weapon Sword --second Ben --second-weapon Sword --second-blood 1"
    shown = run("exchange", *sides.split(), "--spend", "best", "--reply", "best")
    assert "Activation 1 of Ann, 1. Sword, Injury Roll: attacker spends 1 Blood" in shown


def test_exchange_hands_on_every_option() -> None:
    first = tc.Fighter(
        tc.Target("Ann", armour="standard", shield=True, blood=1, blessing=2, down=True, keywords="TOUGH"),
        ["Sword", "Axe"],
        ranged=1,
        melee=2,
        opening="Pistol",
    )
    second = tc.Fighter(tc.Target("Ben", infection=3), "Halberd (melee): +1 INJURY DICE, CRITICAL", melee=1)
    spending: dict[str, Any] = {
        "first_spend": tc.Spend(blood=2),
        "second_spend": tc.Spend(bloodbath=True),
        "first_reply": tc.Reply(blessing=1),
    }
    wanted = tc.exchange(first, second, activations=3, **spending, edition="beta_2026_04", exact=True)
    given = [
        *("--first", "Ann", "--first-armour", "standard", "--first-shield", "--first-blood", "1"),
        *("--first-blessing", "2", "--first-down", "--first-keywords", "TOUGH", "--first-weapon", "sword"),
        *("--first-weapon", "axe", "--first-ranged", "1", "--first-melee", "2", "--first-opening", "Pistol"),
        *("--second", "Ben", "--second-infection", "3", "--second-melee", "1", "--second-weapon"),
        *("Halberd (melee): +1 INJURY DICE, CRITICAL", "--first-spend-blood", "2", "--second-bloodbath"),
        *("--first-reply-blessing", "1", "--activations", "3", "--edition", "beta_2026_04", "--exact"),
    ]
    assert from_text(run("exchange", *given, "--as-text")).to_text() == wanted.to_text()
    found = json.loads(run("exchange", *given, "--json"))
    end = found["pictures"]["end"]
    assert dict(zip(end["labels"], end["exact"], strict=True))["first out"] == str(
        wanted.probability_second_wins
    )
