"""Terminal tables: nothing lost, nothing wider than the page, whole pages compared."""

from __future__ import annotations

from itertools import pairwise
from math import comb, fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.display.text import bar, columns, distribution_table, fold, supports_unicode

TWO_DICE = [min(n - 1, 13 - n) / 36 for n in range(2, 13)]


def binomial(n):
    return [comb(n, k) / 2**n for k in range(n + 1)]


def test_a_page_of_two_dice():
    expected = """\
outcome  probability  at least
      2        2.78%      100%  ######
      3        5.56%    97.22%  ############
      4        8.33%    91.67%  ##################
      5       11.11%    83.33%  ########################
      6       13.89%    72.22%  ##############################
      7       16.67%    58.33%  ####################################
      8       13.89%    41.67%  ##############################
      9       11.11%    27.78%  ########################
     10        8.33%    16.67%  ##################
     11        5.56%     8.33%  ############
     12        2.78%     2.78%  ######"""
    assert distribution_table(range(2, 13), TWO_DICE, width=68, unicode=False) == expected


@given(st.integers(1, 400), st.integers(40, 120), st.integers(4, 50), st.booleans())
def test_no_line_is_wider_than_the_page_and_no_table_longer_than_its_limit(n, width, limit, unicode):
    lines = distribution_table(
        range(n + 1), binomial(n), width=width, limit=limit, unicode=unicode
    ).splitlines()
    table = [line for line in lines if "%  " in line]
    assert max(map(len, lines)) <= max(width, 42)
    assert len(table) <= limit


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(-500, 500), st.integers(4, 60))
def test_folding_partitions_what_can_happen(weights, start, limit):
    if fsum(weights) == 0:
        return
    outcomes = range(start, start + len(weights))
    rows = fold(outcomes, weights, limit)
    assert len(rows) <= limit
    assert sum(row.outcomes for row in rows) == sum(weight > 0 for weight in weights)
    assert all(a.high < b.low for a, b in pairwise(rows))
    for row in rows:
        inside = [w for k, w in zip(outcomes, weights, strict=True) if row.low <= k <= row.high]
        above = [w for k, w in zip(outcomes, weights, strict=True) if k >= row.low]
        assert row.probability == pytest.approx(fsum(inside), rel=1e-12)
        assert row.at_least == pytest.approx(fsum(above), rel=1e-12)


def test_a_long_support_says_what_was_folded():
    page = distribution_table(range(101), binomial(100), limit=30, width=100)
    note = page.splitlines()[-2:]
    # P(X <= 30) = P(X >= 70) = 0.0039 % are the far ends. Rows of two begin at even numbers, so that 31 joins
    # the lower end: P(X <= 31) = 0.0092 %. What is left is 1 - 0.0092 % - 0.0039 % = 99.987 %.
    assert " ".join(note) == (
        "Folded: 32 outcomes up to 31 (0.01%), 31 outcomes from 70 on (<0.01%), "
        "the others in rows of up to 2 (99.99%). Each row prints the sum of its outcomes."
    )


def test_missing_mass_is_said():
    page = distribution_table([1, 2], [0.5, 0.25], width=60)
    assert page.splitlines()[-1] == "Missing: the rows sum to 75.00%; 25.00% is not in them."


def test_impossible_outcomes_have_no_row():
    page = distribution_table([2, 3, 4], [0.5, 0.0, 0.5], width=50, unicode=False)
    assert [line.split()[0] for line in page.splitlines()] == ["outcome", "2", "4"]


def test_exact_values_stand_beside_the_percentages_when_they_fit():
    page = distribution_table([0, 1], [0.25, 0.75], exact=["1/4", "3/4"], width=50, unicode=False)
    assert page == (
        "outcome  probability  exactly  at least\n"
        "      0       25.00%      1/4      100%  ###\n"
        "      1       75.00%      3/4    75.00%  #########"
    )
    page = distribution_table([0, 1], [0.25, 0.75], exact=["1" * 90, "2"], width=80)
    assert page.splitlines()[-1] == "Exact values of up to 90 characters do not fit this page."
    page = distribution_table(range(101), binomial(100), exact=["?"] * 101, limit=20)
    assert page.splitlines()[-1] == "Exact values are not shown for folded rows."


@given(st.floats(0, 1), st.integers(1, 60), st.booleans())
def test_a_bar_fits_its_room_and_is_seen_when_there_is_something(share, width, unicode):
    drawn = bar(share, width, unicode=unicode)
    assert len(drawn) <= width
    assert bool(drawn) == (share > 0)


def test_columns_align_left_and_right():
    assert columns([["a", "1"], ["long", "10"]], "<>") == ["a      1", "long  10"]


@pytest.mark.parametrize(
    ("encoding", "can"),
    [("utf-8", True), ("UTF-16", True), ("latin-1", False), ("ascii", False), ("what", False)],
)
def test_block_characters_need_an_encoding_that_has_them(encoding, can):
    assert supports_unicode(encoding) is can
