"""Controls of a form as data, made of fields, and what they hold as numbers and texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import NEEDED, Additions, Boolean, Number, OneOf
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.fields.kinds import Field
    from mathhammer.fields.profile import Record
    from mathhammer.sequence.rulings import Ruling

    #: JSON of the page, each part of which is read by what looks at it.
    Request = Mapping[str, Any]

_WHOLE = re.compile(r"[-+]?[0-9]{1,9}")


class Control(NamedTuple):
    """A control of a form: a text, a box to tick or a choice, each empty where nothing is said."""

    name: str
    label: str
    help: str = ""
    value: object = ""
    kind: str = "text"
    options: Sequence[tuple[str, object]] = ()
    #: What a choice calls that nothing is said.
    usual: str = "-"
    #: Of a text that is a whole number: what it is where nothing is written, ``"none"`` or a number.
    number: int | str | None = None
    #: Whether it stands apart, with what is rarer; whether something has to be written.
    more: bool = False
    needed: bool = False

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
        if self.needed and not text:
            raise MathhammerError(f"expected a number or dice such as D6+1 as {self.name}, got nothing")
        if self.number is None or (self.number == "none" and not text):
            return text or None
        return whole(text or str(self.number), self.name)


class Fieldset(NamedTuple):
    """Controls under a title; profiles that fill some of them are chosen by name."""

    title: str
    fields: Sequence[Control]
    #: What is made of what they say and of more that they need not say, and what their names begin with: the name is
    #: this alone. Without it they are arguments of the question.
    make: Callable[..., Any] | None = None
    prefix: str = ""
    more: Mapping[str, object] = {}
    presets: Mapping[str, Mapping[str, object]] = {}

    def called(self, name: str) -> str:
        """Return the field of a control: the name is the prefix alone."""
        return "name" if name == self.prefix else name.removeprefix(f"{self.prefix}_")

    def filled(self, record: Record) -> dict[str, object]:
        """Return what its controls hold where they say a record."""
        said = {each.name: getattr(record, self.called(each.name)) for each in self.fields}
        texts = {name: ", ".join(each) if isinstance(each, tuple) else each for name, each in said.items()}
        return {name: "" if each is None else str(each) for name, each in texts.items()}

    def read(self, given: Request) -> dict[str, Any]:
        """Return what its controls say as arguments."""
        found = {field.name: field.read(given) for field in self.fields}
        return dict(self.more) | {
            self.called(name): value
            for name, value in found.items()
            if value is not None and value is not False
        }


class Form(NamedTuple):
    """A question of a game: its controls, and the function that answers it."""

    title: str
    groups: Sequence[Fieldset]
    function: Callable[..., Any]

    def compute(self, given: Request, **options: Any) -> Any:
        """Return the answer to what the controls hold."""
        read = [(group.make, group.read(given)) for group in self.groups]
        for make, said in read:
            options |= {} if make else said
        return self.function(*(make(**said) for make, said in read if make), **options)

    def as_json(self) -> dict[str, object]:
        """Return the form as the page draws it."""
        groups = [
            {
                "title": group.title,
                "fields": [field._asdict() for field in group.fields],
                "presets": group.presets,
                "profile": bool(group.prefix),
            }
            for group in self.groups
        ]
        return {"title": self.title, "groups": groups}


def chosen(name: str, label: str, options: Mapping[str, object], value: object = "") -> Control:
    """Return a choice among options by what they are called; nothing is one of them."""
    return Control(name, label, "", value, "choice", tuple(options.items()))


def control(name: str, field: Field[Any, Any], value: object = "") -> Control:
    """Return the control of a field, with what it holds at first."""
    if isinstance(field, Boolean):
        return Control(name, field.label, field.short, kind="flag")
    if isinstance(field, OneOf):
        return chosen(name, field.label, {each: each for each in field.options if each != "none"}, value)
    if isinstance(field, Additions):
        return chosen(name, field.label, {f"{step:+d}": step for step in (2, 1, -1, -2)})
    number = None
    if isinstance(field, Number):
        number = field.default if isinstance(field.default, int) else 0 if field.default is NEEDED else "none"
    return Control(name, field.label, field.short, value, number=number)


def controls(title: str, fields: Mapping[str, Field[Any, Any]], first: str, prefix: str = "") -> Fieldset:
    """Return controls of fields: ``"models=20, aegis, -lost"`` come first or, with a sign before them, not at all."""
    said = {name: value for name, _, value in (each.partition("=") for each in first.split(", "))}
    left_out = {name[1:] for name in said if name.startswith("-")}
    called = {
        name: "name" if name == prefix else name.removeprefix(f"{prefix}_") for name in said if name[0] != "-"
    }
    rest = {name: name for name in fields if name not in {*called.values(), *left_out}}
    made = [control(name, fields[each], said.get(name, "")) for name, each in (called | rest).items()]
    return Fieldset(title, made)


def profile(title: str, kind: type[Record], prefix: str, first: str, /, **more: object) -> Fieldset:
    """Return controls of a profile, whose names begin with a prefix where a line says so."""
    return controls(title, kind.fields, first, prefix)._replace(make=kind, prefix=prefix, more=more)


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


def whole(text: str, name: str) -> int:
    """Return the whole number of a field."""
    if not _WHOLE.fullmatch(text):
        raise MathhammerError(f"expected a whole number as {name}, got {shown(text)}")
    return int(text)
