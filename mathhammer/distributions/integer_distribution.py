"""Distributions of whole numbers, and of counts of several kinds, as whole-number weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple, Self

from flint import fmpz_poly

from mathhammer.arithmetic import mass_type
from mathhammer.display import shorten
from mathhammer.distributions.kernel import Measure
from mathhammer.distributions.univariate import Distribution
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


class IntegerDistribution(NamedTuple):
    """A distribution of small whole numbers: ``weights[i] / denominator`` for the value ``low + i``."""

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
        """Return the sum of a few equal dice and a number, without the exact arithmetic that long sums need."""
        weights = [1] * sides
        for _ in range(count - 1):
            totals = range(len(weights) + sides - 1)
            weights = [sum(weights[max(0, total - sides + 1) : total + 1]) for total in totals]
        return cls(count + bonus, tuple(weights), sides**count)

    def distribution(self, *, exact: bool = True) -> Distribution:
        """Return the same distribution with fractions or with floats."""
        mass = mass_type(exact=exact).from_weights(self.weights, self.denominator)
        return Distribution._new(mass, self.low)

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
        """Return the distribution of a value above 0; of 1 where there is none."""
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


Exponents = tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class GeneratingFunction:
    """The distribution of some counts as a polynomial: of a pair, ``sum(coefficient * x**i * y**j) / denominator``."""

    coefficients: dict[Exponents, int]
    denominator: int

    def __repr__(self) -> str:
        return shorten(f"GeneratingFunction({shown(self.coefficients)}, {shown(self.denominator)})")

    @classmethod
    def one(cls, counts: int = 2) -> Self:
        """Return the distribution of (0, 0), or of so many zeros."""
        return cls({(0,) * counts: 1}, 1)

    @classmethod
    def unit(cls, index: int, counts: int = 2) -> Self:
        """Return the distribution of a single 1 among so many counts."""
        return cls({(0,) * index + (1,) + (0,) * (counts - index - 1): 1}, 1)

    @classmethod
    def of_number(cls, number: IntegerDistribution, index: int = 0, counts: int = 1) -> Self:
        """Return the distribution of a number as one of so many counts."""
        before, behind = (0,) * index, (0,) * (counts - index - 1)
        return cls(
            {(*before, value, *behind): weight for value, weight in number.items()}, number.denominator
        )

    def __mul__(self, other: Self) -> Self:
        """Distribution of the sum of independent counts."""
        product: dict[Exponents, int] = {}
        for left, a in self.coefficients.items():
            for right, b in other.coefficients.items():
                key = tuple(map(add, left, right))
                product[key] = product.get(key, 0) + a * b
        return type(self)(product, self.denominator * other.denominator)

    @classmethod
    def mixture(cls, parts: Sequence[tuple[int, Self]], denominator: int) -> Self:
        """Mixture of several, each with a weight over the denominator; in lowest terms."""
        common = math.lcm(*[part.denominator for _, part in parts])
        mixed: dict[Exponents, int] = {}
        for weight, part in parts:
            if not weight:
                continue
            factor = weight * (common // part.denominator)
            for key, coefficient in part.coefficients.items():
                mixed[key] = mixed.get(key, 0) + factor * coefficient
        total = common * denominator
        divisor = math.gcd(total, *mixed.values())
        return cls({key: value // divisor for key, value in mixed.items()}, total // divisor)

    @property
    def width(self) -> int:
        """Number of the counts."""
        return len(next(iter(self.coefficients)))

    @property
    def degree(self) -> int:
        """Largest sum of the counts."""
        return max(map(sum, self.coefficients))

    def of_sum(self) -> list[int]:
        """Weights of the sum of the counts, over the denominator."""
        weights = [0] * (1 + self.degree)
        for counts, coefficient in self.coefficients.items():
            weights[sum(counts)] += coefficient
        return weights

    def by_further(self) -> dict[Exponents, list[int]]:
        """Weights of the first count, over the denominator, for each value of the further ones."""
        most = max(counts[0] for counts in self.coefficients)
        rows: dict[Exponents, list[int]] = {}
        for (first, *further), coefficient in self.coefficients.items():
            rows.setdefault(tuple(further), [0] * (most + 1))[first] += coefficient
        return rows

    def marginal(self, *indices: int) -> Self:
        """Distribution of the counts at the given places."""
        distribution: dict[Exponents, int] = {}
        for counts, coefficient in self.coefficients.items():
            key = tuple(counts[index] for index in indices)
            distribution[key] = distribution.get(key, 0) + coefficient
        return type(self)(distribution, self.denominator)

    def shares(self) -> tuple[int, ...] | None:
        """Weights of the kinds, where each thing that is counted is of one of them by the same chances.

        Given the sum of the counts, they are then multinomial; otherwise there are no such weights.
        """
        single = {counts: weight for counts, weight in self.coefficients.items() if sum(counts) == 1}
        if not any(single.values()):
            return None
        each, given = type(self)(single, sum(single.values())), self.one(self.width)
        for total, weight in enumerate(self.of_sum()):
            if total:
                given *= each
            for counts, ways in given.coefficients.items():
                if self.coefficients.get(counts, 0) * given.denominator != weight * ways:
                    return None
        divisor = math.gcd(*single.values())
        units = [self.unit(place, self.width).coefficients for place in range(self.width)]
        return tuple([single.get(unit, 0) // divisor for (unit,) in units])

    def mixture_of_sums(self, distributions: Sequence[Distribution]) -> Measure:
        """Distribution of the sum of as many copies of each distribution as its count says."""
        parts = [
            Measure.of(reduce(add, map(Distribution.repeat, distributions, counts)))
            for counts in self.coefficients
        ]
        return Measure.from_weights(list(self.coefficients.values()), self.denominator).mixture(parts)


def number_passing(
    weights: Sequence[int], denominator: int, chance: int, out_of: int
) -> tuple[Sequence[int], int]:
    """Return the weights of how many of a number of things pass a roll of one chance, and their denominator."""
    if chance == out_of:
        return weights, denominator
    most = len(weights) - 1
    scaled = fmpz_poly([weight * out_of ** (most - number) for number, weight in enumerate(weights)])
    total = list(map(int, scaled(fmpz_poly([out_of - chance, chance])).coeffs()))
    total += [0] * (len(weights) - len(total))
    divisor = math.gcd(denominator * out_of**most, *total)
    return [each // divisor for each in total], denominator * out_of**most // divisor
