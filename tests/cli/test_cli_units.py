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
