"""Single rules of the 10th edition, one fact each, by hand: from the hit roll to the wound roll."""

from __future__ import annotations

import pytest
from by_hand import distribution, play, unit, weapon, wounding
from sympy import Rational
from tenth import wh40k

from mathhammer.modifiers import Modifier, Operation, modified

TENTH: tuple[Operation, ...] = ("set", "divide", "multiply", "add", "subtract")


# -------------------------------------------------------------------------------------------- modifiers of a value


@pytest.mark.parametrize(
    ("value", "changes", "result"),
    [
        (3, [("add", 1), ("multiply", 2)], 7),
        (2, [("add", 1), ("divide", 2)], 2),
        (2, [("add", 1), ("divide", 2), ("set", 0)], 1),
        (5, [("divide", 2)], 3),
        (5, [("multiply", 2), ("divide", 2)], 5),
        (5, [("add", 1), ("divide", 2)], 4),
        (5, [("subtract", 1), ("divide", 2)], 2),
    ],
)
def test_order_of_operations(value: int, changes: list[tuple[Operation, int]], result: int) -> None:
    """Rules Commentary, Modifiers: set, divide, multiply, add, subtract, then round up once."""
    assert (
        modified(value, [Modifier(operation, number, "a rule") for operation, number in changes], TENTH)
        == result
    )


# ------------------------------------------------------------------------------------------------------- hit rolls


@pytest.mark.parametrize(
    ("modifiers", "hits"), [((-1, -1, 1), "1/2"), ((1, 1, -1), "5/6"), ((-2, 1), "1/2"), ((2, -2), "2/3")]
)
def test_sum_of_hit_modifiers_is_clamped(modifiers: tuple[int, ...], hits: str) -> None:
    """Rules Commentary, Modifying Dice Rolls: all are added up first, then the sum is kept within -1 and +1."""
    sources = [Modifier("add", number, f"rule {place}") for place, number in enumerate(modifiers)]
    assert play(hit_modifier=sources).hits.mean() == Rational(hits)


def test_natural_1_and_6_to_hit() -> None:
    """Core rules, Hit Roll: an unmodified 1 fails and an unmodified 6 hits whatever the modifiers."""
    assert play(skill=2, hit_modifier=1).hits.mean() == Rational(5, 6)
    assert play(skill=6, hit_modifier=-1).hits.mean() == Rational(1, 6)


def test_heavy_is_inside_the_clamp() -> None:
    """Core rules, Heavy: +1 to hit after remaining stationary, added to the other modifiers before the clamp."""
    assert play("Heavy").hits.mean() == Rational(2, 3)
    assert play("Heavy", stationary=True).hits.mean() == Rational(5, 6)
    assert play("Heavy", stationary=True, hit_modifier=1).hits.mean() == Rational(5, 6)
    assert play("Heavy", stationary=True, hit_modifier=-1).hits.mean() == Rational(2, 3)
    assert play(stationary=True).hits.mean() == Rational(2, 3)


def test_torrent_yields_no_bonus() -> None:
    """Core rules, Torrent: no hit roll is made, so none is critical, modified or re-rolled."""
    result = play(
        "Torrent, Lethal Hits, Sustained Hits 3", hit_modifier=-1, reroll_hits="non-critical", critical_hit=2
    )
    assert distribution(result.hits) == {1: 1}
    assert distribution(result.wounds) == {0: Rational(1, 2), 1: Rational(1, 2)}


def test_rerolled_die_can_be_critical() -> None:
    """Rules Commentary, Re-rolls: the second die counts as any other, so a 6 on it is a critical hit."""
    assert play("Sustained Hits 1", reroll_hits="ones").hits.pmf(2) == Rational(7, 36)


def test_a_die_is_rerolled_once() -> None:
    """Core rules, Re-rolls: never a third roll, and a set of faces re-rolls only those."""
    assert play(skill=6, reroll_hits="failed").hits.mean() == Rational(11, 36)
    assert play(skill=4, reroll_hits={1, 6}).hits.mean() == Rational(1, 3) + Rational(1, 3) * Rational(1, 2)


