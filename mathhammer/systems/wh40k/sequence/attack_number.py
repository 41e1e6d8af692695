"""The number of attacks of weapons of which one roll may be re-rolled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.distributions import mixture
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import TooLargeError
from mathhammer.expressions import faces
from mathhammer.systems.wh40k.rules.roll import rules_of_attacker, rules_of_target
from mathhammer.systems.wh40k.rules.rolls import ATTACKS
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.rolls import Attacks
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: Most weapons of which one roll of attacks may be re-rolled: the numbers are exact, and long.
MAXIMUM_WEAPONS = 200


def attacks_parted(stages: Stages) -> tuple[tuple[int, Expression], tuple[int, Expression]] | None:
    """Return weight and number of attacks where no roll is re-rolled, and where one is: the first below its mean.

    Warhammer 40,000 10th edition core stratagems, Command Re-roll: the number of attacks of a weapon.
    """
    weapon, count = stages.weapon, stages.number
    rolled = integer_distribution(weapon.attacks)
    total, out_of = rolled.mean()
    kept, again = {}, 0
    for value, weight in rolled.items():
        if value * out_of < total:
            again += weight
        else:
            kept[value] = weight
    if not again:
        return None
    if count > MAXIMUM_WEAPONS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_WEAPONS} weapons of which one roll of attacks is re-rolled, got {count:,}; "
            "put some of them into another volley"
        )
    high = replace(weapon, attacks=faces(kept))
    one, as_kept = (attacks_of_one(each, stages).distribution(exact=True) for each in (weapon, high))
    high_one = sum(kept.values())
    every = high_one + again
    # Of so many weapons: all dice as they fall, none below the mean, and one that was and is re-rolled.
    free, high_ones, spent = one, as_kept, one
    for more in range(1, count):
        first = again * every**more
        later = high_one * (every**more - high_one**more)
        spent = mixture([first, later], [one + free, as_kept + spent])
        free, high_ones = free + one, high_ones + as_kept
    return (
        (high_one**count, _as_faces(high_ones)),
        (every**count - high_one**count, _as_faces(spent)),
    )


def attacks_of_one(weapon: Weapon, stages: Stages) -> Expression:
    """Return the number of attacks of one weapon in place of that of a volley."""
    target, edition = stages.target, stages.edition
    rules = rules_of_attacker(weapon, target.keywords, stages.situation, edition).attacks
    on_target = rules_of_target(target, edition).attacks
    found: Attacks = ATTACKS.make(
        *ATTACKS.of_weapon(weapon, 1), rules, *ATTACKS.of_target(target), on_target, edition
    )
    return found.each


def _as_faces(distribution: Distribution) -> Expression:
    whole = IntegerDistribution.from_distribution(distribution)
    return faces(dict(whole.items()))
