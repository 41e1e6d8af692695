"""HTML and SVG: pictures in the colour of the text around them, tables of a notebook and of a report, and its page."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from mathhammer.display.numbers import count, number, percent
from mathhammer.display.text import Row, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Pictures --------------------------------------------------------------------------------------------------

_BARS, _TICKS = 120, 9
# Colours that can be told apart on white and on near-black, by hue, and by their dashes where hue does not serve.
_COLOURS = ("#d1662a", "#3a86c8", "#3f9a4d", "#9a68c4", "#b8902a", "#c4557f", "#3c9c9c", "#84888f")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


def svg_bars(
    outcomes: Sequence[int],
    probabilities: Sequence[float],
    *,
    mean: float | None = None,
    quantiles: tuple[int, int, int] | None = None,
    title: str = "",
) -> str:
    """Return a bar for each possible outcome, an axis, and the mean and the middle 90 % marked."""
    rows = fold(outcomes, probabilities, _BARS)
    left, right, top, base = 48, 472, 22, 160
    step, greatest = (right - left) / len(rows), max(row.probability for row in rows)
    gap, every = min(2.0, 0.2 * step), -(-len(rows) // _TICKS)
    parts = []
    for i, row in enumerate(rows):
        tall = (base - top) * row.probability / greatest
        folded = f" ({count(row.outcomes, 'outcome')})" if row.outcomes > 1 else ""
        parts.append(
            f'<rect x="{left + i * step + gap / 2:.2f}" y="{base - tall:.2f}" width="{step - gap:.2f}" '
            f'height="{tall:.2f}" fill-opacity="0.55"><title>{row.label}{folded}: '
            f"{escape(percent(row.probability))}</title></rect>"
        )
    parts.append(f'<line x1="{left}" x2="{right}" y1="{base}" y2="{base}" stroke="currentColor"/>')
    parts += [
        _text(left - 6, f"{at + 4:.0f}", "end", percent(share, digits=1))
        for share, at in ((greatest, top), (greatest / 2, (top + base) / 2))
    ]
    parts += [
        _text(f"{left + (i + 0.5) * step:.2f}", base + 14, "middle", rows[i].low)
        for i in range(0, len(rows), every)
    ]
    if quantiles is not None:  # a thick line below the middle 90 %, and a triangle below the median
        low, median, high = quantiles
        first = left + step * next(i for i, row in enumerate(rows) if row.high >= low)
        last = left + step * (1 + max(i for i, row in enumerate(rows) if row.low <= high))
        at = left + step * (_place(median, rows) + 0.5)
        parts.append(
            f'<line x1="{first:.2f}" x2="{last:.2f}" y1="{base + 1}" y2="{base + 1}" stroke="currentColor" '
            f'stroke-width="3"><title>5% to 95%: {low} to {high}</title></line>'
            f'<path d="M{at:.2f} {base - 7}l5 7h-10z"><title>median {median}</title></path>'
        )
    if mean is not None:  # a dashed line with its label on the side that has room
        at = left + step * (_place(mean, rows) + 0.5)
        anchor, shift = ("end", -4) if at > 240 else ("start", 4)
        parts.append(
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="{top - 14}" y2="{base}" stroke="currentColor" '
            f'stroke-dasharray="3 2"/>{_text(f"{at + shift:.2f}", top - 8, anchor, f"mean {number(mean)}")}'
        )
    return _picture(
        parts, title or f"Probabilities of the outcomes from {rows[0].low} to {rows[-1].high}", 480, 180
    )


def _place(value: float, rows: Sequence[Row]) -> float:
    """Return where a value stands among the middles of the rows, in rows; between two, in proportion."""
    middles = [(row.low + row.high) / 2 for row in rows]
    after = next((i for i, middle in enumerate(middles) if value <= middle), None)
    if after is None:
        return float(len(rows) - 1)
    return after - 1 + (value - middles[after - 1]) / (middles[after] - middles[after - 1]) if after else 0.0


def svg_rows(labels: Sequence[str], probabilities: Sequence[float], title: str) -> str:
    """Return a bar to the right of each name, and its probability behind it."""
    step, letter = 24, 6.6
    left = min(240.0, letter * max(map(len, labels)) + 12)
    greatest = max(probabilities) or 1.0
    parts = []
    for i, (label, probability) in enumerate(zip(labels, probabilities, strict=True)):
        long, y, share = (416 - left) * probability / greatest, i * step, percent(min(probability, 1.0))
        parts.append(
            f"{_text(f'{left - 8:.1f}', y + 16, 'end', label)}"
            f'<rect x="{left:.1f}" y="{y + 3}" width="{long:.2f}" height="{step - 6}" fill-opacity="0.55">'
            f"<title>{escape(label)}: {escape(share)}</title></rect>"
            f"{_text(f'{left + long + 6:.1f}', y + 16, '', share)}"
        )
    return _picture(parts, title or "Probabilities of the outcomes", 480, step * len(labels) + 4)


def svg_curves(series: Mapping[str, Sequence[float]], *, title: str, height: int = 250) -> str:
    """Return for each series the probability of at least so much, against the share of all."""
    left, right, top, base = 44, 452, 10, height - 34
    parts, legend = [], []
    for quarter in range(5):
        share, x, y = (
            f"{25 * quarter}%",
            left + (right - left) * quarter / 4,
            base - (base - top) * quarter / 4,
        )
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            f'stroke-opacity="0.18"/>{_text(left - 6, f"{y + 4:.1f}", "end", share)}'
            f"{_text(f'{x:.1f}', base + 14, 'middle', share)}"
        )
    across = "share of the target's wounds lost, or more"
    parts.append(_text(f"{(left + right) / 2:.0f}", base + 27, "middle", across))
    for i, (name, probabilities) in enumerate(series.items()):
        dashes = _DASHES[i // len(_COLOURS) % len(_DASHES)]
        stroke = f'stroke="{_COLOURS[i % len(_COLOURS)]}" stroke-dasharray="{dashes}"'
        label = f"{name}: all {percent(min(1.0, probabilities[-1]))}"
        # Steps: between two whole numbers of wounds the probability is that of the greater one.
        steps = max(1, len(probabilities) - 1)
        ends = [
            (left + (right - left) * k / steps, base - (base - top) * min(1.0, p))
            for k, p in enumerate(probabilities)
        ]
        path = "".join([f"M{ends[0][0]:.1f} {ends[0][1]:.1f}", *(f"V{y:.1f}H{x:.1f}" for x, y in ends[1:])])
        x, y = left + (i % 2) * 213, height + 6 + 16 * (i // 2)
        parts.append(
            f'<path d="{path}" fill="none" stroke-width="2" {stroke}><title>{escape(label)}</title></path>'
        )
        legend.append(f'<path d="M{x} {y}h22" stroke-width="3" {stroke}/>{_text(x + 28, y + 4, "", label)}')
    return _picture(parts + legend, title, 470, height + 16 * ((len(series) + 1) // 2))


def _text(x: object, y: object, anchor: str, text: object) -> str:
    at = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{at}>{escape(str(text))}</text>'


def _picture(parts: Sequence[str], label: str, width: int, height: int) -> str:
    """Return the element around what is drawn; it shrinks with a narrow page."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" fill="currentColor" font-family="sans-serif" '
        f'font-size="11" style="max-width:100%;height:auto">{"".join(parts)}</svg>'
    )


