"""Stat lines as players write them: ``Bolt rifle: 24" A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.systems.wh40k.profiles.keywords import automatic_hits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.systems.wh40k.profiles.profiles import Weapon

_DICE = r"[0-9dD][0-9dD+\-×]*"
_FIELDS = (
    ("range", re.compile(r"(?:range\s*)?(\d{1,9})\s*(?:\"|”|″|'')", re.IGNORECASE)),
    ("ap", re.compile(r"AP\s*([-−–]?\d{1,9})", re.IGNORECASE)),
    ("attacks", re.compile(rf"A\s*({_DICE})", re.IGNORECASE)),
    ("bs", re.compile(r"BS\s*(\d\+?|N/A|-)", re.IGNORECASE)),
    ("ws", re.compile(r"WS\s*(\d\+?|N/A|-)", re.IGNORECASE)),
    ("strength", re.compile(rf"S\s*({_DICE})", re.IGNORECASE)),
    # D3+1: no label with a number behind it, but dice.
    ("damage", re.compile(rf"(D[36][+\-×]{_DICE})", re.IGNORECASE)),
    ("damage", re.compile(rf"D(?!\d+[+\-×])({_DICE})", re.IGNORECASE)),
    ("damage", re.compile(rf"D(?:amage\s*|\s+)(?!\d+[+\-×][\d+\-×]*(?:[\s,;]|$))({_DICE})", re.IGNORECASE)),
    ("melee", re.compile(r"melee", re.IGNORECASE)),
)
_SEPARATORS = " \t,;"
_EXPECTED = 'A2, BS3+ or WS3+, S4, AP-1, D1, a range such as 24", or [KEYWORDS]'
_LABELS = {"attacks": "A", "strength": "S", "ap": "AP", "damage": "D"}


def parse_weapon(text: str) -> dict[str, str]:
    """Return the constructor's arguments of the weapon that a stat line describes."""
    end = text.rfind("[")
    colon = text.rfind(":", 0, end if end >= 0 else len(text))
    if colon < 0:
        end, colon = -1, text.rfind(":")
    name = text[: max(colon, 0)]
    if not name.strip():
        raise ParseError("expected a weapon's name and ':' before its stat line", text, max(colon, 0))
    if count := validation.counted(name):
        raise ParseError(
            "expected the stat line of one weapon, without a number of them; Volley(Weapon.parse(...), "
            f"{count}) is so many",
            text,
            0,
        )
    found: dict[str, str] = {}
    for field, match in scanned(text, colon + 1, len(text) if end < 0 else end, _FIELDS, _EXPECTED):
        if match[0].upper() == "D6":
            raise ParseError("expected DD6 for a die, or Damage 6 for the number", text, match.start())
        if field in found:
            raise ParseError(f"expected {field} once", text, match.start())
        found[field] = match[1] if match.re.groups else match[0]
    return _arguments(name.strip(), found, bracketed(text, end), text)


def scanned(
    text: str, start: int, stop: int, patterns: Sequence[tuple[str, re.Pattern[str]]], expected: str
) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each field between two positions with its match; `expected` says what fields there are."""
    position = start
    while position < stop:
        if text[position] in _SEPARATORS:
            position += 1
            continue
        for field, pattern in patterns:
            match = pattern.match(text, position, stop)
            if match and (match.end() == stop or text[match.end()] in _SEPARATORS):
                yield field, match
                position = match.end()
                break
        else:
            hint = expected if text[:position].strip() else f"{expected}; a name before them needs ':'"
            raise ParseError(f"expected one of {hint}", text, position)


def bracketed(text: str, opening: int) -> str:
    """Return the keywords in brackets at the end of a stat line, none where no bracket opens."""
    if opening < 0:
        return ""
    closing = text.find("]", opening)
    if closing < 0:
        raise ParseError("expected ']' at the end of the keywords", text, len(text))
    if text[closing + 1 :].strip():
        raise ParseError("expected nothing after ']': the keywords stand last", text, closing + 1)
    return text[opening + 1 : closing]


def _arguments(name: str, found: dict[str, str], keywords: str, text: str) -> dict[str, str]:
    missing = [label for field, label in _LABELS.items() if field not in found]
    if "bs" in found and "ws" in found:
        raise MathhammerError(
            f"expected BS for a ranged weapon or WS for a melee weapon, got both in {text!r}"
        )
    torrent = any(name.lower() in keywords.lower() for name in automatic_hits())
    if "bs" not in found and "ws" not in found and not torrent:
        missing.append("BS or WS")
    if missing:
        raise ParseError(f"expected also {', '.join(missing)}", text, len(text))
    melee = "ws" in found or "melee" in found
    if melee and "range" in found:
        raise MathhammerError(f"expected no range on a melee weapon, got one in {text!r}")
    return {
        "name": name,
        "range": "Melee" if melee else f'{found["range"]}"' if "range" in found else "",
        "attacks": found["attacks"],
        "skill": found.get("bs") or found.get("ws") or "N/A",
        "strength": found["strength"],
        "ap": found["ap"],
        "damage": found["damage"],
        "keywords": keywords,
    }


def print_weapon(weapon: Weapon) -> str:
    """Return the stat line that :func:`parse_weapon` reads back."""
    reach = "" if weapon.melee or not weapon.range else f"{weapon.range} "
    skill = "N/A" if weapon.skill is None else f"{weapon.skill}+"
    keywords = ", ".join(str(keyword).upper() for keyword in weapon.keywords)
    # "D6" is refused, and "D3+D6" would be read as dice throughout.
    label = "Damage " if re.match(r"6$|\d+[+\-×]", str(weapon.damage)) else "D"
    return (
        f"{weapon.name}: {reach}A{weapon.attacks} {'WS' if weapon.melee else 'BS'}{skill} S{weapon.strength} "
        f"AP{weapon.ap} {label}{weapon.damage}" + (f" [{keywords}]" if keywords else "")
    )
