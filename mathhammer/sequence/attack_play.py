"""Attacks played by a plan: the best one, or with a simple policy for re-rolls, or a player's own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flint import fmpq

from mathhammer.arithmetic import mass_type
from mathhammer.distributions.decisions import DecisionNode, end_distribution, option_values
from mathhammer.errors import MathhammerError
from mathhammer.sequence.attack_solution import AttackSolution
from mathhammer.sequence.attack_view import BETWEEN, PlayerView
from mathhammer.sequence.reroll_plan import REROLLED, ROLLS, RerollDecision, RerollPlan, RerollState
from mathhammer.sequence.rolled_dice import PoolStep, Wounds
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.distributions import CategoricalDistribution, Distribution
    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_solution import Played
    from mathhammer.sequence.attack_view import Key
    from mathhammer.sequence.reroll_plan import Policy


@dataclass(frozen=True, eq=False)
class AttackPlay:
    """An attack whose players look at dice."""

    #: The positions.
    game: AttackGame
    #: The state of the target before, or its distribution.
    before: Distribution | int
    #: What each state is worth at the end, in whole numbers, and the unit that they are counted in.
    values: Sequence[int]
    out_of: int
    #: What that is called.
    objective: str
    #: Whether numbers are handed out as fractions.
    exact: bool
    #: ``"best"``, ``"first"``, or a policy of the player's own for the re-rolls of the attackers; all other choices are
    #: as good as can be.
    policy: str | Policy = "best"

    def __getstate__(self) -> dict[str, Any]:
        """Return what it was made of: what has been found is found again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _view(self) -> PlayerView:
        return PlayerView(self.game)

    @cached_property
    def _start(self) -> CategoricalDistribution[int]:
        return self.game.start(self.before, exact=self.exact)

    @cached_property
    def _without(self) -> CategoricalDistribution[int]:
        return self.game.start(self.before, held=False, exact=self.exact)

    @cached_property
    def _best(self) -> AttackSolution:
        """The best plan, and what each position is worth."""
        return AttackSolution(self.game, self._start, self.values)

    def _following(self, policy: Policy | str) -> AttackSolution:
        """Return the plan of an attacker who follows a policy for re-rolls."""

        def chosen(position: int) -> int | None:
            return self._chosen(position, policy) if self._view.decided(position) in REROLLED else None

        return AttackSolution(self.game, self._start, self.values, chosen)

    def _chosen(self, position: int, policy: Policy | str) -> int:
        """Return the option that a policy takes."""
        if isinstance(policy, str):
            rerolls = self._view.rerolls_of(position)
            return next((place for place, each in enumerate(rerolls, 1) if each.low), 0)
        state, labels = self.state_of(position), self._view.options(position)
        action = policy(state)
        if action not in labels:
            raise MathhammerError(
                f"expected of a policy one of {', '.join(map(repr, dict.fromkeys(labels)))} for {state}; "
                f"got {in_short(action)}"
            )
        return labels.index(action)

    @cached_property
    def _followed(self) -> AttackSolution:
        """What is decided where the attacker follows the policy."""
        return self._best if self.policy == "best" else self._following(self.policy)

    @cached_property
    def _played(self) -> Played:
        return self._followed.played(self._start)

    @cached_property
    def states(self) -> Distribution:
        """Distribution of the state of the target after all volleys."""
        return self._played.ends.number(int)

    def counted(
        self, roll: str, kinds: Callable[[str], bool], rest: Callable[[tuple[int, ...]], IntegerDistribution]
    ) -> Distribution:
        """Distribution of the number of dice and wounds that come to a roll, in all volleys."""
        if any(turn.outcome is not None for turn in self.game.turns):
            # The order of volleys does not change what is rolled.
            return rest(tuple(range(len(self.game.turns)))).distribution(exact=self.exact)
        plan = self._followed.plan
        tally = _Tally(self.game, roll, kinds)

        def decision(at: tuple[int, int]) -> DecisionNode[tuple[int, int]] | None:
            position, number = at
            if position < 0:
                return None
            before = self.game.key(position)
            if not tally.counts_on(before):
                return None
            found = self.game.decision(position)
            if found is None:
                distribution = rest(tally.left(before))
                ends = {
                    (-1, number + distribution.low + k): weight
                    for k, weight in enumerate(distribution.weights)
                    if weight
                }
                return DecisionNode((ends,), distribution.denominator)
            option = found.options[plan.get(position, 0)]
            after = {}
            for place, weight in option.items():
                more = tally.between(before, self.game.key(place))
                after[place, number + more] = weight
            return DecisionNode((after,), found.denominator)

        first = self._start.map(lambda position: (position, tally.between(None, self.game.key(position))))
        return end_distribution(decision, first, {}).number(lambda at: at[1])

    @cached_property
    def plan(self) -> RerollPlan:
        """The best plan."""
        return self._planned(mass_type(exact=self.exact).quotient)

    @cached_property
    def plan_in_fractions(self) -> RerollPlan:
        """The same in numbers that need no SymPy."""
        return self._planned(fmpq) if self.exact else self.plan

    def _planned(self, quotient: Callable[..., Any]) -> RerollPlan:
        best = self._best
        played = self._played if self.policy == "best" else best.played(self._start)
        decisions = []
        for position, likely in played.likely.items():
            if self._view.decided(position):
                keep, *others = self._numbers(self.game.decision(position), best, quotient)
                state, action = self.state_of(position), self._view.options(position)[best.plan[position]]
                decisions.append(RerollDecision(state, action, keep, max(others), quotient(*likely)))
        decisions.sort(key=lambda each: _order(each.state))
        return RerollPlan(
            tuple(decisions),
            self.objective,
            self._expected(self._start, best, quotient),
            self._expected(self._start, self._following("first"), quotient),
            self._expected(self._without, AttackSolution(self.game, self._without, self.values), quotient),
            self._answer,
            next(iter(wounds))
            if len(wounds := {each.wounds for each in self.game.unit.groups}) == 1
            else None,
            any(dice.rerolls for dice in self.game.parts),
        )

    def _numbers(
        self, decision: DecisionNode[int] | None, worth: AttackSolution, quotient: Callable[..., Any]
    ) -> list[Any]:
        """Return what each option of a decision is worth."""
        if decision is None:
            return []
        values, below = option_values(decision.options, worth)
        return [quotient(each, below * decision.denominator * self.out_of) for each in values]

    def _expected(
        self, start: CategoricalDistribution[int], worth: AttackSolution, quotient: Callable[..., Any]
    ) -> Any:
        terms, whole = start._mass.terms()  # noqa: SLF001 - a distribution of the project's own
        means = (
            fmpq(term * worth[place][0], worth[place][1]) for place, term in zip(start, terms, strict=True)
        )
        mean = sum(means, fmpq(0)) / (whole * self.out_of)
        return quotient(mean.p, mean.q)

    @cached_property
    def _actions(self) -> dict[RerollState, str]:
        """What the best plan says in every state that any play can lead to."""
        return {
            self.state_of(position): self._view.options(position)[choice]
            for position, choice in self._best.plan.items()
            if self._view.decided(position)
        }

    def _answer(self, state: RerollState) -> str:
        action = self._actions.get(state)
        if action is None:
            raise MathhammerError(
                f"expected a state in which a die can be re-rolled in this attack, got {in_short(state)}; "
                "see the states of its decisions"
            )
        return action

    def state_of(self, position: int) -> RerollState:
        """Return what a player sees in a position."""
        game, seen = self.game, self._view
        key, state = game.key(position), game.state(position)
        usable = seen.usable_names(position)
        return RerollState(
            seen.decided(position) or "save",
            tuple(seen.shown(key)),
            tuple(each.label for each in seen.rerolls_of(position) for _ in range(each.dice)),
            seen.to_come(key),
            tuple(game.unit.coordinates()[state]),
            seen.volley_at(key),
            tuple({name.split(" ", 1)[-1] for name in key.held if name in usable}),
        )


