"""The wound roll, and the rules that change it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.expressions.base import as_expression
from mathhammer.expressions.check import Check
from mathhammer.systems.wh40k.rules.circumstances import (
    CHARGED,
    critical,
    rerolls,
    roll_modifier,
    says_one_die,
)
from mathhammer.systems.wh40k.rules.roll import KEPT, Making, Roll, adds, names_itself, sets, unless
from mathhammer.systems.wh40k.rules.rule import Ability, Condition, Face, Rules, critical_face
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from mathhammer.characteristics import Characteristic
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages


class Wound(NamedTuple):
    """One wound roll: the strength it is made with and the weight of that strength."""

    strength: int
    weight: int
    check: Check


class Wounds(NamedTuple):
    """The wound roll for each strength that the weapon can have, and what abilities do to it."""

    rolls: tuple[Wound, ...]
    modifiers: tuple[Modifier, ...]
    strength: Expression
    toughness: int
    critical_wounds_deferred: bool
    rerolled_by: str
    modified_characteristics: tuple[Characteristic, ...]

    @property
    def weights(self) -> tuple[int, int, int, int]:
        """Weights of fail, success and critical over all strengths, and their sum."""
        if len(self.rolls) == 1:
            return (*self.rolls[0].check.weights(), 36)
        fail = success = critical = total = 0
        for wound in self.rolls:
            weights = wound.check.weights()
            fail += wound.weight * weights[0]
            success += wound.weight * weights[1]
            critical += wound.weight * weights[2]
            total += wound.weight * 36
        return fail, success, critical, total


@dataclass(slots=True, kw_only=True)
class Wounding(Making):
    """A wound roll while rules change it."""

    melee: bool
    #: Modifiers of rolls with a Strength greater than the Toughness.
    if_stronger: list[Modifier] = field(default_factory=list)
    criticals: tuple[tuple[int, bool], ...] = ()
    deferred: str = ""
    rerolls_failed: str = ""
    enough: int = 7
    fails_up_to: int = 1
    threshold: int = 6
    #: Whether the target's rule loses to a critical wound.
    yields: bool = True

    roll = "wound"


@lru_cache(maxsize=KEPT)
def wound_roll(
    strength: Expression,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    toughness: int,
    of_target: Rules,
    edition: Edition,
) -> Wounds:
    """Return the wound roll for each strength that the weapon can have."""
    roll = Wounding(edition, melee=melee)
    roll.apply(rules)
    roll.apply(of_target)
    strength = as_expression(roll.characteristic("strength", strength))
    toughness = roll.characteristic("toughness", toughness)
    modifier = if_stronger = roll.net_modifier()
    if roll.if_stronger:
        roll.modifiers += roll.if_stronger
        if_stronger = roll.net_modifier()
    criticals = ((roll.threshold, False), *roll.criticals) if edition.critical else ()
    wounds = []
    strengths = integer_distribution(strength)
    for rolled, weight in enumerate(strengths.weights, strengths.low):
        if weight:
            s = max(1, rolled)
            need = min(roll.enough, wound_need(s, toughness))
            by = if_stronger if s > toughness else modifier
            check = Check(need, by, _failing(roll, by), edition.succeeds_from, criticals, roll.reroll)
            if roll.rerolls_failed:
                check = check._replace(reroll=_failed_too(check))
            wounds.append(Wound(s, weight, check))
    return Wounds(
        tuple(wounds),
        tuple(roll.modifiers),
        strength,
        toughness,
        bool(roll.deferred),
        "" if roll.reroll in {"failed", "non-critical"} else roll.rerolls_failed,
        tuple(roll.modified_characteristics),
    )


WOUND = Roll(
    "wound", lambda weapon, _: (weapon.strength, weapon.melee), lambda target: (target.toughness,), wound_roll
)


def wound_need(strength: int, toughness: int) -> int:
    """Return the wound roll that strength needs against toughness.

    (Warhammer 40,000 10th edition core rules, Making Attacks, Wound Roll.)
    """
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


def _failing(roll: Wounding, modifier: int) -> int:
    """Return up to which unmodified face a wound roll fails: the attacker's rules beat the target's.

    (Warhammer 40,000 10th edition, Core Rules Updates, Priority of Rules.)
    """
    faces = roll.fails_up_to
    if roll.enough < 7:
        faces = min(faces, max(1, roll.enough - modifier - 1))
    return min(faces, max(1, roll.threshold - 1)) if roll.yields else faces


def _failed_too(check: Check) -> Reroll:
    """Return the re-roll of a check whose failures may be re-rolled too: its owner picks the rule for each die.

    (Warhammer 40,000 10th edition core rules, Twin-linked; Rules Commentary, Re-rolls.)
    """
    if isinstance(check.reroll, frozenset):
        return check.reroll | check._replace(reroll="failed").rerolled()
    return "non-critical" if check.reroll == "non-critical" else "failed"


def _anti(roll: Wounding, each: ActiveRule[Keyword]) -> None:
    roll.threshold = min(roll.threshold, each.value.number)


def _deferred(stages: Stages) -> str:
    of_pool = "" if stages.edition.deferred_to_end_of_unit["devastating"] else " of its pool"
    return f"a critical wound allows no save and is resolved after the other attacks{of_pool}"


ANTI = Ability(
    "Anti",
    help="Wound rolls from this one on are critical against targets with the keyword.",
    source="10th edition core rules, Anti-",
    value="roll",
    wound=_anti,
)
TWIN_LINKED = Ability(
    "Twin-linked",
    help="Any failed wound roll may be re-rolled.",
    source="10th edition core rules, Twin-linked",
    wound=names_itself("rerolls_failed"),
    idle=unless(
        lambda stages: stages.to_wound.rerolled_by,
        "not in force: every failed wound roll is re-rolled in any case",
    ),
    offers=("Twin-linked",),
)


def devastating_wounds(damage: Effect) -> Ability:
    """Return Devastating Wounds, with what it does to the damage roll."""
    return Ability(
        "Devastating Wounds",
        help="A critical wound allows no save: its damage is inflicted as mortal wounds.",
        source="10th edition core rules, Devastating Wounds; Core Rules Updates",
        wound=names_itself("deferred"),
        damage=damage,
        says=_deferred,
        on_results=True,
        offers=("Devastating Wounds",),
    )


def lance(value: int) -> Ability:
    """Return Lance: better wound rolls after a charge."""
    text = f"{value:+d} to wound rolls after a charge."
    source = "10th edition core rules, Lance"
    return Ability("Lance", help=text, source=source, needs=(CHARGED,), wound=adds(value))


# Conditions ---------------------------------------------------------------------------------------------------

WOUND_MODIFIER = roll_modifier("wound", "wound rolls", "Wound Roll")


def _says_one(stages: Stages, shared: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
    by = stages.to_wound.rerolled_by
    if by:
        return f"has no effect here: {by} has re-rolled every failed wound roll, and none is re-rolled twice"
    return says_one_die("wound roll")(stages, shared)


REROLL_WOUNDS = rerolls(
    "wounds", "wound", ("one", "ones", "failed", "failed-unmodified", "non-critical"), _says_one
)


def critical_wound(effect: Effect) -> Condition:
    """Return the keyword of lowered thresholds of critical wounds."""
    return critical("wound", "core rules, Wound Roll", effect)


def lower_critical_wounds(roll: Wounding, each: ActiveRule[int | str]) -> None:
    """Make wounds critical from a lower face on."""
    face, must_succeed = critical_face(each.value)
    if must_succeed:
        roll.criticals = (*roll.criticals, (face, True))
    else:
        roll.threshold = min(roll.threshold, face)


WOUNDS_ON = Condition(
    "wounds_on",
    source="datasheets; 10th edition, Core Rules Updates, Priority of Rules",
    value=Face(least=2, enough=True),
    group="Rolls",
    help="Wound roll that is enough whatever the Strength: the attacker's rule.",
    shown="wounds on {}+",
    wound=sets("enough"),
)


def wound_fails_up_to(*, yields: bool) -> Condition:
    """Return the target's rule by which low wound rolls fail; `yields` is whether a critical wound beats it."""

    def wound(roll: Wounding, each: ActiveRule[int]) -> None:
        roll.fails_up_to, roll.yields = each.value, yields

    return Condition(
        "wound_fails_up_to",
        source="datasheets; 10th edition, Core Rules Updates, Priority of Rules",
        value=Face(1, most=5),
        group="Rolls",
        help="Unmodified wound rolls up to this one fail: the target's rule, which loses to the attacker's.",
        shown="wound rolls up to {} fail",
        wound=wound,
        idle=unless(
            lambda stages: any(wound.check.fails_up_to > 1 for wound in stages.wounds),
            "has no effect here: the attacker's rule has priority",
        ),
    )
