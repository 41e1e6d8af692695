"""Rolls under Maximised and Minimised Roll, rerolled or not: what tests and charges are made of."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.expressions import Expression, as_expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.base import Constant
from mathhammer.expressions.operations import Difference, Product, Sum
from mathhammer.expressions.pool import Maximised
from mathhammer.sequence import rulings_in_force
from mathhammer.systems.t9a.editions import find_edition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.distributions import Distribution

#: Most instances of Maximised or of Minimised Roll on one roll; each is one more die.
MOST_INSTANCES = 100


def dice(
    text: str | Expression,
    *,
    maximised: int = 0,
    minimised: int = 0,
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
) -> Expression:
    """Read a dice expression, under Maximised Roll and Minimised Roll.

    Parameters
    ----------
    text
        ``"2D6"``, ``"D6×2"``, ``"D3"``, ``"D6+1"``: dice are discarded, and what is added or multiplied comes after.
    maximised, minimised
        Number of instances of each rule.
    edition, rulings
        They decide what happens where both are there.

    Examples
    --------
    >>> dice("2D6", maximised=1).distribution(exact=True).at_least(9)
    113/216

    References
    ----------
    The 9th Age rulebook, 2nd edition, Dice, Maximised Roll and Minimised Roll; 3rd edition, the same.
    """
    roll = parse_dice(text) if isinstance(text, str) else as_expression(text)
    more = validation.whole(maximised, "instances of Maximised Roll", 0, MOST_INSTANCES)
    fewer = validation.whole(minimised, "instances of Minimised Roll", 0, MOST_INSTANCES)
    in_force = rulings_in_force(find_edition(edition).rulings, rulings)
    if not more and not fewer:
        return roll
    literal = in_force["maximised_and_minimised"] == "literal" and bool(more and fewer)
    return _on_dice(roll, lambda rolled: Maximised(rolled, more, fewer, literal))


def _on_dice(roll: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Change the dice of a roll and leave its constants as they are.

    The 9th Age rulebook, 3rd edition, Dice: dice are discarded before modifiers.
    """
    if isinstance(roll, Sum | Difference | Product):
        if isinstance(roll.right, Constant):
            return type(roll)(_on_dice(roll.left, change), roll.right)
        if isinstance(roll.left, Constant):
            return type(roll)(roll.left, _on_dice(roll.right, change))
    return change(roll)


def _kept_dice(roll: Expression) -> Expression:
    return roll.roll if isinstance(roll, Maximised) else roll


@lru_cache(maxsize=512)
def _distribution(roll: Expression, *, exact: bool) -> Distribution[Any]:
    return roll.distribution(exact=exact)


def distributions_of(
    roll: Expression, *, reroll: bool, rulings: Mapping[str, str], exact: bool
) -> tuple[Distribution[Any], Distribution[Any] | None]:
    """Return the distribution of a roll, and that of its reroll if it may be rerolled.

    The 9th Age rulebook, 2nd edition, Rerolling Dice.
    """
    distribution = _distribution(roll, exact=validation.flag(exact, "exact"))
    if not validation.flag(reroll, "reroll"):
        return distribution, None
    kept = rulings["reroll_of_maximised"] == "kept-dice"
    return distribution, _distribution(_on_dice(roll, _kept_dice) if kept else roll, exact=exact)
