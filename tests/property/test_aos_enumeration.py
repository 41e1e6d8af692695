"""Random attacks and fights of Age of Sigmar: the package against plain enumeration, exactly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import aos_enumeration as table
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer import aos, distribution

FLAG, STEP = st.booleans(), st.integers(-2, 2)
REROLLS = st.sampled_from([None, None, "ones", "failed"])
ATTACKS = st.builds(
    table.Attack,
    hit=st.integers(2, 5),
    wound=st.integers(2, 6),
    rend=st.integers(0, 3),
    damage=st.sampled_from(["1", "2", "D3", "D3+1"]),
    crit=st.sampled_from(["", "2 Hits", "Auto-wound", "Mortal"]),
    given_crit=st.sampled_from(["", "", "2 Hits", "Mortal"]),
    crit_on=st.sampled_from([6, 6, 5, 3]),
    companion=FLAG,
    anti=FLAG,
    charge=FLAG,
    all_out_attack=FLAG,
    cover=FLAG,
    hit_modifier=STEP,
    wound_modifier=STEP,
    rend_modifier=STEP,
    damage_modifier=STEP,
    save_modifier=STEP,
    ward_modifier=st.integers(-1, 1),
    save=st.sampled_from([None, 2, 3, 4, 6]),
    ward=st.sampled_from([None, 4, 6]),
    ignores=st.sampled_from(["", "", "all", "negative", "positive"]),
    maximum_damage=st.sampled_from([99, 1]),
    reroll_hits=st.sampled_from([None, None, "ones", "failed", "non-critical"]),
    reroll_wounds=REROLLS,
    reroll_saves=REROLLS,
    reroll_wards=REROLLS,
)


def weapon_of(attack: table.Attack, models: int, attacks: str, *, champion: bool) -> aos.Weapon:
    names = {
        f"Crit ({attack.crit})": attack.crit,
        "Companion": attack.companion,
        "Anti-Infantry (+1 Rend)": attack.anti,
        "Charge (+1 Damage)": attack.charge,
    }
    return aos.Weapon(
        "weapon",
        models=models,
        champion=champion,
        attacks=attacks,
        hit=attack.hit,
        wound=attack.wound,
        rend=attack.rend,
        damage=attack.damage,
        attributes=[name for name, has in names.items() if has],
    )


def situation_of(attack: table.Attack) -> dict[str, Any]:
    steps = ("hit", "wound", "rend", "damage", "save", "ward")
    rolls = ("hits", "wounds", "saves", "wards")
    return {
        "charged": True,
        "all_out_attack": attack.all_out_attack,
        "cover": attack.cover,
        "crit": attack.given_crit or None,
        "critical_hits_on": attack.crit_on,
        "ignores_save_modifiers": attack.ignores or None,
        "maximum_damage": attack.maximum_damage,
        **{f"{name}_modifier": getattr(attack, f"{name}_modifier") for name in steps},
        **{f"reroll_{name}": getattr(attack, f"reroll_{name}") for name in rolls},
    }


def target_of(attack: table.Attack, models: int, health: int, damage: int) -> aos.Target:
    given = {"models": models, "health": health, "damage": damage, "save": attack.save, "ward": attack.ward}
    return aos.Target("target", **given, attributes="Infantry")


def fractions(distribution: Any) -> dict[Any, Fraction]:
    return {outcome: Fraction(int(p.numerator), int(p.denominator)) for outcome, p in distribution.items()}


@settings(max_examples=60)
@given(
    ATTACKS, st.integers(1, 3), st.sampled_from(["1", "2", "D3"]), FLAG, st.integers(1, 3), st.integers(1, 4)
)
def test_random_attacks(
    attack: table.Attack, users: int, attacks: str, champion: Any, models: int, health: int
) -> None:
    """Core Rules, 17 to 20 and 26."""
    damage = health - 1
    expected: dict[str, dict[int, Fraction]] = {
        name: defaultdict(Fraction) for name in ("hits", "wounds", "unsaved", "damage", "kills")
    }
    everything = table.several(table.distribution_of(attack), users, attacks, champion=champion)
    for (*counts, points), chance in everything.items():
        slain = min(models, (damage + points) // health)
        for name, value in zip(expected, (*counts, points, slain), strict=True):
            expected[name][value] += chance
    result = aos.attack(
        weapon_of(attack, users, attacks, champion=champion),
        target_of(attack, models, health, damage),
        exact=True,
        **situation_of(attack),
    )
    assert {name: fractions(getattr(result, name)) for name in expected} == expected


@settings(max_examples=15)
@given(
    ATTACKS,
    ATTACKS,
    st.lists(st.integers(1, 3), min_size=4, max_size=4),
    FLAG,
    st.sampled_from(["first", "last", None]),
)
def test_random_fights(
    one: table.Attack, other: table.Attack, sizes: list[int], active: Any, strikes: str | None
) -> None:
    """Core Rules, 13.1 and 19: casualties strike no more; Strike-first before, Strike-last after the others."""
    sides = [(one, *sizes[:2]), (other, *sizes[2:])]
    attacks = [table.distribution_of(each) for each in (one, other)]

    def points_of(side: int) -> Any:
        def law(left: int) -> dict[int, Fraction]:
            found: dict[int, Fraction] = defaultdict(Fraction)
            for (*_, points), p in table.several(attacks[side], left, "1", champion=False).items():
                found[points] += p
            return found

        return law

    order = {"first": [0, 1], "last": [1, 0], None: [0, 1] if active else [1, 0]}[strikes]
    if sides[order[0]][0].all_out_attack:  # it costs saves against what strikes after
        attacks[order[1]] = table.distribution_of(replace(sides[order[1]][0], exposed=True))
    expected = table.fought([(side, points_of(side)) for side in order], [size[1:] for size in sides])
    units = [
        aos.Unit(
            target_of(enemy, models, health, 0),
            weapon_of(own, models, "1", champion=False),
            strikes=strikes if side == 0 else None,
        )
        for side, ((own, models, health), (enemy, *_)) in enumerate(zip(sides, sides[::-1], strict=True))
    ]
    situations = [aos.Situation(**situation_of(each)) for each in (one, other)]
    result = aos.fight(
        *units,
        active="first" if active else "second",
        first_situation=situations[0],
        second_situation=situations[1],
        exact=True,
    )
    found = {
        (own * units[0].target.health + lost, enemy * units[1].target.health + hurt): p
        for (enemy, hurt, own, lost), p in fractions(result.state).items()
    }
    assert found == {ends: p for ends, p in expected.items() if p}


@pytest.mark.parametrize(
    ("active", "strikes", "first_wins"),
    [
        ("first", (None, None), Fraction(1)),
        ("second", (None, None), Fraction(0)),
        ("first", ("last", "last"), Fraction(1)),
        ("first", ("last", None), Fraction(0)),
        ("roll", (None, None), Fraction(7, 12)),
        ("roll", ("first", None), Fraction(1)),
    ],
)
def test_who_strikes_first(active: Any, strikes: Any, first_wins: Fraction) -> None:
    """Core Rules, 12, 13.1 and 19: one point slays, and the slain inflict none."""
    units = [aos.Unit("Duellist: Health 1", mortal_damage=1, strikes=each) for each in strikes]
    result = aos.fight(*units, active=active, exact=True)
    assert Fraction(str(result.probability_destroyed)) == first_wins
    assert Fraction(str(result.state.marginal("own Duellist destroyed").mean())) == 1 - first_wins


@pytest.mark.parametrize(("hurt", "more", "attacks"), [(8, 1, 6), (9, 1, 2), (10, 0, 2), (9, 0, 6)])
def test_battle_damaged_from_so_many_points_on(hurt: int, more: int, attacks: int) -> None:
    """BSData/age-of-sigmar-4th, Battle Damaged: what a unit has lost before and in this fight counts."""
    jaws = aos.Weapon("Jaws", attacks=6, battle_damaged=2, hit=2, wound=2)
    beast = aos.Unit(f"Beast: Health 14, {hurt} damage points, battle damaged at 10", jaws)
    mob = aos.Unit("Mob: 9 models, Health 1", mortal_damage=more, strikes="first")
    result = aos.fight(beast, mob, exact=True)
    assert Fraction(str(result.kills.mean())) == attacks * Fraction(25, 36)


@pytest.mark.parametrize(
    ("value", "better", "worth", "turns", "points", "modifier"),
    [(5, 8, 2, 2, 0, 0), (4, 7, 2, 2, 1, -1), (5, 9, 1, 2, 2, 1), (6, 8, 3, 3, 0, 0)],
)
def test_no_plan_of_ritual_points_is_better(value, better, worth, turns, points, modifier) -> None:
    """Advanced Rules, Prayers: a roll is banked, or the points are added to it; every plan is tried."""
    places = []

    def mean(bank: int, turn: int, banks: Any) -> Fraction:
        total = Fraction(0)
        for face in range(1, 7) if turn <= turns else ():
            rolled = face + modifier
            if face == 1:
                total += sum(mean(max(0, bank - lost), turn + 1, banks) for lost in (1, 2, 3)) / 3
            elif 2 <= rolled >= better - bank:
                total += worth
            else:
                enough = 2 <= rolled >= value - bank
                kept = mean(bank + rolled * (rolled >= 2), turn + 1, banks)
                total += 1 if enough and not banks(bank, turn, face) else kept
        return total / 6

    # In the last turn nothing is gained by banking.
    mean(points, 1, lambda *place: place[1] == turns or places.append(place))
    places = list(dict.fromkeys(places))
    every = product((False, True), repeat=len(places))
    plans = [dict(zip(places, each, strict=True)) for each in every]
    best = max(mean(points, 1, lambda *place, plan=plan: plan.get(place, False)) for plan in plans)
    result = aos.chant(
        value, better=better, worth=worth, turns=turns, points=points, modifier=modifier, exact=True
    )
    worths = {"answered": 1, f"at {better}+": worth}
    found = [
        (worths.get(each.name, 0), each) for step in result.explain().steps for each in step.probabilities
    ]
    assert sum(each * Fraction(chance.numerator, chance.denominator) for each, chance in found) == best


@pytest.mark.parametrize(("dice", "worth"), [(1, "1"), (2, "D6>=4"), (2, "D3÷3")])
@pytest.mark.parametrize("early", [False, True])
def test_no_plan_of_rage_dice_is_better(dice: int, worth: str, early: Any) -> None:
    """General's Handbook 2026-27: each die that is spent removes a point on 3+; every plan for D3 points is tried."""
    each = Fraction(str(distribution(worth, exact=True).mean()))

    def left(points: int) -> dict[int, Fraction]:
        found: dict[int, Fraction] = defaultdict(Fraction)
        for faces in product(range(1, 7), repeat=points):
            found[sum(face < 4 for face in faces)] += Fraction(1, 6**points)
        return found

    def result_of(plan: tuple[int, ...]) -> tuple[dict[int, Fraction], Fraction]:
        law: dict[int, Fraction] = defaultdict(Fraction)
        kept = Fraction(0)
        for points in (1, 2, 3):
            for seen, chance in ({points: Fraction(1)} if early else left(points)).items():
                kept += chance / 3 * min(3, dice - plan[seen])
                for faces in product(range(1, 7), repeat=plan[seen]):
                    after = max(0, seen - sum(face >= 3 for face in faces))
                    for last, odds in (left(after) if early else {after: Fraction(1)}).items():
                        law[last] += chance / 3 * odds / 6 ** len(faces)
        return law, each * kept - sum(points * odds for points, odds in law.items())

    result = aos.attack(
        (),
        "t: 3 models, Health 1, Ward 4+",
        exact=True,
        mortal_damage="D3",
        pain_dice=dice,
        kept_dice_worth=worth,
        rulings={"fight_through_pain": "before-wards" if early else "after-wards"},
    )
    said = next(step.text for step in result.explain().steps if step.name == "Rage dice")
    numbers = [int(number) for number in said.partition("points: ")[2].partition(" (")[0].split(", ")]
    plan = tuple(numbers[min(points, dice)] for points in range(4))
    law, value = result_of(plan)
    assert fractions(result.wounds_lost) == {points: odds for points, odds in law.items() if odds}
    assert value == max(result_of(each)[1] for each in product(range(dice + 1), repeat=4))
