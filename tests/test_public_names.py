"""Every public name says what it is, and shows it in an example; doctest runs them all."""

import inspect
import runpy
from pathlib import Path

import pytest

from mathhammer import MathhammerError

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


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_wrong_call_says_what_was_expected(module, name):
    """Of functions and classes; a dictionary of keywords, which is for type checkers, takes any."""
    value = getattr(module, name)
    made = (
        inspect.isclass(value) and not issubclass(value, dict | Exception) and not inspect.isabstract(value)
    )
    if made or inspect.isroutine(value):
        with pytest.raises(MathhammerError, match=r"expected .*got"):
            value(no_such_argument=1)


def test_all_modules_are_there():
    assert {"mathhammer", "mathhammer.wh40k", "mathhammer.t9a", "mathhammer.analysis"} <= set(PAGES["PUBLIC"])
    assert 130 < len(set(NAMES)) < 200
