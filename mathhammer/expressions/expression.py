"""Dice expressions: immutable, hashable trees whose text parses back to the same tree.

Every occurrence of a die is a die of its own: ``D6-D6`` is the difference of two dice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from mathhammer.arithmetic import Arithmetic, P, arithmetic
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from sympy import Rational

__all__ = ["Constant", "Die", "Difference", "Expression", "Product", "Repeated", "Sum"]

#: Most outcomes that an expression may have.
MAXIMUM_OUTCOMES = 2_000_000


class Expression(ABC):
    """A dice expression.

    Examples
    --------
    >>> from mathhammer import dice
    >>> D6 = dice("D6")
    >>> str(2 @ D6 + 3), str(D6 * 2), str(D6 - D6)
    ('2D6+3', 'D6×2', 'D6-D6')
    >>> 2 @ D6 + 3 == dice("2d6 + 3")
    True
    """

    __slots__ = ()

    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """Smallest and largest value."""

    @abstractmethod
    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Law of the value in the given arithmetic, without a check of the size."""

    @abstractmethod
    def __str__(self) -> str: ...

    @overload
    def distribution(self, *, exact: Literal[False] = ...) -> Distribution[float]: ...
    @overload
    def distribution(self, *, exact: Literal[True]) -> Distribution[Rational]: ...
    @overload
    def distribution(self, *, exact: bool) -> Distribution[float] | Distribution[Rational]: ...
    def distribution(self, *, exact: bool = False) -> Distribution[Any]:
        """Law of the value.

        Raises
        ------
        TooLargeError
            If the expression has too many outcomes.

        Examples
        --------
        >>> from mathhammer import dice
        >>> dice("2D6+3").distribution(exact=True).pmf(10)
        1/6
        """
        low, high = self.bounds()
        if high - low >= MAXIMUM_OUTCOMES:
            raise TooLargeError(
                f"expected an expression of at most {MAXIMUM_OUTCOMES:,} outcomes, but {self} has "
                f"{high - low + 1:,}; use fewer dice"
            )
        return self.law(arithmetic(exact=exact))

    def __add__(self, other: Expression | int) -> Expression:
        return Sum(self, as_expression(other))

    def __radd__(self, other: int) -> Expression:
        return Sum(as_expression(other), self)

    def __sub__(self, other: Expression | int) -> Expression:
        return Difference(self, as_expression(other))

    def __rsub__(self, other: int) -> Expression:
        return Difference(as_expression(other), self)

    def __mul__(self, factor: int) -> Expression:
        return Product(self, factor)

    def __rmatmul__(self, count: int) -> Expression:
        return Repeated(count, self)

    def __repr__(self) -> str:
        return f"dice({str(self)!r})"

    def _repr_html_(self) -> str | None:
        return self.distribution()._repr_html_()


def as_expression(value: Expression | int) -> Expression:
    """Return an expression unchanged and a whole number as a constant."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected a dice expression or a whole number, got {value!r}")
    return Constant(value)


@dataclass(frozen=True, slots=True, repr=False)
class Constant(Expression):
    """A number."""

    value: int

    def bounds(self) -> tuple[int, int]:
        return self.value, self.value

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        return Distribution._new(arithmetic.mass.from_weights((1,), 1), self.value)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True, repr=False)
class Die(Expression):
    """A fair die with faces 1 to `sides`.

    ``Die(3)`` is the D3 of the games: a D6 halved and rounded up. Its law is that of a three-sided die; rules
    that read the face of the D6 find it as ``(2 * value - 1, 2 * value)`` (Warhammer 40,000 core rules, Dice).
    """

    sides: int

    def __post_init__(self) -> None:
        if self.sides < 1:
            raise MathhammerError(f"expected a die with one side or more, got D{self.sides}")

    def bounds(self) -> tuple[int, int]:
        return 1, self.sides

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        return Distribution._new(arithmetic.mass.from_weights((1,) * self.sides, self.sides), 1)

    def __str__(self) -> str:
        return f"D{self.sides}"


@dataclass(frozen=True, slots=True, repr=False)
class Repeated(Expression):
    """The sum of `count` independent rolls of one expression: ``2D6``."""

    count: int
    each: Expression

    def __post_init__(self) -> None:
        if self.count < 0:
            raise MathhammerError(f"expected a number of dice of 0 or more, got {self.count}")

    def bounds(self) -> tuple[int, int]:
        low, high = self.each.bounds()
        return self.count * low, self.count * high

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        return self.each.law(arithmetic).repeat(self.count)

    def __str__(self) -> str:
        if isinstance(self.each, Die):
            return f"{self.count}{self.each}"
        return f"{self.count}({self.each})"


@dataclass(frozen=True, slots=True, repr=False)
class Sum(Expression):
    """The sum of two independent expressions."""

    left: Expression
    right: Expression

    def bounds(self) -> tuple[int, int]:
        (a, b), (c, d) = self.left.bounds(), self.right.bounds()
        return a + c, b + d

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        if isinstance(self.right, Constant):
            return self.left.law(arithmetic) + self.right.value
        return self.left.law(arithmetic) + self.right.law(arithmetic)

    def __str__(self) -> str:
        return f"{self.left}+{_grouped(self.right)}"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Expression):
    """The difference of two independent expressions."""

    left: Expression
    right: Expression

    def bounds(self) -> tuple[int, int]:
        (a, b), (c, d) = self.left.bounds(), self.right.bounds()
        return a - d, b - c

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        return self.left.law(arithmetic) - self.right.law(arithmetic)

    def __str__(self) -> str:
        return f"{self.left}-{_grouped(self.right)}"


@dataclass(frozen=True, slots=True, repr=False)
class Product(Expression):
    """One value times a whole number: ``D6×2`` is one die doubled."""

    value: Expression
    factor: int

    def bounds(self) -> tuple[int, int]:
        low, high = self.value.bounds()
        ends = low * self.factor, high * self.factor
        return min(ends), max(ends)

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        return self.value.law(arithmetic).map(lambda outcome: outcome * self.factor)

    def __str__(self) -> str:
        value = f"({self.value})" if isinstance(self.value, Sum | Difference) else str(self.value)
        return f"{value}×{self.factor}"


def _grouped(expression: Expression) -> str:
    return f"({expression})" if isinstance(expression, Sum | Difference) else str(expression)
