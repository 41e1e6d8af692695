"""A round of combat of The 9th Age, against the same round played die by die, and rule by rule."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import t9a_enumeration as table

from mathhammer.errors import MathhammerError
from mathhammer.systems import t9a

BLOW = table.Attack(hit=4, strength=3, resilience=3)
BREAK = {
    need: Fraction(ways, 36) for need, ways in enumerate((0, 0, 1, 3, 6, 10, 15, 21, 26, 30, 33, 35, 36))
}


def ratio(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))


def fractions(distribution: Any) -> dict[Any, Fraction]:
    return {outcome: ratio(probability) for outcome, probability in distribution.items()}


def side(
    name: str, agility: int, *, models: int = 2, body: dict[str, Any] | None = None, **options: Any
) -> t9a.Unit:
    """Models with one attack each, as `BLOW`."""
    part = t9a.ModelPart(name, attacks=1, models=models, offensive_skill=3, strength=3, agility=agility)
    target = t9a.Target(name, models=models, defensive_skill=3, resilience=3, **(body or {}))
    return t9a.Unit(target, part, **options)


def blows(roll: table.Roll, number: int, left: int) -> int:
    """Health Points that so many attacks take from a unit of so many."""
    return min(left, sum(table.play(BLOW, roll)[3] for _ in range(number)))


@cache
def played(first: int, second: int, *, together: bool) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of both losses, by dice: the first strikes first, or both at once."""

    def play(roll: table.Roll) -> tuple[int, int]:
        taken = blows(roll, first, second)
        returned = blows(roll, second if together else second - taken, first)
        return returned, taken

    return dict(table.enumerated(play))  # type: ignore[arg-type]


@pytest.mark.parametrize(("agility", "together"), [((5, 3), False), ((4, 4), True)])
def test_losses_by_initiative_order(agility: tuple[int, int], *, together: bool) -> None:
    """Attack Sequence: what falls in one initiative step strikes no more in the next; equal steps are simultaneous."""
    result = t9a.fight(side("a", agility[0]), side("b", agility[1], models=1), exact=True)
    expected = played(2, 1, together=together)
    assert fractions(result.losses) == expected
    assert result.losses.total() == 1


def test_score_and_break_test() -> None:
    """Combat Score; Break Test: standards, charge and flank on one side, Discipline 7 against 6."""
    first = side("a", 5, models=1, charging=True, standards=1, flanks=1, discipline=7)
    second = side("b", 3, discipline=6, rank_bonus=1)
    result = t9a.fight(first, second, exact=True)
    differences: dict[int, Fraction] = defaultdict(Fraction)
    won: dict[int, Fraction] = defaultdict(Fraction)
    first_breaks = second_breaks = Fraction(0)
    for (lost, taken), probability in played(1, 2, together=False).items():
        difference = (taken + 3) - (lost + 1)
        differences[difference] += probability
        # No More Foes: who is alone has won.
        alone = (taken == 2) - (lost == 1)
        won[alone or (difference > 0) - (difference < 0)] += probability
        if difference > 0 and taken < 2 and lost < 1:
            second_breaks += probability * (1 - BREAK[max(0, 6 - difference)])
        if difference < 0 and lost < 1 and taken < 2:
            first_breaks += probability * (1 - BREAK[7 + difference])
    assert fractions(result.difference) == dict(differences)
    assert ratio(result.probability_second_breaks) == second_breaks
    assert ratio(result.probability_first_breaks) == first_breaks
    found = (result.probability_first_wins, result.probability_draw, result.probability_second_wins)
    assert [ratio(p) for p in found] == [won[1], won[0], won[-1]]
    assert "Breaks" in str(result.explain())


def test_steadfast_from_full_ranks() -> None:
    """Break Test, Steadfast: more Full Ranks than the enemy ignores the difference."""
    deep = side("deep", 3, models=9, rank_width=3, discipline=7, body={})
    line = side("line", 5, models=3, rank_width=3, standards=9)
    result = t9a.fight(line, deep, exact=True)
    stands = 1 - ratio(result.probability_first_destroyed)
    assert ratio(result.probability_first_wins) == stands
    # Deep has two or three Full Ranks left: it tests on 7 whatever the difference, unless it has no more foes.
    assert ratio(result.probability_second_breaks) == stands * (1 - BREAK[7])
    fickle = t9a.fight(line, side("deep", 3, models=9, rank_width=3, steadfast=False), exact=True)
    assert ratio(fickle.probability_second_breaks) > stands * (1 - BREAK[7])


def test_rank_bonus_of_both_editions() -> None:
    """Combat Score: at most +3 for ranks after the blows; 3rd edition: at most +4, before them."""
    for edition, bonus in (("2e", 3), ("3e", 4)):
        many = t9a.Unit(t9a.Target("many", models=60, resilience=3), rank_width=5)
        few = t9a.Unit(t9a.Target("few", models=1, resilience=3))
        assert t9a.fight(many, few, edition=edition, exact=True).difference.pmf(bonus) == 1


