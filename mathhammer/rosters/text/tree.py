"""An army list of names and counts, as text exports hold it."""

from __future__ import annotations

from dataclasses import dataclass

from mathhammer.display import Named


@dataclass(frozen=True, slots=True)
class TextItem:
    """Models, wargear or an option of a unit; the text alone does not say which."""

    #: As written.
    name: str
    #: How many in the whole unit.
    count: int
    #: What stands below it.
    items: tuple[TextItem, ...] = ()
    #: Whether the count is written; what stands without one may be a rule that the list names.
    counted: bool = True


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A unit by name."""

    #: As written.
    name: str
    #: Of the whole unit, enhancements included.
    points: int
    #: Number of its models where it stands before the name; else 1.
    count: int = 1
    #: Models and wargear.
    items: tuple[TextItem, ...] = ()
    #: What is marked as one.
    enhancements: tuple[str, ...] = ()
    #: What says something of the unit and is no part of it, such as ``Warlord``.
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class TextList(Named):
    """An army list by name."""

    #: Its first line, or the name of the file.
    title: str
    #: As written, of Space Marines with the chapter; empty if the text has none.
    faction: str
    #: Names of the detachments; the 11th edition allows several.
    detachments: tuple[str, ...]
    #: The total in the header; ``None`` if it has none.
    points: int | None
    #: In order.
    units: tuple[TextUnit, ...]
    #: Pairs of places in ``units``: a leader, and the unit it is attached to.
    attachments: tuple[tuple[int, int], ...] = ()
    #: Its force dispositions, which the 11th edition has.
    dispositions: tuple[str, ...] = ()
    #: ``"11e"`` if the text has fields that only that edition has; else empty.
    edition: str = ""
    #: Lines that were not understood, as written.
    unread: tuple[str, ...] = ()
    #: Lines of the message before and after the list.
    around: tuple[str, ...] = ()

    def __str__(self) -> str:
        points = "" if self.points is None else f", {self.points} points"
        lines = [f"{self.title} ({self.faction}{points})"]
        return "\n".join(
            [*lines, *(f"  {unit.count} × {unit.name}, {unit.points} points" for unit in self.units)]
        )
