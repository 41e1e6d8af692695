"""``mathhammer 40k attack``: pages against fractions worked out in the test, messages compared whole."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
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
    assert (
        "2x Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY] against Target: 1x T10 Sv3+ InSv5+ W12 [VEHICLE]."
        in words
    )
    assert "Warhammer 40,000 10th edition. Situational rules on: none." in words
    assert sum(lost * probability for lost, probability in distribution.items()) == Fraction(17432, 6561)
    place = page.index("Wounds lost:") + 1
    assert page[place].split() == ["outcome", "probability", "exactly", "at", "least"]
    rows = [line.split() for line in page[place + 1 : place + 1 + len(distribution)]]
    assert [(int(row[0]), Fraction(row[2])) for row in rows] == sorted(distribution.items())
    assert [row[1] for row in rows] == [f"{float(100 * distribution[k]):.2f}%" for k in sorted(distribution)]


def test_exact_data():
    data = json.loads(run(LASCANNON, "--count", "2", "-t", TANK, "--exact", "--json", "--explain").output)
    assert (data["schema_version"], data["command"], data["edition"]) == (2, "40k attack", "10e")
    assert all(
        line in data["question"] for line in ("2x Lascannon: A1 BS3+", "T10 Sv3+ InSv5+ W12 [VEHICLE]")
    )
    assert data["exact"]["P(destroyed)"] == "32/2187"
    assert exact_mean(data, "damage") == Fraction(8, 3)
    assert exact_mean(data, "hits") == Fraction(4, 3)
    distribution = two_lascannons()
    assert law(data, "wounds_lost") == distribution
    assert data["explanation"][0].startswith("2 × Lascannon against Target")


def test_several_weapons_each_with_its_count_and_the_situation():
    data = json.loads(
        run(
            "9x Bolt rifle: A2 BS3+ S4 AP-1 D1",
            "Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2]",
            *("-t", "MEQ", "--half-range", "--hit-modifier", "-1", "--reroll-wounds", "ones"),
            *("--ruling", "save_cap=gross", "--json"),
        ).output
    )
    assert all(words in data["question"] for words in ("9x Bolt rifle", "half_range", 'reroll_wounds="ones"'))
    assert data["rulings"]["save_cap"] == "gross"
    # 19 attacks that hit on 4+ after the modifier.
    assert data["pictures"]["hits"]["mean"] == pytest.approx(19 / 2, rel=1e-13)
    # Rifles: S4 against T4, 7/12 with ones re-rolled, save 4+ fails 1/2. Melta: 35/36, no save.
    unsaved = 9 * 2 / 2 * 7 / 12 / 2 + 1 / 2 * 35 / 36
    assert data["pictures"]["unsaved"]["mean"] == pytest.approx(unsaved, rel=1e-13)


def test_count_is_for_the_weapons_that_name_none():
    data = json.loads(
        run("2x A: A1 WS3+ S4 AP0 D1", "B: A1 WS3+ S4 AP0 D1", "--count", "7", "-t", "GEQ", "--json").output
    )
    assert data["pictures"]["attacks"]["mean"] == 2 + 7


def test_a_unit_of_several_wounds_has_both_tables():
    page = run("Bolt rifle: A3 BS3+ S5 AP-1 D2", "-t", "3x T4 Sv3+ W2").output
    # Published: p = 2/9 for each of three attacks of Damage 2 on two wounds.
    assert "models destroyed 0.67 of 3, wounds lost 1.33, P(destroyed) 1.10%" in " ".join(page.split())
    assert "      0       47.05%      100%  " in page
    assert "Wounds lost:\n" in page


def test_explain_prints_the_steps():
    page = run(LASCANNON, "-t", TANK, "--explain").output
    assert "= unsaved 8/27, nothing 19/27\n" in page


def test_rules_that_were_on_and_rulings_that_were_chosen_are_said():
    page = run(LASCANNON, "-t", "VEQ", "--stationary", "--cover", "--ruling", "save_cap=gross").output
    assert (
        "Warhammer 40,000 10th edition. Situational rules on: stationary, cover. Rulings\nchosen: save_cap=gross.\n"
        in page
    )


NEAREST = "expected the label of a standard target such as MEQ, got 'Rino'; did you mean VEQ (Rhino)?"


PLASMA = "Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"


def test_mortal_wounds_need_no_weapon_and_spill_over():
    """Six of them on models of two wounds destroy three."""
    page = run("--mortal-wounds", "6 Grenade", "-t", "5x T4 Sv3+ W2", "--exact").output
    assert "6 mortal wounds (Grenade) against" in " ".join(page.split())
    assert "models destroyed 3.00 of 5" in page


def test_what_befalls_others_is_printed():
    walker = "Walker: T8 Sv- W1 Deadly Demise D3"
    arguments = (
        PLASMA,
        "--count",
        "5",
        "-t",
        walker,
        "--bearers",
        "5x T4 Sv3+ W2",
        "--mortal-wounds",
        "1",
        "--exact",
    )
    page = " ".join(run(*arguments).output.split())
    # The mortal wound destroys it for certain: 1/6 of D3 on each unit in range, and five tests that fail on a 1.
    assert 'Mortal wounds on each other unit within 6": outcome probability' in page
    assert "0 83.33% 5/6 100%" in page
    assert "Bearers destroyed by Hazardous tests:" in page
    assert run("Gun: A1 BS3+ S8 AP-3 D2", "-t", "MEQ", "--bearers", "MEQ").stderr.startswith(
        "Error: expected a weapon that is Hazardous"
    )


def test_the_best_order_is_chosen_and_printed():
    """A dagger of Damage 1 before a hammer of Damage 2 wastes nothing on models of 1 wound and 2, in this order."""
    weapons = ["Hammer: A1 S8 AP0 D2 [TORRENT]", "Dagger: A1 S8 AP0 D1 [TORRENT]"]
    asked = [*weapons, "--exact", "-t", "Imp: 1x T4 Sv- W1", "-t", "Ogre: 1x T4 Sv- W2"]
    wounds = Fraction(5, 6)
    as_given = wounds + (1 - wounds) * wounds  # what is left of the Ogre after the dagger still lives
    best = wounds * (1 + wounds) + (1 - wounds) * wounds
    for order, kills in (("given", as_given), ("best", best)):
        data = json.loads(run(*asked, "--order", order, "--json").output)
        assert exact_mean(data, "kills") == kills
    assert data["plan"]["notes"] == ["Begin with Dagger."]
    assert "Begin with Dagger." in run(*asked, "--order", "best").output


def test_a_number_of_weapons_without_its_x_is_refused():
    found = run("10 Bolt rifle: A2 BS3+ S4 AP-1 D1", "--target", TANK)
    assert found.exit_code != 0
    assert "'10x Bolt rifle' for 10 of them" in " ".join(found.output.split())
    assert run("1x 10 Bolt rifle: A2 BS3+ S4 AP-1 D1", "--target", TANK).exit_code == 0


def test_only_the_best_re_roll_has_a_plan():
    guns = "4x Lascannon: A1 BS3+ S12 AP-3 DD6+1"
    assert "Best plan" not in run(guns, "--target", TANK, "--reroll", "first").output
    best = " ".join(run(guns, "--target", TANK, "--reroll", "best").output.split())
    assert "Best plan for mean models destroyed" in best
    assert "--objective wounds_lost" in best
