"""Probability mass in float64: direct sums of non-negative products, never an FFT, never a subtraction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from mathhammer.arithmetic.products import convolution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sympy import Rational

#: Most multiplications that one convolution may take: about a second.
MAXIMUM_PRODUCTS = 5_000_000_000

#: A probability below the smallest float is 0, whatever the user's program has NumPy do about that.
QUIET = np.errstate(under="ignore")

#: Integer weights over a denominator of fewer bits than this are kept beside the floats.
MAXIMUM_KEPT_BITS = 900
#: Relative accuracy of a float sum of probabilities: two that differ by less may be the same number.
_ROUNDING = 1e-12
#: A vector of which less than one of so many entries holds mass is multiplied entry by entry.
_SPARSE = 2
#: Powers of at most so many entries are taken in one long integer where they fit.
_SHORT = 300


class Float64Mass:
    """A vector of float64 mass."""

    __slots__ = ("_rational", "_values")

    exact: ClassVar[bool] = False

    def __init__(
        self, values: NDArray[np.float64], rational: tuple[Sequence[int], int] | None = None
    ) -> None:
        self._values = values
        self._rational = rational

    def in_fractions(self) -> Self:
        return self

    @classmethod
    def from_weights(cls, weights: Sequence[int], denominator: int) -> Self:
        values = np.array([weight / denominator for weight in weights])
        # Longer integers than these are no sides of a die: they would cost more than the rounding they save.
        return cls(values, (weights, denominator) if denominator.bit_length() < MAXIMUM_KEPT_BITS else None)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int, /) -> float:
        return min(1.0, float(self._values[index]))

    def weights(self) -> tuple[list[int], int]:
        raise TypeError("float64 mass has no integer weights; ask for exact=True where it is made")

    def terms(self) -> tuple[list[float], float]:
        return self._values.tolist(), 1.0

    @classmethod
    @QUIET
    def from_terms(cls, terms: Sequence[float], denominator: float) -> Self:
        values = np.array(terms, dtype=np.float64)
        return cls(values if denominator == 1 else values / denominator)

    def deficit(self) -> tuple[float, float]:
        return 0.0, 1.0

    @staticmethod
    @QUIET
    def quotient(numerator: float, denominator: float) -> float:
        return float(numerator / denominator)

    @classmethod
    def probability(cls, numerator: float, denominator: float) -> float:
        return min(1.0, float(numerator / denominator))

    def floats(self) -> NDArray[np.float64]:
        values = np.minimum(self._values, 1.0)
        values.flags.writeable = False
        return values

    def to_list(self) -> list[float]:
        values: list[float] = self.floats().tolist()
        return values

    def total(self, start: int = 0, stop: int | None = None) -> float:
        return min(1.0, math.fsum(self._values[start:stop]))

    @QUIET
    def convolve(self, other: Self) -> Self:
        _require_products(len(self) * len(other))
        return type(self)(convolution(self._values, other._values))

    @classmethod
    @QUIET
    def sum_of_products(cls, pairs: Sequence[tuple[Self, Self]], offsets: Sequence[int]) -> Self:
        _require_products(sum(len(one) * len(other) for one, other in pairs))
        found = [convolution(one._values, other._values) for one, other in pairs]
        total = np.zeros(max(offset + len(each) for offset, each in zip(offsets, found, strict=True)))
        for offset, each in zip(offsets, found, strict=True):
            total[offset : offset + len(each)] += each
        return cls(total)

    @QUIET
    def power(self, n: int, cut: int | None = None) -> Self:
        """Distribution of the sum of `n` copies, by squaring, or of the least of that and a number."""
        if n == 0:
            return self.from_weights((1,), 1)
        if self._rational is not None and len(self) == 2 and n <= _SHORT:
            return self._binomial(*self._rational, n, n if cut is None else min(n, cut))
        if cut is not None:
            places = np.flatnonzero(self._values)
            if len(places) * _SPARSE < len(self):
                return self._sparse_power(places, n, cut)
            return self.power(n)._cut(cut)
        return self if n == 1 else self._power(n)

    def _power(self, n: int) -> Self:
        """Return the distribution of the sum of two copies or more."""
        _require_products(_longest_factor(self._values, n) ** 2)
        if self._rational is None:
            powers, exponent = _power(self._values, n)
            return type(self)(np.ldexp(powers, exponent))
        weights, denominator = self._rational
        whole, length = denominator**n, n * (len(weights) - 1) + 1
        if whole < 1 << 53 and length <= _SHORT:
            # Kronecker substitution: one power of one long integer, eight bytes for each coefficient, which are
            # all less than 2**53, and one rounding at the end.
            packed = int.from_bytes(np.array(weights, dtype="<u8").tobytes(), "little")
            powers = np.frombuffer((packed**n).to_bytes(8 * length, "little"), dtype="<u8")
            return type(self)(powers / whole)
        scale = denominator.bit_length() - 1
        values, exponent = _power(np.array([math.ldexp(weight, -scale) for weight in weights]), n)
        exponent += scale * n
        factor = (1 << exponent) / whole if exponent >= 0 else 1 / (whole << -exponent)
        return type(self)(values * factor)

    @classmethod
    def _binomial(cls, weights: Sequence[int], denominator: int, n: int, cut: int) -> Self:
        """Distribution of how many of `n` copies are 1, in integers that are rounded once."""
        none, one = weights
        whole, left, each = denominator**n, (none + one) ** n, none**n
        if not each:
            return cls(np.array([0.0] * cut + [left / whole]))
        found = []
        for count in range(cut):
            found.append(each / whole)
            left -= each
            each = each * (n - count) * one // ((count + 1) * none)
        found.append(left / whole)
        return cls(np.array(found))

    def _cut(self, most: int) -> Self:
        """With all that lies beyond an index at it."""
        if len(self) <= most + 1:
            return self
        values = self._values[: most + 1].copy()
        values[-1] += self._values[most + 1 :].sum()
        return type(self)(values)

    @QUIET
    def compound(self, term: Self, cut: int | None = None) -> Self:
        if cut is not None:
            places = np.flatnonzero(term._values)
            few = len(places) * _SPARSE < len(term)
            return self._of_sparse(term._values, places, cut) if few else self.compound(term)._cut(cut)
        least = int(np.flatnonzero(self._values)[0])
        _require_products((len(self) - least) ** 2 * len(term) ** 2 // 2)
        accumulated = self._values[-1:]
        for probability in self._values[least:-1][::-1]:
            accumulated = convolution(accumulated, term._values)
            accumulated[0] += probability
        inner = type(self)(accumulated)
        return term.power(least).convolve(inner) if least else inner

    def _sparse_power(self, places: NDArray[np.intp], n: int, cut: int) -> Self:
        """Distribution of the sum of `n` copies of a vector with few entries, or of the least of that and a number."""
        if places[0] or self._rational is None:
            return type(self)(np.eye(1, n + 1, n)[0])._of_sparse(self._values, places, cut)
        # More than so many copies that are not 0 are beyond the cut in any case.
        (none, *_), denominator = self._rational
        most = min(n, -(-cut // int(places[1])))
        some = self._binomial((none, denominator - none), denominator, n, most)
        term = self._values / ((denominator - none) / denominator)
        return some._of_sparse(term, places[1:], cut)

    def _of_sparse(self, term: NDArray[np.float64], places: NDArray[np.intp], cut: int) -> Self:
        """Distribution of a random number of copies of a term with few entries, by Horner's rule."""
        last = min((len(self) - 1) * (len(term) - 1), cut)
        _require_products(len(self) * len(places) * last)
        weights = list(zip(places.tolist(), term[places].tolist(), strict=True))
        accumulated = self._values[-1:]
        for probability in self._values[:-1][::-1]:
            values = np.zeros(min(len(accumulated) + len(term) - 1, last + 1))
            for place, weight in weights:
                kept = accumulated[: len(values) - place] if place < len(values) else accumulated[:0]
                values[place : place + len(kept)] += kept * weight
                if len(kept) < len(accumulated):
                    values[-1] += accumulated[len(kept) :].sum() * weight
            values[0] += probability
            accumulated = values
        return type(self)(accumulated)

    @QUIET
    def mixture(self, components: Sequence[Self], offsets: Sequence[int]) -> Self:
        length = max(offset + len(component) for component, offset in zip(components, offsets, strict=True))
        values = np.zeros(length)
        for weight, component, offset in zip(self._values, components, offsets, strict=True):
            values[offset : offset + len(component)] += weight * component._values
        return type(self)(values)

    @QUIET
    def outer(self, other: Self) -> Self:
        _require_products(len(self) * len(other) * 100)
        return type(self)(np.outer(self._values, other._values).ravel())

    def image(self, indices: Sequence[int], length: int) -> Self:
        totals = np.bincount(indices, weights=self._values, minlength=length)
        return type(self)(totals)  # type: ignore[arg-type]  # counts are whole, weighted ones are not

    def bounds(self) -> tuple[int, int]:
        values = self._values
        if values[0] and values[-1]:
            return 0, len(values)
        held = np.flatnonzero(values)
        return int(held[0]), int(held[-1]) + 1

    def window(self, start: int, stop: int) -> Self:
        return type(self)(self._values[start:stop])

    def padded(self, zeros: int) -> Self:
        values = np.concatenate((np.zeros(zeros), self._values))
        if self._rational is None:
            return type(self)(values)
        weights, denominator = self._rational
        return type(self)(values, ((*(0,) * zeros, *weights), denominator))

    @QUIET
    def normalised(self) -> Self:
        return type(self)(self._values / math.fsum(self._values))

    @QUIET
    def moment(self, values: Sequence[int], order: int, *, central: bool) -> float:
        at = np.asarray(values, dtype=np.float64)
        if central:
            at = at - math.fsum(at * self._values)
        with np.errstate(over="ignore"):
            terms = at**order * self._values
        if not np.isfinite(terms).all():
            raise TooLargeError(
                f"expected a moment that float64 can hold, but that of order {order} is larger; use exact=True"
            )
        return math.fsum(terms)

    @QUIET
    def dot(self, other: Self) -> float:
        return math.fsum(self._values * other._values)

    def quantile(self, probability: float | Rational) -> int:
        return int(quantile_indices(self.floats()[None, :], probability)[0])

    @QUIET
    def entropy(self) -> float:
        floats = self.floats()
        held = floats[floats > 0]
        return -math.fsum(held * np.log(held))


