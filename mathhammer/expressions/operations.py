"""Operations on values: modifiers with one rounding at the end, extremes, comparison, one roll used more than once.

Warhammer 40,000 10th edition, Rules Commentary, Modifiers: fractions are rounded up after all modifiers.
"""

from __future__ import annotations

import operator
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, ClassVar, Literal, NoReturn

from mathhammer import validation
from mathhammer.distributions import combination as distributions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import COMPARISON, LET, PRODUCT, SUM, Constant, Expression, as_expression
from mathhammer.expressions.die import Faces
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution

#: Most outcomes that the body of a `let` may have, over all values of the roll.
MAXIMUM_LET_OUTCOMES = 20_000_000
#: Outcomes that it is worth to make one part of the body anew for one value, and how many times fewer it has then.
_PART, _NARROWER = 20, 8

Relation = Literal[">=", ">", "<=", "<", "=", "!="]


class _Modified(Expression):
    """A value that may be a fraction until it is rounded up."""

    def bounds(self) -> tuple[int, int]:
        low, high, denominator = self.scaled_bounds()
        return -(-low // denominator), -(-high // denominator)

    def compute(self) -> Distribution:
        distribution, denominator = self.compute_scaled()
        return distribution if denominator == 1 else distribution.map(lambda value: -(-value // denominator))


class _Addition(_Modified):
    """Terms of a chain of sums and differences, which are added all at once."""

    left: Expression
    right: Expression
    sign: ClassVar[str]
    precedence: ClassVar[int] = SUM
    form: ClassVar[str] = "{0.left:sum}{0.sign}{0.right:added}"

    def terms(self) -> list[tuple[int, Expression]]:
        """Return the terms in order, each with its sign."""
        found: list[tuple[int, Expression]] = []
        chain: Expression = self
        while isinstance(chain, _Addition):
            found.append((1 if isinstance(chain, Sum) else -1, chain.right))
            chain = chain.left
        return [(1, chain), *reversed(found)]

    def parts(self) -> Iterator[Expression]:
        """Yield the terms: no sum of only some of them is made."""
        yield from (term for _, term in self.terms())

    def work(self, own: int, parts: Sequence[int]) -> int:
        """Outcomes of a tree of sums of two: as many levels as halves lead to one term."""
        return own * (len(parts) - 1).bit_length() + sum(parts)

    def scaled_bounds(self) -> tuple[int, int, int]:
        bounds = [(sign, *term.scaled_bounds()) for sign, term in self.terms()]
        common = lcm(*(denominator for *_, denominator in bounds))
        ends = [
            sorted((sign * low * (common // d), sign * high * (common // d))) for sign, low, high, d in bounds
        ]
        return sum(low for low, _ in ends), sum(high for _, high in ends), common

    def compute_scaled(self) -> tuple[Distribution, int]:
        """Convolution of the distributions of the terms; constants only move it."""
        constant = sum(sign * term.value for sign, term in self.terms() if isinstance(term, Constant))
        terms = [
            (sign, *each.compute_scaled()) for sign, each in self.terms() if not isinstance(each, Constant)
        ]
        if not terms:
            return Constant(constant).compute(), 1
        common = lcm(*(denominator for *_, denominator in terms))
        scaled = [_times(term, sign * common // denominator) for sign, term, denominator in terms]
        return distributions.convolution(scaled) + constant * common, common


class Sum(_Addition):
    """The sum of two independent expressions."""

    sign: ClassVar[str] = "+"


class Difference(_Addition):
    """The difference of two independent expressions."""

    sign: ClassVar[str] = "-"


class Product(_Modified):
    """The product of two independent expressions: ``D6×2`` is one die doubled, ``D6×D6`` are two dice."""

    left: Expression
    right: Expression
    precedence: ClassVar[int] = PRODUCT
    form: ClassVar[str] = "{0.left:product}×{0.right:factor}"

    def scaled_bounds(self) -> tuple[int, int, int]:
        (a, b, m), (c, d, n) = self.left.scaled_bounds(), self.right.scaled_bounds()
        products = a * c, a * d, b * c, b * d
        return min(products), max(products), m * n

    def compute_scaled(self) -> tuple[Distribution, int]:
        (left, m), (right, n) = self.left.compute_scaled(), self.right.compute_scaled()
        return distributions.product(left, right), m * n


class Quotient(_Modified):
    """A value divided by a whole number; the fraction stays until all modifiers are applied."""

    value: Expression
    divisor: int
    precedence: ClassVar[int] = PRODUCT
    form: ClassVar[str] = "{0.value:product}÷{0.divisor}"

    def __post_init__(self) -> None:
        validation.set_whole(self, "divisor", "number to divide by", 1)

    def scaled_bounds(self) -> tuple[int, int, int]:
        low, high, denominator = self.value.scaled_bounds()
        return low, high, denominator * self.divisor

    def compute_scaled(self) -> tuple[Distribution, int]:
        distribution, denominator = self.value.compute_scaled()
        return distribution, denominator * self.divisor


class Rounded(Expression):
    """A fraction rounded at once: ``floor(D6÷2)``, ``ceil(D6÷2)`` or ``round(D6÷2)``, of which a half is rounded up."""

    value: Expression
    direction: Literal["floor", "ceil", "round"]
    form: ClassVar[str] = "{0.direction}({0.value})"

    def bounds(self) -> tuple[int, int]:
        low, high, denominator = self.value.scaled_bounds()
        return self._round(low, denominator), self._round(high, denominator)

    def compute(self) -> Distribution:
        distribution, denominator = self.value.compute_scaled()
        return distribution.map(lambda value: self._round(value, denominator))

    def _round(self, value: int, denominator: int) -> int:
        more = {"floor": 0, "round": denominator // 2, "ceil": denominator - 1}[self.direction]
        return (value + more) // denominator


class Extreme(Expression):
    """The greatest or the smallest of independent values: ``max(D6-2, 1)``, ``min(D6, 3)``."""

    values: tuple[Expression, ...]
    name: Literal["max", "min"]

    def __post_init__(self) -> None:
        if not self.values:
            raise MathhammerError(f"expected one value or more in {self.name}(...), got none")

    def bounds(self) -> tuple[int, int]:
        low, high = zip(*(value.bounds() for value in self.values), strict=True)
        extreme = max if self.name == "max" else min
        return extreme(low), extreme(high)

    def compute(self) -> Distribution:
        combined = distributions.maximum if self.name == "max" else distributions.minimum
        return reduce(combined, (value.compute() for value in self.values))

    def _text(self) -> str:
        return f"{self.name}({', '.join(map(str, self.values))})"


class Comparison(Expression):
    """1 where a relation between two independent values holds, else 0: ``2D6>=9``."""

    left: Expression
    relation: Relation
    right: Expression
    precedence: ClassVar[int] = COMPARISON
    form: ClassVar[str] = "{0.left:sum}{0.relation}{0.right:sum}"

    def __post_init__(self) -> None:
        if not isinstance(self.relation, str) or self.relation not in RELATIONS:
            raise MathhammerError(
                f"expected a relation of {', '.join(RELATIONS)}; got {shown(self.relation)}"
            )

    def bounds(self) -> tuple[int, int]:
        return 0, 1

    def compute(self) -> Distribution:
        holds = RELATIONS[self.relation]
        difference, _ = Difference(self.left, self.right).compute_scaled()
        return difference.map(lambda value: int(holds(value, 0)))

    def parts(self) -> Iterator[Expression]:
        """Yield both sides and their difference, whose distribution is made on the way."""
        yield from (self.left, self.right, Difference(self.left, self.right))


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
        return distributions.mixture(weights, [value.compute() for value in values])

    def _text(self) -> str:
        return f"mixture({', '.join(f'{weight}: {value}' for weight, value in self.weighted)})"


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
        return distributions.mixture_by_mass(
            value._mass, [bodies.get(outcome, unrolled) for outcome in value.support]
        )


#: Relation to its test.
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "=": operator.eq, "!=": operator.ne
}  # fmt: skip


def _times(distribution: Distribution, factor: int) -> Distribution:
    return distribution if factor == 1 else distribution.map(lambda value: value * factor)


def maximum(*values: Expression | int) -> Extreme:
    """Greatest of independent values: ``maximum(D6 - 2, 1)`` is ``max(D6-2, 1)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> maximum(dice("D6") - 2, 1).distribution(exact=True).pmf(1)
    1/2
    """
    return Extreme(tuple(map(as_expression, values)), "max")


def minimum(*values: Expression | int) -> Extreme:
    """Smallest of independent values: ``minimum(D6, 3)`` is ``min(D6, 3)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> minimum(dice("D6"), 3).distribution(exact=True).pmf(3)
    2/3
    """
    return Extreme(tuple(map(as_expression, values)), "min")


def floor(value: Expression) -> Rounded:
    """Round a fraction down at once: ``floor(D6 / 2)`` is ``floor(D6÷2)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> floor(dice("D6") / 2).distribution(exact=True).mean()
    3/2
    """
    return Rounded(as_expression(value), "floor")


def ceil(value: Expression) -> Rounded:
    """Round a fraction up at once: ``ceil(D6 / 2)`` is ``ceil(D6÷2)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> ceil(dice("D6") / 2).distribution(exact=True).mean()
    2
    """
    return Rounded(as_expression(value), "ceil")


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
    return Let(name, value, as_expression(body(Variable(name))))


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
