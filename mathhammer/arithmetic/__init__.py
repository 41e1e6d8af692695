"""Vectors of probability mass: whole numbers over one denominator, handed out as fractions or as rounded floats.

All is computed in whole numbers; how single numbers are handed out is chosen where a result is. FLINT is imported when
one is first asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mathhammer import validation

if TYPE_CHECKING:
    from mathhammer.arithmetic.mass import Mass


def mass_type(*, exact: bool) -> type[Mass]:
    """Return the vectors that hand out fractions, or those that hand out floats.

    Examples
    --------
    >>> mass_type(exact=True).from_weights([1, 3], 4)[0], mass_type(exact=False).from_weights([1, 3], 4)[0]
    (1/4, 0.25)
    """
    return _type(exact is not False and validation.flag(exact, "exact"))


@cache
def _type(exact: bool) -> type[Mass]:  # noqa: FBT001 - a key of the cache
    from mathhammer.arithmetic.mass import Mass, RoundedMass

    return Mass if exact else RoundedMass
