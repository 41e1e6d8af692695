"""Results are data: copied, and handed between processes."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest
from tenth import wh40k

import mathhammer as mh
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import ParseError
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

RIFLE = 'Bolt rifle: 24" A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]'
MARINES = "Marines: 5x T4 Sv3+ W2 [INFANTRY]"
LED = wh40k.TargetUnit(
    "Led",
    [wh40k.Target.parse("Guard: 3x T4 Sv3+ W2")],
    leaders=[wh40k.Target.parse("Captain: T5 Sv2+ InSv4+ W4 [Character]")],
)


@pytest.mark.parametrize("edition", ["10e", "11e"])
@pytest.mark.parametrize("target", [wh40k.Target.parse(MARINES), LED])
@pytest.mark.parametrize(
    "made",
    [
        wh40k.attack,
        lambda *given, **at: wh40k.attack(*given, order="best", exact=True, **at),
        lambda *given, **at: wh40k.attack(*given, reroll="best", **at).plan,
        lambda *given, **at: wh40k.attack(*given, reroll="best", start=wh40k.attack(*given, **at), **at),
        lambda weapons, *target, **at: wh40k.activations([weapons, weapons], *target, **at),
        wh40k.best_order,
        lambda weapons, *target, **at: wh40k.focus([weapons, weapons], *target, order="best", **at),
    ],
)
def test_results_are_data(made, target, edition):
    found = made([RIFLE, "Melta: A1 BS3+ S9 AP-4 DD6"], target, edition=edition)
    for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):  # noqa: S301
        assert str(other) == str(found)
        assert str(pickle.loads(pickle.dumps(other))) == str(found)  # noqa: S301
        for name in ("kills", "rulings"):
            assert getattr(other, name, None) == getattr(found, name, None)


def test_a_result_comes_back_from_another_process():
    with ProcessPoolExecutor(1) as pool:
        assert (
            pool.submit(mh.wh40k.attack, RIFLE, MARINES).result().kills
            == mh.wh40k.attack(RIFLE, MARINES).kills
        )
        with pytest.raises(ParseError, match="expected a number of sides"):
            pool.submit(mh.distribution, "2D+3").result()


@pytest.mark.parametrize("text", ["D6", "2D6", "D3+3", "4D6", "3D3", "2D6+6", "10D6"])
def test_plain_dice_have_the_distribution_of_the_algebra(text):
    distribution = integer_distribution(mh.dice(text))
    assert distribution == IntegerDistribution.from_distribution(mh.distribution(text, exact=True))
