"""The text of dice expressions: canonical forms, what players type, and errors that point."""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest

from mathhammer import dice

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
    "D66", "D666", "2D66", "reroll(D66, <21)", "highest(1 of 2D66)", "round(D6÷4)", "distinct(5D6)", "matching(5D6)",
    "sets(2 of 5D6)", "straight(4(reroll(D6, 1)))",
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


def test_every_public_name_loads():
    loaded = import_module("mathhammer.expressions")
    assert set(dir(loaded)) == set(loaded.__all__)
    for name in loaded.__all__:
        assert getattr(loaded, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = loaded.nothing
