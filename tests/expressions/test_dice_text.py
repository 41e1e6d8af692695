"""The text of dice expressions: canonical forms, what players type, and errors that point."""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest
from sympy import Rational

import mathhammer
from mathhammer import dice
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.expressions import (
    ceil,
    faces,
    floor,
    highest,
    let,
    lowest,
    maximum,
    middle,
    minimum,
    mix,
)
from mathhammer.expressions.condition import as_condition
from mathhammer.expressions.die import Die

D3, D6, D8 = dice("D3"), dice("D6"), dice("D8")

CANONICAL = [
    "D6", "2D6", "D3", "4D10", "7", "-7", "D6+1", "D6-1", "2D6+3-D3", "D6-(D6+1)", "D6×2", "2×D6", "D6×D6",
    "(D6+1)×2", "D6÷2", "D6÷2×3+1-2", "2(D6+1)", "2(D6÷2)", "3(2D6)", "(2D6)D6", "(D3)(D6+1)", "D{0, 1:2, 2}",
    "D{-2, 5}", "2D{1, 6:2}", "floor(D6÷2)", "ceil(D6÷2)×2", "max(D6-2, 1)", "min(D6, 3)", "max(D6, D6, D3)",
    "highest(3 of 4D6)", "lowest(2 of D6, 2D8)", "highest(1 of (2D6), (2D6))", "drop(1 lowest, 1 highest of 4D6)",
    "2D6[+2 DICE]", "2D6[-1 DICE]", "2D6[+2 DICE, -1 DICE]", "D6[maximised]", "2D6[maximised 2, minimised]",
    "2D6[maximised, minimised, literal]", "reroll(D6, 1)", "reroll(D6, 1, 2)", "reroll(D6, <4)", "reroll(D6, not 6)",
    "reroll(D3, natural 1)", "reroll(2D6, best)", "reroll(2D6, best for 9+)", "reroll(1 best of 2D6)",
    "reroll(1 best of 3D6 for 9+)", "3(reroll(D6, 1))", "reroll(D6, <4)+1", "given(2D6, 7+)", "2D6>=9", "2D6<D6+D6",
    "(2D6>=9)+1", "mixture(1: D6, 2: 2D6)", "explode(D6, 6, depth 3)", "explode(D6, 5, 6, at most 2)",
    "let x = D6 in x-x",
    "let x = D6 in let y = 2D6 in x×y-x", "(let x = D6 in x+x)+1", "let n = D3 in (n)D6", "D6+(-1)", "0-D6",
    "D66", "D666", "2D66", "reroll(D66, <21)", "highest(1 of 2D66)",
]  # fmt: skip


@pytest.mark.parametrize("text", CANONICAL)
def test_trees_travel_between_processes(text):
    assert pickle.loads(pickle.dumps(dice(text))) == dice(text)  # noqa: S301 -- our own bytes


