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
from typing import TYPE_CHECKING, Any, ClassVar

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.errors import TooLargeError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mathhammer.systems.registry import Sample, System

__all__ = [
    "SystemSuite",
    "check",
    "check_arithmetics",
    "check_brute_force",
    "check_mass",
    "check_monotone",
    "check_result",
    "distribution_of_play",
]

#: Largest relative error of a float64 probability.
TOLERANCE = 1e-12
#: Most games that a brute force may play: some seconds.
MAXIMUM_GAMES = 300_000


def check_result(sample: Sample) -> None:
    """Check that a result says which rules it used and why it is what it is.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_result(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    _require_sample(sample)
    for exact in (False, True):
        result = sample.resolve(exact=exact)
        _require(result.exact is exact, sample, f"a result with exact={exact}, got exact={result.exact}")
        _require(bool(result.edition), sample, "a result that names its edition")
        _require(
            all(isinstance(option, str) for option in result.rulings.values()), sample, "rulings as text"
        )
        _require(bool(str(result.explain())), sample, "an explanation")


def check_mass(sample: Sample) -> None:
    """Check that every distribution has mass 1: exactly, and in float64 but for rounding.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_mass(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    _require_sample(sample)
    for name in sample.distributions:
        exact, float64 = sample.distribution(name, exact=True), sample.distribution(name, exact=False)
        total, rounded = exact.at_least(exact.support[0]), float64.at_least(float64.support[0])
        _require(total == 1, sample, f"{name} of mass 1, got {total}")
        _require(
            math.isclose(rounded, 1, rel_tol=TOLERANCE),
            sample,
            f"{name} of mass 1, got {shown(rounded)}",
        )


def check_arithmetics(sample: Sample) -> None:
    """Check that float64 is the exact distribution, to a relative 1e-12 at every outcome.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_arithmetics(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    _require_sample(sample)
    for name in sample.distributions:
        exact, float64 = sample.distribution(name, exact=True), sample.distribution(name, exact=False)
        _require(exact.exact and not float64.exact, sample, f"{name} in the requested arithmetic")
        for outcome in range(
            min(exact.support[0], float64.support[0]), max(exact.support[-1], float64.support[-1]) + 1
        ):
            wanted, found = float(exact.pmf(outcome)), float64.pmf(outcome)
            close = math.isclose(found, wanted, rel_tol=TOLERANCE)
            _require(
                close,
                sample,
                f"P({name} = {outcome}) of {wanted!r}, got {shown(found)} in float64",
            )


def check_monotone(sample: Sample) -> None:
    """Check that what is harder for the attacker is stochastically less.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_monotone(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    _require_sample(sample)
    name = sample.distributions[0]
    easier = sample.distribution(name, exact=True)
    for index, resolve in enumerate(sample.harder):
        harder = getattr(resolve(exact=True), name)
        _require(easier.dominates(harder), sample, f"a harder case {index} with no greater {name}")


def check_brute_force(sample: Sample) -> None:
    """Check the first distribution against the case played with every sequence of dice.

    Examples
    --------
    >>> from mathhammer.systems.registry import find_system
    >>> check_brute_force(find_system("t9a").samples("2e")[0])  # silent, as it holds
    """
    _require_sample(sample)
    if sample.play is None:
        return
    name = sample.distributions[0]
    found, played = sample.distribution(name, exact=True), distribution_of_play(sample.play)
    _require(found == played, sample, f"{name} as when it is played, {played!r}, got {shown(found)}")


def distribution_of_play(play: Callable[[Callable[[], int]], int]) -> Distribution[Any]:
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
    >>> TestNinthAge().test_result()  # pytest runs this and the other tests of the class
    """

    system: ClassVar[System]

    def _samples(self) -> Iterator[Sample]:
        for edition in self.system.editions:
            samples = self.system.samples(edition)
            if not samples:
                raise AssertionError(f"expected a sample of {self.system.name} {edition}, got none")
            yield from samples

    def test_result(self) -> None:
        """Results say which rules they used."""
        for sample in self._samples():
            check_result(sample)

    def test_mass(self) -> None:
        """Every distribution has mass 1."""
        for sample in self._samples():
            check_mass(sample)

    def test_arithmetics(self) -> None:
        """Float64 is exact but for rounding."""
        for sample in self._samples():
            check_arithmetics(sample)

    def test_monotone(self) -> None:
        """Harder is less, and some sample of each edition says so."""
        for sample in self._samples():
            check_monotone(sample)
        for edition in self.system.editions:
            if not any(sample.harder for sample in self.system.samples(edition)):
                raise AssertionError(
                    f"expected a harder case among the samples of {self.system.name} {edition}"
                )

    def test_brute_force(self) -> None:
        """Samples that can be played at the table come out as played, and each edition has one."""
        for sample in self._samples():
            check_brute_force(sample)
        for edition in self.system.editions:
            if not any(sample.play for sample in self.system.samples(edition)):
                raise AssertionError(
                    f"expected a case to play among the samples of {self.system.name} {edition}"
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
    for name in dir(suite):
        if name.startswith("test_"):
            getattr(suite, name)()


def _require_sample(sample: Sample) -> None:
    from mathhammer.systems.registry import Sample as SampleClass

    validation.instance(
        sample, SampleClass, "a Sample of a game system", "system.samples(edition) returns them"
    )


def _require(holds: bool, sample: Sample, expected: str) -> None:  # noqa: FBT001
    if not holds:
        raise AssertionError(f"{sample.name}: expected {expected}")
