"""The errors of the package: one root, one class for each cause."""

from __future__ import annotations

from typing import final

__all__ = ["MathhammerError", "ParseError", "RosterError", "TooLargeError", "UnknownNameError"]


class MathhammerError(ValueError):
    """Root of all errors raised on purpose: the input was not what was expected.

    Every message says what was expected, what came, and the remedy.
    """


@final
class ParseError(MathhammerError):
    """A text could not be read.

    Parameters
    ----------
    expected
        What the grammar allows at the position.
    text
        The whole text.
    position
        Index of the first character that does not fit; ``len(text)`` is the end.

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
        shown = text[start : position + 40].replace("\n", " ").replace("\t", " ")
        prefix = "..." if start else ""
        suffix = "..." if position + 40 < len(text) else ""
        caret = " " * (len(prefix) + position - start) + "^"
        super().__init__(f"{expected}\n    {prefix}{shown}{suffix}\n    {caret}")

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str, int]]:
        # An exception is unpickled from its message; without this one, a worker process could not send it back.
        return type(self), (self.expected, self.text, self.position)


@final
class TooLargeError(MathhammerError):
    """The work would not fit: the estimate and the knob to turn are in the message."""


@final
class UnknownNameError(MathhammerError):
    """A name that nothing answers to; the message holds the nearest matches."""


@final
class RosterError(MathhammerError):
    """A file is not an army list that can be read."""
