"""The 11th edition's rolls against equal models, by hand: core rules of June 2026 by section, app FAQs by date."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import UnknownNameError
from mathhammer.modifiers import Modifier

ATTACKS = {"of": "attacks"}


def attack(line: str, rulings: dict[str, str] | None = None, **given: Any) -> Any:
    target = {"toughness": 4, "save": None, "wounds": 1}
    of_target = {name: given.pop(name) for name in wh40k.Target.__dataclass_fields__ if name in given}
    count = given.pop("count", 1)
    return wh40k.attack(
        wh40k.Weapon.parse(f"Gun: {line}"),
        wh40k.Target("Unit", **{**target, **of_target}),
        count=count,
        edition="11e",
        rulings=rulings,
        exact=True,
        **given,
    )


def hits(skill: int, ability: str = "", **given: Any) -> Any:
    return attack(f'24" A1 BS{skill}+ S4 AP0 D1 [{ability}]', **given).hits.mean()


#: 13.08: cover makes BS worse by 1, outside the cap of 02.03; 13.09: Plunging Fire makes it better; 02.02: 2+ to 6+.
@pytest.mark.parametrize(
    ("skill", "ability", "given", "expected"),
    [
        (3, "", {"cover": True}, Rational(1, 2)),
        (3, "", {"cover": True, "stealth": True, "smokescreen": True}, Rational(1, 2)),
        (3, "", {"stealth": True}, Rational(1, 2)),
        (3, "Ignores Cover", {"cover": True, "stealth": True}, Rational(2, 3)),
        (3, "", {"cover": True, "hit_modifier": -1}, Rational(1, 3)),
        (3, "", {"cover": True, "hit_modifier": -3}, Rational(1, 3)),
        (3, "", {"cover": True, "plunging_fire": True}, Rational(2, 3)),
        (3, "Heavy", {"cover": True, "stationary": True}, Rational(2, 3)),
        (6, "", {"cover": True}, Rational(1, 6)),
        (6, "", {"cover": True, "hit_modifier": -1}, Rational(1, 6)),
        (2, "", {"plunging_fire": True, "hit_modifier": -1}, Rational(2, 3)),
        (5, "Heavy", {"cover": True, "stationary": True}, Rational(1, 3)),
        # 24.29: a Psychic attack drops what harms it and keeps the +1.
        (
            4,
            "",
            {"cover": True, "hit_modifier": (Modifier("add", 1, "a"), Modifier("add", -1, "b"))},
            Rational(1, 3),
        ),
        (
            4,
            "Psychic",
            {"cover": True, "hit_modifier": (Modifier("add", 1, "a"), Modifier("add", -1, "b"))},
            Rational(2, 3),
        ),
        # 05.01, FAQ of 26 August 2026: a lowered threshold also hits, unless it says "successful".
        (6, "", {"critical_hit": 5}, Rational(1, 3)),
        (6, "", {"critical_hit": "successful 5+"}, Rational(1, 6)),
        (4, "", {"critical_hit": 5, "hit_modifier": -1}, Rational(1, 3)),
        # 17.03, 10.06: shooting while engaged, but for Close-quarters and Pistol, which 24.27 says are one.
        (3, "", {"engaged": True, "cover": True}, Rational(1, 3)),
        (3, "Close-quarters", {"engaged": True}, Rational(2, 3)),
        (3, "Pistol", {"engaged": True}, Rational(2, 3)),
        (3, "Pistol", {"target_engaged": True}, Rational(1, 2)),
        (3, "", {"engaged": True, "target_engaged": True}, Rational(1, 2)),
        # 24.16: +1 for unengaged units alone; whether the target is engaged is another matter.
        (4, "Heavy", {"stationary": True, "engaged": True}, Rational(1, 3)),
        (4, "Heavy", {"stationary": True, "target_engaged": True}, Rational(1, 2)),
        (3, "Heavy", {"stationary": True, "damaged": True}, Rational(2, 3)),
        (3, "Heavy", {"stationary": True, "damaged": True, "hit_modifier": -1}, Rational(1, 2)),
        # 15.09: snap shooting, without re-rolls.
        (
            2,
            "",
            {"overwatch": True, "hit_modifier": 1, "reroll_hits": "failed", "critical_hit": 2},
            Rational(1, 6),
        ),
        (2, "", {"overwatch": True, "reroll_hits": "one"}, Rational(1, 6)),
    ],
)
def test_hit_rolls(skill: int, ability: str, given: dict[str, Any], expected: Any) -> None:
    assert hits(skill, ability, **given) == expected


@pytest.mark.parametrize(
    ("skill", "blind", "spotted", "heavy"),
    [
        (2, Rational(1, 6), Rational(1, 2), Rational(1, 2)),
        (3, Rational(1, 6), Rational(1, 2), Rational(1, 2)),
        (4, Rational(1, 6), Rational(1, 3), Rational(1, 2)),
        (5, *[Rational(1, 6)] * 2, Rational(1, 3)),
    ],
)
def test_indirect_shooting(skill: int, blind: Any, spotted: Any, heavy: Any) -> None:
    """10.07: cover, no re-rolls, 1-5 fail; 1-3 if the unit stood still and the target is seen."""
    seen = {"indirect": True, "stationary": True, "spotted": True}
    assert hits(skill, "Indirect Fire", indirect=True, reroll_hits="failed") == blind
    assert hits(skill, "Indirect Fire", indirect=True, spotted=True) == blind
    assert hits(skill, "Indirect Fire", **seen) == spotted
    assert hits(skill, "Indirect Fire, Heavy", **seen) == heavy


@pytest.mark.parametrize(
    ("date", "mean", "wounding"),
    [
        ("2026-10", Rational(5, 3), Rational(1, 36)),
        ("2026-08", Rational(10, 3), Rational(1, 6)),
        ("2026-06", Rational(10, 3), Rational(1, 6)),
    ],
)
def test_hits_of_snap_shooting_are_no_longer_critical(date: str, mean: Any, wounding: Any) -> None:
    """App rules of 30 September 2026, 24.37.01."""
    rulings = {"rules_date": date}
    sustained = attack('24" A10 BS3+ S4 AP0 D1 [SUSTAINED HITS 1]', rulings, overwatch=True)
    assert (sustained.hits.mean(), sustained.hits.pmf(0)) == (mean, Rational(5, 6) ** 10)
    lethal = attack('24" A1 BS3+ S4 AP0 D1 [LETHAL HITS]', rulings, toughness=8, overwatch=True)
    assert lethal.wounds.mean() == wounding
    assert (lethal.edition, lethal.rulings["rules_date"]) == ("11e", date)


def test_snap_shooting_on_another_number() -> None:
    """15.09 and datasheets: ten shots that hit on unmodified 5+, whatever modifies or would re-roll them."""
    shots = '24" A10 BS3+ S4 AP0 D1'
    found = attack(shots, overwatch=True, overwatch_hits_on=5, hit_modifier=-1, reroll_hits="failed")
    assert found.hits.mean() == Rational(10, 3)
    assert attack(shots, overwatch_hits_on=5).hits.mean() == Rational(20, 3)


def test_ones_of_a_d3_are_halved_values_or_faces() -> None:
    """01.05: of the D6 the faces 1 and 2 are re-rolled, so that 1, 2, 3 come up 1/9, 4/9, 4/9; or the face 1 alone."""
    shot = '24" A1 BS2+ S8 AP0 D{} [TORRENT]'
    hit = Rational(5, 6)
    for option, mean in (("halved value", Rational(7, 3)), ("face", Rational(13, 6))):
        rulings = {"d3_reroll_ones": option}
        for damage, more in (("D3", 0), ("D3+1", 1)):
            found = attack(shot.format(damage), rulings, save=None, wounds=9, reroll_damage="ones")
            assert found.wounds_lost.mean() == hit * (mean + more)
            kept: Any = {"reroll": lambda _: "keep", "reroll_damage": "ones"}
            played = attack(shot.format(damage), rulings, save=None, wounds=9, **kept)
            assert played.wounds_lost == found.wounds_lost
        # A Command Re-roll beside it is for a failed wound roll, or for a 1 that the face 2 shows.
        spare = Rational(1, 6) if option == "face" else 0
        best: Any = {"reroll": "best", "reroll_damage": "ones", "objective": "wounds_lost"}
        spent = attack(shot.format("D3"), rulings, save=None, wounds=9, **best)
        assert spent.wounds_lost.mean() == hit * (mean + spare) + (1 - hit) * hit * mean
        six = attack(shot.format("D6"), rulings, save=None, wounds=9, reroll_damage="ones")
        assert six.wounds_lost.mean() == hit * Rational(47, 12)


def test_torrent_in_snap_shooting() -> None:
    """24.37 makes no roll; 15.09 says that only 6s hit."""
    flamer = "AD6 S4 AP0 D1 [TORRENT]"
    assert attack(flamer, overwatch=True).hits.mean() == Rational(7, 2)
    assert attack(flamer, {"snap_torrent": "only 6"}, overwatch=True).hits.mean() == Rational(7, 12)


@pytest.mark.parametrize(
    ("save", "taken", "declined"),
    [(2, Rational(5, 36), Rational(4, 27)), (6, Rational(13, 36), Rational(8, 27))],
)
def test_lethal_hits_by_choice(save: int, taken: Any, declined: Any) -> None:
    """24.23, Designer's Note: to wound at once is to do without a critical wound."""
    line = "A1 BS3+ S4 AP0 D1 [LETHAL HITS, DEVASTATING WOUNDS]"
    means = [
        attack(line, {"lethal_choice": each}, save=save).unsaved.mean()
        for each in ("always", "never", "best")
    ]
    assert means == [taken, declined, max(taken, declined)]


