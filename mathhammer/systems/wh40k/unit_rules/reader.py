"""From the text of an ability to effects: by its name, else word by word, and a word left spoils its sentence."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.systems.wh40k.profiles.keywords import FLAGS, VALUED
from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect
from mathhammer.systems.wh40k.unit_rules.sentence import Parse

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Names of rules that say what they do, in groups of that name.
_NAMED = re.compile(
    r"(?i)(?P<stealth>stealth)|feel no pain \(?(?P<feel_no_pain>[2-6])\+\)?"
    r"|deadly demise (?P<deadly_demise>[1-9]\d{0,2}|(?:[1-9]\d?)?d[36](?:\+\d{1,2})?)"
    r"|(?P<nothing>deep strike|leader|support|attached unit|infiltrators|lone operative|fights first|hover"
    r"|unit composition|(?:scouts|firing deck)(?: .*)?|deadly demise)"
)
_SAVE = re.compile(r"(?i)(?:feel no pain|(?P<save>invulnerable save)):?(?: \(?(?P<value>[2-6])\+\)?)?")
_VALUE = re.compile(r"(?P<value>[2-6])\+\.?")
_ABOVE = re.compile(r"(?i)^(?:[^.\n]{1,80} models? only\.?\s+)?(?:\s*[2-6]\+\s*\*?\s*(?=this |models? |\*))?")
_WEAPON_ABILITY = re.compile(
    rf"{'|'.join(name.lower().replace('-', ' ') for name in FLAGS)}"
    rf"|(?:anti\b|{'|'.join(name.lower() for name in VALUED)})(?: .+)?"
)


class Reading(NamedTuple):
    """What was understood of a text, and the dice words of what was not."""

    effects: tuple[RuleEffect, ...] = ()
    unread: tuple[str, ...] = ()


def read_rule(name: str, text: str) -> Reading:
    """Return the effects of a rule by its name, where that says them, else by its text."""
    key, alone = " ".join(name.split()), _VALUE.fullmatch(text.strip())
    named = read_named(f"{key} {text}" if len(text) < 10 and key.casefold() == "deadly demise" else key)
    if named is not None:
        return named
    save = _SAVE.fullmatch(key)
    values = {match["value"] for match in (save, alone) if match and match["value"]}
    if save and len(values) == 1 and (alone or not text.strip()):
        return _of_model("invulnerable" if save["save"] else "feel_no_pain", int(values.pop()))
    if is_invulnerable_save(name) and alone:
        return Reading()
    return read_text(_ABOVE.sub("", text, count=1))


def read_named(name: str) -> Reading | None:
    """Return the effects of a rule whose name says them; nothing for any other."""
    match = _NAMED.fullmatch(" ".join(name.split()))
    kind = match.lastgroup if match else None
    if match is None or kind is None:
        return None
    said = {"deadly_demise": match[kind].upper(), "feel_no_pain": match[kind]}.get(kind)
    return Reading() if kind == "nothing" else _of_model(kind, said)


def _of_model(kind: str, value: str | int | None) -> Reading:
    """Return an effect on its owner alone."""
    given = (int(value or 0), "") if kind == "feel_no_pain" else value
    return Reading((RuleEffect("defence", kind, given, scope="model"),))


def is_invulnerable_save(name: str) -> bool:
    """Whether a rule has the name of an invulnerable save."""
    return re.match(r"(?i)invulnerable save\b.*$", name.strip()) is not None


def has_no_effect(name: str) -> bool:
    """Whether a core rule of that name has no effect on attacks made by or against the unit that has it."""
    return read_named(name) == Reading()


def is_weapon_ability(rule: str, carried: Iterable[str] | None = None) -> bool:
    """Whether a rule is a weapon ability of the core rules, with or without its value."""
    key, *known = (
        " ".join(name.replace("\u2011", "-").replace("\u2010", "-").casefold().replace("-", " ").split())
        for name in (rule, *(carried or ()))
    )
    named = _WEAPON_ABILITY.fullmatch(key) is not None
    return named and (carried is None or any(f"{each} ".startswith(f"{key} ") for each in known))


#: Longest text that is read; the longest of real ones has some 2,500 characters.
LONGEST = 6_000

_TYPOGRAPHY = str.maketrans("’‘`“”″‐‑–—", "'''\"\"\"----", "\xad")
_MARKUP = re.compile(r"\^+|\*+|<[^<>]{0,200}>|_{2,}")
_BULLET = re.compile(r"^\s*(?:[■•▪▫◦●➤♦]|-{1,2}(?=[\s\w])|\d\)|[▶►])+\s*")
_NOTES = re.compile(r"designer'?s'? note.*|example:.*", re.IGNORECASE | re.DOTALL)
_REPAIRS = {
    re.compile(r"(?i)\bre[- ]?roll"): r"re-roll",
    re.compile(r"(?i)\bhalf[- ]strength"): r"half-strength",
    re.compile(r"(?i)\bbattle[- ]shock"): r"battle-shock",
    re.compile(r"(?i)\bform the (?=(?:hit|wound|damage))"): r"from the ",
    re.compile(r"(?i)\bunmodifed\b"): r"unmodified",
    re.compile(r"(?i)\bmdel\b"): r"model",
    re.compile(r"(?i)\bit that unit contains\b"): r"if that unit contains",
    re.compile(r"(?i)\bunit the start\b"): r"until the start",
    re.compile(
        r"(?i)\b(monster|vehicle|infantry|character|psyker|mounted)(or|and|units?|models?)\b"
    ): r"\1 \2",
    re.compile(r"(?i)\b(hit|wound|damage|save|charge|advance) rolls?\b"): r"\1 roll",
    re.compile(r"(?i)\barmor\b"): r"armour",
    re.compile(r"(?i)\bre-roll a hit of 1\b"): r"re-roll a hit roll of 1",
}
#: Keywords that some texts write in small letters.
_LOWER = re.compile(
    r"\b(?:infantry|vehicles?|monsters?|characters?|psykers?|titanic|walkers?|mounted|swarms?|beasts?|battleline|daemons?|"
    r"chaos|imperium|transports?|epic hero(?:es)?|aircraft|fortifications?|towering|terminators?|cavalry|fly|"
    r"imperial knights?|adeptus astartes|tyranids|orks|necrons|aeldari|warlords?|grenades)\b"
)
_END = re.compile(r"(?<=[.;])\s+(?=[^\s])|(?<=[!?])\s+(?=[A-Z])|\n+")
_DICE = re.compile(
    r"(?i)\bhit roll|\bwound roll|damage roll|\bcritical|attacks? characteristic|attacks and (?:strength|damage)|"
    r"ballistic skill|weapon skill|(?<!starting )strength (?:and|characteristic|of)|armour penetration|\bap\b|"
    r"damage characteristic|feel no pain|invulnerable|toughness|wounds? characteristic|save characteristic|"
    r"saving throw|armour save|benefits? of cover|\bstealth\b|sustained hits|lethal hits|devastating wounds|"
    r"ignores cover|\[lance|\[precision|twin-linked|\[(?!legends|crucible|one shot)[a-z]|hits? (?:is|are) scored|"
    r"scores? (?:a|an additional|\d) hit|"
    r"re-roll (?!(?:the |an? |that |any |this |all |one )*(?:advance|charge|battle|leadership|test|hazard|d6|"
    r"desperate|deadly))|[+-]\d to (?:hit|wound)|[+-]\d (?:s|a|ap|d|t|w|bs|ws|sv|insv)\b|\d\+ (?:sv|insv|bs|ws)\b|"
    r"\b(?:precision|lance|blast|heavy|(?<!teleport )assault|torrent|hazardous|indirect fire|pistol|"
    r"extra attacks|conversion|(?:rapid fire|melta|cleave) \w+) abilit|unmodified|\banti-|"
    r"modifiers to (?!(?:this|that|its)[\w' ]* move)"
)


def mentions_dice(text: str) -> bool:
    """Whether a text has a word of dice at all."""
    return _DICE.search(text) is not None


def prepared(text: str) -> str:
    r"""Return a text in one spelling, its lines kept."""
    text = _MARKUP.sub("", unicodedata.normalize("NFKC", text[: 2 * LONGEST]).translate(_TYPOGRAPHY))
    decomposed = unicodedata.normalize("NFKD", text)
    text = "".join(char for char in decomposed if not unicodedata.combining(char))
    text = re.sub(r" +(?=[).,;:])", "", re.sub(r"(?<=\() +", "", re.sub(r"[^\S\n]+", " ", text)))
    for pattern, to in _REPAIRS.items():
        text = pattern.sub(to, text)
    return _LOWER.sub(lambda match: match[0].title(), _NOTES.sub("", text))


def sentences(text: str) -> list[tuple[str, int, str]]:
    """Cut a prepared text into sentences, each with its heading; lines below one that ends in a colon are its items.

    The number of an item counts from 1; that of running text is 0.
    """
    lines: list[str] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        broken = lines and (line[0].islower() or line[0] in "([,") and not lines[-1].endswith((".", ":"))
        if broken and not _BULLET.match(line):  # inside a sentence: the next line begins with a small letter
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    found: list[tuple[str, int, str]] = []
    item, listing, title = 0, False, ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bullet = _BULLET.match(line)
        runs = len(line.split()) > 7 or line.endswith((".", ":", ";", ",", "!", "?")) or line[0].islower()
        if following and not (bullet or runs or mentions_dice(line) or _RUNNING.search(line)):
            title, item, listing = line, item + 1, False
            continue
        if listing or (bullet and (item or (found and found[-1][0].endswith(":")))):
            item += 1
            listing = listing and not bullet
        body = line[bullet.end() :] if bullet else line
        announces = body.rstrip().endswith(":")
        if not bullet and (announces or not (listing or title)):
            item, title = 0, ""
        heading, _, rest = (part.strip() for part in body.partition(":"))
        runs = len(heading) > 59 or mentions_dice(heading) or bool(re.search(r"[.,]", heading))
        short = bullet or listing or len(heading.split()) < 7
        if rest and short and not (runs or _RUNNING.search(heading)):
            body, item = rest, item or int(_THRESHOLD.fullmatch(heading) is not None)
        else:
            heading = title
        found += [(part, item, heading) for part in map(str.strip, _END.split(body)) if part.strip(" .;")]
        if announces:
            item, listing = 0, True
    return found


#: What a gift of a table or a choice costs: points gained, points spent, dice of a roll.
_THRESHOLD = re.compile(r"(?i)\d+\+|.*\[\d+ ?[A-Z]+\]|(?:double|triple|quadruple) \d\+.*")
_RUNNING = re.compile(r"(?i)\b(?:is|are|has|have|can|following|it|until|each|if|make|select|select one)\b")
_FRESH = re.compile(
    r"(?i)(?:each time|while|if|models? in|a model in|(?:ranged |melee )?weapons|this model|this unit|the bearer|"
    r"once per|in addition|at the start|in your|in the|during|add|subtract|improve|you can|when|after|twice per)\b"
)
_LEANS = re.compile(
    r"(?i)\b(?:if it does|if you do|if so|if used|instead|that (?:friendly |enemy )?(?:unit|model)|as well|"
    r"until the(?! end of the battle)|those|that (?:attack|weapon)|"
    r"if passed|if this|this way|such|otherwise|the same|in this manner|that target|for each|its quarry|it has|they)\b"
)


@lru_cache(maxsize=4096)
def read_text(text: str) -> Reading:
    """Return the effects of an ability, and what of it acts on dice and was not understood."""
    if len(text) > LONGEST:
        return Reading(unread=("text too long",))
    ready = prepared(text)
    return _read(sentences(ready)) if mentions_dice(ready) else Reading()


def _read(parts: list[tuple[str, int, str]]) -> Reading:  # noqa: C901, PLR0912 - sentence by sentence
    effects: list[RuleEffect] = []
    unread: list[str] = []
    parse = Parse()
    announced: Parse | None = None
    spoiled = announced_spoiled = False
    chooses = False
    chosen = False  # a choice that was not understood is one of whatever follows
    for text, item, heading in parts:
        if item:
            parse, spoiled = replace(announced or Parse(), text=text), announced_spoiled
            if chooses:
                ability = re.fullmatch(r"\[([^\[\]]{1,40})\]\.?", text)
                label = heading or (ability[1].title() if ability else str(item))
                parse.when = (*parse.when, RuleCondition("choice", (label,)))
            elif _THRESHOLD.fullmatch(heading):
                parse.when = (*parse.when, RuleCondition("roll", (heading,)))
            if announced is not None and announced.scope == "friends":
                parse.given = announced.who
        elif _starts_anew(text):
            parse, spoiled = Parse(text, that=parse.that if parse.that == "led" else ""), False
        else:
            parse = replace(parse, text=text)
        parse.read()
        if parse.chooses and ":" in text[:-1]:
            parse.unknown.append("choose")  # the items stand in the same sentence
        words = dict.fromkeys(word.casefold().strip("[ ") for word in _DICE.findall(text))
        # The first words of dice: what a rule that was not understood is about.
        said = " ".join([word for word in words if word][:2]) or "dice"
        keys = [said] if parse.unknown and not parse.effects and words else []
        chosen = chosen or "select" in parse.unknown
        if spoiled or parse.unknown or chosen:
            unread += keys or [effect.kind.removesuffix("_allocated") for effect in parse.effects]
            spoiled = True
        else:
            effects += parse.effects
        goes_on = announced and not (item or spoiled or parse.effects)
        if goes_on or parse.chooses or text.rstrip().endswith(":"):
            announced, announced_spoiled = parse, spoiled or bool(parse.effects)
            chooses = chooses or bool(parse.chooses)
    rolls = {each for effect in effects for each in effect.when if each.kind == "roll" and each.value}
    for place, effect in enumerate(effects if len(rolls) > 1 else ()):
        # One result excludes the others: they are items to choose from.
        others = [each for each in effect.when if each.kind != "roll"]
        results = [replace(each, kind="choice") for each in effect.when if each in rolls]
        effects[place] = replace(effect, when=(*others, *results))
    if unread and any("no invulnerable sav" in text.casefold() for text, *_ in parts):
        # It is lost in the course of the battle.
        effects = [effect for effect in effects if effect.kind != "invulnerable"]
    return Reading(tuple(effects), tuple(dict.fromkeys(unread)))


def _starts_anew(text: str) -> bool:
    """Whether a sentence stands for itself, so that no condition of the one before it holds."""
    if text.endswith(":") and not _LEANS.search(text):
        return True
    if re.match(r"each time\b", text, re.IGNORECASE):  # then "that attack" is the one of this sentence
        text = re.sub(r"\b(?:that|those) (?:attacks?|weapons?)\b", "this one", text, flags=re.IGNORECASE)
    return _LEANS.search(text) is None and _FRESH.match(text) is not None
