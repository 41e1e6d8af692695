"""Single rules of the 10th edition, one fact each, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import wh40k
from mathhammer.modifiers import Modifier, Operation, modified

TENTH: tuple[Operation, ...] = ("set", "divide", "multiply", "add", "subtract")


def weapon(keywords: str = "", **profile: Any) -> wh40k.Weapon:
    """A weapon that hits on 3+, wounds Toughness 4 on 4+ and deals 1 damage, except where told otherwise."""
    plain: dict[str, Any] = {"range": '24"', "attacks": 1, "skill": "3+", "strength": 4, "ap": 0, "damage": 1}
    return wh40k.Weapon("Weapon", keywords=keywords, **{**plain, **profile})


def unit(**profile: Any) -> wh40k.Target:
    """One model of Toughness 4 with 20 wounds and no save."""
    plain: dict[str, Any] = {"toughness": 4, "save": None, "wounds": 20}
    return wh40k.Target("Unit", **{**plain, **profile})


def play(keywords: str = "", *, target: wh40k.Target | None = None, **given: Any) -> Any:
    """Result of one attack, exactly; profile and situation are told apart by name."""
    names = {"range", "attacks", "skill", "strength", "ap", "damage"}
    profile = {name: given.pop(name) for name in names & given.keys()}
    return wh40k.attack(weapon(keywords, **profile), target or unit(), exact=True, **given)


def wounding(keywords: str = "", **given: Any) -> Any:
    """Result of one attack that hits without a roll and wounds on 2+, with 5 chances in 6."""
    return play(", ".join(filter(None, ["Torrent", keywords])), **{"strength": 12, **given})


def law(distribution: Any) -> dict[Any, Any]:
    return {outcome: probability for outcome, probability in distribution.items() if probability}


def failed_save(**given: Any) -> Any:
    return wounding(**given).unsaved.mean() / Rational(5, 6)


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
    assert law(result.hits) == {1: 1}
    assert law(result.wounds) == {0: Rational(1, 2), 1: Rational(1, 2)}


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
    assert law(play("Sustained Hits 1", skill=6, critical_hit=5).hits) == {
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
    assert law(play("Sustained Hits 1, Sustained Hits 2").hits) == {
        0: Rational(1, 3),
        1: Rational(1, 2),
        3: Rational(1, 6),
    }
    assert law(play("Sustained Hits 2, Sustained Hits 1").hits)[3] == Rational(1, 6)


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
    assert law(play("Torrent, Blast", attacks=3, target=unit(models=models)).hits) == {attacks: 1}


def test_blast_counts_before_the_first_shot() -> None:
    """Rules Commentary, Target: models are counted when targets are chosen, before other weapons destroy some."""
    flamer = weapon("Torrent", attacks=20, strength=12, damage=9)
    mortar = weapon("Torrent, Blast", attacks=1)
    result = wh40k.attack([wh40k.Volley(flamer), wh40k.Volley(mortar)], unit(models=10, wounds=1), exact=True)
    assert law(result.hits) == {23: 1}


def test_rapid_fire_and_melta_need_half_range() -> None:
    """Core rules, Rapid Fire and Melta: within half range only; X is added for each weapon."""
    assert law(play("Torrent, Rapid Fire 2").hits) == {1: 1}
    assert law(play("Torrent, Rapid Fire 2", half_range=True, count=3).hits) == {9: 1}
    assert law(play("Torrent, Rapid Fire D3", half_range=True).hits) == {
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
    assert play("Torrent, Twin-linked", reroll_wounds="ones").wounds.mean() == Rational(7, 12)
    assert play("Torrent, Twin-linked", reroll_wounds="non-critical").wounds.mean() == Rational(7, 12)
    assert play("Torrent", reroll_wounds="failed").wounds.mean() == Rational(3, 4)


def test_random_strength() -> None:
    """Core rules, Random Characteristics: S D6 v T3 wounds on 6, 5 or 6 (S2), 4, 3, 3 and 2 as it is rolled."""
    needed = [6, 5, 4, 3, 3, 2]
    expected = sum(Rational(7 - need, 36) for need in needed)
    assert play("Torrent", strength="D6", target=unit(toughness=3)).wounds.mean() == expected


# ----------------------------------------------------------------------------------------------------------- saves


@pytest.mark.parametrize(
    ("save", "ap", "failed"),
    [
        (3, 0, "1/3"),
        (2, 0, "1/6"),
        (4, 0, "1/3"),
        (3, -1, "1/3"),
        (2, -1, "1/6"),
        (6, -1, "5/6"),
        (7, 0, "5/6"),
        (None, 0, "1"),
    ],
)
def test_cover(save: int | None, ap: int, failed: str) -> None:
    """Core rules, Benefit of Cover: +1 to armour saves, but none for a Save of 3+ or better against AP 0."""
    assert failed_save(ap=ap, cover=True, target=unit(save=save)) == Rational(failed)


def test_cover_against_melee_and_ignores_cover() -> None:
    """Core rules, Benefit of Cover: ranged attacks only; Ignores Cover takes it away."""
    target = unit(save=5)
    assert failed_save(cover=True, range="Melee", target=target) == Rational(2, 3)
    assert wounding("Ignores Cover", cover=True, target=target).unsaved.mean() == Rational(5, 6) * Rational(
        2, 3
    )
    assert failed_save(cover=True, target=target) == Rational(1, 2)


def test_saves_improve_by_one_at_most() -> None:
    """Core rules, Saving Throws: never more than +1, while AP and penalties have no limit."""
    assert failed_save(cover=True, save_modifier=1, target=unit(save=5)) == Rational(1, 2)
    assert failed_save(save_modifier=-2, target=unit(save=2)) == Rational(1, 2)
    assert failed_save(ap=-4, target=unit(save=2)) == Rational(5, 6)
    assert failed_save(ap=-1, target=unit(save=6)) == 1


def test_natural_1_fails_a_save() -> None:
    """Core rules, Saving Throws: an unmodified 1 always fails."""
    assert failed_save(save_modifier=1, target=unit(save=2)) == Rational(1, 6)
    assert failed_save(save_modifier=1, target=unit(invulnerable=2)) == Rational(1, 6)


def test_invulnerable_save() -> None:
    """Core rules, Invulnerable Saves: AP and cover never modify it, other bonuses do; the better save is used."""
    assert failed_save(ap=-4, target=unit(save=3, invulnerable=5)) == Rational(2, 3)
    assert failed_save(ap=-4, cover=True, target=unit(save=6, invulnerable=5)) == Rational(2, 3)
    assert failed_save(ap=-1, target=unit(save=3, invulnerable=5)) == Rational(1, 2)
    assert failed_save(ap=-4, save_modifier=1, target=unit(save=3, invulnerable=5)) == Rational(1, 2)


def test_invulnerable_save_against_one_kind() -> None:
    """Datasheets: an invulnerable save against ranged (or melee) attacks is none against the others."""
    for against, range_, failed in [
        ("5+ ranged", '24"', "2/3"),
        ("5+ ranged", "Melee", "1"),
        ("5+ melee", "Melee", "2/3"),
        ("5+ melee", '24"', "1"),
    ]:
        assert failed_save(range=range_, target=unit(invulnerable=against)) == Rational(failed)


def test_rerolled_saves() -> None:
    """Rules Commentary, Re-rolls: saving throws of 1, or those that failed after AP, are rolled once more."""
    assert failed_save(reroll_saves="ones", target=unit(save=4)) == Rational(5, 12)
    assert failed_save(reroll_saves="failed", target=unit(save=4)) == Rational(1, 4)
    assert failed_save(reroll_saves="failed", ap=-1, target=unit(save=4)) == Rational(4, 9)
    assert failed_save(reroll_saves={1, 2}, target=unit(save=4)) == Rational(1, 3)


# ---------------------------------------------------------------------------------------------- damage, Feel No Pain


def test_order_of_damage_modifiers() -> None:
    """Rules Commentary, Modifiers: a D6 is halved, then Melta is added, then 1 taken away, then rounded up."""
    third = Rational(5, 18)
    target = unit(half_damage=True, damage_reduction=1)
    result = wounding("Melta 2", damage="D6", half_range=True, target=target)
    assert law(result.damage) == {0: Rational(1, 6), 2: third, 3: third, 4: third}


def test_printed_bonus_is_part_of_the_damage() -> None:
    """Core Rules Updates, Damage Characteristic: the +2 of D6+2 is halved with the die, unlike Melta's."""
    third = Rational(5, 18)
    result = wounding(damage="D6+2", target=unit(half_damage=True))
    assert law(result.damage) == {0: Rational(1, 6), 2: third, 3: third, 4: third}


