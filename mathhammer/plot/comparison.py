"""Several distributions in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mathhammer import validation
from mathhammer.display.panel import Bars
from mathhammer.errors import MathhammerError
from mathhammer.plot.axes import (
    COLOURS,
    HATCHES,
    axes_for,
    capitalised,
    ink,
    line_style,
    literal,
    name_axes,
    percent_axis,
    whole_axis,
)
from mathhammer.plot.draw import VIEWS, curve, in_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mathhammer.display.panel import Pictures

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
    if unit is not None:
        validation.text(unit, "unit")
    # Names of keywords have an underscore where a blank cannot be.
    read = {
        name.replace("_", " ") if name.isidentifier() else name: _bars_of(name, given)
        for name, given in distributions.items()
    }
    heights = {name: curve(one.probabilities, kind) for name, one in read.items()}
    names = {one.name for one in read.values()}
    unit = unit or (names.pop() if len(names) == 1 else "outcome")
    ax = axes_for(ax)
    if kind == "pmf" and sum(map(len, heights.values())) <= _BARS:
        _draw_bars(ax, read, heights)
    else:
        _draw_lines(ax, read, heights)
    left, right, beyond = in_view(list(read.values()))
    ax.set_xlim(left, right)
    if title is None:
        editions = {edition for one in distributions.values() if (edition := getattr(one, "edition", ""))}
        compared = ", ".join(map(literal, read)) if len(read) <= 4 else f"{len(read)} distributions"
        counted = f"{literal(capitalised(unit))}, edition {' and '.join(sorted(editions))}"
        title = counted if editions else f"{compared} compared"
    name_axes(ax, title=title, x=unit + beyond, y=VIEWS[kind][0])
    percent_axis(ax)
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


def _label(name: str, part: Bars) -> str:
    fact, text = next(iter(part.facts.items()))  # the mean, or what is missing
    return f"{literal(name)} ({fact} {text})"


def _draw_bars(ax: Axes, parts: dict[str, Bars], heights: dict[str, NDArray[np.float64]]) -> None:
    ax.margins(y=0.12)
    width = 0.84 / len(parts)
    for place, (name, part) in enumerate(parts.items()):
        ax.bar(
            np.array(part.outcomes) + (place - (len(parts) - 1) / 2) * width,
            heights[name],
            width=width,
            color=COLOURS[place % len(COLOURS)],
            hatch=HATCHES[place % len(HATCHES)],
            edgecolor=ink(ax),
            linewidth=0.5,
            label=_label(name, part),
        )


def _draw_lines(ax: Axes, parts: dict[str, Bars], heights: dict[str, NDArray[np.float64]]) -> None:
    longest = max(map(len, heights.values()))
    for place, (name, part) in enumerate(parts.items()):
        # Markers tell lines apart; where points are dense, some of them do, each line at other places.
        every = 1 if longest <= _BARS else (place * longest // 60, max(1, longest // 20))
        style = {**line_style(place), "markevery": every, "label": _label(name, part)}
        ax.plot(np.array(part.outcomes), heights[name], **style)
