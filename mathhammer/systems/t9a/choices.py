"""The best choices of one player or of both in rounds of combat, by backward induction, and the plan in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.distributions.decisions import MAXIMUM_POSITIONS, Decision, reached, require_positions, solved
from mathhammer.systems.t9a.combat_round import FEAR, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.systems.t9a.combat_round import Aims, Round, State

Players = Literal["first", "second", "both"] | None
Objective = Literal["break", "hold", "health points"]

#: The sides that choose.
_PLAYERS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1)}
_OBJECTIVES = ("break", "hold", "health points")
#: Stages of a round beside its initiative steps, of which each has three: one for each player, and the dice.
_ALTERNATIVES, _BLOWS = 2, 3


class Position(NamedTuple):
    """Where the game stands: the round, the stage in it, the state, and what was allocated in this initiative step."""

    round: int
    stage: int
    state: State
    aims: tuple[Aims, ...] = ()


class CombatPolicy:
    """Choices of the players in every position, those of one or both of them the best."""

    def __init__(self, rounds: Sequence[Round], players: tuple[int, ...], objective: Objective) -> None:
        self._rounds = rounds
        self._players = players
        self._objective = objective
        self._known: dict[tuple[int, int, State, tuple[Aims, ...]], tuple[list[tuple[State, int]], int]] = {}
        require_positions(self._most_positions())
        started, _ = self._started(0, rounds[0].start()._outcomes[0])  # noqa: SLF001
        self._starts = [position for position, _ in started]
        self._choices, self._worths = solved(self._decision, self._starts, self._value)

    def in_round(self, number: int) -> Policy:
        """Return what is chosen in one of the rounds."""
        return Policy(partial(self._alternatives, number), partial(self._aims, number))

    @property
    def plan(self) -> CombatPlan:
        """The choices that can come up, in words."""
        every = reached(self._decision, self._starts, self._choices, reversed(self._worths))
        deciding = sorted(position for position, _ in every if position in self._choices)
        choices = dict.fromkeys(map(self._choice, deciding))
        return CombatPlan(tuple(choices), self._objective)

    def _alternatives(self, number: int, state: State) -> tuple[int, int]:
        """Return which alternative of each side fights in a round that begins so."""
        for stage in range(_ALTERNATIVES):
            side = self._player(number, stage)
            drawn = self._choices.get(Position(number, stage, state), state[-2 + side])
            state = self._drawn(number, stage, state, drawn)
        return state[-2], state[-1]

    def _aims(self, number: int, step: int, state: State) -> tuple[Aims, Aims]:
        """Return where the attacks of an initiative step go."""
        aims: tuple[Aims, ...] = ()
        for place in (0, 1):
            stage = _ALTERNATIVES + _BLOWS * step + place
            index = self._choices.get(Position(number, stage, state, aims), 0)
            aims = (*aims, self._options(number, stage, state)[index])
        return self._by_side(number, aims)

    def _most_positions(self) -> int:
        """Return more positions than there can be: of pairs of losses, and in later rounds of the score so far too."""
        first = self._rounds[0]
        pools = [side.pools for side in first.sides]
        pairs = pools[0].states * pools[1].states
        scores = 1 + sum(sum(each.left) for each in pools) // 2
        stages = 1 + max(len(each.steps) for each in self._rounds)
        start = first.begin(first.start()._outcomes[0])  # noqa: SLF001
        widest = max(
            (
                sum(1 for _ in islice(first.aims(step, side, start), MAXIMUM_POSITIONS + 1))
                for step in range(len(first.steps))
                for side in self._players
            ),
            default=1,
        )
        feared = 1 + len(first.scoring.frightened)
        return pairs * max(widest, feared * stages * (1 + scores * (len(self._rounds) - 1)))

    def _player(self, number: int, place: int) -> int:
        """Return whose turn it is to choose: first the Active Player, who is the other one in the next round.

        The 9th Age rulebook, 2nd edition, Turns: Active and Reactive Player, Simultaneous Effects.
        """
        scoring = self._rounds[0].scoring
        active = int(scoring.units[1].charging and not scoring.units[0].charging)
        return (active + number + place) % 2

    def _by_side(self, number: int, aims: tuple[Aims, ...]) -> tuple[Aims, Aims]:
        return (aims[0], aims[1]) if self._player(number, 0) == 0 else (aims[1], aims[0])

    def _drawn(self, number: int, stage: int, state: State, alternative: int) -> State:
        drawn = [*state[-2:]]
        drawn[self._player(number, stage)] = alternative
        return (*state[:-2], *drawn)

    def _options(self, number: int, stage: int, state: State) -> Sequence[Aims]:
        step, place = divmod(stage - _ALTERNATIVES, _BLOWS)
        side = self._player(number, place)
        ways = self._rounds[number].aims(step, side, state)
        return list(ways) if side in self._players else [next(ways)]

    def _started(self, number: int, outcome: State) -> tuple[list[tuple[Position, int]], int]:
        """Return the positions after the Fear Tests of a round with their weights, and the sum of these."""
        fighting = self._rounds[number]
        state = fighting.feared(fighting.certain(fighting.begin(outcome)))
        terms, below = state._mass.terms()  # noqa: SLF001 - weights without SymPy
        positions = [self._on(number, 0, each) for each in state._outcomes]  # noqa: SLF001
        return list(zip(positions, map(int, terms), strict=True)), int(below)

    def _on(self, number: int, stage: int, state: State, aims: tuple[Aims, ...] = ()) -> Position:
        """Return the next position in which there is a choice or a roll."""
        while stage < _ALTERNATIVES:
            side = self._player(number, stage)
            if side in self._players and len(self._rounds[number].sides[side].unit.alternatives) > 1:
                return Position(number, stage, state)
            stage += 1
        step, place = divmod(stage - _ALTERNATIVES, _BLOWS)
        while step < len(self._rounds[number].steps) and place < _BLOWS - 1:
            options = self._options(number, stage, state)
            if len(options) > 1:
                break
            stage, place, aims = stage + 1, place + 1, (*aims, options[0])
        return Position(number, stage, state, aims)

    def _decision(self, position: Position) -> Decision[Position] | None:
        number, stage, state, aims = position
        if number == len(self._rounds):
            return None
        if stage < _ALTERNATIVES:
            side = self._player(number, stage)
            drawn = range(len(self._rounds[number].sides[side].unit.alternatives))
            after = (self._on(number, stage + 1, self._drawn(number, stage, state, each)) for each in drawn)
            return Decision([{each: 1} for each in after], maximises=self._maximises(side))
        step, place = divmod(stage - _ALTERNATIVES, _BLOWS)
        if step == len(self._rounds[number].steps):
            return self._after_round(number, state)
        if place == _BLOWS - 1:
            outcomes, below = self._blows(number, step, state, aims)
            return Decision([{self._on(number, stage + 1, each): w for each, w in outcomes}], below)
        ways = self._options(number, stage, state)
        return Decision(
            [{self._on(number, stage + 1, state, (*aims, each)): 1} for each in ways],
            maximises=self._maximises(self._player(number, place)),
        )

    def _blows(
        self, number: int, step: int, state: State, aims: tuple[Aims, ...]
    ) -> tuple[list[tuple[State, int]], int]:
        """Return the states after an initiative step with their weights, which no score so far changes."""
        places = self._rounds[number].places
        level = (*state[:places], 0, *state[places + 1 :])
        key = number > 0, step, level, aims
        fighting = self._rounds[number]
        if key not in self._known:
            said = self._by_side(number, aims)
            after = fighting.struck(fighting.certain(level), step, lambda _: said)
            terms, whole = after._mass.terms()  # noqa: SLF001 - weights without SymPy
            self._known[key] = list(zip(after._outcomes, map(int, terms), strict=True)), int(whole)  # noqa: SLF001
        outcomes, below = self._known[key]
        ahead = state[places]
        return [
            ((*each[:places], each[places] + ahead, *each[places + 1 :]), weight) for each, weight in outcomes
        ], below

    def _after_round(self, number: int, state: State) -> Decision[Position]:
        """Return what follows on the scores: the end, or another round."""
        fighting = self._rounds[number]
        places = fighting.places
        ended = fighting.scoring.ended(fighting.certain(fighting.ended(state)))
        terms, below = ended._mass.terms()  # noqa: SLF001 - weights without SymPy
        following: dict[Position, int] = {}
        tested = 1
        for outcome, weight in zip(ended._outcomes, terms, strict=True):  # noqa: SLF001
            lost, (_, *made, breaks) = outcome[:places], outcome[places:]
            gone = fighting.scoring.gone(lost)
            over = breaks or any(gone) or number + 1 == len(self._rounds)
            if over:
                broken = (gone[0] or breaks == 1, gone[1] or breaks == 2)
                started, of = [(Position(len(self._rounds), 0, self._end(lost, broken)), 1)], 1
            else:
                started, of = self._started(number + 1, (*lost, *made))
            if tested % of:  # all rounds that begin have one
                following, tested = {each: old * of for each, old in following.items()}, tested * of
            for after, chance in started:
                following[after] = following.get(after, 0) + int(weight) * chance * (tested // of)
        return Decision([following], int(below) * tested)

    def _end(self, lost: State, broken: tuple[bool, bool]) -> State:
        """Return what an end is worth to the side whose objective it is, as the state of the end."""
        own = int(self._players == (1,))
        if self._objective == "health points":
            both = self._rounds[0].scoring.split(lost)
            return (sum(both[1 - own]) - sum(both[own]),)
        return (int(broken[1 - own] if self._objective == "break" else not broken[own]),)

    @staticmethod
    def _value(end: Position) -> int:
        return end.state[0]

    def _maximises(self, side: int) -> bool:
        return side == self._players[0]

    def _choice(self, position: Position) -> CombatChoice:
        """Return a choice of the plan in words."""
        number, stage, state, _ = position
        fighting, choice = self._rounds[number], self._choices[position]
        if stage < _ALTERNATIVES:
            side, moment = self._player(number, stage), "start"
            parts = fighting.sides[side].unit.alternatives[choice]
            action = f"fights with {' and '.join(part.name for part in parts)}"
        else:
            step, place = divmod(stage - _ALTERNATIVES, _BLOWS)
            side, moment = self._player(number, place), f"Initiative Step {fighting.steps[step][0]}"
            action = _in_words(fighting, side, step, self._options(number, stage, state), choice)
        units = fighting.scoring.units
        names = [f"lost by {name}:" for name in _names(fighting)]
        sees = tuple(zip((*names, f"lead of {units[0].name}:"), state, strict=False))
        for frightened in fighting.scoring.frightened:
            sees += (
                (
                    f"Fear Tests failed by {units[frightened].name}:",
                    state[fighting.places + FEAR + frightened],
                ),
            )
        return CombatChoice(f"Round {number + 1}, {moment}", units[side].name, sees, action)


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


def best_policy(
    rounds: Callable[[], Sequence[Round]], best: Players, objective: Objective
) -> CombatPolicy | None:
    """Return the best policy of some players, None where nobody is to choose."""
    validation.one_of(objective, _OBJECTIVES, "objective")
    if best is None:
        return None
    return CombatPolicy(rounds(), _PLAYERS[validation.one_of(best, _PLAYERS, "best")], objective)


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


def _in_words(fighting: Round, side: int, step: int, options: Sequence[Aims], choice: int) -> str:
    """Return where the attacks go of those parts that have a choice."""
    striking = fighting.sides[side]
    names = [pool.name for pool in fighting.sides[1 - side].pools.pools]
    said = []
    for index, part in enumerate(fighting.steps[step][1][side]):
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


def _names(fighting: Round) -> list[str]:
    """Return what the pools of both sides are called."""
    found = []
    for unit, pools in zip(fighting.scoring.units, fighting.scoring.pools, strict=True):
        several = len(pools.pools) > 1
        found += [f"{unit.name}, {pool.name}" if several else unit.name for pool in pools.pools]
    return found
