"""Why a number is what it is: the steps of a calculation, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from textwrap import wrap
from typing import TYPE_CHECKING

from mathhammer.display import Displayed
from mathhammer.display.numbers import MAXIMUM_FRACTION, fraction
from mathhammer.display.text import page_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.display.panel import Panel

#: Columns of a printed explanation, before it is indented.
WIDTH = 98


@dataclass(frozen=True, slots=True)
class Probability:
    """A named probability as a fraction of two integers, in lowest terms.

    Parameters
    ----------
    name
        What has this probability.
    numerator, denominator
        The fraction.
    """

    name: str
    numerator: int
    denominator: int

    def __post_init__(self) -> None:
        divisor = gcd(self.numerator, self.denominator)
        object.__setattr__(self, "numerator", self.numerator // divisor)
        object.__setattr__(self, "denominator", self.denominator // divisor)

    @property
    def fraction(self) -> str:
        """The fraction as text; a whole number without a denominator, and of a long one how long it is."""
        return fraction(self.numerator, self.denominator, limit=MAXIMUM_FRACTION)

    def __str__(self) -> str:
        return f"{self.name} {self.fraction}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, what it needs, what changed it, and the probabilities that come out.

    Parameters
    ----------
    name
        The roll, or what else is done.
    text
        What it needs.
    modifiers
        What changed it, with the source of each.
    probabilities
        What comes out.
    """

    name: str
    text: str
    modifiers: tuple[str, ...] = ()
    probabilities: tuple[Probability, ...] = ()

    def __str__(self) -> str:
        lines = _wrapped(f"{self.name:<15} ", self.text)
        for modifier in self.modifiers:
            lines += _wrapped(f"{'':<15}   ", modifier)
        if self.probabilities:
            lines += _wrapped(f"{'':<15} = ", ", ".join(map(str, self.probabilities)))
        return "\n".join(lines)


def _wrapped(first: str, text: str) -> list[str]:
    """Break a long line, below where its text begins."""
    return wrap(
        text,
        min(WIDTH, page_width() - 2),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Displayed):
    """A heading and the steps below it; ``print`` shows them, iteration gives them.

    Parameters
    ----------
    heading
        What is explained.
    steps
        In the order in which they are made.
    """

    heading: str
    steps: tuple[Step, ...] = field(default=())

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(
            [
                *wrap(self.heading, page_width()),
                *("  " + line for step in self.steps for line in str(step).split("\n")),
            ]
        )

    def _line(self) -> str:
        return f"{self.heading}: {len(self)} steps"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        rows = [
            [step.name, "; ".join([step.text, *step.modifiers]), ", ".join(map(str, step.probabilities))]
            for step in self.steps
        ]
        return Panel(
            self.heading, parts=[TablePart(["step", "what is rolled", "what comes out"], rows, "<<<")]
        )
