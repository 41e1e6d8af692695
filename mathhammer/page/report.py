"""An attack of Warhammer 40,000 as the page shows it, beside an earlier one: HTML for light and dark pages."""

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
#: What a player asks first.
_ASKED = {
    "probability_destroyed": "Whole unit destroyed",
    "kills": "Models destroyed, mean",
    "wounds_lost": "Wounds lost, mean",
}


def answers(result: AttackResult) -> dict[str, Any]:
    """Return the numbers that a player asks for first."""
    lost = in_fractions(result)
    return {
        "kills": lost.kills.mean(),
        "wounds_lost": lost.wounds_lost.mean(),
        "probability_destroyed": lost.probability_destroyed,
    }


def value(name: str, given: Any) -> str:
    """Return such a number as text."""
    return percent(given) if name.startswith("probability") else number(given)


def report(result: AttackResult, reference: AttackResult | None = None) -> str:
    """Return the numbers and pictures of a result, beside those of an earlier one if there is one."""
    numbers = answers(result)
    header, rows, note = (
        ["", "now"],
        [[said, value(name, numbers[name])] for name, said in _ASKED.items()],
        "",
    )
    pictures = {"Models destroyed": _picture(result.kills)}
    if reference is not None:
        before = answers(reference)
        header += ["reference", "change"]
        for row, name in zip(rows, _ASKED, strict=True):
            more = float(numbers[name]) - float(before[name])
            change = f"{100 * more:+.2f} points" if name.startswith("probability") else f"{more:+.2f}"
            row += [value(name, before[name]), change]
        note = f"<small>Reference: {escape(_caption(reference))}</small>"
        curves = {
            name: [
                float(in_fractions(each).wounds_lost.at_least(k))
                for k in range(each.unit.wounds_lost()[-1] + 1)
            ]
            for name, each in (("now", result), ("reference", reference))
        }
        title = "Now and reference: wounds lost"
        pictures["Wounds lost, at least"] = svg_curves(curves, title=title, height=190)
    elif result.kills != result.wounds_lost:  # with models of one wound it is the same picture twice
        pictures["Wounds lost"] = _picture(result.wounds_lost)
    drawn = "".join(f"<div>{name}:{picture}</div>" for name, picture in pictures.items())
    headline = f"<div>{html_table(header, rows, text_last=False)}{note}</div>"
    caption = f"<div><strong>{escape(_caption(result))}</strong></div>"
    return f'<div class="mathhammer-shown">{caption}<div class="pictures">{headline}{drawn}</div></div>'


def _caption(result: AttackResult) -> str:
    """Return what attacked what, in a line."""
    return str(result).partition("\n")[0]


def _picture(distribution: Distribution) -> str:
    picture = distribution._repr_html_()
    return f"<br>{escape(repr(distribution))}" if picture is None else picture


def details(result: Any) -> str:
    """Return the means on the way, the table of "at least", and the rulings in force."""
    # The steps that depend on whose wounds they are have no mean of their own.
    steps = [step for step in _STEPS if step not in result.absent]
    way = ", ".join(f"{number(in_fractions(getattr(result, step)).mean())} {step}" for step in steps)
    rulings = f"<summary>{escape(result.rulings.sentence)}</summary>{result.rulings.table().html()}"
    several = result.unit.models > 1
    lost, what = (result.kills, "models destroyed") if several else (result.wounds_lost, "wounds lost")
    return (
        f'<div class="mathhammer-shown mathhammer-details">{at_least(lost, f"At least so many {what}")}'
        f"<div>On average {way}.</div><details>{rulings}</details></div>"
    )


def at_least(distribution: Distribution, what: str) -> str:
    """Return a table of the probabilities of so much or more; nothing or more is certain and left out."""
    distribution = in_fractions(distribution)
    counts = [k for k in distribution.support if k and distribution.pmf(k)]
    shown = [*counts[: -1 : -(-len(counts) // _COLUMNS) or 1], *counts[-1:]]
    cells = ["has the probability", *(percent(distribution.at_least(k)) for k in shown)]
    return html_table([what, *map(str, shown)], [cells], text_last=False)
