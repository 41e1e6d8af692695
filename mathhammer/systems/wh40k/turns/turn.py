"""A turn of two units: the public function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.distributions import JointDistribution
from mathhammer.distributions.chain import moved, transformed
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.call import records_call
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.unit_rolls import charge, required
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.target_unit import require_objective
from mathhammer.systems.wh40k.sequence.compile import state_values
from mathhammer.systems.wh40k.turns.choices import REROLL, Choice, best_choices, planned, steps_of
from mathhammer.systems.wh40k.turns.combatant import Combatant, Side
from mathhammer.systems.wh40k.turns.play import APART, AXES, CHARGED, DEMISE, ENGAGED, POSITION, STAGES, Play
from mathhammer.systems.wh40k.turns.result import TurnResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.systems.wh40k.profiles.target_unit import Objective


#: Most pairs of states of both units: some seconds in floats.
MAXIMUM_PAIRS = 20_000
#: The stages of most turns.
STAGES_OF_A_TURN = ("shoot", "charge", "fight")
#: Most stages of a turn.
MAXIMUM_STAGES = 24


@records_call("40k")
@together()
def turn(
    attacker: Combatant,
    defender: Combatant,
    /,
    stages: Sequence[str] = STAGES_OF_A_TURN,
    *,
    distance: int | None = None,
    more_than: bool = False,
    charge_modifier: int = 0,
    skies: bool = False,
    charge_reroll: bool = False,
    engaged: bool = False,
    best: Iterable[str] = (),
    objective: Objective = "kills",
    edition: str = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: TurnResult | UnitDistribution | None = None,
) -> TurnResult:
    """Play a turn of two units against each other, stage by stage.

    Each stage depends on what the earlier ones left of both: who is destroyed does not attack, and who has not
    reached the enemy does not fight.

    Parameters
    ----------
    attacker
        The unit whose turn it is.
    defender
        Its enemy.
    stages
        In their order: ``"shoot"``; ``"overwatch"``, shots of the defender that hit on 6s; ``"charge"``; ``"fight"``,
        with both units in the order of the rules; ``"attacker fights"`` and ``"defender fights"``, where that order is
        another because of other units or a Counteroffensive; ``"desperate escape"`` of the attacker; and
        ``"battle-shock"``, of both units in their next Command phase.
    distance
        From the charging unit to its target, in inches.
    more_than
        Whether the target of the charge is farther away, by less than an inch.
    charge_modifier
        What is added to the charge roll.
    skies
        Whether the charging unit takes to the skies (11th edition).
    charge_reroll
        Whether a charge roll that falls short is re-rolled.
    engaged
        Whether the units are engaged from the start.
    best
        Choices that their players make in the best way for them, knowing what is left of both units: stages that they
        may leave out, and ``"charge re-roll"``, a Command Re-roll of a charge roll that failed. In the 10th edition
        Overwatch that stands directly before the charge answers it, and is fired only if the charge is declared; in
        the 11th it is fired when the attacker has moved, before everything else.
    objective
        What is best, and what ``value`` counts: the mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or
        ``"probability_destroyed"``; of the defender's less of the attacker's.
    edition, rulings, exact
        As for :func:`mathhammer.wh40k.attack`.
    start
        What was before: an earlier turn of the same two units, whoever's turn it was, or an attack on the defender.

    Returns
    -------
    TurnResult
        ``kills``, ``wounds_lost``, ``outcome``, ``points_destroyed``, ``points_lost``, ``attacker`` and ``defender``
        after the turn, ``probability_charged``, ``value``, ``plan``, ``explain()``.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> brute = wh40k.Combatant("Brute: T4 Sv- W1", melee="Axe: A1 WS4+ S4 AP0 D1")
    >>> result = wh40k.turn(brute, brute, ["charge", "fight"], distance=7, exact=True)
    >>> result.probability_charged, result.outcome.pmf("defender destroyed")  # 7/12, then 1/2 to hit and to wound
    (7/12, 7/48)

    References
    ----------
    Warhammer 40,000 10th and 11th edition core rules, Shooting, Charge and Fight Phase; Fire Overwatch; Battle-shock.
    """
    for combatant in (attacker, defender):
        validation.instance(combatant, Combatant, "two Combatants", "wh40k.Combatant(target, melee=[...])")
    rules = find_edition(edition)
    required(rules, lambda edition: edition.active_player_fights_first, "turn")
    in_force = rules.in_force(rulings)
    ruled = rules.ruled(in_force)
    names, chosen = _stages(stages), _best(best, stages)
    exact = validation.flag(exact, "exact")
    require_objective(objective)
    reached = _reached(
        names,
        distance,
        {"more_than": more_than, "modifier": charge_modifier, "skies": skies},
        reroll=charge_reroll,
        edition=edition,
    )
    if validation.flag(charge_reroll, "charge_reroll") and REROLL in chosen:
        raise MathhammerError(f"expected charge_reroll=True or {REROLL!r} among the best choices, got both")
    near = distance is not None and distance <= DEMISE
    begins = ENGAGED if validation.flag(engaged, "engaged") else APART

    sides = Side(attacker, defender, ruled), Side(defender, attacker, ruled)
    play = Play(sides, None if reached is None else reached.distribution(), near=near)
    before = _before(sides, start, begins, exact=exact)
    _require_few(sides)
    answered = rules.charge is not None and rules.charge.answered
    steps, ends = steps_of(names, chosen, answered=answered)
    plan = {}
    if chosen:
        possible = [outcome for outcome, chance in in_fractions(before).items() if chance]
        values = [state_values(side.combatant.unit, side.unit, objective) for side in sides]
        (own, below), (theirs, beside) = values
        plan = best_choices(
            play, steps, possible, ([value * beside for value in own], [value * below for value in theirs])
        )
    joints, choices = planned(play, steps, before, plan)
    return TurnResult(
        (attacker, defender),
        tuple(side.unit for side in sides),  # type: ignore[arg-type] # two of them
        tuple(zip(names, (joints[end].handed_out(exact=exact) for end in ends), strict=True)),
        before.handed_out(exact=exact),
        [
            (step, joint.handed_out(exact=exact), plan.get(place, frozenset()))
            for place, joint in choices.items()
            if isinstance(step := steps[place], Choice)
        ],
        objective=objective,
        edition=rules.name,
        rulings=in_force,
    )


def _stages(stages: Sequence[str]) -> tuple[str, ...]:
    names = validation.items(stages, str, "the names of stages, in a list", f"known: {', '.join(STAGES)}")
    if not 1 <= len(names) <= MAXIMUM_STAGES:
        raise MathhammerError(f"expected from 1 to {MAXIMUM_STAGES} stages, got {len(names)}")
    for name in names:
        if name not in STAGES:
            raise MathhammerError(f"expected a stage, got {name!r}; {validation.nearest(name, STAGES)}")
    return names


def _best(best: str | Iterable[str], stages: Sequence[str]) -> frozenset[str]:
    names = validation.items((best,) if isinstance(best, str) else best, str, "the names of choices as best")
    options = [
        name for name in stages if name not in ("fight", "battle-shock", "attacker fights", "defender fights")
    ]
    options += [REROLL] * ("charge" in stages)
    for name in names:
        if name not in options:
            known = ", ".join(map(repr, dict.fromkeys(options))) or "none"
            raise MathhammerError(f"best must be among the choices of these stages, {known} (got {name!r})")
    return frozenset(names)


def _reached(
    stages: Sequence[str], distance: int | None, options: Mapping[str, Any], *, reroll: bool, edition: str
) -> IntegerDistribution | None:
    """Return whether the charge succeeds; None without a charge."""
    if "charge" not in stages:
        if distance is not None:
            validation.whole(distance, "distance in inches", 0)
        return None
    if distance is None:
        raise MathhammerError(
            "expected the distance of the charge in inches, such as 9 (distance=, on the command line --distance), "
            "got none"
        )
    success = charge(distance, reroll=reroll, edition=edition, exact=True, **options).success
    failures = int(success.denominator - success.numerator)
    return IntegerDistribution(0, (failures, int(success.numerator)), int(success.denominator))


def _require_few(sides: tuple[Side, Side]) -> None:
    pairs = sides[0].unit.states * sides[1].unit.states
    if pairs > MAXIMUM_PAIRS:
        raise TooLargeError(
            f"expected two units of at most {MAXIMUM_PAIRS:,} pairs of states, got {pairs:,} "
            f"({sides[0].unit.states:,} times {sides[1].unit.states:,}); use fewer models or fewer kinds of them, or "
            "attack() for what each side does to the other, fresh, without what is left of both together"
        )


def _before(
    sides: tuple[Side, Side], start: TurnResult | UnitDistribution | None, begins: int, *, exact: bool
) -> JointDistribution:
    """Return the joint distribution before the first stage."""
    fresh = JointDistribution(
        AXES,
        [(*(side.unit.first for side in sides), begins, 0, 0, 0, 0)],
        mass_type(exact=True).from_weights([1], 1),
    )
    if start is None:
        return fresh
    validation.instance(
        start,
        (TurnResult, UnitDistribution),
        "an earlier turn of the same units, or an attack on the defender, as start",
    )
    if start.exact != exact:
        raise MathhammerError(
            f"start must be in the arithmetic of this turn (got exact={start.exact} and exact={exact}); give "
            "both the same exact=..."
        )
    if isinstance(start, TurnResult):
        return _continued(sides, start).handed_out(exact=True)
    sides[1].unit, states = resume(sides[1].unit, start, exact=exact)
    return moved(fresh, AXES[1], lambda _, before: before if states is None else states)


def _continued(sides: tuple[Side, Side], start: TurnResult) -> JointDistribution:
    """Return what an earlier turn left, seen from the side whose turn it is now."""
    units = [side.combatant.unit for side in sides]
    earlier = [combatant.unit for combatant in start.combatants]
    same = units == earlier and [side.unit for side in sides] == list(start.units)
    swapped = units == earlier[::-1] and [side.unit for side in sides] == list(start.units[::-1])
    if not (same or swapped):
        raise MathhammerError(
            "start must be a turn of the same two units, with weapons that allocate wounds alike"
        )
    order = (0, 1) if same else (1, 0)
    later = {CHARGED: ENGAGED, ENGAGED: ENGAGED}

    def position(each: tuple[int, ...]) -> tuple[int, ...]:
        shocked = each[POSITION + 1 :]
        return (
            *(each[place] for place in order),
            later.get(each[POSITION], APART),
            *(shocked[place] for place in order),
            *(0, 0),
        )

    return transformed(start.joint, AXES, position)
