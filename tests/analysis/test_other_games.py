"""Units of Age of Sigmar in grids and assignments: the numbers of single attacks, and the best of all divisions."""

from itertools import product

import numpy as np
import pytest

from mathhammer import aos
from mathhammer.analysis import assign, grid
from mathhammer.errors import MathhammerError

GUARD = aos.Unit("Guard: 5 models, Health 2, Save 3+, 110 points", "5 x Hammer 2 3+ 3+ 1 1 Crit (Mortal)")
OGORS = aos.Unit(
    "Ogors: 4 models, Health 4, Save 5+, 3 damage points, 200 points",
    ["4 x Club 3 4+ 3+ 1 2", '4 x Gun 12" 1 4+ 3+ 1 D3'],
)


def test_the_cells_of_a_grid_are_single_attacks():
    table = grid([GUARD, OGORS], "CHAFF,GOD", charged=True)
    assert [row.name for row in table.attackers] == ["Guard (melee)", "Ogors (shooting)", "Ogors (melee)"]
    for (row, column), lost in np.ndenumerate(table.mean_wounds_lost):
        result = aos.attack(table.attackers[row].attacks, aos.TARGETS[("CHAFF", "GOD")[column]], charged=True)
        assert lost == pytest.approx(result.wounds_lost.mean())
        kills = table.kills(row, column)
        assert kills.mean() == pytest.approx(result.kills.mean())
        assert table.probability_destroyed[row, column] == pytest.approx(result.probability_destroyed)


def test_both_ways_and_points():
    table = grid([GUARD, OGORS], [GUARD, OGORS], both_ways=True)
    assert table.trade_ratio[0, 0] == pytest.approx(1)
    struck = aos.attack(GUARD.weapons, OGORS.target)
    assert table.points_destroyed[0, 1] == pytest.approx(struck.kills.mean() * 50)
    assert table.share_lost[0, 1] == pytest.approx(struck.wounds_lost.mean() / 13)


def test_a_mapping_of_weapons_and_lines_of_targets():
    given = {"axes": [aos.Weapon.parse("3 x Axe 2 3+ 3+ 1 1"), aos.Weapon.parse("Horn 1 3+ 3+ 1 1")]}
    table = grid(given, ["Mob: 9 models, Health 1, Save 5+", GUARD], edition="4e-2024")
    # Of 7 attacks 4/9 wound, and 5/6 or 1/2 of these are not saved.
    assert table.mean_wounds_lost == pytest.approx(np.array([[70 / 27, 14 / 9]]))


def test_the_assignment_is_the_best_of_all():
    attackers, targets = [GUARD, OGORS, GUARD], [OGORS.target, aos.TARGETS["CHAFF"].changed(models=9)]

    def value(plan):
        total = 0
        for place, target in enumerate(targets):
            result = None
            for unit, chosen in zip(attackers, plan, strict=True):
                if chosen == place:
                    result = aos.attack(unit.only("melee"), target, start=result)
            total += 0 if result is None else result.kills.mean()
        return total

    found = assign(attackers, targets, objective="models", kind="melee")
    assert found.value == pytest.approx(max(map(value, product(range(2), repeat=3))))
    assert value(found.chosen) == pytest.approx(found.value)


@pytest.mark.parametrize("given", ["MEQ", ["MEQ"], [aos.TARGETS["GOD"], 3]])
def test_targets_of_another_game_are_refused(given):
    with pytest.raises(MathhammerError, match=r"Age of Sigmar|expected a Target"):
        grid([GUARD], given)
