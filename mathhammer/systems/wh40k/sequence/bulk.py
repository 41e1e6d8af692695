"""Many weapons against many targets: each distinct part of a volley is compiled once.

What a roll needs depends on a few properties of a weapon and of a target. Profiles that agree in them share the
roll, so that thousands of profiles take a few hundred rolls each. What a roll reads is said by the roll itself, in
:mod:`mathhammer.systems.wh40k.rules`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import GeneratingFunction
from mathhammer.sequence import AttackDistribution, Group, saving_throw
from mathhammer.sequence.bulk import DistributionTable
from mathhammer.systems.wh40k.rules.active import rules_of_attacker, rules_of_target
from mathhammer.systems.wh40k.rules.attacks import ATTACKS
from mathhammer.systems.wh40k.rules.damage import DAMAGE
from mathhammer.systems.wh40k.rules.hit import HIT
from mathhammer.systems.wh40k.rules.save import SAVE
from mathhammer.systems.wh40k.rules.wound import WOUND
from mathhammer.systems.wh40k.sequence.attack_counts import Rolls, attack_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.distributions import Distribution
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.roll import Roll
    from mathhammer.systems.wh40k.situation import Situation

    Indices = NDArray[np.intp]

_MADE = (ATTACKS, HIT, WOUND, SAVE, DAMAGE)


@dataclass(frozen=True, slots=True)
class BulkVolleys:
    """Volleys against targets as indices into the distributions that they share."""

    #: The distributions.
    table: DistributionTable
    #: ``distributions[volley, target]`` are the indices of the number of attacks, of what one attack produces and of
    #: the damage of an unsaved wound.
    distributions: NDArray[np.intp]
    #: Whether wounds of the volley wait for other volleys on the target.
    waits: NDArray[np.bool_]
    #: Whether such wounds inflict another damage than the others, or the attacker chooses by what they inflict.
    differs: NDArray[np.bool_]
    #: Of each target: the unit of the table.
    unit_of: NDArray[np.intp]


class _Numbering:
    """Numbers for values, the same for equal values."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._index: dict[Hashable, int] = {}

    def __call__(self, key: Hashable, make: Callable[[], Any] | None = None) -> int:
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.values)
            self.values.append(key if make is None else make())
        return index


