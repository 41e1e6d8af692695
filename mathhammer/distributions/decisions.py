"""Decisions between rolls: the best plan of one player, or of two against each other, by backward induction."""

from __future__ import annotations

from collections.abc import Hashable
from math import lcm
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from mathhammer.distributions.categorical import CategoricalDistribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


S = TypeVar("S", bound=Hashable)

#: Most positions of a game: some five seconds, and 150 MB.
MAXIMUM_POSITIONS = 100_000


class DecisionNode(NamedTuple, Generic[S]):
    """What comes in a position in which the game goes on."""

    #: For each option of the player the weights of the positions that it leads to. Of equally good options
    #: the first is taken; where there is one, dice alone decide.
    options: Sequence[Mapping[S, int]]
    #: What the weights of every option add up to.
    denominator: int = 1
    #: Whether the player wants the value high rather than low.
    maximises: bool = True


def best_plan(
    game: Callable[[S], DecisionNode[S] | None], starts: Iterable[S], value: Callable[[S], int]
) -> dict[S, int]:
    """Return for each position with several options the index of the best.

    Parameters
    ----------
    game
        What comes in each position; nothing at the end.
    starts
        The positions to start from.
    value
        What an end is worth to a player that maximises.

    Examples
    --------
    A die may be re-rolled, once, by a player who wants it high:

    >>> def reroll(position):
    ...     kind, face = position
    ...     if kind == "choose":
    ...         return DecisionNode([{("end", face): 1}, {("again", 0): 1}])
    ...     after = {"first": "choose", "again": "end"}
    ...     return DecisionNode([{(after[kind], face): 1 for face in range(1, 7)}], 6) if kind in after else None
    >>> plan = best_plan(reroll, [("first", 0)], lambda end: end[1])
    >>> [face for face in range(1, 7) if plan["choose", face]]
    [1, 2, 3]
    """
    return solved(backwards(game, starts), value)[0]


def solved(
    positions: Iterable[tuple[S, DecisionNode[S] | None]], value: Callable[[S], int]
) -> tuple[dict[S, int], dict[S, tuple[int, int]]]:
    """Return the best plan of what `backwards` yields, and what each position is worth: number and denominator."""
    plan: dict[S, int] = {}
    worth: dict[S, tuple[int, int]] = {}
    for position, decision in positions:
        if decision is None:
            worth[position] = value(position), 1
            continue
        options, denominator, maximises = decision
        expected, below = option_values(options, worth)
        best = expected[0]
        if len(expected) > 1:
            best = max(expected) if maximises else min(expected)
            plan[position] = expected.index(best)
        worth[position] = best, below * denominator
    return plan, worth


def reached(
    game: Callable[[S], DecisionNode[S] | None],
    starts: Iterable[S],
    plan: Mapping[S, int],
    order: Iterable[S] | None = None,
) -> list[tuple[S, DecisionNode[S] | None]]:
    """Return the positions that can come up under a plan, each after those that lead to it, and what comes there."""

    def planned(position: S) -> DecisionNode[S] | None:
        decision = game(position)
        if decision is None or len(decision.options) == 1:
            return decision
        return DecisionNode((decision.options[plan[position]],), decision.denominator)

    if order is None:
        return list(backwards(planned, starts))[::-1]
    possible, found = set(starts), []
    for position in order:
        if position in possible:
            decision = planned(position)
            found.append((position, decision))
            if decision is not None:
                possible.update(decision.options[0])
    return found


def end_distribution(
    game: Callable[[S], DecisionNode[S] | None],
    start: CategoricalDistribution[S],
    plan: Mapping[S, int],
    order: Iterable[S] | None = None,
) -> CategoricalDistribution[S]:
    """Distribution of the end of the game under a plan, with the order of positions if one is known."""
    positions = reached(game, start, plan, order)
    terms, denominator = start._mass.terms()
    weights: dict[S, Any] = dict(zip(start, terms, strict=True))
    scale: dict[S, int] = {}
    # The weight of a position is a whole number once the denominators of all that follows are taken out of it.
    for position, decision in reversed(positions):
        scales = {scale[after] for option in decision.options for after in option} if decision else set()
        scale[position] = lcm(*scales) * decision.denominator if decision else 1
    common = lcm(*(scale[position] for position in start))
    weights = {position: int(term) * (common // scale[position]) for position, term in weights.items()}
    denominator *= common
    ends: dict[S, Any] = {}
    for position, decision in positions:
        mass = weights.pop(position)
        if decision is None:
            ends[position] = mass
            continue
        below = scale[position] // decision.denominator
        for after, weight in decision.options[0].items():
            share = weight * (below // scale[after])
            weights[after] = weights.get(after, 0) + mass * share
    found = type(start._mass).from_terms(list(ends.values()), denominator)
    return CategoricalDistribution(tuple(ends), found)


def require_positions(positions: int, most: int | None = None) -> None:
    """Refuse a game that is too large to decide; one whose positions cost little may have more than others."""
    most = MAXIMUM_POSITIONS if most is None else most
    if positions > most:
        raise TooLargeError(
            f"expected decisions in at most {most:,} positions, but this has more; "
            "use fewer attacks, fewer markers, a smaller unit, or a fixed plan or order"
        )


def backwards(
    game: Callable[[S], DecisionNode[S] | None],
    starts: Iterable[S],
    require: Callable[[int], None] = require_positions,
) -> Iterator[tuple[S, DecisionNode[S] | None]]:
    """Yield each position that can come up after all that can follow it, with what comes there."""
    done: set[S] = set()
    opened: dict[S, DecisionNode[S]] = {}
    stack = list(starts)
    while stack:
        position = stack[-1]
        if position in done:
            stack.pop()
            continue
        decision = opened.pop(position, None)
        if decision is None:
            require(len(done) + len(opened))
            decision = game(position)
            if decision is not None:
                following = [after for option in decision.options for after in option if after not in done]
                if following:
                    opened[position] = decision
                    stack += following
                    continue
        stack.pop()
        done.add(position)
        yield position, decision


def option_values(
    options: Sequence[Mapping[S, int]], worth: Mapping[S, tuple[int, int]]
) -> tuple[list[int], int]:
    """Return the weighted sum of what each option leads to, and the one denominator of them all."""
    common = 1
    for option in options:
        for after in option:
            denominator = worth[after][1]
            if denominator != common and common % denominator:
                common = denominator if not denominator % common else lcm(common, denominator)
    found = []
    for option in options:
        total = 0
        for after, weight in option.items():
            value, denominator = worth[after]
            if value:
                total += weight * (value if denominator == common else value * (common // denominator))
        found.append(total)
    return found, common
