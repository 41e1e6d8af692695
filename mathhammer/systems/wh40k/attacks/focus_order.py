"""Search for the units that destroy a target, and their order, over sets and orders with exact transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Unpack, cast

from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import Measure
from mathhammer.errors import TooLargeError
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.attack import resolved

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.unit import Unit
    from mathhammer.sequence.unit_distribution import UnitStates
    from mathhammer.systems.wh40k.attacks.attack import AttackOptions
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley

#: Weights from state to state, of one unit.
Transitions = Mapping[int, Sequence[tuple[int, float]]]
Counts = tuple[int, ...]

#: The most sets of units that are weighed, and the most products of a state and a set.
MAXIMUM_SETS, MAXIMUM_PRODUCTS = 20_000, 20_000_000
#: The most attacks from single states that a search needs.
MAXIMUM_ATTACKS = 3_000
#: The most beginnings of orders that are followed in one search.
MAXIMUM_ORDERS = 20_000
#: Tolerance of a probability that is reached, and of orders that are equally good.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Found:
    """An order of units, by their kinds, and the probability that they destroy the target."""

    order: tuple[int, ...]
    probability: float
    #: Whether no order of these units is better.
    proven: bool = True


@dataclass(frozen=True)
class Search:
    """Units of some kinds against one target."""

    #: Of each kind.
    transitions: Sequence[Transitions]
    #: Number of units of each kind.
    available: Counts
    #: Of one unit of each kind: 1, or its points.
    costs: Sequence[float]
    #: Probabilities of the states of the target before.
    start: Mapping[int, float]
    #: The state in which it is destroyed.
    destroyed: int
    #: Wounds lost in each state.
    lost: Sequence[int]

    def cheapest(self, goal: float) -> Found | None:
        """Return the best order of the cheapest units that reach a probability; of equally cheap sets the best."""
        least = self._greedy(goal)
        if least is None:
            if self._most() < goal - TOLERANCE:
                return None
            least = self._cost(self.available)
        sets = self._within(least)
        values = self._values(sets)
        best: Found | None = None
        cost = least
        for counts in sets:
            own = self._cost(counts)
            if best is not None and own > cost + TOLERANCE:
                break
            if (
                self._value(values[counts], self.start)
                < max(goal, best.probability if best else 0.0) - TOLERANCE
            ):
                continue
            found = self._best_order(counts, values)
            if found.probability >= goal - TOLERANCE and (
                best is None or found.probability > best.probability + TOLERANCE
            ):
                best, cost = found, own
        return best

    def best(self) -> Found:
        """Return the best order of all units; too many of them are ordered one by one, and it says so."""
        order, state = self._by_use(per_cost=False)
        simple = Found(tuple(order), state.get(self.destroyed, 0.0))
        try:
            found = self._best_order(self.available, self._values(self._within(self._cost(self.available))))
        except TooLargeError:
            return replace(simple, proven=False)
        return found if found.probability > simple.probability + TOLERANCE else simple

    def _greedy(self, goal: float) -> float | None:
        """Return what is enough to pay: the cost of the shorter of two simple orders until it reaches the goal."""
        found = []
        for per_cost in (False, True):
            order, state = self._by_use(per_cost=per_cost, goal=goal)
            if state.get(self.destroyed, 0.0) >= goal - TOLERANCE:
                found.append(sum(self.costs[kind] for kind in order))
        return min(found) if found else None

    def _most(self) -> float:
        """Return what no order can exceed: the best of as many attacks, each by whichever unit, again and again."""
        values = {self.destroyed: 1.0}
        for _ in range(sum(self.available)):
            after: dict[int, float] = {}
            for rows in self.transitions:
                for place, row in rows.items():
                    value = sum(weight * values.get(to, 0.0) for to, weight in row)
                    after[place] = max(value, after.get(place, 0.0))
            values = after
        return self._value(values, self.start)

    def _by_use(self, *, per_cost: bool, goal: float = 2.0) -> tuple[list[int], Mapping[int, float]]:
        left, state, order = list(self.available), self.start, []
        while any(left) and state.get(self.destroyed, 0.0) < goal - TOLERANCE:
            after = {kind: self._after(state, kind) for kind, count in enumerate(left) if count}
            lost = sum(self.lost[place] * mass for place, mass in state.items())

            def use(
                kind: int, after: Mapping[int, Mapping[int, float]] = after, before: float = lost
            ) -> tuple[float, float]:
                reached = after[kind]
                lost = sum(self.lost[place] * mass for place, mass in reached.items())
                if not per_cost:
                    return reached.get(self.destroyed, 0.0), lost
                return (lost - before) / self.costs[kind], 0.0

            best = max(after, key=use)
            order.append(best)
            left[best] -= 1
            state = after[best]
        return order, state

    def _after(self, state: Mapping[int, float], kind: int) -> dict[int, float]:
        found: dict[int, float] = {}
        rows = self.transitions[kind]
        for place, mass in state.items():
            for to, weight in rows[place]:
                found[to] = found.get(to, 0.0) + mass * weight
        return found

    def _cost(self, counts: Counts) -> float:
        return sum(count * cost for count, cost in zip(counts, self.costs, strict=True))

    def _within(self, most: float) -> list[Counts]:
        """Return the sets that cost no more, the cheapest first."""
        found: list[Counts] = []
        for counts in self._sets((), most):
            found.append(counts)
            if len(found) > MAXIMUM_SETS or len(found) * self._edges > MAXIMUM_PRODUCTS:
                raise TooLargeError(
                    f"expected at most {MAXIMUM_SETS:,} sets of units to weigh, and {MAXIMUM_PRODUCTS:,} products of "
                    f"states and sets, got more with {sum(self.available)} units of {len(self.available)} kinds; name "
                    "fewer units, or give the order"
                )
        return sorted(found, key=lambda counts: (self._cost(counts), sum(counts)))

    def _sets(self, counts: Counts, most: float) -> Iterator[Counts]:
        kind = len(counts)
        if kind == len(self.available):
            yield counts
            return
        for count in range(self.available[kind] + 1):
            rest = most - count * self.costs[kind]
            if rest < -TOLERANCE:
                return
            yield from self._sets((*counts, count), rest)

    @cached_property
    def _edges(self) -> int:
        return sum(len(row) for rows in self.transitions for row in rows.values())

    def _values(self, sets: Sequence[Counts]) -> dict[Counts, dict[int, float]]:
        """Return of each set and state the probability of destruction where the next unit may always be chosen."""
        values: dict[Counts, dict[int, float]] = {}
        for counts in sorted(sets, key=sum):
            if not any(counts):
                values[counts] = {self.destroyed: 1.0}
                continue
            best: dict[int, float] = {}
            for kind, after in self._next(counts, values):
                for place, row in self.transitions[kind].items():
                    value = sum(weight * after.get(to, 0.0) for to, weight in row)
                    if value > best.get(place, 0.0):
                        best[place] = value
            values[counts] = best
        return values

    @staticmethod
    def _next(
        counts: Counts, values: Mapping[Counts, dict[int, float]]
    ) -> Iterator[tuple[int, dict[int, float]]]:
        for kind, count in enumerate(counts):
            if count:
                yield kind, values[(*counts[:kind], count - 1, *counts[kind + 1 :])]

    @staticmethod
    def _value(values: Mapping[int, float], state: Mapping[int, float]) -> float:
        return sum(mass * values.get(place, 0.0) for place, mass in state.items())

    def _best_order(self, counts: Counts, values: Mapping[Counts, dict[int, float]]) -> Found:
        """Return the best order of a set, branch by branch; of equally good ones what is likelier done soon."""
        best = Found((), -1.0)
        followed = 0

        def follow(left: Counts, state: Mapping[int, float], order: tuple[int, ...]) -> None:
            nonlocal best, followed
            followed += 1
            if followed > MAXIMUM_ORDERS:
                raise TooLargeError(
                    f"expected the best of at most {MAXIMUM_ORDERS:,} beginnings of orders, got more with "
                    f"{sum(counts)} units; name fewer units, or give the order"
                )
            if not any(left):
                probability = state.get(self.destroyed, 0.0)
                if probability > best.probability + TOLERANCE:
                    best = Found(order, probability)
                return
            branches = []
            for kind, rest in self._next(left, values):
                after = self._after(state, kind)
                remaining = (*left[:kind], left[kind] - 1, *left[kind + 1 :])
                branches.append(
                    (self._value(rest, after), after.get(self.destroyed, 0.0), kind, remaining, after)
                )
            # Bounds that differ by rounding are equal, and then sooner is better.
            branches.sort(key=lambda branch: (round(branch[0], 11), branch[1]), reverse=True)
            for bound, _, kind, remaining, after in branches:
                if bound > best.probability + TOLERANCE:
                    follow(remaining, after, (*order, kind))

        follow(counts, self.start, ())
        return best


def transitions(
    kinds: Sequence[tuple[Volley | MortalWounds, ...]],
    target: Target | TargetUnit,
    *,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> tuple[UnitStates, dict[int, float], list[dict[int, list[tuple[int, float]]]]]:
    """Return the states of a target, their probabilities before, and where each kind of attack leads from each."""
    start = options.get("start")
    state: UnitDistribution | None = start
    for volleys in kinds:  # the unit then has every state that any of these attacks needs
        options["start"] = state = resolved(list(volleys), target, exact=exact, **options)
    assert state is not None  # noqa: S101 - there is at least one kind
    unit = state.unit
    if unit.states * len(kinds) > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} attacks from single states to find an order with, got {len(kinds)} "
            f"kinds of units and {unit.states:,} states of {target.name!r}; name fewer units, or give the order"
        )
    last = unit.states - 1
    _, known = resume(cast("Unit", unit), start, exact=exact)
    before = {cast("Unit", unit).first: 1.0} if known is None else _masses(known)
    rows: list[dict[int, list[tuple[int, float]]]] = [{last: [(last, 1.0)]} for _ in kinds]
    reached = [place for place in before if place != last]
    for place in reached:  # it grows while it is walked
        options["start"] = UnitDistribution(unit, Measure.at(place).distribution(), exact=exact)
        for volleys, row in zip(kinds, rows, strict=True):
            after = resolved(list(volleys), target, exact=exact, **options)
            row[place] = list(_masses(after._states).items())  # noqa: SLF001 - by number, as the search needs them
            reached += [to for to, _ in row[place] if to != last and to not in reached]
    return unit, before, rows


def _masses(states: Distribution) -> dict[int, float]:
    return {place: float(mass) for place, mass in in_fractions(states).items() if mass}
