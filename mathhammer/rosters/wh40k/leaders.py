"""Units that a leader can lead: what the abilities of leaders and of bodyguards say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.unit_rules.named import has_no_effect

if TYPE_CHECKING:
    from mathhammer.rosters.wh40k.draft import Draft

_BODYGUARDS = re.compile(r"can (?:be attached to|lead) the following units?:(.*)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[■•▪;,]|\*+|\^\^|(?:^|(?<=\s))[-–](?=\s)")
_NOT_BY_NAME = re.compile(r"\b(?:excluding|including|keywords?)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\s\*?(?:This|You|If|While|When|Each|Note|In)\s")
_BESIDE_ANOTHER = re.compile(r"\beven if\b[^.]{1,160}\balready be", re.IGNORECASE)
_LED_AS = re.compile(
    r"\bif an? (?P<who>[^.]{1,80}?) (?:from your army )?(?:with the leader ability )?(?:\([^()]{1,60}\) )?"
    r"can be attached to (?:an? )?(?P<units>[^.]{1,120}?)(?: unit)?,? it can (?:instead )?be attached to this unit",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*+|\^\^")
_OR = re.compile(r"\s+or\s+(?:an?\s+)?", re.IGNORECASE)
#: What says of a leader only that it is one.
_ANY_LEADER = {"model", "unit", "character"}


def read_leader(draft: Draft, name: str, text: str) -> None:
    """Read what one ability of a unit says about leading and being led."""
    text = " ".join(text.split())
    if has_no_effect(name):
        found = read_bodyguards(text)
        draft.leads += found
        if found:
            draft.joins_led = _BESIDE_ANOTHER.search(text) is not None
    draft.led_as += read_led_as(text)


def read_bodyguards(text: str) -> tuple[str, ...]:
    """Return the units that a Leader ability says its model can be attached to; none if it does not list them."""
    match = _BODYGUARDS.search(text)
    listed = [] if match is None else _SEPARATOR.split(_FURTHER.split(match[1])[0])
    if any(_NOT_BY_NAME.search(name) for name in listed):
        return ()
    return tuple(filter(None, (name.strip(" .") for name in listed)))


def read_led_as(text: str) -> tuple[tuple[str, str], ...]:
    """Return the units whose leaders can lead this one too, each behind what the leader must be."""
    found = []
    for match in _LED_AS.finditer(_MARKUP.sub("", text)):
        whom = [re.sub(r"(?i)\s*\b(?:model|unit)\b", "", who).strip() for who in _OR.split(match["who"])]
        for who in whom:
            plain = "" if not who or who.casefold() in _ANY_LEADER else who
            found += [(plain, unit.strip()) for unit in _OR.split(match["units"])]
    return tuple(found)
