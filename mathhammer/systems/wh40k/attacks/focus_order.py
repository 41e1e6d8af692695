"""Search for the units that destroy a target, and their order, over sets and orders with exact transitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
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

    def cheapest(self, goal: float) -> Found | None:
        """Return the best order of the cheapest units that reach a probability; of equally cheap sets the best."""
        wanted, most, best = goal - TOLERANCE, inf, None
        simple = [self._by_use(per_cost=per_cost, goal=wanted) for per_cost in (False, True)]
        enough = [
            sum(map(self.costs.__getitem__, each.order)) for each in simple if each.probability >= wanted
        ]
        if not enough and self._most() < wanted:
            return None
        sets = self._within(min(enough, default=self._cost(self.available)))
        values = self._values(sets)
        for counts in sets:
            if self._cost(counts) > most + TOLERANCE:
                break
            if _mean(self.start, values[counts]) >= wanted:
                found = self._best_order(counts, values)
                if found.probability >= wanted:
                    best, most, wanted = found, self._cost(counts), found.probability + TOLERANCE
        return best

    def best(self) -> Found:
        """Return the best order of all units; too many of them are ordered one by one, and it says so."""
        simple = self._by_use(per_cost=False, goal=inf)
        try:
            found = self._best_order(self.available, self._values(self._within(self._cost(self.available))))
        except TooLargeError:
            return simple._replace(proven=False)
        return found if found.probability > simple.probability + TOLERANCE else simple

    def _by_use(self, *, per_cost: bool, goal: float) -> Found:
        """Return units one by one until a goal is reached, each the most useful then, or the most useful by cost."""
        left, state, order = list(self.available), self.start, []
        while any(left) and state.get(self.destroyed, 0.0) < goal:
            after = {kind: self._after(state, kind) for kind, number in enumerate(left) if number}
            uses, before = {}, _mean(state, self.lost)
            for kind, reached in after.items():
                lost = _mean(reached, self.lost)
                by_cost = (lost - before) / self.costs[kind]
                uses[kind] = (by_cost, 0.0) if per_cost else (reached.get(self.destroyed, 0.0), lost)
            best = max(uses, key=uses.__getitem__)
            order.append(best)
            left[best] -= 1
            state = after[best]
        if any(self.later):
            order.sort(key=self.later.__getitem__)
            state = reduce(self._after, order, self.start)
        return Found(tuple(order), state.get(self.destroyed, 0.0))

    def _most(self) -> float:
        """Return what no order can exceed: the best of as many attacks, each by whichever unit, again and again."""
        values: States = {self.destroyed: 1.0}
        for _ in range(sum(self.available)):
            values = self._before((kind, values) for kind in range(len(self.available)))
        return _mean(self.start, values)

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

    def _cost(self, counts: Counts) -> float:
        return float(sum(map(mul, counts, self.costs)))

    def _within(self, most: float) -> list[Counts]:
        """Return the sets that cost no more, the cheapest first."""
        edges = sum(len(row) for rows in self.transitions for row in rows.values())
        sets: list[Counts] = [()]
        for available in self.available:
            further = ((*counts, number) for counts in sets for number in range(available + 1))
            sets = [counts for counts in further if self._cost(counts) <= most + TOLERANCE]
            if len(sets) > MAXIMUM_SETS or len(sets) * edges > MAXIMUM_PRODUCTS:
                raise TooLargeError(
                    f"expected at most {MAXIMUM_SETS:,} sets of units to weigh, and {MAXIMUM_PRODUCTS:,} products of "
                    f"states and sets, got more with {sum(self.available)} units of {len(self.available)} kinds; name "
                    "fewer units, or give the order"
                )
        return sorted(sets, key=lambda counts: (self._cost(counts), sum(counts)))

    def _values(self, sets: Sequence[Counts]) -> dict[Counts, States]:
        """Return of each set and state the probability of destruction where the next unit may always be chosen."""
        values: dict[Counts, States] = {}
        for counts in sorted(sets, key=sum):
            after = ((kind, values[rest]) for kind, rest in self._next(counts))
            values[counts] = self._before(after) if any(counts) else {self.destroyed: 1.0}
        return values

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
                raise TooLargeError(
                    f"expected the best of at most {MAXIMUM_ORDERS:,} beginnings of orders, got more with "
                    f"{sum(counts)} units; name fewer units, or give the order"
                )
            if not any(left):
                best = Found(order, state.get(self.destroyed, 0.0))
            reached = [(kind, rest, self._after(state, kind)) for kind, rest in self._next(left)]
            further = [
                (_mean(after, values[rest]), rest, after, (*order, kind)) for kind, rest, after in reached
            ]
            # Bounds that differ by rounding are equal, and then sooner is better.
            further.sort(
                key=lambda each: (round(each[0], 11), each[2].get(self.destroyed, 0.0)), reverse=True
            )
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
