"""Rounds of combat as one process: one pass forward for what comes of it, one backward for the best plan, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from functools import cache
from itertools import groupby, islice
from math import lcm
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from flint import fmpz_poly

from mathhammer.arithmetic import mass_type
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.chain import require_joint
from mathhammer.distributions.decisions import (
    MAXIMUM_POSITIONS,
    DecisionNode,
    end_distribution,
    reached,
    require_positions,
    solved,
)
from mathhammer.fields.kinds import Checked, Text
from mathhammer.fields.profile import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.systems.t9a.combat_round import Aims, Ended, Moment, Round

Players = Literal["first", "second", "both"] | None
Objective = Literal["break", "hold", "health points"]

#: The sides that choose.
PLAYERS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1)}
OBJECTIVES = ("break", "hold", "health points")
#: The ends in which each side is destroyed or has broken.
_LOST = {1, 3, 4, 6}, {2, 3, 5, 7}
K = TypeVar("K", bound=Hashable)
#: Where the game stands: the round, the stage in it, -1 where it is over; the state, and what the first side holds.
Position = tuple[int, int, Any, int]


class Combat:
    """Rounds of combat: stages of dice and of choices, those of some players the best."""

    def __init__(self, rounds: Sequence[Round], best: Players, objective: Objective) -> None:
        players = () if best is None else PLAYERS[best]
        self._rounds, self._players, self._objective = rounds, players, objective
        # Who charged is the Active Player, then the other one, and so on by turns.
        active = int(rounds[0].units[1].charging and not rounds[0].units[0].charging)
        self._stages = [
            list(each.stages((active + number) % 2, players)) for number, each in enumerate(rounds)
        ]
        self._start: Position = (0, 0, *rounds[0].begin(rounds[0].nothing, (0, 0)))
        self._plan: dict[Position, int] = {}
        self._node = cache(self._next)
        rounds[0].require_combat()
        if players:
            require_positions(self._most_positions())
            self._plan, _ = solved(self._node, [self._start], self._worth)

    def over(self) -> CategoricalDistribution[Ended]:
        """Return the distribution of the number of rounds and of how it ended."""
        if self._players:
            start = CategoricalDistribution.certain(self._start, exact=True)
            return end_distribution(self._node, start, self._plan).map(lambda each: each[2])
        # Where nobody chooses one pass over the states is enough: the weights of a state by what the first side holds
        # are a polynomial, for no blow depends on that.
        begun, below, over = {self._start[2:]: 1}, 1, []
        for number, fighting in enumerate(self._rounds):
            low = min(held for _, held in begun)
            law: dict[Any, Any] = defaultdict(fmpz_poly)
            for (state, held), weight in begun.items():
                law[state] += fmpz_poly([0] * (held - low) + [weight])
            for stage in self._stages[number]:
                nodes = [(stage.node(state), terms) for state, terms in law.items()]
                law, below = _gathered(
                    [(of, options[0].items(), terms) for (options, of), terms in nodes], below
                )
            settled: dict[Any, Any] = defaultdict(fmpz_poly)
            for state, terms in law.items():
                settled[state.lost, state.beyond, state.made] += terms
            scores = [
                (fighting.score(*key, low + place), weight)
                for key, terms in settled.items()
                for place, weight in enumerate(terms.coeffs())
                if weight
            ]
            law, below = _gathered([(of, rows, weight) for (rows, of), weight in scores], below)
            begun, last = {}, number + 1 == len(self._rounds)
            for ended, weight in law.items():
                if last or ended.end:
                    over.append((ended._replace(rounds=number + 1) if number else ended, weight, below))
                else:
                    again = self._rounds[number + 1].begin(ended.lost, ended.made)
                    begun[again] = begun.get(again, 0) + weight
            if not begun:
                break
        terms = [weight * (below // of) for _, weight, of in over]
        mass = mass_type(exact=True).from_terms(terms, below)
        return CategoricalDistribution([each for each, *_ in over], mass)

    def _after(self, number: int, ended: Ended) -> Position:
        """Return the position after a round."""
        if ended.end or number + 1 == len(self._rounds):
            return number + 1, -1, ended._replace(rounds=number + 1), 0
        return number + 1, 0, *self._rounds[number + 1].begin(ended.lost, ended.made)

    @property
    def plan(self) -> CombatPlan | None:
        """The choices that came up before it was over, in words; None where nobody chooses."""
        if not self._players:
            return None
        came = reached(self._node, [self._start], self._plan)
        decided = [each for each, _ in came if each in self._plan]
        decided.sort(key=lambda each: (*each[:2], each[2].lost, each[3], each[2]))
        return CombatPlan(tuple(dict.fromkeys(map(self._choice, decided))), self._objective)

    def _next(self, position: Position) -> DecisionNode[Position] | None:
        number, place, state, held = position
        if place < 0:
            return None
        stages = self._stages[number]
        if place < len(stages):
            options, below = stages[place].node(state)
            found = [
                {(number, place + 1, after, held): each for after, each in option.items()}
                for option in options
            ]
            return DecisionNode(found, below, (stages[place].side,) == self._players[:1])
        rows, below = self._rounds[number].score(state.lost, state.beyond, state.made, held)
        following: dict[Position, int] = defaultdict(int)
        for ended, weight in rows:
            following[self._after(number, ended)] += weight
        return DecisionNode([following], below)

    def _worth(self, over: Position) -> int:
        ended, own = over[2], int(self._players == (1,))
        if self._objective == "health points":
            return int(sum(ended.lost[1 - own]) - sum(ended.lost[own]))
        return int(ended.end in _LOST[1 - own] if self._objective == "break" else ended.end not in _LOST[own])

    def _most_positions(self) -> int:
        """Return more positions than there can be: of pairs of losses, and in later rounds of the score so far too."""
        first, state = self._rounds[0], self._start[2]
        pools = [side.pools for side in first.sides]
        scores = 1 + sum(sum(each.left) for each in pools) // 2
        stages = 1 + max(len(each.steps) for each in self._rounds)
        aims = (first.aims(step, side, state) for step in range(len(first.steps)) for side in self._players)
        widest = max((len(list(islice(each, MAXIMUM_POSITIONS + 1))) for each in aims), default=1)
        states = (1 + len(first.frightened)) * stages * (1 + scores * (len(self._rounds) - 1))
        return pools[0].states * pools[1].states * max(widest, states)

    def _choice(self, position: Position) -> CombatChoice:
        """Return a choice of the plan in words."""
        number, place, state, held = position
        fighting, stage = self._rounds[number], self._stages[number][place]
        options, chosen = stage.node(state)[0], self._plan[position]
        unit = fighting.units[stage.side]
        if stage.step < 0:
            moment, parts = "start", unit.alternatives[chosen]
            action = f"fights with {' and '.join(part.name for part in parts)}"
        else:
            moment = f"Initiative Step {fighting.steps[stage.step][0]}"
            action = _in_words(
                fighting, stage, [after.aims[stage.side] for each in options for after in each], chosen
            )
        sees = [
            (f"lost by {side.unit.name}{f', {pool.name}' * (len(lost) > 1)}:", points)
            for side, lost in zip(fighting.sides, state.lost, strict=True)
            for pool, points in zip(side.pools.pools, lost, strict=True)
        ]
        names = [each.name for each in fighting.units]
        sees.append((f"lead of {names[0]}:", held + sum(state.lost[1]) - sum(state.lost[0])))
        sees += [(f"Fear Tests failed by {names[side]}:", state.afraid[side]) for side in fighting.frightened]
        return CombatChoice(f"Round {number + 1}, {moment}", unit.name, tuple(sees), action)


def _gathered(moves: Sequence[tuple[int, Any, Any]], below: int) -> tuple[dict[K, Any], int]:
    """Return the law after one more stage: the chain rule, in whole numbers over one denominator."""
    found: dict[int, dict[K, Any]] = {of: {} for of, _, _ in moves}
    common = lcm(*found)
    require_joint(sum(map(len, [following for _, following, _ in moves])), (below * common).bit_length())
    for of, following, weight in moves:
        part = found[of]
        for after, each in following:
            share = weight * each
            part[after] = part[after] + share if after in part else share
    whole = found.pop(common, {})
    for of, part in found.items():
        scale = common // of
        for after, share in part.items():
            whole[after] = whole[after] + share * scale if after in whole else share * scale
    return whole, below * common


class CombatChoice(Record):
    """One choice of a plan.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> print(t9a.CombatChoice("Round 2, start", "Guards", (("lost by Orcs:", 3),), "fights with Halberd"))
    Round 2, start, lost by Orcs: 3: fights with Halberd
    """

    moment: Text = Text("The round, and its start or an initiative step.", kw_only=False)
    unit: Text = Text("Whose choice it is.", kw_only=False)
    situation: Checked[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]] = Checked(
        tuple,
        "What the player sees, as pairs of name and number: the Health Points that each pool has lost, and by how much "
        "the first side leads in what was counted so far.",
        kw_only=False,
    )
    action: Text = Text("What is chosen.", kw_only=False)

    def __str__(self) -> str:
        return f"{self.moment}, {self.seen}: {self.action}"

    @property
    def seen(self) -> str:
        """The situation in words."""
        return ", ".join(f"{name} {value}" for name, value in self.situation if value) or "nothing lost"


class CombatPlan(Record):
    """Choices of players who choose best, in each situation that can come up.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> one = t9a.CombatChoice("Round 2, start", "Guards", (("lost by Orcs:", 3),), "fights with Halberd")
    >>> print(t9a.CombatPlan((one,), "break"))
    Round 2, start: fights with Halberd
    """

    choices: Checked[tuple[CombatChoice, ...], tuple[CombatChoice, ...]] = Checked(
        tuple, "In the order in which they come up.", kw_only=False
    )
    objective: Text = Text("What they maximise.", kw_only=False)

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "nothing to decide about"

    def lines(self) -> Iterator[str]:
        """Yield the plan line by line: moments, by what alone decides in them, or situation by situation."""
        for (moment, _), group in groupby(self.choices, lambda each: (each.moment, each.unit)):
            cases = _by_situation(list(group))
            alone = not cases[0][0]
            yield f"{moment}:{f' {cases[0][1]}' * alone}"
            yield from (f"  {', '.join(when)}: {action}" for when, action in cases if when)


def _by_situation(choices: Sequence[CombatChoice]) -> list[tuple[tuple[str, ...], str]]:
    """Return when each action is taken, by the things that tell it in the fewest words."""
    actions = sorted({each.action for each in choices})
    differing = [
        place
        for place, (_, first) in enumerate(choices[0].situation)
        if any(each.situation[place][1] != first for each in choices)
    ]
    if len(actions) == 1 or not differing:
        return [((), " or ".join(actions))]
    found = [_by_thing(choices, place) for place in differing]
    return min(found, key=lambda cases: (len(cases), sum(len(when) for when, _ in cases)))


def _by_thing(choices: Sequence[CombatChoice], place: int) -> list[tuple[tuple[str, ...], str]]:
    """Return when each action is taken, by runs of values of one thing, and by others where it does not decide."""
    by_value: dict[int, list[CombatChoice]] = {}
    for each in choices:
        by_value.setdefault(each.situation[place][1], []).append(each)

    def decided(value: int) -> tuple[int, str]:
        actions = {each.action for each in by_value[value]}
        return (0, actions.pop()) if len(actions) == 1 else (1 + value, "")

    name, found = choices[0].situation[place][0], []
    for _, values in groupby(sorted(by_value), decided):
        first, *_, last = [*values] * 2
        when = f"{name} {first}" + (f" to {last}" if last != first else "")
        found += [((when, *more), action) for more, action in _by_situation(by_value[first])]
    return found


def _in_words(fighting: Round, stage: Moment, options: Sequence[Aims], choice: int) -> str:
    """Return where the attacks go of those parts that have a choice."""
    striking = fighting.sides[stage.side]
    names = [pool.name for pool in fighting.sides[1 - stage.side].pools.pools]
    said = []
    for index, part in enumerate(fighting.steps[stage.step][1][stage.side]):
        if len({option[index] for option in options}) == 1:
            continue
        aim, name = options[choice][index], striking.parts[part].name
        if striking.breath[part]:
            said.append(f"{name} is {'made' if aim else 'kept'}")
        elif len(aim) == 1:
            said.append(f"{name} strikes at {names[aim[0][0]]}")
        else:
            parts = " and ".join(f"{attacks} at {names[place]}" for place, attacks in aim)
            said.append(f"{name} strikes {parts}")
    return ", ".join(said)
