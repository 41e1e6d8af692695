"""Attacks played by a plan: the best one, or with a simple policy for re-rolls, or a player's own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpz, fmpz_poly

from mathhammer.arithmetic import mass_type
from mathhammer.arithmetic.mass import Mass
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence.attack_dice import BETWEEN, DamageSeen, given_up, plain_name
from mathhammer.sequence.attack_solution import AttackSolution
from mathhammer.sequence.reroll_plan import KEEP, REROLLED, ROLLS, RerollDecision, RerollPlan, RerollState
from mathhammer.sequence.rolled_dice import ResultChoice, Stage
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.sequence.attack_dice import Key
    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_solution import Played
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

    def _solution(
        self, chosen: Callable[[int], int | None] | None = None, *, held: bool = True
    ) -> AttackSolution:
        return AttackSolution(self.game, self.game.start(self.before, held=held), self.values, chosen)

    @cached_property
    def _best(self) -> AttackSolution:
        """The best plan, and what each position is worth."""
        return self._solution()

    def _following(self, policy: Policy | str) -> AttackSolution:
        """Return the plan of an attacker who follows a policy for re-rolls."""

        def chosen(position: int) -> int | None:
            if self._decided(position) not in REROLLED:
                return None
            if isinstance(policy, str):
                return next((place for place, (_, low, _) in enumerate(self._spends(position), 1) if low), 0)
            state, labels = self._state(position), self._labels(position)
            action = policy(state)
            if action not in labels:
                raise MathhammerError(
                    f"expected of a policy one of {', '.join(map(repr, dict.fromkeys(labels)))} for {state}; "
                    f"got {in_short(action)}"
                )
            return labels.index(action)

        return self._solution(chosen)

    @cached_property
    def _followed(self) -> AttackSolution:
        """What is decided where the attacker follows the policy."""
        return self._best if self.policy == "best" else self._following(self.policy)

    @cached_property
    def _played(self) -> Played:
        return self._followed.played()

    @cached_property
    def states(self) -> Distribution:
        """Distribution of the state of the target after all volleys."""
        ends = self._played.ends
        masses = [ends.get(state, 0) for state in range(1 + max(ends))]
        return Distribution._new(Mass.from_terms(masses, self._played.out_of), 0)  # noqa: SLF001

    def counted(
        self, roll: str, kinds: Callable[[str], bool], rest: Callable[[tuple[int, ...]], IntegerDistribution]
    ) -> Distribution:
        """Distribution of the number of dice and wounds of some kinds that come to a roll, in all volleys.

        What the volleys come to that are left when the unit is destroyed is the `rest`.
        """
        game = self.game
        attacks = {place for place, turn in enumerate(game.turns) if turn.volley.attack is not None}
        if any(turn.outcome is not None for turn in game.turns):
            # The order of volleys does not change what is rolled.
            return rest(tuple(range(len(game.turns)))).distribution(exact=self.exact)
        known = [dice.known_at(roll) for dice in game.parts]

        def left(key: Key) -> tuple[int, ...]:
            """Return the volleys whose dice have not been counted."""
            if key.part == BETWEEN or key.step >= known[key.part]:
                return key.left
            return (game.volley_of[key.part], *key.left)

        @cache
        def between(before: int | None, after: int) -> fmpz_poly:
            """Return how many have come between two keys that follow each other, as a power."""
            key, was = game.keys[after], None if before is None else game.keys[before]
            started = attacks if was is None else attacks.intersection(left(was))
            counted, found = started.difference(left(key)), 0
            if key.part != BETWEEN and game.volley_of[key.part] in counted:
                names = game.parts[key.part].names
                found = sum(number for name, number in zip(names, key.counts, strict=True) if kinds(name))
            for kind, number in enumerate(key.deferred):
                if game.volley_of[game.kinds[kind][0]] in counted and kinds(self._name_of(kind)):
                    found += number - (0 if was is None else was.deferred[kind])
            return fmpz_poly([1]).left_shift(found)

        def further(number: int) -> tuple[fmpz_poly, int]:
            total = rest(left(game.keys[number]))
            return fmpz_poly(list(total.weights)).left_shift(total.low), total.denominator

        def over(number: int) -> bool:
            return not attacks.intersection(left(game.keys[number]))

        played = self._followed.played(between, further, over)
        total = sum(played.ends.values(), fmpz_poly([0]))
        mass = mass_type(exact=self.exact)(total, fmpz(played.out_of), total.length())
        return Distribution._new(mass, 0)  # noqa: SLF001

    @cached_property
    def plan(self) -> RerollPlan:
        """The best plan."""
        return self._planned(mass_type(exact=self.exact).quotient)

    @cached_property
    def plan_in_fractions(self) -> RerollPlan:
        """The same in numbers that need no SymPy."""
        return self._planned(fmpq) if self.exact else self.plan

    def _planned(self, quotient: Callable[..., Any]) -> RerollPlan:
        def value(found: fmpq) -> Any:
            found /= self.out_of
            return quotient(found.p, found.q)

        best, decisions = self._best, []
        played = self._played if self.policy == "best" else best.played()
        for position, likely in played.likely.items():
            if self._decided(position):
                keep, *others = map(value, best.options(position))
                action = self._labels(position)[best.plan[position]]
                decisions.append(
                    RerollDecision(self._state(position), action, keep, max(others), quotient(*likely))
                )
        decisions.sort(key=lambda each: _order(each.state))
        wounds = {each.wounds for each in self.game.unit.groups}
        return RerollPlan(
            tuple(decisions),
            self.objective,
            value(best.mean()),
            value(self._following("first").mean()),
            value(self._solution(held=False).mean()),
            self._answer,
            wounds.pop() if len(wounds) == 1 else None,
            any(dice.rerolls for dice in self.game.parts),
        )

    @cached_property
    def _actions(self) -> dict[RerollState, str]:
        """What the best plan says in every state that any play can lead to."""
        return {
            self._state(position): self._labels(position)[choice]
            for position, choice in self._best.plan.items()
            if self._decided(position)
        }

    def _answer(self, state: RerollState) -> str:
        action = self._actions.get(state)
        if action is None:
            raise MathhammerError(
                f"expected a state in which a die can be re-rolled in this attack, got {in_short(state)}; "
                "see the states of its decisions"
            )
        return action

    # What a player sees in a position, and may do there --------------------------------------------------------

    def _at(self, position: int) -> tuple[Key, int]:
        number, state = divmod(position, self.game.unit.states)
        return self.game.keys[number], state

    def _decided(self, position: int) -> str:
        """Return what the attackers' player decides about in a position: a roll, or nothing."""
        key, state = self._at(position)
        if isinstance(key.seen, DamageSeen):
            return "" if key.seen.failed else "damage"
        if key.part == BETWEEN and key.left:
            return "order"
        if isinstance(step := self.game.step(key), (ResultChoice, Stage)):
            return "" if step.roll == "save" else step.roll
        return "precision" if self.game.names_now(key, state) else ""

    def _labels(self, position: int) -> list[str]:
        """Return what each option of the attackers' player is called."""
        game, (key, state), decided = self.game, self._at(position), self._decided(position)
        if decided == "order":
            return [game.turns[place].name for place in game.next_volleys(key.left)]
        if decided == "precision":
            named = (
                [game.unit.groups[group].name for group in groups] for groups in game.directions(key, state)
            )
            return [" and ".join(names) or "nobody" for names in named]
        if isinstance(step := game.step(key), ResultChoice):
            return ["take all", *("roll " + "+".join(map(str, given)) for given in given_up(key, step)[1:])]
        return [KEEP, *(label for label, _, _ in self._spends(position))]

    def _spends(self, position: int) -> list[tuple[str, bool, int]]:
        """Return all options but the first: what is re-rolled, whether it is low, and on one of how many dice."""
        game, (key, _) = self.game, self._at(position)
        if key.seen is None:
            return []
        if isinstance(key.seen, DamageSeen):
            shown = [(game.die(key.seen.kind).results[key.seen.result], 1)]
            names = game.usable_of(self._part(key), key.held, "damage")
        else:
            stage = game.stage(key)
            shown = [(stage.results[place], number) for place, number in enumerate(key.seen.fresh) if number]
            names = game.usable_of(key.part, key.held, stage.roll)
        return [
            (
                (each.names[place] if each.names else each.label)
                + (f" ({plain_name(name)})" if len(names) > 1 else ""),
                each.low,
                number,
            )
            for name in names
            for each, number in shown
            for place in range(len(each.rerolls))
        ]

    def _state(self, position: int) -> RerollState:
        """Return what a player sees in a position."""
        game, (key, state) = self.game, self._at(position)
        part, seen, step = self._part(key), key.seen, game.step(key)
        shown: Iterable[tuple[str, int]] = ()
        chosen: tuple[int, ...] = ()
        if isinstance(seen, DamageSeen):
            shown = [(game.die(seen.kind).results[seen.result].label, 1)]
        elif seen is not None:
            found = zip(game.stage(key).results, seen.results, strict=True)
            shown = [(each.label, count) for each, count in found if count]
        elif isinstance(step, ResultChoice):
            chosen = step.places
            shown = [(step.label, sum(key.counts[place] for place in chosen))]
        to_come: dict[str, int] = {}
        names = [self._name_of(kind) for kind in range(len(game.kinds))]
        waiting = list(zip(names, key.deferred, strict=True))
        if step is not None:
            counts = zip(game.parts[key.part].names, key.counts, strict=True)
            waiting = [each for place, each in enumerate(counts) if place not in chosen] + waiting
        for name, number in waiting:
            if number:
                to_come[name] = to_come.get(name, 0) + number
        usable: Mapping[str, object] = {}
        volley = key.left[0] if key.left else len(game.turns) - 1
        if part != BETWEEN:
            usable, volley = game.usable[part], game.volley_of[part]
        return RerollState(
            self._decided(position) or "save",
            tuple(shown),
            tuple(label for label, _, dice in self._spends(position) for _ in range(dice)),
            tuple(to_come.items()),
            tuple(game.unit.coordinates()[state]),
            volley,
            tuple({plain_name(name) for name in key.held if name in usable}),
        )

    def _part(self, key: Key) -> int:
        """Return the part whose dice are looked at."""
        return self.game.kinds[key.seen.kind][0] if isinstance(key.seen, DamageSeen) else key.part

    def _name_of(self, kind: int) -> str:
        """Return what a kind of wounds is called."""
        part, place = self.game.kinds[kind]
        return self.game.parts[part].names[self.game.parts[part].first + place]


def _order(state: RerollState) -> tuple[object, ...]:
    """Sort by the order of the rolls, then by what makes a plan easy to look up."""
    place = ROLLS.index(state.roll)
    shown = [(int(label) if label.isdigit() else 0, count, label) for label, count in state.shown]
    return state.volley, place, state.target, state.to_come, shown, state.rerollable, state.held
