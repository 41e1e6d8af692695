"""A record made of its table of fields: signature, documentation, stat line both ways; and the fields of functions."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter, Signature, cleandoc, formatannotation, getdoc, signature
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from mathhammer import validation
from mathhammer.display import Named, format_fields
from mathhammer.errors import ParseError
from mathhammer.fields.kinds import (
    NEEDED,
    Amount,
    Boolean,
    Checked,
    Enough,
    Field,
    Integer,
    MaybeInteger,
    OneOf,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LINE = re.compile(r"(?:(?P<name>[^:\[]*):)?(?P<stats>[^\[]*)(?:\[(?P<rules>.*)\])?\s*")
_SECTION = re.compile(r"\n\n(?:Examples|References)\n")


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    # Other kinds have a default of their own.
    field_specifiers=(OneOf, Amount, Enough, Field, Checked, Text, Integer),
)
class Record(Named):
    """Base of a frozen record: what its fields say is not said again; what concerns several is in `_check`."""

    fields: ClassVar[dict[str, Field[Any, Any]]] = {}
    """The fields of a record by their names."""
    _usual: ClassVar[dict[str, Any]]
    _places: ClassVar[tuple[str, ...]]
    _needed: ClassVar[set[str]]

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        super().__init_subclass__()
        own = {name: each for name, each in vars(cls).items() if isinstance(each, Field)}
        # Places are filled as those of its base are; what it says by name comes before what its base says.
        places = {name: each for name, each in cls.fields.items() if not each.kw_only}
        cls.fields = {**places, **own, **cls.fields, **own}
        for name in own:
            delattr(cls, name)
        parameters, words = [], []
        for name, field in cls.fields.items():
            field.name, field.read_number = name, lru_cache(maxsize=256)(field.read)
            kind = Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            usual = Parameter.empty if field.default is NEEDED else field.default
            if name in own and field.accepts == "Any":
                field.accepts = _accepted(cls.__annotations__[name])
            parameters.append(Parameter(name, kind, default=usual, annotation=field.accepts))
            words += field.documented()
        parameters.sort(key=lambda each: each.kind)
        cls.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        preset = {name: field for name, field in cls.fields.items() if field.default is not NEEDED}
        cls._usual = {name: field.read(field.default) for name, field in preset.items()}
        cls._places = tuple(name for name, field in cls.fields.items() if not field.kw_only)
        cls._needed = cls.fields.keys() - preset.keys()
        if own:
            cls.__doc__ = _documented(cls.__doc__ or "", "Parameters", words)
        dataclass(frozen=True, init=False, repr=False, eq=eq)(cls)

    def __init__(self, *places: Any, **given: Any) -> None:
        said = {**dict(zip(self._places, places, strict=False)), **given} if places else given
        once = not places or len(said) == len(places) + len(given)
        fits = once and self._needed <= said.keys() <= self.fields.keys()
        if not fits and (error := validation.wrong_call(type(self), places, given)):
            raise error
        said = self._prepared(said)
        own = self.__dict__
        for name, field in self.fields.items():
            if name not in said:
                own[name] = self._usual[name]
            elif (value := said[name]) is not None and type(value) is not int:
                own[name] = field.read(value)
            else:  # the same few numbers come again and again
                own[name] = field.read_number(value)
        self._check()

    @classmethod
    def _prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return what is said with each thing in its own field."""
        return given

    def _check(self) -> None:
        """Refuse fields that contradict each other, and set those that follow from others."""

    def _put(self, name: str, value: object) -> None:
        """Set a field that follows from others."""
        self.__dict__[name] = value

    def changed(self, **given: Any) -> Self:
        """Return the record with other values of some fields."""
        other = copy(self)
        for name, value in given.items():
            other._put(name, self.fields[name].read(value))  # noqa: SLF001 - of its own class
        other._check()  # noqa: SLF001
        return other

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal record."""
        return {name: field.argument(getattr(self, name)) for name, field in self.fields.items()}

    def __str__(self) -> str:
        return format_fields(self)

    @classmethod
    def document(cls, keywords: type) -> None:
        """Give the dictionary of its keywords, which is for type checkers, the documentation of its fields."""
        words = [line for name in keywords.__annotations__ for line in cls.fields[name].documented()]
        keywords.__doc__ = _documented(keywords.__doc__ or "", "Attributes", words)


def _accepted(annotation: str) -> str:
    """Return what a constructor takes: the last in the brackets of ``Checked[tuple[int, ...], Sequence[int]]``."""
    inside = annotation.partition("[")[2].removesuffix("]")
    return [text for _, text in split_items(inside)][-1].strip()


def _documented(text: str, title: str, words: list[str]) -> str:
    text = cleandoc(text)
    found = _SECTION.search(text)
    place = found.start() if found else len(text.rstrip())
    table = "\n".join(["", "", title, "-" * len(title), *words])
    return text[:place] + table + text[place:]


class StatLine(Record):
    """A profile with a name, fields on a line, and rules in brackets."""

    #: The field of the rules.
    _rules: ClassVar[str] = "attributes"
    #: A line without a name, and how a number before a name is said instead, with a place for that number.
    _example: ClassVar[str] = ""
    _counted: ClassVar[str] = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line, as ``str`` writes it."""
        example = f"such as {cls._example!r}"
        line = _LINE.fullmatch(validation.typed(text, "stat line", example))
        if line is None or not text.strip(" :"):
            raise ParseError(f"expected a stat line {example}", text, 0)
        said: dict[str, Any] = {
            "name": (line["name"] or "unnamed").strip(),
            cls._rules: line["rules"] or "",
        }
        start = line.start("stats")
        for place, item in _items(line["stats"]):
            if stripped := item.strip():
                cls._put_item(said, stripped, text, start + place + item.index(stripped))
        said = cls._prepared(said)
        for name, field in cls.fields.items():
            if field.default is NEEDED and name not in said:
                raise ParseError(f"expected {name} in a stat line {example}", text, len(text))
        if cls._counted and "models" not in said and (count := validation.counted(said["name"])):
            remedy = f"the number of models behind the name, as in {cls._counted.format(count)}"
            raise ParseError(f"expected {remedy}", text, 0)
        return cls(**said)

    @classmethod
    def given(cls, given: Any, expected: str) -> Self:
        """Return such a record from itself, its line, or its arguments by name, which JSON has (`ask`)."""
        if isinstance(given, dict) and given and all(isinstance(name, str) for name in given):
            return cls(**given)
        read: Self | str = validation.instance(given, (cls, str), expected, f"such as {cls._example!r}")
        return cls.parse(read) if isinstance(read, str) else read

    @classmethod
    def _put_item(cls, said: dict[str, Any], item: str, text: str, place: int) -> None:
        for field in cls.fields.values():
            match = field.match(item)
            for name, each in match.groupdict().items() if match else ():
                known = cls.fields[name]
                if each is None:
                    continue
                if name in said and not known.many:
                    raise ParseError(f"expected {name} once", text, place)
                said[name] = (*said.get(name, ()), each) if known.many else known.typed(each)
            if match:
                return
        name = "" if ":" in text else ", in which ':' ends the name"
        raise ParseError(f"expected a characteristic as in {cls._example!r}{name}", text, place)

    def __str__(self) -> str:
        items = [text for name, field in self.fields.items() for text in field.said(getattr(self, name))]
        rules = ", ".join(map(str, getattr(self, self._rules)))
        return f"{self.name}: {', '.join(items)}{f' [{rules}]' if rules else ''}"  # type: ignore[attr-defined]


