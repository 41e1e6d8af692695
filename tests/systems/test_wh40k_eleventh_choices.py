"""Choices of both players in the 11th edition, by hand: core rules of June 2026 by section, app rules by date."""

from __future__ import annotations

from typing import Any

import pytest

from mathhammer import wh40k
from mathhammer.errors import TooLargeError


def weapon(line: str) -> wh40k.Weapon:
    return wh40k.Weapon.parse(f"Gun: {line}")


def models(name: str, save: int | None, wounds: int = 1, number: int = 1, **given: Any) -> wh40k.Target:
    return wh40k.Target(name, **{"toughness": 4, "save": save, "wounds": wounds, "models": number, **given})


def attack(
    weapons: Any, unit: wh40k.Target | wh40k.TargetUnit, rulings: dict[str, str] | None = None, **given: Any
) -> Any:
    return wh40k.attack(weapons, unit, edition="11e", rulings=rulings, exact=True, **given)


def test_choices_that_would_not_fit_are_refused_at_once() -> None:
    kinds = [models("marine", 3, 2, 9), models("terminator", 2, 3, 3, invulnerable=4)]
    unit = wh40k.TargetUnit("mob", kinds, allocation="best")
    with pytest.raises(TooLargeError, match="expected decisions in at most"):
        attack(weapon("A40 BS3+ S8 AP0 D1 [DEVASTATING WOUNDS]"), unit)
