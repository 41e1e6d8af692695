"""``mathhammer focus``: the numbers are those of the library, and what does not fit is refused."""

import json

import pytest
from click.testing import CliRunner

from mathhammer import wh40k
from mathhammer.analysis import assign
from mathhammer.cli import main
from mathhammer.rosters import sample_army
from mathhammer.systems.wh40k.profiles.targets import read_target


def run(*arguments, columns=100):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, ["focus", *arguments])


def steps_of(focus):
    return [(step.unit, float(step.probability_destroyed)) for step in focus.steps]


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ((), {}),
        (("--kind", "melee"), {"kind": "melee"}),
        (
            ("--unit", "Hill Battery", "--unit", "Lamplighters #2"),
            {"units": ["Hill Battery", "Lamplighters #2"]},
        ),
        (("--best", "--goal", "60%"), {"order": "best", "goal": 0.6}),
        (("--best", "--spare", "points", "--goal", "0.6"), {"order": "best", "by": "points", "goal": 0.6}),
        (("--half-range",), {"half_range": True}),
    ],
)
def test_the_numbers_are_those_of_the_library(arguments, keywords):
    data = json.loads(run("--against", "VEQ", "--json", *arguments).output)
    found = wh40k.focus(sample_army(), "VEQ", **keywords)
    (target,) = data["targets"]
    assert [(step["unit"], step["probability_destroyed"]) for step in target["steps"]] == steps_of(found)
    assert target == json.loads(found.to_json())
    assert sum(target["pictures"]["Wounds lost"]["probabilities"]) == pytest.approx(1, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["melee", "both"])
def test_several_targets_are_divided_as_the_assignment_says(kind):
    army = sample_army()
    able = {key: army[key] for key in army._ipython_key_completions_()}
    targets = [read_target(label, army.edition) for label in ("MEQ", "VEQ")]
    plan = assign(able, targets, kind=kind, edition=army.edition)
    data = json.loads(run("--against", "MEQ, VEQ", "--kind", kind, "--json").output)
    attacked = {
        f"{step['unit']} ({step['phase']})": target["target"]
        for target in data["targets"]
        for step in target["steps"]
    }
    assert attacked == {row["attacker"]: row["target"] for row in plan.to_records()}
    first, second = (target["steps"][-1]["probability_destroyed"] for target in data["targets"])
    both = first * second
    assert (
        f"Both are destroyed with {100 * both:.2f}%." in run("--against", "MEQ, VEQ", "--kind", kind).output
    )


def test_csv_and_page(tmp_path):
    rows = run("--against", "VEQ", "--unit", "Hill Battery", "--csv").output.splitlines()
    assert rows[0].startswith("target,unit,phase,points,weapons,mean_wounds_lost_by_it")
    assert rows[1].startswith("VEQ,Hill Battery,shooting,130,")
    page = tmp_path / "focus.html"
    assert run("--against", "VEQ", "--html", str(page)).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "into VEQ" in text
