"""Random rounds of combat of The 9th Age: mass, both arithmetics, symmetry, and what helps a side."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer import t9a

PROBABILITIES = [
    f"probability_{side}_{what}" for side in ("first", "second") for what in ("wins", "breaks", "destroyed")
]


@st.composite
def units(draw: st.DrawFn, name: str) -> t9a.Unit:
    models = draw(st.integers(1, 8))
    champion = draw(st.sampled_from([None, 2]))
    lord = t9a.Target("Lord", health_points=2, resilience=4, defensive_skill=5, aegis="5+")
    characters = draw(st.sampled_from([(), (lord,)]))
    body = t9a.Target(
        name,
        models=models,
        health_points=draw(st.integers(1, 2)),
        resilience=3,
        defensive_skill=draw(st.integers(2, 5)),
        armour=draw(st.integers(0, 4)),
        champion=champion,
    )
    parts = [
        t9a.ModelPart(
            "front",
            attacks=draw(st.integers(1, 2)),
            models=draw(st.integers(1, models)),
            offensive_skill=draw(st.integers(2, 5)),
            strength=draw(st.integers(2, 5)),
            agility=draw(st.integers(2, 4)),
        ),
        t9a.stomp_attacks("D3", strength=draw(st.integers(2, 5))),
    ]
    if characters:
        parts.append(t9a.ModelPart("Lord", attacks=2, offensive_skill=6, strength=5, agility=4, of="Lord"))
    return t9a.Unit(
        body,
        parts,
        characters=characters,
        discipline=draw(st.integers(5, 9)),
        rank_width=draw(st.sampled_from([None, 2, 3])),
        standards=draw(st.integers(0, 2)),
        charging=draw(st.booleans()),
        unstable=draw(st.booleans()),
        undead=draw(st.booleans()),
        reroll=draw(st.booleans()),
    )


@settings(max_examples=60)
@given(units("first"), units("second"), st.sampled_from(["2e", "3e"]))
def test_mass_and_symmetry(first: t9a.Unit, second: t9a.Unit, edition: str) -> None:
    """All mass is there; the sides are interchangeable."""
    exact: Any = t9a.fight(first, second, edition=edition, exact=True)
    mirrored: Any = t9a.fight(second, first, edition=edition, exact=True)
    assert exact.losses.total() == 1
    assert exact.broken.total() == 1
    for lost, probability in exact.losses.items():
        assert mirrored.losses.pmf(lost[::-1]) == probability
    for name in PROBABILITIES:
        found = getattr(exact, name)
        swapped = name.replace("first", "x").replace("second", "first").replace("x", "second")
        assert getattr(mirrored, swapped) == found


@settings(max_examples=15)
@given(units("first"), units("second"))
def test_what_helps_a_side(first: t9a.Unit, second: t9a.Unit) -> None:
    """A bonus of Combat Score never lowers the chance to win."""
    plain = t9a.fight(first, second, exact=True)
    object.__setattr__(first, "bonus", 2)
    helped = t9a.fight(first, second, exact=True)
    assert helped.difference.dominates(plain.difference)
    assert helped.probability_first_wins >= plain.probability_first_wins
