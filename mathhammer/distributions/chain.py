"""Joint distributions built step by step: the chain rule, and functions of all coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.kernel import require_seconds
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


#: Most outcomes of a joint distribution: some seconds; and bits of an exact one, which weigh as much.
MAXIMUM_OUTCOMES, MAXIMUM_BITS = 1_000_000, 200_000_000
#: Seconds that each takes, with all that is done to it afterwards.
OUTCOME = 3e-6


def require_joint(size: int, bits: int, when: str = "") -> None:
    """Refuse a joint distribution of too many outcomes, each of so many bits."""
    remedy = "smaller units or fewer attacks"
    if size > MAXIMUM_OUTCOMES or size * bits > MAXIMUM_BITS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_OUTCOMES:,} joint outcomes of {MAXIMUM_BITS * 3 // 10:,} digits together, "
            f"but {when}there are {size:,} of {bits * 3 // 10:,} digits each; use {remedy}"
        )
    require_seconds(OUTCOME * size, f"{size:,} joint outcomes {when}".rstrip(), remedy)


def extended(
    joint: JointDistribution, axis: str, distribution: Callable[[tuple[int, ...]], Distribution]
) -> JointDistribution:
    """Joint distribution with one more quantity, whose distribution may depend on all the others: the chain rule."""
    terms, denominator = joint._mass.terms()
    parts = [
        (outcome, term, distribution(outcome))
        for outcome, term in zip(joint._outcomes, terms, strict=True)
        if term
    ]
    size = sum([each._mass._length for *_, each in parts])
    bits = max([each._mass._denominator.bit_length() for *_, each in parts])
    require_joint(size, denominator.bit_length() + bits, f"with {axis!r} ")
    outcomes = [(*outcome, value) for outcome, _, each in parts for value in each.support]
    mass = type(joint._mass).from_terms([term for _, term, _ in parts], denominator)
    return JointDistribution((*joint.axes, axis), outcomes, mass.chained([each._mass for *_, each in parts]))


def redrawn(
    joint: JointDistribution, axis: str, distribution: Callable[[tuple[int, ...]], Distribution]
) -> JointDistribution:
    """Joint distribution after one quantity is drawn anew, in a way that may depend on all of them before."""
    place = joint.axes.index(axis)
    return transformed(
        extended(joint, f"new {axis}", distribution),
        joint.axes,
        lambda outcome: (*outcome[:place], outcome[-1], *outcome[place + 1 : -1]),
    )


def moved(
    joint: JointDistribution,
    axis: str,
    step: Callable[[tuple[int, ...], Distribution], Distribution],
) -> JointDistribution:
    """Joint distribution after one quantity moves on, in a way that may depend on all the others."""
    place, kind = joint.axes.index(axis), type(joint._mass)
    terms, denominator = joint._mass.terms()
    rows: dict[tuple[int, ...], dict[int, Any]] = {}
    for outcome, term in zip(joint._outcomes, terms, strict=True):
        if term:
            row = rows.setdefault((*outcome[:place], -1, *outcome[place + 1 :]), {})
            row[outcome[place]] = row.get(outcome[place], 0) + term
    totals, after = [], []
    for others, row in rows.items():
        low, total = min(row), sum(row.values())
        dense = [row.get(value, 0) for value in range(low, max(row) + 1)]
        totals.append(total)
        after.append(step(others, Distribution._new(kind.from_terms(dense, total), low)))
    outcomes = [
        (*others[:place], value, *others[place + 1 :])
        for others, each in zip(rows, after, strict=True)
        for value in each.support
    ]
    mass = kind.from_terms(totals, denominator).chained([each._mass for each in after])
    return transformed(JointDistribution(joint.axes, outcomes, mass), joint.axes, tuple)


def transformed(
    joint: JointDistribution, axes: Sequence[str], function: Callable[[tuple[int, ...]], tuple[int, ...]]
) -> JointDistribution:
    """Joint distribution of functions of the coordinates; equal images add up."""
    terms, denominator = joint._mass.terms()
    totals: dict[tuple[int, ...], Any] = {}
    for outcome, term in zip(joint._outcomes, terms, strict=True):
        if term:
            image = function(outcome)
            totals[image] = totals[image] + term if image in totals else term
    found = sorted(totals)
    mass = type(joint._mass).from_terms([totals[image] for image in found], denominator)
    return JointDistribution(axes, found, mass)


def parted(
    joint: JointDistribution, condition: Callable[[tuple[int, ...]], bool]
) -> tuple[JointDistribution, JointDistribution]:
    """Parts of a joint distribution in which a condition holds and does not, each with its own mass."""
    terms, denominator = joint._mass.terms()
    parts: tuple[dict[tuple[int, ...], Any], ...] = ({}, {})
    for outcome, term in zip(joint._outcomes, terms, strict=True):
        if term:
            parts[not condition(outcome)][outcome] = term
    kind = type(joint._mass)
    yes, no = (
        JointDistribution(joint.axes, list(part), kind.from_terms(list(part.values()), denominator))
        for part in parts
    )
    return yes, no


def united(one: JointDistribution, other: JointDistribution) -> JointDistribution:
    """Joint distribution of two parts that have no outcome in common."""
    mass = type(one._mass).from_weights([1, 1], 1).chained([one._mass, other._mass])
    return JointDistribution(one.axes, [*one._outcomes, *other._outcomes], mass)
