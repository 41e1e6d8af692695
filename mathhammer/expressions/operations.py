"""Operations on independent values: modifiers with one rounding at the end, extremes, comparison.

Warhammer 40,000 10th edition, Rules Commentary, Modifiers: fractions are rounded up after all modifiers.
"""

from __future__ import annotations

import operator
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, ClassVar, Literal

from mathhammer import validation
from mathhammer.distributions import combination as distributions
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import COMPARISON, PRODUCT, SUM, Constant, Expression, as_expression
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution

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
        rolls, constant = [], 0
        for sign, term in self.terms():
            if isinstance(term, Constant):
                constant += sign * term.value
            else:
                rolls.append((sign, *term.compute_scaled()))
        if not rolls:
            return Constant(constant).compute(), 1
        common = lcm(*(denominator for *_, denominator in rolls))
        terms = [
            _times(distribution, sign * (common // denominator)) for sign, distribution, denominator in rolls
        ]
        return distributions.convolution(terms) + constant * common, common


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
        for distribution, other in ((left, self.right), (right, self.left)):
            if isinstance(other, Constant):
                return _times(distribution, other.value), m * n
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
