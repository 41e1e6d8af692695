"""Fold a long list of outcomes into rows that fit a page, losing nothing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, count, groupby
from math import fsum
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Outcomes at either end that together would print as less than 0.01 % share one row.
_TAIL = 5e-5


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table or one bar of a picture: the outcomes from ``low`` to ``high`` that can happen."""

    low: int
    high: int
    #: How many they are.
    outcomes: int
    #: Of all outcomes of the row together, and of `low` or more.
    probability: float
    at_least: float
    #: Position of the first outcome in the sequence that was folded.
    index: int

    @property
    def label(self) -> str:
        """The outcome, or the first and the last of several."""
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"


def fold(outcomes: Iterable[int], probabilities: Iterable[float], *, limit: int) -> list[Row]:
    """Return rows that partition the possible outcomes, at most ``limit`` of them."""
    values = [int(outcome) for outcome in outcomes]
    masses = [float(probability) for probability in probabilities]
    if len(values) != len(masses):
        raise MathhammerError(
            f"expected one probability for each outcome, got {len(masses)} for {len(values)} outcomes"
        )
    possible = [i for i, mass in enumerate(masses) if mass > 0]
    if not possible:
        raise MathhammerError(
            f"expected an outcome with a probability above 0, got {len(values)} without one"
        )
    groups = _groups(values, masses, possible, limit)
    rows = []
    at_least = 0.0
    for group in reversed(groups):
        probability = fsum(masses[i] for i in group)
        at_least += probability
        rows.append(Row(values[group[0]], values[group[-1]], len(group), probability, at_least, group[0]))
    return rows[::-1]


def _groups(
    values: Sequence[int], masses: Sequence[float], possible: list[int], limit: int
) -> list[list[int]]:
    """Return the positions of each row, in order."""
    if len(possible) <= limit:
        return [[i] for i in possible]
    low = sum(1 for mass in accumulate(masses[i] for i in possible) if mass < _TAIL)
    high = sum(1 for mass in accumulate(masses[i] for i in reversed(possible)) if mass < _TAIL)
    if low + high >= len(possible):  # the whole is smaller than a tail: nothing stands out
        low = high = 0
    end = len(possible) - high
    room = max(2, limit - (low > 0) - (high > 0))
    shown = possible[low:end]
    # A row holds no more values than it is wide: narrower ones need not be tried.
    round_numbers: Iterator[int] = (digit * 10**exponent for exponent in count() for digit in (1, 2, 5))
    wide_enough = (width for width in round_numbers if width * room >= len(shown))
    width = next(width for width in wide_enough if len({values[i] // width for i in shown}) <= room)

    def key(i: int) -> int:
        return values[i] // width

    # A far end that stops between two multiples takes the rest of the row it cuts.
    while 0 < low < end and key(possible[low - 1]) == key(possible[low]):
        low += 1
    while low < end < len(possible) and key(possible[end - 1]) == key(possible[end]):
        end -= 1
    cut = [list(group) for _, group in groupby(possible[low:end], key)]
    return [group for group in (possible[:low], *cut, possible[end:]) if group]
