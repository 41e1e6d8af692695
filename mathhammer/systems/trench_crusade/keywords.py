"""Keywords as the rules print them: ``AUTOMATIC 3, IGNORE ARMOUR, +1 INJURY DICE``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.fields.kinds import Field
from mathhammer.validation import shown

#: Keywords without a number that touch a roll or a result computed here.
_ROLLS = (
    *("BLOCK", "CONCENTRATED ATTACK", "COVER", "CRITICAL", "DANGEROUS", "DEADLY", "DEMONIC", "FEAR", "FIRE"),
    *("FLAMETHROWER", "FLYING", "FUMBLE", "GAS", "GOLEM", "IGNORE ARMOUR", "IGNORE ARMOUR ON CRITICAL"),
    *("IGNORE ARMOUR ON DOWN", "IMPERVIOUS", "INFECTION MARKERS", "LEADER", "ONCE A GAME", "PISTOL", "RISKY"),
    *("ABSOLUTE FAITH", "SHOTGUN", "SHRAPNEL", "SKIRMISHER", "STRONG", "TAKEN DOWN", "TALISMAN", "TOUGH"),
    # Modifiers of Success Rolls (Trench Crusade rules 1.0.2, Keywords, IGNORE [MODIFIER]).
    *(f"IGNORE {name}" for name in ("BLOCK", "COVER", "DEFENDED OBSTACLE", "DIVING CHARGE", "DOWN")),
    *(f"IGNORE {name}" for name in ("ELEVATED POSITION", "FEAR", "LONG RANGE", "OFF-HAND WEAPON")),
)
#: Keywords that place a Blood Marker after the Injury Roll.
MARKING = ("FIRE", "GAS", "SHRAPNEL")
#: Keywords that change no roll of an attack on one model, and what they do instead.
NO_EFFECT = {
    **dict.fromkeys(
        ("BLACK GRAIL", "HERETIC", "NEW ANTIOCH", "PILGRIM", "SULTANATE", "THE COURT"), "names the faction"
    ),
    **dict.fromkeys(("ARTIFICIAL", "ELITE"), "is a tag"),
    **dict.fromkeys(("DIFFICULT TERRAIN", "IMPASSABLE TERRAIN"), "hinders a move"),
    **dict.fromkeys(("DANGEROUS TERRAIN", "MINED"), "is a roll of its own"),
    **dict.fromkeys(("CUMBERSOME", "HELD"), "says what hands it takes"),
    "ASSAULT": "may shoot and then charge or fight",
    "BLAST": "other models under it are attacks of their own",
    "CONSUMABLE": "is lost after the game",
    "DEPLOYABLE": "is set up on the table",
    "FIRETEAM": "allows a joint Activation",
    "HEAVY": "limits what may be carried and done",
    "INFILTRATOR": "is about deployment",
    "RELOAD": "ends the Activation after the attack",
    "SCATTER": "where a failed attack lands is another roll",
}
#: Keywords with a number, and those that have one or stand for 1.
_VALUED = ("AUTOMATIC", "BLAST", "BLESSED", "CLEAVE", "REGENERATE")
_OPTIONAL = ("ARMOUR PIERCING",)
_KNOWN = tuple(sorted({*_ROLLS, *NO_EFFECT, *_VALUED, *_OPTIONAL}))
#: The books print hyphens here and there, ``IGNORES`` for ``IGNORE``, and names of rules (Warbands; Battlekit).
_SPELLINGS = {name.replace("-", " "): name for name in _KNOWN}
_SPELLINGS |= {"IGNORE OFF HAND": "IGNORE OFF-HAND WEAPON", "IGNORE RANGE": "IGNORE LONG RANGE"}
_SPELLINGS |= dict.fromkeys(("BLESSED ICON", "UNHOLY TRINKET"), "TALISMAN")
_RULES = {
    "BALLISTIC BOX": "SHRAPNEL",
    "BALLISTIC BOX ARMOUR": "SHRAPNEL",
    "FIRE SHIELD": "FIRE",
    "ABIOTIC LIFE": "GAS",
}
#: Keywords that include a NEGATE (Trench Crusade rules 1.0.2, Keywords, DEMONIC, GOLEM, STRONG).
_NEGATED_BY = {"FIRE": "DEMONIC", "GAS": "GOLEM", "FEAR": "GOLEM", "HEAVY": "STRONG"}
_SIGNED = re.compile(
    r"([+-]\s*\d{1,9})\s+(DICE|INJURY DICE(?: AT SHORT RANGE| AGAINST (?:FIRE|GAS|SHRAPNEL))?|INJURY MODIFIERS?)"
)
_NUMBERED = re.compile(r"(?P<name>[A-Z ]+?)\s*\(?\s*(?P<value>\d{1,9})\s*[\"”″'’]{0,2}\s*\)?")
_BRACKETED = re.compile(r"(?P<name>AMMUNITION|DANGEROUS TERRAIN)\s*\((?P<inner>[^()]+)\)")
MAXIMUM_NUMBER = 50
MAXIMUM_KEYWORDS = 100


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword.

    Examples
    --------
    >>> str(Keyword("BLAST", 3)), str(Keyword("INJURY DICE", 1))
    ('BLAST 3', '+1 INJURY DICE')
    """

    #: In capitals: ``"AUTOMATIC"``; ``"DICE"``, ``"INJURY DICE"``, ``"INJURY MODIFIER"``; ``"NEGATE GAS"``.
    name: str
    #: The number that goes with it.
    value: int | None = None

    def __post_init__(self) -> None:
        validation.text(self.name, "name of a keyword")
        if self.value is not None:
            most = MAXIMUM_NUMBER
            number = validation.whole(self.value, f"the number of {shown(self.name)}", -most, most)
            object.__setattr__(self, "value", number)

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if self.name.startswith(("DICE", "INJURY ")):
            return f"{self.value:+d} {self.name}"
        return f"{self.name} {self.value}"


