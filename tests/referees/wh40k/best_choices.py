"""Kinds of unlike models whose player chooses too, beside one re-roll of every die.

`Groups` save in pools (11th edition core
rules, 05.03, 05.04, 24.10, 24.28): the attacker names a Character or nobody, the defender orders the groups, hurt ones
before fresh ones and Characters last, then all saves are rolled and resolved from the lowest. `Unlike` models are
allocated wounds one at a time (10th edition core rules, Making Attacks, Precision, Leader): the attacker directs a
wound or not, the defender allocates it, rolls its save, may re-roll that, and may change the Damage of one failed save
to 0. Volleys come in the order given, or the attacker chooses the next one when those before are done.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

from referees.wh40k.best_reroll import ROLLS, Held, Left, Shots, Table

if TYPE_CHECKING:
    from collections.abc import Callable

Lost = tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """Equal models; a leader comes last unless it is singled out."""

    models: int
    wounds: int
    save: int
    leader: bool = False
    negates: bool = False

    @property
    def all(self) -> int:
        return self.models * self.wounds


class _Mixed(Table):
    """One volley at a unit of several kinds."""

    def __init__(
        self,
        shots: Shots,
        kinds: tuple[Kind, ...],
        worth: Callable[[Lost], Fraction],
        holds: tuple[frozenset[str], ...] = (ROLLS,),
        *,
        precision: str = "never",
        free: bool = False,
        defender_first: bool = False,
    ) -> None:
        super().__init__((shots,), 0, 0, worth, holds)  # type: ignore[arg-type] # what is lost is a row here
        self.kinds, self.precision, self.free = kinds, precision, free
        self.defender_first = defender_first
        self.fresh = (0,) * len(kinds)
        self.negating = frozenset(place for place, kind in enumerate(kinds) if kind.negates)

    def over(self, lost: Lost) -> bool:
        return all(each == kind.all for each, kind in zip(lost, self.kinds, strict=True))

    def living(self, lost: Lost, *, leaders: bool) -> list[int]:
        return [
            place
            for place, kind in enumerate(self.kinds)
            if lost[place] < kind.all and kind.leader is leaders
        ]

    def is_hurt(self, lost: Lost, place: int) -> bool:
        return lost[place] % self.kinds[place].wounds > 0

    def names(self, lost: Lost) -> list[int | None]:
        """Whom the attacker can single out, in the order in which they would by themselves."""
        leaders: list[int | None] = list(self.living(lost, leaders=True))
        return {"never": [None], "always": (leaders or [None])[:1], "best": [*leaders, None]}[self.precision]

    def lost(self, lost: Any, damage: int) -> Any:
        row, place = lost
        wounds = self.kinds[place].wounds
        after = min(row[place] + damage, (row[place] // wounds + 1) * wounds)
        return (*row[:place], after, *row[place + 1 :])


class Groups(_Mixed):
    """Kinds that are a group each: saves in pools."""

    def after_wounds(
        self,
        left: Left,
        lost: Any,
        waiting: Any,  # noqa: ARG002 - as of equal models
        certain: int,
        faces: tuple[int, ...],
        held: Held,
    ) -> Fraction:
        good, deferred = self.wounded(self.volleys[left[0]], faces)

        def saved(named: int | None, order: tuple[int, ...]) -> Fraction:
            here = "after_saves", left, lost, (order, named, deferred, self.negating)
            return self.together((), (frozenset(), certain + good - deferred), "save", held, here)

        names = self.names(lost)
        if self.defender_first:
            orders = self.orders(lost, None)

            def first(named: int | None, order: tuple[int, ...]) -> tuple[int, ...]:
                return order if named is None else (named, *(each for each in order if each != named))

            return min(max(saved(named, first(named, order)) for named in names) for order in orders)
        return max(min(saved(named, order) for order in self.orders(lost, named)) for named in names)

    def orders(self, lost: Lost, named: int | None) -> list[tuple[int, ...]]:
        """Orders of the first kinds of each group: kinds of equal Wounds and Save are one."""
        tiers: dict[Any, list[int]] = {}
        for place, kind in enumerate(self.kinds):
            mine = [each for each in self.group(place) if lost[each] < self.kinds[each].all]
            if place == self.group(place)[0] and mine and place != named:
                hurt = any(self.is_hurt(lost, each) for each in mine)
                tiers.setdefault((kind.leader, not hurt), []).append(place)
        first = () if named is None else (named,)
        ways = [permutations(tiers[tier]) for tier in sorted(tiers)]
        found = [first + tuple(place for part in way for place in part) for way in product(*ways)]
        return found if self.free else found[:1]

    def group(self, place: int) -> list[int]:
        own = self.kinds[place]
        if own.leader:
            return [place]
        return [
            other
            for other, kind in enumerate(self.kinds)
            if (kind.wounds, kind.save, kind.leader) == (own.wounds, own.save, False)
        ]

    def after_saves(
        self,
        left: Left,  # noqa: ARG002 - as of equal models
        lost: Any,
        waiting: Any,
        faces: tuple[int, ...],
        held: Held,
    ) -> Fraction:
        order, named, deferred, negates = waiting
        return self.resolve(tuple(sorted(faces)), lost, order, named, deferred, negates, held)

    @cache  # noqa: B019
    def resolve(
        self,
        dice: tuple[int, ...],
        lost: Lost,
        order: Any,
        named: int | None,
        deferred: int,
        negates: frozenset[int],
        held: Held,
    ) -> Fraction:
        if self.over(lost):
            return self.worth(lost)  # type: ignore[arg-type]
        if not dice:
            return self.mortal(lost, named, deferred, held)
        alive = [[each for each in self.group(place) if lost[each] < self.kinds[each].all] for place in order]
        group = next(each for each in alive if each)
        if dice[0] > 1 and dice[0] >= self.kinds[group[0]].save:
            return self.resolve(dice[1:], lost, order, named, deferred, negates, held)

        def then(now: Any, kept: Held) -> Fraction:
            return self.resolve(dice[1:], now, order, named, deferred, negates, kept)

        values = []
        open_to = [place for place in group if self.is_hurt(lost, place)] or group
        for place in open_to if self.free else open_to[:1]:
            values.append(self.damaged((0,), (lost, place), held, then))  # type: ignore[arg-type]
            if place in negates:
                left = negates - {place}
                values.append(self.resolve(dice[1:], lost, order, named, deferred, left, held))
        return min(values)

    @cache  # noqa: B019
    def mortal(self, lost: Lost, named: int | None, number: int, held: Held) -> Fraction:
        """Devastating wounds, one model each: hurt models, others, hurt Characters, other Characters."""
        if self.over(lost) or not number:
            return self.worth(lost)  # type: ignore[arg-type]
        row = self.living(lost, leaders=False) or self.living(lost, leaders=True)
        open_to = [place for place in row if self.is_hurt(lost, place)] or row
        if named is not None and lost[named] < self.kinds[named].all:
            open_to = [named]

        def then(now: Any, kept: Held) -> Fraction:
            return self.mortal(now, named, number - 1, kept)

        values = [self.damaged((0,), (lost, place), held, then) for place in open_to]  # type: ignore[arg-type]
        return min(values) if self.free else values[0]


class Unlike(_Mixed):
    """Kinds of which one model at a time is allocated a wound."""

    def after_wounds(
        self,
        left: Left,
        lost: Any,
        waiting: Any,  # noqa: ARG002 - as of equal models
        certain: int,
        faces: tuple[int, ...],
        held: Held,
    ) -> Fraction:
        good, deferred = self.wounded(self.volleys[left[0]], faces)
        return self.wound(certain + good - deferred, deferred, lost, None, self.negating, held)

    @cache  # noqa: B019
    def wound(
        self, number: int, deferred: int, lost: Lost, begun: int | None, negates: frozenset[int], held: Held
    ) -> Fraction:
        if self.over(lost) or not number + deferred:
            return self.worth(lost)  # type: ignore[arg-type]
        values = []
        for named in self.names(lost):
            row = self.living(lost, leaders=False) or self.living(lost, leaders=True)
            first = [place for place in row if place == begun or self.is_hurt(lost, place)] or row
            open_to = first if self.free else first[:1]
            places = open_to if named is None else [named]
            replies = [
                self.allocated(number, deferred, lost, place, begun, negates, held) for place in places
            ]
            values.append(min(replies))
        return max(values)

    def allocated(
        self, number: int, deferred: int, lost: Lost, place: int, begun: Any, negates: Any, held: Held
    ) -> Fraction:
        after = number - 1 if number else 0, deferred - (not number)
        kind = self.kinds[place]
        mark = begun if kind.leader else place

        def then(left: frozenset[int]) -> Callable[[Any, Held], Fraction]:
            return lambda now, kept: self.wound(*after, now, mark, left, kept)

        def failed(kept: Held) -> Fraction:
            values = [self.damaged((0,), (lost, place), kept, then(negates))]  # type: ignore[arg-type]
            if place in negates and number:
                values.append(then(negates - {place})(lost, kept))
            return min(values)

        if not number:
            return failed(held)
        saves = Fraction(max(0, 7 - kind.save), 6)
        standing = [failed(held)]
        for name in held:
            if "save" in self.holds[name] and saves > 0:
                kept = held - {name}
                standing.append(saves * then(negates)(lost, kept) + (1 - saves) * failed(kept))
        return saves * then(negates)(lost, held) + (1 - saves) * min(standing)
