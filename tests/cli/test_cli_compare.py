"""``mathhammer compare``: each list against the other, with the numbers of ``mathhammer army``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from test_cli_lists import WATCH, run

from mathhammer.rosters import read_army, sample_army


@pytest.fixture
def lists(tmp_path):
    from pkgutil import get_data

    watch, sample = tmp_path / "watch.ros", tmp_path / "sample.ros"
    watch.write_text(
        WATCH.read_text().replace("adc2-7639-d6a9", "adc2-7639-d610")
    )  # of the 11th edition, as it is
    sample.write_bytes(get_data("mathhammer.rosters", "sample/sample-army.ros"))
    return str(watch), str(sample)


def test_the_page(lists):
    result = run("compare", *lists)
    assert (result.exit_code, result.stderr) == (0, "")
    page = result.output.splitlines()
    assert max(map(len, page)) <= 80
    assert "Gate Watch attacks The Lantern League marches" in page
    assert "The Lantern League marches attacks Gate Watch" in page
    assert "unit phase pts pts/pt trade best at odds" in [" ".join(line.split()) for line in page]
    text = " ".join(result.output.split())
    assert "marches: 1 rule not computed; 'mathhammer army' lists them." in text
    # The Wardens have no weapons: the Marshal is the only row of the watch.
    start = page.index("Gate Watch attacks The Lantern League marches")
    assert page[start + 2].startswith("Marshal melee  80")
    assert page[start + 3] == ""


def test_fresh_targets_may_lose_more_than_the_list_has(lists):
    """A share of all that was there would hide that the attacks are not one after another."""
    watch, sample = lists
    side = json.loads(run("compare", watch, sample, "--json").output)["sides"][1]
    page = run("compare", watch, sample).output.splitlines()
    for kind, lost in side["points_lost"].items():
        [line] = [each for each in page if each.startswith(f"  The Lantern League marches, {kind}:")]
        assert lost > read_army(watch).points
        assert line.endswith("points (>100%)")


def test_equal_units_are_one_line_that_says_how_many(lists, tmp_path):
    watch, sample = lists
    page = run("compare", watch, sample).output.splitlines()
    # The sample army has two units of Lamplighters, which shoot and fight alike.
    rows = [line for line in page if "Lamplighters" in line and line.startswith(("Lamp", "2 x"))]
    assert [line.split()[:4] for line in rows] == [
        ["2", "x", "Lamplighters", "shooting"],
        ["2", "x", "Lamplighters", "melee"],
    ]
    report = tmp_path / "report.html"
    run("compare", watch, sample, "--html", str(report))
    text = report.read_text()
    assert "<h2>2 x Lamplighters · 10 models, 100 points each</h2>" in text
    assert "2 x Lamplighters (shooting)" in text


def test_the_numbers_are_those_of_the_army_command(lists):
    watch, sample = lists
    data = json.loads(run("compare", watch, sample, "--json").output)
    sides = data["sides"]
    assert [(side["army"], side["against"]) for side in sides] == [
        ("Gate Watch", "The Lantern League marches"),
        ("The Lantern League marches", "Gate Watch"),
    ]
    for side, files in zip(sides, ((watch, sample), (sample, watch)), strict=True):
        alone = json.loads(run("army", files[0], "--against", files[1], "--json", "--sort", "return").output)
        assert side["records"] == alone["records"]
    # Equal units are one target that counts for all of them.
    assert sum(sides[0]["copies"].values()) == len(sample_army().units)
    weighted = sum(sides[0]["copies"][cell["target"]] * cell["points_lost"] for cell in sides[0]["records"])
    assert sides[0]["points_lost"] == pytest.approx(
        {"shooting": 0, "melee": weighted / len(sample_army().units)}, rel=1e-12
    )


def test_the_trade_is_points_for_points(lists):
    """What the Marshal takes of a unit of the other list on average, over what each of them takes of him in melee."""
    watch, sample = json.loads(run("compare", *lists, "--json").output)["sides"]
    [marshal] = watch["trades"]
    copies = watch["copies"]
    gained = sum(copies[cell["target"]] * cell["points_lost"] for cell in watch["records"]) / sum(
        copies.values()
    )
    lost = [
        row["points_lost"]
        for row in sample["records"]
        if (row["kind"], row["target"]) == ("melee", "Marshal")
    ]
    assert marshal["trade_ratio"] == pytest.approx(gained / (sum(lost) / sum(copies.values())), rel=1e-12)


def test_a_leader_that_can_stand_in_a_unit_is_not_the_best_target(lists):
    def best():
        page = run("compare", *reversed(lists)).output
        rows = page[page.index("attacks Gate Watch") : page.index("Gate Watch attacks")].splitlines()
        return {line.split()[-2] for line in rows if " shooting " in line or " melee " in line}, page

    targets, page = best()
    assert targets == {"Marshal", "Wardens"}
    assert "Gate Watch (--attach-enemy" not in page
    leader = (
        '<profile name="Leader" typeName="Abilities"><characteristics><characteristic name="Description">This model '
        "can be attached to the following unit: Wardens</characteristic></characteristics></profile>"
    )
    text = Path(lists[0]).read_text()
    Path(lists[0]).write_text(text.replace('<profile name="Hammer"', leader + '<profile name="Hammer"'))
    targets, page = best()
    assert targets == {"Wardens"}
    said = "Unattached leaders of Gate Watch, and whom they can join (--attach-enemy LEADER=UNIT): Marshal (Wardens)."
    assert said in " ".join(page.split())


def test_csv_of_both_sides(lists):
    rows = list(csv.DictReader(io.StringIO(run("compare", *lists, "--csv").stdout)))
    assert {row["army"] for row in rows} == {"Gate Watch", "The Lantern League marches"}
    assert {row["target"] for row in rows if row["army"] != "Gate Watch"} == {"Marshal", "Wardens"}


def test_a_page_for_the_browser(lists, tmp_path):
    path = tmp_path / "report.html"
    result = run("compare", *lists, "--html", str(path))
    assert (result.exit_code, result.stdout) == (0, f"Wrote {path}\n")
    page = path.read_text(encoding="utf-8")
    assert "Gate Watch attacks The Lantern League marches" in page
    assert "<script" not in page
    assert page.count("<h1>") == 1


def test_lists_of_different_data_are_said(lists, tmp_path):
    paths = []
    for revision, file in ((3, lists[0]), (77, lists[1])):
        path = tmp_path / f"{revision}.ros"
        with open(file, encoding="utf-8") as source:  # noqa: PTH123
            text = source.read()
        path.write_text(
            text.replace(' gameSystemRevision="1"', "").replace(
                "<roster ", f'<roster gameSystemRevision="{revision}" ', 1
            )
        )
        paths.append(str(path))
    text = " ".join(run("compare", *paths).output.split())
    assert "The lists were written with different data, revisions 3 and 77" in text


def test_what_is_refused(lists, tmp_path):
    bare = tmp_path / "bare.ros"
    bare.write_text(
        '<roster name="Bare" gameSystemId="sys-352e-adc2-7639-d6a9"><forces><force><selections>'
        '<selection name="A" type="unit" number="1"/></selections></force></forces></roster>'
    )
    result = run("compare", lists[0], str(bare))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no unit of 'Bare' has a stat line" in result.stderr


@pytest.mark.parametrize(
    ("units", "models", "attacks", "said"),
    [
        (
            3,
            1000,
            1000,
            "expected at most 200,000 attack dice times wounds of a target, got 1,000 dice of 'Squad 0'",
        ),
        (300, 5, 2, "expected a table of at most 50,000 attacks, weapon by weapon and target by target"),
        (90, 100, 300, "got 24,300 with 243,000,000; use fewer units or fewer targets"),
    ],
)
def test_hostile_lists_are_refused_before_anything_is_computed(
    tmp_path, monkeypatch, units, models, attacks, said
):
    """The first took 21 s to its refusal, the second over a minute."""
    weapon = {"Range": '24"', "A": str(attacks), "BS": "3+", "S": "4", "AP": "0", "D": "D6", "Keywords": "-"}
    squads = [
        {
            "name": f"Squad {number}",
            "type": "unit",
            "number": 1,
            "selections": [
                {
                    "name": "Trooper",
                    "type": "model",
                    "number": models,
                    "profiles": [_profile("Trooper", "Unit", {"T": "4", "SV": "3+", "W": "1"})],
                    "selections": [
                        {
                            "name": "Gun",
                            "type": "upgrade",
                            "number": 1,
                            "profiles": [_profile("Gun", "Ranged Weapons", weapon)],
                        }
                    ],
                }
            ],
        }
        for number in range(units)
    ]
    path = tmp_path / "large.json"
    tree = {"name": "Large", "gameSystemId": "sys-352e-adc2-7639-d6a9", "forces": [{"selections": squads}]}
    path.write_text(json.dumps({"roster": tree}))

    def attack(*_arguments, **_options):
        raise AssertionError("an attack was computed")

    monkeypatch.setattr("mathhammer.systems.wh40k.attacks.attack", attack)
    result = run("compare", str(path), str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.split())


def _profile(name, kind, characteristics):
    cells = [{"name": key, "$text": text} for key, text in characteristics.items()]
    return {"name": name, "typeName": kind, "characteristics": cells}
