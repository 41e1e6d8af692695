"""Volleys against a unit: the walk from the first attack to the last lost model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flint import fmpq

from mathhammer.arithmetic.mass import Mass
from mathhammer.arithmetic.matrix import FEW_PRODUCTS
from mathhammer.arithmetic.transition import Transition
from mathhammer.distributions.counted import Counted
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution, number_passing
from mathhammer.distributions.kernel import NO_REROLLS, Kernel, Measure
from mathhammer.distributions.walk import Deferred, Walk
from mathhammer.expressions.base import as_expression
from mathhammer.sequence.attack_distribution import AttackDistribution, subsets
from mathhammer.sequence.group import model_block
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.pool_resolution import PoolResolution
from mathhammer.sequence.volley import AttackNumber, after_saves, compound, measures, passing, require_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.distributions.kernel import Held, Number
    from mathhammer.sequence.group import Wound
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.sequence.volley import SequenceVolley

#: Most transitions that are kept with a unit.
MAXIMUM_KERNELS = 16


def resolve(
    volleys: Sequence[SequenceVolley],
    unit: ModelUnit,
    *,
    start: Distribution | int | None = None,
) -> Distribution:
    """Distribution of the state of a unit after all volleys."""
    resolution = Resolution(volleys, unit, start)
    for index in range(len(volleys)):
        resolution.volley(index)
    resolution.walk.resolve()
    return resolution.walk.distribution()


def resolve_orders(
    volleys: Sequence[SequenceVolley],
    alike: Sequence[int],
    unit: ModelUnit,
    *,
    start: Distribution | int | None = None,
) -> Iterator[tuple[tuple[int, ...], Distribution]]:
    """Yield the places of the volleys in every order that differs, and the states after: beginnings are walked once."""
    last = [place for place, volley in enumerate(volleys) if volley.attack is None]

    def after(
        resolution: Resolution, left: tuple[int, ...], made: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], Distribution]]:
        if not left:
            for place in last:
                resolution.volley(place)
            resolution.walk.resolve()
            yield made, resolution.walk.distribution()
            return
        seen = set()
        for place in left:
            if alike[place] not in seen:
                seen.add(alike[place])
                further = resolution.copy() if len(left) > 1 else resolution
                further.volley(place)
                yield from after(further, tuple([other for other in left if other != place]), (*made, place))

    attacks = tuple(place for place, volley in enumerate(volleys) if volley.attack is not None)
    yield from after(Resolution(volleys, unit, start), attacks, ())


def shared_rerolls(volleys: Sequence[SequenceVolley]) -> Held:
    """Return the single re-rolls that are not one volley's own."""
    found = NO_REROLLS
    for volley in volleys:
        if rerolls := volley.rerolls:
            found |= rerolls - volley.own
    return found


