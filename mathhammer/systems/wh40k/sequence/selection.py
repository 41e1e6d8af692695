"""Properties of a unit that are fixed when it is chosen as the target: its Toughness, the number of its models."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit, of_all_models, toughness_of

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mathhammer.arithmetic import P
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import UnitDistribution
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target


class Selection(NamedTuple):
    """Properties of a target when it is chosen."""

    #: Living models of the unit, only so exactly as Blast counts them.
    models: int
    #: The Toughness for all its attacks.
    toughness: int
    #: Those of its keywords that a weapon with Anti names: a unit has the keywords of its living models.
    keywords: tuple[str, ...] = ()
    #: Whether it has each of the rules that count only if all its living models have them.
    of_all: tuple[tuple[str, bool], ...] = ()


def selections(
    target: Target | TargetUnit,
    start: UnitDistribution[P],
    *,
    counts_models: bool,
    named: AbstractSet[str],
    edition: Edition,
) -> tuple[list[Selection], list[UnitDistribution[P]], Distribution[P]]:
    """Return what a unit can meet after an earlier attack, the target's distribution then, and its own.

    References
    ----------
    Warhammer 40,000 10th edition, Rules Commentary: Toughness and the number of models are those of the moment when
    the target is selected; core rules, Leader: leaders whose bodyguards are all destroyed are units of their own;
    core rules, Keywords: a unit has those of all its models.
    """
    kinds = target.kinds if isinstance(target, TargetUnit) else (target,)
    leaders = len(target.leaders) if isinstance(target, TargetUnit) else 0
    rows = kinds[: len(kinds) - leaders], kinds[len(kinds) - leaders :]

    @cache
    def met_by(dead: tuple[int, ...]) -> Selection:
        left = {kind.name: kind.models - lost for kind, lost in zip(kinds, dead, strict=True)}
        models = max(1, sum(left.values())) if counts_models else 1
        models = max(1, models // edition.models_of_blast * edition.models_of_blast)
        living = [[kind for kind in row if left[kind.name]] for row in rows]
        counted = [(kind.toughness, left[kind.name]) for kind in living[0] or living[1]]
        toughness = toughness_of(counted or [(target.toughness, 1)], majority=edition.majority_toughness)
        keywords = {word for row in living for kind in row for word in kind.keywords if word.lower() in named}
        shared = of_all_models((kind for row in living for kind in row), edition.target_rules)
        return Selection(models, toughness, tuple(sorted(keywords)), shared)

    return start.cases(lambda state: met_by(state[::2]))
