"""Exact mass that is shown in floats: integers inside, of which each number is rounded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from mathhammer.arithmetic.exact_mass import ExactMass

if TYPE_CHECKING:
    from flint import fmpz


class RoundedMass(ExactMass):
    """The same vector, of which each single number is a float: for what prints few of them, without NumPy."""

    __slots__ = ()

    exact: ClassVar[bool] = False

    @classmethod
    def of(cls, mass: ExactMass) -> RoundedMass:
        """Return exact mass with its numbers as floats."""
        return cls(mass._numerators, mass._denominator, len(mass))

    @staticmethod
    def quotient(numerator: fmpz | int, denominator: fmpz | int) -> float:  # type: ignore[override] # by intention
        """Quotient of two integers, rounded once."""
        return int(numerator) / int(denominator)

    @staticmethod
    def probability(numerator: fmpz | int, denominator: fmpz | int) -> float:  # type: ignore[override] # as above
        """Quotient of two integers, which is never above 1."""
        return int(numerator) / int(denominator)
