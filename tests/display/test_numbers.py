"""Numbers as text: the promise at both ends, and the shapes in between."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.display.numbers import count, fraction, number, percent
from mathhammer.errors import MathhammerError


@given(st.floats(0, 1, exclude_min=True, exclude_max=True), st.integers(0, 6))
def test_a_possible_event_is_never_0_and_a_possible_failure_never_100(probability, digits):
    text = percent(probability, digits=digits)
    assert float(text.strip("<>%")) > 0 or text.startswith(">")
    assert float(text.strip("<>%")) < 100 or text.startswith("<")
    assert text not in {"0%", "100%"}


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_what_is_printed_is_right_to_the_last_digit(probability):
    text = percent(probability)
    printed = float(text.strip("<>%")) / 100
    if text.startswith("<"):
        assert probability < printed
    elif text.startswith(">"):
        assert probability > printed
    else:
        assert abs(probability - printed) <= 0.5001e-4


def test_an_exact_value_keeps_the_promise_where_a_float_rounds_to_1():
    assert percent(1 - Fraction(1, 6**40)) == ">99.99%"
    assert percent(Fraction(1, 6**600)) == "<0.01%"
    assert percent(Fraction(0)) == "0%"
    assert percent(Fraction(1)) == "100%"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(MathhammerError) as caught:
        percent(wrong)
    assert str(caught.value) == f"expected a probability from 0 to 1, got {wrong!r}"


def test_a_sum_of_floats_may_end_just_above_1():
    assert percent(1 + 2.3e-16) == "100%"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1e-9, "<0.01"),
        (0.005001, "0.01"),
        (12.345, "12.35"),
        (99999, "99999.00"),
        (1e5, "1.00e+05"),
    ],
)
def test_short_numbers(value, text):
    assert number(value) == text


@given(st.integers(-(10**9000), 10**9000), st.integers(2, 10**9))
def test_a_fraction_of_any_length_reads_back(numerator, denominator):
    above, below = fraction(numerator, denominator).split("/")
    digits = above.removeprefix("-")
    # int() refuses more than 4300 digits at once, so the text is read in pieces.
    value = 0
    for i in range(0, len(digits), 4000):
        piece = digits[i : i + 4000]
        value = value * 10 ** len(piece) + int(piece)
    assert (-value if above.startswith("-") else value) == numerator
    assert int(below) == denominator


def test_a_whole_number_has_no_bar():
    assert fraction(3, 1) == "3"


def test_words_agree_with_their_number():
    assert [count(n, "model") for n in (0, 1, 1200)] == ["0 models", "1 model", "1,200 models"]
