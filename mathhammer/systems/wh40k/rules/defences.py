"""What protects a target, in a situation or by its own rules: a row each, with what it does to which roll."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.conditions import OF_TARGET
from mathhammer.systems.wh40k.rules.roll import adds_once, changes, in_order, names_itself, puts, sets, unless
from mathhammer.systems.wh40k.rules.rolls import WARDS, Damage
from mathhammer.systems.wh40k.rules.rule import ROLLS, Condition, Kinds, TargetRule

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.roll import Making
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect


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


#: What gives the benefit of cover to a target without.
gives_cover = changes("given", lambda now, _: now or True)


def cover(
    *rolls: str, source: str = "core rules, Benefit of Cover; 9th edition core rules, Terrain Features"
) -> Condition:
    """Return the keyword of cover, which changes some rolls of an edition."""
    return Condition(
        "cover",
        source=source,
        value=Kinds("light", "heavy", "dense"),
        group=OF_TARGET,
        help="The target has the Benefit of Cover.",
        shown="cover: {}",
        idle=unless(
            lambda stages: (
                not stages.weapon.melee or any(c.against != "ranged" for c in stages.edition.covers)
            ),
            "has no effect here: a melee weapon",
        ),
        **dict.fromkeys(rolls, sets("given")),  # type: ignore[arg-type]
    )


def _protected(name: str, source: str, text: str, **effects: Effect) -> Condition:
    """Return a keyword of what protects the target from ranged attacks."""
    return Condition(name, source=source, group=OF_TARGET, help=text, against="ranged", **effects)  # type: ignore[arg-type]


def _stealth(effect: Effect, source: str, text: str) -> tuple[Condition, TargetRule]:
    """Return Stealth as a keyword of the situation, and as a rule of a target."""
    return _protected("stealth", source, f"The target has Stealth: {text}.", hit=effect), TargetRule(
        "stealth",
        source=source,
        against="ranged",
        hit=effect,
        printed="Stealth",
        help=f"All models have Stealth: {text}",
        of_all=True,
    )


#: What Stealth does, which counts once wherever it comes from.
_HIDES = adds_once(-1, "Stealth")
STEALTH, STEALTH_OF_TARGET = _stealth(
    _HIDES, "10th edition core rules, Stealth", "-1 to hit with ranged weapons"
)
STEALTH_AS_COVER, STEALTH_AS_COVER_OF_TARGET = _stealth(
    gives_cover, "11th edition core rules, 24.33 Stealth", "the benefit of cover"
)
#: Cover, with Stealth or alone; it does not add up with either.
SMOKESCREEN = _protected(
    "smokescreen",
    "10th edition core stratagems, Smokescreen: Stealth and cover",
    "Smokescreen: Stealth and cover.",
    hit=in_order(_HIDES, gives_cover),
    save=gives_cover,
)
SMOKESCREEN_ALONE = replace(
    SMOKESCREEN,
    source="11th edition core rules 15.10, Smokescreen: cover",
    help="Smokescreen: cover.",
    hit=gives_cover,
)
GO_TO_GROUND = _protected(
    "go_to_ground",
    "10th edition core stratagems, Go to Ground",
    "Go to Ground: cover and a 6+ invulnerable save.",
    save=in_order(gives_cover, changes("invulnerable", lambda now, _: (*now, (6, None)))),
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


INCOMING = TargetRule(
    "incoming",
    help="Modifiers of the attacks that target it",
    source="datasheets; Rules Commentary, Modifiers",
    **dict.fromkeys(ROLLS[1:], _incoming),  # type: ignore[arg-type]
)
COVER_OF_TARGET = TargetRule(
    "in_cover",
    printed="in cover",
    help="It always has the Benefit of Cover",
    source="datasheets; core rules, Benefit of Cover",
    against="ranged",
    hit=gives_cover,
    save=gives_cover,
)


def damage_1_save_bonus(*, printed: bool = False) -> TargetRule:
    """Return the rule that adds to armour saves against Damage 1: the modified Damage, or the printed one."""

    def is_1(weapon: Weapon, damage: Damage) -> bool:
        modified = damage.characteristic
        return (
            weapon.damage.bounds() == (1, 1) if printed else (modified.low, len(modified.weights)) == (1, 1)
        )

    return TargetRule(
        "damage_1_save_bonus",
        source="datasheets; Rules Commentary, Against: tested when the attack is allocated",
        help="Added to armour saves against Damage 1",
        save=lambda roll, each: roll.armour.append(Modifier("add", each.value, "against Damage 1")),
        reads_damage=is_1,
    )


FEEL_NO_PAIN = tuple(
    TargetRule(
        name,
        source="10th edition core rules, Feel No Pain",
        help=f"Feel No Pain{against}",
        damage=changes("feel_no_pain", lambda now, each: {**now, each.rule.name: each.value}),
    )
    for name, against in zip(WARDS, ("", " against mortal wounds", " against Psychic Attacks"), strict=True)
)
HALF_DAMAGE = TargetRule(
    "half_damage",
    source="datasheets; Rules Commentary, Modifiers",
    printed="half damage",
    help="Damage is halved",
    damage=lambda roll, _: roll.of_target.append(Modifier("divide", 2, "the target halves Damage")),
)
DAMAGE_REDUCTION = TargetRule(
    "damage_reduction",
    source="datasheets; Rules Commentary, Modifiers",
    help="Damage reduced by",
    damage=lambda roll, each: roll.of_target.append(
        Modifier("subtract", each.value, "the target reduces Damage")
    ),
)


def damage_to_0(*, off: bool = False) -> TargetRule:
    """Return the rule that changes the Damage of one failed save to 0, or one that is left out."""
    return TargetRule(
        "damage_to_0",
        source="datasheets; Core Rules Updates",
        once=True,
        printed="damage to 0",
        help="Damage of one attack in a phase becomes 0",
        damage=puts() if off else names_itself("changes_to_0"),
    )


TARGET_RULES = (
    damage_1_save_bonus(),
    *FEEL_NO_PAIN,
    HALF_DAMAGE,
    DAMAGE_REDUCTION,
    damage_to_0(),
    INCOMING,
    COVER_OF_TARGET,
)
