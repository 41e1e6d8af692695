"""Distributions in numbers that print, compare and add without SymPy, or without NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from mathhammer.distributions.univariate import Distribution

_Same_co = TypeVar("_Same_co", covariant=True)


class _OfProbabilities(Protocol[_Same_co]):
    def _in_fractions(self) -> _Same_co: ...


def in_fractions(distribution: _OfProbabilities[_Same_co], /) -> _Same_co:
    """Return the same distribution, whose numbers are ``flint.fmpq`` where they would be ``sympy.Rational``.

    SymPy is what users are given, and takes longer to import than most attacks to compute: what is only printed, or
    goes on into another computation, does without it.

    Parameters
    ----------
    distribution
        A distribution of either arithmetic, or the state of a unit; in float64 it is returned as it is.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> print(in_fractions(distribution("2D6", exact=True)).at_least(9))
    5/18
    """
    return distribution._in_fractions()


def in_floats(distribution: Distribution[Any], /) -> Distribution[float]:
    """Return the same distribution, whose numbers are floats where they would be fractions, each rounded once.

    ``to_floats()`` is for those who compute on; this is for what prints few numbers, as it does without NumPy, which
    takes longer to import than they take to compute.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> in_floats(distribution("2D6", exact=True)).at_least(9)
    0.2777777777777778
    """
    from mathhammer.arithmetic.exact_mass import RoundedMass

    if not distribution.exact:
        return distribution
    mass: Any = distribution._mass
    return type(distribution)._new(RoundedMass.of(mass), distribution._low)
