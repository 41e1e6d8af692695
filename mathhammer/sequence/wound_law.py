"""What one wound does to a model: a save that is made or fails, and the damage of one that fails."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mathhammer.distributions import IntegerLaw

__all__ = ["OneReroll", "WoundLaw", "WoundWeights"]


class OneReroll(NamedTuple):
    """A damage roll that is made again if it is low and no other one was.

    Parameters
    ----------
    kept
        The damage of a roll that is not low.
    low, denominator
        The chance of a roll that is low.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> OneReroll(IntegerLaw(4, (1, 1, 1), 3), 1, 2).kept.mean()  # a D6 that shows no 1, 2 or 3
    (5, 1)
    """

    kept: IntegerLaw
    low: int
    denominator: int


class WoundWeights(NamedTuple):
    """Weights of what a wound comes to on a model with so many wounds left.

    Parameters
    ----------
    saved
        The save is made.
    failed
        It fails, and the model loses none, one, two, ... wounds.
    again
        The same where the damage roll was made again; nothing where none may be.
    """

    saved: int
    failed: list[int]
    again: list[int]


@dataclass(frozen=True, slots=True)
class WoundLaw:
    """What one wound does to a model of one kind.

    Parameters
    ----------
    unsaved
        Weight of failing the save out of 36.
    damage
        The damage then.
    always_allocated
        Whether the model was allocated an attack even if it loses nothing.
    spared
        The damage of a failed save where the group is spared, if it can be.
    reroll
        What tells damage rolls that are made again from others, if one may be.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> WoundLaw(18, IntegerLaw(1, (1, 1, 1), 3)).damage.mean()  # a save of 4+, then D3
    (2, 1)
    """

    unsaved: int
    damage: IntegerLaw
    always_allocated: bool = True
    spared: IntegerLaw | None = None
    reroll: OneReroll | None = None

    @property
    def denominator(self) -> int:
        """A denominator that all its weights can have."""
        found = 36 * self.damage.denominator
        if self.spared is not None:
            found = lcm(found, 36 * self.spared.denominator)
        if self.reroll is not None:
            each = self.reroll.denominator
            found = lcm(found * each, 36 * self.reroll.kept.denominator * each)
        return found

    def weights(
        self, left: int, denominator: int, *, spared: bool = False, reroll: bool = False
    ) -> WoundWeights:
        """Weights where the group is spared, or a low damage roll is made again, if the law knows of that."""
        saved = (36 - self.unsaved) * (denominator // 36)
        failing = self.unsaved * (denominator // 36)
        if spared and self.spared is not None:
            return WoundWeights(saved, _inflicted(self.spared, left, failing), [])
        if not reroll or self.reroll is None:
            return WoundWeights(saved, _inflicted(self.damage, left, failing), [])
        low = failing // self.reroll.denominator * self.reroll.low
        return WoundWeights(
            saved, _inflicted(self.reroll.kept, left, failing - low), _inflicted(self.damage, left, low)
        )


def _inflicted(damage: IntegerLaw, left: int, total: int) -> list[int]:
    """Share a weight among the wounds that a model with so many left can lose; its last one loses the excess."""
    scale = total // damage.denominator
    weights = [0] * (left + 1)
    for place, weight in enumerate(damage.weights):
        weights[min(left, damage.low + place)] += weight * scale
    return weights
