"""Volleys with single re-rolls, played by a plan: the best one, a simple one, or a player's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

from mathhammer.arithmetic import P, Arithmetic
from mathhammer.distributions.decisions import Decision, end_distribution, option_values, reached, solved
from mathhammer.errors import MathhammerError
from mathhammer.sequence.best_rerolls import DamageSeen
from mathhammer.sequence.reroll_plan import KEEP, RerollDecision, RerollPlan, RerollState
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.distributions import CategoricalDistribution, Distribution
    from mathhammer.sequence.best_rerolls import RerollGame
    from mathhammer.sequence.reroll_plan import RerollPolicy

__all__ = ["RerollPlay"]

Worth = "Mapping[int, tuple[int, int]]"


@dataclass(frozen=True, eq=False)
class RerollPlay(Generic[P]):
    """An attack with single re-rolls that are spent by a policy.

    Parameters
    ----------
    game
        The positions.
    before
        The state of the target before, or its distribution.
    values, out_of
        What each state is worth at the end, in whole numbers, and the unit that they are counted in.
    objective
        What that is called.
    arithmetic
        The arithmetic of the distributions.
    policy
        ``"best"``, ``"first"``, or a policy of the player's own.
    """

    game: RerollGame
    before: Distribution[P] | int
    values: Sequence[int]
    out_of: int
    objective: str
    arithmetic: Arithmetic[P]
    policy: str | RerollPolicy = "best"

    @cached_property
    def _start(self) -> CategoricalDistribution[int, P]:
        return self.game.start(self.before, exact=self.arithmetic.mass.exact)

    @cached_property
    def _without(self) -> CategoricalDistribution[int, P]:
        return self.game.start(self.before, held=False, exact=self.arithmetic.mass.exact)

    @cached_property
    def _best(self) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
        """The best plan, and what each position is worth, with the re-rolls and without."""
        return solved(self.game.decision, [*self._start, *self._without], self._value)

    def _value(self, position: int) -> int:
        return self.values[self.game.state(position)]

    def _played(self, policy: RerollPolicy | str) -> Callable[[int], Decision[int] | None]:
        """Return the game in which the attacker follows a policy."""
        if policy == "best":
            return self.game.decision

        def decision(position: int) -> Decision[int] | None:
            found = self.game.decision(position)
            if found is None or len(found.options) == 1 or not self.game.rerolls_of(position):
                return found
            return found._replace(options=(found.options[self._chosen(position, policy)],))

        return decision

    def _chosen(self, position: int, policy: RerollPolicy | str) -> int:
        """Return the option that a policy takes."""
        rerolls = self.game.rerolls_of(position)
        if isinstance(policy, str):
            return next((place for place, each in enumerate(rerolls, 1) if each.low), 0)
        state = self.state_of(position)
        action = policy(state)
        labels = [KEEP, *(each.label for each in rerolls)]
        if action not in labels:
            raise MathhammerError(
                f"expected of a policy one of {', '.join(map(repr, dict.fromkeys(labels)))} for {state}; "
                f"got {in_short(action)}"
            )
        return labels.index(action)

    @cached_property
    def states(self) -> Distribution[P]:
        """Distribution of the state of the target after all volleys."""
        if self.policy == "best":
            played, plan = self.game.decision, self._best[0]
        else:
            played = self._played(self.policy)
            plan, _ = solved(played, self._start, self._value)
        return end_distribution(played, self._start, plan).number(self.game.state)

    @cached_property
    def plan(self) -> RerollPlan:
        """The best plan."""
        choices, worth = self._best
        order = reached(self.game.decision, self._start, choices)
        likely = self._probabilities(order, choices)
        decisions = []
        for position, decision in order:
            if decision is not None and position in choices and self.game.rerolls_of(position):
                keep, *others = self._numbers(self.game.decision(position), worth)
                decisions.append(
                    RerollDecision(
                        self.state_of(position),
                        self._action(position, choices[position]),
                        keep,
                        max(others),
                        likely[position],
                    )
                )
        decisions.sort(key=lambda each: (each.state.volley, self._order(each.state), each.state))
        first = solved(self._played("first"), self._start, self._value)[1]
        return RerollPlan(
            tuple(decisions),
            self.objective,
            self._expected(self._start, worth),
            self._expected(self._start, first),
            self._expected(self._without, worth),
            self._answer,
        )

    def _order(self, state: RerollState) -> int:
        return ("attacks", "hit", "wound", "save", "damage").index(state.roll)

    def _probabilities(
        self, order: Sequence[tuple[int, Decision[int] | None]], choices: Mapping[int, int]
    ) -> dict[int, Any]:
        """Return how likely each position is under the best plan."""
        quotient = self.arithmetic.mass.quotient
        likely: dict[int, Any] = {position: self._start.pmf(position) for position in self._start}
        for position, decision in order:
            if decision is not None:
                for after, weight in decision.options[0].items():
                    share = likely[position] * quotient(weight, decision.denominator)
                    likely[after] = likely[after] + share if after in likely else share
        return likely

    def _numbers(self, decision: Decision[int] | None, worth: Mapping[int, tuple[int, int]]) -> list[Any]:
        """Return what each option of a decision is worth."""
        if decision is None:
            return []
        values, below = option_values(decision.options, worth)
        return [self.arithmetic.mass.quotient(each, below * decision.denominator * self.out_of) for each in values]

    def _expected(
        self, start: CategoricalDistribution[int, P], worth: Mapping[int, tuple[int, int]]
    ) -> Any:
        quotient = self.arithmetic.mass.quotient
        return start.expected(lambda position: quotient(worth[position][0], worth[position][1] * self.out_of))

    def _action(self, position: int, choice: int) -> str:
        return self.game.rerolls_of(position)[choice - 1].label if choice else KEEP

    @cached_property
    def _actions(self) -> dict[RerollState, str]:
        """What the best plan says in every state that any play can lead to."""
        return {
            self.state_of(position): self._action(position, choice)
            for position, choice in self._best[0].items()
            if self.game.rerolls_of(position)
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
        game = self.game
        key, state = game.key(position), game.state(position)
        rerolls = game.rerolls_of(position)
        rerollable = tuple(dict.fromkeys(each.label for each in rerolls))
        place = key.volley
        if isinstance(key.seen, DamageSeen):
            kind = game.kinds[key.seen.kind]
            roll, place = "damage", kind.volley
            results = [(kind.die.results[key.seen.result or 0].label, 1)]
        else:
            stage = game.stages[place][key.stage]
            roll = stage.roll
            numbers = key.seen.results if key.seen is not None else ()
            results = [(each.label, count) for each, count in zip(stage.results, numbers, strict=True) if count]
        return RerollState(
            roll,
            tuple(results),
            rerollable,
            game.to_come(key),
            tuple(game.unit.coordinates()[state]),
            place,
            tuple(sorted(key.held)),
        )
