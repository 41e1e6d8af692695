"""What fits is computed, and what was refused beside it (`refusals/limits.txt`) is shown in few words."""

from __future__ import annotations

import copy
import math
import pickle
from functools import reduce

import pytest

from mathhammer import dice, distribution
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("exact", [False, True])
def test_what_fits_still_does(exact):
    assert distribution("(999999999)D{0}", exact=exact).support == range(1)
    assert distribution("highest(3 of 100000D6)", exact=exact).support[-1] == 18
    assert distribution("D400000", exact=exact).support[-1] == 400_000
    assert distribution("let x = 10D6 in x+(x)D3", exact=exact).support == range(20, 241)
    assert doubled(7).distribution(exact=exact).support == range(128, 769)


def test_two_equal_dice_of_far_faces():
    dist = distribution("2(D{0,170000})", exact=True)  # two bits a coefficient: that fits
    assert [4 * dist.pmf(170000 * k) for k in range(3)] == [1, 2, 1]


def test_what_the_exact_arithmetic_has_no_room_for():
    floats = distribution("1000D6", exact=True).to_floats()
    assert floats.entropy() == pytest.approx(math.log(2 * math.pi * math.e * 1000 * 35 / 12) / 2, 1e-4)


def doubled(times):
    return reduce(lambda tree, _: tree + tree, range(times), dice("D6"))


def test_a_large_tree_is_shown_in_few_words_and_copied_with_its_size():
    assert all(len(repr(doubled(times))) < 100 for times in (20, 40, 2000))
    long = repr(reduce(lambda tree, _: tree + 1, range(5000), dice("D6")))
    assert "10,001" in long or "10001" in long
    for tree in (doubled(3), dice("let x = D6 in x×x"), dice("highest(3 of 4D6)"), dice("D{0, 1:2}")):
        for again in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):  # noqa: S301
            assert again == tree
            assert (again._size, again._depth) == (tree._size, tree._depth)


def test_a_list_that_holds_itself():
    itself: list[object] = []
    itself.append(itself)
    for act in (dice, Distribution, Distribution.from_dict):
        with pytest.raises(MathhammerError) as caught:
            act(itself)
        assert len(str(caught.value)) < 1000
