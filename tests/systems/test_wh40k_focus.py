"""Several units into one target: by hand, against single attacks, and against a search through all orders."""

from itertools import permutations

import pytest
from tenth import wh40k

from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.rosters import sample_army

#: Inflicts its wound with 1/2: it hits without a roll and wounds on 4+, and there is no save.
FLAMER = wh40k.Weapon.parse('Flamer: 12" A1 S4 AP0 D1 [TORRENT]')
ONE = wh40k.Target("One", toughness=4, save=None, wounds=1)
LARGE = wh40k.Weapon.parse("Large: A2 BS3+ S8 AP-2 DD3")
SMALL = wh40k.Weapon.parse("Small: A4 BS3+ S5 AP0 D1")
BIG = wh40k.Weapon.parse("Big: A1 BS3+ S12 AP-3 DD6+1 [MELTA 2]")
OPTIONS = {"edition": "10e"}
PAIR = wh40k.Target("Pair", toughness=5, save="3+", wounds=3, models=2)
LED = wh40k.TargetUnit(
    "Led",
    [wh40k.Target("Guard", toughness=4, save="5+", wounds=1, models=2)],
    leaders=[wh40k.Target("Captain", toughness=4, save="3+", invulnerable="4+", wounds=3)],
)
ONCE = wh40k.Target("Once", toughness=7, save="3+", wounds=5, damage_to_0=True)


@pytest.mark.parametrize("exact", [False, True])
def test_odds_after_each_unit_by_hand(exact):
    found = wh40k.focus([FLAMER, FLAMER, FLAMER], ONE, goal=0.8, exact=exact, **OPTIONS)
    assert [step.unit for step in found.steps] == ["Flamer", "Flamer #2", "Flamer #3"]
    assert [float(step.probability_destroyed) for step in found.steps] == pytest.approx(
        [1 / 2, 3 / 4, 7 / 8], rel=1e-12
    )
    assert [float(step.probability_needed) for step in found.steps] == pytest.approx(
        [1, 1 / 2, 1 / 4], rel=1e-12
    )
    assert (found.enough, found.points_spared, found.result.exact) == (3, None, exact)


def test_steps_are_the_attacks_one_after_another():
    volleys = [wh40k.Volley(SMALL, 3), wh40k.Volley(BIG, 1, half_range=True), wh40k.Volley(LARGE, 2)]
    found = wh40k.focus(volleys, LED, **OPTIONS)
    state = None
    for volley, step in zip(volleys, found.steps, strict=True):
        state = wh40k.attack(volley, LED, start=state, **OPTIONS)
        assert step.result.state.to_dict() == state.state.to_dict()
    assert found.result is found.steps[-1].result


@pytest.mark.parametrize(
    "target", [PAIR, LED, wh40k.Target("Hurt", toughness=5, save="3+", wounds=3, models=2, wounds_lost=1)]
)
@pytest.mark.parametrize("goal", [0.3, 0.6, 0.9, 0.9999])
@pytest.mark.parametrize("edition", ["10e", "11e"])
def test_the_fewest_units_and_their_best_order_by_trying_all(target, goal, edition):
    attackers = {
        "small": wh40k.Volley(SMALL, 2),
        "large": wh40k.Volley(LARGE, 1),
        "big": wh40k.Volley(BIG, 1),
        "second small": wh40k.Volley(SMALL, 2),
    }
    found = wh40k.focus(attackers, target, order="best", goal=goal, edition=edition)
    best: tuple[int, float] | None = None
    for number in range(1, 5):
        tried = [
            float(
                wh40k.focus(
                    [attackers[name] for name in names], target, edition=edition
                ).probability_destroyed
            )
            for names in permutations(attackers, number)
        ]
        if max(tried) >= goal:
            best = number, max(tried)
            break
    if best is None:
        assert (found.enough, len(found.steps)) == (None, 4)
        assert float(found.probability_destroyed) == pytest.approx(max(tried), rel=1e-12)
        return
    assert len(found.steps) == found.enough == best[0]
    assert float(found.probability_destroyed) == pytest.approx(best[1], rel=1e-12)
    assert len(found.left_over) == 4 - best[0]
    assert {step.unit for step in found.steps}.isdisjoint(found.left_over)


def test_a_goal_out_of_reach_has_a_best_order_all_the_same():
    """The guard's 2 wounds go on with the strong shot last; it first, as what loses most models first, is 25/1458."""
    kinds = [wh40k.Target("A", toughness=4, save="3+", wounds=1)]
    kinds += [wh40k.Target("B", toughness=4, save="6+", wounds=2)]
    shots = {"strong": "X: A1 BS3+ S4 AP-2 D2", "weak": "Y: A1 BS3+ S4 AP0 D1", "too": "Y: A1 BS3+ S4 AP0 D1"}
    found = wh40k.focus(shots, wh40k.TargetUnit("Both", kinds), order="best", edition="11e", exact=True)
    assert str(found.probability_destroyed) == "17/243"
    assert (
        found.sentence() == "The goal of 80% is out of reach: weak, too and strong destroy Both with 7.00%."
    )


