"""The states of a unit that saves in allocation groups: each takes all wounds of a pool until it is destroyed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, permutations, product
from operator import lt
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.sequence.group import (
    NO_GROUP,
    Group,  # noqa: F401 - read by pdoc
    UnitState,
)
from mathhammer.sequence.unit import ModelUnit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mathhammer.sequence.group import Wound

#: Allocation groups by number, the first living one of which takes the next wound of a pool.
Order = tuple[int, ...]


@dataclass(frozen=True)
class GroupedUnit(ModelUnit):
    """The states of a unit that saves in allocation groups."""

    #: Of each kind of models the number of its allocation group; those that come last have one each.
    allocation: tuple[int, ...] = ()
    #: Whether attacks that are directed at one kind go on to the next when it is destroyed.
    directs_again: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.allocation) != len(self.groups):
            raise MathhammerError(
                f"expected the allocation group of each of {len(self.groups)} kinds, got {self.allocation}"
            )

    @cached_property
    def _kinds(self) -> Sequence[Sequence[int]]:
        """The kinds of each allocation group."""
        return [
            [kind for kind, group in enumerate(self.allocation) if group == number]
            for number in range(max(self.allocation) + 1)
        ]

    @cached_property
    def _as_given(self) -> Order:
        """Every allocation group, those that come last behind the others."""
        numbers = dict.fromkeys(self.allocation)
        return tuple(sorted(numbers, key=lambda number: self.groups[self._kinds[number][0]].last))

    @property
    def leaves_choices_in_pools(self) -> bool:
        """Whether its player chooses anything between the wounds of a pool."""
        negates = self.choose_negated and any(group.negates_once for group in self.groups)
        return negates or (self.defender_chooses and any(len(kinds) > 1 for kinds in self._kinds))

    # Which group takes a wound ----------------------------------------------------------------------------------

    def living(self, index: int) -> tuple[bool, ...]:
        """Whether each kind is alive in a state."""
        return self._living(self._states[index])

    def _living(self, state: UnitState) -> tuple[bool, ...]:
        return tuple(map(lt, state.lost, self._left))

    def named(self, index: int, directed: Sequence[int]) -> tuple[int, ...]:
        """Return the kinds at which a pool is directed that starts in a state: the first living one, or all."""
        living = self.living(index)
        found = tuple(kind for kind in directed if living[kind])
        return found if self.directs_again else found[:1]

    def _tiers(self, index: int, named: Sequence[int]) -> tuple[list[int], list[list[int]]]:
        """Return the groups at which a pool is directed, and the other living ones: those that are hurt come first."""
        state = self._states[index]
        living = self._living(state)
        first = list(dict.fromkeys(self.allocation[kind] for kind in named))
        tiers: dict[tuple[bool, bool], list[int]] = {}
        for group in self._as_given:
            alive = [kind for kind in self._kinds[group] if living[kind]]
            if alive and group not in first:
                hurt = any(self._hurts[kind][state.lost[kind]] for kind in alive)
                tiers.setdefault((self.groups[alive[0]].last, not hurt), []).append(group)
        return first, [tiers[turn] for turn in sorted(tiers)]

    def save_order(self, index: int, named: Sequence[int]) -> Order:
        """Return the order in which the groups are saved for a pool that starts in a state."""
        first, tiers = self._tiers(index, named)
        order = (*first, *chain(*tiers))
        default = tuple(dict.fromkeys((*first, *self._as_given)))
        alike = tuple(group for group in default if group in order)
        return default if alike == order else order

    def orders(self, index: int, named: Sequence[int], wounds: int) -> Sequence[Order]:
        """Return the orders among which the unit's player chooses for a pool that starts in a state.

        They go no further than so many wounds can: each destroys one model at most.
        """
        if not self.defender_chooses:
            return [self.save_order(index, named)]
        first, tiers = self._tiers(index, named)
        gone = self._coordinates[index][::2]
        models = [each.models - lost for each, lost in zip(self.groups, gone, strict=True)]
        found: dict[Order, None] = {}
        for tail in product(*map(permutations, tiers)):
            order, left = (*first, *chain(*tail)), wounds
            for place, group in enumerate(order, 1):
                left -= sum(models[kind] for kind in self._kinds[group])
                if left <= 0:
                    order = order[:place]
                    break
            found[order] = None
        return list(found)

    def named_first(self, order: Order, named: Sequence[int]) -> Order:
        """Return an order of groups with those of the kinds first at which a pool is directed."""
        return tuple(dict.fromkeys((*(self.allocation[kind] for kind in named), *order)))

    def opened_in_turn(self, order: Order, states: Sequence[int] | None = None) -> Sequence[Sequence[int]]:
        """Of each state, or some, the kinds that its player may choose from for the next wound of a pool."""
        return [self._open_in_turn(self._states[index], order) for index in states or range(self.states)]

    def _open_in_turn(self, state: UnitState, order: Order) -> Sequence[int]:
        living = self._living(state)
        for group in order:
            found = self._picked(group, state, living)
            if found:
                return found if self.defender_chooses else found[:1]
        return ()

    def current(self, index: int, order: Order) -> int | None:
        """Return the kind that takes the next wound of a pool: of the first living group a hurt one, if any."""
        return next(iter(self._open_in_turn(self._states[index], order)), None)

    def _picked(self, group: int, state: UnitState, living: Sequence[bool]) -> Sequence[int]:
        """Return the kinds of a group that may take a wound: the hurt ones, if any, else all that are alive."""
        alive = [kind for kind in self._kinds[group] if living[kind]]
        return [kind for kind in alive if self._hurts[kind][state.lost[kind]]] or alive

    # States -----------------------------------------------------------------------------------------------------

    def _reachable(self, state: UnitState) -> set[int]:
        """Kinds that some wound could be allocated to: a group that a pool began with stays the current one."""
        living = self._living(state)
        if self.defender_chooses:
            row = min(
                (each.last for each, alive in zip(self.groups, living, strict=True) if alive), default=False
            )
            return {
                kind
                for kind, each in enumerate(self.groups)
                if living[kind] and (each.last is row or (each.last and self.single_out))
            }
        found = set(self._open(state, ()))
        row_is_last = all(each.last for each, alive in zip(self.groups, living, strict=True) if alive)
        first = True
        for group in self._as_given:
            kind = next(iter(self._picked(group, state, living)), None)
            if kind is None:
                continue
            last = self.groups[kind].last
            wounded = any(state.lost[each] or self.groups[each].lost for each in self._kinds[group])
            if (last and self.single_out) or (last is row_is_last and (first or wounded)):
                found.add(kind)
            first = False if last is row_is_last else first
        return found

    def _kept(self, state: UnitState) -> UnitState:
        if not (state.allocated or state.negated):
            return state
        living = self._living(state)
        negated = frozenset(group for group in state.negated if living[group])
        return UnitState(state.lost, NO_GROUP, negated)

    @property
    def _remembers(self) -> bool:
        return False

    def reached(self, states: Sequence[int], order: Order, named: tuple[int, ...], wounds: int) -> list[int]:
        """Return every state that so many wounds of a pool can lead to from some, in order."""
        key = (tuple(states), order, named, min(wounds, sum(each.left for each in self.groups)))
        if key not in self._closures:
            found, latest = set(states), set(states)
            mortal = [self.opened(named), self.opened(())]
            for _ in range(key[-1]):
                after: set[int] = set()
                for index in latest:
                    kinds = {kind for opened in mortal for kind in opened[index]}
                    kinds.update(() if (current := self.current(index, order)) is None else (current,))
                    for kind in kinds:
                        for negated in (False, True):
                            after.update(self.moves[index].get((kind, negated), ()))
                latest = after - found
                if not latest:
                    break
                found |= latest
            self._closures[key] = sorted(found)
        return self._closures[key]

    @cached_property
    def _closures(self) -> dict[tuple[tuple[int, ...], Order, tuple[int, ...], int], list[int]]:
        return {}


def alike(wound: Wound, kinds: Collection[int]) -> bool:
    """Whether the save of a wound shows the same faces and fails on the same ones for some kinds."""
    return len({wound.effects[kind].dice for kind in kinds}) <= 1


def dice_classes(wound: Wound, kinds: Collection[int], first: int, last: int) -> list[tuple[int, int]]:
    """Return the faces of a save that do the same to some kinds: the first face of each class and its weight."""
    dice = [each for kind in (first, *kinds) if (each := wound.effects[kind].dice) is not None]
    runs = groupby(range(1, last + 1), lambda face: [each.failing[face - 1] for each in dice])
    classes = [list(run) for _, run in runs]
    found = [(run[0], sum(dice[0].faces[face - 1] for face in run)) for run in classes]
    return [(face, weight) for face, weight in found if weight]
