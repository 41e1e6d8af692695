"""Modifiers that a target's rules bring to the attacks on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.systems.wh40k.rules.cover import gives_cover
from mathhammer.systems.wh40k.rules.rule import TargetRule
from mathhammer.systems.wh40k.rules.values import Flag

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.rules.rule import InForce


def _hit(roll: Any, each: InForce) -> None:
    roll.modifiers += [i.modifier for i in each.value if i.modifier.of == "hit" and i.about(melee=roll.melee)]


def _wound(roll: Any, each: InForce) -> None:
    for incoming in each.value:
        if incoming.modifier.of == "wound" and incoming.about(melee=roll.melee):
            (roll.if_stronger if incoming.if_stronger else roll.modifiers).append(incoming.modifier)
    _characteristic("strength", roll, each)


def _characteristic(name: str, roll: Any, each: InForce) -> None:
    found = tuple(i.modifier for i in each.value if i.modifier.of == name and i.about(melee=roll.melee))
    roll.characteristics = (*roll.characteristics, *found)


def _save(roll: Any, each: InForce) -> None:
    _characteristic("ap", roll, each)


INCOMING = TargetRule(
    "incoming",
    help="Modifiers of the attacks that target it",
    source="datasheets; Rules Commentary, Modifiers",
    hit=_hit,
    wound=_wound,
    save=_save,
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
