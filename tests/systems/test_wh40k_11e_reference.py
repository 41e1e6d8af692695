"""The 11th edition's answer table against the package, exactly and in float64."""

from __future__ import annotations

from typing import Any

import pytest
import translation as package
from by_hand import distribution, unit, weapon
from checking_11e import check
from reference.eleventh_edition import ANSWERS, Answer
from sympy import Rational

from mathhammer import wh40k


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_exact_value(answer: Answer) -> None:
    """Core rules: each row names its sections."""
    check(answer, package.hits, package.states)


@pytest.mark.parametrize(("order", "state"), [("devastating first", (1, 1)), ("other first", (1, 0))])
def test_order_of_mortal_wounds_of_one_pool(order: str, state: tuple[int, int]) -> None:
    """11th edition core rules, 06.02 and 24.10: two wounds of a critical one, one of a rule; models of two wounds."""
    gun = weapon("Torrent, Devastating Wounds", strength=12, damage=2)
    hex_ = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=1)
    options: Any = {"critical_wound": 2, "triggers": hex_, "rulings": {"mortal_order": order}}
    shot = wh40k.attack(gun, unit(wounds=2, models=3), **options, edition="11e", exact=True)
    assert distribution(shot.state) == {(0, 0): Rational(1, 6), state: Rational(5, 6)}
