"""Weapon abilities as datasheets write them: ``Sustained Hits D3, Lethal Hits, Anti-Vehicle 4+``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression
from mathhammer.systems.wh40k.editions import rule_key, rulebook
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mathhammer.systems.wh40k.editions import Rulebook
    from mathhammer.systems.wh40k.rules.rule import Ability

#: An ability with the keyword of a target and a roll: Anti-Infantry 4+.
_ROLL = re.compile(r"(?P<name>[^- ]+)[- ](?P<target>.+?) (?P<value>[2-6])\+?")
#: What players put between keywords in place of a comma; the roll of a second Anti among them.
_SEPARATED = re.compile(r"[;/|&+]|\b(?:and|or)\b|\d\+", re.IGNORECASE)


def automatic_hits() -> tuple[str, ...]:
    """Return the abilities with which attacks hit without a roll: such a weapon needs no skill."""
    return tuple(rule.name for rule in rulebook().abilities.values() if rule.hits_automatically)


#: Kinds of abilities that nothing need stand after, and those that a number or dice may stand after.
_BARE, _NUMBERED = ("", "optional number"), ("dice", "number", "optional number")
#: Abilities without a value, and those with a number of dice or a dice expression.
FLAGS, VALUED = (
    tuple(sorted(rule.name for rule in rulebook().abilities.values() if rule.value in values))
    for values in (_BARE, ("dice", "number"))
)


@dataclass(frozen=True, slots=True)
class Keyword:
    """One weapon ability.

    Parameters
    ----------
    name
        ``"Sustained Hits"``; ``"Anti"`` for Anti-X; the text itself where the ability is not known.
    value
        The X of Rapid Fire X, Melta X, Sustained Hits X; the roll of Anti-X as a constant.
    target
        The keywords of the targets that it is for, as Anti-X names one: ``"Infantry/Beasts"``; those of targets that
        it is not for: ``"non-Monster/Vehicle"``.
    known
        Whether the ability is one of the core rules'.

    Examples
    --------
    >>> [str(keyword) for keyword in parse_keywords("anti-vehicle 4+, twin-linked")]
    ['Anti-Vehicle 4+', 'Twin-linked']
    """

    name: str
    value: Expression | None = None
    target: str = ""
    known: bool = True

    @property
    def has_roll(self) -> bool:
        """True if it names targets and a roll, as Anti does."""
        rule = rulebook().by_name.get(self.name) if self.target else None
        return rule is not None and rule.value == "roll"

    @property
    def dice(self) -> Expression:
        """Its X, 1 where it has none."""
        return as_expression(1 if self.value is None else self.value)

    @property
    def number(self) -> int:
        """Its X where that is no dice."""
        return self.dice.bounds()[0]

    @property
    def filter(self) -> tuple[str, ...]:
        """The keywords that it names, in small letters."""
        return tuple(_plain(word) for word in self.target.lower().split("/"))

    def applies_to(self, keywords: Collection[str]) -> bool:
        """True if it applies to a target with these keywords, in lower case."""
        return any(word in keywords for word in self.filter) != self.target.startswith("non-")

    def __str__(self) -> str:
        if self.has_roll:
            return f"{self.name}-{self.target} {self.value}+"
        text = self.name if self.value is None else f"{self.name} {self.value}"
        return f"{text}: {self.target}" if self.target else text


def parse_keywords(text: str, on_unknown: Literal["error", "keep"] = "error") -> tuple[Keyword, ...]:
    """Read a comma-separated list of weapon abilities.

    Parameters
    ----------
    text
        The datasheet's own text; ``"-"`` or nothing for none; brackets, letter case, hyphens and no-break
        spaces do not matter.
    on_unknown
        Whether an unknown ability is an error or is kept with ``known=False``.

    Examples
    --------
    >>> [str(keyword) for keyword in parse_keywords("[SUSTAINED HITS D3, anti-vehicle 4+]")]
    ['Sustained Hits D3', 'Anti-Vehicle 4+']
    """
    validation.typed(text, "the weapon abilities", "such as 'Heavy, Melta 2'")
    validation.one_of(on_unknown, ("error", "keep"), "on_unknown")
    return _parsed(text, on_unknown, rulebook())


@lru_cache(maxsize=4096)
def _parsed(text: str, on_unknown: str, known: Rulebook) -> tuple[Keyword, ...]:
    plain = " ".join(text.replace("\xa0", " ").replace("‑", "-").replace("[", " ").replace("]", ",").split())
    found = []
    for item in (each.strip() for each in plain.split(",")):
        if item in {"", "-", "–"}:
            continue
        try:
            found.append(_parse_keyword(item, known.abilities, spelt=on_unknown == "error"))
        except MathhammerError:
            if on_unknown == "error":
                raise
            found.append(Keyword(item, known=False))
    return tuple(found)


#: Keywords of units that stand on many datasheets; those of factions and of single units are open-ended.
UNIT_KEYWORDS = (
    *("Infantry", "Vehicle", "Monster", "Character", "Fly", "Psyker", "Titanic", "Walker", "Mounted"),
    *("Swarm", "Beast", "Cavalry", "Battleline", "Daemon", "Chaos", "Imperium", "Transport", "Epic Hero"),
    *("Aircraft", "Grenades", "Smoke", "Fortification", "Towering", "Terminator"),
)
_UNIT_KEYWORDS = {name.lower(): name for name in UNIT_KEYWORDS}
#: Those that names of factions and of datasheets begin with, such as Chaos Daemon.
_IN_NAMES = frozenset(("beast", "chaos", "daemon", "imperium", "terminator"))


def split_keywords(text: str) -> tuple[str, ...]:
    """Read the keywords of a unit, separated by commas, or by spaces where there is no comma."""
    validation.typed(text, "the keywords of a unit")
    parts = [part.strip() for part in text.split(",")] if "," in text else _common(text.split())
    for part in parts:
        if re.search(r"[;/|]", part) or ("," in text and is_several(part)):
            raise MathhammerError(f"expected keywords of a unit with a comma between them, got {shown(part)}")
    return tuple(require_spelt(part) for part in parts if part)


def _common(words: list[str]) -> list[str]:
    """Return words with the common keywords of two words put together."""
    found: list[str] = []
    for word in words:
        found += [word]
        if " ".join(found[-2:]).lower() in _UNIT_KEYWORDS:
            found[-2:] = [" ".join(found[-2:])]
    return found


def is_several(text: str) -> bool:
    """Whether a text that should be one keyword is several: common ones in a row, or signs between them."""
    parts = [part.lower() for part in _common(text.split())]
    in_a_row = len(parts) > 1 and all(part in _UNIT_KEYWORDS and part not in _IN_NAMES for part in parts)
    return in_a_row or bool(_SEPARATED.search(text))


@lru_cache(maxsize=4096)
def require_spelt(keyword: str) -> str:
    """Return a unit's keyword; refuse one that is nearly a common one, as it would match nothing."""
    key = keyword.lower()
    near = [] if key in _UNIT_KEYWORDS else get_close_matches(key, _UNIT_KEYWORDS, n=1, cutoff=0.85)
    if near and len(key) > 4 and key.removesuffix("s") != near[0]:
        hint = f"did you mean {_UNIT_KEYWORDS[near[0]]!r}?"
        raise UnknownNameError(f"expected a keyword of a unit, got {shown(keyword)}; {hint}")
    return keyword


