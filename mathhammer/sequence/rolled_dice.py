"""Dice as they lie on the table: what each result leads to, and which of them may be re-rolled."""

from __future__ import annotations

from functools import cache, cached_property, reduce
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction
from mathhammer.distributions.kernel import NO_REROLLS
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.volley import all_attacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.volley import SequenceVolley

#: Numbers of dice and wounds of each kind.
Counts = tuple[int, ...]


class Reroll(NamedTuple):
    """A re-roll of one die that a player holds until they spend it."""

    #: What it is called; equal names are one and the same re-roll.
    name: str
    #: The rolls that it may be spent on: ``"attacks"``, ``"hit"``, ``"wound"``, ``"save"``, ``"damage"``.
    rolls: frozenset[str]
    #: Whether it is one for all volleys that have it, not one for each.
    shared: bool = True


class Result(NamedTuple):
    """A result of a die, or several that lead to the same."""

    #: What a player calls it.
    label: str
    #: Weight of showing it with a die that may still be re-rolled.
    fresh: int
    #: Weight of showing it with a die that another rule has re-rolled.
    settled: int
    #: The counts that it adds.
    leads_to: GeneratingFunction
    #: Whether it is a failure, or below the mean: what is re-rolled by those who do not look further.
    low: bool = False
    #: The ways of the die in which it can be re-rolled, by place.
    rerolls: tuple[int, ...] = (0,)
    #: What each way re-rolls, where that is not the whole result.
    names: tuple[str, ...] = ()


class TableDie(NamedTuple):
    """A die, or dice that are read together."""

    #: What it can show.
    results: tuple[Result, ...]
    #: For each way to re-roll it the weights of the results.
    rerolls: tuple[tuple[int, ...], ...]

    @property
    def denominator(self) -> int:
        """The sum of the weights."""
        return sum(result.fresh + result.settled for result in self.results)


class Stage(NamedTuple):
    """Dice that are rolled together."""

    #: The roll: ``"hit"``.
    roll: str
    #: The kinds of dice by their place among the counts.
    dice: Mapping[int, TableDie]

    @property
    def places(self) -> tuple[int, ...]:
        """The places among the counts of what is rolled."""
        return tuple(self.dice)


class Rolled(NamedTuple):
    """All dice of a volley up to its wounds, at none of which a player looks."""

    #: The counts of all attacks together, by the single re-rolls that are held and left.
    attack: AttackDistribution
    #: The place among the counts of what is rolled.
    places: tuple[int, ...] = (0,)
    roll: str = ""


class ResultChoice(NamedTuple):
    """A choice of the attackers' player for each of some results, which they see together."""

    #: What it is called.
    roll: str
    #: What each of the results is called.
    label: str
    #: By its place among the counts what a result leads to as it is, and what it leads to if the player gives that up.
    ways: Mapping[int, tuple[GeneratingFunction, GeneratingFunction]]

    @property
    def places(self) -> tuple[int, ...]:
        """The places among the counts of what is chosen about."""
        return tuple(self.ways)


class PoolStep(NamedTuple):
    """Wounds that are saved together, before their saves: who is the first to take them is chosen now."""

    #: The places among the counts of the saves, and of the wounds that are deferred.
    places: tuple[int, ...]
    #: The place of the saves; None where the pool has none.
    saves: int | None
    #: Whether the attackers' player directs the pool, where they direct any of the volley.
    directed: bool
    #: Whether they do so only if a wound of it allows a save.
    only_saved: bool = False
    #: Whether they say so before the unit's player orders its groups.
    names_first: bool = True
    #: Nothing is rolled.
    roll: str = ""


class Wounds(NamedTuple):
    """Wounds that are inflicted one at a time."""

    #: Their places among the counts, in the order in which they are inflicted.
    places: tuple[int, ...]
    #: The places of those that are deferred.
    deferred: tuple[int, ...] = ()
    #: What is rolled is the damage of each.
    roll: str = ""
    #: Where the first place has the order of wounds of so many kinds: digits from the last one up, and a 1 above.
    kinds: int = 0


VolleyStep = Stage | Rolled | ResultChoice | PoolStep | Wounds


