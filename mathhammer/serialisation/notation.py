"""A small notation for values: numbers, quoted text, tuples, sets, and calls as in Python."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mathhammer.errors import MathhammerError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NUMBER = re.compile(r"[+-]?\d{1,40}(?P<fraction>(?:\.\d{1,40})?(?:[eE][+-]?\d{1,4})?)(?![\w.])")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
#: Pages and programs for messages turn straight quotation marks into these.
_CURLY = re.compile("[“”„]([^“”„]*)[“”„]")
_SPACE = re.compile(r"\s*")
_CALL = re.compile(r"\s*\(")
_WORDS = {"True": True, "False": False, "None": None}
#: Values within values, beyond which no call goes.
_DEEPEST = 20


class Arguments(NamedTuple):
    """The arguments of a call, and where each keyword stands in the text."""

    positional: tuple[object, ...]
    keywords: dict[str, object]
    places: dict[str, int]


class Reader:
    """Reads values from one line."""

    def __init__(self, text: str, call: Callable[[str, Arguments], object], position: int = 0) -> None:
        self._text, self._call, self._position = text, call, position
        self._depth = 0

    def arguments(self, close: str = "") -> Arguments:
        """Read arguments up to a closing bracket, or to the end of the line."""
        positional: list[object] = []
        keywords: dict[str, object] = {}
        places: dict[str, int] = {}
        for place in self._items(close):
            name = _NAME.match(self._text, place)
            if name is None or name[0] in _WORDS or _CALL.match(self._text, name.end()):
                if keywords:
                    raise self._error("expected 'name=value' after the first of these", place)
                positional.append(self.value())
                continue
            if name[0] in keywords:
                raise self._error(f"expected {name[0]} once", place)
            self._position = name.end()
            # A name alone is a flag that is on.
            keywords[name[0]] = self.value() if self._take("=") else True
            places[name[0]] = place
        return Arguments(tuple(positional), keywords, places)

    def value(self) -> object:
        """Read one value."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"expected at most {_DEEPEST} values within each other")
        value = self._value()
        self._depth -= 1
        return value

    def _value(self) -> object:
        start = self._skip()
        if self._take("("):
            return tuple(self.value() for _ in self._items(")"))
        if self._take("{"):
            values = [self.value() for _ in self._items("}")]
            try:
                return frozenset(values)
            except TypeError:
                raise self._error("expected numbers or texts in a set", start) from None
        if found := self._match(_NUMBER):
            return float(found[0]) if found["fraction"] else int(found[0])
        if found := self._match(_CURLY) or self._match(_TEXT):
            try:
                return found[1] if found.re is _CURLY else json.loads(found[0])
            except ValueError:
                raise self._error('expected text as in "Tank" or "say \\"Tank\\""', start) from None
        name = self._match(_NAME)
        if name is not None and name[0] in _WORDS:
            return _WORDS[name[0]]
        if name is None or not self._take("("):
            raise self._error('expected a value such as 2, "text", True, (1, 2), {1, 2} or Name(...)', start)
        inside = self.arguments(")")
        return located(lambda: self._call(name[0], inside), self._text, start)

    def _items(self, close: str) -> Iterator[int]:
        """Yield where each item begins, up to the closing bracket; the caller reads the item."""
        while not self._ends(close):
            yield self._position
            if self._ends(close):
                return
            if not self._take(","):
                raise self._error(f"expected ',' or {close!r}" if close else "expected ','")

    def _ends(self, close: str) -> bool:
        return self._take(close) if close else self._skip() == len(self._text)

    def _skip(self) -> int:
        """Go on to what is no space, and return where it is."""
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        return self._position

    def _take(self, sign: str) -> bool:
        found = self._text.startswith(sign, self._skip())
        self._position += len(sign) * found
        return found

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._position)
        self._position = match.end() if match else self._position
        return match

    def _error(self, expected: str, position: int | None = None) -> ParseError:
        return ParseError(expected, self._text, self._position if position is None else position)


def located(make: Callable[[], T], text: str, position: int, offset: int = 0) -> T:
    """Make a value; what is wrong with it is shown in the text that it was read from."""
    try:
        return make()
    except ParseError as error:
        inner = text.find(error.text, offset)
        raise ParseError(error.expected, text, position if inner < 0 else inner + error.position) from error
    except MathhammerError as error:
        raise ParseError(str(error), text, position) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Not every constructor judges the type of what it is given, and a text may hold anything.
        raise ParseError(f"expected values that fit here: {error}", text, position) from error


def is_name(text: str) -> bool:
    """Whether a text can be a keyword."""
    return bool(_NAME.fullmatch(text)) and "." not in text and text not in _WORDS
