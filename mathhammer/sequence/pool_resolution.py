"""Pools of identical attacks: all their dice are rolled before the first is resolved, and saved from the lowest up."""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.arithmetic.in_order import DiceInOrder
from mathhammer.distributions.counted import Counted
from mathhammer.distributions.integer_distribution import GeneratingFunction
from mathhammer.distributions.kernel import Kernel, Measure, require_seconds
from mathhammer.errors import MathhammerError
from mathhammer.sequence.attack_distribution import AttackDistribution, saving_throw
from mathhammer.sequence.grouped_unit import alike, dice_classes
from mathhammer.sequence.volley import compound, measures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions.kernel import Held, Number
    from mathhammer.distributions.walk import Walk
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.grouped_unit import GroupedUnit, Order
    from mathhammer.sequence.volley import SequenceVolley


class _SavedPool(NamedTuple):
    """The wounds of attacks that are saved together: those that allow a save, if any, and those that are deferred."""

    saved: Wound | None
    deferred: tuple[Wound, ...]
    #: Which dice are left out, as they save every model, and whether those that stay all do the same.
    thinned: _Thinning | None

    @property
    def kinds(self) -> int:
        """Number of the kinds of wounds."""
        return (self.saved is not None) + len(self.deferred)


class _PoolCase(NamedTuple):
    """What is chosen when a pool is saved: the kinds at which it is directed, and the order of the groups."""

    named: tuple[int, ...]
    order: Order
    first: int | None = None


