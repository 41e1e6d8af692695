"""Mortal wounds beside attacks, rules on particular rolls and Damage changed to 0, compared with every die.

The other side is `enumeration_mortal`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import enumeration_mortal as plain
import pytest
from checking import disagreements
from enumeration_mortal_rolls import Kind, Mortals, Profile, Rule, Rulings, Shot, State
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, then
from tenth import wh40k
from translation import plain_number, points

NAMES = ("Trooper", "Sergeant", "Captain", "Medic")
D3 = Dice(1, 3)
DAMAGES = [fixed(1), fixed(2), fixed(3), D3, Dice(1, 3, 1)]

flags = st.booleans()
always, never = st.sampled_from([True]), st.sampled_from([False])
seldom = st.integers(0, 3).map(lambda number: number == 0)
rolls = st.one_of(st.none(), st.integers(2, 6))
rerolls = st.sampled_from([None, None, "ones", "failed", frozenset({1, 2, 5})])


@dataclass(frozen=True)
class Battle:
    entries: tuple[Any, ...]
    unit: tuple[Kind, ...]
    rulings: Rulings = field(default_factory=Rulings)

    @property
    def edition(self) -> str:
        return "10e" if self.rulings.critical else "9e"


# -------------------------------------------------------------------------------------------------------- random cases


@st.composite
def rules(draw: st.DrawFn, *, critical: bool, ap: bool) -> tuple[Rule, ...]:
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
) -> Shot:
    torrent = draw(st.integers(0, 4)) == 0
    return Shot(
        attacks=draw(st.sampled_from([fixed(1), fixed(most)])),
        skill=None if torrent else draw(st.integers(2, 6)),
        strength=draw(st.integers(1, 9)),
        ap=-draw(st.integers(0, 3)),
        damage=draw(st.sampled_from(DAMAGES)),
        melta=draw(st.sampled_from([0, 0, 2])),
        lethal_hits=critical and draw(seldom),
        sustained_hits=draw(st.sampled_from([None, None, fixed(1)])) if critical else None,
        devastating_wounds=critical and draw(flags),
        psychic=critical and draw(seldom),
        critical_wound=draw(st.sampled_from([6, 6, 4, 2])) if critical else 6,
        hit_modifier=draw(st.sampled_from([0, 0, 1, -1])),
        wound_modifier=draw(st.sampled_from([0, 0, 1, -1])),
        reroll_hits=draw(rerolls),
        reroll_wounds=draw(rerolls),
        rules=draw(rules(critical=critical, ap=ap)),
        directed=draw(st.sampled_from(aims)) if critical else (),
    )


@st.composite
def kinds(
    draw: st.DrawFn, *, leader: bool = False, most: int = 2, to_0: st.SearchStrategy[bool] = seldom
) -> Kind:
    wounds = draw(st.integers(1, 3))
    profile = Profile(
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
    )
    return Kind(profile, draw(st.integers(0, wounds - 1)), leader)


@st.composite
def rulings(draw: st.DrawFn, *, critical: bool) -> Rulings:
    if not critical:
        return Rulings(critical=False, mortal_wait=draw(flags))
    return Rulings(
        order=draw(st.sampled_from(["plain-first", "plain-first", "devastating-first", "as-listed"])),
        devastating_wait=not draw(seldom),
        damage_to_0=draw(st.sampled_from(["first-failed-save", "first-failed-save", "off"])),
        ignored_count=draw(flags),
    )


mortals = st.sampled_from([fixed(1), fixed(2), D3, Dice(1, 3, -1)]).map(Mortals)


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
        unit = [replace(draw(kinds(most=4, to_0=to_0)))]
    else:
        unit = [draw(kinds(to_0=to_0)) for _ in range(draw(st.integers(1, 2)))]
        unit += [draw(kinds(leader=True, to_0=to_0)) for _ in range(draw(st.integers(0, 2)))]
    leaders = [place for place, kind in enumerate(unit) if kind.leader]
    aims = [(), tuple(leaders), *((leader,) for leader in leaders)]
    one = shots(2 if number < 3 else 1, aims, critical=critical, ap=ap)
    entries = [draw(one) for _ in range(number - 1)]
    entries.insert(draw(st.integers(0, number - 1)), draw(st.one_of(one, mortals)))
    return Battle(tuple(entries), tuple(unit), draw(rulings(critical=critical)))


# ------------------------------------------------------------------------------------------ as a player would type it


def package_kind(kind: Kind, name: str) -> wh40k.Target:
    profile = kind.profile
    same: dict[str, Any] = {name: getattr(profile, name) for name in profile.__dataclass_fields__}
    if profile.deadly_demise is not None:
        same["deadly_demise"] = str(profile.deadly_demise)
    return wh40k.Target(name, **same, wounds_lost=kind.lost)


def package_target(unit: tuple[Kind, ...], **options: Any) -> wh40k.TargetUnit:
    named = [(package_kind(kind, name), kind.leader) for kind, name in zip(unit, NAMES, strict=False)]
    return wh40k.TargetUnit(
        "Unit", [k for k, leader in named if not leader], [k for k, leader in named if leader], **options
    )


def package_rule(rule: Rule) -> wh40k.Trigger:
    on = {"unmodified": f"unmodified {rule.low}+", "modified": f"{rule.low}+"}.get(rule.on, rule.on)
    said: dict[str, Any] = {
        name: str(number)
        for name in ("extra_hits", "mortal_wounds")
        if (number := getattr(rule, name)) is not None
    }
    return wh40k.Trigger(
        rule.roll,  # type: ignore[arg-type]
        on,
        "a rule",
        instead=rule.instead,
        wounds=rule.wounds,
        improve_ap=rule.improve_ap,
        ap=rule.ap,
        **said,
    )


def package_entry(entry: Any, unit: tuple[Kind, ...]) -> Any:
    if isinstance(entry, Mortals):
        return wh40k.MortalWounds(typed(entry.number), "Hex")
    words = {
        "Torrent": entry.skill is None,
        "Lethal Hits": entry.lethal_hits,
        "Devastating Wounds": entry.devastating_wounds,
        "Psychic": entry.psychic,
        "Precision": bool(entry.directed),
        f"Melta {entry.melta}": entry.melta,
        f"Sustained Hits {entry.sustained_hits}": entry.sustained_hits is not None,
    }
    weapon = wh40k.Weapon(
        "Weapon",
        range='24"',
        attacks=str(entry.attacks),
        skill="N/A" if entry.skill is None else f"{entry.skill}+",
        strength=str(entry.strength),
        ap=entry.ap,
        damage=str(entry.damage),
        keywords=", ".join(word for word, said in words.items() if said),
    )
    leaders = sum(kind.leader for kind in unit)
    situation: dict[str, Any] = {
        "hit_modifier": entry.hit_modifier,
        "wound_modifier": entry.wound_modifier,
        "reroll_hits": set(entry.reroll_hits)
        if isinstance(entry.reroll_hits, frozenset)
        else entry.reroll_hits,
        "reroll_wounds": set(entry.reroll_wounds)
        if isinstance(entry.reroll_wounds, frozenset)
        else entry.reroll_wounds,
        "triggers": [package_rule(rule) for rule in entry.rules],
    }
    if entry.critical_wound != 6:
        situation["critical_wound"] = entry.critical_wound
    if entry.melta:
        situation["half_range"] = True
    if entry.directed:
        named = len(entry.directed) < leaders
        situation["precision"] = NAMES[entry.directed[0]] if named else True
    return wh40k.Volley(weapon, **situation)


def typed(dice: Dice) -> str:
    return str(dice).replace("+-", "-")


def package_rulings(rulings: Rulings) -> dict[str, str]:
    if not rulings.critical:
        return {"mortal_wounds_timing": "after-unit" if rulings.mortal_wait else "after-weapon"}
    return {
        "mortal_wounds_order": rulings.order,
        "devastating_timing": "after-unit" if rulings.devastating_wait else "after-weapon",
        "damage_to_0": rulings.damage_to_0,
        "ignored_mortal_wounds": "allocated" if rulings.ignored_count else "not-allocated",
    }


def resolve(battle: Battle, target: Any, *, exact: bool = True, **options: Any) -> wh40k.AttackResult[Any]:
    entries = [package_entry(entry, battle.unit) for entry in battle.entries]
    return wh40k.attack(
        entries,
        target,
        edition=battle.edition,
        rulings=package_rulings(battle.rulings),
        exact=exact,
        **options,
    )


def by_coordinates(unit: tuple[Kind, ...], distribution: dict[Any, Fraction]) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for state, chance in distribution.items():
        place = plain.coordinates(unit, state)
        found[place] = found.get(place, Fraction(0)) + chance
    return found


def assert_states(battle: Battle, target: Any) -> None:
    expected = by_coordinates(
        battle.unit, plain.final_states(battle.entries, battle.unit, rulings=battle.rulings)
    )
    assert points(resolve(battle, target).state) == expected
    assert not disagreements(points(resolve(battle, target, exact=False).state), expected)


# --------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=50)
@given(battle=st.one_of(battles(1, equal=True), battles(2, equal=True), battles(3, equal=True)))
def test_equal_models(battle: Battle) -> None:
    """Core rules, Mortal Wounds and Devastating Wounds, on a Target."""
    assert_states(battle, package_kind(battle.unit[0], "Unit"))


@settings(max_examples=50)
@given(battle=st.one_of(battles(1), battles(2), battles(3)))
def test_unequal_models(battle: Battle) -> None:
    """The same where saves, Feel No Pain and Precision differ from model to model."""
    assert_states(battle, package_target(battle.unit))


@settings(max_examples=40)
@given(
    battle=st.one_of(
        battles(2, equal=True, critical=False), battles(2, critical=False), battles(3, critical=False)
    )
)
def test_ninth_edition(battle: Battle) -> None:
    """9th edition core rules, Mortal Wounds: nothing is critical, and nothing devastating."""
    assert_states(battle, package_target(battle.unit))
    if len(battle.unit) == 1:
        assert_states(battle, package_kind(battle.unit[0], "Unit"))


@settings(max_examples=50)
@given(battle=st.one_of(battles(2, to_0=always), battles(3, to_0=flags)), new_phase=flags)
def test_one_unit_after_another(battle: Battle, *, new_phase: bool) -> None:
    """Models, attacks allocated and the rule that was used carry over to the next unit, the last two for a phase."""
    one, two = replace(battle, entries=battle.entries[:1]), replace(battle, entries=battle.entries[1:])
    middle = plain.final_states(one.entries, battle.unit, rulings=battle.rulings)
    expected = by_coordinates(
        battle.unit,
        plain.next_unit(two.entries, battle.unit, middle, battle.rulings, new_phase=new_phase),
    )
    target = package_target(battle.unit)
    for exact in (True, False):
        start = resolve(one, target, exact=exact)
        result = resolve(two, target, exact=exact, start=start.new_phase() if new_phase else start)
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
    distribution = plain.counts(battle.entries, battle.unit, battle.rulings)
    for target in (package_kind(battle.unit[0], "Unit"), package_target(battle.unit)):
        for exact in (True, False):
            result = resolve(battle, target, exact=exact)
            for place, name in enumerate(plain.Counts._fields):
                expected = then(distribution, lambda found, place=place: certainly(found[place]))
                found = points(getattr(result, name))
                assert not disagreements(found, expected), name
                assert not exact or found == expected, name


@settings(max_examples=40)
@given(
    battle=st.one_of(battles(2), battles(1)),
    demises=st.tuples(*[st.sampled_from([None, fixed(1), D3, Dice(1, 6)])] * 4),
)
def test_deadly_demise(battle: Battle, demises: tuple[Dice | None, ...]) -> None:
    """Core rules, Deadly Demise: a die for each model destroyed, whatever destroyed it."""
    unit = tuple(
        replace(kind, profile=replace(kind.profile, deadly_demise=demise))
        for kind, demise in zip(battle.unit, demises, strict=False)
    )
    battle = replace(battle, unit=unit)
    distribution = plain.final_states(battle.entries, unit, rulings=battle.rulings)
    expected = then(distribution, lambda state: plain.explosions(unit, state))
    assert points(resolve(battle, package_target(unit)).deadly_demise) == expected
    assert not disagreements(
        points(resolve(battle, package_target(unit), exact=False).deadly_demise), expected
    )


@settings(max_examples=40)
@given(battle=battles(1), weapons=st.integers(1, 4))
def test_hazardous(battle: Battle, weapons: int) -> None:
    """Core rules, Hazardous: what befalls the bearers, whatever becomes of the target."""
    expected = by_coordinates(battle.unit, plain.hazards(weapons, battle.unit))
    plasma = wh40k.Weapon.parse("Plasma: A2 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    entries = [wh40k.MortalWounds(2), wh40k.Volley(plasma, weapons)]
    target = wh40k.Target("Target", toughness=4, save="3+", wounds=2)
    result = wh40k.attack(entries, target, bearers=package_target(battle.unit), exact=True)
    assert points(result.hazardous.state) == expected


@settings(max_examples=40)
@given(battle=st.one_of(battles(2), battles(3), battles(3, equal=True), battles(2, critical=False)))
def test_shares_add_up(battle: Battle) -> None:
    """Of two units one after another: each share is that of its entry, and all of them make up the losses."""
    equal = len(battle.unit) == 1
    target = package_kind(battle.unit[0], "Unit") if equal else package_target(battle.unit)
    units = [
        [package_entry(entry, battle.unit) for entry in part] for part in (battle.entries, battle.entries[:1])
    ]
    options = {"edition": battle.edition, "rulings": package_rulings(battle.rulings), "exact": True}
    first, second = wh40k.activations(units, target, **options)
    distribution = plain.final_states(battle.entries, battle.unit, rulings=battle.rulings)
    assert points(first.result.state) == by_coordinates(battle.unit, distribution)
    distribution = plain.next_unit(battle.entries[:1], battle.unit, distribution, battle.rulings)
    assert points(second.result.state) == by_coordinates(battle.unit, distribution)
    before = Fraction(0), Fraction(0)
    for done in (first, second):
        after = plain_number(done.result.kills.mean()), plain_number(done.result.wounds_lost.mean())
        assert sum(plain_number(share.kills) for share in done.shares) == after[0] - before[0]
        assert sum(plain_number(share.wounds_lost) for share in done.shares) == after[1] - before[1]
        assert all(share.kills >= 0 and share.wounds_lost >= 0 for share in done.shares)
        before = after


# ------------------------------------------------------------------------------------------------- what can be chosen


def worth_of(objective: str, unit: tuple[Kind, ...]) -> Any:
    """What the last models are worth to the attacker."""

    def worth(state: State) -> int:
        if objective == "probability_destroyed":
            return int(not state.models)
        if objective == "kills":
            return sum(kind.profile.models for kind in unit) - len(state.models)
        whole = sum(kind.profile.models * kind.profile.wounds - kind.lost for kind in unit)
        return whole - sum(model.left for model in state.models)

    return worth


def found_value(result: wh40k.AttackResult[Any], objective: str) -> Any:
    distribution = getattr(result, objective)
    return plain_number(distribution if objective == "probability_destroyed" else distribution.mean())


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
    battle = replace(battle, rulings=replace(battle.rulings, damage_to_0=to_0))
    expected = plain.best(
        battle.entries,
        battle.unit,
        worth_of(objective, battle.unit),
        allocation=allocation,
        rulings=battle.rulings,
    )
    target = package_target(battle.unit, allocation=allocation, objective=objective)
    assert found_value(resolve(battle, target), objective) == expected
    approximate = resolve(battle, target, exact=False)
    assert found_value(approximate, objective) == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
    assert resolve(battle, target).state.total() == 1


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
    battle = replace(battle, rulings=replace(battle.rulings, damage_to_0="best-failed-save"))
    expected = plain.best(battle.entries, battle.unit, worth_of("kills", battle.unit), rulings=battle.rulings)
    target = package_kind(battle.unit[0], "Unit")
    assert found_value(resolve(battle, target), "kills") == expected
    assert found_value(resolve(battle, target, exact=False), "kills") == pytest.approx(
        float(expected), rel=1e-12, abs=1e-300
    )