def test_damage_rounds_up_once_and_never_below_one() -> None:
    """Core Rules Updates: 3 halved less 1 is 1/2, rounded up to 1; damage cannot be modified below 1."""
    for damage, reduction, half, left in [
        (3, 1, True, 1),
        (1, 1, False, 1),
        (2, 5, False, 1),
        (5, 0, True, 3),
        (1, 0, True, 1),
    ]:
        result = wounding(damage=damage, target=unit(damage_reduction=reduction, half_damage=half))
        assert law(result.damage) == {0: Rational(1, 6), left: Rational(5, 6)}


def test_damage_reroll_of_a_halved_die() -> None:
    """Rules Commentary, Re-rolls: a D3 of 1 is a 1, on both faces of the D6 that make it."""
    assert wounding(damage="D3", reroll_damage="ones").damage.mean() == Rational(5, 6) * Rational(7, 3)


def test_damage_reroll_is_judged_before_the_printed_bonus() -> None:
    """Rules Commentary, Re-rolls and Modifiers: of D6+1 the die is re-rolled that shows a 1."""
    assert wounding(damage="D6+1", reroll_damage="ones").damage.pmf(2) == Rational(5, 6) * Rational(1, 36)


def test_fixed_damage_has_nothing_to_reroll() -> None:
    """Rules Commentary, Re-rolls: a damage of 1 that is printed is not a roll of 1."""
    assert wounding(reroll_damage="ones").damage.mean() == Rational(5, 6)


