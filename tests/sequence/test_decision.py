"""Best plans by backward induction: one player, two against each other, and the bound on the work."""

from __future__ import annotations

import pytest

from mathhammer import distribution
from mathhammer.distributions import CategoricalDistribution
from mathhammer.errors import TooLargeError
from mathhammer.sequence import decision
from mathhammer.sequence.decision import Chance, Choice, Node, best_plan, end_law, reached

Place = tuple[str, int]


def reroll(*, maximises: bool, exact: bool = True) -> object:
    """A D6 that a player may roll again as often as the start says."""
    d6 = distribution("D6", exact=exact)

    def node(position: Place) -> Node[Place]:
        kind, value = position
        if kind == "roll":
            return Chance(CategoricalDistribution.of(d6, lambda face: ("look", 10 * value + face)))
        left, face = divmod(value, 10)
        if kind == "end" or not left:
            return None
        return Choice(maximises, (("end", face), ("roll", left - 1)))

    return node


def face(position: Place) -> int:
    return position[1] % 10


@pytest.mark.parametrize(("maximises", "mean"), [(True, "14/3"), (False, "7/3")])
def test_two_rerolls(maximises: bool, mean: str) -> None:  # noqa: FBT001
    """The well-known game: keep 5 and 6 first, then 4 and up; its mirror image for the other player."""
    node = reroll(maximises=maximises)
    plan = best_plan(node, ("roll", 2), face)  # type: ignore[arg-type]
    law = end_law(node, ("roll", 2), plan, exact=True).number(face)  # type: ignore[arg-type]
    assert str(law.mean()) == mean
    rounded = end_law(reroll(maximises=maximises, exact=False), ("roll", 2), plan, exact=False)  # type: ignore[arg-type]
    assert rounded.number(face).mean() == pytest.approx(float(law.mean()))
    # Three rolls, what each of them shows, and the three faces that are kept before the last.
    assert len(reached(node, ("roll", 2), plan)) == 3 + 18 + 3  # type: ignore[arg-type]


def test_equal_options_take_the_first() -> None:
    plan = best_plan(lambda p: Choice(True, ((1,), (2,))) if p == (0,) else None, (0,), lambda _: 1)  # noqa: FBT003
    assert plan == {(0,): 0}


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "MAXIMUM_POSITIONS", 5)
    with pytest.raises(TooLargeError, match="fewer attacks or fewer markers"):
        best_plan(reroll(maximises=True), ("roll", 2), face)  # type: ignore[arg-type]
