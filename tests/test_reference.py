"""The answer tables of `reference/` against the second programs and the package: neither side is taken on trust."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import pytest
import translation
from checking import check, part, referee
from plain_dice import certainly, mean, then
from referees.wh40k import groups as plain
from referees.wh40k.profiles import Kind
from reference.answers import answers
from tenth import wh40k

if TYPE_CHECKING:
    from plain_dice import Pmf
    from referees.wh40k.profiles import Rules, Unit, Volley
    from reference.answers import Answer

ANSWERS = [*answers("tenth_edition"), *answers("eleventh_edition")]


def package(name: str, volleys: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """A distribution by its name, as the package has it; what follows of the joint one is the same on both ways."""
    result = translation.attack(volleys, unit, rules)
    if name in ("hits", "wounds", "unsaved", "damage"):
        return translation.points(getattr(result, name))
    found = part(translation.points(result.state), unit, name)
    if name in ("kills", "wounds_lost"):
        assert translation.points(getattr(result, name)) == found
    return found


@pytest.mark.parametrize(
    "answer",
    [pytest.param(a, marks=[pytest.mark.slow] * (a.rules.edition == "11e")) for a in ANSWERS],
    ids=str,
)
def test_second_program_agrees_with_the_answer_table(answer: Answer) -> None:
    check(answer, referee)


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_package_agrees_with_the_answer_table(answer: Answer) -> None:
    check(answer, package)


def test_rows_have_names_of_their_own() -> None:
    """Each row of the answer tables is one case (no two share a name)."""
    names = [row.id for row in ANSWERS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(("number", "lost"), [(4, 1), (5, 2)])
def test_mortal_wounds_go_from_model_to_model(number: int, lost: int) -> None:
    """Core rules, 06.02: the hurt model, the other one, then the Character."""
    unit = (Kind(2, 3, models=2, lost=1), Kind(4, 3, 4, character=True, leader=True))
    after = plain.mortal_wounds(unit, plain.fresh(unit), number)
    assert plain.merged(unit, after) == certainly((2, 0, 0, lost))


@pytest.mark.parametrize(
    ("number", "fails_up_to", "each", "mean_lost"), [(5, 2, 1, "5/3"), (3, 2, 3, "3"), (5, 3, 1, "5/2")]
)
def test_hazard_rolls(number: int, fails_up_to: int, each: int, mean_lost: str) -> None:
    """Core rules, 06.03: 1-2 fails; one mortal wound, three on Monsters and Vehicles."""
    unit = (Kind(20),)
    after = plain.hazards(unit, plain.fresh(unit), number, fails_up_to, each)
    assert mean(then(after, lambda state: certainly(20 - state[0]))) == Fraction(mean_lost)


def test_desperate_escape() -> None:
    """Core rules, 09.07: a hazard roll for each of ten models; with Feel No Pain 5+ two thirds as many die."""
    for need, chance in ((None, Fraction(1, 3)), (5, Fraction(2, 9))):
        unit = (Kind(models=10, feel_no_pain=need),)
        dead = then(plain.hazards(unit, plain.fresh(unit), 10), lambda state: certainly(state.count(0)))
        assert dead == {k: comb(10, k) * chance**k * (1 - chance) ** (10 - k) for k in range(11)}


@pytest.mark.parametrize("exact", [False, True])
def test_forty_attacks_into_ten_models_of_three_wounds(exact):
    """icepool 2.1.3, dyce 0.7.0 and lea 4.4.0 agree on the mean of the models destroyed."""
    weapon = wh40k.Weapon(
        "w", range='24"', attacks=40, skill=None, strength=3, ap=0, damage="D3", keywords="Torrent"
    )
    unit = wh40k.Target("t", toughness=5, save="7+", wounds=3, models=10)
    assert float(wh40k.attack(weapon, unit, exact=exact).kills.mean()) == pytest.approx(
        7.253444367851047, rel=1e-14
    )
