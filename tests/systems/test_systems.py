"""The way in for any game: discovery; and harder targets of every game and edition lose less."""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from types import SimpleNamespace
from typing import Any

import pytest

from mathhammer import t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.registry import find_system, systems

SHOTS = wh40k.Weapon("shots", range='24"', attacks=2, skill="3+", strength=4, ap=-1, damage=3)
MARINES = wh40k.Target("marines", toughness=4, save="3+", wounds=2, models=2)
LASCANNON = wh40k.Weapon("lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1")
TANK = wh40k.Target("tank", toughness=10, save="3+", invulnerable="5+", wounds=12)
BLOWS = t9a.ModelPart(
    "blows", attacks=2, offensive_skill=4, strength=4, attributes="Lethal Strike, Multiple Wounds (2)"
)
TROLL = {"models": 1, "health_points": 3, "defensive_skill": 3, "resilience": 4, "fortitude": 5}
BOWS = t9a.ModelPart("bows", attacks=2, aim="5+", strength=3, attributes="Poison Attacks")
MEN = {"models": 5, "resilience": 3, "armour": 2}
#: A game, what attacks, the target, and another that is harder.
HARDER = [
    (wh40k, SHOTS, MARINES, replace(MARINES, toughness=5)),
    (wh40k, SHOTS, MARINES, replace(MARINES, save="2+")),
    (wh40k, LASCANNON, TANK, replace(TANK, feel_no_pain=5)),
    (t9a, BLOWS, t9a.Target("troll", **TROLL), t9a.Target("troll", **{**TROLL, "resilience": 5})),
    (t9a, BLOWS, t9a.Target("troll", **TROLL), t9a.Target("troll", **{**TROLL, "defensive_skill": 8})),
    (t9a, BOWS, t9a.Target("men", **MEN), t9a.Target("men", **{**MEN, "armour": 4})),
    (tc, "Machine Gun", tc.Target(armour="standard"), tc.Target(armour="reinforced")),
]


@pytest.mark.parametrize(("game", "attacker", "target", "harder"), HARDER)
def test_harder_targets_lose_less(game: Any, attacker: Any, target: Any, harder: Any) -> None:
    system = find_system({wh40k: "40k", t9a: "t9a", tc: "tc"}[game])
    for edition in system.editions:
        easy, hard = (game.attack(attacker, each, edition=edition, exact=True) for each in (target, harder))
        names = ("health_points_lost", "wounds_lost", "severity")
        name = next(name for name in names if hasattr(easy, name))
        assert getattr(easy, name).dominates(getattr(hard, name))


def test_the_systems_of_this_package_are_found() -> None:
    assert {"40k", "t9a", "tc"} <= set(systems())
    with pytest.raises(UnknownNameError, match="expected a game system of"):
        find_system("chess")


class Coin:
    """A game written elsewhere."""

    name, title, editions = "coin", "Coin", ("1e",)


COIN = Coin()


def test_an_entry_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discovery by ``importlib.metadata``."""
    entry = EntryPoint("coin", f"{__name__}:COIN", "mathhammer.systems")
    monkeypatch.setattr(metadata, "entry_points", lambda group: EntryPoints([entry] if group else []))
    systems.cache_clear()
    try:
        assert find_system("coin") is COIN
    finally:
        systems.cache_clear()


@pytest.mark.parametrize(
    ("system", "message"), [(object(), "name, title and editions"), (Coin(), "two named")]
)
def test_what_is_no_system_is_refused(monkeypatch: pytest.MonkeyPatch, system: object, message: str) -> None:
    entries = [SimpleNamespace(name="there", load=lambda each=each: each) for each in (COIN, system)]
    monkeypatch.setattr(metadata, "entry_points", lambda group: entries if group else [])
    systems.cache_clear()
    with pytest.raises(MathhammerError, match=message):
        systems()
