"""A rule that changes the Damage of one attack to 0: once in a phase, and which one is a ruling."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError

#: All hit, and wound on 2+; no save is left.
ONE = wh40k.Weapon.parse("One: A1 S8 AP-6 D1 [TORRENT]")
TWO = wh40k.Weapon.parse("Two: A1 S8 AP-6 D2 [TORRENT]")
EXACT = pytest.mark.parametrize("exact", [True, False])


def hero(wounds: int = 3, models: int = 1, **more: object) -> wh40k.Target:
    return wh40k.Target(
        "Hero",
        toughness=4,
        save="3+",
        wounds=wounds,
        models=models,
        damage_to_0=True,
        **more,  # type: ignore[arg-type]
    )


@EXACT
@pytest.mark.parametrize(
    ("ruling", "lost"),
    # Both attacks wound with 25 of 36, one of them with 10.
    [
        ("first-failed-save", {0: Rational(11, 36), 2: Rational(25, 36)}),
        ("best-failed-save", {0: Rational(11, 36), 2: Rational(25, 36)}),
        ("off", {0: Rational(1, 36), 2: Rational(10, 36), 3: Rational(25, 36)}),
    ],
)
def test_one_failed_save_inflicts_nothing(exact, ruling, lost):
    result = wh40k.attack(TWO, hero(), count=2, rulings={"damage_to_0": ruling}, exact=exact)
    for wounds in range(4):
        assert float(result.wounds_lost.pmf(wounds)) == pytest.approx(float(lost.get(wounds, 0)), rel=1e-12)
    assert result.rulings["damage_to_0"] == ruling
    assert ("Damage to 0" in str(result.explain())) is (ruling != "off")


def test_what_it_does_not_go_with_is_refused():
    with pytest.raises(MathhammerError, match="expected True or False as damage_to_0"):
        wh40k.Target(
            "x",
            toughness=4,
            save=3,
            wounds=1,
            damage_to_0=1,  # type: ignore[arg-type]
        )
    with pytest.raises(MathhammerError, match="without damage_to_0"):
        wh40k.fast_roll_check(ONE, hero())
    with pytest.raises(MathhammerError, match="distribution of damage"):
        _ = wh40k.attack(ONE, hero()).damage
    assert wh40k.attack(ONE, hero(), exact=True).unsaved.mean() == Rational(5, 6)
