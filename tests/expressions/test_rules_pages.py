"""One test for each rule of dice in the rules pages; the page is in the name of the class.

Pages: "Making Attacks" (Warhammer 40,000 10th edition core rules), "Modifiers" (10th edition Rules Commentary),
"Dice, Modifiers, Re-rolls" (a community page on the 9th edition core rules), "Dice" (The 9th Age), "+/- Dice"
(Trench Crusade).
"""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Rational

from mathhammer import dice, distribution
from mathhammer.characteristics import Characteristic, CharacteristicRules
from mathhammer.errors import MathhammerError
from mathhammer.expressions import DirectionDie
from mathhammer.expressions.die import Die
from mathhammer.modifiers import Modifier


def dist(text):
    return distribution(text, exact=True)


class TestMakingAttacks10e:
    def test_a_roll_equal_to_the_target_succeeds(self):
        assert dist("D6>=4").pmf(1) == Rational(1, 2)

    def test_an_unmodified_one_fails_and_an_unmodified_six_succeeds(self):
        always = "let face = D6 in max(min((face+{})>={}, face>=2), face>=6)"
        assert dist(always.format(1, 2)).pmf(1) == Rational(5, 6)
        assert dist(always.format(0, 7)).pmf(1) == Rational(1, 6)

    def test_a_save_is_rolled_with_the_armour_penetration_added(self):
        assert dist("D6-1>=3").pmf(1) == Rational(1, 2)

    def test_excess_damage_of_one_attack_is_lost(self):
        assert dist("min(D6, 2)").mean() == Rational(11, 6)

    def test_each_wound_is_ignored_on_its_own(self):
        assert dist("(D3)(D6<5)").mean() == 2 * Rational(2, 3)

    def test_a_destroyed_model_may_hurt_on_a_six_each_unit_on_its_own(self):
        assert dist("(D6>=6)×D3").mean() == Rational(1, 3)
        assert dist("let died = D6 in (died>=6)×D3+(died>=6)×D3").pmf(2) == Rational(1, 6) * Rational(1, 9)

    def test_random_damage_is_rolled_one_at_a_time(self):
        # the damages 1, 2, 3 into models of 2 wounds, in two orders
        assert dist("min(D{1}, 2)+min(D{2}, 2)").support[-1] == 3
        assert dist("2D3").mean() == dist("D3+D3").mean() == 4


class TestModifiers10e:
    add, double, halve = (
        Modifier("add", 1, "an aura"),
        Modifier("multiply", 2, "a banner"),
        Modifier("divide", 2, "a horror"),
    )

    def value(self, number, *modifiers):
        return Characteristic(number, CharacteristicRules("value"), modifiers).value

    def test_modifiers_are_cumulative(self):
        assert self.value(3, self.add, self.add) == 5

    def test_a_value_is_replaced_before_it_is_modified(self):
        assert self.value(2, self.add, self.halve, Modifier("set", 0, "battle-shock")) == 1

    def test_division_before_multiplication_before_addition_before_subtraction(self):
        less = Modifier("subtract", 2, "smoke")
        found = Characteristic(
            dice("D6"), CharacteristicRules("value"), (less, self.add, self.double, self.halve)
        )
        assert found.expression.distribution(exact=True) == dist("D6÷2×2+1-2")

    def test_example_1_a_doubled_characteristic_and_one_more(self):
        assert self.value(3, self.add, self.double) == 7

    def test_example_2a_a_halved_characteristic_and_one_more(self):
        assert self.value(2, self.add, self.halve) == 2

    def test_fractions_are_rounded_up_once_after_all_modifiers(self):
        assert dist("D{3}÷2×3").mean() == 5
        assert dist("ceil(D{3}÷2)×3").mean() == 6
        assert dist("D{5}÷2-1").mean() == 2
        assert dist("D{3}÷2+D{3}÷2").mean() == 3
        assert dist("ceil(D{3}÷2)+ceil(D{3}÷2)").mean() == 4


class TestDiceModifiersRerolls9e:
    def test_a_d3_is_a_halved_d6(self):
        assert dist("D3") == dist("D6÷2") == dist("ceil(D6÷2)")

    def test_modifiers_to_a_roll_round_up_at_the_end(self):
        assert dist("D6÷2+1").support == range(2, 5)

    def test_a_bonus_to_the_roll_is_a_better_target(self):
        assert dist("D6+1>=3") == dist("D6>=2")

    def test_a_modified_one_is_not_an_unmodified_one(self):
        assert dist("D6+1").pmf(1) == 0

    def test_rerolls_come_before_modifiers(self):
        # BS 3+ at -1: the 3 that misses in the end has not failed yet
        assert dist("reroll(D6, <3)-1").at_least(3) == Rational(2, 3)
        with pytest.raises(MathhammerError, match="re-rolls come before modifiers"):
            dice("reroll(D6-1, <3)")

    def test_no_die_is_rerolled_twice(self):
        with pytest.raises(MathhammerError, match="no die is re-rolled twice"):
            dice("reroll(reroll(D6, 1), 1)")
        with pytest.raises(MathhammerError, match="no die is re-rolled twice"):
            dice("reroll(2(reroll(D6, 1)), <7)")

    def test_a_random_move_is_rolled_once_for_all_and_attacks_for_each(self):
        assert dist("let move = 2D6 in move-move") == dist("0")
        assert dist("3(D6)") == dist("3D6")

    def test_different_random_damage_is_different_dice(self):
        assert dist("D3") != dist("D6")

    def test_two_d3_may_do_more_or_less_than_one_model_bears(self):
        assert dist("2D3").at_least(4) == Rational(2, 3)


