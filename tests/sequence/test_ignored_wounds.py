"""Wounds that a roll of one die each may ignore, against the binomial formula."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hypothesis import given
from hypothesis import strategies as st

from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.sequence.group import ignoring_wounds


@given(
    st.integers(0, 3),
    st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any),
    st.integers(2, 6),
)
def test_each_wound_is_ignored_for_itself(low: int, weights: list[int], need: int) -> None:
    through = ignoring_wounds(IntegerDistribution(low, tuple(weights), sum(weights)), need)
    lost = Fraction(need - 1, 6)
    for wounds in range(low + len(weights)):
        expected = sum(
            Fraction(weight, sum(weights))
            * comb(inflicted, wounds)
            * lost**wounds
            * (1 - lost) ** (inflicted - wounds)
            for inflicted, weight in enumerate(weights, low)
            if inflicted >= wounds
        )
        assert Fraction(through.weights[wounds - through.low], through.denominator) == expected
    assert sum(through.weights) == through.denominator
