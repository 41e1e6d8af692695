"""Plain dice in plain fractions: the faces of a D6 walked one by one, equal ends counted together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

Pmf = dict[Any, Fraction]
Reroll = str | frozenset[int] | None


@dataclass(frozen=True)
class Dice:
    """`number` dice of 3 or 6 sides, and what is printed after the plus; `Dice(0, 6, 2)` is a plain 2."""

    number: int = 0
    sides: int = 6
    plus: int = 0

    def __str__(self) -> str:
        if not self.number:
            return str(self.plus)
        return f"{self.number if self.number > 1 else ''}D{self.sides}" + (
            f"+{self.plus}" if self.plus else ""
        )


def fixed(value: int) -> Dice:
    return Dice(0, 6, value)


def certainly(outcome: Hashable) -> Pmf:
    return {outcome: Fraction(1)}


def then(distribution: Pmf, play: Callable[[Any], Pmf]) -> Pmf:
    """Play on from every outcome, counting equal ends together."""
    result: Pmf = {}
    for outcome, probability in distribution.items():
        for end, chance in play(outcome).items():
            result[end] = result.get(end, Fraction(0)) + probability * chance
    return result


def mean(distribution: Pmf) -> Fraction:
    return sum((outcome * probability for outcome, probability in distribution.items()), Fraction(0))


def roll(show: Callable[[int], Hashable] = int, rerolled: Collection[int] = ()) -> Pmf:
    """One D6: every face in turn, a second D6 where the first is re-rolled; `show` reads the face that stands."""
    distribution: Pmf = {}
    for face in range(1, 7):
        finals = range(1, 7) if face in rerolled else [face]
        for final in finals:
            shown = show(final)
            distribution[shown] = distribution.get(shown, Fraction(0)) + Fraction(1, 6) / len(finals)
    return distribution


def halved(face: int) -> int:
    return (face + 1) // 2


def total(dice: Dice) -> Pmf:
    """What the dice show together, without the printed bonus."""
    distribution = certainly(0)
    for _ in range(dice.number):
        distribution = then(
            distribution,
            lambda so_far: roll(lambda face: so_far + (halved(face) if dice.sides == 3 else face)),
        )
    return distribution


def value(dice: Dice) -> Pmf:
    return then(total(dice), lambda shown: certainly(shown + dice.plus))


def clamp(modifiers: int) -> int:
    return max(-1, min(1, modifiers))


def faces_rerolled(policy: Reroll, judge: Callable[[int], str]) -> frozenset[int]:
    if policy is None:
        return frozenset()
    if policy == "ones":
        return frozenset({1})
    if policy == "failed":
        return frozenset(face for face in range(1, 7) if judge(face) == "fail")
    if policy == "non-critical":
        return frozenset(face for face in range(1, 7) if judge(face) != "critical")
    assert not isinstance(policy, str), policy
    return frozenset(policy)
