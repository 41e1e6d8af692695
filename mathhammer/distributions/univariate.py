"""The distribution of one integer-valued quantity."""

from __future__ import annotations

import math
from itertools import accumulate
from operator import le, mul, sub
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.display.numbers import value_text
from mathhammer.distributions.base import BaseDistribution
from mathhammer.distributions.serialisation import (
    FORMAT,
    as_outcome,
    as_written_by,
    mass_from_dict,
    mass_to_dict,
    require_outcomes,
)
from mathhammer.errors import MathhammerError, TooLargeError, WrongTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.display.panel import Pictures
    from mathhammer.distributions.joint import JointDistribution

#: Dimensions of an array of samples, at most: as many as NumPy has had.
MOST_AXES = 32

# A distribution of more characters than this has a short form that cannot be executed: six floats fit.
_MAXIMUM_REPR = 160

_OF_AN_OUTCOME = "such as lambda outcome: outcome >= 3"


class Distribution(BaseDistribution):
    """An immutable probability distribution on a finite range of integers.

    The arithmetic is that of the probabilities: ``float`` values make a float64 distribution, ``int`` and
    ``sympy.Rational`` values an exact one. Two distributions of different arithmetics do not mix.

    Parameters
    ----------
    probabilities
        Outcome to probability; they sum to 1.

    Notes
    -----
    Either way all is computed in whole numbers over one denominator: a float is the exact number, rounded once.

    Examples
    --------
    >>> from sympy import Rational
    >>> coin = Distribution({0: Rational(1, 2), 1: Rational(1, 2)})
    >>> coin.mean(), coin.exact
    (1/2, True)
    """

    __slots__ = ()

    @classmethod
    def from_weights(cls, weights: Mapping[int, int], *, exact: bool = False) -> Distribution:
        """Distribution whose probabilities stand in the ratio of the given integers.

        Examples
        --------
        >>> Distribution.from_weights({1: 1, 2: 2}, exact=True).pmf(2)
        2/3
        """
        validation.mapping(weights, "a mapping from outcomes to weights", "such as {1: 1, 2: 3}")
        outcomes = validation.wholes(weights, "whole numbers as outcomes")
        numbers = validation.wholes(weights.values(), "whole numbers as weights")
        weights = dict(zip(outcomes, numbers, strict=True))
        if not weights or min(weights.values()) < 0 or not any(weights.values()):
            raise MathhammerError(
                "expected one or more integer weights of 0 or more with a positive sum, got "
                f"{validation.shown(weights)}"
            )
        low, high = min(weights), max(weights)
        require_outcomes(low, high)
        dense = [weights.get(outcome, 0) for outcome in range(low, high + 1)]
        mass = mass_type(exact=exact).from_weights(dense, sum(dense))
        return Distribution._new(mass, low)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return type(self)._new, (self._mass, self._low)

    def _same_arithmetic(self, other: Distribution) -> None:
        if not isinstance(other, Distribution):
            raise WrongTypeError(
                f"expected a Distribution, got {validation.shown(other)}; mh.distribution(...) makes one"
            )
        if self.exact != other.exact:
            raise WrongTypeError(
                "expected two distributions of one arithmetic, got an exact one and a float64 one; "
                "make both with the same exact=..., or call to_floats() on the exact one"
            )

    def __add__(self, other: Distribution | int) -> Distribution:
        """Sum of two independent quantities, or a shift by a number."""
        if not isinstance(other, Distribution):
            number = other if type(other) is int else validation.as_whole(other)
            if number is None:
                return NotImplemented
            require_outcomes(self._low + number, self.support[-1] + number)
            return Distribution._new(self._mass, self._low + number)
        self._same_arithmetic(other)
        mass = self._mass.convolve(other._mass)
        return Distribution._new(mass, self._low + other._low)

    __radd__ = __add__

    def __neg__(self) -> Distribution:
        return self._of_images(self._mass, [-outcome for outcome in self.support])

    def __sub__(self, other: Distribution | int) -> Distribution:
        """Difference of two independent quantities."""
        return self + (
            -other if isinstance(other, Distribution) else -validation.whole(other, "what is subtracted")
        )

    def __rsub__(self, other: int) -> Distribution:
        return -self + other

    def repeat(self, n: int, /) -> Distribution:
        """Sum of `n` independent copies.

        Examples
        --------
        >>> d6 = Distribution.from_weights(dict.fromkeys(range(1, 7), 1), exact=True)
        >>> d6.repeat(2).pmf(7)
        1/6
        """
        n = validation.whole(n, "number of copies", 0)
        require_outcomes(self._low * n, self.support[-1] * n)
        return Distribution._new(self._mass.power(n), self._low * n)

    __rmatmul__ = repeat

    def compound(self, term: Distribution, /) -> Distribution:
        """Sum of N independent copies of `term`, where N has this distribution: a compound distribution.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = distribution("D6", exact=True)
        >>> d6.compound(d6).mean()
        49/4
        """
        self._same_arithmetic(term)
        if self._low < 0:
            raise MathhammerError(
                f"expected a random number of copies of 0 or more, got support {self.support}"
            )
        last = self.support[-1]
        if term.support[-1] <= 0 and term._low < 0:
            return -self.compound(-term)
        require_outcomes(min(0, last * term._low), last * term.support[-1])
        # From 0 or below on, a term needs no shift.
        inner = term._mass.padded(max(0, term._low))
        low = min(0, term._low)
        found = Distribution._new(self._mass.compound(inner, low=low), (last - self._low) * low)
        return found + term.repeat(self._low) if self._low else found

    def given(self, condition: Callable[[int], bool], /) -> Distribution:
        """Distribution under the condition that the outcome satisfies a predicate.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6", exact=True).given(lambda total: total >= 10).pmf(12)
        1/6
        """
        validation.function(condition, "condition", _OF_AN_OUTCOME)
        terms, denominator = self._complete("conditioning").terms()
        terms = list(map(mul, terms, [bool(condition(outcome)) for outcome in self.support]))
        if not any(terms):
            raise MathhammerError(
                f"expected a condition that can be met, but no outcome of {self!r} meets it"
            )
        return self._with(type(self._mass).from_terms(terms, denominator).normalised())

    def reroll(self, condition: Callable[[int], bool], /) -> Distribution:
        """Distribution of a roll that is re-rolled, once, where it meets a predicate.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).reroll(lambda face: face == 1).mean()
        47/12
        """
        validation.function(condition, "condition", _OF_AN_OUTCOME)
        terms, denominator = self._complete("re-roll").terms()
        stays = [not condition(outcome) for outcome in self.support]
        chance = denominator - sum(map(mul, terms, stays))
        mixed = [term * (chance + denominator * stay) for term, stay in zip(terms, stays, strict=True)]
        return self._with(type(self._mass).from_terms(mixed, denominator * denominator))

    def normalised(self) -> Distribution:
        """Distribution given that nothing is missing."""
        return self._with(self._mass.normalised())

    def joint(self, **functions: Callable[[int], int]) -> JointDistribution:
        """Joint distribution of functions of one and the same roll, one named axis each.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d3 = distribution("D6", exact=True).joint(face=lambda f: f, value=lambda f: (f + 1) // 2)
        >>> d3.given(value=1).marginal("face").pmf(2)
        1/2
        """
        from mathhammer.distributions.joint import JointDistribution

        for name, each in functions.items():
            validation.function(each, name, _OF_AN_OUTCOME)
        outcomes = [tuple(as_outcome(function(k)) for function in functions.values()) for k in self.support]
        return JointDistribution(tuple(functions), outcomes, self._complete("joint distribution"))

    def map(self, function: Callable[[int], int], /) -> Distribution:
        """Distribution of a function of the outcome.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).map(lambda face: (face + 1) // 2).pmf(3)
        1/3
        """
        validation.function(function, "what maps an outcome", _OF_AN_OUTCOME)
        return self._of_images(self._mass, [as_outcome(function(k)) for k in self.support])

    def _image(self, images: Sequence[int]) -> Distribution:
        return Distribution._of_images(self._mass, images)

    @staticmethod
    def _of_images(mass: Mass, images: Sequence[int]) -> Distribution:
        """Distribution of ``images[i]``, where i is distributed as the mass."""
        low, high = min(images), max(images)
        require_outcomes(low, high)
        found = mass.image([image - low for image in images] if low else images, high - low + 1)
        return Distribution._new(found, low)

    def probability_greater(self, other: Distribution, /) -> Any:
        """P(X > Y) of two independent quantities.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = distribution("D6", exact=True)
        >>> d6.probability_greater(d6), d6.probability_greater(d6 + d6)
        (5/12, 5/54)
        """
        self._same_arithmetic(other)
        (mine, a), (theirs, b) = self._mass.terms(), other._mass.terms()
        below: list[Any] = [0, *accumulate(theirs)]
        shift = self._low - other._low
        total = sum(
            p * below[min(index + shift, len(theirs))] for index, p in enumerate(mine) if index + shift > 0
        )
        return self._mass.quotient(total, a * b)

    def dominates(self, other: Distribution, /, *, order: Literal[1, 2] = 1) -> bool:
        """True if this distribution stochastically dominates another; each dominates itself.

        First order: for every k this one is at least as likely to reach k. Second order: every risk-averse
        player prefers it; a distribution dominates each of its mean-preserving spreads.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> best, d6 = distribution("max(D6, D6)"), distribution("D6")
        >>> best.dominates(d6), d6.dominates(best)
        (True, False)
        """
        if order not in {1, 2}:
            raise MathhammerError(
                f"expected stochastic dominance of order 1 or 2, got {validation.shown(order)}"
            )
        sums = [accumulate(terms) for terms in self._beside(other, "stochastic dominance")[:2]]
        return all(map(le, *(sums if order == 1 else map(accumulate, sums))))

    def total_variation(self, other: Distribution, /) -> Any:
        """Total variation distance: the largest difference of the probabilities of one event."""
        mine, theirs, scale = self._beside(other)
        return self._mass.quotient(sum(map(abs, map(sub, mine, theirs))), 2 * scale)

    def kolmogorov_smirnov(self, other: Distribution, /) -> Any:
        """Kolmogorov-Smirnov distance: the largest difference of the cdfs."""
        mine, theirs, scale = self._beside(other)
        return self._mass.quotient(max(map(abs, accumulate(map(sub, mine, theirs)))), scale)

    def earth_mover(self, other: Distribution, /) -> Any:
        """Earth mover's (Wasserstein) distance: the area between the cdfs.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("D6", exact=True).earth_mover(distribution("D6+2", exact=True))
        2
        """
        mine, theirs, scale = self._beside(other, "distance to another")
        return self._mass.quotient(sum(map(abs, accumulate(map(sub, mine, theirs)))), scale)

    def _beside(self, other: Distribution, complete: str = "") -> tuple[list[Any], list[Any], Any]:
        """Return the mass of both over one range of outcomes and one denominator; refuse some that is missing."""
        self._same_arithmetic(other)
        if complete:
            self._complete(complete), other._complete(complete)
        (mine, a), (theirs, b) = self._mass.terms(), other._mass.terms()
        low, high = min(self._low, other._low), max(self.support[-1], other.support[-1])
        first, second = (
            [0] * (start - low) + [term * factor for term in terms] + [0] * (high - start - len(terms) + 1)
            for terms, factor, start in ((mine, b, self._low), (theirs, a, other._low))
        )
        return first, second, a * b

    def fractions(self) -> Iterator[tuple[int, int]]:
        """Numerator and denominator of each probability over the support, in lowest terms; of exact distributions."""
        mass = self._mass.in_fractions()  # FLINT's greatest common divisors of long numbers are the fast ones
        for ratio in map(mass.__getitem__, range(len(mass))):
            yield int(ratio.p), int(ratio.q)

    def to_dict(self) -> dict[str, object]:
        """Return what JSON can hold; exact values as decimal integers in text, which keeps every digit.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> data = distribution("D6÷2", exact=True).to_dict()
        >>> data["low"], data["numerators"], data["denominator"]
        (1, ['1', '1', '1'], '3')
        """
        data = {"type": "distribution", "low": self._low, **mass_to_dict(self._mass)}
        if not self.exact and self._misses():
            data["missing"] = float(self.missing)
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any], /) -> Distribution:
        """Return the distribution that `to_dict` wrote."""
        with as_written_by("Distribution.to_dict()"):
            low = validation.plain(data["low"])
            if data["type"] != "distribution" or type(low) is not int:
                raise MathhammerError(
                    f"expected a distribution with a whole number as low, got {validation.shown(low)}"
                )
            mass = mass_from_dict(data)
            require_outcomes(low, low + len(mass) - 1)
            return Distribution._new(mass, low)

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        import json

        return json.dumps(self.to_dict())

    @staticmethod
    def from_json(text: str, /) -> Distribution:
        """Return the distribution that `to_json` wrote."""
        import json

        with as_written_by("Distribution.to_json()"):
            return Distribution.from_dict(json.loads(text))

    def to_text(self) -> str:
        """Return a text that reproduces this distribution anywhere: see :func:`mathhammer.from_text`.

        It is short for the distribution of a dice expression; any other one is written out in full.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> print(distribution("2D6+3", exact=True).to_text())
        mathhammer 1: dice, exact
        dice: 2D6+3
        end
        """
        known = getattr(self, "_dice", None) is not None and self._dice.reads_back
        said = f"dice: {self._dice}" if known else f"distribution: {self.to_json()}"
        return f"mathhammer {FORMAT}: dice{', exact' * self.exact}\n{said}\nend"

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: int | np.random.Generator | None = None
    ) -> int | NDArray[np.int64]:
        """Random outcomes of the given shape; `rng` is a seed or a NumPy generator."""
        import numpy as np

        several = isinstance(shape, tuple | list)
        sizes = tuple(validation.whole(size, "shape", 0) for size in (shape if several else (shape,)))  # type: ignore[union-attr]
        if (number := math.prod(max(1, size) for size in sizes)) > validation.MOST_AT_ONCE or len(
            sizes
        ) > MOST_AXES:
            raise TooLargeError(
                f"expected a shape of at most {validation.MOST_AT_ONCE:,} samples in {MOST_AXES} dimensions, got "
                f"{number:,} in {len(sizes)}"
            )
        self._complete("samples")
        probabilities = self.to_array()
        generator = np.random.default_rng(rng)
        with np.errstate(under="ignore"):
            shares = probabilities / probabilities.sum()
            drawn = generator.choice(np.array(self.support), size=sizes, p=shares)
        return int(drawn) if sizes == () else drawn

    def plot(
        self,
        kind: str = "pmf",
        *,
        ax: Axes | None = None,
        title: str | None = None,
        unit: str = "outcome",
        **artist: Any,
    ) -> Axes:
        """Draw the distribution and return the Axes: see :func:`mathhammer.plot.draw`.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> distribution("2D6").plot("at_least").get_ylabel()
        'probability of at least this many'
        """
        from mathhammer import plot
        from mathhammer.distributions.presentation import bars

        return plot.draw(
            bars(self, validation.text(unit, "unit")), kind or "pmf", ax=ax, title=title, **artist
        )

    def _pictures(self) -> Pictures:
        from mathhammer.distributions.presentation import bars

        return {"outcome": lambda: bars(self, "outcome")}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        import numpy as np

        return np.array(self.to_array(), dtype=dtype, copy=copy)

    def _key(self) -> tuple[object, ...]:
        if not self.exact:
            return self._low, tuple(self._mass.to_list()), self._misses()
        weights, denominator = self._mass.weights()
        return self._low, denominator, tuple(weights)

    def __repr__(self) -> str:
        if len(self._mass) <= 8 and not self._misses():
            inner = ", ".join(
                f"{outcome}: {value_text(probability)}"
                for outcome, probability in self._in_fractions().items()
            )
            if len(whole := f"Distribution({{{inner}}})") <= _MAXIMUM_REPR:
                return whole
        kind = "exact" if self.exact else "float64"
        shown = self._in_fractions()
        note = f"missing {self._missing_text()}" if self._misses() else f"mean {float(shown.mean()):.6g}"
        return f"<Distribution {self.support[0]}..{self.support[-1]}, {kind}, {note}>"

    def __str__(self) -> str:
        from mathhammer.distributions.presentation import table

        return table(self)

    def _repr_html_(self) -> str:
        from mathhammer.distributions.presentation import bars

        return bars(self, "").html()
