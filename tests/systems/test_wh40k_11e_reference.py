"""The 11th edition's answer table against the package, exactly and in float64."""

from __future__ import annotations

import pytest
import translation_11e as package
from checking import disagreements
from checking_11e import check
from reference.eleventh_edition import ANSWERS, Answer


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_exact_value(answer: Answer) -> None:
    """Core rules: each row names its sections."""
    check(answer, package.hits, package.states)


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_float64_value(answer: Answer) -> None:
    """The same attacks in float64, to a relative 1e-12 at every state."""
    exact = package.attack(answer.pools, answer.unit, answer.rules)
    floats = package.attack(answer.pools, answer.unit, answer.rules, exact=False)
    assert not disagreements(dict(floats.state.items()), dict(exact.state.items()))
