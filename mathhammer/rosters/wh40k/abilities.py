"""Defences out of rule names and ability texts: invulnerable saves, Feel No Pain, reduced Damage.

The 10th edition data gives none of them a field of its own. Feel No Pain is a rule whose name carries the
number; invulnerable saves are prose in some eight wordings. Only sentences that say the plain thing and
nothing else are read; whatever carries a condition stays an ability that is not computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.rosters.names import plain
from mathhammer.systems.wh40k.keywords import FLAGS

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Profile

__all__ = [
    "Defence",
    "Reading",
    "is_weapon_ability",
    "moves_no_attack",
    "read_ability",
    "read_feel_no_pain_rule",
]

Kind = Literal[
    "invulnerable",
    "feel_no_pain",
    "feel_no_pain_mortal",
    "damage_reduction",
    "half_damage",
    "stealth",
    "deadly_demise",
]


@dataclass(frozen=True, slots=True)
class Defence:
    """A defence that an ability grants.

    Parameters
    ----------
    kind
        The field of :class:`mathhammer.wh40k.ModelGroup` it fills.
    value
        ``"4+"``, ``"5+ ranged"``, or ``"1"`` for what is not a save.
    subject
        Whom the text gives it to, in lower case: ``"this model"``, ``"models in this unit"``, a model's name.
    """

    kind: Kind
    value: str
    subject: str = "this model"

    @property
    def for_whole_unit(self) -> bool:
        """Whether all models of the unit have it."""
        return self.subject in _WHOLE_UNIT

    @property
    def for_owner(self) -> bool:
        """Whether the models that own the ability have it."""
        return self.subject in _OWNER

    def __str__(self) -> str:
        if self.kind == "invulnerable":
            return f"invulnerable save {self.value}"
        if self.kind in {"stealth", "deadly_demise"}:
            return f"{self.kind.replace('_', ' ').title()} {self.value}".rstrip()
        if self.kind == "damage_reduction":
            return f"-{self.value} Damage"
        if self.kind == "half_damage":
            return "half Damage"
        against = " against mortal wounds" if self.kind == "feel_no_pain_mortal" else ""
        return f"Feel No Pain {self.value}{against}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood of one ability.

    Parameters
    ----------
    defences
        The defences it grants plainly.
    complete
        Whether that is all it says.
    doubt
        Why a text that speaks of a save was not understood; empty if it was, or does not.
    """

    defences: tuple[Defence, ...]
    complete: bool
    doubt: str = ""


_SUBJECT = r"(?P<subject>[^.,:;]{1,60}?)"
_AGAINST = r"(?: against (?P<against>ranged|melee) attacks)?"
_SENTENCES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "invulnerable",
        re.compile(rf"{_SUBJECT} ha(?:s|ve) an? (?P<value>[2-6]\+) invulnerable saves?{_AGAINST}"),
    ),
    (
        "invulnerable",
        re.compile(rf"{_SUBJECT} ha(?:s|ve) an invulnerable save of (?P<value>[2-6]\+){_AGAINST}"),
    ),
    (
        "feel_no_pain_mortal",
        re.compile(
            rf"{_SUBJECT} ha(?:s|ve) (?:the )?feel no pain (?P<value>[2-6]\+)(?: ability)? "
            r"against mortal wounds"
        ),
    ),
    (
        "feel_no_pain",
        re.compile(rf"{_SUBJECT} ha(?:s|ve) (?:the )?feel no pain (?P<value>[2-6]\+)(?: ability)?"),
    ),
    (
        "damage_reduction",
        re.compile(
            r"each time an attack is allocated to (?P<subject>this model|the bearer|a model in this unit), "
            r"subtract (?P<value>1) from (?:the|that attack's) damage characteristic(?: of that attack)?"
        ),
    ),
    (
        "half_damage",
        re.compile(
            r"each time an attack is allocated to (?P<subject>this model|the bearer|a model in this unit), "
            r"halve (?:the|that attack's) damage characteristic(?: of that attack)?"
        ),
    ),
)
_OWNER = {"this model", "the bearer"}
_WHOLE_UNIT = {
    "models in this unit",
    "models in this units",
    "each model in this unit",
    "every model in this unit",
    "a model in this unit",
    "this unit",
    "models in the bearer's unit",
}
_CONDITION = re.compile(
    r"\b(?:while|once|if|until|when|whenever|unless|each|after|select|choose|or|not|except)\b"
)
_ONLY_FOR = re.compile(r"^[^.]{1,80} models? only\.?\s+")
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_INVULNERABLE_NAME = re.compile(r"invulnerable save\b[^0-9]*(?P<value>[2-6]\+)?(?P<condition>\*)?.*")
_FEEL_NO_PAIN_NAME = re.compile(r"feel no pain \(?([2-6]\+)\)?")
_MOVES_NO_ATTACK = re.compile(
    r"deep strike|leader|infiltrators|lone operative|fights first|hover"
    r"|(?:scouts|deadly demise|firing deck)(?: .*)?"
)
_WEAPON_ABILITIES = (
    *(name.lower().replace("-", " ") for name in FLAGS),
    "anti ",
    "melta",
    "rapid fire",
    "sustained hits",
)


