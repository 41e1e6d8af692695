"""Texts of abilities made ready for reading: without markup, one spelling, cut into sentences and items."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

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
    r"scores? (?:a|an additional|\d) hit|re-roll (?!(?:the |an? |that |any |this |all |one )*(?:advance|charge|battle|leadership|test|hazard|d6|"
    r"desperate|deadly))|[+-]\d (?:s|a|ap|d|t|w|bs|ws|sv|insv)\b|\d\+ (?:sv|insv|bs|ws)\b|"
    r"\b(?:precision|lance|blast|heavy|(?<!teleport )assault|torrent|hazardous|indirect fire|pistol|extra attacks|conversion|"
    r"(?:rapid fire|melta|cleave) \w+) abilit|unmodified|\banti-|modifiers to (?!(?:this|that|its)[\w' ]* move)",
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
