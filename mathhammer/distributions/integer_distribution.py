"""Distributions of small whole numbers with integer weights: where both arithmetics start."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from mathhammer.display import shorten
from mathhammer.distributions.univariate import Distribution
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.arithmetic import Arithmetic


class IntegerDistribution(NamedTuple):
    """A distribution of small whole numbers: ``weights[i] / denominator`` for the value ``low + i``.

    Parameters
    ----------
    low
        The least value.
    weights
        Whole numbers of 0 or more.
    denominator
        Their sum.

    Examples
    --------
    >>> IntegerDistribution(1, (1, 1, 1), 3).mean()
    (2, 1)
    """

    low: int
    weights: tuple[int, ...]
    denominator: int

    def __repr__(self) -> str:
        weights, denominator = shown(self.weights), shown(self.denominator)
        return shorten(f"IntegerDistribution(low={self.low}, weights={weights}, denominator={denominator})")

    @classmethod
    def from_distribution(cls, distribution: Distribution) -> Self:
        """Return an exact distribution in lowest terms."""
        weights, denominator = distribution._mass.weights()
        return cls(distribution._low, tuple(weights), denominator)

    @classmethod
    def of_dice(cls, count: int, sides: int, bonus: int = 0) -> Self:
        """Return the sum of a few equal dice and a number, without the exact arithmetic that long sums need.

        Examples
        --------
        >>> IntegerDistribution.of_dice(2, 3, 1)
        IntegerDistribution(low=3, weights=(1, 2, 3, 2, 1), denominator=9)
        """
        weights = [1] * sides
        for _ in range(count - 1):
            length = len(weights)
            weights = [
                sum(weights[max(0, total - sides + 1) : min(length, total + 1)])
                for total in range(length + sides - 1)
            ]
        return cls(count + bonus, tuple(weights), sides**count)

    def distribution(self, arithmetic: Arithmetic) -> Distribution:
        """Return the same distribution in the given arithmetic."""
        return Distribution._new(arithmetic.mass.from_weights(self.weights, self.denominator), self.low)

    def items(self) -> list[tuple[int, int]]:
        """Return the values that are possible, and their weights."""
        return [(value, weight) for value, weight in enumerate(self.weights, self.low) if weight]

    @property
    def most(self) -> int:
        """The greatest value."""
        return self.low + len(self.weights) - 1

    def chance_of_any(self) -> tuple[int, int]:
        """Return the chance of a value above 0, as a fraction."""
        none = self.weights[0] if self.low == 0 else 0
        return self.denominator - none, self.denominator

    def positive(self) -> IntegerDistribution:
        """Return the distribution of a value above 0; of 1 where there is none.

        Examples
        --------
        >>> IntegerDistribution(0, (1, 0, 2, 0), 3).positive()
        IntegerDistribution(low=2, weights=(2,), denominator=2)
        """
        if self.low:
            return self
        held = [place for place, weight in enumerate(self.weights) if weight and self.low + place]
        if not held:
            return IntegerDistribution(1, (1,), 1)
        weights = self.weights[held[0] : held[-1] + 1]
        return IntegerDistribution(self.low + held[0], weights, sum(weights))

    def mean(self) -> tuple[int, int]:
        """Return numerator and denominator of the mean, not in lowest terms unless whole."""
        total = sum((self.low + index) * weight for index, weight in enumerate(self.weights))
        whole, rest = divmod(total, self.denominator)
        return (whole, 1) if not rest else (total, self.denominator)
