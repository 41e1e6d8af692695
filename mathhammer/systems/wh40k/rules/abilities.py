"""Weapon abilities: a row each, with what it does to which roll."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from mathhammer.display.numbers import count
from mathhammer.expressions.base import Constant
from mathhammer.expressions.operations import maximum
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.conditions import ADVANCED, CHARGED, HALF_RANGE, INDIRECT, LONG_RANGE
from mathhammer.systems.wh40k.rules.roll import adds, adds_its_number, changes, names_itself, puts, unless
from mathhammer.systems.wh40k.rules.rule import Ability, ActiveRule, Condition, Effect
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.rules.roll import Making, Reduces
    from mathhammer.systems.wh40k.sequence.stages import Stages

# What is used when:
PISTOL = Ability(
    "Pistol",
    help="May shoot while engaged.",
    source="core rules, Pistol",
    note="may shoot while engaged",
    instead_of_others=True,
)
ASSAULT = Ability(
    "Assault",
    help="May shoot after advancing.",
    source="10th edition core rules, Assault",
    permits=ADVANCED,
    note="may shoot after advancing",
)
HAZARDOUS = Ability(
    "Hazardous",
    help="After its attacks the bearer may suffer mortal wounds.",
    source="10th edition core rules, Hazardous",
    on_results=True,
    note="wh40k.hazardous computes what it does to the attacker",
    tests_bearers=True,
    left_out="Hazardous (mortal wounds on the attacker) is not computed here",
)
ONE_SHOT = Ability(
    "One Shot",
    help="Can be used once per battle.",
    source="10th edition core rules, One Shot",
    note="can be used once per battle",
    left_out="One Shot weapons are taken not to be fired before",
)
PRECISION = Ability(
    "Precision",
    help="Its wounds may be allocated to a leader.",
    source="10th edition core rules, Precision",
    note="chooses among different models, and these are equal",
    directs=True,
)


# Attacks:
def _by_models(
    name: str,
    source: str,
    text: str,
    attacks: Effect,
    value: Literal["", "number", "optional number"] = "",
) -> Ability:
    """Return an ability that counts the models of the target."""

    def idle(stages: Stages) -> str:
        if name == "Cleave" and stages.situation.divided:
            return "not in force: the attacks of the weapon are divided among several targets"
        if any(name in line for line in stages.attacks.modifiers):
            return ""
        return f"not in force: adds nothing against {count(stages.target.models, 'model')}"

    return Ability(
        name, source=source, help=text, attacks=attacks, counts_models=True, value=value, idle=idle
    )


def _add_for_models(roll: Making, each: ActiveRule) -> None:
    if more := roll.models // 5 * each.value.number:
        roll.bonuses.append((Constant(more), f"{each.value} against {count(roll.models, 'model')}"))


def blast(*, fixed: bool = True, takes_number: bool = False) -> Ability:
    """Return Blast that adds an attack for 5 models, or its own number; `fixed` whether to a fixed number too."""
    return _by_models(
        "Blast",
        "core rules, Blast",
        f"One more attack{', or X more,' * takes_number} for every 5 models of the target.",
        lambda roll, each: (
            _add_for_models(roll, each) if fixed or not isinstance(roll.each, Constant) else None
        ),
        "optional number" if takes_number else "",
    )


def _by_size(roll: Making, _: ActiveRule) -> None:
    if roll.models >= 11:
        roll.each = Constant(roll.each.bounds()[1])
        roll.added.append(f"the most there can be (Blast against {count(roll.models, 'model')})")
    elif roll.models >= 6:
        roll.each = roll.each if isinstance(roll.each, Constant) else maximum(roll.each, 3)
        roll.added.append(f"at least 3 (Blast against {count(roll.models, 'model')})")


#: Blast that makes at least so many attacks against some models, and all there can be against many (9th edition core
#: rules, Blast Weapons).
BLAST_BY_SIZE = _by_models(
    "Blast",
    "core rules, Blast",
    "At least 3 attacks against 6 models or more, the most there can be against 11 or more.",
    _by_size,
)
CLEAVE = _by_models(
    "Cleave",
    "11th edition core rules, 24.06 Cleave",
    "X more attacks for every 5 models of the target, if it is the only one.",
    lambda roll, each: None if roll.divided else _add_for_models(roll, each),
    "number",
)
RAPID_FIRE = Ability(
    "Rapid Fire",
    help="X more attacks within half range.",
    source="core rules, Rapid Fire",
    value="dice",
    needs=(HALF_RANGE,),
    attacks=lambda roll, each: roll.bonuses.append((each.value.dice, each.source)),
)
RAPID_FIRE_DOUBLES = replace(
    RAPID_FIRE,
    help="Within half range twice the attacks.",
    attacks=lambda roll, each: roll.modifiers.append(Modifier("multiply", 2, each.source, of="attacks")),
)
EXTRA_ATTACKS = Ability(
    "Extra Attacks",
    help="Is used beside another melee weapon.",
    source="10th edition core rules, Extra Attacks",
    attacks=names_itself("only_named"),
    note="is used beside another melee weapon; its Attacks change only by rules that name it",
    beside_others=True,
)
#: The 11th edition has no sentence that keeps the attacks of such weapons from being modified.
EXTRA_ATTACKS_AS_ANY = replace(
    EXTRA_ATTACKS,
    source="11th edition core rules, 24.11 Extra Attacks",
    attacks=None,
    note="is used beside another melee weapon",
)


# Hits:
def _extra_hits(stages: Stages) -> str:
    distribution = stages.to_hit.extra_hits
    if distribution is None or not stages.to_hit.weights[2]:
        return ""
    most = distribution.low + len(distribution.weights) - 1
    number = str(most) if distribution.low == most else f"{distribution.low} to {most}"
    return f"a critical hit scores {number} further hits"


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
    hit=changes("extra_hits", lambda _, each: integer_distribution(each.value.dice)),
    says=_extra_hits,
    on_results=True,
    offers=("Sustained Hits 1",),
)


def _lethal(stages: Stages) -> str:
    if not stages.to_hit.weights[2]:
        return ""
    if stages.chooses_lethal:
        return "a critical hit wounds without a wound roll where that is best"
    if stages.rolls.lethal:
        return "a critical hit wounds without a wound roll"
    return "not used: a wound roll is worth more, as a critical wound does more"


def lethal_hits(choice: Literal["", "always", "on average", "best"] = "always") -> Ability:
    """Return Lethal Hits: the attacker wounds without a roll always, where that is better, or never."""
    return Ability(
        "Lethal Hits",
        help="A critical hit wounds without a wound roll.",
        source="core rules, Lethal Hits (10th edition; 11th 24.23, where the attacker may decline)",
        hit=puts(critical_hits_wound=choice),
        says=_lethal if choice else None,
        on_results=True,
        offers=("Lethal Hits",),
    )


def moving(
    name: str, condition: Condition, value: int, *, source: str, permits: Condition | None = None
) -> Ability:
    """Return an ability that modifies the hit roll by how its bearer has moved."""
    text = f"{value:+d} to hit rolls where the bearer {condition.when}."
    return Ability(name, source=source, help=text, needs=(condition,), hit=adds(value), permits=permits)


CONVERSION = Ability(
    "Conversion",
    help="Beyond the distance that it names, a lower successful hit roll is critical.",
    source="10th edition datasheets, Conversion",
    needs=(LONG_RANGE,),
    hit=changes("criticals", lambda now, _: (*now, (4, True))),
    on_results=True,
)


def indirect_fire(*, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: worse hit rolls at what is not visible, and cover for it."""

    def hit(roll: Making, each: ActiveRule) -> None:
        roll.modifiers.append(Modifier("add", -1, each.source))
        roll.fails_up_to, roll.fails_by, roll.spares_criticals = 3, each.rule.name, spares_criticals

    return Ability(
        "Indirect Fire",
        help="May attack what is not visible, with worse hit rolls and cover for the target.",
        source="10th edition core rules, Indirect Fire; Core Rules Updates",
        needs=(INDIRECT,),
        permits=INDIRECT,
        hit=hit,
        save=names_itself("indirect"),
        idle=unless(
            lambda stages: stages.hit is not None,
            "in force for cover alone: no hit roll is made; Torrent can be used only at what is visible",
        ),
    )


