"""A turn of two units: the public function, and the choices between its rolls."""

from __future__ import annotations

from functools import partial, reduce
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.distributions.chain import moved, parted, transformed, united
from mathhammer.distributions.decisions import DecisionNode, best_plan
from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.kernel import together
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.call import records_call
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.wh40k.attacks.unit_rolls import charge, required
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.targets import Objective, require_objective
from mathhammer.systems.wh40k.sequence.compile import state_values
from mathhammer.systems.wh40k.turns.combatant import Combatant
from mathhammer.systems.wh40k.turns.play import (
    APART,
    AXES,
    CHARGED,
    DEMISE,
    END,
    ENGAGED,
    FAILED,
    POSITION,
    REROLL,
    STAGES,
    Outcome,
    Play,
    TurnSide,
)
from mathhammer.systems.wh40k.turns.result import TurnResult

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mathhammer.systems.wh40k.editions.edition import Edition


#: Most pairs of states of both units: some seconds in floats; and where choices are made, as each is followed to the
#: end by itself.
MAXIMUM_PAIRS, MAXIMUM_PAIRS_OF_CHOICES = 20_000, 2_500
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
    edition: str | Edition = DEFAULT_EDITION,
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
        Whether the target is a little beyond the distance.
    charge_modifier
        Added to the charge roll.
    skies
        Whether the charging unit takes to the skies (11th edition).
    charge_reroll
        Whether a charge roll that falls short is re-rolled.
    engaged
        Whether the units are engaged from the start.
    best
        What the players may choose, each doing what is best for them: stages that they may leave out, and ``"charge
        re-roll"``, a Command Re-roll of a charge roll that failed. In the 10th edition Overwatch that stands directly
        before the charge answers it, and is fired only if the charge is declared; in the 11th it is fired when the
        attacker has moved, before everything else.
    objective
        What the players maximise: the mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or
        ``"probability_destroyed"``; the defender's minus the attacker's. ``value`` counts it.
    edition, rulings, exact
        As for :func:`mathhammer.wh40k.attack`.
    start
        An earlier turn of the same two units, of either player, or an attack on the defender.

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
    required(rules, "active_player_fights_first", "turn")
    in_force = rules.in_force(rulings)
    ruled = rules.ruled(in_force)
    names, chosen = _stages(stages), _best(best, stages)
    exact = validation.flag(exact, "exact")
    require_objective(objective)
    reached = None
    if "charge" in names:
        if distance is None:
            how = "(distance=, on the command line --distance)"
            raise MathhammerError(f"expected the distance of the charge in inches, such as 9 {how}, got none")
        rolled: dict[str, Any] = {"modifier": charge_modifier, "skies": skies, "reroll": charge_reroll}
        p = charge(distance, more_than=more_than, edition=edition, exact=True, **rolled).success
        weights = {FAILED: int(p.denominator - p.numerator), CHARGED: int(p.numerator)}
        reached = Distribution.from_weights(weights, exact=True)
    elif distance is not None:
        validation.whole(distance, "distance in inches", 0)
    if validation.flag(charge_reroll, "charge_reroll") and REROLL in chosen:
        raise MathhammerError(f"expected charge_reroll=True or {REROLL!r} among the best choices, got both")
    begins = ENGAGED if validation.flag(engaged, "engaged") else APART
    if start is not None:
        expected = "an earlier turn of the same units, or an attack on the defender, as start"
        validation.instance(start, (TurnResult, UnitDistribution), expected)
        if start.exact != exact:
            got = f"(got exact={start.exact} and exact={exact}); give both the same exact=..."
            raise MathhammerError(f"start must be in the arithmetic of this turn {got}")
    attacked = start if isinstance(start, UnitDistribution) else None
    sides = TurnSide(attacker, defender, ruled), TurnSide(defender, attacker, ruled, attacked)
    if isinstance(start, TurnResult):
        before = _continued(sides, start)
    else:
        fresh = _at((sides[0].unit.first, sides[1].unit.first, begins, 0, 0, 0, 0))
        before = moved(fresh, AXES[1], lambda _, own: own if sides[1].before is None else sides[1].before)
    _require_few(*(side.unit.states for side in sides), choices=bool(chosen))
    play = Play(sides, reached, distance is not None and distance <= DEMISE)
    steps, ends = _steps(names, chosen, answered=rules.charge is not None and rules.charge.answered)
    plan = _best_plan(play, steps, before, objective) if chosen else set()
    joints, choices = _followed(play, steps, before, plan)
    after = tuple((name, joints[end]) for name, end in zip(names, ends, strict=True))
    about = (attacker, defender), (sides[0].unit, sides[1].unit), objective, rules.name, in_force
    return TurnResult(*about, after, tuple(choices), mass_type(exact=exact))


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
    options = [name for name in stages if name != "battle-shock" and "fight" not in name]
    options += [REROLL] * ("charge" in stages)
    for name in names:
        if name not in options:
            known = ", ".join(map(repr, dict.fromkeys(options))) or "none"
            raise MathhammerError(f"best must be among the choices of these stages, {known} (got {name!r})")
    return frozenset(names)


