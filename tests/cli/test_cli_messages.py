"""Refusals on the command line: in the words of its options, never in Python's."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from test_cli_rows import PYTHON

from mathhammer.cli import main
from mathhammer.cli.questions import SituationOptions

RIFLE = "Rifle: A2 BS3+ S4 AP-1 D1"
ATTACK = ("40k", "attack", RIFLE, "-t", "MEQ")
TURN = ("40k", "turn", "--attacker", "MEQ", "--defender", "TEQ", "--distance", "7")


def refused(*words):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, words)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.partition("Error: ")[2].rstrip("\n")


WRONG = [
    (option.opts[0], value)
    for option in SituationOptions().options()
    if not option.is_flag
    for value in ("", "x", "bset", "0", "99999", "1,x", "-1.5", "[]")
    # Nothing may be added to a roll, and a leader may have any name.
    if not (option.opts[0].endswith("-modifier") and value == "0")
    and not (option.opts[0] == "--precision" and value)
]


@pytest.mark.parametrize(("flag", "value"), WRONG)
def test_a_wrong_value_of_the_situation_is_refused_in_the_words_of_the_option(flag, value):
    message = refused(*ATTACK, flag, value)
    assert f"'{flag}'" in message
    assert PYTHON.search(message) is None


@pytest.mark.parametrize(
    "words",
    [
        ("army",),
        ("compare", "mine.ros", "theirs.ros"),
        ("focus", "--against", "VEQ"),
        ("rules",),
        ATTACK,
        TURN,
        ("40k", "editions", RIFLE, "-t", "MEQ"),
        ("40k", "charge", "7"),
        ("40k", "battleshock", "7+"),
        ("40k", "rulings"),
        ("40k", "abilities"),
        ("targets",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("given", ["10", "10E", "10th", "10.ed"])
def test_an_edition_in_another_form_has_a_remedy_in_every_command(words, given):
    option = "--editions" if "editions" in words else "--edition"
    assert refused(*words, option, given).removesuffix("?").endswith("did you mean '10e'")


@pytest.mark.parametrize("given", ["12", "", "x", "1000"])
def test_what_is_like_no_edition_has_no_hint(given):
    assert refused(*ATTACK, "--edition", given) == f"expected an edition of '9e', '10e', '11e'; got {given!r}"


@pytest.mark.parametrize("command", ["attack", "editions"])
class TestCount:
    """`--count` is for weapons that name no number, as the help says."""

    def test_beside_weapons_that_all_name_one_it_is_refused(self, command):
        message = refused("40k", command, f"10x {RIFLE}", f"2x {RIFLE}", "-t", "MEQ", "--count", "5")
        expected = f"expected a weapon without a number for a count of 5, got '10x {RIFLE}'; "
        assert message == expected + "leave out the count, or the number before the weapon"

    def test_it_is_of_those_that_name_none(self, command):
        def output(*words):
            result = CliRunner().invoke(main, ["40k", command, *words, "-t", "MEQ", "--json"])
            assert result.exit_code == 0
            return result.output

        mixed = output(f"10x {RIFLE}", "Gun: A1 BS4+ S9 AP-2 DD6", "--count", "3")
        assert mixed == output(f"10x {RIFLE}", "3x Gun: A1 BS4+ S9 AP-2 DD6")
        assert mixed != output(f"10x {RIFLE}", "Gun: A1 BS4+ S9 AP-2 DD6")

    def test_one_copy_at_least(self, command):
        assert refused("40k", command, RIFLE, "-t", "MEQ", "--count", "0").startswith(
            "expected a number of weapons"
        )


class TestStatLinesWithCommas:
    """What `40k attack --target` reads, `--against` reads too, where commas are between targets as well."""

    def against(self, text):
        result = CliRunner().invoke(main, ["army", "--against", text, "--csv"])
        assert result.exit_code == 0
        return result.output

    @pytest.mark.parametrize(
        ("given", "plain"),
        [
            ("T9, Sv3+, W10", "T9 Sv3+ W10"),
            ("Tank: T9, Sv3+, InSv5+, W10, [Vehicle, Walker]", "Tank: T9 Sv3+ InSv5+ W10 [Vehicle, Walker]"),
            ("10x, T4, Sv3+, W2, Stealth, 160pts", "10x T4 Sv3+ W2 Stealth 160pts"),
            ("T4, Sv3+, W2, T5, Sv2+, W3", "T4 Sv3+ W2; T5 Sv2+ W3"),
            ("MEQ, T9, Sv3+, W10, TEQ", "MEQ; T9 Sv3+ W10; TEQ"),
        ],
    )
    def test_is_one_target(self, given, plain):
        assert self.against(given) == self.against(plain)
