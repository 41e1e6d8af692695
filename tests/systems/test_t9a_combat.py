"""A round of combat of The 9th Age rule by rule; `test_t9a_rounds` plays random ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer.errors import MathhammerError
from mathhammer.systems import t9a

BREAK = {
    need: Fraction(ways, 36) for need, ways in enumerate((0, 0, 1, 3, 6, 10, 15, 21, 26, 30, 33, 35, 36))
}


def side(
    name: str, agility: int, *, models: int = 2, body: dict[str, Any] | None = None, **options: Any
) -> t9a.Unit:
    """Models with one attack each, of Strength 3 that hits on 4+."""
    part = t9a.ModelPart(name, attacks=1, models=models, offensive_skill=3, strength=3, agility=agility)
    target = t9a.Target(name, models=models, defensive_skill=3, resilience=3, **(body or {}))
    return t9a.Unit(target, part, **options)


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


def test_ranks_behind() -> None:
    """Parts behind others fight while there are enough models."""
    rear = t9a.ModelPart("rear", strength=10, models=2, behind=2, agility=1)
    unit = t9a.Unit(t9a.Target("a", models=4, resilience=3), rear)
    pools = unit.pools(t9a.find_edition("2e"))
    assert [unit.present(rear, pools, (lost,)) for lost in range(5)] == [2, 1, 0, 0, 0]


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
