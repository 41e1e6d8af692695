"""Pictures with matplotlib: of any result, and of several distributions together.

Every function draws on the ``ax`` it is given, or on a new figure, and returns the Axes. Nothing global is changed
and nothing is shown; colours are told apart in grey and by the colour-blind, with hatches and dashes beside them.
matplotlib is imported when something is drawn: ``pip install 'mathhammer[plot]'``; without it every function raises a
``MathhammerError``.

Examples
--------
>>> from mathhammer import distribution, plot
>>> plot.draw(distribution("2D6"), "at_least").get_ylabel()
'probability of at least this many'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer import validation
from mathhammer.display.panel import Bars
from mathhammer.errors import MathhammerError
from mathhammer.plot.draw import (
    COLOURS,
    HATCHES,
    VIEWS,
    axes_for,
    axis_from_0,
    curve,
    draw,
    in_view,
    ink,
    line_style,
    literal,
    name_axes,
    whole_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mathhammer.display.panel import Pictures

__all__ = ["compare", "draw"]

# More bars than this stand too close: lines take their place.
_BARS = 60


def compare(
    *,
    kind: str = "at_least",
    ax: Axes | None = None,
    title: str | None = None,
    unit: str | None = None,
    **distributions: object,
) -> Axes:
    """Draw several distributions over each other.

    Parameters
    ----------
    kind
        As for :func:`mathhammer.plot.draw`; few outcomes of ``"pmf"`` are bars beside each other.
    ax
        Where to draw; by default a new figure.
    title
        By default what is compared, and the edition of the results.
    unit
        What is counted; by default what all of them count.
    **distributions
        By name, distributions or results of which one is drawn: of an attack the models it destroys. The picture
        shows ``two_lascannons=`` as "two lascannons"; what is no Python name goes in as ``**{"2 lascannons": ...}``.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> ax = compare(flat=distribution("D6"), steady=distribution("2D3"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['flat (mean 3.50)', 'steady (mean 4.00)']
    """
    if not distributions:
        raise MathhammerError(
            "expected distributions by name to compare, such as compare(a=..., b=...); got none"
        )
    unit = unit and validation.text(unit, "unit")
    # Names of keywords have an underscore where a blank cannot be.
    read = {
        name.replace("_", " ") if name.isidentifier() else name: _bars_of(name, given)
        for name, given in distributions.items()
    }
    heights = {name: curve(one.probabilities, kind) for name, one in read.items()}
    names = {one.name for one in read.values()}
    unit = unit or (names.pop() if len(names) == 1 else "outcome")
    ax = axes_for(ax)
    lengths = list(map(len, heights.values()))
    as_bars, width = kind == "pmf" and sum(lengths) <= _BARS, 0.84 / len(read)
    for place, (name, part) in enumerate(read.items()):
        fact, text = next(iter(part.facts.items()))  # the mean, or what is missing
        style: dict[str, Any] = {"label": f"{literal(name)} ({fact} {text})"}
        if as_bars:
            ax.margins(y=0.12)
            at = np.array(part.outcomes) + (place - (len(read) - 1) / 2) * width
            style |= {"color": COLOURS[place % len(COLOURS)], "hatch": HATCHES[place % len(HATCHES)]}
            ax.bar(at, heights[name], width=width, edgecolor=ink(ax), linewidth=0.5, **style)
        else:  # markers tell lines apart; where points are dense, some of them do, each line at other places
            most = max(lengths)
            every = 1 if most <= _BARS else (place * most // 60, max(1, most // 20))
            ax.plot(np.array(part.outcomes), heights[name], markevery=every, **line_style(place), **style)
    left, right, beyond = in_view(list(read.values()))
    ax.set_xlim(left, right)
    if title is None:
        editions = {edition for one in distributions.values() if (edition := getattr(one, "edition", ""))}
        compared = ", ".join(map(literal, read)) if len(read) <= 4 else f"{len(read)} distributions"
        counted = f"{literal(unit[:1].upper() + unit[1:].replace('_', ' '))}, edition {' and '.join(sorted(editions))}"
        title = counted if editions else f"{compared} compared"
    name_axes(ax, title=title, x=unit + beyond, y=VIEWS[kind][0])
    axis_from_0(ax)
    whole_axis(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _bars_of(name: str, given: object) -> Bars:
    pictures: Pictures = getattr(given, "_pictures", dict)()
    part = next((make() for make in pictures.values()), None)
    if not isinstance(part, Bars):
        raise MathhammerError(
            f"expected a Distribution or a result with one as {name}, got {validation.shown(given)}"
        )
    return part
