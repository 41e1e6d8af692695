"""The slow second program for the 11th edition, checked by the worked examples of `reference/eleventh_edition.py`."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from checking_11e import check, hits, states
from plain_dice import certainly, mean, then
from referees.wh40k import groups as plain
from referees.wh40k.profiles import Kind
from reference.eleventh_edition import ANSWERS, Answer


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_worked_example(answer: Answer) -> None:
    """Core rules: each row names its sections."""
    check(answer, hits, states)


@pytest.mark.parametrize(("number", "lost"), [(4, 1), (5, 2)])
def test_mortal_wounds_go_from_model_to_model(number: int, lost: int) -> None:
    """Core rules, 06.02: the hurt model, the other one, then the Character."""
    unit = (Kind(2, 3, models=2, lost=1), Kind(4, 3, 4, character=True, leader=True))
    after = plain.mortal_wounds(unit, plain.fresh(unit), number)
    assert plain.merged(unit, after) == certainly((2, 0, 0, lost))


@pytest.mark.parametrize(
    ("number", "fails_up_to", "each", "mean_lost"), [(5, 2, 1, "5/3"), (3, 2, 3, "3"), (5, 3, 1, "5/2")]
)
def test_hazard_rolls(number: int, fails_up_to: int, each: int, mean_lost: str) -> None:
    """Core rules, 06.03: 1-2 fails; one mortal wound, three on Monsters and Vehicles."""
    unit = (Kind(20),)
    after = plain.hazards(unit, plain.fresh(unit), number, fails_up_to, each)
    assert mean(then(after, lambda state: certainly(20 - state[0]))) == Fraction(mean_lost)


def test_desperate_escape() -> None:
    """Core rules, 09.07: a hazard roll for each of ten models; with Feel No Pain 5+ two thirds as many die."""
    for need, chance in ((None, Fraction(1, 3)), (5, Fraction(2, 9))):
        unit = (Kind(models=10, feel_no_pain=need),)
        dead = then(plain.hazards(unit, plain.fresh(unit), 10), lambda state: certainly(state.count(0)))
        assert dead == {k: comb(10, k) * chance**k * (1 - chance) ** (10 - k) for k in range(11)}
