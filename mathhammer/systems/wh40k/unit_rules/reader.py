"""From the text of an ability to effects: by its name, else word by word, and a word left spoils its sentence."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.systems.wh40k.profiles.keywords import FLAGS, VALUED
from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect
from mathhammer.systems.wh40k.unit_rules.sentence import Context, Parse

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


#: Longest text that is read; the longest of real ones has some 2,500 characters.
LONGEST = 6_000

_TYPOGRAPHY = str.maketrans("’‘`“”″‐‑–—", "'''\"\"\"----", "\xad")
_MARKUP = re.compile(r"\^+|\*+|<[^<>]{0,200}>|_{2,}")
_BULLET = re.compile(r"^\s*(?:[■•▪▫◦●➤♦]|-{1,2}(?=[\s\w])|\d\)|[▶►])+\s*")
_NOTES = re.compile(r"designer'?s'? note.*|example:.*", re.IGNORECASE | re.DOTALL)
_REPAIRS = tuple(
    (re.compile(pattern, re.IGNORECASE), to)
    for pattern, to in (
        (r"\bre[- ]?roll", "re-roll"),
        (r"\bhalf[- ]strength", "half-strength"),
        (r"\bbattle[- ]shock", "battle-shock"),
        (r"\bform the (?=(?:hit|wound|damage))", "from the "),
        (r"\bunmodifed\b", "unmodified"),
        (r"\bmdel\b", "model"),
        (r"\bit that unit contains\b", "if that unit contains"),
        (r"\bunit the start\b", "until the start"),
        (r"\b(monster|vehicle|infantry|character|psyker|mounted)(or|and|units?|models?)\b", r"\1 \2"),
        (r"\b(hit|wound|damage|save|charge|advance) rolls?\b", r"\1 roll"),
        (r"\barmor\b", "armour"),
        (r"\bre-roll a hit of 1\b", "re-roll a hit roll of 1"),
    )
)
#: Keywords that some texts write in small letters.
_COMMON = (
    "infantry|vehicles?|monsters?|characters?|psykers?|titanic|walkers?|mounted|swarms?|beasts?|battleline|daemons?|"
    "chaos|imperium|transports?|epic hero(?:es)?|aircraft|fortifications?|towering|terminators?|cavalry|fly|"
    "imperial knights?|adeptus astartes|tyranids|orks|necrons|aeldari|warlords?|grenades"
)
_LOWER = re.compile(rf"\b(?:{_COMMON})\b")
_END = re.compile(r"(?<=[.;])\s+(?=[^\s])|(?<=[!?])\s+(?=[A-Z])|\n+")
_DICE = re.compile(
    r"\bhit roll|\bwound roll|damage roll|\bcritical|attacks? characteristic|attacks and (?:strength|damage)|"
    r"ballistic skill|weapon skill|(?<!starting )strength (?:and|characteristic|of)|armour penetration|\bap\b|"
    r"damage characteristic|feel no pain|invulnerable|toughness|wounds? characteristic|save characteristic|"
    r"saving throw|armour save|benefits? of cover|\bstealth\b|sustained hits|lethal hits|devastating wounds|"
    r"ignores cover|\[lance|\[precision|twin-linked|\[(?!legends|crucible|one shot)[a-z]|hits? (?:is|are) scored|"
    r"scores? (?:a|an additional|\d) hit|"
    r"re-roll (?!(?:the |an? |that |any |this |all |one )*(?:advance|charge|battle|leadership|test|hazard|d6|"
    r"desperate|deadly))|[+-]\d (?:s|a|ap|d|t|w|bs|ws|sv|insv)\b|\d\+ (?:sv|insv|bs|ws)\b|"
    r"\b(?:precision|lance|blast|heavy|(?<!teleport )assault|torrent|hazardous|indirect fire|pistol|"
    r"extra attacks|conversion|(?:rapid fire|melta|cleave) \w+) abilit|unmodified|\banti-|"
    r"modifiers to (?!(?:this|that|its)[\w' ]* move)",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """A sentence with its place: items stand below the line that announces them."""

    text: str
    item: int
    """0 for running text; from 1 on the number of the item of a list."""
    heading: str = ""

    @property
    def priced(self) -> bool:
        """Whether its heading says what it costs."""
        return _THRESHOLD.fullmatch(self.heading) is not None


def mentions_dice(text: str) -> bool:
    """Whether a text has a word of dice at all."""
    return _DICE.search(text) is not None


def dice_words(text: str) -> str:
    """Return the first words of dice in a text: what a rule that was not understood is about."""
    words = dict.fromkeys(word.casefold().strip("[ ") for word in _DICE.findall(text))
    return " ".join([word for word in words if word][:2]) or "dice"


def prepared(text: str) -> str:
    r"""Return a text in one spelling, its lines kept."""
    text = _MARKUP.sub("", unicodedata.normalize("NFKC", text[: 2 * LONGEST]).translate(_TYPOGRAPHY))
    decomposed = unicodedata.normalize("NFKD", text)
    text = "".join(char for char in decomposed if not unicodedata.combining(char))
    text = re.sub(r" +(?=[).,;:])", "", re.sub(r"(?<=\() +", "", re.sub(r"[^\S\n]+", " ", text)))
    for pattern, to in _REPAIRS:
        text = pattern.sub(to, text)
    return _LOWER.sub(lambda match: match[0].title(), _NOTES.sub("", text))


def sentences(text: str) -> list[Sentence]:
    """Cut a prepared text into sentences; lines below one that ends in a colon are its items."""
    found: list[Sentence] = []
    item, listing, title = 0, False, ""
    lines = _joined(text.split("\n"))
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bullet = _BULLET.match(line)
        if following and not bullet and _is_title(line):
            title, item, listing = line, item + 1, False
            continue
        if listing or (bullet and item):
            item += bool(bullet) or item == 0 or listing
            listing = listing and not bullet
        elif bullet and found and found[-1].text.endswith(":"):
            item += 1
        body = line[bullet.end() :] if bullet else line
        announces = body.rstrip().endswith(":")
        if not bullet and (announces or not (listing or title)):
            item, title = 0, ""
        heading, _, rest = body.partition(":")
        titled = (
            bool(rest.strip())
            and len(heading) < 60
            and not re.search(r"[.,]", heading)
            and not mentions_dice(heading)
        )
        if titled and (bullet or listing or len(heading.split()) < 7) and not _is_running(heading):
            body, item = rest.strip(), item or int(_THRESHOLD.fullmatch(heading.strip()) is not None)
        else:
            heading = title
        parts = [part.strip() for part in _END.split(body) if part.strip(" .;")]
        found += [Sentence(part, item, heading.strip()) for part in parts]
        if announces:
            item, listing = 0, True
    return found


#: What a gift of a table or a choice costs: points gained, points spent, dice of a roll.
_THRESHOLD = re.compile(r"\d+\+|.*\[\d+ ?[A-Z]+\]|(?:double|triple|quadruple) \d\+.*", re.IGNORECASE)
_RUNNING = re.compile(
    r"\b(?:is|are|has|have|can|following|it|until|each|if|make|select|select one)\b", re.IGNORECASE
)


def _is_title(line: str) -> bool:
    """Whether a line is the title of what stands below it."""
    short = len(line.split()) < 8 and not line.endswith((".", ":", ";", ",", "!", "?"))
    return short and not (line[0].islower() or mentions_dice(line) or _is_running(line))


def _is_running(heading: str) -> bool:
    """Whether what stands before a colon is a part of a sentence and no heading."""
    return _RUNNING.search(heading) is not None


def _joined(lines: list[str]) -> list[str]:
    """Join lines that were broken inside a sentence: the next one begins with a small letter."""
    found: list[str] = []
    for line in filter(None, (line.strip() for line in lines)):
        broken = found and (line[0].islower() or line[0] in "([,") and not found[-1].endswith((".", ":"))
        if broken and not _BULLET.match(line):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return found


_ITEM = re.compile(r"\[([^\[\]]{1,40})\]\.?")
_LOST = re.compile(r"no invulnerable sav", re.IGNORECASE)
_FRESH = re.compile(
    r"(?:each time|while|if|models? in|a model in|ranged weapons|melee weapons|weapons|this model|this unit|the bearer|"
    r"once per|in addition|"
    r"at the start|in your|in the|during|add|subtract|improve|you can|when|after|twice per|add 1)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:if it does|if you do|if so|if used|instead|that (?:friendly |enemy )?(?:unit|model)|as well|"
    r"until the(?! end of the battle)|those|that (?:attack|weapon)|"
    r"if passed|if this|this way|such|otherwise|the same|in this manner|that target|for each|its quarry|it has|they)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood of a text, and the dice words of what was not."""

    effects: tuple[RuleEffect, ...] = ()
    unread: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_text(text: str) -> Reading:
    """Return the effects of an ability, and what of it acts on dice and was not understood."""
    if len(text) > LONGEST:
        return Reading(unread=("text too long",))
    ready = prepared(text)
    return _read(sentences(ready)) if mentions_dice(ready) else Reading()


