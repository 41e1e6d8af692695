"""The text form of dice expressions: a tokenizer and a recursive-descent parser."""

from __future__ import annotations

from functools import lru_cache

from mathhammer.expressions.expression import Constant, Die, Difference, Expression, Product, Repeated, Sum
from mathhammer.errors import ParseError

__all__ = ["dice"]

#: A text longer than this, or nested deeper, is refused before it is read.
MAXIMUM_LENGTH = 1000
MAXIMUM_DEPTH = 40
#: The largest number that may stand in a text.
MAXIMUM_NUMBER = 999_999_999

#: What players type for the same sign.
_SIGNS = str.maketrans({"−": "-", "–": "-", "*": "×", "x": "×", "X": "×", "\xa0": " "})


@lru_cache(maxsize=1024)
def dice(text: str, /) -> Expression:
    """Read a dice expression.

    Parameters
    ----------
    text
        ``"2D6+3"``, ``"D3"``, ``"D6×2"``, ``"2(D6+1)"``; upper or lower case, spaces allowed.

    Raises
    ------
    ParseError
        If the text is not a dice expression; the message shows where.

    Examples
    --------
    >>> dice("2d6 + 3")
    dice('2D6+3')
    >>> str(dice("D6*2"))
    'D6×2'
    """
    if len(text) > MAXIMUM_LENGTH:
        raise ParseError(f"expected a dice expression of at most {MAXIMUM_LENGTH} characters", text, MAXIMUM_LENGTH)
    parser = _Parser(text)
    expression = parser.sum(depth=0)
    parser.skip()
    if parser.position < len(text):
        raise parser.error("expected '+', '-', '×' or the end of the dice expression")
    return expression


class _Parser:
    """One pass over the text; each method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.signs = text.translate(_SIGNS)
        self.position = 0

    def error(self, expected: str) -> ParseError:
        return ParseError(expected, self.text, self.position)

    def skip(self) -> None:
        while self.signs[self.position : self.position + 1].isspace():
            self.position += 1

    def take(self, characters: str) -> str:
        """Take the next character if it is one of the given ones, else nothing."""
        self.skip()
        found = self.signs[self.position : self.position + 1]
        if found and found in characters:
            self.position += 1
            return found
        return ""

    def number(self) -> int | None:
        """number := digit+."""
        self.skip()
        start = self.position
        while "0" <= self.signs[self.position : self.position + 1] <= "9":
            self.position += 1
        digits = self.signs[start : self.position]
        if digits and (len(digits) > 12 or int(digits) > MAXIMUM_NUMBER):
            self.position = start
            raise self.error(f"expected a number of at most {MAXIMUM_NUMBER:,}")
        return int(digits) if digits else None

    def sum(self, depth: int) -> Expression:
        """sum := product (("+" | "-") product)*."""
        expression = self.product(depth)
        while sign := self.take("+-"):
            right = self.product(depth)
            expression = Sum(expression, right) if sign == "+" else Difference(expression, right)
        return expression

    def product(self, depth: int) -> Expression:
        """product := atom ("×" number)*."""
        expression = self.atom(depth)
        while self.take("×"):
            factor = self.number()
            if factor is None:
                raise self.error("expected a whole number after '×'")
            expression = Product(expression, factor)
        return expression

    def atom(self, depth: int) -> Expression:
        """atom := "-" number | number? ("D" number | "(" sum ")") | number."""
        if self.take("-"):
            value = self.number()
            if value is None:
                raise self.error("expected a number after '-'")
            return Constant(-value)
        count = self.number()
        if self.take("dD"):
            sides = self.number()
            if not sides:
                raise self.error("expected a number of sides after 'D'")
            return Die(sides) if count is None else Repeated(count, Die(sides))
        if self.take("("):
            if depth >= MAXIMUM_DEPTH:
                raise self.error(f"expected parentheses nested at most {MAXIMUM_DEPTH} deep")
            inner = self.sum(depth + 1)
            if not self.take(")"):
                raise self.error("expected ')'")
            return inner if count is None else Repeated(count, inner)
        if count is None:
            raise self.error("expected a number, 'D' or '('")
        return Constant(count)
