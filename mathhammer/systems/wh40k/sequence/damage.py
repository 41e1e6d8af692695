"""Random characteristics as distributions of whole numbers, re-rolled and modified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions.base import Constant
from mathhammer.expressions.check import reroll_faces
from mathhammer.expressions.die import Die, Repeated
from mathhammer.expressions.operations import Difference, Sum
from mathhammer.expressions.parser import as_condition
from mathhammer.expressions.pool import Rerolled
from mathhammer.sequence.group import DamageReroll, ignoring_wounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import FaceCondition, Reroll
    from mathhammer.modifiers import CharacteristicRules, Modifier

#: Most damage of one attack after all modifiers: ten times the most that can be printed.
MAXIMUM_DAMAGE = 10_000


def mortal_wound(feel_no_pain: int | None) -> IntegerDistribution:
    """Return the wounds that one plain mortal wound inflicts."""
    return ignoring_wounds(IntegerDistribution(1, (1,), 1), feel_no_pain)


def integer_distribution(
    expression: Expression,
    reroll: Reroll = None,
    *,
    each_die: bool = False,
    ones_by_face: bool = False,
) -> IntegerDistribution:
    """Return the distribution of a characteristic, re-rolled once where the dice show one of the given values.

    Warhammer 40,000 10th edition core rules, Dice; Rules Commentary, Re-rolls.
    """
    if isinstance(expression, Constant):
        return IntegerDistribution(expression.value, (1,), 1)
    values = reroll_faces(reroll, ())
    if not values or ones_by_face:
        plain = _plain_dice(expression) or IntegerDistribution.from_distribution(expression.distribution())
        if not values:
            return plain
        if plain.weights == (1, 1, 1):
            return IntegerDistribution(plain.low, (8, 14, 14), 36)
    rolled = _rerolled(expression, as_condition(values), each_die=each_die)
    return IntegerDistribution.from_distribution(rolled.distribution())


def _plain_dice(expression: Expression) -> IntegerDistribution | None:
    """Return the distribution of a few dice and a printed bonus without the arithmetic that long sums need."""
    bonus, dice = 0, expression
    if isinstance(expression, Sum) and isinstance(expression.right, Constant):
        dice, bonus = expression.left, expression.right.value
    count, die = (dice.count, dice.each) if isinstance(dice, Repeated) else (1, dice)
    few = isinstance(die, Die) and 0 < count * die.sides <= 100
    return IntegerDistribution.of_dice(count, die.sides, bonus) if few else None  # type: ignore[attr-defined]


def _rerolled(expression: Expression, condition: FaceCondition, *, each_die: bool) -> Expression:
    if isinstance(expression, Constant):
        return expression
    bonus = isinstance(expression, Sum | Difference) and isinstance(expression.right, Constant)
    if isinstance(expression, Sum | Difference) and (bonus or each_die):
        left, right = (
            _rerolled(part, condition, each_die=each_die) for part in (expression.left, expression.right)
        )
        return type(expression)(left, right)
    if isinstance(expression, Repeated) and each_die:
        return Repeated(expression.count, _rerolled(expression.each, condition, each_die=True))
    return Rerolled(expression, condition)


def damage_after_modifiers(
    rolled: IntegerDistribution, modifiers: Sequence[Modifier], rules: CharacteristicRules
) -> IntegerDistribution:
    """Return the distribution of the Damage characteristic: all modifiers, one rounding up, never below 1.

    Warhammer 40,000 10th edition, Rules Commentary, Modifiers and Damage Characteristic.
    """
    if not modifiers and rolled.low >= 1:
        return rolled
    values = [rules.modified(rolled.low + index, modifiers) for index in range(len(rolled.weights))]
    low, high = min(values), max(values)
    if high > MAXIMUM_DAMAGE:
        raise TooLargeError(
            f"expected a Damage of at most {MAXIMUM_DAMAGE:,} after all modifiers, got {validation.shown(high)}; "
            "use smaller modifiers"
        )
    weights = [0] * (high - low + 1)
    for value, weight in zip(values, rolled.weights, strict=True):
        weights[value - low] += weight
    return IntegerDistribution(low, tuple(weights), rolled.denominator)


def one_damage_reroll(rolled: IntegerDistribution) -> DamageReroll | None:
    """Return what tells a damage roll below its mean from others; nothing where none can be below it.

    The dice are judged as they are rolled, before any modifier (Warhammer 40,000 10th edition core stratagems, Command
    Re-roll: a damage roll).
    """
    total, out_of = rolled.mean()
    least = -(-total // out_of)
    kept = rolled.weights[least - rolled.low :]
    low = rolled.denominator - sum(kept)
    return DamageReroll(IntegerDistribution(least, kept, sum(kept)), low, rolled.denominator) if low else None
