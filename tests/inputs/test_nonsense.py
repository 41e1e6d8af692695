"""Input that reads as something, but not as what it says, is refused with the remedy."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tenth import wh40k

from mathhammer import distribution, from_text, t9a
from mathhammer.cli import main
from mathhammer.distributions import Distribution, JointDistribution

WEAPON = "Gun: A2 BS3+ S4 AP-1 D1 [{}]"
TARGET = "Unit: T4 Sv3+ W2 [{}]"


@pytest.mark.parametrize(
    "ability", ["ANTI-INFANTRY/VEHICLE 4+", "Anti-Infantry Vehicle 4+", "Anti-Vehicle & Fly 2+"]
)
def test_anti_names_one_keyword(ability):
    (kept,) = wh40k.parse_keywords(ability, on_unknown="keep")
    assert not kept.known


@pytest.mark.parametrize(
    "keyword", ["Infantry", "Epic Hero", "Adeptus Astartes", "T'au Empire", "Emperor’s Children"]
)
def test_anti_takes_keywords_of_any_faction(keyword):
    (ability,) = wh40k.parse_keywords(f"Anti-{keyword} 4+")
    assert (ability.name, ability.target.casefold()) == ("Anti", keyword.casefold())


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("INFANTRY FLY", ("INFANTRY", "FLY")),
        ("EPIC HERO", ("EPIC HERO",)),
        ("Infantry Epic Hero Psyker", ("Infantry", "Epic Hero", "Psyker")),
        ("ADEPTUS ASTARTES,", ("ADEPTUS ASTARTES",)),
        ("Adeptus Astartes, Infantry", ("Adeptus Astartes", "Infantry")),
        ("Chaos Daemon, Infantry", ("Chaos Daemon", "Infantry")),
        ("Tyranids", ("Tyranids",)),
        ("Kroot", ("Kroot",)),
    ],
)
def test_keywords_of_two_words(text, keywords):
    assert wh40k.Target.parse(TARGET.format(text)).keywords == keywords


@pytest.mark.parametrize(
    "keywords", [("Epic Hero",), ("Adeptus Astartes",), ("Infantry",), ("Jump Pack", "Fly"), ()]
)
def test_a_target_reads_back_with_its_keywords(keywords):
    target = wh40k.Target("Unit", toughness=4, save=3, wounds=2, keywords=keywords)
    assert wh40k.Target.parse(str(target)) == target
    result = wh40k.attack(wh40k.Weapon.parse(WEAPON.format("Anti-Epic Hero 4+")), target)
    assert from_text(result.to_text()).kills == result.kills


@pytest.mark.parametrize(
    "name",
    ["9x Bolt rifle", "9 x Bolt rifle", "9× Bolt rifle", "10X Gun", "Bolt rifle x9", "Bolt rifle (x9)"],
)
def test_a_stat_line_is_of_one_weapon(name):
    weapon = wh40k.Weapon(name, range="", attacks=2, skill=3, strength=4, ap=-1, damage=1)
    result = wh40k.attack(weapon, wh40k.Target.parse("T4 Sv3+ W2"), count=2)
    assert from_text(result.to_text()).damage == result.damage


@pytest.mark.parametrize("name", ["9x Orcs", "9 × Orcs", "Orcs x9", "Orcs (X9)"])
def test_a_number_of_models_stands_behind_the_name(name):
    """A number in the name was a part of it, and the unit one model."""
    for parse, line, count in (
        (wh40k.Target.parse, "T4 Sv3+ W2", "9x "),
        (t9a.Target.parse, "Def 3, Res 3", "9 models, "),
        (t9a.ModelPart.parse, "2 attacks, Off 3, Str 3, AP 0", "9x"),
    ):
        told = parse(f"{name}: {count}{line}")
        assert (told.name, told.models) == (name, 9)
    for unit in (
        wh40k.Target(name, toughness=4, save=3, wounds=2),
        t9a.Target(name, resilience=3),
        t9a.ModelPart(name, strength=3),
    ):
        assert type(unit).parse(str(unit)) == unit


@pytest.mark.parametrize(
    "name", ["Bolt rifle", "C'tan Power: Time's Arrow", "Mk 2 gun", "X9", "9mm gun", "Plasma x"]
)
def test_names_of_weapons_with_numbers(name):
    assert wh40k.Weapon.parse(f"{name}: A2 BS3+ S4 AP-1 D1").name == name


def test_a_joint_distribution_misses_nothing():
    data = distribution("D6").joint(face=lambda face: face).to_dict()
    assert JointDistribution.from_dict(data).total() == pytest.approx(1)


def test_what_is_missing_is_read_back():
    dist = distribution("explode(D6, 6, depth 2)")
    assert Distribution.from_json(dist.to_json()).missing == dist.missing
    exact = distribution("explode(D6, 6, depth 2)", exact=True)
    assert Distribution.from_json(exact.to_json()) == exact


@pytest.mark.parametrize(
    "arguments",
    [
        ["40k", "attack", "{}x Rifle: A2 BS3+ S4 AP-1 D1", "--target", "MEQ"],
        ["t9a", "charge", "--distance", "{}", "--advance", "5"],
        ["dice", "{}D6"],
        ["dice", "2D6", "--at-least", "{}"],
        ["tc", "success", "--dice", "{}"],
        ["40k", "attack", "Gun: A2 BS3+ S4 AP-1 D1", "--target", "MEQ", "--modifier", "damage +{}"],
    ],
    ids=" ".join,
)
def test_a_number_without_end_on_the_command_line(arguments):
    result = CliRunner().invoke(main, [text.format("9" * 5000) for text in arguments])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
