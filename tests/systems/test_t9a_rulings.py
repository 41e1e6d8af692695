"""Each ruling of The 9th Age that moves a number: its two readings side by side; and that all are shown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer.errors import UnknownNameError
from mathhammer.modifiers import Modifier
from mathhammer.systems import t9a


def part(**options: Any) -> t9a.ModelPart:
    return t9a.ModelPart("part", **{"strength": 4, **options})


def target(**options: Any) -> t9a.Target:
    return t9a.Target("target", **{"resilience": 4, "defensive_skill": 3, "models": 20, **options})


def under(option: str, value: str, striker: t9a.ModelPart, struck: t9a.Target, **situation: Any) -> Any:
    return t9a.attack(striker, struck, rulings={option: value}, exact=True, **situation)


def hit(
    option: str, value: str, striker: t9a.ModelPart, struck: t9a.Target | None = None, **situation: Any
) -> Fraction:
    return ratio(under(option, value, striker, struck or target(), **situation).hits.pmf(1))


def unsaved(
    option: str, value: str, striker: t9a.ModelPart, struck: t9a.Target, **situation: Any
) -> Fraction:
    return ratio(under(option, value, striker, struck, **situation).unsaved.mean())


SHOT = part(aim="4+")
BLOW = part(offensive_skill=3)
HIT = part()


def test_an_explanation_names_the_rulings_that_are_not_as_by_default() -> None:
    """The others are counted; ``rulings`` of the result holds them all."""
    side = t9a.Unit(target(), BLOW)
    chosen = {"panic_threshold": "rounded-down"}
    for result in (t9a.attack(BLOW, target(), rulings=chosen), t9a.fight(side, side, rulings=chosen)):
        rulings = next(step for step in result.explain().steps if step.name == "Rulings")
        assert (rulings.text, rulings.modifiers) == ("30 by default", ("panic_threshold=rounded-down",))
        assert len(result.rulings) == 31


def test_all_rulings_are_shown_with_their_defaults() -> None:
    """P1 to P31: the edition, and an option of each ruling, stand in every result."""
    for edition in t9a.EDITIONS.values():
        result = t9a.attack(BLOW, target(), edition=edition.name)
        assert result.edition == edition.name
        assert dict(result.rulings) == {ruling.name: ruling.default for ruling in edition.rulings}
        assert "Rulings" in str(result.explain())
        assert len(edition.rulings) == 31
        assert all(ruling.default in ruling.options and ruling.source for ruling in edition.rulings)
    with pytest.raises(UnknownNameError, match="did you mean 'overkill'"):
        t9a.attack(BLOW, target(), rulings={"overkil": "x"})


def test_p1_edition() -> None:
    """Rolling to Hit and Standard Melee Attacks at a difference of -8."""
    weak, strong = part(offensive_skill=1), target(defensive_skill=9)
    chances = [t9a.attack(weak, strong, edition=edition, exact=True).hits.pmf(1) for edition in ("2e", "3e")]
    assert [ratio(p) for p in chances] == [Fraction(1, 6), Fraction(1, 3)]


def test_p2_maximised_and_minimised() -> None:
    chances = [
        t9a.dice("2D6", maximised=1, minimised=1, rulings={"maximised_and_minimised": option})
        .distribution(exact=True)
        .at_least(9)
        for option in ("literal", "cancel")
    ]
    assert [ratio(p) for p in chances] == [Fraction(19, 72), Fraction(5, 18)]
    assert ratio(
        t9a.dice("2D6", maximised=1, minimised=1, edition="3e").distribution(exact=True).at_least(9)
    ) == Fraction(5, 18)


def test_p4_reroll_of_a_maximised_roll() -> None:
    """Minimised Discipline 7: all three dice again, or the two that were kept."""
    once, plain = Fraction(29, 36), Fraction(7, 12)
    for option, again in (("all-dice", once), ("kept-dice", plain)):
        result = t9a.discipline_test(
            7, minimised=1, reroll=True, rulings={"reroll_of_maximised": option}, exact=True
        )
        assert ratio(result.probability_success) == once + (1 - once) * again


def test_p6_hopeless_shot_with_failed_rolls_rerolled() -> None:
    situation = {"hit_modifier": -3, "reroll_hits": "failed"}
    name = "hopeless_reroll_failed"
    assert hit(name, "first-die", SHOT, **situation) == Fraction(11, 72)
    assert hit(name, "both-dice", SHOT, **situation) == Fraction(11, 36) * Fraction(3, 4)


def test_p7_poison_and_lethal() -> None:
    striker = part(offensive_skill=3, attributes="Poison Attacks, Lethal Strike", armour_penetration=1)
    struck = target(armour=4)
    assert unsaved("poison_and_lethal", "no-roll", striker, struck) == Fraction(7, 36)
    # A natural 6 to hit then meets no armour at all: 1/6 of it, beside 1/3 of ordinary hits.
    lethal = Fraction(1, 3) * (Fraction(1, 3) * Fraction(1, 2) + Fraction(1, 6)) + Fraction(1, 6)
    assert unsaved("poison_and_lethal", "as-natural-6", striker, struck) == lethal


def test_p8_several_special_saves() -> None:
    struck = target(aegis="5+", fortitude="4+")
    assert unsaved("special_saves", "one", HIT, struck) == Fraction(1, 2) * Fraction(1, 2)
    assert unsaved("special_saves", "each", HIT, struck) == Fraction(1, 2) * Fraction(1, 2) * Fraction(2, 3)


def test_p9_natural_1_of_a_special_save() -> None:
    struck = target(aegis="1+")
    assert unsaved("special_save_natural_1", "fails", HIT, struck) == Fraction(1, 2) * Fraction(1, 6)
    assert unsaved("special_save_natural_1", "may-pass", HIT, struck) == 0


def test_p10_multiple_wounds_before_saves() -> None:
    striker, struck = part(attributes="Multiple Wounds (2)"), target(health_points=3, armour=3)
    after = under("multiple_wounds_order", "after-saves", striker, struck)
    before = under("multiple_wounds_order", "before-saves", striker, struck)
    assert [ratio(after.damage.pmf(k)) for k in (1, 2)] == [0, Fraction(1, 4)]
    assert [ratio(before.damage.pmf(k)) for k in (1, 2)] == [Fraction(1, 4), Fraction(1, 8)]


def test_p11_clip_of_multiple_wounds() -> None:
    striker, struck = part(attributes="Multiple Wounds (D6)"), target(health_points=3)
    name = "multiple_wounds_clip"
    assert ratio(under(name, "health-points", striker, struck).damage.mean()) == Fraction(1, 2) * Fraction(
        5, 2
    )
    assert ratio(under(name, "nothing", striker, struck).damage.mean()) == Fraction(1, 2) * Fraction(7, 2)


def test_p12_overkill_is_reported_apart() -> None:
    ogre = target(models=1, health_points=2)
    result = t9a.attack(part(attacks=4, strength=10), ogre, exact=True)
    assert result.health_points_lost.support == range(3)
    assert result.overkill.support == range(3)
    assert result.damage.mean() == result.health_points_lost.mean() + result.overkill.mean()


def test_p14_random_attacks() -> None:
    striker = part(attacks="D3", models=2)
    assert ratio(under("random_attacks", "each-model-part", striker, target()).hits.pmf(3)) == Fraction(2, 9)
    assert under("random_attacks", "once", striker, target()).hits.pmf(3) == 0


def test_p15_melee_at_1_or_better() -> None:
    assert hit("melee_natural_1", "misses", BLOW, hit_modifier=5) == Fraction(5, 6)


def test_p16_natural_6_of_a_shot() -> None:
    assert hit("shooting_natural_6", "no", SHOT, hit_modifier=-3) == Fraction(1, 12)
    assert hit("shooting_natural_6", "hits", SHOT, hit_modifier=-3) == Fraction(1, 6)
    assert hit("shooting_natural_6", "no", SHOT, hit_modifier=-5) == 0
    assert hit("shooting_natural_6", "hits", SHOT, hit_modifier=-5) == Fraction(1, 6)


def test_p17_natural_1_of_a_shot() -> None:
    assert hit("shooting_natural_1", "misses", SHOT, hit_modifier=3) == Fraction(5, 6)
    assert hit("shooting_natural_1", "may-hit", SHOT, hit_modifier=3) == 1


def test_p18_distracting_beside_other_penalties() -> None:
    struck = target(attributes="Distracting")
    assert hit("distracting", "dropped", BLOW, struck, hit_modifier=-1) == Fraction(1, 3)
    assert hit("distracting", "added", BLOW, struck, hit_modifier=-1) == Fraction(1, 6)
    assert hit("distracting", "dropped", BLOW, struck) == Fraction(1, 3)


def test_p19_discipline_below_2() -> None:
    assert t9a.break_test(6, 5, exact=True).probability_success == 0


def test_p20_double_1() -> None:
    for option, chance in (("no-rule", 0), ("passes", Fraction(1, 36))):
        result = t9a.break_test(6, 9, rulings={"double_1": option}, exact=True)
        assert ratio(result.probability_success) == chance
    assert t9a.discipline_test(0, rulings={"double_1": "passes"}, exact=True).probability_success == 0


def test_p22_panic_threshold() -> None:
    seven = target(models=7)
    found = [
        under("panic_threshold", option, part(attacks=1, strength=10, aim="2+"), seven).probability_panic_test
        for option in ("at-least", "rounded-down")
    ]
    assert [ratio(p) for p in found] == [0, Fraction(25, 36)]


def test_panic_is_not_of_combat_nor_of_single_models() -> None:
    """Panic Test: neither in combat, nor of units that started as one model; 3rd edition: three losses at least."""
    hail = part(attacks=9, strength=10)

    def chance(struck: t9a.Target, **situation: Any) -> Any:
        return t9a.attack(hail, struck, exact=True, **situation).probability_panic_test

    assert chance(target(models=4)) > Fraction(9, 10)
    assert chance(target(models=4), in_combat=True) == 0
    assert chance(target(models=1, health_points=4)) == 0
    assert chance(target(models=1, health_points=4, started_as=3)) > Fraction(9, 10)
    assert chance(target(models=4), edition="3e") < chance(target(models=4))


def test_p23_modifiers_of_one_step() -> None:
    changes = [Modifier("set", 3, "a"), Modifier("set", 5, "b")]
    assert t9a.characteristic(4, changes) == 3
    assert t9a.characteristic(4, changes, same_step="as-they-come") == 5
    halved = [Modifier("divide", 2, "a"), Modifier("multiply", 2, "b")]
    assert t9a.characteristic(3, halved) == 3


def test_p24_distracting_and_lightning_reflexes() -> None:
    striker, struck = (
        part(offensive_skill=3, attributes="Lightning Reflexes"),
        target(attributes="Distracting"),
    )
    name = "distracting_and_lightning_reflexes"
    assert hit(name, "both-count", striker, struck) == Fraction(1, 2)
    assert hit(name, "bonus-lost", striker, struck) == Fraction(1, 3)


def test_p25_third_edition() -> None:
    strong, struck = part(offensive_skill=9), target(attributes="Parry")
    for option, chance in (("as-2e", Fraction(1, 2)), ("nothing", Fraction(5, 6))):
        assert hit("parry_third_edition", option, strong, struck, edition="3e") == chance
    for option, chance in (("none", Fraction(1, 2)), ("as-2e", Fraction(1, 3))):
        name = "stand_and_shoot_third_edition"
        assert hit(name, option, SHOT, edition="3e", stand_and_shoot=True) == chance
    assert hit("parry_third_edition", "as-2e", SHOT, stand_and_shoot=True) == Fraction(1, 3)


def test_p26_choice_of_the_special_save() -> None:
    striker, struck = part(attributes="Divine Attacks"), target(aegis="4+", fortitude="5+")
    assert unsaved("special_save_choice", "best-chance", striker, struck) == Fraction(1, 2) * Fraction(2, 3)
    assert unsaved("special_save_choice", "lowest-number", striker, struck) == Fraction(1, 2) * Fraction(3, 4)


def test_p27_hopeless_shot_with_ones_rerolled() -> None:
    situation = {"hit_modifier": -3, "reroll_hits": "ones"}
    name = "hopeless_reroll_ones"
    assert hit(name, "first-die", SHOT, **situation) == Fraction(7, 36) * Fraction(1, 2)
    assert hit(name, "both-dice", SHOT, **situation) == Fraction(7, 36) * Fraction(7, 12)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("maximised_d3", "halve-after-discarding"),  # P3
        ("natural_after_reroll", "standing-die"),  # P5
        ("overkill", "reported-apart"),  # P12
        ("stopping_early", "never"),  # P13
        ("geometry", "given-numbers"),  # P21
    ],
)
def test_points_with_one_reading(name: str, option: str) -> None:
    """What the text decides is named all the same."""
    assert t9a.attack(BLOW, target()).rulings[name] == option
