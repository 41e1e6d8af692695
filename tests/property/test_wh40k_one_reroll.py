"""One re-roll for a volley against every roll of the dice; nothing of the package is used on that side."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from by_hand import distribution, play, unit

from mathhammer.errors import MathhammerError


def enumerated(dice: int, need: int, *, on_success: bool) -> dict[int, Fraction]:
    """Successes, or failures, among dice of which one that failed is re-rolled."""
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

    def fractions(found: object) -> dict[int, Fraction]:
        return {count: Fraction(str(chance)) for count, chance in distribution(found).items()}

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


@pytest.mark.parametrize(("attacks", "sides", "more"), [("D6", 6, 0), ("D3", 3, 0), ("D6+2", 6, 2)])
@pytest.mark.parametrize("weapons", [1, 2, 3])
def test_one_number_of_attacks(attacks: str, sides: int, more: int, weapons: int) -> None:
    """Core stratagem Command Re-roll: of several weapons the first that rolls below its mean rolls again."""
    mean = Fraction(sides + 1, 2)
    found: dict[int, Fraction] = {}
    for *rolls, again in product(range(1, sides + 1), repeat=weapons + 1):
        low = next((place for place, roll in enumerate(rolls) if roll < mean), None)
        total = sum(again if place == low else roll for place, roll in enumerate(rolls))
        total += weapons * (more + 1)  # what is printed, and one within half range
        found[total] = found.get(total, Fraction(0)) + Fraction(1, sides ** (weapons + 1))
    given = {"attacks": attacks, "count": weapons, "reroll_attacks": "one", "half_range": True}
    result = play("Torrent, Rapid Fire 1", **given)
    assert {number: Fraction(str(chance)) for number, chance in distribution(result.attacks).items()} == found
    assert result.hits == result.attacks
    assert result.wounds.mean() == result.attacks.mean() / 2
    assert "is re-rolled" in str(result.explain())


def test_attacks_that_are_not_rolled() -> None:
    """Core stratagem Command Re-roll: a printed number is no roll; one re-roll, not two."""
    assert distribution(play("Torrent", attacks=3, count=2, reroll_attacks="one").attacks) == {6: 1}
    for given in ({"reroll_attacks": "ones"}, {"attacks": "D6", "count": 201}):
        with pytest.raises(MathhammerError, match="expected"):
            play(**{"attacks": "D3", "reroll_attacks": "one", **given})


def test_a_random_strength_is_not_rolled_again() -> None:
    """Core rules, Random Characteristics; Re-rolls: the wound roll is re-rolled, with the Strength that it had."""
    needed = {1: 6, 2: 5, 3: 4, 4: 3, 5: 3, 6: 2}  # Strength D6 against Toughness 3
    found: dict[int, Fraction] = {}
    for strengths in product(needed, repeat=2):
        for *faces, again in product(range(1, 7), repeat=3):
            pairs = list(zip(strengths, faces, strict=True))
            missed = next((place for place, (s, face) in enumerate(pairs) if face < needed[s]), None)
            wounds = sum(face >= needed[s] for s, face in pairs)
            wounds += missed is not None and again >= needed[strengths[missed]]
            found[wounds] = found.get(wounds, Fraction(0)) + Fraction(1, 6**5)
    given = {"attacks": 2, "strength": "D6", "target": unit(toughness=3), "reroll_wounds": "one"}
    result = play("Torrent", **given)
    assert {number: Fraction(str(chance)) for number, chance in distribution(result.wounds).items()} == found