def unit(name, points, volley):
    line = wh40k.WeaponLine(volley.weapon.name, volley.count, name, 0, ((volley.weapon,),))
    return wh40k.Unit(name, points, (wh40k.ModelGroup(name, 1, ONE),), (line,))


def test_points_are_spared_where_points_are_to_be_spared():
    """Two cheap units reach what one dear one reaches: 3/4 against 3/4."""
    cheap = [unit(name, 10, wh40k.Volley(FLAMER, 1)) for name in ("A", "B")]
    dear = unit("C", 50, wh40k.Volley(FLAMER, 2))
    army = wh40k.Army("Army", "", "10e", 70, (*cheap, dear))
    by_units = wh40k.focus(army, ONE, order="best", goal=0.75)
    by_points = wh40k.focus(army, ONE, order="best", goal=0.75, by="points")
    assert ([step.unit for step in by_units.steps], by_units.left_over) == (["C"], ("A", "B"))
    assert ([step.unit for step in by_points.steps], by_points.left_over) == (["A", "B"], ("C",))
    assert by_points.points_spared == pytest.approx(5, rel=1e-12)  # B, with 1/2


def test_an_army_attacks_by_its_list_or_by_the_names_given():
    army = sample_army(edition="10e")
    shooting = wh40k.focus(army, "MEQ")
    assert all(step.phase == "shooting" for step in shooting.steps)
    names = [step.unit for step in shooting.steps[1:3]][::-1]
    chosen = wh40k.focus(army, "MEQ", units=names)
    assert [step.unit for step in chosen.steps] == names
    first = wh40k.attack(army[names[0]].only("shooting"), "MEQ", edition="10e")
    assert float(chosen.steps[0].probability_destroyed) == pytest.approx(
        float(first.probability_destroyed), rel=1e-12
    )


def test_all_shoot_before_any_fights():
    army = sample_army(edition="10e")
    phases = [step.phase for step in wh40k.focus(army, "TEQ", kind="both").steps]
    assert phases == sorted(phases, reverse=True)
    assert set(phases) == {"shooting", "melee"}


def test_the_best_of_both_phases_shoots_before_it_fights():
    """Of two units the best is found among all of their attacks, all shooting first."""
    army = sample_army(edition="10e")
    names = ["Breach Company", "Furnace Wyrm"]
    found = wh40k.focus(army, "VEQ", units=names, kind="both", order="best", goal=0.6)
    steps = wh40k.focus(army, "VEQ", units=names, kind="both").steps
    volleys = [list(step.volleys) for step in steps]
    chances = {
        chosen: wh40k.focus([volleys[each] for each in chosen], "VEQ", edition="10e").probability_destroyed
        for number in (1, 2)
        for chosen in permutations(range(4), number)
        if sorted(each // 2 for each in chosen) == [each // 2 for each in chosen]
    }
    assert max(chance for chosen, chance in chances.items() if len(chosen) == 1) < 0.6
    assert found.enough == len(found.steps) == 2
    assert found.probability_destroyed == pytest.approx(max(chances.values()), rel=1e-12)


def test_it_continues_from_an_earlier_result():
    first = wh40k.attack(wh40k.Volley(SMALL, 2), PAIR, **OPTIONS)
    found = wh40k.focus([LARGE, BIG], PAIR, order="best", goal=0.001, start=first, **OPTIONS)
    after = [wh40k.attack(each, PAIR, start=first, **OPTIONS).probability_destroyed for each in (LARGE, BIG)]
    assert float(found.probability_destroyed) == pytest.approx(max(after), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wh40k.focus([], ONE), "expected at least one unit, got none"),
        (lambda: wh40k.focus([FLAMER], ONE, goal=80), "80 % is 0.8|write 0.8"),
        (lambda: wh40k.focus(sample_army(), ONCE, order="best", kind="both"), "search each phase"),
        (lambda: wh40k.focus([FLAMER], ONE, order="best", by="points"), "by='units'"),
        (lambda: wh40k.focus([FLAMER], ONE, units=["Flamer"]), "leave units=... out"),
        (lambda: wh40k.focus(sample_army(), "MEQ", units=["Hill Battery", "Hill Battery"]), "twice"),
        (lambda: wh40k.focus(sample_army(), "MEQ", units=["Hill Batery"]), "Hill Battery"),
        (lambda: wh40k.focus([FLAMER] * 61, ONE), "at most 60"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(MathhammerError, match=message):
        call()


def test_too_many_different_units_are_refused_before_the_search():
    many = {f"unit {n}": wh40k.Volley(FLAMER, n) for n in range(1, 41)}
    crowd = wh40k.Target("Crowd", toughness=4, save=None, wounds=1, models=120)
    with pytest.raises(TooLargeError, match="name fewer units"):
        wh40k.focus(many, crowd, order="best")
