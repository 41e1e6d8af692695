"""The 9th edition of `wh40k.attack`, compared exactly with the enumeration of every die (see `referees.wh40k`)."""

from __future__ import annotations

import translation
from checking import disagreements
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed
from referees.wh40k import sequence
from referees.wh40k.profiles import NINTH, Kind, Rule, Unit, Volley
from translation import points

flags = st.booleans()
modifiers = st.lists(st.sampled_from([-2, -1, 1, 2]), max_size=2).map(tuple)
rerolls = st.one_of(
    st.sampled_from([None, "ones", "failed", "failed-unmodified"]), st.frozensets(st.integers(1, 6))
)
rolls = st.one_of(st.none(), st.integers(2, 6))
mortal = st.sampled_from([None, fixed(1), Dice(1, 3)])


@st.composite
def triggers(draw: st.DrawFn) -> Rule:
    low = draw(st.integers(2, 6))
    said = {
        "low": low,
        "high": draw(st.sampled_from([None, low])),
        "on": draw(st.sampled_from(["unmodified", "modified"])),
    }
    effect = draw(st.sampled_from(["hits", "attacks", "wounds", "hit AP", "AP", "mortal", "hit mortal"]))
    more = draw(st.sampled_from([fixed(1), fixed(2), Dice(1, 3)]))
    if effect == "hits":
        return Rule("hit", **said, extra_hits=more)
    if effect == "attacks":
        return Rule("hit", **said, extra_attacks=fixed(1))
    if effect == "wounds":
        return Rule("hit", **said, wounds=True)
    if effect in {"AP", "hit AP"}:
        return Rule("wound" if effect == "AP" else "hit", **said, improve_ap=draw(st.integers(1, 3)))
    roll = "wound" if effect == "mortal" else "hit"
    return Rule(roll, **said, mortal_wounds=more, instead=draw(flags))


@st.composite
def attacks(draw: st.DrawFn, number: int) -> Volley:
    return Volley(
        attacks=draw(st.sampled_from([fixed(1), fixed(2), Dice(1, 3)] if number == 1 else [fixed(1)])),
        skill=draw(st.integers(2, 6)),
        strength=fixed(draw(st.integers(1, 9))),
        ap=draw(st.integers(-4, 0)),
        damage=draw(st.sampled_from([fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 6)])),
        weapons=draw(st.integers(1, 2)) if number == 1 else 1,
        melee=draw(flags),
        torrent=draw(st.integers(0, 5)) == 0,
        rapid_fire=draw(st.sampled_from([None, fixed(1)])),
        heavy=draw(flags),
        assault=draw(flags),
        blast=draw(st.integers(0, 1)),
        ignores_cover=draw(st.integers(0, 3)) == 0,
        half_range=draw(flags),
        moved=draw(flags),
        advanced=draw(flags),
        target_charged=draw(flags),
        terrain=draw(st.frozensets(st.sampled_from(["light", "heavy", "dense"]))),
        hit_modifier=draw(modifiers),
        wound_modifier=draw(modifiers),
        save_modifier=draw(modifiers),
        reroll_hits=draw(rerolls),
        reroll_wounds=draw(rerolls),
        rules=tuple(draw(st.lists(triggers(), max_size=2))),
    )


units = st.tuples(
    st.builds(
        Kind,
        toughness=st.integers(1, 9),
        save=st.one_of(st.none(), st.integers(2, 7)),
        wounds=st.integers(1, 3),
        models=st.sampled_from([1, 2, 5, 6, 11]),
        invulnerable=rolls,
        feel_no_pain=rolls,
        feel_no_pain_mortal=rolls,
    )
)


def assert_equal(plain: tuple[Volley, ...], unit: Unit) -> None:
    found = translation.attack(plain, unit, NINTH)
    for name in ("hits", "wounds", "unsaved", "mortal_wounds"):
        if hasattr(found, name):
            assert points(getattr(found, name)) == sequence.counted(plain, unit, name, NINTH), name
    state = sequence.states(plain, unit, NINTH)
    assert points(found.state) == state
    assert not disagreements(points(translation.attack(plain, unit, NINTH, exact=False).state), state)


@settings(max_examples=100)
@given(plain=st.tuples(attacks(1)), unit=units)
def test_one_weapon(plain: tuple[Volley, ...], unit: Unit) -> None:
    """9th edition core rules, Making Attacks: any weapon with any triggers, in any situation."""
    assert_equal(plain, unit)


@settings(max_examples=80)
@given(plain=st.tuples(attacks(2), attacks(2)), unit=units)
def test_two_weapons(plain: tuple[Volley, ...], unit: Unit) -> None:
    """9th edition core rules, Mortal Wounds: those of both weapons after all normal damage."""
    assert_equal(plain, unit)
