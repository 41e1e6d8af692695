"""Volleys with single re-rolls, played by a plan: the best one, a simple one, or a player's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

from mathhammer.arithmetic import Arithmetic, P
from mathhammer.distributions.decisions import Decision, end_distribution, option_values, reached, solved
from mathhammer.errors import MathhammerError
from mathhammer.sequence.best_rerolls import DamageSeen
from mathhammer.sequence.reroll_plan import KEEP, ROLLS, RerollDecision, RerollPlan, RerollState
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.distributions import CategoricalDistribution, Distribution, IntegerDistribution
    from mathhammer.sequence.best_rerolls import Key, RerollGame
    from mathhammer.sequence.reroll_plan import Policy

__all__ = ["RerollPlay"]


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
    policy: str | Policy = "best"

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

    def _played(self, policy: Policy | str) -> Callable[[int], Decision[int] | None]:
        """Return the game in which the attacker follows a policy."""

        def decision(position: int) -> Decision[int] | None:
            found = self.game.decision(position)
            if found is None or len(found.options) == 1 or not self.game.is_attackers(position):
                return found
            return found._replace(options=(found.options[self._chosen(position, policy)],))

        return decision

    def _chosen(self, position: int, policy: Policy | str) -> int:
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
    def _followed(self) -> tuple[Callable[[int], Decision[int] | None], Mapping[int, int]]:
        """The game in which the attacker follows the policy, and what is decided in it."""
        if self.policy == "best":
            return self.game.decision, self._best[0]
        played = self._played(self.policy)
        return played, solved(played, self._start, self._value)[0]

    @cached_property
    def states(self) -> Distribution[P]:
        """Distribution of the state of the target after all volleys."""
        played, plan = self._followed
        return end_distribution(played, self._start, plan).number(self.game.state)

    def counted(
        self, roll: str, kinds: Callable[[str], bool], rest: Sequence[IntegerDistribution]
    ) -> Distribution[P]:
        """Distribution of the number of dice and wounds that come to a roll, in all volleys.

        Parameters
        ----------
        roll
            The roll; ``"damage"`` is behind all dice that are rolled together.
        kinds
            Whether the dice or wounds of a name count.
        rest
            How many there are without re-rolls in all volleys from each on: those that are made when the target is
            destroyed.
        """
        played, plan = self._followed
        tally = _Tally(self.game, roll, kinds)

        def decision(at: tuple[int, int]) -> Decision[tuple[int, int]] | None:
            position, number = at
            if position < 0:
                return None
            found = played(position)
            before = self.game.key(position)
            if found is None:
                distribution = rest[before.volley + (before.volley < len(rest) - 1 and tally.passed(before))]
                ends = {
                    (-1, number + distribution.low + k): weight
                    for k, weight in enumerate(distribution.weights)
                    if weight
                }
                return Decision((ends,), distribution.denominator)
            option = found.options[plan[position] if len(found.options) > 1 else 0]
            after = {}
            for place, weight in option.items():
                more = tally.between(before, self.game.key(place))
                after[place, number + more] = weight
            return Decision((after,), found.denominator)

        first = self._start.map(lambda position: (position, tally.between(None, self.game.key(position))))
        return end_distribution(decision, first, {}).number(lambda at: at[1])

    @cached_property
    def plan(self) -> RerollPlan:
        """The best plan."""
        choices, worth = self._best
        order = reached(self.game.decision, self._start, choices)
        likely = self._probabilities(order)
        decisions = []
        for position, decision in order:
            if decision is not None and position in choices and self.game.is_attackers(position):
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
        decisions.sort(key=lambda each: _order(each.state))
        first = solved(self._played("first"), self._start, self._value)[1]
        return RerollPlan(
            tuple(decisions),
            self.objective,
            self._expected(self._start, worth),
            self._expected(self._start, first),
            self._expected(self._without, worth),
            self._answer,
            next(iter(wounds))
            if len(wounds := {each.wounds for each in self.game.unit.groups}) == 1
            else None,
        )

    def _probabilities(self, order: Sequence[tuple[int, Decision[int] | None]]) -> dict[int, Any]:
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
        return [
            self.arithmetic.mass.quotient(each, below * decision.denominator * self.out_of) for each in values
        ]

    def _expected(self, start: CategoricalDistribution[int, P], worth: Mapping[int, tuple[int, int]]) -> Any:
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
            if self.game.is_attackers(position)
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
        rerollable = tuple(each.label for each in rerolls for _ in range(each.dice))
        place = key.volley
        if isinstance(key.seen, DamageSeen):
            kind = game.kinds[key.seen.kind]
            roll, place = "damage", kind.volley
            results = [(kind.die.results[key.seen.result or 0].label, 1)]
        else:
            stage = game.stages[place][key.stage]
            roll = stage.roll
            numbers = key.seen.results if key.seen is not None else ()
            results = [
                (each.label, count) for each, count in zip(stage.results, numbers, strict=True) if count
            ]
        return RerollState(
            roll,
            tuple(results),
            rerollable,
            game.to_come(key),
            tuple(game.unit.coordinates()[state]),
            place,
            tuple({name.split(" ", 1)[-1] for name in key.held}),
        )


class _Tally:
    """How many dice and wounds of some kinds have come to a roll."""

    def __init__(self, game: RerollGame, roll: str, kinds: Callable[[str], bool]) -> None:
        self._game, self._kinds = game, kinds
        rolls = [[stage.roll for stage in stages] for stages in game.stages]
        self._stage = [each.index(roll) if roll in each else len(each) for each in rolls]

    def passed(self, key: Key) -> bool:
        """Whether those of the volley have been counted."""
        return key.stage >= self._stage[key.volley]

    def between(self, before: Key | None, after: Key) -> int:
        """Return how many have come between two keys that follow each other."""
        first = 0 if before is None else before.volley
        return sum(
            self._of(volley, before, after)
            for volley in range(first, min(after.volley + 1, len(self._stage)))
            if self._game.volleys[volley].attack is not None
            and (before is None or volley > first or not self.passed(before))
            and (volley < after.volley or self.passed(after))
        )

    def _of(self, volley: int, before: Key | None, after: Key) -> int:
        found = 0
        if volley == after.volley:
            names = self._game.dice[volley].names
            first = self._game.dice[volley].wounds if after.stage == len(self._game.stages[volley]) else 0
            found += sum(
                number for name, number in zip(names[first:], after.counts, strict=False) if self._kinds(name)
            )
        for place, number in enumerate(after.waiting):
            if self._game.kinds[place].volley == volley and self._kinds(self._game.name_of(place)):
                found += number - (before.waiting[place] if before is not None else 0)
        return found


def _order(state: RerollState) -> tuple[Any, ...]:
    """Sort by the order of the rolls, then by what makes a plan easy to look up."""
    place = ROLLS.index(state.roll)
    shown = [(int(label) if label.isdigit() else 0, count, label) for label, count in state.shown]
    return state.volley, place, state.target, state.to_come, shown, state.rerollable, state.held
