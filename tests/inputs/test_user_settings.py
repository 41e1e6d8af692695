"""What a user's program has set for NumPy changes no result and raises nothing in the library."""

from __future__ import annotations

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import distribution, t9a
from mathhammer import trench_crusade as tc

pytestmark = pytest.mark.slow

#: Pools whose ends are below the least float.
TEXTS = (
    *("450D6", "450D6-450D6", "(420D6)D3", "450D6×2", "min(450D6, 3)", "reroll(450D6, <1350)"),
    *("1350D6>=4050", "explode(D6, 6, at most 450)", "mixture(1: 450D6, 1: 2)", "let x = 300D6 in x+3"),
    "given(450D6, 1575+)",
)


def results():
    rifle = wh40k.Weapon.parse("Gun: A3 BS4+ S4 AP-1 DD3 [SUSTAINED HITS D3, DEVASTATING WOUNDS, HAZARDOUS]")
    horde = wh40k.Target.parse("Horde: 40x T6 Sv2+ InSv4+ W5 FNP4+")
    gun = wh40k.attack(rifle, horde, count=150)
    led = wh40k.attack(
        rifle, wh40k.TargetUnit("Led", [horde], [wh40k.Target.parse("Boss: T6 Sv2+ W8")]), count=10
    )
    grid = analysis.grid([wh40k.Volley(rifle, 150), rifle], [horde, "MEQ"])
    spears = t9a.ModelPart("Spears", attacks=1, models=60, strength=3, offensive_skill=3)
    orcs = t9a.Target("Orcs", models=60, resilience=4, defensive_skill=3)
    for dist in (gun.kills, gun.hits, gun.damage, led.kills, t9a.attack(spears, orcs).wounds_lost):
        yield (
            dist.to_array(),
            dist.mean(),
            dist.variance(),
            dist.entropy(),
            dist.cdf(dist.support[-1]),
            dist.skewness() if dist.variance() else 0,
        )
    yield grid.mean_wounds_lost, grid.probability_destroyed, grid.quantile(0.5), grid.kills(0, 0).to_array()
    yield (tc.attack(tc.Attack(weapon=tc.WEAPONS["Shotgun"]), tc.Target()).to_text(),)


@pytest.mark.parametrize("text", TEXTS)
def test_distributions(text):
    def numbers():
        dist = distribution(text)
        high = dist.icdf(0.999)
        return (
            *dist.to_array(),
            dist.mean(),
            dist.variance(),
            dist.entropy(),
            dist.at_least(high),
            dist.pmf(high),
            (dist + dist).at_least(high),
            (-dist).mean(),
            dist.normalised().mean(),
            dist.map(lambda k: k // 2).mean(),
            dist.probability_greater(dist),
            dist.earth_mover(dist + 1),
            dist.sample(rng=1),
            str(dist),
            dist._repr_html_(),
        )

    expected = numbers()
    with np.errstate(all="raise"):
        assert numbers() == expected


def test_results_of_games():
    expected = list(results())
    with np.errstate(all="raise"):
        found = list(results())
    for one, other in zip(found, expected, strict=True):
        for left, right in zip(one, other, strict=True):
            assert np.array_equal(left, right)
