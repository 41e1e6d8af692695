"""The best plan of an attack that is played as a game, found for all states of its target at once, key by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heappop, heappush
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import require_positions
from mathhammer.sequence.attack_game import Allocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.sequence.attack_dice import RollsMade
    from mathhammer.sequence.attack_game import AttackGame


class _Worth(NamedTuple):
    """What a key is worth: in each state that comes up, over one denominator."""

    numbers: Mapping[int, int] | Sequence[int]
    denominator: int


#: By key a denominator, and the mass of each state over it.
_Masses = dict[int, tuple[int, dict[int, Any]]]


class Played(NamedTuple):
    """What comes of a plan."""

    #: The state at the end.
    ends: CategoricalDistribution[int]
    #: How likely each position is in which something is decided, over a denominator.
    likely: Mapping[int, tuple[Any, Any]]


class AttackSolution(Mapping[int, tuple[int, int]]):
    """What is best in each position of a game that can come up, and what that is worth."""

    def __init__(
        self,
        game: AttackGame,
        starts: Iterable[int],
        values: Sequence[int],
        chosen: Callable[[int], int | None] | None = None,
    ) -> None:
        self._game, self._values, self._chosen = game, values, chosen
        self._states, self._last = len(values), len(values) - 1
        #: Of each position in which there are several options the one that is taken.
        self.plan: dict[int, int] = {}
        #: Of a key that no play comes to before the unit is destroyed nothing else is known.
        destroyed = _Worth({self._last: values[-1]}, 1)
        self._worth = defaultdict(lambda: destroyed, {game.end: _Worth(values, 1)})
        #: By a key the keys that no other before it leads to, of which then only the plan is kept.
        self._done: dict[int, list[int]] = defaultdict(list)
        self._order = self._reached(starts)
        for number, states in reversed(self._order):
            self._worth[number] = self._solved(number, states)
            for after in () if game.looked_at else self._done.pop(number, ()):
                self._worth.pop(after, None)

    def __getitem__(self, position: int) -> tuple[int, int]:
        """Return what a position is worth: number and denominator."""
        number, state = divmod(position, self._states)
        if state == self._last:
            return self._values[state], 1
        numbers, denominator = self._worth[number]
        return numbers[state], denominator

    def __iter__(self) -> Iterator[int]:
        return (number * self._states + state for number, states in self._order for state in states)

    def __len__(self) -> int:
        return sum(len(states) for _, states in self._order)

    def _reached(self, starts: Iterable[int]) -> list[tuple[int, list[int]]]:
        """Return the keys that can come up, each after those that lead to it, with the states of the target then."""
        game, positions = self._game, 0
        reached: dict[int, set[int]] = {game.end: set()}
        waiting: dict[tuple[int, ...], list[int]] = {}
        ranks: list[tuple[int, ...]] = []

        def add(number: int, states: Iterable[int]) -> None:
            known = reached.get(number)
            if known is not None:
                known.update(states)
                return
            reached[number] = set(states)
            rank = game.rank(number)
            if rank not in waiting:
                waiting[rank] = []
                heappush(ranks, rank)
            waiting[rank].append(number)

        for start in starts:
            add(start // self._states, (start % self._states,))
        found = []
        while ranks:
            for number in waiting.pop(heappop(ranks)):  # keys of a rank do not lead to each other
                states = sorted(reached.pop(number) - {self._last})
                if states:
                    found.append((number, states))
                    positions += len(states)
                    require_positions(positions, self._game.most)
                    for after, there in self._following(number, states):
                        if after not in reached:
                            self._done[number].append(after)
                        add(after, there)
        return found

    def _following(self, number: int, states: Sequence[int]) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield the keys after one, with states of the target then."""
        rolls = self._game.rolls(number)
        if rolls is not None:
            for option in rolls.options:
                for after in option:
                    yield after, states
            return
        moves = self._game.moves(number)
        if isinstance(moves, Allocation):
            for after, rows in moves.after:
                yield after, {column for state in states for row in rows[state] for column in row}
            return
        for state in states:
            for each in moves(state)[0]:
                for after, row, _ in each:
                    yield after, row

    def _solved(self, number: int, states: Sequence[int]) -> _Worth:
        """Return what a key is worth in some states."""
        rolls = self._game.rolls(number)
        if rolls is not None:
            numbers, denominator = self._rolled(number, rolls, states)
        else:
            numbers, denominator = self._moved(number, states)
        divisor = gcd(denominator, *numbers.values())
        if divisor > 1:
            denominator //= divisor
            numbers = {state: value // divisor for state, value in numbers.items()}
        numbers[self._last] = self._values[self._last] * denominator
        return _Worth(numbers, denominator)

    def _rolled(self, number: int, rolls: RollsMade, states: Sequence[int]) -> tuple[dict[int, int], int]:
        worth = self._worth
        options = [[(weight, worth[after]) for after, weight in option.items()] for option in rolls.options]
        common = lcm(*{there.denominator for option in options for _, there in option})
        scaled = [
            [(weight * (common // below), numbers) for weight, (numbers, below) in option]
            for option in options
        ]
        found = {}
        for state in states:
            values = [sum([weight * numbers[state] for weight, numbers in option]) for option in scaled]
            found[state] = self._best(number * self._states + state, values, rolls.maximises)
        return found, common * rolls.denominator

    def _moved(self, number: int, states: Sequence[int]) -> tuple[dict[int, int], int]:
        worth, moves = self._worth, self._game.moves(number)
        found, denominators = {}, {}
        if isinstance(moves, Allocation):
            common = lcm(*(worth[after].denominator for after, _ in moves.after))
            (first, rows), *others = moves.after
            known, scale = worth[first].numbers, common // worth[first].denominator
            for state in states:
                values = [
                    scale * sum([known[column] * weight for column, weight in row.items()])
                    for row in rows[state]
                ]
                for after, further in others:
                    later, below = worth[after]
                    for place, row in enumerate(further[state]):
                        part = sum([later[column] * weight for column, weight in row.items()])
                        values[place] += part * (common // below)
                found[state] = self._best(number * self._states + state, values, moves.maximises)
            return found, common * moves.denominator
        for state in states:
            options, denominator, maximises = moves(state)
            common = lcm(*{worth[after].denominator for option in options for after, _, _ in option})
            values = []
            for option in options:
                total = 0
                for after, there, factor in option:
                    later, below = worth[after]
                    part = sum([later[column] * weight for column, weight in there.items()])
                    total += part * (factor * (common // below))
                values.append(total)
            found[state] = self._best(number * self._states + state, values, maximises)
            denominators[state] = common * denominator
        whole = lcm(*set(denominators.values()))
        return {state: value * (whole // denominators[state]) for state, value in found.items()}, whole

    def _best(self, position: int, values: Sequence[int], maximises: bool) -> int:  # noqa: FBT001
        """Return what a position is worth by what its options are, and note the one that is taken."""
        if len(values) == 1:
            return values[0]
        place = None if self._chosen is None else self._chosen(position)
        if place is None:
            place = values.index(max(values) if maximises else min(values))
        self.plan[position] = place
        return values[place]

    def played(self, start: CategoricalDistribution[int]) -> Played:
        """Return what comes of the plan, from some of the positions that it was made for."""
        states, end = self._states, self._game.end
        terms, whole = start._mass.terms()  # noqa: SLF001 - a distribution of the project's own
        masses: _Masses = {}
        for position, term in zip(start, terms, strict=True):
            _add(masses, position // states, 1, [(position % states, int(term))])
        likely: dict[int, tuple[Any, Any]] = {}
        for number, _ in self._order:
            if number in masses:
                below, found = masses.pop(number)
                if self._last in found:  # the unit is destroyed
                    _add(masses, end, below, [(self._last, found.pop(self._last))])
                if self._game.looked_at:
                    places = ((number * states + state, mass) for state, mass in found.items())
                    likely |= {place: (mass, below * whole) for place, mass in places if place in self.plan}
                self._move(number, below, found, masses)
        for number in [*masses]:
            if number != end:
                below, found = masses.pop(number)
                _add(masses, end, below, found.items())
        below, found = masses[end]
        ends = type(start._mass).from_terms(list(found.values()), whole * below)  # noqa: SLF001
        return Played(CategoricalDistribution(tuple(found), ends), likely)

    def _move(self, number: int, below: int, here: Mapping[int, Any], masses: _Masses) -> None:
        """Move the mass at a key, over a denominator, to those after it."""
        rolls, first = self._game.rolls(number), number * self._states
        if rolls is not None:
            chosen: dict[int, list[tuple[int, Any]]] = {}
            for state, mass in here.items():
                chosen.setdefault(self.plan.get(first + state, 0), []).append((state, mass))
            for taken, several in chosen.items():
                for after, weight in rolls.options[taken].items():
                    _add(
                        masses, after, below * rolls.denominator, [(s, mass * weight) for s, mass in several]
                    )
            return
        moves = self._game.moves(number)
        for state, mass in here.items():
            options, denominator, _ = moves(state)
            for after, row, factor in options[self.plan.get(first + state, 0)]:
                share = mass * factor
                _add(masses, after, below * denominator, [(s, share * weight) for s, weight in row.items()])


def _add(masses: _Masses, number: int, below: int, more: Iterable[tuple[int, Any]]) -> None:
    """Add masses of states, over a denominator, to those at a key."""
    known, there = masses.setdefault(number, (below, {}))
    scale = 1
    if known != below:
        common = lcm(known, below)
        scale = common // below
        if common != known:
            there = {state: mass * (common // known) for state, mass in there.items()}
            masses[number] = common, there
    for state, mass in more:
        there[state] = there.get(state, 0) + mass * scale
