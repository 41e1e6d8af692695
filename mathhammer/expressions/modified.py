"""Modifiers on dice, in the order a game gives, with one rounding at the end; and extremes and roundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.expressions.base import Constant, Expression, as_expression
from mathhammer.expressions.operations import Difference, Maximum, Minimum, Product, Quotient, Rounded, Sum
from mathhammer.modifiers import as_modifiers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.modifiers import Modifier, Operation


def with_modifiers(
    expression: Expression | int,
    modifiers: Sequence[Modifier],
    order: Sequence[Operation] = ("set", "divide", "multiply", "add", "subtract"),
) -> Expression:
    """Apply all modifiers to a roll, stage by stage, whatever order they came in.

    Parameters
    ----------
    expression
        The roll.
    modifiers
        All of them, whatever their source.
    order
        The game's order of operations.

    Examples
    --------
    >>> from mathhammer import dice
    >>> from mathhammer.modifiers import Modifier
    >>> changes = [Modifier("add", 1, "an aura"), Modifier("divide", 2, "thick hide")]
    >>> str(with_modifiers(dice("D6"), changes))
    'D6÷2+1'

    References
    ----------
    Warhammer 40,000 10th edition, Rules Commentary, Modifiers.
    """
    value = as_expression(expression)
    given = as_modifiers(modifiers, "modifiers")
    for stage in validation.items(order, str, "operations in order, such as ('set', 'multiply', 'add')"):
        for modifier in given:
            if modifier.operation == stage:
                value = _applied(value, modifier)
    return value


def _applied(value: Expression, modifier: Modifier) -> Expression:
    number = Constant(modifier.value)
    if modifier.operation == "set":
        return number
    if modifier.operation == "divide":
        return Quotient(value, modifier.value)
    if modifier.operation == "multiply":
        return Product(value, number)
    return Sum(value, number) if modifier.operation == "add" else Difference(value, number)


def maximum(*values: Expression | int) -> Maximum:
    """Greatest of independent values: ``maximum(D6 - 2, 1)`` is ``max(D6-2, 1)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> maximum(dice("D6") - 2, 1).distribution(exact=True).pmf(1)
    1/2
    """
    return Maximum(tuple(map(as_expression, values)))


def minimum(*values: Expression | int) -> Minimum:
    """Smallest of independent values: ``minimum(D6, 3)`` is ``min(D6, 3)``.

    Examples
    --------
    >>> from mathhammer import dice
    >>> minimum(dice("D6"), 3).distribution(exact=True).pmf(3)
    2/3
    """
    return Minimum(tuple(map(as_expression, values)))


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
