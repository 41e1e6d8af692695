"""How a distribution looks: a table with bars for the terminal, bars in SVG for a notebook."""

from __future__ import annotations

import shutil
import sys
from itertools import starmap
from typing import TYPE_CHECKING, Any

from mathhammer import display

if TYPE_CHECKING:
    from mathhammer.distributions.univariate import Distribution

__all__ = ["html", "table"]

#: A law with more outcomes than this has no picture: the one-line form says more.
MAXIMUM_PICTURE = 1000
#: Exact values are written out for at most as many outcomes as the table has rows.
_MAXIMUM_ROWS = 40


def table(distribution: Distribution[Any], /, *, width: int | None = None, limit: int = _MAXIMUM_ROWS) -> str:
    """Return outcomes, probabilities and "at least" with bars, and the mean below them.

    Parameters
    ----------
    distribution
        Any law, of either arithmetic; an exact one prints its fractions where they fit.
    width
        Of the page in characters; by default that of the terminal.
    limit
        Greatest number of rows.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> print(table(distribution("D3", exact=True), width=60))
    outcome  probability  exactly  at least
          1       33.33%      1/3      100%  ███████████████████
          2       33.33%      1/3    66.67%  ███████████████████
          3       33.33%      1/3    33.33%  ███████████████████
    mean 2.00, standard deviation 0.82
    """
    floats = distribution.to_floats().tolist()
    exact = None
    if distribution.exact:
        # A law that will be folded needs no fractions, but the note that there are some.
        few = sum(1 for probability in floats if probability) <= limit
        exact = list(starmap(display.fraction, distribution.fractions())) if few else [""] * len(floats)
    rows = display.distribution_table(
        distribution.support,
        floats,
        exact=exact,
        width=width or shutil.get_terminal_size((100, 24)).columns,
        limit=limit,
        unicode=_unicode(),
    )
    return "\n".join([rows, ", ".join(f"{name} {text}" for name, text in _facts(distribution).items())])


def html(distribution: Distribution[Any], /) -> str | None:
    """Return the picture of a law for a notebook, or None where it has too many outcomes.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> html(distribution("D6"))[:24], html(distribution("2000D6"))
    ('<div class="mathhammer">', None)
    """
    if len(distribution.support) > MAXIMUM_PICTURE:
        return None
    mean = None if distribution._misses() else float(distribution.mean())
    return display.html(
        distribution.support, distribution.to_floats().tolist(), mean=mean, facts=_facts(distribution)
    )


def _facts(distribution: Distribution[Any]) -> dict[str, str]:
    """Return mean and deviation, or the missing mass that leaves them undefined."""
    if distribution._misses():
        return {"missing": f"{display.percent(distribution.missing)} ({distribution.missing})"}
    return {
        "mean": display.number(distribution.mean()),
        "standard deviation": display.number(distribution.standard_deviation()),
    }


def _unicode() -> bool:
    """Return whether the terminal prints block characters; a text that goes nowhere yet may hold them."""
    return display.supports_unicode(getattr(sys.stdout, "encoding", None) or "utf-8")
