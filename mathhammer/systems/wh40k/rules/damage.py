"""The damage roll, and the rules that change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.modifiers import Modifier
from mathhammer.sequence.group import ignoring_wounds
from mathhammer.systems.wh40k.rules.circumstances import HALF_RANGE, rerolls
from mathhammer.systems.wh40k.rules.roll import (
    KEPT,
    Making,
    Roll,
    adds_its_number,
    harms,
    names_itself,
    unless,
)
from mathhammer.systems.wh40k.rules.rule import Ability, Face, Flag, Rules, TargetRule, Whole
from mathhammer.systems.wh40k.sequence.damage import (
    damage_after_modifiers,
    integer_distribution,
    one_damage_reroll,
)

if TYPE_CHECKING:
    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.sequence.group import DamageReroll
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Condition, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: Whether rules that reduce Damage act on critical wounds that are mortal wounds.
Reduces = Literal["always", "by wording", "never"]


class Damage(NamedTuple):
    """What an unsaved wound inflicts, what a deferred critical wound does, Damage changed to 0, and one re-roll."""

    modifiers: tuple[Modifier, ...]
    deferred_modifiers: tuple[Modifier, ...]
    feel_no_pain: int | None
    deferred_feel_no_pain: int | None
    characteristic: IntegerDistribution
    distribution: IntegerDistribution
    deferred_distribution: IntegerDistribution
    negated: IntegerDistribution | None
    reroll: DamageReroll | None = None
    deferred_reroll: DamageReroll | None = None
    ones_by_face: bool = False


@dataclass(slots=True, kw_only=True)
class Inflicting(Making):
    """A damage roll while rules change it."""

    melee: bool
    of_target: list[Modifier] = field(default_factory=list)
    feel_no_pain: dict[str, int] = field(default_factory=dict)
    psychic: str = ""
    deferred: bool = False
    reduces_deferred: Reduces = "always"
    changes_to_0: str = ""
    each_die: bool = False
    rerolls_one: bool = False
    ones_by_face: bool = False

    roll = "damage"


@lru_cache(maxsize=KEPT)
def damage_roll(
    damage: Expression,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    of_target: Rules,
    edition: Edition,
) -> Damage:
    """Work out the damage of a wound, and of one that is deferred, which are mortal wounds."""
    roll = Inflicting(edition, melee=melee)
    roll.apply(rules)
    roll.apply(of_target)
    ordinary, mortal = _feel_no_pain(roll)
    limits = edition.characteristics["damage"]
    modifiers, deferred_modifiers = _modifiers(roll, damage)
    rolled = integer_distribution(damage, roll.reroll, each_die=roll.each_die, ones_by_face=roll.ones_by_face)
    characteristic = damage_after_modifiers(rolled, modifiers, limits)

    def inflicted(
        dice: IntegerDistribution, by: tuple[Modifier, ...] = modifiers, need: int | None = ordinary
    ) -> IntegerDistribution:
        return ignoring_wounds(damage_after_modifiers(dice, by, limits), need)

    distribution = deferred = ignoring_wounds(characteristic, ordinary)
    if roll.deferred and (deferred_modifiers, mortal) != (modifiers, ordinary):
        deferred = inflicted(rolled, deferred_modifiers, mortal)
    negated = None
    if roll.changes_to_0 and "damage" not in roll.ignored:
        negated = inflicted(rolled, (Modifier("set", 0, "the target changes Damage to 0"), *modifiers))
    once = one_damage_reroll(rolled) if roll.rerolls_one else None
    again, deferred_again = None, None
    if once is not None:
        again = once._replace(kept=inflicted(once.kept))
        deferred_again = once._replace(kept=inflicted(once.kept, deferred_modifiers, mortal))
    return Damage(
        modifiers,
        deferred_modifiers,
        ordinary,
        mortal,
        characteristic,
        distribution,
        deferred,
        negated,
        again,
        deferred_again,
        roll.ones_by_face,
    )


DAMAGE = Roll("damage", lambda weapon, _: (weapon.damage, weapon.melee), lambda _: (), damage_roll)


#: Against every wound, against mortal wounds, and against those of Psychic Attacks.
_WARDS = ("feel_no_pain", "feel_no_pain_mortal", "feel_no_pain_psychic")


def _feel_no_pain(roll: Inflicting) -> tuple[int | None, int | None]:
    return _best(*map(roll.feel_no_pain.get, _WARDS), attack_is_psychic=bool(roll.psychic))


def against_mortal_wounds(target: Target, *, psychic: bool = False) -> int | None:
    """Return the best Feel No Pain of a target against mortal wounds, psychic ones or not."""
    return _best(*attrgetter(*_WARDS)(target), attack_is_psychic=psychic)[1]


def _best(
    plain: int | None, mortal: int | None, psychic: int | None, *, attack_is_psychic: bool
) -> tuple[int | None, int | None]:
    """Return the best roll that ignores a wound, and that against mortal wounds: one is used for each wound."""
    ordinary = [need for need in (plain, psychic if attack_is_psychic else None) if need is not None]
    every = ordinary if mortal is None else [*ordinary, mortal]
    return min(ordinary, default=None), min(every, default=None)


def _modifiers(roll: Inflicting, damage: Expression) -> tuple[tuple[Modifier, ...], tuple[Modifier, ...]]:
    """Return the modifiers of Damage, and those of a deferred critical wound."""
    own = (*roll.modifiers_of("damage", damage), *roll.modifiers)
    of_target = () if "damage" in roll.ignored else tuple(roll.of_target)
    every = _counting((*own, *of_target), roll.edition)
    if roll.reduces_deferred == "always":
        return every, every
    if roll.reduces_deferred == "never":
        limits = roll.edition.characteristics["damage"]
        own = tuple(m for m in own if not harms(damage, m, limits))
    return every, _counting(own, roll.edition)


def _counting(modifiers: tuple[Modifier, ...], edition: Edition) -> tuple[Modifier, ...]:
    """Leave out what does not count where only the largest reduction of Damage does."""
    if edition.reductions_add_up or not modifiers:
        return modifiers
    taken = [
        m.value if m.operation in {"subtract", "worsen"} else -m.value if m.operation == "add" else 0
        for m in modifiers
    ]
    largest = taken.index(max(taken))
    return tuple(m for place, m in enumerate(modifiers) if taken[place] <= 0 or place == largest)


MELTA = Ability(
    "Melta",
    help="X more Damage within half range.",
    source="core rules, Melta",
    value="number",
    needs=(HALF_RANGE,),
    damage=adds_its_number,
)
PSYCHIC = Ability(
    "Psychic",
    help="A Feel No Pain against Psychic Attacks counts.",
    source="10th edition core rules, Psychic Attacks",
    damage=names_itself("psychic"),
    psychic=True,
    idle=unless(
        lambda stages: stages.target.feel_no_pain_psychic is not None,
        "has no effect here: the target has no Feel No Pain against Psychic Attacks",
    ),
)


def _ignores_harm(roll: Making, _: ActiveRule[object]) -> None:
    roll.ignored |= {"skill", "hit"}


PSYCHIC_IGNORES_MODIFIERS = replace(
    PSYCHIC,
    help="Modifiers of the skill and of hit rolls that harm the attacker are ignored; a Feel No Pain against "
    "Psychic Attacks counts.",
    source="11th edition core rules, 24.29 Psychic",
    hit=_ignores_harm,
    idle=None,
)


def devastating_damage(reduced: Reduces = "always") -> Effect:
    """Return what Devastating Wounds does to damage: what reduces that of critical wounds."""

    def damage(roll: Inflicting, _: ActiveRule[object]) -> None:
        roll.deferred, roll.reduces_deferred = True, reduced

    return damage


def _rerolls(*, each_die: bool, ones_by_face: bool) -> Effect:
    def damage(roll: Inflicting, each: ActiveRule[Reroll | Literal["one"]]) -> None:
        if each.value == "one":
            roll.rerolls_one = True
        else:
            roll.reroll, roll.each_die = each.value, each_die
            roll.ones_by_face = ones_by_face and each.value == "ones"

    return damage


def _says_one(stages: Stages, _: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
    if stages.damage.reroll is None:
        return f"has no effect here: Damage {stages.weapon.damage} is not rolled"
    return (
        "the first damage roll below its mean is re-rolled, one of all attacks together that have this re-roll; "
        "the mean damage below is that without it"
    )


def reroll_damage(*, each_die: bool = False, ones_by_face: bool = False) -> Condition:
    """Return the keyword of re-rolled Damage."""
    return rerolls(
        "damage",
        "damage",
        ("one", "ones"),
        _says_one,
        most=100,  # damage of several dice is judged by the total
        once="the first damage roll below its mean, once",
        of_unit=True,
        effect=_rerolls(each_die=each_die, ones_by_face=ones_by_face),
    )


# Rules of the target ------------------------------------------------------------------------------------------


def _feel_no_pain_rule(roll: Inflicting, each: ActiveRule[int]) -> None:
    roll.feel_no_pain[each.rule.name] = each.value


def _halved(roll: Inflicting, _: ActiveRule[object]) -> None:
    roll.of_target.append(Modifier("divide", 2, "the target halves Damage"))


def _reduced(roll: Inflicting, each: ActiveRule[int]) -> None:
    roll.of_target.append(Modifier("subtract", each.value, "the target reduces Damage"))


FEEL_NO_PAIN = tuple(
    TargetRule(
        name,
        source="10th edition core rules, Feel No Pain",
        help=f"Feel No Pain{against}",
        short=f"FNP{against.replace(' against', '')}",
        value=Face(least=2),
        offered=not against,
        damage=_feel_no_pain_rule,
    )
    for name, against in zip(_WARDS, ("", " against mortal wounds", " against Psychic Attacks"), strict=True)
)
HALF_DAMAGE = TargetRule(
    "half_damage",
    source="datasheets; Rules Commentary, Modifiers",
    printed="half damage",
    help="Damage is halved",
    value=Flag(),
    damage=_halved,
)
DAMAGE_REDUCTION = TargetRule(
    "damage_reduction",
    source="datasheets; Rules Commentary, Modifiers",
    help="Damage reduced by",
    short="Damage -",
    value=Whole(),
    damage=_reduced,
)


def _left_out(roll: Inflicting, each: ActiveRule[object]) -> None:
    """Do nothing: the rule is left out."""


def damage_to_0(*, off: bool = False) -> TargetRule:
    """Return the rule that changes the Damage of one failed save to 0, or one that is left out."""
    return TargetRule(
        "damage_to_0",
        source="datasheets; Core Rules Updates",
        once=True,
        printed="damage to 0",
        help="Damage of one attack in a phase becomes 0",
        value=Flag(),
        damage=_left_out if off else names_itself("changes_to_0"),
    )
