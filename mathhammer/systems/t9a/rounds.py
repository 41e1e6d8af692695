"""Fight a round of combat, or rounds until one side is gone or breaks."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.distributions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence import records_call, rulings_in_force
from mathhammer.systems.t9a.choices import OBJECTIVES, PLAYERS, Combat
from mathhammer.systems.t9a.combat_round import Round, frightened
from mathhammer.systems.t9a.editions import find_edition
from mathhammer.systems.t9a.moves import flee, pursuit
from mathhammer.systems.t9a.outcome import CombatResult, RoundsResult
from mathhammer.systems.t9a.units import Unit
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.t9a.choices import Objective, Players

MOST_ROUNDS = 12
#: Most steps from one state of two units to a later one, counted for each round and five times for their computation:
#: some seconds.
MAXIMUM_STEPS = 6_000_000


@records_call("t9a")
@together()
def rounds_of_combat(
    first: Unit,
    second: Unit,
    /,
    *,
    rounds: int = 5,
    pursue: bool = False,
    first_swiftstride: bool = False,
    second_swiftstride: bool = False,
    best: Players = None,
    objective: Objective = "break",
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> RoundsResult:
    """Fight rounds of combat until one side is gone or breaks, or so many rounds are over.

    From the second round on nobody charges, what counts in the first round only is over, and models and Full Ranks that
    were lost are missing; a Breath Attack is made once. All else that the units are given holds in every round.

    Parameters
    ----------
    first, second
        The two sides, as `fight` takes them.
    rounds
        How many at most, from 1 to 12.
    pursue
        Whether a unit that broke is pursued; if it is caught it is destroyed.
    first_swiftstride, second_swiftstride
        Whether the whole unit has Swiftstride, when it flees or pursues.
    best, objective
        As of `fight`: the choices of all rounds, of which each sees what came before it. A unit that is caught has
        broken. After the first round the other player is the Active Player, and so on by turns.
    edition, rulings, exact
        As of `attack`.

    Returns
    -------
    RoundsResult
        ``end``, ``losses``, ``length``, ``plan`` and what each was ``after(n)`` rounds.

    Examples
    --------
    >>> from mathhammer.systems.t9a.profiles import ModelPart, Target
    >>> part = ModelPart("claw", attacks=1, models=1, offensive_skill=3, strength=3, agility=3)
    >>> side = Unit(Target("beast", models=1, defensive_skill=3, resilience=3), part, unbreakable=True)
    >>> result = rounds_of_combat(side, side, rounds=2, exact=True)
    >>> result.end.pmf("still fighting"), result.end.pmf("both destroyed")  # 1/4 to wound, at the same time
    (81/256, 25/256)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Round of Combat Sequence; Break Test; Pursuit; Charging Momentum; Breath Attack;
    Turns (Active and Reactive Player).
    """
    for unit in (first, second):
        validation.instance(unit, Unit, "two Units to fight", "t9a.Unit(target, parts)")
    validation.whole(rounds, "rounds", 1, MOST_ROUNDS)
    given = locals()
    for name in ("pursue", "first_swiftstride", "second_swiftstride", "exact"):
        validation.flag(given[name], name)
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    units = first, second
    losses = [left + 1 for unit in units for left in unit.pools(rules).left]
    steps = (rounds + 5) * prod(states * (states + 1) // 2 for states in losses)
    steps *= 1 + bool(frightened(units))
    if steps > MAXIMUM_STEPS:
        raise TooLargeError(
            f"expected two units that change in at most {MAXIMUM_STEPS:,} steps in several rounds, got {steps:,}; "
            "use smaller units, fewer rounds, or fight one round only"
        )
    players = _players(best, objective)
    caught = [(0, 1)] * 2
    if pursue:
        options: dict[str, Any] = {"edition": edition, "rulings": in_force, "exact": True}
        swift = first_swiftstride, second_swiftstride
        for side in (0, 1):
            fled = flee(swiftstride=swift[side], **options)
            chance = in_fractions(pursuit(swiftstride=swift[1 - side], **options) - fled).at_least(0)
            caught[side] = int(chance.p), int(chance.q)
    begins = Round(units, rules, in_force, first_round=True, caught=caught)
    charged = first.after_the_charge(), second.after_the_charge()
    later = Round(charged, rules, in_force, first_round=False, caught=caught)
    combat = Combat([begins, *[later] * (rounds - 1)], players, objective)
    return RoundsResult(units, combat, rounds=rounds, rules=rules, rulings=in_force, exact=exact)


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
) -> CombatResult:
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
    given = locals()
    for name in ("first_round", "duel", "exact"):
        validation.flag(given[name], name)
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    players = _players(best, objective)
    units = first, second
    fighting = Round(units, rules, in_force, first_round=first_round, duel=duel)
    combat = Combat([fighting], players, objective)
    stages = [stages for side in fighting.sides for each in side.stages for stages in each[:1]]
    return CombatResult(units, combat, stages=stages, rules=rules, rulings=in_force, exact=exact)


def _players(best: Players, objective: Objective) -> tuple[int, ...]:
    """Return the sides that choose."""
    validation.one_of(objective, OBJECTIVES, "objective")
    return () if best is None else PLAYERS[validation.one_of(best, PLAYERS, "best")]
