"""What a system says as text: its functions, the values they are given, their stat lines, its disputed points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.sequence.rulings import Ruling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.fields.kinds import Field


@dataclass(frozen=True)
class Line:
    """An argument on a line of its own, such as ``target: Tank: 1x T10 Sv3+ W12``."""

    #: The word before the line.
    label: str
    #: The class of the values that have such a line; others, and those that do not read back equal from it, are written
    #: otherwise.
    kind: type
    #: Whether the argument is a tuple of such values, each on a line of its own.
    many: bool = False
    #: Makes of a value its line, and the arguments that the line does not say; without it they follow from ``str`` and
    #: ``parse`` of the class.
    write: Callable[[Any], tuple[str, Mapping[str, Any]]] | None = None
    #: Makes of both the value again.
    read: Callable[[str, Mapping[str, Any]], Any] | None = None
    #: Arguments of the value that are tuples and follow on lines of their own; `write` and `read` are needed then.
    parts: Mapping[str, Line] = field(default_factory=dict)


@dataclass(frozen=True)
class TextFormat:
    """Serialisation of a system's calls."""

    #: The public functions whose results can be written, by name.
    functions: Mapping[str, Callable[..., Any]]
    #: The classes of what they are given. A value is written as a call of its class with the attributes that its
    #: parameters name, or as its stat line if the class has ``parse``.
    kinds: tuple[type, ...]
    #: The disputed points of an edition.
    rulings: Callable[[str], Sequence[Ruling]]
    #: The arguments that stand on lines of their own, by name: one line for each class that their values may have.
    lines: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    #: For a function: makes of its arguments, by name, the same in one fixed form.
    normalise: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    #: For a function that takes any keyword: what gives their fields, and what refuses a value that does not fit.
    keywords: Mapping[
        str, tuple[Callable[[], Mapping[str, Field[Any, Any]]], Callable[[Mapping[str, Any]], object]]
    ] = field(default_factory=dict)


class TextGame(NamedTuple):
    """A system whose results can be written as text."""

    name: str
    title: str
    editions: Sequence[str]
    #: Serialisation of calls of its functions.
    text_format: TextFormat
    #: What reads what is attacked, where tables of its attacks are made: a target, its text or a unit.
    target: Callable[[Any], Any] | None = None


def read_rulings(text: str) -> tuple[Ruling, ...]:
    """Return disputed points of three lines each: number, name and options, the default first; question; source."""
    lines = iter([" ".join(line.split()) for line in text.strip().splitlines()])
    found = []
    for head, question, source in zip(lines, lines, lines, strict=True):
        name, _, options = head.partition(" ")[2].partition(": ")
        given = tuple(options.split(", "))
        found.append(Ruling(name, question, given, given[0], source))
    return tuple(found)
