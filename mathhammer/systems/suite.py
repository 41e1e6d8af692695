"""The proof of any system: checks that hold whatever the game, run over the samples that it offers.

A game written elsewhere runs them too, here with pytest:

    from mathhammer.systems.suite import SystemSuite
    from my_game import SYSTEM

    class TestMyGame(SystemSuite):
        system = SYSTEM

or anywhere with ``check(SYSTEM)``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.errors import TooLargeError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.registry import Sample, System

__all__ = ["SystemSuite", "check", "check_sample", "distribution_of_play"]

#: Largest relative error of a float64 probability.
TOLERANCE = 1e-12
#: Most games that a brute force may play: some seconds.
MAXIMUM_GAMES = 300_000


def check_sample(sample: Sample) -> None:
    """Check one case.

    Its result says which rules it used and why it is what it is. Every distribution has mass 1, and in float64 it is
    the exact one to a relative 1e-12 at every outcome. What is harder for the attacker is stochastically less, and
    the first distribution is that of the case played with every sequence of dice.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_sample(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    from mathhammer.systems.registry import Sample as SampleClass

    validation.instance(
        sample, SampleClass, "a Sample of a game system", "system.samples(edition) returns them"
    )

    def require(holds: bool, expected: str) -> None:  # noqa: FBT001
        if not holds:
            raise AssertionError(f"{sample.name}: expected {expected}")

    for exact in (False, True):
        result = sample.resolve(exact=exact)
        require(result.exact is exact, f"a result with exact={exact}, got exact={result.exact}")
        require(bool(result.edition), "a result that names its edition")
        require(all(isinstance(option, str) for option in result.rulings.values()), "rulings as text")
        require(bool(str(result.explain())), "an explanation")
    for name in sample.distributions:
        laws = law, rounded = [sample.distribution(name, exact=exact) for exact in (True, False)]
        require(law.exact and not rounded.exact, f"{name} in the requested arithmetic")
        totals = [each.at_least(each.support[0]) for each in laws]
        require(
            totals[0] == 1 and math.isclose(totals[1], 1, rel_tol=TOLERANCE),
            f"{name} of mass 1, got {totals}",
        )
        for outcome in {*law.support, *rounded.support}:
            wanted, found = float(law.pmf(outcome)), rounded.pmf(outcome)
            close = math.isclose(found, wanted, rel_tol=TOLERANCE)
            require(close, f"P({name} = {outcome}) of {wanted!r}, got {shown(found)} in float64")
    name = sample.distributions[0]
    first = sample.distribution(name, exact=True)
    for index, resolve in enumerate(sample.harder):
        harder = getattr(resolve(exact=True), name)
        require(first.dominates(harder), f"a harder case {index} with no greater {name}")
    if sample.play is not None:
        played = distribution_of_play(sample.play)
        require(first == played, f"{name} as when it is played, {played!r}, got {shown(first)}")


def distribution_of_play(play: Callable[[Callable[[], int]], int]) -> Distribution:
    """Return the exact distribution of what a game comes to, played with every sequence of faces of its D6.

    Examples
    --------
    >>> distribution_of_play(lambda roll: max(roll(), roll())).pmf(6)
    11/36
    """
    validation.function(play, "the game that is played", "such as lambda roll: max(roll(), roll())")
    games: list[tuple[int, int]] = []
    script: list[int] = []
    while True:
        used = 0

        def roll() -> int:
            nonlocal used
            if used == len(script):
                script.append(1)
            used += 1
            return script[used - 1]

        games.append((play(roll), used))
        if len(games) > MAXIMUM_GAMES:
            raise TooLargeError(
                f"expected at most {MAXIMUM_GAMES:,} sequences of dice to play, got more; use fewer attacks"
            )
        # The next sequence in the order of an odometer: dice that were not reached are not counted.
        del script[used:]
        while script and script[-1] == 6:
            script.pop()
        if not script:
            break
        script[-1] += 1
    longest = max(dice for _, dice in games)
    weights: dict[int, int] = {}
    for outcome, dice in games:
        weights[outcome] = weights.get(outcome, 0) + 6 ** (longest - dice)
    return Distribution.from_weights(weights, exact=True)


class SystemSuite:
    """Tests of a system as a class that pytest collects once it is derived.

    Attributes
    ----------
    system
        The system under test.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> class TestNinthAge(SystemSuite):
    ...     system = find_system("t9a")
    >>> TestNinthAge().test_samples()  # pytest runs this and the other test of the class
    """

    system: ClassVar[System]

    def test_samples(self) -> None:
        """Every sample holds."""
        for edition in self.system.editions:
            for sample in self.system.samples(edition):
                check_sample(sample)

    def test_editions(self) -> None:
        """Each edition has a sample that is made harder, and one that can be played at the table."""
        for edition in self.system.editions:
            samples = self.system.samples(edition)
            for what, found in (("harder case", "harder"), ("case to play", "play")):
                if not any(getattr(sample, found) for sample in samples):
                    raise AssertionError(
                        f"expected a {what} among the samples of {self.system.name} {edition}"
                    )


def check(system: System) -> None:
    """Check a system without pytest: all that :class:`SystemSuite` tests.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check(find_system("tc"))
    """
    from mathhammer.systems.registry import System as SystemProtocol

    validation.instance(system, SystemProtocol, "a game system", "registry.find_system(name) returns one")
    suite = type("Suite", (SystemSuite,), {"system": system})()
    suite.test_samples()
    suite.test_editions()
