"""Pools of wounds that models share."""

from __future__ import annotations

import pytest

from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.pools import Pool, SharedPools


def test_whole_models_are_removed_and_the_rest_is_remembered() -> None:
    pools = SharedPools((Pool("trolls", 3, 3, lost=1),))
    assert pools.states == 9
    assert pools.coordinates()[:4] == [(0, 1), (0, 2), (1, 0), (1, 1)]
    assert pools.after((0,), (50,)) == (8,)
    assert pools.kills()[-1] == 3
    assert list(pools.wounds_lost()) == list(range(9))


def test_spilling_and_own_pools() -> None:
    pools = SharedPools((Pool("body", 2, 1), Pool("leader", 1, 2), Pool("lord", 1, 3)), ((0, 1),))
    assert pools.after((0, 0, 0), (3, 0, 1)) == (2, 1, 1)
    assert pools.after((2, 1, 0), (9, 9, 9)) == (2, 2, 3)
    assert [pools.index(lost) for lost in pools.lost] == list(range(pools.states))
    assert pools.axes[0] == "body destroyed"
    assert pools.models == 4


def test_refusals() -> None:
    with pytest.raises(MathhammerError, match="fewer are lost"):
        Pool("gone", 1, 1, lost=1)
    with pytest.raises(TooLargeError, match="use fewer models"):
        SharedPools(tuple(Pool(name, 100, 10) for name in "ab"))
