"""What each rule of a list adds: with it on minus without, by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tenth import analysis, wh40k

from mathhammer.errors import MathhammerError
from mathhammer.rosters import read_army

#: Six attacks that hit on 4+ and wound on 4+: 1.5 wounds of ten.
GUN = wh40k.Weapon.parse('Gun: 24" A6 BS4+ S4 AP0 D1')
BLADE = wh40k.Weapon.parse("Blade: A4 WS4+ S4 AP0 D1")
WALL = wh40k.Target("Wall", toughness=4, save=None, wounds=10, points=40, keywords="Infantry")
TANK = wh40k.Target("Tank", toughness=4, save=None, wounds=20, keywords="Vehicle")
ONCE = (wh40k.RuleCondition("once"),)


def effect(kind="hit", value=1, *when, side="attack", **options):
    return wh40k.RuleEffect(side, kind, value, when=when, **options)


def squad(*rules, name="Squad", keywords=("Infantry",)):
    lines = tuple(wh40k.WeaponLine(weapon.name, 1, "Trooper", 0, ((weapon,),)) for weapon in (GUN, BLADE))
    models = (wh40k.ModelGroup("Trooper", 1, wh40k.Target.parse("T4 Sv- W10")),)
    return wh40k.Unit(name, 100, models, lines, keywords, rules=rules)


def rule(*effects, name="Aim", of="Squad", source="datasheet"):
    return wh40k.UnitRule(name, source, of, effects, groups=(0,))


def army(*units, rules=()):
    return wh40k.Army("Army", "F", "10e", sum(unit.points for unit in units), units, rules=rules)


def gains(worths):
    return {(row["rule"], row["kind"]): row["gain_share"] for row in worths.records}


def test_rules_that_are_on_and_off_by_hand():
    """+1 to hit is 6 (or 4 in melee) more sixths of an attack, half of which wound; in shares of ten wounds."""
    aim = rule(effect(attacks="ranged"))
    oath = rule(effect("wound", 1, *ONCE), name="Oath")
    clumsy = rule(effect("hit", -1, *ONCE), name="Clumsy")
    worths = analysis.rule_worths(army(squad(aim, oath, clumsy)), WALL)
    # The Aim is on: the others are tried with it. 6 x 4/6 hits wound with 1/6 more.
    assert gains(worths) == pytest.approx(
        {
            ("Squad: Aim", "shooting"): 6 * (1 / 6) * (1 / 2) / 10,
            ("Squad: Oath", "shooting"): 6 * (4 / 6) * (1 / 6) / 10,
            ("Squad: Oath", "melee"): 4 * (1 / 2) * (1 / 6) / 10,
            ("Squad: Clumsy", "shooting"): -6 * (1 / 6) * (1 / 2) / 10,
            ("Squad: Clumsy", "melee"): -4 * (1 / 6) * (1 / 2) / 10,
        },
        rel=1e-12,
    )
    assert [row["rule"] for row in worths.records if row["now"] == "on"] == ["Squad: Aim"]
    shares = [row["gain_share"] for row in worths.records]
    assert shares == sorted(shares, reverse=True)
    assert worths.records[0]["gain_points"] == pytest.approx(40 * worths.records[0]["gain_share"], rel=1e-12)


def test_several_targets_are_a_mean_and_points_need_points():
    found = analysis.rule_worths(squad(rule(effect())), [WALL, TANK]).records[0]
    assert (found["gain_share"], found["gain_points"]) == (pytest.approx((0.5 / 10 + 0.5 / 20) / 2), None)


def test_the_switch_is_what_with_rules_takes():
    unit = squad(rule(effect("hit", 1, *ONCE)))
    [found, _] = analysis.rule_worths(army(unit), WALL).records
    after = army(unit).with_rules(on=found["rule"])
    with_it, without = (analysis.grid(given, WALL).share_lost[0, 0] for given in (after, army(unit)))
    assert found["gain_share"] == pytest.approx(with_it - without, rel=1e-12)


def test_what_target_and_situation_decide_stays_decided():
    hunter = rule(effect("hit", 1, wh40k.RuleCondition("target_keyword", ("Vehicle",))), name="Hunter")
    charge = rule(effect("hit", 1, wh40k.RuleCondition("charged"), attacks="melee"), name="Charge")
    unit = squad(hunter, charge)
    assert gains(analysis.rule_worths(unit, WALL)) == {}
    assert analysis.rule_worths(unit, WALL).without_gain == ["Squad: Hunter", "Squad: Charge"]
    assert set(gains(analysis.rule_worths(unit, TANK))) == {
        ("Squad: Hunter", kind) for kind in ("shooting", "melee")
    }
    assert set(gains(analysis.rule_worths(unit, WALL, charged=True))) == {("Squad: Charge", "melee")}


def test_each_item_of_a_choice_and_each_unit_that_a_rule_is_used_on():
    first, second = (wh40k.RuleCondition("choice", (name,)) for name in ("Sharp", "Heavy"))
    chosen = rule(effect("hit", 1, first), effect("wound", 1, second), name="Rite")
    friend = wh40k.RuleCondition("friend")
    blessing = rule(effect("hit", 1, friend, scope="friends"), name="Blessing", of="Priest")
    units = squad(chosen), squad(name="Others"), squad(blessing, name="Priest")
    found = gains(analysis.rule_worths(army(*units), WALL))
    assert found["Squad: Rite=Sharp", "shooting"] == pytest.approx(6 * (1 / 6) * (1 / 2) / 10, rel=1e-12)
    assert found["Squad: Rite=Heavy", "melee"] == pytest.approx(4 * (1 / 2) * (1 / 6) / 10, rel=1e-12)
    assert found["Priest: Blessing > Others", "shooting"] == pytest.approx(0.05, rel=1e-12)
    assert ("Priest: Blessing > Squad", "melee") in found


def test_a_rule_of_the_army_and_equal_units_are_sums():
    pledge = rule(effect(), name="Pledge", of="Army", source="army")
    units = squad(rule(effect("wound", 1, *ONCE))), squad(rule(effect("wound", 1, *ONCE)))
    found = gains(analysis.rule_worths(army(*units, rules=(pledge,)), WALL))
    assert found["Pledge", "shooting"] == pytest.approx(2 * 0.05, rel=1e-12)
    assert found["Squad: Aim", "shooting"] == pytest.approx(2 * 6 * (1 / 2) * (1 / 6) / 10, rel=1e-12)


def test_a_leader_s_gift_is_worth_something_where_he_leads():
    text = wh40k.RuleCondition("leading")
    chief = squad(rule(effect("hit", 1, text), name="Orders", of="Chief"), name="Chief")
    alone = army(chief, squad())
    assert analysis.rule_worths(alone, WALL).without_gain == ["Chief: Orders"]
    led = wh40k.Unit("Chief", 50, chief.models, keywords=("Character",), rules=chief.rules)
    attached = army(led, squad()).attach("Chief", "Squad")
    found = gains(analysis.rule_worths(attached, WALL))
    assert found["Chief: Orders", "shooting"] == pytest.approx(0.05, rel=1e-12)


def test_what_a_defence_spares_where_an_army_attacks():
    """Of 1.5 (or 1) wounds of ten that another squad takes, Feel No Pain 5+ spares a third, and it is never alone."""
    tough = rule(effect("feel_no_pain", (5, ""), side="defence"), name="Tough")
    unit = squad(tough)
    enemy = army(squad(name="Enemy"))
    assert gains(analysis.rule_worths(unit, enemy)) == pytest.approx(
        {("Squad: Tough", "against shooting"): 0.05, ("Squad: Tough", "against melee"): 1 / 30}, rel=1e-12
    )
    # Against targets that do not strike back it is not tried.
    assert analysis.rule_worths(unit, WALL).without_gain == []


def test_what_if_of_an_army():
    given = army(squad(rule(effect())))
    assert analysis.what_if(given, [WALL, TANK]).records == analysis.rule_worths(given, [WALL, TANK]).records
    with pytest.raises(MathhammerError, match="no changes with an army"):
        analysis.what_if(given, WALL, changes=wh40k.CHANGES)


def test_records_and_page():
    worths = analysis.rule_worths(squad(rule(effect(attacks="ranged"))), WALL)
    assert json.loads(worths.to_json())["records"] == [
        {
            "rule": "Squad: Aim",
            "now": "on",
            "kind": "shooting",
            "gain_share": pytest.approx(0.05),
            "gain_models": pytest.approx(worths.records[0]["gain_models"]),
            "gain_probability": pytest.approx(worths.records[0]["gain_probability"]),
            "gain_points": pytest.approx(2.0),
        }
    ]
    assert "Squad: Aim on shooting +5.0%" in " ".join(str(worths).split())


@pytest.mark.skipif(
    "MATHHAMMER_DATA" not in os.environ, reason="MATHHAMMER_DATA does not name the real lists"
)
def test_the_worth_of_a_real_leader_by_hand():
    """A Palatine's Lethal Hits for Boltguns at T4: 5/12 of a wound an attack for 4/12, a quarter more."""
    given = read_army(Path(os.environ["MATHHAMMER_DATA"]) / "rosters" / "10e-sororitas-newrecruit.json")
    led = given.attach("Palatine", "Battle Sisters Squad")["Battle Sisters Squad"]
    guns = led.with_weapons(lambda weapon: weapon.name == "Boltgun")
    target = wh40k.Target("Open", toughness=4, save=None, wounds=1, models=50, points=50)
    [found] = (
        worth
        for worth in analysis.rule_worths(guns, target).records
        if worth["rule"] == "Palatine: Fury of the Righteous"
    )
    attacks = sum(line.count for line in guns.weapons)
    assert (found["now"], found["kind"]) == ("on", "shooting")
    assert found["gain_points"] == pytest.approx(attacks * (5 / 12 - 4 / 12), rel=1e-12)
