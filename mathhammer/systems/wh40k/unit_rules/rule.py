"""Rules of units: the table of what texts say, effects, which of them attacks are computed with, a player's words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pkgutil import get_data
from typing import Any, Literal

from mathhammer.display import Named

_TEXT = (get_data(__package__ or "", "entries.txt") or b"").decode()
#: Lines of each section of the table.
SECTIONS = {
    name: lines.strip("\n").split("\n")
    for name, lines in re.findall(r"(?s)^\[(\w+)\]\n(.*?)(?=\n\n|\Z)", _TEXT, re.MULTILINE)
}


def _entries(section: str) -> dict[str, tuple[str, str]]:
    heads = (line[2:].split(" | ") for line in SECTIONS[section] if line.startswith("= "))
    return {kind: (words, by.strip()) for kind, by, words in heads}


#: Of each kind of effect its words, and whether attacks are computed with it: a unit's own, and of which kinds those
#: against a target.
KINDS = _entries("effects")
#: Of each condition its words, and who or what decides it, where that is not the player.
CONDITIONS = _entries("conditions")


@cache
def pattern_of(section: str) -> re.Pattern[str]:
    """Compile the lines of a section, each of which a text may match."""
    return re.compile("|".join(SECTIONS[section]), 0 if section == "plain" else re.IGNORECASE)


_OPERATIONS = {"add": "{:+d} ±", "set": "± {}", "multiply": "± x{}"}
_OPERATIONS |= {"improve": "± better by {}", "worsen": "± worse by {}"}
_PAINS = {"": "", "psychic": " against psychic attacks", "both": " against mortal wounds and psychic attacks"}
_ATTACKS = {"any": "", "melee": "in melee", "ranged": "at range"}
_AGAINST = {"hit", "wound", "ap", "strength", "damage", "attacks", "keyword"}
Side = Literal["attack", "defence", "enemy"]


def is_computed(effect: RuleEffect) -> bool:
    """Whether an effect is one that attacks are computed with."""
    kind, where = effect.kind, KINDS.get(effect.kind, ("", ""))[1].split()
    critical = [each.kind for each in effect.when if each.kind.startswith("on_critical")]
    if critical and (effect.side, kind, *critical) != ("attack", "ap", "on_critical_wound"):
        return False
    if effect.side == "attack":
        return "own" in where
    if effect.weapons:
        return False
    limits = [each.kind for each in effect.when if each.decided_by in {"target", "situation", "weapon"}]
    if limits:
        return (kind, *limits) in {("save_modifier", "damage_1"), ("wound", "stronger")}
    if effect.side == "enemy" and not (kind in {"hit", "wound"} and effect.value < 0):
        return False
    exact = {"damage_allocated": -1, "damage_to": 0}.get(kind, effect.value) == effect.value
    return exact and effect.attacks in where and (kind != "damage" or effect.operation == "add")


@dataclass(frozen=True, slots=True, repr=False)
class RuleCondition(Named):
    """One condition of an effect: ``"leading"``, ``"charged"``, ``"once"`` ..., and the names in it.

    >>> str(RuleCondition("target_keyword", ("Monster", "Vehicle")))
    'target keyword Monster, Vehicle'
    """

    #: ``"leading"``, ``"charged"``, ``"target_keyword"`` ...
    kind: str
    #: The names in it.
    value: tuple[str, ...] = ()

    @property
    def decided_by(self) -> str:
        """The list, an attachment, the weapon, the target, the situation; ``"player"`` for all else."""
        return CONDITIONS.get(self.kind, ("", ""))[1] or "player"

    def __str__(self) -> str:
        return " ".join((self.kind.replace("_", " "), ", ".join(self.value))).strip()


@dataclass(frozen=True, slots=True, repr=False)
class RuleEffect(Named):
    """One thing that a rule does to attacks: of its models, against them, or of an enemy unit, by `side`.

    >>> str(RuleEffect("attack", "hit", 1, "melee", when=(RuleCondition("leading"),)))
    '+1 to hit rolls in melee while leading'
    """

    #: ``"attack"``, ``"defence"`` or ``"enemy"``.
    side: Side
    #: ``"hit"`` with ``1``, ``"reroll_hits"`` with ``"ones"``, ``"keyword"`` with ``"Lethal Hits"`` ...
    kind: str
    value: Any = None
    #: ``"any"``, ``"ranged"``, ``"melee"`` or ``"psychic"``, and names or abilities of weapons, all if there is none.
    attacks: str = "any"
    weapons: tuple[str, ...] = ()
    #: Its owner as ``"model"``, all of its ``"unit"``, ``"friends"`` in the army, or those ``"named"``; of them `who`.
    scope: str = "unit"
    who: tuple[str, ...] = ()
    #: All must hold.
    when: tuple[RuleCondition, ...] = ()
    #: Whether it replaces what the rule has of that kind where its conditions hold.
    instead: bool = False
    #: On a characteristic: ``"add"``, ``"set"``, ``"multiply"``, ``"improve"`` or ``"worsen"``.
    operation: str = "add"

    def __str__(self) -> str:
        words, who = KINDS.get(self.kind, (f"± {self.kind.capitalize()}",))[0], ", ".join(self.who)
        if words.startswith("±"):
            words = _OPERATIONS.get(self.operation, _OPERATIONS["add"]).replace("±", words[2:])
        pain = _PAINS.get(self.value[1], " against mortal wounds") if self.kind == "feel_no_pain" else ""
        text = words.format(self.value, "it" if self.side == "defence" else "the target", pain)
        aim = "for attacks allocated to it" if self.kind == "damage_allocated" else ""
        whom = f"for {who}" if who else ""
        if self.side == "enemy":
            aim, whom = aim or (f"for the enemy ({who})" if who else "for the enemy"), ""
        elif self.side == "defence" and self.kind in _AGAINST:
            aim = "for attacks against it"
        parts = [
            text.replace("successful ", "").replace("++", "+"),
            aim,
            _ATTACKS.get(self.attacks, f"of {self.attacks} attacks"),
            f"with {', '.join(self.weapons)}".replace("with not ", "except ") if self.weapons else "",
            f"for friendly {who or 'units'}" if self.scope == "friends" else whom,
            "(other models)" if self.scope == "others" else "",
        ]
        for each in self.when:
            when = CONDITIONS.get(each.kind, (each.kind.replace("_", " "),))[0]
            parts += when.format(", ".join(each.value)).split()
        return " ".join(filter(None, parts)) + (" instead" if self.instead else "")


@dataclass(frozen=True, slots=True, repr=False)
class UnitRule(Named):
    """A rule of a unit, an army, a leader or a piece of wargear.

    >>> rule = UnitRule("Battle Cry", "datasheet", "Captain", (RuleEffect("attack", "hit", 1),))
    >>> rule.state, rule.off().state
    ('on', 'off')
    """

    #: As the list has it.
    name: str
    #: Where it stands: ``"datasheet"``, ``"wargear"``, ``"enhancement"``, ``"leader"``, ``"army"``, ``"core"``.
    source: str
    #: Whose it is: a unit, a model, a piece of wargear.
    of: str
    #: What was understood, and as short keys what of it acts on dice and was not.
    effects: tuple[RuleEffect, ...] = ()
    unread: tuple[str, ...] = ()
    #: Whether the user has switched it on or off; ``None`` where neither.
    switched: bool | None = None
    #: The item that the user chose where the rule is one of several.
    choice: str = ""
    #: Places, in the unit's ``models``, of those that own it; all of them if none is named.
    groups: tuple[int, ...] = ()
    #: The states that it speaks of and that are in force: a doctrine, say.
    states: tuple[str, ...] = ()

    @property
    def state(self) -> Literal["on", "automatic", "off", "unread", "no effect"]:
        """Its state: on, off, automatic, not understood, or without effect."""
        if not self.effects:
            return "unread" if self.unread else "no effect"
        if self.switched is False:
            return "off"
        in_force = {RuleCondition("state", (name,)) for name in self.states}
        open_to = ([c.decided_by for c in each.when if c not in in_force] for each in self.effects)
        decided = set(map(frozenset, open_to))
        if not self.switched or (self.choices and not self.choice):
            decided = {by for by in decided if "player" not in by}
            if not self.switched and (not decided or (self.source == "army" and not self.states)):
                return "off"
            decided = decided or {frozenset(("list",))}
        return "on" if all(by <= {"player"} for by in decided) else "automatic"

    @property
    def not_computed(self) -> tuple[str, ...]:
        """Parts that act on dice but are not computed."""
        return (*self.unread, *(str(effect) for effect in self.effects if not is_computed(effect)))

    @property
    def is_computed(self) -> bool:
        """True if attacks are computed with it, at least in part."""
        return any(map(is_computed, self.effects))

    @property
    def choices(self) -> tuple[str, ...]:
        """The items of which the player chooses one."""
        conditions = (each for effect in self.effects for each in effect.when)
        return tuple(dict.fromkeys(each.value[0] for each in conditions if each.kind == "choice"))

    def on(self, choice: str = "") -> UnitRule:
        """Return the rule switched on; what the player or the moment decides then holds."""
        return replace(self, switched=True, choice=choice)

    def off(self) -> UnitRule:
        """Return the rule switched off."""
        return replace(self, switched=False)

    def __str__(self) -> str:
        left = [f"not understood: {', '.join(self.unread)}"] if self.unread else []
        what = "; ".join((*map(str, self.effects), *left))
        return f"{self.of}: {self.name} ({self.state})" + (f": {what}" if what else "")
