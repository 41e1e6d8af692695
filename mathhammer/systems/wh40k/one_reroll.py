"""One re-roll for a whole volley: a failed die of one roll, picked after all of them are seen.

It is the use that a Command Re-roll, or a rule that allows "one hit roll", has for somebody who wants as many
successes as he can get. Which of the failed dice is picked makes no difference where they are alike; of wound rolls
with a random Strength it is the first.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import IntegerLaw
from mathhammer.errors import MathhammerError
from mathhammer.expressions import faces
from mathhammer.expressions.base import Constant
from mathhammer.sequence import Rolled, VolleyLaw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.expressions import Expression
    from mathhammer.sequence import Chances
    from mathhammer.systems.wh40k.rules.wound import Wound
    from mathhammer.systems.wh40k.stages import Stages

__all__ = [
    "Counted",
    "Parted",
    "counted_with_one_reroll",
    "parted_by_one_reroll",
    "rolled_before",
    "with_one_reroll",
]

#: Most dice of which one may be re-rolled: the numbers are exact, and long.
MAXIMUM_DICE = 500


class Counted(NamedTuple):
    """What dice come to of which one that failed may be rolled again, parted by whether one is.

    Parameters
    ----------
    unspent
        Weights of the count, where no die failed and the re-roll is left for later dice.
    spent
        The same where a die was rolled again.
    """

    unspent: dict[int, int]
    spent: dict[int, int]

    def law(self) -> IntegerLaw:
        """Return the law of the count in all."""
        low, most = 0, max((*self.unspent, *self.spent))
        weights = [self.unspent.get(count, 0) + self.spent.get(count, 0) for count in range(most + 1)]
        return IntegerLaw(low, tuple(weights), sum(weights))


class Parted(NamedTuple):
    """A volley that may use a re-roll that it shares with others.

    Parameters
    ----------
    unspent
        Weight and law of the volley given that none of its dice failed.
    spent
        The same given that its first failed die was rolled again.
    whole
        The law of the volley that has the re-roll to itself: the mixture of both.
    """

    unspent: tuple[int, VolleyLaw]
    spent: tuple[int, VolleyLaw]
    whole: VolleyLaw


def counted_with_one_reroll(
    dice: IntegerLaw, success: int, fail: int, again: tuple[int, int] | None = None, *, failures: bool = False
) -> Counted:
    """Count the successes, or failures, among a number of dice of which one that failed is rolled again.

    Parameters
    ----------
    dice
        Law of the number of dice.
    success, fail
        Weights of the two results of a die.
    again
        The same for the die that is rolled again, where a die that failed is not like the others.
    failures
        Whether failures are counted.

    Examples
    --------
    Four shots that hit on 3+ (Rules Commentary, Fast Dice Rolling and Rules That Allow One Re-roll):

    >>> total, out_of = counted_with_one_reroll(IntegerLaw(4, (1,), 1), 4, 2).law().mean()
    >>> 243 * total == 778 * out_of
    True
    """
    most, total = dice.low + len(dice.weights) - 1, success + fail
    if most > MAXIMUM_DICE:
        raise MathhammerError(
            f"expected at most {MAXIMUM_DICE} dice of which one is re-rolled, but there can be {most:,}; "
            "use fewer attacks, or leave the re-roll out"
        )
    better, worse = again or (success, fail)
    counted = Counted({}, {})
    for place, weight in enumerate(dice.weights):
        number = dice.low + place
        scale = weight * total ** (most - number)
        for passed in range(number + 1):
            mass = scale * comb(number, passed) * success**passed * fail ** (number - passed)
            left = [(counted.unspent, passed, better + worse)]
            used = [(counted.spent, passed, worse), (counted.spent, passed + 1, better)]
            for part, successes, chance in left if passed == number else used:
                if mass * chance:
                    count = number - successes if failures else successes
                    part[count] = part.get(count, 0) + mass * chance
    return counted


def with_one_reroll(law: VolleyLaw, chances: Chances, roll: str, wounds: tuple[Wound, ...]) -> VolleyLaw:
    """Return the law of a volley of which one die is rolled again.

    The dice of that roll and of those before are counted first; what follows is resolved for each success.

    Parameters
    ----------
    law
        The volley without it.
    chances
        What one of its attacks does.
    roll
        ``"reroll_hits"``, ``"reroll_wounds"`` or ``"reroll_saves"``.
    wounds
        Its wound rolls, one for each strength.
    """
    parted = parted_by_one_reroll(law, chances, roll, wounds)
    return law if parted is None else parted.whole


def parted_by_one_reroll(
    law: VolleyLaw, chances: Chances, roll: str, wounds: tuple[Wound, ...]
) -> Parted | None:
    """Return a volley parted by whether one of its dice is rolled again; nothing if none of them can be.

    No die can where none is rolled, where each that failed was rolled again before, or where none can succeed.
    The parameters are those of :func:`with_one_reroll`.
    """
    rolled = _counted(law, chances, roll, wounds)
    if rolled is None:
        return None
    counted, after, kept = rolled

    def volley(weights: Mapping[int, int]) -> VolleyLaw:
        # The counts of the rolls before are those of all dice: what they come to does not depend on this roll.
        return VolleyLaw(_number(weights), after, law.damages, law.ranks, law, kept)

    if not counted.spent:
        return None
    whole = counted.law()
    return Parted(
        (sum(counted.unspent.values()), volley(counted.unspent)),
        (sum(counted.spent.values()), volley(counted.spent)),
        volley(dict(enumerate(whole.weights))),
    )


def _counted(
    law: VolleyLaw, chances: Chances, roll: str, wounds: tuple[Wound, ...]
) -> tuple[Counted, Chances, frozenset[str]] | None:
    """Count the dice; say what follows each that counts, and which counts are of rolls before it."""
    certain = (0, 36, 0)
    missed, normal, critical = chances.hit
    if roll == "reroll_hits":
        if not missed or not normal + critical:
            return None
        dice = IntegerLaw.from_distribution(law.attacks.law(arithmetic(exact=True)))
        made = counted_with_one_reroll(dice, normal + critical, missed)
        return made, replace(chances, hit=(0, normal, critical)), frozenset(("attacks",))
    fail, success, better, total = chances.wound
    if roll == "reroll_wounds" and wounds[0].check.reroll is not None:
        return None  # Twin-linked has re-rolled every failed die, and no die is re-rolled twice
    _require_all_rolled(chances, roll, wounds)
    if roll == "reroll_saves" and chances.unsaved == 36:
        return None
    if roll == "reroll_wounds":
        hits = _count(law, chances.hits())
        made = counted_with_one_reroll(hits, success + better, fail, _of_a_failed_die(wounds))
        wound = (0, success, better, success + better)
        kept = frozenset(("attacks", "hits"))
    else:
        dice = _count(law, chances.wounds())
        made = counted_with_one_reroll(dice, 36 - chances.unsaved, chances.unsaved, failures=True)
        wound, kept = (0, total, 0, total), frozenset(("attacks", "hits", "wounds"))
        chances = replace(chances, unsaved=36)
    after = replace(chances, hit=certain, wound=wound, extra_hits=None, critical_hits_wound=False)
    return made, after, kept


def _require_all_rolled(chances: Chances, roll: str, wounds: tuple[Wound, ...]) -> None:
    """Refuse a volley some of whose attacks make a roll and some do not."""
    if chances.critical_hits_wound and chances.hit[2]:
        raise MathhammerError(
            f"expected a weapon without Lethal Hits for {roll}='one': some of its attacks make that roll and some do "
            "not; re-roll a hit roll, or the roll of another volley"
        )
    if chances.critical_wounds_deferred and (roll == "reroll_saves" or len(wounds) > 1):
        raise MathhammerError(
            f"expected a weapon without Devastating Wounds for {roll}='one', or one with a Strength that is not "
            "rolled for a wound roll; re-roll a hit roll, or the roll of another volley"
        )


def rolled_before(stages: Stages) -> Rolled | None:
    """Return what is behind the attacks of a volley of which one die is rolled again; nothing for other volleys."""
    before = stages.law.before
    if before is None:
        return None
    roll, wounds, chances = stages.situation.one_reroll[0], stages.wounds, stages.chances
    return Rolled(
        before.attacks,
        lambda number: (
            with_one_reroll(before._replace(attacks=Constant(number)), chances, roll, wounds).attacks
        ),
    )


def _of_a_failed_die(wounds: tuple[Wound, ...]) -> tuple[int, int]:
    """Weights of success and failure of a wound roll made again, with the Strength that it had when it failed."""
    success = fail = 0
    for wound in wounds:
        failing, *others = wound.check.weights()
        success += wound.weight * failing * sum(others)
        fail += wound.weight * failing * failing
    return success, fail


def _count(law: VolleyLaw, each: GeneratingFunction) -> IntegerLaw:
    exact = arithmetic(exact=True)
    attack = IntegerLaw(0, tuple(each.of_sum()), each.denominator).distribution(exact)
    total: Distribution[object] = law.attacks.law(exact).compound(attack)  # type: ignore[assignment]
    return IntegerLaw.from_distribution(total)  # type: ignore[arg-type]


def _number(weights: Mapping[int, int]) -> Expression:
    return faces({count: weight for count, weight in weights.items() if weight})
