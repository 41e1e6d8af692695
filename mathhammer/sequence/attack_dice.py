"""Dice of an attack that are rolled together, and the decisions about them, whatever the state of its target."""

from __future__ import annotations

from itertools import product
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction
from mathhammer.sequence.rolled_dice import Seen, total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_view import Key
    from mathhammer.sequence.rolled_dice import Counts, ResultChoice, Rolled, StageDice


class RollsMade(NamedTuple):
    """Dice, or a decision about them, whatever the state: for each option weights by the number of the key after."""

    options: tuple[Mapping[int, int], ...]
    denominator: int
    #: Whether the player wants the objective high.
    maximises: bool = True


#: Weights by the number of the key after, and what they are out of.
_Weights = tuple[dict[int, int], int]


class _DiceTable(NamedTuple):
    """What dice on the table lead to, before any of them is re-rolled: once for all dice beside the same counts."""

    #: The key without the dice on the table.
    key: Key
    stage: StageDice
    #: The re-rolls that can be spent, and the keys without each.
    usable: Sequence[str]
    left: Sequence[Key]
    #: Where the dice lead, by what they show; and where one that is re-rolled leads, for each of the keys.
    kept: dict[Seen, _Weights]
    rerolled: Sequence[dict[tuple[Seen, int, int], _Weights]]
    #: The first keys after the dice, by the counts then; and those with one of them to roll, for each of the keys.
    after: dict[Counts, int]
    again: Sequence[dict[Counts, int]]


