"""The form of an answer of The 9th Age: what is rolled, what comes out, and where the rule or number comes from."""

from __future__ import annotations

from ast import literal_eval
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """One row."""

    id: str
    source: str
    inputs: dict[str, Any]
    expected: dict[str, Any]

    def __str__(self) -> str:
        return self.id

    def distribution(self, name: str) -> dict[int, Fraction]:
        """Read a distribution: ``"0: 7/9, 1: 2/9"``."""
        pairs = (item.split(":") for item in self.expected[name].split(","))
        return {int(outcome): Fraction(probability.strip()) for outcome, probability in pairs}


def cases(name: str) -> list[Case]:
    """Return the rows of a table."""
    lines = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Case(*literal_eval(line)) for line in lines if line and not line.startswith("#")]


def ratio(value: Any) -> Fraction:
    """Return an exact number of the package as Python's own."""
    return Fraction(int(value.numerator), int(value.denominator))
