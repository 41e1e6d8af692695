"""``mathhammer rules``: the gains of rule_worths, printed."""

from __future__ import annotations

import csv
import io
import json

import pytest
from test_cli_lists import WATCH, run

from mathhammer import analysis
from mathhammer.rosters import sample_army


def test_the_gains_are_those_of_rule_worths():
    data = json.loads(run("rules", "--against", "MEQ,TANK", "--json").output)
    expected = analysis.rule_worths(sample_army(), "MEQ,TANK")
    assert (data["schema"], data["targets"]) == ("mathhammer.rule_worths", ["MEQ", "TANK"])
    assert data["records"] == expected.to_records()
    assert data["without_gain"] == expected.without_gain
    rows = list(csv.DictReader(io.StringIO(run("rules", "--against", "MEQ,TANK", "--csv").stdout)))
    assert [row["rule"] for row in rows] == [row["rule"] for row in data["records"]]


def test_the_page():
    result = run("rules", "--against", "TANK")
    assert (result.exit_code, result.stderr) == (0, "")
    page = result.output.splitlines()
    assert max(map(len, page)) <= 80
    # A damaged Crawler hits worse: what would be missed is negative, and it is off.
    [melee] = [line for line in page if line.startswith("Bulwark Crawler") and " melee " in line]
    assert " off " in melee
    assert melee.split()[-4].startswith("-")


def test_a_list_strikes_back():
    """A Feel No Pain is worth something against units that attack, and nothing is tried against targets."""
    assert "against" not in {line.split()[-5] for line in run("rules").output.splitlines() if "%" in line}
    data = json.loads(run("rules", "--against", str(WATCH), "--json").output)
    kinds = {row["kind"] for row in data["records"] if row["rule"] == "Storm Augur: Feel No Pain 5+"}
    assert kinds == {"against melee"}  # the Marshal of the watch has a hammer and no gun


def test_switches_move_the_state():
    plain = json.loads(run("rules", "--against", "TANK", "--json").output)["records"]
    name = "Bulwark Crawler: Damaged: 1-5 wounds remaining"
    switched = json.loads(run("rules", "--against", "TANK", "--rule", name, "--json").output)["records"]
    before, after = ({(row["rule"], row["kind"]): row for row in rows} for rows in (plain, switched))
    assert {key for key in after if after[key]["now"] == "on"} == {key for key in before if key[0] == name}
    for key, row in before.items():
        if key[0] != name:
            continue
        assert (row["now"], after[key]["now"]) == ("off", "on")
        assert after[key]["gain_share"] == pytest.approx(row["gain_share"], rel=1e-9)


def test_stratagems_of_a_file_are_weighed_unit_by_unit(tmp_path):
    """They are off; each row names the unit that it is used on."""
    file = tmp_path / "stratagems.txt"
    file.write_text(
        "HIGH WATER (1CP)\nWHEN: Your Shooting phase.\nTARGET: One unit from your army.\n"
        "EFFECT: Until the end of the phase, your unit's ranged attacks have [LETHAL HITS].\n"
    )
    command = ("rules", "--against", "TANK", "--stratagems", str(file))
    rows = [
        row for row in json.loads(run(*command, "--json").output)["records"] if "High Water" in row["rule"]
    ]
    assert len(rows) > 3
    assert {(row["now"], row["kind"]) for row in rows} == {("off", "shooting")}
    assert rows[0]["rule"].startswith("High Water (1 CP) > ")
    file.write_text("nothing")
    assert "holds no stratagems" in run(*command).stderr
