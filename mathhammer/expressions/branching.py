"""Values that depend on a roll: re-rolls, conditions, mixtures, explosions, and one roll used more than once.

Re-rolls are at most one for each die, judged on the unmodified value, before any modifier: Warhammer 40,000 core rules,
Re-rolls; The 9th Age: Fantasy Battles, Rerolling Dice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn

from mathhammer import validation
from mathhammer.arithmetic.pools import rerolled_best
from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import explode, mixture, mixture_by_mass
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import LET, Constant, Expression, as_expression
from mathhammer.expressions.die import Compound, Die, Faces, Repeated
from mathhammer.expressions.operations import Difference, Extreme, Sum
from mathhammer.expressions.pool import ExtraDice, OfRoll, Pool
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.expressions.check import FaceCondition

#: Most outcomes that the body of a `let` may have, over all values of the roll.
MAXIMUM_LET_OUTCOMES = 20_000_000
#: Outcomes that it is worth to make one part of the body anew for one value, and how many times fewer it has then.
_PART, _NARROWER = 20, 8
#: What is a roll if its parts are.
_ROLLS = Die | Faces | Compound | Repeated | Sum | Difference | Extreme | Pool | ExtraDice


class Rerolled(OfRoll):
    """A roll that is re-rolled, as a whole and once, where it meets a condition: ``reroll(D6, 1)``."""

    #: Which values are re-rolled.
    condition: FaceCondition
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

    def _text(self) -> str:
        return f"reroll({self.roll}, {'natural ' if self.natural else ''}{self.condition})"


class BestReroll(OfRoll):
    """A roll that may be re-rolled once if that helps: as a whole, or the dice of it that are chosen best.

    ``reroll(2D6, best for 9+)``, ``reroll(1 best of 2D6 for 9+)``.
    """

    target: int | None = None
    dice: int | None = None

    def __post_init__(self) -> None:
        _require_roll(self.roll)
        if self.target is not None:
            validation.set_whole(self, "target", "target")
        if self.dice is not None:
            validation.set_whole(self, "dice", "dice to re-roll", 0)
            if not (isinstance(self.roll, Repeated) and 1 <= self.dice <= self.roll.count):
                count, dice = validation.shown(getattr(self.roll, "count", 1)), validation.shown(self.dice)
                raise MathhammerError(f"expected 1 to {count} dice of {count} to re-roll, got {dice}")

    def compute(self) -> Distribution:
        roll, target = self.roll, self.target
        if self.dice is not None and isinstance(roll, Repeated):
            die = roll.each.compute()
            weights, denominator = die._complete("best re-roll").weights()
            low = roll.count * die._low
            above = None if target is None else target - low
            return Distribution._new(rerolled_best(weights, denominator, roll.count, self.dice, above), low)
        rolled = roll.compute()
        if target is not None:
            return rolled.reroll(lambda value: value < target)
        # The mean is compared exactly, so that a tie is no matter of rounding.
        weights, denominator = rolled._complete("best re-roll").weights()
        total = sum(value * weight for value, weight in zip(rolled.support, weights, strict=True))
        return rolled.reroll(lambda value: value * denominator < total)

    def _text(self) -> str:
        purpose = "" if self.target is None else f" for {self.target}+"
        what = f"{self.roll}, best" if self.dice is None else f"{self.dice} best of {self.roll}"
        return f"reroll({what}{purpose})"


def _require_roll(expression: Expression) -> None:
    """Refuse what is no roll: a number, a modified value, or dice that were re-rolled already."""
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Rerolled | BestReroll):
            raise MathhammerError(
                f"expected dice that were not re-rolled yet, got {part}; no die is re-rolled twice"
            )
        if not isinstance(part, _ROLLS):
            raise MathhammerError(
                f"expected a roll of dice to re-roll, got {expression}; re-rolls come before modifiers, as in "
                "reroll(D6, 1)+1"
            )
        stack += [part.each] if isinstance(part, Compound) else part.parts()


class Given(OfRoll):
    """A value under a condition: ``given(2D6, 7+)``."""

    condition: FaceCondition
    form: ClassVar[str] = "given({0.roll}, {0.condition})"

    def compute(self) -> Distribution:
        return self.roll.compute().given(self.condition)


class Mixture(Expression):
    """One of several expressions, drawn with integer weights: ``mixture(1: D6, 2: 2D6)``; each is rounded up itself."""

    weighted: tuple[tuple[int, Expression], ...]

    def __post_init__(self) -> None:
        if not self.weighted or min(weight for weight, _ in self.weighted) < 1:
            raise MathhammerError(f"expected weights of 1 or more in a mixture, got {shown(self.weighted)}")

    def bounds(self) -> tuple[int, int]:
        each = [value.bounds() for _, value in self.weighted]
        return min(low for low, _ in each), max(high for _, high in each)

    def compute(self) -> Distribution:
        weights, values = zip(*self.weighted, strict=True)
        return mixture(weights, [value.compute() for value in values])

    def _text(self) -> str:
        return f"mixture({', '.join(f'{weight}: {value}' for weight, value in self.weighted)})"


class Exploded(Expression):
    """A die that is rolled again and added while it meets a condition: ``explode(D6, 6, depth 3)``."""

    die: Expression
    #: Which values are followed by another roll, and the most further rolls.
    condition: FaceCondition
    rolls: int
    #: If true (``depth n``), dice that would go on after these are left out, their probability is carried as missing
    #: mass. If false (``at most n``), the rule itself stops: the last roll counts whatever it shows.
    truncated: bool

    def __post_init__(self) -> None:
        validation.set_whole(self, "rolls", "depth", 0)

    def bounds(self) -> tuple[int, int]:
        low, high = self.die.bounds()
        return min(low, low * (self.rolls + 1)), max(high, high * (self.rolls + 1))

    def compute(self) -> Distribution:
        return explode(self.die.compute(), self.condition, self.rolls, truncated=self.truncated)

    def _text(self) -> str:
        end = "depth" if self.truncated else "at most"
        return f"explode({self.die}, {self.condition}, {end} {self.rolls})"


class Variable(Expression):
    """The name of a roll inside a `Let`."""

    name: str
    form: ClassVar[str] = "{0.name}"

    def bounds(self) -> NoReturn:
        raise MathhammerError(
            f"expected {self.name!r} inside 'let {self.name} = ... in ...'; it is bound by nothing"
        )

    def compute(self) -> NoReturn:
        self.bounds()

    def substitute(self, name: str, value: Expression) -> Expression:
        return value if name == self.name else self


class Let(Expression):
    """One roll used more than once: ``let x = D6 in x-x`` is always 0, while ``D6-D6`` are two dice."""

    name: str
    value: Expression
    body: Expression
    precedence: ClassVar[int] = LET
    form: ClassVar[str] = "let {0.name} = {0.value} in {0.body}"

    def bounds(self) -> tuple[int, int]:
        return self._spanned().bounds()

    def _spanned(self) -> Expression:
        """Return the body of a die that has the bounds of the roll."""
        ends = sorted(set(self.value.bounds()))
        return self.body.substitute(self.name, Faces(tuple((end, 1) for end in ends)))

    def parts(self) -> Iterator[Expression]:
        yield self.value
        yield self._spanned()

    def work(self, own: int, parts: Sequence[int]) -> int:
        """Outcomes of the roll, and of the body for each of them; refused where they are too many."""
        low, high = self.value.bounds()
        total = (high - low + 1) * (parts[1] + _PART * self.body._size)
        if total > MAXIMUM_LET_OUTCOMES:
            raise TooLargeError(
                f"expected the body of a let to have at most {MAXIMUM_LET_OUTCOMES:,} outcomes over all values of "
                f"the roll, but {shown(self)} takes about {total:,}; bind a roll of fewer values"
            )
        # The bounds of the body are those of all values of the roll together: for one of them they are narrower.
        return own + parts[0] + total // _NARROWER

    def substitute(self, name: str, value: Expression) -> Expression:
        # A name that is bound anew here hides the other.
        body = self.body if name == self.name else self.body.substitute(name, value)
        return Let(self.name, self.value.substitute(name, value), body)

    def compute(self) -> Distribution:
        value = self.value.compute()
        bodies: dict[int, Distribution] = {
            outcome: self.body.substitute(self.name, Constant(outcome)).compute()
            for outcome, term in zip(value.support, value._mass.terms()[0], strict=True)
            if term
        }
        unrolled = next(iter(bodies.values()))
        return mixture_by_mass(value._mass, [bodies.get(outcome, unrolled) for outcome in value.support])


def let(value: Expression, body: Callable[[Variable], Expression], /) -> Let:
    """Use one roll more than once: ``let(D6, lambda x: x - x)``; its text chooses a free name.

    Examples
    --------
    >>> from mathhammer import dice
    >>> let(dice("D6"), lambda x: x - x).distribution(exact=True).pmf(0)
    1
    """
    name = "x"
    value = as_expression(value)
    validation.function(body, "what the roll is used in", "such as lambda x: x - x")
    inner = str(body(Variable(name)))
    while f"let {name} =" in inner:
        name += "x"
    return Let(name, value, body(Variable(name)))


def mix(weighted: dict[Expression, int], /) -> Mixture:
    """Make a mixture of expressions with integer weights.

    Examples
    --------
    >>> from mathhammer import dice
    >>> mix({dice("D6"): 1, dice("D3"): 2}).distribution(exact=True).mean()  # (3.5 + 2 + 2) / 3
    5/2
    """
    validation.mapping(weighted, "a mapping from dice to weights", "such as {dice('D6'): 1, dice('D3'): 2}")
    of = ((validation.whole(times, "weight", 0), as_expression(value)) for value, times in weighted.items())
    return Mixture(tuple(of))