def test_lethal_and_sustained_hits() -> None:
    """1/6 critical: an automatic wound and D3 hits; 1/2 ordinary: 7/12 either way, and no wound 7/12 of the time."""
    both = attack("A1 BS3+ S4 AP0 D1 [LETHAL HITS, SUSTAINED HITS D3]")
    assert (both.wounds.mean(), both.wounds.pmf(0)) == (Rational(7, 12), Rational(7, 12))


def test_abilities_for_some_targets() -> None:
    """24.01: an ability followed by keywords is for targets with one of them; 24.02: of duplicates one is chosen."""
    gun = '24" A6 BS4+ S4 AP0 D1 [SUSTAINED HITS 1: INFANTRY/BEASTS]'
    assert [attack(gun, keywords=word).hits.mean() for word in ("Infantry", "Beasts", "Vehicle")] == [4, 4, 3]
    others = '24" A6 BS4+ S4 AP0 D1 [SUSTAINED HITS 1: NON-MONSTER/VEHICLE, SUSTAINED HITS 2: VEHICLE]'
    assert [attack(others, keywords=word).hits.mean() for word in ("Infantry", "Monster", "Vehicle")] == [
        4,
        3,
        5,
    ]
    anti = "A1 S4 AP0 D1 [TORRENT, ANTI-VEHICLE 4+, ANTI-FLY 2+]"
    assert attack(anti, toughness=10, keywords="Vehicle Fly").wounds.mean() == Rational(5, 6)


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [
        ('24" A3 BS3+ S4 AP0 D1 [BLAST 2]', {"models": 12}, 7),  # 24.05
        ('24" A3 BS3+ S4 AP0 D1 [BLAST]', {"models": 12}, 5),
        ("A3 WS3+ S4 AP0 D1 [CLEAVE 1]", {"models": 16}, 6),  # 24.06
        ("A3 WS3+ S4 AP0 D1 [CLEAVE 1]", {"models": 16, "divided": True}, 3),
        (
            '24" A2 BS3+ S4 AP0 D1 [RAPID FIRE 2]',
            {"half_range": True, "modifiers": Modifier("add", 1, "rule", **ATTACKS)},
            5,
        ),
        # 02.02: set, multiply, add, divide, subtract.
        (
            "A3 WS3+ S4 AP0 D1",
            {"modifiers": (Modifier("add", 1, "a", **ATTACKS), Modifier("multiply", 2, "b", **ATTACKS))},
            7,
        ),
        (
            "A5 WS3+ S4 AP0 D1",
            {
                "modifiers": (
                    Modifier("add", 1, "a", **ATTACKS),
                    Modifier("divide", 2, "b", **ATTACKS),
                    Modifier("subtract", 1, "c", **ATTACKS),
                )
            },
            2,
        ),
        # 24.11 has no sentence that bars what adds to Attacks.
        ("A2 WS3+ S4 AP0 D1 [EXTRA ATTACKS]", {"modifiers": Modifier("add", 1, "a", **ATTACKS)}, 3),
    ],
)
def test_number_of_attacks(line: str, given: dict[str, Any], expected: int) -> None:
    assert attack(line, **given).attacks.mean() == expected


