"""The two sides of an attack in a panel: profiles under its controls, or units that are taken as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mathhammer.errors import MathhammerError
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.armies.attachment import unit_keys

if TYPE_CHECKING:
    from typing import Literal

Attackers: TypeAlias = wh40k.Weapon | wh40k.Volley | wh40k.Unit | Sequence[wh40k.Weapon | wh40k.Volley]
Defenders: TypeAlias = wh40k.Target | wh40k.TargetUnit | wh40k.Unit
_PHASES: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")


def attackers_of(given: Mapping[str, Attackers] | wh40k.Army) -> dict[str, Attackers]:
    """Return what attacks by the name to show; each unit once for each phase in which it has weapons."""
    if not isinstance(given, wh40k.Army):
        return dict(given)
    return {
        f"{name}, {phase}": armed
        for name, unit in zip(unit_keys(given.units), given.units, strict=True)
        for phase in _PHASES
        if (armed := unit.only(phase)).weapons
    }


def defenders_of(given: Mapping[str, Defenders] | wh40k.Army) -> dict[str, wh40k.Target | wh40k.TargetUnit]:
    """Return what is attacked by the name to show; of an army the units with a stat line."""
    if not isinstance(given, wh40k.Army):
        return {
            name: each.as_target_unit() if isinstance(each, wh40k.Unit) else each
            for name, each in given.items()
        }
    found = {}
    for name, unit in zip(unit_keys(given.units), given.units, strict=True):
        try:
            found[name] = unit.as_target_unit()
        except MathhammerError:  # a list without profiles: said by the army's own warnings
            continue
    return found


def units_of(given: Mapping[str, Defenders] | wh40k.Army) -> dict[str, wh40k.Unit]:
    """Return those of the defenders that are units of a list, by the name to show."""
    if isinstance(given, wh40k.Army):
        return dict(zip(unit_keys(given.units), given.units, strict=True))
    return {name: each for name, each in given.items() if isinstance(each, wh40k.Unit)}
