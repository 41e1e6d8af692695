"""Pictures of results over the values of a parameter: heat maps and curves, and where the better attack changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.plot.axes import (
    axes_for,
    axis_from_0,
    capitalised,
    ink,
    line_style,
    literal,
    name_axes,
    percent_axis,
)
from mathhammer.plot.heat_maps import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from mathhammer.analysis import BreakEven, Sweep


def sweep(
    answer: Sweep,
    metric: str = "mean_wounds_lost",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw one number over a parameter as a curve, over two as a heat map.

    Parameters
    ----------
    answer
        What :func:`mathhammer.analysis.sweep` returns.
    metric
        One of its numbers.
    ax
        Where to draw; by default a new figure.
    title
        By default the number, the attack, the target and the edition.
    **artist
        Passed on to the line or to the image.

    Examples
    --------
    >>> from mathhammer import analysis, wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> ax = sweep(analysis.sweep(rifle, "MEQ", {"toughness": (4, 5), "save": ("3+", "4+")}))
    >>> ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.texts]
    ('save', 'toughness', ['0.22', '0.33', '0.15', '0.22'])
    """
    from mathhammer.analysis import Sweep as SweepClass

    validation.instance(answer, SweepClass, "a Sweep to draw", "analysis.sweep(...) makes one")
    values = answer.metric(metric)
    if title is None:
        attack = f"{literal(answer.attacker)} against {literal(answer.target)}"
        title = f"{capitalised(metric)}: {attack}, edition {answer.edition}"
    names = [name.replace("_", " ") for name in answer.parameters]
    labels = [[str(value) for value in each] for each in answer.parameters.values()]
    if len(names) == 2:
        ax = table(values, labels[1], labels[0], ax=ax, metric=metric, **artist)
        name_axes(ax, title=title, x=names[1], y=names[0])
        return ax
    ax = axes_for(ax)
    _line(ax, values.tolist(), 0, **artist)
    _name(ax, labels[0], title=title, x=names[0], metric=metric)
    return ax


def break_even(answer: BreakEven, *, ax: Axes | None = None, title: str | None = None, **artist: Any) -> Axes:
    """Draw two attacks over the values of a parameter, with a line wherever the better one changes.

    Parameters
    ----------
    answer
        What :func:`mathhammer.analysis.break_even` returns.
    ax
        Where to draw; by default a new figure.
    title
        By default what is compared, the target and the edition.
    **artist
        Passed on to both curves.

    Examples
    --------
    >>> from mathhammer import analysis, wh40k
    >>> weak = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> strong = wh40k.Weapon.parse("Gun: A1 BS3+ S8 AP0 D1")
    >>> ax = break_even(analysis.break_even(weak, strong, "TANK", values=(4, 8)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Rifle', 'Gun', 'the better one changes']
    """
    from mathhammer.analysis import BreakEven as BreakEvenClass

    validation.instance(answer, BreakEvenClass, "a BreakEven to draw", "analysis.break_even(...) makes one")
    ax = axes_for(ax)
    for place, (name, values) in enumerate(zip(answer.attackers, (answer.first, answer.second), strict=True)):
        _line(ax, values.tolist(), place, **{"label": literal(name), **artist})
    # Places stand for values: a change lies in the middle between the two values that it is between.
    changes = [
        (answer.values.index(each.before) + answer.values.index(each.after)) / 2 for each in answer.crossings
    ]
    for number, change in enumerate(changes):
        label = "_nolegend_" if number else "the better one changes"
        ax.axvline(change, color=ink(ax), linestyle=":", linewidth=1, zorder=0, label=label)
    if title is None:
        title = f"{capitalised(answer.metric)} against {literal(answer.target)}, edition {answer.edition}"
    x = answer.parameter.replace("_", " ")
    _name(ax, [str(value) for value in answer.values], title=title, x=x, metric=answer.metric)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _line(ax: Axes, heights: Sequence[float], place: int, **artist: Any) -> None:
    """Draw numbers at the places 0, 1, 2, ...; the values that they stand for may be text."""
    ax.plot(range(len(heights)), heights, **{**line_style(place), **artist})


def _name(ax: Axes, values: Sequence[str], *, title: str, x: str, metric: str) -> None:
    ax.margins(y=0.12)
    name_axes(ax, title=title, x=x, y=metric.replace("_", " "))
    if metric.startswith("probability"):
        percent_axis(ax)
    else:
        axis_from_0(ax)
    places = range(0, len(values), -(-len(values) // 20))
    ax.set_xticks(list(places), [literal(values[place]) for place in places])