def test_damage_is_halved_after_what_adds_and_before_what_subtracts() -> None:
    """02.02: D6 with Melta 2, halved, -1: 1, 1, 2, 2, 3, 3; set to 0 it stays 0, set to 1 Melta adds to it."""
    melta = "A1 S8 AP0 DD6 [TORRENT, MELTA 2]"
    reduced = attack(melta, half_range=True, wounds=20, half_damage=True, damage_reduction=1)
    assert [reduced.damage.pmf(value) * Rational(6, 5) for value in (1, 2, 3)] == [Rational(1, 3)] * 3
    for value, damage in ((0, 0), (1, 3)):
        modifiers = Modifier("set", value, "rule", of="damage")
        fixed = attack("A1 S8 AP0 D4 [TORRENT, MELTA 2]", half_range=True, wounds=20, modifiers=modifiers)
        assert fixed.damage.mean() == Rational(5, 6) * damage


def test_save_bonuses_add_up() -> None:
    """02.03 caps hit and wound rolls alone."""
    wounds = attack("A1 S4 AP0 D1 [TORRENT]").wounds.mean()
    for rulings, failing in ((None, Rational(1, 6)), ({"save_cap": "+1 net"}, Rational(1, 3))):
        assert (
            attack("A1 S4 AP0 D1 [TORRENT]", rulings, save=4, save_modifier=2).unsaved.mean()
            == wounds * failing
        )