def test_damage_of_two_dice_is_rerolled_whole() -> None:
    """Rules Commentary, Re-rolls: added dice are re-rolled together, so only their total can be named."""
    rerolled = wounding(damage="2D6", reroll_damage={2, 3, 4, 5, 6}).damage.mean()
    assert rerolled == Rational(5, 6) * Rational(287, 36)
    assert wounding(damage="2D6", reroll_damage="ones").damage.mean() == Rational(5, 6) * 7


def test_excess_damage_is_lost_but_counted_as_damage() -> None:
    """Core rules, Inflict Damage: nothing beyond the last wound of a model is lost by the unit."""
    result = wounding(damage=6, count=2, target=unit(wounds=4, models=2))
    assert law(result.wounds_lost) == {0: Rational(1, 36), 4: Rational(10, 36), 8: Rational(25, 36)}
    assert law(result.damage) == {0: Rational(1, 36), 6: Rational(10, 36), 12: Rational(25, 36)}
    alone = wounding(damage=6, count=2, target=unit(wounds=4))
    assert law(alone.state) == {(0, 0): Rational(1, 36), (1, 0): Rational(35, 36)}


def test_feel_no_pain_is_rolled_for_each_wound_before_excess_is_lost() -> None:
    """Core rules, Feel No Pain: six points of damage, 5+ ignores one; three unignored ones kill."""
    result = wounding(damage=6, target=unit(wounds=3, feel_no_pain=5))
    assert result.kills.pmf(1) == Rational(5, 6) * Rational(656, 729)


def test_one_feel_no_pain_for_each_wound() -> None:
    """Core rules, Feel No Pain: with two abilities only one is used, the better that applies."""
    target = unit(feel_no_pain=5, feel_no_pain_mortal=4)
    assert wounding(target=target).damage.mean() == Rational(5, 6) * Rational(2, 3)
    critical = wounding("Devastating Wounds", critical_wound=2, target=target)
    assert critical.damage.mean() == Rational(5, 6) * Rational(1, 2)
    worse = wounding(
        "Devastating Wounds", critical_wound=2, target=unit(feel_no_pain=4, feel_no_pain_mortal=5)
    )
    assert worse.damage.mean() == Rational(5, 6) * Rational(1, 2)


# ------------------------------------------------------------------------------------------------ devastating wounds


def test_devastating_wounds_allow_no_save_and_do_not_spill() -> None:
    """Core Rules Updates, Devastating Wounds: no save of any kind; what is left when the model dies is lost."""
    target = unit(save=2, invulnerable=2, wounds=2, models=5)
    result = wounding("Devastating Wounds", critical_wound=2, damage=6, target=target)
    assert law(result.state) == {(0, 0): Rational(1, 6), (1, 0): Rational(5, 6)}


