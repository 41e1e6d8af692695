"""Dice of an attack that are rolled together, and the decisions about them, whatever the state of its target."""

from __future__ import annotations

from itertools import product
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import GeneratingFunction
from mathhammer.sequence.rolled_dice import total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_keys import Key
    from mathhammer.sequence.rolled_dice import Choice, Counts, Seen


class Rolls(NamedTuple):
    """Dice, or a decision about them, whatever the state: for each option weights by the number of the key after."""

    options: tuple[Mapping[int, int], ...]
    denominator: int


class RollsTogether:
    """The rolls of an attack that are made together.

    Parameters
    ----------
    game
        The attack, which says what follows.
    """

    def __init__(self, game: AttackGame) -> None:
        self._game = game

    def roll(self, key: Key) -> Rolls:
        """Roll the dice of a stage."""
        stage = self._game.stage(key)
        dice = tuple(key.counts[place] for place in stage.places)
        rolled = key._replace(counts=_without(key.counts, stage.places))
        usable = self._game.usable_of(key.part, key.held, stage.roll)
        if not usable:
            return Rolls((self._added(rolled, stage.plain(dice)),), stage.plain(dice).denominator)
        weights, denominator = stage.rolled(dice, len(usable))
        found: dict[int, int] = {}
        parts: list[tuple[int, GeneratingFunction]] = []
        for seen, weight in weights.items():
            if any(seen.fresh):
                number = self._game.number(rolled._replace(seen=seen))
                found[number] = found.get(number, 0) + weight
            else:
                parts.append((weight, stage.added(seen.results)))
        common = lcm(*(added.denominator for _, added in parts))
        found = {number: weight * common for number, weight in found.items()}
        for weight, added in parts:
            for number, each in self._added(rolled, added).items():
                found[number] = found.get(number, 0) + weight * each * (common // added.denominator)
        return Rolls((found,), denominator * common)

    def _added(self, key: Key, added: GeneratingFunction) -> dict[int, int]:
        """Return weights of the keys after the dice of a stage have added to the counts."""
        found: dict[int, int] = {}
        for counts, weight in added.coefficients.items():
            number = self._game.next(key, key.step + 1, total(key.counts, counts))
            found[number] = found.get(number, 0) + weight
        return found

    def look(self, key: Key, seen: Seen) -> Rolls:
        """Keep what lies on the table, or re-roll one die of it."""
        stage = self._game.stage(key)
        kept = stage.added(seen.results)
        options = [(self._added(key, kept), kept.denominator)]
        usable = self._game.usable_of(key.part, key.held, stage.roll)
        for name in usable:
            left = key._replace(held=key.held - {name}, seen=None)
            for _, _, after, denominator in stage.rerolled(seen, len(usable) - 1):
                common = lcm(
                    *(stage.added(each.results).denominator for each in after if not any(each.fresh))
                )
                found: dict[int, int] = {}
                for each, weight in after.items():
                    if any(each.fresh):
                        parts = {self._game.number(left._replace(seen=each)): common}
                    else:
                        added = stage.added(each.results)
                        factor = common // added.denominator
                        parts = {n: w * factor for n, w in self._added(left, added).items()}
                    for number, part in parts.items():
                        found[number] = found.get(number, 0) + weight * part
                options.append((found, denominator * common))
        return _over_one(options)

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
