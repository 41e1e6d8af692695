"""What one distribution says by itself: probabilities, quantiles, moments."""

from __future__ import annotations

import math
from collections.abc import Hashable
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, NoReturn, Self, TypeVar

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.display import Displayed
from mathhammer.display.numbers import value_text
from mathhammer.distributions.serialisation import read_probabilities
from mathhammer.errors import MathhammerError, TooLargeError, WrongTypeError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sympy import Expr, Rational, Symbol

    from mathhammer.arithmetic.mass import Mass

K = TypeVar("K", bound=Hashable)

#: Of moments and cumulants.
_HIGHEST_ORDER = 100

#: Digits of the longest fraction of missing mass that is written out, and bits of the greatest number of which a square
#: root is simplified.
_SHORT, _FACTORED = 40, 64


class Luck(NamedTuple):
    """How lucky an outcome was: chances of it or a greater one, of it or a smaller one; mid-p is small for luck."""

    at_least: Any
    at_most: Any
    mid_p: Any


class FiniteDistribution(Generic[K]):
    """An immutable distribution on finitely many outcomes: what those of numbers, tuples and names share."""

    __slots__ = ("_mass",)

    _outcomes: Sequence[K]
    #: That of each outcome, in their order.
    _mass: Mass

    def _with(self, mass: Mass) -> Self:
        """Return the distribution of the same outcomes with other mass."""
        raise NotImplementedError

    def _key(self) -> object:
        """Return what equal distributions have in common."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable; cannot set {shown(name)}")

    def __eq__(self, other: object) -> bool:
        """Whether arithmetic, outcomes and every probability are the same."""
        return self._key() == other._key() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._mass.exact

    def items(self) -> Iterator[tuple[K, Any]]:
        """Pairs of outcome and probability, possible outcomes only, in order."""
        for index, outcome in enumerate(self._outcomes):
            if probability := self._mass[index]:
                yield outcome, probability

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each possible outcome: itself, or its coordinates by name, and its probability as a float.

        Examples
        --------
        >>> import mathhammer as mh
        >>> mh.distribution("D2").to_records()
        [{'outcome': 1, 'probability': 0.5}, {'outcome': 2, 'probability': 0.5}]
        """
        several: Any = getattr(self, "axes", None)
        axes = several or ("outcome",)
        if "probability" in axes:
            raise MathhammerError(f"expected axes of other names than 'probability' for records, got {axes}")
        found: dict[Any, Any] = {}
        for outcome, mass in self._in_fractions().items():  # functions of an outcome may be equal
            each: Any = outcome if several else (outcome,)
            found[each] = found[each] + mass if each in found else mass
        return [{**dict(zip(axes, each, strict=True)), "probability": float(p)} for each, p in found.items()]

    to_dataframe = Displayed.to_dataframe

    def to_floats(self) -> Self:
        """Return the same distribution in float64, each probability rounded once."""
        return self.handed_out(exact=False)

    def handed_out(self, *, exact: bool) -> Self:
        """Return the same distribution with fractions or with floats."""
        return self if self.exact == exact else self._with(mass_type(exact=exact).of(self._mass))

    def _in_fractions(self) -> Self:
        """Return this distribution in numbers that need no SymPy: see `in_fractions`."""
        return self._with(self._mass.in_fractions()) if self.exact else self


