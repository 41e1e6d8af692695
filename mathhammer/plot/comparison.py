"""Several distributions in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer import display, validation
from mathhammer.distributions import Distribution
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
from mathhammer.plot.distributions import MEANS, Kind, curve, view
from mathhammer.sequence import AttackResult
from mathhammer.validation import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from sympy import Rational

    _Shown = Distribution[float] | Distribution[Rational]
    _Compared = _Shown | AttackResult[float] | AttackResult[Rational]

# More bars than this stand too close: lines take their place.
_BARS = 60


def compare(
    *,
    kind: Kind = "at_least",
    ax: Axes | None = None,
    title: str | None = None,
    unit: str | None = None,
    **distributions: _Compared,
) -> Axes:
    """Draw several distributions over each other.

    Parameters
    ----------
    kind
        As for :func:`mathhammer.plot.distribution`; few outcomes of ``"pmf"`` are bars beside each other.
    ax
        Where to draw; by default a new figure.
    title
        By default what is compared, and the edition of the results.
    unit
        What is counted; by default models destroyed, where all are results of attacks.
    **distributions
        By name, distributions or results of attacks, which stand for the models they destroy. The picture shows
        ``two_lascannons=`` as "two lascannons"; what is no Python name goes in as ``**{"2 lascannons": ...}``.

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
        name.replace("_", " ") if name.isidentifier() else name: _distribution(name, given)
        for name, given in distributions.items()
    }
    heights = {name: curve(one, kind) for name, one in read.items()}
    results = [given for given in distributions.values() if isinstance(given, AttackResult)]
    if unit is None:
        unit = "models destroyed" if len(results) == len(distributions) else "outcome"
    ax = axes_for(ax)
    if kind == "pmf" and sum(map(len, heights.values())) <= _BARS:
        _bars(ax, read, heights)
    else:
        _lines(ax, read, heights)
    left, right, beyond = view(list(read.values()))
    ax.set_xlim(left, right)
    name_axes(
        ax,
        title=_title(unit, list(read), results) if title is None else title,
        x=unit + beyond,
        y=MEANS[kind],
    )
    percent_axis(ax)
    whole_axis(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _distribution(name: str, given: object) -> Distribution[Any]:
    if isinstance(given, AttackResult):
        return given.kills
    if isinstance(given, Distribution):
        return given
    raise MathhammerError(f"expected a Distribution or the result of an attack as {name}, got {shown(given)}")


def _title(unit: str, names: list[str], results: list[AttackResult[float] | AttackResult[Rational]]) -> str:
    if not results:
        return (
            f"{', '.join(map(literal, names))} compared"
            if len(names) <= 4
            else f"{len(names)} distributions compared"
        )
    return f"{literal(capitalised(unit))}, edition {' and '.join(sorted({one.edition for one in results}))}"


def _label(name: str, one: Distribution[Any]) -> str:
    if one.missing:
        return f"{literal(name)} (missing {display.percent(one.missing)})"
    return f"{literal(name)} (mean {display.number(one.mean())})"


def _bars(
    ax: Axes, distributions: dict[str, Distribution[Any]], heights: dict[str, NDArray[np.float64]]
) -> None:
    ax.margins(y=0.12)
    width = 0.84 / len(distributions)
    for place, (name, one) in enumerate(distributions.items()):
        shift = (place - (len(distributions) - 1) / 2) * width
        ax.bar(
            np.array(one.support) + shift,
            heights[name],
            width=width,
            color=COLOURS[place % len(COLOURS)],
            hatch=HATCHES[place % len(HATCHES)],
            edgecolor=ink(ax),
            linewidth=0.5,
            label=_label(name, one),
        )


def _lines(
    ax: Axes, distributions: dict[str, Distribution[Any]], heights: dict[str, NDArray[np.float64]]
) -> None:
    longest = max(map(len, heights.values()))
    for place, (name, one) in enumerate(distributions.items()):
        ax.plot(
            np.array(one.support),
            heights[name],
            # Markers tell lines apart; where points are dense, some of them do, each line at other places.
            markevery=1 if longest <= _BARS else (place * longest // 60, max(1, longest // 20)),
            label=_label(name, one),
            **line_style(place),
        )
