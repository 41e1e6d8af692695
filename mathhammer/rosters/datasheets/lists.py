"""Datasheets out of another army list: it holds the characteristics of all that was chosen in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.collect import collect
from mathhammer.rosters.wh40k.identifiers import file_edition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.datasheets.source import Datasheet
    from mathhammer.rosters.tree import RosterFile, Selection


class RosterSource:
    """The units of one or more army lists as datasheets; only what was chosen there is known.

    Parameters
    ----------
    *rosters
        The lists, as :func:`mathhammer.rosters.read_roster` gives them.
    """

    def __init__(self, *rosters: RosterFile) -> None:
        self._edition = file_edition(rosters[0])
        self._units: dict[str, list[Selection]] = {}
        for roster in rosters:
            for force in roster.all_forces():
                for selection in force.selections:
                    if selection.type in {"unit", "model"}:
                        self._units.setdefault(selection.name, []).append(selection)

    @property
    def edition(self) -> str:
        """The edition the list was written for."""
        return self._edition

    def names(self) -> Iterable[str]:
        """Names of the units."""
        return self._units

    def datasheet(self, name: str) -> Datasheet | None:
        """Return what all units of that name show together."""
        return collect(self._units[name]) if name in self._units else None
