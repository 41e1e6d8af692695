"""Every published value of plain dice, in both arithmetics."""

from __future__ import annotations

import pytest
from reference.dice_cases import CASES
from sympy import Rational

from mathhammer import distribution


def asked(law, question):
    if question == "mean":
        return law.mean()
    if question.startswith(">="):
        return law.at_least(int(question[2:]))
    if question.startswith("<="):
        return law.cdf(int(question[2:]))
    return law.pmf(int(question))


@pytest.mark.parametrize(("text", "question", "answer", "source"), CASES)
def test_published_value(text, question, answer, source):
    assert asked(distribution(text, exact=True), question) == Rational(answer), source
    assert asked(distribution(text), question) == pytest.approx(float(Rational(answer)), rel=1e-12, abs=0), (
        source
    )
