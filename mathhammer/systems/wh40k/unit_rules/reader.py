"""From the text of an ability to effects: phrases are consumed word by word, and a word left spoils its sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from mathhammer.systems.wh40k.unit_rules.effects import EFFECTS, OTHERS
from mathhammer.systems.wh40k.unit_rules.phrases import CONDITIONS, Phrase, Token
from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect
from mathhammer.systems.wh40k.unit_rules.subjects import names_of, subject
from mathhammer.systems.wh40k.unit_rules.text import (
    LONGEST,
    Sentence,
    dice_words,
    moves_dice,
    prepared,
    sentences,
)

__all__ = ["Reading", "read_text"]

#: Words that say nothing by themselves.
_FILLERS = frozenset(
    word
    for line in (
        "a abilities ability addition also an and any are as at attack attacks both but by can do does",
        "each enemy following for has have in is it its made may model models of on one or phase",
        "resolving roll rolls so such target targeting targets that the their them then these they this",
        "those to unit units until weapon weapons well when which while with you your",
    )
    for word in line.split()
)
_ITEM = re.compile(r"\[([^\[\]]{1,40})\]\.?")
#: Effects that are the same whoever of the unit has them.
_ANYBODY = frozenset(("overwatch", "set_to_6", "reroll_one"))
_MAKES = re.compile(r"(?:or )?makes? an?\b", re.IGNORECASE)
_LOST = re.compile(r"no invulnerable sav", re.IGNORECASE)
_WORD = re.compile(r"\s*(?:[\w'\"+/-]+|\S)")
_PUNCTUATION = frozenset(",.;:()!?-")
_FRESH = re.compile(
    r"(?:each time|while|if|models? in|a model in|ranged weapons|melee weapons|weapons|this model|this unit|the bearer|"
    r"once per|in addition|"
    r"at the start|in your|in the|during|add|subtract|improve|you can|when|after|twice per|add 1)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:if it does|if you do|if so|if used|instead|that (?:friendly |enemy )?(?:unit|model)|as well|"
    r"until the|those|that (?:attack|weapon)|"
    r"if passed|if this|this way|such|otherwise|the same|in this manner|that target|for each|its quarry|it has|they)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:(?<!battle )for (?:each|every)|to a maximum|up to a maximum|unless|equal to|number of|D3 to|D6 to|"
    r"\bper\b (?!battle|turn|phase)|chosen from|"
    r"if failed|otherwise|cumulative|instead of making|not including|rather than|one at random|randomly)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood of a text, and the dice words of what was not."""

    effects: tuple[RuleEffect, ...] = ()
    unread: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(slots=True)
class _Context:
    """What holds where the next effect stands."""

    side: str = "attack"
    attacks: str = "any"
    weapons: tuple[str, ...] = ()
    scope: str = ""
    who: tuple[str, ...] = ()
    when: tuple[RuleCondition, ...] = ()
    that: str = ""
    phase: str = ""
    until: str = ""
    event: bool = False
    choice: str = ""


@dataclass(slots=True)
class _Parse:
    """One sentence while it is read."""

    context: _Context
    effect_phrases: tuple[Phrase, ...] = ()
    others: tuple[Phrase, ...] = ()
    conditions: tuple[Phrase, ...] = ()
    effects: list[RuleEffect] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    since: int = 0
    pending: list[RuleCondition] = field(default_factory=list)
    instead: bool = False
    chooses: bool = False
    targeted: bool = False
    base: tuple[RuleCondition, ...] = ()
    gap: str = ""
    end: int = 0
    new_clause: bool = False

    def gap_breaks(self) -> bool:
        """Whether the effect just made begins a clause of its own."""
        before, self.new_clause = self.new_clause, False
        return before or len(self.effects) == 1


@lru_cache(maxsize=4096)
def read_text(text: str) -> Reading:
    """Return the effects of an ability, and what of it acts on dice and was not understood."""
    if len(text) > LONGEST:
        return Reading(unread=("text too long",))
    ready = prepared(text)
    return _read(sentences(ready)) if moves_dice(ready) else Reading()


