"""Search for the units that destroy a target, and their order, over sets and orders with exact transitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from itertools import compress, count
from math import inf
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, Unpack, cast

from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import Measure
from mathhammer.errors import TooLargeError
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.activations import TOLERANCE
from mathhammer.systems.wh40k.attacks.attack import AttackOptions, attack
from mathhammer.systems.wh40k.situation import MortalWounds, Volley

if TYPE_CHECKING:
    from mathhammer.distributions.univariate import Distribution
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.targets import TargetUnit

#: Weights from state to state, of one unit; and a number for each state that is possible, or that has a value.
Transitions = Mapping[int, Sequence[tuple[int, float]]]
States = Mapping[int, float]
Counts = tuple[int, ...]
Volleys = tuple[Volley | MortalWounds, ...]

#: The most sets of units that are weighed, and the most products of a state and a set.
MAXIMUM_SETS, MAXIMUM_PRODUCTS = 20_000, 20_000_000
#: The most attacks from single states that a search needs, and the most beginnings of orders that it follows.
MAXIMUM_ATTACKS, MAXIMUM_ORDERS = 3_000, 20_000


class Found(NamedTuple):
    """An order of units, by their kinds, and the probability that they destroy the target."""

    order: Counts
    probability: float
    #: Whether no order of these units is better.
    proven: bool = True


class Search(NamedTuple):
    """Units of some kinds against one target."""

    #: Of each kind; and the number of its units, and the cost of one of them: 1, or its points.
    transitions: Sequence[Transitions]
    available: Counts
    costs: Sequence[float]
    #: Of each kind whether it attacks only after all others.
    later: Sequence[bool]
    #: Probabilities of the target's states before, the state in which it is destroyed, and the wounds lost in each.
    start: States
    destroyed: int
    lost: States

    def found(self, goal: float) -> Found:
        """Return the best order of the cheapest units that reach a probability, of equally cheap sets the best.

        Where none do, that of all units; where there are too many to try them all, what is found one by one.
        """
        wanted, most, best = goal - TOLERANCE, inf, None
        simple = self._by_use(wanted)
        try:
            for cost, counts, values in self._weighed():
                if cost > most + TOLERANCE:
                    break
                if _mean(self.start, values[counts]) >= wanted:
                    found = self._best_order(counts, values)
                    if found.probability >= wanted:
                        best, most, wanted = found, cost, found.probability + TOLERANCE
            found = best or self._best_order(counts, values)  # of all, where not even they reach it
        except TooLargeError:
            return (best or simple)._replace(proven=False)
        return found if best or found.probability > simple.probability + TOLERANCE else simple

    def _by_use(self, goal: float) -> Found:
        """Return units one by one until a goal is reached, each the most useful then."""
        left, state, order = list(self.available), self.start, []
        while any(left) and self._done(state) < goal:
            after = {kind: self._after(state, kind) for kind, number in enumerate(left) if number}
            uses = {kind: (self._done(then), _mean(then, self.lost)) for kind, then in after.items()}
            best = max(uses, key=uses.__getitem__)
            order.append(best)
            left[best] -= 1
            state = after[best]
        if any(self.later):
            order.sort(key=self.later.__getitem__)
            state = reduce(self._after, order, self.start)
        return Found(tuple(order), self._done(state))

    def _done(self, state: States) -> float:
        return state.get(self.destroyed, 0.0)

    def _after(self, state: States, kind: int) -> dict[int, float]:
        """Return the probabilities of the states after the attacks of a unit."""
        found: dict[int, float] = defaultdict(float)
        for place, mass in state.items():
            for to, weight in self.transitions[kind][place]:
                found[to] += mass * weight
        return found

    def _before(self, after: Iterable[tuple[int, States]]) -> dict[int, float]:
        """Return the values of the states before the attacks of the best of some kinds, each with those after it."""
        best: dict[int, float] = {}
        for kind, values in after:
            for place, row in self.transitions[kind].items():
                best[place] = max(best.get(place, 0.0), _mean(row, values))
        return best

    def _weighed(self) -> Iterator[tuple[float, Counts, Mapping[Counts, States]]]:
        """Yield the sets with their costs, the cheapest first, and of each so far the probability of destruction.

        It is that from each state, where the next unit may always be chosen.
        """
        values: dict[Counts, States] = {}
        edges = sum(len(row) for rows in self.transitions for row in rows.values())
        queue: list[tuple[float, int, Counts]] = [(0.0, 0, (0,) * len(self.available))]
        while queue:
            cost, size, counts = heappop(queue)
            if len(values) == min(MAXIMUM_SETS, MAXIMUM_PRODUCTS // edges):
                raise TooLargeError("too many sets of units to weigh")
            after = ((kind, values[rest]) for kind, rest in self._next(counts))
            values[counts] = self._before(after) if size else {self.destroyed: 1.0}
            yield cost, counts, values
            last = max(compress(count(), counts), default=0)  # so that each set comes of one other
            for kind in range(last, len(counts)):
                if counts[kind] < self.available[kind]:
                    more = (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :])
                    heappush(queue, (float(sum(map(mul, more, self.costs))), size + 1, more))

    def _next(self, counts: Counts) -> Iterator[tuple[int, Counts]]:
        """Yield each kind of a set that may be next, and what is left of the set without one of it."""
        early = any(many for many, later in zip(counts, self.later, strict=True) if not later)
        for kind, many in enumerate(counts):
            if many and not (early and self.later[kind]):
                yield kind, (*counts[:kind], many - 1, *counts[kind + 1 :])

    def _best_order(self, counts: Counts, values: Mapping[Counts, States]) -> Found:
        """Return the best order of a set, branch by branch; of equally good ones what is likelier done soon."""
        best, followed = Found((), -1.0), 0
        beginnings: list[tuple[float, Counts, States, Counts]] = [(inf, counts, self.start, ())]
        while beginnings:
            bound, left, state, order = beginnings.pop()
            if bound <= best.probability + TOLERANCE:
                continue
            followed += 1
            if followed > MAXIMUM_ORDERS:
                raise TooLargeError("too many beginnings of orders to follow")
            if not any(left):
                best = Found(order, self._done(state))
            reached = [(kind, rest, self._after(state, kind)) for kind, rest in self._next(left)]
            further = [
                (_mean(after, values[rest]), rest, after, (*order, kind)) for kind, rest, after in reached
            ]
            # Bounds that differ by rounding are equal, and then sooner is better.
            further.sort(key=lambda each: (round(each[0], 11), self._done(each[2])), reverse=True)
            beginnings += further[::-1]
        return best


def _mean(state: States | Iterable[tuple[int, float]], values: States) -> float:
    weights: Iterable[tuple[int, float]] = state.items() if isinstance(state, Mapping) else state
    return sum(mass * values.get(place, 0.0) for place, mass in weights)


def transitions(
    kinds: Sequence[Volleys], target: Target | TargetUnit, **options: Unpack[AttackOptions]
) -> tuple[ModelUnit, dict[int, float], list[dict[int, list[tuple[int, float]]]]]:
    """Return the states of a target, their probabilities before, and where each kind of attack leads from each."""
    start = state = options.get("start")
    for volleys in kinds:  # the unit then has every state that any of these attacks needs
        options["start"] = state = attack(list(volleys), target, **options)
    assert state is not None  # noqa: S101 - there is at least one kind
    unit = cast("ModelUnit", state.unit)
    if unit.states * len(kinds) > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} attacks from single states to find an order with, got {len(kinds)} "
            f"kinds of units and {unit.states:,} states of {target.name!r}; name fewer units, or give the order"
        )
    last = unit.states - 1
    _, known = resume(unit, start, exact=state.exact)
    before = {unit.first: 1.0} if known is None else _masses(known)
    rows: list[dict[int, list[tuple[int, float]]]] = [{last: [(last, 1.0)]} for _ in kinds]
    reached = [place for place in before if place != last]
    for place in reached:  # it grows while it is walked
        options["start"] = UnitDistribution(unit, Measure.at(place).distribution(), exact=state.exact)
        for volleys, row in zip(kinds, rows, strict=True):
            after = attack(list(volleys), target, **options)
            row[place] = list(_masses(after._states).items())  # noqa: SLF001 - by number, as the search needs them
            reached += [to for to, _ in row[place] if to != last and to not in reached]
    return unit, before, rows


def _masses(states: Distribution) -> dict[int, float]:
    return {place: float(mass) for place, mass in in_fractions(states).items() if mass}
