"""Single rules of the 10th edition, one fact each, by hand: saves, damage, Feel No Pain, devastating wounds."""

from __future__ import annotations

from by_hand import unit, wounding
from sympy import Rational

# ----------------------------------------------------------------------------------------------------------- saves


# ---------------------------------------------------------------------------------------------- damage, Feel No Pain


def test_feel_no_pain_against_psychic_attacks() -> None:
    """Core rules, Psychic and Feel No Pain: a Feel No Pain for Psychic Attacks only, and the best of all that apply."""
    target = unit(feel_no_pain_psychic=5)
    assert wounding(target=target).damage.mean() == Rational(5, 6)
    assert wounding("Psychic", target=target).damage.mean() == Rational(5, 6) * Rational(2, 3)
    better = unit(feel_no_pain=4, feel_no_pain_psychic=5)
    assert wounding("Psychic", target=better).damage.mean() == Rational(5, 6) * Rational(1, 2)
    all_three = unit(feel_no_pain=6, feel_no_pain_mortal=5, feel_no_pain_psychic=3)
    critical = {"critical_wound": 2, "target": all_three}
    assert wounding("Psychic, Devastating Wounds", **critical).damage.mean() == Rational(5, 6) * Rational(
        1, 3
    )
    assert wounding("Devastating Wounds", **critical).damage.mean() == Rational(5, 6) * Rational(2, 3)
    assert "has no effect here" in str(wounding("Psychic").explain())
    assert "has no effect here" not in str(wounding("Psychic", target=target).explain())


# ------------------------------------------------------------------------------------------------ devastating wounds
