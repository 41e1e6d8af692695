"""The Direction Dice: a uniform bearing, and the D6 that may stand in for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    import numpy as np
    from sympy import Rational


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
        """Probability that the bearing lies between two others, going clockwise from `start` to `stop`.

        Parameters
        ----------
        start, stop
            In degrees, from 0 to 360; 0 and 360 are the same bearing, and an arc from 0 to 360 is the circle.
        exact
            Whether the result is a ``sympy.Rational``; then floats are not taken, they are no exact bearings.
        """
        if not (0 <= start <= 360 and 0 <= stop <= 360):
            raise MathhammerError(f"expected bearings from 0 to 360 degrees, got {shown(start)} and {stop!r}")
        if not exact:
            width = float(stop - start)
            return (width if width >= 0 else width + 360) / 360
        if isinstance(start, float) or isinstance(stop, float):
            raise TypeError(
                f"expected whole numbers or sympy.Rational for exact=True, got {shown(start)} and {stop!r}"
            )
        from sympy import Rational

        angle = Rational(stop) - Rational(start)
        share: Rational = (angle if angle >= 0 else angle + 360) / 360
        return share

    @staticmethod
    def pointing_face(top: int) -> int:
        """Return which face of a D6 points the way when `top` is rolled: 1, or 5 where the 1 points up or down.

        Examples
        --------
        >>> [DirectionDie.pointing_face(top) for top in range(1, 7)]
        [5, 1, 1, 1, 1, 5]
        """
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
