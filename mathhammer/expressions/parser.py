"""The text form of dice expressions: a recursive-descent parser, one method for each rule of the grammar."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

from mathhammer.errors import MathhammerError, ParseError
from mathhammer.expressions import base
from mathhammer.expressions.base import Constant, Expression
from mathhammer.expressions.die import Compound, Die, Faces, Repeated, digit_die, faces
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.distributions import Distribution
    from mathhammer.expressions.condition import Condition
    from mathhammer.expressions.operations import Relation

T = TypeVar("T")

#: A text longer than this is refused before it is read.
MAXIMUM_LENGTH = 1000
#: The largest number that may stand in a text.
MAXIMUM_NUMBER = 999_999_999
#: Most operators, dice, numbers and calls that one text may have.
MAXIMUM_PARTS = 600

#: What players type for the same sign; each is one character, so that positions stay.
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "*": "×", "/": "÷", "≥": ">", "≤": "<", "≠": "!", "\xa0": " "},
)
_WORD, _DIGITS, _ANOTHER = re.compile("[A-Za-z]*"), re.compile("[0-9]*"), re.compile(r"\s*,\s*[-0-9]")
#: The signs above that stand for two: their second half is supplied.
_DOUBLE = {"≥", "≤", "≠"}
#: Parentheses, calls and bindings nested deeper than this are refused.
MAXIMUM_DEPTH = 30

#: The words of `calls`; that file is loaded when one of them is read.
CALL_WORDS = frozenset(
    ("ceil", "drop", "explode", "floor", "given", "highest", "lowest", "max", "min", "mixture", "reroll")
)
_RESERVED = CALL_WORDS | {
    *("at", "best", "d", "depth", "dice", "for", "highest", "in", "let", "literal", "lowest", "maximised"),
    *("minimised", "most", "natural", "not", "of"),
}


def dice(text: str, /) -> Expression:
    """Read a dice expression.

    Parameters
    ----------
    text
        ``"2D6+3"``, ``"D3"``, ``"D6×2"``, ``"highest(3 of 4D6)"``; upper or lower case, spaces allowed.
        ``"D66"`` is that of the games, two D6 read as tens and units (11 to 66), and ``"D666"`` three.

    Notes
    -----
    A division leaves a fraction, which ``+``, ``-``, ``×``, ``÷`` and comparisons carry on; it is rounded up where they
    end. That is the end of the text, and of every value that is something else's part: a roll that `let` binds and what
    it is used in, each part of a mixture, a number of rolls and what is rolled, what ``max``, ``min``, ``given``,
    ``highest`` and their like are given. ``floor`` and ``ceil`` round there and then.

    Examples
    --------
    >>> [dice(text).distribution(exact=True).mean() for text in ("(D6÷2)×3", "(let x = D6 in x÷2)×3")]
    [11/2, 6]
    """
    return _read(text) if isinstance(text, str) else Parser(text).expression(0)


@lru_cache(maxsize=1024)
def _read(text: str) -> Expression:
    parser = Parser(text)
    expression = parser.built(lambda: parser.expression(0), 0)
    if parser.peek():
        raise parser.error("expected '+', '-', '×', '÷', a comparison or the end of the dice expression")
    if expression._depth > base.MAXIMUM_DEPTH:
        raise parser.error(f"expected at most {base.MAXIMUM_DEPTH} terms or levels of a dice expression")
    return expression


#: For those who measure a first reading.
dice.cache_clear = _read.cache_clear  # type: ignore[attr-defined]


def condition(text: str, /) -> Condition:
    """Read a condition on a value: ``"1, 2"``, ``"not 6"``, ``"<4"``, ``"4+"``."""
    parser = Parser(text)
    found = parser.built(parser.condition, 0)
    if parser.peek():
        raise parser.error("expected the end of the condition")
    return found


class Parser:
    """One pass over the text: a position in it, and the steps that move it."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise MathhammerError(f"expected a dice expression as text, such as '2D6+3', got {shown(text)}")
        if len(text) > MAXIMUM_LENGTH:
            raise ParseError(
                f"expected a dice expression of at most {MAXIMUM_LENGTH:,} characters", text, MAXIMUM_LENGTH
            )
        self.text = text
        self.signs = text.translate(_SIGNS)
        self.position = 0
        self.parts = 0
        self.bound: list[str] = []

    def error(self, expected: str, position: int | None = None) -> ParseError:
        """Return an error that points at the position."""
        return ParseError(expected, self.text, self.position if position is None else position)

    def several(self, read: Callable[[], T]) -> list[T]:
        """Read ``thing, {",", thing}``."""
        found = [read()]
        while self.take(","):
            found.append(read())
        return found

    def count(self) -> None:
        """Count one more part of the tree, and refuse too many."""
        self.parts += 1
        if self.parts > MAXIMUM_PARTS:
            raise self.error(f"expected a dice expression of at most {MAXIMUM_PARTS} parts")

    def peek(self) -> str:
        """Return the next character after blanks, or nothing at the end."""
        while self.signs[self.position : self.position + 1].isspace():
            self.position += 1
        return self.signs[self.position : self.position + 1]

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

    def take_relation(self) -> str:
        """Take ``>= > <= < = !=`` or nothing."""
        start = self.peek()
        if not start or start not in "<>=!":
            return ""
        doubled = self.text[self.position] in _DOUBLE
        self.position += 1
        if start == "=":
            self.position += self.signs[self.position : self.position + 1] == "="
            return "="
        if doubled or self.signs[self.position : self.position + 1] == "=":
            self.position += not doubled
            return f"{start}="
        if start == "!":
            raise self.error("expected '=' after '!'")
        return start

    def peek_word(self) -> str:
        """Return the letters ahead, in lower case."""
        self.peek()
        return _WORD.match(self.signs, self.position)[0].lower()  # type: ignore[index] # if only the empty word

    def take_word(self, *words: str) -> str:
        """Take the word ahead if it is one of the given ones, else nothing."""
        found = self.peek_word()
        if found and found in words:
            self.position += len(found)
            return found
        return ""

    def unknown_word(self, known: Iterable[str]) -> ParseError:
        """Return an error for a word that means nothing, with the nearest that does."""
        from difflib import get_close_matches

        word = self.peek_word()
        near = get_close_matches(word, list(known), n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return self.error(f"expected a number, dice, '(' or a known word, not '{word[:40]}'{hint}")

    def number(self) -> int | None:
        """Read ``number = digit, {digit}`` if one is there."""
        self.peek()
        start = self.position
        digits = _DIGITS.match(self.signs, start)[0]  # type: ignore[index] # if only none
        self.position += len(digits)
        if len(digits) > 12 or (digits and int(digits) > MAXIMUM_NUMBER):
            raise self.error(f"expected a number of at most {MAXIMUM_NUMBER:,}", start)
        return int(digits) if digits else None

    def required_number(self, what: str) -> int:
        """Read a number that must be there."""
        value = self.number()
        if value is None:
            raise self.error(f"expected {what}")
        return value

    def signed(self, what: str) -> int:
        """Read ``signed = ["-"], number``."""
        return -self.required_number(what) if self.take("-") else self.required_number(what)

    def built(self, make: Callable[[], T], position: int) -> T:
        """Return what is made; what a node refuses is an error at the position of its text."""
        self.count()
        try:
            return make()
        except ParseError:
            raise
        except MathhammerError as error:
            raise self.error(str(error), position) from error

    def expression(self, depth: int) -> Expression:
        """Read ``expression = "let", name, "=", expression, "in", expression | comparison``."""
        if depth > MAXIMUM_DEPTH:
            raise self.error(f"expected parentheses and calls nested at most {MAXIMUM_DEPTH} deep")
        if not self.take_word("let"):
            return self.comparison(depth)
        from mathhammer.expressions.branching import Let

        name = self.new_name()
        self.require("=")
        value = self.expression(depth + 1)
        if not self.take_word("in"):
            raise self.error("expected 'in' and what the roll is used for")
        self.bound.append(name)
        body = self.expression(depth + 1)
        self.bound.pop()
        self.count()
        return Let(name, value, body)

    def new_name(self) -> str:
        """Read ``name = letter, {letter}``, a word without another meaning."""
        word = self.peek_word()
        if not word or word in _RESERVED:
            other = f"; '{word}' has another meaning" if word else ""
            raise self.error(f"expected a name such as x after 'let'{other}")
        if not all(letter.islower() for letter in self.text[self.position : self.position + len(word)]):
            raise self.error("expected a name in lower case after 'let'")
        self.position += len(word)
        return word

    def comparison(self, depth: int) -> Expression:
        """Read ``comparison = sum, [(">=" | ">" | "<=" | "<" | "=" | "!="), sum]``."""
        left = self.sum(depth)
        start = self.position
        relation = self.take_relation()
        if not relation:
            return left
        from mathhammer.expressions.operations import RELATIONS, Comparison

        if relation not in RELATIONS:
            raise self.error(f"expected one of {', '.join(RELATIONS)}", start)
        right = self.sum(depth)
        return self.built(lambda: Comparison(left, cast("Relation", relation), right), start)

    def sum(self, depth: int) -> Expression:
        """Read ``sum = product, {("+" | "-"), product}``."""
        expression = self.product(depth)
        while sign := self.take("+-"):
            self.count()
            right = self.product(depth)
            expression = expression + right if sign == "+" else expression - right
        return expression

    def product(self, depth: int) -> Expression:
        """Read ``product = unary, {"×", unary | "÷", number}``."""
        expression = self.unary(depth)
        while sign := self.take("×xX÷"):
            self.count()
            if sign == "÷":
                start = self.position
                divisor = self.required_number("a whole number after '÷'")
                value = expression
                expression = self.built(lambda value=value, by=divisor: value / by, start)  # type: ignore[misc]
            else:
                expression = expression * self.unary(depth)
        return expression

    def unary(self, depth: int) -> Expression:
        """Read ``unary = ["-"], postfix``; a negative number is a constant, ``-D6`` is ``0-D6``."""
        if not self.take("-"):
            return self.postfix(depth)
        value = self.postfix(depth)
        return Constant(-value.value) if isinstance(value, Constant) else -value

    def postfix(self, depth: int) -> Expression:
        """Read ``postfix = atom, ["[", change, {",", change}, "]"]``."""
        roll = self.atom(depth)
        start = self.position
        if not self.take("["):
            return roll
        from mathhammer.expressions.pool import ExtraDice, Maximised

        counts: dict[str, int] = {}
        self.several(lambda: self.change(counts))
        self.require("]")
        if "+" in counts or "-" in counts:
            return self.built(lambda: ExtraDice(roll, counts.get("+", 0), counts.get("-", 0)), start)
        more, fewer = counts.get("maximised", 0), counts.get("minimised", 0)
        return self.built(lambda: Maximised(roll, more, fewer, "literal" in counts), start)

    def change(self, counts: dict[str, int]) -> None:
        """Read one ``change``."""
        start = self.position
        if name := self.take("+-"):
            number = self.required_number(f"a number of dice after '{name}'")
            if not self.take_word("dice", "die"):
                raise self.error("expected 'DICE'")
        elif name := self.take_word("maximised", "minimised"):
            read = self.number()
            number = 1 if read is None else read
        elif name := self.take_word("literal"):
            number = 1
        else:
            raise self.error("expected '+1 DICE', '-1 DICE', 'maximised', 'minimised' or 'literal'")
        extra = {"+", "-"}
        if counts and (name in counts or bool(extra & {name}) != bool(extra & counts.keys())):
            raise self.error(
                "expected each kind once, and not DICE together with maximised or minimised", start
            )
        counts[name] = number

    def atom(self, depth: int) -> Expression:
        """Read one ``atom``."""
        self.count()
        count = self.number()
        if self.at_die():
            die = self.die()
            return die if count is None else Repeated(count, die)
        start = self.position
        if self.take("("):
            inner = self.expression(depth + 1)
            self.require(")")
            if count is not None:
                return Repeated(count, inner)
            return self.random_number_of(inner, start, depth)
        if count is not None:
            return Constant(count)
        word = self.peek_word()
        if word in self.bound:
            from mathhammer.expressions.branching import Variable

            self.position += len(word)
            return Variable(word)
        if word in CALL_WORDS:
            from mathhammer.expressions.calls import call

            return call(self, depth + 1)
        if word:
            raise self.unknown_word([*sorted(CALL_WORDS), *self.bound, "let"])
        raise self.error("expected a number, dice such as 2D6, or '('")

    def random_number_of(self, count: Expression, start: int, depth: int) -> Expression:
        """Read what may follow a count in parentheses: ``(2D6)D6``, ``(D3)(D6+1)``."""
        if self.at_die():
            each: Expression = self.die()
        elif self.take("("):
            each = self.expression(depth + 1)
            self.require(")")
        else:
            return count
        return self.built(lambda: Compound(count, each), start)

    def at_die(self) -> bool:
        """Return whether a die comes next: a D that begins no longer word."""
        return self.peek() in {"d", "D"} and not self.signs[self.position + 1 : self.position + 2].isalpha()

    def die(self) -> Die | Faces:
        """Read ``die = "D", number | "D", "{", face, {",", face}, "}"``."""
        self.position += 1
        if self.take("{"):
            return self.faces()
        start = self.position
        sides = self.number()
        if not sides:
            raise self.error("expected a number of sides after 'D'", start)
        return digit_die(sides) or Die(sides)

    def faces(self) -> Faces:
        """Read the ``face`` of a die with its weight: ``face = signed, [":", number]``."""
        start = self.position
        weights: dict[int, int] = {}

        def weigh() -> None:
            self.count()
            face = self.signed("a face")
            weight = self.required_number("a weight after ':'") if self.take(":") else 1
            weights[face] = weights.get(face, 0) + weight

        self.several(weigh)
        self.require("}")
        return self.built(lambda: faces(weights), start)

    def condition(self) -> Condition:
        """Read one ``condition``."""
        from mathhammer.expressions.condition import Condition

        start = self.position
        if relation := self.take_relation():
            if relation not in {"<", "<=", ">", ">="}:
                raise self.error("expected '<4', '4+', a face or a list of faces", start)
            value = self.signed("a number") + (relation in {"<=", ">"})
            return Condition("below" if relation[0] == "<" else "at least", (value,))
        excluded = bool(self.take_word("not"))
        values = [self.signed("'<4', '4+', a face or a list of faces")]
        if not excluded and self.take("+"):
            return Condition("at least", (values[0],))
        # A comma before a word belongs to what stands around the condition.
        while _ANOTHER.match(self.signs, self.position):
            self.require(",")
            self.count()
            values.append(self.signed("a face"))
        return Condition("not in" if excluded else "in", tuple(sorted(set(values))))


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