class _Tally:
    """How many dice and wounds of some kinds have come to a roll."""

    def __init__(self, game: AttackGame, roll: str, kinds: Callable[[str], bool]) -> None:
        self._game, self._view, self._kinds = game, PlayerView(game), kinds
        #: Of each volley the first step at which the dice are known: behind the last that adds to them.
        self._step = []
        for dice in game.parts:
            rolls = [step.roll for step in dice.steps]
            wounds = (place for place, step in enumerate(dice.steps) if isinstance(step, (PoolStep, Wounds)))
            self._step.append(rolls.index(roll) if roll in rolls else next(wounds))

    def left(self, key: Key) -> tuple[int, ...]:
        """Return the volleys whose dice have not been counted."""
        if key.part == BETWEEN or key.step >= self._step[key.part]:
            return key.left
        return (self._game.volley_of[key.part], *key.left)

    def counts_on(self, key: Key) -> bool:
        """Whether dice of any volley are still to be counted."""
        return any(self._game.turns[volley].volley.attack is not None for volley in self.left(key))

    def between(self, before: Key | None, after: Key) -> int:
        """Return how many have come between two keys that follow each other."""
        started = range(len(self._game.turns)) if before is None else self.left(before)
        ended = self.left(after)
        counted = {volley for volley in started if volley not in ended}
        counted = {volley for volley in counted if self._game.turns[volley].volley.attack is not None}
        if not counted:
            return 0
        found = 0
        if after.part != BETWEEN and self._game.volley_of[after.part] in counted:
            names = self._game.parts[after.part].names
            found += sum(
                number for name, number in zip(names, after.counts, strict=True) if self._kinds(name)
            )
        for kind, number in enumerate(after.deferred):
            volley = self._game.volley_of[self._game.kinds[kind][0]]
            if volley in counted and self._kinds(self._view.name_of(kind)):
                found += number - (before.deferred[kind] if before is not None else 0)
        return found


def _order(state: RerollState) -> tuple[object, ...]:
    """Sort by the order of the rolls, then by what makes a plan easy to look up."""
    place = ROLLS.index(state.roll)
    shown = [(int(label) if label.isdigit() else 0, count, label) for label, count in state.shown]
    return state.volley, place, state.target, state.to_come, shown, state.rerollable, state.held
