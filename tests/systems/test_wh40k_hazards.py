"""Mortal wounds that are no attack: Hazardous tests, Grenade, Tank Shock and Deadly Demise, by hand."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from by_hand import distribution, unit, weapon
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError

PLASMA = weapon("Hazardous")
hazardous = partial(wh40k.hazardous, edition="10e")


def test_grenade_and_tank_shock_spill() -> None:
    """Core stratagems Grenade and Tank Shock: plain mortal wounds, which spill, 6 at most."""
    squad = unit(wounds=2, models=5)
    assert wh40k.mortal_wounds(wh40k.grenade(), squad, exact=True).wounds_lost.mean() == 3
    shock = wh40k.tank_shock(12).distribution(exact=True)
    assert shock.support[-1] == 6
    assert shock.pmf(0) == Rational(2, 3) ** 12
    after = wh40k.attack(weapon(), squad, exact=True)
    both = wh40k.mortal_wounds(wh40k.grenade(), squad, exact=True, start=after)
    assert both.wounds_lost.mean() == after.wounds_lost.mean() + 3


@pytest.mark.parametrize(("value", "mean"), [("D3", "1/3"), ("D6", "7/12"), (2, "1/3")])
def test_deadly_demise(value: Any, mean: str) -> None:
    """Core rules, Deadly Demise: on a 6 each unit in range suffers X, rolled for each unit."""
    assert wh40k.deadly_demise(value).distribution(exact=True).mean() == Rational(mean)


def test_distribution_of_deadly_demise() -> None:
    """Core rules, Deadly Demise D3: nothing on 1-5; on a 6 a D3 of mortal wounds."""
    found = distribution(wh40k.deadly_demise("D3").distribution(exact=True))
    assert found == {0: Rational(5, 6), 1: Rational(1, 18), 2: Rational(1, 18), 3: Rational(1, 18)}


def test_overheating_is_asked_of_weapons_that_overheat() -> None:
    """9th edition datasheets slay the bearer; in the 10th edition Hazardous tests do, which the result has apart."""
    plasma = weapon("Hazardous", damage=2)
    gunners = wh40k.Target("Gunners", toughness=4, save=3, wounds=2, models=2)
    for options in ({"bearers": gunners}, {}, {"reroll_hits": "one"}):
        shot: Any = wh40k.attack([wh40k.Volley(plasma), wh40k.Volley(plasma)], unit(), **options)
        for name in ("bearers_slain", "bearer_mortal_wounds"):
            with pytest.raises(MathhammerError, match="hazardous"):
                getattr(shot, name)
    assert wh40k.attack(weapon(), unit(), exact=True).bearers_slain.mean() == 0
    ninth = wh40k.attack(plasma, unit(), edition="9e", exact=True)
    assert ninth.bearers_slain.mean() == ninth.bearer_mortal_wounds.mean() == 0
    slain = wh40k.Trigger("hit", "1", "Supercharge", bearer="slain")
    both = wh40k.attack(plasma, unit(), triggers=slain, exact=True, bearers=gunners)
    assert both.bearers_slain.mean() == Rational(1, 6)
    with pytest.raises(MathhammerError, match="hazardous"):
        _ = both.bearer_mortal_wounds


def test_why_a_unit_loses_models() -> None:
    """10th edition core rules, Hazardous; 11th edition core rules, 06.03: the mean follows from what is explained."""
    target, text = unit(wounds=9, models=1), r"3 D6, each fails on {}.*= P\(one roll fails\) {}\b.*{}"
    for edition, fails, chance, harm in (
        ("10e", "a 1", "1/6", "3 mortal wounds on one model"),
        ("11e", "1 to 2", "1/3", "1 mortal wound on the unit"),
    ):
        result = wh40k.hazardous(PLASMA, target, count=3, edition=edition, exact=True)
        assert re.search(text.format(fails, chance, harm), str(result.explain()), re.DOTALL)
        assert result.wounds_lost.mean() == 3 * Rational(chance) * int(harm[0])
    escape = wh40k.desperate_escape(target, edition="10e").explain()
    assert escape.heading.startswith("Desperate Escape")
    assert "one model is destroyed" in str(escape)
