"""Rules whose name says what they do: Stealth, Feel No Pain 5+, Invulnerable Save (4+), Deadly Demise D3."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.profiles.keywords import FLAGS, VALUED
from mathhammer.systems.wh40k.unit_rules.reader import Reading, read_text
from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect

if TYPE_CHECKING:
    from collections.abc import Iterable

_FEEL_NO_PAIN = re.compile(r"feel no pain \(?([2-6])\+\)?", re.IGNORECASE)
_INVULNERABLE = re.compile(r"invulnerable save\b.*", re.IGNORECASE)
_FEEL_NO_PAIN_VALUE = re.compile(r"feel no pain:?(?: \(?([2-6])\+\)?)?", re.IGNORECASE)
_INVULNERABLE_VALUE = re.compile(r"invulnerable save:?(?: \(?([2-6])\+\)?)?", re.IGNORECASE)
_VALUE = re.compile(r"([2-6])\+\.?")
_FOOTNOTE = re.compile(r"^\s*[2-6]\+\s*\*?\s*(?=this |models? |\*)", re.IGNORECASE)
_DEADLY_DEMISE = re.compile(r"deadly demise ([1-9]\d{0,2}|(?:[1-9]\d?)?d[36](?:\+\d{1,2})?)", re.IGNORECASE)
_NO_EFFECT = re.compile(
    r"deep strike|leader|support|attached unit|infiltrators|lone operative|fights first|hover|unit composition"
    r"|(?:scouts|firing deck)(?: .*)?|deadly demise",
    re.IGNORECASE,
)
_ONLY_FOR = re.compile(r"^[^.\n]{1,80} models? only\.?\s+", re.IGNORECASE)
_WEAPON_ABILITY = re.compile(
    rf"(?P<flag>{'|'.join(name.lower().replace('-', ' ') for name in FLAGS)})"
    rf"|(?P<valued>anti\b|{'|'.join(name.lower() for name in VALUED)})(?P<value> .+)?"
)


def read_rule(name: str, text: str) -> Reading:
    """Return the effects of a rule by its name, where that says them, else by its text."""
    named = read_named(
        f"{name} {text}" if len(text) < 10 and name.strip().casefold() == "deadly demise" else name
    )
    if named is not None:
        return named
    value = _value(_INVULNERABLE_VALUE, name, text)
    if value:
        return Reading((RuleEffect("defence", "invulnerable", value, scope="model"),))
    value = _value(_FEEL_NO_PAIN_VALUE, name, text)
    if value:
        return Reading((RuleEffect("defence", "feel_no_pain", (value, ""), scope="model"),))
    if is_invulnerable_save(name) and _VALUE.fullmatch(text.strip()):
        return Reading()
    return read_text(_FOOTNOTE.sub("", _ONLY_FOR.sub("", text)))


def read_named(name: str) -> Reading | None:
    """Return the effects of a rule whose name says them; nothing for any other."""
    name = " ".join(name.split())
    if name.casefold() == "stealth":
        return Reading((RuleEffect("defence", "stealth", scope="model"),))
    if match := _FEEL_NO_PAIN.fullmatch(name):
        return Reading((RuleEffect("defence", "feel_no_pain", (int(match[1]), ""), scope="model"),))
    if match := _DEADLY_DEMISE.fullmatch(name):
        return Reading((RuleEffect("defence", "deadly_demise", match[1].upper(), scope="model"),))
    return Reading() if _NO_EFFECT.fullmatch(name) else None


def _value(pattern: re.Pattern[str], name: str, text: str) -> int | None:
    """Return the save that stands alone in the name or in the text."""
    match = pattern.fullmatch(" ".join(name.split()))
    if match is None:
        return None
    alone = _VALUE.fullmatch(text.strip())
    values = {value for value in (match[1], alone[1] if alone else None) if value}
    return int(values.pop()) if len(values) == 1 and (alone or not text.strip()) else None


def is_invulnerable_save(name: str) -> bool:
    """Whether a rule has the name of an invulnerable save."""
    return _INVULNERABLE.fullmatch(name.strip()) is not None


def has_no_effect(name: str) -> bool:
    r"""Whether a core rule of that name has no effect on attacks made by or against the unit that has it."""
    return _NO_EFFECT.fullmatch(" ".join(name.split())) is not None


def is_weapon_ability(rule: str, carried: Iterable[str] | None = None) -> bool:
    """Whether a rule is a weapon ability of the core rules, with or without its value."""
    key = _key(rule)
    match = _WEAPON_ABILITY.fullmatch(key)
    if match is None or carried is None:
        return match is not None
    keys = [_key(ability) for ability in carried]
    return key in keys or any(ability.startswith(f"{key} ") for ability in keys)


def _key(rule: str) -> str:
    return " ".join(rule.translate({0x2011: "-", 0x2010: "-"}).casefold().replace("-", " ").split())
