"""One sentence, read word by word: what its tokens say of the place where the next effect stands, and its effects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mathhammer.systems.wh40k.unit_rules.phrases import CONDITIONS, EFFECTS, Token, names_of
from mathhammer.systems.wh40k.unit_rules.rule import KINDS, SECTIONS, RuleCondition, RuleEffect, pattern_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.systems.wh40k.unit_rules.phrases import Phrase
    from mathhammer.systems.wh40k.unit_rules.rule import Side

#: What tells whose attacks an effect is about.
_WHOSE = ("attacks", "weapons", "scope", "who")
_FILLERS = " ".join(SECTIONS["fillers"]).split()
#: Clauses, up to the next comma: when something is so; what a target is besides; what one can do.
_CLAUSES = tuple(map(re.compile, SECTIONS["clauses"]))
#: "psychic melee weapon" says a kind of weapons, and a name or an ability.
_KIND_OF_WEAPONS = re.compile(r"(?:(ranged|melee) (.+)|(?:(.+) )?(ranged|melee|psychic)) weapons?")
_WORD = re.compile(r"[\w'\"+/-]+|\S")


@dataclass(slots=True)
class Parse:
    """A sentence while it is read; what a token does stands in the method of its kind."""

    text: str = ""
    # What holds where the next effect stands, in the next sentence too.
    attacks: str = "any"
    weapons: tuple[str, ...] = ()
    scope: str = ""
    who: tuple[str, ...] = ()
    when: tuple[RuleCondition, ...] = ()
    that: str = ""
    phase: str = ""
    until: str = ""
    #: Attack, defence, or allocation of an attack, which those of Devastating Wounds are not in the 11th.
    event: str = ""
    choice: str = ""
    #: Keywords of the enemies that the rule can be used on, all of them if none is named, and that it cannot be.
    wanted: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    targeted: bool = False
    #: Keywords of the friendly units that were given this text, which speaks of them as its own.
    given: tuple[str, ...] | None = None
    last: RuleEffect | None = None
    # What is of this sentence alone.
    effects: list[RuleEffect] = field(default_factory=list, init=False)
    unknown: list[str] = field(default_factory=list, init=False)
    since: int = field(default=0, init=False)
    #: Conditions behind an effect, and whether they stand directly behind it: "... if".
    pending: list[RuleCondition] = field(default_factory=list, init=False)
    behind: bool = field(default=False, init=False)
    chooses: str = field(default="", init=False)
    at_target: bool = field(default=False, init=False)
    #: Of whom a condition is that names one.
    of_whom: str = field(default="", init=False)
    #: What held before the first thing that happens; until then nothing.
    base: tuple[RuleCondition, ...] | None = field(default=None, init=False)
    end: int = field(default=0, init=False)
    #: What stands between an effect and a condition.
    gap: str = field(default="", init=False)
    spoke_of: int = field(default=0, init=False)
    new_clause: bool = field(default=False, init=False)
    #: Whether a clause of its own started since the last effect.
    clause_started: bool = field(default=False, init=False)
    #: Places of effects on a characteristic that say no weapons.
    unlimited: list[int] = field(default_factory=list, init=False)

    def understood(self) -> Parse:
        """Return the sentence read; clauses that are not understood are the player's to say, in their own words."""
        before, again = replace(self), replace(self)
        self.read()
        if not self.unknown:
            return self

        def said(clause: re.Match[str]) -> str:
            alone = replace(before, text=clause[0])
            alone.read()
            words = re.sub(r"(?i)\bhit by (?:one or more )?(?:\w+ )?attacks(?: made)?", "", clause[0])
            plain = alone.unknown and not alone.effects and not pattern_of("says_more").search(words)
            return f"‹{clause[0]}›" if plain else clause[0][0] + clause.re.sub(said, clause[0][1:])

        for clauses in _CLAUSES:
            again.text = clauses.sub(said, again.text)
        again.read()
        return self if again.unknown else again

    def _said(self, text: str, _: object) -> None:
        """Let what is said hold when the player says so; of whom it speaks besides is not known."""
        first = self.text.partition("‹")[2].startswith(text) and not self.effects
        if first and not re.search(r"\b(?:also|as well|instead)\b", self.text):  # what was said before ends
            self._forget("said")
        of_target = re.match(r"(?i)(?:that|which|wholly|within|containing|with)\b", text)
        text = f"against a unit {text}" if of_target else text[0].lower() + text[1:]
        like = re.sub(r"\d+", "", text)  # the same at another distance, of what is said instead
        self.when = tuple(each for each in self.when if re.sub(r"\d+", "", "".join(each.value)) != like)
        self._hold(RuleCondition("said", (text,)))
        if re.search(r"(?i)\b(?:an?|another|other|enemy|friendly|any|more)\b.* (?:units?|models?)\b", text):
            self.that = "said"

    def read(self) -> None:  # noqa: C901 - word by word
        """Read the sentence word by word; what is left over is unknown."""
        self.text = text = pattern_of("plain").sub(
            lambda word: word[0] if word[0][0] == "‹" else word[0].lower(), self.text
        )
        small, place = text.casefold(), 0
        tables = [
            [phrase for phrase in table if all(needle in small for needle in phrase.needles)]
            for table in (EFFECTS, CONDITIONS)
        ]
        if pattern_of("never").search(re.sub("‹[^›]*›", "", text)):
            self.unknown.append("number")
        either = instead = False
        while place < len(text):
            before, held = len(self.effects), (*self.when, *self.pending)
            end = None if text[place].isspace() else self._phrase(place, *tables)
            if end is None and (text[place].isspace() or text[place] in ",.;:()!?-"):
                place += 1
                continue
            more = len(self.effects) > before or len((*self.when, *self.pending)) > len(held)
            if either and (more or re.match(r"(?i)(?:or )?makes? an?\b", text[place:])):
                self.unknown.append("or")  # one or the other: which of them is not the reader's to say
            either = (either and end is None) or small.startswith(("or ", "or,"), place)
            if end is None:
                word = _WORD.match(text, place)
                end = word.end() if word else place + 1
                left = text[place:end].casefold()
                if left == "instead":
                    instead = instead or not self.effects
                    self._change_clause(instead=True)
                elif left not in _FILLERS:
                    self.unknown.append(left)
            place = end
        good = ("reroll", "critical", "keyword")
        if any(
            (each.side == "enemy" and each.kind.startswith(good) and each.value != "Hazardous")
            or not (each.scope or each.kind in {"overwatch", "set_to_6", "reroll_one"})
            for each in self.effects
        ):  # nobody's, or what no enemy is given: then "that unit" is another one
            self.unknown.append("whose attacks")
        if self.effects:
            self._forward(ends=True)
            self.last = self.effects[-1]
        if instead:
            self.since = 0
            self._change_clause(instead=True)

    def _phrase(self, place: int, effects: list[Phrase], conditions: list[Phrase]) -> int | None:
        """Take the longest phrase at a place, effects first; return where it ends, nothing where there is none."""
        letter = self.text[place].casefold()
        for phrase in effects:
            if phrase.letters and letter not in phrase.letters:
                continue
            found = phrase.match(self.text, place)
            if found and found.end > place and (tokens := phrase.tokens(found)):
                self._forward()
                whose = found.subject()
                if whose[0] not in {"", "enemy"}:
                    self._whose(*whose)
                self.take(tokens)
                self.end = found.end
                return self.end
        every = [
            (found, phrase)
            for phrase in conditions
            if (not phrase.letters or letter in phrase.letters) and (found := phrase.match(self.text, place))
        ]
        found, longest = max(every, key=lambda each: each[0].end, default=(None, None))
        if found is None or longest is None or found.end == place:
            return None
        self.gap = self.text[self.end : place]
        tokens = longest.tokens(found)
        between = self.text[self.spoke_of : place].strip().casefold()
        subjects = [kind for kind, *_ in tokens if kind in {"who", "whom"}]
        if subjects and len(tokens) == 1 and self.spoke_of and between in {"and", "or", "and/or"}:
            self.unknown.append("and")  # two subjects, of which an effect can have one
        self.take(tokens)
        self.spoke_of = found.end if subjects else 0
        return found.end

    def take(self, tokens: Iterable[Token]) -> None:
        """Let tokens say what they do."""
        for kind, value, more in tokens:
            if kind in {"that", "barred", "wanted", "choice", "chooses"}:
                setattr(self, kind, value)
            else:
                getattr(self, f"_{kind}")(value, more)

    def _forward(self, *, ends: bool = False) -> None:
        """Let what is pending hold for the next effect, or for those before it: directly behind them, at the end."""
        if ends and not (self.behind or self.text.rstrip(" .").endswith("›")):  # said of what is no effect
            self.pending = [each for each in self.pending if each.kind != "said"]
        self.new_clause = self.new_clause or bool(self.pending)
        if self.behind or ends:
            self._change_clause(when=self.pending)
        else:
            self.when = (*self.when, *self.pending)
        self.pending, self.behind = [], False

    def _change_clause(self, *, when: Iterable[RuleCondition] = (), instead: bool = False) -> None:
        """Let the effects of the last clause have more conditions, or replace what they are said instead of."""
        self.effects[self.since :] = [
            replace(each, when=tuple(dict.fromkeys((*each.when, *when))), instead=instead or each.instead)
            for each in self.effects[self.since :]
        ]

    def _event(self, event: str, kind: str) -> None:
        if self.base is None:
            self.base = self.when
        elif self.effects:
            self.when = self.base
        self.new_clause = self.clause_started = bool(self.effects)
        self.event, self.attacks, self.weapons = event, kind, ()

    def _who(self, where: str, names: tuple[str, ...] | None) -> None:
        if where == "friends" and names:
            self._forget("friend")  # all of them have it, not the one given this text, or chosen
        if where == "that":
            where = {"led": "unit", "aura": "friends", "target": "enemy"}.get(self.that, self.that)
            where = "" if where == "said" else where or self.scope
        if self.given is not None and where in {"model", "unit"} and self.that != "led":
            where, names = "friends", names or self.given
        if where == "picked":
            where = "friends" if self.that in {"friends", "aura"} else self.scope
            names = names or (self.who if where == "friends" else ())
        elif where == "aura":
            where = self.that = "friends"
        elif where in {"unit", "enemy", "friends"} and self.that != "led":
            self.that = where
        elif where == "named" and self.scope == "friends":  # some models of a friendly unit
            self.unknown.append("whose attacks")
        if where == "friends" and not names:
            names = (self.who if self.scope == "friends" else ()) or self.given
        self.unknown += [] if where else ["that unit"]
        self.scope, self.who = where, names or ()

    _whom = _who

    def _forget(self, kind: str) -> None:
        """Let no condition of a kind hold any longer."""
        self.when = tuple(each for each in self.when if each.kind != kind)

    def _whose(self, where: str, names: tuple[str, ...]) -> None:
        """Speak of somebody where nobody was named before."""
        self.of_whom = "that" if where == "enemy" != self.scope else where
        known = where in {"model", "unit", "friends"} or self.that in {"led", "unit", "friends"}
        if known and (not self.scope or (where == "friends" and names and not self.effects)):
            self._who(where, names)

    def _kind(self, kind: str, _: object) -> None:
        self.attacks = self.attacks if kind == "any" else kind

    def _weapons(self, given: str | tuple[str, ...], spared: tuple[str, ...] | None) -> None:
        self.weapons = (*self.weapons, *(f"not {name}" for name in spared or ()))
        if spared:
            return
        names = given if isinstance(given, tuple) else (given,)
        found = _KIND_OF_WEAPONS.fullmatch(names[0]) if len(names) == 1 else None
        kind = (found[1] or found[4]) if found else ""
        names = tuple(filter(None, [found[2] or found[3]])) if found else names
        longest = max((len(name.split()) for name in names), default=0)
        if longest > 6 or pattern_of("no_weapon").search(";".join(names).replace("extra attacks", "")):
            self.unknown += names
            return
        self.attacks = kind or self.attacks
        if names or not kind:
            self.weapons = names

    def _same_weapons(self, what: str | None, _: object) -> None:
        """Speak of the weapons of the effect before, "those weapons", or of `what` it must have spoken of."""
        last = self.effects[-1] if self.effects else self.last
        self.unknown += [what] if what and not last else []
        for name in _WHOSE if last else ():
            setattr(self, name, getattr(last, name))

    def _unlimited(self, *_: object) -> None:
        if self.last and not self.effects and re.search(r"\b(?:as well|instead)\b", self.text):
            self._same_weapons(None, None)
        self.unlimited.append(len(self.effects))

    def _against(self, kind: str, _: object) -> None:
        self.effects[-1:] = [replace(each, attacks=kind) for each in self.effects[-1:]]
        self.attacks = self.attacks if self.effects else kind

    def _until(self, until: str, _: object) -> None:
        """Let what lasts longer than the phase be of all attacks, not of those in the phase alone."""
        self.until = "" if until in {"phase", "fight phase"} else until
        for place, each in enumerate(self.effects):
            lasts = self.until and self.attacks == "any" and each.attacks == self.phase
            if lasts and (each.side == "attack" or self.event):
                self.effects[place] = replace(each, attacks="any")

    def _target(self, *_: object) -> None:
        self.at_target = self.targeted = True
        self.that = self.that if self.that == "led" else "target"

    def _if(self, kind: str, names: str | tuple[str, ...] | None) -> None:
        """Let a condition hold; what is true of a fresh target is not true of one's own unit."""
        of_target = self.at_target or (self.of_whom == "that" and self.targeted)
        of_target = of_target and self.of_whom not in {"model", "unit", "named"}
        if kind == "target_intact" and not of_target:
            kind = "own_strength"
        elif kind == "losses" and (of_target or self.scope == "enemy"):
            kind = "target_losses" if of_target else "enemy_losses"
        elif kind == "target_battle_shocked" and not (of_target or self.that in {"target", "enemy"}):
            kind = "battle_shocked"
        self._hold(RuleCondition(kind, (names,) if isinstance(names, str) else names or ()))
        self.of_whom = ""

    def _hold(self, condition: RuleCondition) -> None:
        """Let a condition hold for the effects before it, where it ends their clause, else for those behind it."""
        if condition in self.when:
            return
        if condition.kind in {"roll", "leading"} and condition.value:  # another result, or unit that is led
            self._forget(condition.kind)
        if self.since >= len(self.effects):
            self.when = (*self.when, condition)
        elif self.clause_started or re.search(r"[,;(]|\band\b|\bif\b", self.gap):
            self.behind = self.behind or (not self.pending and re.match(r"\s*if\b", self.gap) is not None)
            self.pending.append(condition)
        else:
            self._change_clause(when=[condition])
            self.new_clause = True

    def _phase(self, given: str | None, _: object) -> None:
        """Let attacks be those of a phase."""
        words = (given or "").casefold()
        if "first battle round" in words or re.search(r"(?:in|during) (?:your|your opponent's) turn", words):
            self._hold(RuleCondition("moment"))
        ranged, melee = re.search("shoo|shot", words), re.search("fight|fought", words)
        self.phase = "" if bool(ranged) == bool(melee) else "ranged" if ranged else "melee"

    def _select(self, side: str, text: str) -> None:
        named = re.search(r"(?i)(?:enemy|friendly) (.*?) ?\b(?:units?|models?|from your army)\b", text)
        names = names_of(named[1]) if named else ()
        if re.search(r"(?i)\b(?:add \d|re-roll|subtract|improve|ha(?:s|ve) the)\b", text):
            self.unknown.append("select")
        elif side == "enemy" or re.search(r"(?i)opponent's army|\bunit\b.* hit by", text):
            self._hold(RuleCondition("marked"))
            self.that = self.that if self.that == "said" else "enemy"
            self.wanted, self.barred = names, self._excepted(text)
        elif side == "friendly":
            self._hold(RuleCondition("friend"))
            self.that = self.scope = "friends"
            self.who = (*names, *(f"not {name}" for name in self._excepted(text)))
        elif re.search(r"(?i)from your army|of (?:the bearer|this model)$", text) and "objective" not in text:
            self._select("friendly", re.sub(r"(?i)\bone (?:other )?", "one friendly ", text, count=1))
        elif "objective marker" in text.casefold():
            self._hold(RuleCondition("objective"))
        else:
            self.unknown.append("select")

    def _excepted(self, text: str) -> tuple[str, ...]:
        """Return the keywords of units that cannot be selected."""
        found = re.search(r"(?i)\((?:excluding|except) (?!this|the bearer|itself)([^()]+)\)", text)
        if found and re.search(r"\b(?:that|which|within|with)\b", found[1]):
            self.unknown.append("excluding")
        return names_of(found[1]) if found else ()

    def _excluding(self, names: tuple[str, ...], _: object) -> None:
        """Leave out targets of these keywords, or models where no target was spoken of."""
        if any(re.search(r"(?i)\battacks?$", name) for name in names):
            self.unknown.append("excluding")
        elif self.at_target or self.that == "target":
            self._hold(RuleCondition("target_not_keyword", names))
        elif self.that == "enemy":
            self.barred = (*self.barred, *names)
        else:
            self.who = (*self.who, *(f"not {name}" for name in names))

    def _limited(self, limits: list[Token], effect: tuple[tuple[str, str], int]) -> None:
        """Make an effect on a characteristic of whom it names; a list behind several effects is of all of them."""
        before = {name: getattr(self, name) for name in _WHOSE}
        self.take(limits)
        self._effect(*effect)
        place = len(self.effects) - 1
        while limits and not self.event and place - 1 in self.unlimited:
            place -= 1
            named = {name: getattr(self.effects[-1], name) for name in _WHOSE}
            self.effects[place] = replace(self.effects[place], **named)
        for name in _WHOSE if before["scope"] else _WHOSE[:2]:
            setattr(self, name, before[name])

    def _effect(self, what: str | tuple[str, str], value: Any) -> None:  # noqa: C901 - whose it is, and when
        """Make an effect of what the context says: of a kind, or of an operation on a characteristic."""
        kind, operation = what if isinstance(what, tuple) else (what, "add")
        value = -abs(value) if what == ("ap", "set") else value
        side: Side = "defence" if self.event in {"defence", "allocation"} else "attack"
        attacks = self.attacks
        self.clause_started = False
        if self.scope == "enemy" and (kind == "no_cover" or (self.event and self.event != "attack")):
            side, self.scope, self.who = "attack", "friends", ()
            self._forget("friend")
        elif self.scope == "enemy":
            side = "enemy"
        elif "held" in KINDS[kind][1] or (
            kind == "no_cover" and self.scope in {"model", "unit"} and not self.event
        ):
            side = "defence"
        if attacks == "any" and not self.until:
            attacks = self.phase or "any"
        when, who = self.when, self.who
        if self.choice:
            when, self.choice = (*when, RuleCondition("choice", (self.choice,))), ""
        if side == "enemy":
            who = (*self.wanted, *(f"not {name}" for name in self.barred))
        elif side == "attack":
            keywords = {"target_keyword": self.wanted, "target_not_keyword": self.barred}
            when = (*when, *(RuleCondition(key, names) for key, names in keywords.items() if names))
        if kind == "damage" and side == "defence" and self.event == "allocation":
            kind = "damage_allocated"
        scope = "unit" if self.scope == "enemy" else self.scope
        said = (text for each in when if each.kind == "said" for text in each.value)
        struck = map(pattern_of("struck").search, said)
        if kind in {"damage_to", "half_damage"} and (found := next(filter(None, struck), None)):
            scope, who = "friends", names_of(found["friend"])  # whom the attack was made against
        when = tuple(dict.fromkeys(when))
        made = RuleEffect(side, kind, value, attacks, self.weapons, scope, who, when, operation=operation)
        self.effects.append(made)
        if self.new_clause or len(self.effects) == 1:
            self.since = len(self.effects) - 1
        self.new_clause = False
