"""Choices of both players in the 11th edition, by hand: core rules of June 2026 by section, app rules by date."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

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


@pytest.mark.parametrize("rulings", [None, {"group_order": "best"}])
def test_the_better_saves_go_first(rulings: dict[str, str] | None) -> None:
    """05.03: one wound on 2+, at Sv5+ and Sv2+; the defender declares the order, by the ruling or for this unit."""
    kinds = [models("recruit", 5), models("veteran", 2)]
    gun = weapon("A1 S8 AP0 D1 [TORRENT]")
    allocation: Any = "given" if rulings else "best"
    found = attack(gun, wh40k.TargetUnit("squad", kinds, allocation=allocation), rulings)
    assert found.kills.mean() == Rational(5, 6) * Rational(1, 6)
    worst = attack(gun, wh40k.TargetUnit("squad", kinds[::-1], allocation="worst"))
    assert worst.kills.mean() == Rational(5, 6) * Rational(4, 6)


def test_hurt_groups_leave_no_choice() -> None:
    """05.03: a group with a hurt model comes first, and no Character before another model."""
    hurt = models("recruit", 6, 2, 2, wounds_lost=1)
    hero = models("hero", 2, 4, keywords="Character")
    unit = wh40k.TargetUnit("squad", [models("veteran", 2, 2), hurt], leaders=[hero], allocation="best")
    found = attack(weapon("A1 S8 AP0 D1 [TORRENT]"), unit)
    assert found.kills_of("recruit").mean() == Rational(5, 6) * Rational(5, 6)


def test_the_attacker_picks_the_next_pool() -> None:
    """04.03: D2 before D1 at models of W2, as one wound after another; of no pool alone does the order matter."""
    unit = models("marine", None, 2, 5)
    small, large = (wh40k.Weapon.parse(f"D{d}: A1 S8 AP0 D{d} [TORRENT]") for d in (1, 2))
    hit = Rational(5, 6)
    found = attack([small, large], unit, {"pool_order": "best"}, objective="wounds_lost")
    assert found.wounds_lost.mean() == 3 * hit
    # As given the larger one loses a point on the model that the smaller has hurt.
    assert attack([small, large], unit, objective="wounds_lost").wounds_lost.mean() == 3 * hit - hit**2


def test_one_save_is_re_rolled_of_all_dice_on_the_table() -> None:
    """05.03: one save die is re-rolled of two groups, Sv5+ (one model) before Sv3+ (three), three wounds on 2+, W1.

    By hand of n wounds 4/9, 7/9 and 82/81 models die on average.
    """
    unit = wh40k.TargetUnit("unit", [models("recruit", 5), models("veteran", 3, 1, 3)])
    found = attack(weapon("A3 S8 AP0 D1 [TORRENT]"), unit, reroll_saves="one")
    hit, miss = Rational(5, 6), Rational(1, 6)
    means = [Rational(4, 9), Rational(7, 9), Rational(82, 81)]
    expected = sum(
        ways * hit**number * miss ** (3 - number) * mean
        for number, (ways, mean) in enumerate(zip((3, 3, 1), means, strict=True), 1)
    )
    assert found.kills.mean() == expected


def test_damage_becomes_0_where_it_pays() -> None:
    """App FAQ of 26 August 2026: a model of W4 and two wounds on 2+, D1 and then D3, one of which does nothing."""
    unit = models("hero", None, 4, damage_to_0=True)
    pools = [wh40k.Weapon.parse(f"D{d}: A1 S8 AP0 D{d} [TORRENT]") for d in (1, 3)]
    first = attack(pools, unit, objective="wounds_lost")
    assert first.wounds_lost.mean() == Rational(5, 6) * 3 * Rational(5, 6)
    best = attack(pools, unit, {"damage_to_zero_use": "best"}, objective="wounds_lost")
    assert best.wounds_lost.mean() == Rational(5, 6)


def test_choices_that_would_not_fit_are_refused_at_once() -> None:
    kinds = [models("marine", 3, 2, 9), models("terminator", 2, 3, 3, invulnerable=4)]
    unit = wh40k.TargetUnit("mob", kinds, allocation="best")
    with pytest.raises(TooLargeError, match="expected decisions in at most"):
        attack(weapon("A40 BS3+ S8 AP0 D1 [DEVASTATING WOUNDS]"), unit)
