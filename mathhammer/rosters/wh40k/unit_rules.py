"""The rules of a unit of a list: its abilities, those of its wargear and enhancements, and who owns them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.rosters.names import plain
from mathhammer.rosters.tree import is_stat_line, is_weapon, kind_of
from mathhammer.systems.wh40k.unit_rules.reader import (
    has_no_effect,
    is_invulnerable_save,
    is_weapon_ability,
    read_rule,
)
from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Profile, Selection
    from mathhammer.rosters.wh40k.units import Draft


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
_NOT_SAID = "not all models have it, or it is not said which"


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
        for who in _OR.split(match["who"]):
            named = re.sub(r"(?i)\s*\b(?:model|unit)\b", "", who).strip()
            kind = "" if named.casefold() in _ANY_LEADER else named
            found += [(kind, unit.strip()) for unit in _OR.split(match["units"])]
    return tuple(found)


def rule_of(name: str, text: str, source: str, of: str) -> UnitRule:
    """Return the rule of a name and its text; without a text its effect is unknown."""
    reading = read_rule(name, text)
    unread = reading.unread
    if is_invulnerable_save(name) and not reading.effects and not unread:
        unread = ("invulnerable save",)
    elif not (text.strip() or reading.effects or has_no_effect(name)):
        unread = ("the list holds no text",)
    return UnitRule(name, source, of, reading.effects, unread)


def text_of(profile: Profile) -> str:
    """Return the text of an ability."""
    return "\n".join(text for _, text in profile.characteristics)


def read_rules(draft: Draft) -> None:
    """Read all abilities and rules of a unit; what is not understood is listed with them."""
    for node, group in draft.nodes:
        texts: list[str] = []
        for profile in node.profiles:
            if profile.hidden:
                draft.warn(f"{profile.name!r} is hidden in the list and left out")
            elif not (is_weapon(profile) or is_stat_line(profile) or kind_of(profile) == "Transport"):
                texts.append(text_of(profile))
                _read_leader(draft, profile.name, " ".join(texts[-1].split()))
                _add(draft, profile.name, texts[-1], node, group)
        _read_named_rules(draft, node, group, plain(" ".join(texts)))


def _read_leader(draft: Draft, name: str, text: str) -> None:
    """Read what one ability of a unit says about leading and being led."""
    if has_no_effect(name) and (found := read_bodyguards(text)):
        draft.leads += found
        draft.joins_led = _BESIDE_ANOTHER.search(text) is not None
    draft.led_as += read_led_as(text)


def _read_named_rules(draft: Draft, node: Selection, group: int | None, said: str) -> None:
    weapons = [profile for each in node.walk() for profile in each.profiles if is_weapon(profile)]
    carried = [ability for profile in weapons for ability in (profile.get("Keywords") or "").split(",")]
    is_wargear = node.type == "upgrade" and any(map(is_weapon, node.profiles))
    for name, text in dict(node.rules).items():
        if is_weapon_ability(name, None if is_wargear else carried):
            continue  # it repeats the weapon's keywords, without their numbers
        # List builders attach the rule to any ability that mentions it, and then the text says when it holds.
        if not (plain(name).startswith("feel no pain") and plain(name) in said):
            _add(draft, name, text, node, group)


def _add(draft: Draft, name: str, text: str, node: Selection, group: int | None) -> None:
    """Put a rule into the unit with those who own it; the same rule of several models is one."""
    source = "datasheet"
    if node.group.startswith("Enhancement"):
        source = "enhancement"
    elif node.type == "upgrade" and node is not draft.root:
        source = "wargear"
    rule = rule_of(name, text, source, draft.root.name)
    owners = _owners(draft, node, group, bearer="the bearer" in plain(text))
    if any(effect.scope == "model" for effect in rule.effects) and not owners:
        rule = replace(rule, unread=(*rule.unread, _NOT_SAID))
        draft.note(f"{rule.effects[0]} ({name}) is left out: {_NOT_SAID}")
    if rule.unread and is_invulnerable_save(name):
        draft.warn(f"{name!r} says more than a plain save: {', '.join(rule.unread)}")
    for index, known in enumerate(draft.rules):
        if replace(known, groups=()) == rule:
            draft.rules[index] = replace(known, groups=tuple(sorted({*known.groups, *owners})))
            return
    draft.rules.append(replace(rule, groups=owners))


def _owners(draft: Draft, node: Selection, group: int | None, *, bearer: bool) -> tuple[int, ...]:
    """Return the places of the models that own a rule; none if they cannot be told."""
    everyone = tuple(range(len(draft.groups)))
    if node is draft.root:
        # "This model" on a unit is a wording for all its models; a bearer is one of them.
        return everyone if len(everyone) == 1 or not bearer else ()
    if group is None:
        return everyone if node.number >= draft.size else ()
    is_model = node is draft.models[group]
    return (group,) if is_model or node.number >= draft.groups[group].count else ()
