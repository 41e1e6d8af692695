"""Mortal wounds beside attacks, rules on particular rolls and Damage changed to 0, compared with every die.

The other side is `referees.wh40k`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from checking import disagreements
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, then
from referees.wh40k import models, sequence
from referees.wh40k.profiles import NINTH, TENTH, Kind, MortalWounds, Rule, Rules, Unit, Volley
from tenth import wh40k
from translation import attack, entry, plain_number, points, rulings, target, target_unit, values

if TYPE_CHECKING:
    from plain_dice import Pmf
    from referees.wh40k.game import Entry, Table

D3 = Dice(1, 3)
DAMAGES = [fixed(1), fixed(2), fixed(3), D3, Dice(1, 3, 1)]

flags = st.booleans()
always, never = st.sampled_from([True]), st.sampled_from([False])
seldom = st.integers(0, 3).map(lambda number: number == 0)
rolls = st.one_of(st.none(), st.integers(2, 6))
rerolls = st.sampled_from([None, None, "ones", "failed", frozenset({1, 2, 5})])


@dataclass(frozen=True)
class Battle:
    entries: tuple[Entry, ...]
    unit: Unit
    rules: Rules = TENTH


# -------------------------------------------------------------------------------------------------------- random cases


@st.composite
def triggers(draw: st.DrawFn, *, critical: bool, ap: bool) -> tuple[Rule, ...]:
    """At most one rule of each effect, so that no two set one AP."""
    found = []
    for effect in draw(st.lists(st.sampled_from(["mortal", "mortal", "ap", "hits", "wounds"]), max_size=2)):
        roll = draw(st.sampled_from(["hit", "wound"]))
        on = ["unmodified", "modified", *(["critical"] if critical else []), *(["each"] * (roll == "wound"))]
        said: dict[str, Any] = {"roll": roll, "on": draw(st.sampled_from(on)), "low": draw(st.integers(2, 6))}
        if effect == "mortal":
            said |= {
                "mortal_wounds": draw(st.sampled_from([fixed(1), fixed(2), D3])),
                "instead": draw(seldom),
            }
        elif effect == "ap":
            if not ap or any(
                rule.roll == roll and (rule.improve_ap or rule.ap is not None) for rule in found
            ):
                continue
            said |= draw(st.sampled_from([{"improve_ap": 1}, {"improve_ap": 3}, {"ap": -2}, {"ap": 0}]))
        else:
            said |= {"roll": "hit", **({"on": "unmodified"} if said["on"] == "each" else {})}
            said |= {"extra_hits": fixed(1)} if effect == "hits" else {"wounds": True}
        found.append(Rule(**said))
    return tuple(found)


@st.composite
def shots(
    draw: st.DrawFn, most: int, aims: list[tuple[int, ...]], *, critical: bool = True, ap: bool = True
) -> Volley:
    torrent = draw(st.integers(0, 4)) == 0
    melta = draw(st.sampled_from([0, 0, 2]))
    return Volley(
        attacks=draw(st.sampled_from([fixed(1), fixed(most)])),
        skill=None if torrent else draw(st.integers(2, 6)),
        torrent=torrent,
        strength=fixed(draw(st.integers(1, 9))),
        ap=-draw(st.integers(0, 3)),
        damage=draw(st.sampled_from(DAMAGES)),
        melta=melta,
        half_range=melta > 0,
        lethal_hits=critical and draw(seldom),
        sustained_hits=draw(st.sampled_from([(), (), (fixed(1),)])) if critical else (),
        devastating_wounds=critical and draw(flags),
        psychic=critical and draw(seldom),
        critical_wound=draw(st.sampled_from([6, 6, 4, 2])) if critical else 6,
        hit_modifier=draw(st.sampled_from([(), (), (1,), (-1,)])),
        wound_modifier=draw(st.sampled_from([(), (), (1,), (-1,)])),
        reroll_hits=draw(rerolls),
        reroll_wounds=draw(rerolls),
        rules=draw(triggers(critical=critical, ap=ap)),
        precision=draw(st.sampled_from(aims)) if critical else (),
    )


@st.composite
def kinds(
    draw: st.DrawFn, *, leader: bool = False, most: int = 2, to_0: st.SearchStrategy[bool] = seldom
) -> Kind:
    wounds = draw(st.integers(1, 3))
    return Kind(
        toughness=draw(st.integers(2, 8)),
        save=draw(st.one_of(st.none(), st.integers(2, 7))),
        wounds=wounds,
        models=1 if leader else draw(st.integers(1, most)),
        invulnerable=draw(rolls),
        feel_no_pain=draw(st.sampled_from([None, None, 4, 5, 6])),
        feel_no_pain_mortal=draw(st.sampled_from([None, None, 3, 5])),
        feel_no_pain_psychic=draw(st.sampled_from([None, None, 2, 4])),
        damage_reduction=draw(st.sampled_from([0, 0, 1, 2])),
        half_damage=draw(seldom),
        damage_to_0=draw(to_0),
        lost=draw(st.integers(0, wounds - 1)),
        leader=leader,
    )


@st.composite
def readings(draw: st.DrawFn, *, critical: bool) -> Rules:
    if not critical:
        return replace(NINTH, mortal_wait=draw(flags))
    return Rules(
        order=draw(st.sampled_from(["plain-first", "plain-first", "devastating-first", "as-listed"])),
        devastating_wait=not draw(seldom),
        damage_to_0=draw(st.sampled_from(["first-failed-save", "first-failed-save", "off"])),
        ignored_count=draw(flags),
    )


mortals = st.sampled_from([fixed(1), fixed(2), D3, Dice(1, 3, -1)]).map(MortalWounds)


@st.composite
def battles(
    draw: st.DrawFn,
    number: int,
    *,
    equal: bool = False,
    critical: bool = True,
    ap: bool = True,
    to_0: st.SearchStrategy[bool] = seldom,
) -> Battle:
    if equal:
        unit = [draw(kinds(most=4, to_0=to_0))]
    else:
        unit = [draw(kinds(to_0=to_0)) for _ in range(draw(st.integers(1, 2)))]
        unit += [draw(kinds(leader=True, to_0=to_0)) for _ in range(draw(st.integers(0, 2)))]
    leaders = [place for place, kind in enumerate(unit) if kind.leader]
    aims = [(), tuple(leaders), *((leader,) for leader in leaders)]
    one = shots(2 if number < 3 else 1, aims, critical=critical, ap=ap)
    entries = [draw(one) for _ in range(number - 1)]
    entries.insert(draw(st.integers(0, number - 1)), draw(st.one_of(one, mortals)))
    return Battle(tuple(entries), tuple(unit), draw(readings(critical=critical)))


def resolve(battle: Battle, to: Any = None, *, exact: bool = True, **options: Any) -> wh40k.AttackResult[Any]:
    """Result against the target, which is a unit of kinds unless told otherwise."""
    to = target_unit(battle.unit) if to is None else to
    return attack(battle.entries, battle.unit, battle.rules, to=to, exact=exact, **options)


def assert_states(battle: Battle, to: Any = None) -> None:
    expected = sequence.states(battle.entries, battle.unit, battle.rules)
    assert points(resolve(battle, to).state) == expected
    assert not disagreements(points(resolve(battle, to, exact=False).state), expected)


def next_unit(entries: tuple[Entry, ...], battle: Battle, before: Pmf, *, new_phase: bool = False) -> Pmf:
    """The last tables after another unit's attacks, which meet what is left; a new phase forgets what was allocated."""

    def attacked(table: Table) -> Pmf:
        if new_phase:
            table = table._replace(models=models.later_phase(table.models), spared=frozenset())
        return sequence.final(entries, battle.unit, battle.rules, start=table)

    return then(before, attacked)


