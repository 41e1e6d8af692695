"""Rolls under Maximised and Minimised Roll, rerolled or not; charges, flight and pursuit: distances in inches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mathhammer import validation
from mathhammer.distributions import Distribution, in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, as_expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.base import Constant
from mathhammer.expressions.operations import Difference, Product, Sum
from mathhammer.expressions.pool import Maximised
from mathhammer.sequence import ChargeResult, Step, records_call, rulings_in_force
from mathhammer.sequence.rolls import fraction
from mathhammer.systems.t9a.editions import find_edition

if TYPE_CHECKING:
    from collections.abc import Callable


#: What a Champion makes of a low roll when it orders the charge.
ORDERED_LEAST = 4
#: Most inches of a distance, of an Advance Rate, and of a roll: tables are six feet long.
MOST_INCHES = 1_000

Rulings = Mapping[str, str] | None


@records_call("t9a")
def charge(
    *,
    distance: int,
    advance: int | None = None,
    swiftstride: bool = False,
    maximised: int = 0,
    minimised: int = 0,
    champion: bool = False,
    reroll: bool = False,
    random_movement: str | Expression | None = None,
    edition: str = "2e",
    rulings: Rulings = None,
    exact: bool = False,
) -> ChargeResult:
    """Roll for a charge: two dice and the lowest Advance Rate of the unit.

    Parameters
    ----------
    distance
        To the target, in inches.
    advance
        The lowest Advance Rate in the unit.
    swiftstride
        Whether the whole unit has it: the roll is Maximised.
    maximised, minimised
        Other instances of these rules.
    champion
        Whether a Champion orders the charge: a roll below 4 counts as 4 for success.
    reroll
        Whether a failed charge is rerolled.
    random_movement
        The unit's own dice, instead of an Advance Rate and 2D6; such a unit never has Swiftstride.

    Examples
    --------
    >>> charge(advance=4, distance=11, exact=True).probability_success
    7/12

    References
    ----------
    The 9th Age rulebook, 2nd edition, Move Chargers; Ordering the Charge; Swiftstride; Random Movement.
    """
    if (advance is None) == (random_movement is None):
        raise MathhammerError(
            f"expected advance=... or random_movement=..., got {'neither' if advance is None else 'both'}"
        )
    distance = validation.whole(distance, "distance in inches", 0, MOST_INCHES)
    base = 0 if advance is None else validation.whole(advance, "advance in inches", 0, MOST_INCHES)
    validation.flag(champion, "champion")
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    given = locals()
    roll = _roll(**{name: given[name] for name in MoveKeywords.__annotations__})
    distribution, again = distributions_of(roll, reroll=reroll, rulings=in_force, exact=exact)

    def reached(inches: int) -> int:
        return base + max(inches, ORDERED_LEAST if champion else 0)

    reach = distribution.map(reached)
    first, second = in_fractions(reach), None if again is None else in_fractions(again.map(reached))

    def over(wanted: int) -> Any:
        at_once = first.at_least(wanted)
        return at_once if second is None else at_once + first.cdf(wanted - 1) * second.at_least(wanted)

    missed = (
        distribution.given(lambda inches: reached(inches) < distance) if first.cdf(distance - 1) else None
    )
    table = tuple((wanted, over(wanted)) for wanted in range(reach.support[0], reach.support[-1] + 1))
    success = over(distance)
    notes = [f"+{base} (Advance Rate)"] * bool(base) + ["the dice count as 4 or more (Champion)"] * champion
    steps = (
        Step("Roll", f"{roll}", (*notes, *["failed charges rerolled"] * bool(reroll))),
        Step("Success", f'{distance}" or more', (), fraction(success)),
    )
    return ChargeResult(success, reach, missed, table, distance, rules.name, in_force, steps)


class MoveKeywords(TypedDict, total=False):
    """Keywords of `flee` and `pursuit`, as of `charge`."""

    random_movement: str | Expression | None
    swiftstride: bool
    maximised: int
    minimised: int
    edition: str
    rulings: Rulings


@validation.called
def flee(*, exact: bool = False, **move: Unpack[MoveKeywords]) -> Distribution:
    """Distribution of a Flee Distance.

    Examples
    --------
    >>> flee(exact=True).mean()
    7

    References
    ----------
    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.
    """
    return _roll(**move).distribution(exact=exact)


@validation.called
def pursuit(*, exact: bool = False, **move: Unpack[MoveKeywords]) -> Distribution:
    """Distribution of a Pursuit or an Overrun Distance.

    Examples
    --------
    >>> pursuit(swiftstride=True, exact=True).mean()
    203/24

    References
    ----------
    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.
    """
    return flee(exact=exact, **move)


def probability_caught(fleeing: Distribution, pursuing: Distribution) -> Any:
    """Probability that a pursuit reaches a fleeing unit: it is caught by as many inches as it fled.

    Examples
    --------
    >>> probability_caught(flee(exact=True), pursuit(swiftstride=True, exact=True))
    1877/2592

    References
    ----------
    The 9th Age rulebook, 2nd edition, Break Test.
    """
    for distribution in (fleeing, pursuing):
        validation.instance(
            distribution, Distribution, "the distribution of a distance", "flee() and pursuit() return them"
        )
    return (pursuing - fleeing).at_least(0)


def _roll(
    random_movement: str | Expression | None = None,
    *,
    swiftstride: bool = False,
    maximised: int = 0,
    minimised: int = 0,
    edition: str = "2e",
    rulings: Rulings = None,
) -> Expression:
    validation.flag(swiftstride, "swiftstride")
    if random_movement is not None:
        validation.instance(random_movement, (str, Expression), "dice as random_movement", "such as '3D6'")
    if random_movement is not None and swiftstride:
        raise MathhammerError(
            "expected swiftstride without random_movement: such a unit never has Swiftstride"
        )
    roll = dice(
        "2D6" if random_movement is None else random_movement,
        maximised=validation.whole(maximised, "instances of Maximised Roll", 0) + swiftstride,
        minimised=minimised,
        edition=edition,
        rulings=rulings,
    )
    low, high = roll.bounds()
    if low < 0 or high > MOST_INCHES:
        raise MathhammerError(f"expected a roll of 0 to {MOST_INCHES:,} inches, got {random_movement}")
    return roll


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


@lru_cache(maxsize=512)
def _distribution(roll: Expression, *, exact: bool) -> Distribution:
    return roll.distribution(exact=exact)


def distributions_of(
    roll: Expression, *, reroll: bool, rulings: Mapping[str, str], exact: bool
) -> tuple[Distribution, Distribution | None]:
    """Return the distribution of a roll, and that of its reroll if it may be rerolled.

    The 9th Age rulebook, 2nd edition, Rerolling Dice.
    """
    distribution = _distribution(roll, exact=validation.flag(exact, "exact"))
    if not validation.flag(reroll, "reroll"):
        return distribution, None
    if rulings["reroll_of_maximised"] == "kept-dice":
        roll = _on_dice(roll, lambda each: each.roll if isinstance(each, Maximised) else each)
    return distribution, _distribution(roll, exact=exact)
