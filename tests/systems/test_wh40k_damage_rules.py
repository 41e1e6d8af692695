"""Single rules of the 10th edition, one fact each, by hand: saves, damage, Feel No Pain, devastating wounds."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import distribution, failed_save, unit, volleys_of, weapon, wounding
from sympy import Rational
from tenth import wh40k

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
    assert distribution(result.damage) == {0: Rational(1, 6), 2: third, 3: third, 4: third}


def test_printed_bonus_is_part_of_the_damage() -> None:
    """Core Rules Updates, Damage Characteristic: the +2 of D6+2 is halved with the die, unlike Melta's."""
    third = Rational(5, 18)
    result = wounding(damage="D6+2", target=unit(half_damage=True))
    assert distribution(result.damage) == {0: Rational(1, 6), 2: third, 3: third, 4: third}


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
        assert distribution(result.damage) == {0: Rational(1, 6), left: Rational(5, 6)}


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
    assert distribution(result.wounds_lost) == {0: Rational(1, 36), 4: Rational(10, 36), 8: Rational(25, 36)}
    assert distribution(result.damage) == {0: Rational(1, 36), 6: Rational(10, 36), 12: Rational(25, 36)}
    alone = wounding(damage=6, count=2, target=unit(wounds=4))
    assert distribution(alone.state) == {(0, 0): Rational(1, 36), (1, 0): Rational(35, 36)}


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


def test_feel_no_pain_against_psychic_attacks() -> None:
    """Core rules, Psychic and Feel No Pain: a Feel No Pain for Psychic Attacks only, and the best of all that apply."""
    target = unit(feel_no_pain_psychic=5)
    assert wounding(target=target).damage.mean() == Rational(5, 6)
    assert wounding("Psychic", target=target).damage.mean() == Rational(5, 6) * Rational(2, 3)
    better = unit(feel_no_pain=4, feel_no_pain_psychic=5)
    assert wounding("Psychic", target=better).damage.mean() == Rational(5, 6) * Rational(1, 2)
    all_three = unit(feel_no_pain=6, feel_no_pain_mortal=5, feel_no_pain_psychic=3)
    critical = {"critical_wound": 2, "target": all_three}
    assert wounding("Psychic, Devastating Wounds", **critical).damage.mean() == Rational(5, 6) * Rational(
        1, 3
    )
    assert wounding("Devastating Wounds", **critical).damage.mean() == Rational(5, 6) * Rational(2, 3)
    assert "has no effect here" in str(wounding("Psychic").explain())
    assert "has no effect here" not in str(wounding("Psychic", target=target).explain())


# ------------------------------------------------------------------------------------------------ devastating wounds


def test_devastating_wounds_allow_no_save_and_do_not_spill() -> None:
    """Core Rules Updates, Devastating Wounds: no save of any kind; what is left when the model dies is lost."""
    target = unit(save=2, invulnerable=2, wounds=2, models=5)
    result = wounding("Devastating Wounds", critical_wound=2, damage=6, target=target)
    assert distribution(result.state) == {(0, 0): Rational(1, 6), (1, 0): Rational(5, 6)}


def test_damage_modifiers_act_on_devastating_wounds() -> None:
    """Core Rules Updates, Devastating Wounds: halving, Melta and -1 count as for any allocated attack."""
    result = wounding(
        "Devastating Wounds, Melta 2",
        critical_wound=2,
        damage=6,
        half_range=True,
        target=unit(half_damage=True, damage_reduction=1),
    )
    assert distribution(result.damage) == {0: Rational(1, 6), 4: Rational(5, 6)}


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
    """The distribution of the state given that every attack wounds, by taking away the cases in which fewer do."""
    found = distribution(state)
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
    assert distribution(together.state) == distribution(apart.state)
    assert together.damage == apart.damage


def test_situation_of_the_attack_holds_for_volleys_that_say_nothing() -> None:
    """Usage, not a rule: what a volley says of itself wins over what is said for all."""
    gun = weapon("Torrent, Rapid Fire 1")
    volleys = [wh40k.Volley(gun), wh40k.Volley(gun, half_range=False)]
    assert distribution(wh40k.attack(volleys, unit(), half_range=True, exact=True).hits) == {3: 1}
