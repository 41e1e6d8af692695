"""The hit roll, and the rules that change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.circumstances import (
    INDIRECT,
    LONG_RANGE,
    STATIONARY,
    Covered,
    critical,
    gives_cover,
    rerolls,
    roll_modifier,
    says_one_die,
    stealth,
)
from mathhammer.systems.wh40k.rules.roll import KEPT, Roll, adds, adds_once, names_itself, sets, unless
from mathhammer.systems.wh40k.rules.rule import (
    Ability,
    Condition,
    Face,
    Flag,
    Rules,
    TargetRule,
    critical_face,
)
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from mathhammer.characteristics import Characteristic
    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: A target number that no roll reaches.
NEVER = 99

#: Whether critical hits wound without a wound roll: no, always, where that is better on average, or as is best.
LethalHits = Literal["", "always", "on average", "best"]


class Hit(NamedTuple):
    """The hit roll, or none where attacks hit without one; what a critical hit does; why low rolls fail."""

    check: Check | None
    modifiers: tuple[Modifier, ...]
    skill: int | None
    critical_hits_wound: LethalHits
    extra_hits: IntegerDistribution | None
    fails_by: str
    modified_characteristics: tuple[Characteristic, ...]
    by: str = ""
    no_rerolls: str = ""

    @property
    def weights(self) -> tuple[int, int, int]:
        """Weights of miss, hit and critical hit, out of 36."""
        return (0, 36, 0) if self.check is None else self.check.weights()


@dataclass(slots=True, kw_only=True)
class _Hitting(Covered):
    automatic: str = ""
    criticals: tuple[tuple[int, bool], ...] = ()
    critical_hits_wound: LethalHits = ""
    extra_hits: IntegerDistribution | None = None
    fails_up_to: int = 1
    fails_by: str = ""
    only_sixes: str = ""
    sixes_of_automatic: bool = False
    overwatch_hits_on: int = 6
    spares_criticals: bool = False
    no_rerolls: str = ""
    spotted: str = ""
    stationary: str = ""

    roll = "hit"


@lru_cache(maxsize=KEPT)
def hit_roll(
    skill: int | None,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    of_target: Rules,
    edition: Edition,
) -> Hit:
    """Return the hit roll."""
    roll = _Hitting(edition, melee=melee, criticals=edition.criticals)
    roll.apply(rules)
    roll.apply(each for each in of_target if not melee or each.rule.against != "ranged")
    roll.characteristics += tuple(roll.cover("skill"))
    skill = roll.characteristic("skill", skill)
    automatic = Hit(
        None,
        (),
        skill,
        roll.critical_hits_wound,
        roll.extra_hits,
        roll.fails_by,
        tuple(roll.modified_characteristics),
        roll.only_sixes or roll.automatic,
    )
    if (roll.automatic or skill is None) and not roll.sixes_of_automatic:
        return automatic
    roll.modifiers += roll.cover("hit")
    # Of overwatch what modifies the roll does not help it to succeed, but rules may read the modified roll.
    criticals = roll.criticals
    if roll.only_sixes:
        criticals = edition.criticals if edition.snap_shots_are_critical else ()
    fails_up_to = roll.fails_up_to
    if roll.spares_criticals:
        lowest = min(face for face, must_succeed in criticals if not must_succeed)
        fails_up_to = min(fails_up_to, max(1, lowest - 1))
    check = Check(
        need=NEVER if roll.only_sixes or skill is None else skill,
        modifier=roll.net_modifier(),
        fails_up_to=fails_up_to,
        succeeds_from=roll.overwatch_hits_on if roll.only_sixes else edition.succeeds_from,
        criticals=criticals,
        reroll=None if roll.no_rerolls else roll.reroll,
    )
    return automatic._replace(check=check, modifiers=tuple(roll.modifiers), no_rerolls=roll.no_rerolls)


HIT = Roll("hit", lambda weapon, _: (weapon.skill, weapon.melee), lambda _: (), hit_roll)


def critical_from(face: int, *, must_succeed: bool) -> Effect:
    """Return an effect that makes hits critical from a face on."""

    def effect(roll: _Hitting, _: ActiveRule[object]) -> None:
        roll.criticals = (*roll.criticals, (face, must_succeed))

    return effect


def no_critical_rolls(roll: _Hitting, _: ActiveRule[object]) -> None:
    """Refuse what an edition without critical rolls cannot mean."""
    raise MathhammerError(
        f"expected no critical_hit or critical_wound in the {roll.edition.title}, which has no critical rolls; "
        "give its rules as triggers, as in Trigger('hit', 'unmodified 5+', ...)"
    )


# What an ability says of itself -------------------------------------------------------------------------------


def _extra_hits(stages: Stages) -> str:
    distribution = stages.to_hit.extra_hits
    if distribution is None or not stages.to_hit.weights[2]:
        return ""
    most = distribution.low + len(distribution.weights) - 1
    number = str(most) if distribution.low == most else f"{distribution.low} to {most}"
    return f"a critical hit scores {number} further hits"


def _lethal(stages: Stages) -> str:
    if not stages.to_hit.weights[2]:
        return ""
    if stages.chooses_lethal:
        return "a critical hit wounds without a wound roll where that is best"
    if stages.rolls.lethal:
        return "a critical hit wounds without a wound roll"
    return "not used: a wound roll is worth more, as a critical wound does more"


def _sustained(roll: _Hitting, each: ActiveRule[Keyword]) -> None:
    roll.extra_hits = integer_distribution(each.value.dice)


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


def lethal_hits(choice: Literal["always", "on average", "best", "never"] = "always") -> Ability:
    """Return Lethal Hits: the attacker wounds without a roll always, never, or where that is better."""

    def hit(roll: _Hitting, _: ActiveRule[object]) -> None:
        roll.critical_hits_wound = choice if choice != "never" else ""

    return Ability(
        "Lethal Hits",
        help="A critical hit wounds without a wound roll.",
        source="core rules, Lethal Hits (10th edition; 11th 24.23, where the attacker may decline)",
        hit=hit,
        says=None if choice == "never" else _lethal,
        on_results=True,
        offers=("Lethal Hits",),
    )


def moving(
    name: str, condition: Condition, value: int, *, source: str, permits: Condition | None = None
) -> Ability:
    """Return an ability that modifies the hit roll by how its bearer has moved."""
    text = f"{value:+d} to hit rolls where the bearer {condition.when}."
    return Ability(name, source=source, help=text, needs=(condition,), hit=adds(value), permits=permits)


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


def indirect_fire(value: int, *, fails_up_to: int, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: worse hit rolls at what is not visible, and cover for it."""

    def hit(roll: _Hitting, each: ActiveRule[object]) -> None:
        roll.modifiers.append(Modifier("add", value, each.source))
        roll.fails_up_to, roll.fails_by = fails_up_to, each.rule.name
        roll.spares_criticals = spares_criticals

    return _indirect_fire("10th edition core rules, Indirect Fire; Core Rules Updates", hit)


