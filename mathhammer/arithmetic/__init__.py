"""Vectors of probability mass: whole numbers over one denominator, handed out as fractions or as rounded floats.

All is computed in whole numbers; how single numbers are handed out is chosen where a result is. FLINT is imported when
one is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer import validation

if TYPE_CHECKING:
    from mathhammer.arithmetic.mass import Mass


def mass_type(*, exact: bool) -> type[Mass]:
    """Return the vectors that hand out fractions, or those that hand out floats."""
    from mathhammer.arithmetic.mass import Mass, RoundedMass

    return Mass if exact is not False and validation.flag(exact, "exact") else RoundedMass
