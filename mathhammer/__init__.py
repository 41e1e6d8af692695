"""Exact probabilities for tabletop wargame attack sequences.

The games are `mathhammer.wh40k` (Warhammer 40,000), `mathhammer.aos` (Age of Sigmar), `mathhammer.t9a` (The 9th Age)
and `mathhammer.trench_crusade`; an attack in any of them gives a result whose distributions are :class:`Distribution`.
Dice by themselves are read by :func:`distribution`, army lists by :func:`read_army`, and `mathhammer.analysis` answers
for whole armies.

Names load when they are first used, so that ``import mathhammer`` stays light.

Examples
--------
>>> import mathhammer as mh
>>> mh.distribution("2D6+3", exact=True).pmf(10)
1/6
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer import analysis, interactive, plot
    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.errors import MathhammerError
    from mathhammer.expressions import dice, distribution
    from mathhammer.rosters import read_army
    from mathhammer.serialisation import from_text
    from mathhammer.serialisation.ask import ask
    from mathhammer.systems import aos, t9a, trench_crusade, wh40k

__version__ = "0.1.0"

__all__ = [
    "Distribution",
    "JointDistribution",
    "MathhammerError",
    "analysis",
    "aos",
    "ask",
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
    **{name: name for name in ("analysis", "interactive", "plot")},
    **{f"systems.{game}": game for game in ("aos", "t9a", "trench_crusade", "wh40k")},
    "distributions": "Distribution JointDistribution",
    "errors": "MathhammerError",
    "expressions": "dice distribution",
    "rosters": "read_army rosters",
    "serialisation": "from_text",
    "serialisation.ask": "ask",
}

__getattr__ = on_first_use(__name__, _HOMES)
