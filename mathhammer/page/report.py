"""What a panel shows of a result, as HTML for light and dark pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, SupportsFloat

from mathhammer import display
from mathhammer.display.html import html_table, svg_curves
from mathhammer.distributions import in_fractions

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import AttackResult

#: The table of "at least" has at most so many columns beside the first.
_COLUMNS = 12
_STEPS = ("attacks", "hits", "wounds", "unsaved", "damage")


def report(result: AttackResult, reference: AttackResult | None = None) -> str:
    """Return the numbers and pictures of a result, beside those of an earlier one if there is one."""
    pictures = f"{_headline(result, reference)}{_pictures(result, reference)}"
    return (
        f'<div class="mathhammer-shown"><div><strong>{escape(_caption(result))}</strong></div>'
        f'<div class="pictures">{pictures}</div></div>'
    )


def _caption(result: AttackResult) -> str:
    """Return what attacked what, in a line."""
    return str(result).partition("\n")[0]


def details(result: AttackResult) -> str:
    """Return the means on the way, the table of "at least", and the rulings in force."""
    rulings = f"<details><summary>{escape(result.rulings.sentence)}</summary>{result.rulings.table().html()}</details>"
    return (
        f'<div class="mathhammer-shown mathhammer-details">{_at_least(result)}<div>On average {_way(result)}.</div>'
        f"{rulings}</div>"
    )


def printed(text: str) -> str:
    """Return a text as it is, lines and spaces kept."""
    return f'<div class="mathhammer-shown"><pre>{escape(text)}</pre></div>' if text else ""


def _headline(now: AttackResult, reference: AttackResult | None) -> str:
    """Return what a player asks first, and by how much it differs from the reference."""
    rows = [[name, _value(value, kind)] for name, value, kind in _answers(now)]
    header = ["", "now"]
    if reference is not None:
        header += ["reference", "change"]
        for row, (_, new, kind), (_, old, _) in zip(rows, _answers(now), _answers(reference), strict=True):
            row += [_value(old, kind), _change(float(new) - float(old), kind)]
    note = "" if reference is None else f"<small>Reference: {escape(_caption(reference))}</small>"
    return f"<div>{html_table(header, rows, text_last=False)}{note}</div>"


def _answers(result: AttackResult) -> list[tuple[str, SupportsFloat, str]]:
    lost = in_fractions(result)
    return [
        ("Whole unit destroyed", lost.probability_destroyed, "probability"),
        ("Models destroyed, mean", lost.kills.mean(), "number"),
        ("Wounds lost, mean", lost.wounds_lost.mean(), "number"),
    ]


def _value(value: SupportsFloat, kind: str) -> str:
    return display.percent(value) if kind == "probability" else display.number(value)


def _change(difference: float, kind: str) -> str:
    return f"{100 * difference:+.2f} points" if kind == "probability" else f"{difference:+.2f}"


def _way(result: Any) -> str:
    """Return the means of the steps that do not depend on whose wounds they are."""
    steps = [step for step in _STEPS if step not in result.absent]
    return ", ".join(f"{display.number(in_fractions(getattr(result, step)).mean())} {step}" for step in steps)


def _pictures(result: AttackResult, reference: AttackResult | None) -> str:
    """Return the bars of models and wounds; beside a reference the curves of both in place of the second."""
    pictures = {"Models destroyed": _picture(result.kills)}
    if reference is not None:
        curves = {"now": _lost_at_least(result), "reference": _lost_at_least(reference)}
        title = "Now and reference: wounds lost"
        pictures["Wounds lost, at least"] = svg_curves(curves, title=title, height=190)
    elif result.kills != result.wounds_lost:  # with models of one wound it is the same picture twice
        pictures["Wounds lost"] = _picture(result.wounds_lost)
    return "".join(f"<div>{name}:{picture}</div>" for name, picture in pictures.items())


def _picture(distribution: Distribution) -> str:
    picture = distribution._repr_html_()
    return f"<br>{escape(repr(distribution))}" if picture is None else picture


def _lost_at_least(result: AttackResult) -> list[float]:
    """Return the probabilities of 0, 1, 2, ... wounds lost or more, up to all that the unit had."""
    return [
        float(in_fractions(result).wounds_lost.at_least(k)) for k in range(result.unit.wounds_lost()[-1] + 1)
    ]


def _at_least(result: AttackResult) -> str:
    """Return the probabilities of so many models destroyed or more; of wounds where there is one model."""
    if result.unit.models > 1:
        return at_least(result.kills, "At least so many models destroyed")
    return at_least(result.wounds_lost, "At least so many wounds lost")


def at_least(distribution: Distribution, what: str) -> str:
    """Return a table of the probabilities of so much or more; nothing or more is certain and left out."""
    distribution = in_fractions(distribution)
    counts = [k for k in distribution.support if k and distribution.pmf(k)]
    step = -(-len(counts) // _COLUMNS) or 1
    shown = [*counts[:-1:step], *counts[-1:]]
    header = [what, *map(str, shown)]
    cells = ["has the probability", *(display.percent(distribution.at_least(k)) for k in shown)]
    return html_table(header, [cells], text_last=False)
