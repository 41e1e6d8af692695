"""The hit roll, and the rules that change it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.circumstances import INDIRECT, LONG_RANGE, rerolls, says_one_die
from mathhammer.systems.wh40k.rules.cover import Covered, stealth
from mathhammer.systems.wh40k.rules.roll import KEPT, Roll, adds, adds_once, adds_value, names_itself
from mathhammer.systems.wh40k.rules.rule import Ability, Condition, TargetRule
from mathhammer.systems.wh40k.rules.values import Critical, Flag, RollModifiers, critical_face
from mathhammer.systems.wh40k.sequence.damage import integer_law

if TYPE_CHECKING:
    from mathhammer.characteristics import Characteristic
    from mathhammer.distributions import IntegerLaw
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.rules.rule import Effect, InForce
    from mathhammer.systems.wh40k.sequence.stages import Stages

__all__ = ["HIT", "NEVER", "Hit", "hit_roll"]

#: A target number that no roll reaches.
NEVER = 99


class Hit(NamedTuple):
    """The hit roll, or none where attacks hit without one; what a critical hit does; why low rolls fail.

    `by` is the rule by which attacks hit without a roll, or on unmodified 6s alone.
    """

    check: Check | None
    modifiers: tuple[Modifier, ...]
    skill: int | None
    critical_hits_wound: bool
    extra_hits: IntegerLaw | None
    fails_by: str
    touched: tuple[Characteristic, ...]
    by: str = ""

    @property
    def weights(self) -> tuple[int, int, int]:
        """Weights of miss, hit and critical hit, out of 36."""
        return (0, 36, 0) if self.check is None else self.check.weights()


class _Hitting(Covered):
    __slots__ = (
        *("automatic", "criticals", "critical_hits_wound", "extra_hits", "fails_by", "fails_up_to"),
        *("only_sixes", "sixes_of_automatic", "spares_criticals"),
    )

    roll = "hit"

    def __init__(self, edition: Edition, *, melee: bool) -> None:
        super().__init__(edition, melee=melee)
        self.automatic = ""
        self.criticals = edition.criticals
        self.critical_hits_wound = ""
        self.extra_hits: IntegerLaw | None = None
        self.fails_up_to, self.fails_by = 1, ""
        self.only_sixes, self.sixes_of_automatic = "", False
        self.spares_criticals = False


@lru_cache(maxsize=KEPT)
def hit_roll(
    skill: int | None,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: tuple[InForce, ...],
    of_target: tuple[InForce, ...],
    edition: Edition,
) -> Hit:
    """Return the hit roll."""
    roll = _Hitting(edition, melee=melee)
    roll.apply(rules)
    roll.apply(each for each in of_target if not melee or each.rule.against != "ranged")
    skill = roll.characteristic("skill", skill)
    if (roll.automatic or skill is None) and not roll.sixes_of_automatic:
        return Hit(None, (), skill, *_on_criticals(roll))
    roll.modifiers += roll.cover("hit")
    # Of overwatch what modifies the roll does not help it to succeed, but rules may read the modified roll.
    criticals = edition.criticals if roll.only_sixes else roll.criticals
    fails_up_to = roll.fails_up_to
    if roll.spares_criticals:
        lowest = min(face for face, must_succeed in criticals if not must_succeed)
        fails_up_to = min(fails_up_to, max(1, lowest - 1))
    check = Check(
        need=NEVER if roll.only_sixes or skill is None else skill,
        modifier=roll.net_modifier(),
        fails_up_to=fails_up_to,
        succeeds_from=edition.succeeds_from,
        criticals=criticals,
        reroll=roll.reroll,
    )
    return Hit(check, tuple(roll.modifiers), skill, *_on_criticals(roll))


def _on_criticals(roll: _Hitting) -> tuple[bool, IntegerLaw | None, str, tuple[Characteristic, ...], str]:
    by = roll.only_sixes or roll.automatic
    return bool(roll.critical_hits_wound), roll.extra_hits, roll.fails_by, tuple(roll.touched), by


HIT = Roll("hit", lambda weapon, _: (weapon.skill, weapon.melee), lambda _: (), hit_roll)


def critical_from(face: int, *, must_succeed: bool) -> Effect:
    """Return an effect that makes hits critical from a face on."""

    def effect(roll: _Hitting, _: InForce) -> None:
        roll.criticals = (*roll.criticals, (face, must_succeed))

    return effect


def no_critical_rolls(roll: Any, _: InForce) -> None:
    """Refuse what an edition without critical rolls cannot mean."""
    raise MathhammerError(
        f"expected no critical_hit or critical_wound in the {roll.edition.title}, which has no critical rolls; "
        "give its rules as triggers, as in Trigger('hit', 'unmodified 5+', ...)"
    )


# What an ability says of itself -------------------------------------------------------------------------------


def _extra_hits(stages: Stages) -> str:
    law = stages.to_hit.extra_hits
    if law is None or not stages.to_hit.weights[2]:
        return ""
    most = law.low + len(law.weights) - 1
    number = str(most) if law.low == most else f"{law.low} to {most}"
    return f"a critical hit scores {number} further hits"


def _lethal(stages: Stages) -> str:
    return "a critical hit wounds without a wound roll" if stages.to_hit.weights[2] else ""


def _nothing(roll: _Hitting, each: InForce) -> None:
    """Do nothing: the attacker makes no use of the rule."""


def _sustained(roll: _Hitting, each: InForce) -> None:
    roll.extra_hits = integer_law(each.value.value)


TORRENT = Ability(
    "Torrent",
    help="Attacks hit without a hit roll.",
    source="core rules, Torrent",
    hit=names_itself("automatic"),
    hits_automatically=True,
)
SUSTAINED_HITS = Ability(
    "Sustained Hits",
    help="A critical hit scores X further hits.",
    source="10th edition core rules, Sustained Hits",
    value="dice",
    hit=_sustained,
    says=_extra_hits,
    on_results=True,
    offers=("Sustained Hits 1",),
)


def lethal_hits(*, declined: bool = False) -> Ability:
    """Return Lethal Hits, or an attacker who always rolls to wound."""
    return Ability(
        "Lethal Hits",
        help="A critical hit wounds without a wound roll.",
        source="10th edition core rules, Lethal Hits",
        hit=_nothing if declined else names_itself("critical_hits_wound"),
        says=None if declined else _lethal,
        on_results=True,
        offers=("Lethal Hits",),
    )


def moving(name: str, condition: Condition, value: int, *, source: str, **more: Any) -> Ability:
    """Return an ability that modifies the hit roll by how its bearer has moved."""
    text = f"{value:+d} to hit rolls where the bearer {condition.when}."
    return Ability(name, source=source, help=text, needs=(condition,), hit=adds(value), **more)


def conversion(face: int) -> Ability:
    """Return Conversion: from this face on a successful hit is critical."""
    return Ability(
        "Conversion",
        help="Beyond the distance that it names, a lower successful hit roll is critical.",
        source="10th edition datasheets, Conversion",
        needs=(LONG_RANGE,),
        hit=critical_from(face, must_succeed=True),
        on_results=True,
    )


def _indirect_idle(stages: Stages) -> str:
    if stages.hit is not None:
        return ""
    return "in force for cover alone: no hit roll is made; Torrent can be used only at what is visible"


def indirect_fire(value: int, *, fails_up_to: int, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: worse hit rolls at what is not visible, and cover for it."""

    def hit(roll: _Hitting, each: InForce) -> None:
        roll.modifiers.append(Modifier("add", value, each.source))
        roll.fails_up_to, roll.fails_by = fails_up_to, each.rule.name
        roll.spares_criticals = spares_criticals

    return Ability(
        "Indirect Fire",
        help="May attack what is not visible, with worse hit rolls and cover for the target.",
        source="10th edition core rules, Indirect Fire; Core Rules Updates",
        needs=(INDIRECT,),
        permits=INDIRECT,
        hit=hit,
        save=names_itself("indirect"),
        idle=_indirect_idle,
    )


