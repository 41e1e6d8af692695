"""A state of a unit, and what one wound makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.wound import WoundEffect, WoundWeights

NO_GROUP: frozenset[int] = frozenset()
#: Weights by the state after, for each state before.
Rows = list[dict[int, int]]


class UnitState(NamedTuple):
    """What each group has lost, the groups allocated an attack in this phase, and those that negated a damage."""

    lost: tuple[int, ...]
    allocated: frozenset[int]
    negated: frozenset[int]


def row_after(
    weights: WoundWeights,
    effect: WoundEffect,
    moves: Mapping[tuple[int, bool], Sequence[int]],
    group: int,
    index: int,
    negated: bool,  # noqa: FBT001 - one of the keys of moves
) -> dict[int, int]:
    """Weights by the state after a save that is made, and after one that fails."""
    saved, failed = weights
    plain, after = moves[group, False], moves[group, negated]
    unharmed = plain[0]
    if not (negated or effect.always_allocated):
        # Where nothing is lost, the model was not allocated an attack.
        unharmed, after = index, [index, *plain[1:]]
    row: dict[int, int] = {}
    for state, weight in zip((unharmed, *after), (saved, *failed), strict=True):
        if weight:
            row[state] = row.get(state, 0) + weight
    return row