def by_coordinates(unit: Unit, distribution: Pmf) -> Pmf:
    return then(distribution, lambda table: certainly(models.coordinates(unit, table.models)))


# --------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=50)
@given(battle=st.one_of(battles(1, equal=True), battles(2, equal=True), battles(3, equal=True)))
def test_equal_models(battle: Battle) -> None:
    """Core rules, Mortal Wounds and Devastating Wounds, on a Target."""
    assert_states(battle, target(battle.unit[0]))


@settings(max_examples=50)
@given(battle=st.one_of(battles(1), battles(2), battles(3)))
def test_unequal_models(battle: Battle) -> None:
    """The same where saves, Feel No Pain and Precision differ from model to model."""
    assert_states(battle)


@settings(max_examples=40)
@given(
    battle=st.one_of(
        battles(2, equal=True, critical=False), battles(2, critical=False), battles(3, critical=False)
    )
)
def test_ninth_edition(battle: Battle) -> None:
    """9th edition core rules, Mortal Wounds: nothing is critical, and nothing devastating."""
    assert_states(battle)
    if len(battle.unit) == 1:
        assert_states(battle, target(battle.unit[0]))


@settings(max_examples=50)
@given(battle=st.one_of(battles(2, to_0=always), battles(3, to_0=flags)), new_phase=flags)
def test_one_unit_after_another(battle: Battle, *, new_phase: bool) -> None:
    """Models, attacks allocated and the rule that was used carry over to the next unit, the last two for a phase."""
    one, two = replace(battle, entries=battle.entries[:1]), replace(battle, entries=battle.entries[1:])
    middle = sequence.final(one.entries, battle.unit, battle.rules)
    expected = by_coordinates(battle.unit, next_unit(two.entries, battle, middle, new_phase=new_phase))
    for exact in (True, False):
        start = resolve(one, exact=exact)
        result = resolve(two, exact=exact, start=start.new_phase() if new_phase else start)
        if exact:
            assert points(result.state) == expected
        else:
            assert not disagreements(points(result.state), expected)


