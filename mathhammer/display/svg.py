"""Bars of a distribution as standalone SVG, in the colour of the text around it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mathhammer.display.folding import Row, fold
from mathhammer.display.numbers import count, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BARS = 120
_TICKS = 9
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 8, 22, 20


def svg_bars(
    outcomes: Iterable[int],
    probabilities: Iterable[float],
    *,
    mean: float | None = None,
    quantiles: tuple[int, int, int] | None = None,
    title: str = "",
    width: int = 480,
    height: int = 180,
) -> str:
    """Return one SVG element: a bar for each possible outcome, an axis, and the mean marked."""
    rows = fold(outcomes, probabilities, limit=_BARS)
    step = (width - _LEFT - _RIGHT) / len(rows)
    base = height - _BOTTOM
    greatest = max(row.probability for row in rows)
    parts = [_bar(row, _LEFT + i * step, step, base, greatest) for i, row in enumerate(rows)]
    parts += _axes(rows, step, base, width, greatest)
    if quantiles is not None:
        parts.append(_quantiles(quantiles, rows, step, base))
    if mean is not None:
        parts.append(_mean(mean, _LEFT + step * (_place(mean, rows) + 0.5), base, width))
    label = escape(
        title or f"Probabilities of the outcomes from {rows[0].low} to {rows[-1].high}", quote=True
    )
    return picture("".join(parts), label, width, height)


def svg_rows(
    labels: Sequence[str], probabilities: Sequence[float], *, title: str = "", width: int = 480
) -> str:
    """Return one SVG element: a bar to the right of each name, and its probability behind it."""
    step, letter = 24, 6.6
    left = min(0.5 * width, letter * max(map(len, labels)) + 12)
    room = width - left - 64
    greatest = max(probabilities) or 1.0
    parts = []
    for i, (label, probability) in enumerate(zip(labels, probabilities, strict=True)):
        long, y = room * probability / greatest, i * step
        share = escape(percent(min(probability, 1.0)))
        parts.append(
            f'<text x="{left - 8:.1f}" y="{y + 16}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{left:.1f}" y="{y + 3}" width="{long:.2f}" height="{step - 6}" fill-opacity="0.55">'
            f"<title>{escape(label)}: {share}</title></rect>"
            f'<text x="{left + long + 6:.1f}" y="{y + 16}">{share}</text>'
        )
    name = escape(title or "Probabilities of the outcomes", quote=True)
    return picture("".join(parts), name, width, step * len(labels) + 4)


def picture(inside: str, label: str, width: int, height: int) -> str:
    """Return the element around what is drawn; it shrinks with a narrow page."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" fill="currentColor" font-family="sans-serif" '
        f'font-size="11" style="max-width:100%;height:auto">{inside}</svg>'
    )


def _bar(row: Row, left: float, step: float, base: float, greatest: float) -> str:
    tall = (base - _TOP) * row.probability / greatest
    gap = min(2.0, 0.2 * step)
    folded = f" ({count(row.outcomes, 'outcome')})" if row.outcomes > 1 else ""
    return (
        f'<rect x="{left + gap / 2:.2f}" y="{base - tall:.2f}" width="{step - gap:.2f}" height="{tall:.2f}" '
        f'fill-opacity="0.55"><title>{row.label}{folded}: {escape(percent(row.probability))}</title></rect>'
    )


def _axes(rows: Sequence[Row], step: float, base: float, width: int, greatest: float) -> list[str]:
    """Return the base line, the scale of the greatest bar and a few outcomes below their bars."""
    parts = [f'<line x1="{_LEFT}" x2="{width - _RIGHT}" y1="{base}" y2="{base}" stroke="currentColor"/>']
    parts += [
        f'<text x="{_LEFT - 6}" y="{at + 4:.0f}" text-anchor="end">{escape(percent(share, digits=1))}</text>'
        for share, at in ((greatest, _TOP), (greatest / 2, (_TOP + base) / 2))
    ]
    every = -(-len(rows) // _TICKS)
    parts += [
        f'<text x="{_LEFT + (i + 0.5) * step:.2f}" y="{base + 14}" text-anchor="middle">{rows[i].low}</text>'
        for i in range(0, len(rows), every)
    ]
    return parts


def _mean(mean: float, at: float, base: float, width: int) -> str:
    """Return a dashed line with its label on the side that has room."""
    anchor, shift = ("end", -4) if at > width / 2 else ("start", 4)
    return (
        f'<line x1="{at:.2f}" x2="{at:.2f}" y1="{_TOP - 14}" y2="{base}" stroke="currentColor" '
        f'stroke-dasharray="3 2"/><text x="{at + shift:.2f}" y="{_TOP - 8}" text-anchor="{anchor}">'
        f"mean {escape(number(mean))}</text>"
    )


def _quantiles(quantiles: tuple[int, int, int], rows: Sequence[Row], step: float, base: float) -> str:
    """Return a thick line below the bars that hold the middle 90 %, and a triangle below the median."""
    low, median, high = quantiles
    left = _LEFT + step * next(i for i, row in enumerate(rows) if row.high >= low)
    right = _LEFT + step * (1 + max(i for i, row in enumerate(rows) if row.low <= high))
    at = _LEFT + step * (_place(median, rows) + 0.5)
    return (
        f'<line x1="{left:.2f}" x2="{right:.2f}" y1="{base + 1:.0f}" y2="{base + 1:.0f}" stroke="currentColor" '
        f'stroke-width="3"><title>5% to 95%: {low} to {high}</title></line>'
        f'<path d="M{at:.2f} {base - 7:.0f}l5 7h-10z"><title>median {median}</title></path>'
    )


def _place(value: float, rows: Sequence[Row]) -> float:
    """Return where a value stands among the middles of the rows, in rows; between two, in proportion."""
    middles = [(row.low + row.high) / 2 for row in rows]
    if value <= middles[0]:
        return 0.0
    for i in range(1, len(middles)):
        if value <= middles[i]:
            return i - 1 + (value - middles[i - 1]) / (middles[i] - middles[i - 1])
    return float(len(rows) - 1)
