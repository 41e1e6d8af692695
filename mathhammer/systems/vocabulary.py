"""What a system's questions are written with: its functions, the things they are given, and their stat lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mathhammer.sequence import Ruling

__all__ = ["Line", "Vocabulary", "Writable"]


@dataclass(frozen=True)
class Line:
    """How an argument stands on a line of its own, such as ``target: Tank: 1x T10 Sv3+ W12``.

    Parameters
    ----------
    label
        The word before the line.
    kind
        The class of the values that have such a line; others, and those that do not read back equal from it, are
        written otherwise.
    many
        Whether the argument is a tuple of such values, each on a line of its own.
    write
        Makes of a value its line, and the arguments that the line does not say; without it they follow from
        ``str`` and ``parse`` of the class.
    read
        Makes of both the value again.
    parts
        Arguments of the value that are tuples and follow on lines of their own; `write` and `read` are needed then.
    """

    label: str
    kind: type
    many: bool = False
    write: Callable[[Any], tuple[str, Mapping[str, Any]]] | None = None
    read: Callable[[str, Mapping[str, Any]], Any] | None = None
    parts: Mapping[str, Line] = field(default_factory=dict)


@dataclass(frozen=True)
class Vocabulary:
    """What a system's questions are written with.

    Parameters
    ----------
    functions
        The public functions whose results can be written, by name.
    kinds
        The classes of what they are given. A value is written as a call of its class with the attributes that its
        parameters name, or as its stat line if the class has ``parse``.
    rulings
        The disputed points of an edition.
    lines
        The arguments that stand on lines of their own, by name: one line for each class that their values may have.
    constructors
        The arguments of the constructor where they are not the attributes of the same names.
    settled
        For a function: makes of its arguments, by name, the same in one fixed form.
    keywords
        For a function that takes any keyword: those that it knows, and what refuses a value that does not fit.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> "attack" in find_system("tc").vocabulary.functions
    True
    """

    functions: Mapping[str, Callable[..., Any]]
    kinds: tuple[type, ...]
    rulings: Callable[[str], Sequence[Ruling]]
    lines: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    constructors: Mapping[type, Callable[[Any], Mapping[str, Any]]] = field(default_factory=dict)
    settled: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    keywords: Mapping[str, tuple[Collection[str], Callable[[Mapping[str, Any]], object]]] = field(
        default_factory=dict
    )


@runtime_checkable
class Writable(Protocol):
    """A system whose results can be written as text."""

    @property
    def vocabulary(self) -> Vocabulary:
        """What its questions are written with."""
        ...
