"""Deferred wounds of equal models: what takes nothing off, or is more than destroys the unit, needs no count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.expressions import dice
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.group import Group, Wound, WoundEffect
from mathhammer.sequence.resolution import resolve
from mathhammer.sequence.unit import Unit
from mathhammer.sequence.volley import AttackNumber, Volley

damages = (
    st.lists(st.integers(0, 3), min_size=1, max_size=4)
    .filter(any)
    .map(lambda weights: IntegerDistribution(0, tuple(weights), sum(weights)))
)
counts = st.dictionaries(
    st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]), st.integers(1, 5), min_size=1
).map(lambda weights: GeneratingFunction(weights, sum(weights.values())))
volleys = st.tuples(
    st.sampled_from(["1", "2", "3", "D3", "D2+1"]), counts, st.integers(0, 36), damages, damages
)


ONE = IntegerDistribution(1, (1,), 1)
EITHER = IntegerDistribution(0, (1, 1), 2)
SEVERAL = GeneratingFunction({(0, 0): 1, (1, 0): 1, (0, 1): 1, (2, 0): 1, (1, 1): 1, (0, 2): 1}, 6)


@pytest.mark.slow
@settings(max_examples=60)
@example([("1", SEVERAL, 36, EITHER, ONE)], 1, 1, 1)
@example([("D3", SEVERAL, 18, EITHER, IntegerDistribution(2, (1,), 1))], 1, 2, 0)
@given(st.lists(volleys, min_size=1, max_size=2), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1))
def test_counts_cut_at_the_unit(made: list[Any], models: int, wounds: int, rank: int) -> None:
    """The same as against a unit of two groups, on which every wound is walked with all states.

    The second group takes nothing: it stands last, and every save of its is made.
    """
    one, two = [], []
    never = WoundEffect(0, IntegerDistribution(1, (1,), 1))
    for place, (number, each, unsaved, first, second) in enumerate(made):
        attack = AttackDistribution.of(each)
        at_once, later = WoundEffect(unsaved, first), WoundEffect(36, second)
        kinds = ((at_once, None), (later, place * rank))
        one.append(
            Volley(
                AttackNumber(dice(number)), attack, tuple(Wound((effect,), turn) for effect, turn in kinds)
            )
        )
        two.append(
            Volley(
                AttackNumber(dice(number)),
                attack,
                tuple(Wound((effect, never), turn) for effect, turn in kinds),
            )
        )
    equal = Unit((Group("equal", models, wounds),))
    mixed = Unit((Group("equal", models, wounds), Group("never", 1, 1)))
    found, expected = resolve(one, equal), resolve(two, mixed)
    assert found == expected.map(lambda state: min(models * wounds, state))
