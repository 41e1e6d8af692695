"""Decisions between rolls: the best plan of one player, or of two against each other, by backward induction.

A game here is a finite graph without cycles. From each position either dice decide, or a player does, or it has
ended. Plans are found in exact arithmetic, so that rounding never chooses; the law of the end that a plan leads to
is then taken in the arithmetic asked for.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mathhammer.arithmetic import P
from mathhammer.distributions import CategoricalDistribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Chance", "Choice", "Node", "best_plan", "end_law", "reached"]

S = TypeVar("S", bound=Hashable)

#: Most positions of a game: about a minute of work.
MAXIMUM_POSITIONS = 200_000


@dataclass(frozen=True, slots=True)
class Chance(Generic[S, P]):
    """A position from which dice lead on."""

    law: CategoricalDistribution[S, P]


@dataclass(frozen=True, slots=True)
class Choice(Generic[S]):
    """A position in which one player chooses.

    Parameters
    ----------
    maximises
        Whether the player wants the value high rather than low.
    options
        The positions to choose from; of equally good ones the first is taken.
    """

    maximises: bool
    options: tuple[S, ...]


#: What a position is: dice, a choice, or the end of the game.
Node = Chance[S, Any] | Choice[S] | None


def best_plan(node: Callable[[S], Node[S]], start: S, value: Callable[[S], int]) -> dict[S, int]:
    """Return for each position in which a player chooses the index of the best option.

    Parameters
    ----------
    node
        The game, with exact chances.
    start
        The position to start from.
    value
        What an end is worth to the player that maximises.

    Raises
    ------
    TooLargeError
        If the game has too many positions.

    Examples
    --------
    A die may be rolled again, once, by a player who wants it high:

    >>> from mathhammer import distribution
    >>> d6 = distribution("D6", exact=True)
    >>> def reroll(position):
    ...     kind, face = position
    ...     if kind == "first":
    ...         return Chance(CategoricalDistribution.of(d6, lambda face: ("choose", face)))
    ...     if kind == "again":
    ...         return Chance(CategoricalDistribution.of(d6, lambda face: ("end", face)))
    ...     return Choice(True, (("end", face), ("again", 0))) if kind == "choose" else None
    >>> plan = best_plan(reroll, ("first", 0), lambda end: end[1])
    >>> [face for face in range(1, 7) if plan["choose", face]]
    [1, 2, 3]
    >>> end_law(reroll, ("first", 0), plan, exact=True).number(lambda end: end[1]).mean()
    17/4
    """
    from flint import fmpq

    values: dict[S, Any] = {}
    plan: dict[S, int] = {}

    def worth(position: S) -> Any:
        known = values.get(position)
        if known is not None:
            return known
        _bounded(len(values))
        at = node(position)
        found: Any
        if at is None:
            found = value(position)
        elif isinstance(at, Chance):
            weights, denominator = at.law.weights()
            found = sum((weight * worth(after) for after, weight in weights.items()), fmpq(0)) / denominator
        else:
            worths = [worth(option) for option in at.options]
            found = max(worths) if at.maximises else min(worths)
            plan[position] = worths.index(found)
        values[position] = found
        return found

    worth(start)
    return plan


def end_law(
    node: Callable[[S], Node[S]], start: S, plan: Mapping[S, int], *, exact: bool
) -> CategoricalDistribution[S, P]:
    """Law of the end of the game when both players follow a plan.

    Parameters
    ----------
    node
        The game, in the arithmetic of the result.
    start
        The position to start from.
    plan
        The index of the option taken in each position in which a player chooses.
    exact
        The arithmetic of the game's chances.
    """
    laws: dict[S, CategoricalDistribution[S, P]] = {}

    def ends(position: S) -> CategoricalDistribution[S, P]:
        known = laws.get(position)
        if known is not None:
            return known
        _bounded(len(laws))
        at = node(position)
        if at is None:
            found = CategoricalDistribution.certain(position, exact=exact)
        elif isinstance(at, Chance):
            found = at.law.then(ends)
        else:
            found = ends(at.options[plan[position]])
        laws[position] = found
        return found

    return ends(start)


def reached(node: Callable[[S], Node[S]], start: S, plan: Mapping[S, int]) -> list[S]:
    """Return the positions that can come up under a plan, in the order in which they do."""
    found: dict[S, None] = {}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        if position in found:
            continue
        found[position] = None
        at = node(position)
        if isinstance(at, Chance):
            waiting += [after for after, _ in at.law.items()]
        elif at is not None:
            waiting.append(at.options[plan[position]])
    return list(found)


def _bounded(positions: int) -> None:
    if positions >= MAXIMUM_POSITIONS:
        raise TooLargeError(
            f"expected a game of at most {MAXIMUM_POSITIONS:,} positions, but this one has more; "
            "use fewer attacks or fewer markers, or a fixed plan"
        )
