"""Charges, battle-shock and hazard rolls of the 11th edition, by hand."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest
from by_hand import distribution, unit, weapon
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import MathhammerError

PLASMA = weapon("Hazardous")


@pytest.mark.parametrize(
    ("distance", "plain", "reroll", "skies"),
    [
        (6, "13/18", "299/324", "5/12"),
        (7, "7/12", "119/144", "5/18"),
        (9, "5/18", "155/324", "1/12"),
        (10, "1/6", "11/36", "1/36"),
    ],
)
def test_charge_of_the_eleventh_edition(distance: int, plain: str, reroll: str, skies: str) -> None:
    """11th edition core rules, Charge Phase: targets within the distance rolled; taking to the skies costs 2"."""
    for options, expected in (({}, plain), ({"reroll": True}, reroll), ({"skies": True}, skies)):
        found: Any = wh40k.charge(distance, **options, edition="11e", exact=True)
        assert found.probability_success == Rational(expected)


def test_charge_limits_of_the_eleventh_edition() -> None:
    """11th edition core rules, 02.02.01: 12" at most after all modifiers; set up more than 8" away, 9 is needed."""
    with pytest.raises(MathhammerError, match=r'more than 2" .* got 2"'):
        wh40k.charge(2, edition="11e")
    assert wh40k.charge(2, more_than=True, edition="11e", exact=True).probability_success == Rational(35, 36)
    far = wh40k.charge(8, more_than=True, modifier=1, edition="11e", exact=True)
    assert far.probability_success == Rational(5, 12)
    assert wh40k.charge(9, modifier=2, edition="11e", exact=True).range.mean() == Rational(80, 9)


def test_taking_to_the_skies_costs_distance() -> None:
    """11th edition core rules, Charge Phase: the 2" come off the distance, after the limit of the roll."""
    found = wh40k.charge(10, skies=True, modifier=2, edition="11e", exact=True)
    assert (found.range.support[-1], found.probability_success) == (10, Rational(1, 6))


def test_into_the_fray() -> None:
    """11th edition core rules, Heroic Intervention, Into the Fray: a result above 6 is 6."""
    found = wh40k.charge(4, into_the_fray=True, edition="11e", exact=True)
    assert (found.probability_success, found.range.mean()) == (Rational(11, 12), Rational(49, 9))


def binomial(number: int, chance: Rational) -> dict[int, Rational]:
    return {k: comb(number, k) * chance**k * (1 - chance) ** (number - k) for k in range(number + 1)}


def test_hazard_rolls_of_infantry() -> None:
    """11th edition core rules, 06.03 and 24.15: each 1 or 2 is one mortal wound on the unit."""
    found = wh40k.hazardous(PLASMA, unit(wounds=1, models=6), count=5, edition="11e", exact=True)
    assert distribution(found.kills) == distribution(found.failed) == binomial(5, Rational(1, 3))
    worse = wh40k.hazardous(PLASMA, unit(), count=5, fails_up_to=3, edition="11e", exact=True)
    assert worse.wounds_lost.mean() == Rational(5, 2)


def test_hazard_rolls_of_machines() -> None:
    """11th edition FAQ, Hazard Rolls: three mortal wounds if every model is a Monster or a Vehicle, else one."""
    tank = unit(keywords="Vehicle")
    found = wh40k.hazardous(PLASMA, tank, count=3, edition="11e", exact=True)
    assert (found.wounds_lost.mean(), found.failed.mean()) == (3, 1)
    kinds = [wh40k.Target("Tank", toughness=9, save=3, wounds=9, keywords="Vehicle")]
    kinds += [wh40k.Target("Crew", toughness=3, save=5, wounds=1, models=2, keywords="Infantry")]
    mixed = wh40k.hazardous(PLASMA, wh40k.TargetUnit("Mixed", kinds), count=3, edition="11e", exact=True)
    assert mixed.wounds_lost.mean() == 1


def test_mortal_wounds_of_hazard_rolls_spill() -> None:
    """11th edition core rules, 06.02: three mortal wounds on a unit of two walkers of two wounds each."""
    walkers = unit(wounds=2, models=2, keywords="Monster, Walker")
    found = wh40k.hazardous(PLASMA, walkers, edition="11e", exact=True)
    assert found.state.pmf((1, 1)) == Rational(1, 3)


def test_a_hurt_character_is_no_bearer_of_hazards() -> None:
    """11th edition core rules, 06.02: not the bearer, and a hurt Character after every other model."""
    hero = wh40k.Target("Hero", toughness=4, save=3, wounds=5, wounds_lost=1, keywords="Character")
    squad = wh40k.TargetUnit("Squad", [unit(wounds=1, models=2)], [hero])
    found = wh40k.hazardous(PLASMA, squad, edition="11e", exact=True)
    assert found.state.marginal("Unit destroyed").pmf(1) == Rational(1, 3)


@pytest.mark.parametrize("rolls", ["hazardous", "desperate escape"])
def test_each_hazard_looks_anew_for_whom_it_meets(rolls: str) -> None:
    """11th edition core rules, 06.02: two failed ones destroy the hurt model, and then the first in the order given."""
    hurt = wh40k.Target("Hurt", toughness=4, save=None, wounds=2, models=2, wounds_lost=1)
    squad = wh40k.TargetUnit("Squad", [unit(wounds=1), hurt])
    if rolls == "hazardous":
        found: Any = wh40k.hazardous(PLASMA, squad, count=2, fails_up_to=5, edition="11e", exact=True)
        assert found.state.pmf((1, 0, 1, 0)) == Rational(25, 36)
    else:
        found = wh40k.desperate_escape(squad, edition="11e", exact=True)
        assert found.state.pmf((1, 0, 1, 0)) == Rational(6, 27)


