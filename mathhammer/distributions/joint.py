"""The joint law of several integer-valued quantities, with named axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn

from mathhammer.arithmetic import Mass, P
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["JointDistribution"]


class JointDistribution(Generic[P]):
    """An immutable law of tuples of integers, one named axis for each place.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> bolter = wh40k.Weapon("Bolter", range='24"', attacks=2, skill="3+", strength=4, ap=0, damage=1)
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> state = wh40k.attack(bolter, marines, exact=True).state
    >>> state.axes
    ('models_destroyed', 'wounds_lost_by_next')
    >>> state.pmf((1, 0))
    1/81
    """

    __slots__ = ("_index", "_mass", "_outcomes", "axes")

    axes: tuple[str, ...]

    def __init__(self, axes: Sequence[str], outcomes: Sequence[tuple[int, ...]], mass: Mass[P]) -> None:
        if len(outcomes) != len(mass):
            raise MathhammerError(f"expected {len(mass)} outcomes for {len(mass)} entries, got {len(outcomes)}")
        object.__setattr__(self, "axes", tuple(axes))
        object.__setattr__(self, "_outcomes", tuple(outcomes))
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_index", None)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a JointDistribution is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        mass: Any = self._mass.weights() if self.exact else (self._mass.floats().copy(),)
        return _restore, (self.axes, self._outcomes, mass)

    @property
    def exact(self) -> bool:
        """Whether the probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._mass.exact

    def items(self) -> Iterator[tuple[tuple[int, ...], P]]:
        """Pairs of outcome and probability, possible outcomes only."""
        for index, outcome in enumerate(self._outcomes):
            probability = self._mass[index]
            if probability:
                yield outcome, probability

    def pmf(self, outcome: Sequence[int], /) -> P:
        """Probability of one tuple."""
        if self._index is None:
            object.__setattr__(self, "_index", {key: index for index, key in enumerate(self._outcomes)})
        index = self._index.get(tuple(outcome))  # type: ignore[attr-defined]
        return self._mass.total(0, 0) if index is None else self._mass[index]

    def total(self) -> P:
        """Sum of all probabilities: exactly 1 in exact arithmetic."""
        return self._mass.total()

    def map(self, function: Callable[..., int], /) -> Distribution[P]:
        """Law of an integer function of the coordinates."""
        images = [function(*outcome) for outcome in self._outcomes]
        low = min(images)
        mass = self._mass.image([image - low for image in images], max(images) - low + 1)
        return Distribution._new(mass, low)

    def marginal(self, axis: str, /) -> Distribution[P]:
        """Law of one axis.

        Raises
        ------
        UnknownNameError
            If there is no such axis.
        """
        place = self._place(axis)
        return self.map(lambda *outcome: outcome[place])

    def _place(self, axis: str) -> int:
        if axis not in self.axes:
            raise UnknownNameError(f"expected one of the axes {', '.join(self.axes)}; got {axis!r}")
        return self.axes.index(axis)

    def _key(self) -> tuple[Any, ...]:
        return self.axes, self.exact, tuple(self.items())

    def __eq__(self, other: object) -> bool:
        """Whether axes, arithmetic and every probability are the same."""
        if not isinstance(other, JointDistribution):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"<JointDistribution of ({', '.join(self.axes)}), {len(self._outcomes)} outcomes, {kind}>"


def _restore(
    axes: tuple[str, ...], outcomes: tuple[tuple[int, ...], ...], mass: tuple[Any, ...]
) -> JointDistribution[Any]:
    from mathhammer.arithmetic import arithmetic

    if len(mass) == 2:
        return JointDistribution(axes, outcomes, arithmetic(exact=True).mass.from_weights(*mass))
    from mathhammer.arithmetic.float64 import Float64Mass

    return JointDistribution(axes, outcomes, Float64Mass(mass[0]))
