"""What a user gives, checked at the door: each helper returns the value, or says what was expected and what came.

Only what a user calls uses these. Work that is done many times over trusts what was checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from operator import index
from reprlib import Repr
from typing import Any, TypeVar

from mathhammer.errors import UnknownNameError, WrongTypeError

__all__ = [
    "escaped",
    "flag",
    "function",
    "instance",
    "items",
    "mapping",
    "nearest",
    "one_of",
    "shown",
    "text",
    "whole",
]

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_LONGEST = 120


def escaped(text: str) -> str:
    r"""Return a text in which every character that a terminal would obey, or not show, is written as its number.

    Examples
    --------
    >>> print(escaped("Bolter\x1b]0;title\x07"), escaped("Sâdhu"))
    Bolter\x1b]0;title\x07 Sâdhu
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class _Short(Repr):
    """A ``repr`` that ends whatever it is given: cut where it is long, closed where it is deep."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = _LONGEST
        self.maxstring = self.maxother = 2 * _LONGEST

    def repr_int(self, x: int, level: int) -> str:
        """Return a number that Python would not print as the number of its digits."""
        del level
        digits = x.bit_length() * 30103 // 100000 + 1
        return repr(x) if digits <= _LONGEST else f"a whole number of {digits:,} digits"


_short = _Short().repr


def shown(value: object) -> str:
    """Return a value as a message shows it: a long one by its kind and its name or size.

    Examples
    --------
    >>> shown([3]), shown(list(range(1000))), shown("AB" * 1000)
    ('[3]', 'a list of 1000', "'ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB'... (2,000 characters)")
    """
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[: _LONGEST // 2]!r}... ({len(value):,} characters)"
    size = len(value) if isinstance(value, Sized) else 0
    text = escaped(" ".join(_short(value).split())) if size <= _LONGEST else ""
    if text and len(text) <= _LONGEST:
        return text
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return f"the {type(value).__name__} {shown(name)}"
    return f"a {type(value).__name__}{f' of {size}' if isinstance(value, Sized) else ''}"


def _error(expected: str, value: object, remedy: str) -> WrongTypeError:
    return WrongTypeError(f"expected {expected}, got {shown(value)}{f'; {remedy}' if remedy else ''}")


def instance(value: _T, kinds: type | tuple[type, ...], expected: str, remedy: str = "") -> _T:
    """Return a value of one of the kinds.

    Raises
    ------
    WrongTypeError
        If it is of another.

    Examples
    --------
    >>> instance("3", int, "a number of dice", "write it without quotes")
    Traceback (most recent call last):
        ...
    mathhammer.errors.WrongTypeError: expected a number of dice, got '3'; write it without quotes
    """
    if not isinstance(value, kinds):
        raise _error(expected, value, remedy)
    return value


def whole(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number within its bounds; those of NumPy and SymPy are whole numbers too.

    Raises
    ------
    WrongTypeError
        If it is none, or beyond them.

    Examples
    --------
    >>> whole(3, "copies", 1)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:  # no number, or an array of them
        number = None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        bounds = (
            f" of {least} or more"
            if most is None and least is not None
            else f" from {least} to {most}"
            if least is not None
            else ""
        )
        raise _error(f"a whole number{bounds} as {name}", value, "")
    return number


def flag(value: Any, name: str) -> bool:
    """Return ``True`` or ``False``.

    Raises
    ------
    WrongTypeError
        If it is anything else.
    """
    if value is not True and value is not False:
        raise _error(f"True or False as {name}", value, "")
    return value


def text(value: Any, name: str, remedy: str = "") -> str:
    """Return a text.

    Raises
    ------
    WrongTypeError
        If it is none.
    """
    if not isinstance(value, str):
        raise _error(f"a text as {name}", value, remedy)
    return value


def function(value: _F, name: str, remedy: str = "") -> _F:
    """Return what can be called.

    Raises
    ------
    WrongTypeError
        If it cannot.
    """
    if not callable(value):
        raise _error(f"a function as {name}", value, remedy)
    return value


def items(value: Any, kinds: type | tuple[type, ...], expected: str, remedy: str = "") -> tuple[Any, ...]:
    """Return several values of one of the kinds, in any iterable but a text.

    Raises
    ------
    WrongTypeError
        If it holds anything else, or is no iterable.

    Examples
    --------
    >>> items([1, 2], int, "numbers of dice")
    (1, 2)
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise _error(expected, value, remedy)
    return tuple(instance(item, kinds, expected, remedy) for item in value)


def mapping(value: Any, expected: str, remedy: str = "") -> Mapping[Any, Any]:
    """Return a mapping.

    Raises
    ------
    WrongTypeError
        If it is none.
    """
    if not isinstance(value, Mapping):
        raise _error(expected, value, remedy)
    return value


def nearest(name: object, known: Iterable[str]) -> str:
    """Return what a message about an unknown name ends with: the nearest known one, or all of them.

    Examples
    --------
    >>> nearest("SAVE_CUP", ["save_cap", "timing"]), nearest("x", ["save_cap", "timing"])
    ("did you mean 'save_cap'?", 'known: save_cap, timing')
    """
    from difflib import get_close_matches

    by_key = {each.casefold(): each for each in known}
    near = get_close_matches(str(name).casefold(), by_key, n=1)
    return f"did you mean {by_key[near[0]]!r}?" if near else f"known: {', '.join(by_key.values())}"


def one_of(value: Any, options: Iterable[str], name: str) -> str:
    """Return one of the options.

    Raises
    ------
    UnknownNameError
        If it is none of them.

    Examples
    --------
    >>> one_of("best", ("given", "best"), "order")
    'best'
    """
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise UnknownNameError(f"expected {' or '.join(map(repr, known))} as {name}, got {shown(value)}")
    return value