@settings(max_examples=50)
@given(
    battle=st.one_of(
        battles(2, equal=True, to_0=never),
        battles(2, equal=True, critical=False, to_0=never),
    )
)
def test_counts_on_the_way(battle: Battle) -> None:
    """Hits, wounds, attacks that inflict damage, damage with all mortal wounds, and the plain ones of these."""
    for name in ("hits", "wounds", "unsaved", "damage", "mortal_wounds"):
        expected = sequence.counted(battle.entries, battle.unit, name, battle.rules)
        for to in (target(battle.unit[0]), target_unit(battle.unit)):
            assert points(getattr(resolve(battle, to), name)) == expected, name
            floats = points(getattr(resolve(battle, to, exact=False), name))
            assert not disagreements(floats, expected), name


@settings(max_examples=40)
@given(
    battle=st.one_of(battles(2), battles(1)),
    demises=st.tuples(*[st.sampled_from([None, fixed(1), D3, Dice(1, 6)])] * 4),
)
def test_deadly_demise(battle: Battle, demises: tuple[Dice | None, ...]) -> None:
    """Core rules, Deadly Demise: a die for each model destroyed, whatever destroyed it."""
    unit = tuple(
        replace(kind, deadly_demise=demise) for kind, demise in zip(battle.unit, demises, strict=False)
    )
    battle = replace(battle, unit=unit)
    distribution = sequence.final(battle.entries, unit, battle.rules)
    expected = then(distribution, lambda table: models.explosions(unit, table.models))
    assert points(resolve(battle).deadly_demise) == expected
    assert not disagreements(points(resolve(battle, exact=False).deadly_demise), expected)


