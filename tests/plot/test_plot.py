"""Pictures: what is drawn is the distribution, what is written says so, and nothing global changes."""

from __future__ import annotations

import sys

import pytest
from tenth import analysis, wh40k

import mathhammer as mh
from mathhammer import MathhammerError, plot, t9a, trench_crusade
from mathhammer.errors import TooLargeError, UnknownNameError
from mathhammer.systems.trench_crusade.game import OUTCOMES

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install '.[plot]'")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402 - after the back end is chosen

# One rifle that hits on 3+ (2/3) and wounds on 4+ (1/2), no save, two damage against two-wound models.
RIFLE = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D2")
MARINES = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=2)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture
def two_shots():
    return wh40k.attack(RIFLE, MARINES, count=2, exact=True)


def heights(ax):
    return [bar.get_height() for bar in ax.containers[0]]


def title(ax):
    return ax.get_title(loc="left")


@pytest.mark.parametrize("exact", [False, True])
def test_bars_are_the_probabilities(exact):
    ax = mh.distribution("2D6", exact=exact).plot(unit="total")
    assert heights(ax) == pytest.approx([ways / 36 for ways in (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)], rel=1e-14)
    assert [round(bar.get_x() + bar.get_width() / 2) for bar in ax.containers[0]] == list(range(2, 13))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("total", "probability of exactly this many")
    assert title(ax) == "mean 7.00, standard deviation 2.42"


@pytest.mark.parametrize("kind", ["pmf", "at_least"])
def test_mean_and_middle_are_marked(kind):
    ax = mh.distribution("2D6").plot(kind)
    # 1/36 is less than 5 %, 3/36 is more: the middle reaches from 3 to 11.
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "5% to 95%: 3 to 11",
        "mean 7.00",
        "median 7",
    ]
    assert [7, 7] in [list(line.get_xdata()) for line in ax.lines]


@pytest.mark.parametrize(
    ("kind", "quarters"),
    [("at_least", [4, 3, 2, 1]), ("cdf", [1, 2, 3, 4]), ("ccdf", [3, 2, 1, 0])],
)
def test_curves_are_the_tails(kind, quarters):
    ax = mh.distribution("D4", exact=True).plot(kind)
    assert list(ax.lines[0].get_xdata()) == [1, 2, 3, 4]
    assert list(ax.lines[0].get_ydata()) == [n / 4 for n in quarters]


def test_a_possible_outcome_is_never_written_as_zero():
    ax = mh.Distribution({0: 1 - 1e-9, 1: 1e-9}).plot()
    assert [text.get_text() for text in ax.texts] == [">99.9%", "<0.1%"]


def test_what_is_out_of_view_is_said_and_still_drawn():
    ax = mh.distribution("100D6").plot()
    assert len(ax.containers[0]) == 501
    assert "Not in view: 100 to " in ax.get_xlabel()
    assert "to 600, less than 0.01%" in ax.get_xlabel()


def test_missing_mass_is_said_and_has_no_mean():
    ax = mh.distribution("explode(D6, 6, depth 2)", exact=True).plot()
    assert title(ax).startswith("missing 0.46% ")
    assert ax.get_legend() is None


def test_a_result_shows_kills_and_its_edition(two_shots):
    ax = two_shots.plot()
    assert heights(ax) == pytest.approx([4 / 9, 4 / 9, 1 / 9], rel=1e-14)
    assert title(ax) == "edition 10e, exact: mean 0.67 of 2 models destroyed, P(destroyed) 11.11%"
    assert ax.get_xlabel() == "Models destroyed"
    assert two_shots.plot("at_least", of="hits").lines[0].get_ydata() == pytest.approx([1, 8 / 9, 4 / 9])


