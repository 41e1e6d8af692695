"""One re-roll played as well as can be: every die on its own, every choice that a player has at every sight of them.

The dice of a stage lie on the table in a row; the player of the attackers may pick up
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
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
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


def killed(models: int, wounds: int) -> Callable[[int], Fraction]:
    """Whether nothing is left."""
    return lambda lost: Fraction(lost >= models * wounds)


def models_lost(wounds: int) -> Callable[[int], Fraction]:
    return lambda lost: Fraction(lost // wounds)
