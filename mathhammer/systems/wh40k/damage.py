"""Random characteristics as laws of whole numbers, re-rolled and modified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions import Distribution, IntegerLaw
from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import reroll_faces
from mathhammer.expressions.expression import Constant, Die, Difference, Product, Repeated, Sum
from mathhammer.modifiers import modified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Rational

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.modifiers import Modifier, Operation

__all__ = ["damage_after_modifiers", "integer_law"]


def integer_law(expression: Expression | None, reroll: Reroll = None) -> IntegerLaw:
    """Return the law of a characteristic, each die re-rolled once where it shows one of the given values.

    A D3 is judged by the halved value: to re-roll ones is to re-roll the D6 faces 1 and 2 (core rules, Dice).
    """
    if expression is None:
        return IntegerLaw(0, (1,), 1)
    if isinstance(expression, Constant):
        return IntegerLaw(expression.value, (1,), 1)
    faces = reroll_faces(reroll, ())
    law = _law(expression, faces) if faces else expression.distribution(exact=True)
    return IntegerLaw.from_distribution(law)


def _law(expression: Expression, faces: frozenset[int]) -> Distribution[Rational]:
    if isinstance(expression, Die):
        again = sum(1 for face in faces if face <= expression.sides)
        weights = {
            face: again if face in faces else again + expression.sides
            for face in range(1, expression.sides + 1)
        }
        return Distribution.from_weights(weights, exact=True)
    if isinstance(expression, Repeated):
        return _law(expression.each, faces).repeat(expression.count)
    if isinstance(expression, Sum):
        return _law(expression.left, faces) + _law(expression.right, faces)
    if isinstance(expression, Difference):
        return _law(expression.left, faces) - _law(expression.right, faces)
    if isinstance(expression, Product):
        factor = expression.factor
        return _law(expression.value, faces).map(lambda value: value * factor)
    if isinstance(expression, Constant):
        return expression.distribution(exact=True)
    raise MathhammerError(
        f"expected dice, sums and products as the characteristic to re-roll, got {str(expression)!r}; "
        "give the re-roll in the expression itself"
    )


def damage_after_modifiers(
    rolled: IntegerLaw, modifiers: Sequence[Modifier], order: Sequence[Operation]
) -> IntegerLaw:
    """Return the law of the Damage characteristic: all modifiers, one rounding up, never below 1.

    References
    ----------
    Warhammer 40,000 10th edition, Rules Commentary, Modifiers and Damage Characteristic.
    """
    if not modifiers and rolled.low >= 1:
        return rolled
    values = [modified(rolled.low + index, modifiers, order, least=1) for index in range(len(rolled.weights))]
    low, high = min(values), max(values)
    weights = [0] * (high - low + 1)
    for value, weight in zip(values, rolled.weights, strict=True):
        weights[value - low] += weight
    return IntegerLaw(low, tuple(weights), rolled.denominator)
