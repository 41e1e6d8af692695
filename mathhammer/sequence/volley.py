"""A volley as numbers: how many attacks, what each of them produces, and what one wound does."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mathhammer.distributions import GeneratingFunction, IntegerLaw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.expressions import Expression

__all__ = [
    "AttackLaw",
    "Chances",
    "DirectWounds",
    "Volley",
    "VolleyLaw",
    "WalkedLaw",
    "ignoring_wounds",
    "one_attack",
]


class AttackLaw(Protocol):
    """What one attack does, in the counts that a result shows.

    Examples
    --------
    >>> law: AttackLaw = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)
    >>> law.hits().coefficients
    {(0, 0): 1, (1, 0): 2}
    """

    def hits(self) -> GeneratingFunction:
        """Law of the hits of one attack."""
        ...

    def wounds(self) -> GeneratingFunction:
        """Law of the successful wounds of one attack, before saves."""
        ...

    def unsaved_wounds(self) -> GeneratingFunction:
        """Joint law of the unsaved wounds of each kind that a volley has damage for."""
        ...


class WalkedLaw(AttackLaw, Protocol):
    """The same, with what a walk needs to know of it."""

    @property
    def defers(self) -> bool:
        """Whether it can produce wounds of further kinds, which wait until the other attacks are resolved."""
        ...


class Volley(Protocol):
    """What a result needs to know of a volley, whatever the game.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)
    >>> volley: Volley = VolleyLaw(dice("2D6"), chances, (IntegerLaw(3, (1,), 1), IntegerLaw(3, (1,), 1)))
    >>> str(volley.attacks), volley.damages[0].mean()
    ('2D6', (3, 1))
    """

    @property
    def attacks(self) -> Expression:
        """The number of attacks."""
        ...

    @property
    def chances(self) -> AttackLaw:
        """What one attack does."""
        ...

    @property
    def damages(self) -> Sequence[IntegerLaw]:
        """Wounds that one unsaved wound of each kind inflicts."""
        ...


@dataclass(frozen=True, slots=True)
class Chances:
    """What the dice of one attack do, as weights out of a common denominator.

    Parameters
    ----------
    hit
        Weights of fail, success and critical of the hit roll.
    wound
        Weights of fail, success and critical of the wound roll, and their denominator.
    unsaved
        Weight, out of 36, of a failed save.
    critical_hits_wound
        Whether a critical hit wounds without a wound roll.
    extra_hits
        Law of the further hits that a critical hit scores.
    critical_wounds_deferred
        Whether a critical wound allows no save and waits until the other attacks are resolved.

    Examples
    --------
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)  # 2/3 to hit, 1/2 to wound, save 4+
    >>> chances.wounds().coefficients
    {(0, 0): 2, (1, 0): 1}
    """

    hit: tuple[int, int, int]
    wound: tuple[int, int, int, int]
    unsaved: int
    critical_hits_wound: bool
    extra_hits: IntegerLaw | None
    critical_wounds_deferred: bool

    @property
    def defers(self) -> bool:
        """Whether any wound can be deferred."""
        return self.critical_wounds_deferred and self.wound[2] > 0

    def hits(self) -> GeneratingFunction:
        """Law of the hits of one attack."""
        hit = GeneratingFunction({(1, 0): 1}, 1)
        return one_attack(self, hit, hit)

    def wounds(self) -> GeneratingFunction:
        """Law of the successful wounds of one attack, before saves."""
        fail, success, critical, total = self.wound
        wound = GeneratingFunction({(1, 0): 1}, 1)
        return one_attack(self, GeneratingFunction({(0, 0): fail, (1, 0): success + critical}, total), wound)

    def unsaved_wounds(self) -> GeneratingFunction:
        """Joint law of the unsaved wounds and the deferred critical wounds of one attack."""
        fail, success, critical, total = self.wound
        saved, unsaved = 36 - self.unsaved, self.unsaved
        if self.critical_wounds_deferred:
            each: dict[tuple[int, ...], int] = {
                (0, 0): 36 * fail + saved * success,
                (1, 0): unsaved * success,
                (0, 1): 36 * critical,
            }
        else:
            wounds = success + critical
            if self.extra_hits is None and not self.critical_hits_wound:
                # One product of three rolls, which needs no polynomials.
                missed, *hit = self.hit
                one, scale = sum(hit) * wounds * unsaved, (missed + sum(hit)) * 36 * total
                divisor = gcd(one, scale)
                one, scale = one // divisor, scale // divisor
                law: dict[tuple[int, ...], int] = {(0, 0): scale - one, (1, 0): one} if one else {(0, 0): 1}
                return GeneratingFunction(law, scale)
            each = {(0, 0): 36 * fail + saved * wounds, (1, 0): unsaved * wounds}
        automatic = GeneratingFunction({(0, 0): saved, (1, 0): unsaved}, 36)
        return one_attack(self, GeneratingFunction(each, 36 * total), automatic)


def one_attack(
    chances: Chances, each_hit: GeneratingFunction, automatic_wound: GeneratingFunction
) -> GeneratingFunction:
    """Compose the hit roll with what each hit leads to.

    A critical hit and the further hits that it scores come from one die: their law is joint.
    """
    fail, success, critical = chances.hit
    on_critical = automatic_wound if chances.critical_hits_wound else each_hit
    if chances.extra_hits is not None and critical:
        on_critical = on_critical * each_hit.repeated(chances.extra_hits)
    return GeneratingFunction.mixture(
        [(fail, GeneratingFunction.one()), (success, each_hit), (critical, on_critical)],
        fail + success + critical,
    )


def ignoring_wounds(damage: IntegerLaw, need: int | None) -> IntegerLaw:
    """Return the wounds that get through when each is ignored on a D6 roll of `need` or more.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> wounds, denominator = ignoring_wounds(IntegerLaw(2, (1,), 1), 5).mean()  # each of two stays with 2/3
    >>> wounds / denominator
    1.3333
    """
    if need is None:
        return damage
    lost, kept = need - 1, 7 - need  # faces of six that lose the wound, and that ignore it
    most = damage.low + len(damage.weights) - 1
    denominator = damage.denominator * 6**most
    # Horner's rule from the most wounds down, for each wound a factor (kept + lost x) out of 6, with a power of two
    # for x that is greater than any coefficient: one product of two integers is then that of two polynomials.
    bits = denominator.bit_length()
    factor, packed, scale = kept + (lost << bits), 0, 1
    for weight in (*reversed(damage.weights), *(0,) * damage.low):
        packed = packed * factor + weight * scale
        scale *= 6
    weights = [packed >> bits * through & (1 << bits) - 1 for through in range(most + 1)]
    return IntegerLaw(0, tuple(weights), denominator)


class VolleyLaw(NamedTuple):
    """All that the walk needs to know of one volley.

    Parameters
    ----------
    attacks
        The number of attacks.
    chances
        What one attack does.
    damages
        Wounds that one unsaved wound takes off a model that has enough, and those that one wound of each further
        kind does, which waits until the other attacks are resolved.
    ranks
        Of each further kind when its turn is: lower ones come first, and those below 0 once the volley is resolved.
    before, kept
        Where attacks stand for the successes of a roll: the volley as it was rolled, and the names of the counts
        (``"attacks"``, ``"hits"``, ``"wounds"``) that are its.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)
    >>> VolleyLaw(dice("2"), chances, (IntegerLaw(3, (1,), 1), IntegerLaw(3, (1,), 1))).defers
    False
    """

    attacks: Expression
    chances: WalkedLaw
    damages: tuple[IntegerLaw, ...]
    ranks: tuple[int, ...] = (0,)
    before: VolleyLaw | None = None
    kept: frozenset[str] = frozenset()

    @property
    def defers(self) -> bool:
        """Whether any wound of it can be deferred."""
        return self.chances.defers


@dataclass(frozen=True, slots=True)
class DirectWounds:
    """Wounds that no attack inflicts, each on its own; they wait until the attacks are resolved.

    Parameters
    ----------
    number
        How many they are.
    damage
        Wounds that one of them inflicts: one, or none where it can be ignored.
    rank
        When their turn is, among what waits.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> DirectWounds(dice("D3"), IntegerLaw(1, (1,), 1)).number.bounds()
    (1, 3)
    """

    number: Expression
    damage: IntegerLaw
    rank: int = 0
