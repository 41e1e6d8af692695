"""The sum of equal attacks with one re-roll held: in integers at once, against one attack after another."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS, Measure
from mathhammer.sequence import volley
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, with_reroll

HELD = frozenset(("once",))


def _attack(kept: list[int], spent: list[int], gone: list[int]) -> AttackDistribution:
    """What one attack counts: while the re-roll is kept, when it is spent, and once it is gone."""
    parts = [
        AttackDistribution.of(
            GeneratingFunction({(count,): weight for count, weight in enumerate(weights) if weight}, total)
        )
        for weights, total in ((kept, sum(kept + spent)), (spent, sum(kept + spent)), (gone, sum(gone)))
    ]
    return with_reroll("once", *parts)


weights = st.lists(st.integers(0, 4), min_size=1, max_size=3)
attacks = st.builds(_attack, weights, weights.filter(any), weights.filter(any))


@given(attacks, st.integers(0, 6))
@example(_attack([1, 1], [0, 0, 1], [1, 1]), 3)
@example(_attack([2, 2], [0, 1], [1, 1]), 0)
def test_one_attack_after_another(attack: AttackDistribution, number: int) -> None:
    """The parts of a product of so many attacks, which the walk of every die begins with."""
    expected = {
        key: [part.coefficients.get((count,), 0) for count in range(part.degree + 1)]
        for key, part in repeated(attack, IntegerDistribution(number, (1,), 1)).parts.items()
    }
    certain = [(NO_REROLLS, NO_REROLLS, Measure.at(number))]
    with patch.object(volley, "measures", side_effect=AssertionError("not in integers")):
        found = volley.compound(certain, attack)
    parts = {(held, left): measure for held, left, measure in found}
    for key, numerators in expected.items():
        whole = repeated(attack, IntegerDistribution(number, (1,), 1)).parts[key].denominator
        chances = [float(each) for each in parts[key].mass.to_list()]
        assert [round(each * whole) for each in chances[: len(numerators)]] == numerators
        assert not any(chances[len(numerators) :])
    last = volley.compound(certain, attack, HELD)
    both = [measure for held, left, measure in last if (held, left) == (HELD, NO_REROLLS)]
    assert both[0].mass.total() == 1
