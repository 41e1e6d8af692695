"""Every Attack Attribute, weapon and protection of The 9th Age, one by one, with the chance that it leads to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed

SIXTH = Fraction(1, 6)


def hits(
    attributes: str = "", protections: str = "", *, aim: int | None = None, skill: int = 3, **situation: Any
) -> Fraction:
    """Chance of a hit: Offensive Skill 3 against 3, or a shot."""
    weapon: dict[str, Any] = {"offensive_skill": skill} if aim is None else {"aim": aim}
    part = t9a.ModelPart("part", strength=3, attributes=attributes, **weapon)
    target = t9a.Target("t", resilience=3, defensive_skill=3, attributes=protections)
    return ratio(t9a.attack(part, target, exact=True, **situation).hits.mean())


@pytest.mark.parametrize(
    ("attributes", "protections", "situation", "faces"),
    [
        ("", "", {}, 3),
        ("Lightning Reflexes", "", {}, 4),
        ("Lightning Reflexes, Great Weapon", "", {}, 3),
        ("", "Distracting", {}, 2),
        ("", "", {"attacker_afraid": True}, 2),
        ("", "", {"target_afraid": True}, 4),
        ("", "Parry", {"skill": 9}, 3),
        ("", "Parry", {"skill": 9, "flank_or_rear": True}, 5),
        ("Paired Weapons", "Parry", {"skill": 9}, 10),  # two attacks at 2+
        ("Paired Weapons", "", {"skill": 3}, 8),  # two attacks, Offensive Skill 4: 3+
        ("", "Parry", {"skill": 1}, 3),
    ],
)
def test_melee(attributes: str, protections: str, situation: dict[str, Any], faces: int) -> None:
    """Lightning Reflexes; Distracting; Fear; Parry; Paired Weapons."""
    assert hits(attributes, protections, **situation) == faces * SIXTH


@pytest.mark.parametrize(
    ("attributes", "protections", "situation", "faces"),
    [
        ("", "", {}, 4),
        ("", "", {"long_range": True}, 3),
        ("Accurate", "", {"long_range": True}, 4),
        ("", "", {"moved": True}, 3),
        ("Quick to Fire", "", {"moved": True}, 4),
        ("Unwieldy", "", {"moved": True}, 2),
        ("Unwieldy (2)", "", {"moved": True}, 1),
        ("Quick to Fire, Unwieldy", "", {"moved": True}, 3),
        ("", "", {"cover": "soft"}, 3),
        ("", "", {"cover": "hard"}, 2),
        ("", "Hard Target", {}, 3),
        ("", "Hard Target, Hard Target", {}, 2),
        ("", "Hard Target (2)", {"edition": "3e"}, 2),
        ("", "", {"stand_and_shoot": True}, 3),
        ("Steady Aim", "", {"stand_and_shoot": True}, 4),
    ],
)
def test_shooting(attributes: str, protections: str, situation: dict[str, Any], faces: int) -> None:
    """To-Hit Modifiers; Accurate; Quick to Fire; Unwieldy; Hard Target; Steady Aim."""
    assert hits(attributes, protections, aim=3, **situation) == faces * SIXTH


def test_hatred_is_of_the_first_round() -> None:
    """Hatred: failed to-hit rolls are rerolled in the first Round of Combat."""
    assert hits("Hatred", first_round=True) == Fraction(3, 4)
    assert hits("Hatred") == Fraction(1, 2)


def test_battle_focus_and_poison_of_rerolled_sixes() -> None:
    """Rerolling Dice: only the die that stands counts."""
    assert hits("Battle Focus", reroll_hits="failed") == Fraction(3, 4) + Fraction(1, 4)


@pytest.mark.parametrize(
    ("attributes", "situation", "expected"),
    [
        ("", {}, (3, 0, 4)),
        ("Great Weapon", {}, (5, 2, 0)),
        ("Great Weapon, Lightning Reflexes", {}, (5, 2, 4)),
        ("Halberd", {}, (4, 1, 4)),
        ("Lance", {}, (3, 0, 4)),
        ("Lance", {"charging": True}, (5, 2, 5)),
        ("Light Lance", {"charging": True}, (4, 1, 5)),
        ("Spear", {}, (3, 1, 4)),
        ("Spear", {"first_round": True}, (3, 2, 6)),
        ("Spear", {"first_round": True, "charging": True}, (3, 1, 5)),
        ("Toxic Attacks, Halberd", {}, (3, 10, 4)),
        (
            "Devastating Charge (+1 Strength, +2 Armour Penetration, +3 Agility)",
            {"charging": True},
            (4, 2, 8),
        ),
        (
            "Devastating Charge (+1 Strength), Devastating Charge (+1 Strength)",
            {"charging": False},
            (3, 0, 4),
        ),
        ("Devastating Charge (+8 Agility)", {"charging": True}, (3, 0, 10)),
    ],
)
def test_weapons(attributes: str, situation: dict[str, Any], expected: tuple[int, int, int]) -> None:
    """Weapons; Charging Momentum; Devastating Charge; Toxic Attacks: Strength, Armour Penetration, Agility."""
    part = t9a.ModelPart("part", strength=3, offensive_skill=3, agility=4, attributes=attributes)
    ready = armed(part, read_situation(situation))
    assert (ready.strength, ready.armour_penetration, ready.agility) == expected


def test_devastating_charge_is_cumulative_and_grants_attributes() -> None:
    """Devastating Charge: each adds; never to Special Attacks."""
    text = "Devastating Charge (+1 Strength), Devastating Charge (+1 Strength, Poison Attacks)"
    charging = read_situation({"charging": True})
    ready = armed(t9a.ModelPart("part", strength=3, attributes=text), charging)
    assert (ready.strength, ready.part.has("Poison Attacks")) == (5, True)
    special = armed(t9a.impact_hits(1, strength=3, attributes=text), charging)
    assert (special.strength, special.part.has("Poison Attacks")) == (3, False)


def unsaved(attributes: str = "", *, penetration: int = 0, **target: Any) -> Fraction:
    """Unsaved wounds of one automatic hit that wounds on 4+."""
    part = t9a.ModelPart("part", strength=3, armour_penetration=penetration, attributes=attributes)
    struck = t9a.Target("t", resilience=3, **target)
    return ratio(t9a.attack(part, struck, exact=True).unsaved.mean()) * 2


def test_saves() -> None:
    """Armour Saves; Aegis; Fortitude; Divine, Magical and Flaming Attacks; Lethal Strike."""
    assert [unsaved(armour=armour) * 6 for armour in range(8)] == [6, 5, 4, 3, 2, 1, 1, 1]
    assert unsaved(armour=6, penetration=1) == SIXTH  # Armour 6 is 2+ and stays so
    assert unsaved(armour=7, penetration=1) == SIXTH
    assert unsaved(aegis="5+") == Fraction(2, 3)
    assert unsaved("Divine Attacks", aegis="5+") == Fraction(8, 9)
    assert unsaved("Divine Attacks", fortitude="5+") == Fraction(2, 3)
    assert unsaved("Flaming Attacks", fortitude="5+") == 1
    assert unsaved(aegis="2+ against Magical Attacks") == 1
    assert unsaved("Magical Attacks", aegis="2+ against Magical Attacks") == SIXTH
    assert unsaved(aegis="6+, +1 max 4+") == Fraction(2, 3)
    assert unsaved(aegis="4+, +2 max 4+") == Fraction(1, 2)
    assert unsaved(aegis="3+, +1 max 4+") == Fraction(1, 3)  # what is better already stays
    assert unsaved("Lethal Strike", aegis="4+", armour=6, penetration=0) == Fraction(1, 2) * (
        Fraction(2, 3) * SIXTH + Fraction(1, 3)
    )


def test_pieces_of_armour() -> None:
    """Armour: pieces add, a Two-Handed weapon switches off the shield."""
    assert [t9a.armour_of(text) for text in ("Light Armour", "Heavy Armour", "Plate Armour, Shield")] == [
        1,
        2,
        4,
    ]
    assert t9a.armour_of("Plate Armour, Shield", two_handed=True) == 3
    with pytest.raises(UnknownNameError, match="pieces of armour"):
        t9a.armour_of("Cape")


def test_clipped_wings() -> None:
    """Multiple Wounds; Clipped Wings: one more against models that Fly."""
    part = t9a.ModelPart("part", strength=3, attributes="Multiple Wounds (2), Clipped Wings")
    for protections, wounds in (("", 2), ("Fly", 3)):
        struck = t9a.Target("t", resilience=3, health_points=4, attributes=protections)
        assert t9a.attack(part, struck, exact=True).damage.support[-1] == wounds


@pytest.mark.parametrize(
    ("attributes", "situation", "models", "expected"),
    [
        ("Area Attack (3×2)", {}, 20, 6),
        ("Area Attack (3×2)", {"width": 2, "depth": 1}, 20, 2),
        ("Area Attack (5×5)", {}, 7, 7),
        ("Penetrating", {}, 20, 1),
        ("Penetrating", {"depth": 4}, 20, 4),
        ("Penetrating", {"depth": 9}, 20, 5),
        ("Penetrating", {"depth": 4}, 3, 3),
    ],
)
def test_several_hits_of_one_shot(
    attributes: str, situation: dict[str, Any], models: int, expected: int
) -> None:
    """Area Attack; Penetrating."""
    part = t9a.ModelPart("part", aim="4+", strength=3, attributes=attributes)
    distribution = t9a.attack(
        part, t9a.Target("t", models=models, resilience=3), exact=True, **situation
    ).hits
    assert {k: ratio(p) for k, p in distribution.items()} == {0: Fraction(1, 2), expected: Fraction(1, 2)}


def test_only_one_hit_of_a_poisoned_shot_wounds_by_itself() -> None:
    """Poison Attacks with Penetrating; the profile in brackets is that of one hit."""
    part = t9a.ModelPart("part", aim="6+", strength=3, attributes="Poison Attacks, Penetrating")
    distribution = t9a.attack(part, t9a.Target("t", models=9, resilience=3), depth=3, exact=True).wounds
    assert {k: ratio(p) for k, p in distribution.items()} == {
        0: 5 * SIXTH,
        1: SIXTH / 4,
        2: SIXTH / 2,
        3: SIXTH / 4,
    }
    bolt = t9a.ModelPart(
        "bolt",
        strength=3,
        attributes="Area Attack (1×2)",
        bracketed=t9a.Bracketed(strength=9, armour_penetration=9, multiple_wounds="D3"),
    )
    result = t9a.attack(bolt, t9a.Target("t", models=9, health_points=3, resilience=3, armour=3), exact=True)
    # 4+ and unsaved by 4+ for the one hit; 2+ and no save for the other, which makes D3 wounds.
    assert ratio(result.unsaved.mean()) == Fraction(1, 4) + Fraction(5, 6)
    assert ratio(result.damage.mean()) == Fraction(1, 4) + Fraction(5, 6) * 2


def test_a_poisoned_hit_has_the_profile_in_brackets() -> None:
    """Poison Attacks; profiles in brackets: the hit that wounds by itself is the first one, which has that profile."""
    bolt = t9a.ModelPart(
        "bolt",
        aim="6+",
        strength=3,
        attributes="Poison Attacks",
        bracketed=t9a.Bracketed(strength=3, armour_penetration=9, multiple_wounds=2),
    )
    result = t9a.attack(bolt, t9a.Target("t", models=9, health_points=3, resilience=9, armour=3), exact=True)
    # A 6 hits and wounds; nothing saves against so much penetration, and the wound is two.
    assert {k: ratio(p) for k, p in result.damage.items()} == {0: 5 * SIXTH, 2: SIXTH}
    assert ratio(result.unsaved.mean()) == SIXTH


def test_hopeless_poison() -> None:
    """Hopeless Shots; Poison Attacks: the first die is the 6, and the second must still pass."""
    part = t9a.ModelPart("part", aim="4+", strength=1, attributes="Poison Attacks")
    result = t9a.attack(part, t9a.Target("t", resilience=9), hit_modifier=-3, exact=True)
    assert ratio(result.wounds.pmf(1)) == Fraction(1, 12)


def test_random_hits_of_each_model_part() -> None:
    """Special Attacks: X is rolled for each model part; Stomp under Maximised Roll."""
    stomp = t9a.stomp_attacks(t9a.dice("D6", maximised=1), strength=5, models=3)
    distribution = t9a.attack(stomp, t9a.Target("t", models=30, resilience=3), exact=True).hits
    assert ratio(distribution.mean()) == 3 * Fraction(161, 36)
    assert distribution.support == range(3, 19)
    assert t9a.sweeping_attack("D3", strength=3).kind == "automatic"
    assert t9a.crush_attack(offensive_skill=3).kind == "melee"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: t9a.ModelPart("p", strength=3, attributes="Multiple Wounds"), "expected a value"),
        (lambda: t9a.ModelPart("p", strength=3, attributes="Area Attack (3)"), "expected a size"),
        (lambda: t9a.ModelPart("p", strength=3, attributes="Hatred (2)"), "without a value"),
        (lambda: t9a.ModelPart("p", strength=3, attributes="Devastating Charge"), "what it adds"),
        (
            lambda: t9a.ModelPart("p", strength=3, attributes="Devastating Charge (+1 Luck)"),
            "a bonus to one of",
        ),
        (lambda: t9a.ModelPart("p", strength=3, offensive_skill=3, aim="3+"), "got both"),
        (lambda: t9a.ModelPart("p", strength=-1), "as strength"),
        (lambda: t9a.ModelPart("p", strength=3, aim="x"), "as aim"),
        (lambda: t9a.ModelPart("p", strength=3, attacks="9D6", models=900), "at most"),
        (lambda: t9a.Target("t", resilience=3, aegis="7+"), "expected Aegis"),
        (lambda: t9a.Target("t", resilience=3, aegis="5+ against Rain"), "expected Aegis against"),
        (lambda: t9a.Target("t", resilience=3, models=2, lost=2), "fewer are lost"),
        (lambda: t9a.discipline_test(-1), "0 or more as Discipline"),
        (lambda: t9a.break_test(8, -1), "0 or more as lost_by"),
        (lambda: t9a.dice("2D6", maximised=-1), "from 0 to 100 as instances"),
        (lambda: t9a.characteristic_test(()), "one characteristic or more"),
        (lambda: t9a.characteristic_test(range(10**9)), "at most 100, got more"),
        (lambda: t9a.characteristic_test("34"), "whole number as characteristic"),
        (
            lambda: t9a.charge(12, 5),
            r"expected charge\(\*, distance, advance, .* too many positional arguments",
        ),  # type: ignore[misc]
        (lambda: t9a.ModelPart("claw"), "missing a required argument: 'strength'"),  # type: ignore[call-arg]
        (lambda: tc.Attack(tc.WEAPONS["Sword"]), r"expected Attack\(\*, weapon, .* too many positional"),  # type: ignore[misc]
        (lambda: tc.charge(6, 5), "too many positional arguments"),  # type: ignore[misc]
        (lambda: hits(cover="none"), "as cover"),
        (lambda: hits(moved=1), "True or False"),
        (lambda: hits(width=0), "of 1 or more as width"),
        (lambda: hits(chargin=True), "did you mean 'charging'"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    """What a book cannot print is refused: what was expected, and what came."""
    with pytest.raises(MathhammerError, match=message):
        make()


@pytest.mark.parametrize("attacks", ["1*5", "2*D6", "2×D6", "D6×2", "3x2*D6"])
def test_a_stat_line_reads_back(attacks: str) -> None:
    """A product of dice is no number of models."""
    part = t9a.ModelPart.parse(f"Bows: {attacks} shots, Aim 4+, Str 3")
    assert t9a.ModelPart.parse(str(part)) == part
