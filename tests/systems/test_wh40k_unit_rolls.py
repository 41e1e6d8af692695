"""Charges, battle-shock, and dice that units roll against themselves or others, by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from by_hand import distribution, unit, weapon
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError

#: What two dice come to, in 36ths.
TWO_DICE = {total: 6 - abs(7 - total) for total in range(2, 13)}
PLASMA = weapon("Hazardous")


def at_least(total: int) -> Rational:
    return Rational(sum(ways for rolled, ways in TWO_DICE.items() if rolled >= total), 36)


@pytest.mark.parametrize("edition", ["9e", "10e"])
@pytest.mark.parametrize("distance", range(2, 13))
def test_charges_of_older_editions_end_within_an_inch(edition: str, distance: int) -> None:
    """Core rules, Charge Phase: the roll must bring the unit within 1" of the target."""
    found = wh40k.charge(distance, edition=edition, exact=True)
    assert found.probability_success == at_least(distance - 1)
    assert dict(found.distances).get(distance, 1) == found.probability_success
    again = wh40k.charge(distance, reroll=True, edition=edition, exact=True).probability_success
    assert again == 1 - (1 - at_least(distance - 1)) ** 2


def test_charge_after_deep_strike() -> None:
    """Core rules of the 10th edition, Deep Strike: more than 9" away, so that a 9 is needed; +2 needs a 7."""
    assert wh40k.charge(9, more_than=True, edition="10e", exact=True).probability_success == Rational(5, 18)
    ready = wh40k.charge(9, more_than=True, modifier=2, edition="10e", exact=True)
    assert ready.probability_success == Rational(7, 12)
    assert ready.range.mean() == 9
    assert max(distance for distance, _ in ready.distances) == 12


@pytest.mark.parametrize(("leadership", "passed"), [(5, "5/6"), (6, "13/18"), (7, "7/12"), (8, "5/12")])
def test_battle_shock(leadership: int, passed: str) -> None:
    """Core rules, Battle-shock: two dice of the Leadership or more."""
    found = wh40k.battle_shock(f"{leadership}+", edition="10e", exact=True)
    assert found.probability_success == Rational(passed)
    assert found.probability_failure == 1 - Rational(passed)
    again = wh40k.battle_shock(leadership, reroll=True, edition="10e", exact=True)
    assert again.probability_failure == (1 - Rational(passed)) ** 2


@pytest.mark.parametrize(
    ("leadership", "options", "need", "passed"),
    [
        (7, {"worsen": 2}, 8, 8),  # limits of the characteristic
        (6, {"worsen": -2}, 5, 5),
        (6, {"modifier": 1}, 6, 5),
        ((8, "6+"), {}, 6, 6),  # any one Leadership of the unit
        (8, {"modifier": -2}, 8, 10),
    ],
)
def test_modified_battle_shock(leadership: Any, options: Any, need: int, passed: int) -> None:
    """Core rules, Leadership: 5+ to 8+ after modifiers, of which those of the roll are none."""
    found = wh40k.battle_shock(leadership, **options, edition="10e", exact=True)
    assert (found.need, found.probability_success) == (need, at_least(passed))
    assert found.roll.at_least(need) == found.probability_success


def left(models: int, lost: int, **profile: Any) -> Any:
    target = unit(models=models, wounds=1, **profile)
    return wh40k.mortal_wounds(lost, target, exact=True)


@pytest.mark.parametrize(
    ("models", "lost", "strength", "expected"),
    [
        (4, 1, None, 0),
        (4, 2, None, 0),
        (5, 2, None, 0),
        (5, 3, None, 1),
        (5, 0, 10, 0),
        (1, 0, 3, 1),  # the last of three models, whose own wounds say nothing
        (4, 4, None, 0),  # nobody is left
    ],
)
def test_half_strength(models: int, lost: int, strength: int | None, expected: int) -> None:
    """Core rules, Below Half-strength: fewer than half of the models that the unit began with."""
    options: Any = {"starting_strength": strength, "edition": "10e"}
    assert wh40k.probability_half_strength(left(models, lost), **options) == expected


