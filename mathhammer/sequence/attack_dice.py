"""Dice of an attack that are rolled together, and the decisions about them, whatever the state of its target."""

from __future__ import annotations

from itertools import product
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import GeneratingFunction
from mathhammer.sequence.rolled_dice import Seen, total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_keys import Key
    from mathhammer.sequence.rolled_dice import Choice, Counts, StageDice


class Rolls(NamedTuple):
    """Dice, or a decision about them, whatever the state: for each option weights by the number of the key after."""

    options: tuple[Mapping[int, int], ...]
    denominator: int


#: Weights by the number of the key after, and what they are out of.
_Weights = tuple[dict[int, int], int]


class RollsTogether:
    """The rolls of an attack that are made together."""

    def __init__(self, game: AttackGame) -> None:
        self._game = game
        # Many rolls leave the same dice on the table: by the key without them where they lead.
        self._kept: dict[Key, dict[Seen, _Weights]] = {}
        self._rerolled: dict[Key, dict[tuple[Seen, int, int], _Weights]] = {}

    def roll(self, key: Key) -> Rolls:
        """Roll the dice of a stage."""
        stage = self._game.stage(key)
        dice = tuple(key.counts[place] for place in stage.places)
        rolled = key._replace(counts=_without(key.counts, stage.places))
        usable = self._game.usable_of(key.part, key.held, stage.roll)
        if not usable:
            return Rolls((self._added(rolled, stage.plain(dice)),), stage.plain(dice).denominator)
        weights, denominator = stage.rolled(dice, len(usable))
        found, common = self._mixed(rolled, stage, weights)
        return Rolls((found,), denominator * common)

    def look(self, key: Key, seen: Seen) -> Rolls:
        """Keep what lies on the table, or re-roll one die of it."""
        stage, before = self._game.stage(key), key._replace(seen=None)
        options = [self._after(before, stage, Seen(seen.results, (0,) * len(seen.fresh)))]
        usable = self._game.usable_of(key.part, key.held, stage.roll)
        for name in usable:
            left = before._replace(held=key.held - {name})
            known = self._rerolled.setdefault(left, {})
            for taken in stage.taken(seen, len(usable) - 1):
                if taken not in known:
                    weights, denominator = stage.put(*taken)
                    found, common = self._mixed(left, stage, weights)
                    known[taken] = found, denominator * common
                options.append(known[taken])
        return _over_one(options)

    def _mixed(self, key: Key, stage: StageDice, weights: Mapping[Seen, int]) -> _Weights:
        """Add up where dice on the table lead, each with its weight."""
        parts = [(weight, *self._after(key, stage, seen)) for seen, weight in weights.items()]
        common = lcm(*(denominator for _, _, denominator in parts))
        found: dict[int, int] = {}
        for weight, after, denominator in parts:
            factor = weight * (common // denominator)
            for number, each in after.items():
                found[number] = found.get(number, 0) + factor * each
        return found, common

    def _after(self, key: Key, stage: StageDice, seen: Seen) -> _Weights:
        """Return where dice on the table lead: to be looked at while any may be re-rolled, else to what they add."""
        known = self._kept.setdefault(key, {})
        if seen not in known:
            if any(seen.fresh):
                known[seen] = {self._game.number(key._replace(seen=seen)): 1}, 1
            else:
                added = stage.added(seen.results)
                known[seen] = self._added(key, added), added.denominator
        return known[seen]

    def _added(self, key: Key, added: GeneratingFunction) -> dict[int, int]:
        """Return weights of the keys after the dice of a stage have added to the counts."""
        found: dict[int, int] = {}
        for counts, weight in added.coefficients.items():
            number = self._game.next(key, key.step + 1, total(key.counts, counts))
            found[number] = found.get(number, 0) + weight
        return found

    def choose(self, key: Key, choice: Choice) -> Rolls:
        """Take what results lead to, or give it up for some of them."""
        without = key._replace(counts=_without(key.counts, choice.places))
        options = []
        for given in given_up(key, choice):
            added = GeneratingFunction.one(len(key.counts))
            for (place, (taken, instead)), up in zip(choice.ways.items(), given, strict=True):
                for number in range(key.counts[place]):
                    added = added * (instead if number < up else taken)
            options.append((self._added(without, added), added.denominator))
        return _over_one(options)


def given_up(key: Key, choice: Choice) -> list[tuple[int, ...]]:
    """Return of how many results of each kind a player can give up what they lead to: of none first."""
    return list(product(*(range(key.counts[place] + 1) for place in choice.places)))


def _without(counts: Counts, places: Sequence[int]) -> Counts:
    return tuple([0 if place in places else number for place, number in enumerate(counts)])


def _over_one(options: Sequence[tuple[Mapping[int, int], int]]) -> Rolls:
    """Bring the weights of options to one denominator."""
    common = lcm(*(denominator for _, denominator in options))
    scaled = tuple(
        {number: weight * (common // denominator) for number, weight in found.items()}
        for found, denominator in options
    )
    return Rolls(scaled, common)
