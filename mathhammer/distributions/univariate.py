"""The law of one integer-valued quantity."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Self, overload

import numpy as np

from mathhammer.arithmetic import Mass, P, arithmetic
from mathhammer.distributions import combination, comparison, moments, symbolic
from mathhammer.distributions.serialisation import from_dict, from_json, read_probabilities, to_dict
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray
    from sympy import Expr, Rational, Symbol

    from mathhammer.distributions.joint import JointDistribution

__all__ = ["Distribution"]


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

    __slots__ = ("_canonical", "_low", "_mass", "_missing")
    __array_ufunc__ = None  # ``array * distribution`` must call our operator, not broadcast

    _low: int
    _mass: Mass[P]
    _canonical: tuple[Any, ...] | None
    _missing: P

    def __init__(self, probabilities: Mapping[int, P]) -> None:
        mass, low = read_probabilities(probabilities)
        self._set(mass, low)

    def _set(self, mass: Mass[P], low: int) -> None:
        first, stop = mass.bounds()
        if stop - first != len(mass):
            mass = mass.window(first, stop)
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_low", low + first)
        object.__setattr__(self, "_canonical", None)

    @classmethod
    def _new(cls, mass: Mass[P], low: int, missing: P | None = None) -> Self:
        """Wrap trusted mass: the constructor validates, this does not."""
        made = object.__new__(cls)
        made._set(mass, low)
        # Exact mass knows what it misses; a float must be told, for `1 - total` would be noise.
        if missing and not mass.exact:
            object.__setattr__(made, "_missing", missing)
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
                f"expected one or more integer weights of 0 or more with a positive sum, got {dict(weights)!r}"
            )
        low, high = min(weights), max(weights)
        dense = [weights.get(outcome, 0) for outcome in range(low, high + 1)]
        mass = arithmetic(exact=exact).mass.from_weights(dense, sum(dense))
        return Distribution._new(mass, low)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Distribution is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return from_dict, (to_dict(self),)

    # What it is ------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether the probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._mass.exact

    @property
    def missing(self) -> P:
        """Probability that no outcome here stands for: what lies beyond the stated depth of an explosion.

        It is 0 for all other laws. Each probability of a law with missing mass is a lower bound, so it has no
        mean and no quantile; `normalised` is the law given that nothing is missing.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("explode(D6, 6, depth 2)", exact=True).missing
        1/216
        """
        if self._mass.exact:
            return 1 - self._mass.total()  # type: ignore[operator, return-value]
        return getattr(self, "_missing", None) or self._zero()

    def _complete(self, what: str) -> Mass[P]:
        """Return the mass, refusing a law that has not all of it."""
        if self.missing:
            raise MathhammerError(
                f"expected a law without missing mass for its {what}, but {self.missing} is missing; "
                "use normalised() for the law given what is there, or a greater depth"
            )
        return self._mass

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

    def _at(self, k: Any, function: Callable[[int], P]) -> Any:
        """Evaluate at a number, or at each element of an array."""
        if isinstance(k, int | np.integer):
            return function(int(k))
        outcomes = np.asarray(k)
        if outcomes.dtype.kind not in "iu":
            if outcomes.ndim == 0:
                raise TypeError(f"expected a whole number as outcome, got {k!r}")
            raise TypeError(f"expected an array of whole numbers as outcomes, got dtype {outcomes.dtype}")
        values = np.empty(outcomes.size, dtype=object if self.exact else np.float64)
        for index, outcome in enumerate(outcomes.flat):
            values[index] = function(int(outcome))
        return values.reshape(outcomes.shape)

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
        return self._low + moments.quantile_index(self._complete("quantiles"), probability)

    def median(self) -> int:
        """Smallest outcome whose cdf reaches one half."""
        return self.icdf(0.5)

    def mode(self) -> int:
        """Most likely outcome; the smallest of several."""
        values = self._mass.terms()[0]
        return self._low + values.index(max(values))

    # Moments ---------------------------------------------------------------------------------------------

    def mean(self) -> P:
        """Expected value.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("4D6", exact=True).mean(), distribution("2D6").mean()
        (14, 7.0)
        """
        return self._complete("mean").moment(self.support, 1, central=False)

    def variance(self) -> P:
        """Central second moment."""
        return self._complete("variance").moment(self.support, 2, central=True)

    def moment(self, order: int, /, *, kind: Literal["raw", "central", "standardized"] = "raw") -> Any:
        """Moment of the given order; the standardised one of an exact law is a sympy expression."""
        return moments.moment(self._complete("moments"), self.support, order, kind)

    def cumulant(self, order: int, /) -> P:
        """Cumulant of the given order, 1 or more: cumulants of independent quantities add.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).cumulant(4), distribution("100D6", exact=True).cumulant(4)
        (-259/24, -6475/6)
        """
        return moments.cumulant(self._complete("cumulants"), self.support, order)  # type: ignore[no-any-return]

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

    def entropy(self) -> Any:
        """Shannon entropy in nats: a float, or a sympy expression of an exact law.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).entropy()
        log(6)
        """
        return moments.entropy(self._complete("entropy"))

    def generating_function(self, symbol: Symbol | str = "z") -> Expr:
        """Probability generating function as a sympy expression, a Laurent polynomial below support 0.

        Its derivatives at 1 are the factorial moments.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D3-1", exact=True).generating_function()
        z**2/3 + z/3 + 1/3
        >>> from sympy import Symbol, diff
        >>> diff(distribution("2D6", exact=True).generating_function(), "z").subs("z", 1)
        7
        """
        return symbolic.generating_function(self.items(), symbol)

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
            return Distribution._new(self._mass, self._low + other, self._missing_or_none())
        if not isinstance(other, Distribution):
            return NotImplemented
        self._same_arithmetic(other)
        mass = self._mass.convolve(other._mass)
        return Distribution._new(mass, self._low + other._low, combination.missing_of_any(self, other))

    __radd__ = __add__

    def _missing_or_none(self) -> P | None:
        return getattr(self, "_missing", None)

    def __neg__(self) -> Distribution[P]:
        length = len(self._mass)
        mass = self._mass.image(range(length - 1, -1, -1), length)
        return Distribution._new(mass, 1 - self._low - length, self._missing_or_none())

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
        return Distribution._new(self._mass.power(n), self._low * n, combination.missing_of_copies(self, n))

    __rmatmul__ = repeat

    def compound(self, term: Distribution[P], /) -> Distribution[P]:
        """Sum of N independent copies of `term`, where N has this law: a compound distribution.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = distribution("D6", exact=True)
        >>> d6.compound(d6).mean()
        49/4
        """
        self._same_arithmetic(term)
        return combination.compound(self, term)

    def given(self, condition: Callable[[int], bool], /) -> Distribution[P]:
        """Law under the condition that the outcome satisfies a predicate.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).given(lambda total: total >= 10).pmf(12)
        1/6
        """
        return combination.given(self, condition)

    def reroll(self, condition: Callable[[int], bool], /) -> Distribution[P]:
        """Law of a roll that is made again, once, where it meets a predicate.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).reroll(lambda face: face == 1).mean()
        47/12
        """
        return combination.reroll(self, condition)

    def normalised(self) -> Distribution[P]:
        """Law given that nothing is missing."""
        return Distribution._new(self._mass.normalised(), self._low)

    def joint(self, **functions: Callable[[int], int]) -> JointDistribution[P]:
        """Joint law of functions of one and the same roll, one named axis each.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d3 = distribution("D6", exact=True).joint(face=lambda f: f, value=lambda f: (f + 1) // 2)
        >>> d3.given(value=1).marginal("face").pmf(2)
        1/2
        """
        from mathhammer.distributions.joint import JointDistribution

        outcomes = [tuple(function(k) for function in functions.values()) for k in self.support]
        return JointDistribution(tuple(functions), outcomes, self._complete("joint law"))

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
        mass = self._mass.image([image - low for image in images], length)
        return Distribution._new(mass, low, self._missing_or_none())

    # Comparing -------------------------------------------------------------------------------------------

    def probability_greater(self, other: Distribution[P], /) -> P:
        """P(X > Y) of two independent quantities.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = distribution("D6", exact=True)
        >>> d6.probability_greater(d6), d6.probability_greater(d6 + d6)
        (5/12, 5/54)
        """
        self._same_arithmetic(other)
        return comparison.probability_greater(self, other)

    def dominates(self, other: Distribution[P], /, *, order: Literal[1, 2] = 1) -> bool:
        """Whether this law stochastically dominates another, in the wide sense: every law dominates itself.

        First order: for every k this one is at least as likely to reach k. Second order: every risk-averse
        player prefers it; a law dominates each of its mean-preserving spreads.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> best, d6 = distribution("max(D6, D6)"), distribution("D6")
        >>> best.dominates(d6), d6.dominates(best)
        (True, False)
        >>> distribution("2D3").dominates(distribution("D6"), order=2)
        True
        """
        self._same_arithmetic(other)
        return comparison.dominates(self, other, order)

    def total_variation(self, other: Distribution[P], /) -> P:
        """Total variation distance: the largest difference of the probabilities of one event."""
        self._same_arithmetic(other)
        return comparison.total_variation(self, other)

    def kolmogorov_smirnov(self, other: Distribution[P], /) -> P:
        """Kolmogorov-Smirnov distance: the largest difference of the cdfs."""
        self._same_arithmetic(other)
        return comparison.kolmogorov_smirnov(self, other)

    def earth_mover(self, other: Distribution[P], /) -> P:
        """Earth mover's (Wasserstein) distance: the area between the cdfs.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).earth_mover(distribution("D6+2", exact=True))
        2
        """
        self._same_arithmetic(other)
        return comparison.earth_mover(self, other)

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
        mass = arithmetic(exact=False).mass.from_weights(*self._mass.weights())
        return Distribution._new(mass, self._low, float(self.missing))  # type: ignore[arg-type]

    def fractions(self) -> Iterator[tuple[int, int]]:
        """Numerator and denominator of each probability over the support, in lowest terms; of exact laws."""
        weights, denominator = self._mass.weights()
        for weight in weights:
            divisor = math.gcd(weight, denominator)
            yield weight // divisor, denominator // divisor

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; exact values as decimal integers in text, which keeps every digit.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> data = distribution("D6÷2", exact=True).to_dict()
        >>> data["low"], data["numerators"], data["denominator"]
        (1, ['1', '1', '1'], '3')
        >>> Distribution.from_dict(data) == distribution("D3", exact=True)
        True
        """
        return to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any], /) -> Distribution[Any]:
        """Return the law that `to_dict` wrote.

        Raises
        ------
        MathhammerError
            If the data are not what `to_dict` writes.
        """
        return from_dict(data)

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(to_dict(self))

    @staticmethod
    def from_json(text: str, /) -> Distribution[Any]:
        """Return the law that `to_json` wrote."""
        return from_json(text)

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: int | np.random.Generator | None = None
    ) -> Any:
        """Random outcomes of the given shape; `rng` is a seed or a NumPy generator."""
        self._complete("samples")
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
                key = (False, self._low, self._mass.floats().tobytes(), self._missing_or_none())
            object.__setattr__(self, "_canonical", key)
            return key
        return self._canonical

    def __eq__(self, other: object) -> bool:
        """Whether arithmetic, support and every probability are the same: equality of laws, not of rolls."""
        if not isinstance(other, Distribution):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        missing = self.missing
        if len(self._mass) <= 8 and not missing:
            inner = ", ".join(f"{outcome}: {probability!r}" for outcome, probability in self.items())
            return f"Distribution({{{inner}}})"
        kind = "exact" if self.exact else "float64"
        note = f"missing {missing}" if missing else f"mean {float(self.mean()):.6g}"  # type: ignore[arg-type]
        return f"<Distribution {self.support[0]}..{self.support[-1]}, {kind}, {note}>"

    def __str__(self) -> str:
        from mathhammer.distributions.presentation import table

        return table(self)

    def _repr_html_(self) -> str | None:
        from mathhammer.distributions.presentation import html

        return html(self)