@pytest.mark.parametrize("text", CANONICAL)
def test_both_arithmetics_read_every_form(text):
    exact, floats = dice(text).distribution(exact=True), dice(text).distribution()
    assert floats.support == exact.support
    assert floats.to_array() == pytest.approx(exact.to_array(), rel=1e-12, abs=0)


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_comes_back(text):
    assert str(dice(text)) == text
    assert repr(dice(text)) == f"dice({text!r})"
    assert eval(repr(dice(text))) == dice(text)  # noqa: S307 -- the repr is executable


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        (" 2d6 + 3 ", "2D6+3"),
        ("D6x2", "D6×2"),
        ("D6*2", "D6×2"),
        ("d6/2", "D6÷2"),
        ("2D6 − 1", "2D6-1"),
        ("2D6 – 1", "2D6-1"),
        ("-D6", "0-D6"),
        ("--3".replace("--", "0--"), "0-(-3)"),
        ("(D6)", "D6"),
        ("((2))", "2"),
        ("HIGHEST(3 OF 4d6)", "highest(3 of 4D6)"),
        ("2d6[+1 dice]", "2D6[+1 DICE]"),
        ("2D6[+1 die]", "2D6[+1 DICE]"),
        ("drop(1 highest of 4D6)", "lowest(3 of 4D6)"),
        ("drop(1 lowest of 4D6)", "highest(3 of 4D6)"),
        ("D{2, 1, 2, 0}", "D{0, 1, 2:2}"),
        ("D{1:10, 2:20}", "D{1, 2:2}"),
        ("2D6≥9", "2D6>=9"),
        ("2D6 ≤ 9", "2D6<=9"),
        ("2D6 == 9", "2D6=9"),
        ("2D6≠9", "2D6!=9"),
        ("reroll(D6, <=3)", "reroll(D6, <4)"),
        ("reroll(D6, >3)", "reroll(D6, 4+)"),
        ("reroll(D6, >=4)", "reroll(D6, 4+)"),
        ("reroll(D6, 2, 1, 2)", "reroll(D6, 1, 2)"),
        ("let x = D6 in x x x", "let x = D6 in x×x"),
        ("1D6", "1D6"),
    ],
)
def test_what_players_type(typed, canonical):
    assert str(dice(typed)) == canonical


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (2 @ D6 + 3, "2D6+3"),
        (3 + D6, "3+D6"),
        (3 - D6, "3-D6"),
        (-D6, "0-D6"),
        (D6 * 2, "D6×2"),
        (2 * D6, "2×D6"),
        (D6 * D6, "D6×D6"),
        (D6 / 2 + 1, "D6÷2+1"),
        (floor(D6 / 2), "floor(D6÷2)"),
        (ceil(D6 / 2), "ceil(D6÷2)"),
        ((2 @ D6) @ D6, "(2D6)D6"),
        (2 @ (D6 + 1), "2(D6+1)"),
        ((4 @ D6).keep_highest(3), "highest(3 of 4D6)"),
        ((4 @ D6).keep_lowest(3), "lowest(3 of 4D6)"),
        (highest(2, 2 @ D6, D8), "highest(2 of 2D6, D8)"),
        (lowest(1, D6, 2 @ D6), "lowest(1 of D6, 2D6)"),
        (middle(1, 1, 4 @ D6), "drop(1 lowest, 1 highest of 4D6)"),
        ((2 @ D6).with_dice(plus=2, minus=1), "2D6[+2 DICE, -1 DICE]"),
        ((2 @ D6).maximised(2), "2D6[maximised 2]"),
        ((2 @ D6).minimised(), "2D6[minimised]"),
        (D6.reroll(1), "reroll(D6, 1)"),
        (D6.reroll({2, 1}), "reroll(D6, 1, 2)"),
        (D6.reroll("<4"), "reroll(D6, <4)"),
        (D3.reroll(1, natural=True), "reroll(D3, natural 1)"),
        ((2 @ D6).reroll_best(), "reroll(2D6, best)"),
        ((2 @ D6).reroll_best(target=9), "reroll(2D6, best for 9+)"),
        ((3 @ D6).reroll_best(dice=1, target=9), "reroll(1 best of 3D6 for 9+)"),
        (D6.reroll_best(dice=1), "reroll(1 best of 1D6)"),
        (D6.explode(6, depth=3), "explode(D6, 6, depth 3)"),
        (D6.explode("5+", at_most=1), "explode(D6, 5+, at most 1)"),
        ((2 @ D6).given("7+"), "given(2D6, 7+)"),
        ((2 @ D6).at_least(9), "2D6>=9"),
        (D6.compare("<", D6), "D6<D6"),
        (maximum(D6 - 2, 1), "max(D6-2, 1)"),
        (minimum(D6, 3), "min(D6, 3)"),
        (mix({D6: 1, D3: 2}), "mixture(1: D6, 2: D3)"),
        (let(D6, lambda x: x - x), "let x = D6 in x-x"),
        (let(D6, lambda x: let(D3, lambda y: x - y)), "let xx = D6 in let x = D3 in xx-x"),
        (faces([0, 0, 1]), "D{0:2, 1}"),
    ],
)
def test_operators_build_the_same_trees(built, text):
    assert str(built) == text
    assert dice(text) == built


def test_limits_of_the_text():
    with pytest.raises(ParseError, match="at most 1,000 characters"):
        dice("1+" * 600 + "1")
    with pytest.raises(ParseError, match="at most 600 parts"):
        dice("+".join(["1"] * 500))
    with pytest.raises(ParseError, match="at most 150 terms"):
        dice("+".join(["1"] * 200))
    with pytest.raises(ParseError, match="nested at most 30 deep"):
        dice("(" * 100 + "1" + ")" * 100)
    assert dice("(" * 30 + "1" + ")" * 30) == dice("1")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("999999999D999999999", "999,999,997,000,000,003"),
        ("min(D999999999, 3)", "999,999,999"),
        ("2(D9999999)", "19,999,997"),
        ("D999999÷999999999+D6÷999999937", "outcomes"),
        ("let a = D1000 in let b = D1000 in a-b", "bind a roll of fewer values"),
        ("highest(5000 of 10000D6)", "use fewer dice or fewer kinds"),
        ("explode(D6, 6, depth 60000)", "use a smaller depth"),
        ("(D60000)(D6-3)", "use fewer dice, or shift the terms"),
        ("D2000×D2000", "outcomes"),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_too_large_is_refused_with_an_estimate_before_work_starts(text, size, exact):
    with pytest.raises(TooLargeError, match=size):
        dice(text).distribution(exact=exact)