def test_rerolls_come_before_modifiers() -> None:
    """Rules Commentary, Re-rolls: which face shows is judged unmodified; a 3 that will miss with -1 has failed."""
    assert play(skill=3, hit_modifier=-1, reroll_hits={1}).hits.mean() == Rational(7, 12)
    assert play(skill=3, hit_modifier=-1, reroll_hits="failed").hits.mean() == Rational(3, 4)


def test_lowered_critical_threshold() -> None:
    """Core rules, Critical Hit: critical hits succeed, so unmodified 5s hit although BS6+ would miss."""
    assert distribution(play("Sustained Hits 1", skill=6, critical_hit=5).hits) == {
        0: Rational(2, 3),
        2: Rational(1, 3),
    }


def test_conversion_needs_distance_and_success() -> None:
    """Datasheets, Conversion: beyond the distance it names, a successful unmodified 4+ is a critical hit."""
    assert play("Conversion, Sustained Hits 1", long_range=True).hits.pmf(2) == Rational(1, 2)
    assert play("Conversion, Sustained Hits 1").hits.pmf(2) == Rational(1, 6)
    assert play("Conversion, Sustained Hits 1", skill=5, long_range=True).hits.pmf(2) == Rational(1, 3)
    assert play("Conversion, Sustained Hits 1", skill=4, hit_modifier=-1, long_range=True).hits.pmf(
        2
    ) == Rational(1, 3)
    assert play("Sustained Hits 1", long_range=True).hits.pmf(2) == Rational(1, 6)


def test_indirect_fire() -> None:
    """Core Rules Updates, Indirect Fire: -1 to hit, unmodified 1-3 fail even so, and the target has cover."""
    assert play("Indirect Fire", skill=2, indirect=True).hits.mean() == Rational(1, 2)
    assert play("Indirect Fire", skill=4, indirect=True).hits.mean() == Rational(1, 3)
    assert play("Indirect Fire, Heavy", skill=2, indirect=True, stationary=True).hits.mean() == Rational(1, 2)
    assert play("Indirect Fire, Heavy", skill=4, indirect=True, stationary=True).hits.mean() == Rational(1, 2)
    assert play("Indirect Fire", skill=2).hits.mean() == Rational(5, 6)
    in_cover = play("Indirect Fire", skill=4, strength=8, indirect=True, target=unit(save=5))
    assert in_cover.unsaved.mean() == Rational(1, 3) * Rational(5, 6) * Rational(1, 2)
    blind = play("Indirect Fire, Ignores Cover", skill=4, strength=8, indirect=True, target=unit(save=5))
    assert blind.unsaved.mean() == Rational(1, 3) * Rational(5, 6) * Rational(2, 3)


def test_failed_indirect_faces_are_rerolled() -> None:
    """Core Rules Updates, Indirect Fire: the unmodified 1-3 that fail are among the failed rolls of a re-roll."""
    assert play("Indirect Fire", skill=2, indirect=True, reroll_hits="failed").hits.mean() == Rational(3, 4)


# ------------------------------------------------------------------------------------------- number of hits, attacks


def test_two_sustained_sources_give_the_better() -> None:
    """Rules Commentary, duplicated abilities: SUSTAINED HITS 1 and 2 together are SUSTAINED HITS 2."""
    assert distribution(play("Sustained Hits 1, Sustained Hits 2").hits) == {
        0: Rational(1, 3),
        1: Rational(1, 2),
        3: Rational(1, 6),
    }
    assert distribution(play("Sustained Hits 2, Sustained Hits 1").hits)[3] == Rational(1, 6)


def test_each_critical_rolls_its_own_extra_hits() -> None:
    """Core rules, Sustained Hits: X is rolled for each critical hit, so 5 hits from two of them are possible."""
    assert play("Sustained Hits D3", attacks=2, skill=2, critical_hit=2).hits.pmf(5) == Rational(25, 162)