def indirect_shooting(*, fails_up_to: int, when_spotted: int, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: up to a face attacks fail, a lower one if stationary and spotted; no re-rolls, cover."""

    def hit(roll: _Hitting, each: ActiveRule[object]) -> None:
        roll.indirect = each.rule.name
        roll.fails_up_to = when_spotted if roll.spotted and roll.stationary else fails_up_to
        roll.fails_by = roll.no_rerolls = each.rule.name
        roll.spares_criticals = spares_criticals

    return _indirect_fire("11th edition core rules, 10.07 Indirect Shooting and 24.19 Indirect Fire", hit)


def _indirect_fire(source: str, hit: Effect) -> Ability:
    return Ability(
        "Indirect Fire",
        help="May attack what is not visible, with worse hit rolls and cover for the target.",
        source=source,
        needs=(INDIRECT,),
        permits=INDIRECT,
        hit=hit,
        save=names_itself("indirect"),
        idle=unless(
            lambda stages: stages.hit is not None,
            "in force for cover alone: no hit roll is made; Torrent can be used only at what is visible",
        ),
    )


#: As `STATIONARY` and whether a friendly unit sees the target, where the hit roll itself reads them.
STATIONARY_SHOOTERS = replace(STATIONARY, hit=names_itself("stationary"))
SPOTTED = Condition(
    "spotted",
    source="11th edition core rules, 10.07 Indirect Shooting",
    help="A friendly unit sees the target (Indirect Fire).",
    when="a friendly unit sees the target",
    unless="no friendly unit sees the target",
    against="ranged",
    hit=names_itself("spotted"),
)


# Conditions, and rules of the target --------------------------------------------------------------------------

HIT_MODIFIER = roll_modifier("hit", "hit rolls", "Hit Roll")
REROLL_HITS = rerolls(
    "hits",
    "hit",
    ("one", "ones", "failed", "failed-unmodified", "non-critical"),
    says_one_die("hit roll"),
)


def critical_hit(effect: Effect) -> Condition:
    """Return the keyword of lowered thresholds of critical hits."""
    return critical("hit", "core rules, Hit Roll; Rules Commentary, Critical Hit", effect)


def lower_critical_hits(*, must_succeed: bool) -> Effect:
    """Return an effect that makes hits critical from a lower face on."""

    def effect(roll: _Hitting, each: ActiveRule[int | str]) -> None:
        face, successful = critical_face(each.value)
        roll.criticals = (*roll.criticals, (face, successful or must_succeed))

    return effect


def overwatch(*, with_torrent: bool = False, rerolls_hits: bool = True) -> Condition:
    """Return Fire Overwatch: only unmodified 6s hit, with Torrent too or not; hits can be re-rolled or not."""

    def hit(roll: _Hitting, _: ActiveRule[object]) -> None:
        roll.only_sixes, roll.sixes_of_automatic = "Fire Overwatch", with_torrent
        if not rerolls_hits:
            roll.no_rerolls = "Fire Overwatch"

    return Condition(
        "overwatch",
        source="core rules, Fire Overwatch; 11th edition core rules 15.09 and 24.37, snap shooting",
        help="Fire Overwatch: only unmodified 6s hit.",
        against="ranged",
        hit=hit,
    )


OVERWATCH_HITS_ON = Condition(
    "overwatch_hits_on",
    source="datasheets; 11th edition core rules, 15.09",
    value=Face(usual=6, least=2, enough=True),
    group="Rolls",
    help="Fire Overwatch: least unmodified roll that hits, where a datasheet says another than 6.",
    shown="Overwatch hits on {}+",
    against="ranged",
    hit=sets("overwatch_hits_on"),
    idle=unless(
        lambda stages: stages.situation.overwatch, "has no effect here: the attack is no Fire Overwatch"
    ),
)


def stealth_rules(effect: Effect, *, source: str, text: str) -> tuple[Condition, TargetRule]:
    """Return Stealth as a keyword of the situation, and as a rule of a target."""
    condition = Condition(
        "stealth",
        source=source,
        group="Situation of the target",
        help=f"The target has Stealth: {text}.",
        against="ranged",
        hit=effect,
    )
    rule = TargetRule(
        "stealth",
        source=source,
        against="ranged",
        hit=effect,
        printed="Stealth",
        help=f"All models have Stealth: {text}",
        value=Flag(),
        of_all=True,
    )
    return condition, rule


STEALTH, STEALTH_OF_TARGET = stealth_rules(
    stealth, source="10th edition core rules, Stealth", text="-1 to hit with ranged weapons"
)
STEALTH_AS_COVER, STEALTH_AS_COVER_OF_TARGET = stealth_rules(
    gives_cover, source="11th edition core rules, 24.33 Stealth", text="the benefit of cover"
)


#: The penalty of a Monster or Vehicle that shoots while it is engaged, and that of shooting at an engaged one.
BIG_GUNS = Condition(
    "engaged",
    source="10th edition core rules, Big Guns Never Tire",
    help="The attacker is engaged, with its target too where it shoots with Pistols (Big Guns Never Tire).",
    when="the attacker is engaged",
    against="ranged",
    exempt=("Pistol",),
    hit=adds_once(-1, "Big Guns Never Tire"),
)
CLOSE_QUARTERS = replace(
    BIG_GUNS,
    source="11th edition core rules, 10.06 Close-Quarters Shooting",
    help="The attacker is engaged, with its target too where it shoots with Close-quarters weapons.",
    exempt=("Close-quarters", "Pistol"),
)
TARGET_ENGAGED = replace(
    BIG_GUNS,
    name="target_engaged",
    source="10th edition core rules, Big Guns Never Tire; 11th edition core rules, 17.03",
    group="Situation of the target",
    help="The target is a Monster or Vehicle that is engaged, not with the attacker.",
    when="the target is engaged",
    exempt=(),
)


def improve_skill(roll: _Hitting, _: ActiveRule[object]) -> None:
    """Improve the skill by 1: Plunging Fire."""
    roll.characteristics += (Modifier("improve", 1, "Plunging Fire", of="skill"),)


DAMAGED = Condition(
    "damaged",
    source="10th edition datasheets, Damaged",
    help="The attacker is damaged: -1 to hit, as its datasheet says.",
    hit=adds_once(-1, "Damaged"),
)
