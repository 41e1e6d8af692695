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

import re
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer import validation
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import Bars, HeatTable, Lines, Means, NamedBars
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.typing import ColorType
    from numpy.typing import NDArray

    from mathhammer.display import Displayed
    from mathhammer.display.panel import Picture, Pictures

__all__ = ["compare", "draw"]

#: The colours of Okabe and Ito that stand out on white and on near-black, ordered so that neighbours differ in grey.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
#: Dashes, hatches and markers of one series after another, for those who do not see the colours.
_DASHES = ("-", "--", ":", "-.")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
_MARKERS = ("o", "s", "^", "D", "v", "P")

#: A dollar that begins a formula, which no line may break.
_FORMULA = re.compile(r"(?<!\\)\$")
#: Points that a character of a title takes on average.
_OF_TITLE = 5.3


def _axes_for(ax: Axes | None, size: tuple[float, float] = (7.0, 4.0)) -> Axes:
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


def _line_style(place: int) -> dict[str, Any]:
    """Return colour, dashes and marker of a line, the same for the same place among several."""
    kinds = {"color": _COLOURS, "linestyle": _DASHES, "marker": _MARKERS}
    return {"markersize": 5, **{name: each[place % len(each)] for name, each in kinds.items()}}


def _ink(ax: Axes) -> ColorType:
    """Return the colour of the text of the axes, which follows the style that the caller has chosen."""
    return ax.title.get_color()


def _literal(name: str) -> str:
    r"""Return a name as matplotlib draws it letter by letter: a dollar begins no formula, and no legend hides it."""
    return f"{' ' if name.startswith('_') else ''}{name}".replace("$", r"\$")


def _name_axes(ax: Axes, *, title: str, x: str, y: str) -> None:
    """Write the title, which may hold formulas, in lines that fit the axes, and what the axes are."""
    title = str(title)  # as matplotlib takes it
    if not _FORMULA.search(title):
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
        title = "\n".join(fill(line, max(20, int(width / _OF_TITLE))) for line in title.split("\n"))
    ax.set_title(title, fontsize="medium", loc="left")
    ax.set_xlabel(_literal(x))
    ax.set_ylabel(_literal(y))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _axis_from_0(ax: Axes, *, percent: bool = True) -> None:
    """Let the y axis start at 0 and, if so, read in percent, with faint lines behind the picture."""
    if percent:  # ten digits are more than a tick has, and fewer than show how a float was rounded
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.10g}%")
    ax.set_ylim(bottom=0)
    ax.grid(axis="y", alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)


def _whole_axis(ax: Axes) -> None:
    """Let the x axis be marked at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=14, integer=True, min_n_ticks=1))


#: What the probabilities of a view are, of numbers and of outcomes that have names.
_VIEWS = {
    "pmf": ("probability of exactly this many", "probability"),
    "at_least": ("probability of at least this many", "probability of this or anything to its right"),
    "cdf": ("probability of at most this many", "probability of this or anything to its left"),
    "ccdf": ("probability of more than this many", "probability of anything to its right"),
}
# A distribution of more outcomes than this is shown where its mass lies, and the label says what is beyond.
_ALL_SHOWN = 14
_TAIL = 5e-5
# Up to so many bars have their number written above them.
_NUMBERED = 13
# More cells than this have no room for their numbers, and beyond the second bound none for themselves.
_CELLS = 300
_MAXIMUM = 20_000
# The width of a character of a tick's label in inches.
_CHARACTER = 0.09


def draw(
    shown: Displayed | Picture,
    kind: str = "",
    *,
    of: str = "",
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw a result, or one of its parts.

    Parameters
    ----------
    shown
        Anything with a ``plot`` method, or one of its parts.
    kind
        A view of probabilities: ``"pmf"``, ``"at_least"``, ``"cdf"`` or ``"ccdf"``; or the name of a picture.
    of
        The name of a picture, such as a quantity; by default the usual one.
    ax
        Where to draw; by default a new figure.
    title
        By default the numbers that most people ask for.
    **artist
        Passed on to the bars, the lines or the image.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> draw(wh40k.attack("Rifle: A2 BS3+ S4 AP-1 D1", "MEQ"), "at_least", of="hits").get_xlabel()
    'Hits'
    """
    validation.text(kind, "the kind of a plot")
    validation.text(of, "what to draw")
    if not isinstance(shown, Bars | NamedBars | HeatTable | Lines | Means):
        pictures: Pictures = getattr(shown, "_pictures", dict)()
        if not pictures:
            raise MathhammerError(f"expected what can be drawn, got {validation.shown(shown)}")
        if kind and kind not in _VIEWS and not of:
            validation.one_of(kind, (*_VIEWS, *pictures), "the kind of a plot")
            kind, of = "", kind
        of = of or next(iter(pictures))
        validation.one_of(of, pictures, "what to draw")
        line, part = getattr(shown, "_headline", str)(), pictures[of]()
        heading = [part.caption, line] if isinstance(part, HeatTable) else [line]
        if any(heading):
            title = _literal("\n".join(filter(None, heading))) if title is None else title
        shown = part
    if kind:
        views = _VIEWS if isinstance(shown, Bars | NamedBars) else ("pmf",)
        validation.one_of(kind, views, "the kind of a plot")
    view = (kind or getattr(shown, "view", "pmf"),) if isinstance(shown, Bars | NamedBars) else ()
    return _drawn(shown, *view, ax=ax, title=title, artist=artist)


