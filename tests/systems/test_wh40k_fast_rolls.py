"""Core rules, Hints and Tips: Fast Dice Rolling: when attacks may be rolled together, and what it would change."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
from tenth import wh40k
from translation import mixed_unit, plain_number, points

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.sequence import Group, losses_in_order

parse = wh40k.Weapon.parse
PAIR = wh40k.Target("Pair", toughness=4, save=None, wounds=2, models=4)


def lost(damages, models=4, wounds=2):
    return losses_in_order(damages, Group("Model", models, wounds))


def test_the_example_of_the_rules():
    """1, 2, 3 destroys two models; 3, 2, 1 destroys two and leaves the third with one wound."""
    assert divmod(lost((1, 2, 3)), 2) == (2, 0)
    assert divmod(lost((3, 2, 1)), 2) == (2, 1)


@pytest.mark.parametrize("exact", [True, False])
def test_three_dice_against_two_wound_models(exact):
    """The same dice, all 27 rolls of them: one at a time, in the kindest and in the cruellest order."""
    gun = parse("Gun: A3 S8 AP0 DD3 [TORRENT, LETHAL HITS]")
    check = wh40k.fast_roll_check(gun, PAIR, exact=exact)
    assert not check.allowed
    assert check.hits_and_wounds == ()
    assert check.saves == ("Damage D3 is random",)
    chance = Fraction(5, 6)  # each wounds on 2+, and none is saved
    expected = {"one_at_a_time": {}, "for_defender": {}, "for_attacker": {}}
    for wounded in product([False, True], repeat=3):
        for rolls in product([1, 2, 3], repeat=sum(wounded)):
            weight = chance ** sum(wounded) * (1 - chance) ** (3 - sum(wounded)) / 3 ** sum(wounded)
            orders = [lost(order) for order in permutations(rolls)]
            for name, losses in zip(expected, (lost(rolls), min(orders), max(orders)), strict=True):
                expected[name][divmod(losses, 2)] = expected[name].get(divmod(losses, 2), 0) + weight
    for name, distribution in expected.items():
        found = points(getattr(check, name).state)
        assert found.keys() == distribution.keys()
        assert all(
            abs(found[state] - (distribution[state] if exact else float(distribution[state]))) < 1e-15
            for state in distribution
        )
    assert "Damage D3 is random" in str(check)


HEX = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=1)


def test_mortal_wounds_in_addition_are_not_lost():
    """Core rules, Mortal Wounds: two attacks wound on 2+, each with a mortal wound; they are 5/3 and 5/3."""
    volleys = [parse(f"Sure: A1 S{strength} AP0 D1 [TORRENT]") for strength in (8, 9)]
    many = wh40k.Target("Many", toughness=4, save=None, wounds=1, models=9)
    for edition in ("9e", "10e"):
        check = wh40k.fast_roll_check(volleys, many, triggers=HEX, exact=True, edition=edition)
        assert "Strength differs: 8, 9" in check.hits_and_wounds
        for distribution in (check.one_at_a_time, check.for_defender, check.for_attacker):
            assert plain_number(distribution.wounds_lost.mean()) == Fraction(10, 3)


#: An attack that is Torrent and wounds on 2+: no wound, an ordinary one, a devastating one.
ONE_WOUND = {"none": Fraction(1, 6), "ordinary": Fraction(4, 6), "devastating": Fraction(1, 6)}


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("reduction", [0, 1])
@pytest.mark.parametrize("triggers", [(), (HEX,)], ids=["plain", "hex"])
@pytest.mark.parametrize(
    "ruling", [("plain-first", "apply"), ("devastating-first", "apply"), ("plain-first", "ignore")]
)
def test_each_kind_of_wounds_has_its_turn(exact, reduction, triggers, ruling):
    """Core rules, Mortal Wounds; Core Rules Updates, Devastating Wounds: every roll of two D3, in every order.

    Ordinary wounds come first in any order, then mortal wounds one by one and devastating ones in any order.
    """
    gun = parse("Gun: A2 S8 AP0 DD3 [TORRENT, DEVASTATING WOUNDS]")
    trio = wh40k.Target("Trio", toughness=4, save=None, wounds=3, models=2, damage_reduction=reduction)
    order, reduced = ruling
    rulings = {"mortal_wounds_order": order, "devastating_damage_modifiers": reduced}
    check = wh40k.fast_roll_check(gun, trio, exact=exact, triggers=triggers, rulings=rulings)
    expected = {"for_defender": {}, "for_attacker": {}}
    less = {"ordinary": reduction, "devastating": reduction * (reduced == "apply")}
    for wounds in product(ONE_WOUND, repeat=2):
        for faces in product([1, 2, 3], repeat=2):
            weight = ONE_WOUND[wounds[0]] * ONE_WOUND[wounds[1]] / 9
            of_kind = {
                kind: [
                    max(1, face - less[kind])
                    for what, face in zip(wounds, faces, strict=True)
                    if what == kind
                ]
                for kind in less
            }
            mortal = [1] * len(triggers) * sum(what != "none" for what in wounds)
            turns = [mortal, of_kind["devastating"]]
            if order == "devastating-first":
                turns.reverse()
            found = [
                lost([*first, *second, *third], models=2, wounds=3)
                for first in permutations(of_kind["ordinary"])
                for second in permutations(turns[0])
                for third in permutations(turns[1])
            ]
            for name, losses in zip(expected, (min(found), max(found)), strict=True):
                state = divmod(losses, 3)
                expected[name][state] = expected[name].get(state, 0) + weight
    for name, distribution in expected.items():
        found = points(getattr(check, name).state)
        assert {state: found.get(state, 0) for state in distribution} == (
            distribution if exact else pytest.approx(distribution, rel=1e-12, abs=1e-15)
        )
    means = [
        each.wounds_lost.mean() for each in (check.for_defender, check.one_at_a_time, check.for_attacker)
    ]
    assert means[0] <= means[1] * (1 + 1e-12)
    assert means[1] <= means[2] * (1 + 1e-12)


def test_devastating_wounds_with_a_shared_reroll():
    """Rules Commentary, Fast Dice Rolling: on one model that survives the order of the dice makes no difference."""
    gun = parse("Gun: A1 BS4+ S8 AP0 DD3 [DEVASTATING WOUNDS]")
    options = {"reroll_hits": "one", "exact": True}
    lone = wh40k.Target("Lone", toughness=4, save=None, wounds=9)
    check = wh40k.fast_roll_check([wh40k.Volley(gun), wh40k.Volley(gun)], lone, **options)
    # Two dice on 4+ of which one that fails is re-rolled: both hit, one does, or none.
    hits = Fraction(1, 4) * 2 + Fraction(1, 2) * Fraction(3, 2) + Fraction(1, 4) * Fraction(1, 2)
    for distribution in (check.one_at_a_time, check.for_defender, check.for_attacker):
        assert plain_number(distribution.wounds_lost.mean()) == hits * Fraction(5, 6) * 2


def test_too_many_kinds_of_dice_are_refused_at_once():
    gun = parse("Gun: A300 S8 AP0 DD3 [TORRENT, DEVASTATING WOUNDS]")
    with pytest.raises(TooLargeError, match="results of damage dice"):
        wh40k.fast_roll_check(gun, PAIR, triggers=HEX)


def test_what_may_be_rolled_together():
    bolter = parse("Bolter: A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1]")
    check = wh40k.fast_roll_check(bolter, wh40k.TARGETS["MEQ"], count=5, exact=True)
    assert check.allowed
    assert check.for_defender is check.for_attacker is check.one_at_a_time


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("Other: A2 BS4+ S4 AP-1 D1", "skill differs: 3, 4"),
        ("Other: A2 BS3+ S5 AP-1 D1", "Strength differs: 4, 5"),
        ("Other: A2 BS3+ S4 AP-2 D1", "Armour Penetration differs: -1, -2"),
        ("Other: A2 BS3+ S4 AP-1 D2", "Damage differs: 1, 2"),
        ("Other: A2 BS3+ S4 AP-1 D1 [LETHAL HITS]", "abilities or circumstances differ"),
        ("Other: A2 WS3+ S4 AP-1 D1", "ranged and melee attacks"),
    ],
)
def test_each_condition_between_attacks(other, reason):
    bolter = parse("Bolter: A2 BS3+ S4 AP-1 D1")
    check = wh40k.fast_roll_check([bolter, parse(other)], wh40k.TARGETS["MEQ"])
    assert check.hits_and_wounds == (reason,)
    assert not check.allowed
    # read with the numbers of the first weapon, its attacks are those of four bolter shots
    four = wh40k.attack(bolter, wh40k.TARGETS["MEQ"], count=2)
    assert check.for_defender.kills.mean() == pytest.approx(four.kills.mean(), rel=1e-12)


def test_the_same_weapon_in_other_circumstances():
    bolter = parse("Bolter: A2 BS3+ S4 AP-1 D1")
    volleys = [wh40k.Volley(bolter), wh40k.Volley(bolter, 1, cover=True)]
    assert wh40k.fast_roll_check(volleys, PAIR).hits_and_wounds == ("abilities or circumstances differ",)


def test_models_that_save_differently():
    """Saves are batched only where every model needs the same; here all would be read with the trooper's."""
    bolter = parse("Bolter: A4 BS3+ S4 AP-1 D1")
    check = wh40k.fast_roll_check(bolter, mixed_unit(), exact=True)
    assert check.hits_and_wounds == ()
    assert [reason.split(":")[0] for reason in check.saves] == [
        "the models of the target do not need the same saving throw",
        "the models of the target are not alike",
    ]
    assert check.for_defender.kills.mean() >= check.one_at_a_time.kills.mean()