@settings(max_examples=40)
@given(battle=battles(1), weapons=st.integers(1, 4))
def test_hazardous(battle: Battle, weapons: int) -> None:
    """Core rules, Hazardous: what befalls the bearers, whatever becomes of the target."""
    after = models.hazards(weapons, battle.unit)
    expected = then(after, lambda left: certainly(models.coordinates(battle.unit, left)))
    plasma = wh40k.Weapon.parse("Plasma: A2 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    entries = [wh40k.MortalWounds(2), wh40k.Volley(plasma, weapons)]
    other = wh40k.Target("Target", toughness=4, save="3+", wounds=2)
    result = wh40k.attack(entries, other, bearers=target_unit(battle.unit), exact=True)
    assert points(result.hazardous.state) == expected


@settings(max_examples=40)
@given(battle=st.one_of(battles(2), battles(3), battles(3, equal=True), battles(2, critical=False)))
def test_shares_add_up(battle: Battle) -> None:
    """Of two units one after another: each share is that of its entry, and all of them make up the losses."""
    to = target(battle.unit[0]) if len(battle.unit) == 1 else target_unit(battle.unit)
    units = [
        [entry(plain, battle.unit, battle.rules) for plain in part]
        for part in (battle.entries, battle.entries[:1])
    ]
    options = {"edition": battle.rules.edition, "rulings": rulings(battle.rules), "exact": True}
    first, second = wh40k.activations(units, to, **options)
    distribution = sequence.final(battle.entries, battle.unit, battle.rules)
    assert points(first.result.state) == by_coordinates(battle.unit, distribution)
    distribution = next_unit(battle.entries[:1], battle, distribution)
    assert points(second.result.state) == by_coordinates(battle.unit, distribution)
    before = Fraction(0), Fraction(0)
    for done in (first, second):
        after = plain_number(done.result.kills.mean()), plain_number(done.result.wounds_lost.mean())
        assert sum(plain_number(share.kills) for share in done.shares) == after[0] - before[0]
        assert sum(plain_number(share.wounds_lost) for share in done.shares) == after[1] - before[1]
        assert all(share.kills >= 0 and share.wounds_lost >= 0 for share in done.shares)
        before = after


# ------------------------------------------------------------------------------------------------- what can be chosen


OBJECTIVES = ("kills", "wounds_lost", "probability_destroyed")
no_ap = st.one_of(battles(2, ap=False, to_0=flags), battles(1, ap=False, to_0=flags))


@settings(max_examples=50)
@given(
    battle=no_ap,
    objective=st.sampled_from(OBJECTIVES),
    allocation=st.sampled_from(["best", "worst", "given"]),
    to_0=st.sampled_from(["best-failed-save", "best-failed-save", "first-failed-save"]),
)
def test_what_is_best_and_worst(battle: Battle, objective: str, allocation: Any, to_0: str) -> None:
    """Who takes each wound, and whose Damage is changed to 0: decided anew each time, knowing what is still to come."""
    if allocation == "worst":
        to_0 = "first-failed-save"
    battle = replace(battle, rules=replace(battle.rules, damage_to_0=to_0))
    players: Any = {"damage to 0": min}
    if allocation != "given":
        players["allocation"] = min if allocation == "best" else max
    worth = models.worth(objective, battle.unit)
    expected = sequence.best(battle.entries, battle.unit, worth, players, battle.rules)
    to = target_unit(battle.unit, allocation=allocation, objective=objective)
    assert values(resolve(battle, to), objective) == expected
    approximate = resolve(battle, to, exact=False)
    assert values(approximate, objective) == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
    assert resolve(battle, to).state.total() == 1


@settings(max_examples=50)
@given(
    battle=st.one_of(
        battles(1, equal=True, ap=False, to_0=always),
        battles(2, equal=True, ap=False, to_0=always),
        battles(3, equal=True, ap=False, to_0=always),
    )
)
def test_the_best_failed_save_of_equal_models(battle: Battle) -> None:
    """A Target that is spared once wants to lose as few models as can be."""
    battle = replace(battle, rules=replace(battle.rules, damage_to_0="best-failed-save"))
    worth = models.worth("kills", battle.unit)
    expected = sequence.best(battle.entries, battle.unit, worth, {"damage to 0": min}, battle.rules)
    to = target(battle.unit[0])
    assert values(resolve(battle, to), "kills") == expected
    assert values(resolve(battle, to, exact=False), "kills") == pytest.approx(
        float(expected), rel=1e-12, abs=1e-300
    )
