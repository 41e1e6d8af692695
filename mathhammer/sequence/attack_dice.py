"""Where an attack stands that is played as a game, and the dice that are rolled together there, whatever the state."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import lcm
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction
from mathhammer.sequence.rolled_dice import Seen, with_more

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.distributions.kernel import Held
    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.grouped_unit import Order
    from mathhammer.sequence.rolled_dice import Counts, ResultChoice, Rolled, VolleyDice
    from mathhammer.sequence.volley import SequenceVolley


#: The part of no volley: before the next is chosen, and behind the last.
BETWEEN = -1


class Turn(NamedTuple):
    """A volley in its place."""

    #: The volley.
    volley: SequenceVolley
    #: The dice that it can have.
    parts: Sequence[VolleyDice]
    #: Of each state of the unit when it begins the place of its dice; None where it has but one.
    part_of: Sequence[int] | None = None
    #: What the volley is called.
    name: str = ""
    #: Equal numbers for equal volleys.
    alike: int = 0
    #: From a state of the unit the state after the volley, where nobody decides anything within it.
    outcome: Callable[[int], IntegerDistribution] | None = None


class DamageSeen(NamedTuple):
    """A damage die that lies on the table, or a save that has failed."""

    #: The kind of wounds, numbered through all volleys.
    kind: int
    #: The place of the choice of the target's player: which model, and whether it negates the damage.
    choice: int
    #: What the die shows, by place.
    result: int = 0
    #: Whether it is a failed save that may be re-rolled.
    failed: bool = False


class Case(NamedTuple):
    """Who takes wounds: at whom they are directed, if that has been chosen, and the order of the groups."""

    named: tuple[int, ...] | None
    order: Order | None = None


class Key(NamedTuple):
    """Where an attack stands, whatever the state of its target."""

    #: The dice of a volley, numbered through all volleys; before a volley is chosen and at the end `BETWEEN`.
    part: int
    #: The step of the volley.
    step: int
    #: Dice and wounds of each kind to come.
    counts: Counts
    #: The names of the re-rolls that are held.
    held: Held
    #: Deferred wounds of each kind of all volleys.
    deferred: Counts
    #: The volleys that come later.
    left: tuple[int, ...]
    #: Who takes wounds, where that has been chosen.
    case: Case | None = None
    #: What lies on the table, if a player looks at it.
    seen: Seen | DamageSeen | None = None


class RollsMade(NamedTuple):
    """Dice, or a decision about them, whatever the state: for each option weights by the number of the key after."""

    options: tuple[Mapping[int, int], ...]
    denominator: int
    #: Whether the player wants the objective high.
    maximises: bool = True


#: Weights by the number of the key after, and what they are out of.
_Weights = tuple[dict[int, int], int]


class RollsTogether:
    """The rolls of an attack that are made together."""

    def __init__(self, game: AttackGame) -> None:
        self._game = game
        # Many rolls leave the same dice on the table, and lead to the same counts.
        self._shown, self._rerolled = cache(self._shown_of), cache(self._rerolled_of)

    def roll(self, key: Key) -> RollsMade:
        """Roll the dice of a stage."""
        stage, usable = self._game.stage(key), self._usable(key)
        dice = tuple([key.counts[place] for place in stage.places])
        rolled = key._replace(counts=_without(key.counts, stage.places))
        if not usable:
            added = stage.plain(dice)
            return RollsMade((self._added(rolled, rolled.counts, added, 1),), added.denominator)
        weights, denominator = stage.rolled(dice, len(usable))
        found, common = self._mixed(rolled, weights)
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

    def look(self, key: Key, seen: Seen) -> RollsMade:
        """Keep what lies on the table, or re-roll one die of it."""
        key, usable = key._replace(seen=None), self._usable(key)
        takes = self._game.stage(key).taken(seen, len(usable) - 1)
        options = [self._kept(key, seen)]
        for name in usable:
            left = key._replace(held=key.held - {name})
            options += [self._rerolled(left, taken, len(usable) == 1) for taken in takes]
        return _over_one(options)

    def _usable(self, key: Key) -> Sequence[str]:
        return self._game.usable_of(key.part, key.held, self._game.stage(key).roll)

    def _rerolled_of(self, key: Key, taken: tuple[Seen, int, int], last: bool) -> _Weights:  # noqa: FBT001
        """Return where one die leads that is re-rolled beside others, with the last re-roll or not."""
        stage, (beside, index, way) = self._game.stage(key), taken
        if last and stage.as_new(index, way):
            # One that nobody can re-roll again is one that is still to be rolled.
            added, die = stage.added(beside.results), stage.places[index]
            return self._added(key, with_more(key.counts, die, 1), added, 0), added.denominator
        weights, denominator = stage.put(*taken)
        found, common = self._mixed(key, weights)
        return found, denominator * common

    def _mixed(self, key: Key, weights: Mapping[Seen, int]) -> _Weights:
        """Add up where dice on the table lead, each with its weight."""
        parts = [(weight, *self._shown(key, seen)) for seen, weight in weights.items()]
        common = lcm(*{denominator for _, _, denominator in parts})
        found: dict[int, int] = {}
        for weight, after, denominator in parts:
            factor = weight * (common // denominator)
            for number, each in after.items():
                found[number] = found.get(number, 0) + factor * each
        return found, common

    def _shown_of(self, key: Key, seen: Seen) -> _Weights:
        """Return where dice on the table lead: to be looked at while any may be re-rolled, else to what they add."""
        if any(seen.fresh):
            return {self._game.number(key._replace(seen=seen)): 1}, 1
        return self._kept(key, seen)

    def _kept(self, key: Key, seen: Seen) -> _Weights:
        """Return where dice on the table lead that are kept."""
        added = self._game.stage(key).added(seen.results)
        return self._added(key, key.counts, added, 1), added.denominator

    def _added(self, key: Key, before: Counts, added: GeneratingFunction, further: int) -> dict[int, int]:
        """Return weights of the first keys so many steps further once dice have added to the counts."""
        key, found = key._replace(counts=()), dict[int, int]()
        for counts, weight in added.coefficients.items():
            number = self._game.next(key, key.step + further, tuple(map(add, before, counts)))
            found[number] = found.get(number, 0) + weight
        return found

    def choose(self, key: Key, choice: ResultChoice) -> RollsMade:
        """Take what results lead to, or give it up for some of them."""
        without = key._replace(counts=_without(key.counts, choice.places))
        options = []
        for given in given_up(key, choice):
            added = GeneratingFunction.one(len(key.counts))
            for (place, (taken, instead)), up in zip(choice.ways.items(), given, strict=True):
                for number in range(key.counts[place]):
                    added = added * (instead if number < up else taken)
            options.append((self._added(without, without.counts, added, 1), added.denominator))
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
    scaled = tuple(
        {number: weight * (common // denominator) for number, weight in found.items()}
        for found, denominator in options
    )
    return RollsMade(scaled, common)
