"""Rounds of combat: both sides strike by initiative order, then score, until one side is gone or breaks."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import Arithmetic, arithmetic
from mathhammer.display import exact_number, percent
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution, in_fractions
from mathhammer.distributions.chain import extended, transformed
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence import Explanation, Rulings, Step, records_call, rulings_in_force
from mathhammer.systems.t9a.choices import best_policy
from mathhammer.systems.t9a.combat_round import Policy, Round
from mathhammer.systems.t9a.editions import Edition, find_edition
from mathhammer.systems.t9a.moves import flee, pursuit
from mathhammer.systems.t9a.outcome import NO_TEST, FightResult
from mathhammer.systems.t9a.units import Unit
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.display import Panel
    from mathhammer.systems.t9a.choices import CombatPlan, Objective, Players
    from mathhammer.systems.t9a.outcome import CombatResult, Scoring

#: How a combat can end, in the order of their numbers; a unit that breaks and is caught is destroyed.
ENDS = (
    "still fighting",
    "first destroyed",
    "second destroyed",
    "both destroyed",
    "first breaks",
    "second breaks",
    "first caught",
    "second caught",
)
_BREAKS, _CAUGHT = 3, 5
MOST_ROUNDS = 12
#: Most steps from one state of two units to a later one, counted for each round and five times for their computation:
#: some seconds.
MAXIMUM_STEPS = 6_000_000

State = tuple[int, ...]


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
    flags = {
        "pursue": pursue,
        "first_swiftstride": first_swiftstride,
        "second_swiftstride": second_swiftstride,
        "exact": exact,
    }
    for name, value in flags.items():
        validation.flag(value, name)
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    if second is first:
        second = copy(second)  # the two sides are distinguished by identity
    _require_few(first, second, rules, rounds)

    def compiled(*, exact: bool) -> list[Round]:
        kind: Arithmetic = arithmetic(exact=exact)
        begins = Round(first, second, rules, in_force, kind, first_round=True)
        begins.require_combat()
        charged = first.after_the_charge(), second.after_the_charge()
        later = Round(*charged, rules, in_force, kind, first_round=False)
        return [begins, *[later] * (rounds - 1)]

    policy = best_policy(lambda: compiled(exact=True), best, objective)
    fighting = compiled(exact=exact)
    swift, options = (first_swiftstride, second_swiftstride), (edition, in_force, exact)
    caught = [_caught(swift[side], swift[1 - side], *options) for side in (0, 1)] if pursue else None
    start = fighting[0].start()
    # Nothing has ended, after no round.
    states = [transformed(start, (*start.axes, "end", "rounds"), lambda outcome: (*outcome, 0, 0))]
    rows: _Rows | None = None
    for place, each in enumerate(fighting):
        # Without choices all rounds but the first are alike.
        if rows is None or place == 1 or policy is not None:
            rows = _Rows(each, caught, None if policy is None else policy.in_round(place))
        states.append(rows.fought(states[-1], place + 1))
    return RoundsResult(fighting[-1].scoring, tuple(states[1:]), None if policy is None else policy.plan)


def _require_few(first: Unit, second: Unit, rules: Edition, rounds: int) -> None:
    losses = [left + 1 for unit in (first, second) for left in unit.pools(rules).left]
    steps = (rounds + 5) * prod(states * (states + 1) // 2 for states in losses)
    steps *= 1 + any(
        one.afraid is None and one.fears(other) for one, other in ((first, second), (second, first))
    )
    if steps > MAXIMUM_STEPS:
        raise TooLargeError(
            f"expected two units that change in at most {MAXIMUM_STEPS:,} steps in several rounds, got {steps:,}; "
            "use smaller units, fewer rounds, or fight one round only"
        )


def _caught(
    flees_swiftly: bool,  # noqa: FBT001 - the one and the other side
    pursues_swiftly: bool,  # noqa: FBT001 - the same
    edition: str,
    rulings: Rulings,
    exact: bool,  # noqa: FBT001 - the same
) -> Distribution:
    """Return whether a unit that flees is caught."""
    options: dict[str, Any] = {"edition": edition, "rulings": rulings, "exact": exact}
    fled = flee(swiftstride=flees_swiftly, **options)
    return (pursuit(swiftstride=pursues_swiftly, **options) - fled).map(lambda inches: int(inches >= 0))


class _Rows:
    """What a round leads to from each state in which it is fought: losses, Breath Attacks made, and the end."""

    def __init__(self, fighting: Round, caught: list[Distribution] | None, policy: Policy | None) -> None:
        self._fighting, self._caught, self._policy = fighting, caught, policy
        self._known: dict[State, tuple[list[tuple[State, Any]], Any]] = {}

    def fought(self, state: JointDistribution, done: int) -> JointDistribution:
        """Return the state after one more round of those that are still fighting."""
        terms, denominator = state._mass.terms()  # noqa: SLF001 - a total would be a number of SymPy
        going: list[tuple[Any, list[tuple[State, Any]], Any]] = []
        totals: dict[State, Any] = {}
        common: Any = 1
        for outcome, term in zip(state._outcomes, terms, strict=True):  # noqa: SLF001 - the same
            if not outcome[-2]:
                row, below = self._row(outcome[:-2])
                common = below if common == 1 else common.lcm(below) if common != below else common
                going.append((term, row, below))
        for term, row, below in going:
            scaled = term if below == common else term * (common // below)
            for each, weight in row:
                totals[each] = totals[each] + scaled * weight if each in totals else scaled * weight
        totals = {(*each, done): weight for each, weight in totals.items()}
        for outcome, term in zip(state._outcomes, terms, strict=True):  # noqa: SLF001 - the same
            if outcome[-2]:
                totals[outcome] = term * common
        found = sorted(totals)
        mass = type(state._mass).from_terms([totals[each] for each in found], denominator * common)  # noqa: SLF001
        return JointDistribution(state.axes, found, mass)

    def _row(self, lost: State) -> tuple[list[tuple[State, Any]], Any]:
        """Return the states after a round with their weights, and the sum of these."""
        if lost not in self._known:
            after = self._after(lost)
            weights, below = after._mass.terms()  # noqa: SLF001 - the same
            self._known[lost] = list(zip(after._outcomes, weights, strict=True)), below  # noqa: SLF001
        return self._known[lost]

    def _after(self, lost: State) -> JointDistribution:
        fighting, caught, places = self._fighting, self._caught, self._fighting.places
        scoring = fighting.scoring
        ended = scoring.ended(fighting.scored(fighting.certain(lost), self._policy))
        if caught is not None:
            # Of a unit that has not broken nothing is rolled.
            never = scoring.failed(NO_TEST)
            ended = extended(ended, "caught", lambda each: caught[each[-1] - 1] if each[-1] else never)

        def after(each: State) -> State:
            losses, (_, *made, breaks) = each[:places], each[places : places + 4]
            gone, enemy_gone = scoring.gone(losses)
            broken = breaks and breaks + (_CAUGHT if caught and each[-1] else _BREAKS)
            return (*losses, *made, gone + 2 * enemy_gone or broken)

        return transformed(ended, (*map(str, range(places + 2)), "end"), after)


class RoundsResult(FightResult):
    """Result of several rounds of combat.

    Attributes
    ----------
    rounds
        How many were fought at most.
    edition, rulings
        The edition whose rules were used, and the option in force for each disputed point.
    plan
        Choices of a player who chooses best, in each situation; None where nobody chooses.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3)
    >>> side = t9a.Unit(t9a.Target("guards", models=2, defensive_skill=3, resilience=3), part)
    >>> result = t9a.rounds_of_combat(side, side, rounds=1, exact=True)
    >>> result.losses == t9a.fight(side, side, exact=True).losses
    True
    """

    def __init__(
        self,
        scoring: Scoring,
        states: tuple[JointDistribution, ...],
        plan: CombatPlan | None = None,
    ) -> None:
        super().__init__(scoring, plan)
        self._states = states
        self.rounds = len(states)

    @property
    def _outcome(self) -> JointDistribution:
        return self._states[-1]

    @cached_property
    def end(self) -> CategoricalDistribution[str]:
        """Distribution of how it has ended, in the words of ``ENDS``."""
        return self.after(self.rounds)

    def after(self, rounds: int) -> CategoricalDistribution[str]:
        """Return the distribution of how it has ended after so many rounds."""
        validation.whole(rounds, "rounds", 1, self.rounds)
        return CategoricalDistribution.of(self._states[rounds - 1].marginal("end"), ENDS.__getitem__, ENDS)

    @cached_property
    def length(self) -> Distribution:
        """Distribution of the number of rounds that were fought."""
        return self._states[-1].marginal("rounds")

    @property
    def probability_first_wins(self) -> Any:
        """Probability that the second unit is gone or has broken, and the first is not."""
        return self.end.probability({"second destroyed", "second breaks", "second caught"}.__contains__)

    @property
    def probability_second_wins(self) -> Any:
        """Probability that the first unit is gone or has broken, and the second is not."""
        return self.end.probability({"first destroyed", "first breaks", "first caught"}.__contains__)

    def explain(self) -> Explanation:
        """Round by round: how likely each end is by then."""
        heading = f"{' against '.join(self.names)}: {self.rounds} rounds ({self._scoring.rules.title})"
        return Explanation(heading, (*self._opening_steps(), *self._steps(), *self._closing_steps()))

    def _steps(self) -> Iterator[Step]:
        for place in range(1, self.rounds + 1):
            after = in_fractions(self.after(place))
            ends = ", ".join(
                f"{end} {exact_number(probability)}" for end, probability in after.items() if probability
            )
            yield Step(f"Round {place}", ends)

    def _in_fractions(self) -> RoundsResult:
        """Return the same result, whose numbers need no SymPy."""
        states = tuple(map(in_fractions, self._states))
        return RoundsResult(self._scoring, states, self.plan)

    def _line(self) -> str:
        kind, shown = "exact" if self.exact else "float64", in_fractions(self)
        return (
            f"edition {self.edition}, {kind}, {self.rounds} rounds: P(first wins) "
            f"{percent(shown.probability_first_wins)}, P(second wins) {percent(shown.probability_second_wins)}"
        )

    def _panel(self) -> Panel:
        from mathhammer.display import Table

        shown = in_fractions(self)
        ends = [end for end in ENDS if shown.end.pmf(end)]
        rows = [
            [str(place), *(percent(shown.after(place).pmf(end)) for end in ends)]
            for place in range(1, self.rounds + 1)
        ]
        facts = {
            f"mean HP lost by {name}": shown.losses.marginal(side).mean()
            for name, side in zip(self.names, ("first", "second"), strict=True)
        }
        facts = {"mean rounds": shown.length.mean(), **facts}
        return self._panel_of(facts, Table(["after round", *ends], rows))


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
    validation.flag(first_round, "first_round")
    validation.flag(duel, "duel")
    validation.flag(exact, "exact")
    if second is first:
        second = copy(second)  # the two sides are distinguished by identity
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)

    def compiled(*, exact: bool) -> Round:
        kind: Arithmetic = arithmetic(exact=exact)
        return Round(first, second, rules, in_force, kind, first_round=first_round, duel=duel)

    policy = best_policy(lambda: [compiled(exact=True)], best, objective)
    fighting = compiled(exact=exact)
    fighting.require_combat()
    return fighting.result(*(None, None) if policy is None else (policy.in_round(0), policy.plan))
