"""Modifiers that a target's rules bring to the attacks on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.rules.cover import gives_cover
from mathhammer.systems.wh40k.rules.rule import TargetRule
from mathhammer.systems.wh40k.rules.values import Flag

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.profiles.incoming import Incoming
    from mathhammer.systems.wh40k.rules.cover import Covered
    from mathhammer.systems.wh40k.rules.damage import Inflicting
    from mathhammer.systems.wh40k.rules.rule import ActiveRule
    from mathhammer.systems.wh40k.rules.wound import Wounding


def _of(
    name: str, roll: Covered | Wounding | Inflicting, each: ActiveRule[tuple[Incoming, ...]]
) -> list[Incoming]:
    return [i for i in each.value if i.modifier.of == name and i.about(melee=roll.melee)]


def _hit(roll: Covered, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.modifiers += [i.modifier for i in _of("hit", roll, each)]


def _wound(roll: Wounding, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    for incoming in _of("wound", roll, each):
        (roll.if_stronger if incoming.if_stronger else roll.modifiers).append(incoming.modifier)
    roll.characteristics += tuple(i.modifier for i in _of("strength", roll, each))


def _save(roll: Covered, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.characteristics += tuple(i.modifier for i in _of("ap", roll, each))


def _damage(roll: Inflicting, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.characteristics += tuple(i.modifier for i in _of("damage", roll, each))


INCOMING = TargetRule(
    "incoming",
    help="Modifiers of the attacks that target it",
    source="datasheets; Rules Commentary, Modifiers",
    hit=_hit,
    wound=_wound,
    save=_save,
    damage=_damage,
)
COVER_OF_TARGET = TargetRule(
    "in_cover",
    printed="in cover",
    help="It always has the Benefit of Cover",
    value=Flag(),
    source="datasheets; core rules, Benefit of Cover",
    against="ranged",
    hit=gives_cover,
    save=gives_cover,
)
