"""The API pages: what would make a reader stumble is found, and the pages of the package have none of it."""

import re
import runpy
import types
from pathlib import Path

import pdoc.doc
import pytest

pytestmark = pytest.mark.slow

PAGES = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "pages.py"))


def test_pages_of_the_package(tmp_path):
    PAGES["build"](tmp_path)
    page = (tmp_path / "mathhammer" / "wh40k.html").read_text(encoding="utf-8")
    anchors = PAGES["Links"](page).anchors
    assert {"attack", "compare_editions", "Army.attach", "EDITIONS"} <= anchors  # some load on first use
    assert not any(anchor.startswith("_") for anchor in anchors)
    assert page.index('id="attack"') < page.index('id="Weapon"') < page.index('id="EDITIONS"')
    rules = (tmp_path / "guides" / "rules.html").read_text(encoding="utf-8")
    assert {"Lethal Hits", "half_range", "lethal_choice", "rules_date"} <= set(
        re.findall(r"<code>(.+?)</code>", rules)
    )
    assert "systems/wh40k/rules/abilities.py" in rules


@pytest.mark.parametrize(
    ("docstring", "html", "wrong"),
    [
        ("Shoot.", "", []),
        (None, "", ["made_up.shoot has no docstring"]),
        ("See :func:`miss`.", "<code>miss()</code>", ["made_up.shoot refers to miss, which is on no page"]),
        ("See :func:`miss`.", '<code><a href="#shoot">miss()</a></code>', []),
        ("Shoot.", '<a href="nowhere.html">', ["made_up links to nowhere.html, which is no page"]),
        ("Shoot.", '<a href="#miss">', ["made_up links to #miss, which is no place on that page"]),
    ],
)
def test_faults(docstring, html, wrong):
    def shoot():
        pass

    shoot.__doc__, shoot.__module__, shoot.__qualname__ = docstring, "made_up", "shoot"
    module = types.ModuleType("made_up", "A module.")
    module.__all__, module.shoot = ["shoot"], shoot
    pages = {"made_up": pdoc.doc.Module(module)}
    assert PAGES["faults"](pages, {"made_up": f'<div id="shoot">{html}'}) == wrong
