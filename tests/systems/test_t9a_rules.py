"""Rules of The 9th Age that no text of a question holds: characteristics in hand, texts, plans; others in `cases/`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer import t9a
from mathhammer.distributions import kernel
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.systems.t9a.attributes import PROTECTIONS
from mathhammer.systems.t9a.editions import find_edition
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed

SIXTH = Fraction(1, 6)
CHARGE = {"charging": True}


def body(models: int = 5, **options: Any) -> t9a.Target:
    return t9a.Target("body", **{"models": models, "resilience": 3, "defensive_skill": 3, **options})


def side(*parts: t9a.ModelPart, models: int = 5, **options: Any) -> t9a.Unit:
    return t9a.Unit(body(models), parts, **options)


@pytest.mark.parametrize(
    ("attributes", "situation", "expected"),
    [
        ("", {}, (3, 0, 4)),
        ("Great Weapon", {}, (5, 2, 0)),
        ("Great Weapon", CHARGE, (5, 2, 0)),
        ("Great Weapon, Lightning Reflexes", {}, (5, 2, 4)),
        ("Great Weapon, Lightning Reflexes", CHARGE, (5, 2, 5)),
        ("Halberd", {}, (4, 1, 4)),
        ("Lance", {}, (3, 0, 4)),
        ("Lance", CHARGE, (5, 2, 5)),
        ("Light Lance", CHARGE, (4, 1, 5)),
        ("Spear", {}, (3, 1, 4)),
        ("Spear", {"first_round": True}, (3, 2, 6)),
        ("Spear", {"first_round": True, "flanked": True}, (3, 1, 4)),
        ("Spear", {"first_round": True, **CHARGE}, (3, 1, 5)),
        ("Toxic Attacks, Halberd", {}, (3, 10, 4)),
        ("Devastating Charge (+1 Strength, +2 Armour Penetration, +3 Agility)", CHARGE, (4, 2, 8)),
        ("Devastating Charge (+1 Strength), Devastating Charge (+1 Strength)", {}, (3, 0, 4)),
        ("Devastating Charge (+1 Strength), Devastating Charge (+1 Str, Poison Attacks)", CHARGE, (5, 0, 5)),
        ("Devastating Charge (+8 Agility)", CHARGE, (3, 0, 10)),
        ("Devastating Charge (+1 Str, +1 AP)", CHARGE, (4, 1, 5)),
        ("Devastating Charge (+ 2 Strength, +2 Armour Penetration)", CHARGE, (5, 2, 5)),
        ("Devastating Charge (+2 Agi)", CHARGE, (3, 0, 7)),
        ("Devastating Charge (+1″ Adv, +1 Str)", CHARGE, (4, 0, 5)),
        ("Devastating Charge (+1 Str, Fight in Extra Rank)", CHARGE, (4, 0, 5)),
        ("Devastating Charge (+1 AP, Terror)", CHARGE, (3, 1, 5)),
        ("Devastating Charge (+1 Str, Multiple Wounds (D3))", CHARGE, (4, 0, 5)),
    ],
)
def test_weapons(attributes: str, situation: dict[str, Any], expected: tuple[int, int, int]) -> None:
    """Weapons; Charging Momentum; Devastating Charge; Toxic Attacks: Strength, Armour Penetration, Agility."""
    part = t9a.ModelPart("part", strength=3, offensive_skill=3, agility=4, attributes=attributes)
    ready = armed(part, read_situation(situation))
    assert (ready.strength, ready.armour_penetration, ready.agility) == expected
    assert ready.part.has("Poison Attacks") == ("Poison" in attributes)


@pytest.mark.parametrize(
    ("part", "step"),
    [
        (t9a.ModelPart("p", strength=3, offensive_skill=3, agility=10), 10),
        (t9a.grind_attacks("D3", strength=3, agility=4), 5),
        (t9a.breath_attack(strength=3, agility=4), 5),
        (t9a.impact_hits("D3", strength=3, attributes="Devastating Charge (+1 Str, +1 Agi)"), 10),
        (t9a.stomp_attacks("D3", strength=3), 0),
        (t9a.crush_attack(offensive_skill=3), 0),
    ],
)
def test_charging_momentum(part: t9a.ModelPart, step: int) -> None:
    """Set Agility Order, Charging Momentum: +1 Agility, at most 10; Initiative Steps of their own stay."""
    ready = armed(part, read_situation(CHARGE))
    assert (ready.agility, ready.strength) == (
        step,
        part.strength,
    )  # a Special Attack takes no Devastating Charge
    assert armed(part, read_situation({})).agility == (step - 1 if step == 5 else step)


def test_attacks_that_exclude_each_other() -> None:
    """Model Rules: Impact Hits or Grind Attacks, one Breath Attack in a phase, a Crush Attack or other blows."""
    impact, grind = t9a.impact_hits("D6", strength=5), t9a.grind_attacks("D6", strength=5)
    breath, crush = t9a.breath_attack(strength=4), t9a.crush_attack(offensive_skill=7)
    claws = t9a.ModelPart("claws", attacks=1, offensive_skill=7, strength=10)
    for one, other in ((impact, grind), (breath, breath), (crush, claws), (crush, crush), (claws, crush)):
        with pytest.raises(MathhammerError, match="of one model, which may not make both, got both"):
            t9a.attack([one, other], body())
        with pytest.raises(MathhammerError, match="give them as alternatives"):
            side(one, other, models=1)
        t9a.Unit(
            body(1), [one, other.with_value("of", "Lord")], characters=[t9a.Target("Lord", resilience=3)]
        )
        side(one, other.with_value("behind", 1), models=2)


def test_steadfast_from_full_ranks() -> None:
    """Break Test, Steadfast: more Full Ranks than the enemy ignores the difference."""

    def of(name: str, agility: int, models: int, **options: Any) -> t9a.Unit:
        part = t9a.ModelPart(name, models=models, offensive_skill=3, strength=3, agility=agility)
        return side(part, models=models, rank_width=3, **options)

    line = of("line", 5, 3, standards=9)
    result = t9a.fight(line, of("deep", 3, 9), exact=True)
    stands = 1 - ratio(result.probability_first_destroyed)
    assert ratio(result.probability_first_wins) == stands
    # Deep has two or three Full Ranks left: it tests on 7 whatever the difference, unless it has no more foes.
    assert ratio(result.probability_second_breaks) == stands * Fraction(15, 36)
    fickle = t9a.fight(line, of("deep", 3, 9, steadfast=False), exact=True)
    assert ratio(fickle.probability_second_breaks) > stands * Fraction(15, 36)


def test_a_fear_test_each_round() -> None:
    """Fear: at the start of each Round of Combat."""
    blow = t9a.ModelPart("blow", strength=10, offensive_skill=3)
    ghost = side(blow, fear=True, unbreakable=True)
    anew = t9a.rounds_of_combat(side(blow, discipline=7), ghost, rounds=2, exact=True)
    assert anew.after(1).pmf("first breaks") < anew.after(2).pmf("first breaks")


def test_ranks_behind() -> None:
    """Parts behind others fight while there are enough models."""
    rear = t9a.ModelPart("rear", strength=10, models=2, behind=2, agility=1)
    unit = side(rear, models=4)
    pools = unit.pools(find_edition("2e"))
    assert [unit.present(rear, pools, (lost,)) for lost in range(5)] == [2, 1, 0, 0, 0]


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
        t9a.attack(two, body(), start=together, exact=True)
    with pytest.raises(MathhammerError, match="exact="):
        t9a.attack(two, guard, start=together)  # type: ignore[arg-type]


def test_area_attack_after_an_earlier_attack() -> None:
    """Area Attack: the models that earlier attacks of the phase have left, whatever their number."""
    area = t9a.ModelPart("area", strength=3, attributes="Area Attack (2×2)")
    shot = t9a.attack(t9a.ModelPart("shot", strength=10), body(4), exact=True)
    result = t9a.attack(area, body(4), start=shot, exact=True)
    assert {k: ratio(p) for k, p in result.hits.items()} == {3: Fraction(5, 6), 4: SIXTH}
    assert ratio(result.wounds.mean()) == (3 * Fraction(5, 6) + 4 * SIXTH) / 2
    assert ratio(result.unsaved.mean()) == ratio(result.damage.mean()) == ratio(result.wounds.mean())
    assert ratio(result.health_points_lost.pmf(0)) == SIXTH / 16
    assert ratio(result.probability_destroyed) == Fraction(5, 6) / 8 + SIXTH / 16


def test_overkill_is_reported_apart() -> None:
    """P12, Combat Score: wounds beyond the last Health Point count in a Duel only."""
    result = t9a.attack(t9a.ModelPart("p", attacks=4, strength=10), body(1, health_points=2), exact=True)
    assert result.health_points_lost.support == result.overkill.support == range(3)
    assert result.damage.mean() == result.health_points_lost.mean() + result.overkill.mean()


def test_the_explanation_multiplies_out() -> None:
    """Every step has its fraction, and their product is the chance of an unsaved wound."""
    part = t9a.ModelPart("part", attacks=15, offensive_skill=3, strength=3, armour_penetration=1)
    target = t9a.Target("t", models=20, defensive_skill=3, resilience=4, armour=3, aegis="5+")
    steps = {step.name: step for step in t9a.attack(part, target, exact=True).explain()}
    chance = Fraction(1)
    for name in ("To hit", "To wound", "Saves"):
        chance *= Fraction(steps[name].probabilities[0].fraction)
    assert Fraction(steps["Each attack"].probabilities[0].fraction) == chance == Fraction(2, 27)


@pytest.mark.parametrize("edition", ["2e", "3e"])
def test_all_rulings_are_shown(edition: str) -> None:
    """Each result has an option of each ruling; an explanation counts them and names those that were chosen."""
    blow = t9a.ModelPart("blow", offensive_skill=3, strength=4)
    known = find_edition(edition).rulings
    assert len(known) == 31
    assert all(ruling.default in ruling.options and ruling.source for ruling in known)
    chosen = {"panic_threshold": "rounded-down"}
    for result in (
        t9a.attack(blow, body(), rulings=chosen, edition=edition),
        t9a.fight(side(blow), side(blow), rulings=chosen, edition=edition),
    ):
        assert result.edition == edition
        assert dict(result.rulings) == {ruling.name: ruling.default for ruling in known} | chosen
        step = next(step for step in result.explain().steps if step.name == "Rulings")
        assert (step.text, step.modifiers) == ("30 by default", ("panic_threshold=rounded-down",))


def test_aegis_as_printed_in_a_stat_line() -> None:
    """Target.parse: among the characteristics or among the rules, with parentheses or without."""
    saves = ("4+ against Magical Attacks", "6+")
    expected = t9a.Target(
        "t", models=9, resilience=3, defensive_skill=3, aegis=saves, fortitude="5+", attributes="Parry"
    )
    for text in (
        "t: 9 models, Def 3, Res 3, Aegis (4+, against Magical Attacks), Aegis (6+), Fortitude (5+) [Parry]",
        "t: 9 models, Def 3, Res 3, Aegis 4+, against magical attacks, Aegis 6+, Fortitude 5+ [Parry]",
        "t: 9 models, Def 3, Res 3 [Aegis (4+, against Magical Attacks), Aegis (6+), Parry, Fortitude (5+)]",
        str(expected),
    ):
        assert t9a.Target.parse(text) == expected, text
    assert t9a.Target.parse("t: Res 3, Aegis (6+, +1, max 4+)") == t9a.Target("t", resilience=3, aegis="5+")


def test_rules_that_change_no_number_here_are_read() -> None:
    """Two-Handed, Fight in Extra Rank, Harnessed and others: read, and explained as without effect on these rolls."""
    text = "Two-Handed, Fight in Extra Rank, Harnessed, Fear, Volley Fire, Magical Attacks"
    part = t9a.ModelPart("p", offensive_skill=3, strength=3, attributes=text)
    result = t9a.attack(part, body(), exact=True)
    assert result.health_points_lost == t9a.attack("Off 3, Str 3", body(), exact=True).health_points_lost
    assert set(text.split(", ")) <= {step.name for step in result.explain().steps}


@pytest.mark.parametrize(
    "text",
    [
        "Multiple Wounds (D3, Clipped Wings), Multiple Wounds (2, against Large and Beast, Gigantic)",
        "Hatred (against Large, Gigantic), Two-Handed, Area Attack (3×2)",
        "Devastating Charge (+1 Strength, +2 Advance Rate, Multiple Wounds (D3, against Fly), Terror)",
        "Lethal Strike (against Beast), Impact Hits",
    ],
)
def test_rules_print_as_they_are_read(text: str) -> None:
    """A list of rules reads back to the same rules."""
    read = t9a.parse_attributes(text)
    assert ", ".join(map(str, read)) == text
    part = t9a.ModelPart("p", offensive_skill=3, strength=3, attributes=text)
    assert t9a.ModelPart.parse(str(part)) == part


def test_protections_print_as_they_are_read() -> None:
    """Fly keeps its distances."""
    read = t9a.parse_attributes("Fly (8′′, 16″), Hard Target (1), Towering Presence", PROTECTIONS)
    assert ", ".join(map(str, read)) == 'Fly (8", 16"), Hard Target (1), Towering Presence'
    assert t9a.parse_attributes(", ".join(map(str, read)), PROTECTIONS) == read


@pytest.mark.parametrize("attacks", ["1*5", "2*D6", "2×D6", "D6×2", "3x2*D6"])
def test_a_stat_line_reads_back(attacks: str) -> None:
    """A product of dice is no number of models."""
    part = t9a.ModelPart.parse(f"Bows: {attacks} shots, Aim 4+, Str 3")
    assert t9a.ModelPart.parse(str(part)) == part


def test_stat_lines_stand_for_profiles() -> None:
    """Each profile, or the line that it prints as; a wrong one is shown with a caret."""
    part, target = t9a.ModelPart("Boys", attacks=3, offensive_skill=3, strength=4), body(models=9)
    given = t9a.attack(part, target, exact=True)
    for parts in (str(part), [str(part)], [part]):
        assert t9a.attack(parts, str(target), exact=True).to_text() == given.to_text()
    both = t9a.attack([str(part), part], target, exact=True)
    assert both.kills == t9a.attack([part, part], target, exact=True).kills
    hero = t9a.Target("Hero", health_points=3, resilience=4, defensive_skill=5)
    unit = t9a.Unit(target, part, characters=[hero], alternatives=[part, [part, part]])
    sets = [str(part), [str(part), part]]
    lines = t9a.Unit(str(target), str(part), characters=[str(hero)], alternatives=sets)
    assert lines.arguments() == unit.arguments()
    with pytest.raises(ParseError) as error:
        t9a.Unit(target, "5 attacks, Off 3, Stg 4")
    assert error.value.text[error.value.position :].startswith("Stg")


def test_a_unit_may_fight_its_own_like() -> None:
    """Two sides that are one object are two sides."""
    unit = side(t9a.ModelPart("Spears", attacks=3, offensive_skill=3, strength=3), models=4, rank_width=2)
    result = t9a.fight(unit, unit, exact=True)
    assert result.first_lost == result.second_lost
    assert result.probability_first_wins == result.probability_second_wins
    assert result.probability_first_breaks == result.probability_second_breaks > 0


def test_the_plan_says_what_decides() -> None:
    """Lines of a plan: runs of one thing that the player sees, a second one where the first does not tell."""

    def plan(*seen: tuple[int, int, str]) -> list[str]:
        choices = (
            t9a.CombatChoice("Round 2, start", "us", (("lost:", lost), ("lead:", lead)), action)
            for lost, lead, action in seen
        )
        return list(t9a.CombatPlan(tuple(choices), "break").lines())

    one = [(0, 0, "a"), (1, 3, "a"), (2, 1, "b")]
    assert plan(*one) == ["Round 2, start:", "  lost: 0 to 1: a", "  lost: 2: b"]
    assert plan(*one, (2, 2, "a"))[1:] == ["  lead: 0: a", "  lead: 1: b", "  lead: 2 to 3: a"]
    assert plan((0, 0, "a"), (0, 1, "b"), (1, 0, "b"), (1, 1, "a"))[1:] == [
        "  lost: 0, lead: 0: a",
        "  lost: 0, lead: 1: b",
        "  lost: 1, lead: 0: b",
        "  lost: 1, lead: 1: a",
    ]
    assert str(t9a.CombatPlan((), "break")) == "nothing to decide about"


def test_several_parts_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Initiative Step is fought from every state that the one before it leads to."""
    monkeypatch.setattr(kernel, "MAXIMUM_SECONDS", 0.05)

    def of(*steps: int) -> t9a.Unit:
        parts = (t9a.ModelPart(f"Agility {each}", attacks=8, strength=3, agility=each) for each in steps)
        return side(*parts, models=8)

    t9a.rounds_of_combat(of(5), of(4))
    with pytest.raises(TooLargeError, match=r"those so far and .* joint outcomes"):
        t9a.rounds_of_combat(of(5, 4, 3), of(5, 4, 3))
