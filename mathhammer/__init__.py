"""Exact probabilities for tabletop wargame attack sequences.

The games are `mathhammer.wh40k` (Warhammer 40,000), `mathhammer.t9a` (The 9th Age) and `mathhammer.trench_crusade`;
an attack in any of them gives a result whose distributions are :class:`Distribution`. Dice by themselves are read by
:func:`distribution`, army lists by :func:`read_army`, and `mathhammer.analysis` answers for whole armies.

Names load when they are first used, so that ``import mathhammer`` stays light.

Examples
--------
>>> import mathhammer as mh
>>> mh.distribution("2D6+3", exact=True).pmf(10)
1/6
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mathhammer import analysis, interactive, plot
    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.errors import MathhammerError
    from mathhammer.expressions import dice, distribution
    from mathhammer.rosters import read_army
    from mathhammer.serialisation import from_text
    from mathhammer.systems import t9a, trench_crusade, wh40k

__version__ = "0.1.0"

__all__ = [
    "Distribution",
    "JointDistribution",
    "MathhammerError",
    "analysis",
    "dice",
    "distribution",
    "from_text",
    "interactive",
    "plot",
    "read_army",
    "t9a",
    "trench_crusade",
    "wh40k",
]

_HOMES = {
    "Distribution": "mathhammer.distributions",
    "JointDistribution": "mathhammer.distributions",
    "MathhammerError": "mathhammer.errors",
    "analysis": "mathhammer.analysis",
    "dice": "mathhammer.expressions",
    "distribution": "mathhammer.expressions",
    "from_text": "mathhammer.serialisation",
    "interactive": "mathhammer.interactive",
    "plot": "mathhammer.plot",
    "read_army": "mathhammer.rosters",
    "t9a": "mathhammer.systems.t9a",
    "trench_crusade": "mathhammer.systems.trench_crusade",
    "wh40k": "mathhammer.systems.wh40k",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_HOMES[name])
    # A name at the end of its home is that module: a system, or a room. The rest live in theirs.
    value = module if module.__name__.endswith(f".{name}") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