def _read(parts: list[Sentence]) -> Reading:  # noqa: C901, PLR0912 - sentence by sentence
    effects: list[RuleEffect] = []
    unread: list[str] = []
    context = Context()
    announced: Context | None = None
    spoiled = announced_spoiled = False
    chooses = False
    chosen = False  # a choice that was not understood is one of whatever follows
    for sentence in parts:
        if sentence.item:
            context, spoiled = replace(announced or Context()), announced_spoiled
            if chooses:
                label = sentence.heading or _ITEM.fullmatch(sentence.text)
                label = (
                    str(sentence.item) if not label else label if isinstance(label, str) else label[1].title()
                )
                context.when = (*context.when, RuleCondition("choice", (label,)))
            elif sentence.priced:
                context.when = (*context.when, RuleCondition("roll", (sentence.heading,)))
            if announced is not None and announced.scope == "friends":
                context.given = announced.who
        elif _starts_anew(sentence.text):
            context, spoiled = Context(that=context.that if context.that == "led" else ""), False
        parse = Parse(sentence.text, replace(context))
        parse.read()
        if parse.chooses and ":" in sentence.text[:-1]:
            parse.unknown.append("choose")  # the items stand in the same sentence
        not_read = parse.unknown and not parse.effects and mentions_dice(sentence.text)
        keys = [dice_words(sentence.text)] if not_read else []
        chosen = chosen or "select" in parse.unknown
        if spoiled or parse.unknown or chosen:
            unread += keys or [effect.kind.removesuffix("_allocated") for effect in parse.effects]
            spoiled = True
        else:
            effects += parse.effects
            unread += keys
        context = parse.context
        goes_on = announced is not None and not (sentence.item or spoiled or parse.effects)
        if goes_on or parse.chooses or sentence.text.rstrip().endswith(":"):
            announced, announced_spoiled = replace(context), spoiled
            chooses = chooses or parse.chooses
            if parse.effects:
                announced_spoiled = True
    rolls = {each.value for effect in effects for each in effect.when if each.kind == "roll" and each.value}
    if len(rolls) > 1:  # one result excludes the others
        effects = [replace(effect, when=_as_choices(effect.when)) for effect in effects]
    if unread and any(
        _LOST.search(sentence.text) for sentence in parts
    ):  # it is lost in the course of the battle
        effects = [effect for effect in effects if effect.kind != "invulnerable"]
    return Reading(tuple(effects), tuple(dict.fromkeys(unread)))


def _as_choices(conditions: tuple[RuleCondition, ...]) -> tuple[RuleCondition, ...]:
    """Return conditions with the results of a roll as items to choose from."""
    others = tuple(each for each in conditions if each.kind != "roll")
    results = (
        RuleCondition("choice", each.value) for each in conditions if each.kind == "roll" and each.value
    )
    return (*others, *results)


def _starts_anew(text: str) -> bool:
    """Whether a sentence stands for itself, so that no condition of the one before it holds."""
    if text.endswith(":") and not _LEANS.search(text):
        return True
    if re.match(r"each time\b", text, re.IGNORECASE):  # then "that attack" is the one of this sentence
        text = re.sub(r"\b(?:that|those) (?:attacks?|weapons?)\b", "this one", text, flags=re.IGNORECASE)
    return _LEANS.search(text) is None and _FRESH.match(text) is not None
