"""Dice, tests, moves and tables of The 9th Age that no text of a question holds; others stand in `cases/t9a.txt`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference.t9a_case import ratio

from mathhammer.expressions.die import Die, DirectionDie
from mathhammer.modifiers import Modifier
from mathhammer.systems import t9a
from mathhammer.systems.t9a.editions import find_edition


def distribution(expression: Any) -> dict[int, Fraction]:
    return {outcome: ratio(p) for outcome, p in expression.distribution(exact=True).items()}


def test_natural_rolls_of_a_d3() -> None:
    """Rolling a D3: a natural 1 or 6 is that of the D6 before halving."""
    faces = Die(3).faces_and_values()
    assert [ratio(faces.marginal("face").pmf(face)) for face in (1, 6)] == [Fraction(1, 6)] * 2
    assert ratio(faces.given(value=1).marginal("face").pmf(1)) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "count", "value"),
    [
        ("D6", 1, sum),
        ("2D6", 2, sum),
        ("2D3", 2, lambda kept: sum((face + 1) // 2 for face in kept)),
        ("D6+1", 1, lambda kept: sum(kept) + 1),
        ("2D6+2", 2, lambda kept: sum(kept) + 2),
        ("D6-1", 1, lambda kept: sum(kept) - 1),
        ("D6×2", 1, lambda kept: sum(kept) * 2),
        ("2×D6+1", 1, lambda kept: sum(kept) * 2 + 1),
        ("D3+1", 1, lambda kept: sum((face + 1) // 2 for face in kept) + 1),
    ],
)
@pytest.mark.parametrize(("maximised", "minimised"), [*product(range(3), repeat=2)])
def test_discarding_dice(text: str, count: int, value: Any, maximised: int, minimised: int) -> None:
    """Maximised and Minimised Roll: cumulative, literal or cancelling; D6 are discarded, modifiers come after."""
    for option in ("literal", "cancel"):
        both = min(maximised, minimised) if option == "cancel" else 0
        more, fewer = maximised - both, minimised - both
        rolled: Counter[int] = Counter()
        for faces in product(range(1, 7), repeat=count + more + fewer):
            rolled[value(sorted(faces)[more : len(faces) - fewer])] += 1
        total = sum(rolled.values())
        rulings = {"maximised_and_minimised": option}
        found = t9a.dice(text, maximised=maximised, minimised=minimised, rulings=rulings)
        assert distribution(found) == {k: Fraction(n, total) for k, n in rolled.items()}
    if maximised == minimised:  # the 3rd edition says that they cancel
        assert t9a.dice(text, maximised=maximised, minimised=minimised, edition="3e") == found


def test_random_directions() -> None:
    """The Direction Dice: every direction is equally likely; on a top face 1 or 6 the face 5 points."""
    assert ratio(DirectionDie().probability_of_arc(30, 90, exact=True)) == Fraction(1, 6)
    assert [DirectionDie.pointing_face(top) for top in (1, 3, 6)] == [5, 1, 5]


def test_other_tests_of_nerve() -> None:
    """Panic, Fear and rally are Discipline Tests, that of Fear at -1; what is not passed is failed."""
    one = t9a.discipline_test(8, reroll=True, exact=True)
    assert t9a.rally_test(8, reroll=True, exact=True).probability_success == one.probability_success
    assert one.probability_success + one.probability_failure == 1
    assert (t9a.fear_test(8, exact=True).need, t9a.panic_test(8, exact=True).need) == (7, 8)


@pytest.mark.parametrize(
    ("lost_by", "options", "losses"),
    [
        (5, {}, 5),
        (5, {"stubborn": True}, 3),
        (30, {"steadfast": True}, 12),
        (30, {"stubborn": True, "steadfast": True, "reduction": 2, "rank_bonus": 3}, 10),
        (
            30,
            {"stubborn": True, "steadfast": True, "reduction": 2, "rank_bonus": 3, "battle_standard": True},
            7,
        ),
        (4, {"battle_standard": True}, 3),
        (1, {"rank_bonus": 3, "battle_standard": True}, 0),
        (7, {"rank_bonus": 3}, 7),
        (
            np.uint8(3),
            {"rank_bonus": np.uint8(5), "battle_standard": True},
            0,
        ),  # unsigned numbers do not wrap
        (np.uint8(3), {"reduction": np.uint8(5)}, 0),
    ],
)
def test_unstable_losses(lost_by: int, options: dict[str, Any], losses: int) -> None:
    """Unstable and Undead: halved, then at most 12, then less ranks or flag of a battle standard, then others."""
    assert t9a.unstable_losses(lost_by, **options) == losses


@pytest.mark.parametrize(("option", "again"), [("all-dice", 1), ("kept-dice", 0)])
def test_random_movement_with_a_constant(option: str, again: int) -> None:
    """Random Movement: 2D6+2 inches, Maximised and rerolled, all dice or those that were kept."""
    once, kept = (
        sum(p for inches, p in distribution(t9a.dice("2D6", maximised=more)).items() if inches + 2 >= 11)
        for more in (1, 0)
    )
    charge: dict[str, Any] = {"distance": 11, "random_movement": "2D6+2", "maximised": 1, "exact": True}
    assert ratio(t9a.charge(**charge).probability_success) == once
    result = t9a.charge(**charge, reroll=True, rulings={"reroll_of_maximised": option})
    assert ratio(result.probability_success) == once + (1 - once) * (once if again else kept)


def test_chances_over_all_distances() -> None:
    """Move Chargers: each distance has the chance of a charge over it."""
    for options in ({"reroll": True}, {"champion": True}, {"champion": True, "reroll": True, "minimised": 1}):
        for distance, chance in t9a.charge(advance=4, distance=9, exact=True, **options).distances:
            once = t9a.charge(advance=4, distance=distance, exact=True, **options)
            assert once.probability_success == chance


@pytest.mark.parametrize("swiftstride", [False, True])
def test_flight_and_pursuit(*, swiftstride: bool) -> None:
    """Flee and Pursuit Distances: as far as the flight is far enough; Swiftstride; Random Movement."""
    caught = sum(
        sum(sorted(pursuing)[swiftstride:]) >= sum(fleeing)
        for fleeing in product(range(1, 7), repeat=2)
        for pursuing in product(range(1, 7), repeat=2 + swiftstride)
    )
    pursuit = t9a.pursuit(swiftstride=swiftstride, exact=True)
    found = t9a.probability_caught(t9a.flee(exact=True), pursuit)
    assert ratio(found) == Fraction(caught, 6 ** (4 + swiftstride))
    assert t9a.pursuit(random_movement="3D6", exact=True).support == range(3, 19)


def test_modifiers() -> None:
    """Priority of Modifiers; 3rd edition, Modifiers; P23, modifiers of one step."""
    half, one, double = (
        Modifier("divide", 2, "half"),
        Modifier("add", 1, "one"),
        Modifier("multiply", 2, "double"),
    )
    assert t9a.characteristic(3, [one, half]) == 3
    assert t9a.characteristic(3, [half, double]) == 3
    assert t9a.characteristic(5, [Modifier("set", 3, "set"), one, double]) == 7
    two = Modifier("add", 2, "to a maximum of 4")
    assert t9a.characteristic(3, [two], limits={two: 4}) == 4
    curse = Modifier("subtract", 5, "curse")
    assert (t9a.characteristic(2, [curse]), t9a.characteristic(3, [curse], least=1)) == (0, 1)
    changes = [Modifier("set", 3, "a"), Modifier("set", 5, "b")]
    assert t9a.characteristic(4, changes) == 3
    assert t9a.characteristic(4, changes, same_step="as-they-come") == 5


def test_pools_and_panic() -> None:
    """R&F Models: ten Trolls lose 7, two and one Health Point, and then 2, one more; Panic Test: a quarter."""
    pools = t9a.Target("Trolls", models=10, health_points=3, resilience=4).pools(find_edition("2e"))
    assert [pools.coordinates()[lost] for lost in (7, 9)] == [(2, 1), (3, 0)]
    assert (t9a.panic_threshold(8), t9a.panic_threshold(8, edition="3e")) == (2, 3)
    assert t9a.panic_threshold(np.uint8(200)) == 50


def test_pieces_of_armour() -> None:
    """Armour: pieces add, a Two-Handed weapon switches off the shield."""
    pieces = ("Light Armour", "Heavy Armour", "Plate Armour, Shield")
    assert [t9a.armour_of(text) for text in pieces] == [1, 2, 4]
    assert t9a.armour_of("Plate Armour, Shield", two_handed=True) == 3