def _read(parts: list[Sentence]) -> Reading:  # noqa: C901 - sentence by sentence
    effects: list[RuleEffect] = []
    unread: list[str] = []
    context = _Context()
    announced: _Context | None = None
    spoiled = announced_spoiled = False
    chooses = False
    words: list[str] = []
    chosen = False  # a choice that was not understood is one of whatever follows
    for sentence in parts:
        if sentence.item:
            context, spoiled = _copy(announced or _Context()), announced_spoiled
            if chooses:
                label = sentence.heading or _ITEM.fullmatch(sentence.text)
                label = (
                    str(sentence.item) if not label else label if isinstance(label, str) else label[1].title()
                )
                context.when = (*context.when, RuleCondition("choice", (label,)))
        elif _starts_anew(sentence.text):
            context, spoiled = _Context(that=context.that if context.that == "led" else ""), False
        parse = _sentence(sentence.text, context)
        dice = bool(parse.effects) or bool(parse.keys)
        words += parse.unknown
        chosen = chosen or "select" in parse.unknown
        if spoiled or parse.unknown or chosen:
            if dice:
                unread += parse.keys or [effect.kind for effect in parse.effects]
            spoiled = True
        else:
            effects += parse.effects
            unread += parse.keys
        context = parse.context
        if parse.chooses or sentence.text.rstrip().endswith(":"):
            announced, announced_spoiled = _copy(context), spoiled
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
    return Reading(tuple(effects), tuple(dict.fromkeys(unread)), tuple(words))


def _as_choices(conditions: tuple[RuleCondition, ...]) -> tuple[RuleCondition, ...]:
    """Return conditions with the results of a roll as items to choose from."""
    others = tuple(each for each in conditions if each.kind != "roll")
    results = (
        RuleCondition("choice", each.value) for each in conditions if each.kind == "roll" and each.value
    )
    return (*others, *results)


def _copy(context: _Context) -> _Context:
    return replace(context)


def _starts_anew(text: str) -> bool:
    """Whether a sentence stands for itself, so that no condition of the one before it holds."""
    if re.match(r"each time\b", text, re.IGNORECASE):  # then "that attack" is the one of this sentence
        text = re.sub(r"\b(?:that|those) (?:attacks?|weapons?)\b", "this one", text, flags=re.IGNORECASE)
    return _LEANS.search(text) is None and _FRESH.match(text) is not None


def _at_hand(table: tuple[Phrase, ...], small: str) -> tuple[Phrase, ...]:
    """Return the phrases whose words a sentence holds at all."""
    return tuple(phrase for phrase in table if phrase.needle in small)


def _sentence(text: str, context: _Context) -> _Parse:  # noqa: C901 - word by word
    small = text.casefold()
    parse = _Parse(
        _copy(context), _at_hand(EFFECTS, small), _at_hand(OTHERS, small), _at_hand(CONDITIONS, small)
    )
    if _NEVER.search(text):
        parse.unknown.append("number")
    place = 0
    either = False
    while place < len(text):
        char = text[place]
        if char.isspace():
            place += 1
            continue
        before = len(parse.effects)
        end = _phrase(text, place, parse)
        if end is None and char in _PUNCTUATION:
            place += 1
            continue
        if either and (len(parse.effects) > before or _MAKES.match(text, place)):
            parse.unknown.append("or")  # one or the other: which of them is not the reader's to say
        if end is not None:
            either = False
        either = either or text[place : place + 3].casefold() == "or "
        if end is None:
            word = _WORD.match(text, place)
            end = word.end() if word else place + 1
            token = text[place:end].strip()
            if token.casefold() == "instead":
                _mark_instead(parse)
            elif token.casefold() not in _FILLERS:
                parse.unknown.append(token)
        place = end
    _finish(parse)
    if parse.chooses and ":" in text[:-1]:
        parse.unknown.append("choose")  # the items stand in the same sentence
    if parse.unknown and not parse.effects and moves_dice(text):
        parse.keys.append(_key(text))
    return parse


