"""What one wound does to a model: a save that is made or fails, and the damage of one that fails."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import IntegerDistribution
from mathhammer.sequence.attack_distribution import NO_REROLLS

if TYPE_CHECKING:
    from mathhammer.sequence.attack_distribution import Held


def ignoring_wounds(damage: IntegerDistribution, need: int | None) -> IntegerDistribution:
    """Return the wounds that get through when each is ignored on a D6 roll of `need` or more."""
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
    return IntegerDistribution(0, tuple(weights), denominator)


class SaveDice(NamedTuple):
    """The dice of a saving throw, face by face: where all saves are rolled together, each belongs to a face."""

    #: Weights of the faces 1 to 6 that stand, out of 36.
    faces: tuple[int, ...]
    #: Of a die that shows each face the weight of a failed save, out of 36.
    failing: tuple[int, ...]


class DamageReroll(NamedTuple):
    """A single re-roll of a low damage roll."""

    #: The damage of a roll that is not low.
    kept: IntegerDistribution
    #: The chance of a low roll.
    low: int
    denominator: int
    #: What the re-roll is called.
    name: str = "reroll_damage"


class WoundWeights(NamedTuple):
    """Weights of a save that is made, and of one that fails by the wounds that the model then loses."""

    saved: int
    failed: list[int]


class WoundEffect(NamedTuple):
    """What one wound does to the models of one group."""

    #: Weight of failing the save out of 36.
    unsaved: int
    #: The damage then.
    damage: IntegerDistribution
    #: Whether the model was allocated an attack even if it loses nothing.
    always_allocated: bool = True
    #: The damage of a failed save where the group negates it, if it can.
    negated: IntegerDistribution | None = None
    #: The single re-roll that the first failed save uses.
    save_reroll: str | None = None
    #: The single re-roll that the first low damage roll uses.
    damage_reroll: DamageReroll | None = None
    #: The faces of the save, where it matters which of several dice a model is given.
    dice: SaveDice | None = None

    @property
    def rerolls(self) -> Held:
        """The single re-rolls that it may use."""
        if self.save_reroll is None and self.damage_reroll is None:
            return NO_REROLLS
        names = {self.save_reroll} if self._save_can_be_rerolled else set()
        names |= {self.damage_reroll.name} if self.damage_reroll is not None else set()
        return frozenset(name for name in names if name is not None)

    @property
    def _save_can_be_rerolled(self) -> bool:
        return self.save_reroll is not None and 0 < self.unsaved < 36

    @property
    def denominator(self) -> int:
        """A denominator that all its weights can have."""
        found = self.damage.denominator
        if self.negated is not None:
            found = lcm(found, self.negated.denominator)
        if self.damage_reroll is not None:
            each = self.damage_reroll.denominator
            found = each * lcm(found, self.damage_reroll.kept.denominator)
        return found * (36 * 36 if self._save_can_be_rerolled else 36)

    def weights(self, left: int, denominator: int, held: Held, *, negated: bool) -> dict[Held, WoundWeights]:
        """Weights of what becomes of a model with so many wounds left, by the re-rolls that this spends."""
        found: dict[Held, WoundWeights] = {}
        for spent, saved, failing in self._saves(denominator, held):
            damage = self.negated if negated else None
            once = self.damage_reroll
            if damage is not None or once is None or once.name not in held:
                found[spent] = WoundWeights(saved, _inflicted(damage or self.damage, left, failing))
                continue
            low = failing // once.denominator * once.low
            found[spent] = WoundWeights(saved, _inflicted(once.kept, left, failing - low))
            found[spent | {once.name}] = WoundWeights(0, _inflicted(self.damage, left, low))
        return found

    def _saves(self, denominator: int, held: Held) -> list[tuple[Held, int, int]]:
        """Weights of a save that is made and of one that fails, by the re-rolls that this spends."""
        each = denominator // 36
        saved, failing = (36 - self.unsaved) * each, self.unsaved * each
        if not self._save_can_be_rerolled or self.save_reroll not in held:
            return [(NO_REROLLS, saved, failing)]
        again = failing // 36
        spent = frozenset((self.save_reroll,))
        return [(NO_REROLLS, saved, 0), (spent, again * (36 - self.unsaved), again * self.unsaved)]


def _inflicted(damage: IntegerDistribution, left: int, total: int) -> list[int]:
    """Split a weight by the wounds that a model with so many left can lose; its last one loses the excess."""
    scale = total // damage.denominator
    weights = [0] * (left + 1)
    for place, weight in enumerate(damage.weights):
        weights[min(left, damage.low + place)] += weight * scale
    return weights


class Wound(NamedTuple):
    """One kind of wound of a volley."""

    #: What it does to each group of the unit.
    effects: tuple[WoundEffect, ...]
    #: None for wounds that are immediate. Deferred wounds of a lower rank come first; those of a rank below 0
    #: are deferred to the end of their own volley only.
    rank: int | None = None
    #: Whether the attacker directs it, where they direct the wounds of the volley.
    directed: bool = True
    #: Of wounds that are saved together: which pool of the volley it belongs to, in the order of resolution.
    pool: int = 0

    @property
    def rerolls(self) -> Held:
        """The single re-rolls that it may use."""
        found = NO_REROLLS
        for effect in self.effects:
            if effect.save_reroll is not None or effect.damage_reroll is not None:
                found |= effect.rerolls
        return found

    def failed(self) -> Wound:
        """Return the wound whose save has failed."""
        effects = tuple(effect._replace(unsaved=36, save_reroll=None) for effect in self.effects)
        return self._replace(effects=effects)

    def showing(self, face: int) -> Wound:
        """Return the wound whose save shows a face, from 1 to 6."""
        effects = tuple(
            effect._replace(unsaved=effect.dice.failing[face - 1], save_reroll=None)
            for effect in self.effects
            if effect.dice is not None
        )
        return self._replace(effects=effects)
