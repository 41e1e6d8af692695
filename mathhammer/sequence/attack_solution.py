"""The best plan of an attack that is played as a game, found for all states of its target at once, key by key."""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import fmpq

from mathhammer.distributions.decisions import require_positions
from mathhammer.sequence.attack_dice import RollsMade
from mathhammer.sequence.attack_game import Allocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mathhammer.sequence.attack_game import AttackGame, Start


class _Worth(NamedTuple):
    """What a key is worth: in each state that comes up, over one denominator."""

    numbers: Mapping[int, int] | Sequence[int]
    denominator: int


#: By key a denominator, and the mass of each state over it.
_Masses = dict[int, tuple[int, dict[int, Any]]]


class Played(NamedTuple):
    """What comes of a plan."""

    #: The mass of each state at the end, and what it is out of.
    ends: Mapping[int, Any]
    out_of: int
    #: How likely each position is in which something is decided, over a denominator.
    likely: Mapping[int, tuple[Any, Any]]


class AttackSolution:
    """What is best in each position of a game that can come up, and what that is worth."""

    def __init__(
        self,
        game: AttackGame,
        start: Start,
        values: Sequence[int],
        chosen: Callable[[int], int | None] | None = None,
    ) -> None:
        self._game, self._start, self._values, self._chosen = game, start, values, chosen
        self._states, self._last = len(values), len(values) - 1
        #: Of each position in which there are several options the one that is taken.
        self.plan: dict[int, int] = {}
        #: Of a key that no play comes to before the unit is destroyed nothing else is known.
        destroyed = _Worth({self._last: values[-1]}, 1)
        self._worth = defaultdict(lambda: destroyed, {game.end: _Worth(values, 1)})
        #: By a key the keys that no other before it leads to, of which then only the plan is kept.
        self._done: dict[int, list[int]] = defaultdict(list)
        self._order = self._reached(start[0])
        for number, states in reversed(self._order):
            self._worth[number] = self._solved(number, states)
            for after in () if game.looked_at else self._done.pop(number, ()):
                self._worth.pop(after, None)

    def mean(self) -> fmpq:
        """Return what the plan is worth from the start."""
        weights, whole = self._start
        found: fmpq = fmpq(0)
        for position, weight in weights.items():
            numbers, denominator = self._worth[position // self._states]
            found += fmpq(weight * numbers[position % self._states], denominator * whole)
        return found

    def options(self, position: int) -> list[fmpq]:
        """Return what each option in a position is worth."""
        number, state = divmod(position, self._states)
        ((_, values, denominator, _),) = self._weighed(number, [state])
        return [fmpq(value, denominator) for value in values]

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
        node = self._game.node(number)
        if isinstance(node, RollsMade):
            for option in node.options:
                for after in option:
                    yield after, states
        elif isinstance(node, Allocation):
            for after, rows in node.after:
                yield after, {column for state in states for row in rows[state] for column in row}
        else:
            for state in states:
                for each in node(state)[0]:
                    for after, row, _ in each:
                        yield after, row

    def _solved(self, number: int, states: Sequence[int]) -> _Worth:
        """Return what a key is worth in some states, and note what is taken where there are several options."""
        numbers, below = {}, {}
        for state, values, denominator, maximises in self._weighed(number, states):
            taken = 0
            if len(values) > 1:
                position = number * self._states + state
                chosen = None if self._chosen is None else self._chosen(position)
                taken = values.index(max(values) if maximises else min(values)) if chosen is None else chosen
                self.plan[position] = taken
            numbers[state], below[state] = values[taken], denominator
        whole = lcm(*(several := set(below.values())))
        if len(several) > 1:
            numbers = {state: value * (whole // below[state]) for state, value in numbers.items()}
        divisor = gcd(whole, *numbers.values())
        if divisor > 1:
            whole //= divisor
            numbers = {state: value // divisor for state, value in numbers.items()}
        numbers[self._last] = self._values[self._last] * whole
        return _Worth(numbers, whole)

    def _weighed(self, number: int, states: Sequence[int]) -> Iterator[tuple[int, Sequence[int], int, bool]]:
        """Yield for each state what its options are worth, over what, and whether the player wants that high."""
        worth, node = self._worth, self._game.node(number)
        if isinstance(node, RollsMade):
            options = [[(weight, worth[after]) for after, weight in each.items()] for each in node.options]
            common = lcm(*{there.denominator for option in options for _, there in option})
            scaled = [
                [(weight * (common // below), numbers) for weight, (numbers, below) in option]
                for option in options
            ]
            whole = common * node.denominator
            for state in states:
                values = [sum([weight * numbers[state] for weight, numbers in option]) for option in scaled]
                yield state, values, whole, node.maximises
        elif isinstance(node, Allocation):
            common = lcm(*(worth[after].denominator for after, _ in node.after))
            (first, rows), *others = node.after
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
                yield state, values, common * node.denominator, node.maximises
        else:
            for state in states:
                moves, denominator, maximises = node(state)
                common = lcm(*{worth[after].denominator for option in moves for after, _, _ in option})
                values = []
                for option in moves:
                    total = 0
                    for after, there, factor in option:
                        later, below = worth[after]
                        part = sum([later[column] * weight for column, weight in there.items()])
                        total += part * (factor * (common // below))
                    values.append(total)
                yield state, values, common * denominator, maximises

    def played(
        self,
        more: Callable[[int | None, int], Any] = lambda _before, _after: 1,
        rest: Callable[[int], tuple[Any, int]] = lambda _number: (1, 1),
        over: Callable[[int], bool] = lambda _number: False,
    ) -> Played:
        """Return what comes of the plan, each mass times what lies between two keys, and what is left at the last.

        It ends at keys where all is `over`.
        """
        states, last, end = self._states, self._last, self._game.end
        weights, whole = self._start
        masses: _Masses = {}

        def finish(number: int, below: int, destroyed: Any) -> None:
            left, out_of = rest(number)
            _add(masses, end, below * out_of, [(last, destroyed * left)])

        for position, weight in weights.items():
            number = position // states
            _add(masses, number, 1, [(position % states, weight * more(None, number))])
        likely: dict[int, tuple[Any, Any]] = {}
        for number, _ in self._order:
            if number in masses:
                below, found = masses.pop(number)
                if over(number):
                    finish(number, below, sum(found.values()))
                    continue
                if last in found:
                    finish(number, below, found.pop(last))
                if self._game.looked_at:
                    places = ((number * states + state, mass) for state, mass in found.items())
                    likely |= {place: (mass, below * whole) for place, mass in places if place in self.plan}
                self._move(number, below, found, masses, more)
        for number in [*masses]:  # at which the unit is destroyed in any case
            if number != end:
                below, found = masses.pop(number)
                finish(number, below, found.get(last, 0))
        below, found = masses[end]
        return Played(found, below * whole, likely)

    def _move(
        self,
        number: int,
        below: int,
        here: Mapping[int, Any],
        masses: _Masses,
        more: Callable[[int | None, int], Any],
    ) -> None:
        """Move the mass at a key, over a denominator, to those after it."""
        node, first = self._game.node(number), number * self._states
        if isinstance(node, RollsMade):
            chosen: dict[int, list[tuple[int, Any]]] = {}
            for state, mass in here.items():
                chosen.setdefault(self.plan.get(first + state, 0), []).append((state, mass))
            for taken, several in chosen.items():
                for after, weight in node.options[taken].items():
                    share = weight * more(number, after)
                    _add(masses, after, below * node.denominator, [(s, mass * share) for s, mass in several])
            return
        for state, mass in here.items():
            options, denominator, _ = node(state)
            for after, row, factor in options[self.plan.get(first + state, 0)]:
                share = mass * factor * more(number, after)
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