def _drawn(part: Picture, *view: str, artist: dict[str, Any], **where: Any) -> Axes:
    """Draw a part with its function; what matplotlib does not know is said as what was given."""
    drawing: Mapping[type, Callable[..., Axes]] = {
        Bars: _bars,
        NamedBars: _named_bars,
        HeatTable: _heat,
        Lines: _lines,
        Means: _means,
    }
    try:
        return drawing[type(part)](part, *view, artist=artist, **where)
    except (AttributeError, TypeError, ValueError) as error:
        if not artist:
            raise
        expected = "what matplotlib can draw with, such as color='tab:red'"
        raise MathhammerError(f"expected {expected}, got {validation.shown(artist)}: {error}") from error


def _curve(probabilities: Sequence[float], view: str) -> NDArray[np.float64]:
    """Return the probabilities of a view."""
    validation.one_of(view, _VIEWS, "the kind of a plot")
    values = np.array(probabilities)
    if view == "pmf":
        return values
    summed: NDArray[np.float64] = np.cumsum(values) if view == "cdf" else np.cumsum(values[::-1])[::-1]
    summed = np.append(summed[1:], 0.0) if view == "ccdf" else summed
    return np.minimum(summed, 1.0, out=summed)


def _in_view(parts: Sequence[Bars]) -> tuple[float, float, str]:
    """Return the x limits where the mass lies, and the words for what lies beyond them."""
    low, high = min(one.outcomes[0] for one in parts), max(one.outcomes[-1] for one in parts)
    if high - low < _ALL_SHOWN:
        return low - 0.7, high + 0.7, ""
    firsts, lasts = [], []
    for one in parts:
        floats = np.array(one.probabilities)
        firsts.append(one.outcomes[0] + int((np.cumsum(floats) < _TAIL).sum()))
        lasts.append(one.outcomes[-1] - int((np.cumsum(floats[::-1]) < _TAIL).sum()))
    left, right = min(firsts), max(lasts)
    beyond = [f"{low} to {left - 1}"] * (left > low) + [f"{right + 1} to {high}"] * (right < high)
    words = f"\nNot in view: {' and '.join(beyond)}, less than 0.01%" if beyond else ""
    return left - 0.7, right + 0.7, words


def _bars(part: Bars, view: str, ax: Axes | None, title: str | None, artist: dict[str, Any]) -> Axes:
    heights = _curve(part.probabilities, view)
    ax = _axes_for(ax)
    style = {"color": _COLOURS[0], "label": "_nolegend_", **artist}
    if view == "pmf":
        bars = ax.bar(np.array(part.outcomes), heights, **{"width": 0.8, **style})
        if len(heights) <= _NUMBERED:
            texts = [percent(height, digits=1) if height else "" for height in heights.tolist()]
            box = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.9, "pad": 0.8}
            # The line of the mean may pass through a number: the box keeps it legible.
            ax.bar_label(bars, labels=texts, fontsize="small", padding=3, bbox=box, zorder=5)
    else:
        step = {"where": "mid", "marker": "o", "markersize": 4}
        ax.step(np.array(part.outcomes), heights, **{**step, **style})
    _mark(ax, part)
    left, right, beyond = _in_view([part])
    ax.set_xlim(left, right)
    facts = ", ".join(f"{name} {text}" for name, text in list(part.facts.items())[:2])
    _name_axes(ax, title=facts if title is None else title, x=part.name + beyond, y=_VIEWS[view][0])
    _axis_from_0(ax)
    _whole_axis(ax)
    return ax


