"""Walks whose steps a player chooses: the best plan by backward induction, and the law that it leads to.

Beside the state there is a *position* in a script of steps that is known to the player: how many steps of which
kind are still to come. From a position either dice choose the next one, whatever the state, or one step is made,
whose kind the player chooses knowing state and position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from mathhammer.arithmetic import Arithmetic, P

__all__ = ["Branches", "Position", "Step", "require_decisions", "walk_with_choices"]

#: Most pairs of position and state: about a minute of work.
MAXIMUM_DECISIONS = 400_000


@dataclass(frozen=True, slots=True)
class Branches:
    """A position from which dice lead on: next positions with their weights out of a denominator."""

    weights: tuple[tuple[int, Hashable], ...]
    denominator: int


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A position in which one step is made.

    Parameters
    ----------
    options
        For every state the rows to choose from: weights by the state after.
    denominator
        Of all weights.
    then
        The next position.
    """

    options: Sequence[Sequence[dict[int, int]]]
    denominator: int
    then: Hashable


#: What comes next; nothing at the end.
Position = Branches | Step | None


def walk_with_choices(
    position: Callable[[Any], Position],
    first: Hashable,
    start: Distribution[P] | int,
    values: Sequence[int],
    *,
    maximise: bool,
    arithmetic: Arithmetic[P],
) -> Distribution[P]:
    """Law of the last state under the plan that makes its expected value least, or greatest.

    The plan is found in exact arithmetic, so that rounding never chooses; of equally good options the first is
    taken.

    Parameters
    ----------
    position
        The script: what follows each position, without cycles.
    first
        Its first position.
    start
        The first state, or its law.
    values
        What each state is worth at the end.
    maximise
        Whether the player wants the value high.
    arithmetic
        The arithmetic of the law.

    Examples
    --------
    A player at 0 may step to 1 or 2 for certain, or stay where he is by chance:

    >>> from mathhammer.arithmetic import arithmetic
    >>> script = {2: Step([[{1: 2}, {0: 1, 2: 1}], [{1: 2}], [{2: 2}]], 2, 1)}
    >>> law = walk_with_choices(
    ...     script.get, 2, 0, [3, 2, 0], maximise=False, arithmetic=arithmetic(exact=True)
    ... )
    >>> [law.pmf(state) for state in range(3)]
    [1/2, 0, 1/2]
    """
    order = _order(position, first, len(values))
    plan = _plan(order, values, maximise=maximise)
    states = len(values)
    number: _Exact | _Float = _Exact() if arithmetic.mass.exact else _Float()
    reached: dict[Hashable, list[Any]] = {first: _start(start, states, number)}
    last: list[Any] = [number.zero] * states
    for key, at in order:
        law = reached.pop(key)
        if at is None:
            last = [a + b for a, b in zip(last, law, strict=True)]
        elif isinstance(at, Branches):
            for weight, after in at.weights:
                scale = number.quotient(weight, at.denominator)
                _add(reached, after, [scale * mass for mass in law])
        else:
            moved: list[Any] = [number.zero] * states
            for mass, options, choice in zip(law, at.options, plan[key], strict=True):
                if mass:
                    for column, weight in options[choice].items():
                        moved[column] += mass * number.quotient(weight, at.denominator)
            _add(reached, at.then, moved)
    return Distribution._new(number.mass(last, arithmetic), 0)


def require_decisions(positions: int, states: int) -> None:
    """Refuse more decisions than can be made in reasonable time.

    Raises
    ------
    TooLargeError
        If there are too many.
    """
    if positions * states > MAXIMUM_DECISIONS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_DECISIONS:,} decisions, but {states:,} states in each of {positions:,} "
            "positions or more are beyond that; use fewer attacks, a smaller unit, or a fixed order"
        )


def _order(
    position: Callable[[Any], Position], first: Hashable, states: int
) -> list[tuple[Hashable, Position]]:
    """Return every position that can come up, each before those that follow it."""
    found: dict[Hashable, Position] = {}
    finished: list[Hashable] = []
    waiting: list[tuple[Hashable, bool]] = [(first, False)]
    while waiting:
        key, done = waiting.pop()
        if done:
            finished.append(key)
        elif key not in found:
            at = found[key] = position(key)
            require_decisions(len(found), states)
            waiting.append((key, True))
            if isinstance(at, Branches):
                waiting += [(after, False) for _, after in at.weights]
            elif at is not None:
                waiting.append((at.then, False))
    return [(key, found[key]) for key in reversed(finished)]


def _plan(
    order: Sequence[tuple[Hashable, Position]], values: Sequence[int], *, maximise: bool
) -> dict[Hashable, list[int]]:
    """Return for every step the index of the best option in each state."""
    from flint import fmpq

    worth: dict[Hashable, list[Any]] = {}
    plan: dict[Hashable, list[int]] = {}
    for key, at in reversed(order):
        if at is None:
            worth[key] = [fmpq(value) for value in values]
        elif isinstance(at, Branches):
            parts = [(fmpq(weight, at.denominator), worth[after]) for weight, after in at.weights]
            worth[key] = [
                sum((scale * part[state] for scale, part in parts), fmpq(0)) for state in range(len(values))
            ]
        else:
            after = worth[at.then]
            plan[key], worth[key] = [], []
            for options in at.options:
                found = [
                    sum((weight * after[column] for column, weight in row.items()), fmpq(0))
                    for row in options
                ]
                best = max(found) if maximise else min(found)
                plan[key].append(found.index(best))
                worth[key].append(best / at.denominator)
    return plan


def _start(start: Distribution[P] | int, states: int, number: _Exact | _Float) -> list[Any]:
    law = [number.zero] * states
    if isinstance(start, int):
        law[start] = number.quotient(1, 1)
        return law
    terms, denominator = start._mass.terms()
    for state, term in zip(start.support, terms, strict=True):
        law[state] = number.quotient(term, denominator)
    return law


def _add(reached: dict[Hashable, list[Any]], key: Hashable, law: list[Any]) -> None:
    present = reached.get(key)
    reached[key] = law if present is None else [a + b for a, b in zip(present, law, strict=True)]


class _Float:
    """Floats."""

    zero = 0.0

    @staticmethod
    def quotient(numerator: Any, denominator: Any) -> float:
        return float(numerator / denominator)

    @staticmethod
    def mass(values: list[float], arithmetic: Arithmetic[P]) -> Any:
        return arithmetic.mass.from_terms(values, 1.0)


class _Exact:
    """Rationals of flint."""

    def __init__(self) -> None:
        from flint import fmpq

        self.zero = fmpq(0)

    @staticmethod
    def quotient(numerator: Any, denominator: Any) -> Any:
        from flint import fmpq

        return fmpq(numerator, denominator)

    @staticmethod
    def mass(values: list[Any], arithmetic: Arithmetic[P]) -> Any:
        common = values[0].q
        for value in values:
            common = common.lcm(value.q)
        return arithmetic.mass.from_terms([value.p * (common // value.q) for value in values], common)
