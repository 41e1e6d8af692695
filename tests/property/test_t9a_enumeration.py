"""Random attacks of The 9th Age: the package against plain enumeration, exactly, and float64 against exact."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import t9a_enumeration as table
from hypothesis import given, settings
from hypothesis import strategies as st
from translation import points

from mathhammer import from_text, t9a

REROLLS = st.sampled_from([None, None, "ones", "failed"])
SKILL_FOR = {2: 9, 3: 6, 4: 5, 5: 1}


@st.composite
def attacks(draw: st.DrawFn) -> table.Attack:
    kind = draw(st.sampled_from(["melee", "shooting", "automatic"]))
    flag = st.booleans()
    return table.Attack(
        kind=kind,
        hit=draw(st.integers(2, 5)),
        modifier=0 if kind == "automatic" else draw(st.integers(-4, 2)),
        strength=draw(st.integers(1, 8)),
        penetration=draw(st.integers(0, 4)),
        resilience=draw(st.integers(2, 6)),
        armour=draw(st.integers(0, 7)),
        aegis=draw(st.sampled_from([None, 2, 4, 5])),
        fortitude=draw(st.sampled_from([None, 3, 5])),
        hit_points=draw(st.integers(1, 4)),
        multiple=draw(st.sampled_from(["1", "2", "D3"])),
        poison=draw(flag),
        battle_focus=draw(flag),
        lethal=draw(flag),
        divine=draw(flag),
        flaming=draw(flag),
        flammable=draw(flag),
        reroll_hits=None if kind == "automatic" else draw(REROLLS),
        reroll_wounds=draw(st.sampled_from([None, "failed"])),
        reroll_armour=draw(st.sampled_from([None, None, "ones"])),
        reroll_special=draw(REROLLS),
        reroll_aegis=draw(REROLLS),
        magical=draw(flag),
        aegis_against=draw(st.sampled_from(["", "", "melee", "ranged", "magical"])),
        clipped_wings=draw(flag),
        flies=draw(flag),
        multiple_against=draw(st.sampled_from(["", "", "fly", "aegis"])),
        hatred_against=draw(st.sampled_from(["", "", "fly", "aegis"])),
    )


def resolve(attack: table.Attack, number: int, models: int, lost: int, *, exact: bool) -> Any:
    multiple = (
        attack.multiple,
        "Clipped Wings" * attack.clipped_wings,
        f"against {attack.multiple_against}" * bool(attack.multiple_against),
    )
    names = {
        "Poison Attacks": attack.poison,
        "Battle Focus": attack.battle_focus,
        "Lethal Strike": attack.lethal,
        "Divine Attacks": attack.divine,
        "Flaming Attacks": attack.flaming,
        "Magical Attacks": attack.magical,
        f"Hatred (against {attack.hatred_against})": attack.hatred_against,
        f"Multiple Wounds ({', '.join(filter(None, multiple))})": attack.multiple != "1",
    }
    skill: dict[str, Any] = {}
    if attack.kind == "melee":
        skill["offensive_skill"] = SKILL_FOR[attack.hit]
    elif attack.kind == "shooting":
        skill["aim"] = attack.hit
    part = t9a.ModelPart(
        "part",
        attacks=number,
        strength=attack.strength,
        armour_penetration=attack.penetration,
        attributes=", ".join(name for name, has in names.items() if has),
        **skill,
    )
    scoped = bool(attack.aegis_against)
    target = t9a.Target(
        "target",
        models=models,
        health_points=attack.hit_points,
        lost=lost,
        resilience=attack.resilience,
        defensive_skill=5,
        armour=attack.armour,
        aegis=attack.aegis and f"{attack.aegis}+" + f", against {attack.aegis_against} attacks" * scoped,
        fortitude=attack.fortitude,
        attributes=", ".join(["Flammable"] * attack.flammable + ["Fly"] * attack.flies),
    )
    return t9a.attack(
        part,
        target,
        exact=exact,
        hit_modifier=attack.modifier,
        reroll_hits=attack.reroll_hits,
        reroll_wounds=attack.reroll_wounds,
        reroll_armour=attack.reroll_armour,
        reroll_special=attack.reroll_special,
        reroll_aegis=attack.reroll_aegis,
        first_round=True,
    )


@settings(max_examples=60)
@given(attacks(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 3))
def test_random_attacks(attack: table.Attack, number: int, models: int, lost: int) -> None:
    """Attack Sequence: hits, wounds, unsaved wounds, Health Points lost and models removed."""
    lost = min(lost, models * attack.hit_points - 1)
    one = table.distribution_of(attack)
    expected: dict[str, dict[int, Fraction]] = {
        name: defaultdict(Fraction) for name in ("hits", "wounds", "unsaved", "damage", "lost", "kills")
    }
    for counts, probability in table.added([one] * number).items():
        hits, wounds, unsaved, damage = counts  # type: ignore[misc]
        taken = min(damage, models * attack.hit_points - lost)
        removed = (lost + taken) // attack.hit_points - lost // attack.hit_points
        for name, value in zip(expected, (hits, wounds, unsaved, damage, taken, removed), strict=True):
            expected[name][value] += probability
    result = resolve(attack, number, models, lost, exact=True)
    assert from_text(result.to_text()).kills == result.kills
    distributions = {
        "hits": result.hits,
        "wounds": result.wounds,
        "unsaved": result.unsaved,
        "damage": result.damage,
        "lost": result.health_points_lost,
        "kills": result.kills,
    }
    assert {name: points(distribution) for name, distribution in distributions.items()} == expected