def _require_few(first: int, second: int, *, choices: bool) -> None:
    pairs = first * second
    if pairs > MAXIMUM_PAIRS:
        raise TooLargeError(
            f"expected two units of at most {MAXIMUM_PAIRS:,} pairs of states, got {pairs:,} ({first:,} times "
            f"{second:,}); use fewer models or fewer kinds of them, or attack() for what each side does to the other, "
            "fresh, without what is left of both together"
        )
    if choices and pairs > MAXIMUM_PAIRS_OF_CHOICES:
        raise TooLargeError(
            f"expected two units of at most {MAXIMUM_PAIRS_OF_CHOICES:,} pairs of states for choices within a turn, "
            f"got {pairs:,}; use smaller units, or compute the turn with and without the stage and compare their values"
        )


def _at(outcome: Outcome) -> JointDistribution:
    """Return the joint distribution of one outcome."""
    return JointDistribution(AXES, [outcome], mass_type(exact=True).from_weights([1], 1))


def _continued(sides: tuple[TurnSide, TurnSide], start: TurnResult) -> JointDistribution:
    """Return what an earlier turn left, seen from the side whose turn it is now."""
    now = [(side.combatant.unit, side.unit) for side in sides]
    earlier = [(combatant.unit, unit) for combatant, unit in zip(start.combatants, start.units, strict=True)]
    if earlier not in (now, now[::-1]):
        alike = "with weapons that allocate wounds alike"
        raise MathhammerError(f"start must be a turn of the same two units, {alike}")
    own, enemy = (0, 1) if earlier == now else (1, 0)

    def seen(each: Outcome) -> Outcome:
        position = ENGAGED if each[POSITION] in (CHARGED, ENGAGED) else APART
        shocked = each[POSITION + 1 :]
        return each[own], each[enemy], position, shocked[own], shocked[enemy], 0, 0

    return transformed(start._stages[-1][1], AXES, seen)  # noqa: SLF001 - before it is rounded


class Choice(NamedTuple):
    """Whether a player, 0 the attacker, does a stage or re-rolls a failed charge, or skips so many steps."""

    name: str
    player: int
    skips: int

    def comes(self, play: Play, outcome: Outcome) -> bool:
        """Whether there is anything to choose: both units are left, and a charge failed that may be re-rolled."""
        return play.both_left(outcome) and (self.name != REROLL or outcome[POSITION] == FAILED)


Step = str | Choice
#: The places among the steps of choices, and the outcomes before them, in which the stage is left out.
Plan = set[tuple[int, tuple[int, ...]]]


