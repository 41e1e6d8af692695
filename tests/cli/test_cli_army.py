"""``mathhammer army``: the sample army, checked line by line by hand where a line can be."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from mathhammer.cli import main
from mathhammer.rosters import sample_army
from mathhammer.systems.wh40k import RuleCondition, RuleEffect, UnitRule


def run(*arguments, columns=80):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, ["army", *arguments])


@pytest.fixture(scope="module")
def page():
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    return result.output.splitlines()


@pytest.fixture(scope="module")
def data():
    return json.loads(run("--json").output)


def cells(data, unit, kind):
    return {row["target"]: row for row in data["records"] if (row["unit"], row["kind"]) == (unit, kind)}


def test_no_line_is_wider_than_the_page(page):
    assert max(map(len, page)) <= 80
    # The widest table: a label of eleven characters.
    wide = run("--against", "DREADNOUGHT,BLADEGUARD").output.splitlines()
    assert max(map(len, wide)) <= 80


OATH = UnitRule("Old Oaths", "datasheet", "all", unread=("hit roll",))


@pytest.fixture
def doubtful(monkeypatch):
    """The sample army, of which two units have something to be said about, and one has no weapons."""
    army = sample_army()
    battery, walker = army["Hill Battery"], army["Heron Walker"]
    units = [
        replace(unit, rules=(*unit.rules, OATH))
        if unit is battery
        else replace(unit, notes=("Heron Walker: two rifles are taken as one",))
        if unit is walker
        else unit
        for unit in army.units
    ]
    bare = replace(army.units[0], name="Banner", weapons=(), rules=())
    army = replace(
        army, units=(*units, bare), warnings=("Hill Battery: read with a doubt", "the list says 9 points")
    )
    monkeypatch.setattr("mathhammer.rosters.sample_army", lambda **_: army)


def test_a_rule_of_which_a_part_is_computed_is_named_once(monkeypatch):
    """What is on is not said to be missing as well, and a switch without any effect is none."""
    army = sample_army()
    stealth = army["Hill Battery"].rule("Stealth")
    part = replace(stealth, unread=("hit roll",))
    idle = RuleEffect("enemy", "attacks", -1, when=(RuleCondition("marked"),))
    units = [
        replace(unit, rules=(part, UnitRule("Gloom", "datasheet", unit.name, (idle,))))
        if unit.name == "Hill Battery"
        else unit
        for unit in army.units
    ]
    monkeypatch.setattr("mathhammer.rosters.sample_army", lambda **_: replace(army, units=tuple(units)))
    lines = run("--against", "VEQ").output.splitlines()
    battery = lines.index("  ! not computed: Gloom")
    assert lines[battery - 1].startswith("Hill Battery !")
    assert lines[battery + 1] == "  ! computed in part: Stealth"
    assert not any("Gloom (" in line for line in lines)


@pytest.mark.usefixtures("doubtful")
def test_one_target_is_a_line_a_phase_and_what_is_left_out_stands_at_the_unit():
    lines = run("--against", "VEQ").output.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("unit "))
    end = lines.index("", start)
    names = [line for line in lines[start + 1 : end] if not line.startswith("  ! ")]
    # Eleven units of which two are equal, and the one without weapons.
    assert len({line[:22] for line in names}) == 11
    battery = lines.index("  ! not computed: Old Oaths")
    assert lines[battery - 1].startswith("Hill Battery !")
    assert lines[battery + 1] == "  ! read with a doubt"
    assert lines[lines.index("  ! two rifles are taken as one") - 1].startswith("Heron Walker !")
    assert "4 notes on 3 units about what is not computed or is simplified: look for '!'." in " ".join(
        " ".join(lines).split()
    )
    after = lines[lines.index("Left out or simplified") :]
    assert "  the list says 9 points." in after
    assert not any(
        "Old Oaths" in line or "read with a doubt" in line or "two rifles" in line for line in after
    )


@pytest.mark.usefixtures("doubtful")
def test_a_line_of_a_unit_has_the_numbers_of_its_table(data):
    shooting, melee = (cells(data, "Breach Company", kind)["VEQ"] for kind in ("shooting", "melee"))
    lines = [
        line for line in run("--against", "VEQ").output.splitlines() if line.startswith("Breach Company")
    ]
    for line, cell in zip(lines, (shooting, melee), strict=True):
        assert line.split()[4] == f"{cell['mean_wounds_lost']:.2f}"
        assert line.split()[-1] == f"{cell['points_lost_per_point']:.2f}"


def test_the_best_target_of_a_unit_is_that_of_the_best_return(data):
    lines = run(columns=100).output.splitlines()
    for unit in {row["unit"] for row in data["records"] if " #" not in row["unit"]}:
        rows = [row for row in data["records"] if row["unit"] == unit]
        best = max(rows, key=lambda row: row["points_lost_per_point"])
        line = next(line for line in lines if re.match(rf"(\d x )?{unit}( !)? +\d", line))
        assert (best["target"], f"{best['points_lost_per_point']:.2f}") == (
            line.split()[-5],
            line.split()[-1],
        )


@pytest.mark.usefixtures("doubtful")
def test_a_unit_without_weapons_has_a_line_that_says_so():
    output = run("--json").output
    assert "Banner: no weapons" in json.loads(output)["notes"]


@pytest.mark.usefixtures("doubtful")
def test_the_page_has_a_line_for_each_unit(tmp_path):
    assert run("--html", str(tmp_path / "page.html")).exit_code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>Banner · " in text
    assert "<p>not computed: Old Oaths</p><p>read with a doubt</p>" in text


def test_all_units_have_their_rows(data):
    assert len({row["index"] for row in data["records"]}) == 11
    assert [row["target"] for row in data["records"]][:8] == ["MEQ", "TEQ", "VEQ", "KEQ"] * 2


def test_a_long_name_of_a_target_is_broken_beside_its_numbers():
    page = run(
        "--against", "Wardens of the Northern Gate and of the Southern Gate: T4 Sv3+ W2, MEQ"
    ).output.splitlines()
    rows = [
        line.split() for line in page[page.index("Marshal of the League · 1 model, 110 points") + 4 :][:3]
    ]
    # One model of two wounds: destroyed unless both shots of 5/18 fail, 1 - (13/18)^2 = 155/324.
    assert rows[0] == [
        "shooting",
        "Wardens",
        "of",
        "the",
        "Northern",
        "Gate",
        "and",
        "of",
        "0.96",
        "48%",
        "0.48",
        "47.8%",
        "-",
    ]
    assert (rows[1], rows[2][:4]) == (["the", "Southern", "Gate"], ["shooting", "MEQ", "0.83", "4%"])


def test_rules_of_another_edition_than_the_list_was_written_for_are_said(monkeypatch):
    army = replace(sample_army(edition="10e"), name="", warnings=("Read with a doubt",))
    asked = []
    monkeypatch.setattr(
        "mathhammer.rosters.read_army", lambda *given, **named: asked.append((given, named)) or army
    )
    page = run("lists/mine.rosz", "--edition", "10e").output.splitlines()
    assert asked == [(("lists/mine.rosz",), {"edition": "10e"})]
    assert page[0] == "Army (mine.rosz)"
    assert page[3] == "The list was written for the rules of the 11th edition."
    assert "  Read with a doubt." in page


def test_a_page_for_a_stream_of_ascii_only():
    result = CliRunner(env={"COLUMNS": "80"}, charset="ascii").invoke(main, ["army"])
    assert result.exit_code == 0
    assert result.stdout_bytes.isascii()
    assert b"Marshal of the League - 1 model, 110 points" in result.stdout_bytes


def test_files_that_are_no_army_list_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "other.json").write_text('{"a": 1}')
    for file, message in (
        ("no.rosz", "'no.rosz' does not exist; check the path"),
        ("folder", "'folder' is a folder; name the file inside it"),
        (
            "other.json",
            (
                "expected a New Recruit army list (one object under the key 'roster'), but 'other.json' holds an "
                "object with the keys 'a'; export the list from New Recruit as JSON, or as .ros or .rosz"
            ),
        ),
    ):
        result = run(file)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


def test_rules_are_switched_and_listed():
    result = run(
        "--against", "MEQ", "--no-rule", "Stealth", "--rule", "Damaged: 1-5 wounds remaining", "--json"
    )
    on, off = (
        next(note for note in json.loads(result.output)["notes"] if note.startswith(start))
        for start in ("Rules on:", "Switched off")
    )
    assert "Stealth (Hill Battery)" in off
    assert "Damaged: 1-5 wounds remaining (Bulwark Crawler)" in on
    page = " ".join(run("--against", "MEQ").output.split())
    assert (
        "Switched off (--rule turns one on): Long-legged watch (Heron Walker), Damaged: 1-5 wounds "
        "remaining (Bulwark Crawler), Lit from Hill to Hill (army)." in page
    )
    refused = run("--against", "MEQ", "--rule", "Old Oath")
    assert refused.exit_code == 2
    assert "expected the name of a rule, got 'Old Oath'" in refused.output


@pytest.mark.slow
def test_how_many_are_needed():
    from mathhammer import wh40k

    arguments = ("--against", "VEQ", "--needed", "80%")
    rows = json.loads(run(*arguments, "--json").output)["records"]
    army = sample_army()
    for row in rows[:6]:
        unit = army.units[row["index"]].only(row["kind"])
        assert row["needed"] == wh40k.needed(unit, "VEQ", 0.8, most=20).count
    for targets in ("VEQ", "VEQ,GEQ"):
        result = run("--against", targets, "--needed", "80%")
        page = result.output.splitlines()
        assert max(map(len, page)) <= 80
        assert "needed: such units, one after another, for odds of 80%." in " ".join(result.output.split())
        [line] = [line for line in page if line.startswith("Furnace Wyrm") and " melee " in line]
        assert line.split()[-1] == str(rows[-1]["needed"])  # its best target is the vehicle in both
    assert "needed" in run(*arguments, "--csv").output.splitlines()[0]
    assert "needed" not in run("--against", "VEQ", "--csv").output.splitlines()[0]
    wrong = run("--needed", "120%")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "expected a probability such as 80% or 0.8" in wrong.stderr


def test_units_of_one_name_are_told_apart_by_their_return(monkeypatch):
    # Two shots of 5/6 x 1/2 x 1/2 at T5 take 5/6 of 20 wounds, so 170 x 1/24 points: a Marshal for 110 points returns
    # 0.064 with his pistol, one for 55 twice as much, 0.13, and one for 220 half.
    marshal = sample_army()["Marshal of the League"]
    units = tuple(replace(marshal, points=points) for points in (110, 55, 220))
    monkeypatch.setattr("mathhammer.rosters.sample_army", lambda **_: replace(sample_army(), units=units))
    lines = run("--against", "MEQ").output.splitlines()
    best = " ".join(" ".join(lines[lines.index("Best return, in pts/pt") :]).split())
    assert "0.13 Marshal of the League #2 (shooting)" in best
    assert best.count("(shooting)") == 1


def test_a_text_without_datasheets_is_told_where_those_of_each_edition_are(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("Watch (100 points)\n\nWardens (100 points)\n  • 5x Warden\n")
    message = run("list.txt").stderr
    assert "'list.txt' holds names without characteristics" in message
    assert "run 'mathhammer data get bsdata' once (10th edition: bsdata-10e)" in message


@pytest.mark.usefixtures("doubtful")
def test_a_unit_without_weapons_has_its_notes_in_a_block_of_its_own():
    lines = run().output.splitlines()
    # The Banner is the Marshal of 110 points without his weapons.
    block = lines.index("Banner · 110 points")
    assert lines[block + 1 : block + 3] == ["  ! no weapons", ""]


def test_what_a_leader_lost_stands_at_the_unit_that_it_joined(monkeypatch):
    army = sample_army()
    battery = replace(army["Hill Battery"], joined=("Battery", "Gunner"), notes=(), rules=())
    lost = "Gunner: the datasheet has no 'Whistle'"
    army = replace(army, units=(battery, army["Heron Walker"]), warnings=(lost,))
    monkeypatch.setattr("mathhammer.rosters.sample_army", lambda **_: army)
    lines = run("--against", "VEQ").output.splitlines()
    assert lines[lines.index(f"  ! {lost}") - 1].startswith("Hill Battery !")
    assert sum("Whistle" in line for line in lines) == 1
