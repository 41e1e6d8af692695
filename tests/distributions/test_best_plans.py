"""Best plans by backward induction: one player, two against each other, and the bound on the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sympy import Rational

from mathhammer import distribution
from mathhammer.distributions import CategoricalDistribution, decisions
from mathhammer.distributions.decisions import DecisionNode, best_plan, end_distribution, reached, solved
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

Place = tuple[str, int]


def reroll(*, maximises: bool) -> Callable[[Place], DecisionNode[Place] | None]:
    """A D6 that a player may re-roll as often as the start says."""

    def game(position: Place) -> DecisionNode[Place] | None:
        kind, value = position
        if kind == "roll":
            return DecisionNode([{("look", 10 * value + face): 1 for face in range(1, 7)}], 6)
        left, face = divmod(value, 10)
        if kind == "end" or not left:
            return None
        return DecisionNode([{("end", face): 1}, {("roll", left - 1): 1}], maximises=maximises)

    return game


def face(position: Place) -> int:
    return position[1] % 10


@pytest.mark.parametrize(("maximises", "mean"), [(True, "14/3"), (False, "7/3")])
def test_two_rerolls(maximises: bool, mean: str) -> None:  # noqa: FBT001
    """The well-known game: keep 5 and 6 first, then 4 and up; its mirror image for the other player."""
    game = reroll(maximises=maximises)
    plan, worth = solved(decisions.backwards(game, [("roll", 2)]), face)
    assert Rational(*worth["roll", 2]) == Rational(mean)
    start = CategoricalDistribution.certain(("roll", 2), exact=True)
    assert str(end_distribution(game, start, plan).number(face).mean()) == mean
    rounded = end_distribution(game, start.to_floats(), plan)
    assert rounded.number(face).mean() == pytest.approx(float(Rational(mean)), rel=1e-12)
    # Three rolls, what each of them shows, and the three faces that are kept before the last.
    assert len(reached(game, [("roll", 2)], plan)) == 3 + 18 + 3


def test_ways_of_unequal_length_and_dice() -> None:
    """1/3 for certain at once, or a coin that leads to 1/5 or to a second coin; from two positions to start from."""

    def game(position: str) -> DecisionNode[str] | None:
        return {
            "first": DecisionNode([{"third": 1}, {"coin": 1}]),
            "third": DecisionNode([{"win": 1, "loss": 2}], 3),
            "coin": DecisionNode([{"fifth": 1, "again": 1}], 2),
            "again": DecisionNode([{"win": 1, "loss": 1}], 2),
            "fifth": DecisionNode([{"win": 1, "loss": 4}], 5),
        }.get(position)

    two_in_three = distribution("D3", exact=True)
    start = CategoricalDistribution.of(two_in_three, lambda face: "first" if face < 3 else "fifth")
    for value, index, chance in ((1, 1, Rational(7, 20)), (-1, 0, Rational(1, 3))):
        plan = best_plan(game, start, lambda end, value=value: value * (end == "win"))
        assert plan == {"first": index}
        wins = end_distribution(game, start, plan).pmf("win")
        assert wins == Rational(2, 3) * chance + Rational(1, 3) * Rational(1, 5)
        rounded = end_distribution(game, start.to_floats(), plan).pmf("win")
        assert rounded == pytest.approx(float(wins), rel=1e-12)


def test_equal_options_take_the_first() -> None:
    plan = best_plan(lambda p: DecisionNode([{1: 1}, {2: 1}]) if p == 0 else None, [0], lambda _: 1)
    assert plan == {0: 0}


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MAXIMUM_POSITIONS", 5)
    with pytest.raises(TooLargeError, match="fewer attacks, fewer markers"):
        best_plan(reroll(maximises=True), [("roll", 2)], face)
    with pytest.raises(TooLargeError, match="at most 5 positions"):
        reached(lambda number: DecisionNode([{number + 1: 1}]), [0], {})
