"""Named conditions of a fight as data: what Stealth, Plunging Fire or a Damaged profile do to a volley."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mathhammer.modifiers import Modifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = [
    "IGNORABLE",
    "TENTH_CONDITIONS",
    "Condition",
    "in_conditions",
    "out_of_force",
    "unharmed",
    "without_harm",
]

#: What a rule may let the attacker ignore modifiers of.
IGNORABLE = ("hit", "skill", "wound", "attacks", "strength", "ap", "damage")


@dataclass(frozen=True, slots=True)
class Condition:
    """What is true of a volley, and what that does to it.

    Parameters
    ----------
    name
        The keyword of the situation.
    modifiers
        What it modifies; two conditions that name the same source count once.
    against
        The attacks that it is about: ``"ranged"``, or all of them.
    exempt
        The weapon ability that it does not touch.
    cover
        Whether the target has the benefit of cover.
    invulnerable
        The invulnerable save that every model of the target has.
    """

    name: str
    modifiers: tuple[Modifier, ...] = ()
    against: Literal["ranged"] | None = None
    exempt: str = ""
    cover: bool = False
    invulnerable: int | None = None

    def exempts(self, weapon: Weapon) -> str:
        """Why it does not touch a weapon; nothing where it does."""
        if self.against == "ranged" and weapon.melee:
            return "a melee weapon"
        return self.exempt if self.exempt and weapon.has(self.exempt) else ""


_STEALTH = Modifier("subtract", 1, "Stealth", of="hit")

#: References: Warhammer 40,000 10th edition core rules, Stealth, Big Guns Never Tire, Plunging Fire, Benefit of
#: Cover and the core stratagems Smokescreen and Go to Ground; Core Rules Updates. That one thing is not counted
#: twice is the rule for Smokescreen: it gives Stealth and cover, and does not stack with either.
TENTH_CONDITIONS = (
    Condition("stealth", (_STEALTH,), against="ranged"),
    Condition("smokescreen", (_STEALTH,), against="ranged", cover=True),
    Condition("go_to_ground", against="ranged", cover=True, invulnerable=6),
    Condition(
        "engaged",
        (Modifier("subtract", 1, "Big Guns Never Tire", of="hit"),),
        against="ranged",
        exempt="Pistol",
    ),
    Condition("plunging_fire", (Modifier("improve", 1, "Plunging Fire", of="ap"),), against="ranged"),
    Condition("damaged", (Modifier("subtract", 1, "Damaged", of="hit"),)),
)


def in_conditions(
    weapon: Weapon, target: Target, situation: Situation, edition: Edition
) -> tuple[Situation, Target]:
    """Return the situation with all that its conditions bring, and the target under them."""
    hit: dict[str, Modifier] = {}
    others: list[Modifier] = []
    cover, invulnerable = situation.cover, target.invulnerable
    names = situation.conditions | {"stealth"} if target.stealth else situation.conditions
    for condition in edition.conditions:
        if condition.name not in names or condition.exempts(weapon):
            continue
        for modifier in condition.modifiers:
            if modifier.of == "hit":
                hit[modifier.source] = modifier
            else:
                others.append(modifier)
        cover = cover or condition.cover
        if condition.invulnerable is not None:
            invulnerable = (*invulnerable, (condition.invulnerable, None))
    if invulnerable != target.invulnerable:
        target = copy(target)
        object.__setattr__(target, "invulnerable", invulnerable)
    named = {modifier.source for modifier in situation.hit_modifier}
    more = tuple(modifier for modifier in hit.values() if modifier.source not in named)
    return replace(
        situation,
        hit_modifier=(*situation.hit_modifier, *more),
        modifiers=(*situation.modifiers, *others),
        cover=cover,
    ), target


def out_of_force(weapon: Weapon, situation: Situation, edition: Edition) -> Iterable[tuple[str, str]]:
    """Yield the conditions that move nothing for a weapon, and why."""
    known = {condition.name: condition for condition in edition.conditions}
    for name in sorted(situation.conditions):
        if name not in known:
            yield name, f"not a rule of the {edition.title}"
        elif reason := known[name].exempts(weapon):
            yield name, reason


def without_harm(modifiers: Sequence[Modifier], ignored: bool) -> list[Modifier]:  # noqa: FBT001 - a plain filter
    """Leave out the modifiers of a roll that a rule lets the attacker ignore: those that harm him.

    References
    ----------
    Rules Commentary, Ignoring Modifiers: any or all of them may be ignored.
    """
    if not ignored:
        return list(modifiers)
    return [m for m in modifiers if (m.value if m.operation in {"add", "improve"} else -m.value) > 0]


def unharmed(weapon: Weapon, situation: Situation, edition: Edition) -> Situation:
    """Leave out the modifiers of characteristics that the attacker ignores, and those he cannot have.

    A weapon with Extra Attacks has its Attacks modified only by rules that name it: by modifiers of
    ``"extra attacks"``.
    """
    extra = weapon.has("Extra Attacks")
    left_out = "attacks" if extra else "extra attacks"
    named = [
        replace(m, of="attacks") if m.of == "extra attacks" else m
        for m in situation.modifiers
        if m.of != left_out
    ]
    return replace(
        situation,
        modifiers=tuple(m for m in named if m.of not in situation.ignored or not _harms(weapon, m, edition)),
    )


def _harms(weapon: Weapon, modifier: Modifier, edition: Edition) -> bool:
    """Whether a modifier alone would do harm, whatever floor hides it: another one may lift the value again."""
    printed = getattr(weapon, modifier.of)
    value = printed.bounds()[1] if hasattr(printed, "bounds") else printed
    if value is None:
        return False
    better = -1 if edition.characteristics[modifier.of].lower_is_better else 1
    if modifier.operation in {"improve", "worsen"}:
        return modifier.operation == "worsen"
    if modifier.operation in {"add", "subtract"}:
        return (modifier.value if modifier.operation == "add" else -modifier.value) * better < 0
    if modifier.operation == "divide":
        return modifier.value > 1 and bool(value * better > 0)
    if modifier.operation == "multiply":
        return bool((modifier.value - 1) * value * better < 0)
    # Set, or treated as: worse than what it replaces, where it says what that is.
    replaced = (value,) if modifier.when is None else tuple(modifier.when)
    return any((modifier.value - each) * better < 0 for each in replaced)
