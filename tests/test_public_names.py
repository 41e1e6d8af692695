"""Every public name says what it is, and shows it in an example; doctest runs them all."""

import inspect
import runpy
from pathlib import Path

import pytest

PAGES = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "pages.py"))


NAMES = [
    pytest.param(module, name, id=f"{path}.{name}")
    for path in PAGES["PUBLIC"]
    for module in [PAGES["public_module"](path)]
    for name in module.__all__
]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_says_what_it_is_and_shows_it(module, name):
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        # `vars`, as getdoc would take the docstring of a base class for its own.
        own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
        assert own
        assert "\n>>> " in inspect.cleandoc(own)


def test_all_modules_are_there():
    assert {"mathhammer", "mathhammer.wh40k", "mathhammer.t9a", "mathhammer.analysis"} <= set(PAGES["PUBLIC"])
    assert 130 < len(set(NAMES)) < 200
