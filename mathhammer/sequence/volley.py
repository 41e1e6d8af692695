"""A volley as numbers: how many attacks, what each of them produces, and what one wound does."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.arithmetic.triangular import compounds
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import MAXIMUM_SECONDS, NO_REROLLS, Measure
from mathhammer.errors import TooLargeError
from mathhammer.sequence.attack_distribution import (
    AttackDistribution,
    repeated,
    saving_throw,
    with_reroll,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mathhammer.distributions.kernel import Held, Number
    from mathhammer.expressions import Expression
    from mathhammer.sequence.group import UnitStates, Wound

#: Seconds of a product of two terms of generating functions.
_PRODUCT = 2.4e-7
#: Most attacks of one volley.
MAXIMUM_ATTACKS = 20_000

#: Seconds of an attack in a walk, and of each state that it may be in.
ATTACK, STATE = 1e-5, 1e-7


class AttackNumber(NamedTuple):
    """The number of attacks of a volley, of which one roll may be re-rolled."""

    #: The number.
    expression: Expression
    #: The single re-roll that it may use, if any; weight and number where no roll is re-rolled, and where one is.
    reroll: str = ""
    parted: tuple[tuple[int, Expression], tuple[int, Expression]] | None = None
    #: Whether P(N > k) over the most is meant by the probability of every number k.
    tails: bool = False

    @property
    def most(self) -> int:
        """The most attacks there can be."""
        return self.expression.bounds()[1]

    def parts(self) -> Number:
        """Return the distribution by the re-rolls held before and left after."""
        found: Number = [(NO_REROLLS, NO_REROLLS, _computed(self.expression))]
        if self.tails:
            given = self._replace(tails=False).parts()
            tails = ((held, left, part.tails(self.most)) for held, left, part in given)
            return [each for each in tails if len(each[2].mass)]
        if self.parted is None:
            return found
        flag, total = frozenset((self.reroll,)), sum(weight for weight, _ in self.parted)
        for left, (weight, number) in zip((flag, NO_REROLLS), self.parted, strict=True):
            if weight:
                found.append((flag, left, _computed(number).scaled(weight, total)))
        return found


@lru_cache(maxsize=64)
def _computed(number: Expression) -> Measure:
    """Return the distribution of a number of attacks, which every distribution of a result begins with."""
    return Measure.of(number.compute())


class SequenceVolley(NamedTuple):
    """All that a walk needs to know of one volley."""

    #: The number of attacks.
    number: AttackNumber
    #: Joint distribution of the wounds of each kind that one attack inflicts, before saves. None for wounds
    #: that no attack inflicts: there is one of the only kind for each of the number, and they are deferred.
    attack: AttackDistribution | None
    #: The kinds, the immediate ones before those that are deferred.
    wounds: tuple[Wound, ...]
    #: The groups at the first living one of which the attacker directs every wound.
    directed: tuple[int, ...] = ()
    #: The single re-rolls that this volley alone may use.
    own: Held = NO_REROLLS
    #: The volley when some groups of the unit are alive and others are not, where that changes its rolls.
    against: Callable[[tuple[bool, ...]], SequenceVolley] | None = None
    #: Of pools, whether they are directed only if a wound of theirs allows a save.
    directs_saved: bool = False

    @property
    def immediate(self) -> int:
        """Number of the kinds of wounds that are immediate."""
        return sum(wound.rank is None for wound in self.wounds)

    @property
    def defers(self) -> bool:
        """Whether any wound of it can be deferred."""
        if self.attack is None:
            return True
        first = self.immediate
        return len(self.wounds) > first and any(
            any(counts[first:]) for part in self.attack.parts.values() for counts in part.coefficients
        )

    @property
    def rerolls(self) -> Held:
        """The single re-rolls that its dice may use."""
        found = self.attack.rerolls if self.attack is not None else NO_REROLLS
        if self.number.parted is not None:
            found |= {self.number.reroll}
        for wound in self.wounds:
            found |= wound.rerolls
        return found

    def without(self, dropped: Collection[int]) -> SequenceVolley:
        """Return the volley as if its wounds of some kinds came to nothing."""
        if self.attack is None or not dropped:
            return self
        places = [place for place in range(len(self.wounds)) if place not in dropped]
        against = self.against
        return self._replace(
            attack=self.attack.marginal(*places),
            wounds=tuple(self.wounds[place] for place in places),
            against=None if against is None else lambda living: against(living).without(dropped),
        )


def require_numbers(volleys: Sequence[SequenceVolley]) -> None:
    """Raise TooLargeError if there can be more attacks or wounds in a volley than a walk should make."""
    for volley in volleys:
        number = volley.number.expression
        most = number.bounds()[1]
        if most > MAXIMUM_ATTACKS:
            what, fewer = "attacks in a volley", "weapons or attacks"
            if volley.attack is None:
                what, fewer = "wounds without an attack at once", "of them"
            raise TooLargeError(
                f"expected at most {MAXIMUM_ATTACKS:,} {what}, but {number} can be {most:,}; use fewer {fewer}"
            )


def require_walks(
    volleys: Sequence[SequenceVolley], unit: UnitStates, *, orders: int = 1, walked: float = 1.0
) -> None:
    """Raise TooLargeError if walks over all volleys, in so many orders, take longer than some seconds."""
    attacks = int(walked * sum(volley.number.most for volley in volleys))
    seconds = orders * attacks * (ATTACK + unit.states * STATE)
    if seconds > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected a question that takes at most {MAXIMUM_SECONDS:.0f} seconds, but {orders:,} orders of "
            f"{attacks:,} attacks over {unit.states:,} states take about {seconds:,.0f}; use fewer volleys, fewer "
            "attacks or a smaller unit, or give the order"
        )


def all_attacks(
    volley: SequenceVolley, each: AttackDistribution, nothing: GeneratingFunction | None = None
) -> AttackDistribution:
    """Return what all attacks of a volley count together."""
    number = volley.number
    seconds = _PRODUCT * number.most**2 * sum(len(part.coefficients) for part in each.parts.values())
    if seconds > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected attacks whose dice take at most {MAXIMUM_SECONDS:.0f} seconds together, but those of up to "
            f"{number.most:,} take about {seconds:,.0f}; use fewer weapons or attacks"
        )
    gone = repeated(each, _integers(number.expression), nothing)
    if number.parted is None:
        return gone
    total = sum(weight for weight, _ in number.parted)
    kept, spent = (
        AttackDistribution.mixture([(weight, repeated(each, _integers(rolled), nothing))], total)
        for weight, rolled in number.parted
    )
    return with_reroll(number.reroll, kept, spent, gone)


def _integers(number: Expression) -> IntegerDistribution:
    return IntegerDistribution.from_distribution(number.compute())


def after_saves(volley: SequenceVolley) -> AttackDistribution:
    """Return the failed saves of one attack on equal models, and its deferred wounds of each kind."""
    if volley.attack is None:
        raise TypeError("wounds that no attack inflicts have no attack distribution")
    saves = tuple((wound.effects[0].unsaved, wound.effects[0].save_reroll) for wound in volley.wounds)
    return _after_saves(volley.attack, saves, len(volley.wounds) - volley.immediate)


@lru_cache(maxsize=1024)
def _after_saves(
    attack: AttackDistribution, saves: tuple[tuple[int, str | None], ...], deferred: int
) -> AttackDistribution:
    kinds, immediate = 1 + deferred, len(saves) - deferred
    following = [
        saving_throw(
            unsaved,
            AttackDistribution.of(GeneratingFunction.unit(max(0, place - immediate + 1), kinds)),
            once=once,
        )
        for place, (unsaved, once) in enumerate(saves)
    ]
    return attack.then(following)


@lru_cache(maxsize=1024)
def passing(attack: AttackDistribution, chances: tuple[tuple[int, int], ...]) -> AttackDistribution:
    """Return the counts of one attack of those that pass a roll, of each kind by its chance as a fraction."""
    if all(chance == out_of for chance, out_of in chances):
        return attack
    kinds = len(chances)
    return attack.then(
        [
            saving_throw(chance, AttackDistribution.of(GeneratingFunction.unit(place, kinds)), out_of=out_of)
            for place, (chance, out_of) in enumerate(chances)
        ]
    )


def measures(attack: AttackDistribution) -> dict[tuple[Held, Held], Measure]:
    """Return the sum of the counts of one attack, by the re-rolls held before and after."""
    return {key: Measure.from_weights(part.of_sum(), part.denominator) for key, part in attack.parts.items()}


def compound(
    number: Number,
    each: Mapping[tuple[Held, Held], Measure],
    last: Held = NO_REROLLS,
    cut: int | None = None,
) -> Number:
    """Return the sum of a random number of terms one after another, by the re-rolls held before and left after.

    Of a sum that is more than `cut`, that.
    """
    if len(number) == len(each) == 1:
        ((held, left, steps),), (term,) = number, each.values()
        return [(held, left, steps.compound(term, cut))]
    masses = {key: part.mass.padded(part.low) for key, part in each.items()}
    totals: dict[tuple[Held, Held], list[Measure]] = {}
    for held, left, steps in number:
        for (before, after), total in compounds(steps.low, steps.mass, masses, cut).items():
            totals.setdefault((held | before, (left | after) - last), []).append(Measure(0, total))
    return [(held, left, Measure.union(parts)) for (held, left), parts in totals.items()]
