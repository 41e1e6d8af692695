"""A round of combat: both sides strike by initiative order, then score, and the loser tests whether it breaks."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import Arithmetic, arithmetic
from mathhammer.errors import MathhammerError
from mathhammer.sequence import records_call, rulings_in_force
from mathhammer.systems.t9a.choices import best_policy
from mathhammer.systems.t9a.combat_round import Round
from mathhammer.systems.t9a.editions import find_edition
from mathhammer.systems.t9a.units import Unit
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.t9a.choices import Objective, Players
    from mathhammer.systems.t9a.outcome import CombatResult


@records_call("t9a")
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    first_round: bool = True,
    duel: bool = False,
    best: Players = None,
    objective: Objective = "break",
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> CombatResult[Any]:
    """Resolve a round of combat of two units.

    Model parts strike in order of their Agility after modifiers, those of equal Agility of both sides at once; what
    was lost in one initiative step strikes no more in the next.

    Parameters
    ----------
    first, second
        The two sides.
    first_round
        Whether it is the first Round of Combat of these two.
    duel
        Whether two single models fight a Duel: up to 3 wounds beyond the last Health Point count.
    best
        Who makes the best choices: ``"first"``, ``"second"`` or ``"both"`` against each other. They choose one of the
        unit's `alternatives` at the start of the round, and in each initiative step, with all before it in view, where
        the attacks go of parts with several `at`, split in any way, and whether a Breath Attack is made. Others take
        the first of their alternatives, strike at the first of `at` that stands, and use a Breath Attack at once. Of
        two players the Active Player chooses first: the one that charged, or the first.
    objective
        What the choices make as great as can be: the probability to ``"break"`` or destroy the enemy, that to
        ``"hold"`` and be neither, or the mean ``"health points"`` that the enemy loses, less one's own. With both at
        their best it is the first side's, and the second wants the opposite.
    edition, rulings, exact
        As of `attack`.

    Returns
    -------
    CombatResult
        ``losses``, ``difference``, ``probability_first_wins``, ``probability_second_breaks``, ``plan`` and more.

    Examples
    --------
    >>> from mathhammer.systems.t9a.profiles import ModelPart, Target
    >>> def side(name, agility):
    ...     part = ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3, agility=agility)
    ...     return Unit(Target(name, models=2, defensive_skill=3, resilience=3), part)
    >>> result = fight(side("swift", 5), side("slow", 3), exact=True)
    >>> result.first_lost.mean(), result.second_lost.mean()
    (3/8, 1/2)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Turns (Simultaneous Effects); Round of Combat Sequence; Set Agility Order
    (Charging Momentum); Allocating Attacks; Weapon Master; Breath Attack; Crush Attack; Attack Sequence; Combat Score;
    Break Test (No More Foes, Disrupted Ranks); Unstable; 3rd edition, Static Combat Score, Determine the Winner.
    """
    if not isinstance(first, Unit) or not isinstance(second, Unit):
        raise MathhammerError(f"expected two Units to fight, got {shown(first)} and {second!r}")
    if duel and any(unit.target.models > 1 or len(unit.bodies()) > 1 for unit in (first, second)):
        raise MathhammerError("expected single models in a Duel; give each fighter as a Unit of its own")
    validation.flag(first_round, "first_round")
    validation.flag(duel, "duel")
    validation.flag(exact, "exact")
    if second is first:
        second = copy(second)  # the two sides are distinguished by identity
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)

    def compiled(*, exact: bool) -> Round[Any]:
        kind: Arithmetic[Any] = arithmetic(exact=exact)
        return Round(first, second, rules, in_force, kind, first_round=first_round, duel=duel)

    policy = best_policy(lambda: [compiled(exact=True)], best, objective)
    fighting = compiled(exact=exact)
    fighting.require_combat()
    return fighting.result(*(None, None) if policy is None else (policy.in_round(0), policy.plan))
