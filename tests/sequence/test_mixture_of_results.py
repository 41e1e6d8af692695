"""Results of attacks that a die chooses from."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError

OGRES = wh40k.Target("Ogres", toughness=4, save=None, wounds=3, models=2)
PROFILES = [wh40k.Weapon.parse(f"Gun: A1 S4 AP0 D{damage} [TORRENT]") for damage in (1, 2, 3)]


def shots(*, exact=True, target=OGRES):
    return [wh40k.attack(profile, target, exact=exact) for profile in PROFILES]


@pytest.mark.parametrize("exact", [True, False])
def test_a_profile_that_a_d6_chooses(exact):
    """Damage 1 on 1-2, 2 on 3-4, 3 on 5-6; half of the attacks wound."""
    found = shots(exact=exact)
    distribution = found[0].mixture([2, 2, 2], found)
    for wounds in (1, 2, 3):
        assert float(distribution.wounds_lost.pmf(wounds)) == pytest.approx(1 / 6, rel=1e-12)
    assert float(distribution.kills.pmf(1)) == pytest.approx(1 / 6, rel=1e-12)
    assert distribution.exact is exact


def test_what_follows_starts_from_the_mixture():
    found = shots()
    first = found[0].mixture([1, 0, 1], found)
    # Three of three wounds, or one and then two more: 1/4 x 1/2 each, and 1/2 that only the second one wounds.
    second = wh40k.attack(PROFILES[1], OGRES, start=first, exact=True)
    assert second.kills.at_least(1) == Rational(1, 4) + Rational(1, 4) * Rational(1, 2)
    assert second.state.total() == 1


def test_what_cannot_be_mixed_is_refused():
    found = shots()
    with pytest.raises(MathhammerError, match="expected one weight for each"):
        found[0].mixture([1, 2], found)
    with pytest.raises(MathhammerError, match="on one target"):
        found[0].mixture([1, 1], [found[0], wh40k.attack(PROFILES[0], wh40k.TARGETS["MEQ"], exact=True)])
    with pytest.raises(MathhammerError, match="results of attacks to mix"):
        found[0].mixture([1], [3])