def test_extra_hits_are_not_critical() -> None:
    """Core rules, Sustained Hits and Lethal Hits: the extra hit rolls to wound, only the critical one does not."""
    assert play("Lethal Hits, Sustained Hits 1").wounds.mean() == Rational(1, 2)


def test_lethal_hits_cannot_be_devastating() -> None:
    """Core rules, Lethal Hits: no wound roll is made, so there is no critical wound and the save is taken."""
    result = play("Lethal Hits, Devastating Wounds", critical_hit=2, target=unit(save=2))
    assert result.unsaved.mean() == Rational(5, 6) * Rational(1, 6)


@pytest.mark.parametrize(("models", "attacks"), [(4, 3), (5, 4), (9, 4), (10, 5), (11, 5)])
def test_blast_on_fixed_attacks(models: int, attacks: int) -> None:
    """Core rules, Blast: one attack for every five models, rounded down, to a fixed number as well."""
    assert distribution(play("Torrent, Blast", attacks=3, target=unit(models=models)).hits) == {attacks: 1}


def test_blast_counts_before_the_first_shot() -> None:
    """Rules Commentary, Target: models are counted when targets are chosen, before other weapons destroy some."""
    flamer = weapon("Torrent", attacks=20, strength=12, damage=9)
    mortar = weapon("Torrent, Blast", attacks=1)
    result = wh40k.attack([wh40k.Volley(flamer), wh40k.Volley(mortar)], unit(models=10, wounds=1), exact=True)
    assert distribution(result.hits) == {23: 1}


def test_rapid_fire_and_melta_need_half_range() -> None:
    """Core rules, Rapid Fire and Melta: within half range only; X is added for each weapon."""
    assert distribution(play("Torrent, Rapid Fire 2").hits) == {1: 1}
    assert distribution(play("Torrent, Rapid Fire 2", half_range=True, count=3).hits) == {9: 1}
    assert distribution(play("Torrent, Rapid Fire D3", half_range=True).hits) == {
        2: Rational(1, 3),
        3: Rational(1, 3),
        4: Rational(1, 3),
    }
    assert wounding("Melta 2").damage.pmf(1) == Rational(5, 6)
    assert wounding("Melta 2", half_range=True).damage.pmf(3) == Rational(5, 6)


@pytest.mark.parametrize("ability", ["Rapid Fire", "Melta"])
def test_duplicated_abilities_do_not_add_up(ability: str) -> None:
    """Rules Commentary, duplicated abilities: of several instances one is used, here the better."""
    twice = wounding(f"{ability} 1, {ability} 3", half_range=True)
    once = wounding(f"{ability} 3", half_range=True)
    assert twice.hits == once.hits
    assert twice.damage == once.damage


def test_attacks_are_rolled_for_each_weapon() -> None:
    """Core rules, Random Characteristics: two weapons with D3 attacks roll two dice."""
    assert play("Torrent", attacks="D3", count=2).hits.pmf(2) == Rational(1, 9)


# ----------------------------------------------------------------------------------------------------- wound rolls


def test_natural_1_and_6_to_wound_and_the_clamp() -> None:
    """Core rules, Wound Roll: 1 fails, 6 is critical and wounds, modifiers count -1 to +1 in sum."""
    assert play("Torrent", strength=8, wound_modifier=1).wounds.mean() == Rational(5, 6)
    assert play("Torrent", strength=1, wound_modifier=-1).wounds.mean() == Rational(1, 6)
    assert play("Torrent", wound_modifier=-2).wounds.mean() == Rational(1, 3)
    assert play("Torrent", wound_modifier=2).wounds.mean() == Rational(2, 3)


def test_lance_after_a_charge_only() -> None:
    """Core rules, Lance: +1 to wound if the bearer charged, inside the clamp; the critical face stays unmodified."""
    assert play("Torrent, Lance").wounds.mean() == Rational(1, 2)
    assert play("Torrent, Lance", charged=True).wounds.mean() == Rational(2, 3)
    assert play("Torrent, Lance", charged=True, wound_modifier=1).wounds.mean() == Rational(2, 3)
    critical = play("Torrent, Lance, Devastating Wounds", charged=True, target=unit(invulnerable=2))
    assert critical.unsaved.mean() == Rational(1, 6) + Rational(1, 2) * Rational(1, 6)


