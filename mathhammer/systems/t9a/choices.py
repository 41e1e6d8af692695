"""Rounds of combat as one process: one pass forward for what comes of it, one backward for the best plan, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from itertools import groupby, islice
from math import lcm
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from mathhammer.display import Named
from mathhammer.distributions.chain import require_joint
from mathhammer.distributions.decisions import MAXIMUM_POSITIONS, Decision, require_positions, solved
from mathhammer.systems.t9a.combat_round import RoundState, frightened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.systems.t9a.combat_round import Aims, Ended, Law, Lost, Moment, Pair, Round

Players = Literal["first", "second", "both"] | None
Objective = Literal["break", "hold", "health points"]

#: The sides that choose.
PLAYERS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1)}
OBJECTIVES = ("break", "hold", "health points")
#: The ends in which each side is destroyed or has broken.
_LOST = {1, 3, 4, 6}, {2, 3, 5, 7}
#: Who has won by each of them: 1 the first side, -1 the second.
_WON = 0, -1, 1, 0, -1, 1, -1, 1

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)


class Position(NamedTuple):
    """Where the game stands: the round, the stage in it, and the state; what an end is worth."""

    round: int
    stage: int
    state: Any


class Combat:
    """Rounds of combat: stages of dice and of choices, those of some players the best."""

    def __init__(self, rounds: Sequence[Round], players: tuple[int, ...], objective: Objective) -> None:
        self._rounds, self._players, self._objective = rounds, players, objective
        # Who charged is the Active Player, then the other one, and so on by turns.
        active = int(rounds[0].units[1].charging and not rounds[0].units[0].charging)
        self._stages = [
            list(each.stages((active + number) % 2, players)) for number, each in enumerate(rounds)
        ]
        self._choices: dict[Position, int] = {}
        self._decided: dict[Position, Sequence[RoundState]] = {}
        #: What a round comes to: without choices all but the first are alike.
        self._fought = cache(self._round)
        rounds[0].require_combat()
        if players:
            require_positions(self._most_positions())
            start = Position(0, 0, rounds[0].begin(rounds[0].nothing, (0, 0)))
            self._choices, _ = solved(self._decision, [start], lambda end: int(end.state))

    def over(self, *, scored: bool) -> Law[tuple[int, ...]]:
        """Return the law of the losses, of the scores of a single round, who won, end and rounds."""
        law: Law[tuple[tuple[Lost, Lost], Pair]] = {(self._rounds[0].nothing, (0, 0)): 1}, 1
        over: list[Law[tuple[int, ...]]] = []
        for number in range(len(self._rounds)):
            alike = number if self._players else min(number, 1)

            def fought(each: tuple[tuple[Lost, Lost], Pair], number: int = alike) -> Law[Ended]:
                return self._fought(number, *each)

            ended, below = followed(law, fought)
            going: dict[tuple[tuple[Lost, Lost], Pair], int] = defaultdict(int)
            done: dict[tuple[int, ...], int] = defaultdict(int)
            for each, weight in ended.items():
                if each.end or number + 1 == len(self._rounds):
                    scores = (each.difference, each.won) if scored else (0, _WON[each.end])
                    done[*each.lost[0], *each.lost[1], *scores, each.end, number + 1] += weight
                else:
                    going[each.lost, each.made] += weight
            law = going, below
            over.append((done, below))
        return {each: weight * (below // of) for done, of in over for each, weight in done.items()}, below

    @property
    def plan(self) -> CombatPlan | None:
        """The choices that came up before it was over, in words; None where nobody chooses."""
        choices = dict.fromkeys(map(self._choice, sorted(self._decided)))
        return CombatPlan(tuple(choices), self._objective) if self._players else None

    def _round(self, number: int, lost: tuple[Lost, Lost], made: Pair) -> Law[Ended]:
        law: Law[Any] = {self._rounds[number].begin(lost, made): 1}, 1
        for place, stage in enumerate(self._stages[number]):

            def chosen(state: RoundState, place: int = place, stage: Moment = stage) -> Law[Any]:
                options, below, _ = stage.node(state)
                if len(options) == 1:
                    return options[0], below
                position = Position(number, place, state)
                self._decided[position] = [after for option in options for after in option]
                return options[self._choices[position]], below

            law = followed(law, chosen)
        return law

    def _decision(self, position: Position) -> Decision[Position] | None:
        number, place, state = position
        if isinstance(state, int):
            return None
        stage = self._stages[number][place]
        options, below, _ = stage.node(state)
        found = []
        for option in options:
            following: dict[Position, int] = defaultdict(int)
            for after, weight in option.items():
                following[self._following(number, place, after)] += weight
            found.append(following)
        return Decision(found, below, stage.side == self._players[0])

    def _following(self, number: int, place: int, after: RoundState | Ended) -> Position:
        if isinstance(after, RoundState):
            return Position(number, place + 1, after)
        if not after.end and number + 1 < len(self._rounds):
            return Position(number + 1, 0, self._rounds[number + 1].begin(after.lost, after.made))
        own = int(self._players == (1,))
        if self._objective == "health points":
            return Position(len(self._rounds), 0, sum(after.lost[1 - own]) - sum(after.lost[own]))
        broken = after.end in _LOST[1 - own] if self._objective == "break" else after.end not in _LOST[own]
        return Position(len(self._rounds), 0, int(broken))

    def _most_positions(self) -> int:
        """Return more positions than there can be: of pairs of losses, and in later rounds of the score so far too."""
        first = self._rounds[0]
        pools = [side.pools for side in first.sides]
        pairs = pools[0].states * pools[1].states
        scores = 1 + sum(sum(each.left) for each in pools) // 2
        stages = 1 + max(len(each.steps) for each in self._rounds)
        start = first.begin(first.nothing, (0, 0))
        ways = (
            islice(first.aims(step, side, start), MAXIMUM_POSITIONS + 1)
            for step in range(len(first.steps))
            for side in self._players
        )
        widest = max((sum(1 for _ in each) for each in ways), default=1)
        feared = 1 + len(frightened(first.units))
        return pairs * max(widest, feared * stages * (1 + scores * (len(self._rounds) - 1)))

    def _choice(self, position: Position) -> CombatChoice:
        """Return a choice of the plan in words."""
        number, place, state = position
        fighting, stage = self._rounds[number], self._stages[number][place]
        options, chosen = self._decided[position], self._choices[position]
        unit = fighting.units[stage.side]
        if stage.step < 0:
            moment, parts = "start", unit.alternatives[chosen]
            action = f"fights with {' and '.join(part.name for part in parts)}"
        else:
            moment = f"Initiative Step {fighting.steps[stage.step][0]}"
            action = _in_words(fighting, stage, [option.aims[stage.side] for option in options], chosen)
        names = (
            f"{side.unit.name}, {pool.name}" if len(side.pools.pools) > 1 else side.unit.name
            for side in fighting.sides
            for pool in side.pools.pools
        )
        sees = [
            *zip((f"lost by {name}:" for name in names), (*state.lost[0], *state.lost[1]), strict=True),
            (f"lead of {fighting.units[0].name}:", state.ahead),
            *(
                (f"Fear Tests failed by {fighting.units[side].name}:", state.afraid[side])
                for side in frightened(fighting.units)
            ),
        ]
        return CombatChoice(f"Round {number + 1}, {moment}", unit.name, tuple(sees), action)


def followed(law: Law[K], node: Callable[[K], Law[L]]) -> Law[L]:
    """Return the law after one more stage: the chain rule, in whole numbers over one denominator."""
    weights, below = law
    parts: dict[int, dict[L, int]] = {}
    size = 0
    for outcome, mass in weights.items():
        following, of = node(outcome)
        size += len(following)
        part = parts.setdefault(of, defaultdict(int))
        for after, weight in following.items():
            part[after] += mass * weight
    common = lcm(*parts)
    require_joint(size, (below * common).bit_length())
    found = parts.pop(common, defaultdict(int))
    for of, part in parts.items():
        for after, weight in part.items():
            found[after] += weight * (common // of)
    return found, below * common


@dataclass(frozen=True, slots=True, repr=False)
class CombatChoice(Named):
    """One choice of a plan.

    Parameters
    ----------
    moment
        The round, and its start or an initiative step.
    unit
        Whose choice it is.
    situation
        What the player sees, as pairs of name and number: the Health Points that each pool has lost, and by how much
        the first side leads in what was counted so far.
    action
        What is chosen.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> print(t9a.CombatChoice("Round 2, start", "Guards", (("lost by Orcs:", 3),), "fights with Halberd"))
    Round 2, start, lost by Orcs: 3: fights with Halberd
    """

    moment: str
    unit: str
    situation: tuple[tuple[str, int], ...]
    action: str

    def __str__(self) -> str:
        return f"{self.moment}, {self.seen}: {self.action}"

    @property
    def seen(self) -> str:
        """The situation in words."""
        return ", ".join(f"{name} {value}" for name, value in self.situation if value) or "nothing lost"


@dataclass(frozen=True, slots=True, repr=False)
class CombatPlan(Named):
    """Choices of players who choose best, in each situation that can come up.

    Parameters
    ----------
    choices
        In the order in which they come up.
    objective
        What they make as great as can be.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> one = t9a.CombatChoice("Round 2, start", "Guards", (("lost by Orcs:", 3),), "fights with Halberd")
    >>> print(t9a.CombatPlan((one,), "break"))
    Round 2, start: fights with Halberd
    """

    choices: tuple[CombatChoice, ...]
    objective: str

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "nothing to decide about"

    def lines(self) -> Iterator[str]:
        """Yield the plan line by line: moments, by what alone decides in them, or situation by situation."""
        for (moment, _), group in groupby(self.choices, lambda each: (each.moment, each.unit)):
            found = list(group)
            if len({each.action for each in found}) == 1:
                yield f"{moment}: {found[0].action}"
                continue
            yield f"{moment}:"
            yield from (f"  {', '.join(when)}: {action}" for when, action in _by_situation(found))


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
