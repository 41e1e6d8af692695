"""``mathhammer t9a``: what it prints, as tables and as data, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mathhammer.cli import main

ORCS = "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["t9a", *arguments])


def data(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json", "--exact")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


def test_fight() -> None:
    sides = [
        *("--first", ORCS, "--first-part", "3 x 1 attacks, Off 3, Str 4, Agi 4", "--first-charging"),
        *("--second", ORCS, "--second-part", "3 x 1 attacks, Off 3, Str 4, Agi 2"),
    ]
    found = data("fight", *sides)
    winner = found["pictures"]["winner"]["probabilities"]
    assert sum(winner) == pytest.approx(1)
    assert winner[0] > winner[2]
    assert "P(breaks)" in run("fight", *sides).output
    [several] = data("rounds", *sides, "--rounds", "3", "--pursue")["tables"]
    assert len(several["rows"]) == 3
    assert "still" in run("rounds", *sides, "--rounds", "2").output
    # The enemy in its flank with two Full Ranks wins and costs Undead, one by one, what Unstable units lose.
    dead = ("--first", "20 models, Res 3", "--first-undead", "--second", "20 models, Res 3")
    crumbled = data("fight", *dead, "--second-flanks", "1", "--second-rank-width", "5")
    assert crumbled["pictures"]["losses"]["columns"] == [str(2 + 3)]
    saved = data(
        "fight", *dead, "--second-flanks", "1", "--second-rank-width", "5", "--first-battle-standard"
    )
    assert saved["pictures"]["losses"]["columns"] == [str(2 + 3 - 1)]


def test_the_best_weapon_of_a_round_is_the_better_of_both() -> None:
    duel = [
        "--first",
        "Hero: 1 model, HP 3, Def 4, Res 4",
        "--second",
        "Brute: 1 model, HP 4, Def 3, Res 5, Arm 3",
    ]
    weapons = ["Sword: 4 attacks, Off 4, Str 4, Agi 5", "Great weapon: 4 attacks, Off 4, Str 6, AP 3, Agi 0"]

    def beaten(found: dict[str, Any]) -> float:
        [table] = found["tables"]
        second = dict(zip(table["header"], table["rows"][1], strict=True))
        return sum(float(second[name].strip("<>%")) for name in ("P(breaks)", "P(destroyed)"))

    fixed = {each: beaten(data("fight", *duel, "--first-part", each)) for each in weapons}
    either = [word for each in weapons for word in ("--first-alternative", each)]
    chosen = data("fight", *duel, *either, "--best", "first")
    best = max(fixed, key=fixed.__getitem__)
    assert beaten(chosen) == pytest.approx(fixed[best], abs=0.011)
    assert f"Round 1, start: fights with {best.partition(':')[0]}" in " ".join(chosen["notes"])


def test_units_without_model_parts_are_refused() -> None:
    """Neither strikes, and nothing is scored: the message shows a model part; a charge is scored."""
    sides = ("--first", "Guards: 10 models, Res 3", "--second", ORCS)
    for command in "fight", "rounds":
        refused = run(command, *sides)
        assert refused.exit_code == 2
        assert "neither 'Guards' nor 'Orcs' does" in refused.output
        assert "'Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2'" in refused.output
        assert "Traceback" not in refused.output
    assert data("fight", *sides, "--first-charging")["pictures"]["winner"]["probabilities"][0] == 1
