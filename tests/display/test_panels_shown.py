"""Panels: facts are broken between words, and what a page does to tables is kept out of them."""

from __future__ import annotations

from tenth import analysis, wh40k

from mathhammer import t9a
from mathhammer.display.panel import HeatTable, Panel

RIFLE = wh40k.Weapon.parse("Rifle: A1 BS4+ S4 AP0 D1")


def test_a_fact_longer_than_a_line_is_broken_between_words():
    text = Panel("Names", {"short": "a b", "long": "one two three four five"}).text(width=12)
    assert text.splitlines() == ["Names", "short a b,", "long one two", "three four", "five"]


def test_rows_of_a_heat_table_are_not_striped_by_the_page():
    html = HeatTable(["x"], [("a", [0.5]), ("b", [0.0])]).html()
    assert html.count('<tr style="background:none"') == 2


def test_a_unit_of_several_kinds_says_what_each_loses():
    # One shot hits on 4+, wounds on 4+ and meets no save; the captain comes last.
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    captain = wh40k.Target("Captain", toughness=4, save="2+", wounds=3)
    unit = wh40k.TargetUnit("Unit", [guard], leaders=[captain])
    lines = str(wh40k.attack(RIFLE, unit)).splitlines()
    start = lines.index("models   number  mean destroyed  P(all destroyed)")
    assert lines[start + 1].split() == ["Guard", "1", "0.25", "25.00%"]
    assert lines[start + 2].split() == ["Captain", "1", "0", "0%"]
    assert "P(all destroyed)" not in str(wh40k.attack(RIFLE, guard))


def test_the_losses_of_a_combat_name_their_units():
    def side(name):
        part = t9a.ModelPart("spear", attacks=1, offensive_skill=3, strength=3)
        return t9a.Unit(t9a.Target(name, models=1, defensive_skill=3, resilience=3), part)

    text = str(t9a.fight(side("Orcs"), side("Elves")))
    assert "Health Points lost by Orcs (first, across) and Elves (second, down)" in text
    assert "Combat Score of Orcs less that of Elves" in text


def test_the_dominated_stand_below_the_efficient():
    squads = [
        analysis.Attacker(name, wh40k.Volley(RIFLE, count), points=cost)
        for name, count, cost in (("five", 5, 80), ("dear", 5, 90))
    ]
    text = str(analysis.frontier(analysis.grid(squads, "MEQ")))
    assert text.splitlines()[-1] == "Dominated: dear."
    assert text.count("dear") == 1


def test_a_sweep_shows_no_table_of_numbers_that_nobody_has():
    answer = analysis.sweep(RIFLE, "MEQ", {"toughness": (4, 5), "save": ("3+", "4+")})
    assert "points destroyed:" in str(answer)
    assert "points per point" not in str(answer), "the rifle has no points"
    assert str(answer).splitlines()[1] == "attacker Rifle, target MEQ, edition 10e"
