"""Rules of weapons, and of what protects a target: a row each, with what it does to which roll."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.display.numbers import count
from mathhammer.expressions.base import Constant
from mathhammer.expressions.operations import maximum
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules import conditions as at
from mathhammer.systems.wh40k.rules import roll as does
from mathhammer.systems.wh40k.rules.rolls import WARDS
from mathhammer.systems.wh40k.rules.rule import ROLLS, Ability, Condition, Kinds, TargetRule, worded
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.rules.roll import Making, Reduces
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

_ability = worded(
    Ability,
    """
    Pistol: May shoot while engaged. | core rules, Pistol
    Close-quarters: May shoot while engaged. \
      | 11th edition core rules, 24.07 Close-Quarters, which Pistol (24.27) is identical to
    Hunter: Chooses among targets. | 11th edition datasheets, Hunter
    Assault: May shoot after advancing. | 10th edition core rules, Assault
    Hazardous: After its attacks the bearer may suffer mortal wounds. | 10th edition core rules, Hazardous
    One Shot: Can be used once per battle. | 10th edition core rules, One Shot
    Precision: Its wounds may be allocated to a leader. | 10th edition core rules, Precision
    Blast: One more attack for every 5 models of the target. | core rules, Blast
    Cleave: X more attacks for every 5 models of the target, if it is the only one. \
      | 11th edition core rules, 24.06 Cleave
    Rapid Fire: X more attacks within half range. | core rules, Rapid Fire
    Extra Attacks: Is used beside another melee weapon. | 10th edition core rules, Extra Attacks
    Torrent: Attacks hit without a hit roll. | core rules, Torrent
    Sustained Hits: A critical hit scores X further hits. | 10th edition core rules, Sustained Hits
    Lethal Hits: A critical hit wounds without a wound roll. | core rules, Lethal Hits (10th edition; 11th 24.23, \
      where the attacker may decline)
    Conversion: Beyond the distance that it names, a lower successful hit roll is critical. \
      | 10th edition datasheets, Conversion
    Indirect Fire: May attack what is not visible, with worse hit rolls and cover for the target. \
      | 10th edition core rules, Indirect Fire; Core Rules Updates
    Ignores Cover: The target has no benefit of cover. | core rules, Ignores Cover
    Anti: Wound rolls from this one on are critical against targets with the keyword. | 10th edition core rules, Anti-
    Twin-linked: Any failed wound roll may be re-rolled. | 10th edition core rules, Twin-linked
    Lance: +1 to wound rolls after a charge. | 10th edition core rules, Lance
    Devastating Wounds: A critical wound allows no save: its damage is inflicted as mortal wounds. \
      | 10th edition core rules, Devastating Wounds; Core Rules Updates
    Melta: X more Damage within half range. | core rules, Melta
    Psychic: A Feel No Pain against Psychic Attacks counts. | 10th edition core rules, Psychic Attacks