def test_steady_in_the_third_edition() -> None:
    """Take Break Test: Steady caps the difference at 2, Steady and Solid ignore it."""
    strong = t9a.Unit(t9a.Target("strong", models=5, resilience=3), bonus=5)
    for options, need in (
        ({}, 3),
        ({"steady": True}, 6),
        ({"steady": True, "solid": True}, 8),
        ({"stubborn": True}, 8),
    ):
        weak = t9a.Unit(t9a.Target("weak", models=5, resilience=3), discipline=8, **options)
        result = t9a.fight(strong, weak, edition="3e", exact=True)
        assert ratio(result.probability_second_breaks) == 1 - BREAK[need]


def test_unstable_losses() -> None:
    """Unstable: Health Points for the difference instead of a Break Test."""
    strong = t9a.Unit(t9a.Target("strong", models=5, resilience=3), bonus=5)
    bones = t9a.Target("bones", models=10, resilience=3)
    result = t9a.fight(strong, t9a.Unit(bones, unstable=True), exact=True)
    assert result.second_lost.pmf(5) == 1
    assert result.probability_second_breaks == 0
    undead = t9a.Unit(bones, undead=True, stubborn=True, standards=1, battle_standard=True)
    assert t9a.fight(strong, undead, exact=True).second_lost.pmf(1) == 1
    small = t9a.Unit(t9a.Target("bones", models=4, resilience=3), unstable=True)
    assert t9a.fight(strong, small, exact=True).probability_second_destroyed == 1


def test_champion_and_characters_have_pools_of_their_own() -> None:
    """Losing Health Points; Characters: excess passes from the rank and file to the Champion only."""
    sure = {"strength": 10, "agility": 9}
    hits = t9a.ModelPart("hits", attacks=30, **sure)
    lord = t9a.Target("Lord", health_points=3, resilience=3, defensive_skill=5)
    guard = t9a.Target("guard", models=2, resilience=3, champion=2)
    second = t9a.fight(
        t9a.Unit(t9a.Target("a", resilience=3), hits), t9a.Unit(guard, characters=[lord]), exact=True
    )
    assert second.outcome.axes == (
        "first rank and file",
        "second rank and file",
        "second champion",
        "second Lord",
        "difference",
    )
    assert second.outcome.marginal("second Lord").pmf(0) == 1
    assert ratio(second.outcome.marginal("second champion").pmf(2)) > Fraction(99, 100)
    third = t9a.fight(
        t9a.Unit(t9a.Target("a", resilience=3), hits),
        t9a.Unit(guard, characters=[lord]),
        edition="3e",
        exact=True,
    )
    assert third.outcome.marginal("second champion").pmf(0) == 1
    at_lord = t9a.ModelPart("hits", attacks=1, at="Lord", **sure)
    struck = t9a.fight(
        t9a.Unit(t9a.Target("a", resilience=3), at_lord), t9a.Unit(guard, characters=[lord]), exact=True
    )
    assert ratio(struck.outcome.marginal("second Lord").pmf(1)) == Fraction(5, 6)


def test_a_dead_character_strikes_no_more() -> None:
    """Attack Sequence: the parts of a character are there while it lives."""
    lord = t9a.Target("Lord", health_points=1, resilience=3)
    blow = t9a.ModelPart("blow", strength=10, agility=2, of="Lord")
    body = t9a.Target("body", models=5, resilience=3)
    sniper = t9a.ModelPart("sniper", strength=10, agility=8, at="Lord")
    result = t9a.fight(t9a.Unit(body, sniper), t9a.Unit(body, blow, characters=[lord]), exact=True)
    assert ratio(result.first_lost.pmf(1)) == Fraction(1, 6) * Fraction(5, 6)


def test_duel_counts_overkill() -> None:
    """Combat Score: in a Duel up to 3 wounds beyond the last Health Point count."""
    hero = t9a.Target("hero", resilience=3)
    smash = t9a.ModelPart("smash", attacks=9, strength=10)
    plain = t9a.fight(t9a.Unit(hero, smash), t9a.Unit(hero), exact=True)
    duel = t9a.fight(t9a.Unit(hero, smash), t9a.Unit(hero), duel=True, exact=True)
    assert plain.difference.support[-1] == 1
    assert duel.difference.support[-1] == 4
    with pytest.raises(MathhammerError, match="single models in a Duel"):
        t9a.fight(side("a", 3), t9a.Unit(hero), duel=True)


def test_fear_and_ranks_behind() -> None:
    """Fear: -1 to hit with, +1 to be hit by; parts behind others fight while there are enough models."""
    calm, scared = side("a", 4), side("b", 4, afraid=True)
    result = t9a.fight(calm, scared)
    assert result.second_lost.mean() > result.first_lost.mean()
    rear = t9a.ModelPart("rear", strength=10, models=2, behind=2, agility=1)
    unit = t9a.Unit(t9a.Target("a", models=4, resilience=3), rear)
    pools = unit.pools(t9a.find_edition("2e"))
    assert [unit.present(rear, pools, (lost,)) for lost in range(5)] == [2, 1, 0, 0, 0]


