"""The picture of the README: two attacks with the same average. Run it to draw the picture again.

The colours are of middle lightness, so that one file can be read on light and on dark pages.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from mathhammer import wh40k
from mathhammer.display import numbers as display

if TYPE_CHECKING:
    from sympy import Rational

    from mathhammer.sequence.result import AttackResult

PICTURE = Path(__file__).with_suffix(".svg")
LASCANNON = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
AUTOCANNON = wh40k.Weapon.parse("Autocannon: A2 BS3+ S9 AP-1 D3")
TANK = wh40k.Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")

WIDTH, HEIGHT, LEFT, BASE, TOP = 760, 330, 24, 270, 92
INK, COLOURS = "#7c7c7c", ("#3f83c8", "#d0782a")


def text(x: float, y: float, words: str, *, size: int = 14, **attributes: str) -> str:
    """Return a line of text."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{more}>{escape(words)}</text>'


def bars(result: AttackResult[Rational], place: int, greatest: float) -> list[str]:
    """Return a bar for each number of wounds that can be lost."""
    step = (WIDTH - 2 * LEFT) / (TANK.wounds + 1)
    width = 0.42 * step
    parts = []
    for wounds, probability in result.wounds_lost.items():
        tall = (BASE - TOP) * float(probability) / greatest
        left = LEFT + wounds * step + 0.08 * step + place * width
        percent = display.percent(float(probability), digits=0)
        parts.append(
            f'<rect x="{left:.1f}" y="{BASE - tall:.1f}" width="{width:.1f}" height="{tall:.1f}" '
            f'fill="{COLOURS[place]}"><title>{wounds} wounds: {percent}</title></rect>'
        )
        parts.append(text(left + width / 2, BASE - tall - 5, percent, size=11, text_anchor="middle"))
    return parts


def picture() -> str:
    """Return the picture as SVG."""
    attacks = [(4, LASCANNON), (8, AUTOCANNON)]
    results = [wh40k.attack(weapon, TANK, count=count, exact=True) for count, weapon in attacks]
    average = {result.damage.mean() for result in results}
    if len(average) != 1:
        raise ValueError(f"expected attacks of the same average damage, got {average}")
    (mean,) = average
    greatest = max(float(p) for result in results for _, p in result.wounds_lost.items())
    step = (WIDTH - 2 * LEFT) / (TANK.wounds + 1)
    parts = [
        text(LEFT, 24, f"The same average: {mean} = {float(mean):.2f} damage", size=18, font_weight="bold"),
        f'<line x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{BASE}" y2="{BASE}" stroke="{INK}"/>',
        text(
            WIDTH / 2, BASE + 44, "wounds that a tank loses (T10, Sv 3+, InSv 5+, W12)", text_anchor="middle"
        ),
    ]
    parts += [
        text(LEFT + (wounds + 0.5) * step, BASE + 20, str(wounds), text_anchor="middle")
        for wounds in range(TANK.wounds + 1)
    ]
    for place, ((count, weapon), result) in enumerate(zip(attacks, results, strict=True)):
        nothing, destroyed = result.wounds_lost.pmf(0), result.probability_destroyed
        legend = (
            f"{count} {weapon.name.lower()}s: nothing {display.percent(float(nothing), digits=1)}, "
            f"destroyed {display.percent(float(destroyed), digits=1)}"
        )
        parts.append(
            f'<rect x="{LEFT}" y="{38 + 22 * place}" width="14" height="14" fill="{COLOURS[place]}"/>'
        )
        parts.append(text(LEFT + 22, 50 + 22 * place, legend))
        parts += bars(result, place, greatest)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" fill="{INK}" font-family="sans-serif">'
        f"<title>Wounds that a tank loses to four lascannons or to eight autocannons</title>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
