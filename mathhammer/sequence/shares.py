"""What each volley did: its share of the losses, and its attacks left over when the unit was destroyed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic

from mathhammer.arithmetic import P
from mathhammer.distributions import Distribution, GeneratingFunction, Walk
from mathhammer.expressions import as_expression
from mathhammer.sequence.allocation import Allocation
from mathhammer.sequence.resolution import attack_matrix, losses
from mathhammer.sequence.unit_resolution import (
    AllocatedDirectly,
    AllocatedVolley,
    unit_attack_matrix,
    unit_losses,
)
from mathhammer.sequence.volley import DirectWounds, VolleyLaw, WalkedLaw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.arithmetic import Arithmetic, Matrix
    from mathhammer.expressions import Expression
    from mathhammer.sequence.unit_law import EqualModels

__all__ = ["Rolled", "Share", "shares"]


@dataclass(frozen=True, slots=True)
class Share(Generic[P]):
    """What one volley did, as means; the shares of all volleys add up to the mean losses of the unit.

    Parameters
    ----------
    kills, wounds_lost
        Models that it destroyed, and wounds that it took.
    attacks, attacks_left_over
        Its attacks, and those of them that were left over when the unit was destroyed: they are lost.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS4+ S4 AP0 D1")
    >>> guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    >>> [unit] = wh40k.activations([[wh40k.Volley(rifle), wh40k.Volley(rifle)]], guard, exact=True)
    >>> first, second = unit.shares
    >>> first.kills, second.kills, second.attacks_left_over
    (1/4, 3/16, 1/4)
    """

    kills: P
    wounds_lost: P
    attacks: P
    attacks_left_over: P


@dataclass(frozen=True, slots=True)
class Rolled:
    """What stands behind the attacks of a volley that stand for the successes of a roll.

    Parameters
    ----------
    attacks
        The number of its attacks.
    successes
        What stands for so many attacks.

    Examples
    --------
    >>> from mathhammer.expressions import dice
    >>> Rolled(dice("3"), lambda number: dice(f"{number}D2")).successes(2).bounds()
    (2, 4)
    """

    attacks: Expression
    successes: Callable[[int], Expression]


def shares(
    volleys: Sequence[VolleyLaw | DirectWounds | AllocatedVolley | AllocatedDirectly],
    unit: EqualModels | Allocation,
    *,
    arithmetic: Arithmetic[P],
    start: Distribution[P] | int = 0,
    rolled: Sequence[Rolled | None] = (),
) -> list[Share[P]]:
    """Return what each volley does on average.

    Deferred wounds that wait for the last volley are walked again with those of one volley more each time, in the
    order in which they are resolved: what changes is that volley's.

    Parameters
    ----------
    volleys
        In the order in which they are resolved, with wounds that no attack inflicts.
    unit
        The models.
    arithmetic
        The arithmetic of the walk.
    start
        The state before, or its law.
    rolled
        Of each volley whose attacks stand for the successes of a roll what they are made of; they are then taken to
        be rolled one after another.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, EqualModels, VolleyLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)  # 2/3 to hit, 1/2 to wound, save 4+
    >>> one = IntegerLaw(1, (1,), 1)
    >>> volley = VolleyLaw(dice("2"), chances, (one, one))
    >>> [share] = shares([volley], EqualModels(2, 1), arithmetic=arithmetic(exact=True))
    >>> share.kills
    1/3
    """

    def resolve(laws: Sequence[Any], start: Distribution[P] | int = start) -> Distribution[P]:
        walk: Any = unit_losses if isinstance(unit, Allocation) else losses
        found: Distribution[P] = walk(laws, unit, arithmetic=arithmetic, start=start)
        return found

    def left_over_of(index: int, made: Rolled) -> P:
        """Sum over k of P(N > k) P(destroyed after k attacks), of which one die was rolled again."""
        total: Any = arithmetic.mass.quotient(0, 1)
        number: Any = made.attacks.law(arithmetic)
        for count in range(number.support[-1]):
            law = laws[index]
            if count:
                law = resolve([_with_attacks(ordinary[index], made.successes(count))], law)
            total += number.at_least(count + 1) * law.pmf(unit.states - 1)
        return total  # type: ignore[no-any-return]

    ordinary = [_without(volley, _deferred(volley)) for volley in volleys]
    first = [_without(volley, _until_last(volley)) for volley in volleys]
    laws = [start if isinstance(start, Distribution) else _certain(start, unit.states, arithmetic)]
    laws += [resolve(first[:count]) for count in range(1, len(volleys) + 1)]
    steps = [[(laws[index], laws[index + 1])] for index in range(len(volleys))]
    before = laws[-1]
    left = [_until_last(volley) for volley in volleys]
    turns = {(_ranks(volley)[place], index) for index, volley in enumerate(volleys) for place in left[index]}
    for rank, index in sorted(turns):
        left[index] = tuple(place for place in left[index] if _ranks(volleys[index])[place] != rank)
        after = resolve([_without(volley, places) for volley, places in zip(volleys, left, strict=True)])
        steps[index].append((before, after))
        before = after
    found = []
    for index, volley in enumerate(volleys):
        kills, wounds = (
            sum(
                (_mean(after, values) - _mean(before, values) for before, after in steps[index][1:]),
                _mean(steps[index][0][1], values) - _mean(steps[index][0][0], values),
            )
            for values in (unit.models_destroyed(), unit.wounds_lost())
        )
        if isinstance(volley, DirectWounds | AllocatedDirectly):
            none = arithmetic.mass.quotient(0, 1)
            found.append(Share(kills, wounds, none, none))
            continue
        made = rolled[index] if rolled else None
        number = (made or volley).attacks.law(arithmetic)
        left_over = (
            left_over_of(index, made)
            if made
            else _left_over(
                _matrix(ordinary[index], unit, arithmetic), number, laws[index], unit.states, arithmetic
            )
        )
        found.append(Share(kills, wounds, number.mean(), left_over))
    return found


def _with_attacks(volley: Any, attacks: Expression) -> Any:
    return (
        volley._replace(attacks=attacks)
        if isinstance(volley, VolleyLaw)
        else replace(volley, attacks=attacks)
    )


def _left_over(
    transition: Matrix[P],
    number: Distribution[P],
    start: Distribution[P],
    states: int,
    arithmetic: Arithmetic[P],
) -> P:
    """Mean number of attacks of one volley after the unit was destroyed.

    The k-th attack is left over if there are more than k before it and the unit is destroyed by then: the sum over
    k of P(N > k) P(destroyed after k attacks). The tail of N over its mean is a distribution, that of the steps of a
    walk.
    """
    terms, denominator = number._mass.terms()  # noqa: SLF001
    low = number.support[0]
    tail = list(accumulate(reversed(terms)))[::-1]
    weights = [tail[0]] * low + tail[1:]
    if not weights:
        return arithmetic.mass.quotient(0, 1)  # there is no attack
    walk = Walk(arithmetic, start, states)
    steps = arithmetic.mass.from_terms(weights, denominator).normalised()
    walk.advance(transition, Distribution._new(steps, 0))  # noqa: SLF001
    before: Any = number.mean()
    return before * walk.law().pmf(states - 1)  # type: ignore[no-any-return]


def _mean(law: Distribution[P], values: Sequence[int]) -> Any:
    return law.map(values.__getitem__).mean()


def _certain(state: int, states: int, arithmetic: Arithmetic[P]) -> Distribution[P]:
    return Walk(arithmetic, state, states).law()


def _matrix(volley: Any, unit: EqualModels | Allocation, arithmetic: Arithmetic[P]) -> Matrix[P]:
    if isinstance(unit, Allocation):
        return unit_attack_matrix(volley, unit, arithmetic)
    return attack_matrix(volley, unit, arithmetic)


@dataclass(frozen=True, slots=True)
class _Ordinary:
    """The law of an attack of whose wounds only some kinds come to anything."""

    law: WalkedLaw
    kept: tuple[int, ...]

    @property
    def defers(self) -> bool:
        return any(any(further) for _, *further in self.unsaved_wounds().coefficients)

    def hits(self) -> GeneratingFunction:
        return self.law.hits()

    def wounds(self) -> GeneratingFunction:
        return self.law.wounds()

    def unsaved_wounds(self) -> GeneratingFunction:
        return self.law.unsaved_wounds().marginal(*self.kept)


def _deferred(volley: VolleyLaw | DirectWounds | AllocatedVolley | AllocatedDirectly) -> tuple[int, ...]:
    """Places of the kinds of wounds that wait, if any ever does."""
    if isinstance(volley, DirectWounds | AllocatedDirectly):
        return (0,)
    if not volley.defers:
        return ()
    kinds = volley.ranks if isinstance(volley, VolleyLaw) else volley.kinds[volley.at_once :]
    return tuple(range(len(kinds)))


def _until_last(volley: VolleyLaw | DirectWounds | AllocatedVolley | AllocatedDirectly) -> tuple[int, ...]:
    """Places of the kinds of wounds that wait for the last volley."""
    ranks = _ranks(volley)
    return tuple(place for place in _deferred(volley) if ranks[place] >= 0)


def _ranks(volley: VolleyLaw | DirectWounds | AllocatedVolley | AllocatedDirectly) -> Sequence[int]:
    """Return of each kind of wounds that waits when its turn is."""
    if isinstance(volley, VolleyLaw):
        return volley.ranks
    if isinstance(volley, DirectWounds):
        return (volley.rank,)
    if isinstance(volley, AllocatedDirectly):
        return (volley.wounds.rank or 0,)
    return [kind.rank or 0 for kind in volley.kinds[volley.at_once :]]


def _without(
    volley: VolleyLaw | DirectWounds | AllocatedVolley | AllocatedDirectly, dropped: Sequence[int]
) -> Any:
    """Return a volley whose waiting wounds of some kinds come to nothing."""
    if not dropped:
        return volley
    if isinstance(volley, DirectWounds | AllocatedDirectly):
        return replace(volley, number=as_expression(0))
    if isinstance(volley, VolleyLaw):
        kept = [place for place in range(len(volley.ranks)) if place not in dropped]
        return volley._replace(
            chances=_Ordinary(volley.chances, (0, *(1 + place for place in kept))),
            damages=(volley.damages[0], *(volley.damages[1 + place] for place in kept)),
            ranks=tuple(volley.ranks[place] for place in kept),
        )
    first = volley.at_once
    places = [place for place in range(len(volley.kinds)) if place - first not in dropped]
    return replace(
        volley, each=volley.each.marginal(*places), kinds=tuple(volley.kinds[place] for place in places)
    )
