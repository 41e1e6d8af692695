"""Vectors of probability mass in two arithmetics: float64 and exact, behind one protocol.

The arithmetic is chosen once, at the call that starts a computation. The exact one needs FLINT and the float64 one
NumPy, which are imported when one is first asked for.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, overload

from mathhammer import validation
from mathhammer.arithmetic.protocol import Arithmetic, Mass, Matrix, P, Step

if TYPE_CHECKING:
    from sympy import Rational

__all__ = ["Arithmetic", "Mass", "Matrix", "P", "Step", "arithmetic", "has_float64"]


@overload
def arithmetic(*, exact: Literal[False]) -> Arithmetic[float]: ...
@overload
def arithmetic(*, exact: Literal[True]) -> Arithmetic[Rational]: ...
@overload
def arithmetic(*, exact: bool) -> Arithmetic[float] | Arithmetic[Rational]: ...
def arithmetic(*, exact: bool) -> Arithmetic[float] | Arithmetic[Rational]:
    """Return the exact arithmetic or the float64 one.

    Examples
    --------
    >>> arithmetic(exact=False).mass.from_weights([1, 3], 4)[0]
    0.25
    """
    if exact is not False and validation.flag(exact, "exact"):
        from mathhammer.arithmetic.exact import EXACT

        return EXACT
    from mathhammer.arithmetic.float64 import FLOAT64

    return FLOAT64


def has_float64() -> bool:
    """Return whether there is a float64 arithmetic: it needs NumPy.

    Examples
    --------
    >>> has_float64()
    True
    """
    return find_spec("numpy") is not None