""",
)

# What is used when:
PISTOL = _ability("Pistol", note="may shoot while engaged", instead_of_others=True)
CLOSE_QUARTERS = _ability("Close-quarters", note="may shoot while engaged", instead_of_others=True)
HUNTER = _ability("Hunter", note="says what can be chosen as its target")
ASSAULT = _ability("Assault", permits=at.ADVANCED, note="may shoot after advancing")
HAZARDOUS = _ability(
    "Hazardous",
    on_results=True,
    note="wh40k.hazardous computes what it does to the attacker",
    tests_bearers=True,
    left_out="Hazardous (mortal wounds on the attacker) is not computed here",
)
_FIRED = "One Shot weapons are taken not to be fired before"
ONE_SHOT = _ability("One Shot", note="can be used once per battle", left_out=_FIRED)
PRECISION = _ability("Precision", note="chooses among different models, and these are equal", directs=True)


# Attacks:
def _by_models(name: str, attacks: Effect, **more: Any) -> Ability:
    """Return an ability that counts the models of the target."""

    def idle(stages: Stages) -> str:
        if name == "Cleave" and stages.situation.divided:
            return "not in force: the attacks of the weapon are divided among several targets"
        if any(name in line for line in stages.attacks.modifiers):
            return ""
        return f"not in force: adds nothing against {count(stages.target.models, 'model')}"

    return _ability(name, attacks=attacks, counts_models=True, idle=idle, **more)


def _add_for_models(roll: Making, each: ActiveRule) -> None:
    if more := roll.models // 5 * each.value.number:
        roll.bonuses.append((Constant(more), f"{each.value} against {count(roll.models, 'model')}"))


def _by_size(roll: Making, _: ActiveRule) -> None:
    if roll.models >= 11:
        roll.each = Constant(roll.each.bounds()[1])
        roll.added.append(f"the most there can be (Blast against {count(roll.models, 'model')})")
    elif roll.models >= 6:
        roll.each = roll.each if isinstance(roll.each, Constant) else maximum(roll.each, 3)
        roll.added.append(f"at least 3 (Blast against {count(roll.models, 'model')})")


BLAST = _by_models("Blast", _add_for_models)
#: Blast that leaves a fixed number of attacks as it is; that adds its own number; and that makes at least so many
#: attacks against some models, and all there can be against many (9th edition core rules, Blast Weapons).
BLAST_OF_DICE = replace(
    BLAST,
    attacks=lambda roll, each: None if isinstance(roll.each, Constant) else _add_for_models(roll, each),
)
_OR_X = "One more attack, or X more, for every 5 models of the target."
BLAST_X = replace(BLAST, help=_OR_X, value="optional number")
_SIZES = "At least 3 attacks against 6 models or more, the most there can be against 11 or more."
BLAST_BY_SIZE = replace(BLAST, help=_SIZES, attacks=_by_size)
CLEAVE = _by_models(
    "Cleave", lambda roll, each: None if roll.divided else _add_for_models(roll, each), value="number"
)
RAPID_FIRE = _ability(
    "Rapid Fire",
    value="dice",
    needs=(at.HALF_RANGE,),
    attacks=lambda roll, each: roll.bonuses.append((each.value.dice, each.source)),
)
RAPID_FIRE_DOUBLES = replace(
    RAPID_FIRE,
    help="Within half range twice the attacks.",
    attacks=lambda roll, each: roll.modifiers.append(Modifier("multiply", 2, each.source, of="attacks")),
)
EXTRA_ATTACKS = _ability(
    "Extra Attacks",
    attacks=does.puts(only_named=does.ITS_NAME),
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


TORRENT = _ability("Torrent", hit=does.puts(automatic=does.ITS_NAME), hits_automatically=True)
SUSTAINED_HITS = _ability(
    "Sustained Hits",
    value="dice",
    hit=does.puts(extra_hits=lambda _, each: integer_distribution(each.value.dice)),
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
    says, offers = _lethal if choice else None, ("Lethal Hits",)
    hit = does.puts(critical_hits_wound=choice)
    return _ability("Lethal Hits", hit=hit, says=says, on_results=True, offers=offers)


def moving(name: str, condition: Condition, value: int, source: str, **more: Any) -> Ability:
    """Return an ability that modifies the hit roll by how its bearer has moved."""
    text = f"{value:+d} to hit rolls where the bearer {condition.when}."
    return Ability(name, source=source, help=text, needs=(condition,), hit=does.adds(value), **more)


_FROM_4 = does.puts(criticals=lambda now, _: (*now, (4, True)))
CONVERSION = _ability("Conversion", needs=(at.LONG_RANGE,), hit=_FROM_4, on_results=True)


def indirect_fire(*, spares_criticals: bool = False) -> Ability:
    """Return Indirect Fire: worse hit rolls at what is not visible, and cover for it."""
    return _ability(
        "Indirect Fire",
        needs=(at.INDIRECT,),
        permits=at.INDIRECT,
        hit=does.puts(
            modifiers=lambda now, each: [*now, Modifier("add", -1, each.source)],
            fails_up_to=3,
            fails_by=does.ITS_NAME,
            spares_criticals=spares_criticals,
        ),
        save=does.puts(indirect=does.ITS_NAME),
        idle=does.unless(
            lambda stages: stages.to_hit.check is not None,
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
    return _ability(
        "Ignores Cover",
        idle=does.unless(
            lambda stages: stages.situation.cover or stages.situation.indirect,
            "not in force: the target is not in cover",
        ),
        offers=("Ignores Cover",),
        **dict.fromkeys(rolls, does.puts(denied_by=does.ITS_NAME)),
    )


# Wounds and damage:
_LOWERS = does.puts(threshold=lambda now, each: min(now, each.value.number))
ANTI = _ability("Anti", value="roll", wound=_LOWERS)
TWIN_LINKED = _ability(
    "Twin-linked",
    wound=does.puts(rerolls_failed=does.ITS_NAME),
    idle=does.unless(
        lambda stages: stages.to_wound.rerolled_by,
        "not in force: every failed wound roll is re-rolled in any case",
    ),
    offers=("Twin-linked",),
)
LANCE = _ability("Lance", needs=(at.CHARGED,), wound=does.adds(1))


def _deferred(stages: Stages) -> str:
    of_pool = "" if stages.edition.deferred_to_end_of_unit["devastating"] else " of its pool"
    return f"a critical wound allows no save and is resolved after the other attacks{of_pool}"


def devastating_wounds(reduced: Reduces = "always", **more: str) -> Ability:
    """Return Devastating Wounds, with what reduces the Damage of critical wounds."""
    return _ability(
        "Devastating Wounds",
        wound=does.puts(deferred=does.ITS_NAME),
        damage=does.puts(deferred="Devastating Wounds", reduces_deferred=reduced),
        says=_deferred,
        on_results=True,
        offers=("Devastating Wounds",),
        **more,
    )


MELTA = _ability("Melta", value="number", needs=(at.HALF_RANGE,), damage=does.adds_its_number)
PSYCHIC = _ability(
    "Psychic",
    damage=does.puts(psychic=does.ITS_NAME),
    psychic=True,
    idle=does.unless(
        lambda stages: stages.target.feel_no_pain_psychic is not None,
        "has no effect here: the target has no Feel No Pain against Psychic Attacks",
    ),
)
PSYCHIC_IGNORES_MODIFIERS = replace(
    PSYCHIC,
    help="Modifiers of the skill and of hit rolls that harm the attacker are ignored; a Feel No Pain against "
    "Psychic Attacks counts.",
    source="11th edition core rules, 24.29 Psychic",
    hit=does.puts(ignored=lambda now, _: now | {"skill", "hit"}),
    idle=None,
)
#: Those of every edition.
ABILITIES = (MELTA, PISTOL, TORRENT)


# What protects a target:
@dataclass(frozen=True, slots=True)
class Cover:
    """One kind of cover, such as ``"light"``."""

    name: str
    #: The attacks that it protects from.
    against: Literal["ranged", "melee"]
    #: What it changes: the armour save, the hit roll, or the skill that the hit roll is made with; and by how much.
    roll: Literal["save", "hit", "skill"]
    value: int
    #: Whether it is nothing against a model that charged.
    not_if_charged: bool = False
    #: The Save from which on it is of no use against AP 0, and whether that is tested on what is printed.
    exempt: int | None = None
    tests_printed: bool = False


#: What gives the benefit of cover to a target without, and what Stealth does, which counts once wherever it comes from.
_COVERS, _HIDES = does.puts(given=lambda now, _: now or True), does.adds_once(-1, "Stealth")
_of_target = worded(
    TargetRule,
    """
    stealth: All models have Stealth: -1 to hit with ranged weapons | 10th edition core rules, Stealth
    incoming: Modifiers of the attacks that target it | datasheets; Rules Commentary, Modifiers
    in_cover: It always has the Benefit of Cover | datasheets; core rules, Benefit of Cover
    damage_1_save_bonus: Added to armour saves against Damage 1 \
      | datasheets; Rules Commentary, Against: tested when the attack is allocated
    feel_no_pain: Feel No Pain | 10th edition core rules, Feel No Pain
    feel_no_pain_mortal: Feel No Pain against mortal wounds | 10th edition core rules, Feel No Pain
    feel_no_pain_psychic: Feel No Pain against Psychic Attacks | 10th edition core rules, Feel No Pain
    half_damage: Damage is halved | datasheets; Rules Commentary, Modifiers
    damage_reduction: Damage reduced by | datasheets; Rules Commentary, Modifiers
    damage_to_0: Damage of one attack in a phase becomes 0 | datasheets; Core Rules Updates