class TestDice9thAge:
    def test_a_target_is_met_by_equal_or_higher(self):
        assert dist("D6").at_least(3) == Rational(2, 3)

    def test_several_dice_are_added(self):
        assert dist("3D6") == dist("D6+D6+D6")

    def test_numbers_are_added_subtracted_and_multiplied(self):
        assert dist("D6+1").support == range(2, 8)
        assert dist("D6-1").support == range(6)
        assert dist("D6×2").pmf(7) == 0
        assert dist("2D6").pmf(7) == Rational(1, 6)

    def test_a_natural_roll_is_the_value_before_modifiers(self):
        assert dist("let face = D6 in (face+2>=4)-(face>=2)") == dist("0")

    def test_dice_are_rerolled_once_and_the_second_result_stands(self):
        assert dist("reroll(D6, <4)").pmf(1) == Rational(1, 12)

    def test_a_reroll_is_no_modifier(self):
        assert dist("reroll(D6, 1)+1").support == range(2, 8)

    def test_a_d3_is_one_two_or_three(self):
        assert dist("D3") == dist("D{1, 2, 3}")

    def test_natural_one_and_six_of_a_d3_are_those_of_the_d6(self):
        joint = Die(3).faces_and_values()
        assert joint.marginal("face").pmf(1) == joint.marginal("face").pmf(6) == Rational(1, 6)
        assert joint.given(value=1).marginal("face").pmf(1) == Rational(1, 2)
        assert dist("reroll(D3, natural 1)").pmf(1) == Rational(1, 6) + Rational(1, 6) * Rational(1, 3)
        assert dist("reroll(D3, 1)").pmf(1) == Rational(1, 9)

    def test_maximised_adds_a_die_and_discards_the_lowest(self):
        assert dist("2D6[maximised]") == dist("highest(2 of 3D6)")

    def test_minimised_adds_a_die_and_discards_the_highest(self):
        assert dist("2D6[minimised]") == dist("lowest(2 of 3D6)")

    def test_maximised_is_cumulative(self):
        assert dist("2D6[maximised 2]") == dist("highest(2 of 4D6)")

    def test_both_cancel_or_are_taken_literally(self):
        assert dist("2D6[maximised, minimised]") == dist("2D6")
        assert dist("2D6[maximised, minimised, literal]") == dist("drop(1 lowest, 1 highest of 4D6)")

    def test_a_random_direction_is_uniform(self):
        direction = DirectionDie()
        assert direction.probability_of_arc(0, 90, exact=True) == Rational(1, 4)
        assert direction.probability_of_arc(350, 10, exact=True) == Rational(1, 18)
        assert direction.probability_of_arc(0, 360) == 1.0
        drawn = direction.sample(4000, rng=1)
        assert abs(np.mean(drawn < 90) - 0.25) < 0.03

    def test_a_d6_stands_in_for_the_direction_die(self):
        assert [DirectionDie.pointing_face(top) for top in range(1, 7)] == [5, 1, 1, 1, 1, 5]


class TestPlusMinusDiceTrenchCrusade:
    def test_plus_dice_keep_the_two_highest(self):
        assert dist("2D6[+1 DICE]") == dist("highest(2 of 3D6)")
        assert dist("2D6[+2 DICE]") == dist("highest(2 of 4D6)")

    def test_minus_dice_keep_the_two_lowest(self):
        assert dist("2D6[-1 DICE]") == dist("lowest(2 of 3D6)")
        assert dist("2D6[-2 DICE]") == dist("lowest(2 of 4D6)")

    def test_the_pilgrim_in_the_example_misses(self):
        assert dist("lowest(2 of D{5}, D{5}, D{1})").pmf(6) == 1

    def test_opposite_dice_cancel_in_pairs(self):
        assert dist("2D6[+2 DICE, -1 DICE]") == dist("2D6[+1 DICE]")
        assert dist("2D6[+1 DICE, -1 DICE]") == dist("2D6")

    def test_injury_dice_work_alike_and_apart(self):
        attack = dist("let hit = 2D6[-1 DICE] in (hit>=7)×2D6[+1 DICE]")
        assert attack.pmf(0) == Rational(49, 72)
        assert attack.at_least(9) == Rational(23, 72) * dist("2D6[+1 DICE]").at_least(9)
