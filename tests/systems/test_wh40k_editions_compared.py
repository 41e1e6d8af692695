"""The same attack under several editions: their numbers, and which rules make the difference."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from sympy import Rational

from mathhammer import MathhammerError, wh40k
from mathhammer.cli import main

RIFLE = 'Rifle: 24" A6 BS3+ S4 AP-1 D1'
MARINES = "Marines: 5x T4 Sv4+ W2"


def steps(compared):
    return {difference.step: difference for difference in compared.differences()}


def test_all_editions_stand_side_by_side():
    compared = wh40k.compare_editions(RIFLE, MARINES, exact=True)
    assert list(compared) == ["9e", "10e", "11e"] == list(wh40k.EDITIONS)
    # 6 × 2/3 × 1/2 × 2/3 in each.
    assert {result.unsaved.mean() for result in compared.values()} == {Rational(4, 3)}
    assert {name: values for name, *values in compared.rows()}["mean unsaved"] == [Rational(4, 3)] * 3
    page = str(compared)
    assert all(edition in page for edition in compared)


def test_cover_of_the_9th_and_of_the_10th():
    compared = wh40k.compare_editions(RIFLE, MARINES, cover="dense", editions=("9e", "10e"), exact=True)
    # -1 to hit in the 9th: 6 × 1/2 × 1/2 × 2/3; +1 to the save in the 10th: 6 × 2/3 × 1/2 × 1/2.
    assert [result.unsaved.mean() for result in compared.values()] == [1, 1]
    found = steps(compared)
    assert found["Hit"].by_edition["9e"] == "BS3+; -1 (dense cover) = hit 1/2"
    assert found["Hit"].by_edition["10e"] == "BS3+ = hit 2/3, critical 1/6"
    assert found["Save"].by_edition["9e"] == "armour 4+ rolls 5+; -1 (AP-1) = unsaved 2/3"
    assert (
        found["Save"].by_edition["10e"]
        == "armour 4+ rolls 4+; +1 (benefit of cover); -1 (AP-1) = unsaved 1/2"
    )
    assert [rule.partition(" (")[0] for rule in found["Hit"].rules] == ["9e: cover"]
    assert "9th edition core rules, Terrain Features" in found["Hit"].rules[0]
    assert [rule.partition(" (")[0] for rule in found["Save"].rules] == ["9e: cover", "10e: cover"]


def test_cover_of_the_10th_and_of_the_11th():
    compared = wh40k.compare_editions(RIFLE, MARINES, cover=True, editions=("10e", "11e"), exact=True)
    # +1 to the save: 6 × 2/3 × 1/2 × 1/2; BS worse by 1: 6 × 1/2 × 1/2 × 2/3.
    assert [result.unsaved.mean() for result in compared.values()] == [1, 1]
    found = steps(compared)
    assert list(found) == ["Skill", "Hit", "Save"]
    assert "hit 1/2" in found["Hit"].by_edition["11e"]
    assert "unsaved 2/3" in found["Save"].by_edition["11e"]
    assert [rule.partition(" (")[0] for rule in found["Hit"].rules] == ["11e: cover"]
    assert [rule.partition(" (")[0] for rule in found["Save"].rules] == ["10e: cover"]


def test_an_ability_that_an_edition_does_not_have():
    compared = wh40k.compare_editions(RIFLE + " [LETHAL HITS]", MARINES, editions=("9e", "10e"), exact=True)
    # Lethal hits: 6 × (1/6 + 1/2 × 1/2) × 2/3 against 6 × 2/3 × 1/2 × 2/3.
    assert [result.unsaved.mean() for result in compared.values()] == [Rational(4, 3), Rational(5, 3)]
    lethal = steps(compared)["Lethal Hits"]
    assert lethal.by_edition == {
        "9e": "has no effect here: not an ability of the Warhammer 40,000 9th edition: Lethal Hits is an ability of "
        "the 10th edition and the 11th edition",
        "10e": "a critical hit wounds without a wound roll",
    }
    assert [rule.partition(" (")[0] for rule in lethal.rules] == ["10e: Lethal Hits"]
    assert lethal.alike() == {text: [edition] for edition, text in lethal.by_edition.items()}


def test_what_is_alike_is_no_difference():
    assert wh40k.compare_editions(RIFLE, MARINES, editions=("10e",)).differences() == ()
    one = wh40k.compare_editions(RIFLE, MARINES, editions=("10e", "11e"))
    assert one.differences() == ()
    assert "What differs" not in str(one)
    # An edition without critical rolls does not differ by having none, where nothing reads them.
    assert wh40k.compare_editions(RIFLE, MARINES, editions=("9e", "10e")).differences() == ()
    assert "What differs" in str(wh40k.compare_editions(RIFLE, MARINES, cover=True, editions=("10e", "11e")))


def test_steps_of_several_volleys_are_named_after_their_weapons():
    shots = [RIFLE, "Axe: A4 WS3+ S4 AP-1 D1"]
    compared = wh40k.compare_editions(shots, MARINES, cover=True, editions=("10e", "11e"))
    assert {name.partition(":")[0] for name in steps(compared)} == {"Rifle"}  # no cover against the axe


def test_a_label_is_one_target_for_all_editions():
    compared = wh40k.compare_editions(RIFLE, "MEQ", exact=True)
    assert {result.wounds for result in compared.values()} == {
        wh40k.attack(RIFLE, wh40k.TARGETS["MEQ"], exact=True).wounds
    }


def test_rulings_of_each_edition():
    compared = wh40k.compare_editions(
        *(RIFLE, MARINES), editions=("9e", "10e"), rulings={"10e": {"save_cap": "gross"}}
    )
    assert compared["10e"].rulings["save_cap"] == "gross"
    with pytest.raises(MathhammerError, match="save_cap"):
        wh40k.compare_editions(RIFLE, MARINES, editions=("9e",), rulings={"9e": {"save_cap": "gross"}})


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["40k", "editions", *arguments])


def test_the_command_line_prints_what_the_library_says():
    arguments = (RIFLE, "-t", MARINES, "--cover", "--editions", "9e, 10e", "--exact")
    compared = wh40k.compare_editions(RIFLE, MARINES, cover=True, editions=("9e", "10e"), exact=True)
    data = json.loads(run(*arguments, "--json").output)
    assert data["editions"] == ["9e", "10e"]
    for row, (name, *values) in zip(data["rows"], compared.rows(), strict=True):
        assert row["name"] == name
        assert [each["value_exact"] for each in row["by_edition"].values()] == [
            str(value) for value in values
        ]
    assert [each["step"] for each in data["differences"]] == list(steps(compared))
    text = run(*arguments).output
    assert "Situational rules on: cover." in text
    assert "What differs" in text
    assert "9th edition core rules, Terrain Features" in " ".join(text.split())


def test_the_command_line_gives_a_ruling_to_the_editions_that_have_it():
    result = run(RIFLE, "-t", MARINES, "--ruling", "fast_rolling=strict", "--ruling", "worsened_ap_0=stays")
    assert result.exit_code == 0, result.stderr
    for wrong, said in (("nosuch=1", "nosuch"), ("save_cap=all", "all")):
        result = run(RIFLE, "-t", MARINES, "--ruling", wrong)
        assert result.exit_code == 2
        assert said in result.stderr
    result = run(RIFLE, "-t", MARINES, "--editions", "10e,3e")
    assert (result.exit_code, "3e" in result.stderr) == (2, True)


def named(compared):
    return {difference.step: difference for difference in compared.differences()}


def test_reduced_devastating_damage_is_a_step_of_its_own():
    gun = 'Gun: 24" A4 BS3+ S4 AP-1 D3 [DEVASTATING WOUNDS]'
    brutes = wh40k.Target("Brutes", toughness=4, save="3+", wounds=3, models=3, damage_reduction=1)
    found = named(wh40k.compare_editions(gun, brutes))
    each = found["Each devastating"].by_edition
    assert [each[edition].rpartition("= ")[2] for edition in ("9e", "10e", "11e")] == [
        "no wound is devastating",
        "mean damage 2",
        "mean damage 3",
    ]
    assert (
        found["Devastating Wounds"].rules[-1].endswith("(11th edition core rules, 24.10 Devastating Wounds)")
    )


def test_hits_that_are_critical_no_more_are_a_difference():
    gun = 'Gun: 24" A4 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1]'
    found = named(wh40k.compare_editions(gun, MARINES, overwatch=True))
    assert list(found) == ["Hit", "Sustained Hits"]
    assert found["Hit"].by_edition["10e"].endswith("hit 1/6, critical 1/6")
    assert found["Sustained Hits"].by_edition["11e"] == "has no effect here"


def test_the_toughness_of_a_led_unit_is_read_anew():
    guards = wh40k.Target("guard", toughness=4, save="4+", wounds=1, models=3)
    hero = wh40k.Target("hero", toughness=6, save="2+", wounds=4, keywords="Character")
    found = named(wh40k.compare_editions(RIFLE, wh40k.TargetUnit("led", [guards], leaders=[hero])))
    assert list(found) == ["Groups", "Toughness", "Saves"]
    assert found["Toughness"].by_edition["10e"] == "that of the unit when it was chosen as the target"
    assert found["Toughness"].by_edition["11e"].startswith("T4, the highest of the bodyguard models left")
