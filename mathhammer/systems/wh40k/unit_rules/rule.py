"""A rule of a unit as data: what it does to which attacks, on what that depends, and whether it is on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from mathhammer.display import Named

Side = Literal["attack", "defence", "enemy"]
#: What an effect does by how much: a number, a text, or of Feel No Pain its roll and what it is against.
EffectValue = int | str | tuple[int, str] | None

#: Who or what decides a condition; what is not named here depends on the moment or on the player.
DECIDED_BY = {
    kind: by
    for by, kinds in {
        "list": "contains wargear models",
        "attachment": "leading led_by",
        "target": "target_keyword target_not_keyword target_intact target_half_left stronger weaker",
        "weapon": "strength_at_most damage_1",
        "situation": "charged stationary advanced half_range overwatch",
    }.items()
    for kind in kinds.split()
}


@dataclass(frozen=True, slots=True, repr=False)
class RuleCondition(Named):
    """One condition of an effect.

    Parameters
    ----------
    kind
        ``"leading"``, ``"target_keyword"``, ``"charged"``, ``"once"`` ...
    value
        What it names: keywords, models, the item of a choice.

    Examples
    --------
    >>> condition = RuleCondition("target_keyword", ("Monster", "Vehicle"))
    >>> condition.decided_by, str(condition)
    ('target', 'target keyword Monster, Vehicle')
    """

    kind: str
    value: tuple[str, ...] = ()

    @property
    def decided_by(self) -> str:
        """The list, an attachment, the weapon, the target, the situation; ``"player"`` for all else."""
        return DECIDED_BY.get(self.kind, "player")

    def __str__(self) -> str:
        return " ".join((self.kind.replace("_", " "), ", ".join(self.value))).strip()


@dataclass(frozen=True, slots=True, repr=False)
class RuleEffect(Named):
    """One thing that a rule does to attacks.

    Parameters
    ----------
    side
        ``"attack"`` for the attacks of its models, ``"defence"`` for attacks against them, ``"enemy"`` for what it
        does to an enemy unit.
    kind, value
        What it does: ``"hit"`` with ``1``, ``"reroll_hits"`` with ``"ones"``, ``"keyword"`` with ``"Lethal Hits"``.
    attacks
        ``"any"``, ``"ranged"``, ``"melee"`` or ``"psychic"``.
    weapons
        Names or abilities of the weapons that it is about, all of them if none is named.
    scope
        ``"model"`` for its owner, ``"unit"`` for all models of its owner's unit, ``"friends"`` for other units of
        the army, ``"named"`` for models of a name.
    who
        Keywords or names of the models in that scope, all of them if none is named.
    when
        Conditions, all of which must hold.
    instead
        Whether it replaces what the rule has of that kind where its conditions hold.
    operation
        What it does to a characteristic: ``"add"``, ``"set"``, ``"multiply"`` or ``"improve"``.

    Examples
    --------
    >>> str(RuleEffect("attack", "hit", 1, "melee", when=(RuleCondition("leading"),)))
    '+1 to hit rolls in melee while leading'
    """

    side: Side
    kind: str
    value: EffectValue = None
    attacks: str = "any"
    weapons: tuple[str, ...] = ()
    scope: str = "unit"
    who: tuple[str, ...] = ()
    when: tuple[RuleCondition, ...] = ()
    instead: bool = False
    operation: str = "add"

    @property
    def number(self) -> int:
        """Its value where that is a number."""
        return cast("int", self.value)

    @property
    def pain(self) -> tuple[int, str]:
        """The roll of Feel No Pain, and what it is against."""
        return cast("tuple[int, str]", self.value)

    def __str__(self) -> str:
        from mathhammer.systems.wh40k.unit_rules.words import effect_text

        return effect_text(self)


@dataclass(frozen=True, slots=True, repr=False)
class UnitRule(Named):
    """A rule of a unit, an army, a leader or a piece of wargear.

    Parameters
    ----------
    name
        As the list has it.
    source
        Where it stands: ``"datasheet"``, ``"wargear"``, ``"enhancement"``, ``"leader"``, ``"army"``, ``"core"``.
    of
        Whose it is: a unit, a model, a piece of wargear.
    effects
        What was understood; nothing where nothing of it acts on dice of attacks.
    unread
        What of it acts on dice and was not understood, as short keys.
    switched
        Whether the user has switched it on or off; ``None`` where neither.
    choice
        The item that the user chose where the rule is one of several.
    groups
        Places, in the unit's ``models``, of those that own it; all of them if none is named.

    Examples
    --------
    >>> rule = UnitRule("Battle Cry", "datasheet", "Captain", (RuleEffect("attack", "hit", 1),))
    >>> rule.state, rule.off().state
    ('on', 'off')
    """

    name: str
    source: str
    of: str
    effects: tuple[RuleEffect, ...] = ()
    unread: tuple[str, ...] = ()
    switched: bool | None = None
    choice: str = ""
    groups: tuple[int, ...] = ()

    @property
    def state(self) -> Literal["on", "automatic", "off", "unread", "no effect"]:
        """Whether it is in force: always, as list, weapon, target and situation decide, or not."""
        if not self.effects:
            return "unread" if self.unread else "no effect"
        if self.switched is False:
            return "off"
        decided = {frozenset(each.decided_by for each in effect.when) for effect in self.effects}
        if self.switched is not True:
            decided = {by for by in decided if "player" not in by}
            if not decided or (self.source == "army"):
                return "off"
        elif any(effect.when and _is_choice(effect) and not self.choice for effect in self.effects):
            decided = {by for by in decided if "player" not in by} or {frozenset(("list",))}
        return "on" if all(by <= {"player"} for by in decided) else "automatic"

    @property
    def not_computed(self) -> tuple[str, ...]:
        """What of it acts on dice and is not computed: what was not understood, and effects that attacks lack."""
        from mathhammer.systems.wh40k.unit_rules.computed import is_computed

        return (*self.unread, *(str(effect) for effect in self.effects if not is_computed(effect)))

    @property
    def is_computed(self) -> bool:
        """Whether attacks are computed with it, at least in part."""
        from mathhammer.systems.wh40k.unit_rules.computed import is_computed

        return any(map(is_computed, self.effects))

    @property
    def choices(self) -> tuple[str, ...]:
        """The items of which the player chooses one."""
        found = (each.value[0] for effect in self.effects for each in effect.when if each.kind == "choice")
        return tuple(dict.fromkeys(found))

    @property
    def is_switch(self) -> bool:
        """Whether anything of it depends on the moment or the player."""
        by_player = any(each.decided_by == "player" for effect in self.effects for each in effect.when)
        return bool(self.effects) and (by_player or self.source == "army")

    def on(self, choice: str = "") -> UnitRule:
        """Return the rule switched on; what the player or the moment decides then holds."""
        return replace(self, switched=True, choice=choice)

    def off(self) -> UnitRule:
        """Return the rule switched off."""
        return replace(self, switched=False)

    def __str__(self) -> str:
        effects = "; ".join(map(str, self.effects))
        left = f"not understood: {', '.join(self.unread)}" if self.unread else ""
        what = "; ".join(text for text in (effects, left) if text)
        return f"{self.of}: {self.name} ({self.state})" + (f": {what}" if what else "")


def _is_choice(effect: RuleEffect) -> bool:
    return any(each.kind == "choice" for each in effect.when)
