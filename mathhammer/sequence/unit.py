"""The states of a unit and what one wound does to it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any

from mathhammer.arithmetic.transition import Transition
from mathhammer.distributions.kernel import Kernel
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.attack_distribution import subsets
from mathhammer.sequence.group import NO_GROUP, Group, UnitState, UnitStates, require_wounds, row_after

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from mathhammer.distributions.kernel import Held
    from mathhammer.sequence.group import Rows, Wound, WoundWeights

#: Most states of a unit of several groups: an exact walk over more would take minutes.
MAXIMUM_STATES = 20_000
#: Most ways from a state of it to another by one wound: each takes some microseconds and half a kilobyte.
MAXIMUM_MOVES = 200_000


@dataclass(frozen=True)
class ModelUnit(UnitStates):
    """The states of a unit, numbered from 0; the last one is its destruction."""

    #: The groups in the order in which they take wounds where the rules leave a choice.
    groups: tuple[Group, ...]
    #: Whether the unit's player chooses among the groups that the rules allow.
    defender_chooses: bool = False
    #: Whether groups that come last can be singled out before.
    single_out: bool = False
    #: Whether a model of those groups that is hurt, or was allocated an attack, comes before all others.
    wounded_leader_first: bool = False
    #: Whether the failed save whose damage is negated is chosen; otherwise it is the first one.
    choose_negated: bool = False
    is_simple: bool = field(init=False, compare=False)
    """Whether the wounds lost in all say everything: one group that negates nothing."""
    leaves_choices: bool = field(init=False, compare=False)
    """Whether its player chooses anything while wounds are allocated."""

    def __post_init__(self) -> None:
        if not self.groups:
            raise MathhammerError("expected at least one group of models, got none")
        negates = any(group.negates_once for group in self.groups)
        chooses = (self.defender_chooses and len(self.groups) > 1) or (self.choose_negated and negates)
        object.__setattr__(self, "is_simple", len(self.groups) == 1 and not negates)
        object.__setattr__(self, "leaves_choices", chooses)
        for group in self.groups:
            require_wounds(group.models, group.wounds)

    def __getstate__(self) -> dict[str, object]:
        """Return what the unit is: its states and what walks made of them can be found again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def states(self) -> int:
        """Number of states of the unit; the last of them is its destruction."""
        if self.is_simple:
            return self.groups[0].states
        return len(self._states)

    @cached_property
    def order(self) -> Sequence[int] | None:
        """The states in an order in which those that a wound treats alike stand in a row; None as they are numbered."""
        if self.is_simple:
            return None

        leaders = [place for place, group in enumerate(self.groups) if group.last]

        def key(index: int) -> tuple[object, ...]:
            lost, allocated, negated = self._states[index]
            apart = [lost[place] for place in leaders]
            flags = (sorted(allocated), sorted(negated)) if allocated or negated else ([], [])
            return flags, apart, self._coordinates[index][1::2], lost

        return sorted(range(self.states), key=key)

    @property
    def first(self) -> int:
        """The state before any attack."""
        return self.groups[0].lost if self.is_simple else 0

    @property
    def lost(self) -> Sequence[tuple[int, ...]]:
        """Wounds that each group has lost by the attacks, for every state."""
        if self.is_simple:
            return [(lost - self.first,) for lost in range(self.states)]
        return [state.lost for state in self._states]

    def kills(self) -> Sequence[int]:
        """Models destroyed by the attacks, for every state."""
        if self.is_simple:
            wounds = self.groups[0].wounds
            return [lost // wounds for lost in range(self.states)]
        return super().kills()

    def wounds_lost(self) -> Sequence[int]:
        """Wounds lost by the attacks, for every state."""
        return range(-self.first, self.states - self.first) if self.is_simple else super().wounds_lost()

    # Going on from an earlier attack ---------------------------------------------------------------------------

    def resume(self, earlier: ModelUnit) -> tuple[ModelUnit, Sequence[int]]:
        """Return the unit with the states that it needs now and needed before, and where each earlier state is."""
        if earlier.groups != self.groups:
            raise MathhammerError("start must be the result of an attack on this target (got one on another)")
        if type(earlier) is not type(self):
            raise MathhammerError(
                "start must be the result of an attack of an edition that allocates wounds alike; give both attacks "
                "the same edition"
            )
        if earlier.wounded_leader_first != self.wounded_leader_first:
            raise MathhammerError(
                "start must be the result of an attack under the same ruling on leaders that are hurt; give both "
                "attacks the same rulings"
            )
        if earlier.defender_chooses != self.defender_chooses:
            raise MathhammerError(
                "start must be the result of an attack on a unit with the same allocation (got one where its player "
                "chose and one where they follow the order given); give both the same allocation"
            )
        unit = self
        if earlier.single_out and not self.single_out:
            unit = replace(self, single_out=True)
        if unit == earlier:  # its states are known
            unit = earlier
        if unit.is_simple or unit is earlier:
            return unit, range(earlier.states)
        return unit, [unit._index[unit._kept(state)] for state in earlier._states]  # noqa: SLF001 - the same class

    def new_phase(self) -> Sequence[int]:
        """Of each state the one in which no unhurt model was allocated an attack, and no damage was negated."""
        if self.is_simple:
            return range(self.states)
        return [self._index[UnitState(state.lost, NO_GROUP, NO_GROUP)] for state in self._states]

    # What one wound does ---------------------------------------------------------------------------------------

    def kernel(
        self, wound: Wound, opened: Sequence[Sequence[int]], states: Sequence[int] | None = None
    ) -> Kernel:
        """Return one wound by the first choice in each state, or in some of them."""
        options, denominator = self.options(wound, opened, states)
        order = self.order if states is None else None
        parts = {
            key: Transition([rows[0] for rows in each], denominator, order) for key, each in options.items()
        }
        return Kernel(parts, wound.rerolls)

    def options(
        self, wound: Wound, opened: Sequence[Sequence[int]], states: Sequence[int] | None = None
    ) -> tuple[dict[tuple[Held, Held], list[Rows]], int]:
        """Weights from state to state of one wound, by the re-rolls held before and after, and their denominator."""
        denominator = lcm(*(effect.denominator for effect in wound.effects))
        moves, place = self.moves, None
        if states is not None:
            place = {state: number for number, state in enumerate(states)}
        made: dict[tuple[int, int, bool, Held], dict[Held, WoundWeights]] = {}
        found: dict[tuple[Held, Held], list[Rows]] = {}
        for held in subsets(wound.rerolls):
            lefts = subsets(held)
            for left in lefts:
                found[held, left] = []
            for number, groups in enumerate(opened):
                index = number if states is None else states[number]
                after = moves[index]
                rows: dict[Held, Rows] = {left: [] for left in lefts}
                for group, negated in self.choices_of(wound, groups, after):
                    effect = wound.effects[group]
                    key = group, len(after[group, False]) - 1, negated, held
                    if key not in made:
                        made[key] = effect.weights(key[1], denominator, held, negated=negated)
                    for left, each in rows.items():
                        weights = made[key].get(held - left)
                        row = row_after(weights, effect, after, group, index, negated) if weights else {}
                        if place is not None:
                            # States that no wound can reach are left out; they have no probability.
                            row = {place[state]: weight for state, weight in row.items() if state in place}
                        each.append(row)
                for left, each in rows.items():
                    found[held, left].append(each or [{number: denominator} if left == held else {}])
        return found, denominator

    def choices_of(
        self, wound: Wound, groups: Sequence[int], moves: Mapping[tuple[int, bool], Sequence[int]]
    ) -> list[tuple[int, bool]]:
        """Return the choices of the unit's player among some groups in a state: group, whether it negates."""
        found = []
        for group in groups:
            may = wound.effects[group].negated is not None and (group, True) in moves
            found += [(group, True)] * may + [(group, False)] * (self.choose_negated or not may)
        return found

    def opened(self, directed: Sequence[int] = ()) -> Sequence[Sequence[int]]:
        """Of each state the groups that its player may choose from; none once the unit is destroyed."""
        directed = tuple(directed)
        if self.is_simple:
            return [(0,)] * (self.states - 1) + [()]
        if directed not in self._choices:
            self._choices[directed] = [self._open(state, directed) for state in self._states]
        return self._choices[directed]

    @cached_property
    def moves(self) -> Sequence[Mapping[tuple[int, bool], Sequence[int]]]:
        """Of each state and open group the states after each number of wounds lost, the damage negated or not."""
        if not self.is_simple:
            return self._explored[1]
        wounds, last = self.groups[0].wounds, self.states - 1
        steps = [range(lost, lost + 1 + wounds - lost % wounds) for lost in range(last)]
        return [{(0, False): after} for after in (*steps, range(last, last + 1))]

    # The states of several groups ------------------------------------------------------------------------------

    @cached_property
    def _explored(self) -> tuple[list[UnitState], list[dict[tuple[int, bool], list[int]]]]:
        """Every state, by wounds lost, as a walk never goes back; of each those after every number of wounds."""
        states = [UnitState((0,) * len(self.groups), NO_GROUP, NO_GROUP)]
        places = {states[0]: 0}
        found: list[dict[tuple[int, bool], list[int]]] = []
        # Each group alone has at least so many.
        whole = ((each.models - (each.lost > 0), each.wounds) for each in self.groups)
        _require_ways(max(models * wounds * (wounds + 1) // 2 for models, wounds in whole))
        ways = 0
        for state in states:  # which grow on the way
            each: dict[tuple[int, bool], list[int]] = {}
            for group in self._reachable(state):
                for negated in (False, True):
                    if negated and (not self.groups[group].negates_once or group in state.negated):
                        continue
                    moves = each[group, negated] = []
                    for after in self._after_each(state, group, negated=negated):
                        place = places.setdefault(after, len(states))
                        if place == len(states):
                            states.append(after)
                        moves.append(place)
                    ways += len(moves)
            found.append(each)
            _require_ways(ways)
            if len(states) > MAXIMUM_STATES:
                raise TooLargeError(
                    f"expected a unit of at most {MAXIMUM_STATES:,} states, but this one has more; use fewer "
                    "models, fewer kinds of them, the order as given, or attacks that single out nobody"
                )

        def key(place: int) -> tuple[object, ...]:
            # To negate a damage may cost no wounds: the more groups have, the later.
            lost, allocated, negated = states[place]
            flags = (sorted(negated), sorted(allocated)) if allocated or negated else ([], [])
            return sum(lost), lost, len(negated), flags

        order = sorted(range(len(states)), key=key)
        number = dict(zip(order, range(len(order)), strict=True))
        return [states[place] for place in order], [
            {move: [number[after] for after in moves] for move, moves in found[place].items()}
            for place in order
        ]

    @cached_property
    def kernels(self) -> dict[Hashable, Any]:
        """Transitions that walks over this unit have used, by what they are of: see `Resolution`."""
        return {}

    @cached_property
    def _left(self) -> Sequence[int]:
        """Wounds that each group has left."""
        return [group.left for group in self.groups]

    @cached_property
    def _states(self) -> Sequence[UnitState]:
        return self._explored[0]

    @cached_property
    def _index(self) -> dict[UnitState, int]:
        return {state: index for index, state in enumerate(self._states)}

    @cached_property
    def _choices(self) -> dict[tuple[int, ...], Sequence[Sequence[int]]]:
        """Of each direction, the groups that each state leaves to choose from."""
        return {}

    def _reachable(self, state: UnitState) -> set[int]:
        """Groups that some wound could be allocated to."""
        found = set(self._open(state, ()))
        if self.single_out:
            found.update(
                group for group, each in enumerate(self.groups) if each.last and state.lost[group] < each.left
            )
        return found

    def _open(self, state: UnitState, directed: Sequence[int]) -> Sequence[int]:
        """Groups that the defender may choose from: the first one allowed where they follow the order given."""
        allowed = self._allowed(state, directed)
        return allowed if self.defender_chooses else allowed[:1]

    def _allowed(self, state: UnitState, directed: Sequence[int]) -> Sequence[int]:
        """Groups to which the next wound may be allocated: a wounded or allocated one, if any, else any of the row."""
        for group in directed:
            if state.lost[group] < self._left[group]:
                return [group]
        lost = state.lost
        living = [group for group, left in enumerate(self._left) if lost[group] < left]
        ahead = [group for group in living if self._hurts[group][lost[group]] or group in state.allocated]
        if ahead and self.wounded_leader_first:
            return ahead
        in_row = [group for group in living if not self.groups[group].last] or living
        return [group for group in ahead if group in in_row] or in_row

    @cached_property
    def _hurts(self) -> Sequence[Sequence[bool]]:
        """Of each group, whether a model is hurt after so many wounds."""
        return [
            [(each.lost + lost) % each.wounds > 0 for lost in range(each.left + 1)] for each in self.groups
        ]

    def _after_each(self, state: UnitState, group: int, *, negated: bool) -> list[UnitState]:
        """States after a wound by the number of wounds lost."""
        each, lost = self.groups[group], state.lost[group]
        left = each.wounds - (each.lost + lost) % each.wounds
        now = state.negated | {group} if negated else state.negated
        marks, others = NO_GROUP, NO_GROUP
        if self._remembers:
            # That of a hurt model, or of one destroyed, need not be remembered.
            marks, others = state.allocated | {group}, state.allocated - {group}
        before, after = state.lost[:group], state.lost[group + 1 :]
        further = ((*before, lost + more, *after) for more in range(1, left + 1))
        states = UnitState(state.lost, marks, now), *(UnitState(each, others, now) for each in further)
        return [*map(self._kept, states)]

    @cached_property
    def _remembers(self) -> bool:
        """Whether it can matter that an unhurt model was allocated an attack: not if nobody ever chooses."""
        last = sum(group.last for group in self.groups)
        if self.wounded_leader_first:
            return len(self.groups) > 1
        return last > 1 or (self.defender_chooses and len(self.groups) - last > 1)

    def _kept(self, state: UnitState) -> UnitState:
        """Forget what decides nothing: an allocation where a group is hurt, alone, or first in any case."""
        lost, allocated, negated = state
        if not (allocated or negated):
            return state
        left = self._left
        kept = [
            group
            for group in allocated
            if lost[group] < left[group]
            and any(lost[other] < left[other] for other in self._beside[group])
            and not self._hurts[group][lost[group]]
        ]
        living = frozenset([group for group in negated if lost[group] < left[group]]) if negated else negated
        return UnitState(lost, allocated if len(kept) == len(allocated) else frozenset(kept), living)

    @cached_property
    def _beside(self) -> Sequence[Sequence[int]]:
        """Of each group the others that it could come before because an attack was allocated to it."""
        return [
            [
                other
                for other, each in enumerate(self.groups)
                if other != group
                and (self.wounded_leader_first or each.last is own.last)
                and (self.defender_chooses or self.wounded_leader_first or own.last)
            ]
            for group, own in enumerate(self.groups)
        ]


def _require_ways(ways: int) -> None:
    if ways > MAXIMUM_MOVES:
        raise TooLargeError(
            f"expected a unit that one wound changes in at most {MAXIMUM_MOVES:,} ways, from all its states together, "
            "but this one has more; use models of fewer wounds, fewer of them, or fewer kinds"
        )
