"""Dice, tests, charges and tables of The 9th Age against the answer table, and the page on dice rule by rule."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from reference.t9a_case import cases, ratio

from mathhammer.arithmetic import arithmetic
from mathhammer.errors import MathhammerError
from mathhammer.expressions.die import Die
from mathhammer.modifiers import Modifier
from mathhammer.systems import t9a
from mathhammer.systems.t9a.stages import melee_need, wound_need

if TYPE_CHECKING:
    from reference.t9a_case import Case

ROLLS = cases("t9a_rolls")
CASES = {case.id: case for case in ROLLS}


def expect(case_id: str, **found: Any) -> None:
    case = CASES[case_id]
    for name, value in found.items():
        assert ratio(value) == Fraction(case.expected[name]), (case_id, name, case.source)


@pytest.mark.parametrize("case", [case for case in ROLLS if "dist" in case.expected], ids=str)
def test_dice(case: Case) -> None:
    """Dice: sums, modifiers, multiplied dice, Maximised and Minimised Roll."""
    options = {key: case.inputs[key] for key in ("maximised", "minimised") if key in case.inputs}
    rulings = {"maximised_and_minimised": case.inputs["policy"]} if "policy" in case.inputs else None
    distribution = t9a.dice(case.inputs["roll"], rulings=rulings, **options).distribution(exact=True)
    assert {outcome: ratio(p) for outcome, p in distribution.items()} == case.distribution("dist")
    for name, expected in case.expected.items():
        if name == "mean":
            assert ratio(distribution.mean()) == Fraction(expected)
        elif name.startswith("p_ge"):
            assert ratio(distribution.at_least(int(name.rpartition("_")[2]))) == Fraction(expected)
        elif name.startswith("p_le"):
            assert ratio(distribution.cdf(int(name.rpartition("_")[2]))) == Fraction(expected)


def test_natural_rolls_of_a_d3() -> None:
    """Rolling a D3: a natural 1 or 6 is that of the D6 before halving."""
    faces = Die(3).faces_and_values(arithmetic(exact=True))
    expect("d3", p_natural_1=faces.marginal("face").pmf(1), p_natural_6=faces.marginal("face").pmf(6))
    assert ratio(faces.given(value=1).marginal("face").pmf(1)) == Fraction(1, 2)


def test_one_die_against_a_number() -> None:
    """Rolling Dice; Rerolling Dice."""
    expect("3plus", p=t9a.dice("D6").distribution(exact=True).at_least(3))
    expect("reroll-failed-4plus", p=t9a.dice("reroll(D6, <4)").distribution(exact=True).at_least(4))
    part = t9a.ModelPart("hit", strength=10)
    target = t9a.Target("t", resilience=3, aegis="4+")
    saved = 1 - t9a.attack(part, target, reroll_special="ones", exact=True).unsaved.pmf(1) * Fraction(6, 5)
    expect("aegis4-reroll-ones", p_pass=saved)


@pytest.mark.parametrize("maximised", [0, 1, 2])
@pytest.mark.parametrize("minimised", [0, 1, 2])
@pytest.mark.parametrize(("count", "sides"), [(1, 6), (2, 6), (2, 3)])
def test_discarding_dice(maximised: int, minimised: int, count: int, sides: int) -> None:
    """Maximised Roll and Minimised Roll: cumulative, literal or cancelling; D6 are discarded, then halved."""
    for option in ("literal", "cancel"):
        more, fewer = maximised, minimised
        if option == "cancel":
            more, fewer = max(0, maximised - minimised), max(0, minimised - maximised)
        rolled: Counter[int] = Counter()
        for faces in product(range(1, 7), repeat=count + more + fewer):
            kept = sorted(faces)[more : len(faces) - fewer]
            rolled[sum((face + 1) // 2 if sides == 3 else face for face in kept)] += 1
        distribution = t9a.dice(
            f"{count}D{sides}",
            maximised=maximised,
            minimised=minimised,
            rulings={"maximised_and_minimised": option},
        ).distribution(exact=True)
        total = sum(rolled.values())
        assert {k: ratio(p) for k, p in distribution.items()} == {
            k: Fraction(n, total) for k, n in rolled.items()
        }


def test_random_directions() -> None:
    """The Direction Dice: every direction is equally likely; on a top face 1 or 6 the face 5 points."""
    sixth = t9a.DirectionDie().probability_of_arc(30, 90, exact=True)
    assert ratio(sixth) == Fraction(1, 6)
    assert [t9a.DirectionDie.pointing_face(top) for top in (1, 3, 6)] == [5, 1, 5]


def test_tests_of_characteristics_and_nerve() -> None:
    """Characteristic Tests; Discipline Tests; Break Test; Stubborn; Rally Around the Flag."""

    def passed(result: Any) -> Any:
        assert ratio(result.probability_success + result.probability_failure) == 1
        return result.probability_success

    expect("char-test-9", p_pass=passed(t9a.characteristic_test(9, exact=True)))
    expect(
        "disc-7",
        p_pass=passed(t9a.discipline_test(7, exact=True)),
        p_pass_min1=passed(t9a.discipline_test(7, minimised=1, exact=True)),
        p_pass_max1=passed(t9a.discipline_test(7, maximised=1, exact=True)),
        p_pass_reroll_failed=passed(t9a.discipline_test(7, reroll=True, exact=True)),
    )
    expect(
        "break-8-3",
        p_pass=passed(t9a.break_test(8, 3, exact=True)),
        p_pass_reroll=passed(t9a.break_test(8, 3, reroll=True, exact=True)),
        p_pass_steadfast=passed(t9a.break_test(8, 3, steadfast=True, exact=True)),
        p_pass_min1=passed(t9a.break_test(8, 3, minimised=1, exact=True)),
    )
    assert t9a.break_test(8, 3, stubborn=True).probability_success == pytest.approx(13 / 18)
    expect(
        "break-steady-3e",
        p_pass=passed(t9a.break_test(8, 5, edition="3e", exact=True)),
        p_pass_steady=passed(t9a.break_test(8, 5, steady=True, edition="3e", exact=True)),
        p_pass_steady_and_solid=passed(
            t9a.break_test(8, 5, steady=True, solid=True, edition="3e", exact=True)
        ),
    )
    with pytest.raises(MathhammerError, match="neither Steady nor Solid"):
        t9a.break_test(8, 3, steady=True)


def test_commanding_presence_and_bounds() -> None:
    """Commanding Presence; Priority of Modifiers: Discipline is at most 10 and never below 0."""
    assert t9a.discipline_test(6, commanding_presence=9, exact=True).need == 9
    assert t9a.discipline_test(9, commanding_presence=8, modifier=3, exact=True).need == 10
    assert t9a.break_test(5, 9, exact=True).probability_success == 0
    assert (
        t9a.rally_test(8, reroll=True, exact=True).probability_success
        == t9a.discipline_test(8, reroll=True, exact=True).probability_success
    )
    assert t9a.fear_test(8, exact=True).need == 7
    assert t9a.panic_test(8, exact=True).need == 8


def test_unstable_losses() -> None:
    """Unstable: halved, then at most 12, then less ranks or flag, then others."""
    assert t9a.unstable_losses(5) == 5
    assert t9a.unstable_losses(5, stubborn=True) == 3
    most = {"stubborn": True, "steadfast": True, "reduction": 2}
    assert t9a.unstable_losses(30, rank_bonus=3, battle_standard=True, **most) == 7
    assert t9a.unstable_losses(30, rank_bonus=3, **most) == 10
    assert t9a.unstable_losses(4, battle_standard=True) == 3
    assert t9a.unstable_losses(1, rank_bonus=3, battle_standard=True) == 0


def test_charges() -> None:
    """Move Chargers; Swiftstride; Ordering the Charge."""

    def reaches(**options: Any) -> Any:
        return t9a.charge(exact=True, **options).probability_success

    four = {"advance": 4, "distance": 11}
    expect(
        "charge-4-11",
        p=reaches(**four),
        p_swiftstride=reaches(**four, swiftstride=True),
        p_swiftstride_plus_one_minimised_cancel=reaches(
            **four, swiftstride=True, minimised=1, rulings={"maximised_and_minimised": "cancel"}
        ),
    )
    expect(
        "charge-champion-7-11",
        p=reaches(advance=7, distance=11, champion=True),
        p_without=reaches(advance=7, distance=11),
    )
    result = t9a.charge(advance=5, distance=12, champion=True, exact=True)
    assert result.failed_move is not None
    assert result.failed_move.support == range(2, 7)  # the real dice move the failed charge
    assert [distance for distance, _ in result.distances] == list(range(9, 18))
    assert dict(result.distances)[12] == result.probability_success
    assert ratio(reaches(random_movement="3D6", distance=11)) == Fraction(1, 2)
    with pytest.raises(MathhammerError, match="never has Swiftstride"):
        t9a.charge(random_movement="3D6", distance=11, swiftstride=True)


def test_flight_and_pursuit() -> None:
    """Swiftstride and Random Movement in flight and pursuit, against enumeration."""
    caught = Fraction(
        sum(
            sum(sorted(pursuing)[1:]) >= sum(fleeing)
            for fleeing in product(range(1, 7), repeat=2)
            for pursuing in product(range(1, 7), repeat=3)
        ),
        6**5,
    )
    found = t9a.probability_caught(t9a.flee(exact=True), t9a.pursuit(swiftstride=True, exact=True))
    assert ratio(found) == caught
    assert t9a.pursuit(random_movement="3D6", exact=True).support == range(3, 19)


def test_published_tables() -> None:
    """Rolling to Hit, To-Wound Rolls: tables that other programs hold."""
    second, third = t9a.find_edition("2e"), t9a.find_edition("3e")
    for case in cases("t9a_published"):
        if "offensive_minus_defensive" in case.inputs and "need" in case.expected:
            difference = case.inputs["offensive_minus_defensive"]
            assert melee_need(10 + difference, 10, second) == case.expected["need"]
        if "strength_minus_resilience" in case.inputs and "need" in case.expected:
            assert wound_need(5 + case.inputs["strength_minus_resilience"], 5) == case.expected["need"]
    off, defensive = CASES["tohit-published"].inputs["off"], CASES["tohit-published"].inputs["def"]
    assert [melee_need(off, each, second) for each in defensive] == CASES["tohit-published"].expected["needs"]
    assert (melee_need(1, 9, second), melee_need(1, 9, third)) == (6, 5)


def test_to_hit_answers() -> None:
    """Rolling to Hit; Hopeless Shots; To-Hit Modifiers of the 3rd edition."""
    target = t9a.Target("t", defensive_skill=4, resilience=3)

    def hit(edition: str = "2e", modifier: int = 0, **skill: Any) -> Any:
        part = t9a.ModelPart("part", strength=3, **skill)
        return t9a.attack(part, target, hit_modifier=modifier, edition=edition, exact=True).hits.pmf(1)

    expect("melee-mod--4", p_hit=hit(offensive_skill=5, modifier=-4))
    expect("shoot-4--3", p_hit_2e=hit(aim="4+", modifier=-3), p_hit_3e=hit("3e", aim="4+", modifier=-3))
    expect("shoot-4--4", p_hit_2e=hit(aim="4+", modifier=-4), p_hit_3e=hit("3e", aim="4+", modifier=-4))


def test_modifier_answers() -> None:
    """Priority of Modifiers; 3rd edition, Modifiers."""
    half, one = Modifier("divide", 2, "half"), Modifier("add", 1, "one")
    assert t9a.characteristic(3, [one, half]) == CASES["modifier-order"].expected["result"]
    changes = [Modifier("set", 3, "set"), one, Modifier("multiply", 2, "double")]
    assert t9a.characteristic(5, changes) == CASES["set-then-add"].expected["result"]
    two = Modifier("add", 2, "to a maximum of 4")
    assert t9a.characteristic(3, [two], limits={two: 4}) == CASES["modifier-order-limit"].expected["result"]
    assert t9a.characteristic(2, [Modifier("subtract", 5, "curse")]) == 0
    assert t9a.characteristic(3, [Modifier("subtract", 5, "curse")], least=1) == 1


def test_pool_and_panic_answers() -> None:
    """R&F Models: ten Trolls lose 7 and then 2; Panic Test thresholds."""
    trolls = t9a.Target("Trolls", models=10, health_points=3, resilience=4)
    pools = trolls.pools(t9a.find_edition("2e"))
    first, second = CASES["trolls-pool"].inputs["losses"]
    before, after = pools.coordinates()[first], pools.coordinates()[first + second]
    assert [before[0], after[0] - before[0]] == CASES["trolls-pool"].expected["models_removed"]
    assert [before[1], after[1]] == CASES["trolls-pool"].expected["left_over"]
    needed = CASES["panic-threshold-8"].expected
    assert t9a.panic_threshold(8) == needed["losses_needed_2e"]
    assert t9a.panic_threshold(8, edition="3e") == needed["losses_needed_3e"]
