"""Whatever attacks or is attacked is given in the same ways to every function of attacks."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import from_text
from mathhammer.errors import MathhammerError
from mathhammer.rosters import sample_army

GUN = 'Gun: 24" A2 BS4+ S4 AP0 D1'
LINE = "Guards: 5x T4 Sv7+ W1"
TARGET = wh40k.Target("Guards", toughness=4, save="7+", wounds=1, models=5)


def squad(*weapons: str) -> wh40k.Unit:
    profiles = [wh40k.Weapon.parse(text) for text in weapons]
    lines = tuple(wh40k.WeaponLine(each.name, 5, "Guard", 0, ((each,),)) for each in profiles)
    return wh40k.Unit("Squad", 50, (wh40k.ModelGroup("Guard", 5, TARGET),), lines)


def test_a_target_is_a_label_a_stat_line_a_unit_of_an_army_or_a_target():
    """Two attacks that hit on 4+ and wound on 4+: 2 x 1/2 x 1/2 wounds lost against each."""
    unit = squad(GUN)
    for target in (TARGET, LINE, unit):
        assert wh40k.attack(GUN, target, exact=True).wounds_lost.mean() == Rational(1, 2)
        assert wh40k.activations([GUN], target, exact=True)[0].result.wounds_lost.mean() == Rational(1, 2)
        assert wh40k.best_order(GUN, target, exact=True).result.wounds_lost.mean() == Rational(1, 2)
        assert wh40k.fast_roll_check(GUN, target).one_at_a_time.wounds_lost.mean() == pytest.approx(0.5)
        assert wh40k.mortal_wounds(3, target, exact=True).kills.mean() == 3
        for table in (analysis.grid(GUN, target), analysis.assign(GUN, target, objective="models")):
            assert table.to_records()
        assert analysis.what_if(GUN, target).mean_kills == pytest.approx(0.5)
        swept = analysis.sweep(GUN, target, {"toughness": (4, 8)})
        assert swept.metric("mean_wounds_lost").tolist() == pytest.approx([1 / 2, 1 / 6])
    wh40k.best_order(GUN, "MEQ")
    wh40k.mortal_wounds(3, "MEQ")


def test_a_label_is_of_the_edition():
    volley = wh40k.best_order(GUN, "GEQ", edition="9e", exact=True)
    alike = wh40k.attack(GUN, wh40k.TARGETS.of("9e")["GEQ"], edition="9e", exact=True)
    assert volley.result.kills == alike.kills


def test_a_unit_attacks_with_what_costs_the_target_most():
    """Ten shots that hit on 4+ and wound on 4+; the pistols have half of them (core rules, Pistol)."""
    pistol = 'Sidearm: 12" A1 BS4+ S4 AP0 D1 [PISTOL]'
    unit = squad(GUN, pistol, "Knife: A1 WS4+ S4 AP0 D1")
    big = wh40k.Target("Beast", toughness=4, save="7+", wounds=30)
    assert wh40k.attack(unit.only("shooting"), big, exact=True).wounds_lost.mean() == Rational(5, 2)
    assert wh40k.attack(unit.only("melee"), big, exact=True).wounds_lost.mean() == Rational(5, 4)
    (shot,) = wh40k.activations([unit.only("shooting")], big, exact=True)
    assert [volley.weapon.name for volley in shot.volleys] == ["Gun"]
    assert analysis.what_if(unit.only("melee"), big).attacker == "Squad (melee)"
    swept = analysis.sweep(unit.only("melee"), big, {"toughness": (4, 8)})
    assert swept.metric("mean_wounds_lost").tolist() == pytest.approx([5 / 4, 5 / 12])


@pytest.mark.parametrize("phase", ["shooting", "melee"])
def test_a_unit_attacks_alone_as_in_the_grid(phase):
    army = sample_army()
    table = analysis.grid(army, "MEQ, TANK", edition="10e")
    rows = {row.label: place for place, row in enumerate(table.attackers) if row.kind == phase}
    for unit in army.units:
        if unit.name in rows:
            for column, label in enumerate(("MEQ", "TANK")):
                alone = wh40k.attack(unit.only(phase), label, edition="10e").wounds_lost.mean()
                assert alone == pytest.approx(table.mean_wounds_lost[rows[unit.name], column], rel=1e-12)


def test_a_text_says_what_a_unit_chose():
    result = wh40k.attack(squad(GUN), LINE, exact=True, edition="9e", indirect=False)
    again = from_text(result.to_text())
    assert "5x Gun" in result.to_text()
    assert again.kills == result.kills


@pytest.mark.parametrize(
    "given", [squad(GUN, "Knife: A1 WS4+ S4 AP0 D1"), squad(), sample_army(), 3, {"a": GUN}]
)
def test_what_is_none_of_these_is_refused(given):
    for function in (
        lambda: wh40k.attack(given, TARGET),
        lambda: wh40k.activations([given], TARGET),
        lambda: wh40k.best_order(given, TARGET),
        lambda: wh40k.fast_roll_check(given, TARGET),
    ):
        with pytest.raises(MathhammerError, match="expected"):
            function()
