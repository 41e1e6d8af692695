"""``mathhammer tc``: what a user types and sees."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mathhammer.cli import main


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, ["tc", *arguments])
    assert result.exit_code == status, result.output
    return result.output


def test_success() -> None:
    """The rules page: +2 and -1 leave +1."""
    shown = run("success", "-d", "+2 elevated", "-d", "-1 cover", "--exact", "--explain")
    for part in ("net +1 dice", "7/36", "79/108", "2/27", "-1 (cover)", "3D6, the 2 highest count"):
        assert part in shown


def test_injury() -> None:
    assert "43/216" in run("injury", "-d", "1", "-m", "-2 armour", "--exact")
    assert "83/162" in run("injury", "--bloodbath", "-d", "-1", "--exact")
    data = json.loads(run("injury", "-m", "-5", "--json"))
    assert data["modifier"] == -3
    assert [row["outcome"] for row in data["outcomes"]] == ["no effect", "minor hit", "down", "out of action"]


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
        "Shotgun (ranged): +1 DICE, SHOTGUN",
        "Best plan for out of action",
        "attacker spends 2 Blood",
    ):
        assert part in shown
    assert "1313/7776" in run("attack", "Bolt-Action Rifle", "--exact")


def test_attack_as_data() -> None:
    weapon = "Halberd (melee): +1 INJURY DICE, CRITICAL"
    data = json.loads(run("attack", weapon, "--down", "--blood", "3", "--spend", "best", "--json", "--exact"))
    assert data["command"] == "tc attack"
    assert sum(row["probability"] for row in data["state"]) == pytest.approx(1)
    assert any("Bloodbath" in line for line in data["plan"])
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
