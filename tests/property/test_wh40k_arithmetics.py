"""Invariants for attacks too large to enumerate: no probability is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import strategies
import translation
from checking import NAMES
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from referees.wh40k.profiles import Kind, Volley

large_units = st.lists(strategies.large_volleys(), min_size=1, max_size=2).map(tuple)


@settings(max_examples=30)
@given(volleys=large_units, target=strategies.targets())
def test_mass_sums_to_1_and_floats_are_rounded_once(volleys: tuple[Volley, ...], target: Kind) -> None:
    """Arithmetic: whole numbers alone, and a float is the one next to the exact number."""
    exact = translation.distributions(volleys, target, exact=True)
    floats = translation.distributions(volleys, target, exact=False)
    for name in NAMES:
        assert sum(exact[name].values()) == 1
        assert {k: p for k, p in floats[name].items() if p} == {
            k: float(p) for k, p in exact[name].items() if float(p)
        }


@settings(max_examples=40)
@given(volleys=st.tuples(strategies.volleys(2), strategies.volleys(2)), target=strategies.targets())
def test_another_volley_never_gives_a_wound_back(volleys: tuple[Volley, ...], target: Kind) -> None:
    """Core rules, Inflict Damage: lost wounds do not come back, so more volleys lose at least as many, point by point.

    Without devastating wounds: these wait, and what is shot before them can change which model wastes them.
    """
    first, more = (replace(volley, devastating_wounds=False) for volley in volleys)
    alone = translation.distributions((first,), target, exact=True)["wounds_lost"]
    both = translation.distributions((first, more), target, exact=True)["wounds_lost"]
    for number in range(max(both) + 1):
        at_most = [
            sum(p for lost, p in distribution.items() if lost <= number) for distribution in (both, alone)
        ]
        assert at_most[0] <= at_most[1]
