"""From the plain tree that a file holds to dataclasses: every type and every number is checked here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import MAX_COUNT, check_depth, shorten
from mathhammer.rosters.names import one_line
from mathhammer.rosters.tree import Cost, Force, Profile, RosterFile, Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.battlescribe import PlainTree

_MAX_COST = 1e6


def build_roster(plain: PlainTree, name: str) -> RosterFile:
    """Check a plain tree and freeze it."""
    return RosterFile(
        name=text_field(plain, "name"),
        game_system_id=text_field(plain, "gameSystemId"),
        game_system_name=text_field(plain, "gameSystemName"),
        game_system_revision=text_field(plain, "gameSystemRevision"),
        generated_by=text_field(plain, "generatedBy"),
        costs=tuple(_cost(cost, name) for cost in _list(plain, "costs", name)),
        forces=tuple(_force(force, name, 1) for force in _list(plain, "forces", name)),
    )


def _force(plain: PlainTree, name: str, depth: int) -> Force:
    check_depth(depth, name)
    return Force(
        name=text_field(plain, "name"),
        catalogue=text_field(plain, "catalogueName"),
        rules=tuple(text_field(rule, "name") for rule in _list(plain, "rules", name)),
        selections=tuple(_selection(child, name, depth + 1) for child in _list(plain, "selections", name)),
        forces=tuple(_force(child, name, depth + 1) for child in _list(plain, "forces", name)),
        rule_texts=tuple(text_lines(rule, "description") for rule in _list(plain, "rules", name)),
    )


def _selection(plain: PlainTree, name: str, depth: int) -> Selection:
    check_depth(depth, name)
    rules = [rule for rule in _list(plain, "rules", name) if not _flag(rule, "hidden")]
    return Selection(
        name=text_field(plain, "name"),
        type=text_field(plain, "type"),
        number=_number(plain, name),
        group=text_field(plain, "group"),
        costs=tuple(_cost(cost, name) for cost in _list(plain, "costs", name)),
        categories=tuple(text_field(category, "name") for category in _list(plain, "categories", name)),
        profiles=tuple(
            build_profile(profile, _list(profile, "characteristics", name))
            for profile in _list(plain, "profiles", name)
        ),
        rules=tuple(text_field(rule, "name") for rule in rules),
        selections=tuple(_selection(child, name, depth + 1) for child in _list(plain, "selections", name)),
        rule_texts=tuple(text_lines(rule, "description") for rule in rules),
    )


def build_profile(plain: PlainTree, characteristics: Iterable[PlainTree]) -> Profile:
    """Return a profile with its characteristics."""
    return Profile(
        name=text_field(plain, "name"),
        type_name=text_field(plain, "typeName"),
        type_id=text_field(plain, "typeId"),
        characteristics=tuple(
            (text_field(item, "name"), text_lines(item, "$text")) for item in characteristics
        ),
        hidden=_flag(plain, "hidden"),
    )


def _cost(plain: PlainTree, name: str) -> Cost:
    raw = plain.get("value", 0)
    try:
        value = math.nan if isinstance(raw, bool) else float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not abs(value) <= _MAX_COST:  # NaN too
        raise RosterError(
            f"expected a number as the value of a cost, but {name} has {shorten(raw)}; export the list again"
        )
    return Cost(text_field(plain, "name"), text_field(plain, "typeId"), whole_points(value))


def whole_points(points: float) -> float:
    """Return a cost as a whole number where it is one: BattleScribe writes 115.0, and sums carry binary noise."""
    nearest = round(points)
    return nearest if abs(points - nearest) < 1e-6 else points


def _number(plain: PlainTree, name: str) -> int:
    raw = plain.get("number", 1)
    try:
        value = -1 if isinstance(raw, bool) else float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = -1
    if not (0 <= value <= MAX_COUNT and value == int(value)):
        raise RosterError(
            f"expected a whole number from 0 to {MAX_COUNT:,} as the number of "
            f"{shorten(text_field(plain, 'name'))}, but {name} has {shorten(raw)}; export the list again"
        )
    return int(value)


def _flag(plain: PlainTree, key: str) -> bool:
    return plain.get(key) is True or plain.get(key) == "true"


def text_field(plain: PlainTree, key: str) -> str:
    """Attribute as one clean line; numbers as text, nothing as nothing."""
    raw = plain.get(key)
    if isinstance(raw, (dict, list)):
        raise RosterError(
            f"expected a text under {key!r}, but the file holds {shorten(raw)}: no list builder wrote it so; "
            "export or download it again, a list best as .ros or .rosz"
        )
    return one_line(raw)


def text_lines(plain: PlainTree, key: str) -> str:
    """Text of several clean lines, for texts whose lines say something: items of a list."""
    raw = plain.get(key)
    if not isinstance(raw, str) or "\n" not in raw:
        return text_field(plain, key)
    return "\n".join(line for line in map(one_line, raw.splitlines()) if line)


def _list(plain: PlainTree, key: str, name: str) -> list[PlainTree]:
    items = plain.get(key)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RosterError(
            f"expected a list of objects under {key!r}, but {name} holds {shorten(items)}: it was not "
            "written by New Recruit; export the list from there, or as .ros or .rosz"
        )
    return items
