"""The picture of one distribution: bars of its probabilities, or a curve of its tails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from mathhammer import display, validation
from mathhammer.distributions import Distribution
from mathhammer.distributions.presentation import deviation
from mathhammer.plot.axes import COLOURS, axes_for, ink, name_axes, percent_axis, require_name, whole_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mathhammer.arithmetic.protocol import P


Kind = Literal["pmf", "at_least", "cdf", "ccdf"]
"""Kinds of pictures of a distribution: P(X = k), P(X >= k), P(X <= k) or P(X > k)."""
MEANS = {
    "pmf": "probability of exactly so many",
    "at_least": "probability of so many or more",
    "cdf": "probability of so many or fewer",
    "ccdf": "probability of more than so many",
}
# A distribution of more outcomes than this is shown where its mass lies, and the label says what is beyond.
_ALL_SHOWN = 14
_TAIL = 5e-5
# Up to so many bars have their number written above them.
_NUMBERED = 13


def distribution(
    distribution: Distribution[P],
    kind: Kind = "pmf",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    unit: str = "outcome",
    **artist: Any,
) -> Axes:
    """Draw one distribution.

    Parameters
    ----------
    distribution
        Of either arithmetic.
    kind
        ``"pmf"`` for bars; ``"at_least"``, ``"cdf"`` or ``"ccdf"`` for a curve. In each the mean, the median and
        the middle 90 % are marked.
    ax
        Where to draw; by default a new figure.
    title
        By default the mean and the standard deviation.
    unit
        What is counted: the name of the x axis.
    **artist
        Passed on to the bars or to the line.

    Examples
    --------
    >>> import mathhammer as mh
    >>> ax = distribution(mh.distribution("2D6"), unit="total of 2D6")
    >>> len(ax.patches) >= 11, ax.get_xlabel()
    (True, 'total of 2D6')
    """
    validation.instance(
        distribution, Distribution, "a Distribution to draw", "mh.distribution(...) makes one"
    )
    validation.text(unit, "unit")
    heights = curve(distribution, kind)
    ax = axes_for(ax)
    style = {"color": COLOURS[0], "label": "_nolegend_", **artist}
    outcomes = np.array(distribution.support)
    if kind == "pmf":
        bars = ax.bar(outcomes, heights, **{"width": 0.8, **style})
        if len(outcomes) <= _NUMBERED:
            texts = [display.percent(height, digits=1) if height else "" for height in heights.tolist()]
            box = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.9, "pad": 0.8}
            # The line of the mean may pass through a number: the box keeps it legible.
            ax.bar_label(bars, labels=texts, fontsize="small", padding=3, bbox=box, zorder=5)
    else:
        ax.step(outcomes, heights, **{"where": "mid", "marker": "o", "markersize": 4, **style})
    _mark(ax, distribution)
    left, right, beyond = view([distribution])
    ax.set_xlim(left, right)
    name_axes(ax, title=_facts(distribution) if title is None else title, x=unit + beyond, y=MEANS[kind])
    percent_axis(ax)
    whole_axis(ax)
    return ax


def curve(distribution: Distribution[P], kind: Kind) -> NDArray[np.float64]:
    """Return the probabilities of a kind over the support, as floats."""
    require_name(kind, get_args(Kind))
    if kind == "pmf":
        return distribution.to_array()
    values = getattr(distribution, kind)(np.array(distribution.support))
    return np.asarray(values, dtype=np.float64)


def view(distributions: Sequence[Distribution[P]]) -> tuple[float, float, str]:
    """Return the x limits where the mass lies, and the words for what lies beyond them."""
    low = min(one.support[0] for one in distributions)
    high = max(one.support[-1] for one in distributions)
    if high - low < _ALL_SHOWN:
        return low - 0.7, high + 0.7, ""
    firsts, lasts = [], []
    for one in distributions:
        floats = one.to_array()
        firsts.append(one.support[0] + int((np.cumsum(floats) < _TAIL).sum()))
        lasts.append(one.support[-1] - int((np.cumsum(floats[::-1]) < _TAIL).sum()))
    left, right = min(firsts), max(lasts)
    cut = left > low or right < high
    beyond = f"\nNot in view: {low} to {left - 1}" if left > low else ""
    if right < high:
        beyond += f"{' and' if beyond else chr(10) + 'Not in view:'} {right + 1} to {high}"
    return left - 0.7, right + 0.7, f"{beyond}, less than 0.01%" if cut else ""


def _mark(ax: Axes, distribution: Distribution[P]) -> None:
    """Mark the mean, the median and the middle 90 %; a distribution with missing mass has none of them."""
    if distribution.missing:
        return
    mean = float(distribution.mean())
    low, median, high = (int(distribution.icdf(share)) for share in (0.05, 0.5, 0.95))
    ax.axvspan(
        low - 0.5,
        high + 0.5,
        color=ink(ax),
        alpha=0.08,
        zorder=0,
        linewidth=0,
        label=f"5% to 95%: {low} to {high}",
    )
    ax.axvline(mean, color=ink(ax), linestyle="--", linewidth=1.2, label=f"mean {display.number(mean)}")
    # A triangle on the axis: the median is one of the outcomes, and the axis is where they are.
    ax.plot(
        [median],
        [0.0],
        marker="^",
        markersize=8,
        color=ink(ax),
        linestyle="none",
        clip_on=False,
        zorder=6,
        label=f"median {median}",
    )
    ax.margins(y=0.12)
    ax.legend(frameon=False, fontsize="small")


def _facts(distribution: Distribution[P]) -> str:
    if distribution.missing:
        return f"missing {display.percent(distribution.missing)}"
    return (
        f"mean {display.number(distribution.mean())}, "
        f"standard deviation {display.number(deviation(distribution))}"
    )
