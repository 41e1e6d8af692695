"""Axes, colours and marks that all pictures share."""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

#: The colours of Okabe and Ito that stand out on white and on near-black, ordered so that neighbours differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
#: Dashes, hatches and markers of one series after another, for those who do not see the colours.
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
MARKERS = ("o", "s", "^", "D", "v", "P")

#: A dollar that begins a formula, which no line may break.
_FORMULA = re.compile(r"(?<!\\)\$")
#: Points that a character of a title takes on average.
_CHARACTER = 5.3


def axes_for(ax: Axes | None, size: tuple[float, float] = (7.0, 4.0)) -> Axes:
    """Return the axes to draw on: those given, or those of a new figure."""
    try:
        from matplotlib import pyplot as plt
        from matplotlib.axes import Axes as AxesClass
    except ImportError as error:
        raise MathhammerError(
            "a plot needs matplotlib, which is not installed; pip install 'mathhammer[plot]'"
        ) from error
    if ax is not None:
        return validation.instance(ax, AxesClass, "the Axes to draw on as ax", "pyplot.subplots() makes them")
    _, made = plt.subplots(figsize=size, layout="constrained")
    return made


def line_style(place: int) -> dict[str, Any]:
    """Return colour, dashes and marker of a line, the same for the same place among several."""
    kinds = {"color": COLOURS, "linestyle": DASHES, "marker": MARKERS}
    return {"markersize": 5, **{name: each[place % len(each)] for name, each in kinds.items()}}


def require_name(name: object, known: Iterable[str], what: str = "a kind of plot") -> None:
    """Refuse a name that is none of those known."""
    names = tuple(known)
    if name not in names:
        raise UnknownNameError(f"expected {what}, one of {', '.join(names)}; got {validation.shown(name)}")


def ink(ax: Axes) -> ColorType:
    """Return the colour of the text of the axes, which follows the style that the caller has chosen."""
    return ax.title.get_color()


def literal(name: str) -> str:
    r"""Return a name as matplotlib draws it letter by letter: a dollar begins no formula, and no legend hides it."""
    return f"{' ' if name.startswith('_') else ''}{name}".replace("$", r"\$")


def name_axes(ax: Axes, *, title: str, x: str, y: str) -> None:
    """Write the title, which may hold formulas, in lines that fit the axes, and what the axes are."""
    title = str(title)  # as matplotlib takes it
    if not _FORMULA.search(title):
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
        title = "\n".join(fill(line, max(20, int(width / _CHARACTER))) for line in title.split("\n"))
    ax.set_title(title, fontsize="medium", loc="left")
    ax.set_xlabel(literal(x))
    ax.set_ylabel(literal(y))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def axis_from_0(ax: Axes, *, percent: bool = True) -> None:
    """Let the y axis start at 0 and, if so, read in percent, with faint lines behind the picture."""
    if percent:  # ten digits are more than a tick has, and fewer than show how a float was rounded
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.10g}%")
    ax.set_ylim(bottom=0)
    ax.grid(axis="y", alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)


def whole_axis(ax: Axes) -> None:
    """Let the x axis be marked at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=14, integer=True, min_n_ticks=1))
