"""Sums of many terms, in text and of distributions."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add

import pytest

from mathhammer import dice, distribution
from mathhammer.distributions.combination import convolution
from mathhammer.errors import MathhammerError, WrongTypeError


@pytest.mark.parametrize("exact", [False, True])
def test_a_hundred_different_terms(exact):
    # the mean and the variance of independent terms add up: those of a die of n sides are (n+1)/2 and (n**2-1)/12
    dice_of = [sides for sides in range(2, 103) if sides != 66]  # D66 is two dice read as digits
    signs = [-1 if sides % 3 == 0 else 1 for sides in dice_of]
    terms = list(zip(signs, dice_of, strict=True))
    text = "7" + "".join(f"{'-' if sign < 0 else '+'}D{sides}" for sign, sides in terms) + "-5"
    dist = dice(text).distribution(exact=exact)
    assert str(dice(text)) == text
    mean = 2 + Fraction(sum(sign * (sides + 1) for sign, sides in terms), 2)
    variance = Fraction(sum(sides**2 - 1 for sides in dice_of), 12)
    assert float(dist.mean()) == pytest.approx(float(mean), rel=1e-12)
    assert float(dist.variance()) == pytest.approx(float(variance), rel=1e-12)


@pytest.mark.parametrize("number", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("exact", [False, True])
def test_a_tree_of_sums_equals_one_sum_after_the_other(number, exact):
    distributions = [distribution(f"D{sides}-2", exact=exact) for sides in range(3, 3 + number)]
    one_by_one, together = reduce(add, distributions), convolution(distributions)
    assert together.support == one_by_one.support
    assert together.to_array() == pytest.approx(one_by_one.to_array(), rel=1e-14)
    assert not exact or together == one_by_one


@pytest.mark.parametrize("exact", [False, True])
def test_missing_mass_of_a_sum_is_that_of_any_term(exact):
    rest = distribution("explode(D6, 6, depth 1)", exact=exact)  # misses 1/36
    assert float(convolution([rest, distribution("D4", exact=exact), rest]).missing) == pytest.approx(
        1 - (35 / 36) ** 2, rel=1e-14
    )


def test_what_cannot_be_added_is_refused():
    with pytest.raises(MathhammerError, match="one distribution or more"):
        convolution([])
    with pytest.raises(WrongTypeError, match="of one arithmetic"):
        convolution([distribution("D6"), distribution("D6", exact=True)])
