"""Profiles as one line, both ways: ``"Orcs: 20 models, Res 4, Arm 3 [Parry]"``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Self

from mathhammer import validation
from mathhammer.errors import ParseError
from mathhammer.fields.kinds import NEEDED
from mathhammer.fields.profile import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"(?:(?P<name>[^:\[]*):)?(?P<stats>[^\[]*)(?:\[(?P<rules>.*)\])?\s*")


class StatLine(Record):
    """A profile with a name, fields on a line, and rules in brackets, which are the field `attributes`."""

    #: A line without a name, and how a number before a name is said instead, with a place for that number.
    _example: ClassVar[str] = ""
    _counted: ClassVar[str] = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line, as ``str`` writes it."""
        example = f"a stat line such as {cls._example!r}"
        line = _LINE.fullmatch(validation.typed(text, "stat line", f"such as {cls._example!r}"))
        if line is None:
            raise ParseError(f"expected {example}", text, 0)
        said: dict[str, Any] = {
            "name": (line["name"] or "unnamed").strip(),
            "attributes": line["rules"] or "",
        }
        start = line.start("stats")
        for place, item in _items(line["stats"]):
            if stripped := item.strip():
                cls._put_item(said, stripped, text, start + place + item.index(stripped))
        for name, field in cls.fields.items():
            if field.default is NEEDED and name not in said:
                raise ParseError(f"expected {name} in {example}", text, len(text))
        if "models" not in said and (count := validation.counted(said["name"])):
            as_in = cls._counted.format(count)
            raise ParseError(f"expected the number of models behind the name, as in {as_in}", text, 0)
        return cls(**said)

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
        raise ParseError(f"expected a characteristic as in {cls._example!r}", text, place)

    def __str__(self) -> str:
        items = [text for name, field in self.fields.items() for text in field.said(getattr(self, name))]
        rules = ", ".join(map(str, self.attributes))  # type: ignore[attr-defined]
        return f"{self.name}: {', '.join(items)}{f' [{rules}]' if rules else ''}"  # type: ignore[attr-defined]


def split_items(text: str) -> Iterator[tuple[int, str]]:
    """Yield the items between commas that stand in no parentheses, each with its position."""
    depth = start = 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
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
