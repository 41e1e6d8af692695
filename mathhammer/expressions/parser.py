"""The text form of dice expressions: a recursive-descent parser, one method for each rule of the grammar."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

from mathhammer import expressions as nodes
from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.expressions import base
from mathhammer.expressions.base import Constant, Expression
from mathhammer.expressions.check import FaceCondition, related
from mathhammer.expressions.die import DIGIT_DICE, Compound, Die, Faces, Repeated, faces
from mathhammer.validation import pattern, shown

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    from mathhammer.distributions import Distribution
    from mathhammer.expressions.operations import Relation

T = TypeVar("T")

#: A text longer than this is refused before it is read.
MAXIMUM_LENGTH = 1000
#: The largest number that may stand in a text.
MAXIMUM_NUMBER = 999_999_999
#: Most faces that two dots may stand for.
MAXIMUM_FACES = 1000
#: Parentheses, calls and bindings nested deeper than this are refused.
MAXIMUM_DEPTH = 30

#: What players type for the same sign; each is one character, so that positions stay.
_SIGNS = str.maketrans({"−": "-", "–": "-", "*": "×", "/": "÷", "\xa0": " "})
_ALSO = {"==": "=", "≥": ">=", "≤": "<=", "≠": "!="}
#: From the loosest to the tightest; relations bind looser still.
_OPERATORS = ("", "+-", "×xX÷")
#: A D that begins no longer word, but for the dF of Fate.
_DIE = "d(?:(?![a-z])|(?=f(?![a-z0-9])))"
_CHANGE = r"([+-])\s*([0-9]{1,9})\s*(?:dice|die)\b|(maximised|minimised|literal)\b\s*([0-9]{0,9})"
#: Words that name no roll: those that stand between others, and the D.
_RESERVED = "and at best d depth dice for in let literal maximised minimised most natural not of"
#: What is said of a sign that other programs read otherwise.
READINGS = {
    "comment": "{0} is read as a comment",
    "total": "{0}{1}{2} compares the total, 1 if it holds; {0}cs{1}{2} counts the dice that show it, as in Roll20",
    "/": "what / leaves is rounded up at the end; floor(...) rounds down, as AnyDice does",
    "x": "x multiplies; {0}!{1} explodes on {1}, as x does in Foundry",
    "@": "{0}@{1} is one die, number {0} from the highest, as in AnyDice; {0}({1}) is {0} rolls",
    "r": "r re-rolls once, as in Foundry; rr re-rolls for as long as it holds, as r does in Roll20",
    "cs": "cs counts dice, as in Foundry; Roll20 only marks them",
    "explode": "[explode ...] rolls again at most twice, as in AnyDice; D6! goes on",
    "!": "cut after {1} rolls, where fewer than 1 in 1,000,000,000 go on; explode({0}, {2}, at most 2) ends earlier",
    "in": "{0}{1}{2} counts the {2} in, as in Roll20",
    "out": "{0}{1}{2} leaves the {2} out, as in Foundry and Avrae; Roll20 counts it in: {0}{1}={2}",
}


def dice(text: str, /) -> Expression:
    """Read a dice expression.

    Parameters
    ----------
    text
        ``"2D6+3"``, ``"D3"``, ``"D6×2"``, ``"highest(3 of 4D6)"``; upper or lower case, spaces allowed.
        ``"D66"`` is that of the games, two D6 read as tens and units (11 to 66), and ``"D666"`` three.
        What Foundry, Roll20, Avrae and AnyDice write is read too: ``"4d6kh3"``, ``"[highest 3 of 4d6]"``.

    Notes
    -----
    A division leaves a fraction, which ``+``, ``-``, ``×``, ``÷`` and comparisons carry on. It is rounded up at the end
    of the text and of what is part of something else: of a roll that `let` binds and what it is used in, a part of a
    mixture, a number of rolls, what ``max``, ``highest`` and their like are given; ``floor`` rounds at once.

    Examples
    --------
    >>> [dice(text).distribution(exact=True).mean() for text in ("(D6÷2)×3", "(let x = D6 in x÷2)×3")]
    [11/2, 6]
    """
    if not isinstance(text, str):
        raise MathhammerError(f"expected a dice expression as text, such as '2D6+3', got {shown(text)}")
    return _read(text)


@lru_cache(maxsize=1024)
def _read(text: str) -> Expression:
    parser = Parser(text)
    if begin := pattern(r"\s*(?:[/!]r(?:oll)?|output)\s").match(text):  # of other programs
        parser.position = begin.end()
    expression = parser.built(0, parser.expression)
    end = pattern(r"(?s)\s*(#.*|named\s+\".*\")?\s*").fullmatch(text, parser.position)
    if end is None:
        raise parser.error("expected '+', '-', '×', '÷', a comparison or the end of the dice expression")
    if end[1]:
        parser.say("comment", end[1].strip())
    if expression._depth > base.MAXIMUM_DEPTH:
        raise parser.error(f"expected at most {base.MAXIMUM_DEPTH} terms or levels of a dice expression")
    object.__setattr__(expression, "_readings", tuple(dict.fromkeys(parser.readings.values())))
    return expression


#: For those who measure a first reading.
dice.cache_clear = _read.cache_clear  # type: ignore[attr-defined]


def as_condition(value: FaceCondition | str | int | Iterable[int], /) -> FaceCondition:
    """Return a condition on a value from its text, ``"1, 2"``, ``"not 6"``, ``"<4"``, ``"4+"``, or from numbers."""
    if isinstance(value, FaceCondition):
        return value
    if isinstance(value, str):
        parser = Parser(value)
        found = parser.built(0, parser.condition)
        if parser.peek():
            raise parser.error("expected the end of the condition")
        return found
    number = validation.as_whole(value)
    what = "a condition such as '4+', '<3', a number or several"
    values = validation.wholes(value, what) if number is None else (number,)
    if not values:
        raise MathhammerError("expected one number or more in a condition, got none")
    return FaceCondition("=", tuple(sorted(set(values))))


class Parser:
    """One pass over the text: a position in it, and the steps that move it."""

    def __init__(self, text: str) -> None:
        if len(text) > MAXIMUM_LENGTH:
            raise ParseError(
                f"expected a dice expression of at most {MAXIMUM_LENGTH:,} characters", text, MAXIMUM_LENGTH
            )
        self.text = text
        self.signs = text.translate(_SIGNS)
        self.position = self.depth = 0
        self.bound: list[str] = []
        #: What is said of signs that other programs read otherwise, once for each of them.
        self.readings: dict[str, str] = {}

    def error(self, expected: str, position: int | None = None) -> ParseError:
        """Return an error that points at the position."""
        return ParseError(expected, self.text, self.position if position is None else position)

    def say(self, reading: str, *of: object) -> None:
        """Keep one of the `READINGS`, a comment by its text."""
        self.readings[str(of) if reading == "comment" else reading] = READINGS[reading].format(*of)

    def several(self, read: Callable[[], T]) -> list[T]:
        """Read ``thing, {",", thing}``; AnyDice writes ``and`` for the comma."""
        found = [read()]
        while self.take(",") or self.take_word("and"):
            found.append(read())
        return found

    def peek(self) -> str:
        """Return the next character after blanks, or nothing at the end."""
        while self.signs[self.position : self.position + 1].isspace():
            self.position += 1
        return self.signs[self.position : self.position + 1]

    def match(self, wanted: str) -> re.Match[str] | None:
        """Take what a pattern matches after blanks, if it does."""
        self.peek()
        if found := pattern(wanted).match(self.signs, self.position):
            self.position = found.end()
        return found

    def take(self, characters: str) -> str:
        """Take the next character if it is one of the given ones, else nothing."""
        found = self.peek()
        if found and found in characters:
            self.position += 1
            return found
        return ""

    def require(self, character: str) -> None:
        """Take a character that must be there."""
        if not self.take(character):
            raise self.error(f"expected '{character}'")

    def relation(self) -> str:
        """Take ``>= > <= < = !=`` or nothing."""
        found = self.match("[<>]=?|==?|!=|[≥≤≠]")
        return _ALSO.get(found[0], found[0]) if found else ""

    def peek_word(self) -> str:
        """Return the letters ahead, in lower case."""
        self.peek()
        return pattern("(?-i:[A-Za-z]*)").match(self.signs, self.position)[0].lower()  # type: ignore[index] # it may be empty

    def take_word(self, *words: str) -> str:
        """Take the word ahead if it is one of the given ones, else nothing."""
        found = self.peek_word()
        if found and found in words:
            self.position += len(found)
            return found
        return ""

    def number(self) -> int | None:
        """Read ``number = digit, {digit}`` if one is there."""
        found = self.match("[0-9]+")
        if found and int(found[0]) > MAXIMUM_NUMBER:
            raise self.error(f"expected a number of at most {MAXIMUM_NUMBER:,}", found.start())
        return int(found[0]) if found else None

    def required_number(self, what: str) -> int:
        """Read a number that must be there."""
        value = self.number()
        if value is None:
            raise self.error(f"expected {what}")
        return value

    def signed(self, what: str) -> int:
        """Read ``signed = ["-"], number``."""
        return -self.required_number(what) if self.take("-") else self.required_number(what)

    def built(self, position: int, make: Callable[..., T], *of: object) -> T:
        """Return what is made; what a node refuses is an error at the position of its text."""
        try:
            return make(*of)
        except ParseError:
            raise
        except MathhammerError as error:
            raise self.error(str(error), position) from error

    def expression(self) -> Expression:
        """Read ``expression = "let", name, "=", expression, "in", expression | comparison``."""
        if self.depth > MAXIMUM_DEPTH:
            raise self.error(f"expected parentheses and calls nested at most {MAXIMUM_DEPTH} deep")
        self.depth += 1
        found = self.let() if self.take_word("let") else self.operation()
        self.depth -= 1
        return found

    def let(self) -> Expression:
        """Read ``name, "=", expression, "in", expression``."""
        from mathhammer.expressions.operations import Let
        from mathhammer.expressions.words import CALLS

        name = self.match("(?-i:[a-z]+(?![A-Za-z]))")
        if name is None or name[0] in {*_RESERVED.split(), *CALLS}:
            other = f"; '{name[0]}' has another meaning" if name else ""
            raise self.error(f"expected a name such as x after 'let'{other}", name and name.start())
        self.require("=")
        value = self.expression()
        if not self.take_word("in"):
            raise self.error("expected 'in' and what the roll is used for")
        self.bound.append(name[0])
        body = self.expression()
        return Let(self.bound.pop(), value, body)

    def operation(self, level: int = 0) -> Expression:
        """Read ``sum, [relation, sum]``, ``product, {("+" | "-"), product}``, ``unary, {"×", unary | "÷", number}``."""
        if level == len(_OPERATORS):
            return self.unary()
        left = self.operation(level + 1)
        while sign := self.take(_OPERATORS[level]) if level else self.relation():
            start = self.position
            if sign == "÷":
                floors = self.text[start : start + 1] == "/" and self.take("÷")  # Avrae's and icepool's //
                by = self.required_number("a whole number after '÷'")
                left = self.built(start, operator.truediv, left, by)
                if floors:
                    left = nodes.operations.floor(left)
                elif self.text[start - 1] == "/":
                    self.say("/")
                continue
            right = self.operation(level + 1)
            plain = isinstance(left, Repeated) and isinstance(left.each, Die | Faces)
            if not level:
                if plain and isinstance(right, Constant):
                    self.say("total", left, sign, right)
                return left.compare(cast("Relation", sign), right)
            if sign in "xX" and (plain or isinstance(left, Die)) and isinstance(right, Constant):
                self.say("x", left, right)
            left = left + right if sign == "+" else left - right if sign == "-" else left * right
        return left

    def unary(self) -> Expression:
        """Read ``unary = ["-"], postfix``; a negative number is a constant, ``-D6`` is ``0-D6``."""
        if not self.take("-"):
            return self.postfix()
        value = self.postfix()
        return Constant(-value.value) if isinstance(value, Constant) else -value

    def postfix(self) -> Expression:
        """Read ``postfix = atom, ["[", change, {",", change}, "]"]``, or a comment in brackets."""
        roll = self.atom()
        while comment := self.match(r"\[(?!\s*(?:[+-]|maxi|mini|lit))[^\[\]]*\]"):
            self.say("comment", comment[0])
        start = self.position
        if not self.take("["):
            return roll
        counts: dict[str, int] = {}
        for found in self.several(lambda: self.match(_CHANGE)):
            name = (found[1] or found[3]).lower() if found else ""
            if not found or name in counts or (counts and (name in "+-") != bool({"+", "-"} & counts.keys())):
                raise self.error(
                    "expected '+1 DICE', '-1 DICE', or 'maximised', 'minimised' and 'literal', each once",
                    found and found.start(),
                )
            counts[name] = int(found[2] or found[4] or 1)
        self.require("]")
        if name in "+-":
            return self.built(start, nodes.pool.ExtraDice, roll, counts.get("+", 0), counts.get("-", 0))
        more, fewer = counts.get("maximised", 0), counts.get("minimised", 0)
        return self.built(start, nodes.pool.Maximised, roll, more, fewer, "literal" in counts)

    def atom(self) -> Expression:
        """Read one ``atom``."""
        count, start = self.number(), self.position
        if die := self.die():
            roll: Expression = die if count is None else Repeated(count, die)
            if pattern("[a-z!<>≥≤]").match(self.peek()):  # words of `words` may stand behind dice
                from mathhammer.expressions.words import modified

                roll = modified(self, ((1 if count is None else count, die),), roll)
            return roll
        if count is not None and self.take("@"):
            from mathhammer.expressions.words import at

            return at(self, count, start)
        if self.take("("):
            inner = self.expression()
            self.require(")")
            if count is not None:
                return Repeated(count, inner)
            # A random number of dice may follow: (2D6)D6, (D3)(D6+1).
            each: Expression | None = self.die()
            if each is None and self.take("("):
                each = self.expression()
                self.require(")")
            return inner if each is None else Compound(inner, each)
        if count is None:
            return self.name()
        tenths = self.match(r"(?<=[0-9])\.([0-9]{1,6})(?![0-9])")
        return Constant(int(f"{count}{tenths[1]}")) / 10 ** len(tenths[1]) if tenths else Constant(count)

    def name(self) -> Expression:
        """Read what begins with a word, or with a bracket or a brace of other programs."""
        from mathhammer.expressions.operations import Variable
        from mathhammer.expressions.words import CALLS, call, group

        if self.take("{"):
            return group(self)
        bracket, word = self.take("["), self.peek_word()
        if word in CALLS:
            return call(self, bracket)
        if bracket:  # Roll20 writes [[2d6]] for a roll within a text
            inner = self.expression()
            self.require("]")
            return inner
        if self.take_word(*self.bound):
            return Variable(word)
        if not word:
            raise self.error("expected a number, dice such as 2D6, or '('")
        from difflib import get_close_matches

        near = get_close_matches(word, [*CALLS, *self.bound, "let"], n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise self.error(f"expected a number, dice, '(' or a known word, not '{word[:40]}'{hint}")

    def die(self) -> Die | Faces | None:
        """Read ``die = "D", (number | "%" | "F") | "D", "{", face, {",", face}, "}"`` if one is there."""
        if not self.match(_DIE):
            return None
        start = self.position
        if self.take("{"):
            return self.built(start + 1, faces, self.weights())
        if kind := self.take("%fF"):
            return Die(100) if kind == "%" else faces((-1, 0, 1))
        if self.take("("):
            low, sides = self.expression().bounds()
            self.require(")")
            if low != sides:
                raise self.error("expected one number of sides in 'D(...)', not a random one", start)
        else:
            sides = self.number() or 0
        if sides < 1:
            raise self.error("expected a number of sides after 'D'", start)
        return DIGIT_DICE.get(sides) or Die(sides)

    def weights(self) -> dict[int, int]:
        """Read ``face, {",", face}, "}"``, where ``face = signed, ["..", signed], [":", number]``."""
        weights: dict[int, int] = {}

        def weigh() -> None:
            face = self.signed("a face")
            last = self.signed("a face") if self.match(r"\.\.") else face
            weight = self.required_number("a weight after ':'") if self.take(":") else 1
            if last - face > MAXIMUM_FACES:
                raise self.error(f"expected at most {MAXIMUM_FACES:,} faces between two dots")
            for each in range(face, last + 1):
                weights[each] = weights.get(each, 0) + weight

        self.several(weigh)
        self.require("}")
        return weights

    def condition(self) -> FaceCondition:
        """Read one ``condition``."""
        if relation := self.relation():
            return related(relation, self.signed("a number"))
        excluded = bool(self.take_word("not"))
        values = [self.signed("'<4', '4+', a face or a list of faces")]
        if not excluded and self.take("+"):
            return related(">=", values[0])
        # A comma before a word belongs to what stands around the condition.
        while pattern(r"\s*,\s*[-0-9]").match(self.signs, self.position):
            self.require(",")
            values.append(self.signed("a face"))
        return FaceCondition("!=" if excluded else "=", tuple(sorted(set(values))))


def distribution(expression: Expression | str | int, /, *, exact: bool = False) -> Distribution:
    """Distribution of a dice expression.

    Parameters
    ----------
    expression
        An expression, or its text.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> distribution("2D6+3").pmf(10)
    0.16666666666666666
    """
    if isinstance(expression, str):
        expression = dice(expression)
    return base.as_expression(expression).distribution(exact=exact)
