"""``mathhammer 40k attack``: pages against fractions worked out in the test, messages compared whole."""

from __future__ import annotations

import json
from fractions import Fraction

from click.testing import CliRunner

from mathhammer.cli import main

LASCANNON = "Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]"
TANK = "T10 Sv3+ InSv5+ W12 [VEHICLE]"


def run(*arguments):
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, ["40k", "attack", "--edition", "10e", *arguments])


def law(data, name):
    """Return the exact probabilities of what is possible."""
    part = data["pictures"][name]
    return {k: Fraction(p) for k, p in zip(part["outcomes"], part["exact"], strict=True) if p != "0"}


def exact_mean(data, name):
    return sum(k * p for k, p in law(data, name).items())


def two_lascannons():
    """Distribution of the wounds lost: each shot wounds unsaved with (2/3)^3 and takes D6+1 of twelve wounds."""
    one = {0: 1 - Fraction(8, 27), **{face + 1: Fraction(8, 27) / 6 for face in range(1, 7)}}
    distribution = {}
    for a, p in one.items():
        for b, q in one.items():
            lost = min(a + b, 12)
            distribution[lost] = distribution.get(lost, 0) + p * q
    return distribution


def test_an_exact_page():
    page = run(LASCANNON, "--count", "2", "--target", TANK, "--exact").output.splitlines()
    distribution = two_lascannons()
    assert distribution[12] == Fraction(32, 2187)
    words = " ".join(page)
    # One wound less is lost than 2 x 8/27 x 9/2 = 8/3 when both roll their 6.
    assert "wounds lost 2.66 (17432/6561), P(destroyed) 1.46% (32/2187)" in words
    assert "2 × Lascannon against Target (Warhammer 40,000 10th edition)" in words
    assert "weapon: 2x Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]" in words
    assert "target: Target: 1x T10 Sv3+ InSv5+ W12 [VEHICLE] Situational rules on: none." in words
    assert sum(lost * probability for lost, probability in distribution.items()) == Fraction(17432, 6561)
    place = page.index("Wounds lost:") + 1
    assert page[place].split() == ["outcome", "probability", "exactly", "at", "least"]
    rows = [line.split() for line in page[place + 1 : place + 1 + len(distribution)]]
    assert [(int(row[0]), Fraction(row[2])) for row in rows] == sorted(distribution.items())
    assert [row[1] for row in rows] == [f"{float(100 * distribution[k]):.2f}%" for k in sorted(distribution)]


def test_exact_data():
    data = json.loads(run(LASCANNON, "--count", "2", "-t", TANK, "--exact", "--json", "--explain").output)
    assert (data["schema_version"], data["edition"]) == (2, "10e")
    assert all(
        line in data["question"] for line in ("2x Lascannon: A1 BS3+", "T10 Sv3+ InSv5+ W12 [VEHICLE]")
    )
    assert data["exact"]["P(destroyed)"] == "32/2187"
    assert exact_mean(data, "damage") == Fraction(8, 3)
    assert exact_mean(data, "hits") == Fraction(4, 3)
    distribution = two_lascannons()
    assert law(data, "wounds_lost") == distribution
    assert data["explanation"][0].startswith("2 × Lascannon against Target")
