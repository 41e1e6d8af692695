"""Distributions of things that are not numbers: named outcomes of a roll, states of a game."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from mathhammer.arithmetic import mass_type
from mathhammer.display import MAXIMUM_LINE, Displayed
from mathhammer.display.numbers import percent, value_text
from mathhammer.distributions.base import FiniteDistribution, K
from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.serialisation import as_outcome
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.display.panel import NamedBars, Panel

L = TypeVar("L", bound=Hashable)


class CategoricalDistribution(Displayed, FiniteDistribution[K]):
    """An immutable distribution on finitely many distinct outcomes of any kind, in a fixed order.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> roll = distribution("2D6", exact=True)
    >>> test = CategoricalDistribution.of(roll, lambda total: "pass" if total >= 7 else "fail", ("fail", "pass"))
    >>> test.pmf("pass"), list(test)
    (7/12, ['fail', 'pass'])
    """

    __slots__ = ("_outcomes", "_places")

    _outcomes: tuple[K, ...]
    _places: dict[K, int]
    to_records = FiniteDistribution.to_records

    def __init__(self, outcomes: Sequence[K], mass: Mass) -> None:
        places = {outcome: place for place, outcome in enumerate(outcomes)}
        if len(places) != len(outcomes) or len(outcomes) != len(mass):
            raise MathhammerError(
                f"expected {len(mass)} distinct outcomes for {len(mass)} entries, got {len(places)} distinct ones"
            )
        object.__setattr__(self, "_outcomes", tuple(outcomes))
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_places", places)

    @classmethod
    def of(
        cls, quantity: Distribution, function: Callable[[int], K], outcomes: Sequence[K] = ()
    ) -> CategoricalDistribution[K]:
        """Distribution of a function of a number.

        Parameters
        ----------
        quantity
            The distribution of the number.
        function
            The outcome that a number stands for.
        outcomes
            Outcomes in the order wanted, possible or not; others follow in the order in which they come up.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> roll = distribution("2D6", exact=True)
        >>> CategoricalDistribution.of(roll, lambda total: "pass" if total >= 7 else "fail").pmf("pass")
        7/12
        """
        images = [function(value) for value in quantity.support]
        return _merged(images, quantity._complete("outcomes"), outcomes)

    @classmethod
    def certain(cls, outcome: K, *, exact: bool) -> CategoricalDistribution[K]:
        """Distribution with a single outcome."""
        return CategoricalDistribution((outcome,), mass_type(exact=exact).from_weights((1,), 1))

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return CategoricalDistribution, (self._outcomes, self._mass)

    def _with(self, mass: Mass) -> CategoricalDistribution[K]:
        return CategoricalDistribution(self._outcomes, mass)

    def _key(self) -> object:
        return self.exact, frozenset(self.items())

    def __iter__(self) -> Iterator[K]:
        return iter(self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)

    def pmf(self, outcome: K, /) -> Any:
        """Probability of one outcome; 0 if it is none of this distribution's."""
        place = self._places.get(outcome)
        return self._mass.quotient(0, 1) if place is None else self._mass[place]

    def probability(self, condition: Callable[[K], bool], /) -> Any:
        """Probability that the outcome fulfils a condition."""
        terms, denominator = self._mass.terms()
        chosen = [term for key, term in zip(self._outcomes, terms, strict=True) if condition(key)]
        return self._mass.quotient(sum(chosen), denominator)

    def map(self, function: Callable[[K], L], outcomes: Sequence[L] = (), /) -> CategoricalDistribution[L]:
        """Distribution of a function of the outcome."""
        return _merged([function(outcome) for outcome in self._outcomes], self._mass, outcomes)

    def number(self, function: Callable[[K], int], /) -> Distribution:
        """Distribution of a whole number that the outcome stands for."""
        images = [as_outcome(function(outcome)) for outcome in self._outcomes]
        return Distribution._of_images(self._mass, images)

    def joint(self, axes: Sequence[str], function: Callable[[K], tuple[int, ...]], /) -> JointDistribution:
        """Joint distribution of several whole numbers that the outcome stands for."""
        images = list(map(function, self._outcomes))
        merged = _merged(images, self._mass, sorted(set(images)))
        return JointDistribution(axes, merged._outcomes, merged._mass)

    def then(self, step: Callable[[K], CategoricalDistribution[L]], /) -> CategoricalDistribution[L]:
        """Distribution after one more step whose distribution depends on the outcome: the chain rule.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = CategoricalDistribution.of(distribution("D6", exact=True), lambda face: face)
        >>> again = lambda face: d6 if face == 6 else CategoricalDistribution.certain(face, exact=True)
        >>> d6.then(again).pmf(6)
        1/36
        """
        distributions = [step(outcome) for outcome in self._outcomes]
        images = [each for distribution in distributions for each in distribution._outcomes]
        return _merged(images, self._mass.chained([distribution._mass for distribution in distributions]), ())

    def expected(self, value: Callable[[K], Any], /) -> Any:
        """Mean of a function of the outcome."""
        if not self.exact:
            pairs = zip(self._outcomes, self._mass.to_list(), strict=True)
            return math.fsum(chance * value(outcome) for outcome, chance in pairs)
        from sympy import Rational

        weights, denominator = self.weights()
        return (
            sum((weight * value(outcome) for outcome, weight in weights.items()), Rational(0)) / denominator
        )

    def weights(self) -> tuple[dict[K, int], int]:
        """Integer weights by outcome, and their denominator; of exact distributions only."""
        weights, denominator = self._mass.weights()
        return dict(zip(self._outcomes, weights, strict=True)), denominator

    def _headline(self) -> str:
        return ""

    def part(self, name: str) -> NamedBars:
        """Return the distribution as a part of what an object shows of itself, `name` being what the outcomes are."""
        from mathhammer.display.numbers import MAXIMUM_FRACTION, fraction
        from mathhammer.display.panel import NamedBars
        from mathhammer.distributions.presentation import shown_floats

        exact = None
        if self.exact:
            shown = self._in_fractions()  # also of outcomes without probability, which items() leaves out
            chances = [shown.pmf(outcome) for outcome in self]
            exact = [fraction(int(each.p), int(each.q), limit=MAXIMUM_FRACTION) for each in chances]
        return NamedBars(name, list(map(str, self)), shown_floats(self), exact)

    def __repr__(self) -> str:
        inner = ", ".join(
            f"{outcome!r}: {value_text(probability)}" for outcome, probability in self._in_fractions().items()
        )
        whole = f"CategoricalDistribution({{{inner}}})"
        return whole if len(whole) <= MAXIMUM_LINE else super().__repr__()

    def _line(self) -> str:
        return ", ".join(
            f"{outcome} {percent(probability)}" for outcome, probability in self._in_fractions().items()
        )

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel

        return Panel("", parts=[self.part("outcome")])


def _merged(images: Sequence[L], mass: Mass, outcomes: Iterable[L]) -> CategoricalDistribution[L]:
    """Add up the mass of equal outcomes, the named ones first."""
    places = {each: place for place, each in enumerate(dict.fromkeys((*outcomes, *images)))}
    merged = mass.image([places[image] for image in images], len(places))
    return CategoricalDistribution(tuple(places), merged)
