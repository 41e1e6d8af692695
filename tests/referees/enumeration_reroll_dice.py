"""Profiles, single dice and their re-rolls of `enumeration_rerolls`; nothing of the package is on this side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from plain_dice import Pmf, certainly, then

if TYPE_CHECKING:
    from collections.abc import Callable

Held = frozenset[str]
D3 = 0


@dataclass(frozen=True)
class Rule:
    """What happens on an unmodified 6 of a successful roll."""

    roll: str
    what: str
    number: int = 1


@dataclass(frozen=True)
class Shots:
    """Equal weapons. What they say of a re-roll is "own" or "none"; 0 attacks or damage stand for a D3."""

    weapons: int = 1
    attacks: int = 1
    hit: int | None = 4
    strengths: tuple[int, ...] = (4,)
    damage: int = 1
    lethal: bool = False
    sustained: int = 0
    devastating: bool = False
    rules: tuple[Rule, ...] = ()
    directed: tuple[int, ...] = ()
    says: tuple[tuple[str, str], ...] = ()

    def fired(self, roll: str, face: int) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.roll == roll and face == 6)


@dataclass(frozen=True)
class Profile:
    """A model of Toughness 4."""

    save: int | None = None
    wounds: int = 1
    models: int = 1
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None


class Rolled(NamedTuple):
    """Armour Penetration of each wound that is saved against, and what else the dice of attacks came to."""

    wounds: tuple[int, ...] = ()
    devastating: int = 0
    mortal: int = 0
    hits: int = 0
    wounded: int = 0
    held: Held = frozenset()


class Table(NamedTuple):
    """The models left, devastating and mortal wounds waiting for each volley, re-rolls held; hits and wounds."""

    models: Any
    waiting: tuple[tuple[int, int], ...]
    held: Held
    hits: int = 0
    wounded: int = 0


def die(held: Held, flag: str | None, succeeds: Callable[[int], bool]) -> Pmf:
    """(face that stands, re-rolls held)."""
    distribution: Pmf = {}
    possible = any(succeeds(face) for face in range(1, 7))
    for face in range(1, 7):
        again = flag in held and possible and not succeeds(face)
        for stands in range(1, 7) if again else [face]:
            after = stands, held - {flag} if again else held
            distribution[after] = distribution.get(after, Fraction(0)) + Fraction(1, 36 if again else 6)
    return distribution


def d3(held: Held, flag: str | None) -> Pmf:
    """(number, re-rolls held): a 1 is below the mean."""
    distribution: Pmf = {}
    for shown in (1, 2, 3):
        again = flag in held and shown == 1
        for stands in (1, 2, 3) if again else (shown,):
            after = stands, held - {flag} if again else held
            distribution[after] = distribution.get(after, Fraction(0)) + Fraction(1, 9 if again else 3)
    return distribution


def needed(strength: int) -> int:
    """The wound roll against Toughness 4."""
    return {1: 6, 2: 6, 3: 5, 4: 4, 5: 3, 6: 3, 7: 3}.get(strength, 2)


def suffered(points: int, need: int | None, left: int | None) -> Pmf:
    """Wounds lost, one point after another."""
    distribution = certainly(0)
    kept = Fraction(1) if need is None else Fraction(need - 1, 6)
    for _ in range(points):
        distribution = then(
            distribution, lambda lost: certainly(lost) if lost == left else {lost + 1: kept, lost: 1 - kept}
        )
    return {lost: chance for lost, chance in distribution.items() if chance}
