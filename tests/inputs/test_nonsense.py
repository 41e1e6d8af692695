"""Input that reads as something, but not as what it says, is refused with the remedy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tenth import wh40k

from mathhammer import distribution, from_text, t9a, trench_crusade
from mathhammer.analysis import grid
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.errors import MathhammerError

WEAPON = "Gun: A2 BS3+ S4 AP-1 D1 [{}]"
TARGET = "Unit: T4 Sv3+ W2 [{}]"


@pytest.mark.parametrize(
    "ability",
    [
        *(
            "ANTI-INFANTRY/VEHICLE 4+",
            "anti-infantry;vehicle 4+",
            "Anti-Infantry | Vehicle 4+",
            "Anti-Infantry+Fly 4+",
        ),
        *(
            "Anti-Infantry 4+ Vehicle 4+",
            "Anti-Infantry and Vehicle 4+",
            "Anti-Monster or Vehicle 4+",
            "Anti-Vehicle & Fly 2+",
        ),
        *("Anti-Infantry Vehicle 4+", "Anti-Vehicle 4+ and Anti-Fly 2+"),
    ],
)
def test_anti_names_one_keyword(ability):
    with pytest.raises(MathhammerError, match="one keyword"):
        wh40k.Weapon.parse(WEAPON.format(ability))
    with pytest.raises(MathhammerError, match="one keyword"):
        wh40k.Weapon("Gun", range="", attacks=1, skill=3, strength=4, ap=0, damage=1, keywords=[ability])
    (kept,) = wh40k.parse_keywords(ability, on_unknown="keep")
    assert not kept.known


@pytest.mark.parametrize(
    "keyword", ["Infantry", "Epic Hero", "Adeptus Astartes", "T'au Empire", "Emperor’s Children"]
)
def test_anti_takes_keywords_of_any_faction(keyword):
    (ability,) = wh40k.parse_keywords(f"Anti-{keyword} 4+")
    assert (ability.name, ability.target.casefold()) == ("Anti", keyword.casefold())


@pytest.mark.parametrize(
    "keywords",
    [
        *(
            "INFANTRY; CHARACTER",
            "INFANTRY/CHARACTER",
            "INFANTRY | CHARACTER",
            "INFANTRY; CHARACTER, IMPERIUM",
        ),
        *("INFANTRY CHARACTER, IMPERIUM", "IMPERIUM, MONSTER FLY", "Vehicle Walker, Chaos"),
    ],
)
def test_keywords_of_a_unit_stand_between_commas(keywords):
    with pytest.raises(MathhammerError, match="comma"):
        wh40k.Target.parse(TARGET.format(keywords))
    with pytest.raises(MathhammerError, match="comma"):
        wh40k.Target("Unit", toughness=4, save=3, wounds=2, keywords=keywords)


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("INFANTRY FLY", ("INFANTRY", "FLY")),
        ("EPIC HERO", ("EPIC HERO",)),
        ("Infantry Epic Hero Psyker", ("Infantry", "Epic Hero", "Psyker")),
        ("ADEPTUS ASTARTES,", ("ADEPTUS ASTARTES",)),
        ("Adeptus Astartes, Infantry", ("Adeptus Astartes", "Infantry")),
        ("Chaos Daemon, Infantry", ("Chaos Daemon", "Infantry")),
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
    with pytest.raises(MathhammerError, match="Volley"):
        wh40k.Weapon.parse(f"{name}: A2 BS3+ S4 AP-1 D1")
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
        with pytest.raises(MathhammerError, match="models behind"):
            parse(f"{name}: {line}")
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


def floats(**changes):
    return {"type": "distribution", "low": 1, "exact": False, "probabilities": [0.5, 0.5], **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"probabilities": [0.75, 0.75], "missing": -0.5},
        {"probabilities": [1.5], "missing": -0.5},
        {"missing": -1e-300},
        {"probabilities": [0.5], "missing": "0.5"},
        {"probabilities": [0.5], "missing": True},
        {"probabilities": [0.5], "missing": None},
        {"probabilities": [0.5, 0.5], "missing": float("nan")},
        {"probabilities": [0.5, float("nan")]},
        {"probabilities": [float("inf")]},
        {"probabilities": [[0.5, 0.5]]},
        {"probabilities": [0.0, 0.0], "missing": 1.0},
        {"probabilities": [], "missing": 1.0},
        {"probabilities": ["0.5", "0.5"]},
        {"probabilities": [True]},
        {"low": True},
        {"low": 10**400},
        {"exact": "no"},
        {"exact": 0},
    ],
)
def test_a_distribution_that_is_none_is_not_read(changes):
    with pytest.raises(MathhammerError):
        Distribution.from_json(json.dumps(floats(**changes)))
    with pytest.raises(MathhammerError):
        Distribution.from_dict(floats(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"numerators": ["1", "-1", "2"], "denominator": "2"},
        {"numerators": ["1"], "denominator": "-1"},
        {"numerators": ["3"], "denominator": "2"},
        {"numerators": ["0"], "denominator": "2"},
        {"numerators": [1], "denominator": "1"},
        {"numerators": "11", "denominator": "2"},
        {"numerators": ["1_0"], "denominator": "10"},
        {"numerators": {"1": 2}, "denominator": "1"},
    ],
)
def test_exact_numbers_that_are_no_distribution_are_not_read(changes):
    with pytest.raises(MathhammerError):
        Distribution.from_dict({"type": "distribution", "low": 1, "exact": True, **changes})


def test_a_joint_distribution_misses_nothing():
    data = distribution("D6").joint(face=lambda face: face).to_dict()
    assert JointDistribution.from_dict(data).total() == pytest.approx(1)
    for changes in ({"missing": 0.5, "probabilities": [0.5 / 6] * 6}, {"axes": ["face", "face"]}):
        with pytest.raises(MathhammerError):
            JointDistribution.from_dict({**data, **changes})


def test_what_is_missing_is_read_back():
    dist = distribution("explode(D6, 6, depth 2)")
    assert Distribution.from_json(dist.to_json()).missing == dist.missing
    exact = distribution("explode(D6, 6, depth 2)", exact=True)
    assert Distribution.from_json(exact.to_json()) == exact


RIFLE = "Rifle: A2 BS3+ S4 AP-1 D1"
FIST = trench_crusade.Weapon("Fist", kind="melee")
FOE = trench_crusade.Target("Foe")


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: wh40k.activations(np.array(2), "MEQ"), "expected a list of units"),
        (lambda: grid(RIFLE, np.array(2)), "expected a Target, .* got array"),
        (lambda: grid(np.array(2), "MEQ"), "expected an Army, .* got array"),
        (lambda: wh40k.attack(RIFLE, "MEQ", reroll=np.arange(3)), "as reroll, got array"),
        (lambda: trench_crusade.attack(FIST, FOE, reply=range(10**9)), "expected a Reply, several of them"),
        (lambda: trench_crusade.attack(FIST, FOE, spend=object), "expected a Spend, several of them"),
    ],
)
def test_a_value_that_is_none_of_those_expected(call, match):
    with pytest.raises(MathhammerError, match=match):
        call()
