"""Numbers of the package as Python's own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def ratio(value: Any) -> Fraction:
    """Return an exact number of the package as a fraction."""
    return Fraction(int(value.numerator), int(value.denominator))
