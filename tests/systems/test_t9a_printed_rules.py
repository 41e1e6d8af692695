"""Rules of The 9th Age as army books print them: with scopes, abbreviations and several values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer import t9a
from mathhammer.errors import MathhammerError
from mathhammer.systems.t9a.attributes import PROTECTIONS
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed

SIXTH = Fraction(1, 6)


def target(**options: Any) -> t9a.Target:
    return t9a.Target("t", **{"models": 9, "resilience": 3, "defensive_skill": 3, **options})


def unsaved(part: t9a.ModelPart, struck: t9a.Target, **situation: Any) -> Fraction:
    return ratio(t9a.attack(part, struck, exact=True, **situation).unsaved.mean())


BLOW = t9a.ModelPart("blow", offensive_skill=3, strength=10)
SHOT = t9a.ModelPart("shot", aim="4+", strength=10)
SPELL = t9a.ModelPart("spell", strength=10)
CRUSH = t9a.crush_attack(offensive_skill=3)
IMPACT = t9a.impact_hits(1, strength=10)
BREATH = t9a.breath_attack(strength=10)


@pytest.mark.parametrize(
    ("against", "part", "situation", "counts"),
    [
        ("Melee Attacks", BLOW, {}, True),
        ("Melee Attacks", CRUSH, {}, True),
        ("Melee Attacks", IMPACT, {}, True),
        ("Melee Attacks", SHOT, {}, False),
        ("Melee Attacks", SPELL, {}, False),
        ("Melee Attacks", BREATH, {}, False),
        ("Melee Attacks", BREATH, {"in_combat": True}, True),
        ("Ranged Attacks", SHOT, {}, True),
        ("Ranged Attacks", SPELL, {}, True),
        ("Ranged Attacks", t9a.sweeping_attack(1, strength=10), {}, True),
        ("Ranged Attacks", BLOW, {}, False),
        ("Ranged Attacks", IMPACT, {}, False),
        ("Special Attacks", IMPACT, {}, True),
        ("Special Attacks", BREATH, {}, True),
        ("Special Attacks", CRUSH, {}, False),
        ("Special Attacks", BLOW, {}, False),
        ("Magical Attacks", t9a.ModelPart("m", strength=10, attributes="Magical Attacks"), {}, True),
        ("Magical Attacks", SPELL, {}, False),
        ("Flaming Attacks", t9a.ModelPart("m", strength=10, attributes="Flaming Attacks"), {}, True),
        ("Toxic Attacks", t9a.ModelPart("m", strength=10, attributes="Toxic Attacks"), {}, True),
        ("Toxic Attacks", SPELL, {}, False),
    ],
)
def test_aegis_against_some_attacks(
    against: str, part: t9a.ModelPart, situation: dict[str, Any], *, counts: bool
) -> None:
    """Aegis (X, against Y): it counts against such attacks only."""
    bare = unsaved(part, target(attributes="Large"), **situation)
    for text in (f"4+ against {against}", f"4+, against {against}", f"Aegis (4+, against {against.lower()})"):
        struck = target(aegis=text, attributes="Large")
        assert unsaved(part, struck, **situation) == bare * (Fraction(1, 2) if counts else 1)


def test_aegis_as_printed_in_a_stat_line() -> None:
    """Target.parse: among the characteristics or among the rules, with parentheses or without."""
    expected = target(aegis=("4+ against Magical Attacks", "6+"), fortitude="5+", attributes="Parry")
    for text in (
        "t: 9 models, Def 3, Res 3, Aegis (4+, against Magical Attacks), Aegis (6+), Fortitude (5+) [Parry]",
        "t: 9 models, Def 3, Res 3, Aegis 4+, against magical attacks, Aegis 6+, Fortitude 5+ [Parry]",
        "t: 9 models, Def 3, Res 3 [Aegis (4+, against Magical Attacks), Aegis (6+), Parry, Fortitude (5+)]",
        str(expected),
    ):
        assert t9a.Target.parse(text) == expected, text
    assert t9a.Target.parse("t: Res 3, Aegis (6+, +1, max 4+)") == t9a.Target("t", resilience=3, aegis="5+")


def test_a_reroll_of_aegis_alone() -> None:
    """Rerolling Dice: natural 1s of Aegis (4+) rerolled pass with 7/12; a Fortitude beside it is not rerolled."""
    one = Fraction(5, 6)
    both = {"aegis": "4+", "fortitude": "4+"}
    assert unsaved(SPELL, target(aegis="4+"), reroll_aegis="ones") == one * Fraction(5, 12)
    assert unsaved(SPELL, target(fortitude="4+"), reroll_aegis="ones") == one / 2
    assert unsaved(SPELL, target(**both), reroll_aegis="ones") == one * Fraction(5, 12)
    assert unsaved(SPELL, target(aegis="6+", fortitude="4+"), reroll_aegis="failed") == one / 2
    # The wider of two re-rolls of one save.
    assert unsaved(SPELL, target(aegis="4+"), reroll_aegis="failed", reroll_special="ones") == one / 4
    assert unsaved(SPELL, target(aegis="4+"), reroll_aegis="ones", reroll_special="failed") == one / 4


@pytest.mark.parametrize(
    ("scope", "attributes", "counts"),
    [
        ("against Fly", "Fly (8″, 16″)", True),
        ("against Fly", "Large", False),
        ("against Large, Gigantic", "Gigantic", True),
        ("against Large, Gigantic", "Large, Beast", True),
        ("against Large, Gigantic", "", False),
        ("against Large and Beast, Gigantic", "Large, Cavalry", False),
        ("against Large and Beast, Gigantic", "Large, Beast", True),
        ("against Standard", "", True),
        ("against Standard", "Large", False),
        ("against Towering Presence", "Towering Presence", True),
        ("against Characters", "Character", True),
        ("against Characters", "", False),
    ],
)
def test_rules_against_some_targets(scope: str, attributes: str, *, counts: bool) -> None:
    """Hatred (against X), Multiple Wounds (X, against Y), Lethal Strike (against X)."""
    hatred = t9a.ModelPart("p", offensive_skill=3, strength=3, attributes=f"Hatred ({scope})")
    struck = target(attributes=attributes, health_points=2)
    hits = t9a.attack(hatred, struck, first_round=True, exact=True).hits.mean()
    assert ratio(hits) == (Fraction(3, 4) if counts else Fraction(1, 2))
    wounding = t9a.ModelPart("p", strength=3, attributes=f"Multiple Wounds (2, {scope})")
    assert t9a.attack(wounding, struck, exact=True).damage.support[-1] == 1 + counts
    lethal = t9a.ModelPart("p", strength=1, attributes=f"Lethal Strike ({scope})")
    saved = target(attributes=attributes, armour=6)
    assert unsaved(lethal, saved) == SIXTH * (1 if counts else SIXTH)


def test_multiple_wounds_of_several_scopes() -> None:
    """Multiple Wounds: of several in force the best one; against Aegis as against a rule of the target."""
    part = t9a.ModelPart(
        "p", strength=3, attributes="Multiple Wounds (2, against Aegis), Multiple Wounds (D6, against Large)"
    )
    for options, most in (
        ({}, 1),
        ({"aegis": "6+"}, 2),
        ({"attributes": "Large"}, 6),
        ({"attributes": "Large", "aegis": "6+"}, 6),
    ):
        struck = target(health_points=9, **options)
        assert t9a.attack(part, struck, exact=True).damage.support[-1] == most


def test_clipped_wings_in_brackets() -> None:
    """Multiple Wounds (D3, Clipped Wings): X+1 against models with Fly."""
    part = t9a.ModelPart("p", strength=3, attributes="Multiple Wounds (D3, Clipped Wings)")
    for attributes, wounds in (("", {1, 2, 3}), ('Fly (8", 16")', {2, 3, 4})):
        distribution = t9a.attack(part, target(health_points=9, attributes=attributes), exact=True).damage
        assert {k for k, p in distribution.items() if p and k} == wounds
    assert str(part).endswith("[Multiple Wounds (D3, Clipped Wings)]")


def test_characters_are_characters() -> None:
    """Multiple Wounds (2, against Characters): in a round of combat those who strike at one."""
    lord = t9a.Target("Lord", health_points=4, resilience=3)
    part = t9a.ModelPart("p", strength=10, attributes="Multiple Wounds (2, against Characters)", at="Lord")
    enemy = t9a.Unit(target(), characters=[lord])
    result = t9a.fight(t9a.Unit(target(), part), enemy, exact=True)
    assert ratio(result.second_lost.pmf(2)) == Fraction(5, 6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Devastating Charge (+1 Str, +1 AP)", (4, 1, 5)),
        ("Devastating Charge (+ 2 Strength, +2 Armour Penetration)", (5, 2, 5)),
        ("Devastating Charge (+2 Agi)", (3, 0, 7)),
        ("Devastating Charge (+1″ Adv, +1 Str)", (4, 0, 5)),
        ("Devastating Charge (+1 Str, Fight in Extra Rank)", (4, 0, 5)),
        ("Devastating Charge (+1 AP, Terror)", (3, 1, 5)),
        ("Devastating Charge (+1 Str, Multiple Wounds (D3))", (4, 0, 5)),
    ],
)
def test_devastating_charge_as_printed(text: str, expected: tuple[int, int, int]) -> None:
    """Devastating Charge, with the abbreviations of the books; the charge itself gives +1 Agility."""
    part = t9a.ModelPart("p", offensive_skill=3, strength=3, agility=4, attributes=text)
    ready = armed(part, read_situation({"charging": True}))
    assert (ready.strength, ready.armour_penetration, ready.agility) == expected


def test_rules_that_change_no_number_here_are_read() -> None:
    """Two-Handed, Fight in Extra Rank, Harnessed and others: read, and explained as without effect on these rolls."""
    text = "Two-Handed, Fight in Extra Rank, Harnessed, Fear, Volley Fire, Magical Attacks"
    part = t9a.ModelPart("p", offensive_skill=3, strength=3, attributes=text)
    plain = t9a.ModelPart("p", offensive_skill=3, strength=3)
    result = t9a.attack(part, target(), exact=True)
    assert result.health_points_lost == t9a.attack(plain, target(), exact=True).health_points_lost
    named = {step.name for step in result.explain().steps}
    assert {"Two-Handed", "Fight in Extra Rank", "Magical Attacks"} <= named


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
    assert t9a.parse_attributes(", ".join(map(str, read))) == read
    part = t9a.ModelPart("p", offensive_skill=3, strength=3, attributes=text)
    assert t9a.ModelPart.parse(str(part)) == part


def test_protections_print_as_they_are_read() -> None:
    """Fly keeps its distances."""
    read = t9a.parse_attributes("Fly (8′′, 16″), Hard Target (1), Towering Presence", PROTECTIONS)
    assert ", ".join(map(str, read)) == 'Fly (8", 16"), Hard Target (1), Towering Presence'
    assert t9a.parse_attributes(", ".join(map(str, read)), PROTECTIONS) == read


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: t9a.parse_attributes("Hatred (against Rain)"), "against .*Large.*got 'Rain'"),
        (lambda: t9a.parse_attributes("Lance (against Large)"), "without a value"),
        (lambda: t9a.parse_attributes("Multiple Wounds (against Large)"), "expected a value"),
        (lambda: t9a.parse_attributes("Multiple Wounds (D3, Poison Attacks)"), "Clipped Wings"),
        (lambda: t9a.parse_attributes("Fly (8)", PROTECTIONS), "Fly"),
        (lambda: t9a.parse_attributes("Poison Attacks (D3"), "expected a rule"),
        (lambda: target(attributes="Fortitude (4+), Fortitude (5+)"), "one Fortitude"),
        (lambda: target(aegis="4+ against Rain"), "expected Aegis against"),
        (lambda: target(attributes="Poison Attacks"), "expected a rule"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    """What no book prints is refused."""
    with pytest.raises(MathhammerError, match=message):
        make()
