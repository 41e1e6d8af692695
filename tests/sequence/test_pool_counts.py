"""Pools of the 11th edition: one count of all wounds, and a count of each kind, say the same."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer import wh40k
from mathhammer.sequence.pool_resolution import PoolResolution

KEYWORDS = ("DEVASTATING WOUNDS", "PRECISION", "LETHAL HITS", "SUSTAINED HITS 1", "SUSTAINED HITS D3")


@st.composite
def units(draw: st.DrawFn) -> wh40k.TargetUnit:
    """One or two kinds of models that may save differently, with up to two leaders."""

    def kind(name: str, models: int, *words: str) -> wh40k.Target:
        return wh40k.Target(
            name,
            toughness=draw(st.integers(3, 5)),
            save=draw(st.sampled_from(["2+", "3+", "4+", "6+", None])),
            invulnerable=draw(st.sampled_from([None, None, "4+", "5+"])),
            wounds=draw(st.integers(1, 3)),
            models=models,
            feel_no_pain=draw(st.sampled_from([None, None, "5+"])),
            feel_no_pain_mortal=draw(st.sampled_from([None, "4+"])),
            keywords=words,
        )

    kinds = [kind(f"kind {place}", draw(st.integers(1, 3))) for place in range(draw(st.integers(1, 2)))]
    leaders = [kind(f"leader {place}", 1, "Character") for place in range(draw(st.integers(0, 2)))]
    return wh40k.TargetUnit("unit", kinds, leaders)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    units(),
    st.sampled_from(["1", "3", "6", "D3", "D6+1"]),
    st.sets(st.sampled_from(KEYWORDS), min_size=1).filter(lambda words: len(words & set(KEYWORDS[3:])) < 2),
    st.integers(0, 3),
    st.sampled_from(["1", "2", "D3"]),
)
def test_one_count_of_all_wounds(
    unit: wh40k.TargetUnit, attacks: str, words: set[str], penetration: int, damage: str
) -> None:
    line = f'Gun: 24" A{attacks} BS3+ S4 AP-{penetration} D{damage} [{", ".join(sorted(words))}]'
    weapon = wh40k.Weapon.parse(line)
    for exact in (True, False):
        found = wh40k.attack(weapon, unit, edition="11e", exact=exact)
        with mock.patch.object(PoolResolution, "_shares", return_value=None):
            expected = wh40k.attack(weapon, unit, edition="11e", exact=exact)
        if exact:
            assert found.state == expected.state
            continue
        assert {state for state, _ in found.state.items()} == {state for state, _ in expected.state.items()}
        for state, chance in expected.state.items():
            assert found.state.pmf(state) == pytest.approx(chance, rel=1e-12, abs=0)