def _parse_keyword(item: str, known: Mapping[str, Ability], *, spelt: bool = True) -> Keyword:
    if ":" in item:  # for some targets (11th edition core rules, 24.01)
        stem, _, targets = (part.strip() for part in item.partition(":"))
        keyword = _parse_keyword(stem, known, spelt=spelt)
        plain = [_plain(word.strip()) for word in targets.split("/")]
        if keyword.has_roll or not all(plain) or any(map(is_several, plain)):
            expected = "keywords of targets after the colon, as in 'Sustained Hits 1: Infantry/Beasts'"
            raise MathhammerError(f"expected {expected}, got {shown(item)}")
        return replace(keyword, target=_targets(targets, spelt=spelt))
    key = rule_key(item)
    if key in known and known[key].value in _BARE:
        return Keyword(known[key].name)
    if match := _with_roll(item, known):
        rule = known[rule_key(match["name"])]
        if is_several(match["target"]):
            each = f"write one ability for each, as in '{rule.name}-Infantry 4+, {rule.name}-Vehicle 4+'"
            raise MathhammerError(
                f"expected one keyword and its roll after {rule.name}, got {shown(item)}; {each}"
            )
        return Keyword(rule.name, dice(match["value"]), _targets(match["target"], spelt=spelt))
    stem, _, value = item.rpartition(" ")
    valued = known.get(rule_key(stem))
    if valued is None or valued.value not in _NUMBERED:
        raise UnknownNameError(f"expected a weapon ability, got {shown(item)}; {_hint(key, known)}")
    try:
        expression = dice(value)
    except MathhammerError as error:
        where = f"after {valued.name!r} in {item!r}"
        raise MathhammerError(f"expected a number or dice {where}: {error}") from error
    (low, high), fixed = expression.bounds(), valued.value != "dice"
    if low < 1 or high > 100 or (fixed and low != high):
        after = f"after {valued.name!r}" + f", without dice for {valued.name}" * fixed
        raise MathhammerError(f"expected a value from 1 to 100 {after}; got {shown(item)}")
    return Keyword(valued.name, expression)


