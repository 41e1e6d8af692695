"""What stands on both sides of an attack and of a table: objects, units of an army, labels, stat lines."""

from __future__ import annotations

import numpy as np
import pytest

import mathhammer as mh
from mathhammer import analysis, wh40k
from mathhammer.errors import MathhammerError, ParseError, UnknownNameError
from mathhammer.rosters import sample_army

LINE = "5x Rifle: A2 BS3+ S4 AP-1 D1"
VOLLEY = wh40k.Volley(wh40k.Weapon.parse(LINE.partition("x ")[2]), 5)
MEQ = wh40k.TARGETS["MEQ"]
LEVY = next(unit for unit in sample_army().units if unit.name == "Ember Levy")
TARGETS = [
    (MEQ, MEQ),
    ("meq", MEQ),
    (str(MEQ), MEQ),
    (LEVY, LEVY.as_target_unit()),
    (LEVY.as_target_unit(), LEVY.as_target_unit()),
]


@pytest.mark.parametrize("weapons", [VOLLEY, LINE, [LINE], [VOLLEY]])
@pytest.mark.parametrize(("given", "target"), TARGETS)
def test_all_take_the_same_on_both_sides(weapons, given, target):
    expected = wh40k.attack([VOLLEY], target)
    lost = expected.wounds_lost.mean()
    result = wh40k.attack(weapons, given)
    assert result.wounds_lost == expected.wounds_lost
    assert mh.from_text(result.to_text()).wounds_lost == expected.wounds_lost
    assert analysis.grid([weapons], [given]).mean_wounds_lost == pytest.approx(np.array([[lost]]), rel=1e-12)
    assert analysis.what_if(weapons, given).models_destroyed == pytest.approx(
        expected.kills.mean(), rel=1e-12
    )
    swept = analysis.sweep(weapons, given, {"cover": (False,)})
    assert swept.metric("mean_wounds_lost") == pytest.approx([lost], rel=1e-12)


def test_attackers_and_targets_of_a_division_may_be_texts():
    plan = analysis.assign(
        [LINE, "Cannon: A1 BS3+ S12 AP-3 DD6+1"], "GEQ, Walker: T8 Sv3+ W6 100pts [VEHICLE, WALKER]"
    )
    assert (plan.attackers, plan.targets) == (("5 x Rifle", "Cannon"), ("GEQ", "Walker"))


def test_a_stat_line_has_its_own_count_or_that_of_the_attack():
    line = LINE.partition("x ")[2]
    assert wh40k.attack(line, "MEQ", count=5).hits == wh40k.attack(LINE, "MEQ").hits
    with pytest.raises(MathhammerError, match="expected count with one weapon only"):
        wh40k.attack(LINE, "MEQ", count=5)


@pytest.mark.parametrize(
    ("target", "error"),
    [(5, MathhammerError), ("MEK", UnknownNameError), ("T4 Sv3+", ParseError), (None, MathhammerError)],
)
def test_the_errors_are_the_same(target, error):
    messages = set()
    for ask in (wh40k.attack, lambda weapons, given: analysis.grid([weapons], [given]), analysis.what_if):
        with pytest.raises(error) as caught:
            ask(VOLLEY, target)
        messages.add(str(caught.value))
    assert len(messages) == 1
