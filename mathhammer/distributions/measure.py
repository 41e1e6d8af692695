"""Parts of a distribution: mass on whole numbers that need not sum to 1."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.arithmetic.in_order import DiceInOrder
from mathhammer.distributions.univariate import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.arithmetic.mass import Mass
    from mathhammer.arithmetic.transition import Transition


class Measure(NamedTuple):
    """Mass on the numbers from `low` on: what a distribution is the sum of, one part for each case."""

    #: The first number.
    low: int
    #: Mass of that number and of those that follow.
    mass: Mass

    @classmethod
    def of(cls, distribution: Distribution) -> Measure:
        """Return the whole of a distribution."""
        return cls(distribution._low, distribution._mass)

    @classmethod
    def at(cls, number: int, arithmetic: Arithmetic) -> Measure:
        """Return all mass at one number."""
        return cls(number, arithmetic.mass.from_weights([1], 1))

    @classmethod
    def from_weights(cls, weights: Sequence[int], denominator: int, arithmetic: Arithmetic) -> Measure:
        """Return mass ``weights[i] / denominator`` on the number i."""
        return cls(0, arithmetic.mass.from_weights(weights, denominator))

    @property
    def most(self) -> int:
        """The last number."""
        return self.low + len(self.mass) - 1

    def distribution(self) -> Distribution:
        """Return the distribution that this is the whole of."""
        return Distribution._new(self.mass, self.low)

    def scaled(self, weight: int, denominator: int, arithmetic: Arithmetic) -> Measure:
        """Return a fraction of it."""
        return Measure(
            self.low, arithmetic.mass.from_weights([weight], denominator).mixture([self.mass], [0])
        )

    def plus(self, other: Measure) -> Measure:
        """Return the sum of two independent numbers."""
        return Measure(self.low + other.low, self.mass.convolve(other.mass))

    @staticmethod
    def sum_of_products(pairs: Sequence[tuple[Measure, Measure]]) -> Measure:
        """Return the sums of pairs of independent numbers, all together."""
        if len(pairs) == 1:
            return pairs[0][0].plus(pairs[0][1])
        lows = [one.low + other.low for one, other in pairs]
        low, kind = min(lows), type(pairs[0][0].mass)
        masses = [(one.mass, other.mass) for one, other in pairs]
        return Measure(low, kind.sum_of_products(masses, [each - low for each in lows]))

    @property
    def certain(self) -> bool:
        """Whether all mass is at one number, and is 1."""
        if len(self.mass) > 1:
            return False
        (mass,), whole = self.mass.terms()
        return bool(mass == whole)

    def compound(self, term: Measure, cut: int | None = None) -> Measure:
        """Return the sum of so many independent terms of 0 or more; of a sum that is more than `cut`, that."""
        inner = term.mass.padded(term.low) if term.low else term.mass
        if self.certain:
            return Measure(0, inner.power(self.low, cut))
        outer = self.mass.padded(self.low) if self.low else self.mass
        return Measure(0, outer.compound(inner, cut))

    def tails(self, out_of: int) -> Measure:
        """Return the mass above each number from 0 on, over a whole number."""
        terms, denominator = self.mass.terms()
        tail = list(accumulate(reversed(terms)))[::-1]
        weights = [tail[0]] * self.low + tail[1:]
        return Measure(0, type(self.mass).from_terms(weights, denominator * out_of))

    def mixture(self, parts: Sequence[Measure]) -> Measure:
        """Return the sum of parts, each times the mass of a number from `low` on."""
        low = min(part.low for part in parts)
        mass = self.mass.window(0, len(parts))
        return Measure(low, mass.mixture([part.mass for part in parts], [part.low - low for part in parts]))

    def dice_in_order(
        self, classes: Sequence[tuple[Transition | None, int]], each: Sequence[int], denominator: int
    ) -> DiceInOrder:
        """Return the dice in order that so many attacks roll, of each of which it is known how many it rolls."""
        return DiceInOrder(classes, self.low, self.mass, each, denominator)

    @staticmethod
    def union(parts: Sequence[Measure], arithmetic: Arithmetic) -> Measure:
        """Return all parts together."""
        if len(parts) == 1:
            return parts[0]
        return Measure(0, arithmetic.mass.from_weights([1] * len(parts), 1)).mixture(parts)
