"""The joint distribution of several integer-valued quantities, with named axes."""

from __future__ import annotations

import math
from collections import defaultdict
from decimal import Decimal
from functools import partial
from itertools import product as cartesian
from numbers import Real
from operator import eq, mul
from typing import TYPE_CHECKING, Any, overload

from mathhammer import validation
from mathhammer.display import shorten
from mathhammer.distributions.base import FiniteDistribution, times_root
from mathhammer.distributions.serialisation import as_outcome, as_written_by, mass_from_dict, mass_to_dict
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from mathhammer.arithmetic.mass import Mass


class JointDistribution(FiniteDistribution[tuple[int, ...]]):
    """An immutable distribution of tuples of integers, one named axis for each place.

    Attributes
    ----------
    axes
        Names of the axes.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> bolter = wh40k.Weapon("Bolter", range='24"', attacks=2, skill="3+", strength=4, ap=0, damage=1)
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> state = wh40k.attack(bolter, marines, exact=True).state
    >>> state.axes
    ('kills', 'wounds_lost_by_next')
    """

    __slots__ = ("_index", "_outcomes", "axes")

    axes: tuple[str, ...]
    _outcomes: tuple[tuple[int, ...], ...]
    _index: dict[tuple[int, ...], Any] | None

    def __init__(self, axes: Sequence[str], outcomes: Sequence[tuple[int, ...]], mass: Mass) -> None:
        if len(outcomes) != len(mass):
            raise MathhammerError(
                f"expected {len(mass)} outcomes for {len(mass)} entries, got {len(outcomes)}"
            )
        object.__setattr__(self, "axes", tuple(axes))
        object.__setattr__(self, "_outcomes", tuple(outcomes))
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_index", None)

    @classmethod
    def from_distribution(
        cls, axes: Sequence[str], distribution: Distribution, outcome: Callable[[int], tuple[int, ...]]
    ) -> JointDistribution:
        """Distribution of a tuple that is a one-to-one function of one quantity."""
        return JointDistribution(axes, [outcome(k) for k in distribution.support], distribution._mass)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return JointDistribution, (self.axes, self._outcomes, self._mass)

    def _with(self, mass: Mass) -> JointDistribution:
        return JointDistribution(self.axes, self._outcomes, mass)

    def _key(self) -> object:
        return self.axes, self.exact, tuple(self.items())

    def pmf(self, outcome: Sequence[int], /) -> Any:
        """Probability of one tuple."""
        index = self._index
        if index is None:
            index = defaultdict(int)
            for key, term in zip(self._outcomes, self._mass.terms()[0], strict=True):
                index[key] += term
            object.__setattr__(self, "_index", index)
        wanted = validation.wholes(outcome, "a tuple of whole numbers as outcome")
        return self._mass.quotient(index.get(wanted, 0), self._mass._denominator)

    def total(self) -> Any:
        """Sum of all probabilities: exactly 1 in exact arithmetic."""
        return self._mass.total()

    def map(self, function: Callable[..., int], /) -> Distribution:
        """Distribution of an integer function of the coordinates."""
        validation.function(
            function, "what maps the coordinates", "such as lambda *coordinates: sum(coordinates)"
        )
        images = [as_outcome(function(*outcome)) for outcome in self._outcomes]
        return Distribution._of_images(self._mass, images)

    @overload
    def marginal(self, axis: str, /) -> Distribution: ...
    @overload
    def marginal(self, axis: str, second: str, /, *more: str) -> JointDistribution: ...
    def marginal(self, axis: str, /, *more: str) -> Distribution | JointDistribution:
        """Distribution of one axis, or the joint distribution of several."""
        if not more:
            place = self._place(axis)
            return self.map(lambda *outcome: outcome[place])
        places = [self._place(name) for name in (axis, *more)]
        outcomes = [tuple(outcome[place] for place in places) for outcome in self._outcomes]
        return JointDistribution((axis, *more), *_merged(outcomes, self._mass))

    def given(self, **values: int | Callable[[int], bool]) -> JointDistribution:
        """Joint distribution under conditions on axes: a value, or a predicate of the value.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> roll = distribution("D6", exact=True).joint(face=lambda f: f, even=lambda f: f % 2 == 0)
        >>> roll.given(even=1).marginal("face").mean()
        4
        """
        for each in values.values():
            callable(each) or validation.instance(
                each, (Real, Decimal), "the value of an axis, or a function of it"
            )
        tests = [
            (self._place(axis), value if callable(value) else partial(eq, value))
            for axis, value in values.items()
        ]
        terms, denominator = self._mass.terms()
        kept = [
            (outcome, term)
            for outcome, term in zip(self._outcomes, terms, strict=True)
            if term and all(test(outcome[place]) for place, test in tests)
        ]
        if not kept:
            raise MathhammerError(
                f"expected a condition that can be met, but no outcome of {self!r} meets it"
            )
        mass = type(self._mass).from_terms([term for _, term in kept], denominator).normalised()
        return JointDistribution(self.axes, [outcome for outcome, _ in kept], mass)

    def covariance(self, first: str, second: str, /) -> Any:
        """Covariance of two axes.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> roll = distribution("D6", exact=True).joint(face=lambda f: f, value=lambda f: (f + 1) // 2)
        >>> roll.covariance("face", "value")
        4/3
        """
        one, two = (
            [outcome[place] for outcome in self._outcomes] for place in map(self._place, (first, second))
        )
        terms, whole = self._mass.terms()
        mean = [sum(map(mul, terms, column)) for column in (one, two, map(mul, one, two))]
        return self._mass.quotient(mean[2] * whole - mean[0] * mean[1], whole**2)

    def correlation(self, first: str, second: str, /) -> Any:
        """Pearson's correlation of two axes: a float, or a sympy expression of an exact distribution."""
        variances: Any = self.marginal(first).variance(), self.marginal(second).variance()
        if not all(variances):
            raise MathhammerError(f"expected axes that vary, but {first!r} or {second!r} has one value only")
        covariance: Any = self.covariance(first, second)
        if not self.exact:
            return covariance / (math.sqrt(variances[0]) * math.sqrt(variances[1]))
        product = variances[0] * variances[1]
        return times_root(covariance / product, product)

    @staticmethod
    def independent(**distributions: Distribution) -> JointDistribution:
        """Joint distribution of independent quantities, one named axis each.

        Examples
        --------
        >>> from mathhammer import distribution
        >>> d6 = distribution("D6", exact=True)
        >>> JointDistribution.independent(hits=d6, saves=d6).pmf((6, 6))
        1/36
        """
        if not distributions:
            raise MathhammerError("expected one named distribution or more, got none")
        first, *others = validation.items(
            distributions.values(), Distribution, "distributions, one for each axis"
        )
        mass = first._complete("joint distribution")
        for other in others:
            first._same_arithmetic(other)
            mass = mass.chained([other._complete("joint distribution")] * len(mass))
        outcomes = list(cartesian(*(distribution.support for distribution in distributions.values())))
        return JointDistribution(tuple(distributions), outcomes, mass)

    def to_dict(self) -> dict[str, object]:
        """Return what JSON can hold; exact values as decimal integers in text, which keeps every digit."""
        outcomes = [list(outcome) for outcome in self._outcomes]
        axes = list(self.axes)
        return {"type": "joint distribution", "axes": axes, "outcomes": outcomes, **mass_to_dict(self._mass)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], /) -> JointDistribution:
        """Return the distribution that `to_dict` wrote."""
        with as_written_by("JointDistribution.to_dict()"):
            if data["type"] != "joint distribution":
                raise MathhammerError(f"expected a joint distribution, got {data['type']!r}")
            axes = [validation.text(name, "the name of an axis") for name in data["axes"]]
            outcomes = [
                validation.wholes(outcome, "whole numbers as outcomes") for outcome in data["outcomes"]
            ]
            if len(set(axes)) != len(axes) or any(len(outcome) != len(axes) for outcome in outcomes):
                raise MathhammerError(
                    f"expected outcomes of {len(axes)} numbers each, one for each axis of its own name"
                )
            return JointDistribution(axes, outcomes, mass_from_dict({**data, "missing": 0.0}))

    def plot(self, *, ax: Axes | None = None, title: str | None = None, **artist: Any) -> Axes:
        """Draw a distribution of two axes as a heat map and return the Axes."""
        from mathhammer import plot
        from mathhammer.distributions.presentation import whole_heat

        return plot.draw(whole_heat(self), ax=ax, title=title, **artist)

    def _place(self, axis: str) -> int:
        if not isinstance(axis, str) or axis not in self.axes:
            raise UnknownNameError(f"expected one of the axes {', '.join(self.axes)}; got {shown(axis)}")
        return self.axes.index(axis)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        facts = f"{len(self._outcomes)} outcomes, {kind}, of ({', '.join(self.axes)})"
        return f"<JointDistribution {shorten(facts)}>"

    def __str__(self) -> str:
        from mathhammer.distributions.presentation import joint_table

        return joint_table(self)

    def _repr_html_(self) -> str | None:
        from mathhammer.distributions.presentation import joint_html

        return joint_html(self)


def _merged(outcomes: Sequence[tuple[int, ...]], mass: Mass) -> tuple[list[tuple[int, ...]], Mass]:
    """Return distinct outcomes in order and their mass."""
    distinct = sorted(set(outcomes))
    places = {outcome: index for index, outcome in enumerate(distinct)}
    return distinct, mass.image([places[outcome] for outcome in outcomes], len(distinct))
