"""Fields of a form as data, and what they hold as numbers and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import NEEDED, Additions, Boolean, Number, OneOf
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.fields.kinds import Field
    from mathhammer.sequence import Ruling

    #: JSON of the page, each part of which is read by what looks at it.
    Request = Mapping[str, Any]

#: Most digits of a number in a field.
_DIGITS = 9


class Control(NamedTuple):
    """A control of a form: a text, a box to tick or a choice, each empty where nothing is said."""

    name: str
    label: str
    value: object = ""
    kind: str = "text"
    options: Sequence[tuple[str, object]] = ()
    help: str = ""
    #: What a choice calls that nothing is said.
    usual: str = "-"
    #: Of a text that is a whole number: what it is where nothing is written, nothing or a number.
    number: int | Literal["none"] | None = None

    def holds(self, value: object) -> bool:
        """Whether a box or a choice can say a value."""
        return value is True if self.kind == "flag" else value in [each for _, each in self.options]

    def read(self, row: Request) -> Any:
        """Return what a form says of it; nothing where nothing is said."""
        if self.kind == "flag":
            return bool(row.get(self.name))
        if self.kind == "choice":
            return row.get(self.name) or None
        text = written(row, self.name)
        if self.number is None or (self.number == "none" and not text):
            return text or None
        return whole(row, self.name, 0 if self.number == "none" else self.number)


class Group(NamedTuple):
    """Controls under a title; profiles that fill some of them are chosen by name."""

    title: str
    fields: Sequence[Control]
    presets: Mapping[str, Mapping[str, object]] = {}
    #: Whether its controls stand close together, as the numbers of a profile do.
    profile: bool = False

    def read(self, given: Request, what: str = "", **usual: object) -> dict[str, Any]:
        """Return what its controls say as arguments: the field `what` is the name, and others may begin with it."""
        found = {field.name: field.read(given) for field in self.fields}
        return usual | {
            "name" if name == what else name.removeprefix(f"{what}_"): value
            for name, value in found.items()
            if value is not None
        }


class Form(NamedTuple):
    """A call of a game: its controls, and what computes the result from what they hold."""

    title: str
    groups: Sequence[Group]
    compute: Callable[..., Any]

    def as_json(self) -> dict[str, object]:
        """Return the form as the page draws it."""
        groups = [
            {**group._asdict(), "fields": [field._asdict() for field in group.fields]}
            for group in self.groups
        ]
        return {"title": self.title, "groups": groups}


def chosen(name: str, label: str, options: Mapping[str, object], value: object = "") -> Control:
    """Return a choice among options by what they are called; nothing is one of them."""
    return Control(name, label, value, "choice", tuple(options.items()))


def control(name: str, field: Field[Any, Any], value: object = "") -> Control:
    """Return the control of a field, with what it holds at first."""
    if isinstance(field, Boolean):
        return Control(name, field.label, kind="flag", help=field.short)
    if isinstance(field, OneOf):
        return chosen(name, field.label, {each: each for each in field.options if each != "none"}, value)
    if isinstance(field, Additions):
        return chosen(name, field.label, {f"{step:+d}": step for step in (2, 1, -1, -2)})
    number: Any = None
    if isinstance(field, Number):
        number = field.default if isinstance(field.default, int) else 0 if field.default is NEEDED else "none"
    return Control(name, field.label, value, help=field.short, number=number)


def controls_of(fields: Mapping[str, Field[Any, Any]], prefix: str = "", **first: object) -> list[Control]:
    """Return the controls of some fields, with what they hold at first; that of the name has the prefix as its own."""
    names = {name: "name" if name == prefix else name.removeprefix(f"{prefix}_") for name in first}
    return [control(name, fields[names[name]], value) for name, value in first.items()]


def ruling_fields(rulings: Sequence[Ruling]) -> list[dict[str, object]]:
    """Return a choice for each disputed point that leaves one."""
    return [
        {"name": each.name, "question": each.question, "options": list(each.options), "default": each.default}
        for each in rulings
        if len(each.options) > 1
    ]


def written(row: Request, name: str) -> str:
    """Return the text of a field."""
    return validation.text(row.get(name, ""), name).strip()


def needed(row: Request, name: str) -> str:
    """Return the text of a field that may not be empty."""
    if not (text := written(row, name)):
        raise MathhammerError(f"expected a number or dice such as D6+1 as {name}, got nothing")
    return text


def whole(row: Request, name: str, usual: int | None = 1) -> int:
    """Return the whole number of a field; `usual` where it is empty."""
    text = written(row, name) or str(usual)
    digits = text.removeprefix("-").removeprefix("+")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _DIGITS:
        raise MathhammerError(f"expected a whole number as {name}, got {shown(text)}")
    return int(text)