def parse_keywords(text: str) -> tuple[Keyword, ...]:
    """Read a line of keywords as the books print it; letter case and hyphens do not matter.

    Words for a faction or a rank and other keywords without effect on a roll are kept.

    Examples
    --------
    >>> [str(keyword) for keyword in parse_keywords('Automatic (3), blast 3", +1 injury dice, NEGATE GAS')]
    ['AUTOMATIC 3', 'BLAST 3', '+1 INJURY DICE', 'NEGATE GAS']

    Trench Crusade rules 1.0.2, Keywords; Warbands of Trench Crusade, Keywords.
    """
    return _parsed(validation.typed(text, "keywords", "such as 'HEAVY, BLAST 3'"))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Keyword, ...]:
    plain = " ".join(text.upper().replace("−", "-").replace("\xa0", " ").split())
    return tuple(_parse(item.strip()) for item in plain.split(",") if item.strip() not in {"", "-"})


def _parse(item: str) -> Keyword:
    if signed := _SIGNED.fullmatch(item):
        return Keyword(signed[2].replace("MODIFIERS", "MODIFIER"), int(signed[1].replace(" ", "")))
    if item in _RULES:
        return Keyword(f"INJURY DICE AGAINST {_RULES[item]}", -1)
    if bracketed := _BRACKETED.fullmatch(item):
        return Keyword(f"{bracketed['name']} ({_parse(bracketed['inner'].strip())})")
    negated = item.removeprefix("NEGATE ")
    spelled = re.sub(r"^IGNORES ", "IGNORE ", negated.replace("-", " "))
    numbered = _NUMBERED.fullmatch(spelled)
    if numbered and numbered["name"] in (*_VALUED, *_OPTIONAL) and negated == item:
        return Keyword(numbered["name"], int(numbered["value"]))
    name = _SPELLINGS.get(spelled)
    if name is not None and negated != item:
        return Keyword(f"NEGATE {name}")
    if name in _VALUED:
        raise UnknownNameError(f"expected a number after the keyword {name}, as in '{name} 2'")
    if name is not None:
        return Keyword(name)
    near = get_close_matches(spelled, _KNOWN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known keywords: {', '.join(_KNOWN)}, +1 DICE, NEGATE ..."
    raise UnknownNameError(f"expected a keyword of Trench Crusade, got {shown(item)}; {hint}")


class Bearer:
    """Base of what has keywords."""

    keywords: Any

    def has(self, name: str) -> bool:
        """True if it has a keyword."""
        return any(keyword.name == name for keyword in self.keywords)

    def value(self, name: str) -> int:
        """Return the number of a keyword, summed; 0 without it."""
        return sum(keyword.value or 0 for keyword in self.keywords if keyword.name == name)

    def negates(self, name: str) -> bool:
        """True if it has NEGATE for a keyword, by itself or as part of another."""
        return self.has(f"NEGATE {name}") or (name in _NEGATED_BY and self.has(_NEGATED_BY[name]))


def several(value: object, kinds: type | tuple[type, ...], expected: str, most: int) -> tuple[Any, ...]:
    """Return several values of one of the kinds; too many are refused as soon as they are counted."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        with suppress(TypeError):  # an array of no dimension
            value = tuple(islice(value, most + 1))
    items = validation.items(value, kinds, expected)
    if len(items) > most:
        raise TooLargeError(f"expected {expected}, at most {most} of them; got more")
    return items


class Keywords(Field["tuple[Keyword, ...]", "str | Iterable[Keyword]"]):
    """Keywords as text, or read before."""

    accepts = "str | Iterable[Keyword]"
    usual = ()

    def read(self, value: Any) -> tuple[Keyword, ...]:
        """Return the keywords."""
        if isinstance(value, str):
            return parse_keywords(value)
        return several(value, Keyword, "the text of keywords, or Keywords that were read", MAXIMUM_KEYWORDS)

    def argument(self, value: Any) -> str | tuple[Keyword, ...]:
        """Return the text, where it reads back."""
        text = ", ".join(map(str, value))
        try:
            return text if parse_keywords(text) == value else value
        except MathhammerError:  # made of Keywords that no text names
            return tuple(value)
