"""One re-roll played as well as can be: every die on its own, every choice that a player has at every sight of them.

Nothing here imports the package. The dice of a stage lie on the table in a row; the player of the attackers may pick up
any one of them and roll it again, once, or leave them all. What can be seen is the whole history of the dice that still
matters, so that the best of the values of both choices at every sight is the best of all policies (core rules, Making
Attacks; core stratagems, Command Re-roll; Rules Commentary, Rules That Allow One Re-roll).

* Numbers of attacks, then all hit dice of a volley, then all its wound dice, then the saves of equal models: each of
  them rolled together. Damage is rolled one wound at a time; wounds that are ignored are rolled behind it, and are not
  re-rolled.
* Saves are the other player's, who may hold a re-roll of them.
* Devastating wounds are rolled for when all other wounds of all volleys are done.
* Free re-rolls are made first: a die that was re-rolled is not re-rolled.
* Lethal Hits that may be declined (11th edition core rules, 24.23): for each critical hit when all hits are known.

Two kinds of unlike models are played too, their player choosing as well. `Groups` save in pools (11th edition core
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

if TYPE_CHECKING:
    from collections.abc import Callable

ROLLS = frozenset({"attacks", "hit", "wound", "damage"})


@dataclass(frozen=True)
class Shots:
    """Equal weapons: attacks and damage are a number, or the sides of a die and what is added to it."""

    weapons: int = 1
    attacks: tuple[int, int] = (0, 1)
    hit: int = 4
    wound: int = 4
    save: int = 7
    damage: tuple[int, int] = (0, 1)
    ignored: int = 7
    sustained: int = 0
    lethal: bool = False
    devastating: bool = False
    free_hits: frozenset[int] = frozenset()
    free_wounds: frozenset[int] = frozenset()
    may_decline: bool = False


#: The volleys that are left, the one that is resolved first.
Left = tuple[int, ...]
#: The places of the re-rolls that can still be made.
Held = frozenset[int]
Die = tuple[int, bool]  # the face, and whether it may be re-rolled


def thrown(free: frozenset[int]) -> dict[Die, Fraction]:
    """One D6, re-rolled where its first face is among those that another rule re-rolls."""
    found: dict[Die, Fraction] = {}
    for face in range(1, 7):
        for last in range(1, 7) if face in free else [face]:
            key = last, face not in free
            found[key] = found.get(key, Fraction(0)) + Fraction(1, 36 if face in free else 6)
    return found


class Table:
    """A unit of equal models under fire."""

    def __init__(
        self,
        volleys: tuple[Shots, ...],
        models: int,
        wounds: int,
        worth: Callable[[int], Fraction],
        holds: tuple[frozenset[str], ...] = (ROLLS,),
        *,
        any_order: bool = False,
    ) -> None:
        self.any_order = any_order
        self.volleys, self.models, self.wounds, self.worth = volleys, models, wounds, worth
        self.holds = holds
        self.fresh: Any = 0

    def best(self, *, held: bool = True) -> Fraction:
        holds = frozenset(range(len(self.holds))) if held else frozenset()
        return self.volley(tuple(range(len(self.volleys))), self.fresh, (0,) * len(self.volleys), holds)

    def over(self, lost: Any) -> bool:
        finished: bool = lost >= self.models * self.wounds
        return finished

    def lost(self, lost: int, damage: int) -> int:
        """Wounds lost in all once a model has suffered damage, the excess lost."""
        return min(lost + damage, (lost // self.wounds + 1) * self.wounds)

    @cache  # noqa: B019 - one table lives for one test
    def together(
        self, dice: tuple[Die, ...], left: tuple[frozenset[int], int], roll: str, held: Held, then: Any
    ) -> Fraction:
        """Throw the dice that are left, of so many sides; equal rows of dice are one sight."""
        free, number = left
        if number:
            return sum(
                (
                    chance * self.together(tuple(sorted((*dice, die))), (free, number - 1), roll, held, then)
                    for die, chance in thrown(free).items()
                ),
                Fraction(0),
            )
        return self.look(dice, roll, held, then)

    @cache  # noqa: B019
    def look(self, dice: tuple[Die, ...], roll: str, held: Held, then: Any) -> Fraction:
        """Leave the dice as they lie, or pick up one that was not re-rolled yet; then look again."""
        values = [self.after(then, tuple(face for face, _ in dice), held)]
        for name in sorted(held):
            for place in {die: place for place, die in enumerate(dice) if die[1]}.values():
                if roll in self.holds[name]:
                    rest = [die for other, die in enumerate(dice) if other != place]
                    again = [tuple(sorted([*rest, (face, False)])) for face in range(1, 7)]
                    values.append(
                        sum((self.look(row, roll, held - {name}, then) for row in again), Fraction(0)) / 6
                    )
        return min(values) if roll == "save" else max(values)

    def after(self, then: Any, faces: tuple[int, ...], held: Held) -> Fraction:
        name, *more = then
        following: Fraction = getattr(self, name)(*more, faces, held)
        return following

    @cache  # noqa: B019
    def volley(
        self, left: Left, lost: int, waiting: tuple[int, ...], held: Held, *, chosen: bool = False
    ) -> Fraction:
        if self.over(lost):
            return self.worth(lost)
        if not left:
            return self.deferred(lost, waiting, held)
        if self.any_order and not chosen:
            ways = [(each, *(other for other in left if other != each)) for each in left]
            return max(self.volley(way, lost, waiting, held, chosen=True) for way in ways)
        shots = self.volleys[left[0]]
        sides, more = shots.attacks
        if not sides:
            return self.hits(left, lost, waiting, shots.weapons * more, held)
        here = "numbers", left, lost, waiting
        return self.together((), (frozenset(), shots.weapons), "attacks", held, here)

    def numbers(self, left: Left, lost: int, waiting: Any, faces: tuple[int, ...], held: Held) -> Fraction:
        sides, more = self.volleys[left[0]].attacks
        number = sum((face + 1) // 2 if sides == 3 else face for face in faces) + more * len(faces)
        return self.hits(left, lost, waiting, number, held)

    def hits(self, left: Left, lost: int, waiting: Any, number: int, held: Held) -> Fraction:
        here = "after_hits", left, lost, waiting
        return self.together((), (self.volleys[left[0]].free_hits, number), "hit", held, here)

    def after_hits(self, left: Left, lost: int, waiting: Any, faces: tuple[int, ...], held: Held) -> Fraction:
        shots = self.volleys[left[0]]
        critical = sum(face == 6 for face in faces)
        plain = sum(face >= shots.hit and 1 < face < 6 for face in faces)
        values = []
        for certain in range(critical + 1) if shots.may_decline else [critical if shots.lethal else 0]:
            dice = plain + critical - certain + shots.sustained * critical
            here = "after_wounds", left, lost, waiting, certain
            values.append(self.together((), (shots.free_wounds, dice), "wound", held, here))
        return max(values)

    def after_wounds(
        self, left: Left, lost: int, waiting: Any, certain: int, faces: tuple[int, ...], held: Held
    ) -> Fraction:
        shots = self.volleys[left[0]]
        good, deferred = self.wounded(shots, faces)
        here = left[0]
        waiting = (*waiting[:here], waiting[here] + deferred, *waiting[here + 1 :])
        then = "after_saves", left, lost, waiting
        return self.together((), (frozenset(), certain + good - deferred), "save", held, then)

    def wounded(self, shots: Shots, faces: tuple[int, ...]) -> tuple[int, int]:
        """Wounds of some dice, and how many of them allow no save."""
        good = sum(face == 6 or (face >= shots.wound and face > 1) for face in faces)
        return good, sum(face == 6 for face in faces) if shots.devastating else 0

    def after_saves(
        self, left: Left, lost: int, waiting: Any, faces: tuple[int, ...], held: Held
    ) -> Fraction:
        failed = sum(face < self.volleys[left[0]].save or face == 1 for face in faces)
        return self.inflict(left, lost, waiting, failed, held)

    @cache  # noqa: B019
    def inflict(self, left: Left, lost: int, waiting: Any, failed: int, held: Held) -> Fraction:
        if not failed or lost >= self.models * self.wounds:
            return self.volley(left[1:], lost, waiting, held)
        return self.damaged(
            left, lost, held, lambda now, kept: self.inflict(left, now, waiting, failed - 1, kept)
        )

    def deferred(self, lost: int, waiting: tuple[int, ...], held: Held) -> Fraction:
        index = next((place for place, number in enumerate(waiting) if number), None)
        if index is None:
            return self.worth(lost)
        rest = (*waiting[:index], waiting[index] - 1, *waiting[index + 1 :])
        return self.damaged((index,), lost, held, lambda now, kept: self.volley((), now, rest, kept))

    def damaged(self, left: Left, lost: int, held: Held, then: Callable[[int, Held], Fraction]) -> Fraction:
        """Roll the damage of one wound, look at it, and keep it or roll it again; then ignore what can be."""
        shots = self.volleys[left[0]]
        sides, more = shots.damage

        def suffer(shown: int, kept: Held) -> Fraction:
            points = more + ((shown + 1) // 2 if sides == 3 else shown if sides else 0)
            if shots.ignored > 6:
                return then(self.lost(lost, points), kept)
            through = {0: Fraction(1)}
            for _ in range(points):
                rolled: dict[int, Fraction] = {}
                for number, chance in through.items():
                    for face in range(1, 7):
                        after = number + (face < shots.ignored)
                        rolled[after] = rolled.get(after, Fraction(0)) + chance / 6
                through = rolled
            return sum(
                (chance * then(self.lost(lost, number), kept) for number, chance in through.items()),
                Fraction(0),
            )

        if not sides:
            return suffer(0, held)
        total = Fraction(0)
        for face in range(1, 7):
            values = [suffer(face, held)]
            for name in held:
                if "damage" in self.holds[name]:
                    again = [suffer(other, held - {name}) for other in range(1, 7)]
                    values.append(sum(again, Fraction(0)) / 6)
            total += Fraction(max(values)) / 6
        return total


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


def killed(models: int, wounds: int) -> Callable[[int], Fraction]:
    """Whether nothing is left."""
    return lambda lost: Fraction(lost >= models * wounds)


def models_lost(wounds: int) -> Callable[[int], Fraction]:
    return lambda lost: Fraction(lost // wounds)
