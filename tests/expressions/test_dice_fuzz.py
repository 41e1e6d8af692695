"""No text crashes the parser, recurses without bound, or starts work that does not fit."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer import dice, distribution
from mathhammer.errors import MathhammerError, ParseError

pytestmark = pytest.mark.slow

WORDS = (
    "D6|2D6|d|3|0|-1|12|999999999|(|)|[|]|{|}|+|-|+|×|÷|x|*|/|,|:|=|<|>|≥|y|\t|\n|é|🎲|²|<=|>=|!=|D３|of|let|in|for|"
    "best|natural|not|depth|at|most|highest|lowest|maximised|highest(|lowest(|drop(|reroll(|given(|mixture(|explode(|"
    "max(|min(|floor(|ceil(|minimised|literal|+1|DICE|dice|D{0,1:2}|4+|<4|kh|kl2|dl|r|rr<3|ro1|mi2|ma|!|!!|!p|xo|x6|"
    "cs>=5|cf|f1|odd|s|@|d%|dF|[fire]|[count |[explode |[middle |output |/r |# a|..|distinct(|pairs(|sets(|straight(|"
    "abs(|round(|and"
)
#: Of these a text is computed.
PARTS = (
    "D6|2D6|+|-|×|(|)|reroll(|, 1)|highest(2 of |999D999|let x = D6 in |x|÷7|explode(D6, 6, depth 9)|max(|, |D99999|"
    "kh2|!!|!|cs>=3|straight(|sets(2 of |mi2|rr1|abs("
)
texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(WORDS.split("|")), max_size=30).map("".join),
    st.lists(st.sampled_from(WORDS.split("|")), max_size=30).map(" ".join),
    st.sampled_from("([-{").flatmap(lambda c: st.integers(1, 990).map(lambda n: c * n)),
    st.integers(1, 400).map(lambda n: "let x = " * n),
    st.integers(1, 200).map(lambda n: "max(" * n + "D6" + ")" * n),
)


def outcome(function, text):
    try:
        return function(text)
    except MathhammerError as error:
        return error


@settings(max_examples=600)
@given(texts)
def test_every_text_is_read_or_refused(text):
    found = outcome(dice, text)
    if isinstance(found, ParseError):
        assert 0 <= found.position <= len(text)
        assert found.expected.startswith("expected")
    else:
        assert dice(str(found)) == found


@settings(max_examples=250)
@given(st.lists(st.sampled_from(PARTS.split("|")), min_size=1, max_size=9).map("".join))
def test_every_expression_is_computed_or_refused_soon(text):
    start = time.perf_counter()
    found = outcome(distribution, text)
    if isinstance(found, MathhammerError):
        assert str(found).startswith("expected")
    else:
        assert abs(found.to_array().sum() + found.missing - 1) < 1e-9
    assert time.perf_counter() - start < 20