def _mark(ax: Axes, part: Bars) -> None:
    """Mark the mean, the median and the middle 90 %; a distribution with missing mass has none of them."""
    if part.mean is None or part.quantiles is None:
        return
    low, median, high = part.quantiles
    middle: dict[str, Any] = {"alpha": 0.08, "zorder": 0, "linewidth": 0}
    ax.axvspan(low - 0.5, high + 0.5, color=_ink(ax), label=f"5% to 95%: {low} to {high}", **middle)
    ax.axvline(part.mean, color=_ink(ax), linestyle="--", linewidth=1.2, label=f"mean {number(part.mean)}")
    # A triangle on the axis: the median is one of the outcomes, and the axis is where they are.
    triangle = ax.plot([median], [0.0], "^", color=_ink(ax), label=f"median {median}", markersize=8, zorder=6)
    triangle[0].set_clip_on(False)
    ax.margins(y=0.12)
    ax.legend(frameon=False, fontsize="small")


def _named_bars(
    part: NamedBars, view: str, ax: Axes | None, title: str | None, artist: dict[str, Any]
) -> Axes:
    heights = _curve(part.probabilities, view)
    ax = _axes_for(ax)
    style = {"color": _COLOURS[0], "edgecolor": _ink(ax), "linewidth": 0.5, "width": 0.7, **artist}
    bars = ax.bar(range(len(heights)), heights, **style)
    texts = [percent(height, digits=1) for height in heights.tolist()]
    ax.bar_label(bars, labels=texts, fontsize="small", padding=3)
    ax.margins(y=0.12)
    _name_axes(ax, title=title or "", x=part.name, y=_VIEWS[view][1])
    _ticks(ax, part.labels)
    _axis_from_0(ax)
    return ax


def _means(part: Means, ax: Axes | None, title: str | None, artist: dict[str, Any]) -> Axes:
    ax = _axes_for(ax, (7.0, 3.6))
    style = {"height": 0.66, "color": _COLOURS[0], "edgecolor": _ink(ax), "linewidth": 0.5, **artist}
    ax.barh(range(len(part.means)), part.means, **style)
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
    ends = [max(high, mean) for (_, high), mean in zip(part.spans, part.means, strict=True)]
    spanned = any(low < high for low, high in part.spans)
    for place, (span, text) in enumerate(zip(part.spans, part.texts, strict=True)):
        if spanned:
            ax.plot(span, [place, place], color=_ink(ax), linewidth=1.2, marker="|", markersize=8)
        ax.annotate(text, (ends[place], place), xytext=(7, 0), **beside)
    ax.set_yticks(range(len(part.labels)), list(map(_literal, part.labels)))
    ax.invert_yaxis()
    ax.set_xlim(0, (max(ends) or 1.0) * 1.35)
    along = f"{part.name}: means, and lines from 5% to 95%" if spanned else part.name
    _name_axes(ax, title=part.name if title is None else title, x=along, y="")
    return ax


