"""What the page shows of a result, as data and as HTML: numbers, distributions to draw, tables, an earlier result."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from math import lcm
from typing import TYPE_CHECKING, Any, cast

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.html import html_cells
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import Bars, Panel
from mathhammer.distributions import Distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.presentation import bars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STEPS = ("attacks", "hits", "wounds", "unsaved", "damage")
#: What a result says beside its numbers.
_NOT_ODDS = frozenset(("arithmetic", "edition"))


def panel_of(result: Any) -> Panel:
    """Return the panel of a result; of a distribution itself as its only part."""
    if isinstance(result, Distribution):
        part = bars(result, "Result")
        return Panel("", part.facts, [part])
    return result._panel() if isinstance(result, Displayed) else Panel("")  # noqa: SLF001 - the package's own


def odds(result: Any) -> dict[str, str]:
    """Return the headline numbers of a result as people read them."""
    facts = panel_of(result).fact_texts(fractions=False).items()
    return {name.removesuffix(":"): text for name, text in facts if name not in _NOT_ODDS}


def drawn(result: Any) -> dict[str, object]:
    """Return the distributions of a result as the page draws them, and the rest of its panel as HTML."""
    panel = panel_of(result)
    rest = "".join(part.html() for part in panel.parts if not isinstance(part, Bars))
    rest += "".join(f"<p><small>{escape(note)}</small></p>" for note in panel.notes)
    rest += "".join(
        f"<details><summary>{escape(sentence)}</summary>{part.html()}</details>"
        for sentence, part in panel.folded
    )
    charts = [
        {name: getattr(part, name) for name in ("name", "mean")}
        | {name: list(getattr(part, name)) for name in ("outcomes", "probabilities")}
        for part in panel.parts
        if isinstance(part, Bars)
    ]
    if not charts and not rest:
        rest = result._repr_html_() or ""
    return {
        "charts": charts,
        "html": f'<div class="mathhammer-shown">{rest}</div>' if rest else "",
        "way": _way(result),
    }


def _way(result: Any) -> str:
    """Return the means on the way to the result of an attack; the steps of some wounds alone have none."""
    steps = [
        step for step in _STEPS if hasattr(type(result), step) and step not in getattr(result, "absent", ())
    ]
    means = ", ".join(f"{number(in_fractions(getattr(result, step)).mean())} {step}" for step in steps)
    return f"On average {means}." if len(steps) > 1 else ""


def compared(result: Any, reference: Any) -> str:
    """Return the numbers of a result beside those of an earlier one."""
    now, before = odds(result), odds(reference)
    values = panel_of(result).facts, panel_of(reference).facts
    rows = []
    for name, text in now.items():
        one, other = (cast("Any", each.get(name, "")) for each in values)
        change = ""
        if not isinstance(one, str) and not isinstance(other, str):
            one, other = (float(each[0] if isinstance(each, tuple) else each) for each in (one, other))
            more = one - other
            change = f"{100 * more:+.2f} points" if name.startswith("P(") else f"{more:+.2f}"
        rows.append([name, text, before.get(name, ""), change])
    note = f"<small>Reference: {escape(str(reference).partition(chr(10))[0])}</small>"
    table = html_cells(["", "now", "reference", "change"], rows, "<>>>")
    return f'<div class="mathhammer-shown">{table}{note}</div>'


def luck(rolled: Sequence[tuple[Any, Mapping[str, Any]]]) -> dict[str, object]:
    """Return how lucky outcomes of distributions of results were, each by itself and all together."""
    sentences, total, outcome = [], None, 0
    for result, said in rolled:
        own = validation.whole(said.get("outcome"), "an outcome", 0)
        known = {each.name: each for each in panel_of(result).parts if isinstance(each, Bars)}
        name = validation.one_of(said.get("name"), known, "the name of a distribution")
        shares = [Fraction(share) for share in known[name].exact or known[name].probabilities]
        whole = lcm(*(share.denominator for share in shares))
        weights = (int(share * whole) for share in shares)
        found = Distribution.from_weights(dict(zip(known[name].outcomes, weights, strict=True)), exact=True)
        sentences.append(f"{name}: {own}, {_sentence(found, own)}")
        total, outcome = found if total is None else total + found, outcome + own
    if total is not None and len(rolled) > 1:
        mean = number(in_fractions(total).mean())
        sentences.append(
            f"Together {outcome} in {len(rolled)} rolls, where {mean} is the average: {_sentence(total, outcome)}"
        )
    return {"sentences": sentences}


def _sentence(found: Distribution, outcome: int) -> str:
    chances = in_fractions(found).luck(outcome)
    least, most, luckier = map(percent, (chances.at_least, chances.at_most, 1 - chances.mid_p))
    return f"at least so many with {least}, at most so many with {most}; luckier than {luckier} of rolls."