def _key(text: str) -> str:
    """Return a short key of the dice words of a sentence that was not understood."""
    return dice_words(text)


def _phrase(text: str, place: int, parse: _Parse) -> int | None:
    """Take the longest phrase at a place, effects first; return where it ends, or nothing where there is none."""
    for phrase in parse.effect_phrases:
        match = phrase.match(text, place)
        if match and match.end() > place and (tokens := phrase.make(match)):
            _forward(parse)
            if any(
                match.groupdict().get(group)
                for group in ("named", "model", "some", "unit", "friends", "picked", "that")
            ):
                _take(Token("perhaps who", *subject(match)), parse)
            for token in tokens:
                _take(token, parse)
            parse.end = match.end()
            return match.end()
    for phrase in parse.others:
        match = phrase.match(text, place)
        if match and match.end() > place:
            return match.end()
    found = [
        (match.end(), phrase.make, match)
        for phrase in parse.conditions
        if (match := phrase.match(text, place))
    ]
    found = [each for each in found if each[0] > place]
    if not found:
        return None
    end, make, match = max(found, key=lambda each: each[0])
    parse.gap = text[parse.end : place]
    for token in make(match):
        _take(token, parse)
    return end


def _forward(parse: _Parse) -> None:
    """Let what was said since the last effect hold for the next one."""
    if parse.pending:
        parse.new_clause = True
    parse.context.when = (*parse.context.when, *parse.pending)
    parse.pending = []


def _take(token: Token, parse: _Parse) -> None:  # noqa: C901, PLR0912, PLR0915 - one case for each kind of token
    """Let a token change the context, or make an effect of it."""
    context = parse.context
    kind, value, more = token
    match kind:
        case "event":
            if not context.event:
                parse.base = context.when
            elif parse.effects:
                context.when = parse.base
            parse.new_clause = bool(parse.effects)
            context.side, context.attacks, context.weapons, context.event = str(value), str(more), (), True
        case "who":
            _subject(str(value), more, parse)
        case "perhaps who":
            if not context.scope and (
                value in {"model", "unit"} or context.that in {"led", "unit", "friends"}
            ):
                _subject(str(value), more, parse)
        case "that":
            context.that = str(value)
        case "kind":
            context.attacks = context.attacks if value == "any" else str(value)
        case "weapons":
            _weapons(value, parse)
        case "against":
            _against(str(value), parse)
        case "pain":
            _pain(str(value), parse)
        case "target":
            parse.targeted = True
            context.that = context.that if context.that == "led" else "target"
        case "marked":
            if not any(each.kind == "marked" for each in context.when):
                _condition(RuleCondition("marked"), parse)
        case "if":
            _condition(_meant(str(value), more, parse), parse)
        case "phase":
            _phase(str(value), parse)
        case "until":
            context.until = str(value)
        case "select":
            _select(str(value), str(more), parse)
        case "choose":
            parse.chooses = True
        case "choice":
            context.choice = str(value) or context.choice
        case "excluding":
            _excluding(tuple(value), parse)  # type: ignore[arg-type]
        case "last same":
            _same_as_before(parse)
        case "last kind" | "last weapons" | "last who":
            _limit_last(kind, value, more, parse)
        case "effect":
            _emit(str(value), more, "", parse)
        case _:
            _emit(str(value), more, kind, parse)


def _meant(kind: str, names: Any, parse: _Parse) -> RuleCondition:
    """Return a condition; what is true of a fresh target is not true of one's own unit."""
    if kind == "target_intact" and not parse.targeted:
        kind = "own_strength"
    if kind == "losses" and parse.targeted:
        kind = "target_losses"
    return RuleCondition(kind, tuple(names))


