"""One re-roll for a whole volley: a failed die of one roll, picked after all of them are seen.

It is the use that a Command Re-roll, or a rule that allows "one hit roll", has for somebody who wants as many
successes as he can get. Which of the failed dice is picked makes no difference where they are alike; of wound rolls
with a random Strength it is the first.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import IntegerLaw
from mathhammer.errors import MathhammerError
from mathhammer.expressions import faces
from mathhammer.expressions.base import Constant
from mathhammer.sequence import Rolled, VolleyLaw

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.expressions import Expression
    from mathhammer.sequence import Chances
    from mathhammer.systems.wh40k.rolls import Wound
    from mathhammer.systems.wh40k.stages import Stages

__all__ = ["failures_with_one_reroll", "rolled_before", "successes_with_one_reroll", "with_one_reroll"]

#: Most dice of which one may be re-rolled: the numbers are exact, and long.
MAXIMUM_DICE = 500


def successes_with_one_reroll(
    dice: IntegerLaw, success: int, fail: int, again: tuple[int, int] | None = None
) -> IntegerLaw:
    """Return the law of the successes among a number of dice of which one that failed is rolled again.

    Parameters
    ----------
    dice
        Law of the number of dice.
    success, fail
        Weights of the two results of a die.
    again
        The same for the die that is rolled again, where a die that failed is not like the others.

    Examples
    --------
    Four shots that hit on 3+ (Rules Commentary, Fast Dice Rolling and Rules That Allow One Re-roll):

    >>> total, out_of = successes_with_one_reroll(IntegerLaw(4, (1,), 1), 4, 2).mean()
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
    weights = [0] * (most + 1)
    for place, weight in enumerate(dice.weights):
        number = dice.low + place
        scale = weight * total ** (most - number)
        for hit in range(number + 1):
            mass = scale * comb(number, hit) * success**hit * fail ** (number - hit)
            if hit == number:
                weights[hit] += mass * (better + worse)
            else:
                weights[hit] += mass * worse
                weights[hit + 1] += mass * better
    return IntegerLaw(0, tuple(weights), dice.denominator * total**most * (better + worse))


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
    exact = arithmetic(exact=True)
    certain = (0, 36, 0)
    _, normal, critical = chances.hit
    if roll == "reroll_hits":
        dice = IntegerLaw.from_distribution(law.attacks.law(exact))
        made = successes_with_one_reroll(dice, normal + critical, chances.hit[0])
        after = replace(chances, hit=(0, normal, critical) if normal + critical else chances.hit)
        return VolleyLaw(_number(made), after, law.damages, law.ranks, law, frozenset(("attacks",)))
    if chances.critical_hits_wound and critical:
        raise MathhammerError(
            f"expected a weapon without Lethal Hits for {roll}='one': some of its attacks make that roll and some do "
            "not; re-roll a hit roll, or the roll of another volley"
        )
    if chances.critical_wounds_deferred and (roll == "reroll_saves" or len(wounds) > 1):
        raise MathhammerError(
            f"expected a weapon without Devastating Wounds for {roll}='one', or one with a Strength that is not "
            "rolled for a wound roll; re-roll a hit roll, or the roll of another volley"
        )
    fail, success, better, total = chances.wound
    if roll == "reroll_wounds":
        hits = _count(law, chances.hits())
        made = successes_with_one_reroll(hits, success + better, fail, _of_a_failed_die(wounds))
        wound = (0, success, better, success + better) if success + better else chances.wound
        kept = frozenset(("attacks", "hits"))
    else:
        made = failures_with_one_reroll(_count(law, chances.wounds()), chances.unsaved)
        wound, kept = (0, total, 0, total), frozenset(("attacks", "hits", "wounds"))
        chances = replace(chances, unsaved=36)
    after = replace(chances, hit=certain, wound=wound, extra_hits=None, critical_hits_wound=False)
    return VolleyLaw(_number(made), after, law.damages, law.ranks, law, kept)


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


def failures_with_one_reroll(wounds: IntegerLaw, unsaved: int) -> IntegerLaw:
    """Return the law of the failures among dice of which one that failed is rolled again.

    `wounds` is the law of the number of dice, `unsaved` the weight of a failure out of 36.
    """
    most = wounds.low + len(wounds.weights) - 1
    weights = [0] * (most + 1)
    for place, weight in enumerate(wounds.weights):
        number = wounds.low + place
        scale = weight * 36 ** (most - number)
        for failed in range(number + 1):
            mass = scale * comb(number, failed) * unsaved**failed * (36 - unsaved) ** (number - failed)
            if failed:
                weights[failed] += mass * unsaved
                weights[failed - 1] += mass * (36 - unsaved)
            else:
                weights[0] += mass * 36
    return IntegerLaw(0, tuple(weights), wounds.denominator * 36 ** (most + 1))


def _count(law: VolleyLaw, each: GeneratingFunction) -> IntegerLaw:
    exact = arithmetic(exact=True)
    attack = IntegerLaw(0, tuple(each.of_sum()), each.denominator).distribution(exact)
    total: Distribution[object] = law.attacks.law(exact).compound(attack)  # type: ignore[assignment]
    return IntegerLaw.from_distribution(total)  # type: ignore[arg-type]


def _number(law: IntegerLaw) -> Expression:
    return faces({law.low + place: weight for place, weight in enumerate(law.weights) if weight})
