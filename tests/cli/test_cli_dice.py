"""``mathhammer dice``: whole pages and data compared."""

from __future__ import annotations

import json
from math import comb

import pytest
from click.testing import CliRunner

from mathhammer.cli import main


def run(*arguments):
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, ["dice", *arguments])


def test_the_page_of_the_readme():
    # 80 characters: 30 of table, 2 blanks, 48 of bar for the mode; 1/36 is a sixth of it.
    assert (
        run("2D6+3").output
        == """\
2D6+3
outcome  probability  at least
      5        2.78%      100%  ████████
      6        5.56%    97.22%  ████████████████
      7        8.33%    91.67%  ████████████████████████
      8       11.11%    83.33%  ████████████████████████████████
      9       13.89%    72.22%  ████████████████████████████████████████
     10       16.67%    58.33%  ████████████████████████████████████████████████
     11       13.89%    41.67%  ████████████████████████████████████████
     12       11.11%    27.78%  ████████████████████████████████
     13        8.33%    16.67%  ████████████████████████
     14        5.56%     8.33%  ████████████████
     15        2.78%     2.78%  ████████
mean 10.00, standard deviation 2.42, median 10, 5% to 95%: 6 to 14
"""
    )


def test_data():
    data = json.loads(run("2D6", "--exact", "--at-least", "9", "--json").output)
    assert (data["schema"], data["name"], data["mean"]) == ("mathhammer.dice", "2D6", 7)
    assert data["at_least"] == [{"k": 9, "probability": pytest.approx(5 / 18), "probability_exact": "5/18"}]
    assert (data["outcomes"][0], data["exact"][0]) == (2, "1/36")
    assert data["probabilities"] == pytest.approx([(6 - abs(7 - k)) / 36 for k in range(2, 13)])
    assert json.loads(run("D6", "--json").output)["exact"] is None


def test_a_long_support_is_folded_and_the_exact_data_is_whole():
    page = run("100D6").output
    assert "Folded: " in page
    assert max(map(len, page.splitlines())) <= 80
    data = json.loads(run("100D6", "--exact", "--json").output)
    # Of 6^100 results one is 100; 101 is reached in 100 ways, 102 in C(100, 2) + 100.
    assert data["exact"][0] == f"1/{6**100}"
    assert data["probabilities"][2] == pytest.approx((comb(100, 2) + 100) / 6**100, rel=1e-13)
    assert len(data["outcomes"]) == 501


def test_blanks_outside_quotes_are_part_of_the_expression():
    apart, together = (CliRunner().invoke(main, ["dice", *words]) for words in (["2D6", "+", "3"], ["2D6+3"]))
    assert (apart.exit_code, apart.stdout) == (0, together.stdout)
    refused = CliRunner().invoke(main, ["dice", "2D6", "3D6"])
    assert (refused.exit_code, refused.stderr.splitlines()[1:]) == (2, ["    2D6 3D6", "        ^"])
