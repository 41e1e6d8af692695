"""Attacks of The 9th Age against the answer table: exactly, and in float64 to a relative 1e-12."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from reference.t9a_case import cases

from mathhammer.systems import t9a

if TYPE_CHECKING:
    from reference.t9a_case import Case

    from mathhammer.distributions import Distribution

ATTACKS = cases("t9a_attacks")

SKILL_FOR = {2: 9, 3: 6, 4: 5, 5: 1}  # Offensive Skill that needs so much against Defensive Skill 5
FLAGS = {
    "poison": "Poison Attacks",
    "battle_focus": "Battle Focus",
    "lethal": "Lethal Strike",
    "divine": "Divine Attacks",
    "flaming": "Flaming Attacks",
}
#: Cases whose hits are a distribution: the Special Attack, and the number of hits it makes.
SPECIALS: dict[str, Any] = {
    "breath": t9a.breath_attack,
    "impact-d6p1": lambda **stats: t9a.impact_hits("D6+1", **stats),
    "stomp-d6-max": lambda **stats: t9a.stomp_attacks(t9a.dice("D6", maximised=1), **stats),
    "grind-2d3": lambda **stats: t9a.grind_attacks("2D3", **stats),
}


def built(case: Case, attacks: int, *, flaming: bool = False) -> tuple[t9a.ModelPart, t9a.Target]:
    """The profiles of a row."""
    row = case.inputs
    strength, resilience = row.get("strength"), row.get("res", 4)
    if strength is None:  # the row gives the number needed to wound
        strength = {2: 6, 4: 4}[row["to_wound"]]
    rules = [name for key, name in FLAGS.items() if row.get(key)] + ["Flaming Attacks"] * flaming
    if "mw" in row:
        rules.append(f"Multiple Wounds ({row['mw']})")
    stats: dict[str, Any] = {"strength": strength, "armour_penetration": row.get("ap", 0)}
    if case.id in SPECIALS:
        part = SPECIALS[case.id](**stats)
    else:
        if row.get("kind") == "melee":
            stats["offensive_skill"] = SKILL_FOR[row["to_hit"]]
        elif row.get("kind") == "shoot":
            stats["aim"] = row["to_hit"]
        if case.id == "toxic":  # the rule itself sets what the row gives as numbers
            stats |= {"strength": 9, "armour_penetration": 0}
            rules.append("Toxic Attacks")
        part = t9a.ModelPart("part", attacks=attacks, attributes=", ".join(rules), **stats)
    hp = row.get("hp", 1)
    target = t9a.Target(
        "target",
        models=-(-row["health_pool"] // hp) if "health_pool" in row else 50,
        health_points=hp,
        lost=row.get("already_lost", 0),
        resilience=resilience,
        defensive_skill=5,
        armour=row.get("arm", 0),
        aegis=row.get("aegis"),
        fortitude=row.get("fort"),
        attributes="Flammable" if row.get("flammable") else "",
    )
    return part, target


def resolve(case: Case, attacks: int, *, exact: bool, **options: Any) -> t9a.AttackResult[Any]:
    part, target = built(case, attacks, **options)
    rerolls: dict[str, Any] = {"reroll_hits": case.inputs["reroll"]} if "reroll" in case.inputs else {}
    return t9a.attack(part, target, exact=exact, **rerolls)


def same(found: Any, expected: Fraction, *, exact: bool) -> None:
    if exact:
        assert Fraction(int(found.numerator), int(found.denominator)) == expected
    else:
        assert found == pytest.approx(float(expected), rel=1e-12, abs=0)


def same_distribution(distribution: Distribution[Any], expected: dict[int, Fraction], *, exact: bool) -> None:
    assert {outcome for outcome, _ in distribution.items()} == {k for k, p in expected.items() if p}
    for outcome, probability in expected.items():
        same(distribution.pmf(outcome), probability, exact=exact)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "float64"])
@pytest.mark.parametrize("case", ATTACKS, ids=str)
def test_answer(case: Case, *, exact: bool) -> None:
    """Attack Sequence: every quantity that the row gives."""
    attacks = case.inputs.get("attacks", case.inputs.get("hits", 1))
    whole = resolve(case, attacks, exact=exact)
    one = resolve(case, 1, exact=exact)
    read = {
        "per_attack": lambda: same_distribution(one.damage, case.distribution("per_attack"), exact=exact),
        "total": lambda: same_distribution(whole.damage, case.distribution("total"), exact=exact),
        "dist": lambda: same_distribution(whole.damage, case.distribution("dist"), exact=exact),
        "hp_lost_pool": lambda: same_distribution(
            whole.health_points_lost, case.distribution("hp_lost_pool"), exact=exact
        ),
        "models_removed": lambda: same_distribution(
            whole.kills, case.distribution("models_removed"), exact=exact
        ),
    }
    numbers = {
        "mean_per_attack": one.damage.mean,
        "mean_total": whole.damage.mean,
        "mean": whole.damage.mean,
        "mean_hits": whole.hits.mean,
        "unsaved": lambda: whole.unsaved.pmf(1),
        "unsaved_if_flaming": lambda: resolve(case, 1, exact=exact, flaming=True).unsaved.pmf(1),
        "p_0": lambda: whole.health_points_lost.pmf(0),
    }
    for name, expected in case.expected.items():
        if name in read:
            read[name]()
        elif name != "p_at_least_5_losses_25_percent":
            same(numbers[name](), Fraction(expected), exact=exact)


def test_the_longbows_cause_a_panic_test() -> None:
    """Panic Test: 15 longbows at Long Range on 20 models."""
    case = next(case for case in ATTACKS if case.id == "longbows-15")
    bows = t9a.ModelPart("Longbows", attacks=15, aim="4+", strength=3)
    result = t9a.attack(
        bows, t9a.Target("orcs", models=20, resilience=3, armour=1), long_range=True, exact=True
    )
    same(result.probability_panic_test, Fraction(case.expected["p_at_least_5_losses_25_percent"]), exact=True)
    same(result.health_points_lost.at_least(5), result.probability_panic_test, exact=True)


def test_published_ten_attacks() -> None:
    """billrobertson42/ninthodds: 10 attacks at 4+ and 4+, no saves."""
    part = t9a.ModelPart("part", attacks=10, offensive_skill=3, strength=3)
    distribution = t9a.attack(
        part, t9a.Target("t", models=20, defensive_skill=3, resilience=3), exact=True
    ).health_points_lost
    same(distribution.pmf(2), Fraction(295245, 1048576), exact=True)
    same(distribution.pmf(2) + distribution.pmf(3), Fraction(557685, 1048576), exact=True)


def test_published_poison_with_rerolls() -> None:
    """billrobertson42/ninthodds: Poison at 4+ to hit with failed hits rerolled, 5+ to wound."""
    part = t9a.ModelPart("part", offensive_skill=3, strength=3, attributes="Poison Attacks")
    target = t9a.Target("t", defensive_skill=3, resilience=4)
    same(
        t9a.attack(part, target, reroll_hits="failed", exact=True).unsaved.pmf(1), Fraction(5, 12), exact=True
    )
