"""Values as text and back, by the text format of a system: numbers, texts, tuples, sets, calls as in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import partial
from inspect import Parameter, signature
from numbers import Integral
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mathhammer.errors import MathhammerError, ParseError, WrongTypeError
from mathhammer.expressions import Expression, dice
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.systems.text_format import Line, TextFormat

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


#: What stands between a stat line and what it does not say.
_MORE = " | "


class Values:
    """Writes and reads what the calls of one system are made of."""

    def __init__(self, text_format: TextFormat) -> None:
        self._format = text_format
        self._kinds = {kind.__name__: kind for kind in text_format.kinds}

    def write(self, value: object, *, where: str) -> str:
        """Return a value as text; `where` says in an error what it is."""
        if type(value) in self._format.kinds:
            return self._kind(value, where)
        if isinstance(value, tuple | list):
            inside = [self.write(each, where=where) for each in value]
            return f"({inside[0]},)" if len(inside) == 1 else f"({', '.join(inside)})"
        if isinstance(value, AbstractSet):
            return f"{{{', '.join(sorted(self.write(each, where=where) for each in value))}}}"
        if isinstance(value, Mapping):
            named = all(isinstance(name, str) for name in value)
            pairs = "" if named else f"pairs{self.write(tuple(value.items()), where=where)}"
            return pairs or f"keywords({', '.join(self.keywords(value))})"
        if isinstance(value, str | Expression):
            text = json.dumps(str(value), ensure_ascii=False)
            return text if isinstance(value, str) else f"dice({text})"
        if value is None or isinstance(value, bool | float | Integral):
            plain = isinstance(value, bool) or not isinstance(value, Integral)
            return repr(value) if plain else str(index(value))  # type: ignore[arg-type]  # numpy's whole numbers too
        known = ", ".join(self._kinds)
        raise MathhammerError(
            f"expected values that can be written as {where}: numbers, texts, tuples, lists, sets and {known}; "
            f"got {shown(value)}, which a text cannot hold; give what it comes to, or keep the program that made it"
        )

    def keywords(self, given: Mapping[str, object]) -> list[str]:
        """Return arguments as text; a flag that is on is its name alone."""
        for name in given:
            if not isinstance(name, str) or not _NAME.fullmatch(name) or "." in name or name in _WORDS:
                raise MathhammerError(f"expected names of keywords, got {shown(name)}")
        return [
            name if value is True else f"{name}={self.write(value, where=name)}"
            for name, value in given.items()
        ]

    def lines(self, value: object, line: Line) -> list[str] | None:
        """Return a value as its line and those of its parts, or None if it has none that read back equal."""
        if type(value) is not line.kind:
            return None
        try:
            written: tuple[str, Mapping[str, Any]] = (line.write or self.stat_line)(value)
            text, more = written
            if line.write and line.read:
                more = _shortest(partial(line.read, text), value, dict(more))
            parts = {name: tuple(more[name]) for name in line.parts if name in more}
            below = [self.lines(each, line.parts[name]) for name in parts for each in parts[name]]
            rest = self.keywords({name: each for name, each in more.items() if name not in parts})
            text = f"{text}{_MORE}{', '.join(rest)}" if rest else text
            again = self.read_line(text, line, parts=parts)
        except MathhammerError:
            return None  # its name holds what stat lines use, or a rule that they do not know
        if None in below or text != text.strip() or len(text.splitlines()) != 1 or not same(again, value):
            return None
        return [f"{line.label}: {text}", *(each for some in below for each in some or ())]

    def read_line(
        self, text: str, line: Line, start: int = 0, *, parts: Mapping[str, tuple[object, ...]] | None = None
    ) -> object:
        """Read the value whose line begins at a position of a text, with the parts that follow it."""
        stop = text.find(_MORE, start)
        more: dict[str, object] = {}
        if stop >= 0:
            found = self.reader(text, stop + len(_MORE)).arguments()
            if found.positional:
                raise MathhammerError(
                    f"expected 'name=value' after {_MORE.strip()!r}, got {shown(found.positional[0])}"
                )
            more = found.keywords
        stat_line = text[start : len(text) if stop < 0 else stop]
        read = line.read or partial(self.parsed, line.kind)
        return located(lambda: read(stat_line, {**more, **(parts or {})}), text, start, start)

    def reader(self, text: str, position: int = 0) -> Reader:
        """Return a reader that knows the names of the format."""
        return Reader(text, self._made, position)

    def arguments_of(self, value: object) -> dict[str, object]:
        """Return the arguments that would make the value again."""
        if callable(own := getattr(value, "arguments", None)):
            return dict(own())
        found: dict[str, object] = {}
        for name, parameter in signature(type(value)).parameters.items():
            if parameter.kind is Parameter.VAR_KEYWORD:
                found.update(getattr(value, name))
            else:
                found[name] = getattr(value, name)
        return found

    def parsed(self, kind: type, text: str, more: Mapping[str, object]) -> object:
        """Read a stat line, or what is first of a value without one, with arguments that it does not say."""
        if not hasattr(kind, "parse"):
            return called(kind, {next(iter(signature(kind).parameters)): text, **more})
        value = kind.parse(text)
        return called(kind, {**self.arguments_of(value), **more}) if more else value

    def stat_line(self, value: object) -> tuple[str, dict[str, object]]:
        """Return the stat line of a value, or what is first of it, and the arguments that it does not say."""
        text = str(value)
        if not hasattr(value, "parse"):
            (_, first), *rest = self.arguments_of(value).items()
            text = str(first)
            return text, _shortest(partial(self.parsed, type(value), text), value, dict(rest))
        said = self.arguments_of(self.parsed(type(value), text, {}))
        return text, {
            name: each for name, each in self.arguments_of(value).items() if not same(said.get(name), each)
        }

    def _kind(self, value: object, where: str) -> str:
        """Return a value of one of the format's classes as a call."""
        kind = type(value)
        if hasattr(kind, "parse"):
            try:
                text, more = self.stat_line(value)
                if same(self.parsed(kind, text, more), value):
                    quoted = json.dumps(text, ensure_ascii=False)
                    return f"{kind.__name__}.parse({', '.join([quoted, *self.keywords(more)])})"
            except MathhammerError:
                pass  # its name holds what stat lines use, or a rule that they do not know: written in full
        arguments = _shortest(partial(called, kind), value, self.arguments_of(value))
        return f"{kind.__name__}({', '.join(self._in_order(kind, arguments, where))})"

    def _in_order(self, kind: type, arguments: dict[str, object], where: str) -> list[str]:
        """Return arguments as text: by their places up to the first that is missing or has a name only."""
        found: list[str] = []
        rest = dict(arguments)
        for name, parameter in signature(kind).parameters.items():
            either = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
            if name not in rest or not (either or parameter.kind is Parameter.POSITIONAL_ONLY):
                break
            if either and parameter.default is not Parameter.empty and found:
                break  # after the first, what can be left out is easier to read with its name
            found.append(self.write(rest.pop(name), where=where))
        return found + self.keywords(rest)

    def _made(self, name: str, arguments: Arguments) -> object:
        """Make what a call in a text stands for."""
        positional: tuple[Any, ...] = arguments.positional
        keywords = arguments.keywords
        if name == "keywords" and not positional:
            return keywords
        if name == "pairs" and not keywords:
            return dict(positional)
        if name == "dice" and len(positional) == 1 and isinstance(positional[0], str) and not keywords:
            return dice(positional[0])
        stem, _, parse = name.partition(".")
        kind = self._kinds.get(stem)
        if kind is None or parse not in {"", "parse"} or (parse and not hasattr(kind, "parse")):
            raise MathhammerError(
                f"expected one of {', '.join(self._kinds)}, dice, keywords or pairs; got {shown(name)}"
            )
        if not parse:
            return kind(*positional, **keywords)
        if len(positional) != 1 or not isinstance(positional[0], str):
            raise MathhammerError(f'expected a stat line in {name}("...")')
        return self.parsed(kind, positional[0], keywords)


