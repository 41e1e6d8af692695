"""Tables of numbers in colour: the state of a unit, and attackers against targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer import display, validation
from mathhammer.distributions import JointDistribution
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.plot.axes import axes_for, capitalised, ink, literal, name_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.typing import ColorType
    from numpy.typing import NDArray

    from mathhammer.analysis import Grid
    from mathhammer.arithmetic.protocol import P

# One hue whose lightness falls evenly: the order is the same in grey and for the colour-blind.
_COLOURS = "Blues"
# More cells than this have no room for their numbers, and beyond the second bound none for themselves.
_NUMBERED = 300
_MAXIMUM = 20_000
# The width of a character of a tick's label in inches.
_CHARACTER = 0.09


def heat_map(
    joint: JointDistribution[P], *, ax: Axes | None = None, title: str | None = None, **artist: Any
) -> Axes:
    """Draw a joint distribution of two quantities, the probability written in each cell that can happen.

    Parameters
    ----------
    joint
        A distribution with two axes; ``joint.marginal("a", "b")`` picks two of more.
    ax
        Where to draw; by default a new figure.
    title
        By default the names of the axes.
    **artist
        Passed on to the image.

    Examples
    --------
    >>> from mathhammer import JointDistribution, distribution
    >>> ax = heat_map(JointDistribution.independent(hits=distribution("D3"), wounds=distribution("D3")))
    >>> ax.get_xlabel(), len(ax.texts), ax.texts[0].get_text()
    ('hits', 9, '11.1%')
    """
    validation.instance(joint, JointDistribution, "a JointDistribution to draw")
    if len(joint.axes) != 2:
        raise MathhammerError(
            f"expected a joint distribution of two axes for a heat map, got {', '.join(joint.axes)}; "
            "pick two with marginal(first, second)"
        )
    # A joint distribution may hold one outcome in several parts; a marginal of all axes holds it once.
    merged = joint.marginal(*joint.axes)
    masses = {(int(x), int(y)): float(probability) for (x, y), probability in merged.items()}
    columns = range(min(x for x, _ in masses), max(x for x, _ in masses) + 1)
    rows = range(min(y for _, y in masses), max(y for _, y in masses) + 1)
    values = np.full((len(rows), len(columns)), np.nan)
    for (x, y), mass in masses.items():
        values[y - rows[0], x - columns[0]] = mass
    texts = [
        ["" if np.isnan(value) else display.percent(value, digits=1) for value in row]
        for row in values.tolist()
    ]
    ax = _cells(values, texts, ax, wide=0.62, what="probability", **artist)
    _ticks(ax, [str(x) for x in columns], [str(y) for y in rows])
    ax.invert_yaxis()  # the least at the bottom, as on any axis of numbers
    x_name, y_name = (name.replace("_", " ") for name in joint.axes)
    name_axes(
        ax,
        title=f"Probability of {literal(x_name)} and {literal(y_name)}" if title is None else title,
        x=x_name,
        y=y_name,
    )
    return ax


def grid(
    grid: Grid,
    metric: str = "share_lost",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw attackers against targets, the number written in each cell.

    Parameters
    ----------
    grid
        What :func:`mathhammer.analysis.grid` returns.
    metric
        One of its numbers.
    ax
        Where to draw; by default a new figure.
    title
        By default the number and the edition.
    **artist
        Passed on to the image.

    Examples
    --------
    >>> from mathhammer import analysis, wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    >>> ax = grid(analysis.grid({"Squad": wh40k.Volley(rifle, 10)}, "GEQ, MEQ", edition="10e"))
    >>> ax.get_title(loc="left"), [text.get_text() for text in ax.texts]
    ('Share lost, edition 10e', ['0.73', '0.17'])
    """
    from mathhammer.analysis import Grid as GridClass

    validation.instance(grid, GridClass, "a Grid to draw", "analysis.grid(attackers, targets) makes one")
    ax = table(
        grid.metric(metric),
        [column.label for column in grid.targets],
        [row.name for row in grid.attackers],
        ax=ax,
        metric=metric,
        **artist,
    )
    title = f"{capitalised(metric)}, edition {grid.edition}" if title is None else title
    name_axes(ax, title=title, x="target", y="attacker")
    return ax


def table(
    values: NDArray[np.float64],
    columns: Sequence[str],
    rows: Sequence[str],
    *,
    ax: Axes | None,
    metric: str,
    **artist: Any,
) -> Axes:
    """Draw the cells of a metric, the number written in each, and name columns and rows."""
    chance = metric.startswith("probability")
    texts = [[_text(value, chance=chance) for value in row] for row in values.tolist()]
    ax = _cells(values, texts, ax, wide=0.75, what=capitalised(metric), **artist)
    _ticks(ax, columns, rows)
    room = ax.get_window_extent().width / ax.figure.dpi / len(columns)
    if _CHARACTER * (max(map(len, columns)) + 1) > room:  # the names would run into each other
        for label in ax.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")
    return ax


def _text(value: float, *, chance: bool) -> str:
    if not np.isfinite(value):
        return "" if np.isnan(value) else "∞"
    return display.percent(min(value, 1.0), digits=1) if chance else display.number(value)


def _cells(
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    ax: Axes | None,
    *,
    wide: float,
    what: str,
    **artist: Any,
) -> Axes:
    """Draw the cells from 0 on, with their numbers or, where there is no room, with a scale."""
    height, width = values.shape
    if values.size > _MAXIMUM:
        raise TooLargeError(
            f"expected a heat map of at most {_MAXIMUM:,} cells, got {values.size:,}; "
            "look at one axis with marginal(axis), or at a part with given(...)"
        )
    size = (min(14.0, max(5.0, 1.8 + wide * width)), min(10.0, max(2.4, 1.4 + 0.36 * height)))
    ax = axes_for(ax, size)
    shown = np.where(np.isfinite(values), values, np.nan)
    greatest = float(np.nanmax(shown)) if np.isfinite(shown).any() else 0.0
    image = ax.imshow(
        shown, **{"cmap": _COLOURS, "vmin": 0.0, "vmax": greatest or 1.0, "aspect": "auto", **artist}
    )
    if values.size > _NUMBERED:
        from matplotlib.ticker import PercentFormatter

        chance = what.lower().startswith("probability")
        ax.figure.colorbar(image, ax=ax, label=what, format=PercentFormatter(1.0) if chance else None)
        return ax
    for row, column in np.ndindex(height, width):
        if texts[row][column]:
            ax.text(
                column,
                row,
                texts[row][column],
                ha="center",
                va="center",
                fontsize="small",
                color=_contrast(image, float(shown[row, column]), ax),
            )
    return ax


def _contrast(image: AxesImage, value: float, ax: Axes) -> ColorType:
    """Return black on a light cell, white on a dark one; on none at all, the colour of the axes' text."""
    if np.isnan(value):
        return ink(ax)
    red, green, blue, _ = image.cmap(image.norm(np.array(value)))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _ticks(ax: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Name the columns and the rows, leaving some out where there are many."""
    for names, set_ticks in ((columns, ax.set_xticks), (rows, ax.set_yticks)):
        places = range(0, len(names), -(-len(names) // 40))
        set_ticks(list(places), [literal(names[place]) for place in places])
