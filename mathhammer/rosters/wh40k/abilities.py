"""Defences out of rule names and ability texts: invulnerable saves, Feel No Pain, reduced Damage.

The 10th edition data gives none of them a field of its own. Feel No Pain is a rule whose name carries the
number; invulnerable saves are prose in some eight wordings, or the value alone. Only sentences that say the
plain thing and nothing else are read; whatever carries a condition stays an ability that is not computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.rosters.limits import shorten
from mathhammer.rosters.names import plain, singular
from mathhammer.systems.wh40k.profiles.keywords import FLAGS, VALUED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Profile

__all__ = [
    "Defence",
    "Reading",
    "is_weapon_ability",
    "moves_no_attack",
    "read_ability",
    "read_bodyguards",
    "read_feel_no_pain_rule",
    "same_subject",
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
        The field of :class:`mathhammer.wh40k.Target` it fills.
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
_AGAINST = r"(?: against (?P<against>ranged|melee) attacks(?: only)?)?"
_SENTENCES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "invulnerable",
        re.compile(rf"{_SUBJECT} ha(?:s|ve) an? (?P<value>[2-6]\+) invulnerable saves?{_AGAINST}"),
    ),
    (
        "invulnerable",
        re.compile(
            rf"{_SUBJECT} ha(?:s|ve) an invulnerable save(?: characteristic)? of (?P<value>[2-6]\+){_AGAINST}"
        ),
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
        "feel_no_pain",
        re.compile(rf"{_SUBJECT} ha(?:s|ve) an? (?P<value>[2-6]\+) feel no pain"),
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
    "model in this unit",
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
_SENTENCE_END = re.compile(r"(?<=\.)\s+|, (?=and (?:an? )?[2-6]\+ invulnerable save)")
_INVULNERABLE_NAME = re.compile(r"invulnerable save\b.*")
_FEEL_NO_PAIN_NAME = re.compile(r"feel no pain \(?([2-6]\+)\)?")
_NAMES_OF_VALUES = (
    (re.compile(r"invulnerable save(?: \(?([2-6]\+)\)?)?"), "this model has a {} invulnerable save"),
    (re.compile(r"feel no pain(?: \(?([2-6]\+)\)?)?"), "this model has the feel no pain {} ability"),
)
_VALUE = re.compile(r"[2-6]\+")
_SECOND_SAVE = re.compile(
    r"(?:this invulnerable save is improved to|and(?: an?)?) (?P<value>[2-6]\+)(?: invulnerable save)? "
    r"against (?P<against>ranged|melee) attacks"
)
_FOOTNOTE = re.compile(r"^[2-6]\+ ?\* ?(?=this |models? )")
_BODYGUARDS = re.compile(r"can (?:be attached to|lead) the following units?:(.*)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[■•▪;,]|\*+|\^\^|(?:^|(?<=\s))[-–](?=\s)")
_NOT_BY_NAME = re.compile(r"\b(?:excluding|including|keywords?)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\s\*?(?:This|You|If|While|When|Each|Note|In)\s")
_ARTICLE = re.compile(r"^(?:an?|the) ")
_ONE_OF_UNIT = re.compile(r"^this unit's (.+) model$")
_MOVES_NO_ATTACK = re.compile(
    r"deep strike|leader|support|infiltrators|lone operative|fights first|hover"
    r"|(?:scouts|deadly demise|firing deck)(?: .*)?"
)
_WEAPON_ABILITY = re.compile(
    rf"(?P<flag>{'|'.join(name.lower().replace('-', ' ') for name in FLAGS)})"
    rf"|(?P<valued>anti\b|{'|'.join(name.lower() for name in VALUED)})(?P<value> .+)?"
)


def moves_no_attack(rule: str) -> bool:
    """Whether a core rule of that name moves no attack made by or against the unit that has it.

    Examples
    --------
    >>> moves_no_attack("Deadly Demise D3"), moves_no_attack("Stealth")
    (True, False)
    """
    return _MOVES_NO_ATTACK.fullmatch(plain(rule)) is not None


def is_weapon_ability(rule: str, carried: Iterable[str] | None = None) -> bool:
    """Whether a rule is a weapon ability of the core rules, with or without its value.

    Examples
    --------
    >>> is_weapon_ability("Sustained Hits"), is_weapon_ability("Anti-"), is_weapon_ability("Assault Vehicle")
    (True, True, False)
    >>> is_weapon_ability("Sustained Hits", ["Sustained Hits 1"]), is_weapon_ability("Blast", ["Heavy"])
    (True, False)
    """
    key = _ability_key(rule)
    match = _WEAPON_ABILITY.fullmatch(key)
    if match is None or carried is None:
        return match is not None
    keys = [_ability_key(ability) for ability in carried]
    return key in keys or any(ability.startswith(f"{key} ") for ability in keys)


def _ability_key(rule: str) -> str:
    return " ".join(plain(rule).replace("-", " ").split())


def read_feel_no_pain_rule(rule: str) -> str | None:
    """Value of a rule named such as ``Feel No Pain 5+``; ``None`` for any other name.

    Examples
    --------
    >>> read_feel_no_pain_rule("Feel No Pain 5+"), read_feel_no_pain_rule("Feel No Pain 5+ (Prince only)")
    ('5+', None)
    """
    match = _FEEL_NO_PAIN_NAME.fullmatch(plain(rule))
    return match[1] if match else None


def read_bodyguards(text: str) -> tuple[str, ...]:
    """Return the units that a Leader ability says its model can be attached to; none if it does not list them.

    Examples
    --------
    >>> read_bodyguards("This model can be attached to the following units: ■ WARDENS ■ LAMPS You can do so twice.")
    ('WARDENS', 'LAMPS')
    >>> read_bodyguards("This unit can be attached to the following unit: - **Tyrant Guard**")
    ('Tyrant Guard',)
    """
    match = _BODYGUARDS.search(text)
    listed = [] if match is None else _SEPARATOR.split(_FURTHER.split(match[1])[0])
    if any(_NOT_BY_NAME.search(name) for name in listed):
        return ()
    return tuple(filter(None, (name.strip(" .") for name in listed)))


def read_ability(profile: Profile) -> Reading:
    """Read the defences that an ability grants without a condition.

    The text is read sentence by sentence as long as each is a plain grant; at the first that is not, reading
    stops, and the ability counts as not wholly understood.

    Examples
    --------
    >>> from mathhammer.rosters.tree import Profile
    >>> text = ("Description", "The bearer has a 4+ invulnerable save.")
    >>> shield = Profile("Shield", "Abilities", "", (text,))
    >>> read_ability(shield).defences
    (Defence(kind='invulnerable', value='4+', subject='the bearer'),)
    """
    name, text = plain(profile.name), plain(" ".join(text for _, text in profile.characteristics))
    text = _FOOTNOTE.sub("", _ONLY_FOR.sub("", " ".join(text.split())))
    text = _written_out(name, text.strip(". ")) or text
    doubtful = _INVULNERABLE_NAME.fullmatch(name) is not None
    defences: list[Defence] = []
    sentences = [sentence.rstrip(". ") for sentence in _SENTENCE_END.split(text) if sentence.strip(". ")]
    for number, sentence in enumerate(sentences):
        defence = _read_sentence(sentence) or _read_second_save(sentence, defences)
        if defence is None:
            rest = ". ".join(sentences[number:])
            if "no invulnerable sav" in rest:  # it is lost in the course of the battle
                defences.clear()
            doubt = f"{profile.name!r} says more than a plain save: {shorten(rest, 120)}" if doubtful else ""
            return Reading(tuple(defences), complete=False, doubt=doubt)
        defences.append(defence)
    if doubtful and not defences:
        return Reading((), complete=False, doubt=f"{profile.name!r} has no text")
    return Reading(tuple(defences), complete=bool(defences))


def _read_second_save(sentence: str, defences: list[Defence]) -> Defence | None:
    """Read a save against some attacks that is added to the one just read, for the same models."""
    match = _SECOND_SAVE.fullmatch(sentence)
    if match is None or not defences or defences[-1].kind != "invulnerable":
        return None
    return Defence("invulnerable", f"{match['value']} {match['against']}", defences[-1].subject)


def _written_out(name: str, text: str) -> str | None:
    """Return the sentence that a value is short for, where it stands alone in the text or in the name."""
    for pattern, sentence in _NAMES_OF_VALUES:
        match = pattern.fullmatch(name)
        values = {match[1] or text, text or match[1]} if match else set()
        value = values.pop() if len(values) == 1 else None
        if value and _VALUE.fullmatch(value):
            return sentence.format(value)
    return None


def same_subject(name: str, subject: str) -> bool:
    """Whether a text means the models of a name: ``"a Farseer"``, ``"the Avatar"``.

    Examples
    --------
    >>> [same_subject(name, "warlock") for name in ("A Warlock", "Warlocks", "Warlock Skyrunner")]
    [True, True, False]
    """
    return singular(_ARTICLE.sub("", plain(name))) == singular(subject)


def _read_sentence(sentence: str) -> Defence | None:
    for kind, pattern in _SENTENCES:
        match = pattern.fullmatch(sentence)
        if match is None:
            continue
        subject = match["subject"]
        if subject not in _OWNER | _WHOLE_UNIT:
            subject = _ONE_OF_UNIT.sub(r"\1", _ARTICLE.sub("", subject))
        if subject in _OWNER or subject in _WHOLE_UNIT or not _CONDITION.search(subject):
            found = match.groupdict()
            value = found.get("value") or "1"
            against = found.get("against")
            return Defence(kind, f"{value} {against}" if against else value, subject)
    return None