class RollsTogether:
    """The rolls of an attack that are made together."""

    def __init__(self, game: AttackGame) -> None:
        self._game = game
        # Many rolls leave the same dice on the table, and lead to the same counts.
        self._tables: dict[Key, _DiceTable] = {}
        self._looks: dict[int, _DiceTable] = {}
        self._firsts: dict[Key, dict[Counts, int]] = {}

    def roll(self, key: Key) -> RollsMade:
        """Roll the dice of a stage."""
        stage = self._game.stage(key)
        dice = tuple([key.counts[place] for place in stage.places])
        rolled = key._replace(counts=_without(key.counts, stage.places))
        table = self._table(rolled)
        if not table.usable:
            added = stage.plain(dice)
            return RollsMade((self._added(rolled, rolled.counts, added, table.after, 1),), added.denominator)
        weights, denominator = stage.rolled(dice, len(table.usable))
        found, common = self._mixed(table, weights)
        return RollsMade((found,), denominator * common)

    def at_once(self, key: Key, step: Rolled) -> RollsMade:
        """Roll all dice of a volley up to its wounds, and spend re-rolls as they must be."""
        held = {plain_name(name): name for name in self._game.usable[key.part] if name in key.held}
        used = step.attack.rerolls.intersection(held)
        parts = step.attack.after(used)
        common, found = lcm(*(counts.denominator for counts in parts.values())), dict[int, int]()
        for left, counts in parts.items():
            after = key._replace(held=key.held.difference(held[name] for name in used - left))
            for exponents, weight in counts.coefficients.items():
                number = self._game.next(after, key.step + 1, exponents)
                found[number] = found.get(number, 0) + weight * (common // counts.denominator)
        return RollsMade((found,), common)

    def look(self, number: int, seen: Seen) -> RollsMade:
        """Keep what lies on the table, or re-roll one die of it."""
        table = self._looks[number]
        stage, usable = table.stage, table.usable
        options = [self._kept(table, seen)]
        takes = stage.taken(seen, len(usable) - 1)
        for place, known in enumerate(table.rerolled):
            for taken in takes:
                found = known.get(taken)
                if found is None:
                    found = known[taken] = self._rerolled(table, place, taken)
                options.append(found)
        return _over_one(options)

    def _table(self, key: Key) -> _DiceTable:
        """Return what dice beside the counts of a key lead to."""
        found = self._tables.get(key)
        if found is None:
            stage = self._game.stage(key)
            usable = self._game.usable_of(key.part, key.held, stage.roll)
            left = [key._replace(held=key.held - {name}) for name in usable]
            after = self._first_keys(key, key.step + 1)
            again = [self._first_keys(each, key.step) for each in left]
            kept: dict[Seen, _Weights] = {}
            found = _DiceTable(key, stage, usable, left, kept, [{} for _ in usable], after, again)
            self._tables[key] = found
        return found

    def _first_keys(self, key: Key, step: int) -> dict[Counts, int]:
        """Return the first keys from a step on, by their counts, as far as they are known."""
        return self._firsts.setdefault(key._replace(counts=(), step=step), {})

    def _rerolled(self, table: _DiceTable, place: int, taken: tuple[Seen, int, int]) -> _Weights:
        """Return where one die leads that is re-rolled beside others."""
        stage, key = table.stage, table.left[place]
        beside, index, way = taken
        if len(table.usable) == 1 and stage.as_new[index, way]:
            # One that nobody can re-roll again is one that is still to be rolled.
            added, die = stage.added(beside.results), stage.places[index]
            counts = (*key.counts[:die], key.counts[die] + 1, *key.counts[die + 1 :])
            return self._added(key, counts, added, table.again[place], 0), added.denominator
        weights, denominator = stage.put(*taken)
        found, common = self._mixed(self._table(key), weights)
        return found, denominator * common

    def _mixed(self, table: _DiceTable, weights: Mapping[Seen, int]) -> _Weights:
        """Add up where dice on the table lead, each with its weight."""
        kept = table.kept
        parts = [
            (weight, *(kept.get(seen) or self._looked_at(table, seen))) for seen, weight in weights.items()
        ]
        common = lcm(*{denominator for _, _, denominator in parts})
        found: dict[int, int] = {}
        for weight, after, denominator in parts:
            factor = weight * (common // denominator)
            for number, each in after.items():
                found[number] = found.get(number, 0) + factor * each
        return found, common

    def _looked_at(self, table: _DiceTable, seen: Seen) -> _Weights:
        """Return where dice on the table lead: to be looked at while any may be re-rolled, else to what they add."""
        if not any(seen.fresh):
            return self._kept(table, seen)
        number = self._game.number(table.key._replace(seen=seen))
        self._looks[number] = table
        found = table.kept[seen] = {number: 1}, 1
        return found

    def _kept(self, table: _DiceTable, seen: Seen) -> _Weights:
        """Return where dice on the table lead that are kept."""
        added = table.stage.added(seen.results)
        return self._added(table.key, table.key.counts, added, table.after, 1), added.denominator

    def _added(
        self, key: Key, before: Counts, added: GeneratingFunction, known: dict[Counts, int], further: int
    ) -> dict[int, int]:
        """Return weights of the first keys so many steps further once dice have added to the counts."""
        found: dict[int, int] = {}
        for counts, weight in added.coefficients.items():
            after = total(before, counts)
            number = known.get(after)
            if number is None:
                number = known[after] = self._game.next(key, key.step + further, after)
            found[number] = found.get(number, 0) + weight
        return found

    def choose(self, key: Key, choice: ResultChoice) -> RollsMade:
        """Take what results lead to, or give it up for some of them."""
        without = key._replace(counts=_without(key.counts, choice.places))
        options, known = [], self._first_keys(without, key.step + 1)
        for given in given_up(key, choice):
            added = GeneratingFunction.one(len(key.counts))
            for (place, (taken, instead)), up in zip(choice.ways.items(), given, strict=True):
                for number in range(key.counts[place]):
                    added = added * (instead if number < up else taken)
            options.append((self._added(without, without.counts, added, known, 1), added.denominator))
        return _over_one(options)


def plain_name(name: str) -> str:
    """Return what a re-roll is called by the volley that has it."""
    return name.split(" ", 1)[-1]


def given_up(key: Key, choice: ResultChoice) -> list[tuple[int, ...]]:
    """Return of how many results of each kind a player can give up what they lead to: of none first."""
    return list(product(*(range(key.counts[place] + 1) for place in choice.places)))


def _without(counts: Counts, places: Sequence[int]) -> Counts:
    return tuple([0 if place in places else number for place, number in enumerate(counts)])


def _over_one(options: Sequence[tuple[Mapping[int, int], int]]) -> RollsMade:
    """Bring the weights of options to one denominator."""
    common = lcm(*{denominator for _, denominator in options})
    if common == 1:
        return RollsMade(tuple([found for found, _ in options]), 1)
    scaled = tuple(
        {number: weight * (common // denominator) for number, weight in found.items()}
        for found, denominator in options
    )
    return RollsMade(scaled, common)