def test_the_funnel_holds_the_means_of_every_step(two_shots):
    ax = two_shots.plot("funnel")
    means = [bar.get_width() for bar in ax.containers[0]]
    assert means == pytest.approx([2, 4 / 3, 2 / 3, 2 / 3, 4 / 3, 2 / 3], rel=1e-14)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["attacks", "hits", "wounds", "unsaved wounds", "damage", "models destroyed"]
    assert ax.texts[2].get_text() == "0.67 (50% of hits)"
    assert ax.texts[5].get_text() == "0.67", "models are no share of damage"
    assert ax.yaxis_inverted()


def test_the_state_is_a_heat_map_with_numbers(two_shots):
    ax = two_shots.plot("state")
    values = ax.images[0].get_array()
    assert values.shape == (1, 3)
    assert values[0].tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])
    assert [text.get_text() for text in ax.texts] == ["44.4%", "44.4%", "11.1%"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("kills", "wounds lost by next")


def test_cells_that_cannot_happen_stay_empty():
    joint = mh.distribution("D2", exact=True).joint(x=lambda k: k, y=lambda k: k)
    ax = joint.plot()
    assert len(ax.texts) == 2
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [True, False]]


def test_many_cells_have_a_scale_instead_of_numbers():
    d6 = mh.distribution("4D6")
    ax = mh.JointDistribution.independent(a=d6, b=d6).plot()
    scale = ax.figure.axes[1]
    assert (len(ax.texts), scale.get_ylabel()) == (0, "probability")
    assert scale.yaxis.get_major_formatter()(0.01).endswith("%")


