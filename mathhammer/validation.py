"""Checks of what a user gives: each helper returns the value, or says what was expected and what came."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache, partial, wraps
from itertools import islice
from operator import index
from reprlib import Repr
from typing import Any, TypeGuard, TypeVar

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError, WrongTypeError, escaped

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_LONGEST = 120
_DEEPEST = 20
#: Characters of the longest line that is read: the patterns of stat lines try each blank of it.
MAXIMUM_TYPED = 2_000
#: The pattern of a text in upper or lower case, compiled when it is first needed.
pattern = cache(partial(re.compile, flags=re.IGNORECASE))
#: `inspect.CO_VARARGS`: what takes whatever comes checks it itself.
_TAKES_ANY = 0x04
_PLAIN = frozenset((int, str, bool, float, type(None)))


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
    """Return a value as a message shows it: a long one by its kind and its name or size."""
    if isinstance(value, str):
        cut = f"{value[: _LONGEST // 2]!r}... ({len(value):,} characters)"
        return repr(value) if len(value) <= _LONGEST else cut
    # An array of no dimension has a length by its type and none in fact.
    sized = isinstance(value, Sized) and getattr(value, "shape", None) != ()
    size = len(value) if sized else 0  # type: ignore[arg-type]
    text = escaped(" ".join(_short(value).split())) if size <= _LONGEST else ""
    if text and len(text) <= _LONGEST:
        return text
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return f"the {type(value).__name__} {shown(name)}"
    return f"a {type(value).__name__}{f' of {size}' if sized else ''}"


def _error(expected: str, value: object, remedy: str) -> WrongTypeError:
    return WrongTypeError(f"expected {expected}, got {shown(value)}{f'; {remedy}' if remedy else ''}")


def instance(value: _T, kinds: type | tuple[type, ...], expected: str, remedy: str = "") -> _T:
    """Return a value of one of the kinds."""
    if not isinstance(value, kinds):
        raise _error(expected, value, remedy)
    return value


def as_whole(value: object) -> int | None:
    """Return a whole number of Python, NumPy or SymPy as Python's, or None if it is none; True is none."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type] # what is none is refused
    except TypeError:
        return None  # an array and a flag of NumPy say so only when they are asked


def as_flag(value: object) -> bool | None:
    """Return True or False of Python or NumPy as Python's, or None if it is neither."""
    if isinstance(value, bool):
        return value
    of_numpy = type(value).__module__ == "numpy" and getattr(value, "dtype", None) == "bool"
    return bool(value) if of_numpy and getattr(value, "ndim", 1) == 0 else None


def plain(value: Any, level: int = 0) -> Any:
    """Return a value with the whole numbers and flags of NumPy in it as Python's, and lists as tuples."""
    kind = type(value)
    if kind in _PLAIN or level > _DEEPEST:
        return value
    if kind is tuple or kind is list:
        return tuple([plain(each, level + 1) for each in value])
    if kind is set or kind is frozenset:
        return kind([plain(each, level + 1) for each in value])
    if kind is dict:
        return {plain(key, level + 1): plain(each, level + 1) for key, each in value.items()}
    if kind.__module__ != "numpy":
        return value
    number = as_whole(value) if (holds := as_flag(value)) is None else holds
    return value if number is None else number