# Tables ----------------------------------------------------------------------------------------------------

# The text keeps its contrast on the deepest shade, which is less than half of the text's own colour.
_DEEPEST = 42
_NOTEBOOK = ' style="border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums"'
_LINE = "border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)"


def html_heat_table(
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float]]],
    texts: Sequence[Sequence[str]],
    corner: str,
    caption: str,
) -> str:
    """Return a table whose cells are the deeper in shade the greater their number is."""
    greatest = max((cell for _, cells in rows for cell in cells if isfinite(cell)), default=0.0) or 1.0
    side, style = (f"padding:.15em .5em;text-align:{side}" for side in ("left", "right"))

    def shaded(text: str, share: float) -> str:
        shade = f"color-mix(in srgb,currentColor {min(share, _DEEPEST):.3g}%,transparent)"
        # No shade where nothing is, or not a number.
        return _cell("td", text, f"{style};background:{shade}" if share > 0 else style)

    body = (
        _cell("th", name, side)
        + "".join(shaded(text, _DEEPEST * cell / greatest) for cell, text in zip(cells, row, strict=True))
        for (name, cells), row in zip(rows, texts, strict=True)
    )
    head = [_cell("th", corner, side), *(_cell("th", name, style) for name in columns)]
    title = _cell("caption", caption, "text-align:left;white-space:nowrap")
    # Pages stripe the rows of tables, which would be read as shades.
    row = ' style="background:none"'
    return _table(head, body, title, ' class="mathhammer"', row)


def html_cells(header: Sequence[str], rows: Iterable[Sequence[str]], align: str, caption: str = "") -> str:
    """Return a table as a fragment that brings its own style, in the colours of the page around it."""
    styles = [
        f"padding:.15em .6em;text-align:{'left' if side == '<' else 'right'};vertical-align:top;{_LINE}"
        for side in align
    ]
    head, *body = (
        "".join(_cell(tag, text, style) for style, text in zip(styles, texts, strict=True))
        for tag, texts in (("th", header), *(("td", row) for row in rows))
    )
    title = _cell("caption", caption, "text-align:left;white-space:nowrap")
    return _table([head], body, title)


def _cell(tag: str, text: str, style: str = "") -> str:
    attribute = f' style="{style}"' if style else ""
    return f"<{tag}{attribute}>{escape(text)}</{tag}>" if text or tag != "caption" else ""


def _table(head: Iterable[str], rows: Iterable[str], caption: str, around: str = "", row: str = "") -> str:
    body = "".join(f"<tr{row}>{cells}</tr>" for cells in rows)
    return (
        f'<div{around} style="overflow-x:auto"><table{_NOTEBOOK}>{caption}<thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


# The page of a report --------------------------------------------------------------------------------------

_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--quiet:#62676e}
@media (prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e6e7e9;--quiet:#9aa0a8}}
body{margin:2rem auto;max-width:78rem;padding:0 1rem;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .4rem}h3{font-size:1rem;margin:1.6rem 0 .2rem}
p,small,caption{color:var(--quiet)}p{margin:.3rem 0}caption{text-align:left;padding:.3rem 0}
th,td{white-space:nowrap}svg{max-width:100%;height:auto}
"""


def html_page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>{''.join(parts)}</body></html>\n"
    )
