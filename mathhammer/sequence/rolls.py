"""Results of rolls that are no attacks: tests and charges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mathhammer.arithmetic import mass_type
from mathhammer.display import Displayed
from mathhammer.display.numbers import percent
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Probability

if TYPE_CHECKING:
    from mathhammer.display.panel import Panel, Pictures
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.explanation import Step
    from mathhammer.sequence.rulings import Rulings

#: Denominators from here on are those of a float that is no fraction of dice.
_MOST_SHOWN = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class RollResult(Displayed, Reproducible):
    """Result of a test.

    Parameters
    ----------
    passed, failed
        Probabilities that it is passed, and that it is not, where exact in numbers that need no SymPy.
    roll
        Distribution of the roll before any re-roll.
    need
        What the roll is compared with.
    edition, rulings
        The rules used, and the option in force for each disputed ruling.
    heading, steps
        What `explain` says.
    at_least
        Whether a roll of `need` or more passes; otherwise one of `need` or less.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> result = t9a.discipline_test(7, exact=True)
    >>> result.probability_failure, result.roll.mean()
    (5/12, 7)
    """

    passed: Any
    failed: Any
    roll: Distribution
    need: int
    edition: str
    rulings: Rulings
    heading: str
    steps: tuple[Step, ...]
    at_least: bool = False

    @property
    def probability_success(self) -> Any:
        """Probability that it is passed."""
        return as_given(self.passed)

    @property
    def probability_failure(self) -> Any:
        """Probability that it is not passed."""
        return as_given(self.failed)

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self.roll.exact

    def explain(self) -> Explanation:
        """Step by step: what is rolled, what changed the number needed, and what comes out."""
        return Explanation(self.heading, self.steps)

    def _line(self) -> str:
        kind = "exact" if self.exact else "float64"
        chance = percent(self.passed)
        return f"{self.heading}, edition {self.edition}, {kind}: P(success) {chance}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        facts = {
            "edition": self.edition,
            "compared with": str(self.need),
            "P(success)": self.passed,
            "P(failure)": self.failed,
        }
        folded = [(self.rulings.sentence, self.rulings.table())]
        roll = bars(self.roll, "Roll, before any re-roll", view="at_least" if self.at_least else "cdf")
        return Panel(self.heading, facts, [roll], folded=folded)


@dataclass(frozen=True, eq=False, repr=False)
class ChargeResult(Displayed, Reproducible):
    """Result of a charge.

    Parameters
    ----------
    success
        Probability that the charge reaches the distance, where exact in numbers that need no SymPy.
    range
        Distribution of the distance that the charge can cover, as it decides about success.
    failed_move
        Distribution of the dice given that the charge failed, where a failed charge moves by them; None where it
        does not, or cannot fail.
    chances
        Pairs of a distance and the probability that a charge over it succeeds, in such numbers.
    distance
        The distance, in inches.
    edition, rulings
        The rules used, and the option in force for each disputed ruling.
    steps
        What `explain` says.
    more_than
        Whether the target is a little beyond the distance.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> t9a.charge(advance=4, distance=11, exact=True).failed_move.mean()  # 2D6 of 6 or less
    14/3
    """

    success: Any
    range: Distribution
    failed_move: Distribution | None
    chances: tuple[tuple[int, Any], ...]
    distance: int
    edition: str
    rulings: Rulings
    steps: tuple[Step, ...]
    more_than: bool = False

    @property
    def probability_success(self) -> Any:
        """Probability that the charge reaches the distance."""
        return as_given(self.success)

    @property
    def distances(self) -> tuple[tuple[int, Any], ...]:
        """Pairs of a distance and the probability that a charge reaches it."""
        return tuple((distance, as_given(chance)) for distance, chance in self.chances)

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self.range.exact

    def explain(self) -> Explanation:
        """Step by step: what is rolled, and what comes out."""
        return Explanation(f"Charge of {self._far()}", self.steps)

    def _far(self) -> str:
        return f'{"more than " * self.more_than}{self.distance}"'

    def _pictures(self) -> Pictures:
        from mathhammer.distributions.presentation import bars

        return {"range": lambda: bars(self.range, "charge range (inches)", view="at_least")}

    def _headline(self) -> str:
        return f"Charge of {self._line()}"

    def _line(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"{self._far()}, edition {self.edition}, {kind}: P(success) {percent(self.success)}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import NamedBars, Panel
        from mathhammer.distributions.presentation import bars

        facts = {"edition": self.edition, "P(success)": self.success}
        chances = [float(chance) for _, chance in self.chances]
        exact = [str(chance) for _, chance in self.chances] if self.exact else None
        labels = [f'{distance}"' for distance, _ in self.chances]
        reached = [NamedBars("distance", labels, chances, exact)] if labels else []
        moved = [bars(self.failed_move, "Inches moved if it fails")] if self.failed_move else []
        folded = [(self.rulings.sentence, self.rulings.table())]
        return Panel(f"Charge of {self._far()}", facts, [*reached, *moved], folded=folded)


def as_given(probability: Any) -> Any:
    """Return a probability as users are given it: ``sympy.Rational`` for an exact one."""
    if isinstance(probability, float):
        return probability
    return mass_type(exact=True).quotient(probability.numerator, probability.denominator)


def fraction(value: Any, name: str = "success") -> tuple[Probability, ...]:
    """Return a probability for an explanation, where it is a fraction of small numbers."""
    if isinstance(value, float):
        numerator, denominator = value.as_integer_ratio()
        return (Probability(name, numerator, denominator),) if denominator < _MOST_SHOWN else ()
    return (Probability(name, int(value.numerator), int(value.denominator)),)
