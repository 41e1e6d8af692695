"""Random small weapons and targets, so small that every die can be walked, yet with every ability and re-roll.

What is left out because the rules leave nothing to compute: a weapon with TORRENT fired indirectly (it cannot be), and
two SUSTAINED HITS of equal average (either may be taken).
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from plain_dice import Dice, fixed
from referees.wh40k.profiles import Kind, Volley

D3 = Dice(1, 3)
D6 = Dice(1, 6)
UNIT_KEYWORDS = ("Infantry", "Vehicle", "Monster")

flags = st.booleans()
faces = st.frozensets(st.integers(1, 6))
modifiers = st.lists(st.sampled_from([-2, -1, 1, 2]), max_size=2).map(tuple)
rolls = st.one_of(st.none(), st.integers(2, 6))
hit_rerolls = st.one_of(st.sampled_from([None, "ones", "failed", "non-critical"]), faces)
save_rerolls = st.one_of(st.sampled_from([None, None, "ones", "failed"]), faces)
damage_rerolls = st.one_of(st.sampled_from([None, None, "ones"]), faces)
critical_faces = st.one_of(st.just(6), st.integers(2, 6))

strengths = st.one_of(
    st.integers(1, 13).map(fixed), st.sampled_from([D6, Dice(2, 6), Dice(1, 6, 6), Dice(1, 3, 2)])
)
damages = st.one_of(
    st.integers(1, 4).map(fixed),
    st.sampled_from([D3, Dice(1, 3, 1), D6, Dice(1, 6, 2), Dice(2, 3), Dice(2, 6)]),
)
extra_hits = st.sampled_from([(), (fixed(1),), (fixed(2),), (D3,), (fixed(1), D3), (fixed(2), fixed(1))])
anti = st.lists(st.tuples(st.sampled_from(UNIT_KEYWORDS), st.integers(2, 6)), max_size=2).map(tuple)
# Two or more volleys share the same budget of attacks.
ATTACKS = {
    1: [*map(fixed, (1, 2, 3, 4)), D3, D6, Dice(1, 3, 1), Dice(2, 3)],
    2: [*map(fixed, (1, 2, 3)), D3],
    3: [fixed(1), fixed(2)],
}


@st.composite
def volleys(draw: st.DrawFn, number: int = 1) -> Volley:
    torrent = draw(st.integers(0, 5)) == 0
    attacks, damage = draw(st.sampled_from(ATTACKS[number])), draw(damages)
    indirect_fire = draw(flags) and not torrent
    # What excludes each other is refused: half range and beyond it, standing still and charging.
    distance = draw(st.sampled_from(["half", "long", None]))
    movement = draw(st.sampled_from(["stationary", "charged", None]))
    return Volley(
        attacks=attacks,
        weapons=draw(st.integers(1, 2)) if number == 1 and not attacks.number else 1,
        skill=draw(st.one_of(st.none(), st.integers(2, 6)) if torrent else st.integers(2, 6)),
        strength=draw(strengths),
        ap=draw(st.integers(-4, 0)),
        damage=damage,
        melee=draw(st.integers(0, 3)) == 0,
        torrent=torrent,
        lethal_hits=draw(flags),
        sustained_hits=draw(extra_hits),
        devastating_wounds=draw(flags),
        anti=draw(anti),
        twin_linked=draw(flags),
        rapid_fire=draw(st.sampled_from([None, fixed(1), fixed(2), D3] if number == 1 else [None, fixed(1)])),
        blast=draw(st.integers(0, 1)),
        melta=draw(st.sampled_from([0, 2])),
        lance=draw(flags),
        heavy=draw(flags),
        indirect_fire=indirect_fire,
        ignores_cover=draw(st.integers(0, 3)) == 0,
        conversion=draw(flags),
        half_range=distance == "half",
        long_range=distance == "long",
        stationary=movement == "stationary",
        charged=movement == "charged",
        cover=draw(flags),
        indirect=indirect_fire and draw(flags),
        hit_modifier=draw(modifiers),
        wound_modifier=draw(modifiers),
        save_modifier=draw(modifiers),
        critical_hit=draw(critical_faces),
        critical_wound=draw(critical_faces),
        reroll_hits=draw(hit_rerolls),
        reroll_wounds=draw(hit_rerolls),
        # Re-rolls of several damage dice have a test of their own.
        reroll_damage=draw(damage_rerolls) if damage.number < 2 else None,
        reroll_saves=draw(save_rerolls),
    )


@st.composite
def targets(draw: st.DrawFn) -> Kind:
    return Kind(
        toughness=draw(st.integers(1, 12)),
        save=draw(st.one_of(st.none(), st.integers(2, 7))),
        wounds=draw(st.integers(1, 4)),
        models=draw(st.sampled_from([1, 2, 3, 5, 10])),
        invulnerable=draw(rolls),
        invulnerable_against=draw(st.sampled_from([None, "ranged", "melee"])),
        feel_no_pain=draw(rolls),
        feel_no_pain_mortal=draw(rolls),
        damage_reduction=draw(st.sampled_from([0, 0, 1, 2])),
        half_damage=draw(flags),
        keywords=draw(st.sampled_from([(), *((word,) for word in UNIT_KEYWORDS), UNIT_KEYWORDS])),
    )


def attacking_units(number: int) -> st.SearchStrategy[tuple[Volley, ...]]:
    """So many volleys of one unit, one after another."""
    return st.tuples(*[volleys(number)] * number)


@st.composite
def large_volleys(draw: st.DrawFn) -> Volley:
    """Too many dice to enumerate: for distributions that compare the package with itself."""
    volley = draw(volleys(1))
    return replace(volley, weapons=draw(st.integers(1, 12)))