# Conditions, and rules of the target --------------------------------------------------------------------------

HIT_MODIFIER = Condition(
    "hit_modifier",
    source="core rules, Hit Roll",
    value=RollModifiers(),
    group="Modifiers",
    help="Added to hit rolls.",
    shown="{:+d} to hit rolls",
    hit=adds_value,
)
REROLL_HITS = rerolls(
    "hits",
    "hit",
    ("one", "ones", "failed", "failed-unmodified", "non-critical"),
    says_one_die("hit roll"),
)


def critical_hit(effect: Effect) -> Condition:
    """Return the keyword of lowered thresholds of critical hits."""
    return Condition(
        "critical_hit",
        source="core rules, Hit Roll; Rules Commentary, Critical Hit",
        value=Critical(),
        group="Rolls",
        help="Least unmodified hit roll that is critical: 5, or 'successful 5+'.",
        shown="critical hits on {}+",
        hit=effect,
    )


def lower_critical_hits(*, must_succeed: bool) -> Effect:
    """Return an effect that makes hits critical from a lower face on."""

    def effect(roll: _Hitting, each: InForce) -> None:
        face, successful = critical_face(each.value)
        roll.criticals = (*roll.criticals, (face, successful or must_succeed))

    return effect


def overwatch(*, with_torrent: bool = False) -> Condition:
    """Return Fire Overwatch: only unmodified 6s hit, with Torrent too or not."""

    def hit(roll: _Hitting, _: InForce) -> None:
        roll.only_sixes, roll.sixes_of_automatic = "Fire Overwatch", with_torrent

    return Condition(
        "overwatch",
        source="core rules, Fire Overwatch",
        value=Flag(),
        group="Situation",
        help="Fire Overwatch: only unmodified 6s hit.",
        against="ranged",
        hit=hit,
    )


STEALTH = Condition(
    "stealth",
    source="10th edition core rules, Stealth",
    value=Flag(),
    group="Situation of the target",
    help="The target has Stealth: -1 to hit with ranged weapons.",
    against="ranged",
    hit=stealth,
)
STEALTH_OF_TARGET = TargetRule("stealth", source=STEALTH.source, against="ranged", hit=stealth)
ENGAGED = Condition(
    "engaged",
    source="10th edition core rules, Big Guns Never Tire",
    value=Flag(),
    group="Situation",
    help="The attacker, or its target, is in engagement range (Big Guns Never Tire).",
    against="ranged",
    exempt="Pistol",
    hit=adds_once(-1, "Big Guns Never Tire"),
)
DAMAGED = Condition(
    "damaged",
    source="10th edition datasheets, Damaged",
    value=Flag(),
    group="Situation",
    help="The attacker is damaged: -1 to hit, as its datasheet says.",
    hit=adds_once(-1, "Damaged"),
)
