"""The law of one integer-valued quantity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, overload

import numpy as np

from mathhammer.arithmetic import Mass, P, arithmetic
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray
    from sympy import Rational

__all__ = ["Distribution"]

#: A float law that was typed in may be off by the rounding of its entries, not by more.
_TYPED_MASS_TOLERANCE = 1e-9


class Distribution(Generic[P]):
    """An immutable probability distribution on a finite range of integers.

    The arithmetic is that of the probabilities: ``float`` values make a float64 distribution, ``int`` and
    ``sympy.Rational`` values an exact one. Two distributions of different arithmetics do not mix.

    Parameters
    ----------
    probabilities
        Outcome to probability; they sum to 1.

    Raises
    ------
    MathhammerError
        If a probability is negative, or the sum is not 1.

    Examples
    --------
    >>> from sympy import Rational
    >>> coin = Distribution({0: Rational(1, 2), 1: Rational(1, 2)})
    >>> coin.mean(), coin.exact
    (1/2, True)
    >>> (coin + coin).pmf(1)
    1/2
    """

    __slots__ = ("_canonical", "_low", "_mass")
    __array_ufunc__ = None  # ``array * distribution`` must call our operator, not broadcast

    def __init__(self, probabilities: Mapping[int, P]) -> None:
        mass, low = _read_probabilities(probabilities)
        self._set(mass, low)

    def _set(self, mass: Mass[P], low: int) -> None:
        first, stop = mass.bounds()
        if stop - first != len(mass):
            mass = mass.window(first, stop)
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_low", low + first)
        object.__setattr__(self, "_canonical", None)

    @classmethod
    def _new(cls, mass: Mass[P], low: int) -> Self:
        """Wrap trusted mass: the constructor validates, this does not."""
        made = object.__new__(cls)
        made._set(mass, low)
        return made

    @overload
    @classmethod
    def from_weights(
        cls, weights: Mapping[int, int], *, exact: Literal[False] = ...
    ) -> Distribution[float]: ...
    @overload
    @classmethod
    def from_weights(cls, weights: Mapping[int, int], *, exact: Literal[True]) -> Distribution[Rational]: ...
    @overload
    @classmethod
    def from_weights(
        cls, weights: Mapping[int, int], *, exact: bool
    ) -> Distribution[float] | Distribution[Rational]: ...
    @classmethod
    def from_weights(cls, weights: Mapping[int, int], *, exact: bool = False) -> Distribution[Any]:
        """Law whose probabilities stand in the ratio of the given integers.

        Examples
        --------
        >>> Distribution.from_weights({1: 1, 2: 2}, exact=True).pmf(2)
        2/3
        """
        if not weights or min(weights.values()) < 0 or not any(weights.values()):
            raise MathhammerError(
                f"expected one or more non-negative integer weights with a positive sum, got {dict(weights)!r}"
            )
        low, high = min(weights), max(weights)
        dense = [weights.get(outcome, 0) for outcome in range(low, high + 1)]
        mass = arithmetic(exact=exact).mass.from_weights(dense, sum(dense))
        return Distribution._new(mass, low)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Distribution is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self.exact:
            weights, denominator = self._mass.weights()
            return _restore_exact, (weights, denominator, self._low)
        return _restore_float, (self._mass.floats().copy(), self._low)

    # What it is ------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether the probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._mass.exact

    @property
    def support(self) -> range:
        """The range from the smallest possible outcome to the largest."""
        return range(self._low, self._low + len(self._mass))

    @overload
    def pmf(self, k: int, /) -> P: ...
    @overload
    def pmf(self, k: ArrayLike, /) -> P | NDArray[Any]: ...
    def pmf(self, k: Any, /) -> Any:
        """Probability of exactly `k`; an array of outcomes gives an array of the same shape."""
        return self._at(k, self._pmf)

    def _pmf(self, k: int) -> P:
        index = k - self._low
        return self._mass[index] if 0 <= index < len(self._mass) else self._zero()

    def _zero(self) -> P:
        return self._mass.total(0, 0)

    @staticmethod
    def _at(k: Any, function: Callable[[int], P]) -> Any:
        if isinstance(k, int | np.integer):
            return function(int(k))
        outcomes = np.asarray(k)
        if outcomes.dtype.kind not in "iu":
            if outcomes.ndim == 0:
                raise TypeError(f"expected a whole number as outcome, got {k!r}")
            raise TypeError(f"expected an array of whole numbers as outcomes, got dtype {outcomes.dtype}")
        values = [function(int(outcome)) for outcome in outcomes.ravel()]
        kind = np.float64 if not values or isinstance(values[0], float) else object
        return np.array(values, dtype=kind).reshape(outcomes.shape)

    @overload
    def cdf(self, k: int, /) -> P: ...
    @overload
    def cdf(self, k: ArrayLike, /) -> P | NDArray[Any]: ...
    def cdf(self, k: Any, /) -> Any:
        """Probability of at most `k`."""
        return self._at(k, lambda outcome: self._mass.total(0, max(0, outcome - self._low + 1)))

    @overload
    def at_least(self, k: int, /) -> P: ...
    @overload
    def at_least(self, k: ArrayLike, /) -> P | NDArray[Any]: ...
    def at_least(self, k: Any, /) -> Any:
        """Probability of `k` or more, summed from the tail.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).at_least(9)
        5/18
        """
        return self._at(k, lambda outcome: self._mass.total(max(0, outcome - self._low)))

    @overload
    def ccdf(self, k: int, /) -> P: ...
    @overload
    def ccdf(self, k: ArrayLike, /) -> P | NDArray[Any]: ...
    def ccdf(self, k: Any, /) -> Any:
        """Probability of more than `k`, as in SciPy."""
        return self._at(k, lambda outcome: self._mass.total(max(0, outcome - self._low + 1)))

    def icdf(self, probability: float | Rational, /) -> int:
        """Smallest outcome whose cdf reaches `probability`: a quantile."""
        if not 0 <= probability <= 1:
            raise MathhammerError(f"expected a probability from 0 to 1, got {probability!r}")
        if self.exact:
            from sympy import Rational

            weights, denominator = self._mass.weights()
            wanted: Any = Rational(probability) * denominator
        else:
            weights, wanted = self._mass.floats().tolist(), float(probability)
        reached: Any = 0
        for outcome, weight in zip(self.support, weights, strict=True):
            reached += weight
            if reached >= wanted and weight:
                return outcome
        return self.support[-1]

    def median(self) -> int:
        """Smallest outcome whose cdf reaches one half."""
        from sympy import Rational

        return self.icdf(Rational(1, 2) if self.exact else 0.5)

    def mode(self) -> int:
        """Most likely outcome; the smallest of several."""
        values: list[Any] = self._mass.weights()[0] if self.exact else self._mass.floats().tolist()
        return self._low + values.index(max(values))

    # Moments ---------------------------------------------------------------------------------------------

    def mean(self) -> P:
        """Expected value."""
        return self._mass.moment(self.support, 1, central=False)

    def variance(self) -> P:
        """Central second moment."""
        return self._mass.moment(self.support, 2, central=True)

    def moment(self, order: int, /, *, kind: Literal["raw", "central", "standardized"] = "raw") -> Any:
        """Moment of the given order; the standardised one of an exact law is a sympy expression."""
        if order < 0 or kind not in {"raw", "central", "standardized"}:
            raise MathhammerError(
                "expected an order of 0 or more and kind 'raw', 'central' or 'standardized', "
                f"got order {order!r} and kind {kind!r}"
            )
        if kind != "standardized":
            return self._mass.moment(self.support, order, central=kind == "central")
        central = self._mass.moment(self.support, order, central=True)
        return central / self.standard_deviation() ** order

    def standard_deviation(self) -> Any:
        """Square root of the variance: a float, or a sympy expression of an exact law."""
        if self.exact:
            from sympy import sqrt

            return sqrt(self.variance())
        return math.sqrt(self.variance())  # type: ignore[arg-type]

    def skewness(self) -> Any:
        """Standardised third moment."""
        return self.moment(3, kind="standardized")

    def kurtosis(self, *, convention: Literal["non-excess", "excess"] = "non-excess") -> Any:
        """Standardised fourth moment, less 3 for the excess."""
        return self.moment(4, kind="standardized") - (3 if convention == "excess" else 0)

    def entropy(self) -> float:
        """Shannon entropy in nats."""
        values = self.to_floats()
        values = values[values > 0]
        return -math.fsum(values * np.log(values))

    # Combining -------------------------------------------------------------------------------------------

    def _same_arithmetic(self, other: Distribution[P]) -> None:
        if self.exact != other.exact:
            raise TypeError(
                "expected two distributions of one arithmetic, got an exact one and a float64 one; "
                "make both with the same exact=..., or call to_float64() on the exact one"
            )

    def __add__(self, other: Distribution[P] | int) -> Distribution[P]:
        """Sum of two independent quantities, or a shift by a number."""
        if isinstance(other, int):
            return Distribution._new(self._mass, self._low + other)
        if not isinstance(other, Distribution):
            return NotImplemented
        self._same_arithmetic(other)
        return Distribution._new(self._mass.convolve(other._mass), self._low + other._low)

    __radd__ = __add__

    def __neg__(self) -> Distribution[P]:
        return self.map(lambda outcome: -outcome)

    def __sub__(self, other: Distribution[P] | int) -> Distribution[P]:
        """Difference of two independent quantities."""
        return self + (-other)

    def __rsub__(self, other: int) -> Distribution[P]:
        return -self + other

    def repeat(self, n: int, /) -> Distribution[P]:
        """Sum of `n` independent copies.

        Examples
        --------
        >>> d6 = Distribution.from_weights(dict.fromkeys(range(1, 7), 1), exact=True)
        >>> d6.repeat(2).pmf(7)
        1/6
        """
        if n < 0:
            raise MathhammerError(f"expected a number of copies of 0 or more, got {n!r}")
        return Distribution._new(self._mass.power(n), self._low * n)

    __rmatmul__ = repeat

    def compound(self, term: Distribution[P], /) -> Distribution[P]:
        """Sum of N independent copies of `term`, where N has this law: a compound distribution."""
        self._same_arithmetic(term)
        if self._low < 0:
            raise MathhammerError(f"expected a random number of copies of 0 or more, got support {self.support}")
        if term._low == 0:
            most = Distribution._new(self._mass.compound(term._mass), 0)
            return most + term.repeat(self._low) if self._low else most
        parts = [term.repeat(n) for n in self.support]
        low = min(part._low for part in parts)
        mass = self._mass.mixture([part._mass for part in parts], [part._low - low for part in parts])
        return Distribution._new(mass, low)

    def map(self, function: Callable[[int], int], /) -> Distribution[P]:
        """Law of a function of the outcome.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).map(lambda face: (face + 1) // 2).pmf(3)
        1/3
        """
        images = [function(outcome) for outcome in self.support]
        low = min(images)
        length = max(images) - low + 1
        return Distribution._new(self._mass.image([image - low for image in images], length), low)

    # Values out ------------------------------------------------------------------------------------------

    def items(self) -> Iterator[tuple[int, P]]:
        """Pairs of outcome and probability, possible outcomes only, in order."""
        for index, outcome in enumerate(self.support):
            probability = self._mass[index]
            if probability:
                yield outcome, probability

    def to_floats(self) -> NDArray[np.float64]:
        """Probabilities over the support as a read-only float64 array."""
        return self._mass.floats()

    def to_float64(self) -> Distribution[float]:
        """Return the same law in float64, each probability rounded once."""
        if not self.exact:
            return self  # type: ignore[return-value]
        weights, denominator = self._mass.weights()
        return Distribution._new(arithmetic(exact=False).mass.from_weights(weights, denominator), self._low)

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: int | np.random.Generator | None = None
    ) -> Any:
        """Random outcomes of the given shape; `rng` is a seed or a NumPy generator."""
        probabilities = self.to_floats()
        generator = np.random.default_rng(rng)
        drawn = generator.choice(np.array(self.support), size=shape, p=probabilities / probabilities.sum())
        return int(drawn) if shape == () else drawn

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        return np.array(self.to_floats(), dtype=dtype, copy=copy)

    def _key(self) -> tuple[Any, ...]:
        if self._canonical is None:
            key: tuple[Any, ...]
            if self.exact:
                weights, denominator = self._mass.weights()
                key = (True, self._low, denominator, tuple(weights))
            else:
                key = (False, self._low, self._mass.floats().tobytes())
            object.__setattr__(self, "_canonical", key)
        canonical: tuple[Any, ...] = self._canonical
        return canonical

    def __eq__(self, other: object) -> bool:
        """Whether arithmetic, support and every probability are the same: equality of laws, not of rolls."""
        if not isinstance(other, Distribution):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if len(self._mass) <= 8:
            inner = ", ".join(f"{outcome}: {probability!r}" for outcome, probability in self.items())
            return f"Distribution({{{inner}}})"
        kind = "exact" if self.exact else "float64"
        return (
            f"<Distribution {self.support[0]}..{self.support[-1]}, {kind}, mean {float(self.mean()):.6g}>"  # type: ignore[arg-type]
        )

    def __str__(self) -> str:
        from mathhammer.distributions.presentation import table

        return table(self)

    def _repr_html_(self) -> str | None:
        from mathhammer.distributions.presentation import html

        return html(self)


def _read_probabilities(probabilities: Mapping[int, Any]) -> tuple[Mass[Any], int]:
    """Return the mass and the lowest outcome of a typed-in law."""
    if not probabilities:
        raise MathhammerError("expected at least one outcome with its probability, got none")
    values = list(probabilities.values())
    if not all(value >= 0 for value in values):
        raise MathhammerError(f"expected probabilities of 0 or more, got {dict(probabilities)!r}")
    low, high = min(probabilities), max(probabilities)
    if any(isinstance(value, float) for value in values):
        total = math.fsum(values)
        if not abs(total - 1) <= _TYPED_MASS_TOLERANCE:
            raise MathhammerError(f"expected probabilities that sum to 1, got a sum of {total!r}")
        from mathhammer.arithmetic.float64 import Float64Mass

        dense = np.zeros(high - low + 1)
        for outcome, value in probabilities.items():
            dense[outcome - low] = float(value)
        return Float64Mass(dense), low
    from sympy import Rational, ilcm

    rationals = {outcome: Rational(value) for outcome, value in probabilities.items()}
    denominator = int(ilcm(1, *(value.q for value in rationals.values())))
    weights = [0] * (high - low + 1)
    for outcome, rational in rationals.items():
        weights[outcome - low] = int(rational.p * (denominator // rational.q))
    if sum(weights) != denominator:
        raise MathhammerError(
            f"expected probabilities that sum to 1, got a sum of {Rational(sum(weights), denominator)}"
        )
    return arithmetic(exact=True).mass.from_weights(weights, denominator), low


def _restore_exact(weights: list[int], denominator: int, low: int) -> Distribution[Any]:
    return Distribution._new(arithmetic(exact=True).mass.from_weights(weights, denominator), low)


def _restore_float(values: NDArray[np.float64], low: int) -> Distribution[Any]:
    from mathhammer.arithmetic.float64 import Float64Mass

    return Distribution._new(Float64Mass(values), low)
