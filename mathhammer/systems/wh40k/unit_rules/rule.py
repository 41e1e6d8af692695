"""Rules of units: effects, what they depend on, which of them attacks are computed with, and a player's words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from mathhammer.display import Named

CHARACTERISTICS = frozenset(("attacks", "strength", "ap", "damage", "skill"))
REROLLS = frozenset(("reroll_hits", "reroll_wounds", "reroll_damage"))
#: Effects on a unit's own attacks that are computed.
_COMPUTED = frozenset(
    (
        *("hit", "wound", "keyword", "no_cover", "critical_hit", "critical_wound", "ignore_modifiers"),
        *("ignore_engaged", "overwatch"),
        *CHARACTERISTICS,
        *REROLLS,
        "reroll_one",
    )
)
#: Effects on whatever attack comes, which a profile of a target holds.
_OF_ANY = frozenset(
    (
        "feel_no_pain",
        "half_damage",
        "damage_to",
        "toughness",
        "save",
        "wounds",
        "damage_allocated",
        "deadly_demise",
    )
)


def limited_reroll(effect: RuleEffect) -> str:
    """Return the rolls of one of which an effect re-rolls a die: ``"hit or wound"``; nothing for other effects."""
    if effect.kind == "reroll_one":
        text = str(effect.value)
        return " or ".join(roll for roll in ("hit", "wound", "damage") if roll in text)
    of = {"reroll_hits": "hit", "reroll_wounds": "wound", "reroll_damage": "damage"}
    return of.get(effect.kind, "") if effect.value == "one" else ""


def is_computed(effect: RuleEffect) -> bool:
    """Whether an effect is one that attacks are computed with."""
    on_critical = [each.kind for each in effect.when if each.kind.startswith("on_critical")]
    if on_critical and (
        effect.side != "attack" or effect.kind != "ap" or on_critical != ["on_critical_wound"]
    ):
        return False
    if effect.side == "attack":
        return effect.kind in _COMPUTED
    return _is_computed_defence(effect)


def _is_computed_defence(effect: RuleEffect) -> bool:  # noqa: PLR0911 - one line for each kind
    """Whether a target can hold an effect on the attacks against it."""
    kind = effect.kind
    if effect.weapons or any(
        each.decided_by in {"target", "situation"} and each.kind != "stronger" for each in effect.when
    ):
        return False
    weapon = [each.kind for each in effect.when if each.decided_by == "weapon"]
    if weapon:
        return weapon == ["damage_1"] and kind == "save_modifier"
    if any(each.kind == "stronger" for each in effect.when):
        return kind == "wound"
    if effect.side == "enemy":
        return kind in {"hit", "wound"} and effect.number < 0 and effect.attacks in {"any", "ranged", "melee"}
    if kind in _OF_ANY:
        least = (
            effect.value == -1
            if kind == "damage_allocated"
            else effect.value == 0
            if kind == "damage_to"
            else True
        )
        return effect.attacks == "any" and least
    if kind in {"hit", "wound", "ap", "strength", "invulnerable"} or (
        kind == "damage" and effect.operation == "add"
    ):
        return effect.attacks in {"any", "ranged", "melee"}
    return kind == "stealth" or (kind == "cover" and effect.attacks in {"any", "ranged"})


_CONDITIONS = {
    "leading": "while leading {}",
    "led_by": "while led by {}",
    "contains": "while the unit contains {}",
    "wargear": "if equipped with {}",
    "target_keyword": "against {}",
    "target_not_keyword": "not against {}",
    "target_intact": "against a unit at full strength",
    "target_half_left": "against a unit with half of it left",
    "target_losses": "against a unit {}",
    "target_battle_shocked": "against a Battle-shocked unit",
    "stronger": "if S > T",
    "weaker": "if S < T",
    "strength_at_most": "of Strength {} or less",
    "damage_1": "of Damage 1",
    "charged": "after a charge",
    "stationary": "if stationary",
    "advanced": "after advancing",
    "half_range": "within half range",
    "overwatch": "in Overwatch",
    "losses": "while {}",
    "enemy_losses": "while the enemy is {}",
    "battle_shocked": "while Battle-shocked",
    "own_strength": "at its Starting Strength",
    "objective": "at an objective",
    "closest": "against the closest target",
    "distance": "within its distance",
    "marked": "against a marked enemy",
    "friend": "on a chosen friend",
    "aura": "within its aura",
    "enemy_near": "by an enemy near it",
    "once": "once per battle or turn",
    "use": "when used",
    "choice": "if {} is chosen",
    "state": "in its state {}",
    "test": "after a test",
    "roll": "on a roll",
    "token": "for a token",
    "disembarked": "after disembarking",
    "set_up": "after being set up",
    "moment": "at its moment",
    "hidden": "when not fully visible",
    "on_critical_wound": "on critical wounds",
    "on_critical_hit": "on critical hits",
}
_NAMES = {
    "ap": "AP",
    "skill": "BS/WS",
    "toughness": "Toughness",
    "save": "Save",
    "damage_allocated": "Damage",
    "wounds": "Wounds",
}
_PLAIN = {
    "reroll_hits": "re-roll hits: {}",
    "reroll_wounds": "re-roll wounds: {}",
    "reroll_damage": "re-roll damage: {}",
    "reroll_saves": "re-roll saves: {}",
    "reroll_saves_invulnerable": "re-roll invulnerable saves: {}",
    "reroll_attacks": "re-roll the number of attacks",
    "reroll_one": "one re-roll of several kinds",
    "keyword": "[{}]",
    "critical_hit": "critical hits on {}+",
    "critical_wound": "critical wounds on {}+",
    "ignore_modifiers": "ignores modifiers of {}",
    "no_cover": "{1} has no cover",
    "ignore_engaged": "no penalty for being engaged",
    "overwatch": "Overwatch hits on {}+",
    "set_to_6": "one die is a 6",
    "invulnerable": "invulnerable save {}+",
    "half_damage": "Damage is halved",
    "damage_to": "Damage becomes {}",
    "stealth": "Stealth",
    "cover": "cover",
    "save_modifier": "{:+d} to saves",
    "deadly_demise": "Deadly Demise {}",
}


def effect_text(effect: RuleEffect) -> str:
    """Return what an effect does, to which attacks, and when."""
    parts = [_what(effect)]
    if effect.kind == "damage_allocated":
        parts[0] += " for attacks allocated to it"
    elif effect.side == "defence" and effect.kind in {"hit", "wound", "ap", "strength", "damage", "attacks"}:
        parts[0] += " for attacks against it"
    elif effect.side == "enemy":
        parts[0] += f" for the enemy ({', '.join(effect.who)})" if effect.who else " for the enemy"
    if effect.attacks != "any":
        parts.append(
            {"melee": "in melee", "ranged": "at range"}.get(effect.attacks, f"of {effect.attacks} attacks")
        )
    if effect.weapons:
        parts.append(f"with {', '.join(effect.weapons)}")
    if effect.scope == "friends":
        parts.append(f"for friendly {', '.join(effect.who) or 'units'}")
    elif effect.who and effect.side != "enemy":
        parts.append(f"for {', '.join(effect.who)}")
    parts += map(_when, effect.when)
    return " ".join(parts) + (" instead" if effect.instead else "")


def _what(effect: RuleEffect) -> str:
    kind, value = effect.kind, effect.value
    if kind in {"hit", "wound"}:
        return f"{value:+d} to {kind} rolls"
    if kind == "feel_no_pain":
        need, against = effect.pain
        kinds = {
            "": "",
            "both": " against mortal wounds and psychic attacks",
            "psychic": " against psychic attacks",
        }
        return f"Feel No Pain {need}+{kinds.get(against, ' against mortal wounds')}"
    if kind in _PLAIN:
        text = _PLAIN[kind].format(value, "it" if effect.side == "defence" else "the target")
        return text.replace("successful ", "").replace("++", "+") if kind.startswith("critical") else text
    name = _NAMES.get(kind, kind.capitalize())
    if effect.operation in {"improve", "worsen"}:
        return f"{name} {'better' if effect.operation == 'improve' else 'worse'} by {value}"
    if effect.operation == "set":
        return f"{name} {value}"
    return f"{name} x{value}" if effect.operation == "multiply" else f"{value:+d} {name}"


def _when(condition: RuleCondition) -> str:
    text = _CONDITIONS.get(condition.kind, condition.kind.replace("_", " "))
    return " ".join(text.format(", ".join(condition.value)).split())


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
        return (*self.unread, *(str(effect) for effect in self.effects if not is_computed(effect)))

    @property
    def is_computed(self) -> bool:
        """Whether attacks are computed with it, at least in part."""
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
