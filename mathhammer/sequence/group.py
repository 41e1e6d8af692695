"""Equal models of a unit, and what damage does to one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.distributions import IntegerDistribution

#: Most wounds of a group.
MAXIMUM_WOUNDS = 4_000


@dataclass(frozen=True, slots=True)
class Group:
    """Equal models of a unit."""

    #: What they are called.
    name: str
    #: Their number, and the wounds of each.
    models: int
    wounds: int
    #: Wounds that the first of them has lost before.
    lost: int = 0
    #: Whether they take wounds only when no other model is left, unless they are singled out.
    last: bool = False
    #: Whether the damage of one failed save of theirs is changed.
    negates_once: bool = False

    @property
    def left(self) -> int:
        """Wounds that they have left."""
        return self.models * self.wounds - self.lost

    @property
    def states(self) -> int:
        """Numbers of wounds that they can have lost in all."""
        return self.models * self.wounds + 1


def state_axes(groups: Sequence[Group]) -> Sequence[str]:
    """Names of the coordinates of a state: models destroyed and wounds lost by the next one, for each group."""
    if len(groups) == 1:
        return ("kills", "wounds_lost_by_next")
    return tuple(f"{group.name} {what}" for group in groups for what in ("destroyed", "wounds lost by next"))


def require_wounds(models: int, wounds: int) -> None:
    """Refuse a group of more wounds than a walk can have states."""
    if models * wounds > MAXIMUM_WOUNDS:
        raise TooLargeError(
            f"expected a unit of at most {MAXIMUM_WOUNDS:,} wounds in all, but {models:,} models of {wounds:,} wounds "
            f"have {models * wounds:,}; use fewer models"
        )


def model_block(damage: IntegerDistribution, wounds: int) -> tuple[list[list[int]], int]:
    """Weights from each state of one model to the states of the same model and, last, to its destruction."""
    padded = [0] * damage.low + list(damage.weights)
    padded += [0] * (wounds - len(padded))
    block = []
    for lost in range(wounds):
        row = [0] * lost + padded[: wounds - lost]
        row.append(damage.denominator - sum(row))
        block.append(row)
    return block, damage.denominator
