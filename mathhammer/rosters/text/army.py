"""A text list and its datasheets, as an army with the leaders attached that the text attaches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.text.assemble import assemble
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.systems.wh40k.armies.attachment import attach_all

if TYPE_CHECKING:
    from mathhammer.rosters.datasheets import DatasheetSource
    from mathhammer.rosters.text.tree import TextList
    from mathhammer.systems.wh40k.armies.army import Army


def army_from_text(text: TextList, source: DatasheetSource, *, edition: str | None = None) -> Army:
    """Return the army of a text list."""
    assembled = assemble(text, source)
    army = army_from_roster(assembled.roster, edition=edition)
    army = replace(army, warnings=(*army.warnings, *assembled.warnings))
    return attach_all(army, text.attachments)
