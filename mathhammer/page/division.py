"""Who should attack what: units divided over targets, without NumPy, by moving one unit at a time."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from mathhammer.distributions import in_fractions
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.attacks.attack import read_weapons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.wh40k import Target, TargetUnit, Unit

#: Points that a move must gain: less is the rounding of sums.
_LEAST_GAIN = 1e-9


def divide(
    attackers: Sequence[Unit],
    targets: Sequence[tuple[Target | TargetUnit, float]],
    options: Mapping[str, Any],
) -> tuple[list[int], float]:
    """Return for each unit the place of its target, and the points destroyed on average."""

    @cache
    def after(place: int, group: tuple[int, ...]) -> Any:
        """Return the target after the attacks of some units; nothing where none of them can attack."""
        if not group:
            return None
        before, target = after(place, group[:-1]), targets[place][0]
        armed = usable(attackers[group[-1]], options)
        if not armed.weapons:
            return before
        return wh40k.attack(read_weapons(armed, 1, target, **options), target, start=before, **options)

    @cache
    def worth(place: int, group: tuple[int, ...]) -> float:
        result = after(place, group)
        target, points = targets[place]
        kinds = (target,) if isinstance(target, wh40k.Target) else target.kinds
        models = sum(kind.models for kind in kinds)
        return 0.0 if result is None else points * float(in_fractions(result).kills.mean()) / models

    rows, columns = range(len(attackers)), range(len(targets))
    chosen = [max(columns, key=lambda place: worth(place, (row,))) for row in rows]

    def gain(row: int, place: int) -> float:
        """Return what moving a unit to another target gains."""
        old = tuple(each for each in rows if chosen[each] == chosen[row])
        new = tuple(each for each in rows if chosen[each] == place)
        left, joined = tuple(each for each in old if each != row), tuple(sorted((*new, row)))
        return worth(place, joined) - worth(place, new) + worth(chosen[row], left) - worth(chosen[row], old)

    while True:
        moves = [(gain(row, place), row, place) for row in rows for place in columns if place != chosen[row]]
        most, row, place = max(moves, default=(0.0, 0, 0))
        if most <= _LEAST_GAIN:
            break
        chosen[row] = place
    groups = (tuple(row for row in rows if chosen[row] == place) for place in columns)
    return chosen, sum(worth(place, group) for place, group in enumerate(groups))