def _condition(condition: RuleCondition, parse: _Parse) -> None:
    """Let a condition hold for the effects before it, where it ends their clause, else for those behind it."""
    if condition in parse.context.when:
        return
    if condition.kind == "roll" and condition.value:  # another result of the same roll
        parse.context.when = tuple(each for each in parse.context.when if each.kind != "roll")
    if parse.effects and parse.since < len(parse.effects):
        if re.search(r"[,;(]|\band\b|\bif\b", parse.gap) is None and not parse.gap.strip().startswith("if"):
            parse.effects[parse.since :] = [
                replace(effect, when=(*effect.when, condition)) for effect in parse.effects[parse.since :]
            ]
            parse.new_clause = True
            return
        parse.pending.append(condition)
        return
    parse.context.when = (*parse.context.when, condition)


def _subject(where: str, names: Any, parse: _Parse) -> None:
    context = parse.context
    names = tuple(names or ())
    if where == "that":
        where = {
            "led": "unit",
            "unit": "unit",
            "friends": "friends",
            "aura": "friends",
            "enemy": "enemy",
            "target": "enemy",
        }.get(context.that, context.scope)
        if not where:
            parse.unknown.append("that unit")
    elif where == "others":
        parse.unknown.append("other")
    elif where == "picked":
        where = "friends" if context.that in {"friends", "aura"} else context.scope
        names = names or (context.who if where == "friends" else ())
        if not where:
            parse.unknown.append("that model")
    elif where == "aura":
        where, context.that = "friends", "friends"
    elif where in {"unit", "enemy", "friends"} and context.that != "led":
        context.that = where
    if where == "friends" and not names and context.scope == "friends":
        names = context.who
    context.scope, context.who = where, names


def _weapons(value: Any, parse: _Parse) -> None:
    names = tuple(value)
    if any(re.search(r"\b(?:attacks?|units?|models?|targets?)\b", name) for name in names):
        parse.unknown += names
        return
    kinds = {"ranged weapon": "ranged", "melee weapon": "melee", "psychic weapon": "psychic"}
    if any(len(name.split()) > 6 for name in names):
        parse.unknown += names
    elif len(names) == 1 and names[0].removesuffix("s") in kinds:
        parse.context.attacks = kinds[names[0].removesuffix("s")]
    else:
        parse.context.weapons = names


def _against(kind: str, parse: _Parse) -> None:
    if parse.effects:
        parse.effects[-1] = replace(parse.effects[-1], attacks=kind)
    else:
        parse.context.attacks = kind


def _pain(value: str, parse: _Parse) -> None:
    last = parse.effects[-1] if parse.effects else None
    if last is None or last.kind != "feel_no_pain":
        parse.unknown.append("against mortal wounds")
    else:
        parse.effects[-1] = replace(last, value=(last.value[0], value))


_PHASES = (
    ("shoot or fight", ""),
    ("fight or shoot", ""),
    ("shooting phase or the fight", ""),
    ("shooting phase and the fight", ""),
    ("selected to shoot", "ranged"),
    ("selected to fight", "melee"),
    ("shooting", "ranged"),
    ("shot", "ranged"),
    ("fight", "melee"),
    ("fought", "melee"),
)


def _phase(text: str, parse: _Parse) -> None:
    if "first battle round" in text or re.search(r"(?:in|during) (?:your|your opponent's) turn", text):
        _condition(RuleCondition("moment"), parse)
    parse.context.phase = next((kind for words, kind in _PHASES if words in text), "")


def _select(side: str, text: str, parse: _Parse) -> None:
    if re.search(r"\b(?:add \d|re-roll|subtract|improve|ha(?:s|ve) the)\b", text, re.IGNORECASE):
        parse.unknown.append("select")
    elif side == "enemy" or re.search(r"opponent's army|\bunit\b.* hit by", text, re.IGNORECASE):
        _condition(RuleCondition("marked"), parse)
        parse.context.that = "enemy"
    elif side == "friendly":
        _condition(RuleCondition("friend"), parse)
        names = re.search(r"friendly (.*?) (?:unit|model)", text, re.IGNORECASE)
        parse.context.that, parse.context.scope = "friends", "friends"
        parse.context.who = names_of(names[1]) if names else ()
    elif re.search(r"objective marker", text, re.IGNORECASE):
        _condition(RuleCondition("objective"), parse)
    else:
        parse.unknown.append("select")


