"""What tokens say of the place where the next effect stands, and the effects made there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from mathhammer.systems.wh40k.unit_rules.rule import RuleCondition, RuleEffect, Side
from mathhammer.systems.wh40k.unit_rules.tokens import names_of

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.unit_rules.tokens import Phrase, Token

#: Effects that are the same whoever of the unit has them.
_ANYBODY = frozenset(("overwatch", "set_to_6", "reroll_one"))


@dataclass(slots=True)
class Context:
    """What holds where the next effect stands."""

    side: Side = "attack"
    attacks: str = "any"
    weapons: tuple[str, ...] = ()
    scope: str = ""
    who: tuple[str, ...] = ()
    when: tuple[RuleCondition, ...] = ()
    that: str = ""
    phase: str = ""
    until: str = ""
    event: bool = False
    allocated: bool = False
    """Whether the event is that an attack is allocated, which those of Devastating Wounds are not in the 11th."""
    choice: str = ""
    wanted: tuple[str, ...] = ()
    """Keywords of the enemies that the rule can be used on, all of them if none is named."""
    barred: tuple[str, ...] = ()
    """Keywords of enemies that the rule cannot be used on."""
    targeted: bool = False
    """Whether the sentence before spoke of a target."""
    given: tuple[str, ...] | None = None
    """Keywords of the friendly units that were given this text, which speaks of them as its own."""
    last: RuleEffect | None = None
    """The effect before, of this sentence or of the one before it."""


@dataclass(slots=True)
class Parse:
    """One sentence while it is read."""

    context: Context
    effect_phrases: tuple[Phrase, ...] = ()
    others: tuple[Phrase, ...] = ()
    conditions: tuple[Phrase, ...] = ()
    effects: list[RuleEffect] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    since: int = 0
    pending: list[RuleCondition] = field(default_factory=list)
    behind: bool = False
    """Whether what is pending stands directly behind its effect: "... if"."""
    instead: bool = False
    chooses: bool = False
    targeted: bool = False
    spoke_of: int = 0
    """Where the last phrase ended that named a subject."""
    whose: str = ""
    """Of whom a condition is that names one."""
    base: tuple[RuleCondition, ...] = ()
    gap: str = ""
    end: int = 0
    new_clause: bool = False
    clause_started: bool = False
    """Whether a clause of its own started since the last effect."""
    unlimited: list[int] = field(default_factory=list)
    """Places of effects on a characteristic that say no weapons."""

    def gap_breaks(self) -> bool:
        """Whether the effect just made begins a clause of its own."""
        before, self.new_clause = self.new_clause, False
        return before or len(self.effects) == 1


def forward(parse: Parse) -> None:
    """Let what was said since the last effect hold for the next one."""
    if parse.behind:
        _let_hold(parse)
    if parse.pending:
        parse.new_clause = True
    parse.context.when = (*parse.context.when, *parse.pending)
    parse.pending, parse.behind = [], False


def take(token: Token, parse: Parse) -> None:  # noqa: C901, PLR0912, PLR0915 - one case for each kind of token
    """Let a token change the context, or make an effect of it."""
    context = parse.context
    kind, value, more = token
    match kind:
        case "event":
            if not context.event:
                parse.base = context.when
            elif parse.effects:
                context.when = parse.base
            parse.new_clause = parse.clause_started = bool(parse.effects)
            context.side = "attack" if value == "attack" else "defence"
            context.allocated = value == "allocation"
            context.attacks, context.weapons, context.event = str(more), (), True
        case "who":
            _subject(str(value), _strings(more), parse)
        case "perhaps who":
            parse.whose = str(value)
            if not context.scope and (
                value in {"model", "unit"} or context.that in {"led", "unit", "friends"}
            ):
                _subject(str(value), _strings(more), parse)
        case "that":
            context.that = str(value)
        case "kind":
            context.attacks = context.attacks if value == "any" else str(value)
        case "weapons":
            _weapons(_strings(value), parse)
        case "same weapons":
            _same_weapons(parse)
        case "barred":
            context.barred = _strings(value)
        case "unlimited":
            parse.unlimited.append(len(parse.effects) - 1)
        case "against":
            _against(str(value), parse)
        case "pain":
            _pain(str(value), parse)
        case "target":
            parse.targeted = context.targeted = True
            context.that = context.that if context.that == "led" else "target"
        case "marked":
            if not any(each.kind == "marked" for each in context.when):
                _condition(RuleCondition("marked"), parse)
        case "if":
            _condition(_meant(str(value), _strings(more), parse), parse)
            parse.whose = ""
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
            _excluding(_strings(value), parse)
        case "last same":
            _same_as_before(parse)
        case "last kind" | "last weapons" | "last who":
            _limit_last(kind, value, more, parse)
        case "effect":
            _emit(str(value), more, "", parse)
        case _:
            _emit(str(value), more, kind, parse)
            last = parse.effects[-1]
            if last.kind == "damage" and last.side == "defence" and context.allocated:
                parse.effects[-1] = replace(last, kind="damage_allocated")


def _strings(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _meant(kind: str, names: tuple[str, ...], parse: Parse) -> RuleCondition:
    """Return a condition; what is true of a fresh target is not true of one's own unit."""
    of_target = parse.targeted or (parse.whose == "that" and parse.context.targeted)
    of_target = of_target and parse.whose not in {"model", "unit", "named"}
    if kind == "target_intact" and not of_target:
        kind = "own_strength"
    if kind == "losses" and of_target:
        kind = "target_losses"
    elif kind == "losses" and parse.context.scope == "enemy":
        kind = "enemy_losses"
    if kind == "target_battle_shocked" and not of_target and parse.context.that not in {"target", "enemy"}:
        kind = "battle_shocked"
    return RuleCondition(kind, names)


