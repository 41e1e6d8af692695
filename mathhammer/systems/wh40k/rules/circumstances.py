"""What can be true of a volley and is about no roll alone: range, movement, what the attacker ignores, re-rolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.rules.roll import adds_value, names_itself, sets, takes_modifiers
from mathhammer.systems.wh40k.rules.rule import ROLLS, Condition
from mathhammer.systems.wh40k.rules.values import (
    Critical,
    Leader,
    Modifiers,
    Names,
    Rerolls,
    RollModifiers,
    Triggers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.profiles.triggers import Trigger
    from mathhammer.systems.wh40k.rules.roll import Making
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages


def plunging_fire(*, source: str, text: str, **changed: Effect) -> Condition:
    """Return Plunging Fire: what shooting down from terrain makes better."""
    return Condition(
        "plunging_fire",
        source=source,
        help=f"The attacker shoots down from terrain: {text}.",
        against="ranged",
        **changed,  # type: ignore[arg-type]
    )


_SOURCE = "core rules, Making Attacks"
HALF_RANGE = Condition(
    "half_range",
    source=_SOURCE,
    help="The target is within half range (Rapid Fire, Melta).",
    when="within half range",
    unless="beyond half range",
    offered=True,
    excludes=("long_range",),
)
LONG_RANGE = Condition(
    "long_range",
    source=_SOURCE,
    help="The target is beyond the distance that Conversion names.",
    when="beyond its distance",
    unless="not beyond the distance that it names",
)
STATIONARY = Condition(
    "stationary",
    source=_SOURCE,
    help="The attacker remained stationary (Heavy).",
    when="remained stationary",
    unless="moved",
    offered=True,
    excludes=("moved", "advanced", "charged"),
)
MOVED = Condition("moved", source=_SOURCE, help="The attacker moved.", when="moved", unless="did not move")
ADVANCED = Condition(
    "advanced",
    source=_SOURCE,
    help="The attacker advanced (Assault).",
    when="advanced",
    unless="did not advance",
    barred="it cannot shoot after advancing",
)
CHARGED = Condition(
    "charged",
    source=_SOURCE,
    help="The attacker charged this turn (Lance).",
    when="charged",
    unless="did not charge",
    offered=True,
)
INDIRECT = Condition(
    "indirect",
    source=_SOURCE,
    help="No model of the target is visible (Indirect Fire).",
    when="target not visible",
    unless="the target is visible",
    barred="it can attack only what is visible",
)
TARGET_CHARGED = Condition(
    "target_charged",
    source=_SOURCE,
    group="Situation of the target",
    help="The target charged.",
    when="the target charged",
    unless="the target did not charge",
    save=names_itself("target_charged"),
)
PRECISION = Condition(
    "precision",
    source="10th edition core rules, Precision",
    value=Leader(),
    group="Situation of the target",
    help="The leader at which Precision is directed, the first unless said; none: at no leader; 'best': as is best.",
    shown="Precision at: {}",
)
MODIFIERS = Condition(
    "modifiers",
    source="Rules Commentary, Modifiers",
    value=Modifiers(),
    group="Modifiers",
    help="Of a characteristic or a roll: 'damage +1 (rule)', 'strength x2', 'ap improved by 1'.",
    shown="{}",
    option="modifier",
    **dict.fromkeys(ROLLS, takes_modifiers),  # type: ignore[arg-type]
)
IGNORE_MODIFIERS = Condition(
    "ignore_modifiers",
    source="Rules Commentary, Ignoring Modifiers",
    value=Names(names=("hit", "skill", "wound", "attacks", "strength", "ap", "damage")),
    group="Modifiers",
    help="Harmful modifiers of these are ignored, with commas: hit, skill, wound, attacks, strength, ap, damage.",
    shown="ignores modifiers of {}",
    **dict.fromkeys(ROLLS, sets("ignored")),  # type: ignore[arg-type]
)


def _require_critical_rolls(roll: Making, each: ActiveRule[tuple[Trigger, ...]]) -> None:
    if not roll.edition.critical and any(trigger.on == "critical" for trigger in each.value):
        raise MathhammerError(
            f"expected no Trigger on 'critical' in the {roll.edition.title}, which has no critical rolls; use "
            "'unmodified 6' for those rolls"
        )


TRIGGERS = Condition(
    "triggers",
    source="core rules, Making Attacks; datasheets",
    value=Triggers(),
    group="Rolls",
    help="What happens on a result: 'unmodified 6 to wound: AP improved by 3 (Rending)'.",
    shown="{}",
    option="trigger",
    joins_rolls=bool,
    hit=_require_critical_rolls,
)


def _reroll(roll: Making, each: ActiveRule[Reroll | Literal["one"]]) -> None:
    """Re-roll a die once; one re-roll of a single die is no property of every die."""
    if each.value == "non-critical" and not roll.edition.critical:
        raise MathhammerError(
            f"expected a re-roll other than 'non-critical' in the {roll.edition.title}, which has no critical rolls; "
            "give the faces to re-roll"
        )
    if each.value == "failed":
        roll.reroll = roll.edition.failed
    elif each.value != "one":
        roll.reroll = each.value


def says_one_die(die: str) -> Callable[[Stages, bool], str]:
    """Return what a page says of one re-roll of a die that failed."""

    def text(_: Stages, shared: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
        which = (
            f"the unit has one for all its volleys: the first failed {die} in their order is re-rolled"
            if shared
            else f"of all of them, one failed {die} is re-rolled"
        )
        return f"{which}; the probabilities above are those of a die without it"

    return text


def roll_modifier(roll: str, rolls: str, source: str) -> Condition:
    """Return the keyword of modifiers of a roll, which stand in the plural in help."""
    return Condition(
        f"{roll}_modifier",
        source=f"core rules, {source}",
        value=RollModifiers(),
        group="Modifiers",
        help=f"Added to {rolls}.",
        shown=f"{{:+d}} to {rolls}",
        **{roll: adds_value},  # type: ignore[arg-type]
    )


def critical(roll: str, source: str, effect: Effect) -> Condition:
    """Return the keyword of lowered thresholds of critical rolls."""
    return Condition(
        f"critical_{roll}",
        source=source,
        value=Critical(),
        group="Rolls",
        help=f"Least unmodified {roll} roll that is critical: 5, or 'successful 5+'.",
        shown=f"critical {roll}s on {{}}+",
        **{roll: effect},  # type: ignore[arg-type]
    )


def rerolls(
    rolls: str,
    roll: str,
    words: tuple[str, ...],
    says_one: Callable[[Stages, bool], str],
    *,
    most: int = 6,
    once: str = "",
    of_unit: bool = False,
    effect: Effect = _reroll,
) -> Condition:
    """Return the keyword of the re-rolls of a roll; `once` says which die is re-rolled where one is."""
    once = once or "one failed die for the whole unit, the first"
    faces = ", or faces such as 1,2" if most else ""
    of_1 = "; ones: rolls of 1" if "ones" in words else ""
    return Condition(
        f"reroll_{rolls}",
        source="core rules, Re-rolls; Rules Commentary, Re-rolls; core stratagems, Command Re-roll",
        value=Rerolls(words=words, most=most, of_unit=of_unit),
        group="Re-rolls",
        help=f"Re-roll {rolls}: {', '.join(words)}{faces} (one: {once}{of_1}).",
        shown=f"re-roll {rolls}: {{}}",
        joins_rolls=lambda value: value == "one",
        says_one=says_one,
        **{roll: effect},  # type: ignore[arg-type]
    )
