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


def test_exact_fractions_and_the_question_asked():
    page = run("2D6", "--exact", "--at-least", "9", "--at-least", "13").output.splitlines()
    assert page[1].split() == ["outcome", "probability", "exactly", "at", "least"]
    assert [line.split()[:4] for line in page[2:5]] == [
        ["2", "2.78%", "1/36", "100%"],
        ["3", "5.56%", "1/18", "97.22%"],
        ["4", "8.33%", "1/12", "91.67%"],
    ]
    assert page[-2:] == ["P(result >= 9) = 27.78% = 5/18", "P(result >= 13) = 0%"]


def test_data():
    data = json.loads(run("2D6", "--exact", "--at-least", "9", "--json").output)
    assert (data["command"], data["name"], data["mean"]) == ("dice", "2D6", 7)
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


def test_missing_mass_is_said_in_place_of_a_mean():
    """Four sixes in a row have probability 1/1296: they are what three explosions leave out."""
    result = CliRunner().invoke(main, ["dice", "explode(D6, 6, depth 3)", "--exact"])
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "missing 0.08% (1/1296)"
    data = json.loads(
        CliRunner().invoke(main, ["dice", "explode(D6, 6, depth 3)", "--exact", "--json"]).output
    )
    assert data["facts"] == {"missing": "0.08% (1/1296)"}
    assert data["mean"] is None


def test_blanks_outside_quotes_are_part_of_the_expression():
    apart, together = (CliRunner().invoke(main, ["dice", *words]) for words in (["2D6", "+", "3"], ["2D6+3"]))
    assert (apart.exit_code, apart.stdout) == (0, together.stdout)
    refused = CliRunner().invoke(main, ["dice", "2D6", "3D6"])
    assert (refused.exit_code, refused.stderr.splitlines()[1:]) == (2, ["    2D6 3D6", "        ^"])
