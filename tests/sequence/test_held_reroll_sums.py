"""Sums of equal attacks with single re-rolls held: along chains of what is held, against one attack after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS, Measure
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, with_reroll
from mathhammer.sequence.volley import compound

if TYPE_CHECKING:
    from mathhammer.distributions.kernel import Held


def _of(weights: list[int], whole: int) -> AttackDistribution:
    counts = {(count,): weight for count, weight in enumerate(weights) if weight}
    return AttackDistribution.of(GeneratingFunction(counts, whole))


def _attack(kept: list[int], spent: list[int], gone: list[int], again: int = 0) -> AttackDistribution:
    """What one attack counts: while the re-roll is kept, when it is spent, and once it is gone; then another one."""
    whole = sum(kept + spent)
    one = with_reroll("once", _of(kept, whole), _of(spent, whole), _of(gone, sum(gone)))
    if not again:
        return one
    other = with_reroll("again", _of([6 - again], 6), _of([0, again], 6), _of([6, again], 6 + again))
    return one * other


weights = st.lists(st.integers(0, 4), min_size=1, max_size=3)
attacks = st.builds(_attack, weights, weights.filter(any), weights.filter(any), st.integers(0, 3))
numbers = st.builds(
    lambda low, weights: IntegerDistribution(low, tuple(weights), sum(weights)),
    st.integers(0, 4),
    st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(lambda weights: weights[-1]),
)


@given(attacks, numbers, st.none() | st.integers(1, 5))
@example(_attack([1, 1], [0, 0, 1], [1, 1]), IntegerDistribution(3, (1,), 1), None)
@example(_attack([2, 2], [0, 1], [2, 2]), IntegerDistribution(2, (1, 1), 2), 2)
def test_one_attack_after_another(
    attack: AttackDistribution, number: IntegerDistribution, cut: int | None
) -> None:
    """The parts of a product of so many attacks, of which all beyond the cut are as many as that."""
    found: dict[tuple[Held, Held], dict[int, float]] = {}
    for held, left, part in compound(
        [(NO_REROLLS, NO_REROLLS, Measure.of(number.distribution()))], attack, cut=cut
    ):
        chances = dict(enumerate(part.mass.to_list(), part.low))
        found[held, left] = {count: chance for count, chance in chances.items() if chance}
    expected: dict[tuple[Held, Held], dict[int, float]] = {}
    for key, counts in repeated(attack, number).parts.items():
        sums: dict[int, int] = {}
        for (count,), weight in counts.coefficients.items():
            most = count if cut is None else min(count, cut)
            sums[most] = sums.get(most, 0) + weight
        expected[key] = {count: weight / counts.denominator for count, weight in sums.items()}
    assert {key: counts for key, counts in found.items() if counts} == {
        key: counts for key, counts in expected.items() if counts
    }


def test_what_nobody_can_use_any_more_is_forgotten() -> None:
    """Both ways to end are one."""
    certain = [(NO_REROLLS, NO_REROLLS, Measure.at(3))]
    held = frozenset(("once",))
    last = compound(certain, _attack([1, 1], [0, 1], [1, 1]), held)
    (both,) = [measure for before, left, measure in last if (before, left) == (held, NO_REROLLS)]
    assert both.mass.total() == 1
