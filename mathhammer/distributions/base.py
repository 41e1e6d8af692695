"""What one distribution says by itself: probabilities, quantiles, moments."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Self

from mathhammer import validation
from mathhammer.display.numbers import value_text
from mathhammer.distributions import moments
from mathhammer.distributions.serialisation import read_probabilities
from mathhammer.errors import MathhammerError, TooLargeError, WrongTypeError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from sympy import Expr, Symbol

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.distributions.univariate import Distribution

#: Of moments and cumulants.
_HIGHEST_ORDER = 100

# Digits of the longest fraction of missing mass that is written out.
_SHORT = 40


class Luck(NamedTuple):
    """How lucky an outcome was: chances of it or a greater one, of it or a smaller one; mid-p is small for luck."""

    at_least: Any
    at_most: Any
    mid_p: Any


class BaseDistribution:
    """The part of a `Distribution` that needs no other distribution."""

    __slots__ = ("_canonical", "_dice", "_low", "_mass")
    __array_ufunc__ = None  # ``array * distribution`` must call our operator, not broadcast

    _low: int
    _mass: Mass
    _canonical: tuple[object, ...] | None
    #: The dice expression whose distribution this is known to be, for its text.
    _dice: Any

    def __init__(self, probabilities: Mapping[int, Any]) -> None:
        mass, low = read_probabilities(probabilities)
        self._set(mass, low)

    def _set(self, mass: Mass, low: int) -> None:
        first, stop = mass.bounds()
        if stop - first != mass._length:
            mass = mass.window(first, stop)
        put = object.__setattr__
        put(self, "_mass", mass)
        put(self, "_low", low + first)
        put(self, "_canonical", None)

    @classmethod
    def _new(cls, mass: Mass, low: int) -> Self:
        """Wrap trusted mass: the constructor validates, this does not."""
        made = object.__new__(cls)
        made._set(mass, low)
        return made

    def _in_fractions(self) -> Distribution:
        """Return this distribution in numbers that need no SymPy: see `in_fractions`."""
        same: Any = self._new(self._mass.in_fractions(), self._low) if self.exact else self
        return same  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Distribution is immutable; cannot set {shown(name)}")

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._mass.exact

    @property
    def missing(self) -> Any:
        """Probability that no outcome here stands for: what lies beyond the stated depth of an explosion.

        It is 0 for all other distributions. Each probability of one with missing mass is a lower bound, so it has no
        mean and no quantile; `normalised` is the distribution given that nothing is missing.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("explode(D6, 6, depth 2)", exact=True).missing
        1/216
        """
        return self._mass.quotient(*self._mass.deficit())

    def _misses(self) -> bool:
        """Return whether mass is missing, without making a number of it."""
        return bool(self._mass.deficit()[0])

    def _missing_text(self) -> str:
        """Return the missing mass as text: of a long fraction how long it is."""
        return value_text(self._in_fractions().missing, limit=_SHORT)

    def _complete(self, what: str) -> Mass:
        """Return the mass, refusing a distribution that has not all of it."""
        if self._misses():
            raise MathhammerError(
                f"expected a distribution without missing mass for its {what}, but {self._missing_text()} is missing; "
                "use normalised() for the distribution given what is there, or a greater depth"
            )
        return self._mass

    @property
    def support(self) -> range:
        """The range from the smallest possible outcome to the largest."""
        return range(self._low, self._low + self._mass._length)

    def pmf(self, k: Any, /) -> Any:
        """Probability of exactly `k`; an array of outcomes gives an array of the same shape.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).pmf(7), distribution("2D6", exact=True).pmf(3.5)
        (1/6, 0)
        """
        return self._at(
            k, lambda outcome: self._pmf(int(outcome)) if outcome == int(outcome) else self._zero()
        )

    def _pmf(self, k: int) -> Any:
        index = k - self._low
        return self._mass[index] if 0 <= index < len(self._mass) else self._zero()

    def _zero(self) -> Any:
        return self._mass.total(0, 0)

    def _at(self, k: Any, function: Callable[[Any], Any]) -> Any:
        """Evaluate at a number, or at each element of an array; numbers beyond the support count as next to it."""
        number = k if type(k) is int else validation.as_whole(k)
        if number is not None:
            return function(number)
        if isinstance(k, Real) and not isinstance(k, bool):
            return function(self._near(k))
        import numpy as np

        outcomes = np.asarray(k)
        if outcomes.dtype.kind not in "iuf":
            expected = "a number as outcome" if outcomes.ndim == 0 else "an array of numbers as outcomes"
            raise WrongTypeError(f"expected {expected}, got {shown(k)}")
        values = np.empty(outcomes.size, dtype=object if self.exact else np.float64)
        for index, outcome in enumerate(outcomes.flat):
            values[index] = function(self._near(outcome.item()))
        return values.reshape(outcomes.shape)

    def _near(self, k: Any) -> Any:
        if k != k:  # noqa: PLR0124 - no other number differs from itself
            raise MathhammerError("expected a number as outcome, got nan")
        return min(max(k, self._low - 1), self._low + len(self._mass))

    def cdf(self, k: Any, /) -> Any:
        """Probability of at most `k`.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).cdf(3.5)
        1/12
        """
        return self._at(k, lambda outcome: self._mass.total(0, max(0, math.floor(outcome) - self._low + 1)))

    def at_least(self, k: Any, /) -> Any:
        """Probability of `k` or more, summed from the tail.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).at_least(9)
        5/18
        """
        return self._at(k, lambda outcome: self._mass.total(max(0, math.ceil(outcome) - self._low)))

    def luck(self, outcome: int, /) -> Luck:
        """How lucky an outcome was: the chances of at least and of at most that, and of more with half of that itself.

        Parameters
        ----------
        outcome
            What was rolled.

        References
        ----------
        Lancaster, H. O. (1961), Significance Tests in Discrete Distributions, for the mid-p value.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).luck(9)
        Luck(at_least=5/18, at_most=5/6, mid_p=2/9)
        """
        as_much = self.pmf(outcome)
        return Luck(self.at_least(outcome), self.cdf(outcome), self.ccdf(outcome) + as_much / 2)

    def ccdf(self, k: Any, /) -> Any:
        """Probability of more than `k`, as in SciPy."""
        return self._at(k, lambda outcome: self._mass.total(max(0, math.floor(outcome) - self._low + 1)))

    def icdf(self, probability: Any, /) -> Any:
        """Smallest outcome whose cdf reaches `probability`, a quantile; an array gives an array of the same shape.

        A ``float`` below 1 is reached where the float nearest to the cdf reaches it; a ``sympy.Rational`` and 1 are
        compared as they are. Only the last outcome reaches 1, and both arithmetics have the same quantiles.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> dice = distribution("100D6")
        >>> dice.icdf(0.05), dice.icdf([0.05, 0.95, 1.0])
        (322, array([322, 378, 600]))
        """
        if isinstance(probability, Real):
            return self._quantile(probability)
        import numpy as np

        levels = np.asarray(probability)
        if levels.dtype.kind not in "iuf" or not levels.ndim:
            raise WrongTypeError(
                f"expected a probability from 0 to 1, or an array of them, got {shown(probability)}"
            )
        return np.array([self._quantile(level.item()) for level in levels.flat], np.int64).reshape(
            levels.shape
        )

    def _quantile(self, probability: Any) -> int:
        if not 0 <= probability <= 1:
            raise MathhammerError(f"expected a probability from 0 to 1, got {shown(probability)}")
        return self._low + self._complete("quantiles").quantile(probability)

    def median(self) -> int:
        """Smallest outcome whose cdf reaches one half."""
        return self._quantile(0.5)

    def mode(self) -> int:
        """Most likely outcome; the smallest of several."""
        values = self._mass.terms()[0]
        return self._low + values.index(max(values))

    # Moments ---------------------------------------------------------------------------------------------

    def mean(self) -> Any:
        """Expected value.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("4D6", exact=True).mean(), distribution("2D6").mean()
        (14, 7.0)
        """
        return self._complete("mean").moment(self.support, 1, central=False)

    def variance(self) -> Any:
        """Central second moment."""
        return self._complete("variance").moment(self.support, 2, central=True)

    def moment(self, order: int, /, *, kind: Literal["raw", "central", "standardized"] = "raw") -> Any:
        """Moment of the given order; the standardised one of an exact distribution is a sympy expression."""
        order = _order(order, 0)
        return moments.moment(self._complete("moments"), self.support, order, kind)

    def cumulant(self, order: int, /) -> Any:
        """Cumulant of the given order, 1 or more: cumulants of independent quantities add.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).cumulant(4), distribution("100D6", exact=True).cumulant(4)
        (-259/24, -6475/6)
        """
        order = _order(order, 1)
        return moments.cumulant(self._complete("cumulants"), self.support, order)

    def standard_deviation(self) -> Any:
        """Square root of the variance: a float, or a sympy expression of an exact distribution.

        The root of a fraction of many digits is not simplified; ``float`` gives its value.
        """
        variance: Any = self.variance()
        return moments.times_root(1, variance) if self.exact else math.sqrt(variance)

    def skewness(self) -> Any:
        """Standardised third moment."""
        return self.moment(3, kind="standardized")

    def kurtosis(self, *, convention: Literal["non-excess", "excess"] = "non-excess") -> Any:
        """Standardised fourth moment, less 3 for the excess."""
        validation.one_of(convention, ("non-excess", "excess"), "convention")
        return self.moment(4, kind="standardized") - (3 if convention == "excess" else 0)

    def entropy(self) -> Any:
        """Shannon entropy in nats: a float, or a sympy expression of an exact distribution.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).entropy()
        log(6)
        """
        return self._complete("entropy").entropy()

    def generating_function(self, symbol: Symbol | str = "z") -> Expr:
        """Probability generating function as a sympy expression, a Laurent polynomial below support 0.

        Its derivatives at 1 are the factorial moments.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D3-1", exact=True).generating_function()
        z**2/3 + z/3 + 1/3
        """
        from sympy import Add, Mul, Pow, sympify
        from sympy import Symbol as sympy_Symbol

        validation.instance(symbol, (str, sympy_Symbol), "the name of a variable, or a symbol of SymPy")
        if isinstance(symbol, str):
            symbol = sympy_Symbol(validation.text(symbol, "the name of a variable"))  # type: ignore[no-untyped-call]
        items: Iterator[tuple[int, Any]] = self.items()
        return Add(*(Mul(sympify(probability), Pow(symbol, outcome)) for outcome, probability in items))

    def items(self) -> Iterator[tuple[int, Any]]:
        """Pairs of outcome and probability, possible outcomes only, in order."""
        for index, outcome in enumerate(self.support):
            probability = self._mass[index]
            if probability:
                yield outcome, probability

    def to_array(self) -> NDArray[np.float64]:
        """Probabilities over the support as a read-only float64 array."""
        return self._mass.floats()


def _order(order: int, least: int) -> int:
    number = validation.whole(order, "order", least)
    if number > _HIGHEST_ORDER:
        raise TooLargeError(f"expected an order of at most {_HIGHEST_ORDER}, got {shown(number)}")
    return number
