"""The API pages: what would make a reader stumble is found. The pages themselves are built by ``.ci/run``."""

import runpy
import types
from pathlib import Path

import pdoc.doc
import pytest

PAGES = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "pages.py"))


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
