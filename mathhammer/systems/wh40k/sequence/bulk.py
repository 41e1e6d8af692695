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
from mathhammer.sequence.bulk import LawTable
from mathhammer.systems.wh40k.rules.attacks import ATTACKS
from mathhammer.systems.wh40k.rules.damage import DAMAGE
from mathhammer.systems.wh40k.rules.hit import HIT
from mathhammer.systems.wh40k.rules.in_force import in_force_of_attacker, in_force_of_target
from mathhammer.systems.wh40k.rules.save import SAVE
from mathhammer.systems.wh40k.rules.wound import WOUND
from mathhammer.systems.wh40k.sequence.attack_counts import AttackCounts, Rolls, attack_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.roll import Roll
    from mathhammer.systems.wh40k.rules.rule import InForce
    from mathhammer.systems.wh40k.situation import Situation

    Indices = NDArray[np.intp]

__all__ = ["BulkVolleys", "compile_bulk"]

_MADE = (ATTACKS, HIT, WOUND, SAVE, DAMAGE)


@dataclass(frozen=True, slots=True)
class BulkVolleys:
    """Volleys against targets as indices into the laws that they share.

    Parameters
    ----------
    table
        The laws.
    laws
        ``laws[volley, target]`` are the indices of the number of attacks, of what one attack produces and of
        the damage of an unsaved wound.
    waits
        Whether wounds of the volley wait for other attacks on the target.
    differs
        Whether such wounds inflict another damage than the others.
    unit_of
        Of each target: the unit of the table.
    """

    table: LawTable
    laws: NDArray[np.intp]
    waits: NDArray[np.bool_]
    differs: NDArray[np.bool_]
    unit_of: NDArray[np.intp]


def compile_bulk(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    targets: Sequence[Target],
    edition: Edition,
    rulings: Mapping[str, str],
) -> BulkVolleys:
    """Work out the laws of every volley against every target."""
    return _Compiler(edition, rulings).compile(volleys, targets)


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


class _Compiler:
    def __init__(self, edition: Edition, rulings: Mapping[str, str]) -> None:
        self._edition = edition.ruled(rulings)
        self._numbers, self._unsaved, self._damages = _Numbering(), _Numbering(), _Numbering()
        self._keys = {roll.name: _Numbering() for roll in _MADE}
        self._results = {roll.name: _Numbering() for roll in _MADE}
        self._made: dict[tuple[str, int, object], int] = {}

    def compile(
        self, volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
    ) -> BulkVolleys:
        laws = np.empty((len(volleys), len(targets), 3), dtype=np.intp)
        waits = np.empty((len(volleys), len(targets)), dtype=np.bool_)
        for keywords, columns in _by_keywords(targets).items():
            of_weapon = self._sides(volleys, keywords)
            faced = [targets[column] for column in columns]
            number, hit, wound, save, damage = (
                self._cross(roll, of_weapon[:, index], faced) for index, roll in enumerate(_MADE)
            )
            chances, waiting = self._chances(hit, wound, save)
            laws[:, columns] = np.stack([self._of_number(number), chances, self._of_damage(damage)], axis=-1)
            waits[:, columns] = waiting
        unlike = np.array([law[0] != law[1] for law in self._damages.values])
        units = _Numbering()
        unit_of = [
            units(Group("models", target.models, target.wounds, target.wounds_lost)) for target in targets
        ]
        table = LawTable(
            self._numbers.values, self._unsaved.values, [law[0] for law in self._damages.values], units.values
        )
        return BulkVolleys(
            table, laws, waits, waits & unlike[laws[:, :, 2]], np.array(unit_of, dtype=np.intp)
        )

    def _sides(self, volleys: Sequence[tuple[Weapon, int, Situation]], keywords: tuple[str, ...]) -> Indices:
        """Number what each roll of each volley reads, as seen by a target with such keywords."""
        rows = np.empty((len(volleys), len(_MADE)), dtype=np.intp)
        numbers = [self._keys[roll.name] for roll in _MADE]
        for index, (weapon, count, situation) in enumerate(volleys):
            rules = in_force_of_attacker(weapon, keywords, situation, self._edition)
            rows[index] = [
                number((*roll.of_weapon(weapon, count), acting))
                for number, roll, acting in zip(numbers, _MADE, rules, strict=False)
            ]
        return rows

    def _cross(self, roll: Roll, of_weapon: Indices, targets: Sequence[Target]) -> Indices:
        """Return the number of what a roll is for each volley and target, made once for each distinct pair."""
        keys, results, made = self._keys[roll.name].values, self._results[roll.name], self._made
        weapons, row = np.unique(of_weapon, return_inverse=True)
        table = np.empty((len(weapons), len(targets)), dtype=np.intp)
        for column, target in enumerate(targets):
            rules: tuple[InForce, ...] = getattr(in_force_of_target(target, self._edition), roll.name)
            faced = (*roll.of_target(target), rules)
            for index, weapon in enumerate(weapons.tolist()):
                key = (roll.name, weapon, faced)
                if key not in made:
                    made[key] = results(roll.make(*keys[weapon], *faced, self._edition))
                table[index, column] = made[key]
        return np.asarray(table[row])

    def _of_number(self, number: Indices) -> Indices:
        """Number the laws of numbers of attacks."""
        own = [
            self._numbers(attacks.total, partial(attacks.total.law, arithmetic(exact=False)))
            for attacks in self._results["attacks"].values
        ]
        return np.array(own, dtype=np.intp)[number]

    def _of_damage(self, damage: Indices) -> Indices:
        """Number what an unsaved wound inflicts, and a deferred critical one."""
        own = [self._damages((made.law, made.deferred_law)) for made in self._results["damage"].values]
        return np.array(own, dtype=np.intp)[damage]

    def _chances(self, hit: Indices, wound: Indices, save: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        """Number what one attack produces, and say where wounds of it wait."""
        hits, wounds, saves = (self._results[roll].values for roll in ("hit", "wound", "save"))
        keys, own = np.unique((hit * len(wounds) + wound) * len(saves) + save, return_inverse=True)
        laws, waits = [], []
        for key in keys.tolist():
            to_hit, to_wound = hits[key // len(saves) // len(wounds)], wounds[key // len(saves) % len(wounds)]
            unsaved = saves[key % len(saves)].unsaved
            rolls = Rolls(
                to_hit.check,
                tuple([(roll.weight, roll.check) for roll in to_wound.rolls]),
                to_hit.critical_hits_wound,
                to_hit.extra_hits,
                to_wound.critical_wounds_deferred,
            )
            counts = attack_counts(rolls)
            laws.append(self._unsaved((rolls, unsaved), partial(_of_one_attack, counts, unsaved)))
            waits.append(counts.defers)
        own = own.reshape(hit.shape)
        return np.array(laws, dtype=np.intp)[own], np.array(waits)[own]


def _of_one_attack(counts: AttackCounts, unsaved: int) -> NDArray[np.float64]:
    """Distribution of the unsaved wounds of one attack, deferred ones included."""
    one = AttackDistribution.of(GeneratingFunction.unit(0, 1))
    each = counts.saves.then([saving_throw(unsaved, one), *(one for _ in counts.deferred)]).plain
    return np.array([weight / each.denominator for weight in each.of_sum()])


def _by_keywords(targets: Sequence[Target]) -> dict[tuple[str, ...], list[int]]:
    """Return targets of equal keywords together."""
    together: dict[tuple[str, ...], list[int]] = {}
    for index, target in enumerate(targets):
        together.setdefault(target.keywords, []).append(index)
    return together
