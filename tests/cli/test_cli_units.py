"""``mathhammer 40k attack`` on units of several kinds of models and on leaders, by hand."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from mathhammer.cli import main

#: Hits on 2+ and wounds Toughness 4 on 2+; nothing saves but an armour save of 2+.
RIFLE = "Rifle: A1 BS2+ S8 AP0 D1"
WOUND = Fraction(25, 36)
UNIT = ("-t", "Front: 1x T4 Sv- W1", "-t", "Back: 2x T4 Sv- W1", "--leader", "Captain: T4 Sv- W1")


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["40k", "attack", "--edition", "10e", *arguments])


def data(*arguments):
    result = run(*arguments, "--json", "--exact")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def killed(found, kind):
    """Mean of the models of a kind that are destroyed."""
    state = found["joint"]["state"]
    place = state["axes"].index(f"{kind} destroyed")
    pairs = zip(state["outcomes"], state["numerators"], strict=True)
    return Fraction(sum(outcome[place] * int(each) for outcome, each in pairs), int(state["denominator"]))


def test_kinds_are_attacked_in_the_order_given_and_leaders_last():
    found = data(RIFLE, *UNIT, "--count", "2")
    # The first wound reaches the front, the second the back; nobody reaches the captain.
    assert killed(found, "Front") == 1 - (1 - WOUND) ** 2
    assert killed(found, "Back") == WOUND**2
    assert killed(found, "Captain") == 0
    assert [row[0] for row in found["tables"][0]["rows"]] == ["Front", "Back", "Captain"]
    assert Fraction(found["exact"]["wounds lost"]) == 2 * WOUND  # no model saves or ignores anything


@pytest.mark.parametrize(
    ("precision", "kind"),
    [([], "Captain"), (["--precision", "Captain"], "Captain"), (["--precision", "none"], "Front")],
)
def test_precision_is_directed_at_a_leader(precision, kind):
    found = data(f"{RIFLE} [PRECISION]", *UNIT, *precision)
    kinds = ("Front", "Back", "Captain")
    assert {name: killed(found, name) for name in kinds} == {
        name: WOUND if name == kind else 0 for name in kinds
    }


@pytest.mark.parametrize(
    ("allocation", "unsaved"), [("given", Fraction(1)), ("best", Fraction(1, 6)), ("worst", Fraction(1))]
)
def test_the_order_can_be_the_best_or_the_worst_for_the_units_player(allocation, unsaved):
    unit = ("-t", "Bare: 1x T4 Sv- W1", "-t", "Armoured: 1x T4 Sv2+ W1")
    found = data(RIFLE, *unit, "--allocation", allocation)
    assert Fraction(found["exact"]["models destroyed"]) == WOUND * unsaved
    assert (f'allocation="{allocation}"' in found["question"]) == (allocation != "given")


def test_a_page_says_what_every_kind_loses():
    rows = [" ".join(line.split()) for line in run("2x " + RIFLE, *UNIT).output.splitlines()]
    front, back = 1 - (1 - WOUND) ** 2, WOUND**2
    assert f"Front 1 {float(front):.2f} {float(front):.2%}" in rows
    assert f"Back 2 {float(back):.2f} 0%" in rows
    assert "Captain 1 0 0%" in rows
