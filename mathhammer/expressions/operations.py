"""Operations on independent values: modifiers with one rounding at the end, extremes, comparison.

A division leaves a fraction, and the modifiers after it go on with that fraction: it is rounded up once, where
the chain of modifiers ends. ``floor(...)`` and ``ceil(...)`` round at once.

References
----------
Warhammer 40,000 10th edition, Rules Commentary, Modifiers: fractions are rounded up after all modifiers.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, ClassVar, Literal

from mathhammer import validation
from mathhammer.distributions import convolution, maximum, minimum, product
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import COMPARISON, PRODUCT, SUM, Constant, Expression, grouped
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution

Relation = Literal[">=", ">", "<=", "<", "=", "!="]


class _Modified(Expression):
    """A value that may be a fraction until it is rounded up."""

    __slots__ = ()

    def bounds(self) -> tuple[int, int]:
        """Return the bounds, rounded up."""
        low, high, denominator = self.scaled_bounds()
        return -(-low // denominator), -(-high // denominator)

    def compute(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Distribution of the value, rounded up."""
        distribution, denominator = self.compute_scaled(arithmetic)
        return distribution if denominator == 1 else distribution.map(lambda value: -(-value // denominator))

    @abstractmethod
    def scaled_bounds(self) -> tuple[int, int, int]:
        """Bounds of the value before it is rounded, as two numerators and their denominator."""

    @abstractmethod
    def compute_scaled(self, arithmetic: Arithmetic[P]) -> tuple[Distribution[P], int]:
        """Distribution of the value before it is rounded."""


class _Addition(_Modified):
    """Terms of a chain of sums and differences, which are added all at once."""

    __slots__ = ()
    left: Expression
    right: Expression
    precedence: ClassVar[int] = SUM

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
        """Return the sums of the bounds, over the common denominator."""
        bounds = [(sign, *term.scaled_bounds()) for sign, term in self.terms()]
        common = lcm(*(denominator for *_, denominator in bounds))
        low = high = 0
        for sign, least, most, denominator in bounds:
            factor = sign * (common // denominator)
            low, high = low + min(least * factor, most * factor), high + max(least * factor, most * factor)
        return low, high, common

    def compute_scaled(self, arithmetic: Arithmetic[P]) -> tuple[Distribution[P], int]:
        """Convolution of the distributions of the terms; constants only move it."""
        rolls, constant = [], 0
        for sign, term in self.terms():
            if isinstance(term, Constant):
                constant += sign * term.value
            else:
                rolls.append((sign, *term.compute_scaled(arithmetic)))
        if not rolls:
            return Constant(constant).compute(arithmetic), 1
        common = lcm(*(denominator for *_, denominator in rolls))
        distributions = [
            _times(distribution, sign * (common // denominator)) for sign, distribution, denominator in rolls
        ]
        return convolution(distributions) + constant * common, common


@dataclass(frozen=True, slots=True, repr=False)
class Sum(_Addition):
    """The sum of two independent expressions."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{grouped(self.left, SUM)}+{_right(self.right)}"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(_Addition):
    """The difference of two independent expressions."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{grouped(self.left, SUM)}-{_right(self.right)}"


@dataclass(frozen=True, slots=True, repr=False)
class Product(_Modified):
    """The product of two independent expressions: ``D6×2`` is one die doubled, ``D6×D6`` are two dice."""

    left: Expression
    right: Expression
    precedence: ClassVar[int] = PRODUCT

    def scaled_bounds(self) -> tuple[int, int, int]:
        """Return the extreme products of the bounds."""
        (a, b, m), (c, d, n) = self.left.scaled_bounds(), self.right.scaled_bounds()
        products = a * c, a * d, b * c, b * d
        return min(products), max(products), m * n

    def compute_scaled(self, arithmetic: Arithmetic[P]) -> tuple[Distribution[P], int]:
        """Distribution of the product of the numerators."""
        (left, m), (right, n) = self.left.compute_scaled(arithmetic), self.right.compute_scaled(arithmetic)
        for distribution, other in ((left, self.right), (right, self.left)):
            if isinstance(other, Constant):
                return _times(distribution, other.value), m * n
        return product(left, right), m * n

    def __str__(self) -> str:
        return f"{grouped(self.left, PRODUCT)}×{_tight(self.right)}"


@dataclass(frozen=True, slots=True, repr=False)
class Quotient(_Modified):
    """A value divided by a whole number; the fraction stays until all modifiers are applied."""

    value: Expression
    divisor: int
    precedence: ClassVar[int] = PRODUCT

    def __post_init__(self) -> None:
        validation.set_whole(self, "divisor", "divisor")
        if self.divisor < 1:
            raise MathhammerError(
                f"expected a whole number of 1 or more to divide by, got {shown(self.divisor)}"
            )

    def scaled_bounds(self) -> tuple[int, int, int]:
        """Return the bounds of the value over the product of the denominators."""
        low, high, denominator = self.value.scaled_bounds()
        return low, high, denominator * self.divisor

    def compute_scaled(self, arithmetic: Arithmetic[P]) -> tuple[Distribution[P], int]:
        """Distribution of the value, over the product of the denominators."""
        distribution, denominator = self.value.compute_scaled(arithmetic)
        return distribution, denominator * self.divisor

    def __str__(self) -> str:
        return f"{grouped(self.value, PRODUCT)}÷{self.divisor}"


@dataclass(frozen=True, slots=True, repr=False)
class Rounded(Expression):
    """A fraction rounded at once: ``floor(D6÷2)`` or ``ceil(D6÷2)``."""

    value: Expression
    direction: Literal["floor", "ceil"]

    def bounds(self) -> tuple[int, int]:
        """Return the rounded bounds."""
        low, high, denominator = self.value.scaled_bounds()
        return self._round(low, denominator), self._round(high, denominator)

    def compute(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Distribution of the rounded value."""
        distribution, denominator = self.value.compute_scaled(arithmetic)
        return (
            distribution
            if denominator == 1
            else distribution.map(lambda value: self._round(value, denominator))
        )

    def _round(self, value: int, denominator: int) -> int:
        return value // denominator if self.direction == "floor" else -(-value // denominator)

    def __str__(self) -> str:
        return f"{self.direction}({self.value})"


@dataclass(frozen=True, slots=True, repr=False)
class Maximum(Expression):
    """The greatest of independent values: ``max(D6-2, 1)`` keeps a characteristic at 1 or more."""

    values: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _require_some(self.values, "max")

    def bounds(self) -> tuple[int, int]:
        """Return the greatest of the bounds."""
        each = [value.bounds() for value in self.values]
        return max(low for low, _ in each), max(high for _, high in each)

    def compute(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Product of the cdfs, without a difference."""
        return reduce(maximum, (value.compute(arithmetic) for value in self.values))

    def __str__(self) -> str:
        return f"max({', '.join(map(str, self.values))})"


@dataclass(frozen=True, slots=True, repr=False)
class Minimum(Expression):
    """The smallest of independent values: ``min(D6, 3)``."""

    values: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _require_some(self.values, "min")

    def bounds(self) -> tuple[int, int]:
        """Return the smallest of the bounds."""
        each = [value.bounds() for value in self.values]
        return min(low for low, _ in each), min(high for _, high in each)

    def compute(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Product of the upper tails, without a difference."""
        return reduce(minimum, (value.compute(arithmetic) for value in self.values))

    def __str__(self) -> str:
        return f"min({', '.join(map(str, self.values))})"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Expression):
    """1 where a relation between two independent values holds, else 0: ``2D6>=9``.

    Fractions are compared as they are, not rounded.
    """

    left: Expression
    relation: Relation
    right: Expression
    precedence: ClassVar[int] = COMPARISON

    def __post_init__(self) -> None:
        if not isinstance(self.relation, str) or self.relation not in RELATIONS:
            raise MathhammerError(
                f"expected a relation of {', '.join(RELATIONS)}; got {shown(self.relation)}"
            )

    def bounds(self) -> tuple[int, int]:
        """Return 0 and 1."""
        return 0, 1

    def compute(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Mass of the differences that satisfy the relation, and of those that do not."""
        holds = RELATIONS[self.relation]
        left, right, _ = _common(self.left, self.right, arithmetic)
        return (left - right).map(lambda difference: int(holds(difference)))

    def parts(self) -> Iterator[Expression]:
        """Yield both sides and their difference, whose distribution is made on the way."""
        yield from (self.left, self.right, Difference(self.left, self.right))

    def __str__(self) -> str:
        return f"{grouped(self.left, SUM)}{self.relation}{grouped(self.right, SUM)}"


#: Relation to its test of the difference left - right.
RELATIONS: dict[str, Callable[[int], bool]] = {
    ">=": lambda difference: difference >= 0,
    ">": lambda difference: difference > 0,
    "<=": lambda difference: difference <= 0,
    "<": lambda difference: difference < 0,
    "=": lambda difference: difference == 0,
    "!=": lambda difference: difference != 0,
}


def _common(
    left: Expression, right: Expression, arithmetic: Arithmetic[P]
) -> tuple[Distribution[P], Distribution[P], int]:
    """Return two distributions of numerators over one denominator."""
    (x, m), (y, n) = left.compute_scaled(arithmetic), right.compute_scaled(arithmetic)
    if m == n:
        return x, y, m
    common = lcm(m, n)
    return _times(x, common // m), _times(y, common // n), common


def _times(distribution: Distribution[P], factor: int) -> Distribution[P]:
    return distribution if factor == 1 else distribution.map(lambda value: value * factor)


def _right(expression: Expression) -> str:
    """Return the text of what stands right of a sign: a second sign would be hard to read."""
    text = grouped(expression, PRODUCT)
    return f"({text})" if text.startswith("-") else text


def _tight(expression: Expression) -> str:
    text = grouped(expression, PRODUCT + 1)
    return f"({text})" if text.startswith("-") else text


def _require_some(values: tuple[Expression, ...], name: str) -> None:
    if not values:
        raise MathhammerError(f"expected one value or more in {name}(...), got none")
