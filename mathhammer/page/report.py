"""What a panel shows of a result, as HTML for light and dark pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat

from mathhammer import display
from mathhammer.distributions import in_fractions

if TYPE_CHECKING:
    from mathhammer.arithmetic.protocol import P
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import AttackResult

#: Colours are those of the page: of Jupyter's theme in force, or the text's own. A page that voila serves has the light
#: theme whatever its reader prefers, so there the colours of a dark one are put in place.
STYLE = """<style>
.mathhammer-panel{font-family:system-ui,sans-serif;max-width:1280px;--line:var(--jp-border-color2,#8888)}
.mathhammer-panel .jupyter-widgets,.mathhammer-panel .widget-html-content{line-height:1.4}
.mathhammer-panel .widget-label{text-align:left}
.mathhammer-panel .widget-toggle-buttons{display:flex;flex-wrap:nowrap}
.mathhammer-panel .widget-checkbox label{white-space:normal;height:auto}
.mathhammer-panel .jupyter-widgets :focus-visible{outline:2px solid #3a86c8;outline-offset:2px}
.mathhammer-columns{flex-wrap:wrap;gap:0 1.6em}
.mathhammer-group{flex:1 1 320px;min-width:min(320px,100%)}
.mathhammer-grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:0 1em}
.mathhammer-more{display:grid;grid-template-columns:repeat(auto-fill,minmax(340px,1fr));gap:0 1.6em}
.mathhammer-panel h3{font-size:1em;margin:.2em 0;border-bottom:1px solid var(--line)}
.mathhammer-shown,.mathhammer-wrong,.mathhammer-panel h3{color:var(--jp-ui-font-color1,inherit)}
.mathhammer-shown table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.2em 0;font-size:1em}
.mathhammer-shown th,.mathhammer-shown td{padding:.15em .6em;text-align:right;color:inherit;background:none;
border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.mathhammer-shown th:first-child,.mathhammer-shown td:first-child{text-align:left;padding-left:0}
.mathhammer-shown .wide{overflow-x:auto}
.mathhammer-shown .pictures{display:flex;flex-wrap:wrap;gap:.3em 1.6em}
.mathhammer-shown .pictures>div{flex:1 1 290px;max-width:480px}
.mathhammer-shown .pictures>div:first-child{flex:0 1 auto}
.mathhammer-shown svg{width:100%;height:auto;overflow:visible}
.mathhammer-panel .widget-dropdown select{appearance:auto;background-image:none;padding-right:2px}
.mathhammer-shown pre,.mathhammer-wrong pre{white-space:pre-wrap;color:inherit;background:none;margin:0;
font-family:ui-monospace,monospace;font-size:.95em}
.mathhammer-wrong{border-left:4px solid #d1662a;padding:.1em .6em}
.mathhammer-stale{opacity:.35}
@media (min-width:1000px) and (min-height:560px){
body[data-voila] .jp-Cell :is(.mathhammer-panel,:has(.mathhammer-panel)){overflow:visible}
body[data-voila] .mathhammer-output{position:sticky;top:0;z-index:3;background:var(--jp-layout-color0);
box-shadow:0 -10px 0 2px var(--jp-layout-color0)}}
@media (prefers-color-scheme:dark){:root:has(body[data-voila].theme-light){color-scheme:dark;--jp-layout-color0:#16181b;
--jp-layout-color1:#16181b;--jp-layout-color2:#2a2d31;--jp-layout-color3:#4a4f55;--jp-ui-font-color0:#fff;
--jp-ui-font-color1:#e6e7e9;--jp-ui-font-color2:#b6bac0;--jp-content-font-color0:#fff;--jp-content-font-color1:#e6e7e9;
--jp-border-color0:#7a8088;--jp-border-color1:#5a5f66;--jp-border-color2:#3a3e44;--jp-border-color3:#2a2d31}}
</style>"""

#: A fraction of more characters than this says less than its size.
_LONGEST = 60
#: The table of "at least" has at most so many columns beside the first.
_COLUMNS = 12
_STEPS = ("attacks", "hits", "wounds", "unsaved", "damage")


class Shown(NamedTuple):
    """A result and the words for what was computed."""

    caption: str
    result: AttackResult[Any]


def report(
    shown: Shown | None, reference: Shown | None = None, wrong: str = "", *, fractions: bool = True
) -> str:
    """Return the numbers and pictures of a result, beside those of an earlier one if there is one."""
    # The message stands in the place of the caption: nothing moves while a value is half written.
    head = (
        message(wrong) if wrong else f"<div><strong>{escape(shown.caption)}</strong></div>" if shown else ""
    )
    if shown is None:
        return head
    stale = ' mathhammer-stale" aria-hidden="true' if wrong else ""
    numbers = _headline(shown, reference, fractions=fractions)
    pictures = f'<div class="pictures{stale}">{numbers}{_pictures(shown, reference)}</div>'
    return f'<div class="mathhammer-shown">{head}{pictures}</div>'


def details(result: AttackResult[P] | None) -> str:
    """Return the means on the way, the table of "at least", and the rulings in force."""
    if result is None:
        return ""
    rulings = f"<details><summary>{escape(result.rulings.sentence)}</summary>{result.rulings.table().html()}</details>"
    return (
        f'<div class="mathhammer-shown mathhammer-details">{_at_least(result)}<div>On average {_way(result)}.</div>'
        f"{rulings}</div>"
    )


def message(text: str) -> str:
    """Return an error of the library for the reader, its lines and the caret below them kept."""
    return f'<div class="mathhammer-wrong" role="alert"><pre>{escape(text)}</pre></div>'


def printed(text: str) -> str:
    """Return a text as it is, lines and spaces kept."""
    return f'<div class="mathhammer-shown"><pre>{escape(text)}</pre></div>' if text else ""


def _headline(now: Shown, reference: Shown | None, *, fractions: bool) -> str:
    """Return what a player asks first, and by how much it differs from the reference."""
    rows = [[name, _value(value, kind, fractions=fractions)] for name, value, kind in _answers(now.result)]
    header = ["", "now"]
    if reference is not None:
        header += ["reference", "change"]
        for row, (_, new, kind), (_, old, _) in zip(
            rows, _answers(now.result), _answers(reference.result), strict=True
        ):
            row += [_value(old, kind, fractions=fractions), _change(float(new) - float(old), kind)]
    note = "" if reference is None else f"<small>Reference: {escape(reference.caption)}</small>"
    return f"<div>{display.html_table(header, rows, text_last=False)}{note}</div>"


def _answers(result: AttackResult[P]) -> list[tuple[str, SupportsFloat, str]]:
    lost = in_fractions(result)
    return [
        ("Whole unit destroyed", lost.probability_destroyed, "probability"),
        ("Models destroyed, mean", lost.kills.mean(), "number"),
        ("Wounds lost, mean", lost.wounds_lost.mean(), "number"),
    ]


def _value(value: SupportsFloat, kind: str, *, fractions: bool) -> str:
    """Return a number as people read it, behind its fraction where it is exact."""
    shown = display.percent(value) if kind == "probability" else display.number(value)
    if isinstance(value, float) or not fractions:
        return shown
    fraction = display.value_text(value, limit=_LONGEST)
    if fraction.startswith("a "):
        return f"{shown} ({fraction})"
    return shown if fraction == shown else f"{fraction} = {shown}"


def _change(difference: float, kind: str) -> str:
    return f"{100 * difference:+.2f} points" if kind == "probability" else f"{difference:+.2f}"


def _way(result: Any) -> str:
    """Return the means of the steps that do not depend on whose wounds they are."""
    unknown = {"unsaved": not result.saved_alike, "damage": not result.hurt_alike}
    steps = [step for step in _STEPS if not unknown.get(step)]
    return ", ".join(f"{display.number(in_fractions(getattr(result, step)).mean())} {step}" for step in steps)


def _pictures(shown: Shown, reference: Shown | None) -> str:
    """Return the bars of models and wounds; beside a reference the curves of both in place of the second."""
    result = shown.result
    pictures = {"Models destroyed": _picture(result.kills)}
    if reference is not None:
        curves = {"now": _lost_at_least(result), "reference": _lost_at_least(reference.result)}
        title = "Now and reference: wounds lost"
        pictures["Wounds lost, at least"] = display.svg_curves(curves, title=title, height=190)
    elif result.kills != result.wounds_lost:  # with models of one wound it is the same picture twice
        pictures["Wounds lost"] = _picture(result.wounds_lost)
    return "".join(f"<div>{name}:{picture}</div>" for name, picture in pictures.items())


def _picture(distribution: Distribution[P]) -> str:
    picture = distribution._repr_html_()
    return f"<br>{escape(repr(distribution))}" if picture is None else picture


def _lost_at_least(result: AttackResult[P]) -> list[float]:
    """Return the probabilities of 0, 1, 2, ... wounds lost or more, up to all that the unit had."""
    return [
        float(in_fractions(result).wounds_lost.at_least(k)) for k in range(result.unit.wounds_lost()[-1] + 1)
    ]


def _at_least(result: AttackResult[P]) -> str:
    """Return the probabilities of so many models destroyed or more; of wounds where there is one model."""
    if result.unit.models > 1:
        return at_least(result.kills, "At least so many models destroyed")
    return at_least(result.wounds_lost, "At least so many wounds lost")


def at_least(distribution: Distribution[P], what: str) -> str:
    """Return a table of the probabilities of so much or more; nothing or more is certain and left out."""
    distribution = in_fractions(distribution)
    counts = [k for k in distribution.support if k and distribution.pmf(k)]
    step = -(-len(counts) // _COLUMNS) or 1
    shown = [*counts[:-1:step], *counts[-1:]]
    header = [what, *map(str, shown)]
    cells = ["has the probability", *(display.percent(distribution.at_least(k)) for k in shown)]
    return display.html_table(header, [cells], text_last=False)