def test_half_strength_of_one_model() -> None:
    """Core rules, Below Half-strength: the wounds of a single model."""
    tank = unit(wounds=10)
    for lost, expected in ((4, 0), (5, 0), (6, 1), (10, 0)):
        after = wh40k.mortal_wounds(lost, tank, exact=True)
        assert wh40k.probability_half_strength(after, edition="10e") == expected


def test_desperate_escape_of_the_tenth_edition_destroys_models() -> None:
    """10th edition core rules, Desperate Escape Tests: each 1 or 2 destroys a model, whatever its wounds."""
    squad = unit(models=4, wounds=3, feel_no_pain=4)
    found = wh40k.desperate_escape(squad, edition="10e", exact=True)
    failures = [sum(face <= 2 for face in faces) for faces in product(range(1, 7), repeat=4)]
    expected = {number: Rational(failures.count(number), 6**4) for number in range(5)}
    assert distribution(found.failed) == distribution(found.kills) == expected


def test_explosives() -> None:
    """11th edition core stratagems, Explosives: six D6, one mortal wound for each 4+."""
    found = wh40k.mortal_wounds(wh40k.grenade(), unit(wounds=2, models=5), exact=True)
    assert distribution(found.kills) == {n: Rational(ways, 64) for n, ways in enumerate((7, 35, 21, 1))}


@pytest.mark.parametrize(
    ("toughness", "enemy", "own", "six"),
    [
        (9, "19622/6561", "5038517/3359232", "835/19683"),
        (12, "230902/59049", "120843931/60466176", "31483/177147"),
    ],
)
def test_crushing_impact(toughness: int, enemy: str, own: str, six: str) -> None:
    """11th edition core stratagems, Crushing Impact: 5+ on the enemy, 1 on the own unit, 6 at most on either."""
    found = wh40k.crushing_impact(toughness, exact=True)
    assert found.total() == 1
    assert found.marginal("enemy").mean() == Rational(enemy)
    assert found.marginal("own").mean() == Rational(own)
    assert found.marginal("enemy").pmf(6) == Rational(six)
    assert distribution(found.marginal("enemy")) == distribution(
        wh40k.tank_shock(toughness).distribution(exact=True)
    )
    one = wh40k.crushing_impact(1, exact=True)
    assert dict(one.items()) == {(0, 0): Rational(1, 2), (1, 0): Rational(1, 3), (0, 1): Rational(1, 6)}


@pytest.mark.parametrize(("value", "chance"), [("D6", "1/9"), ("D3", "1/18")])
def test_deadly_demise_near_a_model(value: str, chance: str) -> None:
    """11th edition core rules, 24.08, Deadly Demise: on a 6 a model of three wounds suffers X mortal wounds."""
    found = wh40k.mortal_wounds(wh40k.deadly_demise(value), unit(wounds=3), exact=True)
    assert found.probability_destroyed == Rational(chance)


@pytest.mark.parametrize(
    ("function", "arguments", "options", "message"),
    [
        (wh40k.charge, (13,), {}, "distance in inches"),
        (wh40k.charge, (12,), {"more_than": True}, "distance in inches"),
        (wh40k.battle_shock, (7,), {"edition": "9e"}, "must be one of 10e"),
        (wh40k.battle_shock, ("brave",), {}, r"Leadership from '2\+'"),
        (wh40k.battle_shock, ((),), {}, "got none"),
        (wh40k.desperate_escape, (unit(),), {"edition": "10e", "leadership": 7}, "must be left out"),
        (wh40k.desperate_escape, (unit(),), {"edition": "9e"}, "must be one of 10e"),
        (wh40k.hazardous, (PLASMA, unit()), {"edition": "9e"}, "must be one of 10e"),
        (wh40k.crushing_impact, (0,), {}, "expected a Toughness"),
    ],
)
def test_refusals(function: Any, arguments: Any, options: Any, message: str) -> None:
    """What an edition does not have, and what makes no sense, is refused."""
    with pytest.raises(MathhammerError, match=message):
        function(*arguments, **options)


def test_escape_without_a_battle_shock_roll() -> None:
    """There is no chance to be shocked where nothing is rolled."""
    with pytest.raises(MathhammerError, match="with the leadership of the unit"):
        _ = wh40k.desperate_escape(unit(), edition="10e").probability_shocked
