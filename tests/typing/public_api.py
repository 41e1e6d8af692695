"""Only type-checked, never run: what a user's type checker must know of the public API."""

from __future__ import annotations

from typing import Any, assert_type

import mathhammer as mh
from mathhammer import t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.expressions import Expression


def dice() -> None:
    assert_type(mh.dice("2D6+3"), Expression)
    assert_type(mh.distribution("2D6", exact=True), mh.Distribution)


def attack(weapon: wh40k.Weapon, target: wh40k.Target, *, exact: bool) -> None:
    assert_type(wh40k.attack(weapon, target), wh40k.AttackResult)
    assert_type(wh40k.attack(weapon, target).kills, mh.Distribution)
    assert_type(wh40k.attack(weapon, target, exact=True).state, mh.JointDistribution)
    assert_type(
        wh40k.attack([wh40k.Volley(weapon, 9, half_range=True)], target, exact=exact, cover=True),
        wh40k.AttackResult,
    )


def every_game(
    weapon: wh40k.Weapon,
    unit: wh40k.Target,
    part: t9a.ModelPart,
    target: t9a.Target,
    gun: tc.Weapon,
    *,
    exact: bool,
) -> None:
    assert_type(wh40k.attack(weapon, unit).kills, mh.Distribution)
    assert_type(t9a.attack(part, target, long_range=True).kills, mh.Distribution)
    assert_type(tc.attack(gun, tc.Target(), exact=exact), tc.AttackResult)


def texts(weapon: wh40k.Weapon, target: wh40k.Target, text: str) -> None:
    assert_type(mh.distribution("2D6").to_text(), str)
    assert_type(wh40k.attack(weapon, target).to_text(), str)
    assert_type(wh40k.attack(weapon, target).given(lambda state: state[0] > 0).to_text(), str)
    assert_type(mh.t9a.charge(advance=5, distance=12).to_text(), str)
    assert_type(mh.from_text(text), Any)