def _condition(condition: RuleCondition, parse: Parse) -> None:
    """Let a condition hold for the effects before it, where it ends their clause, else for those behind it."""
    if condition in parse.context.when:
        return
    if condition.kind == "roll" and condition.value:  # another result of the same roll
        parse.context.when = tuple(each for each in parse.context.when if each.kind != "roll")
    if parse.effects and parse.since < len(parse.effects):
        if (
            not parse.clause_started
            and re.search(r"[,;(]|\band\b|\bif\b", parse.gap) is None
            and not parse.gap.strip().startswith("if")
        ):
            parse.effects[parse.since :] = [
                replace(effect, when=(*effect.when, condition)) for effect in parse.effects[parse.since :]
            ]
            parse.new_clause = True
            return
        parse.behind = parse.behind or (not parse.pending and re.match(r"\s*if\b", parse.gap) is not None)
        parse.pending.append(condition)
        return
    parse.context.when = (*parse.context.when, condition)


def _subject(where: str, names: tuple[str, ...], parse: Parse) -> None:
    context = parse.context
    if where in {"model", "unit"} and context.given is not None:
        where, names = "friends", context.given
    if where == "that":
        found = {"led": "unit", "aura": "friends", "target": "enemy"}.get(context.that, context.that)
        where = found or context.scope
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


_NO_WEAPON = re.compile(
    r"\b(?:attacks?|units?|models?|targets?|keywords?|characteristics?|tokens?|counters?|one)\b"
)
_WEAPONS_OF_A_KIND = re.compile(r"(?:(?P<ability>.+) )?(?P<kind>ranged|melee|psychic) weapons?")


def _weapons(given: tuple[str, ...], parse: Parse) -> None:
    kind, names = _kind_and_names(given)
    if any(_NO_WEAPON.search(name.replace("extra attacks", "")) or len(name.split()) > 6 for name in names):
        parse.unknown += names
        return
    parse.context.attacks = kind or parse.context.attacks
    if names or not kind:
        parse.context.weapons = names