def split_items(text: str) -> Iterator[tuple[int, str]]:
    """Yield the items between commas that stand in no brackets, each with its position."""
    depth = start = 0
    for position, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth <= 0:
            yield start, text[start:position]
            start = position + 1
    yield start, text[start:]


def _items(stats: str) -> list[tuple[int, str]]:
    """Return the items of a stat line; "+1 max 4+" and "against Magical Attacks" go on with the one before."""
    found: list[tuple[int, str]] = []
    for start, item in split_items(stats):
        if found and item.strip().lower().startswith(("+", "against ")):
            first, before = found.pop()
            found.append((first, f"{before},{item}"))
        else:
            found.append((start, item))
    return found


_PARAMETERS = re.compile(r"\nParameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^(\S.*)\n((?:(?: .*)?\n?)+)", re.MULTILINE)
_KINDS: dict[str, Callable[..., Field[Any, Any]]] = {
    "bool": Boolean,
    "int": Integer,
    "int | None": MaybeInteger,
}
#: What no question says for itself.
_APART = frozenset(("edition", "rulings", "exact", "start"))


def fields_of(function: Callable[..., Any]) -> dict[str, Field[Any, Any]]:
    """Return the fields of a function by name; without bounds, as it refuses what does not fit."""
    section = _PARAMETERS.search(getdoc(function) or "")
    helps = {
        name: " ".join(words.split())
        for names, words in _ENTRY.findall(section[1] if section else "")
        for name in names.split(", ")
    }
    found: dict[str, Field[Any, Any]] = {}
    for name, each in signature(function).parameters.items():
        if name in _APART or each.kind is Parameter.VAR_KEYWORD:
            continue
        # A text, but where somebody has read the annotations of a signature that stands with its function.
        words = each.annotation if isinstance(each.annotation, str) else formatannotation(each.annotation)
        literal = words.startswith("Literal[")
        kind = OneOf if literal else _KINDS.get(words, Text)
        found[name] = kind(
            helps.get(name, ""),  # without documentation under -OO
            *(re.findall(r"'([^']+)'", words) if literal else ()),
            default=NEEDED if each.default is Parameter.empty else each.default,
            kw_only=each.kind is Parameter.KEYWORD_ONLY,
            label=name.replace("_", " ").capitalize(),
            many="Sequence" in words or "Sourced" in words,
            **({"least": None, "most": None} if kind in {Integer, MaybeInteger} else {}),
        )
        found[name].accepts = words
    return found