def test_anti_abilities_of_different_keywords_are_both_usable() -> None:
    """Rules Commentary, duplicated abilities: ANTI with different keywords are different abilities."""
    keywords = "Torrent, Anti-Vehicle 4+, Anti-Infantry 2+"
    for kind, wounds in [
        ("Vehicle", "1/2"),
        ("Infantry", "5/6"),
        ("Vehicle, Infantry", "5/6"),
        ("Monster", "1/6"),
    ]:
        assert play(keywords, strength=1, target=unit(keywords=kind)).wounds.mean() == Rational(wounds)


def test_anti_reads_keywords_in_any_case() -> None:
    """Core rules, Keywords: they are printed in capitals and typed as one likes, also those of two words."""
    assert play(
        "TORRENT, ANTI-VEHICLE 3+", strength=1, target=unit(keywords="vehicle")
    ).wounds.mean() == Rational(2, 3)
    hero = unit(keywords="Infantry, EPIC HERO")
    assert play("Torrent, Anti-Epic Hero 3+", strength=1, target=hero).wounds.mean() == Rational(2, 3)


def test_anti_is_critical_and_unmodified() -> None:
    """Core rules, Anti: an unmodified roll of X+ is a critical wound, whatever the table and the modifiers say."""
    vehicle = unit(keywords="Vehicle", invulnerable=2)
    result = play(
        "Torrent, Anti-Vehicle 4+, Devastating Wounds", strength=1, wound_modifier=-1, target=vehicle
    )
    assert result.unsaved.mean() == Rational(1, 2)
    weaker = play("Torrent, Anti-Vehicle 6+, Devastating Wounds", critical_wound=5, target=vehicle)
    assert weaker.unsaved.mean() == Rational(1, 3) + Rational(1, 6) * Rational(1, 6)


def test_twin_linked_rerolls_failures_unless_told() -> None:
    """Core rules, Twin-linked: the wound roll can be re-rolled; by default where it failed."""
    assert play("Torrent, Twin-linked").wounds.mean() == Rational(3, 4)
    # A die is re-rolled once, by whichever of several rules its owner picks (Rules Commentary, Re-rolls).
    for rule in (None, "ones", "failed", "failed-unmodified", {1}, {1, 2}):
        assert play("Torrent, Twin-linked", reroll_wounds=rule).wounds.mean() == Rational(3, 4)
    harder = play("Torrent, Twin-linked", reroll_wounds="failed-unmodified", wound_modifier=-1)
    assert harder.wounds.mean() == Rational(5, 9)
    every = play("Torrent, Twin-linked", reroll_wounds={1, 2, 3, 4, 5})
    assert every.wounds.mean() == Rational(7, 12)
    assert play("Torrent, Twin-linked", reroll_wounds="non-critical").wounds.mean() == Rational(7, 12)
    assert play("Torrent", reroll_wounds="failed").wounds.mean() == Rational(3, 4)


def test_random_strength() -> None:
    """Core rules, Random Characteristics: S D6 v T3 wounds on 6, 5 or 6 (S2), 4, 3, 3 and 2 as it is rolled."""
    needed = [6, 5, 4, 3, 3, 2]
    expected = sum(Rational(7 - need, 36) for need in needed)
    assert play("Torrent", strength="D6", target=unit(toughness=3)).wounds.mean() == expected


def test_a_die_that_twin_linked_has_rerolled_is_not_rerolled_by_a_single_reroll():
    """Rules Commentary, Re-rolls: no die is re-rolled twice; two attacks that wound with 3/4 each."""
    gun = wh40k.Weapon.parse("Gun: A2 S4 AP0 D1 [TWIN-LINKED, TORRENT]")
    target = wh40k.Target("Target", toughness=4, save=None, wounds=1, models=3)
    for single in ({}, {"reroll_wounds": "one"}):
        assert wh40k.attack(gun, target, exact=True, **single).wounds.mean() == Rational(3, 2)
