"""Which model takes the next wound: the states of a unit of unequal models.

A model that has lost wounds, or to which an attack was allocated even if its save was made, takes the next one.
Equal models form a group, whose first living model is the one that is wounded; the state of the unit is what each
group has lost, with the groups whose unhurt first model was allocated an attack where that matters. Characters
stand behind the others and can be singled out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.distributions import IntegerLaw

__all__ = ["Allocation", "Group", "WoundLaw"]

#: Most states of a unit: an exact walk over more would take minutes.
MAXIMUM_STATES = 3_000

#: What each group has lost, the groups whose unhurt first model was allocated an attack, and those that were spared.
_State = tuple[tuple[int, ...], frozenset[int], frozenset[int]]
#: A group, and whether it is spared.
_Move = tuple[int, bool]
_NONE: frozenset[int] = frozenset()


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


@dataclass(frozen=True, slots=True)
class Group:
    """Equal models of a unit.

    Parameters
    ----------
    name
        What they are called.
    models, wounds
        Their number, and the wounds of each.
    lost
        Wounds that the first of them has lost before.
    last
        Whether they take wounds only when no other model is left, unless they are singled out.
    spared_once
        Whether the damage of one failed save of theirs is changed.

    Examples
    --------
    >>> Group("Boy", models=10, wounds=2, lost=1).left
    19
    """

    name: str
    models: int
    wounds: int
    lost: int = 0
    last: bool = False
    spared_once: bool = False

    @property
    def left(self) -> int:
        """Wounds that they have left."""
        return self.models * self.wounds - self.lost


@dataclass(frozen=True)
class Allocation:
    """The states of a unit of several groups of models.

    Parameters
    ----------
    groups
        The groups in the order in which they take wounds where the rules leave a choice.
    any_order
        Whether the states hold what any other order leads to.
    single_out
        Whether groups that come last can be singled out before.
    begun_first
        Whether a model of those groups that is hurt, or was allocated an attack, comes before all others.
    choose_spared
        Whether the failed save whose damage is changed is chosen; otherwise it is the first one.

    Examples
    --------
    >>> unit = Allocation((Group("Boy", 2, 1), Group("Nob", 1, 2)))
    >>> unit.axes
    ('Boy destroyed', 'Boy wounds lost by next', 'Nob destroyed', 'Nob wounds lost by next')
    >>> unit.coordinates()
    [(0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), (2, 0, 0, 1), (2, 0, 1, 0)]
    """

    groups: tuple[Group, ...]
    any_order: bool = False
    single_out: bool = False
    begun_first: bool = False
    choose_spared: bool = False

    def __post_init__(self) -> None:
        if not self.groups:
            raise MathhammerError("expected at least one group of models, got none")

    @cached_property
    def _explored(self) -> dict[_State, dict[_Move, list[_State]]]:
        """Every state that wounds can lead to, with the states after each number of wounds on each open group."""
        start: _State = ((0,) * len(self.groups), _NONE, _NONE)
        found: dict[_State, dict[_Move, list[_State]]] = {start: {}}
        waiting = [start]
        while waiting:
            state = waiting.pop()
            for group in self._reachable(state):
                left = self._left_of_first(group, state[0][group])
                for spared in (False, True) if self._can_be_spared(state, group) else (False,):
                    moves = [self._after(state, group, lost, spared=spared) for lost in range(left + 1)]
                    found[state][group, spared] = moves
                    for after in moves:
                        if after not in found:
                            found[after] = {}
                            waiting.append(after)
            if len(found) > MAXIMUM_STATES:
                raise TooLargeError(
                    f"expected a unit of at most {MAXIMUM_STATES:,} states, but this one has more; use fewer "
                    "models, fewer kinds of them, the order as given, or attacks that single out nobody"
                )
        return found

    @cached_property
    def _states(self) -> tuple[_State, ...]:
        """Every state, by wounds lost: a walk never goes back."""
        return tuple(
            sorted(
                self._explored,
                # The more have been spared, the later: to be spared may cost no wounds.
                key=lambda state: (
                    sum(state[0]),
                    state[0],
                    len(state[2]),
                    sorted(state[2]),
                    sorted(state[1]),
                ),
            )
        )

    @cached_property
    def _index(self) -> dict[_State, int]:
        return {state: index for index, state in enumerate(self._states)}

    @cached_property
    def _moves(self) -> list[dict[_Move, list[int]]]:
        """Of each state and open group the states after each number of wounds lost."""
        index = self._index
        return [
            {move: [index[after] for after in moves] for move, moves in self._explored[state].items()}
            for state in self._states
        ]

    @cached_property
    def _choices(self) -> dict[tuple[int, ...], list[list[int]]]:
        """Of each direction asked for, the groups that each state leaves to choose from."""
        return {}

    @property
    def leaves_choices(self) -> bool:
        """Whether its player chooses anything while wounds are allocated."""
        return self.any_order or (self.choose_spared and any(group.spared_once for group in self.groups))

    @property
    def states(self) -> int:
        """Number of states of the unit; the last of them is its destruction."""
        return len(self._states)

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(group.models for group in self.groups)

    @property
    def axes(self) -> tuple[str, ...]:
        """Of each kind of model: its models destroyed, and the wounds lost by the next one."""
        return tuple(
            f"{group.name} {what}" for group in self.groups for what in ("destroyed", "wounds lost by next")
        )

    def coordinates(self) -> list[tuple[int, ...]]:
        """Coordinates of every state, in order; two states can have the same."""
        return [
            tuple(
                number
                for group, lost in zip(self.groups, positions, strict=True)
                for number in divmod(group.lost + lost, group.wounds)
            )
            for positions, *_ in self._states
        ]

    def models_destroyed(self) -> list[int]:
        """Models destroyed, for every state."""
        return self.worth([1] * len(self.groups))

    def worth(self, values: Sequence[int]) -> list[int]:
        """Sum of the values of the models destroyed, for every state; a value for each group."""
        return [
            sum(
                value * ((group.lost + lost) // group.wounds)
                for value, group, lost in zip(values, self.groups, positions, strict=True)
            )
            for positions, *_ in self._states
        ]

    def wounds_lost(self) -> list[int]:
        """Wounds lost in all, for every state."""
        return [sum(positions) for positions, *_ in self._states]

    def widened(self, other: Allocation) -> Allocation:
        """Return the same unit with the states that it needs here and there."""
        return replace(
            self,
            any_order=self.any_order or other.any_order,
            single_out=self.single_out or other.single_out,
        )

    def embedding(self, narrower: Allocation) -> list[int]:
        """Of each state of the same unit with fewer states, its number here."""
        return [self._index[self._kept(*state)] for state in narrower._states]

    def new_phase(self) -> list[int]:
        """Of each state the one in which no unhurt model was allocated an attack, and none was spared.

        Such marks last for a phase.
        """
        return [self._index[positions, _NONE, _NONE] for positions, *_ in self._states]

    def transition(
        self, laws: Mapping[int, WoundLaw], directed: Sequence[int] = ()
    ) -> tuple[list[dict[int, int]], int]:
        """Weights from state to state of one wound in the order of the groups, and their denominator.

        Parameters
        ----------
        laws
            What the wound does to each group.
        directed
            The groups at the first living one of which the attacker directs it.
        """
        options, denominator = self.options(laws, directed)
        return [rows[0] for rows in options], denominator

    def options(
        self, laws: Mapping[int, WoundLaw], directed: Sequence[int] = ()
    ) -> tuple[list[list[dict[int, int]]], int]:
        """Weights as in `transition` for each group that the defender may choose, in the order of the groups.

        Where a group can be spared, that comes first; if it is chosen, each group comes a second time without.
        """
        denominator = lcm(
            *(
                36 * damage.denominator
                for law in laws.values()
                for damage in (law.damage, law.spared)
                if damage is not None
            )
        )
        key = tuple(directed)
        if key not in self._choices:
            self._choices[key] = [self._open(state, key) for state in self._states]
        weights = {
            (group, left): _weights(laws[group], left, denominator)
            for group, each in enumerate(self.groups)
            for left in range(1, each.wounds + 1)
        }
        rows = []
        for index, (moves, groups) in enumerate(zip(self._moves, self._choices[key], strict=True)):
            chosen = []
            for group in groups:
                spared = laws[group].spared if (group, True) in moves else None
                if spared is not None:
                    chosen.append(
                        _spared_row(
                            laws[group], spared, moves[group, False][0], moves[group, True], denominator
                        )
                    )
                if spared is None or self.choose_spared:
                    # Where nothing is lost, the model was allocated an attack or nothing has happened.
                    saved = moves[group, False][0] if laws[group].always_allocated else index
                    after = [saved, *moves[group, False][1:]]
                    chosen.append(_row(after, weights[group, len(after) - 1]))
            rows.append(chosen or [{index: denominator}])
        return rows, denominator

    def _reachable(self, state: _State) -> set[int]:
        """Groups that some wound could be allocated to."""
        found = set(self._open(state, ()))
        if self.single_out:
            found.update(
                group for group, each in enumerate(self.groups) if each.last and state[0][group] < each.left
            )
        return found

    def _open(self, state: _State, directed: Sequence[int]) -> list[int]:
        """Groups that the defender may choose from: the first one allowed where he goes by the order given."""
        allowed = self._allowed(state, directed)
        return allowed if self.any_order else allowed[:1]

    def _allowed(self, state: _State, directed: Sequence[int]) -> list[int]:
        """Groups to which the next wound may be allocated: one of those begun, if any, otherwise any of the row."""
        positions, touched, _ = state
        for group in directed:
            if positions[group] < self.groups[group].left:
                return [group]
        living = [group for group, each in enumerate(self.groups) if positions[group] < each.left]
        begun = [group for group in living if group in touched or self._hurt(group, positions[group])]
        if begun and self.begun_first:
            return begun
        row = min((self.groups[group].last for group in living), default=False)
        in_row = [group for group in living if self.groups[group].last is row]
        return [group for group in begun if group in in_row] or in_row

    def _hurt(self, group: int, lost: int) -> bool:
        return (self.groups[group].lost + lost) % self.groups[group].wounds > 0

    def _left_of_first(self, group: int, lost: int) -> int:
        each = self.groups[group]
        return each.wounds - (each.lost + lost) % each.wounds

    def _after(self, state: _State, group: int, lost: int, *, spared: bool) -> _State:
        positions, touched, before = state
        after = (*positions[:group], positions[group] + lost, *positions[group + 1 :])
        now_spared = before | {group} if spared else before
        if not self._remembers:
            return self._kept(after, _NONE, now_spared)
        destroyed = lost == self._left_of_first(group, positions[group])
        return self._kept(after, touched - {group} if destroyed else touched | {group}, now_spared)

    def _can_be_spared(self, state: _State, group: int) -> bool:
        return self.groups[group].spared_once and group not in state[2]

    @cached_property
    def _remembers(self) -> bool:
        """Whether it can matter that an unhurt model was allocated an attack: not if nobody chooses."""
        if self.begun_first:
            return (self.any_order or self.single_out) and len(self.groups) > 1
        rows = [[group for group in self.groups if group.last is last] for last in (False, True)]
        return (self.any_order and max(map(len, rows)) > 1) or (self.single_out and len(rows[1]) > 1)

    def _kept(self, positions: tuple[int, ...], touched: frozenset[int], spared: frozenset[int]) -> _State:
        """Forget the touch of a group where it decides nothing: where it is hurt, or alone, or first in any case.

        Whether a destroyed group was spared decides nothing either.
        """
        kept = frozenset(
            group
            for group in touched
            if positions[group] < self.groups[group].left
            and not self._hurt(group, positions[group])
            and (self.any_order or self.begun_first or (self.single_out and self.groups[group].last))
            and any(self._beside(group, positions))
        )
        return (
            positions,
            kept,
            frozenset(group for group in spared if positions[group] < self.groups[group].left),
        )

    def _beside(self, group: int, positions: tuple[int, ...]) -> Iterator[bool]:
        """Whether each other group that it could come before is alive."""
        for other, each in enumerate(self.groups):
            if other != group and (self.begun_first or each.last is self.groups[group].last):
                yield positions[other] < each.left


def _weights(law: WoundLaw, left: int, denominator: int) -> list[int]:
    """Weights of the wounds that a model with so many left loses by one wound; its last one loses the excess."""
    weights = _failed(law.unsaved, law.damage, left, denominator)
    weights[0] += (36 - law.unsaved) * (denominator // 36)
    return weights


def _failed(unsaved: int, damage: IntegerLaw, left: int, denominator: int) -> list[int]:
    """Weights of the wounds lost by a failed save."""
    scale = denominator // (36 * damage.denominator)
    weights = [0] * (left + 1)
    for place, weight in enumerate(damage.weights):
        weights[min(left, damage.low + place)] += unsaved * weight * scale
    return weights


def _row(after: Sequence[int], weights: Sequence[int]) -> dict[int, int]:
    """Weights by the state after."""
    row: dict[int, int] = {}
    for state, weight in zip(after, weights, strict=True):
        if weight:
            row[state] = row.get(state, 0) + weight
    return row


def _spared_row(
    law: WoundLaw, spared: IntegerLaw, saved: int, moves: Sequence[int], denominator: int
) -> dict[int, int]:
    """Weights by the state after a save that is made, or that fails with the damage of the one that is spared."""
    failed = _failed(law.unsaved, spared, len(moves) - 1, denominator)
    return _row([saved, *moves], [(36 - law.unsaved) * (denominator // 36), *failed])
