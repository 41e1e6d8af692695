"""Pictures over the values of a parameter: the answer is drawn, and changes lie where the better one changes."""

from __future__ import annotations

import pytest
from tenth import analysis, wh40k

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install '.[plot]'")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402 - after the back end is chosen

# Hits on 3+ (2/3); nobody saves.
RIFLE = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
GUN = wh40k.Weapon.parse("Gun: A1 BS3+ S8 AP0 D1")
WALL = wh40k.Target("Wall", toughness=4, save=None, wounds=10)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_one_parameter_is_a_curve():
    # Strength 4 wounds Toughness 2 on 2+, 4 on 4+ and 8 on 6+.
    ax = analysis.sweep(RIFLE, WALL, {"toughness": (2, 4, 8)}).plot()
    assert list(ax.lines[0].get_ydata()) == pytest.approx([2 * 2 / 3 * chance / 6 for chance in (5, 3, 1)])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "4", "8"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("toughness", "mean wounds lost")
    assert ax.get_title(loc="left") == "Rifle against Wall, edition 10e"
    assert ax.get_ylim()[0] == 0


def test_two_parameters_are_a_heat_map_in_their_order():
    ax = analysis.sweep(RIFLE, WALL, {"save": ("4+", "7+"), "toughness": (4,)}).plot(title="As asked")
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title(loc="left")) == ("save", "toughness", "As asked")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["4+", "7+"]
    assert [text.get_text() for text in ax.texts] == ["0.33", "0.67"]


def test_an_answer_without_a_picture_of_its_own_shades_each_of_its_numbers():
    # Two shots of Strength 4 against Toughness 4 wound 2 x 2/3 x 1/2 times: as much again by another damage.
    answer = analysis.what_if(
        RIFLE, WALL, changes=[each for each in wh40k.CHANGES if str(each) == "+1 Damage"]
    )
    ax = answer.plot("added_wounds_lost")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["+1 Damage"]
    assert [text.get_text() for text in ax.texts] == ["0.67"]


def test_chances_read_in_percent():
    one = wh40k.Target("One", toughness=4, save=None, wounds=1)
    ax = analysis.sweep(GUN, one, {"toughness": (8, 4)}).plot("probability_destroyed")
    assert list(ax.lines[0].get_ydata()) == pytest.approx([1 / 3, 5 / 9])
    assert ax.yaxis.get_major_formatter()(0.5, 0) == "50%"


def test_a_break_even_marks_where_the_better_one_changes():
    # Two shots of Strength 4 on 3+, 4+, 6+ against one of Strength 8 on 2+, 2+, 4+: 8 to 5, 6 to 5, 2 to 3.
    answer = analysis.break_even(RIFLE, GUN, WALL, values=(3, 4, 8))
    ax = answer.plot()
    curves, change = ax.lines[:2], ax.lines[2]
    assert list(curves[0].get_ydata()) == pytest.approx([2 / 3 * six / 6 for six in (8, 6, 2)])
    assert list(curves[1].get_ydata()) == pytest.approx([2 / 3 * six / 6 for six in (5, 5, 3)])
    assert list(change.get_xdata()) == [1.5, 1.5]  # between the second value and the third
    assert [label.get_text() for label in ax.get_xticklabels()] == ["3", "4", "8"]
    assert ax.get_title(loc="left") == "Rifle against Gun at Wall, edition 10e"
    assert curves[0].get_linestyle() != curves[1].get_linestyle()
    assert answer.notes == ["Gun becomes better between toughness 4 and 8."]
