"""How a distribution looks: a table with bars for the terminal, bars in SVG for a notebook."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import starmap
from typing import TYPE_CHECKING, Any

from mathhammer.display import numbers as display
from mathhammer.display.text import distribution_table, page_unicode, page_width
from mathhammer.display.text import table as text_table
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.display.panel import Bars, HeatTable
    from mathhammer.distributions.base import FiniteDistribution
    from mathhammer.distributions.joint import JointDistribution
    from mathhammer.distributions.univariate import Distribution

#: A table of two axes with more cells than this has no picture: the one-line form says more.
MAXIMUM_PICTURE = 1000
#: Exact values are written out for at most as many outcomes as the table has rows.
_MAXIMUM_ROWS = 40
#: The same for a program that reads them.
_MAXIMUM_EXACT = 1000
#: A joint distribution is drawn as a heat table up to so many columns.
_MAXIMUM_COLUMNS = 40
#: A picture of more cells has no room for them.
_MAXIMUM_CELLS = 20_000
#: Of more rows or columns than this those at the ends are left out that together are less probable than this.
_ALL_SHOWN = 12
_TAIL = 5e-4
#: The floats beside 0 and 1.
_LEAST, _MOST = math.ulp(0.0), math.nextafter(1.0, 0.0)


def shown_floats(distribution: FiniteDistribution[Any], /) -> list[float]:
    """Return probabilities as they are drawn: what can happen is above 0, and what can fail is below 1."""
    terms, denominator = distribution._mass.terms()
    return [
        min(max(shown, _LEAST), _MOST) if 0 < term < denominator else shown
        for term, shown in zip(terms, distribution._mass.to_list(), strict=True)
    ]


def deviation(distribution: Distribution, /) -> float:
    """Return the standard deviation as a float; that of a distribution that varies is above 0."""
    variance = distribution._in_fractions().variance()
    return math.sqrt(max(float(variance), _LEAST)) if variance else 0.0


def table(distribution: Distribution, /, *, width: int | None = None, limit: int = _MAXIMUM_ROWS) -> str:
    """Return outcomes, probabilities and "at least" with bars, and the mean below them."""
    floats, exact = shown_floats(distribution), None
    if distribution.exact:
        # A table that folds its rows has no room for digits.
        few = sum(map(bool, distribution._mass.to_list())) <= limit
        exact = list(starmap(display.fraction, distribution.fractions())) if few else [""] * len(floats)
    rows = distribution_table(
        distribution.support,
        floats,
        exact=exact,
        width=width or page_width(),
        limit=limit,
        unicode=page_unicode(),
    )
    return "\n".join([rows, ", ".join(f"{name} {text}" for name, text in _facts(distribution).items())])


def bars(distribution: Distribution, name: str, /, view: str = "pmf") -> Bars:
    """Return a distribution as a part of a panel."""
    from mathhammer.display.panel import Bars

    floats = shown_floats(distribution)
    few = len(floats) <= _MAXIMUM_EXACT
    exact = list(starmap(display.fraction, distribution.fractions())) if distribution.exact and few else None
    whole = not distribution._misses()
    return Bars(
        name,
        distribution.support,
        floats,
        exact=exact,
        mean=float(distribution._in_fractions().mean()) if whole else None,
        quantiles=_quantiles(distribution) if whole else None,
        facts=_facts(distribution),
        view=view,
    )


def heat(joint: JointDistribution, /, caption: str = "") -> HeatTable | None:
    """Return a joint distribution of two axes as a part of a panel, or None where it has too many outcomes."""
    masses = _masses(joint)
    columns, rows = (_in_view(masses, place) for place in (0, 1))
    if len(columns) > _MAXIMUM_COLUMNS or len(columns) * len(rows) > MAXIMUM_PICTURE:
        return None
    first, second = (name.replace("_", " ") for name in joint.axes)
    caption = caption or f"Probability of {first} (across) and {second} (down)"
    beyond = sum(mass for (x, y), mass in masses.items() if x not in columns or y not in rows)
    if beyond:
        caption += f"; what is not shown has {display.percent(beyond)}"
    return _heat((first, second), masses, columns, rows, caption)


def whole_heat(joint: JointDistribution, /, *names: str) -> HeatTable:
    """Return all of a joint distribution of two axes as a part that is drawn."""
    if len(joint.axes) != 2:
        raise MathhammerError(
            f"expected a joint distribution of two axes for a heat map, got {', '.join(joint.axes)}; "
            "pick two with marginal(first, second)"
        )
    masses = _masses(joint)
    columns, rows = (range(min(values), max(values) + 1) for values in zip(*masses, strict=True))
    if len(columns) * len(rows) > _MAXIMUM_CELLS:
        raise TooLargeError(
            f"expected a heat map of at most {_MAXIMUM_CELLS:,} cells, got {len(columns) * len(rows):,}; "
            "look at one axis with marginal(axis), or at a part with given(...)"
        )
    first, second = (name.replace("_", " ") for name in joint.axes)
    caption = "" if names else f"Probability of {first} and {second}"
    return _heat(names or (first, second), masses, columns, rows, caption)


def _heat(
    names: Sequence[str],
    masses: Mapping[tuple[int, ...], float],
    columns: Sequence[int],
    rows: Sequence[int],
    caption: str,
) -> HeatTable:
    from mathhammer.display.panel import HeatTable

    cells = [(str(row), [masses.get((column, row), 0.0) for column in columns]) for row in rows]
    across, down = names
    return HeatTable(list(map(str, columns)), cells, across=across, down=down, caption=caption, rising=True)


def _in_view(masses: Mapping[tuple[int, ...], float], place: int) -> list[int]:
    """Return the values of one axis in order; of many those without the improbable ends."""
    of_value: dict[int, float] = defaultdict(float)
    for outcome, mass in masses.items():
        of_value[outcome[place]] += mass
    values, little = sorted(of_value), _TAIL * sum(of_value.values())
    for end in (0, -1) if len(values) > _ALL_SHOWN else ():
        left_out = 0.0
        while (left_out := left_out + of_value[values[end]]) < little:
            del values[end]
    return values


def joint_html(joint: JointDistribution, /) -> str | None:
    """Return a heat table of two axes, or None where it has too many cells, and the bars of each of one or several."""
    if len(joint.axes) != 2:
        from html import escape

        # The outcomes of several axes are many more than the bars that stand for them.
        each = [
            (escape(axis.replace("_", " ")), bars(joint.marginal(axis), "").html()) for axis in joint.axes
        ]
        return "".join(f"<div>{axis}:{drawn}</div>" for axis, drawn in each)
    shown = heat(joint)
    return None if shown is None else shown.html()


def joint_table(joint: JointDistribution, /, *, limit: int = _MAXIMUM_ROWS) -> str:
    """Return the outcomes with their probabilities, the likeliest where not all of them fit."""
    ranked = sorted(_masses(joint).items(), key=lambda item: -item[1])
    kept, left = sorted(ranked[:limit]), ranked[limit:]
    rows = [[*map(str, outcome), display.percent(min(probability, 1.0))] for outcome, probability in kept]
    header = [*(axis.replace("_", " ") for axis in joint.axes), "probability"]
    lines = text_table(header, rows, ">" * len(header), width=page_width())
    if left:
        share = display.percent(min(math.fsum(probability for _, probability in left), 1.0))
        lines.append(f"The {limit} likeliest; {display.count(len(left), 'outcome')} more ({share}).")
    return "\n".join(lines)


def _masses(joint: JointDistribution) -> dict[tuple[int, ...], float]:
    """Return each possible outcome once with its probability: a joint distribution may hold one in several parts."""
    masses: dict[tuple[int, ...], float] = defaultdict(float)
    for coordinates, probability in zip(joint._outcomes, shown_floats(joint), strict=True):
        if probability:
            masses[tuple(map(int, coordinates))] += probability  # a condition as an axis is 0 or 1
    return masses


def _quantiles(distribution: Distribution) -> tuple[int, int, int]:
    low, median, high = (int(distribution.icdf(share)) for share in (0.05, 0.5, 0.95))
    return low, median, high


def _facts(distribution: Distribution) -> dict[str, str]:
    """Return mean, deviation and quantiles, or the missing mass that leaves them undefined."""
    distribution = distribution._in_fractions()
    if distribution._misses():
        return {"missing": f"{display.percent(distribution.missing)} ({distribution._missing_text()})"}
    low, median, high = _quantiles(distribution)
    return {
        "mean": display.number(distribution.mean()),
        "standard deviation": display.number(deviation(distribution)),
        "median": str(median),
        "5% to 95%:": f"{low} to {high}",
    }