def test_damage_modifiers_act_on_devastating_wounds() -> None:
    """Core Rules Updates, Devastating Wounds: halving, Melta and -1 count as for any allocated attack."""
    result = wounding(
        "Devastating Wounds, Melta 2",
        critical_wound=2,
        damage=6,
        half_range=True,
        target=unit(half_damage=True, damage_reduction=1),
    )
    assert law(result.damage) == {0: Rational(1, 6), 4: Rational(5, 6)}


def volleys_of(*kinds: str) -> list[wh40k.Volley]:
    """Single attacks that hit without a roll and wound on 2+: ``"2"`` for Damage 2, ``"2 critical"`` devastating."""
    made = []
    for kind in kinds:
        damage, _, critical = kind.partition(" ")
        keywords = "Torrent, Devastating Wounds" if critical else "Torrent"
        gun = weapon(keywords, strength=12, damage=int(damage))
        made.append(wh40k.Volley(gun, critical_wound=2 if critical else 6))
    return made


@pytest.mark.parametrize(
    ("kinds", "state"),
    [
        (("1", "2"), (1, 0)),
        (("2", "1"), (1, 1)),
        (("2 critical", "1"), (1, 0)),  # the devastating wound waits for the ordinary one
        (("1", "2 critical"), (1, 0)),
        (("1 critical", "2 critical"), (1, 0)),
        (("2 critical", "1 critical"), (1, 1)),
        (("1 critical", "2"), (1, 1)),
        (("1 critical", "2 critical", "1"), (2, 0)),
        (("2 critical", "1 critical", "1"), (1, 1)),
    ],
)
def test_order_of_weapons_and_devastating_wounds_last(kinds: tuple[str, ...], state: tuple[int, int]) -> None:
    """Core rules, Mortal Wounds: ordinary damage of all weapons first, then what waits, in the order it arose."""
    result = wh40k.attack(volleys_of(*kinds), unit(wounds=2, models=5), exact=True)
    assert all_wound(kinds, result.state)[state] == 1


def all_wound(kinds: tuple[str, ...], state: Any) -> dict[Any, Any]:
    """The law of the state given that every attack wounds, by taking away the cases in which fewer do."""
    found = law(state)
    for place in range(1, 2 ** len(kinds)):
        # `place` says in binary which attacks fail to wound.
        wounding_kinds = tuple(kind for bit, kind in enumerate(kinds) if not place >> bit & 1)
        weight = Rational(5, 6) ** len(wounding_kinds) * Rational(1, 6) ** (len(kinds) - len(wounding_kinds))
        if wounding_kinds:
            attack = wh40k.attack(volleys_of(*wounding_kinds), unit(wounds=2, models=5), exact=True)
            fewer = all_wound(wounding_kinds, attack.state)
        else:
            fewer = {(0, 0): Rational(1)}
        for outcome, probability in fewer.items():
            found[outcome] = found.get(outcome, Rational(0)) - weight * probability
    return {outcome: left / Rational(5, 6) ** len(kinds) for outcome, left in found.items() if left}


def test_volleys_of_one_weapon_may_be_split() -> None:
    """Core rules, Making Attacks: two equal weapons at once are the same as one after the other."""
    gun = weapon("Devastating Wounds, Sustained Hits 1", attacks=2, damage="D3")
    target = unit(wounds=3, models=4, save=4, feel_no_pain=5)
    together = wh40k.attack(wh40k.Volley(gun, 2), target, exact=True)
    apart = wh40k.attack([wh40k.Volley(gun), wh40k.Volley(gun)], target, exact=True)
    assert law(together.state) == law(apart.state)
    assert together.damage == apart.damage


def test_situation_of_the_attack_holds_for_volleys_that_say_nothing() -> None:
    """Usage, not a rule: what a volley says of itself wins over what is said for all."""
    gun = weapon("Torrent, Rapid Fire 1")
    volleys = [wh40k.Volley(gun), wh40k.Volley(gun, half_range=False)]
    assert law(wh40k.attack(volleys, unit(), half_range=True, exact=True).hits) == {3: 1}


# ---------------------------------------------------------------------------------------------------------- rulings


