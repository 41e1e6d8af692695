"""A number of more than 4,300 digits, which ``int`` does not read: refused as what it is, wherever it is typed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tenth import wh40k

from mathhammer import MathhammerError, from_text, t9a
from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.cli.situation import read_modifier, read_trigger
from mathhammer.errors import TooLargeError

NINES = "9" * 5000

READERS = {
    "T9A part": lambda n: t9a.ModelPart.parse(f"x: {n} attacks, Off 3, Str 3"),
    "T9A models of a part": lambda n: t9a.ModelPart.parse(f"x: {n} x 1 attacks, Off 3, Str 3"),
    "T9A strength": lambda n: t9a.ModelPart.parse(f"x: 1 attacks, Off 3, Str {n}"),
    "T9A models": lambda n: t9a.Target.parse(f"x: {n} models, Def 3, Res 3"),
    "T9A health": lambda n: t9a.Target.parse(f"x: 1 models, HP {n}, Def 3, Res 3"),
    "T9A champion": lambda n: t9a.Target.parse(f"x: 3 models, Def 3, Res 3, champion of HP {n}"),
    "T9A lost": lambda n: t9a.Target.parse(f"x: 3 models, Def 3, Res 3, {n} HP lost"),
    "T9A area": lambda n: t9a.ModelPart("x", attacks=1, strength=3, attributes=f"Area Attack ({n}×2)"),
    "T9A bonus": lambda n: t9a.ModelPart(
        "x", attacks=1, strength=3, attributes=f"Devastating Charge (+{n} Strength)"
    ),
    "40k range": lambda n: wh40k.Weapon.parse(f'R: {n}" A2 BS3+ S4 AP-1 D1'),
    "40k AP": lambda n: wh40k.Weapon.parse(f"R: A2 BS3+ S4 AP-{n} D1"),
    "40k keyword": lambda n: wh40k.Weapon.parse(f"R: A2 BS3+ S4 AP0 D1 [MELTA {n}]"),
    "40k toughness": lambda n: wh40k.Target.parse(f"x: T{n} Sv3+ W1"),
    "40k models": lambda n: wh40k.Target.parse(f"x: {n}x T4 Sv3+ W1"),
    "40k points": lambda n: wh40k.Target.parse(f"x: T4 Sv3+ W1 {n}pts"),
    "40k wounds lost": lambda n: wh40k.Target.parse(f"x: T4 Sv3+ W1 {n} lost"),
    "modifier": lambda n: read_modifier(f"damage +{n}"),
    "value of a modifier": lambda n: read_modifier(f"ap improve 1 where it is {n}"),
    "trigger": lambda n: read_trigger(f"6 to wound: AP improved by {n} (x)"),
    "AP of a trigger": lambda n: read_trigger(f"6 to wound: AP -{n} (x)"),
    "Trench Crusade dice": lambda n: tc.Weapon("x", kind="melee", keywords=f"+{n} DICE"),
    "Trench Crusade value": lambda n: tc.Weapon("x", kind="melee", keywords=f"BLAST {n}"),
    "a text": lambda n: from_text(
        f"mathhammer 1: The 9th Age: Fantasy Battles, 2e, break_test\nwith: discipline={n}\nend"
    ),
    "the format of a text": lambda n: from_text(f"mathhammer {n}: dice\nend"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_number_without_end(name):
    with pytest.raises(MathhammerError) as caught:
        READERS[name](NINES)
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ["40k", "attack", f"{NINES}x Rifle: A2 BS3+ S4 AP-1 D1", "--target", "MEQ"],
        ["t9a", "charge", "--distance", NINES, "--advance", "5"],
        ["dice", f"{NINES}D6"],
        ["dice", "2D6", "--at-least", NINES],
        ["tc", "success", "--dice", NINES],
    ],
    ids=lambda arguments: " ".join(arguments)[:20],
)
def test_on_the_command_line(arguments):
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)


def test_digits_beyond_the_ninth_are_no_source():
    with pytest.raises(MathhammerError, match="expected a number and where it comes from"):
        tc.success_roll(["+12345678901 elevated"])


@pytest.mark.parametrize(
    "read",
    [
        lambda text: read_trigger(f"6 to wound: {text}"),
        lambda text: read_modifier(f"damage{text}"),
        lambda text: t9a.ModelPart("x", attacks=1, strength=3, attributes=f"Lance{text}x"),
        lambda text: t9a.ModelPart.parse(f"x: {text}"),
        lambda text: wh40k.Weapon.parse(f"x: {text}"),
        lambda text: wh40k.Weapon.parse(f"x: A1 BS3+ S4 AP0 D1 [{text}]"),
        lambda text: wh40k.Target.parse(f"x: {text}"),
        lambda text: tc.Weapon("x", kind="melee", keywords=f"CRITICAL{text}X"),
    ],
)
def test_a_line_of_blanks_is_not_tried_blank_by_blank(read):
    """Refused by its length: a pattern that tries every blank takes the square of their number."""
    with pytest.raises(TooLargeError, match=r"expected a .* of at most"):
        read(" " * 1_000_000)
