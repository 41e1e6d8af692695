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


def test_success() -> None:
    """The rules page: +2 and -1 leave +1."""
    shown = run("success", "-d", "+2 elevated", "-d", "-1 cover", "--exact", "--explain")
    for part in ("net dice +1", "7/36", "79/108", "2/27", "-1 (cover)", "3D6, the 2 highest count"):
        assert part in shown


def test_injury() -> None:
    assert "43/216" in run("injury", "-d", "1", "-m", "-2 armour", "--exact")
    assert "83/162" in run("injury", "--bloodbath", "-d", "-1", "--exact")
    data = json.loads(run("injury", "-m", "-5", "--json"))
    assert data["facts"]["modifier"] == "-3"
    assert data["pictures"]["outcome"]["labels"] == ["no effect", "minor hit", "down", "out of action"]


@pytest.mark.parametrize(
    ("roll", "cell"), [("success", "58.33%"), ("injury", "27.78%"), ("bloodbath", "74.07%")]
)
def test_table(roll: str, cell: str) -> None:
    assert cell in run("table", roll)


def test_attack() -> None:
    shown = run(
        "attack",
        "shotgun",
        "--armour",
        "standard",
        "--shield",
        "--blood",
        "2",
        "--spend",
        "best",
        "--explain",
    )
    for part in (
        "Shotgun against the target",
        "Plan for out of action",
        "attacker spends 2 Blood",
    ):
        assert part in shown
    assert "1313/7776" in run("attack", "Bolt-Action Rifle", "--exact")


def test_attack_as_data() -> None:
    weapon = "Halberd (melee): +1 INJURY DICE, CRITICAL"
    data = json.loads(run("attack", weapon, "--down", "--blood", "3", "--spend", "best", "--json", "--exact"))
    assert data["command"] == "tc attack"
    assert sum(data["pictures"]["outcome"]["probabilities"]) == pytest.approx(1)
    assert any("Bloodbath" in line for line in data["notes"])
    assert data["rulings"]["down_bonus"] == "melee"


def test_refusals() -> None:
    assert "did you mean 'Shotgun'" in run("attack", "Shotgn", status=2)
    both = ("attack", "Musket", "--spend", "best", "--reply", "best")
    said = run(*both, status=2)
    assert "--spends-first='attacker' or --spends-first='defender', or --initiative=..." in said
    either = run("attack", "Musket", "--spends-first", "attacker", "--initiative", "defender", status=2)
    assert "expected --spends-first=... or --initiative=..., got both" in either
    assert "expected --charged for a Melee Attack" in run("attack", "Musket", "--charged", status=2)
    assert "expected --in-melee for" in run("attack", "Musket", "--in-melee", status=2)
    for name in ("--blood", "--own-blessing"):
        assert f"'{name}': 7 is not in the range 0<=x<=6" in run("attack", "Musket", name, "7", status=2)
    assert "down_bonus" in run("attack", "Musket", "--ruling", "down_bonus=never", status=2)


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
        "second_reply": tc.Reply(),
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


def test_exchange_refuses() -> None:
    sides = ("--first", "Ann", "--second", "Ben", "--second-weapon", "Sword")
    assert "did you mean 'Sword'" in run("exchange", *sides, "--first-weapon", "Swrd", status=2)
    assert "Missing option '--first-weapon'" in run("exchange", *sides, status=2)
    most = run("exchange", *sides, "--first-weapon", "Axe", "--activations", "21", status=2)
    assert "from 1 to 20 as activations, got 21" in most