class BaseDistribution(FiniteDistribution[int]):
    """The part of a `Distribution` that needs no other distribution."""

    __slots__ = ("_dice", "_low")
    __array_ufunc__ = None  # ``array * distribution`` must call our operator, not broadcast

    _low: int
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

    @classmethod
    def _new(cls, mass: Mass, low: int) -> Self:
        """Wrap trusted mass: the constructor validates, this does not."""
        made = object.__new__(cls)
        made._set(mass, low)
        return made

    def _with(self, mass: Mass) -> Self:
        return self._new(mass, self._low)

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

    _outcomes = support

    def pmf(self, k: Any, /) -> Any:
        """Probability of exactly `k`; an array of outcomes gives an array of the same shape.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).pmf(7), distribution("2D6", exact=True).pmf(3.5)
        (1/6, 0)
        """
        return self._at(k, self._pmf)

    def _pmf(self, k: Any) -> Any:
        index = int(k) - self._low
        held = k == int(k) and 0 <= index < self._mass._length
        return self._mass[index] if held else self._mass.quotient(0, 1)

    def _at(self, k: Any, function: Callable[[Any], Any]) -> Any:
        """Evaluate at a number, or at each element of an array; numbers beyond the support count as next to it."""
        number = k if type(k) is int else validation.as_whole(k)
        if number is not None:
            return function(number)
        if isinstance(k, Real) and not isinstance(k, bool):
            return function(self._near(k))
        import numpy as np

        outcomes = np.asarray(validation.few(k))
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
        """Probability of `k` or more.

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
            The outcome that was rolled.

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

        levels = np.asarray(validation.few(probability))
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
        order, mass = _order(order, 0), self._complete("moments")
        if kind not in {"raw", "central", "standardized"}:
            raise MathhammerError(f"expected kind 'raw', 'central' or 'standardized', got {shown(kind)}")
        value: Any = mass.moment(self.support, order, central=kind != "raw")
        if kind != "standardized":
            return value
        variance: Any = mass.moment(self.support, 2, central=True)
        if not variance:
            raise MathhammerError(
                "expected a distribution with more than one outcome for a standardised moment"
            )
        if not mass.exact:
            return value / math.sqrt(variance) ** order
        whole = value / variance ** (-(-order // 2))
        return times_root(whole, variance) if order % 2 else whole

    def cumulant(self, order: int, /) -> Any:
        """Cumulant of the given order, 1 or more: cumulants of independent quantities add.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).cumulant(4), distribution("100D6", exact=True).cumulant(4)
        (-259/24, -6475/6)
        """
        order, mass = _order(order, 1), self._complete("cumulants")
        if order == 1:
            return mass.moment(self.support, 1, central=False)
        central: dict[int, Any] = {n: mass.moment(self.support, n, central=True) for n in range(2, order + 1)}
        cumulants: dict[int, Any] = {}
        for n in range(2, order + 1):
            known = (math.comb(n - 1, j - 1) * cumulants[j] * central[n - j] for j in range(2, n - 1))
            cumulants[n] = central[n] - sum(known)
        return cumulants[order]

    def standard_deviation(self) -> Any:
        """Square root of the variance: a float, or a sympy expression of an exact distribution.

        The root of a fraction of many digits is not simplified; ``float`` gives its value.
        """
        variance: Any = self.variance()
        return times_root(1, variance) if self.exact else math.sqrt(variance)

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
        return Add(*(Mul(sympify(chance), Pow(symbol, outcome)) for outcome, chance in self.items()))

    def to_array(self) -> NDArray[np.float64]:
        """Probabilities over the support as a read-only float64 array."""
        import numpy as np

        values = np.array(self._mass.to_list())
        values.flags.writeable = False
        return values


def _order(order: int, least: int) -> int:
    number = validation.whole(order, "order", least)
    if number > _HIGHEST_ORDER:
        raise TooLargeError(f"expected an order of at most {_HIGHEST_ORDER}, got {shown(number)}")
    return number


def times_root(factor: Rational | int, square: Rational) -> Any:
    """Return a number times the square root of another, which is in lowest terms only where that is no work."""
    from sympy import Mul, Pow, Rational, sqrt

    if max(square.p, square.q).bit_length() <= _FACTORED:
        return factor * sqrt(square)  # type: ignore[no-untyped-call]
    root = Pow(square, Rational(1, 2), evaluate=False)
    return root if factor == 1 else Mul(factor, root, evaluate=False)