def _kind_and_names(names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the kind of weapons, and their names or abilities: "psychic melee weapon" says both."""
    if len(names) != 1:
        return "", names
    if of_ability := re.fullmatch(r"(ranged|melee) (.+) weapons?", names[0]):
        return of_ability[1], (of_ability[2],)
    found = _WEAPONS_OF_A_KIND.fullmatch(names[0])
    return (found["kind"], (found["ability"],) if found["ability"] else ()) if found else ("", names)


def _limited(effect: RuleEffect, by: RuleEffect) -> RuleEffect:
    """Return an effect about the weapons and models of another one."""
    return replace(effect, attacks=by.attacks, weapons=by.weapons, scope=by.scope, who=by.who)


def _same_weapons(parse: Parse) -> None:
    """Speak of the weapons of the effect before: "those weapons"."""
    context, last = parse.context, parse.effects[-1] if parse.effects else parse.context.last
    if last is not None:
        context.attacks, context.weapons = last.attacks, last.weapons
        context.scope, context.who = last.scope, last.who


def _against(kind: str, parse: Parse) -> None:
    if parse.effects:
        parse.effects[-1] = replace(parse.effects[-1], attacks=kind)
    else:
        parse.context.attacks = kind


def _pain(value: str, parse: Parse) -> None:
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


def _phase(text: str, parse: Parse) -> None:
    if "first battle round" in text or re.search(r"(?:in|during) (?:your|your opponent's) turn", text):
        _condition(RuleCondition("moment"), parse)
    parse.context.phase = next((kind for words, kind in _PHASES if words in text), "")


def _select(side: str, text: str, parse: Parse) -> None:
    if re.search(r"\b(?:add \d|re-roll|subtract|improve|ha(?:s|ve) the)\b", text, re.IGNORECASE):
        parse.unknown.append("select")
    elif side == "enemy" or re.search(r"opponent's army|\bunit\b.* hit by", text, re.IGNORECASE):
        _condition(RuleCondition("marked"), parse)
        names = re.search(r"enemy (.*?) ?\b(?:units?|models?)\b", text, re.IGNORECASE)
        parse.context.wanted = names_of(names[1]) if names else ()
        parse.context.that, parse.context.barred = "enemy", _excepted(text, parse)
    elif side == "friendly":
        _condition(RuleCondition("friend"), parse)
        names = re.search(r"friendly (.*?) (?:unit|model)", text, re.IGNORECASE)
        parse.context.that, parse.context.scope = "friends", "friends"
        barred = (f"not {name}" for name in _excepted(text, parse))
        parse.context.who = (*(names_of(names[1]) if names else ()), *barred)
    elif re.search(r"objective marker", text, re.IGNORECASE):
        _condition(RuleCondition("objective"), parse)
    else:
        parse.unknown.append("select")


def _excepted(text: str, parse: Parse) -> tuple[str, ...]:
    """Return the keywords of units that cannot be selected."""
    found = re.search(r"\((?:excluding|except) ([^()]+)\)", text, re.IGNORECASE)
    if found is None or re.match(r"this|the bearer|itself", found[1], re.IGNORECASE):
        return ()
    if re.search(r"\b(?:that|which|within|with)\b", found[1]):
        parse.unknown.append("excluding")
    return names_of(found[1])


def _excluding(names: tuple[str, ...], parse: Parse) -> None:
    """Leave out targets of these keywords, or models where no target was spoken of."""
    if any(re.search(r"\battacks?$", name, re.IGNORECASE) for name in names):
        parse.unknown.append("excluding")
    elif parse.targeted or parse.context.that == "target":
        _condition(RuleCondition("target_not_keyword", names), parse)
    else:
        parse.context.who = (*parse.context.who, *(f"not {name}" for name in names))


def _same_as_before(parse: Parse) -> None:
    """Let the last effect be about the weapons of the one before it: "those weapons"."""
    if len(parse.effects) > 1:
        parse.effects[-1] = _limited(parse.effects[-1], parse.effects[-2])


def _limit_last(kind: str, value: object, more: object, parse: Parse) -> None:
    last = parse.effects[-1]
    if kind == "last kind":
        parse.effects[-1] = replace(last, attacks=str(value) or last.attacks)
    elif kind == "last weapons":
        of_kind, names = _kind_and_names(_strings(value))
        parse.effects[-1] = replace(last, weapons=names, attacks=of_kind or last.attacks)
    else:
        before = parse.context.scope, parse.context.who
        _subject(str(value), _strings(more), parse)
        side: Side = "enemy" if parse.context.scope == "enemy" else last.side
        parse.effects[-1] = replace(last, side=side, scope=_scope(parse.context.scope), who=parse.context.who)
        if before[0]:
            parse.context.scope, parse.context.who = before
    place = len(parse.effects) - 1
    while not parse.context.event and place - 1 in parse.unlimited:  # a list of weapons behind two effects
        place -= 1
        parse.effects[place] = _limited(parse.effects[place], parse.effects[-1])


_DEFENCES = frozenset(
    (
        *("invulnerable", "feel_no_pain", "toughness", "save", "wounds", "cover", "stealth", "half_damage"),
        *("damage_to", "save_modifier", "reroll_saves", "reroll_saves_invulnerable"),
    )
)


def _scope(scope: str) -> str:
    return "unit" if scope == "enemy" else scope


def _emit(kind: str, value: object, operation: str, parse: Parse) -> None:
    """Make an effect of what the context says."""
    context = parse.context
    side: Side = context.side
    parse.clause_started = False
    if kind == "ap" and operation == "set":
        value = -abs(cast("int", value))
    if context.scope == "enemy":
        side = "enemy" if kind != "no_cover" else "attack"
        if kind == "no_cover":
            context.scope, context.who = "friends", ()
    elif kind in _DEFENCES or (
        kind == "no_cover" and context.scope in {"model", "unit"} and not context.event
    ):
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
    who = context.who
    if side == "enemy":
        who = (*context.wanted, *(f"not {name}" for name in context.barred))
    elif side == "attack":
        keywords = ("target_keyword", context.wanted), ("target_not_keyword", context.barred)
        when = (*when, *(RuleCondition(kind, names) for kind, names in keywords if names))
    effect = RuleEffect(
        side,
        kind,
        value,
        attacks,
        context.weapons,
        _scope(context.scope),
        who,
        tuple(dict.fromkeys(when)),
        operation=operation or "add",
    )
    parse.effects.append(effect)
    if parse.gap_breaks():
        parse.since = len(parse.effects) - 1


def mark_instead(parse: Parse) -> None:
    """Let the effects of the last clause replace what they are said instead of."""
    if parse.effects:
        parse.effects[parse.since :] = [replace(each, instead=True) for each in parse.effects[parse.since :]]
    else:
        parse.instead = True


def _let_hold(parse: Parse) -> None:
    """Let what is pending hold for the effects before it."""
    parse.effects[parse.since :] = [
        replace(each, when=tuple(dict.fromkeys((*each.when, *parse.pending))))
        for each in parse.effects[parse.since :]
    ]
    parse.new_clause, parse.pending = parse.new_clause or bool(parse.pending), []


def finish(parse: Parse) -> None:
    """Give what was said behind the last effect to it, and to what stands beside it."""
    if any(not effect.scope and effect.kind not in _ANYBODY for effect in parse.effects):
        parse.unknown.append("whose attacks")
    if parse.effects:
        _let_hold(parse)
        parse.context.last = parse.effects[-1]
    if parse.instead:
        parse.effects[:] = [replace(each, instead=True) for each in parse.effects]
