"""One re-roll for a volley against every roll of the dice; nothing of the package is used on that side."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from by_hand import law, play, unit


def enumerated(dice: int, need: int, *, on_success: bool) -> dict[int, Fraction]:
    """Successes, or failures, among dice of which one that failed is rolled again."""
    found: dict[int, Fraction] = {}
    for *faces, again in product(range(1, 7), repeat=dice + 1):
        passed = sum(face >= need for face in faces)
        if passed < dice:
            passed += again >= need
        count = passed if on_success else dice - passed
        found[count] = found.get(count, Fraction(0)) + Fraction(1, 6 ** (dice + 1))
    return found


@pytest.mark.parametrize("dice", [1, 2, 3, 4])
@pytest.mark.parametrize("need", [2, 3, 4, 5, 6])
def test_every_roll_of_the_dice(dice: int, need: int) -> None:
    """Rules Commentary, Fast Dice Rolling and Rules That Allow One Re-roll: hits, wounds and saves."""

    def fractions(distribution: object) -> dict[int, Fraction]:
        return {count: Fraction(str(chance)) for count, chance in law(distribution).items()}

    hits = play(attacks=dice, skill=need, reroll_hits="one")
    assert fractions(hits.hits) == enumerated(dice, need, on_success=True)
    wounds = play("Torrent", attacks=dice, strength=1, wounds_on=need, reroll_wounds="one")
    assert fractions(wounds.wounds) == enumerated(dice, need, on_success=True)
    target = unit(save=need, wounds=1, models=dice)
    saves = play("Lethal Hits, Torrent", attacks=dice, strength=12, reroll_saves="one", target=target)
    given = fractions(saves.wounds)
    expected: dict[int, Fraction] = {}
    for number, chance in given.items():
        failures = enumerated(number, need, on_success=False) if number else {0: Fraction(1)}
        for count, part in failures.items():
            expected[count] = expected.get(count, Fraction(0)) + chance * part
    assert fractions(saves.unsaved) == expected
    assert fractions(saves.kills) == expected