def _excluding(names: tuple[str, ...], parse: _Parse) -> None:
    """Leave out targets of these keywords, or models where no target was spoken of."""
    if parse.targeted or parse.context.that == "target":
        _condition(RuleCondition("target_not_keyword", names), parse)
    else:
        parse.context.who = (*parse.context.who, *(f"not {name}" for name in names))


def _same_as_before(parse: _Parse) -> None:
    """Let the last effect be about the weapons of the one before it: "those weapons"."""
    if len(parse.effects) > 1:
        before = parse.effects[-2]
        parse.effects[-1] = replace(
            parse.effects[-1],
            attacks=before.attacks,
            weapons=before.weapons,
            scope=before.scope,
            who=before.who,
        )


def _limit_last(kind: str, value: Any, more: Any, parse: _Parse) -> None:
    last = parse.effects[-1]
    if kind == "last kind":
        parse.effects[-1] = replace(last, attacks=str(value) or last.attacks)
    elif kind == "last weapons":
        parse.effects[-1] = replace(last, weapons=tuple(value))
    else:
        before = parse.context.scope, parse.context.who
        _subject(str(value), more, parse)
        side: Any = "enemy" if parse.context.scope == "enemy" else last.side
        parse.effects[-1] = replace(last, side=side, scope=_scope(parse.context.scope), who=parse.context.who)
        if before[0]:
            parse.context.scope, parse.context.who = before


_DEFENCES = frozenset(
    (
        *("invulnerable", "feel_no_pain", "toughness", "save", "wounds", "cover", "stealth", "half_damage"),
        *("damage_to", "wound_fails_up_to", "save_modifier", "reroll_saves", "reroll_saves_invulnerable"),
    )
)


def _scope(scope: str) -> str:
    return "unit" if scope == "enemy" else scope


def _emit(kind: str, value: Any, operation: str, parse: _Parse) -> None:
    """Make an effect of what the context says."""
    context = parse.context
    side = context.side
    if kind == "ap" and operation == "set":
        value = -abs(value)
    if context.scope == "enemy":
        side = "enemy" if kind != "no_cover" else "attack"
        if kind == "no_cover":
            context.scope, context.who = "friends", ()
    elif kind in _DEFENCES:
        side = "defence"
    attacks = context.attacks
    if (
        attacks == "any"
        and context.phase
        and context.until in {"", "phase", f"{context.phase} phase", "fight phase"}
    ):
        attacks = context.phase
    when = context.when
    if context.choice:
        when, context.choice = (*when, RuleCondition("choice", (context.choice,))), ""
    effect = RuleEffect(
        side,  # type: ignore[arg-type]
        kind,
        value,
        attacks,
        context.weapons,
        _scope(context.scope),
        context.who,
        tuple(dict.fromkeys(when)),
        operation=operation or "add",
    )
    parse.effects.append(effect)
    if parse.gap_breaks():
        parse.since = len(parse.effects) - 1


def _mark_instead(parse: _Parse) -> None:
    """Let the effects of the last clause replace what they are said instead of."""
    if parse.effects:
        parse.effects[parse.since :] = [replace(each, instead=True) for each in parse.effects[parse.since :]]
    else:
        parse.instead = True


def _finish(parse: _Parse) -> None:
    """Give what was said behind the last effect to it, and to what stands beside it."""
    if any(not effect.scope and effect.kind not in _ANYBODY for effect in parse.effects):
        parse.unknown.append("whose attacks")
    if parse.pending and parse.effects:
        parse.effects[parse.since :] = [
            replace(each, when=tuple(dict.fromkeys((*each.when, *parse.pending))))
            for each in parse.effects[parse.since :]
        ]
    if parse.instead:
        parse.effects[:] = [replace(each, instead=True) for each in parse.effects]