class BulkCompiler:
    """What the volleys and targets of one table share; each further part of the table adds what is new in it."""

    def __init__(self, edition: Edition, rulings: Mapping[str, str]) -> None:
        self.edition = edition
        self._edition = edition.ruled(rulings)
        self._numbers = _Readings(lambda made: made.total)
        self._damages = _Readings(lambda made: (made.distribution, made.deferred_distribution))
        self._unsaved = _Numbering()
        # What has been found for the numbers of attacks and what one attack produces, by their numbers.
        self._counts: list[Distribution[float]] = []
        self._flags: list[list[bool]] = []
        self._targets: tuple[list[Target], Indices] | None = None
        self._keys = {roll.name: _Numbering() for roll in _MADE}
        self._results = {roll.name: _Numbering() for roll in _MADE}
        self._faced = {roll.name: _Numbering() for roll in _MADE}
        self._read = {
            "hit": _Readings(lambda made: (made.check, made.critical_hits_wound, made.extra_hits)),
            "wound": _Readings(
                lambda made: (tuple((r.weight, r.check) for r in made.rolls), made.critical_wounds_deferred)
            ),
            "save": _Readings(lambda made: made.unsaved),
        }
        self._made: dict[str, dict[tuple[int, int], int]] = {roll.name: {} for roll in _MADE}

    def compile(
        self, volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
    ) -> BulkVolleys:
        """Work out the distributions of every volley against every target."""
        distributions = np.empty((len(volleys), len(targets), 3), dtype=np.intp)
        waits, chooses = (np.empty((len(volleys), len(targets)), dtype=np.bool_) for _ in range(2))
        effective_target = self._of_targets(targets)
        for rows, columns, words in _by_named_keywords(volleys, targets):
            sides, at = self._sides([volleys[row] for row in rows], words), (rows[:, None], columns)
            number = self._cross(ATTACKS, sides[:, 0], effective_target[0, columns])
            distributions[(*at, 0)] = self._numbers(self._results["attacks"].values)[number]
            distributions[(*at, 1)], waits[at], chooses[at] = self._chances(
                sides[:, 1:4], effective_target[1:4, columns]
            )
            damage = self._cross(DAMAGE, sides[:, 4], effective_target[4, columns])
            distributions[(*at, 2)] = self._damages(self._results["damage"].values)[damage]
        unlike = np.array([distribution[0] != distribution[1] for distribution in self._damages.values])
        units = _Numbering()
        unit_of = [
            units(Group("models", target.models, target.wounds, target.wounds_lost)) for target in targets
        ]
        numbers = self._numbers.values[len(self._counts) :]
        self._counts += [number.compute(arithmetic(exact=False)) for number in numbers]
        table = DistributionTable(
            list(self._counts),
            [distribution for distribution, *_ in self._unsaved.values],
            [distribution[0] for distribution in self._damages.values],
            units.values,
        )
        differs = chooses | (waits & unlike[distributions[:, :, 2]])
        if not self._edition.waits_for_unit["devastating"]:
            waits[:] = False
        return BulkVolleys(table, distributions, waits, differs, np.array(unit_of, dtype=np.intp))

    def _sides(self, volleys: Sequence[tuple[Weapon, int, Situation]], keywords: tuple[str, ...]) -> Indices:
        """Number what each roll of each volley reads, as seen by a target with such keywords."""
        rows = np.empty((len(volleys), len(_MADE)), dtype=np.intp)
        numbers = [self._keys[roll.name] for roll in _MADE]
        for index, (weapon, count, situation) in enumerate(volleys):
            rules = rules_of_attacker(weapon, keywords, situation, self._edition)
            rows[index] = [
                number((*roll.of_weapon(weapon, count), acting))
                for number, roll, acting in zip(numbers, _MADE, rules, strict=False)
            ]
        return rows

    def _of_targets(self, targets: Sequence[Target]) -> Indices:
        """Number what each roll reads of each target; most parts of a table have the same targets as the one before."""
        targets = list(targets)
        if self._targets is None or self._targets[0] != targets:
            effective_target = [[self._of_target(roll, target) for target in targets] for roll in _MADE]
            self._targets = targets, np.array(effective_target, dtype=np.intp)
        return self._targets[1]

    def _of_target(self, roll: Roll[object], target: Target) -> int:
        acting = getattr(rules_of_target(target, self._edition), roll.name)
        return self._faced[roll.name]((*roll.of_target(target), acting))

    def _cross(self, roll: Roll[object], of_weapon: Indices, of_target: Indices) -> Indices:
        """Return the number of what a roll is for each volley and target, made once for each distinct pair."""
        keys, effective_target = self._keys[roll.name].values, self._faced[roll.name].values
        results, made = self._results[roll.name], self._made[roll.name]
        weapons, row = np.unique(of_weapon, return_inverse=True)
        targets, column = np.unique(of_target, return_inverse=True)
        table = np.empty((len(weapons), len(targets)), dtype=np.intp)
        for index, weapon in enumerate(weapons.tolist()):
            for other, target in enumerate(targets.tolist()):
                number = made.get((weapon, target))
                if number is None:
                    number = results(roll.make(*keys[weapon], *effective_target[target], self._edition))
                    made[weapon, target] = number
                table[index, other] = number
        return np.asarray(table[row[:, None], column])

    def _chances(
        self, sides: Indices, effective_target: Indices
    ) -> tuple[Indices, NDArray[np.bool_], NDArray[np.bool_]]:
        """Number what one attack produces, and say where wounds of it wait, and where the attacker has a choice.

        Volleys that roll alike and targets that are rolled against alike are taken together first.
        """
        volleys, row = np.unique(sides, axis=0, return_inverse=True)
        targets, column = np.unique(effective_target, axis=1, return_inverse=True)
        rolls = []
        for roll, of_weapon, of_target in zip((HIT, WOUND, SAVE), volleys.T, targets, strict=True):
            made = self._cross(roll, of_weapon, of_target)
            rolls.append(self._read[roll.name](self._results[roll.name].values)[made])
        shape = tuple(len(read.values) for read in self._read.values())
        keys, own = np.unique(np.ravel_multi_index(tuple(rolls), shape), return_inverse=True)
        triples = zip(*(each.tolist() for each in np.unravel_index(keys, shape)), strict=True)
        distributions = np.array([self._unsaved(key, partial(self._of_one_attack, *key)) for key in triples])
        self._flags += [flags for _, *flags in self._unsaved.values[len(self._flags) :]]
        waits, chooses = np.array(self._flags, dtype=np.bool_).T
        at = distributions[own.reshape(rolls[0].shape)[row.reshape(-1, 1), column.reshape(-1)]]
        return at, waits[at], chooses[at]

    def _of_one_attack(self, hit: int, wound: int, save: int) -> tuple[NDArray[np.float64], bool, bool]:
        """Distribution of the unsaved wounds of one attack, deferred ones included.

        Then whether some are, and whether the attacker chooses by what they inflict.
        """
        check, critical_hits_wound, extra_hits = self._read["hit"].values[hit]
        wounds, deferred = self._read["wound"].values[wound]
        counts = attack_counts(Rolls(check, wounds, bool(critical_hits_wound), extra_hits, deferred))
        one = AttackDistribution.of(GeneratingFunction.unit(0, 1))
        saves = [saving_throw(self._read["save"].values[save], one), *(one for _ in counts.deferred)]
        each = counts.saves.then(saves).plain
        distribution = np.array([weight / each.denominator for weight in each.of_sum()])
        return distribution, counts.defers, critical_hits_wound in {"on average", "best"} and deferred


class _Readings:
    """Numbers for what counts of the results of a roll, the same for results that only differ in their reasons."""

    def __init__(self, read: Callable[[Any], Hashable]) -> None:
        self._number, self._read = _Numbering(), read
        self._known: list[int] = []

    def __call__(self, results: Sequence[Any]) -> Indices:
        """Return the number of each result; results only ever grow."""
        self._known += [self._number(self._read(made)) for made in results[len(self._known) :]]
        return np.array(self._known, dtype=np.intp)

    @property
    def values(self) -> list[Any]:
        """What counts, by its number."""
        return self._number.values


def _by_named_keywords(
    volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
) -> Iterator[tuple[Indices, Indices, tuple[str, ...]]]:
    """Yield volleys and targets, each pair once, with those keywords of the targets that the volleys name.

    Few weapons name a keyword of their target, so that most volleys meet all targets alike.
    """
    words = {
        word
        for weapon, *_ in volleys
        for keyword in weapon.keywords
        if keyword.target
        for word in keyword.filter
    }
    columns_of: dict[tuple[str, ...], list[int]] = {}
    for column, target in enumerate(targets):
        known = tuple(sorted(words.intersection(map(str.lower, target.keywords))))
        columns_of.setdefault(known, []).append(column)
    naming = np.array(
        [any(each.target for each in weapon.keywords) for weapon, *_ in volleys], dtype=np.bool_
    )
    if not naming.all():
        yield np.flatnonzero(~naming), np.arange(len(targets)), ()
    if naming.any():
        rows = np.flatnonzero(naming)
        for known, columns in columns_of.items():
            yield rows, np.array(columns, dtype=np.intp), known