def whole(value: object, name: str, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number within its bounds; those of NumPy and SymPy are whole numbers too."""
    number = value if type(value) is int else as_whole(value)
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        above = f" of {least} or more" if most is None else f" from {least} to {most}"
        raise _error(f"a whole number{above if least is not None else ''} as {name}", value, "")
    return number


def flag(value: object, name: str) -> bool:
    """Return ``True`` or ``False``."""
    read = value if value is True or value is False else as_flag(value)
    if read is None:
        raise _error(f"True or False as {name}", value, "")
    return read


def text(value: object, name: str, remedy: str = "") -> str:
    r"""Return a text of printable characters, such as a name: it will be shown in a line of a terminal."""
    if not isinstance(value, str):
        raise _error(f"a text as {name}", value, remedy)
    if not value.isprintable():
        raise MathhammerError(f"expected a text of printable characters as {name}, got {shown(value)}")
    return value


def counted(name: str) -> str:
    """Return the number before or after a name, or an empty text."""
    match = pattern(r"(\d+)\s*[x×]\s.*|.*\s\(?[x×]\s?(\d+)\)?").fullmatch(name.strip())
    return (match[1] or match[2]) if match else ""


def limited(value: str, name: str, most: int) -> str:
    """Return a text of no more characters than so many."""
    if len(value) > most:
        raise TooLargeError(f"expected a text of at most {most:,} characters as {name}, got {len(value):,}")
    return value


def typed(value: object, name: str, remedy: str = "") -> str:
    """Return a text that will be read: blanks of any kind may be in it, other control characters not."""
    if isinstance(value, str):
        limited(value, name, MAXIMUM_TYPED)
    text(" ".join(value.split()) if isinstance(value, str) else value, name, remedy)
    return str(value)


def function(value: _F, name: str, remedy: str = "", takes: int | None = None) -> _F:
    """Return what can be called, with so many values where that can be told."""
    if not callable(value):
        raise _error(f"a function as {name}", value, remedy)
    if takes is not None:
        from inspect import signature

        try:
            signature(value).bind(*range(takes))
        except TypeError:
            raise _error(f"a function of {takes} values as {name}", value, remedy) from None
        except ValueError:  # of some of Python's own nothing is known
            pass
    return value


def called(function: _F) -> _F:
    """Let a wrong call of a function or of a class get an error of the package, which names the parameters."""
    if isinstance(function, type):
        code = getattr(function.__init__, "__code__", None)  # type: ignore[misc]
        if code is not None and not code.co_flags & _TAKES_ANY:
            function.__init__ = called(function.__init__)  # type: ignore[misc]
        return function
    if getattr(function, "answers", False) or not hasattr(function, "__get__"):
        return function

    @wraps(function)
    def answering(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except MathhammerError:
            raise
        except TypeError:
            if error := wrong_call(function, args, keywords):
                raise error from None
            raise

    answering.answers = True  # type: ignore[attr-defined]
    return answering  # type: ignore[return-value]


def wrong_call(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> WrongTypeError | None:
    """Return what is wrong with a call of a function or class that has no such parameters; nothing if it has."""
    from inspect import signature

    expected = signature(function)
    try:
        expected.bind(*args, **keywords)
    except TypeError as error:
        bare = [
            each.replace(annotation=each.empty, default=each.empty)
            for each in expected.parameters.values()
            if each.name != "self"
        ]
        words = expected.replace(parameters=bare, return_annotation=expected.empty)
        name = function.__qualname__.removesuffix(".__init__")
        wrong = f"a call with {str(error).removeprefix('got ')}"
        many = any(each.kind is each.VAR_KEYWORD for each in expected.parameters.values())
        for each in keywords:
            if each not in expected.parameters and not many:
                wrong = f"{each!r}; {nearest(each, expected.parameters)}"
        return WrongTypeError(f"expected {name}{words}, got {wrong}")
    return None


def is_several(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether it is any iterable but a text."""
    return (
        isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0
    )


#: Most values that are looked at one by one: a range may have a billion; and most that are drawn or asked for at once.
_MANY, MOST_AT_ONCE = 100_000, 10_000_000


def few(values: Any) -> Any:
    """Return values, or one of them, that are not too many to be looked at together."""
    if getattr(values, "ndim", 1) and hasattr(values, "__len__") and len(values) > MOST_AT_ONCE:
        raise TooLargeError(f"expected at most {MOST_AT_ONCE:,} values at once, got {len(values):,}")
    return values


def items(value: object, kinds: type | tuple[type, ...], expected: str, remedy: str = "") -> tuple[Any, ...]:
    """Return several values of one of the kinds, in any iterable but a text."""
    if not is_several(value):
        raise _error(expected, value, remedy)
    found = tuple(instance(item, kinds, expected, remedy) for item in islice(value, _MANY + 1))
    if len(found) > _MANY:
        raise TooLargeError(f"expected {expected}, at most {_MANY:,} of them, got more")
    return found


def wholes(value: object, expected: str, remedy: str = "", most: int = 1_000_000) -> tuple[int, ...]:
    """Return several whole numbers, in any iterable but a text."""
    if not is_several(value):
        raise _error(expected, value, remedy)
    found: list[int] = []
    for item in value:
        number = item if type(item) is int else as_whole(item)
        if number is None:
            raise _error(expected, item, remedy)
        if len(found) == most:
            raise TooLargeError(f"expected at most {most:,} {expected}, got more")
        found.append(number)
    return tuple(found)


def set_whole(
    record: object, field: str, name: str, least: int | None = None, most: int | None = None
) -> None:
    """Check a whole number that a frozen dataclass holds, and keep it as Python's."""
    object.__setattr__(record, field, whole(getattr(record, field), name, least, most))


def mapping(value: Any, expected: str, remedy: str = "") -> Mapping[Any, Any]:
    """Return a mapping."""
    found: Mapping[Any, Any] = instance(value, Mapping, expected, remedy)
    return found


def nearest(name: object, known: Iterable[str]) -> str:
    """Return what a message about an unknown name ends with: the nearest known one, or all of them."""
    from difflib import get_close_matches

    by_key = {each.casefold(): each for each in known}
    near = get_close_matches(str(name).casefold(), by_key, n=1)
    return f"did you mean {by_key[near[0]]!r}?" if near else f"known: {', '.join(by_key.values())}"


def one_of(value: object, options: Iterable[str], name: str) -> str:
    """Return one of the options."""
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise UnknownNameError(f"expected {' or '.join(map(repr, known))} as {name}, got {shown(value)}")
    return value


def unknown_edition(value: object, known: Iterable[str]) -> UnknownNameError:
    """Return the refusal of what is no edition; a number in another form has the name that was meant."""
    names = tuple(known)
    hint = f"; did you mean {meant!r}?" if (meant := meant_edition(value, names)) else ""
    if isinstance(value, str) and " " in value.strip():
        # A worker and the reader of a text have none of another's.
        hint += " One with rules of your own is known only in the process that made it."
    return UnknownNameError(f"expected an edition of {', '.join(map(repr, names))}; got {shown(value)}{hint}")


def meant_edition(value: object, known: Iterable[str]) -> str | None:
    """Return the edition of a number that is written in another way: ``10``, ``"10"``, ``"10E"``, ``"10th"``."""
    number = re.match(r"\s*(\d{1,3})(?!\d)", str(value))
    return next((name for name in known if number and name == f"{number[1]}e"), None)
