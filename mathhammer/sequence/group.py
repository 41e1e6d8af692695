"""Equal models of a unit, what one wound does to one of them, and the state of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import lcm
from operator import add, mul
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpz, fmpz_poly

from mathhammer.arithmetic.mass import composed
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions.kernel import Held


#: Most wounds of a group.
MAXIMUM_WOUNDS = 4_000
#: Most wounds of one damage roll each of which may be ignored.
MAXIMUM_IGNORED = 500


@dataclass(frozen=True, slots=True)
class Group:
    """Equal models of a unit."""

    #: What they are called.
    name: str
    #: Their number, and the wounds of each.
    models: int
    wounds: int
    #: Wounds that the first of them has lost before.
    lost: int = 0
    #: Whether they take wounds only when no other model is left, unless they are singled out.
    last: bool = False
    #: Whether the damage of one failed save of theirs is changed.
    negates_once: bool = False

    @property
    def left(self) -> int:
        """Wounds that they have left."""
        return self.models * self.wounds - self.lost

    @property
    def states(self) -> int:
        """Numbers of wounds that they can have lost in all."""
        return self.models * self.wounds + 1


class UnitStates:
    """The states of a unit, numbered from 0; the last one is its destruction."""

    groups: tuple[Group, ...]
    #: How many of the groups, the last ones, are of other units: they count in no number of this one.
    others = 0

    @property
    def states(self) -> int:
        """Number of states."""
        raise NotImplementedError

    @property
    def lost(self) -> Sequence[tuple[int, ...]]:
        """Wounds that each group has lost by the attacks, for every state."""
        raise NotImplementedError

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(group.models for group in self.groups[: len(self.groups) - self.others])

    @property
    def axes(self) -> Sequence[str]:
        """Names of the coordinates of a state: models destroyed and wounds lost by the next one, for each group."""
        if len(self.groups) == 1:
            return ("kills", "wounds_lost_by_next")
        return tuple(
            f"{group.name} {what}" for group in self.groups for what in ("destroyed", "wounds lost by next")
        )

    def coordinates(self) -> Sequence[tuple[int, ...]]:
        """Coordinates of every state, in order; two states can have the same."""
        return self._coordinates

    @cached_property
    def _coordinates(self) -> Sequence[tuple[int, ...]]:
        wounds = [group.wounds for group in self.groups]
        before = [group.lost % group.wounds for group in self.groups]
        return [tuple(chain.from_iterable(map(divmod, map(add, before, lost), wounds))) for lost in self.lost]

    def kills(self) -> Sequence[int]:
        """Models destroyed by the attacks, for every state."""
        return self.values([1] * (len(self.groups) - self.others))

    def values(self, worth: Sequence[int]) -> Sequence[int]:
        """Sum of what the models destroyed are worth, for every state; a value for each group."""
        return [sum(map(mul, worth, state[::2])) for state in self._coordinates]

    def wounds_lost(self) -> Sequence[int]:
        """Wounds lost by the attacks, for every state."""
        own = len(self.groups) - self.others
        return [sum(lost[:own]) for lost in self.lost]


def require_wounds(models: int, wounds: int) -> None:
    """Refuse a group of more wounds than a walk can have states."""
    if models * wounds > MAXIMUM_WOUNDS:
        raise TooLargeError(
            f"expected a unit of at most {MAXIMUM_WOUNDS:,} wounds in all, but {models:,} models of {wounds:,} wounds "
            f"have {models * wounds:,}; use fewer models"
        )


def model_block(damage: IntegerDistribution, wounds: int) -> tuple[list[list[int]], int]:
    """Weights from each state of one model to the states of the same model and, last, to its destruction."""
    padded = [0] * damage.low + list(damage.weights)
    padded += [0] * (wounds - len(padded))
    block = []
    for lost in range(wounds):
        row = [0] * lost + padded[: wounds - lost]
        row.append(damage.denominator - sum(row))
        block.append(row)
    return block, damage.denominator


NO_GROUP: frozenset[int] = frozenset()
#: Weights by the state after, for each state before.
Rows = list[dict[int, int]]


class UnitState(NamedTuple):
    """What each group has lost, the groups allocated an attack in this phase, and those that negated a damage."""

    lost: tuple[int, ...]
    allocated: frozenset[int]
    negated: frozenset[int]


def row_after(
    weights: WoundWeights,
    effect: WoundEffect,
    moves: Mapping[tuple[int, bool], Sequence[int]],
    group: int,
    index: int,
    negated: bool,  # noqa: FBT001 - one of the keys of moves
) -> dict[int, int]:
    """Weights by the state after a save that is made, and after one that fails."""
    saved, failed = weights
    plain, after = moves[group, False], moves[group, negated]
    unharmed = plain[0]
    if not (negated or effect.always_allocated):
        # Where nothing is lost, the model was not allocated an attack.
        unharmed, after = index, [index, *plain[1:]]
    row: dict[int, int] = {}
    for state, weight in zip((unharmed, *after), (saved, *failed), strict=True):
        if weight:
            row[state] = row.get(state, 0) + weight
    return row


def ignoring_wounds(damage: IntegerDistribution, need: int | None) -> IntegerDistribution:
    """Return the wounds that get through when each is ignored on a D6 roll of `need` or more."""
    if need is None:
        return damage
    if damage.most > MAXIMUM_IGNORED:
        raise TooLargeError(
            f"expected at most {MAXIMUM_IGNORED} wounds that are ignored one by one, got up to {damage.most:,}; use "
            "less damage, or leave out what ignores wounds"
        )
    lost, kept = need - 1, 7 - need  # faces of six that lose the wound, and that ignore it
    outer = [fmpz(0)] * damage.low + list(map(fmpz, damage.weights))
    through = composed(outer, fmpz_poly([kept, lost]), fmpz(6))
    weights = tuple(int(through[lost]) for lost in range(len(outer)))
    return IntegerDistribution(0, weights, damage.denominator * 6 ** (len(outer) - 1))


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
