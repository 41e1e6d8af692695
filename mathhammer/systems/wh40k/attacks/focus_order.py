"""Search for the units that destroy a target, and their order, over sets and orders with exact transitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, Unpack, cast

from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import Measure
from mathhammer.errors import TooLargeError
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.attack import attack

if TYPE_CHECKING:
    from mathhammer.distributions.univariate import Distribution
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.systems.wh40k.attacks.attack import AttackOptions
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley

#: Weights from state to state, of one unit; and a number for each state that is possible, or that has a value.
Transitions = Mapping[int, Sequence[tuple[int, float]]]
States = Mapping[int, float]
Counts = tuple[int, ...]

#: The most sets of units that are weighed, and the most products of a state and a set.
MAXIMUM_SETS, MAXIMUM_PRODUCTS = 20_000, 20_000_000
#: The most attacks from single states that a search needs.
MAXIMUM_ATTACKS = 3_000
#: The most beginnings of orders that are followed in one search.
MAXIMUM_ORDERS = 20_000
#: Tolerance of a probability that is reached, and of orders that are equally good.
TOLERANCE = 1e-12


class Found(NamedTuple):
    """An order of units, by their kinds, and the probability that they destroy the target."""

    order: tuple[int, ...]
    probability: float
    #: Whether no order of these units is better.
    proven: bool = True


class Search(NamedTuple):
    """Units of some kinds against one target."""

    #: Of each kind.
    transitions: Sequence[Transitions]
    #: Number of units of each kind.
    available: Counts
    #: Of one unit of each kind: 1, or its points.
    costs: Sequence[float]
    #: Probabilities of the states of the target before.
    start: States
    #: The state in which it is destroyed.
    destroyed: int
    #: Wounds lost in each state.
    lost: Sequence[int]
    #: Of each kind whether it attacks only after all others; by default none does.
    later: Sequence[bool] = ()

    def cheapest(self, goal: float) -> Found | None:
        """Return the best order of the cheapest units that reach a probability; of equally cheap sets the best."""
        simple = [self._by_use(per_cost=per_cost, goal=goal) for per_cost in (False, True)]
        enough = [
            sum(self.costs[kind] for kind in each.order)
            for each in simple
            if each.probability >= goal - TOLERANCE
        ]
        if not enough and self._most() < goal - TOLERANCE:
            return None
        sets = self._within(min(enough, default=self._cost(self.available)))
        values = self._values(sets)
        best: Found | None = None
        cost = 0.0
        for counts in sets:
            if best is not None and self._cost(counts) > cost + TOLERANCE:
                break
            wanted = max(goal, best.probability if best else 0.0) - TOLERANCE
            if _mean(self.start, values[counts]) < wanted:
                continue
            found = self._best_order(counts, values)
            if found.probability >= wanted and (
                best is None or found.probability > best.probability + TOLERANCE
            ):
                best, cost = found, self._cost(counts)
        return best

    def best(self) -> Found:
        """Return the best order of all units; too many of them are ordered one by one, and it says so."""
        simple = self._by_use(per_cost=False)
        try:
            found = self._best_order(self.available, self._values(self._within(self._cost(self.available))))
        except TooLargeError:
            return simple._replace(proven=False)
        return found if found.probability > simple.probability + TOLERANCE else simple

    def _by_use(self, *, per_cost: bool, goal: float = 2.0) -> Found:
        """Return units one by one until a goal is reached, each the most useful then, or the most useful by cost."""
        left, state, order = list(self.available), self.start, []
        while any(left) and state.get(self.destroyed, 0.0) < goal - TOLERANCE:
            after = {kind: self._after(state, kind) for kind, count in enumerate(left) if count}
            uses = {}
            for kind, reached in after.items():
                lost = self._lost(reached)
                per_point = (lost - self._lost(state)) / self.costs[kind]
                uses[kind] = (per_point, 0.0) if per_cost else (reached.get(self.destroyed, 0.0), lost)
            best = max(uses, key=uses.__getitem__)
            order.append(best)
            left[best] -= 1
            state = after[best]
        if any(self.later):
            order.sort(key=self.later.__getitem__)
            state = reduce(self._after, order, self.start)
        return Found(tuple(order), state.get(self.destroyed, 0.0))

    def _lost(self, state: States) -> float:
        return sum(self.lost[place] * mass for place, mass in state.items())

    def _most(self) -> float:
        """Return what no order can exceed: the best of as many attacks, each by whichever unit, again and again."""
        values: States = {self.destroyed: 1.0}
        for _ in range(sum(self.available)):
            values = self._before((kind, values) for kind in range(len(self.available)))
        return _mean(self.start, values)

    def _after(self, state: States, kind: int) -> dict[int, float]:
        """Return the probabilities of the states after the attacks of a unit."""
        found: dict[int, float] = {}
        for place, mass in state.items():
            for to, weight in self.transitions[kind][place]:
                found[to] = found.get(to, 0.0) + mass * weight
        return found

    def _before(self, after: Iterable[tuple[int, States]]) -> dict[int, float]:
        """Return the values of the states before the attacks of the best of some kinds, each with those after it."""
        best: dict[int, float] = {}
        for kind, values in after:
            for place, row in self.transitions[kind].items():
                value = sum(weight * values.get(to, 0.0) for to, weight in row)
                if value > best.get(place, 0.0):
                    best[place] = value
        return best

    def _cost(self, counts: Counts) -> float:
        return sum(count * cost for count, cost in zip(counts, self.costs, strict=False))

    def _within(self, most: float) -> list[Counts]:
        """Return the sets that cost no more, the cheapest first."""
        edges = sum(len(row) for rows in self.transitions for row in rows.values())
        sets: list[Counts] = [()]
        for available in self.available:
            further = ((*counts, count) for counts in sets for count in range(available + 1))
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
            last = {self.destroyed: 1.0}
            values[counts] = (
                self._before((kind, values[rest]) for kind, rest in self._next(counts))
                if any(counts)
                else last
            )
        return values

    def _next(self, counts: Counts) -> Iterator[tuple[int, Counts]]:
        """Yield each kind of a set that may be next, and what is left of the set without one of it."""
        for kind, count in enumerate(counts):
            early = (many for many, later in zip(counts, self.later, strict=False) if not later)
            if count and not (self.later and self.later[kind] and any(early)):
                yield kind, (*counts[:kind], count - 1, *counts[kind + 1 :])

    def _best_order(self, counts: Counts, values: Mapping[Counts, States]) -> Found:
        """Return the best order of a set, branch by branch; of equally good ones what is likelier done soon."""
        best = Found((), -1.0)
        followed = 0

        def follow(left: Counts, state: States, order: tuple[int, ...]) -> None:
            nonlocal best, followed
            followed += 1
            if followed > MAXIMUM_ORDERS:
                raise TooLargeError(
                    f"expected the best of at most {MAXIMUM_ORDERS:,} beginnings of orders, got more with "
                    f"{sum(counts)} units; name fewer units, or give the order"
                )
            done = state.get(self.destroyed, 0.0)
            if not any(left) and done > best.probability + TOLERANCE:
                best = Found(order, done)
            branches = []
            for kind, rest in self._next(left):
                after = self._after(state, kind)
                branches.append(
                    (_mean(after, values[rest]), after.get(self.destroyed, 0.0), kind, rest, after)
                )
            # Bounds that differ by rounding are equal, and then sooner is better.
            branches.sort(key=lambda branch: (round(branch[0], 11), branch[1]), reverse=True)
            for bound, _, kind, rest, after in branches:
                if bound > best.probability + TOLERANCE:
                    follow(rest, after, (*order, kind))

        follow(counts, self.start, ())
        return best


def _mean(state: States, values: States) -> float:
    return sum(mass * values.get(place, 0.0) for place, mass in state.items())


def transitions(
    kinds: Sequence[tuple[Volley | MortalWounds, ...]],
    target: Target | TargetUnit,
    *,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> tuple[ModelUnit, dict[int, float], list[dict[int, list[tuple[int, float]]]]]:
    """Return the states of a target, their probabilities before, and where each kind of attack leads from each."""
    start = options.get("start")
    state: UnitDistribution | None = start
    for volleys in kinds:  # the unit then has every state that any of these attacks needs
        options["start"] = state = attack(list(volleys), target, exact=exact, **options)
    assert state is not None  # noqa: S101 - there is at least one kind
    unit = cast("ModelUnit", state.unit)
    if unit.states * len(kinds) > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} attacks from single states to find an order with, got {len(kinds)} "
            f"kinds of units and {unit.states:,} states of {target.name!r}; name fewer units, or give the order"
        )
    last = unit.states - 1
    _, known = resume(unit, start, exact=exact)
    before = {unit.first: 1.0} if known is None else _masses(known)
    rows: list[dict[int, list[tuple[int, float]]]] = [{last: [(last, 1.0)]} for _ in kinds]
    reached = [place for place in before if place != last]
    for place in reached:  # it grows while it is walked
        options["start"] = UnitDistribution(unit, Measure.at(place).distribution(), exact=exact)
        for volleys, row in zip(kinds, rows, strict=True):
            after = attack(list(volleys), target, exact=exact, **options)
            row[place] = list(_masses(after._states).items())  # noqa: SLF001 - by number, as the search needs them
            reached += [to for to, _ in row[place] if to != last and to not in reached]
    return unit, before, rows


def _masses(states: Distribution) -> dict[int, float]:
    return {place: float(mass) for place, mass in in_fractions(states).items() if mass}
