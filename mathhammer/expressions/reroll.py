"""Re-rolls: at most once per die, judged on the unmodified value, before any modifier.

Warhammer 40,000 core rules, Re-rolls; The 9th Age: Fantasy Battles, Rerolling Dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Expression
from mathhammer.expressions.die import Compound, Die, Faces, Repeated
from mathhammer.expressions.operations import Difference, Maximum, Minimum, Sum
from mathhammer.expressions.pool import ExtraDice, Maximised, OfRoll, Pool

if TYPE_CHECKING:
    from mathhammer.expressions.condition import Condition


@dataclass(frozen=True, slots=True, repr=False)
class Rerolled(OfRoll):
    """A roll that is re-rolled, as a whole and once, where it meets a condition: ``reroll(D6, 1)``."""

    #: What is rolled.
    roll: Expression
    #: Which values are re-rolled.
    condition: Condition
    #: Of a D3: judge the face of the D6 rather than the halved value.
    natural: bool = False

    def __post_init__(self) -> None:
        _require_roll(self.roll)
        object.__setattr__(self, "natural", validation.flag(self.natural, "natural"))
        if self.natural and self.roll != Die(3):
            raise MathhammerError(
                f"expected a D3 for a re-roll judged on the natural face, got {self.roll}; the value of any "
                "other die is its face"
            )

    def compute(self) -> Distribution:
        if self.natural:
            return Die(6).compute().reroll(self.condition).map(lambda face: (face + 1) // 2)
        return self.roll.compute().reroll(self.condition)

    def __str__(self) -> str:
        return f"reroll({self.roll}, {'natural ' if self.natural else ''}{self.condition})"


@dataclass(frozen=True, slots=True, repr=False)
class BestReroll(OfRoll):
    """A roll that may be re-rolled, as a whole and once, if that helps: ``reroll(2D6, best for 9+)``."""

    roll: Expression
    target: int | None = None

    def __post_init__(self) -> None:
        _require_roll(self.roll)
        if self.target is not None:
            validation.set_whole(self, "target", "target")

    def compute(self) -> Distribution:
        # The mean is compared exactly, so that a tie is no matter of rounding.
        rolled = self.roll.compute()
        if (target := self.target) is not None:
            return rolled.reroll(lambda value: value < target)
        weights, denominator = rolled._complete("best re-roll").weights()
        total = sum(value * weight for value, weight in zip(rolled.support, weights, strict=True))
        return rolled.reroll(lambda value: value * denominator < total)

    def __str__(self) -> str:
        return f"reroll({self.roll}, best{_purpose(self.target)})"


@dataclass(frozen=True, slots=True, repr=False)
class BestDiceReroll(Expression):
    """A pool of which some dice may be re-rolled, chosen best: ``reroll(1 best of 2D6 for 9+)``."""

    dice: int
    count: int
    die: Expression
    target: int | None = None

    def __post_init__(self) -> None:
        _require_roll(self.die)
        validation.set_whole(self, "dice", "dice to re-roll", 0)
        if self.target is not None:
            validation.set_whole(self, "target", "target")
        if not 1 <= self.dice <= self.count:
            count, dice = validation.shown(self.count), validation.shown(self.dice)
            raise MathhammerError(f"expected 1 to {count} dice of {count} to re-roll, got {dice}")

    def bounds(self) -> tuple[int, int]:
        return Repeated(self.count, self.die).bounds()

    def compute(self) -> Distribution:
        from mathhammer.arithmetic.pools import rerolled_best

        distribution = self.die.compute()
        low = self.count * distribution._low
        target = None if self.target is None else self.target - low
        weights, denominator = distribution._complete("best re-roll").weights()
        mass = rerolled_best(weights, denominator, self.count, self.dice, target)
        return Distribution._new(mass, low)

    def __str__(self) -> str:
        return f"reroll({self.dice} best of {Repeated(self.count, self.die)}{_purpose(self.target)})"


def _purpose(target: int | None) -> str:
    return "" if target is None else f" for {target}+"


def _require_roll(expression: Expression) -> None:
    """Refuse what is no roll: a number, a modified value, or dice that were re-rolled already."""
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Die | Faces):
            continue
        if isinstance(part, Rerolled | BestReroll | BestDiceReroll):
            raise MathhammerError(
                f"expected dice that were not re-rolled yet, got {part}; no die is re-rolled twice"
            )
        if isinstance(part, Compound):
            stack.append(part.each)
        elif isinstance(part, Repeated | Sum | Difference | Maximum | Minimum | Pool | ExtraDice | Maximised):
            stack += part.parts()
        else:
            raise MathhammerError(
                f"expected a roll of dice to re-roll, got {expression}; re-rolls come before modifiers, as in "
                "reroll(D6, 1)+1"
            )
