"""Model parts and targets as one line of text, the form that they print as."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import ParseError
from mathhammer.systems.t9a.attributes import split_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LINE = re.compile(r"(?:(?P<name>[^:\[]*):)?(?P<stats>[^\[]*)(?:\[(?P<rules>.*)\])?\s*")

Pattern = tuple[re.Pattern[str], "Callable[[re.Match[str]], dict[str, Any]]"]


def _pattern(text: str, read: Callable[[re.Match[str]], dict[str, Any]]) -> Pattern:
    return re.compile(text, re.IGNORECASE), read


def _number(name: str, words: str) -> Pattern:
    return _pattern(rf"(?:{words})\s*(\d{{1,9}})", lambda match: {name: int(match[1])})


_PART = (
    _pattern(
        r"(?:(?P<models>\d{1,9})\s*[x×]\s*)?(?P<attacks>[\dD+×x*-]+) (?P<kind>attacks?|shots?|(?:automatic )?hits?)",
        lambda match: {
            **({"models": int(match["models"])} if match["models"] else {}),
            "attacks": match["attacks"],
        },
    ),
    _number("offensive_skill", "offensive skill|off"),
    _pattern(r"aim\s*(\d)\+?", lambda match: {"aim": int(match[1])}),
    _number("strength", "strength|str"),
    _number("armour_penetration", "armour penetration|ap"),
    _number("agility", "agility|agi"),
)
_TARGET = (
    _pattern(r"(\d{1,9}) models?", lambda match: {"models": int(match[1])}),
    _number("health_points", "health points|hp"),
    _number("defensive_skill", "defensive skill|def"),
    _number("resilience", "resilience|res"),
    _number("armour", "armour|arm"),
    _pattern(r"aegis\s*(.+)", lambda match: {"aegis": (match[1],)}),
    _pattern(r"fortitude\s*(.+)", lambda match: {"fortitude": match[1]}),
    _pattern(r"champion of hp (\d{1,9})", lambda match: {"champion": int(match[1])}),
    _pattern(r"(\d{1,9}) hp lost", lambda match: {"lost": int(match[1])}),
)


def part_arguments(text: str) -> Mapping[str, Any]:
    """Return the arguments of the model part that a stat line says."""
    return _read(text, _PART, "strength", "'15 attacks, Off 3, Str 3, AP 1 [Spear]'")


def target_arguments(text: str) -> Mapping[str, Any]:
    """Return the arguments of the target that a stat line says."""
    return _read(text, _TARGET, "resilience", "'20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+'")


def _read(text: str, patterns: tuple[Pattern, ...], required: str, example: str) -> Mapping[str, Any]:
    line = _LINE.fullmatch(validation.typed(text, "stat line", f"such as {example}"))
    if line is None:
        raise ParseError(f"expected a stat line such as {example}", text, 0)
    values: dict[str, Any] = {"name": (line["name"] or "unnamed").strip(), "attributes": line["rules"] or ""}
    for start, item in _items(line["stats"]):
        stripped = item.strip()
        if stripped:
            position = line.start("stats") + start + item.index(stripped)
            _put(values, patterns, stripped, text, position, example)
    if required not in values:
        raise ParseError(f"expected {required} in a stat line such as {example}", text, len(text))
    if "models" not in values and (count := validation.counted(values["name"])):
        as_in = f"'Orcs: {count} models' and 'Orcs: {count} × 2 attacks'"
        raise ParseError(f"expected the number of models behind the name, as in {as_in}", text, 0)
    return values


def _items(stats: str) -> list[tuple[int, str]]:
    """Return the items of a stat line; "+1 max 4+" and "against Magical Attacks" go on with the one before."""
    found: list[tuple[int, str]] = []
    for start, item in split_items(stats):
        if found and item.strip().lower().startswith(("+", "against ")):
            first, before = found.pop()
            found.append((first, f"{before},{item}"))
        else:
            found.append((start, item))
    return found


def _put(
    values: dict[str, Any], patterns: tuple[Pattern, ...], item: str, text: str, position: int, example: str
) -> None:
    for pattern, read in patterns:
        match = pattern.fullmatch(item)
        if match is None:
            continue
        for name, value in read(match).items():
            if name == "aegis" and name in values:  # a unit may have one against some attacks only
                values[name] += value
            elif name in values:
                raise ParseError(f"expected {name} once", text, position)
            else:
                values[name] = value
        return
    raise ParseError(f"expected a characteristic as in {example}", text, position)