def _targets(text: str, *, spelt: bool) -> str:
    """Return the keywords of targets, behind ``"non-"`` where they are excluded."""
    words = [word.strip() for word in text.split("/")]
    plain = [_plain(word) for word in words]
    for word in plain if spelt else ():
        require_spelt(word)
    return "non-" * (plain[0] != words[0]) + "/".join(plain).title()


def _plain(word: str) -> str:
    """Return a keyword without what excludes it."""
    return re.sub(r"^non[- ]", "", word, flags=re.IGNORECASE)


def _with_roll(text: str, known: Mapping[str, Ability]) -> re.Match[str] | None:
    """Return the parts of an ability with the keyword of a target and a roll."""
    match = _ROLL.fullmatch(text)
    rule = known.get(rule_key(match["name"])) if match else None
    return match if rule is not None and rule.value == "roll" else None


def _hint(key: str, known: Mapping[str, Ability]) -> str:

    def is_ability(words: list[str]) -> bool:
        text = " ".join(words)
        bare, valued = (getattr(known.get(name), "value", None) for name in (text, text.rpartition(" ")[0]))
        return bare in _BARE or valued in _NUMBERED or _with_roll(text, known) is not None

    words = re.split(r"\s*[;/|]\s*|\s+", key)
    if any(is_ability(words[:end]) and is_ability(words[end:]) for end in range(1, len(words))):
        return "write a comma between two abilities"
    rule, first = known.get(key), known.get(key.partition(" ")[0])
    if rule and rule.value in {"dice", "number"}:
        return f"{rule.name!r} needs a value, as in '{rule.name} 1'"
    if first and first.value == "roll":
        return f"{first.name} needs a keyword and a roll, as in '{first.name}-Vehicle 4+'"
    names = {key: rule.name for key, rule in known.items() if rule.value != "roll"}
    near = get_close_matches(re.sub(r" (\d+|\d*d\d+)\+?$", "", key), names, n=1, cutoff=0.5)
    known_names = f"known abilities: {', '.join(sorted(names.values()))}"
    return f"did you mean {names[near[0]]!r}?" if near else known_names