def test_a_bonus_to_armour_saves_is_for_the_test_against_sv() -> None:
    """05.04: AP-2 leaves no armour save; the invulnerable save of 5+ has the bonus only on the whole die."""
    target: dict[str, Any] = {"save": 6, "invulnerable": 5, "damage_1_save_bonus": 1}
    for rulings, failing in ((None, Rational(2, 3)), ({"armour_bonus_scope": "whole die"}, Rational(1, 2))):
        assert attack("A1 S4 AP-2 D1 [TORRENT]", rulings, **target).unsaved.mean() == Rational(1, 2) * failing


def test_devastating_wounds_come_after_the_damage_of_their_pool() -> None:
    """24.10: three automatic hits, 4+ to wound, AP-2 D2 at three models of W3 Sv3+."""
    after = attack("A3 S4 AP-2 D2 [TORRENT, DEVASTATING WOUNDS]", save=3, wounds=3, models=3)
    expected = {
        (0, 0): Rational(1331, 5832),
        (0, 2): Rational(847, 1944),
        (1, 0): Rational(539, 1944),
        (1, 2): Rational(343, 5832),
    }
    assert {state: after.state.pmf(state) for state in expected} == expected
    assert after.wounds_lost.mean() == Rational(1456, 729)


@pytest.mark.parametrize(
    ("ruling", "reduced", "worsened"),
    [
        ("by wording", Rational(56, 27), Rational(44, 27)),
        ("never", Rational(56, 27), Rational(56, 27)),
        ("always", Rational(44, 27), Rational(44, 27)),
    ],
)
def test_what_reduces_devastating_wounds(ruling: str, reduced: Any, worsened: Any) -> None:
    """24.10 ends the attack before it is allocated; 04.01.04: "attacks that target" changes the weapon's Damage.

    Four shots, BS3+, 5+ to wound, AP-3, D3 at a Sv3+ model: a critical wound does 3 or 2, any other 2.
    """
    line, rulings = '24" A4 BS3+ S4 AP-3 D3 [DEVASTATING WOUNDS]', {"dw_and_damage_reduction": ruling}
    unit: dict[str, Any] = {"toughness": 5, "save": 3, "wounds": 12}
    assert attack(line, rulings, **unit, damage_reduction=1).wounds_lost.mean() == reduced
    worse = Modifier("subtract", 1, "attacks that target this unit", of="damage")
    assert attack(line, rulings, **unit, modifiers=worse).wounds_lost.mean() == worsened
    assert attack(line, rulings, **unit, incoming=wh40k.Incoming(worse)).wounds_lost.mean() == worsened
    in_melee = wh40k.Incoming(worse, "melee")
    assert attack(line, rulings, **unit, incoming=in_melee).wounds_lost.mean() == Rational(22, 9)


