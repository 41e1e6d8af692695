"""Rounds of combat as one process: a pass forward for what comes of it, decisions backward, and the plan in words."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from itertools import groupby, islice, product
from math import lcm, prod
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.arithmetic import mass_type
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.chain import require_joint
from mathhammer.distributions.decisions import DecisionNode, solved
from mathhammer.fields.kinds import Checked, Text
from mathhammer.fields.profile import Record
from mathhammer.systems.t9a.units import STATE, require_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.systems.t9a.combat_round import Ended, Moment, Round, RoundState, Score

Players = Literal["first", "second", "both"] | None
Objective = Literal["break", "hold", "health points"]

#: The sides that choose.
PLAYERS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1)}
#: How much longer steps take where somebody chooses, the bits of weights from which they take twice as long, and steps
#: of a Break Test: measured.
PLANNED, TWICE, BREAKS = 3, 2_000, 3
OBJECTIVES = ("break", "hold", "health points")
#: The ends in which each side is destroyed or has broken.
_LOST = {1, 3, 4, 6}, {2, 3, 5, 7}
#: A choice that came up: the round, the stage in it, the state, what the first side holds, and what is chosen.
Decided = tuple[int, int, Any, int, int]
#: What comes in each state before a stage, and its weights by what the first side holds; by rest and second thing, the
#: first one and the state that they make.
Layer = tuple[list[tuple[Any, Any, dict[int, Any]]], dict[tuple[Any, Any], dict[Any, Any]]]
#: A round that was played: its layers and scores; the ends and what their weights are out of.
Played = tuple[list[Layer], list["Score"], dict["Ended", Any], int]


class Combat:
    """Rounds of combat: stages of dice and of choices, those of some players the best.

    No blow depends on what the first side holds when a round begins: weights and values by it stand together.
    """

    def __init__(self, rounds: Sequence[Round], best: Players, objective: Objective) -> None:
        players = () if best is None else PLAYERS[best]
        self.rounds, self._players, self._objective = rounds, players, objective
        # Who charged is the Active Player, then the other one, and so on by turns.
        active = int(rounds[0].units[1].charging and not rounds[0].units[0].charging)
        self._stages = [
            list(each.stages((active + number) % 2, players)) for number, each in enumerate(rounds)
        ]
        self._decided: list[Decided] = []
        #: Steps that were taken before there was a plan, and the bits of the weights.
        self._steps = self._bits = 0
        rounds[0].require_combat()
        #: By round, stage, state and lead of the first side: the option chosen. None while that is to be found.
        self._plan: dict[tuple[int, int, Any, int], int] | None = None
        if players:
            self._plan = solved(self._backwards(), self._worth)[0]

    def over(self) -> CategoricalDistribution[Ended]:
        """Return the distribution of the number of rounds and of how it ended."""
        over, below = {}, 1
        for number, (*_, ends, common) in enumerate(self._played()):
            below *= common
            for ended, weight in ends.items():
                if ended.end or number + 1 == len(self.rounds):
                    over[ended._replace(rounds=number + 1) if number else ended] = weight, below
        require_joint(len(over), below.bit_length())
        terms = [weight * (below // of) for weight, of in over.values()]
        return CategoricalDistribution(list(over), mass_type(exact=True).from_terms(terms, below))

    def _played(self) -> Iterator[Played]:
        """Play round by round; without a plan all options at once, for the states that can come up."""
        state, held = self.rounds[0].begin(self.rounds[0].nothing, (0, 0))
        law: dict[Any, dict[int, Any]] = {state: {held: 1}}
        self._bits = 0
        for number, fighting in enumerate(self.rounds):
            below, layers = 1, []
            for place in range(len(self._stages[number])):
                layer, law, common = self._moved(number, place, law)
                below *= common
                if self._players and self._plan is None:
                    layers.append(layer)
            self._count(number, [(1 + len(weights)) * BREAKS for weights in law.values()])
            scores = [each for state, weights in law.items() for each in fighting.score(state, weights)]
            common = lcm(*{of for *_, of in scores})
            ends: dict[Ended, Any] = defaultdict(int)
            for weight, *_, rows, of in scores:
                scaled = weight * (common // of)
                for ended, chance in rows:
                    ends[ended] += scaled * chance
            yield layers, scores, ends, below * common
            law = {}
            for ended, weight in ends.items() if number + 1 < len(self.rounds) else ():
                if not ended.end:
                    state, held = self.rounds[number + 1].begin(ended.lost, ended.made)
                    law[state] = {held: weight}
            if not law:
                return

    def _moved(
        self, number: int, place: int, law: Mapping[Any, dict[int, Any]]
    ) -> tuple[Layer, dict[Any, dict[int, Any]], int]:
        """Play a stage; return the law after it and what its weights are out of: the chain rule, in whole numbers."""
        stage = self._stages[number][place]
        states, nodes, common, most = iter(law.items()), [], 1, 0
        # A few states at a time, so that too many are refused before all of them are looked at.
        while some := [(stage.node(state), state, weights) for state, weights in islice(states, 16)]:
            nodes += some
            common = lcm(common, *{below for (*_, below), *_ in some})
            pairs = [len(second) * sum(map(len, options)) for (_, options, second, _), *_ in some]
            self._count(number, [(1 + len(each[2])) * n for each, n in zip(some, pairs, strict=True)], common)
            most += sum(pairs)
        most = min(most, prod(side.pools.states for side in self.rounds[number].sides))
        require_joint(
            most // 4, self._bits + int(common).bit_length()
        )  # of which many are the same, or never come
        found: dict[Any, Any] = defaultdict(partial(defaultdict, partial(defaultdict, int)))
        for (rest, options, second, below), state, weights in nodes:
            parts = [(found[rest, value], weight * (common // below)) for value, weight in second.items()]
            for held, mass in weights.items():
                chosen = options
                if self._plan is not None and len(options) > 1:
                    best = self._plan[number, place, state, held]
                    self._decided.append((number, place, state, held, best))
                    chosen = [options[best]]
                for (part, weight), option in product(parts, chosen):
                    share = mass * weight
                    for first, each in option.items():
                        part[first][held] += each * share
        self._bits += int(common).bit_length()
        after = {
            key: {first: stage.put(key[0], first, key[1]) for first in part} for key, part in found.items()
        }
        law = {after[key][first]: weights for key, part in found.items() for first, weights in part.items()}
        return (nodes, after), law, common

    def _count(self, number: int, steps: Sequence[int], below: Any = 0) -> None:
        """Count the steps from some states in a round: what may come of them, or their Break Tests."""
        if self._plan is None:  # with one fewer states come up
            bits = self._bits + int(below).bit_length()
            each = (1 + bits // TWICE) * (PLANNED if self._players else 1)
            self._steps += (STATE * len(steps) + sum(steps)) * each
            require_steps(self._steps, number)

    def _backwards(self) -> Iterator[tuple[Any, DecisionNode[Any] | None]]:
        """Yield each position that can come up after all that can follow it, with what comes there."""
        played = list(self._played())
        while played:
            number = len(played) - 1
            layers, scores, ends, _ = played.pop()
            after: dict[Any, Any] = {}
            for ended in ends:
                after[ended] = ended
                if ended.end or number + 1 == len(self.rounds):
                    yield ended, None
                else:
                    begun = self.rounds[number + 1].begin(ended.lost, ended.made)
                    after[ended] = number + 1, 0, *begun
            for _, state, held, rows, of in scores:
                following: dict[Any, Any] = defaultdict(int)
                for ended, chance in rows:
                    following[after[ended]] += chance
                yield (number, len(layers), state, held), DecisionNode([following], of)
            for place in range(len(layers) - 1, -1, -1):
                nodes, made = layers.pop()
                maximises = self._stages[number][place].side == self._players[0]
                for (rest, options, second, below), state, weights in nodes:
                    moves = [
                        [
                            (made[rest, value][first], weight * each)
                            for first, weight in option.items()
                            for value, each in second.items()
                        ]
                        for option in options
                    ]
                    for held in weights:
                        each_of = [
                            {(number, place + 1, later, held): w for later, w in each} for each in moves
                        ]
                        yield (number, place, state, held), DecisionNode(each_of, below, maximises)

    @property
    def plan(self) -> CombatPlan | None:
        """The choices that came up before it was over, in words; None where nobody chooses."""
        if not self._players:
            return None
        self._decided.sort(key=lambda each: (*each[:2], each[2].lost, each[3], each[2]))
        return CombatPlan(tuple(dict.fromkeys(map(self._choice, self._decided))), self._objective)

    def _worth(self, ended: Ended) -> int:
        own = int(self._players == (1,))
        if self._objective == "health points":
            return int(sum(ended.lost[1 - own]) - sum(ended.lost[own]))
        return int(ended.end in _LOST[1 - own] if self._objective == "break" else ended.end not in _LOST[own])

    def _choice(self, decided: Decided) -> CombatChoice:
        """Return a choice of the plan in words."""
        number, place, state, held, chosen = decided
        fighting, stage = self.rounds[number], self._stages[number][place]
        unit = fighting.units[stage.side]
        if stage.step < 0:
            moment, parts = "start", unit.alternatives[chosen]
            action = f"fights with {' and '.join(part.name for part in parts)}"
        else:
            moment = f"Initiative Step {fighting.steps[stage.step][0]}"
            action = _in_words(fighting, stage, state, chosen)
        sees = [
            (f"lost by {side.unit.name}{f', {pool.name}' * (len(lost) > 1)}:", points)
            for side, lost in zip(fighting.sides, state.lost, strict=True)
            for pool, points in zip(side.pools.pools, lost, strict=True)
        ]
        names = [each.name for each in fighting.units]
        sees.append((f"lead of {names[0]}:", held + sum(state.lost[1]) - sum(state.lost[0])))
        sees += [(f"Fear Tests failed by {names[side]}:", state.afraid[side]) for side in fighting.frightened]
        return CombatChoice(f"Round {number + 1}, {moment}", unit.name, tuple(sees), action)


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
        several = len({each.unit for each in self.choices}) > 1
        for (moment, unit), group in groupby(self.choices, lambda each: (each.moment, each.unit)):
            cases = _by_situation(list(group))
            alone = not cases[0][0]
            yield f"{moment}{f', {unit}' * several}:{f' {cases[0][1]}' * alone}"
            yield from (f"  {', '.join(when)}: {action}" for when, action in cases if when)


def _by_situation(choices: Sequence[CombatChoice]) -> list[tuple[tuple[str, ...], str]]:
    """Return when each action is taken, by runs of values of the things that tell it in the fewest words."""
    actions, found = sorted({each.action for each in choices}), []
    for place, (name, _) in enumerate(choices[0].situation if actions[1:] else ()):
        by_value: dict[int, list[CombatChoice]] = {}
        for each in choices:
            by_value.setdefault(each.situation[place][1], []).append(each)
        if len(by_value) == 1:
            continue
        # Where this thing does not decide, others do.
        decided = {
            value: (0, some[0].action) if len({each.action for each in some}) == 1 else (1 + value, "")
            for value, some in by_value.items()
        }
        cases = []
        for _, values in groupby(sorted(by_value), decided.__getitem__):
            first, *_, last = [*values] * 2
            when = f"{name} {first}" + (f" to {last}" if last != first else "")
            cases += [((when, *more), action) for more, action in _by_situation(by_value[first])]
        found.append(cases)
    if not found:
        return [((), " or ".join(actions))]
    return min(found, key=lambda cases: (len(cases), sum(len(when) for when, _ in cases)))


def _in_words(fighting: Round, stage: Moment, state: RoundState, chosen: int) -> str:
    """Return where the attacks go of those parts that have a choice."""
    striking, said = fighting.sides[stage.side], []
    names = [pool.name for pool in fighting.sides[1 - stage.side].pools.pools]
    ways = list(map(list, fighting.aims(stage.step, stage.side, state)))
    aims = next(islice(product(*ways), chosen, None))
    for part, aim, several in zip(fighting.steps[stage.step][1][stage.side], aims, ways, strict=True):
        name = striking.parts[part].name
        if len(several) == 1:
            continue
        if striking.breath[part]:
            said.append(f"{name} is {'made' if aim else 'kept'}")
        elif len(aim) == 1:
            said.append(f"{name} strikes at {names[aim[0][0]]}")
        else:
            parts = " and ".join(f"{attacks} at {names[place]}" for place, attacks in aim)
            said.append(f"{name} strikes {parts}")
    return ", ".join(said)