def test_weapons_change_the_order() -> None:
    """Weapons: a Great Weapon strikes last, a braced spear two steps earlier."""
    body = t9a.Target("body", models=1, defensive_skill=3, resilience=3)

    def blow(attributes: str, agility: int) -> t9a.Unit:
        part = t9a.ModelPart("p", offensive_skill=3, strength=3, agility=agility, attributes=attributes)
        return t9a.Unit(body, part)

    slow = t9a.fight(blow("Great Weapon", 9), blow("", 2), exact=True)
    assert slow.second_lost.pmf(1) < slow.first_lost.pmf(1) + Fraction(1, 3)
    assert ratio(slow.first_lost.pmf(1)) == Fraction(1, 4)
    braced = t9a.fight(blow("Spear", 3), blow("", 4), exact=True)
    assert ratio(braced.second_lost.pmf(1)) == Fraction(1, 4)
    later = t9a.fight(blow("Spear", 3), blow("", 4), first_round=False, exact=True)
    assert ratio(later.second_lost.pmf(1)) == Fraction(1, 4) * Fraction(3, 4)


def test_refusals() -> None:
    """What is no round of combat is refused with the remedy."""
    body = t9a.Target("body", resilience=3)
    with pytest.raises(MathhammerError, match="shots"):
        t9a.Unit(body, t9a.ModelPart("bow", aim="4+", strength=3))
    with pytest.raises(MathhammerError, match="strikes at"):
        t9a.fight(t9a.Unit(body, t9a.ModelPart("p", strength=3, at="Lord")), t9a.Unit(body))
    with pytest.raises(MathhammerError, match="Defensive Skill"):
        t9a.attack(t9a.ModelPart("p", offensive_skill=3, strength=3), body)


def test_attacks_one_after_another_on_one_target() -> None:
    """Losing Health Points: two attacks of one phase take from the same pool, champion and all."""
    guard = t9a.Target("guard", models=3, health_points=2, resilience=3, armour=2, champion=2)
    one = t9a.ModelPart("one", attacks=3, strength=3, attributes="Multiple Wounds (2)")
    two = t9a.ModelPart("two", attacks=4, strength=4)
    together = t9a.attack([one, two], guard, exact=True)
    chained = t9a.attack(two, guard, start=t9a.attack(one, guard, exact=True), exact=True)
    assert chained.state == together.state
    assert chained.health_points_lost == together.health_points_lost
    assert "rank and file destroyed" in together.state.axes
    with pytest.raises(MathhammerError, match="on this target"):
        t9a.attack(two, t9a.Target("other", resilience=3), start=together, exact=True)
    with pytest.raises(MathhammerError, match="exact="):
        t9a.attack(two, guard, start=together)  # type: ignore[arg-type]


def test_the_explanation_multiplies_out() -> None:
    """Every step has its fraction, and their product is the chance of an unsaved wound."""
    part = t9a.ModelPart("part", attacks=15, offensive_skill=3, strength=3, armour_penetration=1)
    target = t9a.Target("t", models=20, defensive_skill=3, resilience=4, armour=3, aegis="5+")
    steps = {step.name: step for step in t9a.attack(part, target, exact=True).explain()}
    chance = Fraction(1)
    for name in ("To hit", "To wound", "Saves"):
        chance *= Fraction(steps[name].probabilities[0].fraction)
    assert Fraction(steps["Each attack"].probabilities[0].fraction) == chance == Fraction(2, 27)


@pytest.mark.parametrize(
    ("attribute", "mean"), [("", None), ("Multiple Wounds (2)", 2), ("Multiple Wounds (D6)", Fraction(5, 2))]
)
def test_the_explanation_says_what_a_wound_multiplies_to(attribute: str, mean: object) -> None:
    """Of a model of 3 Health Points, so that D6 takes 1, 2, or four times 3 of six."""
    part = t9a.ModelPart("part", strength=3, attributes=attribute)
    explained = t9a.attack(part, t9a.Target("t", models=2, health_points=3, resilience=3)).explain()
    found = [Fraction(step.probabilities[0].fraction) for step in explained if step.name == "Multiple Wounds"]
    assert found == ([] if mean is None else [mean])


def test_a_unit_may_fight_its_own_like():
    spears = t9a.ModelPart("Spears", attacks=3, offensive_skill=3, strength=3)
    unit = t9a.Unit(t9a.Target("Orcs", models=4, defensive_skill=3, resilience=3), spears, rank_width=2)
    result = t9a.fight(unit, unit, exact=True)
    assert result.first_lost == result.second_lost
    assert result.probability_first_wins == result.probability_second_wins
    assert result.probability_first_breaks == result.probability_second_breaks > 0
