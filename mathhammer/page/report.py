"""What the page shows of a result beside its panel: headline numbers, an earlier result, chances of so much or more."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from mathhammer.display.html import html_table, svg_curves
from mathhammer.display.numbers import number, percent
from mathhammer.distributions.fractions import in_fractions

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.result import AttackResult

#: The table of "at least" has at most so many columns beside the first.
_COLUMNS = 12
_STEPS = ("attacks", "hits", "wounds", "unsaved", "damage")
#: What a result says beside its numbers.
_NOT_ODDS = frozenset(("arithmetic", "edition"))


def odds(result: Any) -> dict[str, str]:
    """Return the headline numbers of a result as people read them."""
    facts = result._panel().fact_texts(fractions=False)  # noqa: SLF001 - the package's own
    return {name: text for name, text in facts.items() if name not in _NOT_ODDS}


def compared(result: AttackResult, reference: AttackResult) -> str:
    """Return the numbers of a result beside those of an earlier one, and the curves of the wounds lost."""
    now, before = (
        (each, each.kills.mean(), each.wounds_lost.mean(), each.probability_destroyed)
        for each in map(in_fractions, (result, reference))
    )
    texts = zip(odds(result).items(), odds(reference).values(), now[1:], before[1:], strict=True)
    rows = []
    for (name, text), earlier, one, other in texts:
        more = float(one) - float(other)
        change = f"{100 * more:+.2f} points" if name.startswith("P(") else f"{more:+.2f}"
        rows.append([name, text, earlier, change])
    curves = {
        name: [float(each.wounds_lost.at_least(k)) for k in range(each.unit.wounds_lost()[-1] + 1)]
        for name, each in (("now", now[0]), ("reference", before[0]))
    }
    drawn = svg_curves(curves, title="Now and reference: wounds lost", height=190)
    table = html_table(["", "now", "reference", "change"], rows, text_last=False)
    note = f"<small>Reference: {escape(str(reference).partition(chr(10))[0])}</small>"
    return f'<div class="mathhammer-shown"><div class="pictures"><div>{table}{note}</div>{drawn}</div></div>'


def details(result: Any) -> str:
    """Return the table of "at least", and the means on the way."""
    # The steps that depend on whose wounds they are have no mean of their own.
    steps = [step for step in _STEPS if step not in result.absent]
    way = ", ".join(f"{number(in_fractions(getattr(result, step)).mean())} {step}" for step in steps)
    several = result.unit.models > 1
    lost, what = (result.kills, "models destroyed") if several else (result.wounds_lost, "wounds lost")
    table = at_least(lost, f"Chance of at least this many {what}")
    return f'<div class="mathhammer-shown mathhammer-details">{table}<div>On average {way}.</div></div>'


def at_least(distribution: Distribution, what: str) -> str:
    """Return a table of the probabilities of so much or more; nothing or more is certain and left out."""
    distribution = in_fractions(distribution)
    counts = [k for k in distribution.support if k and distribution.pmf(k)]
    shown = [*counts[: -1 : -(-len(counts) // _COLUMNS) or 1], *counts[-1:]]
    cells = ["has the probability", *(percent(distribution.at_least(k)) for k in shown)]
    return html_table([what, *map(str, shown)], [cells], text_last=False)
