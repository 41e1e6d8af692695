"""SVG bars: well-formed, standalone, coloured by the page around them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from mathhammer.display.html import svg_bars
from mathhammer.display.panel import Bars

SVG = "{http://www.w3.org/2000/svg}"


def bars(picture):
    return ET.fromstring(picture).findall(f"{SVG}rect")  # noqa: S314 - our own text


def test_heights_are_in_proportion_to_the_probabilities():
    heights = [float(bar.get("height")) for bar in bars(svg_bars([1, 2, 3], [0.25, 0.5, 0.25]))]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.02)
    assert heights[0] == heights[2]


def test_each_bar_tells_its_probability():
    titles = [bar.findtext(f"{SVG}title") for bar in bars(svg_bars([4, 6], [1e-9, 1 - 1e-9]))]
    assert titles == ["4: <0.01%", "6: >99.99%"]


def test_the_mean_stands_between_the_bars_it_lies_between():
    picture = ET.fromstring(svg_bars([0, 1], [0.5, 0.5], mean=0.5))  # noqa: S314
    dashed = [line for line in picture.findall(f"{SVG}line") if line.get("stroke-dasharray")]
    first, second = (
        float(bar.get("x")) + float(bar.get("width")) / 2 for bar in picture.findall(f"{SVG}rect")
    )
    assert float(dashed[0].get("x1")) == pytest.approx((first + second) / 2, abs=0.02)


def test_a_thousand_outcomes_share_bars_and_say_so():
    titles = [bar.findtext(f"{SVG}title") for bar in bars(svg_bars(range(1000), [0.001] * 1000))]
    assert len(titles) == 100
    assert titles[0] == "0..9 (10 outcomes): 1.00%"


def test_only_the_colour_of_the_page_is_used():
    page = Bars('<"&>', [0, 1], [0.5, 0.5], facts={"mean": "0.50"}).html()
    assert "#" not in page
    assert page.count("currentColor") >= 2
    assert '<strong>&lt;"&amp;&gt;</strong>' in page.replace("&quot;", '"')
    assert "mean 0.50" in page
