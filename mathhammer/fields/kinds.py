"""Kinds of field: each reads what it is given or refuses it, and knows its words on a stat line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression, require_size
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a record has, and what its constructor takes.
HeldT_co = TypeVar("HeldT_co", covariant=True)
GivenT_contra = TypeVar("GivenT_contra", contravariant=True)
WordT = TypeVar("WordT", bound="str | None")
#: What says that there is no such roll.
NULLS = {"", "-", "–", "n/a", "none"}
_ROLL = re.compile(r"([1-9])\+?")
#: The default of a field without which there is no record.
NEEDED: Any = object()


class Field(Generic[HeldT_co, GivenT_contra]):
    """One thing that can be said of a record; on its class it stands for the type of the value."""

    #: What its constructor takes, in words of Python.
    accepts = "Any"
    #: What its value looks like on a stat line, and what stands for it beside its option.
    pattern = r".+"
    metavar = "TEXT"
    #: The default of all of its kind.
    usual: Any = NEEDED

    def __init__(
        self,
        help: str,  # noqa: A002 - as click calls it
        *,
        default: Any = NEEDED,
        kw_only: bool = True,
        line: str = "",
        label: str = "",
        rare: bool = False,
        many: bool = False,
        regex: str = "",
        least: Any = 0,
        most: Any = 100,
    ) -> None:
        #: What it means, in a sentence or several; its words on a form.
        self.help, self.label = help, label or line.partition("{")[0].strip() or help
        self.default, self.kw_only = self.usual if default is NEEDED else default, kw_only
        #: Its words on a stat line, ``"HP {}"``; its name may stand in the place of those before the value.
        self.line, self._regex = line, regex
        #: Of what has bounds.
        self.least, self.most = least, most
        #: Whether a stat line says it only where it is not the default, and whether it may say it more than once.
        self.rare, self.many = rare, many
        self.name = ""
        #: Reads numbers and None, and remembers what became of them.
        self.read_number: Callable[[int | None], Any] = self.read

    @property
    def short(self) -> str:
        """What it means, for a line of help."""
        return re.sub(r":\w+:(?=`)|`", "", self.help).partition(". ")[0].removesuffix(".")

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: Any = None) -> HeldT_co: ...

        def __set__(self, record: object, value: GivenT_contra) -> None: ...

    def read(self, value: Any) -> Any:
        """Return a value in its normal form, or refuse it."""
        raise NotImplementedError

    def typed(self, text: str) -> Any:
        """Return what a stat line says."""
        return text

    def argument(self, value: Any) -> Any:
        """Return what `read` makes the value of."""
        return value

    def documented(self) -> list[str]:
        """Return its lines in the documentation of its record."""
        text = f"{self.help.removesuffix('.')}."
        return [self.name, *wrap(text, 116, initial_indent=" " * 4, subsequent_indent=" " * 4)]

    def said(self, value: Any) -> list[str]:
        """Return what a stat line says of a value."""
        if not self.line or value is None or (self.rare and value == self.default):
            return []
        return [self.line.replace("(s)", "s" * (value != 1)).format(value)]

    def match(self, item: str) -> re.Match[str] | None:
        """Return what an item of a stat line says, each group with the name of a field."""
        if not self._regex and "{" not in self.line:  # its words stand there or not
            self._regex = rf"(?P<{self.name}>{self.line})"
        if not self._regex:
            before, _, after = self.line.partition("{}")
            words = f"{before.strip()}|{self.name.replace('_', ' ')}" if before else ""
            value = rf"(?P<{self.name}>{self.pattern})"
            after = after.replace("(s)", "s?").replace("+", r"\+?")
            self._regex = (rf"(?:{words})\s*" if words else "") + value + after
        return re.fullmatch(self._regex, item, re.IGNORECASE) if self.line else None


class Checked(Field[HeldT_co, GivenT_contra]):
    """What a function of the game reads."""

    def __init__(self, read: Callable[[Any], Any], help: str, **more: Any) -> None:  # noqa: A002
        super().__init__(help, **more)
        self.read = read  # type: ignore[assignment, method-assign]


class Text(Field[str, str]):
    """A text of printable characters."""

    accepts = "str"

    def read(self, value: Any) -> str:
        return validation.text(value, self.label)


class Boolean(Field[bool, bool]):
    """True or not."""

    accepts = "bool"
    usual = False

    def read(self, value: Any) -> bool:
        return validation.flag(value, self.name)

    def typed(self, text: str) -> bool:
        return bool(text)


class MaybeBoolean(Field["bool | None", "bool | None"]):
    """True, or not, or unknown."""

    accepts = "bool | None"
    usual = None

    def read(self, value: Any) -> bool | None:
        return None if value is None else validation.flag(value, self.name)


class Number(Field[HeldT_co, GivenT_contra]):
    """A whole number within bounds."""

    pattern = r"\d{1,9}"
    metavar = "N"
    none = False

    def read(self, value: Any) -> Any:
        return (
            None if value is None and self.none else validation.whole(value, self.name, self.least, self.most)
        )

    def typed(self, text: str) -> int:
        return int(text)


class Integer(Number[int, int]):
    """A whole number."""

    accepts = "int"


class MaybeInteger(Number["int | None", "int | None"]):
    """A whole number, or none."""

    accepts = "int | None"
    usual = None
    none = True


class IntegerOrElse(Number[int, "int | None"]):
    """A whole number, which follows from other fields unless it is said."""

    accepts = "int | None"
    usual = None
    none = True

    def said(self, value: Any) -> list[str]:
        """Return it where there is any."""
        return super().said(value or None)


class Enough(Field["int | None", "int | str | None"]):
    """A roll that is enough: ``"4+"`` or ``4``, or none."""

    accepts = "int | str | None"
    pattern = r"\d"

    def read(self, value: Any) -> int | None:
        return enough(value, self.name, self.least, self.most)


def enough(value: object, name: str, least: int, most: int) -> int | None:
    """Return the face of a roll that is enough, or none where there is no such roll."""
    text = value.strip() if isinstance(value, str) else value
    if text is None or (isinstance(text, str) and text.lower() in NULLS):
        return None
    match = _ROLL.fullmatch(text) if isinstance(text, str) else None
    number = int(match[1]) if match else text if type(text) is int else validation.as_whole(text)
    if number is None or not least <= number <= most:
        raise MathhammerError(f"expected a roll from '{least}+' to '{most}+' as {name}, got {shown(value)}")
    return number


class Amount(Field[Expression, "int | str | Expression"]):
    """A number, or dice as text or expression."""

    accepts = "int | str | Expression"

    def read(self, value: Any) -> Expression:
        if not isinstance(value, str | Expression):
            value = validation.whole(value, self.name, self.least, self.most)
        expression = dice(value) if isinstance(value, str) else as_expression(value)
        require_size(expression)
        low, high = expression.bounds()
        if low < self.least or high > self.most:
            raise MathhammerError(
                f"expected {self.name} from {self.least} to {self.most:,}, got {shown(str(expression))}"
            )
        return expression


class OneOf(Field[WordT, WordT]):
    """One of several words, or nothing where that is the default."""

    accepts = "str | None"

    def __init__(self, help: str, *options: str, **more: Any) -> None:  # noqa: A002
        super().__init__(help, **more)
        self.options = options
        self.pattern = "|".join(map(re.escape, options))

    def typed(self, text: str) -> str:
        return next((each for each in self.options if each.lower() == text.lower()), text)

    def read(self, value: Any) -> Any:
        none = value is None and self.default is None
        return value if none else validation.one_of(value, self.options, self.name)


class Additions(Field[tuple[Modifier, ...], int | Modifier | Iterable[Modifier]]):
    """A number to add to a roll, or modifiers that add or subtract."""

    accepts = "int | Modifier | Iterable[Modifier]"
    metavar = "N"
    usual = ()

    def __init__(self, help: str, source: str, **more: Any) -> None:  # noqa: A002
        super().__init__(help, **more)
        self.source = source

    def read(self, value: Any) -> tuple[Modifier, ...]:
        modifiers = as_modifiers(value, self.source)
        for modifier in modifiers:
            if modifier.operation not in {"add", "subtract"}:
                raise MathhammerError(f"expected a {self.source} to add or subtract, got {modifier}")
        return modifiers
