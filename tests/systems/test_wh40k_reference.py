"""The 10th-edition answer tables of `reference/` against the public API, exactly and in float64."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import pytest
import translation
from checking import check, close
from reference import core_rules_10e, dice_values, published_values

import mathhammer as mh

if TYPE_CHECKING:
    from reference.answers import Answer

ANSWERS = [*core_rules_10e.ANSWERS, *published_values.ANSWERS]


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_exact_value(answer: Answer) -> None:
    """Core rules, Making Attacks: each row names its own section or the place that published the number."""
    check(answer, partial(translation.distributions, exact=True))


@pytest.mark.parametrize(("text", "asked", "expected", "source"), dice_values.DICE)
@pytest.mark.parametrize("exact", [True, False])
def test_dice_value(text: str, asked: str, expected: str, source: str, *, exact: bool) -> None:
    """Core rules, Dice: published values of dice notation."""
    distribution = mh.distribution(text, exact=exact)
    if asked == "mean":
        found = distribution.mean()
    elif asked.startswith(">="):
        found = distribution.at_least(int(asked.removeprefix(">=")))
    else:
        found = distribution.pmf(int(asked))
    number = translation.plain_number(found)
    assert isinstance(number, Fraction if exact else float)
    assert close(number, expected), source
