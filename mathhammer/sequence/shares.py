"""What each volley did: its share of the losses, and its attacks left over when the unit was destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flint import fmpq

from mathhammer.distributions.fractions import in_fractions
from mathhammer.expressions.base import as_expression
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.resolution import Resolution, resolve
from mathhammer.sequence.volley import AttackNumber

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.sequence.volley import SequenceVolley


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
    made: Any = in_fractions(resolution.made(index, tails).distribution())
    mean = in_fractions(volley.number.expression.compute()).mean()
    if volley.number.reroll is not None:
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
