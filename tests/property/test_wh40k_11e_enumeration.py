"""Pools of the 11th edition, compared exactly with the enumeration of every die (see `referees.wh40k.pools`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import translation as package
from checking import part
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed
from referees.wh40k import pools as plain
from referees.wh40k.groups import merged
from referees.wh40k.profiles import Kind, Rules, Unit, Volley
from translation import points

if TYPE_CHECKING:
    from plain_dice import Pmf

flags = st.booleans()
seldom = st.integers(0, 3).map(lambda drawn: drawn == 0)
saves = st.one_of(st.none(), st.integers(2, 7))
rolls = st.one_of(st.none(), st.none(), st.integers(2, 6))
modifiers = st.lists(st.sampled_from([-2, -1, 1, 2]), max_size=2).map(tuple)
rerolls = st.one_of(
    st.sampled_from([None, None, "ones", "failed", "non-critical"]), st.frozensets(st.integers(1, 6))
)
criticals = st.sampled_from([6, 6, 6, 5, 4, 2])
DAMAGES = [fixed(1), fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 3, 1), Dice(1, 6)]
STRENGTHS = [*map(fixed, range(3, 11)), Dice(1, 6), Dice(1, 3, 2)]
WORDS = ("Infantry", "Vehicle")


@st.composite
def kinds(draw: st.DrawFn, *, models: int = 2, wounds: int = 3, **more: Any) -> Kind:
    most = draw(st.integers(1, wounds))
    return Kind(
        wounds=most,
        save=draw(saves),
        invulnerable=draw(rolls),
        toughness=draw(st.integers(3, 6)),
        models=draw(st.integers(1, models)),
        feel_no_pain=draw(rolls) if draw(seldom) else None,
        feel_no_pain_mortal=draw(rolls) if draw(seldom) else None,
        damage_reduction=draw(st.sampled_from([0, 0, 0, 1])),
        half_damage=draw(seldom),
        lost=draw(st.integers(0, most - 1)),
        keywords=draw(st.sampled_from([(), *((word,) for word in WORDS)])),
        **more,
    )


@st.composite
def units(draw: st.DrawFn) -> Unit:
    """A unit of one or two kinds, half of the time with a leader and sometimes with a second one."""
    first = draw(kinds())
    guards = [first]
    if draw(flags):
        second = draw(kinds())
        # Now and then a kind that goes into the group of the first, with a Toughness and rules of its own.
        same = replace(second, wounds=first.wounds, save=first.save, invulnerable=first.invulnerable, lost=0)
        guards.append(same if draw(flags) else second)
    leaders = draw(st.sampled_from([0, 0, 1, 1, 2]))
    heroes = [draw(kinds(models=1, character=True, leader=True)) for _ in range(leaders)]
    if heroes and draw(seldom):
        heroes.append(draw(kinds(models=2, leader=True)))  # attendants of a leader
    return (*guards, *heroes)


@st.composite
def shooting(draw: st.DrawFn, unit: Unit, budget: int) -> Volley:
    """Weapons with so few attacks that every die can be walked, and whatever is true of them."""
    heroes = [place for place, kind in enumerate(unit) if kind.character]
    torrent, melee = draw(seldom), draw(seldom)
    indirect = None if torrent or melee else draw(st.sampled_from([None, None, None, "blind", "spotted"]))
    snap = not melee and indirect is None and draw(seldom)
    stationary = draw(flags) and not snap
    melta, lance = draw(st.sampled_from([0, 0, 2])), draw(flags) and not stationary
    half_range = bool(melta) or draw(seldom)
    devastating = draw(flags)
    aimed = (draw(st.sampled_from(heroes)),) if heroes and not torrent else ()
    how = draw(st.sampled_from(["always", "critical", "never"]))
    # Extra hits are more dice: as many attacks fewer.
    sustained = draw(st.sampled_from([(), (), (fixed(1),), (Dice(1, 3),)]))
    most = budget if not sustained else 1 if sustained[0].number else 2
    heavy = stationary and indirect != "blind"
    conversion = indirect is None and not half_range and draw(seldom)
    charged = lance and indirect != "spotted"
    return Volley(
        attacks=Dice(1, 3) if most > 2 and draw(seldom) else fixed(draw(st.integers(1, most))),
        skill=draw(st.integers(2, 6)),
        strength=draw(st.sampled_from(STRENGTHS)),
        ap=-draw(st.integers(0, 4)),
        damage=draw(st.sampled_from(DAMAGES)),
        melee=melee,
        torrent=torrent,
        lethal_hits=draw(flags),
        sustained_hits=sustained,
        devastating_wounds=devastating,
        twin_linked=draw(flags),
        anti=draw(st.lists(st.tuples(st.sampled_from(WORDS), st.integers(2, 6)), max_size=2).map(tuple)),
        psychic=draw(seldom),
        melta=melta,
        half_range=half_range,
        ignores_cover=draw(seldom),
        conversion=conversion,
        long_range=conversion,
        heavy=heavy,
        stationary=heavy or indirect == "spotted",
        lance=charged,
        charged=charged,
        cover=not melee and draw(flags),
        plunging_fire=not melee and draw(seldom),
        overwatch=snap,
        indirect_fire=indirect is not None,
        indirect=indirect is not None,
        spotted=indirect == "spotted",
        hit_modifier=draw(modifiers),
        wound_modifier=draw(modifiers),
        save_modifier=draw(modifiers),
        critical_hit=draw(criticals),
        critical_wound=draw(criticals),
        reroll_hits=draw(rerolls),
        reroll_wounds=draw(rerolls),
        precision=aimed if how == "always" else (),
        precision_on_critical_hits=aimed if how == "critical" else (),
        ap_on_critical_wounds=0 if devastating else draw(st.sampled_from([0, 0, 0, 2])),
    )


RULES = st.builds(
    Rules,
    edition=st.just("11e"),
    lethal=st.sampled_from(["always", "never"]),
    split=st.sampled_from(["special-first", "special-last"]),
    precision_first=flags,
    critical_must_hit=flags,
    snap_criticals=flags,
    snap_torrent=flags,
    low_critical_indirect=flags,
    reduces_devastating=flags,
    extra_hits_share=flags,
    second=flags,
)
Battle = tuple[tuple[Volley, ...], Unit, Rules]


@st.composite
def battles(draw: st.DrawFn, pools: int, budget: int) -> Battle:
    unit = draw(units())
    return tuple(draw(shooting(unit, budget)) for _ in range(pools)), unit, draw(RULES)


def lost(unit: Unit, distribution: Pmf) -> Fraction:
    return sum(
        (part_of * chance for part_of, chance in part(distribution, unit, "wounds_lost").items()), Fraction(0)
    )


@settings(max_examples=70)
@given(
    battle=battles(1, 3),
    armour=st.sampled_from([None, None, frozenset({1}), frozenset({1, 2, 3})]),
    attached=st.booleans(),
)
def test_one_pool(battle: Battle, armour: frozenset[int] | None, *, attached: bool) -> None:
    """11th edition core rules, 05: hits, wounds, sorted saves through groups, damage, mortal wounds."""
    (pool,), unit, rules = battle
    pool = replace(pool, reroll_saves=armour)
    if not attached:  # Characters that are part of the unit, whose Toughness counts
        unit = tuple(replace(kind, leader=False) for kind in unit)
    expected = merged(unit, plain.play((pool,), unit, rules=rules))
    assert package.states((pool,), unit, rules) == expected


@settings(max_examples=50)
@given(battle=battles(2, 2))
def test_two_pools(battle: Battle) -> None:
    """11th edition core rules, 04.02: the second pool finds groups, Toughness and keywords as they are then."""
    pools, unit, rules = battle
    assert package.states(pools, unit, rules) == merged(unit, plain.play(pools, unit, rules=rules))


@settings(max_examples=30)
@given(battle=battles(2, 2))
def test_two_units_one_after_another(battle: Battle) -> None:
    """11th edition core rules, 04.01: a second unit selects its targets as the first has left them."""
    (one, two), unit, rules = battle
    distribution: Pmf = {}
    for state, chance in plain.play((one,), unit, rules=rules).items():
        for after, more in plain.play((two,), unit, rules=rules, start=state).items():
            distribution[after] = distribution.get(after, Fraction(0)) + chance * more
    first = package.attack((one,), unit, rules)
    assert points(package.attack((two,), unit, rules, start=first).state) == merged(unit, distribution)


@settings(max_examples=40)
@given(battle=battles(1, 2), save=saves)
def test_lethal_hits_are_used_where_they_pay(battle: Battle, save: int | None) -> None:
    """11th edition core rules, 24.23: no choice of the critical hits that wound without a roll hurts more."""
    pools, _, rules = battle
    # One wound a model, so that an attack is worth what it does alone, whatever the others do.
    pools = tuple(
        replace(pool, lethal_hits=True, damage=fixed(1), melta=0, precision=(), precision_on_critical_hits=())
        for pool in pools
    )
    unit, rules = (Kind(save=save, toughness=5, models=8),), replace(rules, lethal="best")
    best = lost(unit, merged(unit, plain.best_play(pools, unit, rules)))
    assert lost(unit, package.states(pools, unit, rules)) == best
