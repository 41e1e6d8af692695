"""Joint distributions built step by step: the chain rule, and functions of all coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.kernel import require_seconds
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


#: Most outcomes of a joint distribution: some seconds; and bits of an exact one, which weigh as much.
MAXIMUM_OUTCOMES, MAXIMUM_BITS = 1_000_000, 200_000_000
#: Seconds that each takes, with all that is done to it afterwards.
OUTCOME = 3e-6


def require_joint(size: int, bits: int, when: str = "") -> None:
    """Refuse a joint distribution of too many outcomes, each of so many bits."""
    there = f"{when}there are {size:,}"
    remedy = "smaller units or fewer attacks"
    what = ""
    if size > MAXIMUM_OUTCOMES:
        what = f"a joint distribution of at most {MAXIMUM_OUTCOMES:,} outcomes, but {there}"
    elif size * bits > MAXIMUM_BITS:
        what = (
            f"exact joint outcomes of at most {MAXIMUM_BITS:.0e} bits together, but {there} of {bits:,} bits"
        )
    if what:
        raise TooLargeError(f"expected {what}; use {remedy}")
    require_seconds(OUTCOME * size, f"{size:,} joint outcomes {when}".rstrip(), remedy)


def extended(
    joint: JointDistribution, axis: str, distribution: Callable[[tuple[int, ...]], Distribution]
) -> JointDistribution:
    """Joint distribution with one more quantity, whose distribution may depend on all the others: the chain rule."""
    mass = joint._mass
    terms, denominator = mass.terms()
    distributions = [distribution(outcome) for outcome in joint._outcomes]
    distinct = {id(each): each for each in distributions}
    if any(each.exact != joint.exact for each in distinct.values()):
        raise MathhammerError(
            "expected the distribution of the new axis in the arithmetic of the joint distribution"
        )
    parts = {key: (each.support, *each._mass.terms()) for key, each in distinct.items()}
    size = sum(len(parts[id(each)][0]) for each in distributions)
    common = _common([below for _, _, below in parts.values()])
    require_joint(size, (denominator * common).bit_length(), f"with {axis!r} ")
    outcomes: list[tuple[int, ...]] = []
    weights: list[Any] = []
    for outcome, term, each in zip(joint._outcomes, terms, distributions, strict=True):
        if term:
            values, numerators, below = parts[id(each)]
            scaled = term if below == common else term * (common // below)
            outcomes += [(*outcome, value) for value in values]
            weights += [scaled * numerator for numerator in numerators]
    return JointDistribution(
        (*joint.axes, axis), outcomes, type(mass).from_terms(weights, denominator * common)
    )


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
            value = outcome[place]
            row[value] = row[value] + term if value in row else term
    found = []
    for others, row in rows.items():
        low, total = min(row), sum(row.values())
        dense = [row.get(value, 0) for value in range(low, max(row) + 1)]
        after = step(others, Distribution._new(kind.from_terms(dense, total), low))
        numerators, below = after._mass.terms()
        # The total that it was divided by goes again, or common denominators would hold those of all rows.
        divisor = below.gcd(total)
        found.append((others, after.support, numerators, total // divisor, below // divisor))
    common = _common([below for *_, below in found])
    outcomes: list[tuple[int, ...]] = []
    weights: list[Any] = []
    for others, values, numerators, total, below in found:
        scaled = total if below == common else total * (common // below)
        before, behind = others[:place], others[place + 1 :]
        for value, numerator in zip(values, numerators, strict=True):
            if numerator:
                outcomes.append((*before, value, *behind))
                weights.append(scaled * numerator)
    return JointDistribution(joint.axes, outcomes, kind.from_terms(weights, denominator * common))


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
    (terms, below), (more, beside) = one._mass.terms(), other._mass.terms()
    common = _common([below, beside])
    scaled = [
        *(term if below == common else term * (common // below) for term in terms),
        *(term if beside == common else term * (common // beside) for term in more),
    ]
    outcomes = [*one._outcomes, *other._outcomes]
    return JointDistribution(one.axes, outcomes, type(one._mass).from_terms(scaled, common))


def _common(denominators: Sequence[Any]) -> Any:
    """Least common multiple of integers."""
    common = denominators[0]
    for denominator in denominators[1:]:
        if denominator != common:
            common = common.lcm(denominator)
    return common
