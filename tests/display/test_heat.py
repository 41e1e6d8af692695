"""Heat tables of joint distributions: every probability in its place, and none where the table would be too large."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tenth import wh40k

import mathhammer as mh

RIFLE = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D1")
MARINES = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=2)


def cells(html):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(html).iter("tr")]  # noqa: S314 - our own text


def test_the_state_of_a_unit_is_a_table_of_its_probabilities():
    # Two shots, each wounding with 1/3, one damage: 4/9 nothing, 4/9 one wound, 1/9 one model.
    state = wh40k.attack(RIFLE, MARINES, count=2, exact=True).state
    html = state._repr_html_()
    assert "kills (across) and wounds lost by next (down)" in html
    assert cells(html)[1:] == [["0", "44.4%", "11.1%"], ["1", "44.4%", ""]]
    assert "currentColor" in html
    assert "#" not in html, "a colour of its own would be lost on a dark page or on a light one"


def test_a_joint_distribution_prints_as_a_table():
    state = wh40k.attack(RIFLE, MARINES, count=2).state
    assert str(state).splitlines() == [
        "kills  wounds lost by next  probability",
        "    0                    0       44.44%",
        "    0                    1       44.44%",
        "    1                    0       11.11%",
    ]


def test_a_large_joint_distribution_is_not_drawn_and_prints_its_likeliest():
    d10 = mh.distribution("10D10")
    joint = mh.JointDistribution.independent(a=d10, b=d10)
    assert joint._repr_html_() is None
    lines = str(joint).splitlines()
    assert len(lines) == 42
    assert lines[-1].startswith("The 40 likeliest; 8,241 outcomes more (")


def test_other_numbers_of_axes_are_drawn_by_their_bars():
    joint = mh.distribution("D6").joint(face=lambda k: k)
    assert joint._repr_html_().count("<svg") == 1


def test_a_distribution_of_a_unit_shows_itself():
    distribution = wh40k.attack(RIFLE, MARINES, count=4).given(lambda state: state[0] == 1)
    assert (
        repr(distribution) == "<UnitDistribution float64: mean 1.00 of 2 models destroyed, P(destroyed) 0%>"
    )
    html = distribution._repr_html_()
    assert "models destroyed 1.00 of 2" in html
    assert html.count("<svg") == 2


def test_a_possible_outcome_is_never_blank_or_zero():
    joint = mh.JointDistribution.independent(
        a=mh.Distribution({0: 1 - 1e-9, 1: 1e-9}), b=mh.distribution("D2")
    )
    assert cells(joint._repr_html_())[1] == ["1", "50.0%", "<0.1%"]


def test_the_improbable_ends_of_many_outcomes_are_left_out():
    # P(a > 1) = 16/40,016: less than 0.05 %, so that the columns from 2 on are left out.
    a = mh.Distribution.from_weights({0: 20_000, 1: 20_000, **dict.fromkeys(range(2, 18), 1)})
    joint = mh.JointDistribution.independent(a=a, b=mh.distribution("D2"))
    html = joint._repr_html_()
    assert cells(html) == [["b \\ a", "0", "1"], ["1", "25.0%", "25.0%"], ["2", "25.0%", "25.0%"]]
    assert "what is not shown has 0.04%" in html


def test_parts_of_one_outcome_are_added():
    joint = mh.distribution("D4").joint(low=lambda k: k > 2, same=lambda k: k > 2)
    assert cells(joint._repr_html_())[1:] == [["0", "50.0%", ""], ["1", "", "50.0%"]]
    assert str(joint).splitlines()[1:] == ["  0     0       50.00%", "  1     1       50.00%"]


def test_a_result_is_a_panel_of_what_is_destroyed_and_lost():
    result = wh40k.attack(RIFLE, MARINES, count=2)
    html = result._repr_html_()
    assert html.count("<svg") == 2
    assert "<strong>Models destroyed</strong>" in html
    assert "<strong>Wounds lost</strong>" in html
    assert "Warhammer 40,000 10th edition" in html
    assert "Rulings in force: " in html
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1, models=2)
    assert wh40k.attack(RIFLE, guard)._repr_html_().count("<svg") == 1


def test_the_middle_of_a_distribution_is_marked():
    html = mh.distribution("2D6")._repr_html_()
    assert "<title>5% to 95%: 3 to 11</title>" in html
    assert "5% to 95%: 3 to 11</small>" in html


def test_names_of_rows_stand_below_their_corner():
    html = mh.JointDistribution.independent(a=mh.distribution("D2"), b=mh.distribution("D2"))._repr_html_()
    corner, *columns = ET.fromstring(html).iter("th")  # noqa: S314 - our own text
    assert "text-align:left" in corner.attrib["style"]
    assert [column.attrib["style"].split("text-align:")[1] for column in columns] == [
        "right",
        "right",
        "left",
        "left",
    ]
