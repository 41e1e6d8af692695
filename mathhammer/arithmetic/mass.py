"""Exact probability mass: integer numerators over one common denominator, fraction-free all the way."""

from __future__ import annotations

import math
import numbers
from bisect import bisect_left
from collections import Counter
from functools import reduce
from itertools import accumulate
from math import comb, gcd
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar, Self

from flint import fmpq, fmpz, fmpz_poly

from mathhammer.arithmetic.pace import begin
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sympy import Rational


#: Most bits that the numerators of one result may take together: fifty megabytes, and a few times that on the way.
MAXIMUM_BITS = 400_000_000
#: Results of fewer outcomes are not measured: their numbers are short.
FEW_OUTCOMES = 2_000
#: Seconds of a bit of a result.
BIT = 3e-9
#: Most logarithms of an exact entropy; each is a SymPy expression.
MAXIMUM_LOGARITHMS = 1_000
#: Polynomials of at most so many terms are composed at once.
_SHORTEST_HALF = 16
#: A power that is at most so many times as long as what is wanted of it is taken as a whole.
_SHORTEST_CUT = 4


class Mass:
    """A vector of integer numerators over one denominator."""

    __slots__ = ("_denominator", "_length", "_numerators")

    exact: ClassVar[bool] = True

    def __init__(self, numerators: fmpz_poly, denominator: fmpz, length: int) -> None:
        self._numerators = numerators
        self._denominator = denominator
        # The polynomial forgets zeros at its high end; the vector does not.
        self._length = length

    @classmethod
    def of(cls, mass: Mass) -> Self:
        """Return the same mass, whose single numbers are handed out as this class does."""
        return cls(mass._numerators, mass._denominator, mass._length)

    def in_fractions(self) -> Mass:
        """Return the same mass for what prints, compares or adds single numbers: exact ones are ``flint.fmpq``."""
        return FractionMass.of(self) if self.exact else self

    @classmethod
    def from_weights(cls, weights: Sequence[int], denominator: int) -> Self:
        """Mass ``weights[i] / denominator`` at index ``i``."""
        return cls(fmpz_poly(list(weights)), fmpz(denominator), len(weights))

    def __reduce__(self) -> tuple[Callable[..., Mass], tuple[list[int], int]]:
        return type(self).from_weights, self.weights()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int, /) -> Rational:
        return self.quotient(self._numerators[index], self._denominator)

    def _coefficients(self) -> list[fmpz]:
        coefficients = self._numerators.coeffs()
        return coefficients + [fmpz(0)] * (self._length - len(coefficients))

    def weights(self) -> tuple[list[int], int]:
        """Integer numerators and their denominator (exact arithmetic only)."""
        weights = [int(coefficient) for coefficient in self._coefficients()]
        divisor = gcd(int(self._denominator), *weights)
        return [weight // divisor for weight in weights], int(self._denominator) // divisor

    def terms(self) -> tuple[list[fmpz], fmpz]:
        """Numbers and the one denominator they stand over: what loops over outcomes work with."""
        return self._coefficients(), self._denominator

    @classmethod
    def from_terms(cls, terms: Sequence[fmpz | int], denominator: fmpz | int) -> Self:
        """Mass from numbers of the kind that `terms` gives."""
        _require_bits(len(terms) * denominator.bit_length())
        return cls(fmpz_poly(list(terms)), fmpz(denominator), len(terms))

    @classmethod
    def from_floats(cls, values: Sequence[float], missing: float = 0.0) -> Self:
        """Mass of which each number rounds to a float given, and which sums to 1 less what is missing."""
        exactly = [
            (value.as_integer_ratio(), (math.ulp(value) if value else 0.0).as_integer_ratio())
            for value in (*values, missing)
        ]
        common = max(below for (_, below), _ in exactly)
        weights = [above * (common // below) for (above, below), _ in exactly]
        finest = max(below for _, (_, below) in exactly)
        slack = [above * (finest // below) for _, (above, below) in exactly]
        rest, whole = common - sum(weights), sum(slack)
        scaled = [weight * whole + rest * each for weight, each in zip(weights, slack, strict=True)]
        return cls(fmpz_poly(scaled[:-1]), fmpz(common * whole), len(values))

    def deficit(self) -> tuple[fmpz, fmpz]:
        """Numerator and denominator of what it lacks to 1."""
        return self._denominator - self._numerators(1), self._denominator

    @staticmethod
    def quotient(numerator: fmpz | int, denominator: fmpz | int) -> Rational:
        """One probability from numbers of the kind that `terms` gives."""
        from sympy import Rational

        ratio: Rational = Rational(int(numerator), int(denominator))
        return ratio

    def to_list(self) -> list[float]:
        """Return the float nearest to each number."""
        denominator = int(self._denominator)
        return [int(coefficient) / denominator for coefficient in self._coefficients()]

    def total(self, start: int = 0, stop: int | None = None) -> Rational:
        """Sum over ``start <= index < stop``."""
        return self.quotient(sum(self._coefficients()[start:stop]), self._denominator)

    def convolve(self, other: Self) -> Self:
        """Distribution of the sum of two independent indices."""
        denominator, length = self._denominator * other._denominator, self._length + other._length - 1
        if length > FEW_OUTCOMES:
            _require_bits(length * denominator.bit_length())
        return type(self)(self._numerators * other._numerators, denominator, length)

    def power(self, n: int, cut: int | None = None) -> Self:
        """Distribution of the sum of `n` independent copies; of all that is more than `cut` as of that."""
        length = n * (self._length - 1) + 1
        if cut is not None and cut < length - 1:
            _require_bits(cut * n * (self._denominator - 1).bit_length())
            # A whole power takes one product for each coefficient, its first terms products of polynomials.
            whole = length <= _SHORTEST_CUT * cut
            below = self._numerators**n if whole else self._numerators.pow_trunc(n, cut)
            return type(self)(cut_at(cut, below, self._numerators(1) ** n), self._denominator**n, cut + 1)
        _require_bits(length * n * (self._denominator - 1).bit_length())
        return type(self)(self._numerators**n, self._denominator**n, length)

    def compound(self, term: Self, cut: int | None = None, low: int = 0) -> Self:
        """Distribution of a random number of copies of `term`: a composition of generating functions.

        A term may begin at a number below 0; the sum begins at the most copies of it then.
        """
        degree = self._length - 1
        length = degree * max(term._length - 1, -low) + 1
        if cut is not None and cut >= length - 1:
            cut = None
        # A composition takes several times the time of a power of the same size.
        _require_bits(4 * (cut or length) * max(degree, 1) * (term._denominator - 1).bit_length())
        outer, below = self._coefficients(), term._denominator
        moved = fmpz_poly([0] * -low + [below]) if low else below
        numerators = composed(outer, term._numerators, moved, cut)
        if cut is not None:
            whole = composed(outer, fmpz_poly([term._numerators(1)]), below)[0]
            numerators, length = cut_at(cut, numerators, whole), cut + 1
        return type(self)(numerators, self._denominator * below**degree, length)

    def _common(self, components: Sequence[Self]) -> tuple[list[fmpz], fmpz]:
        """Return what each component's numerators times its probability here are multiplied by, and are over then."""
        # What a part of a distribution was divided by goes again, or the denominators of all parts would be multiplied.
        divisors = [
            weight.gcd(each._denominator)
            for weight, each in zip(self._coefficients(), components, strict=True)
        ]
        below = [each._denominator // divisor for each, divisor in zip(components, divisors, strict=True)]
        common = reduce(fmpz.lcm, set(below))
        return [
            weight // divisor * (common // own)
            for weight, divisor, own in zip(self._coefficients(), divisors, below, strict=True)
        ], self._denominator * common

    def mixture(self, components: Sequence[Self], offsets: Sequence[int]) -> Self:
        """Sum of ``self[i] * components[i]``, the i-th moved up by ``offsets[i]``."""
        factors, denominator = self._common(components)
        length = max(offset + each._length for each, offset in zip(components, offsets, strict=True))
        _require_bits(length * denominator.bit_length())
        numerators = fmpz_poly([])
        for factor, component, offset in zip(factors, components, offsets, strict=True):
            numerators += (component._numerators * factor).left_shift(offset)
        return type(self)(numerators, denominator, length)

    def chained(self, components: Sequence[Self]) -> Self:
        """All of ``self[i] * components[i]``, one behind another."""
        factors, denominator = self._common(components)
        _require_bits(sum([each._length for each in components]) * denominator.bit_length())
        terms = [
            factor * each
            for factor, component in zip(factors, components, strict=True)
            for each in component._coefficients()
        ]
        return type(self)(fmpz_poly(terms), denominator, len(terms))

    def image(self, indices: Sequence[int], length: int) -> Self:
        """Distribution of ``indices[i]``: mass at equal indices adds up."""
        totals = [fmpz(0)] * length
        for index, coefficient in zip(indices, self._coefficients(), strict=True):
            totals[index] += coefficient
        return type(self)(fmpz_poly(totals), self._denominator, length)

    def bounds(self) -> tuple[int, int]:
        """First index that holds mass, and one past the last."""
        first = 0
        while not self._numerators[first]:
            first += 1
        return first, self._numerators.degree() + 1

    def window(self, start: int, stop: int) -> Self:
        """Part ``start <= index < stop``, not normalised."""
        part = self._coefficients()[start:stop]
        return type(self)(fmpz_poly(part), self._denominator, len(part))

    def padded(self, zeros: int) -> Self:
        """With `zeros` indices without mass below index 0."""
        if not zeros:
            return self
        return type(self)(self._numerators.left_shift(zeros), self._denominator, self._length + zeros)

    def normalised(self) -> Self:
        """Divided by the total mass."""
        return type(self)(self._numerators, self._numerators(1), self._length)

    def moment(self, values: Sequence[int], order: int, *, central: bool) -> Rational:
        """Moment of the given order of ``values[index]``, about the mean if `central`."""
        coefficients, whole = self._coefficients(), self._denominator
        # From raw moments, which cancel nothing in integers: to raise each distance from the mean takes far longer.
        raw = [self._numerators(1)]
        for _ in range(order):
            coefficients = list(map(mul, coefficients, values))
            raw.append(sum(coefficients, fmpz(0)))
        if not central:
            return self.quotient(raw[order], whole)
        mean = raw[min(order, 1)]
        terms = (comb(order, k) * moment * (-mean) ** (order - k) * whole**k for k, moment in enumerate(raw))
        return self.quotient(sum(terms), whole ** (order + 1))

    def quantile(self, probability: float | Rational) -> int:
        """First index at which the running sum reaches a probability; a float below 1 is all that rounds to it."""
        whole, sums = int(self._denominator), list(accumulate(self._coefficients()))
        if not isinstance(probability, numbers.Rational):
            near = float(probability)
            if near < 1:
                return bisect_left(sums, near, key=lambda reached: int(reached) / whole)
            return bisect_left(sums, whole)
        numerator, denominator = int(probability.numerator), int(probability.denominator)
        return bisect_left(sums, -(-numerator * whole // denominator))

    def entropy(self) -> Any:
        """Shannon's entropy in nats: of exact mass an expression in logarithms of whole numbers."""
        from sympy import Add, Integer, Rational, log

        weights, denominator = self.weights()
        counts = Counter(weight for weight in weights if weight > 1)
        if len(counts) > MAXIMUM_LOGARITHMS:
            raise TooLargeError(
                f"expected an exact entropy of at most {MAXIMUM_LOGARITHMS:,} different probabilities, got "
                f"{len(counts):,}; to_floats().entropy() has it in floating point"
            )
        terms = (
            Rational(times * weight, denominator) * log(Integer(weight), evaluate=False)
            for weight, times in counts.items()
        )
        return log(Integer(denominator)) - Add(*terms)


class FractionMass(Mass):
    """The same vector, of which each single number is FLINT's: for what prints or adds it, without SymPy."""

    __slots__ = ()

    @staticmethod
    def quotient(numerator: fmpz | int, denominator: fmpz | int) -> Any:
        """One probability from numbers of the kind that `terms` gives."""
        return fmpq(numerator, denominator)


class RoundedMass(Mass):
    """The same vector, of which each number is handed out as a float: the exact one, rounded once."""

    __slots__ = ()

    exact: ClassVar[bool] = False

    @staticmethod
    def quotient(numerator: fmpz | int, denominator: fmpz | int) -> float:  # type: ignore[override] # by intention
        """One probability from numbers of the kind that `terms` gives."""
        try:
            return int(numerator) / int(denominator)
        except OverflowError as error:
            raise TooLargeError(
                "expected a number that a float can hold, but it is larger; use exact=True"
            ) from error

    def entropy(self) -> float:
        """Shannon's entropy in nats: of exact mass an expression in logarithms of whole numbers."""
        return -math.fsum(each * math.log(each) for each in self.to_list() if each)


def cut_at(cut: int, series: fmpz_poly, total: fmpz) -> fmpz_poly:
    """Return the first terms of a series with the sum `total`, and the rest of it as the next one."""
    below = series.truncate(cut)
    return below + fmpz_poly([total - below(1)]).left_shift(cut)


def composed(
    outer: Sequence[fmpz], term: fmpz_poly, denominator: fmpz | fmpz_poly, length: int | None = None
) -> fmpz_poly:
    """Return the sum of ``outer[k] * denominator**(n - k) * term**k``, n the last index, or its first terms."""
    shortest = _SHORTEST_HALF if isinstance(denominator, fmpz) else 1
    times: Callable[[Any, Any], Any] = (
        mul if length is None else lambda one, other: one.mul_low(other, length)
    )
    powers = [term]
    while 2 << (len(powers) - 1) < len(outer):
        powers.append(times(powers[-1], powers[-1]))

    def part(start: int, stop: int) -> Any:
        count = stop - start
        if count <= shortest:
            homogeneous: list[fmpz] = []
            factor: Any = fmpz(1)
            for weight in reversed(outer[start:stop]):
                homogeneous.append(weight * factor)
                factor *= denominator
            composed = fmpz_poly(homogeneous[::-1])(term)
            return composed if length is None else composed.truncate(length)
        level = (count - 1).bit_length() - 1
        half = 1 << level
        upper = times(part(start + half, stop), powers[level])
        lower = part(start, start + half)
        return lower * denominator ** (count - half) + upper if lower else upper

    found: fmpz_poly = part(0, len(outer))
    return found


def _require_bits(bits: int) -> None:
    if bits > MAXIMUM_BITS:
        raise TooLargeError(
            f"expected an exact result of at most {MAXIMUM_BITS * 3 // 10:,} digits, but this one has about "
            f"{bits * 3 // 10:.0e}; use fewer dice"
        )
    begin(bits * BIT)
