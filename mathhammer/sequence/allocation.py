"""Which model takes the next wound: a unit of unequal models as queues of models.

The models of a unit stand in one queue in the order in which they take wounds; characters that an attacker may
single out stand in queues of their own behind it. The state of the unit is how many wounds each queue has lost.
A model that has lost wounds, or to which an attack was allocated, is the first of its queue and stays so until it
is destroyed: the rule that the next attack must go to it needs no further memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from math import lcm, prod
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions import IntegerLaw

__all__ = ["Allocation", "WoundLaw"]

#: Most states of a unit: an exact walk over more would take minutes.
MAXIMUM_STATES = 3_000


@dataclass(frozen=True, slots=True)
class WoundLaw:
    """What one wound does to a model of one kind: weight of failing the save out of 36, and the damage then."""

    unsaved: int
    damage: IntegerLaw


@dataclass(frozen=True)
class Allocation:
    """The models of a unit in queues.

    Parameters
    ----------
    kinds
        Names of the kinds of models.
    queues
        Of each queue its models in order, each as the index of its kind and the wounds it has left. The first
        queue takes wounds before the second, and so on, unless an attack is directed at one.

    Examples
    --------
    >>> unit = Allocation(("Boy", "Nob"), (((0, 1), (0, 1), (1, 2)),))
    >>> unit.axes
    ('Boy destroyed', 'Boy wounds lost by next', 'Nob destroyed', 'Nob wounds lost by next')
    >>> unit.coordinates()[3]
    (2, 0, 0, 1)
    """

    kinds: tuple[str, ...]
    queues: tuple[tuple[tuple[int, int], ...], ...]

    def __post_init__(self) -> None:
        if not self.queues or not all(self.queues):
            raise MathhammerError("expected at least one model in each queue, got none")
        if self.states > MAXIMUM_STATES:
            raise TooLargeError(
                f"expected a unit of at most {MAXIMUM_STATES:,} states, but this one has {self.states:,}; "
                "use fewer models, or attacks that single out fewer characters"
            )

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        """Number of positions of each queue: its wounds and one more."""
        return tuple(1 + sum(wounds for _, wounds in queue) for queue in self.queues)

    @property
    def states(self) -> int:
        """Number of states of the unit; the last of them is its destruction."""
        return prod(self._lengths)

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(map(len, self.queues))

    @property
    def axes(self) -> tuple[str, ...]:
        """Of each kind of model: its models destroyed, and the wounds lost by the next one."""
        return tuple(f"{kind} {what}" for kind in self.kinds for what in ("destroyed", "wounds lost by next"))

    def coordinates(self) -> list[tuple[int, ...]]:
        """Coordinates of every state, in order."""
        by_queue = [self._queue_coordinates(queue) for queue in self.queues]
        return [
            tuple(
                map(
                    sum,
                    zip(*(rows[lost] for rows, lost in zip(by_queue, position, strict=True)), strict=True),
                )
            )
            for position in self._positions()
        ]

    def models_destroyed(self) -> list[int]:
        """Models destroyed, for every state."""
        return [sum(coordinates[::2]) for coordinates in self.coordinates()]

    def wounds_lost(self) -> list[int]:
        """Wounds lost in all, for every state."""
        return [sum(position) for position in self._positions()]

    def _positions(self) -> list[tuple[int, ...]]:
        """Wounds lost by each queue, for every state in order."""
        return list(product(*(range(length) for length in self._lengths)))

    def _queue_coordinates(self, queue: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """Coordinates for every number of wounds that one queue has lost."""
        row = [0] * (2 * len(self.kinds))
        rows = []
        for kind, wounds in queue:
            for lost in range(wounds):
                row[2 * kind + 1] = lost
                rows.append(tuple(row))
            row[2 * kind] += 1
            row[2 * kind + 1] = 0
        return [*rows, tuple(row)]

    def transition(
        self, laws: Mapping[int, WoundLaw], directed: int | None = None
    ) -> tuple[list[dict[int, int]], int]:
        """Weights from state to state of one wound, and their denominator.

        Parameters
        ----------
        laws
            What the wound does to each kind of model.
        directed
            The queue at which the attacker directs it while anything of that queue is left.
        """
        denominator = lcm(*(36 * law.damage.denominator for law in laws.values()))
        strides = list(accumulate(reversed(self._lengths[1:]), lambda a, b: a * b, initial=1))[::-1]
        within = [self._queue_rows(queue, laws, denominator) for queue in self.queues]
        rows = []
        for state, position in enumerate(self._positions()):
            queue = self._allocated(position, directed)
            if queue is None:
                rows.append({state: denominator})
                continue
            base, stride = state - position[queue] * strides[queue], strides[queue]
            rows.append(
                {base + lost * stride: weight for lost, weight in within[queue][position[queue]].items()}
            )
        return rows, denominator

    def _allocated(self, position: Sequence[int], directed: int | None) -> int | None:
        if directed is not None and position[directed] < self._lengths[directed] - 1:
            return directed
        for queue, lost in enumerate(position):
            if lost < self._lengths[queue] - 1:
                return queue
        return None

    @staticmethod
    def _queue_rows(
        queue: Sequence[tuple[int, int]], laws: Mapping[int, WoundLaw], denominator: int
    ) -> list[dict[int, int]]:
        """Weights from each position of one queue to its positions; a model's last wound loses the excess."""
        rows = []
        start = 0
        for kind, wounds in queue:
            law = laws[kind]
            scale = denominator // (36 * law.damage.denominator)
            for lost in range(wounds):
                row: dict[int, int] = {}
                if law.unsaved < 36:
                    row[start + lost] = (36 - law.unsaved) * law.damage.denominator * scale
                for index, weight in enumerate(law.damage.weights):
                    after = start + min(wounds, lost + law.damage.low + index)
                    if weight:
                        row[after] = row.get(after, 0) + law.unsaved * weight * scale
                rows.append({column: weight for column, weight in row.items() if weight})
            start += wounds
        return rows
