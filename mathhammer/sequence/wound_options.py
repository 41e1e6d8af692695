"""What a wound does to a unit whose player may choose who takes it, while its damage die can be looked at."""

from __future__ import annotations

from functools import cache
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.attack_dice import Key
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.rolled_dice import TableDie
    from mathhammer.sequence.unit import ModelUnit


class WoundOption(NamedTuple):
    """One choice of the unit's player about a wound in a state."""

    #: Weight of failing the save, out of 36.
    unsaved: int
    #: The state after a save that is made.
    saved: int
    #: Weights of the states after the wound, whatever is rolled.
    all: Mapping[int, int]
    #: For each result of the damage die the weights of the states after it.
    inflicted: Sequence[Mapping[int, int]]
    #: Weights of the states after the damage die, whatever it shows.
    rolled: Mapping[int, int]
    #: The same of what it shows that is not looked at, and the weights of the results that are.
    unseen: Mapping[int, int]
    seen: Mapping[int, int]
    #: The same as `rolled` for each way to re-roll the die.
    rerolled: Sequence[Mapping[int, int]]


class WoundOptions:
    """A kind of wounds against a unit, each state computed when it is reached."""

    def __init__(
        self, wound: Wound, dice: Sequence[TableDie], unit: ModelUnit, opened: Sequence[Sequence[int]]
    ) -> None:
        self.wound, self.die = wound, dice[0]
        self._dice, self._unit, self._moves, self._opened = dice, unit, unit.moves, opened
        negated = [each.negated.denominator for each in wound.effects if each.negated is not None]
        #: What the weights of the states after each result are out of.
        self.scale = lcm(*negated, *(one.leads_to.denominator for die in dice for one in die.results))
        #: The same for the damage die and a state after it.
        self.rolled = self.die.denominator * self.scale
        #: What the weights of all ways to re-roll the die can be out of.
        self.rerolled = lcm(*map(sum, self.die.rerolls))
        self.at = cache(self._at)

    def _at(self, state: int) -> Sequence[WoundOption]:
        """Return the choices in a state."""
        moves = self._moves[state]
        return [
            self._option(state, group, moves[group, False], moves[group, True] if negated else None)
            for group, negated in self._unit.choices_of(self.wound, self._opened[state], moves)
        ]

    def _option(
        self, state: int, group: int, moves: Sequence[int], negated: Sequence[int] | None
    ) -> WoundOption:
        effect, die = self.wound.effects[group], self._dice[group]
        saved, after = moves[0], moves if negated is None else negated
        if negated is None and not effect.always_allocated:
            # Where nothing is lost, the model was not allocated an attack.
            saved, after = state, (state, *moves[1:])
        inflicted = []
        for result in die.results:
            lost = [(lost, weight) for (lost,), weight in result.leads_to.coefficients.items()]
            denominator = result.leads_to.denominator
            if negated is not None and effect.negated is not None:
                lost, denominator = effect.negated.items(), effect.negated.denominator
            row: dict[int, int] = {}
            for number, weight in lost:
                there = after[min(number, len(after) - 1)]
                row[there] = row.get(there, 0) + weight * (self.scale // denominator)
            inflicted.append(row)
        #: Of results that do the same and can be re-rolled in the same ways the first one is looked at.
        alike: dict[tuple[object, ...], int] = {}
        seen: dict[int, int] = {}
        settled = []
        for place, (result, row) in enumerate(zip(die.results, inflicted, strict=True)):
            looked_at = result.fresh if result.rerolls else 0
            if looked_at:
                first = alike.setdefault((result.rerolls, *row.items()), place)
                seen[first] = seen.get(first, 0) + looked_at * self.scale
            settled.append(result.fresh + result.settled - looked_at)
        rolled = _sum([result.fresh + result.settled for result in die.results], inflicted)
        return WoundOption(
            effect.unsaved,
            saved,
            _sum((36 - effect.unsaved, effect.unsaved), ({saved: self.rolled}, rolled)),
            inflicted,
            rolled,
            _sum(settled, inflicted),
            seen,
            [_sum(weights, inflicted) for weights in die.rerolls],
        )


class WoundStep(NamedTuple):
    """A wound whatever the state: its kind, the key without it, what follows, and the re-rolls of its dice."""

    kind: int
    options: WoundOptions
    after: Key
    following: int
    damage: Sequence[str]
    saves: Sequence[str]


def _sum(weights: Sequence[int], rows: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Add up rows, each times its weight."""
    found: dict[int, int] = {}
    for weight, row in zip(weights, rows, strict=True):
        if weight:
            for state, each in row.items():
                found[state] = found.get(state, 0) + weight * each
    return found