class VolleyDice(NamedTuple):
    """The dice of one volley."""

    #: The counts before the first roll.
    start: Counts
    #: In the order in which they are taken.
    steps: tuple[VolleyStep, ...]
    #: The kind of wounds at each place among the counts from `first` on.
    wounds: tuple[Wound, ...]
    #: The place of the first kind.
    first: int
    #: The damage die of each kind of wounds for each group of the target, where it is one that may be re-rolled: each
    #: of its results leads to the wounds that a model loses. Empty where nobody looks at any die of the volley.
    damage: tuple[tuple[TableDie, ...], ...]
    #: What each of the counts is called.
    names: tuple[str, ...]
    #: The re-rolls that the dice of the volley may use.
    rerolls: tuple[Reroll, ...] = ()
    #: Whether the attackers' player chooses each time whether wounds are directed that can be.
    declines: bool = False

    def known_at(self, roll: str) -> int:
        """Return the first step at which it is known how many dice come to a roll, if not before its wounds."""
        rolls = [step.roll for step in self.steps]
        wounds = (place for place, step in enumerate(self.steps) if isinstance(step, (PoolStep, Wounds)))
        return rolls.index(roll) if roll in rolls else next(wounds)


def rolled_at_once(volley: SequenceVolley) -> VolleyDice:
    """Return the dice of a volley at none of which a player looks before its wounds are allocated."""
    several, kinds = volley.immediate, len(volley.wounds)
    one = volley.attack or AttackDistribution.of(GeneratingFunction.unit(0, 1))
    nothing = GeneratingFunction.one(one.plain.width)
    if several > 1:  # kinds in the order in which attacks inflict them, those of one attack from the first up
        in_order = {key: _in_order(part, several) for key, part in one.parts.items()}
        one, nothing = AttackDistribution(in_order, one.rerolls), _in_order(nothing, several)
    every = all_attacks(volley, one, nothing)
    counted = {}
    for key, part in every.parts.items():
        counts = {}
        for exponents, weight in part.coefficients.items():
            read: Any = exponents if several > 1 else ((), *exponents)
            order, *later = read
            code = reduce(lambda above, kind: above * several + kind, reversed(order), int(bool(order)))
            counts[0, code, *(0,) * (kinds - len(later)), *later] = weight
        counted[key] = GeneratingFunction(counts, part.denominator)
    immediate = tuple(range(1, 2 + several)) if several < 2 else (1,)
    steps = (
        Rolled(AttackDistribution(counted, every.rerolls)),
        Wounds(immediate, tuple(range(2 + several, 2 + kinds)), kinds=several if several > 1 else 0),
    )
    #: What is rolled by the re-rolls that it may use: all attacks, and what wounds do.
    used = {"": every.rerolls, "damage": NO_REROLLS.union(*(wound.rerolls for wound in volley.wounds))}
    rerolls = tuple(
        Reroll(name, frozenset(roll for roll, names in used.items() if name in names), name not in volley.own)
        for name in volley.rerolls
    )
    names = "attacks", "wounds", *("wounds" for _ in volley.wounds)
    return VolleyDice((1,) + (0,) * (1 + kinds), steps, volley.wounds, 2, (), names, rerolls)


def _in_order(counts: GeneratingFunction, several: int) -> GeneratingFunction:
    """Put the order of the immediate wounds in place of their numbers."""
    coefficients = {
        (tuple(kind for kind in range(several) for _ in range(exponents[kind])), *exponents[several:]): weight
        for exponents, weight in counts.coefficients.items()
    }
    return GeneratingFunction(coefficients, counts.denominator)  # type: ignore[arg-type]


class Seen(NamedTuple):
    """Dice that lie on the table."""

    #: How many show each result, but for those that lead to nothing.
    results: Counts
    #: How many of those may be re-rolled: no more than re-rolls are held.
    fresh: Counts


#: Weights by what they are of, and their sum.
Weights = tuple[dict["Seen", int], int]


