"""Pictures with matplotlib: distributions, comparisons, heat maps, curves over a parameter, the funnel of an attack.

Every function draws on the ``ax`` it is given, or on a new figure, and returns the Axes. Nothing global is changed
and nothing is shown; colours are told apart in grey and by the colour-blind, with hatches and dashes beside them.
matplotlib is imported when something is drawn: ``pip install 'mathhammer[plot]'``; without it every function raises a
``MathhammerError``.

Examples
--------
>>> from mathhammer import distribution, plot
>>> plot.distribution(distribution("2D6"), "at_least").get_ylabel()
'probability of so many or more'
"""

from __future__ import annotations

from mathhammer.plot.comparison import compare
from mathhammer.plot.distributions import Kind, distribution
from mathhammer.plot.heat_maps import grid, heat_map
from mathhammer.plot.outcomes import combat, injuries, outcomes, turn
from mathhammer.plot.results import funnel, result
from mathhammer.plot.sweeps import break_even, sweep

__all__ = [
    "Kind",
    "break_even",
    "combat",
    "compare",
    "distribution",
    "funnel",
    "grid",
    "heat_map",
    "injuries",
    "outcomes",
    "result",
    "sweep",
    "turn",
]


def __dir__() -> list[str]:
    return sorted(__all__)