def test_trees_built_too_deep_are_refused():
    tree = D6
    for _ in range(5000):
        tree = tree + 1
    with pytest.raises(TooLargeError, match="1000 @ D6"):
        tree.distribution()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: D6.explode(6), "expected depth=n"),
        (lambda: D6.explode("1+", depth=3).distribution(), "every value of .* goes on"),
        (lambda: D6.given("7+").distribution(), "expected a condition that can be met"),
        (lambda: dice("(D3-2)D6").distribution(), r"max\(D3-2, 0\) cannot"),
        (lambda: D6 / 0, "1 or more to divide by"),
        (lambda: as_condition("maybe"), "expected '<4', '4\\+', a face"),
        (lambda: as_condition(set()), "one number or more"),
        ((D6 + 1).maximised, "expected dice of one kind"),
        (lambda: D6.reroll_best(dice=2), "expected 1 to 1 dice of 1"),
        (lambda: D6.compare("=>", 3), "expected a relation"),
        (lambda: (-1) @ D6, "expected a number of dice of 0 or more"),
        (lambda: faces({}), "expected one face or more"),
        (lambda: D6.explode(6, depth=2).distribution().mean(), "without missing mass for its mean"),
    ],
)
def test_nodes_refuse_what_means_nothing(make, message):
    with pytest.raises(MathhammerError, match=message):
        make()


def test_a_number_is_no_bool_and_no_float():
    for wrong in (True, 1.5, "2"):
        with pytest.raises(TypeError, match="expected a dice expression or a whole number"):
            D6 + wrong


@pytest.mark.parametrize("text", ["let x = D6 in x-x", "D6>=1", "D6<7", "min(D6, 1)", "D6×0"])
def test_what_is_certain_is_1_in_float64(text):
    (probability,) = dice(text).distribution().to_array()
    assert probability == 1.0


def test_every_call_is_a_word_of_the_parser():
    from mathhammer.expressions.calls import CALLS
    from mathhammer.expressions.parser import CALL_WORDS

    assert frozenset(CALLS) == CALL_WORDS


def test_every_public_name_loads():
    loaded = import_module("mathhammer.expressions")
    assert set(dir(loaded)) == set(loaded.__all__)
    for name in loaded.__all__:
        assert getattr(loaded, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = loaded.nothing


def test_expressions_are_hashable_values():
    assert len({dice("2D6+1"), 2 @ D6 + 1, dice("2d6 +1")}) == 1
    with pytest.raises(AttributeError):
        D6.sides = 8


def test_a_d66_is_two_dice_read_as_digits():
    distribution = mathhammer.distribution("D66", exact=True)
    # Tens and units are each a D6: 36 equal chances, 11 to 16, 21 to 26, ..., 61 to 66; on average 10 * 7/2 + 7/2.
    assert [k for k, p in distribution.items() if p] == [
        10 * tens + units for tens in range(1, 7) for units in range(1, 7)
    ]
    assert distribution == mathhammer.distribution("10×D6+D6", exact=True)
    assert distribution.mean() == Rational(77, 2)
    assert distribution.pmf(17) == distribution.pmf(20) == 0
    assert mathhammer.distribution("D666", exact=True) == mathhammer.distribution(
        "100×D6+10×D6+D6", exact=True
    )
    assert repr(dice("d66")) == "dice('D66')"


def test_a_die_of_66_sides_says_how_it_is_written():
    with pytest.raises(MathhammerError) as refused:
        Die(66)
    assert str(refused.value) == (
        "expected a die of another number of sides than 66: a D66 is 2 D6 read as digits, dice('D66'); equal "
        "chances from 1 on are faces(range(1, 67))"
    )
    even = faces(range(1, 67)).distribution(exact=True)
    assert even.pmf(17) == Rational(1, 66)
