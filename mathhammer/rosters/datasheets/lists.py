"""Datasheets out of another army list: it holds the characteristics of all that was chosen in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.rosters.datasheets.collect import collect
from mathhammer.rosters.datasheets.source import KnownUnits
from mathhammer.rosters.wh40k.identifiers import file_edition, is_unit

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets.source import Datasheet
    from mathhammer.rosters.tree import RosterFile, Selection


class RosterSource(KnownUnits["list[Selection]"]):
    """The units of one or more army lists as datasheets; only what was chosen there is known."""

    def __init__(self, *rosters: RosterFile) -> None:
        units: dict[str, list[Selection]] = {}
        for roster in rosters:
            for selection in roster.selections():
                if is_unit(selection):
                    units.setdefault(selection.name, []).append(selection)
        super().__init__(file_edition(rosters[0]), units)

    def _sheet(self, name: str, unit: list[Selection]) -> Datasheet:  # noqa: ARG002 - what all of that name show together
        return collect(unit)
