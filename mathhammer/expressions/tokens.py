"""Reading a text sign by sign, and the errors that point at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, ParseError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

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
#: The signs above that stand for two: their second half is supplied.
_DOUBLE = {"≥", "≤", "≠"}


class Text:
    """A position in a text, and the small steps that move it."""

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

    def error(self, expected: str, position: int | None = None) -> ParseError:
        """Return an error that points at the position."""
        return ParseError(expected, self.text, self.position if position is None else position)

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
        stop = self.position
        while self.signs[stop : stop + 1].isascii() and self.signs[stop : stop + 1].isalpha():
            stop += 1
        return self.signs[self.position : stop].lower()

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
        while "0" <= self.signs[self.position : self.position + 1] <= "9":
            self.position += 1
        digits = self.signs[start : self.position]
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
