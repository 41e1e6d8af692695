"""Texts with an error: one message each, with the line and the place."""

from __future__ import annotations

import pytest

import mathhammer as mh
from mathhammer.errors import MathhammerError, ParseError

GOOD = """\
mathhammer 1: Warhammer 40,000, 10e, attack, exact
weapon: 9x Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]
target: MEQ: 10x T4 Sv3+ W2 [Infantry]
with: cover, reroll_hits="ones"
rulings: save_cap=gross
end
"""

#: What is put in the place of what, and the message: what was expected, and the text from the caret on.
WRONG = {
    "no text": (GOOD, "", "expected 'mathhammer 1: ...' at the beginning of the text", ""),
    "another text": ("mathhammer 1", "once upon", "expected 'mathhammer 1: ...' at the beginning of the text", "once"),
    "format": ("hammer 1", "hammer 2", "expected a text of format 1, got 2; read it with the", "2:"),
    "game": ("Warhammer", "Warhamer", "line 1: expected the name of a game, one of", "Warhamer"),
    "edition": ("10e", "12e", "line 1: expected an edition of", "12e"),
    "no edition": ("10e, ", "", "line 1: expected an edition before 'attack'", "attack"),
    "function": ("attack,", "atack,", "line 1: expected what is computed, one of attack,", "atack"),
    "arithmetic": ("exact", "exakt", "line 1: expected 'exact' or nothing at the end of the line", "exakt"),
    "label": ("target:", "targt:", "line 3: expected a line that begins with one of weapon, also, target,", "targt"),
    "no label": ("target: MEQ", "MEQ", "line 3: expected a word and ':' at the beginning", "MEQ"),
    "no word": ("target: MEQ", "10x", "line 3: expected a word and ':' at the beginning", "10x"),
    "weapon": ("BS3+", "BS9z", "line 2: expected one of A2, BS3+", "BS9z"),
    "ability": ("HEAVY", "HEVY", "line 2: expected a weapon ability, got 'HEVY'; did you mean 'Heavy'?", "9x"),
    "no weapons": ("9x", "0x", "line 2: expected a number of weapons of 1 or more, got 0", "0x"),
    "keyword of a volley": ("HEAVY]", "HEAVY] | covr", "line 2: expected a keyword of the situation, got 'covr'", "9x"),
    "target": ("T4", "Tx", "line 3: expected one of T4, Sv3+", "Tx"),
    "target twice": ("with:", "target: T4 Sv3+ W2\nwith:", "line 4: expected target once", "target"),
    "model": ("target: MEQ", "unit: Led\nmodel: MEQ: 10x T4\nmodel", "line 4: expected also Sv, W", ""),
    "model of nothing": ("target: MEQ", "model: MEQ", "line 3: expected a line that begins with one of", "model"),
    "unit of nothing": ("target: MEQ: 10x T4 Sv3+ W2 [Infantry]", "unit: Led", "line 3: expected at least one", "Led"),
    "unit of equals": (
        "target: MEQ", "unit: Led\nmodel: A: T4 Sv3+ W2\nmodel: A", "line 3: expected kinds of models with", "Led"
    ),
    "keyword": ("cover", "covr", "line 4: expected an argument of attack, got 'covr'; did you mean 'cover'?", "covr"),
    "keyword twice": ("cover", "cover, cover", "line 4: expected cover once", "cover, reroll"),
    "value": ('"ones"', '"onse"', "line 4: expected one or ones", "reroll_hits"),
    "type": ('"ones"', "7", "line 4: expected one or ones", "reroll_hits"),
    "place": ("cover", "7", "line 4: expected 'name=value'", "7"),
    "broken quotation": ('"ones"', '"ones', "line 4: expected a value such as 2,", '"ones'),
    "broken escape": ('"ones"', r'"on\x"', "line 4: expected text as in", '"on'),
    "broken bracket": ('"ones"', "{1, 2", "line 4: expected ',' or '}'", ""),
    "a number that is none": ('"ones"', "{1.2.3}", "line 4: expected a value such as 2,", "1.2.3"),
    "a set of sets": ('"ones"', "{keywords(a)}", "line 4: expected numbers or texts in a set", "{"),
    "deep": ('"ones"', "(" * 30, "line 4: expected at most 20 values within each other", ""),
    "unknown maker": ('"ones"', "Foo(1)", "line 4: expected one of Weapon, Volley,", "Foo"),
    "code": ('"ones"', '__import__("os")', "line 4: expected one of Weapon, Volley,", "__import__"),
    "attribute": ('"ones"', 'Weapon.mro("x")', "line 4: expected one of Weapon, Volley,", "Weapon.mro"),
    "wrong arguments": ('"ones"', "Modifier(1)", "line 4: expected ", "Modifier"),
    "wrong dice": ('"ones"', 'dice("2D")', "line 4: expected a number of sides after 'D'", '")'),
    "wrong stat line": ('"ones"', 'Target.parse("T4 Sv3+")', "line 4: expected also W", '")'),
    "ruling": ("save_cap", "sav_cap", "line 5: expected the name of a ruling, got 'sav_cap'; did you mean", "sav_cap"),
    "option": ("gross", "big", "line 5: expected 'net' or 'gross' for the ruling 'save_cap', got 'big'", "save_cap"),
    "ruling twice": ("gross", "gross, save_cap=net", "line 5: expected save_cap once", "save_cap=net"),
    "no rulings": ("save_cap=gross", "save_cap", "line 5: expected rulings as in 'name=option", "save_cap"),
    "more": ("end", "end\nof it", "line 7: expected nothing after 'end'", "of it"),
    "no end": ("end", "", "line 5: expected 'end' as the last line; the text is not whole, copy all of it", ""),
    "half a line": ("oss\nend", "", "line 5: expected 'end' as the last line", ""),
    "states": ("end", "given: 3\nend", "line 6: expected states as in '(2, 0), (2, 1)'", "3"),
    "phase": ("end", "phase: old\nend", "line 6: expected 'new' after 'phase:'", "old"),
    "states by name": ("end", "given: f(3)\nend", "line 6: expected states as in '(2, 0), (2, 1)', got 'f'", "f(3)"),
    "another game then": ("end", "then: chess, attack\nend", "line 6: expected the name of a game", "chess"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_an_error_shows_its_place(case):
    old, new, message, rest = WRONG[case]
    assert GOOD.count(old) >= 1
    with pytest.raises(ParseError) as error:
        mh.from_text(GOOD.replace(old, new, 1))
    assert str(error.value).startswith(message)
    assert error.value.text[error.value.position :].startswith(rest)
    _, shown, caret = str(error.value).rsplit("\n", 2)
    assert shown[caret.index("^") :].startswith(rest[:10])


def test_the_text_that_is_changed_here_is_good():
    assert mh.from_text(GOOD).exact


@pytest.mark.parametrize("value", [None, 3, b"mathhammer 1: dice"])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(MathhammerError, match="expected a text such as to_text\\(\\) writes"):
        mh.from_text(value)
