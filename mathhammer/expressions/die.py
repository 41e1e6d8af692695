"""Dice: fair ones, ones with faces of their own, several of a kind, and the Direction Dice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import gcd
from typing import TYPE_CHECKING, ClassVar

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import DIE, Expression
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from sympy import Rational


#: Names of dice that are several D6 read as digits, and how many.
_DIGITS = {66: 2, 666: 3}


class Die(Expression):
    """A fair die with faces 1 to `sides`.

    Source: Warhammer 40,000 core rules, Dice; The 9th Age: Fantasy Battles, Rolling a D3.
    """

    sides: int
    precedence: ClassVar[int] = DIE
    form: ClassVar[str] = "D{0.sides}"

    def __post_init__(self) -> None:
        validation.set_whole(self, "sides", "number of sides of a die", 1)
        if self.sides in _DIGITS:
            raise MathhammerError(
                f"expected a die of another number of sides than {self.sides}: a D{self.sides} is "
                f"{_DIGITS[self.sides]} D6 read as digits, dice('D{self.sides}'); equal chances from 1 on are "
                f"faces(range(1, {self.sides + 1}))"
            )

    def bounds(self) -> tuple[int, int]:
        return 1, self.sides

    def compute(self) -> Distribution:
        return Distribution._new(mass_type(exact=True).from_weights((1,) * self.sides, self.sides), 1)


class Faces(Expression):
    """A die with any whole numbers as faces, each with a weight: ``D{0, 1:2, 2}``."""

    #: Pairs of a face and its weight, ascending, the weights without a common divisor: `faces` makes them.
    weighted: tuple[tuple[int, int], ...]
    precedence: ClassVar[int] = DIE

    def bounds(self) -> tuple[int, int]:
        return self.weighted[0][0], self.weighted[-1][0]

    def compute(self) -> Distribution:
        return Distribution.from_weights(dict(self.weighted), exact=True)

    def _text(self) -> str:
        for sides, die in DIGIT_DICE.items():
            if die == self:
                return f"D{sides}"
        texts = (f"{face}" if weight == 1 else f"{face}:{weight}" for face, weight in self.weighted)
        return f"D{{{', '.join(texts)}}}"


#: What the games call a D66 or a D666: D6 read one after another as digits.
DIGIT_DICE = {
    sides: Faces(tuple((int("".join(map(str, roll))), 1) for roll in product(range(1, 7), repeat=dice)))
    for sides, dice in _DIGITS.items()
}


def faces(values: Iterable[int] | Mapping[int, int], /) -> Faces:
    """Make a die of any faces: a list of faces, or a mapping of face to integer weight.

    Examples
    --------
    >>> str(faces([0, 1, 1, 2])), str(faces({1: 10, 6: 20}))
    ('D{0, 1:2, 2}', 'D{1, 6:2}')
    """
    found = validation.wholes(values, "whole numbers as faces, or a mapping from faces to weights")
    given = values.values() if isinstance(values, Mapping) else (1,) * len(found)
    times = validation.wholes(given, "weights of faces")
    weights = dict.fromkeys(sorted(found), 0)
    for face, weight in zip(found, times, strict=True):
        weights[face] += weight
    if not weights or min(weights.values()) < 0 or not any(weights.values()):
        raise MathhammerError(
            f"expected one face or more with weights of 0 or more, not all 0; got {shown(weights)}"
        )
    divisor = gcd(*weights.values())
    return Faces(tuple((face, weight // divisor) for face, weight in weights.items() if weight))


class Repeated(Expression):
    """The sum of `count` independent rolls of one expression: ``2D6``."""

    count: int
    each: Expression
    form: ClassVar[str] = "{0.count}{0.each:each}"

    def __post_init__(self) -> None:
        validation.set_whole(self, "count", "number of dice", 0)

    def bounds(self) -> tuple[int, int]:
        low, high = self.each.bounds()
        return self.count * low, self.count * high

    def compute(self) -> Distribution:
        return self.each.compute().repeat(self.count)


class Compound(Expression):
    """The sum of a random number of rolls: ``(2D6)D6`` rolls 2D6, and then as many D6."""

    count: Expression
    each: Expression
    form: ClassVar[str] = "({0.count}){0.each:each}"

    def bounds(self) -> tuple[int, int]:
        (fewest, most), (low, high) = self.count.bounds(), self.each.bounds()
        products = fewest * low, fewest * high, most * low, most * high
        return min(products), max(products)

    def compute(self) -> Distribution:
        number = self.count.compute()
        if number.support[0] < 0:
            raise MathhammerError(
                f"expected a random number of dice of 0 or more, but {self.count} can be {number.support[0]}; "
                f"max({self.count}, 0) cannot"
            )
        return number.compound(self.each.compute())


@dataclass(frozen=True, slots=True)
class DirectionDie:
    """A die that shows a direction: every bearing of the full circle is equally likely.

    Bearings are in degrees, clockwise from any mark on the table.

    Examples
    --------
    >>> direction = DirectionDie()
    >>> direction.probability_of_arc(315, 45)
    0.25

    References
    ----------
    The 9th Age: Fantasy Battles, The Direction Dice and Random Directions.
    """

    def probability_of_arc(
        self, start: float | Rational, stop: float | Rational, *, exact: bool = False
    ) -> float | Rational:
        """Probability that the bearing lies between two others, clockwise from `start` to `stop`, in degrees to 360.

        An arc from 0 to 360 is the circle; ``exact=True`` takes no floats, as they are no exact bearings.
        """
        if not (0 <= start <= 360 and 0 <= stop <= 360):
            raise MathhammerError(f"expected bearings from 0 to 360 degrees, got {shown(start)} and {stop!r}")
        if exact:
            from sympy import Rational

            if isinstance(start, float) or isinstance(stop, float):
                raise TypeError(
                    f"expected whole numbers or sympy.Rational for exact=True, got {shown(start)} and {stop!r}"
                )
            start, stop = Rational(start), Rational(stop)
        angle = stop - start
        share = (angle if angle >= 0 else angle + 360) / 360
        return share if exact else float(share)

    @staticmethod
    def pointing_face(top: int) -> int:
        """Return which face of a D6 points the way when `top` is rolled: 1, or 5 where the 1 points up or down."""
        if top not in range(1, 7):
            raise MathhammerError(f"expected the face of a D6, got {shown(top)}")
        return 5 if top in {1, 6} else 1

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: int | np.random.Generator | None = None
    ) -> float | np.ndarray:
        """Random bearings in degrees; `rng` is a seed or a NumPy generator."""
        import numpy as np

        drawn = np.random.default_rng(rng).uniform(0, 360, size=shape)
        return float(drawn) if shape == () else drawn