def indirect_shooting(*, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: up to 5 attacks fail, up to 3 if stationary and spotted; no re-rolls, cover."""

    def hit(roll: Making, each: ActiveRule) -> None:
        roll.indirect = roll.fails_by = roll.no_rerolls = each.rule.name
        roll.fails_up_to = 3 if roll.spotted and roll.stationary else 5
        roll.spares_criticals = spares_criticals

    source = "11th edition core rules, 10.07 Indirect Shooting and 24.19 Indirect Fire"
    return replace(indirect_fire(), source=source, hit=hit)


def ignores_cover(*rolls: str) -> Ability:
    """Return Ignores Cover, for the rolls that cover changes."""
    return Ability(
        "Ignores Cover",
        help="The target has no benefit of cover.",
        source="core rules, Ignores Cover",
        idle=unless(
            lambda stages: stages.situation.cover or stages.situation.indirect,
            "not in force: the target is not in cover",
        ),
        offers=("Ignores Cover",),
        **dict.fromkeys(rolls, names_itself("denied_by")),  # type: ignore[arg-type]
    )


# Wounds and damage:
ANTI = Ability(
    "Anti",
    help="Wound rolls from this one on are critical against targets with the keyword.",
    source="10th edition core rules, Anti-",
    value="roll",
    wound=changes("threshold", lambda now, each: min(now, each.value.number)),
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
LANCE = Ability(
    "Lance",
    help="+1 to wound rolls after a charge.",
    source="10th edition core rules, Lance",
    needs=(CHARGED,),
    wound=adds(1),
)


def _deferred(stages: Stages) -> str:
    of_pool = "" if stages.edition.deferred_to_end_of_unit["devastating"] else " of its pool"
    return f"a critical wound allows no save and is resolved after the other attacks{of_pool}"


def devastating_wounds(
    reduced: Reduces = "always",
    source: str = "10th edition core rules, Devastating Wounds; Core Rules Updates",
) -> Ability:
    """Return Devastating Wounds, with what reduces the Damage of critical wounds."""
    return Ability(
        "Devastating Wounds",
        help="A critical wound allows no save: its damage is inflicted as mortal wounds.",
        source=source,
        wound=names_itself("deferred"),
        damage=puts(deferred="Devastating Wounds", reduces_deferred=reduced),
        says=_deferred,
        on_results=True,
        offers=("Devastating Wounds",),
    )


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
PSYCHIC_IGNORES_MODIFIERS = replace(
    PSYCHIC,
    help="Modifiers of the skill and of hit rolls that harm the attacker are ignored; a Feel No Pain against "
    "Psychic Attacks counts.",
    source="11th edition core rules, 24.29 Psychic",
    hit=changes("ignored", lambda now, _: now | {"skill", "hit"}),
    idle=None,
)
#: Those of every edition.
ABILITIES = (MELTA, PISTOL, TORRENT)
