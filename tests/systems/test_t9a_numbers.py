"""Numbers that users of The 9th Age give: those of NumPy, constants beside dice, and numbers that would not fit."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference.t9a_case import ratio

from mathhammer import t9a
from mathhammer.errors import MathhammerError

MANY = 10**9


def distribution(expression: Any) -> dict[int, Fraction]:
    return {outcome: ratio(p) for outcome, p in expression.distribution(exact=True).items()}


def test_unsigned_numbers_do_not_wrap() -> None:
    """Panic Test: a quarter of 200 is 50; Undead: of 3 lost, a Rank Bonus of 5 leaves none."""
    assert t9a.panic_threshold(np.uint8(200)) == 50
    assert t9a.unstable_losses(np.uint8(3), rank_bonus=np.uint8(5), battle_standard=True) == 0
    assert t9a.unstable_losses(np.uint8(3), reduction=np.uint8(5)) == 0


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int8])
def test_numbers_of_numpy_are_whole_numbers(kind: Any) -> None:
    """Every number may come from an array or a row of a table."""

    def unit(whole: Any) -> t9a.Unit:
        options = {
            "attacks": whole(2),
            "models": whole(3),
            "strength": whole(4),
            "armour_penetration": whole(1),
        }
        part = t9a.ModelPart("p", offensive_skill=whole(3), agility=whole(3), behind=whole(1), **options)
        body = t9a.Target(
            "t",
            models=whole(4),
            health_points=whole(2),
            resilience=whole(3),
            defensive_skill=whole(3),
            armour=whole(2),
            aegis=whole(5),
            fortitude=whole(6),
            champion=whole(2),
            lost=whole(1),
            started_as=whole(5),
        )
        numbers = {
            name: whole(1) for name in ("standards", "flanks", "bonus", "modifier", "minimised", "maximised")
        }
        return t9a.Unit(
            body, part, discipline=whole(8), rank_width=whole(2), commanding_presence=whole(9), **numbers
        )

    found, expected = (t9a.fight(unit(whole), unit(whole), exact=True) for whole in (kind, int))
    assert found.losses == expected.losses
    assert found.probability_first_breaks == expected.probability_first_breaks
    brackets = {"strength": kind(7), "armour_penetration": kind(4), "multiple_wounds": kind(2)}
    shot = t9a.ModelPart(
        "bolt", aim=kind(3), strength=kind(3), attributes="Penetrating", bracketed=t9a.Bracketed(**brackets)
    )
    target = t9a.Target("t", models=9, health_points=2, resilience=3)
    result = t9a.attack(shot, target, depth=kind(3), width=kind(1), hit_modifier=kind(1), exact=True)
    assert ratio(result.hits.pmf(3)) == Fraction(5, 6)
    assert t9a.charge(distance=kind(11), advance=kind(4), exact=True).distance == 11
    assert ratio(t9a.charge(distance=kind(11), advance=kind(4), exact=True).probability_success) == Fraction(
        7, 12
    )
    assert ratio(t9a.break_test(kind(8), kind(3), exact=True).probability_success) == Fraction(5, 18)
    assert ratio(t9a.discipline_test(kind(7), modifier=kind(1), exact=True).probability_success) == Fraction(
        26, 36
    )
    assert ratio(t9a.characteristic_test(kind(4), exact=True).probability_success) == Fraction(2, 3)
    assert ratio(t9a.characteristic_test(np.array([2, 4], kind), exact=True).probability_success) == Fraction(
        2, 3
    )
    assert t9a.dice("2D6", maximised=kind(1)) == t9a.dice("2D6", maximised=1)
    assert str(t9a.impact_hits(kind(2), strength=kind(5))) == str(t9a.impact_hits(2, strength=5))
    bonus = t9a.characteristic(kind(3), [], least=kind(1), most=kind(2))
    assert bonus == 2


@pytest.mark.parametrize(
    ("text", "count", "value"),
    [
        ("D6+1", 1, lambda kept: sum(kept) + 1),
        ("2D6+2", 2, lambda kept: sum(kept) + 2),
        ("D6-1", 1, lambda kept: sum(kept) - 1),
        ("D6×2", 1, lambda kept: sum(kept) * 2),
        ("2×D6+1", 1, lambda kept: sum(kept) * 2 + 1),
        ("D3+1", 1, lambda kept: sum((face + 1) // 2 for face in kept) + 1),
    ],
)
@pytest.mark.parametrize(("maximised", "minimised"), [(1, 0), (2, 0), (0, 1)])
def test_a_constant_stays_as_it_is(text: str, count: int, value: Any, maximised: int, minimised: int) -> None:
    """Maximised Roll and Minimised Roll: a die more is rolled, one is discarded; modifiers come after."""
    rolled: Counter[int] = Counter()
    for faces in product(range(1, 7), repeat=count + maximised + minimised):
        rolled[value(sorted(faces)[maximised : len(faces) - minimised])] += 1
    total = sum(rolled.values())
    found = t9a.dice(text, maximised=maximised, minimised=minimised)
    assert distribution(found) == {k: Fraction(n, total) for k, n in rolled.items()}


def test_random_movement_with_a_constant() -> None:
    """Random Movement: 2D6+2 inches, Maximised and rerolled, all dice or those that were kept."""
    best = distribution(t9a.dice("2D6", maximised=1))
    once = sum(p for inches, p in best.items() if inches + 2 >= 11)
    kept = sum(p for inches, p in distribution(t9a.dice("2D6")).items() if inches + 2 >= 11)
    charge: dict[str, Any] = {"distance": 11, "random_movement": "2D6+2", "maximised": 1, "exact": True}
    assert ratio(t9a.charge(**charge).probability_success) == once
    for option, again in (("all-dice", once), ("kept-dice", kept)):
        result = t9a.charge(**charge, reroll=True, rulings={"reroll_of_maximised": option})
        assert ratio(result.probability_success) == once + (1 - once) * again
        assert dict(result.distances)[11] == result.probability_success


def test_chances_over_all_distances() -> None:
    """Move Chargers: each distance has the chance of a charge over it."""
    for options in ({"reroll": True}, {"champion": True}, {"champion": True, "reroll": True, "minimised": 1}):
        for distance, chance in t9a.charge(advance=4, distance=9, exact=True, **options).distances:
            assert (
                t9a.charge(advance=4, distance=distance, exact=True, **options).probability_success == chance
            )


@pytest.mark.parametrize(
    "make",
    [
        lambda: t9a.charge(advance=4, distance=9, minimised=MANY),
        lambda: t9a.charge(advance=4, distance=9, maximised=MANY),
        lambda: t9a.charge(advance=4, distance=MANY),
        lambda: t9a.charge(advance=MANY, distance=9),
        lambda: t9a.charge(random_movement="30000D6", distance=9),
        lambda: t9a.flee(minimised=MANY),
        lambda: t9a.flee(random_movement="30000D6"),
        lambda: t9a.pursuit(maximised=MANY),
        lambda: t9a.dice("2D6", maximised=MANY),
        lambda: t9a.dice("2D6", maximised=1, minimised=MANY),
        lambda: t9a.discipline_test(7, minimised=MANY),
        lambda: t9a.break_test(7, 1, maximised=MANY),
        lambda: t9a.fear_test(7, maximised=MANY),
        lambda: t9a.Unit(t9a.Target("t", resilience=3), minimised=MANY),
        lambda: t9a.parse_attributes("Area Attack (99×1)"),
        lambda: t9a.stomp_attacks(t9a.dice("D6", maximised=MANY), strength=3),
        lambda: t9a.attack(
            t9a.ModelPart("p", attacks=100, strength=3, attributes="Area Attack (20×20)"),
            t9a.Target("t", models=1000, resilience=3),
        ),
    ],
)
def test_what_would_not_fit_is_refused_up_front(make: Any) -> None:
    """Work without end is refused before anything is rolled, with what was expected."""
    with pytest.raises(MathhammerError, match="expected"):
        make()
