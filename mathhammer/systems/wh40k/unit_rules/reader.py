"""From the text of an ability to effects: by its name, else word by word, and a word left spoils its sentence."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache
from string import capwords
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.systems.wh40k.profiles.keywords import FLAGS, VALUED
from mathhammer.systems.wh40k.unit_rules.phrases import Phrase, names_of, needles
from mathhammer.systems.wh40k.unit_rules.rule import SECTIONS, RuleCondition, RuleEffect, UnitRule, pattern_of
from mathhammer.systems.wh40k.unit_rules.sentence import Parse

if TYPE_CHECKING:
    from collections.abc import Iterable


_END = re.compile(r"(?<=[.;])\s+(?=[^\s])|(?<=[!?])\s+(?=[A-Z])|\n+")
_SAVE = re.compile(r"(?i)(?:feel no pain|(?P<save>invulnerable save)):?(?: \(?(?P<value>[2-6])\+\)?)?")
_TARGET = Phrase("", SECTIONS["target"][0], (), frozenset())
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
    key, alone = " ".join(name.split()), re.fullmatch(r"(?P<value>[2-6])\+\.?", text.strip())
    named = read_named(f"{key} {text}" if len(text) < 10 and key.casefold() == "deadly demise" else key)
    if named is not None:
        return named
    save = _SAVE.fullmatch(key)
    values = {match["value"] for match in (save, alone) if match and match["value"]}
    if save and len(values) == 1 and (alone or not text.strip()):
        what = "an invulnerable save of" if save["save"] else "Feel No Pain"
        return read_text(f"This model has {what} {values.pop()}+")
    if is_invulnerable_save(name) and alone:
        return Reading()
    text = pattern_of("above").sub("", text, count=1)
    once = re.search(r"(?i)\(once per [a-z, ]+\)", key)
    return read_text(f"{once[0]} {text}" if once else text)


def read_named(name: str) -> Reading | None:
    """Return the effects of a rule whose name says them; nothing for any other."""
    match = pattern_of("named").fullmatch(" ".join(name.split()))
    if match is None or (kind := match.lastgroup) is None:
        return None
    given = {"deadly_demise": match[kind].upper(), "feel_no_pain": (match[kind], "")}.get(kind)
    given = (int(given[0]), "") if isinstance(given, tuple) else given
    return Reading() if kind == "nothing" else Reading((RuleEffect("defence", kind, given, scope="model"),))


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
_REPAIRS = [
    (needles(pattern), re.compile(pattern, re.IGNORECASE), to)
    for pattern, to in (line.split(" => ") for line in SECTIONS["repairs"])
]
_LOWER = re.compile(rf"\b(?:{'|'.join(SECTIONS['keywords'])})\b")


def prepared(text: str) -> str:
    r"""Return a text in one spelling, its lines kept."""
    text = unicodedata.normalize("NFKC", text[: 2 * LONGEST]).translate(_TYPOGRAPHY)
    text = pattern_of("markup").sub("", text)
    text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    text = re.sub(r" +(?=[).,;:])", "", re.sub(r"(?<=\() +", "", re.sub(r"[^\S\n]+", " ", text)))
    text = re.sub(r"\b(?=\w*[A-Z]{3})[A-Z]*[a-z][A-Z]*\b", lambda keyword: keyword[0].upper(), text)
    for words, pattern, to in _REPAIRS:
        text = pattern.sub(to, text) if all(map(text.casefold().__contains__, words)) else text
    # Either of several abilities is selected, and what follows speaks of the selected one.
    if chosen := pattern_of("select").search(text):
        items = " or ".join(re.findall(r"\[[^\[\]]{1,40}\]", chosen["items"]))
        rest = pattern_of("selected").sub(f"the {items} ability", text[chosen.end() :])
        text = text[: chosen.start()] + chosen["to"] + rest
    return _LOWER.sub(lambda match: match[0].title(), pattern_of("notes").sub("", text))


def sentences(text: str) -> list[tuple[str, int, str]]:
    """Cut a prepared text into sentences, each with its heading; lines below one that ends in a colon are its items.

    The number of an item counts from 1; that of running text is 0. An empty one ends the items of an item.
    """
    lines: list[str] = []
    bullets, running, dice = map(pattern_of, ("bullet", "running", "dice"))
    for line in filter(None, map(str.strip, text.split("\n"))):
        broken = lines and (line[0].islower() or line[0] in "([,") and not lines[-1].endswith((".", ":"))
        if broken and not bullets.match(line):  # inside a sentence: the next line begins with a small letter
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    found: list[tuple[str, int, str]] = []
    item, listing, title, nested, announces = 0, False, "", "", False
    behind = [each for line, each in zip(lines, [*lines[1:], "-"], strict=True) if bullets.match(line)]
    heads = len(behind) > 1 and not any(map(bullets.match, behind))  # bullets stand before titles
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bullet = bullets.match(line)
        runs = len(line.split()) > 7 or line.endswith((".", ":", ";", ",", "?")) or line[0].islower()
        plain = (bullet and not heads) or runs or dice.search(line) or running.search(line)
        titles = following and not plain
        if nested and (titles or (bullet and bullet[0].strip() == nested)):
            found += [("", 0, "")] * (not announces)  # right below, it is an item with the mark of that above
            nested = ""
        if titles:
            title, item, listing = line[bullet.end() if bullet else 0 :], item + 1, False
            continue
        before = " ".join(part for part, *_ in found[-3:])
        if listing or (bullet and (item or pattern_of("announces").search(before))):
            item += 1
            listing = listing and not bullet
        body = line[bullet.end() :] if bullet else line
        announces, above = body.rstrip().endswith(":"), bullet[0].strip() if bullet else title
        if not (bullet or title) and (announces or not listing):
            item, title = 0, ""
        heading, _, rest = (part.strip() for part in body.partition(":"))
        runs = len(heading) > 59 or bool(dice.search(heading)) or bool(re.search(r"[.,]", heading))
        short = bullet or listing or len(heading.split()) < 7
        if rest and short and not (runs or running.search(heading)):
            offered = any(pattern_of("offered").search(part) for part, *_ in found)
            number = 1 + sum(1 for _, each, _ in found if each)
            result = int(pattern_of("threshold").fullmatch(heading) is not None)
            body, item = rest, item or (number if offered else result)
            heading = title if title and heading.casefold() in {"ability", "effect"} else heading
        else:
            heading = title
        found += [(part, item, heading) for part in map(str.strip, _END.split(body)) if part.strip(" .;")]
        if announces:
            item, listing, nested = 0, True, above
    return found


@lru_cache(maxsize=4096)
def read_text(text: str) -> Reading:
    """Return the effects of an ability, and what of it acts on dice and was not understood."""
    if len(text) > LONGEST:
        return Reading(unread=("text too long",))
    ready = prepared(text)
    start, used = Parse(), pattern_of("stratagem").match(ready)
    if used:  # on one friendly unit of the keywords that it names, as the player chooses
        target = _TARGET.match(used["target"].strip().replace("Unit", "unit"))
        start.when, start.that = (RuleCondition("friend"),), "friends"
        start.given = target.subject()[1] if target else ()
        start.take([("phase", used["when"], None)])
        ready = used["effect"].strip()
        if not target:  # units of which keywords are meant is not known
            ready = re.sub(r"(?i)\byour unit\b", "one of those units", ready)
    return _read(sentences(ready), start) if pattern_of("dice").search(ready) else Reading()


def read_stratagems(text: str) -> tuple[UnitRule, ...]:
    """Return the stratagems of a text: each its name and its cost on a line, then when, whom and what it does."""
    found = []
    for match in pattern_of("block").finditer(prepared(text)):
        effects, unread = read_text(match["what"])
        name = f"{capwords(match['name'].strip(' #-:'))} ({match['cost']} CP)"
        found.append(UnitRule(name, "army", "stratagem", effects, unread))
    return tuple(found)


def _read(parts: list[tuple[str, int, str]], start: Parse) -> Reading:  # noqa: C901, PLR0912, PLR0915 - sentence by sentence
    effects: list[RuleEffect] = []
    unread: list[str] = []
    since, before, parse, last, chooses = 0, "", start, (0, ""), ""  # of the item before: its start and text
    announced: Parse | None = None
    outer: tuple[Parse | None, bool] = None, False  # what announced items of which one has items of its own
    # A choice that was not understood is one of whatever follows.
    spoiled = announced_spoiled = chosen = begun = False
    for text, item, heading in parts:
        if not text:
            announced, announced_spoiled = outer
            continue
        if only := pattern_of("only").fullmatch(text):  # of a rule of the army, for what follows
            parse = start = replace(start, given=names_of(only["who"]))
            continue
        goes_on = (item, heading) == last and not _starts_anew(text)
        last = item, heading
        if item and not goes_on:
            parse, spoiled = replace(announced or start, text=text), announced_spoiled
            if chooses:
                ability = re.fullmatch(r"\[([^\[\]]{1,40})\]\.?", text)
                said = ability[1].title() if ability else str(item)
                label = re.sub(r"(?i)^(?:\d - |or$)", "", heading) or said
                kind = "state" if chooses == "states" else "choice"  # of states several can be in force
                parse.when = (*parse.when, RuleCondition(kind, (label,)))
            elif pattern_of("threshold").fullmatch(heading):
                parse.when = (*parse.when, RuleCondition("roll", (heading,)))
            if announced is not None and announced.scope == "friends":
                parse.given = announced.who or start.given or ()
            elif chooses == "enemy":  # to whom the item is given
                parse.text = re.sub(r"\bthis unit\b", "that enemy unit", text)
        elif not item and (
            _starts_anew(text) or (spoiled and re.match(r"(?i)while an? (?:enemy )?unit is\b", text))
        ):
            that = parse.that if parse.that == "led" else start.that
            parse, spoiled = replace(start, text=text, that=that), False
        else:
            parse = replace(parse, text=text)
        parse = parse.understood()
        if parse.chooses and ":" in text[:-1]:
            parse.unknown.append("choose")  # the items stand in the same sentence
        instead = {each.kind for each in parse.effects if each.instead}
        held = {each.kind for each in (*effects, *parse.effects) if not each.instead}
        if instead and held and not instead & held:
            parse.unknown.append("instead")  # of an effect of another kind, which would hold still
        if pattern_of("points").fullmatch(heading):  # which add up, and how many there are is not said
            parse.unknown.append("points")
        words = dict.fromkeys(word.casefold().strip("[ ") for word in pattern_of("dice").findall(text))
        # The first words of dice: what a rule that was not understood is about.
        about = [" ".join(list(filter(None, words))[:2]) or "dice"]
        keys = about if parse.unknown and not parse.effects and words else []
        offers = {"select", "activate"} & {*parse.unknown} and pattern_of("offers").search(text)
        chosen = bool(chosen or offers or "chosen" in parse.unknown)
        if spoiled or parse.unknown or chosen:
            unread += keys or [effect.kind.removesuffix("_allocated") for effect in parse.effects]
            spoiled = True
        else:
            if re.match(r"or\b", heading, re.IGNORECASE) and effects[since:]:
                _take_turns(effects, since, before, parse.effects, text)
            since, before = len(effects), text
            effects += parse.effects
        begun |= item > 0
        goes_on = bool(announced and not (begun or spoiled or parse.effects))
        announces = text.rstrip().endswith(":")
        chosen |= bool(item and chooses and announces)  # where an item with items of its own ends is not said
        if goes_on or parse.chooses or announces:
            outer = announced, announced_spoiled
            announced, announced_spoiled = parse, spoiled or bool(parse.effects)
            chooses = parse.chooses or chooses
    one_of: dict[object, set[RuleCondition]] = {}
    for effect in effects:
        alone = [each for each in effect.when if each.kind == "said"]
        if len(alone) == 1 and not effect.instead:
            one_of.setdefault((effect.kind, effect.attacks), set()).update(alone)
        rolls = (each for each in effect.when if each.kind == "roll" and each.value)
        one_of.setdefault("", set()).update(rolls)
    choices = {each for several in one_of.values() if len(several) > 1 for each in several}
    for place, effect in enumerate(effects):
        # One result excludes the others: they are items to choose from; an item of an item has the names of both.
        items = [each for each in effect.when if each in choices or each.kind == "choice"]
        if len(items) > 1 or choices.intersection(items):
            others = (each for each in effect.when if each not in items)
            label = ": ".join(each.value[0] for each in items[:2])
            effects[place] = replace(effect, when=(*others, RuleCondition("choice", (label,))))
    said = " ".join(text.casefold() for text, *_ in parts)
    if pattern_of("refused").search(said):  # which of it holds, and when, its sentences do not say
        unread, effects = [*unread, *(effect.kind for effect in effects)], []
    return Reading(tuple(effects), tuple(dict.fromkeys(unread)))


def _take_turns(
    effects: list[RuleEffect], since: int, before: str, others: list[RuleEffect], text: str
) -> None:
    """Let effects hold instead of those of the item before where they have a condition more, else as a choice."""
    held = {each for effect in effects[since:] for each in effect.when}
    kinds = {effect.kind for effect in effects[since:]}
    if all(set(effect.when) - held for effect in others) and kinds <= {effect.kind for effect in others}:
        others[:] = [replace(effect, instead=True) for effect in others]
        return
    for several, start, item in ((effects, since, before), (others, 0, text)):
        label = re.sub(r"\[([^\[\]]+)\]", lambda ability: ability[1].title(), item).strip(" .")
        choice = RuleCondition("choice", (label,))
        several[start:] = [
            effect
            if any(each.kind == "choice" for each in effect.when)
            else replace(effect, when=(*effect.when, choice))
            for effect in several[start:]
        ]


def _starts_anew(text: str) -> bool:
    """Whether a sentence stands for itself, so that no condition of the one before it holds."""
    if text.endswith(":") and not pattern_of("leans").search(text):
        return True
    if re.match(r"each time\b", text, re.IGNORECASE):  # then "that attack" is the one of this sentence
        text = re.sub(r"\b(?:that|those) (?:attacks?|weapons?)\b", "this one", text, flags=re.IGNORECASE)
    if pattern_of("own_unit").match(text):  # then "that unit" is
        text = re.sub(r"\bthat (?:friendly |enemy )?(?:unit|model)\b", "this one", text, flags=re.IGNORECASE)
    return pattern_of("leans").search(text) is None and pattern_of("fresh").match(text) is not None
