"""An army list of names and counts, as text exports hold it."""

from __future__ import annotations

from dataclasses import dataclass

from mathhammer.display import Named

__all__ = ["TextItem", "TextList", "TextUnit"]


@dataclass(frozen=True, slots=True)
class TextItem:
    """Models, wargear or an option of a unit; the text alone does not say which.

    Parameters
    ----------
    name
        As written.
    count
        How many in the whole unit.
    items
        What stands below it.
    """

    name: str
    count: int
    items: tuple[TextItem, ...] = ()


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A unit by name.

    Parameters
    ----------
    name
        As written.
    points
        Of the whole unit, enhancements included.
    count
        Number of its models where it stands before the name; else 1.
    items
        Models and wargear.
    enhancements
        What is marked as one.
    marks
        Further entries without a count, such as ``Warlord``.
    """

    name: str
    points: int
    count: int = 1
    items: tuple[TextItem, ...] = ()
    enhancements: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class TextList(Named):
    """An army list by name.

    Parameters
    ----------
    title
        Its first line, or the name of the file.
    faction
        As written, of Space Marines with the chapter; empty if the text has none.
    detachments
        Names of the detachments; the 11th edition allows several.
    points
        The total in the header; ``None`` if it has none.
    units
        In order.
    attachments
        Pairs of places in ``units``: a leader, and the unit it is attached to.
    dispositions
        Its force dispositions, which the 11th edition has.
    edition
        ``"11e"`` if the text has fields that only that edition has; else empty.
    unread
        Lines that were not understood, as written.

    Examples
    --------
    >>> TextList("A", "F", (), 90, (TextUnit("Wardens", 90),)).points
    90
    """

    title: str
    faction: str
    detachments: tuple[str, ...]
    points: int | None
    units: tuple[TextUnit, ...]
    attachments: tuple[tuple[int, int], ...] = ()
    dispositions: tuple[str, ...] = ()
    edition: str = ""
    unread: tuple[str, ...] = ()

    def __str__(self) -> str:
        points = "" if self.points is None else f", {self.points} points"
        lines = [f"{self.title} ({self.faction}{points})"]
        return "\n".join(
            [*lines, *(f"  {unit.count} × {unit.name}, {unit.points} points" for unit in self.units)]
        )
