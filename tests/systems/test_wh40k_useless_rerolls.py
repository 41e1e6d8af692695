"""A re-roll that no later roll can use makes no position of its own: the best plan is the same if it is held on."""

import pytest

from mathhammer import wh40k
from mathhammer.sequence.attack_game import AttackGame

SQUAD = wh40k.Target("Squad", toughness=4, save="3+", wounds=3, models=2)


@pytest.mark.parametrize("edition", ["9e", "10e", "11e"])
@pytest.mark.parametrize(
    "lines",
    [
        ["A3 BS3+ S4 AP-1 D1"],
        ["A2 BS3+ S4 AP-1 D3"],
        ["A2 BS3+ S4 AP-1 DD3 [DEVASTATING WOUNDS]", "A2 BS4+ S4 AP0 D1"],  # deferred damage behind both
        ["A2 BS4+ S4 AP0 D1", "A1 BS3+ S8 AP-3 DD3"],
    ],
)
def test_the_best_plan_is_the_same(lines, edition, monkeypatch):
    if edition == "9e":
        lines = [line.partition(" [")[0] for line in lines]
    weapons = [wh40k.Weapon.parse(f"Gun {place}: {line}") for place, line in enumerate(lines)]

    def found():
        result = wh40k.attack(weapons, SQUAD, reroll="best", edition=edition, exact=True)
        return result.kills, result.plan.value, result.plan.worth, list(map(str, result.plan))

    expected = found()
    monkeypatch.setattr(AttackGame, "_useful_of", lambda _self, _part, _step, _left, held: held)
    assert found() == expected
