"""The errors of the package: one root, one class for each cause."""

from __future__ import annotations

from typing import final

__all__ = [
    "MathhammerError",
    "ParseError",
    "RosterError",
    "TooLargeError",
    "UnknownNameError",
    "WrongTypeError",
]

#: A message has at most so many characters.
_LONGEST_MESSAGE = 4_000


def escaped(text: str) -> str:
    """Return a text in which every character that a terminal would obey, or not show, is written as its number."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class MathhammerError(ValueError):
    """Root of all errors raised on purpose: the input was not what was expected.

    Every message says what was expected, what came, and the remedy.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> distribution("3+")
    Traceback (most recent call last):
    mathhammer.errors.ParseError: expected a number, dice such as 2D6, or '('
        3+
          ^
    """

    def __init__(self, message: str = "", *more: object) -> None:
        # What is quoted in a message came from outside: a terminal must show it and not obey it.
        text = message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."
        super().__init__("\n".join(map(escaped, text.split("\n"))), *more)


@final
class ParseError(MathhammerError):
    """A text could not be read.

    Parameters
    ----------
    expected, text, position
        What the grammar allows at a position of the whole text, whose end is ``len(text)``.

    Examples
    --------
    >>> print(ParseError("expected a number of sides after 'D'", "2D+3", 2))
    expected a number of sides after 'D'
        2D+3
          ^
    """

    def __init__(self, expected: str, text: str, position: int) -> None:
        self.expected = expected
        self.text = text
        self.position = position
        # A hostile text may be megabytes long: show the neighbourhood of the caret only.
        start = max(0, position - 60)
        before, after = (
            escaped(part.replace("\n", " ").replace("\t", " "))
            for part in (text[start:position], text[position : position + 40])
        )
        prefix = "..." if start else ""
        suffix = "..." if position + 40 < len(text) else ""
        caret = " " * (len(prefix) + len(before)) + "^"
        super().__init__(f"{expected}\n    {prefix}{before}{after}{suffix}\n    {caret}")

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str, int]]:
        # An exception is unpickled from its message; without this one, a worker process could not send it back.
        return type(self), (self.expected, self.text, self.position)


@final
class TooLargeError(MathhammerError):
    """The computation would be too large; the message says how large, and what to change.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> try:
    ...     distribution("100000D6")
    ... except TooLargeError as error:
    ...     print(str(error).partition(";")[0])  # the remedy is behind it
    expected an expression of at most 400,000 outcomes, but dice('100000D6') has 500,001
    """


@final
class UnknownNameError(MathhammerError, KeyError):
    """An unknown name; the message suggests the nearest ones. Also a ``KeyError``.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> try:
    ...     wh40k.find_target("MEK")
    ... except UnknownNameError as error:
    ...     print(error)
    expected the label of a standard target such as MEQ, got 'MEK'; did you mean MEQ (Intercessors)?
    """

    def __str__(self) -> str:
        # A KeyError shows its message in quotes.
        return str(self.args[0])


@final
class WrongTypeError(MathhammerError, TypeError):
    """A value of the wrong type; also a ``TypeError``.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> distribution("2D6").pmf("seven")
    Traceback (most recent call last):
    mathhammer.errors.WrongTypeError: expected a number as outcome, got 'seven'
    """


@final
class RosterError(MathhammerError):
    """An army list cannot be read.

    Examples
    --------
    >>> from mathhammer import read_army
    >>> read_army("mine.ros")
    Traceback (most recent call last):
    mathhammer.errors.RosterError: 'mine.ros' does not exist; check the path
    """
