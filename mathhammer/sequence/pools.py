"""Wounds that models share: pools of wounds from which whole models are removed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from operator import add
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.group import Group, UnitStates

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Most states of a unit of several pools.
MAXIMUM_STATES = 100_000


@dataclass(frozen=True)
class SavePool(Group):
    """Models that share their wounds."""

    def __post_init__(self) -> None:
        if min(self.models, self.wounds) < 1 or not 0 <= self.lost < self.models * self.wounds:
            raise MathhammerError(
                "expected one or more models with one or more wounds, of which fewer are lost than there are; "
                f"got {self.models} of {self.wounds} with {self.lost} lost in {self.name!r}"
            )


@dataclass(frozen=True)
class SharedPools(UnitStates):
    """The states of a unit of one or more pools: what each has lost by the attacks."""

    #: The pools; their states are numbered with the last one varying fastest.
    groups: tuple[SavePool, ...]
    #: Index of a pool to that of the one which takes what it cannot lose; other excess is lost.
    spilling: tuple[tuple[int, int], ...] = ()
    #: How many of them, the last ones, are of other units: they count in no number of this one.
    others: int = 0

    def __post_init__(self) -> None:
        if self.states > MAXIMUM_STATES:
            raise TooLargeError(
                f"expected a unit of at most {MAXIMUM_STATES:,} states, but this one has {self.states:,}; "
                "use fewer models, or fewer pools"
            )

    @property
    def states(self) -> int:
        """Number of states; the last of them is its destruction."""
        return prod(pool.left + 1 for pool in self.pools)

    @property
    def pools(self) -> tuple[SavePool, ...]:
        """The pools."""
        return self.groups

    @property
    def first_destroyed(self) -> int:
        """The first state in which the unit is destroyed."""
        return self.states - prod(pool.left + 1 for pool in self.pools[len(self.pools) - self.others :])

    @cached_property
    def left(self) -> tuple[int, ...]:
        """Wounds that each pool has to lose."""
        return tuple(pool.left for pool in self.pools)

    @cached_property
    def lost(self) -> tuple[tuple[int, ...], ...]:
        """Wounds that each pool has lost by the attacks, for every state."""
        return tuple(product(*(range(pool.left + 1) for pool in self.pools)))

    def index(self, lost: Sequence[int]) -> int:
        """Return the number of the state in which the pools have lost so much."""
        place = 0
        for pool, wounds in zip(self.pools, lost, strict=True):
            place = place * (pool.left + 1) + wounds
        return place

    def after(self, lost: Sequence[int], damage: Sequence[int]) -> tuple[int, ...]:
        """Return what the pools have lost when each takes so much more."""
        total = list(map(add, lost, damage))
        for source, taker in self.spilling:
            total[taker] += max(0, total[source] - self.left[source])
        return tuple(map(min, total, self.left))

    def standing(self, lost: Sequence[int]) -> int:
        """Return the models that are left when the pools have lost so much."""
        return sum(-(-(pool.left - gone) // pool.wounds) for pool, gone in zip(self.pools, lost, strict=True))
