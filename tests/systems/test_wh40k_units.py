"""Units of unequal models: whom attacks are allocated to, leaders, Precision, wounded models, plans of the defender."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Rational
from tenth import wh40k
from translation import mixed_unit, points

from mathhammer.errors import MathhammerError, UnknownNameError

parse = wh40k.Weapon.parse


def target(name: str, **options) -> wh40k.Target:
    values = {"toughness": 4, "save": None, "wounds": 1}
    return wh40k.Target(name, **{**values, **options})


def state(weapon: str, unit: wh40k.TargetUnit, **options) -> dict[tuple[int, ...], object]:
    return points(wh40k.attack(parse(weapon), unit, exact=True, **options).state)


def test_the_toughness_of_an_attached_unit_is_its_bodyguards():
    """Core rules, Leader: T4 bodyguards with a T5 leader are T4, also for attacks with Precision at the leader."""
    unit = wh40k.TargetUnit("Squad", [target("Guard", models=5)], [target("Leader", toughness=5, wounds=5)])
    assert unit.toughness == 4
    assert wh40k.attack(
        parse("Gun: A1 BS2+ S4 AP0 D1 [PRECISION]"), unit, exact=True
    ).wounds.mean() == Rational(5, 12)


def test_precision_may_be_declined():
    unit = mixed_unit()
    weapon = parse("Sniper: A3 BS2+ S8 AP-6 D3 [PRECISION]")
    at_leader = wh40k.attack(weapon, unit, exact=True)
    declined = wh40k.attack(weapon, unit, exact=True, precision=False)
    plain = wh40k.attack(replace(weapon, keywords=()), unit, exact=True)
    assert at_leader.kills_of("Trooper").pmf(1) > 0  # once the captain is dead, they go on to the others
    assert at_leader.kills_of("Captain").mean() > 0 == declined.kills_of("Captain").mean()
    assert points(declined.state) == points(plain.state)
    assert wh40k.attack(weapon, unit, precision="Captain", exact=True).state.total() == 1
    with pytest.raises(UnknownNameError, match="expected a leader of Captain"):
        wh40k.attack(weapon, unit, precision="Sergeant")


@pytest.mark.parametrize(("first", "expected"), [(0, (1, 2)), (2, (2, 0))])
def test_three_times_two_damage_on_three_wounds(first, expected):
    """Making Attacks: three unsaved attacks of Damage 2 on W3: (1, 2) on a fresh unit, (2, 0) with one wound left."""
    unit = target("Unit", wounds=3, models=3, wounds_lost=first)
    result = wh40k.attack(parse("Gun: A3 S8 AP0 D2 [TORRENT]"), unit, exact=True)
    most = max(points(result.state))
    assert most == expected
    assert result.state.pmf(most) == Rational(5, 6) ** 3
    assert result.wounds_lost.pmf(0) == Rational(1, 6) ** 3


@pytest.mark.parametrize(
    ("weapon", "unsaved"), [("A1 BS2+ S8 AP-6 D1", Rational(1, 2)), ("A1 WS2+ S8 AP-6 D1", Rational(2, 3))]
)
def test_several_invulnerable_saves(weapon, unsaved):
    """Making Attacks: of several invulnerable saves one is used, the best that applies."""
    unit = target("Unit", save="3+", invulnerable=("5+", "4+ ranged", "6+ melee"))
    result = wh40k.attack(parse(f"Weapon: {weapon}"), unit, exact=True)
    assert result.unsaved.mean() == unsaved * Rational(25, 36)
    assert wh40k.Target.parse(str(unit)) == unit


def test_points_destroyed_are_those_of_each_kind():
    """Two attacks that kill one time in four: the first model dies in 7 of 16 cases, the second in 1 of 16."""
    kinds = [target("Guard", points=10), target("Captain", points=50)]
    gun = parse("Gun: A2 BS4+ S4 AP0 D1")
    result = wh40k.attack(gun, wh40k.TargetUnit("Squad", kinds[:1], kinds[1:]), exact=True)
    assert result.points_destroyed == Rational(10 * 7 + 50 * 1, 16)
    for unknown in ([target("Guard"), kinds[1]], [target("Guard", points=0), target("Captain", points=0)]):
        assert wh40k.attack(gun, wh40k.TargetUnit("Squad", unknown)).points_destroyed is None
    alike = target("Guard", models=2, points=60)
    assert (
        wh40k.attack(gun, alike, exact=True).points_destroyed == 15
    )  # half a model in the mean, at 30 points


def test_units_whose_player_chooses_and_does_not_are_not_mixed():
    kinds = [wh40k.Target(name, toughness=4, save=None, wounds=w) for name, w in (("Weak", 1), ("Strong", 2))]
    given, best = (wh40k.TargetUnit("Pair", kinds, allocation=name) for name in ("given", "best"))
    before = wh40k.attack(wh40k.MortalWounds(1), best)
    with pytest.raises(MathhammerError, match="with the same allocation"):
        wh40k.attack(wh40k.MortalWounds(1), given, start=before)
