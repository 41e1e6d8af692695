"""Vectors of probability mass: whole numbers over one denominator, handed out as fractions or as rounded floats.

Which of them is chosen once, at the call that starts a computation. FLINT is imported when one is first asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer import validation

if TYPE_CHECKING:
    from mathhammer.arithmetic.mass import Mass
    from mathhammer.arithmetic.matrix import Matrix

__all__ = ["Arithmetic", "arithmetic"]


class Arithmetic(NamedTuple):
    """The vectors and matrices that hand out fractions, or those that hand out floats.

    Examples
    --------
    >>> arithmetic(exact=True).mass.from_weights([1, 3], 4)[0]
    1/4
    """

    mass: type[Mass]
    matrix: type[Matrix]


def arithmetic(*, exact: bool) -> Arithmetic:
    """Return the arithmetic that hands out fractions, or the one that hands out floats.

    Examples
    --------
    >>> arithmetic(exact=False).mass.from_weights([1, 3], 4)[0]
    0.25
    """
    return _of(exact is not False and validation.flag(exact, "exact"))


@cache
def _of(exact: bool) -> Arithmetic:  # noqa: FBT001 - a key of the cache
    from mathhammer.arithmetic.mass import Mass, RoundedMass
    from mathhammer.arithmetic.matrix import Matrix, RoundedMatrix

    return Arithmetic(Mass, Matrix) if exact else Arithmetic(RoundedMass, RoundedMatrix)