def _lines(part: Lines, ax: Axes | None, title: str | None, artist: dict[str, Any]) -> Axes:
    """Draw numbers at the places 0, 1, 2, ...; the values that they stand for may be text."""
    ax = _axes_for(ax)
    for place, (name, heights) in enumerate(part.series.items()):
        style = {**_line_style(place), "label": _literal(name), **artist}
        ax.plot(range(len(heights)), heights, **style)
    for place, change in enumerate(part.changes):
        label = "_nolegend_" if place else "the better one changes"
        ax.axvline(change, color=_ink(ax), linestyle=":", linewidth=1, zorder=0, label=label)
    ax.margins(y=0.12)
    _name_axes(ax, title=title or "", x=part.across, y=part.name)
    _axis_from_0(ax, percent=part.name.startswith("probability"))
    _ticks(ax, part.labels, 20)
    if len(part.series) > 1:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _heat(part: HeatTable, ax: Axes | None, title: str | None, artist: dict[str, Any]) -> Axes:
    """Draw the cells from 0 on, with their numbers or, where there is no room, with a scale."""
    height, width = len(part.rows), len(part.columns)
    if height * width > _MAXIMUM:
        raise TooLargeError(
            f"expected a heat map of at most {_MAXIMUM:,} cells, got {height * width:,}; draw a part of it"
        )
    texts = part.written()
    values = np.array([cells for _, cells in part.rows], dtype=float)
    values[~np.isfinite(values) | (np.array(texts) == "")] = np.nan
    names = _CHARACTER * max((len(name) for name, _ in part.rows), default=0)
    size = (min(14.0, max(5.0, 1.8 + 0.7 * width, 2 + names)), min(10.0, max(2.4, 1.4 + 0.36 * height)))
    ax = _axes_for(ax, size)
    greatest = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
    # One hue whose lightness falls evenly: the order is the same in grey and for the colour-blind.
    style = {"cmap": "Blues", "vmin": 0.0, "vmax": greatest or 1.0, "aspect": "auto", **artist}
    image = ax.imshow(values, **style)
    if values.size > _CELLS:
        from matplotlib.ticker import PercentFormatter

        chance = part.texts is None
        scale = PercentFormatter(1.0) if chance else None
        ax.figure.colorbar(image, ax=ax, label="probability" if chance else part.caption, format=scale)
    else:
        for row, column in np.ndindex(height, width):
            if texts[row][column]:
                colour = _contrast(image, float(values[row, column]), ax)
                middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small"}
                ax.text(column, row, texts[row][column], color=colour, **middle)
    _ticks(ax, part.columns)
    step = -(-height // 40)
    ax.set_yticks(range(0, height, step), [_literal(name) for name, _ in part.rows[::step]])
    if part.rising:
        ax.invert_yaxis()
    _name_axes(ax, title=_literal(part.caption) if title is None else title, x=part.across, y=part.down)
    return ax


def _contrast(image: AxesImage, value: float, ax: Axes) -> ColorType:
    """Return black on a light cell, white on a dark one; on none at all, the colour of the axes' text."""
    if np.isnan(value):
        return _ink(ax)
    red, green, blue, _ = image.cmap(image.norm(np.array(value)))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _ticks(ax: Axes, names: Sequence[str], most: int = 40) -> None:
    """Name the places below, leaving some out where there are many, and tilt names that would run into each other."""
    step = -(-len(names) // most)
    ax.set_xticks(range(0, len(names), step), list(map(_literal, names[::step])))
    room = ax.get_window_extent().width / ax.figure.dpi / len(names[::step])
    if _CHARACTER * (max(map(len, names)) + 1) > room:
        for label in ax.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")


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
    unit = None if unit is None else validation.text(unit, "unit")
    # Names of keywords have an underscore where a blank cannot be.
    read = {
        name.replace("_", " ") if name.isidentifier() else name: _bars_of(name, given)
        for name, given in distributions.items()
    }
    heights = {name: _curve(one.probabilities, kind) for name, one in read.items()}
    names = {one.name for one in read.values()}
    unit = unit or (names.pop() if len(names) == 1 else "outcome")
    ax = _axes_for(ax)
    lengths = list(map(len, heights.values()))
    as_bars, width = kind == "pmf" and sum(lengths) <= _BARS, 0.84 / len(read)
    for place, (name, part) in enumerate(read.items()):
        fact, text = next(iter(part.facts.items()))  # the mean, or what is missing
        style: dict[str, Any] = {"label": f"{_literal(name)} ({fact} {text})"}
        if as_bars:
            ax.margins(y=0.12)
            at = np.array(part.outcomes) + (place - (len(read) - 1) / 2) * width
            style |= {"color": _COLOURS[place % len(_COLOURS)], "hatch": _HATCHES[place % len(_HATCHES)]}
            ax.bar(at, heights[name], width=width, edgecolor=_ink(ax), linewidth=0.5, **style)
        else:  # markers tell lines apart; where points are dense, some of them do, each line at other places
            most = max(lengths)
            every = 1 if most <= _BARS else (place * most // 60, max(1, most // 20))
            ax.plot(np.array(part.outcomes), heights[name], markevery=every, **_line_style(place), **style)
    left, right, beyond = _in_view(list(read.values()))
    ax.set_xlim(left, right)
    if title is None:
        editions = {edition for one in distributions.values() if (edition := getattr(one, "edition", ""))}
        compared = ", ".join(map(_literal, read)) if len(read) <= 4 else f"{len(read)} distributions"
        counted = f"{_literal(unit[:1].upper() + unit[1:].replace('_', ' '))}, edition {' and '.join(sorted(editions))}"
        title = counted if editions else f"{compared} compared"
    _name_axes(ax, title=title, x=unit + beyond, y=_VIEWS[kind][0])
    _axis_from_0(ax)
    _whole_axis(ax)
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
