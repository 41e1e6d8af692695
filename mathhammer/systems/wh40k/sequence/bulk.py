"""Many weapons against many targets: what agrees in all that a roll reads shares the roll, which is made once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count, product
from operator import getitem
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.sequence.attack_distribution import saving_throw
from mathhammer.sequence.bulk import DistributionTable
from mathhammer.sequence.group import Group
from mathhammer.systems.wh40k.rules.roll import rules_of_attacker, rules_of_target
from mathhammer.systems.wh40k.rules.rolls import ATTACKS, DAMAGE, HIT, SAVE, WOUND
from mathhammer.systems.wh40k.sequence.stages import ONE, Rolls, attack_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.distributions import Distribution
    from mathhammer.expressions.check import Check
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.roll import ByRoll, Maker
    from mathhammer.systems.wh40k.situation import Situation

    Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BulkVolleys:
    """Volleys against targets as indices into the distributions that they share."""

    #: The distributions.
    table: DistributionTable
    #: ``distributions[volley, target]`` are the indices of the number of attacks, of what one attack produces and of
    #: the damage of an unsaved wound.
    distributions: NDArray[np.intp]
    #: Whether wounds of the volley are deferred until after other volleys on the target.
    defers: NDArray[np.bool_]
    #: Whether such wounds inflict another damage than the others, or the attacker chooses by what they inflict.
    differs: NDArray[np.bool_]
    #: Of each target: the unit of the table.
    unit_of: NDArray[np.intp]


def _numbers() -> defaultdict[Any, int]:
    """Return numbers for values, the same for equal values."""
    return defaultdict(count().__next__)


class _BulkRolls:
    """A roll of volleys against targets, made once for each distinct pair of what it reads of the two."""

    def __init__(self, roll: Maker[Any], edition: Edition, read: Callable[[Any], Hashable]) -> None:
        self._roll, self._edition, self._read = roll, edition, read
        self._of_weapons, self._of_targets = _numbers(), _numbers()
        #: What counts of each result, with its number.
        self.results = _numbers()
        self._made: dict[tuple[int, int], int] = {}

    def of_weapon(self, weapon: Weapon, count: int, rules: ByRoll) -> int:
        """Number what it reads of a weapon and its rules."""
        return self._of_weapons[*self._roll.of_weapon(weapon, count), getattr(rules, self._roll.name)]

    def of_target(self, target: Target) -> int:
        """Number what it reads of a target and its rules."""
        rules = getattr(rules_of_target(target, self._edition), self._roll.name)
        return self._of_targets[*self._roll.of_target(target), rules]

    def __call__(self, of_weapon: Indices, of_target: Indices) -> Indices:
        """Return the number of the result for each volley and target."""
        weapons, row = np.unique(of_weapon, return_inverse=True)
        targets, column = np.unique(of_target, return_inverse=True)
        own, other = list(self._of_weapons), list(self._of_targets)
        found = []
        for pair in product(weapons.tolist(), targets.tolist()):
            if (number := self._made.get(pair)) is None:
                made = self._roll.make(*own[pair[0]], *other[pair[1]], self._edition)
                number = self._made[pair] = self.results[self._read(made)]
            found.append(number)
        table = np.array(found, dtype=np.intp).reshape(len(weapons), len(targets))
        return np.asarray(table[row[:, None], column])


class BulkCompiler:
    """The parts that volleys and targets of one table share; each further part of the table adds new ones."""

    def __init__(self, edition: Edition, rulings: Mapping[str, str]) -> None:
        self.edition = edition
        self._edition = ruled = edition.ruled(rulings)
        self._attacks = _BulkRolls(ATTACKS, ruled, lambda made: made.total)
        self._hit = _BulkRolls(
            HIT, ruled, lambda made: (made.check, made.critical_hits_wound, made.extra_hits)
        )
        self._wound = _BulkRolls(
            WOUND,
            ruled,
            lambda made: (tuple((r.weight, r.check) for r in made.rolls), made.critical_wounds_deferred),
        )
        self._save = _BulkRolls(SAVE, ruled, lambda made: made.unsaved)
        self._damage = _BulkRolls(DAMAGE, ruled, lambda made: (made.distribution, made.deferred_distribution))
        self._rolls: tuple[_BulkRolls, ...] = (
            *(self._attacks, self._hit, self._wound, self._save, self._damage),
        )
        self._keys = _numbers()
        # What has been found for the numbers of attacks and what one attack produces, by their numbers.
        self._counts: list[Distribution] = []
        #: Of one attack: its unsaved wounds, deferred ones included; whether some are, and whether the attacker chooses
        #: by what they inflict.
        self._produced: list[tuple[NDArray[np.float64], bool, bool]] = []
        self._targets: tuple[list[Target], Indices] | None = None

    def compile(
        self, volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
    ) -> BulkVolleys:
        """Work out the distributions of every volley against every target."""
        made = np.empty((len(self._rolls), len(volleys), len(targets)), dtype=np.intp)
        of_targets = self._of_targets(targets)
        for rows, columns, words in _by_named_keywords(volleys, targets):
            sides = self._sides([volleys[row] for row in rows], words)
            for place, roll in enumerate(self._rolls):
                made[place, rows[:, None], columns] = roll(sides[:, place], of_targets[place, columns])
        produced, defers, chooses = self._each_attack(made[1:4])
        distributions = np.stack([made[0], produced, made[4]], axis=2)
        damages = list(self._damage.results)
        unlike = np.array([immediate != deferred for immediate, deferred in damages])
        units = _numbers()
        unit_of = [units[Group("models", each.models, each.wounds, each.wounds_lost)] for each in targets]
        self._counts += [number.compute() for number in list(self._attacks.results)[len(self._counts) :]]
        table = DistributionTable(
            list(self._counts),
            [unsaved for unsaved, *_ in self._produced],
            [immediate for immediate, _ in damages],
            list(units),
        )
        differs = chooses | (defers & unlike[made[4]])
        if not self._edition.deferred_to_end_of_unit["devastating"]:
            defers[:] = False
        return BulkVolleys(table, distributions, defers, differs, np.array(unit_of, dtype=np.intp))

    def _sides(self, volleys: Sequence[tuple[Weapon, int, Situation]], keywords: tuple[str, ...]) -> Indices:
        """Number what each roll of each volley reads, as seen by a target with such keywords."""
        rows = np.empty((len(volleys), len(self._rolls)), dtype=np.intp)
        for index, (weapon, number, situation) in enumerate(volleys):
            rules = rules_of_attacker(weapon, keywords, situation, self._edition)
            rows[index] = [roll.of_weapon(weapon, number, rules) for roll in self._rolls]
        return rows

    def _of_targets(self, targets: Sequence[Target]) -> Indices:
        """Number what each roll reads of each target; most parts of a table have the same targets as the one before."""
        targets = list(targets)
        if self._targets is None or self._targets[0] != targets:
            numbers = [[roll.of_target(target) for target in targets] for roll in self._rolls]
            self._targets = targets, np.array(numbers, dtype=np.intp)
        return self._targets[1]

    def _each_attack(self, made: Indices) -> tuple[Indices, NDArray[np.bool_], NDArray[np.bool_]]:
        """Number what one attack produces, and say where wounds are deferred, and where the attacker has a choice."""
        results: list[list[Any]] = [list(roll.results) for roll in (self._hit, self._wound, self._save)]
        shape = tuple(map(len, results))
        keys, at = np.unique(np.ravel_multi_index(tuple(made), shape), return_inverse=True)
        triples = zip(*(each.tolist() for each in np.unravel_index(keys, shape)), strict=True)
        numbers = [self._keys[key] for key in triples]
        for key in list(self._keys)[len(self._produced) :]:
            of_key: Any = map(getitem, results, key)
            self._produced.append(self._of_one_attack(*of_key))
        found = np.array([self._produced[number][1:] for number in numbers], dtype=np.bool_)
        at = at.reshape(made.shape[1:])
        return np.array(numbers, dtype=np.intp)[at], found[at, 0], found[at, 1]

    def _of_one_attack(
        self, hit: Any, wound: tuple[tuple[tuple[int, Check], ...], bool], unsaved: int
    ) -> tuple[NDArray[np.float64], bool, bool]:
        (check, critical_hits_wound, extra_hits), (wounds, deferred) = hit, wound
        counts = attack_counts(Rolls(check, wounds, bool(critical_hits_wound), extra_hits, deferred))
        each = counts.saves.then([saving_throw(unsaved, ONE), *(ONE for _ in counts.deferred)]).plain
        distribution = np.array([weight / each.denominator for weight in each.of_sum()])
        defers = any(any(later) for _, *later in counts.saves.plain.coefficients)
        return distribution, defers, critical_hits_wound in {"on average", "best"} and deferred


def _by_named_keywords(
    volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
) -> Iterator[tuple[Indices, Indices, tuple[str, ...]]]:
    """Yield volleys and targets, each pair once, with those keywords of the targets that the volleys name.

    Few weapons name a keyword of their target, so that most volleys meet all targets alike.
    """
    rows_of: dict[frozenset[str], list[int]] = defaultdict(list)
    for row, (weapon, *_) in enumerate(volleys):
        rows_of[frozenset(word for each in weapon.keywords if each.target for word in each.filter)].append(
            row
        )
    held = [frozenset(map(str.lower, target.keywords)) for target in targets]
    for named, rows in rows_of.items():
        columns_of: dict[frozenset[str], list[int]] = defaultdict(list)
        for column, words in enumerate(held):
            columns_of[named & words].append(column)
        for known, columns in columns_of.items():
            yield np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), tuple(sorted(known))