def moves_no_attack(rule: str) -> bool:
    """Whether a core rule of that name moves no attack made by or against the unit that has it.

    Examples
    --------
    >>> moves_no_attack("Deadly Demise D3"), moves_no_attack("Stealth")
    (True, False)
    """
    return _MOVES_NO_ATTACK.fullmatch(plain(rule)) is not None


def is_weapon_ability(rule: str) -> bool:
    """Whether a rule is a weapon ability of the core rules, with or without its value.

    Examples
    --------
    >>> is_weapon_ability("Sustained Hits"), is_weapon_ability("Anti-"), is_weapon_ability("Feel No Pain 5+")
    (True, True, False)
    """
    return plain(rule).replace("-", " ").startswith(_WEAPON_ABILITIES)


def read_feel_no_pain_rule(rule: str) -> str | None:
    """Value of a rule named such as ``Feel No Pain 5+``; ``None`` for any other name.

    Examples
    --------
    >>> read_feel_no_pain_rule("Feel No Pain 5+"), read_feel_no_pain_rule("Feel No Pain 5+ (Prince only)")
    ('5+', None)
    """
    match = _FEEL_NO_PAIN_NAME.fullmatch(plain(rule))
    return match[1] if match else None


def read_ability(profile: Profile) -> Reading:
    """Read the defences that an ability grants without a condition.

    The text is read sentence by sentence as long as each is a plain grant; at the first that is not, reading
    stops, and the ability counts as not wholly understood.

    Parameters
    ----------
    profile
        A profile whose text is its first characteristic.

    Examples
    --------
    >>> from mathhammer.rosters.tree import Profile
    >>> text = ("Description", "The bearer has a 4+ invulnerable save.")
    >>> shield = Profile("Shield", "Abilities", "", (text,))
    >>> read_ability(shield).defences
    (Defence(kind='invulnerable', value='4+', subject='the bearer'),)
    """
    text = plain(" ".join(text for _, text in profile.characteristics))
    text = _ONLY_FOR.sub("", text.strip())
    named = _INVULNERABLE_NAME.fullmatch(plain(profile.name))
    defences: list[Defence] = []
    sentences = [sentence.rstrip(". ") for sentence in _SENTENCE_END.split(text) if sentence.strip(". ")]
    for number, sentence in enumerate(sentences):
        defence = _read_sentence(sentence)
        if defence is None:
            return Reading(tuple(defences), complete=False, doubt=_doubt(profile, sentences[number:], named))
        defences.append(defence)
    if named and not defences:
        if named["value"] and not named["condition"]:
            return Reading((Defence("invulnerable", named["value"]),), complete=True)
        return Reading((), complete=False, doubt=f"{profile.name!r} has no text")
    return Reading(tuple(defences), complete=bool(defences))


def _read_sentence(sentence: str) -> Defence | None:
    for kind, pattern in _SENTENCES:
        match = pattern.fullmatch(sentence)
        if match is None:
            continue
        subject = match["subject"]
        if subject in _OWNER or subject in _WHOLE_UNIT or not _CONDITION.search(subject):
            found = match.groupdict()
            value = found.get("value") or "1"
            against = found.get("against")
            return Defence(kind, f"{value} {against}" if against else value, subject)
    return None


def _doubt(profile: Profile, rest: list[str], named: re.Match[str] | None) -> str:
    if named:
        return f"{profile.name!r} says more than a plain save: {rest[0][:120]!r}"
    return ""
