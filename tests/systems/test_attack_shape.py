"""The `attack` of every game: parameters in one order, and results of one protocol."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import pytest
from sympy import Rational

from mathhammer import from_text, t9a, wh40k
from mathhammer import trench_crusade as tc

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

#: What attacks of any game take by name, in this order, each as far as the game has it.
SHARED = ("count", "edition", "rulings", "exact", "start")

RIFLE = wh40k.Weapon.parse("Rifle: A1 BS4+ S4 AP0 D1")
HUMAN = wh40k.Target("Human", toughness=4, save=None, wounds=1)
BOW = t9a.ModelPart("Bow", attacks=1, aim="4+", strength=3)
ORC = t9a.Target("Orc", models=1, resilience=3)

#: Of each game an attack on one model, and the probability that it is destroyed: two rolls of 4+; the Success Roll of
#: 7 to 11 and the Injury Roll of 9 or more, or a critical one with the best two of three dice.
CASES: list[tuple[ModuleType, Callable[..., Any], Rational]] = [
    (wh40k, lambda **options: wh40k.attack(RIFLE, HUMAN, **options), Rational(1, 4)),
    (t9a, lambda **options: t9a.attack(BOW, ORC, **options), Rational(1, 4)),
    (
        tc,
        lambda **options: tc.attack(tc.WEAPONS["Bolt-Action Rifle"], tc.Target(), **options),
        Rational(20, 36) * Rational(10, 36) + Rational(1, 36) * Rational(113, 216),
    ),
]
GAMES = pytest.mark.parametrize(("game", "attack", "destroyed"), CASES, ids=["40k", "t9a", "tc"])


@GAMES
def test_parameters(game: ModuleType, attack: object, destroyed: object) -> None:  # noqa: ARG001
    """What attacks, the target, the options of every game, those of its own, the situation."""
    first, target, *options, situation = signature(game.attack).parameters.values()
    assert {first.kind, target.kind} <= {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}
    assert target.name == "target"
    assert {each.kind for each in options} == {Parameter.KEYWORD_ONLY}
    names = [each.name for each in options]
    shared = [name for name in SHARED if name in names]
    assert names[: len(shared)] == shared
    assert {"edition", "rulings", "exact"} <= set(shared)
    assert (situation.name, situation.kind) == ("situation", Parameter.VAR_KEYWORD)
    assert situation.annotation == "Unpack[SituationKeywords]"
    assert set(game.SituationKeywords.__annotations__).isdisjoint(names)


@pytest.mark.parametrize("exact", [True, False])
@GAMES
def test_results(game: ModuleType, attack: Callable[..., Any], destroyed: Rational, *, exact: bool) -> None:
    """One protocol of results, with the numbers of the rules."""
    result = attack(exact=exact)
    assert isinstance(result, game.AttackResult)
    assert result.exact is exact
    assert result.kills.pmf(1) == pytest.approx(destroyed, rel=1e-12)
    assert result.probability_destroyed == result.kills.pmf(1)
    assert set(result.kills.support) == {0, 1}
    assert result.edition in str(result.to_text())
    assert result.explain().steps
    assert result.call is not None
    assert (result.call.function, result.call.keywords) == ("attack", {"exact": exact})
    assert from_text(result.to_text()).kills == result.kills


@GAMES
def test_a_keyword_that_is_none(game: object, attack: Any, destroyed: object) -> None:  # noqa: ARG001
    """The situation of every game refuses what it does not know."""
    with pytest.raises(KeyError, match="expected a keyword of"):
        attack(blinded=True)


def test_the_keywords_of_trench_crusade_are_the_fields_of_an_attack() -> None:
    fields = [name for name in tc.Attack.__dataclass_fields__ if name != "weapon"]
    assert list(tc.SituationKeywords.__annotations__) == fields
