"""Values that depend on a roll: conditions, mixtures, explosions, and one roll used more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn

from mathhammer import validation
from mathhammer.distributions.combination import explode, mixture, mixture_by_mass
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import LET, Constant, Expression, as_expression
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.expressions.condition import Condition

#: Most outcomes that the body of a `let` may have, over all values of the roll.
MAXIMUM_LET_OUTCOMES = 20_000_000
#: Outcomes that it is worth to make one part of the body anew for one value of the roll.
_PART = 20
#: How many times fewer outcomes than that a body has for one value, about.
_NARROWER = 8


@dataclass(frozen=True, slots=True, repr=False)
class Given(Expression):
    """A value under a condition: ``given(2D6, 7+)``."""

    value: Expression
    condition: Condition

    def bounds(self) -> tuple[int, int]:
        low, high = self.value.bounds()
        at = self.condition.values[0]
        if self.condition.kind == "below" and low < at <= high:
            return low, at - 1
        if self.condition.kind == "at least" and low <= at <= high:
            return at, high
        return low, high

    def compute(self) -> Distribution:
        return self.value.compute().given(self.condition)

    def __str__(self) -> str:
        return f"given({self.value}, {self.condition})"


@dataclass(frozen=True, slots=True, repr=False)
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
        """Weighted sum of the distributions."""
        weights = [weight for weight, _ in self.weighted]
        return mixture(weights, [value.compute() for _, value in self.weighted])

    def __str__(self) -> str:
        return f"mixture({', '.join(f'{weight}: {value}' for weight, value in self.weighted)})"


@dataclass(frozen=True, slots=True, repr=False)
class Exploded(Expression):
    """A die that is rolled again and added while it meets a condition: ``explode(D6, 6, depth 3)``."""

    #: What is rolled.
    die: Expression
    #: Which values are followed by another roll.
    condition: Condition
    #: Most further rolls.
    rolls: int
    #: What happens after the last of these. If true (``depth n``), rolls that would go on are left out, and the
    #: distribution carries their probability as its missing mass. If false (``at most n``), the rule itself stops: the
    #: last roll counts whatever it shows, and nothing is missing.
    truncated: bool

    def __post_init__(self) -> None:
        validation.set_whole(self, "rolls", "depth", 0)

    def bounds(self) -> tuple[int, int]:
        low, high = self.die.bounds()
        return min(low, low * (self.rolls + 1)), max(high, high * (self.rolls + 1))

    def compute(self) -> Distribution:
        """Sum over the number of further rolls."""
        return explode(self.die.compute(), self.condition, self.rolls, truncated=self.truncated)

    def __str__(self) -> str:
        end = "depth" if self.truncated else "at most"
        return f"explode({self.die}, {self.condition}, {end} {self.rolls})"


@dataclass(frozen=True, slots=True, repr=False)
class Variable(Expression):
    """The name of a roll inside a `Let`."""

    name: str

    def bounds(self) -> NoReturn:
        raise MathhammerError(
            f"expected {self.name!r} inside 'let {self.name} = ... in ...'; it is bound by nothing"
        )

    def compute(self) -> NoReturn:
        self.bounds()

    def substitute(self, name: str, value: Expression) -> Expression:
        return value if name == self.name else self

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class Span(Expression):
    """The bounds of a bound roll, which stand for it before it is made."""

    low: int
    high: int

    def bounds(self) -> tuple[int, int]:
        return self.low, self.high

    def compute(self) -> NoReturn:
        raise MathhammerError(f"expected an expression with a distribution, got the span {self}")

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True, repr=False)
class Let(Expression):
    """One roll used more than once: ``let x = D6 in x-x`` is always 0, while ``D6-D6`` are two dice."""

    name: str
    value: Expression
    body: Expression
    precedence: ClassVar[int] = LET

    def bounds(self) -> tuple[int, int]:
        return self._spanned().bounds()

    def _spanned(self) -> Expression:
        return self.body.substitute(self.name, Span(*self.value.bounds()))

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
        """Mixture of the distributions of the body over the values of the roll."""
        value = self.value.compute()
        bodies: dict[int, Distribution] = {
            outcome: self.body.substitute(self.name, Constant(outcome)).compute()
            for outcome, term in zip(value.support, value._mass.terms()[0], strict=True)
            if term
        }
        unused = next(iter(bodies.values()))
        if not value._misses() and all(body == unused for body in bodies.values()):
            return unused  # the roll does not matter: ``x-x`` is 0 and not almost 0 in float64
        components = [bodies.get(outcome, unused) for outcome in value.support]
        return mixture_by_mass(value._mass, components)

    def __str__(self) -> str:
        return f"let {self.name} = {self.value} in {self.body}"


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
    stack, taken = [inner := body(Variable(name))], set()
    while stack:
        part = stack.pop()
        taken |= {part.name} if isinstance(part, Let) else set()
        stack += [part.value, part.body] if isinstance(part, Let) else part.parts()
    while name in taken:
        name += "x"
    return Let(name, value, body(Variable(name)) if name != "x" else inner)


def mix(weighted: dict[Expression, int], /) -> Mixture:
    """Make a mixture of expressions with integer weights.

    Examples
    --------
    >>> from mathhammer import dice
    >>> mix({dice("D6"): 1, dice("D3"): 2}).distribution(exact=True).mean()  # (3.5 + 2 + 2) / 3
    5/2
    """
    validation.mapping(weighted, "a mapping from dice to weights", "such as {dice('D6'): 1, dice('D3'): 2}")
    return Mixture(
        tuple(
            (validation.whole(weight, "weight", 0), as_expression(value))
            for value, weight in weighted.items()
        )
    )
