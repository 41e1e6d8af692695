"""Pictures with matplotlib: the parts of what an object shows of itself, and several distributions over each other.

Every function draws on the ``ax`` it is given, or on a new figure, and returns the Axes. Nothing global is changed
and nothing is shown; colours are told apart in grey and by the colour-blind, with hatches and dashes beside them.
matplotlib is imported when something is drawn: ``pip install 'mathhammer[plot]'``; without it every function raises a
``MathhammerError``.

Examples
--------
>>> from mathhammer import distribution, plot
>>> plot.draw(distribution("2D6"), "at_least").get_ylabel()
'probability of so many or more'
"""

from __future__ import annotations

import mathhammer.display  # noqa: F401 - a room is entered before its parts
from mathhammer.plot.comparison import compare
from mathhammer.plot.draw import draw

__all__ = ["compare", "draw"]
