"""Keywords as the rules print them: ``AUTOMATIC 3, IGNORE ARMOUR, +1 INJURY DICE``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from mathhammer import validation
from mathhammer.errors import UnknownNameError

__all__ = ["Keyword", "has", "parse_keywords", "total"]

#: Keywords without a number that touch a roll computed here.
_ROLLS = (
    "ARMOUR PIERCING",
    "BLOCK",
    "CRITICAL",
    "DEADLY",
    "DEMONIC",
    "FEAR",
    "FIRE",
    "FLAMETHROWER",
    "FLYING",
    "FUMBLE",
    "GAS",
    "GOLEM",
    "HEAVY",
    "IGNORE ARMOUR",
    "IGNORE ARMOUR ON CRITICAL",
    "IGNORE ARMOUR ON DOWN",
    "IGNORE COVER",
    "IGNORE LONG RANGE",
    "LEADER",
    "PISTOL",
    "RELOAD",
    "RISKY",
    "SCATTER",
    "SHOTGUN",
    "SHRAPNEL",
    "SKIRMISHER",
    "STRONG",
    "TOUGH",
)
#: Keywords that change what may be done, not how a roll is made.
_NO_ROLL = ("ASSAULT", "CUMBERSOME", "IMPERVIOUS")
#: Keywords with a number.
_VALUED = ("AUTOMATIC", "BLAST", "BLESSED", "CLEAVE", "REGENERATE")
#: What DEMONIC, GOLEM and the like negate is in `negated`; NEGATE names any keyword.
_SIGNED = re.compile(r"([+-]\s*\d+)\s+(DICE|INJURY DICE|INJURY MODIFIERS?)")
_NUMBERED = re.compile(r"(?P<name>[A-Z ]+?)\s*\(?\s*(?P<value>\d+)\s*[\"”]?\s*\)?")


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword.

    Parameters
    ----------
    name
        In capitals: ``"AUTOMATIC"``; ``"DICE"``, ``"INJURY DICE"``, ``"INJURY MODIFIER"``; ``"NEGATE GAS"``.
    value
        The number that goes with it.

    Examples
    --------
    >>> str(Keyword("BLAST", 3)), str(Keyword("INJURY DICE", 1))
    ('BLAST 3', '+1 INJURY DICE')
    """

    name: str
    value: int | None = None

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if self.name in {"DICE", "INJURY DICE", "INJURY MODIFIER"}:
            return f"{self.value:+d} {self.name}"
        return f"{self.name} {self.value}"


def parse_keywords(text: str) -> tuple[Keyword, ...]:
    """Read a comma-separated list of keywords; letter case does not matter.

    Raises
    ------
    UnknownNameError
        If a keyword is unknown; the message names the nearest one.

    Examples
    --------
    >>> [str(keyword) for keyword in parse_keywords('Automatic (3), blast 3", +1 injury dice, NEGATE GAS')]
    ['AUTOMATIC 3', 'BLAST 3', '+1 INJURY DICE', 'NEGATE GAS']

    References
    ----------
    Trench Crusade rules 1.0.2, Keywords.
    """
    return _parsed(validation.text(text, "keywords", "such as 'HEAVY, BLAST 3'"))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Keyword, ...]:
    plain = " ".join(text.upper().replace("−", "-").replace("\xa0", " ").split())
    return tuple(_parse(item.strip()) for item in plain.split(",") if item.strip() not in {"", "-"})


def _parse(item: str) -> Keyword:
    if item in _ROLLS or item in _NO_ROLL:
        return Keyword(item)
    if signed := _SIGNED.fullmatch(item):
        return Keyword(signed[2].removesuffix("S"), int(signed[1].replace(" ", "")))
    numbered = _NUMBERED.fullmatch(item)
    if numbered and numbered["name"] in _VALUED:
        return Keyword(numbered["name"], int(numbered["value"]))
    known = (*_ROLLS, *_NO_ROLL, *_VALUED)
    negated = item.removeprefix("NEGATE ")
    if negated != item and negated in known:
        return Keyword(item)
    if item in _VALUED:
        raise UnknownNameError(f"expected a number after the keyword {item}, as in '{item} 2'")
    near = get_close_matches(item, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known keywords: {', '.join(known)}, +1 DICE, NEGATE ..."
    raise UnknownNameError(f"expected a keyword of Trench Crusade, got {item!r}; {hint}")


def has(keywords: tuple[Keyword, ...], name: str) -> bool:
    """Whether a keyword is there.

    Examples
    --------
    >>> has(parse_keywords("FIRE"), "GAS")
    False
    """
    return any(keyword.name == name for keyword in keywords)


def total(keywords: tuple[Keyword, ...], name: str) -> int:
    """Sum of the numbers of a keyword; 0 if it is not there.

    Examples
    --------
    >>> total(parse_keywords("+1 DICE, +1 DICE"), "DICE")
    2
    """
    return sum(keyword.value or 0 for keyword in keywords if keyword.name == name)