def test_the_stricter_reading_of_the_9th_edition():
    """Ruling: abilities that act on a roll break 'the same abilities', and saves are never made together."""
    bolter = parse("Bolter: A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1]")
    check = wh40k.fast_roll_check(bolter, PAIR, rulings={"fast_rolling": "strict"})
    assert check.hits_and_wounds == ("abilities act on particular rolls: Sustained Hits",)
    assert check.saves == ("saving throws are made one at a time",)
    assert wh40k.fast_roll_check(parse("Gun: A2 BS3+ S4 AP-1 D1"), PAIR, edition="9e").ruling == "strict"
    # with fixed damage and one kind of models the dice are the same in any case
    assert check.for_attacker.kills.mean() == pytest.approx(check.one_at_a_time.kills.mean(), rel=1e-12)


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="fast_rolling"):
        wh40k.fast_roll_check(parse("Gun: A2 BS3+ S4 AP-1 D1"), PAIR, rulings={"fast_rolling": "never"})
    with pytest.raises(TooLargeError, match="results of damage dice"):
        wh40k.fast_roll_check(parse("Gun: A60 BS3+ S4 AP-1 DD6"), PAIR)


def test_probabilities_of_the_example():
    """Three D3 on two-wound models, when all three wound: worst order 8/27 three dead, kind order less."""
    sure = parse("Gun: A3 S8 AP0 DD3 [TORRENT]")
    check = wh40k.fast_roll_check(sure, PAIR, exact=True)
    cube = Fraction(5, 6) ** 3
    assert plain_number(check.one_at_a_time.kills.pmf(3)) == cube * Fraction(8, 27)
    assert plain_number(check.for_defender.kills.pmf(3)) == cube * Fraction(8, 27)


def test_an_edition_that_rolls_attacks_together() -> None:
    with pytest.raises(
        MathhammerError, match="'9e' or '10e', got '11e': the Warhammer 40,000 11th edition has"
    ):
        wh40k.fast_roll_check("5x Gun: A1 BS3+ S4 AP0 D1", "MEQ", edition="11e")
    assert wh40k.fast_roll_check("5x Gun: A1 BS3+ S4 AP0 D1", "MEQ").ruling == "similar"
