"""A game that is too large is refused before it is played."""

from __future__ import annotations

import pytest

from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.trench_crusade.game import Game

pytestmark = pytest.mark.slow

ALL = {"blood": 6, "infection": 6, "blessing": 6}
SHOTGUN = tc.WEAPONS["Shotgun"]
BEST = {"spend": "best", "reply": "best", "spends_first": "attacker"}


@pytest.fixture
def no_dice(monkeypatch):
    def refuse(*_arguments: object, **_options: object) -> None:
        pytest.fail("dice were rolled")

    monkeypatch.setattr(Game, "_rolled", refuse)


@pytest.mark.usefixtures("no_dice")
@pytest.mark.parametrize("order", [{"spends_first": "attacker"}, {"initiative": "defender"}])
def test_best_against_best_with_all_markers_is_refused_before_a_die_is_rolled(order):
    with pytest.raises(TooLargeError, match=r"at most [0-9,]+ positions, but this has more; use fewer"):
        tc.attack(
            SHOTGUN, tc.Target(**ALL), attacker=tc.Attacker("A", **ALL), spend="best", reply="best", **order
        )


@pytest.mark.parametrize(("markers", "attacks"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("plan", [BEST, {"spend": "best"}, {"reply": "best"}])
@pytest.mark.parametrize("armour", ["none", "machine"])
def test_no_game_has_fewer_positions_than_it_has_in_any_case(markers, attacks, plan, armour, monkeypatch):
    found = []
    counted = Game.fewest_positions
    monkeypatch.setattr(
        Game, "fewest_positions", lambda game, state: found.append(counted(game, state)) or found[-1]
    )
    numbers = dict.fromkeys(ALL, markers)
    single = [tc.Attack(weapon=SHOTGUN), tc.Attack(weapon=tc.WEAPONS["Bolt-Action Rifle"])][:attacks]
    result = tc.attack(
        tc.Activation(single, tc.Attacker("A", **numbers)),
        tc.Target(armour=armour, **numbers),
        exact=True,
        **plan,
    )
    assert 0 < found[0] <= len(result.plan.game.known)


@pytest.mark.parametrize("name", ["spends_first", "initiative", "spend", "reply"])
def test_an_array_where_a_word_is_expected(name):
    numpy = pytest.importorskip("numpy")
    with pytest.raises(MathhammerError, match="expected"):
        tc.attack(SHOTGUN, tc.Target(), **{name: numpy.arange(3)})