class Resolution:
    """A walk over the volleys, one at a time."""

    def __init__(
        self,
        volleys: Sequence[SequenceVolley],
        unit: ModelUnit,
        start: Distribution | int | None = None,
    ) -> None:
        require_numbers(volleys)
        self._volleys = volleys
        self._left = dict.fromkeys(range(len(volleys)))
        self.unit = unit
        self.walk: Walk = Walk(unit.first if start is None else start, unit.states)
        self._shared = shared_rerolls(volleys)
        if self._shared:
            self.walk.hold(self._shared)
        self._later: list[IntegerDistribution] = []
        # What volleys do, which copies of the resolution have in common.
        self.moves: dict[tuple[int, Held], tuple[Kernel | int, Number]] = {}

    def copy(self) -> Resolution:
        """Return the same resolution, to go on with other volleys first."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.walk, other._left, other._later = self.walk.copy(), dict(self._left), list(self._later)
        return other

    def volley(self, index: int, instead: SequenceVolley | None = None) -> None:
        """Walk the volley at a place, or another instead of it, with what is deferred to its end."""
        volley = instead or self._volleys[index]
        del self._left[index]
        attack = volley.attack
        if attack is None:
            (wound,) = volley.wounds
            self.walk.defer(
                self._deferred(wound, (), index, 0),
                Measure.of(volley.number.expression.compute()),
            )
            self._later.append(wound.effects[0].damage)
        else:
            if volley.own:
                self.walk.hold(volley.own)
            if self.unit.is_simple:
                self._on_equal_models(volley, attack, index)
            elif isinstance(self.unit, GroupedUnit):
                self._in_pools(volley, self.unit)
            else:
                self._on_groups(volley, attack, index)
            if volley.own:
                self.walk.drop(volley.own)
        self.walk.resolve(below=0)

    # Equal models ----------------------------------------------------------------------------------------------

    def _on_equal_models(self, volley: SequenceVolley, attack: AttackDistribution, index: int) -> None:
        """Walk attacks whose saves belong to no particular model: failed saves are counted."""
        if len(volley.wounds) == 1 and volley.wounds[0].rank is None:
            self._advance(volley, attack, index, volley.wounds[0].effects[0].unsaved)
            return
        attack = after_saves(volley)
        first, *further = (wound.effects[0].damage for wound in volley.wounds[volley.immediate - 1 :])
        if not volley.defers or self._alike(volley, [first, *further]):
            self._advance(volley, attack, index)
            return
        self._later += [
            wound.effects[0].damage for wound in volley.wounds if wound.rank is not None and wound.rank >= 0
        ]
        if any(wound.effects[0].damage_reroll is not None for wound in volley.wounds):
            self._defer(volley, attack, [self._kernel(volley.wounds[0])], index)
            return
        # Wounds that take nothing off need no count, nor do more of the others than the unit has wounds.
        chances = tuple(damage.chance_of_any() for damage in (first, *further))
        wounds = tuple(_effective(wound) for wound in volley.wounds)
        volley = volley._replace(wounds=wounds)
        attack, cut = passing(attack, chances), self.unit.states - 1
        self._defer(volley, attack, [self._kernel(wounds[0])], index, cut)

    def _alike(self, volley: SequenceVolley, damages: Sequence[IntegerDistribution]) -> bool:
        """Whether the wounds of a volley, and those that come between them, act on the unit in the same way."""
        if any(wound.effects[0].damage_reroll is not None for wound in volley.wounds):
            return False
        wounds = self.unit.groups[0].wounds
        one = model_block(damages[0], wounds)
        between = list(damages[1:])
        if any(wound.rank is not None and wound.rank >= 0 for wound in volley.wounds):
            between += [*self._later, *_damages([self._volleys[later] for later in self._left])]
        return all(model_block(other, wounds) == one for other in between)

    def _advance(
        self, volley: SequenceVolley, attack: AttackDistribution, index: int, unsaved: int = 36
    ) -> None:
        """Walk attacks all of whose wounds act in the same way, once saves have failed by a weight out of 36."""
        # Of the re-rolls those that no later volley can use.
        rerolls = volley.rerolls if self._shared or volley.own else NO_REROLLS
        last = rerolls and rerolls - shared_rerolls([self._volleys[later] for later in self._left])
        if (index, last) not in self.moves:
            if rerolls and unsaved < 36:
                attack, unsaved = after_saves(volley), 36
            self.moves[index, last] = self._move(volley, attack, unsaved, rerolls, last)
        self.walk.advance(*self.moves[index, last])

    def _move(
        self, volley: SequenceVolley, attack: AttackDistribution, unsaved: int, rerolls: Held, last: Held
    ) -> tuple[Kernel | int, Number]:
        """Return one step and how many of them are made; or what is lost at once in each, and how often."""
        number, wound = volley.number.parts(), volley.wounds[0]
        events = {
            key: number_passing(part.of_sum(), part.denominator, unsaved, 36)
            for key, part in attack.parts.items()
        }
        weights, denominator = events[NO_REROLLS, NO_REROLLS]
        once = rerolls and wound.rerolls
        at_once = len(weights) <= 2 and len(number) == 1 and not (rerolls and (once or attack.rerolls))
        if self.unit.is_simple and not once:
            # Only wounds that take off anything are counted, and no more than destroy the unit.
            damage, steps = wound.effects[0].damage, number[0][2]
            step, most = self._effective(damage)
            alone = len(self._volleys) == 1 or isinstance(step, int)
            # A few attacks of one of several volleys, from any state, are products with the matrix of one attack.
            if alone or not (at_once and len(steps.mass) == 1 and steps.low * most**2 <= FEW_PRODUCTS):
                chance = damage.chance_of_any()
                each = {
                    key: Measure(0, Mass.from_weights(*number_passing(*passed, *chance)))
                    for key, passed in events.items()
                }
                return step, compound(number, each, last, most)
        kernel = self._kernel(wound, volley.directed)
        if at_once:
            key = (wound, volley.directed, tuple(weights), denominator)
            return self._known(key, lambda: kernel.polynomial(weights, denominator)), number
        return kernel, compound(number, measures(attack), last - kernel.rerolls)

    def _effective(self, damage: IntegerDistribution) -> tuple[Kernel | int, int]:
        """Return what a wound does that takes off anything, and how many of them destroy the unit in any case.

        Where all take one wound or one model, that is how many wounds equal models lose.
        """
        group, most, effective = self.unit.groups[0], self.unit.states - 1, damage.positive()
        if effective.most == 1:
            return 1, most
        if effective.low >= group.wounds:
            return group.wounds, group.models
        return self._of_equal(effective), most

    def _of_equal(self, damage: IntegerDistribution) -> Kernel:
        """Return one failed save of equal models."""
        group = self.unit.groups[0]
        return self._known(
            damage,
            lambda: Kernel.of(Transition.banded(*model_block(damage, group.wounds), group.models)),
        )

    # Groups ----------------------------------------------------------------------------------------------------

    def _on_groups(self, volley: SequenceVolley, attack: AttackDistribution, index: int) -> None:
        """Walk attacks whose saves and damage belong to the model that a wound is allocated to."""
        immediate = volley.wounds[: volley.immediate]
        if len(immediate) == 1 and not volley.defers:
            self._advance(volley, attack.marginal(0), index)
        else:
            kernels = [self._kernel(wound, volley.directed if wound.directed else ()) for wound in immediate]
            self._defer(volley, attack, kernels, index)

    def _in_pools(self, volley: SequenceVolley, unit: GroupedUnit) -> None:
        """Walk attacks whose saves are rolled together; their rolls are those against the groups that are alive."""
        of_states: dict[int, tuple[SequenceVolley, list[int]]] = {}
        for state in Counted(self.walk.blocks).occupied():
            now = volley if volley.against is None else volley.against(unit.living(state))
            of_states.setdefault(id(now), (now, []))[1].append(state)
        parts = [PoolResolution(now, unit).resolve(self.walk, states) for now, states in of_states.values()]
        every = range(unit.states)
        found = (
            parts[0] if len(parts) == 1 else Counted.gathered([(part, every) for part in parts], len(every))
        )
        self.walk = self.walk.at(found.blocks, len(every))

    def _defer(
        self,
        volley: SequenceVolley,
        attack: AttackDistribution,
        immediate: Sequence[Kernel],
        index: int,
        cut: int | None = None,
    ) -> None:
        """Walk attacks that make wounds of several kinds, of which some may be deferred."""
        deferred = [
            self._deferred(wound, volley.directed if wound.directed else (), index, place)
            for place, wound in enumerate(volley.wounds[volley.immediate :])
        ]
        number = volley.number.parts()
        plain = not attack.rerolls and all(not kernel.rerolls for kernel in immediate)
        split = None
        kernels: Mapping[tuple[int, ...], Kernel] = {}
        if plain and len(immediate) == len(deferred) == len(number) == 1:
            split = immediate[0].plain, attack.plain
        else:
            kernels = self._attack_kernels(attack, immediate)
        if deferred:
            self.walk.advance_deferring(kernels, number, deferred, split=split, cut=cut)
        else:
            self.walk.advance(kernels[()], number)

    def _attack_kernels(
        self, attack: AttackDistribution, immediate: Sequence[Kernel]
    ) -> dict[tuple[int, ...], Kernel]:
        """Return one attack for each number of wounds of every kind that it defers."""
        later = NO_REROLLS.union(*(kernel.rerolls for kernel in immediate))
        rerolls = attack.rerolls | later
        found: dict[tuple[int, ...], dict[tuple[Held, Held], object]] = {}
        for (held, left), counts in attack.parts.items():
            for further, weights in counts.by_further().items():
                step = immediate[0].polynomial(weights, counts.denominator)
                for kernel, count in zip(immediate[1:], further, strict=False):
                    if count:
                        step = _over(step, later) @ _over(kernel.polynomial([0] * count + [1], 1), later)
                parts = found.setdefault(further[len(immediate) - 1 :], {})
                for (before, after), matrix in _over(step, later).parts.items():
                    key = held | before, left | after
                    present = parts.get(key)
                    parts[key] = matrix if present is None else present + matrix  # type: ignore[operator]
        return {counts: Kernel(parts, rerolls) for counts, parts in found.items()}  # type: ignore[arg-type]

    def _deferred(self, wound: Wound, directed: Sequence[int], index: int, place: int) -> Deferred:
        kernel = self._kernel(wound, directed)
        key: Hashable = (index, place)
        if self.unit.is_simple and not wound.rerolls:
            block, denominator = model_block(wound.effects[0].damage, self.unit.groups[0].wounds)
            key = (tuple(map(tuple, block)), denominator)
        return Deferred(kernel, key, wound.rank or 0)

    def _kernel(self, wound: Wound, directed: Sequence[int] = ()) -> Kernel:
        """Return one wound, on equal models one whose save has failed."""
        if self.unit.is_simple:
            if wound.effects[0].damage_reroll is None:
                return self._of_equal(wound.effects[0].damage)
            wound = wound.failed()
        return self._known(
            (wound, tuple(directed)), lambda: self.unit.kernel(wound, self.unit.opened(directed))
        )

    def _known(self, key: Hashable, make: Callable[[], Kernel]) -> Kernel:
        """Return a kernel that an earlier walk over the unit may have used: equal weapons come again."""
        known = self.unit.kernels
        if key not in known:
            while len(known) >= MAXIMUM_KERNELS:
                del known[next(iter(known))]
            known[key] = make()
        found: Kernel = known[key]
        return found


def _over(kernel: Kernel, rerolls: Held) -> Kernel:
    """Return the same step where more re-rolls are held: it leaves those alone."""
    if kernel.rerolls == rerolls:
        return kernel
    others = subsets(rerolls - kernel.rerolls)
    parts = {
        (held | other, left | other): matrix
        for (held, left), matrix in kernel.parts.items()
        for other in others
    }
    return Kernel(parts, rerolls)


def _effective(wound: Wound) -> Wound:
    """Return a wound of which it is known that it takes something off equal models."""
    (effect,) = wound.effects
    return wound._replace(effects=(effect._replace(damage=effect.damage.positive()),))


def _damages(volleys: Sequence[SequenceVolley]) -> Iterator[IntegerDistribution]:
    """What else is resolved before wounds that are deferred to the last volley, or between them and those of others."""
    for volley in volleys:
        kinds = volley.wounds if volley.defers else volley.wounds[: volley.immediate]
        yield from (wound.effects[0].damage for wound in kinds)


class Share(NamedTuple):
    """Mean losses caused by one volley; the shares of all volleys add up to those of the unit.

    Parameters
    ----------
    kills, wounds_lost
        Models that it destroyed, and wounds that it took.
    attacks, attacks_left_over
        Its attacks, and those of them that were left over when the unit was destroyed: they are lost.
    """

    kills: Any
    wounds_lost: Any
    attacks: Any
    attacks_left_over: Any


def shares(
    volleys: Sequence[SequenceVolley],
    unit: ModelUnit,
    *,
    start: Distribution | int | None = None,
) -> list[Share]:
    """Return what each volley does on average, in numbers as those of `in_fractions`."""
    last = [_until_last(volley) for volley in volleys]
    first = [_without(volley, places) for volley, places in zip(volleys, last, strict=True)]
    resolution = Resolution(first, unit, start)
    states, attacks = [resolution.walk.distribution()], []
    for index, volley in enumerate(volleys):
        attacks.append(_attacks(resolution, index, volley))
        resolution.volley(index)
        states.append(resolution.walk.distribution())
    steps = [[(states[index], states[index + 1])] for index in range(len(volleys))]
    before = states[-1]
    turns = {
        (volley.wounds[place].rank or 0, index)
        for index, volley in enumerate(volleys)
        for place in last[index]
    }
    left = [set(places) for places in last]
    for rank, index in sorted(turns):
        left[index] = {place for place in left[index] if (volleys[index].wounds[place].rank or 0) != rank}
        kept = [_without(volley, places) for volley, places in zip(volleys, left, strict=True)]
        after = resolve(kept, unit, start=start)
        steps[index].append((before, after))
        before = after
    kills, wounds = unit.kills(), unit.wounds_lost()
    return [
        Share(_change(changes, kills), _change(changes, wounds), *made)
        for changes, made in zip(steps, attacks, strict=True)
    ]


def _change(changes: Sequence[tuple[Distribution, Distribution]], values: Sequence[int]) -> Any:
    """Return by how much a mean grows in all."""
    first, *others = (
        in_fractions(after.map(values.__getitem__)).mean()
        - in_fractions(before.map(values.__getitem__)).mean()
        for before, after in changes
    )
    return sum(others, first)


def _attacks(resolution: Resolution, index: int, volley: SequenceVolley) -> tuple[Any, Any]:
    """Mean number of attacks of a volley, and of those made after the unit was destroyed."""
    nothing: Any = fmpq(0)
    most: Any = volley.number.most
    if volley.attack is None or not most:
        return nothing, nothing
    if isinstance(resolution.unit, GroupedUnit):
        number = in_fractions(volley.number.expression.compute()).mean()
        before: Any = in_fractions(resolution.walk.distribution())
        return number, number * before.pmf(resolution.unit.states - 1)
    ordinary = volley.without(range(volley.immediate, len(volley.wounds)))
    tails = ordinary._replace(number=ordinary.number._replace(tails=True))
    other = resolution.copy()
    other.moves = {}
    other.volley(index, tails)
    made: Any = in_fractions(other.walk.distribution())
    mean = in_fractions(volley.number.expression.compute()).mean()
    if volley.number.parted is not None:
        mean = most * made._mass.total()  # noqa: SLF001 - a measure: its mass is that of the tail
    return mean, most * made.pmf(resolution.unit.states - 1)


def _until_last(volley: SequenceVolley) -> tuple[int, ...]:
    """Places of the kinds of wounds that are deferred to the last volley, if any is ever inflicted."""
    if not volley.defers:
        return ()
    return tuple(
        place for place, wound in enumerate(volley.wounds) if wound.rank is not None and wound.rank >= 0
    )


def _without(volley: SequenceVolley, places: Collection[int]) -> SequenceVolley:
    """Return a volley whose wounds of some kinds come to nothing."""
    if volley.attack is None and places:
        return volley._replace(number=AttackNumber(as_expression(0)))
    return volley.without(places)
