"""A Command Re-roll spent by a policy: the attack as a game of looking at dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.arithmetic import arithmetic
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.sequence.compile import CompiledVolley

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Unit
    from mathhammer.sequence.reroll_play import RerollPlay
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds

__all__ = ["reroll_play"]

#: What each objective is called where its value is shown.
_OBJECTIVES = {
    "kills": "mean models destroyed",
    "wounds_lost": "mean wounds lost",
    "points": "mean points destroyed",
    "probability_destroyed": "P(destroyed)",
}


def reroll_play(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    target: Target | TargetUnit,
    unit: Unit,
    before: Distribution[Any] | int | None,
    objective: str,
    *,
    exact: bool,
) -> RerollPlay[Any] | None:
    """Return the attack as it is played with a Command Re-roll; nothing if there is none.

    Parameters
    ----------
    compiled
        Volleys and mortal wounds in the order in which they are resolved.
    target, unit
        What is attacked, and its states.
    before
        The state of the target before.
    objective
        What the attacker makes as great as can be.
    exact
        The arithmetic.
    """
    volleys = [each for each in compiled if isinstance(each, CompiledVolley)]
    given = (each.stages[0].situation.keywords.get("reroll") for each in volleys)
    policies = [policy for policy in given if policy is not None]
    if not policies:
        return None
    if any(policy != policies[0] for policy in policies):
        raise MathhammerError(
            "expected one policy for the re-rolls of all volleys, got several; give the same reroll to each"
        )
    # Whatever the attack is asked for, few of them have a re-roll: the game is loaded when one has.
    from mathhammer.sequence.best_rerolls import RerollGame
    from mathhammer.sequence.reroll_play import RerollPlay
    from mathhammer.systems.wh40k.sequence.dice_stages import volley_dice

    if volleys[0].stages[0].edition.in_pools and isinstance(target, TargetUnit):
        raise MathhammerError(
            f"expected a unit of equal models where a re-roll is spent by a policy in this edition, got "
            f"{target.name!r}; leave out reroll, or attack in another edition"
        )
    values, out_of = _values(target, unit, objective)
    only = len(compiled) == 1
    game = RerollGame(
        [each.volley for each in compiled],
        [volley_dice(each, equal_models=unit.is_simple, only=only) for each in compiled],
        unit,
        defender_maximises=isinstance(target, TargetUnit) and target.allocation == "worst",
    )
    start = unit.first if before is None else before
    kind: Any = arithmetic(exact=exact)
    return RerollPlay(game, start, values, out_of, _OBJECTIVES[objective], kind, policies[0])


def _values(target: Target | TargetUnit, unit: Unit, objective: str) -> tuple[Sequence[int], int]:
    """Return what each state is worth to the attacker, in whole numbers, and what these are out of."""
    if objective == "points" and target.points is None:
        raise MathhammerError(
            f"expected points of every kind in {target.name!r} to count points by, got none"
        )
    if isinstance(target, TargetUnit):
        return target.values(unit, objective)
    if objective == "probability_destroyed":
        return [0] * (unit.states - 1) + [1], 1
    if objective == "wounds_lost":
        return unit.wounds_lost(), 1
    if objective == "points":
        return [kills * (target.points or 0) for kills in unit.models_destroyed()], target.models
    return unit.models_destroyed(), 1
