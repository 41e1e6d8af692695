"""Pieces of a self-contained HTML page: a heat map, cumulative curves, and the page around them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mathhammer.display.numbers import percent
from mathhammer.display.svg import picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--quiet:#62676e;--line:#d9dce0;--hot:#c8501e}
@media (prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e6e7e9;--quiet:#9aa0a8;--line:#363a40;--hot:#f0824a}}
body{margin:2rem auto;max-width:78rem;padding:0 1rem;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .4rem}h3{font-size:1rem;margin:1.6rem 0 .2rem}
p,small,caption{color:var(--quiet)}p{margin:.3rem 0}caption{text-align:left;padding:.3rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.18rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600}th:first-child,td:first-child{text-align:left}
.heat td{text-align:center;min-width:3.2rem;background:color-mix(in srgb,var(--hot) var(--share),transparent)}
.heat td:first-child{background:none;text-align:left}
.heat th{text-align:center;white-space:normal;max-width:7rem}
.texts td:last-child,.texts th:last-child{text-align:left}
.texts td:last-child{white-space:normal;min-width:14rem;max-width:30rem}
.row{display:flex;flex-wrap:wrap;gap:1.5rem;align-items:flex-start}svg{max-width:100%;height:auto}
li{margin:.15rem 0}
"""
# Colours that can be told apart on white and on near-black, by hue, and by their dashes where hue does not serve.
_COLOURS = ("#d1662a", "#3a86c8", "#3f9a4d", "#9a68c4", "#b8902a", "#c4557f", "#3c9c9c", "#84888f")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 18, 10, 34


def html_page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>{''.join(parts)}</body></html>\n"
    )


def svg_curves(
    series: Mapping[str, Sequence[float]],
    *,
    title: str,
    width: int = 470,
    height: int = 250,
) -> str:
    """Return one SVG element: for each series the probability of at least so much, against the share of all."""
    right, base = width - _RIGHT, height - _BOTTOM
    parts = _grid_lines(right, base)
    legend = []
    for i, (name, probabilities) in enumerate(series.items()):
        stroke = (
            f'stroke="{_COLOURS[i % len(_COLOURS)]}" '
            f'stroke-dasharray="{_DASHES[i // len(_COLOURS) % len(_DASHES)]}"'
        )
        label = f"{name}: all {percent(min(1.0, probabilities[-1]))}"
        path = _path(probabilities, right, base)
        parts.append(
            f'<path d="{path}" fill="none" stroke-width="2" {stroke}><title>{escape(label)}</title></path>'
        )
        x, y = _LEFT + (i % 2) * (width - _LEFT) / 2, height + 6 + 16 * (i // 2)
        legend.append(
            f'<path d="M{x:.0f} {y}h22" stroke-width="3" {stroke}/>'
            f'<text x="{x + 28:.0f}" y="{y + 4}">{escape(label)}</text>'
        )
    tall = height + 16 * ((len(series) + 1) // 2)
    return picture("".join([*parts, *legend]), escape(title), width, tall)


def _grid_lines(right: float, base: float) -> list[str]:
    """Return the scale of both axes, and what they are."""
    parts = []
    for quarter in range(5):
        share = f"{25 * quarter}%"
        x = _LEFT + (right - _LEFT) * quarter / 4
        y = base - (base - _TOP) * quarter / 4
        parts.append(
            f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            'stroke-opacity="0.18"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share}</text>'
            f'<text x="{x:.1f}" y="{base + 14}" text-anchor="middle">{share}</text>'
        )
    middle = (_LEFT + right) / 2
    name = "share of the target's wounds lost, or more"
    parts.append(f'<text x="{middle:.0f}" y="{base + 27}" text-anchor="middle">{name}</text>')
    return parts


def _path(probabilities: Sequence[float], right: float, base: float) -> str:
    """Return steps: between two whole numbers of wounds the probability is that of the greater one."""
    steps = len(probabilities) - 1
    points = [
        (_LEFT + (right - _LEFT) * k / max(1, steps), base - (base - _TOP) * min(1.0, p))
        for k, p in enumerate(probabilities)
    ]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        path += f"V{y:.1f}H{x:.1f}"
    return path
