"""Warhammer 40,000 of every edition, compared exactly with the dice walked one by one (see `referees.wh40k`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import translation
from battles import EDITIONS, Battle, battles, kinds, volleys
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import certainly, mean, then
from referees.wh40k import models, pools, sequence
from reproduced import reproduced
from tenth import wh40k
from translation import attack, disagreements, hits, lost_of, part, plain_number, points

from mathhammer import from_text

if TYPE_CHECKING:
    from plain_dice import Pmf
    from referees.wh40k.profiles import Kind, Unit

OBJECTIVES = ("kills", "wounds_lost", "probability_destroyed")
COUNTED = ("hits", "wounds", "unsaved", "damage", "mortal_wounds")


def asked(
    battle: Battle, *, unit: bool = False, exact: bool = True, **options: Any
) -> wh40k.AttackResult[Any]:
    """Result of the package, against a unit of one kind where `unit` says so."""
    to = translation.target_unit(battle.unit, battle.rules) if unit else None
    return attack(
        battle.entries, battle.unit, battle.rules, **{"to": to, "exact": exact, **battle.rerolls, **options}
    )


def states(battle: Battle) -> Pmf:
    if battle.rules.edition == "11e":
        return pools.play(battle.entries, battle.unit, battle.rules)
    return sequence.states(battle.entries, battle.unit, battle.rules, shared=battle.shared)


def counts(battle: Battle) -> dict[str, Pmf]:
    """What is counted on the way; of unequal models, or of Damage that may become 0, only some of it."""
    entries, unit, rules = battle.entries, battle.unit, battle.rules
    if rules.edition == "11e":
        return {"hits": hits(entries, unit, rules)}
    if battle.shared:  # what is left over when the unit is gone uses no re-roll
        ends = sequence.final(entries, unit, rules, shared=battle.shared, track=COUNTED[:2])
        found = {
            name: then(ends, lambda end, place=place: certainly(end.counts[place]))
            for place, name in enumerate(COUNTED[:2])
        }
        names = COUNTED[2:]
    else:
        found, names = {}, COUNTED
    if len(unit) > 1 or unit[0].damage_to_0:
        names = tuple(name for name in names if name in COUNTED[:2])
        most = models.toughness(unit, models.fresh(unit), rules)
        words = tuple(word for kind in unit for word in kind.keywords)
        unit = (replace(unit[0], toughness=most, keywords=words), *unit[1:])
    return found | {name: sequence.counted(entries, unit, name, rules, battle.shared) for name in names}


def assert_equal(battle: Battle, *, unit: bool = False) -> None:
    exact, floats = (asked(battle, unit=unit, exact=each) for each in (True, False))
    expected = {"state": states(battle), **counts(battle)}
    for name in ("kills", "wounds_lost"):
        expected[name] = part(expected["state"], battle.unit, name)
    for name, distribution in expected.items():
        if name == "mortal_wounds" and not hasattr(exact, name):
            continue
        assert points(getattr(exact, name)) == distribution, name
        assert not disagreements(points(getattr(floats, name)), distribution), name
    for result in (exact, floats):
        reproduced(result)


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=150)
@given(data=st.data(), unit=st.booleans())
def test_any_attack(edition: str, data: st.DataObject, *, unit: bool) -> None:
    """Core rules, Making Attacks and what changes them: any profiles, conditions, units, rulings; texts repeat it."""
    assert_equal(data.draw(battles(edition)), unit=unit)


@settings(max_examples=80)
@given(battle=battles("10e", single=True))
def test_single_rerolls(battle: Battle) -> None:
    """Rules Commentary, Rules That Allow One Re-roll; Command Re-roll: of a volley, or of all of them together."""
    assert_equal(battle)


# ------------------------------------------------------------------------------------------------- what can be chosen


@settings(max_examples=150)
@given(
    battle=st.one_of(battles("10e", choice=True), battles("10e", choice=True, single=True)),
    objective=st.sampled_from(OBJECTIVES),
    allocation=st.sampled_from(["best", "worst", "given"]),
    to_0=st.booleans(),
)
def test_best_and_worst_allocation(battle: Battle, objective: str, allocation: Any, *, to_0: bool) -> None:
    """Core rules, Allocate Attack: who takes each wound, and whose Damage is changed to 0, decided anew each time."""
    to_0 = to_0 and allocation != "worst" and not battle.shared
    battle = replace(battle, rules=replace(battle.rules, begun_first=False))
    if to_0:
        battle = replace(battle, rules=replace(battle.rules, damage_to_0="best-failed-save"))
    players: Any = {"damage to 0": min} if to_0 else {}
    if allocation != "given":
        players["allocation"] = min if allocation == "best" else max
    worth = models.worth(objective, battle.unit)
    expected = sequence.best(battle.entries, battle.unit, worth, players, battle.rules, shared=battle.shared)
    to = translation.target_unit(battle.unit, allocation=allocation, objective=objective)
    result = asked(battle, to=to)
    assert translation.values(result, objective) == expected
    assert result.state.total() == 1
    floats = translation.values(asked(battle, to=to, exact=False), objective)
    assert floats == pytest.approx(float(expected), rel=1e-12, abs=1e-300)


def gone(unit: Unit, end: tuple[int, ...], objective: str) -> int:
    """What the losses are worth to the attacker."""
    if objective == "kills":
        return sum(end[::2])
    if objective == "wounds_lost":
        return sum(lost_of(kind, *end[2 * place : 2 * place + 2]) for place, kind in enumerate(unit))
    return int(list(end[::2]) == [kind.models for kind in unit])


@settings(max_examples=80)
@given(
    battle=battles("11e", mixed=True, choice=True),
    objective=st.sampled_from(OBJECTIVES),
    choices=st.builds(
        pools.Choices,
        groups=st.booleans(),
        pools=st.booleans(),
        reroll_save=st.booleans(),
        negates_best=st.booleans(),
    ),
    negates=st.booleans(),
)
def test_choices_of_both_players(
    battle: Battle, objective: str, choices: pools.Choices, *, negates: bool
) -> None:
    """11th edition core rules, 04.03, 05.03, 05.04; app FAQ of 26 August 2026: pools, groups, one save, Damage of 0.

    All dice of a pool lie on the table before one save is re-rolled. A Damage becomes 0 after a failed save: the first
    one, or one that its owner picks.
    """
    unit, rules = battle.unit, replace(battle.rules, lethal="best")
    choices = replace(choices, negates=(0, len(unit) - 1) if negates else ())
    if choices.reroll_save:  # models that save alike re-roll the first failed save, whatever the objective
        unit = tuple(
            replace(kind, save=save, invulnerable=None)
            for kind, save in zip(unit, (5, 3, 4, 2), strict=False)
        )
        choices = replace(choices, negates=(), pools=False, reroll_save=len(unit) > 1)
        battle = replace(battle, entries=tuple(replace(shots, reroll_saves=None) for shots in battle.entries))
    best = {"damage_to_zero_use": "best"} if negates and choices.negates_best else {}
    best |= {"pool_order": "best"} if choices.pools else {}

    def worth(end: tuple[int, ...]) -> int:
        return gone(unit, end, objective)

    ends = pools.play(battle.entries, unit, rules, choices_of_both=choices, worth=worth)
    spared = tuple(replace(kind, damage_to_0=place in choices.negates) for place, kind in enumerate(unit))
    allocation = "best" if choices.groups else "given"
    to = translation.target_unit(spared, rules, allocation=allocation, objective=objective)
    options: dict[str, Any] = {"reroll_saves": "one"} if choices.reroll_save else {}
    rulings = {**(translation.rulings(rules) or {}), **best}
    result = asked(replace(battle, rules=rules), to=to, objective=objective, rulings=rulings, **options)
    found = sum(chance * gone(unit, end, objective) for end, chance in points(result.state).items())
    assert found == mean(then(ends, lambda end: certainly(worth(end))))


# ------------------------------------------------------------------------------------------------- what comes after it


@settings(max_examples=40)
@given(
    battle=st.one_of(battles("10e"), battles("9e"), battles("10e", single=True)),
    again=st.integers(1, 2),
    new_phase=st.booleans(),
)
def test_units_one_after_another(battle: Battle, again: int, *, new_phase: bool) -> None:
    """Models, attacks allocated and the rule that was used carry over, the last two for a phase; shares add up."""
    entries = battle.entries[:again], battle.entries[-1:]
    unit, rules, shared = battle.unit, battle.rules, battle.shared
    middle = sequence.final(entries[0], unit, rules, shared=shared)

    def later(table: Any) -> Pmf:
        if new_phase:
            table = table._replace(models=models.later_phase(table.models), spared=frozenset())
        return sequence.final(entries[1], unit, rules, start=table, shared=shared)

    both = then(middle, later)
    expected = [
        then(ends, lambda end: certainly(models.coordinates(unit, end.models))) for ends in (middle, both)
    ]
    for exact in (True, False):
        start = asked(replace(battle, entries=entries[0]), unit=True, exact=exact)
        start = start.new_phase() if new_phase else start
        end = asked(replace(battle, entries=entries[1]), unit=True, exact=exact, start=start)
        assert not disagreements(points(end.state), expected[1])
        reproduced(end)
    if new_phase:
        return
    typed = [[translation.entry(plain, unit, rules) for plain in some] for some in entries]
    options: Any = {"edition": rules.edition, "rulings": translation.rulings(rules), **battle.rerolls}
    before = Fraction(0), Fraction(0)
    for done, ends in zip(
        wh40k.activations(typed, translation.defenders(unit, rules), exact=True, **options),
        expected,
        strict=True,
    ):
        assert points(done.result.state) == ends
        assert from_text(done.to_text()).result.state == done.result.state
        after = plain_number(done.result.kills.mean()), plain_number(done.result.wounds_lost.mean())
        assert sum(plain_number(share.kills) for share in done.shares) == after[0] - before[0]
        assert sum(plain_number(share.wounds_lost) for share in done.shares) == after[1] - before[1]
        assert all(share.kills >= 0 and share.wounds_lost >= 0 for share in done.shares)
        assert 0 <= done.expected_waste <= done.result.attacks.mean()
        before = after


@settings(max_examples=30)
@given(battle=battles("10e", single=True), exact=st.booleans())
def test_shares_of_volleys(battle: Battle, *, exact: bool) -> None:
    """Core rules, Making Attacks: what each volley destroyed, and its attacks at nobody."""
    typed = [[translation.entry(plain, battle.unit, battle.rules) for plain in battle.entries]]
    to, rulings = translation.defenders(battle.unit), translation.rulings(battle.rules)
    (done,) = wh40k.activations(typed, to, exact=exact, edition="10e", rulings=rulings, **battle.rerolls)
    for place, share in enumerate(done.shares):
        for found, name in ((share.kills, "kills"), (share.attacks_left_over, "left_over")):
            options: Any = {"shared": battle.shared, "track": ((name, place),)}
            ends = sequence.final(battle.entries, battle.unit, battle.rules, **options)
            expected = mean(then(ends, lambda end: certainly(end.counts[0])))
            near = expected if exact else pytest.approx(float(expected), rel=1e-12, abs=1e-14)
            assert plain_number(found) == near


@settings(max_examples=40)
@given(battle=battles("10e"), weapons=st.integers(1, 4), exact=st.booleans())
def test_deadly_demise_and_hazards(battle: Battle, weapons: int, *, exact: bool) -> None:
    """Core rules, Deadly Demise: a die for each model destroyed; Hazardous: what the bearers lose."""
    unit = battle.unit
    ends = sequence.final(battle.entries, unit, battle.rules)
    if any(kind.deadly_demise for kind in unit):
        expected = then(ends, lambda table: models.explosions(unit, table.models))
        assert not disagreements(points(asked(battle, exact=exact).deadly_demise), expected)
    left = then(models.hazards(weapons, unit), lambda left: certainly(models.coordinates(unit, left)))
    plasma = wh40k.Volley(wh40k.Weapon.parse("Plasma: A2 BS3+ S8 AP-3 D2 [HAZARDOUS]"), weapons)
    other = wh40k.Target("Target", toughness=4, save="3+", wounds=2)
    result = wh40k.attack(
        [wh40k.MortalWounds(2), plasma], other, bearers=translation.target_unit(unit), exact=exact
    )
    assert not disagreements(points(result.hazardous.state), left)


@settings(max_examples=30)
@given(data=st.data(), target=kinds("10e", 5), weapons=st.integers(1, 12))
def test_mass_sums_to_1_and_floats_are_rounded_once(data: st.DataObject, target: Kind, weapons: int) -> None:
    """Arithmetic of attacks too large to walk: whole numbers alone, and a float is the one next to the exact number."""
    large = replace(data.draw(volleys((target,), "10e", 3)), weapons=weapons)
    exact, floats = (attack((large,), (target,), exact=each) for each in (True, False))
    for name in ("hits", "wounds", "kills", "wounds_lost", "state"):
        found = points(getattr(exact, name))
        assert sum(found.values()) == 1
        assert points(getattr(floats, name)) == {at: float(p) for at, p in found.items() if float(p)}
