"""Published answers that take more than one call: sources and numbers as in `reference/tenth_edition.txt`."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import analysis, wh40k


@pytest.mark.parametrize("exact", [True, False])
def test_one_reroll_of_a_hit_or_a_wound_is_best_used_on_the_first_failure(exact):
    """Goonhammer, "Hammer of Math: The Single Die Re-Roll": one attack, 2+ to hit and 6+ to wound, is 5/18.

    Of 36 pairs of hit rolls 30 hit at once and leave the re-roll to the wound, 5 hit with it, 1 misses twice.
    """
    target = wh40k.Target("Target", toughness=8, save=None, wounds=1)
    hit = wh40k.Weapon.parse("Hit: A1 S4 AP0 D1 [TORRENT]")
    kept = wh40k.attack(hit, target, reroll_wounds="one", exact=exact)
    used = wh40k.attack(hit, target, exact=exact)
    missed = wh40k.attack(wh40k.MortalWounds(0), target, exact=exact)
    distribution = kept.mixture([30, 5, 1], [kept, used, missed])
    assert float(distribution.probability_destroyed) == pytest.approx(5 / 18, rel=1e-12)
    if exact:
        assert distribution.probability_destroyed == Rational(5, 18)
    # Either way of deciding beforehand is worse.
    gun = wh40k.Weapon.parse("Gun: A1 BS2+ S4 AP0 D1")
    for roll in ("reroll_hits", "reroll_wounds"):
        alone = wh40k.attack(gun, target, exact=exact, **{roll: "one"})  # type: ignore[arg-type]
        assert alone.probability_destroyed < distribution.probability_destroyed


def test_points_destroyed_per_point_of_the_attacker():
    """r/UnitCrunch, 2024-03-11: 230 points remove one of five models of 3 wounds that cost 185: 37/230, or 230/37."""
    gun = wh40k.Weapon.parse("Gun: A1 S12 AP0 D3 [TORRENT]")
    defenders = wh40k.Target("Defenders", toughness=4, save=None, wounds=3, models=5, points=185)
    attacker = analysis.Attacker("attackers", wh40k.Volley(gun), points=230)
    [row] = analysis.grid({"attackers": attacker}, [defenders]).to_records()
    # The one attack removes the model unless its wound roll is a 1.
    assert row["mean_kills"] == pytest.approx(5 / 6, rel=1e-12)
    assert row["points_per_point"] == pytest.approx(5 / 6 * 37 / 230, rel=1e-12)
