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

    from mathhammer.sequence.wound_law import WoundLaw, WoundWeights

__all__ = ["Allocation", "Group"]

#: Most states of a unit: an exact walk over more would take minutes.
MAXIMUM_STATES = 3_000

#: What each group has lost, the groups whose unhurt first model was allocated an attack, and what happens once and
#: has happened: the groups that were spared, and the re-roll of the attacker.
_State = tuple[tuple[int, ...], frozenset[int], frozenset[int]]
#: A group, and what happens once and happens now: that group is spared, or a damage roll is made again.
_Move = tuple[int, "int | None"]
_NONE: frozenset[int] = frozenset()
#: The re-roll, where groups have their numbers; as a group it stands for none that is allocated anything.
_REROLL = -1


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
    one_reroll
        Whether the attacker makes the first low damage roll again, whoever is hit: the states hold whether he has.

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
    one_reroll: bool = False

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
            for group, once in self._reachable_moves(state):
                moves = self._after_each(state, group, once)
                found[state][group, once] = moves
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
                # The more has happened once, the later: to be spared, or a re-roll, may cost no wounds.
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
        return replace(self, single_out=self.single_out or other.single_out)

    def embedding(self, narrower: Allocation) -> list[int]:
        """Of each state of the same unit with fewer states, its number here."""
        return [self._index[self._kept(*state)] for state in narrower._states]

    def after_attack(self) -> tuple[Allocation, list[int]]:
        """Return the same unit without the re-roll, and what each state is there: it lasts for an attack."""
        plain = replace(self, one_reroll=False)
        return plain, [
            plain._index[positions, touched, once - {_REROLL}]  # noqa: SLF001 - the same class
            for positions, touched, once in self._states
        ]

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
        denominator = lcm(*(law.denominator for law in laws.values()))
        key = tuple(directed)
        if key not in self._choices:
            self._choices[key] = [self._open(state, key) for state in self._states]
        made: dict[tuple[int, int, int | None], WoundWeights] = {}
        rows = []
        for index, (moves, groups) in enumerate(zip(self._moves, self._choices[key], strict=True)):
            chosen = []
            for group in groups:
                for once in self._uses(laws[group], group, moves):
                    left = len(moves[group, None]) - 1
                    if (group, left, once) not in made:
                        made[group, left, once] = laws[group].weights(
                            left, denominator, spared=once == group, reroll=once == _REROLL
                        )
                    after = _after(laws[group], group, once, moves, index)
                    chosen.append(_row(made[group, left, once], *after))
            rows.append(chosen or [{index: denominator}])
        return rows, denominator

    def _uses(self, law: WoundLaw, group: int, moves: Mapping[_Move, list[int]]) -> list[int | None]:
        """What a wound can do that happens once, the first choice first: a damage roll is made again if it is low."""
        rolled = _REROLL if law.reroll is not None and (group, _REROLL) in moves else None
        if law.spared is None or (group, group) not in moves:
            return [rolled]
        return [group, rolled] if self.choose_spared else [group]

    def _reachable_moves(self, state: _State) -> Iterator[_Move]:
        """What some wound could do: to each group, and that a re-roll leaves no trace but that it was made."""
        can_reroll = self.one_reroll and _REROLL not in state[2]
        for group in self._reachable(state):
            yield group, None
            if self.groups[group].spared_once and group not in state[2]:
                yield group, group
            if can_reroll:
                yield group, _REROLL
                yield _REROLL, _REROLL

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

    def _after_each(self, state: _State, group: int, once: int | None) -> list[_State]:
        """States after a wound by the number of wounds lost."""
        positions, touched, before = state
        now = before if once is None else before | {once}
        if group == _REROLL:
            return [self._kept(positions, touched, now)]
        states = []
        left = self._left_of_first(group, positions[group])
        for lost in range(left + 1):
            after = (*positions[:group], positions[group] + lost, *positions[group + 1 :])
            marks = touched - {group} if lost == left else touched | {group}
            states.append(self._kept(after, marks if self._remembers else _NONE, now))
        return states

    @cached_property
    def _remembers(self) -> bool:
        """Whether it can matter that an unhurt model was allocated an attack: not if nobody ever chooses.

        A later attack may single out another of those that come last, even if no attack has done so yet.
        """
        last = sum(group.last for group in self.groups)
        if self.begun_first:
            return len(self.groups) > 1
        return last > 1 or (self.any_order and len(self.groups) - last > 1)

    def _kept(self, positions: tuple[int, ...], touched: frozenset[int], once: frozenset[int]) -> _State:
        """Forget the touch of a group where it decides nothing: where it is hurt, or alone, or first in any case.

        Whether a destroyed group was spared decides nothing either, nor a re-roll once all are destroyed.
        """
        living = {group for group, each in enumerate(self.groups) if positions[group] < each.left}
        kept = frozenset(
            group
            for group in touched
            if group in living
            and not self._hurt(group, positions[group])
            and (self.any_order or self.begun_first or self.groups[group].last)
            and any(self._beside(group, positions))
        )
        return positions, kept, once & ({*living, _REROLL} if living else _NONE)

    def _beside(self, group: int, positions: tuple[int, ...]) -> Iterator[bool]:
        """Whether each other group that it could come before is alive."""
        for other, each in enumerate(self.groups):
            if other != group and (self.begun_first or each.last is self.groups[group].last):
                yield positions[other] < each.left


def _row(weights: WoundWeights, saved: int, failed: Sequence[int], again: Sequence[int]) -> dict[int, int]:
    """Weights by the state after a save that is made, one that fails, and a damage roll that is made again."""
    row: dict[int, int] = {}
    for state, weight in zip(
        (saved, *failed, *again), (weights.saved, *weights.failed, *weights.again), strict=True
    ):
        if weight:
            row[state] = row.get(state, 0) + weight
    return row


def _after(
    law: WoundLaw, group: int, once: int | None, moves: Mapping[_Move, list[int]], index: int
) -> tuple[int, list[int], list[int]]:
    """States after a save that is made, and by the wounds lost otherwise, without a damage roll made again and with."""
    plain = moves[group, None]
    if once == group:
        return plain[0], moves[group, group], []
    again = moves[group, _REROLL] if once == _REROLL else []
    if law.always_allocated:
        return plain[0], plain, again
    # Where nothing is lost, the model was not allocated an attack.
    return index, [index, *plain[1:]], [*moves[_REROLL, _REROLL], *again[1:]] if again else []