def test_comparisons_name_their_distributions_and_differ_without_colour(two_shots):
    three = wh40k.attack(RIFLE, MARINES, count=3, exact=True)
    ax = plot.compare(two=two_shots, three=three)
    assert list(ax.lines[0].get_ydata()) == pytest.approx([1, 5 / 9, 1 / 9])
    assert len({(line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 2
    assert title(ax) == "Models destroyed, edition 10e"
    bars = plot.compare(kind="pmf", a=mh.distribution("D6"), b=mh.distribution("2D3"))
    assert len({container.patches[0].get_hatch() for container in bars.containers}) == 2
    assert [bar.get_height() for bar in bars.containers[1]] == pytest.approx([n / 9 for n in (1, 2, 3, 2, 1)])


def test_a_grid_has_a_cell_for_each_pair():
    ax = analysis.grid({"Squad": wh40k.Volley(RIFLE, 10)}, "GEQ, MEQ").plot("mean_kills")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["GEQ", "MEQ"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Squad"]
    assert title(ax) == "mean kills\n1 attacker x 2 targets, edition 10e"
    assert len(ax.texts) == 2


def test_all_draw_where_they_are_told_and_change_nothing_global(two_shots):
    before = dict(matplotlib.rcParams)
    _, places = plt.subplots(2, 3)
    one, two, three, four, five, _ = places.flat
    d6 = mh.distribution("D6")
    assert d6.plot(ax=one, title="mine", color="black") is one
    assert d6.plot("cdf", ax=two) is two
    assert two_shots.plot("funnel", ax=three) is three
    assert two_shots.plot("state", ax=four) is four
    assert plot.compare(ax=five, a=d6) is five
    assert title(one) == "mine"
    assert len(plt.get_fignums()) == 1
    assert dict(matplotlib.rcParams) == before


def test_errors_say_what_was_expected(two_shots):
    plt.close("all")  # what other tests have left open
    with pytest.raises(
        UnknownNameError, match="expected 'pmf' or 'at_least' or 'cdf' or 'ccdf' as the kind of a plot, got"
    ):
        mh.distribution("D6").plot("pie")
    with pytest.raises(
        UnknownNameError,
        match=r"'pmf' or .* or 'ccdf' or 'kills' or .* or 'funnel' or 'state' as the kind of a plot, got 'pie'",
    ):
        two_shots.plot("pie")
    with pytest.raises(UnknownNameError, match="expected 'kills' or 'wounds_lost' or 'attacks' or 'hits'"):
        two_shots.plot(of="luck")
    with pytest.raises(MathhammerError, match="expected distributions by name to compare"):
        plot.compare()
    with pytest.raises(MathhammerError, match="expected a Distribution or a result with one as a, got 3"):
        plot.compare(a=3)
    three = mh.JointDistribution.independent(**{name: mh.distribution("D3") for name in "abc"})
    with pytest.raises(
        MathhammerError, match=r"two axes for a heat map, got a, b, c; pick two with marginal"
    ):
        three.plot()
    wide = mh.JointDistribution.independent(a=mh.distribution("40D6"), b=mh.distribution("40D6"))
    with pytest.raises(TooLargeError, match="at most 20,000 cells, got 40,401"):
        wide.plot()
    assert plt.get_fignums() == []


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MathhammerError) as error:
        mh.distribution("D6").plot()
    assert str(error.value) == (
        "a plot needs matplotlib, which is not installed; pip install 'mathhammer[plot]'"
    )


def test_injuries_are_bars_in_their_order():
    result = trench_crusade.attack(trench_crusade.Weapon("Musket", kind="ranged"), trench_crusade.Target())
    ax = result.plot()
    chances = [float(result.outcome.pmf(name)) for name in OUTCOMES]
    assert heights(ax) == pytest.approx(chances, rel=1e-12)
    # A Success Roll of two dice fails with 15 of 36.
    assert heights(ax)[0] == pytest.approx(15 / 36, rel=1e-12)
    assert [text.get_text() for text in ax.get_xticklabels()] == list(OUTCOMES)
    worse = heights(result.plot("at_least"))
    assert worse[0] == 1
    assert worse[1] == pytest.approx(21 / 36, rel=1e-12)
    assert worse == sorted(worse, reverse=True)
    assert "edition 1.0.2" in title(ax)
    assert result.plot("blood").get_xlabel() == "Blood Markers of the target"


def test_a_round_of_combat_is_a_heat_map_or_its_winner():
    def side(name):
        part = t9a.ModelPart("spear", attacks=1, offensive_skill=3, strength=3)
        return t9a.Unit(t9a.Target(name, models=1, defensive_skill=3, resilience=3), part)

    fight = t9a.fight(side("Ann"), side("Ben"))
    # Each strikes at the same step and wounds with 1/2 * 1/2.
    assert heights(fight.plot("winner")) == pytest.approx([3 / 16, 10 / 16, 3 / 16], rel=1e-12)
    losses = fight.plot()
    assert (losses.get_xlabel(), losses.get_ylabel()) == (
        "Health Points lost by Ann",
        "Health Points lost by Ben",
    )
    assert {text.get_text() for text in losses.texts} == {"56.2%", "18.8%", "6.2%"}
    assert fight.plot("difference").get_xlabel() == "Combat Score of Ann less that of Ben"
    ax = t9a.attack(t9a.ModelPart("bow", attacks=2, aim="4+", strength=3), side("Ann").target).plot(
        of="wounds_lost"
    )
    assert ax.get_xlabel() == "Health Points lost"


def test_charges_and_tests_are_curves():
    charge = t9a.charge(advance=4, distance=11).plot()
    curve = dict(zip(*charge.lines[0].get_data(), strict=True))
    assert curve[11] == pytest.approx(21 / 36, rel=1e-12)
    assert title(charge) == 'Charge of 11", edition 2e, float64: P(success) 58.33%'
    test = t9a.break_test(8, lost_by=3).plot()
    assert dict(zip(*test.lines[0].get_data(), strict=True))[5] == pytest.approx(10 / 36, rel=1e-12)
    assert title(test) == "Break Test, edition 2e, float64: P(success) 27.78%"


def test_an_unknown_kind_of_picture_is_named():
    with pytest.raises(mh.MathhammerError, match="'ccdf' or 'outcome' as the kind of a plot, got 'pie'"):
        trench_crusade.success_roll().outcome.plot("pie")
    with pytest.raises(mh.MathhammerError, match="expected 'pmf' as the kind of a plot, got 'cdf'"):
        t9a.fight(*[t9a.Unit("1 models, Def 3, Res 3", "1 attacks, Off 3, Str 3") for _ in "AB"]).plot("cdf")
    with pytest.raises(mh.MathhammerError, match="expected what can be drawn, got '2D6'"):
        plot.draw("2D6")


def test_names_of_keywords_are_shown_as_words(two_shots):
    ax = plot.compare(two_shots=two_shots, **{"a_b c": two_shots})
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split(" (mean")[0] for text in legend] == ["two shots", "a_b c"]
    assert title(plot.compare(four_sides=mh.distribution("D4"))) == "four sides compared"


def test_labels_of_targets_are_tilted_only_where_they_would_meet():
    def tilt(targets):
        ax = analysis.grid({"Squad": RIFLE}, targets).plot()
        return {label.get_rotation() for label in ax.get_xticklabels()}

    assert tilt("GEQ, MEQ, TEQ, GRAVIS, LIGHT, TANK, KEQ") == {0}
    long = [
        wh40k.Target(f"Marines of the {place} company", toughness=4, save="3+", wounds=2) for place in "abc"
    ]
    assert tilt(long) == {40}


@pytest.mark.parametrize(
    ("height", "text"), [(0, "0%"), (0.15, "15%"), (0.025, "2.5%"), (1, "100%"), (0.07, "7%")]
)
def test_ticks_have_no_digits_that_say_nothing(height, text):
    ax = mh.distribution("2D6").plot()
    assert ax.yaxis.get_major_formatter()(height, 0) == text


def test_twenty_outcomes_are_shown_where_they_are_likely():
    ax = mh.Distribution.from_weights({0: 10**6, 1: 10**6, 20: 1}).plot(unit="kills")
    assert ax.get_xlim() == pytest.approx((-0.7, 1.7))
    assert ax.get_xlabel() == "kills\nNot in view: 2 to 20, less than 0.01%"


@pytest.mark.parametrize("name", ["$x^$", "$\\frac$", "_hidden", "100 $ and 5 $"])
def test_names_are_drawn_letter_by_letter(name):
    weapon = wh40k.Weapon(name, range='24"', attacks=1, skill="3+", strength=4, ap=0, damage=2)
    target = wh40k.Target(name, toughness=4, save=None, wounds=2)
    result = wh40k.attack(weapon, target)
    body = t9a.Target(name, models=1, defensive_skill=3, resilience=3)
    side = t9a.Unit(body, "1 attacks, Off 3, Str 3")
    fight = t9a.fight(side, side)
    drawn = [
        plot.compare(**{name: result.kills, "b": result.kills}, unit=name),
        result.kills.plot(unit=name),
        result.plot(),
        analysis.grid({name: weapon}, [target]).plot(),
        analysis.sweep(weapon, target, {"toughness": (3, 4)}).plot(),
        analysis.sweep(weapon, target, {"toughness": (3, 4), "save": ("3+", "4+")}).plot(),
        analysis.break_even(weapon, RIFLE, target, "toughness").plot(),
        *(fight.plot(kind) for kind in ("losses", "difference", "winner")),
        mh.distribution("2D6").joint(**{name: lambda k: k, "b": lambda k: k}).plot(),
    ]
    legends = []
    for ax in drawn:
        ax.figure.canvas.draw()
        legends += [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []
    assert sum(name.strip("_") in text.replace("\\$", "$") for text in legends) >= 2


def test_a_title_fits_small_axes():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    wh40k.attack("Lascannon: A1 BS3+ S12 AP-3 DD6+1", "VEQ", count=4).plot(ax=left)
    wh40k.attack("Lascannon: A1 BS3+ S12 AP-3 DD6+1", "VEQ", count=4).plot(ax=right)
    figure.canvas.draw()
    assert left._left_title.get_window_extent().x1 < right._left_title.get_window_extent().x0
    assert right._left_title.get_window_extent().x1 <= figure.bbox.x1
    plt.close(figure)