""",
)


def cover(*rolls: str, **more: str) -> Condition:
    """Return the keyword of cover, which changes some rolls of an edition."""
    return at.condition(
        "cover",
        value=Kinds("light", "heavy", "dense"),
        shown="cover: {}",
        idle=does.unless(
            lambda stages: (
                not stages.weapon.melee or any(c.against != "ranged" for c in stages.edition.covers)
            ),
            "has no effect here: a melee weapon",
        ),
        **{**dict.fromkeys(rolls, does.puts(given=does.ITS_VALUE)), **more},
    )


_AS_COVER: Any = {"source": "11th edition core rules, 24.33 Stealth", "hit": _COVERS}
STEALTH = at.condition("stealth", against="ranged", hit=_HIDES)
STEALTH_AS_COVER = replace(STEALTH, **_AS_COVER, help="The target has Stealth: the benefit of cover.")
STEALTH_OF_TARGET = _of_target("stealth", against="ranged", hit=_HIDES, printed="Stealth", of_all=True)
_ALL_HAVE = "All models have Stealth: the benefit of cover"
STEALTH_AS_COVER_OF_TARGET = replace(STEALTH_OF_TARGET, **_AS_COVER, help=_ALL_HAVE)
#: Cover, with Stealth or alone; it does not add up with either.
SMOKESCREEN = at.condition("smokescreen", against="ranged", hit=_HIDES, save=_COVERS)
_ALONE: Any = {"source": "11th edition core rules 15.10, Smokescreen: cover", "help": "Smokescreen: cover."}
SMOKESCREEN_ALONE = replace(SMOKESCREEN, **_ALONE, hit=_COVERS)
GO_TO_GROUND = at.condition(
    "go_to_ground",
    against="ranged",
    save=does.puts(given=lambda now, _: now or True, invulnerable=lambda now, _: (*now, (6, None))),
)


# Rules of the target:
def _incoming(roll: Making, each: ActiveRule) -> None:
    """Take the modifiers of a roll, and of the characteristics that it reads."""
    for incoming in each.value:
        modifier = incoming.modifier
        if not incoming.about(melee=roll.melee):
            continue
        if modifier.of == roll.roll != "damage":
            (roll.if_stronger if incoming.if_stronger else roll.modifiers).append(modifier)
        elif (roll.roll, modifier.of) in {("wound", "strength"), ("save", "ap"), ("damage", "damage")}:
            roll.characteristics += (modifier,)


DAMAGE_1_SAVE_BONUS = _of_target(
    "damage_1_save_bonus",
    save=lambda roll, each: roll.armour.append(Modifier("add", each.value, "against Damage 1")),
    reads_damage=lambda _, damage: (damage.characteristic.low, len(damage.characteristic.weights)) == (1, 1),
)
#: The same where the Damage that is printed counts.
DAMAGE_1_AS_PRINTED = replace(
    DAMAGE_1_SAVE_BONUS, reads_damage=lambda weapon, _: weapon.damage.bounds() == (1, 1)
)
HALF_DAMAGE = _of_target(
    "half_damage",
    printed="half damage",
    damage=lambda roll, _: roll.of_target.append(Modifier("divide", 2, "the target halves Damage")),
)
_DAMAGE_REDUCTION = _of_target(
    "damage_reduction",
    damage=lambda roll, each: roll.of_target.append(
        Modifier("subtract", each.value, "the target reduces Damage")
    ),
)
DAMAGE_TO_0 = _of_target(
    "damage_to_0", once=True, printed="damage to 0", damage=does.puts(changes_to_0=does.ITS_NAME)
)
NO_DAMAGE_TO_0 = replace(DAMAGE_TO_0, damage=does.puts())
_FEEL_NO_PAIN = does.puts(feel_no_pain=lambda now, each: {**now, each.rule.name: each.value})
TARGET_RULES = (
    *(DAMAGE_1_SAVE_BONUS, *(_of_target(name, damage=_FEEL_NO_PAIN) for name in WARDS), HALF_DAMAGE),
    *(_DAMAGE_REDUCTION, DAMAGE_TO_0, _of_target("incoming", **dict.fromkeys(ROLLS[1:], _incoming))),
    _of_target("in_cover", printed="in cover", against="ranged", hit=_COVERS, save=_COVERS),
)