class PoolResolution:
    """The pools of one volley against a unit that saves in groups."""

    def __init__(self, volley: SequenceVolley, unit: GroupedUnit) -> None:
        self._volley = volley
        self._unit = unit
        attack = volley.attack
        if attack is None:
            raise TypeError("wounds that no attack inflicts are no pool")
        thinned = [self._thinning(wound) if wound.rank is None else None for wound in volley.wounds]
        self._pools, places = _pools(volley, thinned)
        following = []
        for place, each in enumerate(thinned):
            unit_of = AttackDistribution.of(GeneratingFunction.unit(place, len(thinned)))
            following.append(unit_of if each is None else saving_throw(each.kept, unit_of, once=each.once))
        self._attack = attack.then(following).marginal(*places)
        self._number = volley.number.parts()
        #: Of each kind, pool after pool, the part that it is of the wounds that are counted with it and not yet made.
        self._portions = [(1, 1)] * len(places)
        if (shares := self._shares(len(places))) is not None:
            self._portions = [(share, sum(shares[place:])) for place, share in enumerate(shares)]
            most = [self._attack.plain.degree]
        else:
            every = [counts for part in self._attack.parts.values() for counts in part.coefficients]
            most = [max(counts[place] for counts in every) for place in range(len(places))]
        self._sizes = tuple(1 + volley.number.most * each for each in most)

    def _shares(self, kinds: int) -> tuple[int, ...] | None:
        """Weights of the kinds where one count of all wounds is enough: each is of one of them by the same chances."""
        if self._attack.rerolls or len(self._number) > 1 or kinds == 1:
            return None
        if self._volley.directs_saved and self._volley.directed:
            return None
        return self._attack.plain.shares()

    def resolve(self, walk: Walk, states: Sequence[int]) -> Counted:
        """Return the mass of some states of a walk after all pools."""
        whole = range(self._unit.states)
        found = Counted(walk.blocks).within(states, whole)
        sizes = self._sizes
        for index, pool in enumerate(self._pools):
            parts = []
            wounds = sum(sizes) - len(sizes)
            for case, starting in self._cases(pool, found.occupied()).items():
                among = self._unit.reached(starting, case.order, case.named, wounds)
                part = found.within(starting, among)
                parts.append((self._saved(walk, part, index, case, among), among))
            found = Counted.gathered(parts, len(whole))
            if len(self._sizes) > 1:
                sizes = sizes[pool.kinds :]
        return found

    def _cases(self, pool: _SavedPool, states: Sequence[int]) -> Mapping[_PoolCase, list[int]]:
        """Sort the states in which a pool may begin by what is chosen then."""
        directed = self._volley.directed if pool.saved is not None and pool.saved.directed else ()
        effects = () if pool.saved is None else pool.saved.effects
        differ = len({effect.dice.faces for effect in effects if effect.dice is not None}) > 1
        found: dict[_PoolCase, list[int]] = {}
        for state in states:
            named = self._unit.named(state, directed)
            order = self._unit.save_order(state, named)
            first = self._unit.current(state, order) if differ else None
            found.setdefault(_PoolCase(named, order, first), []).append(state)
        return found

    def _saved(self, walk: Walk, part: Counted, index: int, case: _PoolCase, among: Sequence[int]) -> Counted:
        """Resolve one pool in one case."""
        pool = self._pools[index]
        thinned = pool.thinned
        if index == 0 and len(self._portions) == 1 and thinned is not None and thinned.alike:
            # It does not matter which die is whose: failed saves are walked.
            assert pool.saved is not None  # noqa: S101 - such a pool has saves
            opened = self._unit.opened_in_turn(case.order, among)
            kernel, local = (
                self._unit.kernel(pool.saved.failed(), opened, among),
                walk.at(part.blocks, len(among)),
            )
            local.advance(kernel, compound(self._number, measures(self._attack)))
            return Counted(local.blocks)
        if index == 0:
            dice = self._in_order(case, among)
            if dice is not None:
                return part.in_order(dice)
            part = part.opened(self._joint(), self._sizes)
        if self._volley.directs_saved and case.named:
            none, some = part.without_first()
            order = self._unit.save_order(among[0], ())
            undirected = self._in_turn(none, index, _PoolCase((), order), among)
            return Counted.gathered(
                [
                    (undirected, range(len(among))),
                    (self._in_turn(some, index, case, among), range(len(among))),
                ],
                len(among),
            )
        return self._in_turn(part, index, case, among)

    def _in_order(self, case: _PoolCase, among: Sequence[int]) -> DiceInOrder | None:
        """Return the dice of the only pool, where each is of one class by the same chances and none is re-rolled."""
        pool = self._pools[0]
        if len(self._pools) > 1 or len(self._sizes) > 1 or len(self._number) > 1 or self._attack.rerolls:
            return None
        if self._volley.directs_saved and case.named:
            return None
        saved: list[tuple[Kernel | None, int]] = []
        portions = [share for share, _ in self._portions]
        if pool.saved is not None:
            saved = self._classes(pool.saved, pool.thinned, case, among)
            share = portions.pop(0)
        whole = sum(weight for _, weight in saved) or 1
        classes = [(kernel, weight * share) for kernel, weight in saved]
        for wound, each in zip(pool.deferred, portions, strict=True):
            opened = self._unit.opened(case.named if wound.directed else ())
            classes.append(
                (self._unit.kernel(wound, [opened[state] for state in among], among), each * whole)
            )
        if any(kernel is not None and kernel.rerolls for kernel, _ in classes):
            return None
        steps = [(None if kernel is None else kernel.plain, weight) for kernel, weight in classes]
        number, attack = self._number[0][2], self._attack.plain
        dice = DiceInOrder(steps, number.low, number.mass, attack.of_sum(), attack.denominator)
        require_seconds(dice.seconds, f"saves of up to {dice.most:,} dice", "fewer attacks or a smaller unit")
        return dice

    def _in_turn(self, part: Counted, index: int, case: _PoolCase, among: Sequence[int]) -> Counted:
        """Save the dice of a pool from the lowest up, then inflict what it has deferred."""
        pool = self._pools[index]
        first = sum(each.kinds for each in self._pools[:index])
        portions = iter(self._portions[first : first + pool.kinds])
        if pool.saved is not None:
            classes = self._classes(pool.saved, pool.thinned, case, among)
            part = self._spent(part, classes, *next(portions))
        for wound in pool.deferred:
            named = case.named if wound.directed else ()
            opened = self._unit.opened(named)
            kinds = [opened[state] for state in among]
            part = self._spent(part, [(self._unit.kernel(wound, kinds, among), 1)], *next(portions))
        return part

    @staticmethod
    def _spent(part: Counted, classes: Sequence[tuple[Kernel | None, int]], share: int, left: int) -> Counted:
        """Make the wounds of one kind, class by class, where they are some share of those that are left."""
        left *= sum(weight for _, weight in classes)
        kinds = sum(kernel is not None for kernel, _ in classes)
        for kernel, weight in classes:
            made = share * weight
            if not made:
                continue
            divisor = gcd(made, left)
            part = part.spend(kernel, made // divisor, left // divisor, kinds=kinds)
            left -= made
            kinds -= kernel is not None
        return part

    def _classes(
        self, wound: Wound, thinned: _Thinning | None, case: _PoolCase, among: Sequence[int]
    ) -> list[tuple[Kernel | None, int]]:
        """Return what the dice of saves do, from the lowest up, with the weight of each class of faces."""
        current = self._unit.opened_in_turn(case.order, among)
        if thinned is not None and thinned.alike:
            return [(self._unit.kernel(wound.failed(), current, among), 1)]
        kinds = {kind for each in current for kind in each}
        if not kinds:
            return [(None, 1)]
        if any(wound.effects[kind].save_reroll is not None for kind in kinds):
            raise MathhammerError(
                "expected no single re-roll of a save against groups of models that save differently, which looks at "
                "all dice of a pool; use reroll_saves='ones' or 'failed', or attack the groups one by one"
            )
        first = self._unit.current(among[0], case.order)
        assert first is not None  # noqa: S101 - a kind of the living is current
        found: list[tuple[Kernel | None, int]] = []
        for face, weight in dice_classes(wound, kinds, first, 6 if thinned is None else thinned.last):
            shown = wound.showing(face)
            acts = any(shown.effects[kind].unsaved for kind in kinds)
            found.append((self._unit.kernel(shown, current, among) if acts else None, weight))
        return found

    # Parts ------------------------------------------------------------------------------------------------------

    def _thinning(self, wound: Wound) -> _Thinning | None:
        """Return which dice of a pool are left out, as they save every model of the unit."""
        if self._volley.directs_saved and self._volley.directed:
            return None
        first = wound.effects[0]
        if alike(wound, range(len(self._unit.groups))):
            return _Thinning(first.unsaved, 6, alike=True, once=first.save_reroll)
        dice = [effect.dice for effect in wound.effects if effect.dice is not None]
        if len({each.faces for each in dice}) > 1:
            return None
        last = max(face for each in dice for face, fails in enumerate(each.failing, 1) if fails)
        return _Thinning(sum(dice[0].faces[:last]), last)

    def _joint(self) -> Number:
        """Joint distribution of all numbers, packed into one, by the re-rolls held before and left after."""
        if len(self._sizes) == 1:
            return compound(self._number, measures(self._attack))
        strides = [prod(self._sizes[place + 1 :]) for place in range(len(self._sizes))]
        packed: dict[tuple[Held, Held], Measure] = {}
        for key, part in self._attack.parts.items():
            places = {
                sum(stride * count for stride, count in zip(strides, counts, strict=True)): weight
                for counts, weight in part.coefficients.items()
            }
            weights = [places.get(place, 0) for place in range(max(places) + 1)]
            packed[key] = Measure.from_weights(weights, part.denominator)
        return compound(self._number, packed)


class _Thinning(NamedTuple):
    """The dice of a pool that are not left out: their weight, the last face, and whether all models save alike."""

    kept: int
    last: int
    alike: bool = False
    once: str | None = None


def _pools(volley: SequenceVolley, thinned: Sequence[_Thinning | None]) -> tuple[list[_SavedPool], list[int]]:
    """Return the pools of a volley, and the places of their kinds of wounds, in the order of resolution."""
    pools, places = [], []
    for number in sorted({wound.pool for wound in volley.wounds}):
        mine = [(place, wound) for place, wound in enumerate(volley.wounds) if wound.pool == number]
        saved = [(place, wound) for place, wound in mine if wound.rank is None]
        deferred = sorted(
            ((place, wound) for place, wound in mine if wound.rank is not None),
            key=lambda each: (each[1].rank, each[0]),
        )
        place, wound = saved[0] if saved else (0, None)
        pools.append(
            _SavedPool(wound, tuple(each for _, each in deferred), thinned[place] if saved else None)
        )
        places += [place for place, _ in (*saved, *deferred)]
    return pools, places
