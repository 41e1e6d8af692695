"""The way in for any game: discovery, and the suite that every registered system passes."""

from __future__ import annotations

import dataclasses
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.systems import registry, suite
from mathhammer.systems.registry import Sample, System, find_system, systems


@pytest.mark.parametrize("name", list(systems()))
class TestEverySystem:
    """The suite over all that is found."""

    @pytest.fixture(autouse=True)
    def _suite(self, name: str) -> None:
        self.tests = suite.SystemSuite()
        type(self.tests).system = find_system(name)

    @pytest.mark.parametrize("test", [name for name in dir(suite.SystemSuite) if name.startswith("test_")])
    def test_suite(self, test: str) -> None:
        getattr(self.tests, test)()


def test_the_systems_of_this_package_are_found() -> None:
    assert {"40k", "t9a"} <= set(systems())
    assert all(isinstance(system, System) for system in systems().values())
    with pytest.raises(UnknownNameError, match="expected a game system of"):
        find_system("chess")


class Coin:
    """A game written elsewhere: one D6, and 4+ is a kill."""

    name = "coin"
    title = "Coin"
    editions = ("1e",)

    def __init__(self, odds: int = 3) -> None:
        self.odds = odds

    def samples(self, edition: str) -> list[Sample]:
        def case(wins: int) -> Any:
            class Result:
                rulings: dict[str, str] = {}  # noqa: RUF012

                def __init__(self, exact: bool) -> None:  # noqa: FBT001
                    self.exact, self.edition = exact, edition
                    self.kills = Distribution.from_weights({0: 6 - wins, 1: wins}, exact=exact)

                def explain(self) -> str:
                    return "4+"

            return Result

        return [Sample("a coin", case(self.odds), ("kills",), (case(2),), lambda roll: int(roll() >= 4))]


class TestCoin(suite.SystemSuite):
    """What a game written elsewhere does."""

    system = Coin()


def test_an_entry_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discovery by ``importlib.metadata``."""
    entry = EntryPoint("coin", f"{__name__}:COIN", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([entry] if group else []))
    systems.cache_clear()
    try:
        assert find_system("coin") is COIN
    finally:
        systems.cache_clear()


@pytest.mark.parametrize(("system", "message"), [(object(), "name, title, editions"), (Coin(), "two named")])
def test_what_is_no_system_is_refused(system: object, message: str) -> None:
    with pytest.raises(MathhammerError, match=message):
        registry._add({"coin": COIN}, system, "there")


@pytest.mark.slow
def test_the_suite_sees_a_wrong_number() -> None:
    """Brute force and order of a coin that is not fair."""
    sample = Coin(odds=1).samples("1e")[0]
    with pytest.raises(AssertionError, match="as when it is played"):
        suite.check_sample(dataclasses.replace(sample, harder=()))
    with pytest.raises(AssertionError, match="no greater kills"):
        suite.check_sample(sample)
    with pytest.raises(TooLargeError, match="sequences of dice"):
        suite.distribution_of_play(lambda roll: sum(roll() for _ in range(8)))


COIN = Coin()
