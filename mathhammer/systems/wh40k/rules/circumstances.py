"""What can be true of a volley and is about no roll alone: range, movement, what the attacker ignores, re-rolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.rules.roll import names_itself, sets, takes_modifiers
from mathhammer.systems.wh40k.rules.rule import Condition
from mathhammer.systems.wh40k.rules.values import Flag, Leader, Modifiers, Names, Rerolls, Triggers

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.wh40k.rules.rule import Effect, InForce
    from mathhammer.systems.wh40k.sequence.stages import Stages

_AT = "Situation"


def plunging_fire(*, source: str, text: str, **changed: Effect) -> Condition:
    """Return Plunging Fire: what shooting down from terrain makes better."""
    return Condition(
        "plunging_fire",
        source=source,
        value=Flag(),
        group=_AT,
        help=f"The attacker shoots down from terrain: {text}.",
        against="ranged",
        **changed,  # type: ignore[arg-type]
    )


def _flag(name: str, help: str, when: str, unless: str, **more: Any) -> Condition:  # noqa: A002
    group = more.pop("group", _AT)
    source = more.pop("source", "core rules, Making Attacks")
    return Condition(
        name, source=source, value=Flag(), group=group, help=help, when=when, unless=unless, **more
    )


HALF_RANGE = _flag(
    "half_range",
    "The target is within half range (Rapid Fire, Melta).",
    "within half range",
    "beyond half range",
    offered=True,
    excludes=("long_range",),
)
LONG_RANGE = _flag(
    "long_range",
    "The target is beyond the distance that Conversion names.",
    "beyond its distance",
    "not beyond the distance that it names",
)
STATIONARY = _flag(
    "stationary",
    "The attacker remained stationary (Heavy).",
    "remained stationary",
    "moved",
    offered=True,
    excludes=("moved", "advanced", "charged"),
)
MOVED = _flag("moved", "The attacker moved (9th edition: Heavy, for infantry).", "moved", "did not move")
ADVANCED = _flag(
    "advanced",
    "The attacker advanced (9th edition: Assault).",
    "advanced",
    "did not advance",
    barred="it cannot shoot after advancing",
)
CHARGED = _flag(
    "charged", "The attacker charged this turn (Lance).", "charged", "did not charge", offered=True
)
INDIRECT = _flag(
    "indirect",
    "No model of the target is visible (Indirect Fire).",
    "target not visible",
    "the target is visible",
    barred="it can attack only what is visible",
)
TARGET_CHARGED = _flag(
    "target_charged",
    "The target charged (9th edition: no heavy cover).",
    "the target charged",
    "the target did not charge",
    group="Situation of the target",
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
    attacks=takes_modifiers,
    hit=takes_modifiers,
    wound=takes_modifiers,
    save=takes_modifiers,
    damage=takes_modifiers,
)
_ignored = sets("ignored")
IGNORE_MODIFIERS = Condition(
    "ignore_modifiers",
    source="Rules Commentary, Ignoring Modifiers",
    value=Names(names=("hit", "skill", "wound", "attacks", "strength", "ap", "damage")),
    group="Modifiers",
    help="Harmful modifiers of these are ignored, with commas: hit, skill, wound, attacks, strength, ap, damage.",
    shown="ignores modifiers of {}",
    attacks=_ignored,
    hit=_ignored,
    wound=_ignored,
    save=_ignored,
    damage=_ignored,
)


def _require_critical_rolls(roll: Any, each: InForce) -> None:
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


def _reroll(roll: Any, each: InForce) -> None:
    """Re-roll a die once; one re-roll of a single die is no property of every die."""
    if each.value == "non-critical" and not roll.edition.critical:
        raise MathhammerError(
            f"expected a re-roll other than 'non-critical' in the {roll.edition.title}, which has no critical rolls; "
            "give the faces to re-roll as a set"
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
