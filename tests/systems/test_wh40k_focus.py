"""Several units into one target, against a search through all orders (what is by hand is in `cases/focus.txt`)."""

from itertools import permutations

import pytest
from tenth import wh40k

from mathhammer.rosters import sample_army

PAIR = wh40k.Target("Pair", toughness=5, save="3+", wounds=3, models=2)
LED = wh40k.TargetUnit(
    "Led",
    [wh40k.Target("Guard", toughness=4, save="5+", wounds=1, models=2)],
    leaders=[wh40k.Target("Captain", toughness=4, save="3+", invulnerable="4+", wounds=3)],
)
SMALL = "2x Small: A4 BS3+ S5 AP0 D1"
FOUR = {
    "small": SMALL,
    "large": "1x Large: A2 BS3+ S8 AP-2 DD3",
    "big": "1x Big: A1 BS3+ S12 AP-3 DD6+1",
    "again": SMALL,
}


@pytest.mark.parametrize(
    "target", [PAIR, LED, wh40k.Target("Hurt", toughness=5, save="3+", wounds=3, models=2, wounds_lost=1)]
)
@pytest.mark.parametrize("edition", ["10e", "11e"])
def test_the_fewest_units_and_their_best_order_by_trying_all(target, edition):
    tried = {
        names: float(
            wh40k.focus([FOUR[name] for name in names], target, edition=edition).probability_destroyed
        )
        for number in range(1, 5)
        for names in permutations(FOUR, number)
    }
    for goal in (0.3, 0.6, 0.9, 0.9999):
        found = wh40k.focus(FOUR, target, order="best", goal=goal, edition=edition)
        fewest = min((len(names) for names, chance in tried.items() if chance >= goal), default=None)
        best = max(chance for names, chance in tried.items() if len(names) == (fewest or 4))
        assert (found.enough, len(found.steps)) == (fewest, fewest or 4)
        assert float(found.probability_destroyed) == pytest.approx(best, rel=1e-12)
        assert len(found.left_over) == 4 - len(found.steps)
        assert {step.unit for step in found.steps}.isdisjoint(found.left_over)


def test_the_best_of_both_phases_shoots_before_it_fights():
    """Of two units the best is found among all of their attacks, all shooting first."""
    army = sample_army(edition="10e")
    names = ["Breach Company", "Furnace Wyrm"]
    found = wh40k.focus(army, "VEQ", units=names, kind="both", order="best", goal=0.6)
    volleys = [list(step.volleys) for step in wh40k.focus(army, "VEQ", units=names, kind="both").steps]
    chances = {
        chosen: wh40k.focus([volleys[each] for each in chosen], "VEQ", edition="10e").probability_destroyed
        for number in (1, 2)
        for chosen in permutations(range(4), number)
        if sorted(each // 2 for each in chosen) == [each // 2 for each in chosen]
    }
    assert max(chance for chosen, chance in chances.items() if len(chosen) == 1) < 0.6
    assert found.enough == len(found.steps) == 2
    assert found.probability_destroyed == pytest.approx(max(chances.values()), rel=1e-12)