def _steps(stages: Sequence[str], best: Collection[str], *, answered: bool) -> tuple[list[Step], list[int]]:
    """Return stages with the choices before them, and where the steps of each stage end."""
    # 10th edition core stratagems, Fire Overwatch; 11th, 15.08: at the end of the opponent's Movement phase.
    pieces: list[list[Step]] = []
    for stage in stages:
        piece: list[Step] = [stage]
        if stage == "charge" and REROLL in best:
            piece += [Choice(REROLL, 0, 1), REROLL]
        if stage in best:
            piece.insert(0, Choice(stage, STAGES[stage], len(piece)))
        pieces.append(piece)
    for place, pair in enumerate(pairwise(stages)):
        if answered and pair == ("overwatch", "charge") and "charge" in best:
            overwatch, charging = pieces[place : place + 2]
            del charging[0]  # the choice to charge comes before both
            overwatch.insert(0, Choice("charge", 0, len(overwatch) + len(charging)))
    if stages[-1] in ("attacker fights", "defender fights"):
        pieces[-1].append(END)
    return list(chain(*pieces)), list(accumulate(map(len, pieces)))


def _best_plan(play: Play, steps: Sequence[Step], start: JointDistribution, objective: Objective) -> Plan:
    """Return the best plan of both players, each against the other's, from any outcome of the turns before."""
    values = (state_values(side.combatant.unit, side.unit, objective) for side in play.sides)
    (own, below), (theirs, beside) = values

    def game(position: tuple[int, Outcome]) -> DecisionNode[tuple[int, Outcome]] | None:
        place, outcome = position
        if place == len(steps):
            return None
        step = steps[place]
        if isinstance(step, Choice):
            options = [{(place + 1, outcome): 1}, {(place + 1 + step.skips, outcome): 1}]
            if step.name == REROLL:  # of equally good options the first is taken: one without effect is kept
                options.reverse()
            return DecisionNode(options if step.comes(play, outcome) else options[:1], 1, step.player == 0)
        after = play.after(step, _at(outcome))
        weights, denominator = after._mass.weights()  # noqa: SLF001 - whole numbers for the solver
        onward = zip(after._outcomes, weights, strict=True)  # noqa: SLF001
        return DecisionNode([{(place + 1, each): weight for each, weight in onward if weight}], denominator)

    starts = [(0, outcome) for outcome in start._outcomes]  # noqa: SLF001 - of this package
    plan = best_plan(game, starts, lambda end: theirs[end[1][1]] * below - own[end[1][0]] * beside)
    options = plan.items()
    return {at for at, option in options if bool(option) is not (steps[at[0]][0] == REROLL)}


def _followed(
    play: Play, steps: Sequence[Step], start: JointDistribution, plan: Plan
) -> tuple[list[JointDistribution], list[tuple[str, int, JointDistribution, JointDistribution]]]:
    """Return what is before each step and after the last; and of each choice who does it, and where, and where not."""
    pending = {0: [start]}
    before, choices = [], []
    for place, step in enumerate([*steps, END]):
        before.append(_together([*chain(*pending.values())]))
        here = pending.pop(place, [])
        if not here or place == len(steps):
            continue
        joint = _together(here)
        if isinstance(step, Choice):
            made, idle = parted(joint, partial(step.comes, play))
            left_out, does = parted(made, {each for at, each in plan if at == place}.__contains__)
            choices.append((step.name, step.player, does, left_out))
            kept = place + 1 + step.skips
            moves = [(kept, left_out), (place + 1, does), (kept if step.name == REROLL else place + 1, idle)]
        else:
            moves = [(place + 1, play.after(step, joint))]
        for to, part in moves:
            if part._outcomes:  # noqa: SLF001 - a total would be a number of SymPy
                pending.setdefault(to, []).append(part)
    return before, choices


def _together(parts: Sequence[JointDistribution]) -> JointDistribution:
    """Return the sum of parts, some of which may hold the same outcomes."""
    return parts[0] if len(parts) == 1 else transformed(reduce(united, parts), AXES, tuple)
