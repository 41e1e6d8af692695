"""The public functions of Warhammer 40,000 as tests of the 10th edition call them.

``from tenth import analysis, wh40k`` stands where ``from mathhammer import analysis, wh40k`` would: whatever takes an
edition is asked for the 10th unless a call names another, and labels mean its standard targets.
"""

from __future__ import annotations

import inspect
from functools import wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import mathhammer.analysis
from mathhammer import wh40k as _wh40k

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

__all__ = ["EDITION", "analysis", "of_the_tenth", "wh40k"]

EDITION = "10e"


def of_the_tenth(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is asked for the 10th edition unless a call names another."""
    place = list(inspect.signature(function).parameters).index("edition")

    @wraps(function)
    def asked(*args: Any, **keywords: Any) -> Any:
        if len(args) <= place:
            keywords.setdefault("edition", EDITION)
        return function(*args, **keywords)

    return asked


class _Tenth(SimpleNamespace):
    """A module whose functions are those of the 10th edition; all else is its own."""

    def __init__(self, module: ModuleType, **others: Any) -> None:
        super().__init__(_module=module, **others)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if inspect.isfunction(value) and "edition" in inspect.signature(value).parameters:
            value = of_the_tenth(value)
        setattr(self, name, value)
        return value


wh40k: Any = _Tenth(_wh40k, TARGETS=_wh40k.TARGETS.of(EDITION))
analysis: Any = _Tenth(mathhammer.analysis)


def __getattr__(name: str) -> Any:
    """Return a function by its own name: ``from tenth import attack, grid``."""
    return getattr(wh40k if name in _wh40k.__all__ else analysis, name)
