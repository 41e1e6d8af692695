"""Refusals on the command line: in the words of its options, never in Python's."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from mathhammer.cli import main
from mathhammer.cli.situation import Situation

RIFLE = "Rifle: A2 BS3+ S4 AP-1 D1"
SAMPLE = "mathhammer/rosters/sample/sample-army.ros"
ATTACK = ("40k", "attack", RIFLE, "-t", "MEQ")
TURN = ("40k", "turn", "--attacker", "MEQ", "--defender", "TEQ", "--distance", "7")
#: None of these is a word of a player: values and calls of Python, its containers, its keyword arguments.
PYTHON = re.compile(
    r"\b(?:None|True|False|frozenset|Errno)\b|\w\(\w*\)|\[['\d]|\(['\d][^)]*,\)|\b[a-z]+=|(?<!')\b[a-z]+_[a-z_]+\b"
)


def refused(*words):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, words)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.partition("Error: ")[2].rstrip("\n")


WRONG = [
    (option.flag, value)
    for option in Situation().options()
    if option.kind != "Flag"
    for value in ("", "x", "bset", "0", "99999", "1,x", "-1.5", "[]")
    # Nothing may be added to a roll, and a leader may have any name.
    if not (option.flag.endswith("-modifier") and value == "0")
    and not (option.flag == "--precision" and value)
]


@pytest.mark.parametrize(("flag", "value"), WRONG)
def test_a_wrong_value_of_the_situation_is_refused_in_the_words_of_the_option(flag, value):
    message = refused(*ATTACK, flag, value)
    assert f"'{flag}'" in message
    assert PYTHON.search(message) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (*ATTACK, "--reroll", "bset"),
            "Invalid value for '--reroll': expected first or best; got 'bset'",
        ),
        (
            (*ATTACK, "--reroll-hits", "7"),
            (
                "Invalid value for '--reroll-hits': expected one, ones, failed, failed-unmodified, non-critical or "
                "values from 1 to 6 such as 1,2; got '7'"
            ),
        ),
        (
            (*ATTACK, "--ignore-modifiers", "hits"),
            (
                "Invalid value for '--ignore-modifiers': expected some of hit, skill, wound, attacks, strength, ap, "
                "damage, with commas between them; got 'hits'"
            ),
        ),
        (
            (*ATTACK, "--modifier", "foo +1"),
            (
                "Invalid value for '--modifier': expected a modifier of attacks, extra attacks, skill, strength, ap, "
                "damage, toughness, save, invulnerable, hit, wound, saving throw; got 'foo +1 (--modifier)'"
            ),
        ),
        (
            (*ATTACK, "--trigger", "6 to wound: 2 additional hits"),
            "Invalid value for '--trigger': expected a hit roll for extra hits, got a wound roll from '--trigger'",
        ),
        (
            (*ATTACK, "--half-range", "--long-range"),
            "expected --half-range or --long-range, got both; the one excludes the other",
        ),
        (
            (*TURN, "--charge-reroll", "--best", "charge re-roll"),
            "expected --charge-reroll or 'charge re-roll' among the best choices, got both",
        ),
        (
            (*TURN, "--defender-fights-on-death", "x"),
            (
                "Invalid value for '--defender-fights-on-death': expected a roll such as '4+' as "
                "--defender-fights-on-death, got 'x'"
            ),
        ),
        (
            (*ATTACK, "-t", "MEQ"),
            "expected kinds of models with different names in 'MEQ and MEQ', got MEQ, MEQ; give each a name of its own",
        ),
        (
            ("40k", "attack", RIFLE, "-t", "MEQ,TEQ"),
            "expected one target, got 'MEQ,TEQ'; 'mathhammer army' takes several targets, and lists",
        ),
        (
            ("40k", "attack", RIFLE, "-t", "their-army.rosz"),
            "expected one target, got 'their-army.rosz'; 'mathhammer army' takes several targets, and lists",
        ),
        (
            ("40k", "attack", "my-army.rosz", "-t", "MEQ"),
            "expected the stat line of a weapon, got 'my-army.rosz'; 'mathhammer army' reads lists",
        ),
        (
            (*ATTACK, "--ruling", "save_cap=none", "--ruling", "save_cap=+1 net"),
            "Invalid value for '--ruling': expected one option for the ruling 'save_cap', got 'none' too",
        ),
        (
            ("army", "--rule", "Stealth", "--no-rule", "Stealth"),
            "expected the rule 'Stealth' switched on or off, got both",
        ),
        (
            ("40k", "turn", "--attacker", "MEQ", "--defender", "TEQ"),
            (
                "expected the distance of the charge in inches, such as 9 (distance=, on the command line --distance), "
                "got none"
            ),
        ),
        (
            ("data", "get", "bsdata-11e"),
            "expected a publisher of datasheets, got 'bsdata-11e'; known: bsdata, bsdata-10e",
        ),
        (
            ("army", "--datasheets", "folder"),
            "expected an army list that --datasheets are for, got none; name its file",
        ),
        (
            ("focus", "--against", SAMPLE),
            (
                "Invalid value for --against: expected one target, or several of equal models to divide the units "
                "over, got 10, of which 'Ember Levy' has models of several kinds; name one of them with --at"
            ),
        ),
        (
            ("army", "MEQ"),
            (
                "expected an army list, got the target 'MEQ'; 'mathhammer army' takes targets, several in quotes: "
                '--against "TEQ,MEQ"'
            ),
        ),
        *(
            (
                (*command, "--against", nothing),
                (
                    f"Invalid value for --against: expected a target or more, got {nothing!r}; 'mathhammer targets' "
                    "lists the standard ones"
                ),
            )
            for command in (("army",), ("focus",), ("rules",))
            for nothing in ("", " ", ",")
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_refusal_names_options_and_the_remedy(words, message):
    assert refused(*words) == message
    assert PYTHON.search(message.replace("(distance=, on the command line --distance)", "")) is None


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
        assert message == (
            f"expected a weapon without a number for --count 5, got '10x {RIFLE}'; leave one of the two numbers out"
        )

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

    def test_said_twice_is_refused_at_its_place(self):
        assert refused("army", "--against", "T9, Sv3+, W10, W4") == (
            "expected wounds once\n    T9, Sv3+, W10, W4\n                   ^"
        )

    def test_a_characteristic_without_a_stat_line_is_a_target_that_lacks_the_others(self):
        assert refused("army", "--against", "MEQ, Sv3+").startswith("expected also T, W")
