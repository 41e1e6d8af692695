"""Damage of weapons that overheat to their bearers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.systems.wh40k.profiles.triggers import Trigger
    from mathhammer.systems.wh40k.rules.rolls import Attacks


@dataclass(frozen=True, slots=True)
class SelfDamage:
    """Effect of overheating on the bearers of one volley."""

    #: Number of bearers.
    count: int
    #: Attacks of one weapon.
    attacks: Expression
    #: Of one attack, out of 36, that it overheats.
    weight: int
    #: ``"slain"``, or the mortal wounds of each such roll.
    effect: Literal["slain"] | Expression

    def compute(self) -> Distribution:
        """Distribution of the bearers slain, or of the mortal wounds that all of them suffer."""
        each = IntegerDistribution(0, (36 - self.weight, self.weight), 36).distribution()
        rolls = self.attacks.compute().compound(each)
        if self.effect == "slain":
            return rolls.map(lambda number: min(number, 1)).repeat(self.count)
        return rolls.compound(self.effect.compute()).repeat(self.count)


def bearers_of(
    count: int, attacks: Attacks, hit: Check | None, triggers: tuple[Trigger, ...]
) -> tuple[SelfDamage, ...]:
    """Return the bearers of a volley that can overheat."""
    found = []
    for trigger in triggers:
        if trigger.bearer is None or hit is None:
            continue
        if any(other.extra_attacks is not None for other in triggers):
            raise MathhammerError(
                "expected overheating or additional attacks from one weapon, got both; the additional hit rolls "
                "can overheat too, so give them to another volley"
            )
        weights = hit.face_weights()
        weight = sum(weights[face - 1] for face in trigger.faces(hit))
        found.append(SelfDamage(count, attacks.each, weight, trigger.bearer))
    return tuple(found)
