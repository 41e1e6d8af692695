"""From stages to the volleys of the walk: rolls to distributions, saves and damage to wounds."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions.check import Check
from mathhammer.sequence.attack_distribution import AttackDistribution, with_reroll
from mathhammer.sequence.group import Group, SaveDice, Wound, WoundEffect
from mathhammer.sequence.result import damage_parts
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.volley import AttackNumber, SequenceVolley, after_saves
from mathhammer.systems.wh40k.profiles.targets import TargetUnit
from mathhammer.systems.wh40k.rules.conditions import REROLL_ATTACKS, REROLL_SAVES
from mathhammer.systems.wh40k.rules.roll import why_not
from mathhammer.systems.wh40k.rules.rolls import NEVER, against_mortal_wounds
from mathhammer.systems.wh40k.sequence.damage import mortal_wound
from mathhammer.systems.wh40k.sequence.stages import (
    DIRECTED,
    ONE,
    attack_counts,
    attacks_parted,
    compile_stages,
)
from mathhammer.systems.wh40k.situation import MortalWounds, reroll_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.distributions.kernel import Held
    from mathhammer.sequence.result import Counts
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.rolls import Saves
    from mathhammer.systems.wh40k.sequence.stages import DeferredKind, Penetration, Stages
    from mathhammer.systems.wh40k.situation import Entry, Situation

#: Ranks of deferred wounds that wait for their own pool alone, and of pools of equal models that come after those.
_OF_VOLLEY, _LATER = -200, -100
_CERTAIN = IntegerDistribution(1, (1,), 1)


class Selection(NamedTuple):
    """Properties of a target when it is chosen."""

    #: Living models of the unit, only so exactly as Blast counts them.
    models: int
    #: The Toughness for all its attacks.
    toughness: int
    #: Those of its keywords that a weapon with Anti names: a unit has the keywords of its living models.
    keywords: tuple[str, ...] = ()
    #: Whether it has each of the rules that count only if all its living models have them.
    of_all: tuple[tuple[str, bool], ...] = ()
    #: Which of the gifts of its models are in force; None for all.
    giving: tuple[bool, ...] | None = None


class CompiledVolley:
    """One volley against every kind of models of a target, and what the engine needs to know of it."""

    def __init__(
        self, stages: Sequence[Stages], precision_groups: tuple[int, ...], against: Against | None = None
    ) -> None:
        self.stages, self.against = tuple(stages), against
        first = stages[0]
        at, rolls, edition = first.situation, first.rolls, first.edition
        # Without a Character whom some results could direct an attack at, these change nothing.
        directing = precision_groups or not rolls.triggers
        self.counts = attack_counts(rolls if directing else rolls._replace(directs=True))
        kinds, deferred = self.counts.penetrations, self.counts.deferred
        #: The single re-rolls of the volley that are its own.
        self.own: Held = frozenset(f"own {roll}" for roll in at.own_rerolls) if at.one_reroll else NO_REROLLS
        self.number = AttackNumber(first.attacks.total)
        if REROLL_ATTACKS.name in at.one_reroll and (parts := attacks_parted(first)) is not None:
            self.number = AttackNumber(first.attacks.total, reroll_name(at, REROLL_ATTACKS.name) or "", parts)
        once = reroll_name(at, REROLL_SAVES.name) if at.one_reroll else None
        self._pools = _pools(kinds, edition) if edition.in_pools else [0] * len(kinds)
        # Of equal models it does not matter which die is whose, and pools are walked as one, but for those that come
        # after deferred wounds of another.
        with_dice, later = edition.in_pools and len(stages) > 1, deferred and len(stages) == 1
        wounds = [
            Wound(
                tuple([_immediate(stage, kind, once, with_dice=with_dice) for stage in stages]),
                _LATER + pool if later and pool > self._pools[0] else None,
                rolls.directs or DIRECTED in kind,
                pool,
            )
            for kind, pool in zip(kinds, self._pools, strict=True)
        ]
        wounds += map(self._deferred, deferred)
        directs_saved = not edition.precision_without_saves
        now = None if against is None else against.volley
        self.volley: SequenceVolley = SequenceVolley(
            self.number, self.counts.saves, tuple(wounds), precision_groups, self.own, now, directs_saved
        )

    def _deferred(self, kind: DeferredKind) -> Wound:
        edition, damages = self.stages[0].edition, [stage.damage for stage in self.stages]
        allocated, apart = edition.ignored_allocate, kind == "directed devastating"
        mortal = kind == "mortal"
        name = "mortal" if mortal else "devastating"
        rank = edition.order_of_deferred[name]
        if not edition.deferred_to_end_of_unit[name]:
            rank += _OF_VOLLEY
        effects = [
            WoundEffect(36, mortal_wound(each.deferred_feel_no_pain), allocated)
            if mortal
            else WoundEffect(36, each.deferred_distribution, allocated, damage_reroll=each.deferred_reroll)
            for each in damages
        ]
        directed = [DIRECTED in penetration for penetration in self.counts.penetrations]
        pool = self._pools[directed.index(True) if apart else 0]
        aimed = mortal or (edition.deferred_precision and (apart or self.stages[0].rolls.directs))
        return Wound(tuple(effects), rank, aimed, pool)

    # What a result shows ---------------------------------------------------------------------------------------

    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return self.counts.hits

    def wounds(self) -> AttackDistribution:
        """Successful wounds of one attack, before saves."""
        return self.counts.wounds

    def unsaved(self) -> AttackDistribution:
        """Failed saves of one attack and critical wounds without a save; no mortal wounds."""
        every = after_saves(self.volley)
        mortal = "mortal" in self.counts.deferred  # they stand last
        return every.marginal(*range(every.plain.width - 1)) if mortal else every

    def mortal_wounds(self) -> AttackDistribution:
        """Mortal wounds of one attack, before any is ignored."""
        # Dice of a volley that inflicts none may still use the re-rolls of the unit.
        first = len(self.counts.penetrations)
        return self.counts.saves.marginal(
            *(first + place for place, kind in enumerate(self.counts.deferred) if kind == "mortal")
        )

    def damage(self) -> Counts:
        """Damage of one attack, excess counted, by the re-rolls held before and after it."""
        effects = [wound.effects[0] for wound in self.volley.wounds[self.volley.immediate - 1 :]]
        unsaved = after_saves(self.volley)
        if not any(effect.damage_reroll for effect in effects):
            return damage_parts(unsaved, [effect.damage for effect in effects])
        return damage_parts(unsaved.then(list(map(_damage_roll, effects))), [_CERTAIN])

    @property
    def saved_alike(self) -> bool:
        """Whether all kinds of models have the same chance to save a wound."""
        return all(len({effect.unsaved for effect in wound.effects}) == 1 for wound in self.volley.wounds)

    @property
    def hurt_alike(self) -> bool:
        """Whether a wound does the same to all kinds of models."""
        return all(effect == wound.effects[0] for wound in self.volley.wounds for effect in wound.effects)


def _damage_roll(effect: WoundEffect) -> AttackDistribution:
    """Return the damage of one failed save as a count."""
    plain, once = AttackDistribution.of(GeneratingFunction.of_number(effect.damage)), effect.damage_reroll
    if once is None:
        return plain
    kept = AttackDistribution.of(GeneratingFunction.of_number(once.kept))
    stays = AttackDistribution.mixture([(once.denominator - once.low, kept)], once.denominator)
    spent = AttackDistribution.mixture([(once.low, plain)], once.denominator)
    return with_reroll(once.name, stays, spent, plain)


class CompiledMortalWounds:
    """Mortal wounds that no attack inflicts, and what the engine needs to know of them."""

    def __init__(self, entry: MortalWounds, kinds: Sequence[Target], edition: Edition) -> None:
        self.entry, self.own, self.number = entry, NO_REROLLS, AttackNumber(entry.number)
        allocated = edition.ignored_allocate
        effects = [WoundEffect(36, mortal_wound(against_mortal_wounds(kind)), allocated) for kind in kinds]
        wound = Wound(tuple(effects), edition.order_of_direct)
        self.volley = SequenceVolley(self.number, None, (wound,))

    @property
    def hurt_alike(self) -> bool:
        """Whether a wound does the same to all kinds of models."""
        (wound,) = self.volley.wounds
        return all(effect == wound.effects[0] for effect in wound.effects)

    def damage(self) -> Counts:
        """Damage of one of them, by the re-rolls held before and after it: none."""
        return damage_parts(ONE, [self.volley.wounds[0].effects[0].damage])


#: Volleys and mortal wounds, with all their rolls.
Compiled = CompiledVolley | CompiledMortalWounds


def volleys_of(compiled: Sequence[Compiled]) -> list[CompiledVolley]:
    """Return the volleys among what was compiled."""
    return [each for each in compiled if isinstance(each, CompiledVolley)]


def kinds_of(target: Target | TargetUnit) -> tuple[Target, ...]:
    """Return the kinds of models of a target."""
    return target.kinds if isinstance(target, TargetUnit) else (target,)


def compile_entries(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    edition: Edition,
    selection: Selection | None = None,
) -> list[Compiled]:
    """Work out every roll of each volley against each kind of models."""
    effective_target: Sequence[Target]
    if isinstance(target, TargetUnit):
        effective_target = [target.effective_target(kind, edition, selection) for kind in target.kinds]
    else:
        effective_target = (target,) if selection is None else (replace(target, models=selection.models),)
    found: list[Compiled] = []
    for entry in entries:
        if isinstance(entry, MortalWounds):
            found.append(CompiledMortalWounds(entry, effective_target, edition))
            continue
        stages = [compile_stages(*entry, kind, edition) for kind in effective_target]
        rolls, against = stages[0].rolls, None
        directs = rolls.directs or (rolls.triggers and any(trigger.precision for trigger in rolls.triggers))
        groups = _precision_groups(stages[0], target) if directs else ()
        if stages[0].abilities:
            _require_compatible(stages[0], groups)
        if edition.in_pools and isinstance(target, TargetUnit):
            against = Against(entry, target, edition, selection, groups)
        found.append(CompiledVolley(stages, groups, against))
    return found


class Against(dict[tuple[bool, ...], CompiledVolley]):
    """A volley by the kinds that are alive: of them are the Toughness and the keywords of the unit.

    Warhammer 40,000 11th edition core rules, 05.02.01: Toughness when wounds are rolled.
    """

    def __init__(
        self,
        entry: tuple[Weapon, int, Situation],
        target: TargetUnit,
        edition: Edition,
        selection: Selection | None,
        precision_groups: tuple[int, ...],
    ) -> None:
        self._about = entry, target, edition, selection, precision_groups
        self._made: dict[tuple[Target, ...], CompiledVolley] = {}

    def every(self) -> set[CompiledVolley]:
        """Return the volley against whatever kinds may be alive."""
        return {self[living] for living in product((False, True), repeat=len(self._about[1].kinds))}

    def volley(self, living: tuple[bool, ...]) -> SequenceVolley:
        """Return what the engine needs to know of the volley against the kinds that are alive."""
        return self[living].volley

    def __missing__(self, living: tuple[bool, ...]) -> CompiledVolley:
        entry, target, edition, selection, groups = self._about
        met = tuple(target.effective_target(each, edition, selection, living) for each in target.kinds)
        if met not in self._made:
            self._made[met] = CompiledVolley([compile_stages(*entry, kind, edition) for kind in met], groups)
        found = self[living] = self._made[met]
        return found


def unit_of(target: Target | TargetUnit, edition: Edition, *, single_out: bool = False) -> ModelUnit:
    """Return the states of a target; leaders can be in any of theirs where they can be singled out."""
    if isinstance(target, TargetUnit):
        return target.states(edition, single_out=single_out)
    choose = target.damage_to_0 and edition.chooses_negated
    return _equal_models(target.models, target.wounds, target.wounds_lost, target.damage_to_0, choose)


def state_values(target: Target | TargetUnit, unit: ModelUnit, objective: str) -> tuple[Sequence[int], int]:
    """Return what each state of a unit is worth to its enemy in whole numbers, and what they are counted in."""
    if objective == "points" and target.points is None:
        raise MathhammerError(
            f"expected points of every kind in {target.name!r} to count points by, got none"
        )
    if objective == "probability_destroyed":
        return [0] * (unit.states - 1) + [1], 1
    if objective != "points":
        return unit.wounds_lost() if objective == "wounds_lost" else unit.kills(), 1
    kinds = kinds_of(target)
    common = lcm(*(kind.models for kind in kinds))
    return unit.values([(kind.points or 0) * common // kind.models for kind in kinds]), common


@lru_cache(maxsize=4096)
def _equal_models(
    models: int,
    wounds: int,
    lost: int,
    negates_once: bool,  # noqa: FBT001 - as the target has it
    choose_negated: bool,  # noqa: FBT001 - the same
) -> ModelUnit:
    """Return the states of equal models: there are few different sizes of units."""
    group = Group("models", models, wounds, lost, negates_once=negates_once)
    return ModelUnit((group,), choose_negated=choose_negated)


def _pools(kinds: Sequence[Penetration], edition: Edition) -> list[int]:
    """Return of each kind of wounds that are saved the pool: those of attacks that their own roll changed come apart.

    Warhammer 40,000 11th edition app rules of 22 July 2026, 05.03.02.
    """

    def turn(place: int) -> tuple[bool, bool, bool]:
        kind = kinds[place]
        special = not kind if edition.special_pools_first else bool(kind)
        gifts = DIRECTED not in kind, not any(modifier.of != "precision" for modifier in kind)
        return (special, *gifts) if edition.precision_first else (special, *gifts[::-1])

    order = sorted(range(len(kinds)), key=turn)
    return [order.index(place) for place in range(len(kinds))]


def _immediate(stage: Stages, penetration: Penetration, once: str | None, *, with_dice: bool) -> WoundEffect:
    """Return what a wound that is saved at once does to one kind of models."""
    saves = stage.saves_under[penetration] if penetration else stage.to_save
    damage = stage.damage
    dice = _dice(saves, together=stage.edition.saves_rerolled_together) if with_dice else None
    return WoundEffect(saves.unsaved, damage.distribution, True, damage.negated, once, damage.reroll, dice)  # noqa: FBT003


def _dice(saves: Saves, *, together: bool) -> SaveDice:
    """Return the faces of a saving throw: re-rolled before the first is resolved, or as each is."""
    check = Check(NEVER, reroll=saves.reroll) if saves.best is None else saves.best.check
    fails = [outcome == "fail" for outcome in check.outcomes()]
    if together:
        return SaveDice(check.face_weights(), tuple(36 * failed for failed in fails))
    again = check.rerolled()
    return SaveDice(
        (6,) * 6, tuple(6 * sum(fails) if face in again else 36 * fails[face - 1] for face in range(1, 7))
    )


def _require_compatible(stages: Stages, precision_groups: tuple[int, ...]) -> None:
    """Refuse an attack with abilities of which one excludes the other."""
    known = map(stages.edition.abilities.__getitem__, stages.abilities)
    used = [rule for rule in known if not why_not(rule, stages.situation)]
    names = {rule.name for rule in used if precision_groups or not rule.directs}
    for rule in used:
        for other in names.intersection(rule.excludes):
            raise MathhammerError(
                f"expected {stages.weapon.name!r} without {other} in the {stages.edition.title}, where a weapon with "
                f"{rule.name} cannot have it, got both; take one of them away, or give {other.split()[0].lower()}=False"
            )


def _precision_groups(stages: Stages, target: Target | TargetUnit) -> tuple[int, ...]:
    """Return the groups at which an attack with Precision is directed: the attacker may decline it.

    Core rules, Precision; of several characters the first living one in order unless one is named.
    """
    at = stages.situation.precision
    if isinstance(target, TargetUnit):
        return target.precision_groups(at, characters=stages.edition.in_pools)
    if isinstance(at, str) and at != "best":
        raise UnknownNameError(
            f"expected no name of a leader as precision against {target.name!r}, which has no leader, got {at!r}; "
            "leaders stand in a TargetUnit(..., leaders=[...])"
        )
    return ()