def test_rulings_in_force_are_reported() -> None:
    """Every result says how the disputed points were decided, also those left at their defaults."""
    defaults = play().rulings
    chosen = play(rulings={"save_cap": "gross"}).rulings
    assert dict(chosen) == {**defaults, "save_cap": "gross"}
    assert set(defaults) == {
        "critical_hit_wording",
        "save_cap",
        "devastating_damage_modifiers",
        "devastating_timing",
        "blast_fixed_attacks",
        "indirect_against_critical",
    }


def both(ruling: str, *options: str, **given: Any) -> list[Any]:
    return [play(rulings={ruling: option}, **given) for option in options]


def test_ruling_critical_hit_wording() -> None:
    """Rules Commentary, Critical Hit: "an unmodified 5+" hits by itself, "a successful 5+" must hit first."""
    default, other = both(
        "critical_hit_wording",
        "unmodified",
        "successful",
        keywords="Sustained Hits 1",
        skill=6,
        critical_hit=5,
    )
    assert law(default.hits) == {0: Rational(2, 3), 2: Rational(1, 3)}
    assert law(other.hits) == {0: Rational(5, 6), 2: Rational(1, 6)}


def test_ruling_save_cap() -> None:
    """Core rules, Saving Throws: is it the net modifier that cannot exceed +1, or the bonuses before AP."""
    given: dict[str, Any] = {
        "keywords": "Torrent",
        "strength": 12,
        "ap": -1,
        "cover": True,
        "save_modifier": 1,
        "target": unit(save=4),
    }
    net, gross = both("save_cap", "net", "gross", **given)
    assert net.unsaved.mean() / Rational(5, 6) == Rational(1, 3)
    assert gross.unsaved.mean() / Rational(5, 6) == Rational(1, 2)


def test_ruling_devastating_damage_modifiers() -> None:
    """Core Rules Updates, Devastating Wounds: does -1 Damage act on them."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Devastating Wounds",
        "strength": 12,
        "damage": 3,
        "critical_wound": 2,
        "target": unit(damage_reduction=1),
    }
    apply, ignore = both("devastating_damage_modifiers", "apply", "ignore", **given)
    assert apply.damage.mean() == Rational(5, 6) * 2
    assert ignore.damage.mean() == Rational(5, 6) * 3


def test_ruling_devastating_damage_modifiers_leave_melta() -> None:
    """Core rules, Melta: it changes the weapon's own Damage, so it is not among the target's reductions."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Devastating Wounds, Melta 2",
        "strength": 12,
        "half_range": True,
        "critical_wound": 2,
        "target": unit(half_damage=True),
        "damage": 4,
    }
    apply, ignore = both("devastating_damage_modifiers", "apply", "ignore", **given)
    assert apply.damage.mean() == Rational(5, 6) * 4
    assert ignore.damage.mean() == Rational(5, 6) * 6


def test_ruling_devastating_timing() -> None:
    """Core rules, Mortal Wounds: after all attacks of the unit, or after those of the weapon."""
    volleys = volleys_of("2 critical", "1")
    target = unit(wounds=2, models=5)
    last = wh40k.attack(volleys, target, exact=True)
    at_once = wh40k.attack(volleys, target, exact=True, rulings={"devastating_timing": "after-weapon"})
    assert last.state.pmf((1, 1)) == 0
    assert at_once.state.pmf((1, 1)) == Rational(25, 36)


def test_ruling_blast_fixed_attacks() -> None:
    """Core rules, Blast: does it add to a number of attacks that is not rolled; it always adds to one that is."""
    target = unit(models=10)
    apply, ignore = both(
        "blast_fixed_attacks", "apply", "ignore", keywords="Torrent, Blast", attacks=3, target=target
    )
    assert (law(apply.hits), law(ignore.hits)) == ({5: 1}, {3: 1})
    apply, ignore = both(
        "blast_fixed_attacks", "apply", "ignore", keywords="Torrent, Blast", attacks="D3", target=target
    )
    assert apply.hits == ignore.hits


def test_ruling_indirect_against_critical() -> None:
    """Core Rules Updates, Indirect Fire: does an unmodified 3 fail that another rule makes critical."""
    given: dict[str, Any] = {"keywords": "Indirect Fire", "skill": 6, "indirect": True, "critical_hit": 3}
    fail, critical = both("indirect_against_critical", "fail", "critical", **given)
    assert fail.hits.mean() == Rational(1, 2)
    assert critical.hits.mean() == Rational(2, 3)
