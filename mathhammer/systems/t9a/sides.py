"""One side of a combat: its attacks compiled against the other, where they may go, and what they do."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from flint import fmpz

from mathhammer.distributions import Distribution
from mathhammer.modifiers import Modifier
from mathhammer.sequence.result import damage_of
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import PartStages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.t9a.situation import Edition
    from mathhammer.systems.t9a.units import Unit

#: Most wounds beyond the last Health Point that count in a Duel.
MOST_OVERKILL = 3
#: What each pool of a unit has lost; in a Duel wounds beyond the last Health Point count too.
Lost = tuple[int, ...]
Pair = tuple[int, int]
#: Where a part's attacks go: pairs of a place of the enemy's and a number of attacks, 0 for a random number of them.
Aim = tuple[tuple[int, int], ...]
#: The aims of all parts of a side that strike in an initiative step.
Aims = tuple[Aim, ...]
_NO_DAMAGE = Distribution.from_weights({0: 1}, exact=True)
#: What strikes at one pool, each as part, place, model parts, attacks, hits of one attack, and who is afraid.
Volley = tuple[tuple[int, int, int, int, int, Pair], ...]


class Side:
    """One unit with its attacks compiled against the other, and the weights of the damage of its volleys."""

    def __init__(
        self, unit: Unit, enemy: Unit, rules: Edition, rulings: Rulings, *, first_round: bool, duel: bool
    ) -> None:
        # All attacks of a Supernal model are Magical (2nd edition, Model Rules, Supernal).
        magical = (Attribute("Magical Attacks"),) * unit.supernal
        self.unit, self.pools, self._enemy = unit, unit.pools(rules), enemy.pools(rules)
        self.parts = [part.with_value("attributes", (*part.attributes, *magical)) for part in unit.all_parts]
        self._most_excess = MOST_OVERKILL if duel else 0
        others = [index for index, parts in enumerate(unit.alternatives) for _ in parts]
        #: Which alternative each part belongs to, or None; whose it is, and the places that it may strike at.
        self._of = [None] * len(unit.parts) + others
        self._whose = [unit.place(part.of, f"{part.name!r} is a part of") for part in self.parts]
        self.at = [
            [enemy.place(name, f"{part.name!r} strikes at") for name in part.allowed] for part in self.parts
        ]
        bodies, standing = list(enemy.bodies().values()), self._enemy.standing((0,) * len(self._enemy.pools))
        given = {
            "charging": unit.charging,
            "first_round": first_round,
            "in_combat": True,
            "flank_or_rear": unit.behind_the_enemy,
            "flanked": enemy.behind_the_enemy,
        }
        # The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
        formed = rules.steady_penalty is not None and unit.steady and unit.solid
        formed &= rulings["advantaged_position"] != "nothing"
        more = (Modifier("add", 1, "Advantaged Position"),) * formed

        @cache
        def compiled(afraid: int, enemy_afraid: int) -> list[list[PartStages]]:
            fear = {"attacker_afraid": bool(afraid), "target_afraid": bool(enemy_afraid)}
            read = read_situation({**given, **fear, **unit.situation})
            situation = read.changed(wound_modifier=(*read.wound_modifier, *more)) if more else read
            shared = situation, rules, rulings
            return [
                [
                    PartStages(part.with_value("at", name), bodies[place], *shared, standing=standing)
                    for name, place in zip(part.allowed, places, strict=True)
                ]
                for part, places in zip(self.parts, self.at, strict=True)
            ]

        #: Each part against each place, by whether those who strike and those who are struck are afraid.
        self._compiled = compiled
        self.stages = compiled(bool(unit.afraid), bool(enemy.afraid))
        # Impact Hits are of the charge (The 9th Age rulebook, 2nd edition, Special Attacks).
        charging = unit.situation.get("charging", unit.charging)
        self.strikes = [charging or not part.has("Impact Hits") for part in self.parts]
        breaths = [part.has("Breath Attack") for part in self.parts]
        #: The bit of each Breath Attack, 0 for other parts: it is made once in a game (the same, Breath Attack).
        self.breath = [breath << sum(breaths[:place]) for place, breath in enumerate(breaths)]
        self._number, self._law = cache(self._present), cache(self._law_of)
        self._struck, self.first_alternative = cache(self._struck_of), cache(self._first_alternative)

    def _first_alternative(self, made: int) -> int:
        """Return the first of its alternatives that can strike in this round."""
        parts = zip(self._of, self.strikes, self.breath, strict=True)
        return min(
            (of for of, can, breath in parts if of is not None and can and not made & breath), default=0
        )

    def _present(self, part: int, lost: Lost) -> int:
        """Return how many model parts of a kind are left to strike."""
        place, models = self._whose[part], self.parts[part].models
        pool = self.pools.pools[place]
        left = -(-(pool.left - lost[place]) // pool.wounds)
        return max(0, min(left - self.parts[part].behind, models)) if not place else models * (left > 0)

    def aims(self, part: int, lost: Lost, enemy_lost: Lost, made: int, drawn: int) -> Iterator[Aim]:
        """Yield where the attacks of a part may go, the fixed way first: no aim for one that does not strike."""
        number = self._number(part, lost)
        if not number or self._of[part] not in {None, drawn} or made & self.breath[part]:
            yield ()
            return
        left = [place for place in self.at[part] if enemy_lost[place] < self._enemy.left[place]]
        places = left or self.at[part][:1]
        low, high = (each * number for each in self.stages[part][0].armed.attacks.bounds())
        if low != high or self.parts[part].special:
            yield from (((place, 0),) for place in places)
        else:
            yield from _splits(places, low)
        if self.breath[part]:
            yield ()

    def struck(
        self, parts: Sequence[int], aims: Aims, lost: Lost, enemy_lost: Lost, afraid: Pair
    ) -> tuple[Mapping[Lost, Any], int]:
        """Return the weights of what the enemy has lost after parts have struck so; what they are out of."""
        foes = self._enemy.standing(enemy_lost)
        found: list[list[Any]] = [[] for _ in self._enemy.pools]
        for part, aim in zip(parts, aims, strict=True):
            hit = max(1, min(foes, self.stages[part][0].hits_each))
            for place, attacks in aim:
                found[place].append((part, place, self._number(part, lost), attacks, hit, afraid))
        return self._struck(enemy_lost, tuple(map(tuple, found)))

    def _struck_of(self, lost: Lost, volleys: tuple[Volley, ...]) -> tuple[Mapping[Lost, Any], int]:
        laws = [self._law(volley) for volley in volleys]
        most = sum(self._enemy.left) - sum(lost) + self._most_excess
        found: dict[Lost, Any] = defaultdict(fmpz)
        for case in product(*(_cut(*law, most) for law in laws)):
            taken, weights = zip(*case, strict=True)
            # In a Duel there is one pool, and what it takes is cut already.
            after = (lost[0] + taken[0],) if self._most_excess else self._enemy.after(lost, taken)
            found[after] += prod(weights)
        return found, prod(below for _, below in laws)

    def _law_of(self, volley: Volley) -> tuple[list[tuple[int, Any]], int]:
        """Return the possible damage of a volley with its weights, and what these are out of."""
        damage = _NO_DAMAGE
        for part, place, number, attacks, foes, afraid in volley:
            stages = self._compiled(*afraid)[part][self.at[part].index(place)]
            each = damage_of(stages.against(foes, number, attacks))
            damage = each if damage is _NO_DAMAGE else damage + each
        weights, below = damage._mass.weights()  # noqa: SLF001 - whole numbers
        pairs = zip(damage.support, weights, strict=True)
        return [(points, fmpz(weight)) for points, weight in pairs if weight], below


def _cut(law: list[tuple[int, Any]], below: int, most: int) -> list[tuple[int, Any]]:
    """Return the weights of damage of which no more than so much counts."""
    if law[-1][0] <= most:
        return law
    found = [pair for pair in law if pair[0] < most]
    return [*found, (most, below - sum(weight for _, weight in found))]


def _splits(places: Sequence[int], attacks: int) -> Iterator[Aim]:
    """Yield the ways to divide attacks over places, all at the first place first."""
    first, *others = places
    if not others:
        yield ((first, attacks),) if attacks else ()
        return
    for here in range(attacks, -1, -1):
        for rest in _splits(others, attacks - here):
            yield (*(((first, here),) if here else ()), *rest)
