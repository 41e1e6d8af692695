"""Characteristics under modifiers: every worked example and Q&A of two pages, and invariants of all of them.

The pages are Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling" (9th), and the
Warhammer 40,000 10th edition Rules Commentary, "Modifiers".
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from mathhammer import dice
from mathhammer.characteristics import CUMULATIVE, Characteristic, CharacteristicRules
from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier, Order, clamped_total, modified
from mathhammer.systems.wh40k import EDITIONS

NINE, TEN = (EDITIONS[name].characteristics for name in ("9e", "10e"))
#: What later editions and other games say, as data.
ELEVENTH = Order.of("set", "multiply", "add", "divide", "subtract")
ELEVENTH = replace(ELEVENTH, final=frozenset({0}))
NINTH_AGE = Order((("set",), ("multiply", "divide"), ("add", "subtract"), ("treat",)), lowest=True)

DOUBLE = Modifier("multiply", 2, "a rule that doubles")
HALVE = Modifier("divide", 2, "a rule that halves")
PLUS = Modifier("add", 1, "a rule that adds")
MINUS = Modifier("subtract", 1, "a rule that subtracts")
MINUS_1 = frozenset({-1})
DOCTRINE = Modifier("improve", 1, "a Doctrine")
BUCKLER = Modifier("set", 0, "Tarsus Buckler", when=MINUS_1)
COUNTERMEASURES = Modifier("treat", 0, "Reactive Countermeasures", when=frozenset({-1, -2}))
DOUR_DUTY = Modifier("worsen", 1, "Dour Duty")
BASTION = Modifier("treat", 0, "Bastion", when=MINUS_1)
STOIC = Modifier("set", 0, "Stoic Endurance", when=MINUS_1)
STOICABILITY = Modifier("treat", 0, "Tale of the Stoic", when=frozenset({-2}))


def working(printed: int, rules: CharacteristicRules, *modifiers: Modifier) -> tuple[object, str]:
    characteristic = Characteristic(printed, rules, modifiers)
    return characteristic.value, str(characteristic.explain())


# ---------------------------------------------------------------- 10th edition Rules Commentary, "Modifiers"


def test_example_1() -> None:
    assert working(3, TEN["attacks"], PLUS, DOUBLE) == (7, "3 ×2 = 6, +1 = 7")
    assert working(3, NINE["attacks"], DOUBLE, PLUS) == (7, "3 ×2 = 6, +1 = 7")
    assert working(3, replace(TEN["attacks"], order=ELEVENTH), DOUBLE, PLUS)[0] == 7


def test_example_2a() -> None:
    oc = TEN["objective_control"]
    assert working(2, oc, PLUS, HALVE) == (2, "2 ÷2 = 1, +1 = 2")
    assert working(2, replace(oc, order=ELEVENTH), PLUS, HALVE)[0] == 2


def test_example_2b() -> None:
    oc, shock = TEN["objective_control"], Modifier("set", 0, "Battle-shock")
    assert working(2, oc, PLUS, HALVE, shock) == (1, "2 → 0, ÷2 = 0, +1 = 1")
    assert working(2, replace(oc, order=ELEVENTH), PLUS, HALVE, shock) == (0, "2 → 0")


@pytest.mark.parametrize(
    ("modifiers", "value", "text"),
    [
        ((HALVE,), 3, "5 ÷2 = 5/2, rounded up = 3"),
        ((HALVE, DOUBLE), 5, "5 ÷2 = 5/2, ×2 = 5"),
        ((HALVE, PLUS), 4, "5 ÷2 = 5/2, +1 = 7/2, rounded up = 4"),
        ((HALVE, MINUS), 2, "5 ÷2 = 5/2, -1 = 3/2, rounded up = 2"),
    ],
)
def test_fractions_are_rounded_up_once_after_all_modifiers(
    modifiers: tuple[Modifier, ...], value: int, text: str
) -> None:
    assert working(5, TEN["attacks"], *modifiers) == (value, text)


def test_floors_of_the_ninth_edition() -> None:
    for name in ("strength", "toughness", "attacks", "leadership"):
        value, text = working(1, NINE[name], MINUS)
        assert (value, text) == (1, "1 -1 = 0, never below 1")


def test_equipment_joins_the_same_pass() -> None:
    hammer, drug = Modifier("multiply", 2, "a hammer of Strength ×2"), Modifier("add", 1, "a drug")
    assert working(4, NINE["strength"], drug, hammer) == (9, "4 ×2 = 8, +1 = 9")
    sword, weakness = Modifier("add", 1, "a sword of Strength +1"), Modifier("divide", 2, "weakness")
    assert working(4, NINE["strength"], sword, weakness)[0] == 3


def test_a_printed_bonus_is_no_modifier() -> None:
    rules = TEN["damage"]
    melta = Modifier("add", 2, "Melta 2")
    printed = Characteristic(dice("D6+2"), rules, (HALVE,)).expression.distribution(exact=True)
    added = Characteristic(dice("D6"), rules, (HALVE, melta)).expression.distribution(exact=True)
    assert [printed.pmf(k) for k in (2, 3, 4)] == [Rational(1, 3)] * 3
    assert [added.pmf(k) for k in (3, 4, 5)] == [Rational(1, 3)] * 3
    less = Characteristic(dice("D6"), rules, (HALVE, melta, MINUS))
    assert less.expression.distribution(exact=True).mean() == 3
    assert str(less.explain()) == "D6 ÷2, +2, -1"


def test_damage_set_to_0_and_1() -> None:
    melta = Modifier("add", 2, "Melta 2")
    to_0, to_1 = Modifier("set", 0, "a relic"), Modifier("set", 1, "a relic")
    assert working(6, TEN["damage"], melta, to_0)[0] == 2
    assert working(6, TEN["damage"], melta, to_1)[0] == 3
    assert working(6, replace(TEN["damage"], order=ELEVENTH), melta, to_0)[0] == 0
    assert working(6, TEN["damage"], MINUS, to_0)[0] == 0
    assert working(1, TEN["damage"], MINUS)[0] == 1


def test_tarsus_buckler_with_a_doctrine() -> None:
    """It sets, so it acts first, and the Doctrine improves what it set."""
    assert working(-1, NINE["ap"], DOCTRINE, BUCKLER) == (-1, "-1 → 0, improved by 1 = -1")


def test_reactive_countermeasures_with_a_doctrine() -> None:
    """It treats, so it reads the improved value."""
    assert working(-1, NINE["ap"], DOCTRINE, COUNTERMEASURES) == (0, "-1, improved by 1 = -2, treated as 0")
    assert working(-2, NINE["ap"], DOCTRINE, COUNTERMEASURES)[0] == -3
    by_print = replace(COUNTERMEASURES, unmodified=True)
    assert working(-2, NINE["ap"], DOCTRINE, by_print)[0] == 0


def test_stoic_endurance_has_two_halves() -> None:
    ap = NINE["ap"]
    both = (STOIC, STOICABILITY)
    assert [working(printed, ap, *both)[0] for printed in (-1, -2, -3)] == [0, 0, -3]
    # With a Doctrine the first half is undone, and the second one reads what the Doctrine made.
    assert [working(printed, ap, DOCTRINE, *both)[0] for printed in (0, -1, -2)] == [-1, -1, -3]
    assert working(-2, ap, DOUR_DUTY, STOICABILITY)[0] == -1


def test_dour_duty_with_bastion() -> None:
    """Faith & Fury FAQ: AP-2 is worsened to AP-1, which is treated as AP 0."""
    assert working(-2, NINE["ap"], BASTION, DOUR_DUTY) == (0, "-2, worsened by 1 = -1, treated as 0")


def test_etherium_and_the_voided_faq() -> None:
    """Etherium treats the skill as 6+, and modifiers of the hit roll act after it; nothing makes it act first."""
    etherium = Modifier("treat", 6, "Etherium")
    drug = Modifier("improve", 1, "a drug")
    assert working(3, NINE["skill"], etherium, drug)[0] == 6
    first = Modifier("set", 6, "Etherium as the old FAQ had it")
    assert working(3, NINE["skill"], first, drug)[0] == 5


def test_worsening_ap_0() -> None:
    assert working(0, NINE["ap"], DOUR_DUTY)[0] == 0
    assert working(0, TEN["ap"], DOUR_DUTY)[0] == 0
    assert working(-1, NINE["ap"], Modifier("worsen", 2, "smoke"))[0] == 0


def test_re_rolls_of_a_d3_read_the_halved_value() -> None:
    distribution = dice("reroll(D3, 1)").distribution(exact=True)
    assert [distribution.pmf(k) for k in (1, 2, 3)] == [Rational(1, 9), Rational(4, 9), Rational(4, 9)]


# ---------------------------------------------------------------- other orders and limits as data


def test_skills_and_saves_are_never_1_or_better() -> None:
    better = Modifier("improve", 2, "an oath")
    assert [working(3, TEN[name], better)[0] for name in ("skill", "save", "invulnerable")] == [2, 2, 2]
    assert working(6, TEN["leadership"], better)[0] == 5
    assert working(8, TEN["leadership"], Modifier("worsen", 1, "dread"))[0] == 8


def test_the_ninth_age_takes_the_lowest_result_within_a_step() -> None:
    sets = [Modifier("set", 5, "one"), Modifier("set", 3, "another")]
    for given_order in permutations([*sets, DOUBLE, MINUS]):
        assert modified(4, given_order, NINTH_AGE) == 5
    assert modified(4, [Modifier("treat", 2, "always 2"), PLUS], NINTH_AGE) == 2


def test_of_two_rules_that_set_the_active_player_puts_one_last() -> None:
    sets = [Modifier("set", 5, "one"), Modifier("set", 3, "another")]
    assert (modified(4, sets, CUMULATIVE), modified(4, sets[::-1], CUMULATIVE)) == (3, 5)


def test_sources_are_shown() -> None:
    shown = Characteristic(3, TEN["attacks"], (PLUS, DOUBLE)).explain().sources
    assert shown == ("×2 (a rule that doubles)", "+1 (a rule that adds)")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Characteristic("seven", TEN["attacks"]),
        lambda: Characteristic(2.5, TEN["attacks"]),
        lambda: Modifier("improve", -1, "x"),
        lambda: Modifier("divide", 0, "x"),
        lambda: Modifier("set", 1, "x", unmodified=False),
        lambda: clamped_total([DOUBLE], -1, 1),
    ],
)
def test_what_is_refused(wrong: object) -> None:
    with pytest.raises(MathhammerError, match="expected"):
        wrong()  # type: ignore[operator]


# ---------------------------------------------------------------- distributions

plain = st.builds(
    Modifier,
    st.sampled_from(["divide", "multiply", "add", "subtract"]),
    st.integers(1, 4),
    st.just("a rule"),
)
setting = st.builds(Modifier, st.just("set"), st.integers(-3, 6), st.just("a rule"))
changing = st.lists(plain, max_size=4)


@given(st.integers(-5, 12), changing, st.permutations(range(5)), st.one_of(st.none(), setting))
def test_order_of_arrival_never_matters(
    value: int, modifiers: list[Modifier], places: list[int], one_set: Modifier | None
) -> None:
    given_all = [*modifiers, *([one_set] if one_set else [])]
    shuffled = [given_all[place] for place in places if place < len(given_all)]
    assert modified(value, given_all, CUMULATIVE) == modified(value, shuffled, CUMULATIVE)


@given(st.integers(-5, 12), changing)
def test_the_value_is_that_of_one_formula(value: int, modifiers: list[Modifier]) -> None:
    exact = Fraction(value)
    for operation in ("divide", "multiply", "add", "subtract"):
        for m in modifiers:
            if m.operation == operation:
                exact = {
                    "divide": exact / m.value,
                    "multiply": exact * m.value,
                    "add": exact + m.value,
                    "subtract": exact - m.value,
                }[operation]
    assert modified(value, modifiers, CUMULATIVE) == ceil(exact)


@given(st.lists(st.integers(-3, 3), max_size=5))
def test_the_clamp_acts_on_the_sum(numbers: list[int]) -> None:
    modifiers = [Modifier("add", number, "a rule") for number in numbers]
    assert clamped_total(modifiers, -1, 1) == max(-1, min(1, sum(numbers)))


def test_the_clamp_is_not_of_each_source() -> None:
    assert clamped_total([MINUS, MINUS, PLUS], -1, 1) == -1
    assert clamped_total([PLUS, PLUS, MINUS], -1, 1) == 1


@given(st.integers(-4, 0), st.integers(1, 3))
def test_setting_then_modifying_is_not_modifying_then_setting(printed: int, by: int) -> None:
    """Goonhammer, "Ruleshammer": a rule that sets comes before what improves; one that treats comes after."""
    improve = Modifier("improve", by, "a Doctrine")
    sets, treats = Modifier("set", 0, "set"), Modifier("treat", 0, "treat")
    assert NINE["ap"].modified(printed, [improve, sets]) == -by
    assert NINE["ap"].modified(printed, [improve, treats]) == 0