def _shortest(
    make: Callable[[Mapping[str, object]], object], value: object, arguments: dict[str, object]
) -> dict[str, object]:
    """Leave out the arguments without which the same value is made, and give dice as their text."""

    def makes(given: Mapping[str, object]) -> bool:
        try:
            return same(make(given), value)
        except (MathhammerError, TypeError):
            return False  # an argument is needed, or is needed as it is

    for name, each in list(arguments.items()):
        fewer = {other: given for other, given in arguments.items() if other != name}
        if makes(fewer):
            arguments = fewer
        elif isinstance(each, Expression) and makes({**arguments, name: str(each)}):
            arguments = {**arguments, name: str(each)}
    return arguments


def called(function: Callable[..., object], arguments: Mapping[str, object]) -> object:
    """Call with arguments by name, whatever kind of parameter each is of."""
    positional, rest = by_place(function, arguments)
    return function(*positional, **rest)


def by_place(
    function: Callable[..., object], arguments: Mapping[str, object]
) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return arguments by name as those that a function takes by their places only, and the others."""
    parameters = signature(function).parameters.items()
    only = [(name, each) for name, each in parameters if each.kind is Parameter.POSITIONAL_ONLY]
    if missing := [name for name, each in only if name not in arguments and each.default is each.empty]:
        raise WrongTypeError(
            f"expected {' and '.join(missing)} of {function.__name__}, got {', '.join(arguments) or 'nothing'}"
        )
    places = [name for name, _ in only if name in arguments]
    return tuple(map(arguments.__getitem__, places)), {
        name: value for name, value in arguments.items() if name not in places
    }


def same(one: object, other: object) -> bool:
    """Whether two values are the same: equal, tuples and lists alike, classes without equality by fields."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, AbstractSet) and isinstance(other, AbstractSet):
        return set(one) == set(other)
    if is_dataclass(one) and type(one) is type(other) and not isinstance(one, Expression):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)
