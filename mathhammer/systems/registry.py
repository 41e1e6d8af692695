"""Game systems: what each has to offer, and how it is found.

A system is a folder in this package with a module ``system`` that holds ``SYSTEM``, or any object that another
distribution names under the entry point group ``mathhammer.systems``:

    [project.entry-points."mathhammer.systems"]
    my_game = "my_package.my_module:SYSTEM"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.sequence.call import Call

GROUP = "mathhammer.systems"
"""The entry point group under which other distributions name their systems."""


@runtime_checkable
class GameResult(Protocol):
    """The result of ``attack`` in every game of this package; each adds distributions of its own.

    Examples
    --------
    >>> from mathhammer import t9a, trench_crusade
    >>> bow = t9a.ModelPart("Bow", attacks=1, aim="4+", strength=3)
    >>> rifle = trench_crusade.WEAPONS["Bolt-Action Rifle"]
    >>> results: list[AttackResult] = [
    ...     t9a.attack(bow, t9a.Target("Orc", models=1, resilience=3), exact=True),
    ...     trench_crusade.attack(rifle, trench_crusade.Target("Pilgrim"), exact=True),
    ... ]
    >>> [result.probability_destroyed for result in results]
    [1/4, 1313/7776]
    """

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""

    @property
    def edition(self) -> str:
        """The edition whose rules were used."""

    @property
    def rulings(self) -> Mapping[str, str]:
        """The option in force for each disputed ruling."""

    def explain(self) -> object:
        """Step by step: needs, modifiers and their sources, and what comes out."""

    @property
    def kills(self) -> Distribution:
        """Distribution of the number of models destroyed: slain, or out of the game by the game's own word."""

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the whole target is destroyed."""

    @property
    def state(self) -> JointDistribution:
        """Joint distribution of the coordinates of the target's state."""

    @property
    def call(self) -> Call | None:
        """The call that it came of; None for what no public function of a system returned."""

    def to_text(self) -> str:
        """Return a short text that reproduces the result: see :func:`mathhammer.from_text`."""


@runtime_checkable
class System(Protocol):
    """A game system: its names and its editions.

    Examples
    --------
    >>> isinstance(find_system("t9a"), System)
    True
    """

    @property
    def name(self) -> str:
        """Short name, as on the command line."""

    @property
    def title(self) -> str:
        """The name of the game in full."""

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first."""


@cache
def systems() -> Mapping[str, System]:
    """Return all systems by name: those in this package, and those of installed distributions.

    Examples
    --------
    >>> "t9a" in systems()
    True
    """
    found: dict[str, System] = {}
    from importlib.metadata import entry_points  # its 30 modules would be loaded with every list

    for module in iter_modules(import_module("mathhammer.systems").__path__):
        if module.ispkg and find_spec(f"mathhammer.systems.{module.name}.system"):
            _add(found, import_module(f"mathhammer.systems.{module.name}.system").SYSTEM, module.name)
    for entry in entry_points(group=GROUP):
        _add(found, entry.load(), entry.name)
    return found


def find_system(name: str) -> System:
    """Return the system of that name.

    Examples
    --------
    >>> find_system("t9a").title
    'The 9th Age: Fantasy Battles'
    """
    found = systems()
    if not isinstance(name, str) or name not in found:
        raise UnknownNameError(f"expected a game system of {', '.join(map(repr, found))}; got {shown(name)}")
    return found[name]


def _add(found: dict[str, System], system: object, where: str) -> None:
    if not isinstance(system, System):
        raise MathhammerError(
            f"expected an object with name, title and editions as the system {where!r}, got {shown(system)}"
        )
    if system.name in found:
        raise MathhammerError(f"expected different names of systems, got two named {system.name!r}")
    found[system.name] = system
