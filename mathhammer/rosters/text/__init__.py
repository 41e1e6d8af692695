"""Army lists as text: what the GW app and New Recruit export to be pasted, read into names and counts."""

from __future__ import annotations

from mathhammer.rosters.text.lines import TextItem, TextList, TextUnit, is_text_list
from mathhammer.rosters.text.reader import parse_text_list

__all__ = ["TextItem", "TextList", "TextUnit", "is_text_list", "parse_text_list"]