def quantile_indices(rows: NDArray[np.float64], probability: float | Rational) -> NDArray[np.intp]:
    """Return for every row of probabilities the first index at which its running sum reaches a probability."""
    near, beyond = float(probability), float(1 - probability)
    # Half the distance to the next smaller float rounds up to this one.
    half = (near - math.nextafter(near, 0)) / 2 if isinstance(probability, float) and near < 1 else 0.0
    if near <= 0.5:
        reached = np.cumsum(rows, axis=1) >= (near - half) * (1 - _ROUNDING)
    else:
        above = np.zeros_like(rows)
        above[:, :-1] = np.cumsum(rows[:, :0:-1], axis=1)[:, ::-1]
        reached = above <= (beyond + half) * (1 + _ROUNDING)
    reached[:, -1] = True
    indices: NDArray[np.intp] = reached.argmax(axis=1)
    return indices


def _power(values: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], int]:
    """Return the n-fold convolution as an array of mass near 1 and a power of two to multiply it by."""
    result, exponent, start = values, 0, 0
    for bit in bin(n)[3:]:
        result = convolution(result, result)
        exponent, start = 2 * exponent, 2 * start
        if bit == "1":
            result = convolution(result, values)
        # A power of two is an exact factor: it costs no rounding and keeps the range.
        shift = math.frexp(float(result.sum()))[1]
        if shift:
            result = np.ldexp(result, -shift)
            exponent += shift
        if not (result[0] and result[-1]):
            # Of thousands of dice most outcomes underflow: to go on without them saves most of the work.
            held = np.flatnonzero(result)
            result, start = result[held[0] : held[-1] + 1], start + int(held[0])
    length = n * (len(values) - 1) + 1
    if len(result) == length:
        return result, exponent
    whole = np.zeros(length)
    whole[start : start + len(result)] = result
    return whole, exponent


def _longest_factor(values: NDArray[np.float64], n: int) -> int:
    """Return how many entries, about, the two factors of the last product of a power have."""
    length = n * (len(values) - 1) // 2 + 1
    if length**2 <= MAXIMUM_PRODUCTS:
        return length
    # Of thousands of dice what is 38 standard deviations from the mean is less than the smallest float.
    at = np.arange(len(values))
    mean = (values * at).sum()
    variance = (values * (at - mean) ** 2).sum()
    return min(length, int(2 * 38 * math.sqrt(variance * n / 2)) + 1)


def _require_products(products: int) -> None:
    if products > MAXIMUM_PRODUCTS:
        raise TooLargeError(
            f"expected a convolution of at most {MAXIMUM_PRODUCTS:.0e} products, "
            f"but this one takes about {products:.0e}; use fewer dice or smaller numbers"
        )