def test_hazard_rolls_after_an_attack() -> None:
    """11th edition core rules, 24.15: the result of an attack takes the rolls of its own edition."""
    shot = wh40k.attack(PLASMA, unit(), bearers=unit(wounds=1, models=3), edition="11e", exact=True)
    assert shot.hazardous.kills.mean() == Rational(1, 3)


def test_desperate_escape_of_the_eleventh_edition() -> None:
    """11th edition core rules, 09.07: a hazard roll for each model, and then a battle-shock roll."""
    guards = unit(wounds=1, models=10)
    found = wh40k.desperate_escape(guards, leadership="7+", edition="11e", exact=True)
    assert found.kills.mean() == Rational(10, 3)
    assert found.kills.pmf(0) == Rational(1024, 59049)
    assert found.kills.at_least(5) == Rational(4195, 19683)
    assert found.probability_shocked == (1 - Rational(1, 3) ** 10) * Rational(5, 12)
    tough = wh40k.desperate_escape(unit(wounds=1, models=10, feel_no_pain=5), edition="11e", exact=True)
    assert tough.kills.mean() == Rational(20, 9)
    walkers = wh40k.desperate_escape(unit(models=2, keywords="Vehicle"), edition="11e", exact=True)
    assert walkers.wounds_lost.mean() == 2
    once = unit(wounds=1, models=3, damage_to_0=True)  # which is about failed saves
    assert wh40k.desperate_escape(once, edition="11e", exact=True).kills.mean() == 1


def test_one_hazard_roll_made_again() -> None:
    """11th edition core stratagems, Command Re-roll: one failed hazard roll of five."""
    found = wh40k.hazardous(PLASMA, unit(), count=5, command_reroll=True, edition="11e", exact=True)
    assert found.failed.mean() == found.wounds_lost.mean() == Rational(793, 729)
    tank = unit(keywords="Vehicle", wounds=99)
    machines = wh40k.hazardous(PLASMA, tank, count=5, command_reroll=True, edition="11e", exact=True)
    assert machines.wounds_lost.mean() == 3 * Rational(793, 729)


@pytest.mark.parametrize(("leadership", "passed"), [(5, "5/6"), (6, "13/18"), (7, "7/12"), (8, "5/12")])
def test_battle_shock(leadership: int, passed: str) -> None:
    """11th edition core rules, Leadership and Battle-shock: two dice of the Leadership or more."""
    found = wh40k.battle_shock(f"{leadership}+", edition="11e", exact=True)
    assert found.probability_success == Rational(passed)


@pytest.mark.parametrize(
    ("models", "lost", "strength", "expected"),
    [
        (4, 1, None, 0),
        (4, 2, None, 1),
        (5, 2, None, 0),
        (5, 3, None, 1),
        (5, 0, 10, 1),
        (1, 0, 3, 1),
        (4, 4, None, 0),
    ],
)
def test_half_strength(models: int, lost: int, strength: int | None, expected: int) -> None:
    """11th edition core rules, Battle-shock: at half of the models or below, which odd numbers never are at."""
    after = wh40k.mortal_wounds(lost, unit(models=models, wounds=1), exact=True)
    found = wh40k.probability_half_strength(after, starting_strength=strength, edition="11e")
    assert found == expected


def test_half_strength_of_one_model() -> None:
    """11th edition core rules, Battle-shock: the wounds of a single model."""
    for lost, expected in ((4, 0), (5, 1), (6, 1), (10, 0)):
        after = wh40k.mortal_wounds(lost, unit(wounds=10), exact=True)
        assert wh40k.probability_half_strength(after, edition="11e") == expected


@pytest.mark.parametrize("rule", ["skies", "into_the_fray"])
def test_rules_of_this_edition_alone(rule: str) -> None:
    """They are named as such where they are asked of another."""
    options: Any = {rule: True}
    with pytest.raises(MathhammerError, match="a rule of 11e"):
        wh40k.charge(9, edition="10e", **options)
    assert wh40k.charge(9, edition="11e", **options).edition == "11e"


@pytest.mark.parametrize(
    ("leadership", "options", "need", "passed"),
    [
        (7, {"worsen": 2}, 8, "5/12"),
        (6, {"worsen": -2}, 5, "5/6"),
        (6, {"modifier": 1}, 6, "5/6"),
        ((7, 8), {}, 7, "7/12"),
    ],
)
def test_limits_of_leadership(leadership: Any, options: Any, need: int, passed: str) -> None:
    """11th edition core rules, 02.02.01: Leadership is 5+ to 8+; any one of the unit's may be used."""
    found = wh40k.battle_shock(leadership, **options, edition="11e", exact=True)
    assert (found.need, found.probability_success) == (need, Rational(passed))


def test_hazards_of_psychic_weapons_are_psychic() -> None:
    """11th edition core rules, Psychic: Feel No Pain against psychic wounds works against these."""
    seers = unit(wounds=3, feel_no_pain_psychic=4)
    found = wh40k.hazardous(weapon("Hazardous, Psychic"), seers, edition="11e", exact=True)
    assert found.wounds_lost.mean() == Rational(1, 3) * Rational(1, 2)
    assert wh40k.hazardous(PLASMA, seers, edition="11e", exact=True).wounds_lost.mean() == Rational(1, 3)


def test_hazards_go_on_from_an_attack() -> None:
    """11th edition core rules, 06.03: the unit as the attack on it has left it."""
    squad = unit(wounds=1, models=3)
    hurt = wh40k.attack(weapon("Torrent", strength=12), squad, edition="11e", exact=True)
    found = wh40k.hazardous(PLASMA, squad, edition="11e", exact=True, start=hurt)
    assert found.kills.mean() == Rational(5, 6) + Rational(1, 3)