@pytest.mark.parametrize(
    ("wording", "weights"), [("-1 to damage", {0: 13, 2: 5}), ("-1D", {0: 13, 2: 2, 3: 3})]
)
def test_the_two_wordings_of_less_damage(wording: str, weights: dict[int, int]) -> None:
    """Critical wounds 3/18, saved on 2+ another 2/18: 04.01.04 lessens both, what acts at allocation the latter."""
    target = wh40k.Target.parse(f"T4 Sv2+ W9 {wording}")
    assert wh40k.Target.parse(str(target)) == target
    found = wh40k.attack("Gun: A1 S8 AP0 D3 [TORRENT, DEVASTATING WOUNDS]", target, edition="11e", exact=True)
    assert {lost: found.wounds_lost.pmf(lost) * 18 for lost in weights} == weights


def test_whole_attacks() -> None:
    """Two lascannons at a super-heavy; ten bolt shots at marines of T4, and of T5 since 30 September 2026."""
    lascannons = attack("A1 BS3+ S12 AP-3 DD6+1", count=2, toughness=14, save=2, invulnerable=5, wounds=12)
    assert (lascannons.probability_destroyed, lascannons.wounds_lost.mean()) == (
        Rational(8, 2187),
        Rational(8732, 6561),
    )
    marines = {4: Rational(1136025157, 3486784401), 5: Rational(35139819629620, 205891132094649)}
    for toughness, dead in marines.items():
        found = attack("A10 BS3+ S4 AP0 D1", toughness=toughness, save=3, wounds=2, models=5)
        assert found.kills.mean() == dead


def test_one_feel_no_pain_is_used() -> None:
    """24.02: duplicates of a core ability do not add up; 4+ and 5+ leave a half, not a third."""
    lost = attack(
        "A1 S4 AP0 D1 [TORRENT, PSYCHIC]", feel_no_pain=5, feel_no_pain_psychic=4
    ).wounds_lost.mean()
    assert lost == Rational(1, 2) * Rational(1, 2)


def test_what_is_not_of_the_edition_is_named() -> None:
    blade, unit = wh40k.Weapon.parse("Blade: A3 WS3+ S4 AP0 D1 [CLEAVE 1]"), wh40k.TARGETS["MEQ"]
    page = str(wh40k.attack(blade, unit, edition="10e").explain())
    assert "Cleave 1 is an ability of the 11th edition" in " ".join(page.split())
    gun = wh40k.Weapon.parse('Gun: 24" A3 BS3+ S4 AP0 D1 [BLAST 2]')
    tenth = wh40k.attack(gun, wh40k.TARGETS["MEQ"], edition="10e", exact=True)
    assert tenth.attacks.mean() == 3
    with pytest.raises(UnknownNameError, match="'devastating_timing', which is a ruling of the 10th edition"):
        attack("A1 WS3+ S4 AP0 D1", {"devastating_timing": "after-unit"})
    with pytest.raises(UnknownNameError, match="expected '2026-10' or '2026-08' or '2026-06' for the ruling"):
        attack("A1 WS3+ S4 AP0 D1", {"rules_date": "2025-01"})
