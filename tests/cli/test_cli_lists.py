"""``mathhammer army`` with lists on both sides, in every order and form."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mathhammer.cli import main
from mathhammer.rosters import sample_army

#: A list with a leader, a unit of two kinds of models, and one without a stat line.
WATCH = Path(__file__).parent / "watch.ros"


#: The same list with Wardens that are all alike.
ALIKE = WATCH.read_text(encoding="utf-8").replace(
    '<characteristic name="W">3<', '<characteristic name="W">2<'
)


@pytest.fixture
def watch(tmp_path):
    path = tmp_path / "watch.ros"
    path.write_text(WATCH.read_text(encoding="utf-8"))
    return str(path)


def test_a_list_from_a_pipe_says_so(watch):
    piped = Path(watch).read_text()
    page = CliRunner().invoke(main, ["army", "-", "--against", "MEQ"], input=piped).output
    assert page.splitlines()[0] == "Gate Watch (standard input)"
    both = CliRunner().invoke(main, ["army", "--against", "-", "--json"], input=piped).output
    assert [row["target"] for row in json.loads(both)["records"]][:2] == ["Marshal", "Wardens"]


def run(*arguments, columns=80):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, list(arguments))


def records(*arguments):
    result = run(*arguments, "--csv")
    assert (result.exit_code, result.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_a_mixed_target_counts_the_points_of_each_kind(watch):
    # Every number is that of the library's own attack on the unit, kind by kind.
    data = json.loads(run("army", "--against", watch, "--json").output)
    for cell in data["records"][1::2]:
        assert cell["target"] == "Wardens"
        assert 0 <= cell["points_destroyed"] <= 90
        assert cell["points_destroyed"] == pytest.approx(18 * cell["mean_kills"], rel=1e-12)


@pytest.mark.parametrize("order", ["share", "wounds", "models", "destroyed", "return", "points", "name"])
def test_orders(order):
    rows = records("army", "--against", "MEQ,VEQ", "--sort", order)
    units = list(dict.fromkeys(row["index"] for row in rows))
    if order in {"points", "name"}:
        column = {"points": "points", "name": "unit"}[order]
        values = [next(row[column] for row in rows if row["index"] == unit) for unit in units]
        key = float if order == "points" else str.casefold
        assert values == sorted(values, key=key, reverse=order == "points")
        return
    column = {
        "wounds": "mean_wounds_lost",
        "models": "mean_kills",
        "destroyed": "probability_destroyed",
        "share": "share_lost",
        "return": "points_lost_per_point",
    }[order]
    best = [
        max(
            sum(float(row[column]) for row in rows if (row["index"], row["kind"]) == (unit, kind))
            for kind in ("shooting", "melee")
        )
        for unit in units
    ]
    assert best == sorted(best, reverse=True)


def test_csv_holds_what_json_holds():
    rows = records("army", "--against", "MEQ")
    data = json.loads(run("army", "--against", "MEQ", "--json").output)
    for row, other in zip(rows, data["records"], strict=True):
        assert float(row["mean_wounds_lost"]) == other["mean_wounds_lost"]
        assert row["unit"] == other["unit"]
    assert rows[0]["weapons"] == "1x Duelling pistol"


def test_a_page_for_the_browser_stands_alone(tmp_path, watch):
    path = tmp_path / "report.html"
    result = run("army", "--against", watch, "--html", str(path))
    assert (result.exit_code, result.stdout) == (0, f"Wrote {path}\n")
    page = path.read_text(encoding="utf-8")
    assert "The Lantern League marches" in page
    assert page.count("<svg") == len(
        {(row["unit"].partition(" #")[0], row["kind"]) for row in records("army")}
    )
    # No resource of another place: the one address is the name of the SVG language.
    assert set(re.findall(r"https?://[^\"]*", page)) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in page
    assert "src=" not in page
    for name in (unit.name for unit in sample_army().units):
        assert name.replace("'", "&#x27;") in page


def test_names_in_a_list_do_not_become_part_of_the_page(tmp_path, watch):
    nasty = tmp_path / "nasty.ros"
    text = WATCH.read_text(encoding="utf-8").replace(
        'name="Wardens"', 'name="&lt;script&gt;alert(1)&lt;/script&gt;"'
    )
    nasty.write_text(text)
    path = tmp_path / "report.html"
    assert run("army", watch, "--against", str(nasty), "--html", str(path)).exit_code == 0
    assert "<script" not in path.read_text()


def test_a_page_that_cannot_be_written(tmp_path):
    result = run("army", "--html", str(tmp_path / "missing" / "report.html"))
    assert result.exit_code == 2
    assert "couldn't write to" in result.stderr


# The edition: that of the list's data unless another is asked for


@pytest.fixture
def old_watch(tmp_path):
    path = tmp_path / "old.ros"
    path.write_text(ALIKE)
    return str(path)


@pytest.fixture
def new_watch(tmp_path):
    path = tmp_path / "new.ros"
    path.write_text(ALIKE.replace("sys-352e-adc2-7639-d6a9", "sys-352e-adc2-7639-d610"))
    return str(path)


def edition_of(*arguments):
    """The edition that each form of output names, which is the same in all of them."""
    text, data = run(*arguments), run(*arguments, "--json")
    assert (text.exit_code, data.exit_code) == (0, 0), text.stderr
    named = json.loads(data.output)["edition"]
    assert f"Warhammer 40,000 {named[:-1]}th edition." in text.output
    return named


def test_a_list_decides_its_edition(old_watch, new_watch, tmp_path):
    assert edition_of("army", old_watch) == "10e"
    assert edition_of("army", new_watch) == "11e"
    assert edition_of("army", "--against", old_watch) == "11e"  # the sample army's
    assert edition_of("compare", new_watch, old_watch) == "11e"
    assert edition_of("compare", old_watch, new_watch) == "10e"
    page = tmp_path / "page.html"
    assert run("army", new_watch, "--html", str(page)).exit_code == 0
    assert "Warhammer 40,000 11th edition. Situational" in page.read_text(encoding="utf-8")


def test_labels_mean_the_targets_of_the_edition_of_the_list(old_watch, new_watch):
    for path, profile in ((old_watch, "MEQ: 10x T4 Sv3+ W2"), (new_watch, "MEQ: 10x T5 Sv3+ W2")):
        data = json.loads(run("army", path, "--against", "MEQ", "--json").output)
        assert data["targets"][0].startswith(profile)


@pytest.mark.parametrize(("asked", "other"), [("10e", "11th"), ("11e", "10th")])
def test_another_edition_is_applied_with_a_warning(old_watch, new_watch, asked, other):
    path = new_watch if asked == "10e" else old_watch
    said = f"the list is of the {other} edition; the rules of the {asked[:-1]}th edition are applied to it"
    assert edition_of("army", path, "--edition", asked) == asked
    notes = json.loads(run("army", path, "--edition", asked, "--json").output)["notes"]
    assert any(said in note for note in notes)
    assert said in " ".join(run("army", path, "--edition", asked).output.split())
    assert edition_of("compare", path, path, "--edition", asked) == asked
    assert said in " ".join(run("compare", path, path, "--edition", asked).output.split())


def test_the_other_list_is_attacked_with_the_rules_of_the_first(old_watch, new_watch):
    for first, second, other, own in ((old_watch, new_watch, 11, 10), (new_watch, old_watch, 10, 11)):
        said = f"the list is of the {other}th edition; the rules of the {own}th edition are applied to it"
        for arguments in (("army", first, "--against", second), ("compare", first, second)):
            assert said in " ".join(run(*arguments).output.split())


def test_the_sample_army_under_another_edition():
    assert edition_of("army", "--edition", "10e") == "10e"
    text = " ".join(run("army", "--edition", "10e").output.split())
    assert "the list is of the 11th edition; the rules of the 10th edition are applied to it" in text


def test_a_text_of_the_11th_edition_decides_too(tmp_path, old_watch):
    path = tmp_path / "list.txt"
    path.write_text("+ FORCE DISPOSITION: Disruption\n\nMarshal (80 points)\n• 1x Hammer")
    assert edition_of("army", str(path), "--datasheets", old_watch) == "11e"
    text = " ".join(run("army", str(path), "--datasheets", old_watch).output.split())
    assert "the list is of the 11th edition, the datasheets are of the 10th" in text
    header = run("army", str(path), "--datasheets", old_watch).output.splitlines()
    edition = next(place for place, line in enumerate(header) if "11th edition. Situational" in line)
    assert " ".join(header[edition + 1 : edition + 3]) == (
        "The list is of the 11th edition, the datasheets are of the 10th; 'mathhammer data get bsdata' fetches its own."
    )
    result = run("army", str(path), "--datasheets", old_watch, "--edition", "10e")
    assert "The list was written for the rules of the 11th edition." in result.output


def test_a_text_list_with_a_source(tmp_path, watch):
    path = tmp_path / "list.txt"
    path.write_text("Marshal (80 points)\n• 1x Hammer\n• 1x Harmonica")
    result = run("army", str(path), "--datasheets", watch, "--against", "MEQ, VEQ")
    assert result.exit_code == 0
    assert "melee:    1x Hammer" in result.output
    assert "  ! the datasheet has no 'Harmonica'" in result.output
    assert "name a folder of BSData catalogues" in " ".join(run("army", str(path)).stderr.split())


def test_a_list_without_a_weapon_is_refused(tmp_path):
    model = {"type": "model", "number": 1, "name": "Nobody"}
    tree = {
        "name": "Unarmed",
        "gameSystemId": "sys-352e-adc2-7639-d6a9",
        "forces": [{"name": "Army Roster", "catalogueName": "Nobodies", "selections": [model]}],
    }
    path = tmp_path / "unarmed.json"
    path.write_text(json.dumps({"roster": tree}), encoding="utf-8")
    result = CliRunner().invoke(main, ["army", str(path)])
    assert result.exit_code == 2
    assert "none of the 1 units of 'Unarmed' has a weapon" in result.stderr


def test_a_leader_that_can_stand_in_a_unit_is_not_what_a_unit_is_best_at(watch):
    def best():
        lines = run("army", "--against", watch, columns=110).output.splitlines()
        start = next(place for place, line in enumerate(lines) if line.startswith("unit "))
        rows = lines[start + 1 : lines.index("", start)]
        return {line.split()[-5] for line in rows}, " ".join(" ".join(lines).split())

    assert best()[0] == {"Marshal", "Wardens"}
    leader = (
        '<profile name="Leader" typeName="Abilities"><characteristics><characteristic name="Description">This model '
        "can be attached to the following unit: Wardens</characteristic></characteristics></profile>"
    )
    path = Path(watch)
    path.write_text(path.read_text().replace('<profile name="Hammer"', leader + '<profile name="Hammer"'))
    targets, said = best()
    assert targets == {"Wardens"}
    assert "--attach-enemy LEADER=UNIT): Marshal (Wardens)" in said


def test_a_page_about_targets_without_points_shows_their_wounds(tmp_path):
    path = tmp_path / "report.html"
    assert run("army", "--against", "Tank: T10 Sv3+ W12", "--html", str(path)).exit_code == 0
    text = path.read_text()
    assert "<h2>Wounds lost</h2>" in text
    assert "<h2>Points for points</h2>" not in text
    row = json.loads(run("army", "--against", "Tank: T10 Sv3+ W12", "--json").output)["records"][0]
    share = row["share_lost"]
    assert share == pytest.approx(row["mean_wounds_lost"] / 12, rel=1e-12)
    assert f"{100 * share:.0f}%" in text


def test_a_path_with_a_nul_is_refused():
    result = CliRunner().invoke(main, ["army", "\0", "--against", "GEQ"])
    assert (result.exit_code, "expected text that can be written, got '\\x00" in result.output) == (2, True)
