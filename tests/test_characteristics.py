"""Characteristics under modifiers: invariants; worked examples stand in `facts/characteristics.txt`."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from mathhammer.modifiers import CharacteristicRules, Modifier, clamped_total
from mathhammer.systems.wh40k import EDITIONS

plain = st.builds(
    Modifier,
    st.sampled_from(["divide", "multiply", "add", "subtract"]),
    st.integers(1, 4),
    st.just("a rule"),
)
setting = st.builds(Modifier, st.just("set"), st.integers(-3, 6), st.just("a rule"))
changing = st.lists(plain, max_size=4)
RULES = CharacteristicRules("value")


@given(st.integers(-5, 12), changing, st.permutations(range(5)), st.one_of(st.none(), setting))
def test_order_of_arrival_never_matters(
    value: int, modifiers: list[Modifier], places: list[int], one_set: Modifier | None
) -> None:
    given_all = [*modifiers, *([one_set] if one_set else [])]
    shuffled = [given_all[place] for place in places if place < len(given_all)]
    assert RULES.modified(value, given_all) == RULES.modified(value, shuffled)


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
    assert RULES.modified(value, modifiers) == ceil(exact)


@given(st.lists(st.integers(-3, 3), max_size=5))
def test_the_clamp_acts_on_the_sum(numbers: list[int]) -> None:
    modifiers = [Modifier("add", number, "a rule") for number in numbers]
    assert clamped_total(modifiers, -1, 1) == max(-1, min(1, sum(numbers)))


@given(st.integers(-4, 0), st.integers(1, 3))
def test_setting_then_modifying_is_not_modifying_then_setting(printed: int, by: int) -> None:
    """Goonhammer, "Ruleshammer": a rule that sets comes before what improves; one that treats comes after."""
    improve = Modifier("improve", by, "a Doctrine")
    sets, treats = Modifier("set", 0, "set"), Modifier("treat", 0, "treat")
    assert EDITIONS["9e"].characteristics["ap"].modified(printed, [improve, sets]) == -by
    assert EDITIONS["9e"].characteristics["ap"].modified(printed, [improve, treats]) == 0
