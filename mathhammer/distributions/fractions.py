"""Distributions in numbers that print, compare and add without SymPy, or without NumPy."""

from __future__ import annotations

from typing import Protocol, TypeVar

_Same_co = TypeVar("_Same_co", covariant=True)


class _OfProbabilities(Protocol[_Same_co]):
    def _in_fractions(self) -> _Same_co: ...


def in_fractions(distribution: _OfProbabilities[_Same_co], /) -> _Same_co:
    """Return the same distribution, whose numbers are ``flint.fmpq`` where they would be ``sympy.Rational``.

    SymPy is what users are given, and takes longer to import than most attacks to compute: what is only printed, or
    goes on into another computation, does without it.
    """
    return distribution._in_fractions()