class StageDice:
    """The distributions of the dice of one stage, each computed once."""

    def __init__(self, stage: Stage, width: int) -> None:
        self.roll, self.places, self._dice = stage.roll, stage.places, tuple(stage.dice.values())
        self.results = tuple(result for die in self._dice for result in die.results)
        #: Of each result the die that shows it.
        self._of = tuple(index for index, die in enumerate(self._dice) for _ in die.results)
        self._leads = tuple(any(map(any, result.leads_to.coefficients)) for result in self.results)
        self._nothing = GeneratingFunction.one(width)
        self.rolled, self.added, self.taken = cache(self._rolled), cache(self._added), cache(self._taken)

    def as_new(self, index: int, way: int) -> bool:
        """Whether a die that is re-rolled in one way then shows what one shows that is rolled."""
        die, weights = self._dice[index], self._dice[index].rerolls[way]
        whole, rolled = sum(weights), die.denominator
        return all(
            weight * rolled == (result.fresh + result.settled) * whole
            for weight, result in zip(weights, die.results, strict=True)
        )

    @cached_property
    def _powers(self) -> Sequence[list[GeneratingFunction]]:
        """What 0, 1, ... dice of each kind add, whatever they show."""
        return [
            [
                self._nothing,
                GeneratingFunction.mixture(
                    [(result.fresh + result.settled, result.leads_to) for result in die.results],
                    die.denominator,
                ),
            ]
            for die in self._dice
        ]

    def plain(self, dice: Counts) -> GeneratingFunction:
        """Return what so many dice of each kind add when none is re-rolled."""
        for powers, number in zip(self._powers, dice, strict=True):
            while len(powers) <= number:
                powers.append(powers[-1] * powers[1])
        added = [powers[number] for powers, number in zip(self._powers, dice, strict=True) if number]
        return reduce(mul, added) if added else self._nothing

    def _rolled(self, dice: Counts, rerolls: int) -> Weights:
        """Return what can lie on the table after so many dice of each kind, while so many re-rolls are held."""
        index = _first(dice)
        if index is None:
            nothing = (0,) * len(self.results)
            return {Seen(nothing, nothing): 1}, 1
        before, denominator = self.rolled(with_more(dice, index, -1), rerolls)
        shown = [place for place, of in enumerate(self._of) if of == index]
        found: dict[Seen, int] = {}
        for (results, fresh), weight in before.items():
            for place in shown:
                result = self.results[place]
                after = with_more(results, place, 1) if self._leads[place] else results
                if result.settled:
                    key = Seen(after, fresh)
                    found[key] = found.get(key, 0) + weight * result.settled
                if result.fresh:
                    more = result.rerolls and fresh[place] < rerolls
                    key = Seen(after, with_more(fresh, place, 1) if more else fresh)
                    found[key] = found.get(key, 0) + weight * result.fresh
        return found, denominator * self._dice[index].denominator

    def _taken(self, seen: Seen, left: int) -> list[tuple[Seen, int, int]]:
        """Return each way to take up one die, while so many re-rolls are left: what stays, the die, and the way."""
        found = []
        for place, number in enumerate(seen.fresh):
            if number:
                results = with_more(seen.results, place, -1) if self._leads[place] else seen.results
                fresh = tuple([min(left, each) for each in with_more(seen.fresh, place, -1)])
                found += [(Seen(results, fresh), self._of[place], way) for way in self.results[place].rerolls]
        return found

    def put(self, beside: Seen, index: int, way: int) -> Weights:
        """Return what lies on the table once one die is re-rolled beside others."""
        found: dict[Seen, int] = {}
        weights = self._dice[index].rerolls[way]
        for place, weight in enumerate(weights, self._of.index(index)):
            if weight:
                results = with_more(beside.results, place, 1) if self._leads[place] else beside.results
                seen = Seen(results, beside.fresh)
                found[seen] = found.get(seen, 0) + weight
        return found, sum(weights)

    def _added(self, results: Counts) -> GeneratingFunction:
        """Return the counts that results on the table add."""
        index = _first(results)
        if index is None:
            return self._nothing
        return self.added(with_more(results, index, -1)) * self.results[index].leads_to


def _first(counts: Counts) -> int | None:
    return next((place for place, number in enumerate(counts) if number), None)


def with_more(counts: Counts, place: int, more: int) -> Counts:
    """Return counts of which one is so much higher."""
    return (*counts[:place], counts[place] + more, *counts[place + 1 :])
